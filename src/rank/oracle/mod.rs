//! A reference implementation of the formula in the documentation of [`crate::rank`]. It compares every primitive with
//! every stem, without postings, ranges or hashes. It is slow. The tests compare the index with it.

mod random;

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use random::Random;

use super::query::MAX_TERMS;
use super::{
    Hit, Index, Scratch,
    build::{norm, rarity, strength},
    field::{Field, fields, most},
    lexicon::{LEXICON, Tie, Weight},
    query::{DESCRIBING, ENDINGS, KNOWN, MAX_COUNT, MAX_WORDS, ONE, PAIR, RESPELT, UNKNOWN},
    search::share,
    spelling::slips,
    stem::stem,
    variety::{DAMPING, VARIED},
    words::Words,
};
use crate::{
    catalog::{Assignments, Bitset, Catalog, Kind, Lists, Rule, Source},
    json::{Entry, Raw},
};

fn stemmed(word: &str) -> String {
    let mut word = word.to_owned();
    stem(&mut word);
    word
}

fn weight(stem: &str) -> Weight {
    LEXICON.find(stem).map_or(Weight::Full, |entry| LEXICON.weight(entry))
}

/// The stems of a primitive with their counts, and its length.
struct Said {
    counts: BTreeMap<String, u32>,
    length: u32,
}

/// A stem that a query searches for.
struct Sought<'a> {
    stem: &'a str,
    weight: u32,
    /// The number of the related word, counted from 1, or 0 for a stem of the query itself.
    word: usize,
}

struct Oracle {
    said: Vec<Said>,
    /// The names of the primitives, which break ties between equal scores.
    names: Vec<String>,
    /// The rarity of each stem.
    stems: BTreeMap<String, u32>,
}

impl Oracle {
    fn new(catalog: &Catalog, kind: Kind) -> Self {
        let kind_index = catalog.kind_index(kind);
        let said: Vec<Said> = (0..kind_index.len())
            .map(|at| {
                let mut said = Said { counts: BTreeMap::new(), length: 0 };
                let read = |said: &mut Said, field: Field, text: &str| {
                    let (mut before, mut count): (Option<String>, u16) = (None, 0);
                    Words::default().each(text, &mut |_| count += 1);
                    Words::default().each(text, &mut |word| {
                        if LEXICON.is_silent(word) {
                            return;
                        }
                        let (stem, tenths) = (stemmed(word), u32::from(field.weight(count)));
                        let counted = tenths.min(most(weight(&stem)).into());
                        said.length += if weight(&stem) == Weight::Full { counted } else { counted / 2 };
                        *said.counts.entry(stem.clone()).or_default() += counted;
                        if let (Field::Name | Field::Title, Some(before)) =
                            (field, before.replace(stem.clone()))
                            && weight(&before) != Weight::Faint
                            && weight(&stem) != Weight::Faint
                        {
                            *said.counts.entry(format!(" {before} {stem}")).or_default() += tenths;
                        }
                    });
                };
                let source = std::str::from_utf8(kind_index.bytes(at).unwrap()).unwrap();
                fields(kind, source, &mut |field, text| read(&mut said, field, text));
                let length = said.length;
                read(&mut said, Field::Server, kind_index.server(at).unwrap());
                read(&mut said, Field::Example, kind_index.examples(at).unwrap_or_default());
                Said { length, ..said }
            })
            .collect();
        let stems: BTreeSet<&String> = said.iter().flat_map(|said| said.counts.keys()).collect();
        let with_rarity = |stem: &&String| {
            let holders = said.iter().filter(|said| said.counts.contains_key(*stem)).count() as u32;
            ((*stem).clone(), rarity(stem, weight(stem), holders, said.len()).into())
        };
        let stems = stems.iter().map(with_rarity).collect();
        Self { said, stems, names: kind_index.ids().map(str::to_owned).collect() }
    }

