//! The built-in lexicon of everyday English: stop words, synonyms and topics.

use std::{ops::Range, sync::LazyLock};

use super::{stem::stem, table::Table};

/// The built-in lexicon of everyday English.
pub(super) static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::parse(include_str!("english.txt")));

/// The maximum relevance of a word for any tool, whatever the catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Weight {
    /// Low: a word of which requests consist.
    Faint,
    /// Medium: a word that tools of any kind mention.
    Weak,
    /// Unlimited: only the rarity of the word decides.
    Full,
}

/// The relation between the words of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tie {
    /// All words are equivalents.
    Same,
    /// All words belong to one topic.
    Topic,
    /// The first words are the kind of the others.
    Kind,
    /// The first words are the place where the others are found.
    Place,
    /// The others are names of the first words, or of something that belongs to them.
    Instance,
    /// The first words are what tools for the others mention.
    Subject,
}

/// The stems of words, with their weights and groups.
#[derive(Debug)]
pub(super) struct Lexicon {
    /// The stop words, as they are written.
    silent: Table,
    /// The numbers of stems.
    stems: Table,
    entries: Vec<Entry>,
    groups: Vec<(Tie, Range<usize>)>,
    /// The numbers of stems, group by group.
    members: Vec<u32>,
}

#[derive(Debug)]
struct Entry {
    weight: Weight,
    groups: Vec<u32>,
}

/// A section of the file.
#[derive(Clone, Copy)]
enum Part {
    Silent,
    Weight(Weight),
    Groups(Tie),
}

