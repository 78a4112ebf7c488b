//! Queries as weighted stems of an index.

use crate::rank::{
    draft::pair_of,
    index::Index,
    lexicon::{LEXICON, Weight},
    stem::stem,
    words::Words,
};

impl Index {
    /// Maximum number of bytes of a query that are read. The rest is ignored.
    pub const MAX_QUERY: usize = 2048;
}

/// Maximum number of stems that a query searches for, including related stems. The stems with the highest weights are
/// kept.
pub const MAX_TERMS: usize = 384;

/// Maximum number of distinct words of a query that count.
pub(in crate::rank) const MAX_WORDS: usize = 64;
/// Maximum number of occurrences of a word that count.
pub(in crate::rank) const MAX_COUNT: u32 = 16;

/// The weight of a query's own stem. The weights of related stems are in 256ths of it.
pub(in crate::rank) const ONE: u32 = 256;
/// The additional weight of two words that are adjacent both in the query and in a name.
pub(in crate::rank) const PAIR: u32 = 51;
/// The weight of a misspelt word before its typos are counted, of the parts of a joined word, and of two words that are
/// joined.
pub(in crate::rank) const RESPELT: u32 = 230;

/// A query as weighted stems of an index.
#[derive(Debug, Default)]
pub(in crate::rank) struct Query {
    pub(super) splitter: Words,
    /// The words and stems of the query, concatenated.
    pub(super) text: String,
    words: Vec<Word>,
    pub(super) stem: String,
    pub(super) terms: Vec<Term>,
    /// For each word, the maximum that its related stems add to the score of a primitive, in units of weight.
    pub(super) bounds: Vec<u32>,
    /// The total weight of its words, including words that the index does not hold.
    pub ideal: u32,
}

/// A stem that a query searches for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::rank) struct Term {
    /// The number of the stem in the index.
    pub stem: u32,
    /// The amount that the stem adds to the score of a primitive, for each unit of its strength there.
    pub weight: u32,
    /// The number of the word that the stem is related to, counted from 1, or [`OWN`].
    pub word: u8,
}

/// The word number of stems that the query itself contains, alone, in pairs or joined. Their scores have no bound.
pub(in crate::rank) const OWN: u8 = 0;

/// The last word of the query that is not a stop word, and whether the current word follows it directly.
#[derive(Default)]
struct Before {
    word: Option<usize>,
    beside: bool,
}

/// A word of the query, by the positions of the word and its stem in the query's text.
#[derive(Debug, Clone, Copy)]
struct Word {
    start: usize,
    middle: usize,
    end: usize,
    count: u32,
    /// The number of times that it describes the next word, as `meeting` does in `meeting notes`.
    describes: u32,
}

impl Query {
    /// Parses a query for a search in `index`.
    pub fn read(&mut self, query: &str, index: &Index) {
        self.text.clear();
        self.words.clear();
        self.terms.clear();
        self.bounds.clear();
        self.ideal = 0;
        let query = query.get(..query.floor_char_boundary(Index::MAX_QUERY)).unwrap_or_default();
        let mut splitter = std::mem::take(&mut self.splitter);
        let mut before = Before::default();
        splitter.each(query, &mut |word| self.word(word, &mut before, index));
        self.splitter = splitter;

        let text = std::mem::take(&mut self.text);
        for at in 0..self.words.len() {
            let Some(word) = self.words.get(at).copied() else { continue };
            let whole = text.get(word.start..word.middle).unwrap_or_default();
            let stem = text.get(word.middle..word.end).unwrap_or_default();
            let weight = (ONE * ONE * word.count.min(MAX_COUNT)).isqrt();
            let head = word.count > word.describes;
            let number = at as u8 + 1;
            let own = self.relate(whole, stem, (weight, head, number), index);
            self.ideal += weight * own / ONE;
        }
        self.text = text;
        self.settle();
    }

    /// Adds a word of the query, and its combinations with the previous word.
    fn word(&mut self, word: &str, before: &mut Before, index: &Index) {
        if LEXICON.is_silent(word) {
            before.beside = false;
            return;
        }
        if let Some(first) = before.word.filter(|_| before.beside).and_then(|at| self.words.get(at)) {
            let first = self.text.get(first.start..first.middle).unwrap_or_default();
            self.stem.clear();
            self.stem.extend([first, word]);
            stem(&mut self.stem);
            if let Some(term) = index.vocabulary.find(&self.stem) {
                self.add(term, RESPELT, u32::MAX, OWN, index);
            }
        }
        let at = self.note(word);
        if LEXICON.find(&self.stem).is_none_or(|entry| LEXICON.weight(entry) != Weight::Faint) {
            let first = before.word.filter(|_| before.beside).and_then(|at| self.words.get_mut(at));
            first.into_iter().for_each(|first| first.describes += 1);
        }
        if let Some([first, second]) = before.word.zip(at).map(<[usize; 2]>::from) {
            let stem_of = |at: usize| {
                self.words.get(at).and_then(|word| self.text.get(word.middle..word.end)).unwrap_or_default()
            };
            pair_of(stem_of(first), stem_of(second), &mut self.stem);
            if let Some(term) = index.vocabulary.find(&self.stem) {
                self.add(term, PAIR, u32::MAX, OWN, index);
            }
        }
        *before = Before { word: at, beside: true };
    }

    /// Returns the index of a word in `words`, and adds it if it is new. Returns `None` if there are too many.
    fn note(&mut self, word: &str) -> Option<usize> {
        self.stem.clear();
        self.stem.push_str(word);
        stem(&mut self.stem);
        let stem_of = |word: &Word| self.text.get(word.middle..word.end).unwrap_or_default();
        if let Some(at) = self.words.iter().position(|word| stem_of(word) == self.stem) {
            if let Some(word) = self.words.get_mut(at) {
                word.count += 1;
            }
            return Some(at);
        }
        if self.words.len() == MAX_WORDS {
            return None;
        }
        let start = self.text.len();
        self.text.push_str(word);
        let middle = self.text.len();
        self.text.push_str(&self.stem);
        self.words.push(Word { start, middle, end: self.text.len(), count: 1, describes: 0 });
        Some(self.words.len() - 1)
    }

    /// Adds a stem with a weight that is multiplied by its rarity, up to a bound.
    pub(super) fn add(&mut self, stem: u32, weight: u32, bound: u32, word: u8, index: &Index) {
        let weight = weight * index.rarity(stem).min(bound) / ONE;
        self.terms.push(Term { stem, weight, word });
    }

    /// Keeps each stem once, with its greatest weight, and sorts by descending weight.
    fn settle(&mut self) {
        self.terms.sort_unstable_by_key(|term| (term.stem, u32::MAX - term.weight, term.word));
        self.terms.dedup_by_key(|term| term.stem);
        self.terms.sort_unstable_by_key(|term| (u32::MAX - term.weight, term.word, term.stem));
        self.terms.truncate(MAX_TERMS);
    }

    /// Keeps the first `count` stems and sorts them by the word that they are related to, with the query's own stems
    /// first.
    pub fn gather(&mut self, count: usize) {
        self.terms.truncate(count);
        self.terms.sort_unstable_by_key(|term| (term.word, term.stem));
    }

    /// Returns the stems to search for, by descending weight until they are [gathered](Self::gather).
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Returns the maximum that the related stems of a word add to the score of a primitive.
    pub fn bound(&self, word: u8) -> u32 {
        let at = usize::from(word).checked_sub(1);
        at.and_then(|at| self.bounds.get(at)).copied().unwrap_or(u32::MAX)
    }
}