    /// Returns the stems to search for, the maximum that the related stems of each word add, and the total weight of
    /// the words.
    fn read(&self, query: &str) -> (Vec<Sought<'_>>, Vec<u32>, u32) {
        let query = &query[..query.floor_char_boundary(Index::MAX_QUERY)];
        // Maps a stem to the complement of its weight and the number of its related word, 0 for stems of the query
        // itself.
        let mut found: BTreeMap<&str, (u32, usize)> = BTreeMap::new();
        let mut add = |stem, weight: u32, word: usize| {
            let this = (u32::MAX - weight, word);
            let best = found.entry(stem).or_insert(this);
            *best = this.min(*best);
        };
        let known =
            |stem: &str| self.stems.get_key_value(stem).map(|(stem, rarity)| (stem.as_str(), *rarity));

        // The distinct stems in order, the first spelling of each, the number of its occurrences, and how often it
        // described the next word.
        let mut words: Vec<(String, String, u32, u32)> = Vec::new();
        let (mut before, mut beside): (Option<(String, String)>, bool) = (None, false);
        Words::default().each(query, &mut |word| {
            if LEXICON.is_silent(word) {
                beside = false;
                return;
            }
            if let Some((before, _)) = before.as_ref().filter(|_| beside)
                && let Some((stem, rarity)) = known(&stemmed(&format!("{before}{word}")))
            {
                add(stem, RESPELT * rarity / ONE, 0);
            }
            let stem = stemmed(word);
            let describes = |known: &String| before.as_ref().is_some_and(|(_, before)| known == before);
            if beside && weight(&stem) != Weight::Faint {
                words.iter_mut().filter(|word| describes(&word.0)).for_each(|word| word.3 += 1);
            }
            let this = match words.iter().position(|(known, ..)| *known == stem) {
                Some(at) => {
                    words[at].2 += 1;
                    Some((words[at].1.clone(), stem))
                }
                None if words.len() < MAX_WORDS => {
                    words.push((stem.clone(), word.to_owned(), 1, 0));
                    Some((word.to_owned(), stem))
                }
                None => None,
            };
            if let (Some((_, first)), Some((_, second))) = (&before, &this)
                && let Some((pair, rarity)) = known(&format!(" {first} {second}"))
            {
                add(pair, PAIR * rarity / ONE, 0);
            }
            (before, beside) = (this, true);
        });

        let (mut ideal, mut bounds) = (0, Vec::new());
        for (number, (stem, word, count, describing)) in (1..).zip(&words) {
            let weight = (ONE * ONE * *count.min(&MAX_COUNT)).isqrt();
            let own = known(stem);
            let absent = || rarity(stem, self::weight(stem), 1, self.said.len().max(1)).into();
            let bound = own.map_or_else(absent, |(_, rarity)| rarity);
            ideal += weight * bound / ONE;
            let relations = if own.is_some() { &KNOWN } else { &UNKNOWN };
            bounds.push(weight * bound / ONE * 255 / ONE * relations.bound);
            if let Some((stem, rarity)) = own {
                add(stem, weight * rarity / ONE, 0);
            }
            let mut relate =
                |stem, weight: u32, rarity: u32| add(stem, weight * rarity.min(bound) / ONE, number);
            let cut = word.strip_prefix(stem.as_str()) == Some("e");
            for (other, rarity) in &self.stems {
                let (a, b) = (stem.as_bytes(), other.as_bytes());
                let longer = a.len().max(b.len()) as u32;
                let shared = a.iter().zip(b).take_while(|(a, b)| a == b).count() as u32;
                let whole = shared == a.len().min(b.len()) as u32;
                let digits = a.iter().take(4).any(u8::is_ascii_digit);
                let related = (whole && shared >= 4) || (shared >= 5 && shared * 5 >= longer * 3);
                let no_ending = |ending: &str| !ENDINGS.contains(&ending.as_bytes());
                let strange = cut && other.strip_prefix(stem.as_str()).is_some_and(no_ending);
                if stem != other && related && !digits && !strange {
                    relate(other, weight * relations.family / ONE * shared / longer, *rarity);
                }
                let misspelt = own.is_none() && LEXICON.find(stem).is_none();
                if misspelt
                    && stem.chars().next() == other.chars().next()
                    && let Some(slips) = slips(a, b)
                {
                    relate(other, weight * RESPELT / ONE * (longer - slips as u32) / longer, *rarity);
                }
                let tied = LEXICON.find(stem).into_iter().flat_map(|entry| LEXICON.related(entry));
                for (member, tie) in tied {
                    if LEXICON.find(other) == Some(member) {
                        let part = if describing < count { 1 } else { DESCRIBING };
                        let relation = match tie {
                            Tie::Same => relations.same,
                            Tie::Topic | Tie::Instance => relations.topic,
                            Tie::Subject => relations.subject,
                            Tie::Kind => relations.same / part,
                            Tie::Place => relations.topic / part,
                        };
                        relate(other, weight * relation / ONE, *rarity);
                    }
                }
            }
            if own.is_none() {
                let splits = (3..word.len().saturating_sub(2)).filter_map(|at| word.split_at_checked(at));
                let parts = splits.filter_map(|(left, right)| {
                    let part = |part: &str| known(&stemmed(part)).filter(|_| !LEXICON.is_silent(part));
                    Some((part(left)?, part(right)?, left.len().min(right.len()) as u32))
                });
                let best = parts
                    .max_by_key(|((a, one), (b, other), balance)| (one.min(other) + 4 * balance, *a, *b));
                for (stem, rarity) in best.into_iter().flat_map(|(left, right, _)| [left, right]) {
                    relate(stem, weight * RESPELT / ONE, rarity);
                }
            }
        }
        let mut terms: Vec<Sought<'_>> = found
            .into_iter()
            .map(|(stem, (lack, word))| Sought { stem, weight: u32::MAX - lack, word })
            .collect();
        terms.sort_by_key(|term| (u32::MAX - term.weight, term.word, term.stem));
        terms.truncate(MAX_TERMS);
        (terms, bounds, ideal)
    }