impl Lexicon {
    fn parse(page: &str) -> Self {
        // The file is part of this crate, so its words cannot be crafted to collide.
        let table = Table::new(0);
        let mut lexicon = Self {
            silent: table.clone(),
            stems: table,
            entries: Vec::new(),
            groups: Vec::new(),
            members: Vec::new(),
        };
        let mut part = Part::Silent;
        for line in page.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(heading) = line.strip_prefix("! ") {
                part = match heading.split(':').next() {
                    Some("silent") => Part::Silent,
                    Some("faint") => Part::Weight(Weight::Faint),
                    Some("weak") => Part::Weight(Weight::Weak),
                    Some("same") => Part::Groups(Tie::Same),
                    Some("kind") => Part::Groups(Tie::Kind),
                    Some("place") => Part::Groups(Tie::Place),
                    Some("instance") => Part::Groups(Tie::Instance),
                    Some("subject") => Part::Groups(Tie::Subject),
                    _ => Part::Groups(Tie::Topic),
                };
                continue;
            }
            let start = lexicon.members.len();
            let (heads, words) = line.split_once(": ").unwrap_or((line, line));
            for word in heads.split(' ').filter(|_| matches!(part, Part::Groups(_))) {
                let number = lexicon.number(word);
                lexicon.members.push(number);
            }
            words.split(' ').for_each(|word| lexicon.add_word(word, part));
            if let Part::Groups(tie) = part {
                // The words before the colon are those related to the words after it.
                lexicon.groups.push((tie, start..lexicon.members.len()));
            }
        }
        lexicon
    }

    fn add_word(&mut self, word: &str, part: Part) {
        if let Part::Silent = part {
            return self.silent.insert(self.silent.hash(word), 0);
        }
        let number = self.number(word);
        let Some(entry) = self.entries.get_mut(number as usize) else { return };
        match part {
            Part::Weight(weight) => entry.weight = entry.weight.min(weight),
            _ => entry.groups.push(self.groups.len() as u32),
        }
    }

    /// Returns the number of a word's stem, and adds the stem if it is new.
    fn number(&mut self, word: &str) -> u32 {
        let mut stemmed = word.to_owned();
        stem(&mut stemmed);
        self.find(&stemmed).unwrap_or_else(|| {
            let number = self.entries.len() as u32;
            self.stems.insert(self.stems.hash(&stemmed), number);
            self.entries.push(Entry { weight: Weight::Full, groups: Vec::new() });
            number
        })
    }

    /// Returns the number of stems. They are numbered from 0.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the number of a stem.
    pub fn find(&self, stem: &str) -> Option<u32> {
        self.stems.get(self.stems.hash(stem))
    }

    /// Returns whether a word, as it is written, is a stop word.
    pub fn is_silent(&self, word: &str) -> bool {
        self.silent.get(self.silent.hash(word)).is_some()
    }

    /// Returns the weight of a stem.
    pub fn weight(&self, stem: u32) -> Weight {
        self.entries.get(stem as usize).map_or(Weight::Full, |entry| entry.weight)
    }

    /// Returns the stems that are related to a stem.
    pub fn related(&self, stem: u32) -> impl Iterator<Item = (u32, Tie)> {
        let groups = self.entries.get(stem as usize).map_or(&[][..], |entry| &entry.groups);
        let groups = groups.iter().filter_map(|group| self.groups.get(*group as usize));
        let members = |range: &Range<usize>| self.members.get(range.clone()).unwrap_or_default();
        let tied = groups.flat_map(move |(tie, range)| members(range).iter().map(|member| (*member, *tie)));
        tied.filter(move |(member, _)| *member != stem)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::BTreeSet;

    use super::{LEXICON, Lexicon, Tie, Weight, stem};

    const PAGE: &str = include_str!("english.txt");

    fn number(word: &str) -> Option<u32> {
        let mut stemmed = word.to_owned();
        stem(&mut stemmed);
        LEXICON.find(&stemmed)
    }

    fn tied(word: &str, other: &str, tie: Tie) -> bool {
        let other = number(other).unwrap();
        LEXICON.related(number(word).unwrap()).any(|found| found == (other, tie))
    }

    #[test]
    fn words_weigh_what_the_page_says() {
        let weight = |word| LEXICON.weight(number(word).unwrap());
        assert!(LEXICON.is_silent("the") && LEXICON.is_silent("dont") && !LEXICON.is_silent("theme"));
        assert_eq!(weight("providing"), Weight::Faint);
        assert_eq!(weight("categories"), Weight::Weak);
        assert_eq!(weight("bitcoin"), Weight::Full);
        assert_eq!(number("zebra"), None);
    }

    #[test]
    fn groups_go_both_ways_and_kinds_and_places_one_way() {
        assert!(tied("photos", "picture", Tie::Same) && tied("picture", "photos", Tie::Same));
        assert!(tied("hotel", "trip", Tie::Topic) && tied("trip", "hotel", Tie::Topic));
        assert!(!tied("photo", "photos", Tie::Same));
        assert!(tied("notes", "document", Tie::Kind) && !tied("document", "notes", Tie::Kind));
        assert!(tied("meeting", "calendar", Tie::Place) && !tied("meeting", "birthday", Tie::Place));
        // A stem in several groups is related to the words of all of them.
        assert!(tied("film", "clip", Tie::Same) && tied("film", "cinema", Tie::Same));
        assert!(!tied("clip", "cinema", Tie::Same));
    }

    #[test]
    fn the_page_is_in_order() {
        let groups = LEXICON.groups.len();
        assert!((100..=400).contains(&groups), "{groups} groups");
        let mut part = "";
        let (mut silent, mut alphabetical) = (BTreeSet::new(), Vec::new());
        for line in PAGE.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if line.starts_with('!') {
                part = line;
                alphabetical.clear();
                continue;
            }
            let words: Vec<&str> = line.split([' ', ':']).filter(|word| !word.is_empty()).collect();
            let known = |byte: u8| byte.is_ascii_alphanumeric() && !byte.is_ascii_uppercase();
            assert!(words.concat().bytes().all(known), "{line}");
            if part.starts_with("! silent") {
                alphabetical.extend(words.iter().copied());
                assert!(alphabetical.is_sorted_by(|a, b| a < b), "silent words are sorted: {line}");
                assert!(words.iter().all(|word| silent.insert(*word)), "a silent word stands twice: {line}");
            } else if part.contains(" a line") {
                let stems: BTreeSet<_> = words.iter().map(|word| number(word)).collect();
                assert!(
                    stems.len() == words.len() && stems.len() > 1,
                    "a word stands twice, or alone: {line}"
                );
            }
        }
    }

    #[test]
    fn a_page_is_read_by_its_parts() {
        let lexicon = Lexicon::parse(
            "# a\n! silent: x\nan of\n\n! weak: x\ncow\n! same: x\nan ox\n! topic: x\nox cow\n",
        );
        assert!(lexicon.is_silent("an") && !lexicon.is_silent("ox"));
        let [cow, an, ox] = ["cow", "an", "ox"].map(|word| lexicon.find(word).unwrap());
        assert_eq!((lexicon.len(), lexicon.weight(cow)), (3, Weight::Weak));
        assert_eq!(lexicon.related(ox).collect::<Vec<_>>(), [(an, Tie::Same), (cow, Tie::Topic)]);

        let lexicon = Lexicon::parse("! kind: x\nox: yak bull\n! place: x\nshed barn: yak\n");
        let [ox, yak, shed, barn] = ["ox", "yak", "shed", "barn"].map(|word| lexicon.find(word).unwrap());
        assert_eq!(
            lexicon.related(yak).collect::<Vec<_>>(),
            [(ox, Tie::Kind), (shed, Tie::Place), (barn, Tie::Place)]
        );
        assert_eq!((lexicon.related(ox).count(), lexicon.related(shed).count()), (0, 0));

        let lexicon = Lexicon::parse("! subject: x\nfarm: ox\n");
        let [farm, ox] = ["farm", "ox"].map(|word| lexicon.find(word).unwrap());
        assert_eq!(lexicon.related(ox).collect::<Vec<_>>(), [(farm, Tie::Subject)]);
        assert_eq!(lexicon.related(farm).count(), 0);
    }
}