    fn search(&self, query: &str, within: Option<&Bitset>, limit: usize) -> Vec<Hit> {
        let (mut terms, bounds, ideal) = self.read(query);
        let total: u64 = self.said.iter().map(|said| u64::from(said.length)).sum();
        let strength = |said: &Said, stem: &str| {
            let count = u8::try_from(*said.counts.get(stem).unwrap_or(&0)).unwrap_or(u8::MAX);
            u32::from(strength(count, norm(said.length, total, self.said.len() as u64)))
        };
        let score = |at: usize| -> u32 {
            let of = |number: usize| {
                let terms = terms.iter().filter(|term| term.word == number);
                terms.map(|term| term.weight * strength(&self.said[at], term.stem)).sum::<u32>()
            };
            let related = (1..).zip(&bounds).map(|(number, bound)| of(number).min(*bound));
            of(0) + related.sum::<u32>()
        };
        let mut scores: Vec<(usize, u32)> = (0..self.said.len()).map(|at| (at, score(at))).collect();
        let mut best_two: Vec<u32> = scores.iter().map(|(_, score)| *score).chain([0, 0]).collect();
        best_two.sort_unstable_by_key(|score| Reverse(*score));
        let (best, second) = (best_two[0], best_two[1]);
        let found = |score: u32| score > 0 && u64::from(score) * u64::from(Hit::FLOOR) >= u64::from(best);
        scores.retain(|(at, score)| found(*score) && within.is_none_or(|within| within.contains(*at)));
        scores.sort_by_key(|(at, score)| (u32::MAX - score, &self.names[*at]));
        let rest = scores.split_off(scores.len().min(VARIED));
        let mut ordered = Vec::new();
        while let Some(best) =
            scores.iter().copied().max_by_key(|(at, score)| (*score, Reverse(&self.names[*at])))
        {
            scores.retain(|(at, _)| *at != best.0);
            ordered.push(best);
            for term in &mut terms {
                let less = term.weight * strength(&self.said[best.0], term.stem) / DAMPING;
                term.weight -= less;
                for (at, score) in &mut scores {
                    *score = score.saturating_sub(less * strength(&self.said[*at], term.stem));
                }
            }
        }
        ordered.extend(rest);
        ordered.truncate(limit);
        let mut least = 1000;
        let mut graded = |score: u32| {
            let rival = if score < best { best } else { second };
            least = least.min(Hit::certainty(share(score, ideal), share(rival, ideal)));
            least as u32
        };
        ordered.into_iter().map(|(index, score)| Hit { index, score: graded(score) }).collect()
    }
}

#[test]
fn the_index_ranks_as_the_formula_does() {
    let mut scratch = Scratch::default();
    let mut hits = 0;
    for seed in 0..60 {
        let mut random = Random(seed);
        let tools: Vec<String> = (0..1 + random.below(80)).map(|at| random.tool(at)).collect();
        let text = format!(r#"{{"tools":[{}]}}"#, tools.join(","));
        let server = random.pick(&["", "images", "stock-exchange"]);
        let source = Source { server, lists: Lists::read(&text).unwrap() };
        let rules = (0..random.below(3)).map(|_| {
            let (at, example) = (random.below(10), random.text(6));
            let rule = format!(r#"{{"match":"name:*{at}","examples":["{example} x"]}}"#);
            Rule::read(&Entry::root(Raw::parse(&rule).unwrap())).unwrap()
        });
        let assignments = Assignments { rules: rules.collect(), ..Assignments::default() };
        let catalog = Catalog::compile(&[source], &assignments);
        let (index, oracle) = (Index::new(&catalog, Kind::Tool), Oracle::new(&catalog, Kind::Tool));
        assert_eq!(index.len(), tools.len());
        for _ in 0..40 {
            let query = random.text(8);
            let limit = random.below(tools.len() + 2);
            let mut within = Bitset::none(tools.len());
            (0..tools.len()).filter(|_| random.below(3) > 0).for_each(|at| within.insert(at));
            let within = (random.below(2) == 0).then_some(&within);
            let found = match within {
                Some(within) => index.search_within(&query, within, limit, &mut scratch),
                None => index.search(&query, limit, &mut scratch),
            };
            assert_eq!(found, oracle.search(&query, within, limit), "seed {seed}, {query:?}, limit {limit}");
            hits += found.len();
        }
    }
    assert!(hits > 5_000, "{hits}");
}
