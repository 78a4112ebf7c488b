//! Collects and counts the words of a catalog, before its indexes are built.

use super::{
    field::{Field, fields, most},
    index::ABSENT,
    lexicon::{LEXICON, Weight},
    stem::stem,
    table::Table,
    words::{Word, Words},
};
use crate::catalog::Kind;

/// The words of a catalog, collected primitive by primitive.
#[derive(Debug)]
pub(super) struct Draft {
    /// The term of each spelling, or [`ABSENT`] for a stop word.
    spellings: Table,
    stems: Table,
    /// All stems, concatenated.
    pub text: String,
    pub terms: Vec<Term>,
    /// The count of each term in the current primitive.
    counts: Vec<Count>,
    /// The terms of the current primitive.
    held: Vec<u32>,
    /// The terms of each primitive, primitive by primitive: the term's number and, in the lowest byte, its count.
    pub holdings: Vec<u32>,
    pub primitives: Vec<Read>,
    /// The length of the current primitive.
    length: u32,
    words: Words,
    /// The terms of the current name or title.
    heading: Vec<u32>,
    stem: String,
}

/// A stem or a pair of stems.
#[derive(Debug)]
pub(super) struct Term {
    /// The start and end of its stem in the draft's text.
    pub start: u32,
    pub end: u32,
    /// The number of its stem in the lexicon, or [`ABSENT`].
    pub entry: u32,
    pub weight: Weight,
}

/// A primitive whose text has been read.
#[derive(Debug)]
pub(super) struct Read {
    /// The end of its terms in `holdings`.
    pub end: usize,
    /// The length, in tenths of a word in a description.
    pub length: u32,
}

#[derive(Debug)]
struct Count {
    /// The count in the current primitive, in tenths of a word in a description.
    tenths: u16,
    /// The maximum count in any one field.
    most: u16,
    /// Whether the term adds only half its count to the length of a text.
    halves: bool,
}

/// Upper limit for the number of terms: a term and its count share 32 bits.
const MAX_TERM: usize = 1 << 24;

impl Draft {
    /// Creates an empty draft. `seed` seeds the hash tables, so that crafted input cannot force collisions.
    pub fn new(seed: u64) -> Self {
        Self {
            spellings: Table::new(seed),
            stems: Table::new(seed),
            text: String::new(),
            terms: Vec::new(),
            counts: Vec::new(),
            held: Vec::new(),
            holdings: Vec::new(),
            primitives: Vec::new(),
            length: 0,
            words: Words::default(),
            heading: Vec::new(),
            stem: String::new(),
        }
    }

    /// Adds a primitive: its JSON as sent to clients, its server, its example requests, and the groups and tags that
    /// only filters read.
    pub fn add(&mut self, kind: Kind, source: &str, server: &str, examples: &str, published: &[&str]) {
        let mut words = std::mem::take(&mut self.words);
        let read: &mut dyn FnMut(Field, &str) = &mut |field, text| {
            let length = self.length;
            if matches!(field, Field::Name | Field::Title) {
                self.heading(field, text, &mut words);
            } else {
                let weight = field.weight(0);
                words.each_word(text, &mut |word| {
                    let at = self.find(word);
                    self.lengthen(at, weight);
                });
            }
            // The server's name and the examples do not make a primitive longer, so that neither lowers its strengths.
            if matches!(field, Field::Server | Field::Example) {
                self.length = length;
            }
        };
        fields(kind, source, read);
        published.iter().for_each(|name| read(Field::Label, name));
        read(Field::Server, server);
        read(Field::Example, examples);
        self.words = words;
        self.file();
    }

    /// Counts the words of a name or title, and each pair of adjacent words.
    fn heading(&mut self, field: Field, text: &str, words: &mut Words) {
        let mut heading = std::mem::take(&mut self.heading);
        heading.clear();
        words.each_word(text, &mut |word| heading.push(self.find(word)));
        let weight = field.weight(u16::try_from(heading.len()).unwrap_or(u16::MAX));
        let mut before = ABSENT;
        for at in heading.iter().copied().filter(|at| *at != ABSENT) {
            self.lengthen(at, weight);
            self.pair(before, at, weight);
            before = at;
        }
        self.heading = heading;
    }

    /// Returns the term of a word, or [`ABSENT`] for a stop word.
    #[inline(always)]
    fn find(&mut self, word: &Word<'_>) -> u32 {
        let hash = word.hash(&self.spellings);
        match self.spellings.get(hash) {
            Some(at) => at,
            None => self.spell(word.text(), hash),
        }
    }

    /// Counts a term and adds to the length of the primitive.
    #[inline(always)]
    fn lengthen(&mut self, at: u32, weight: u16) {
        if at != ABSENT {
            self.length += u32::from(self.count(at, weight));
        }
    }

    /// Counts two adjacent words of a name as a pair. Pairs do not add to the length.
    fn pair(&mut self, before: u32, at: u32, weight: u16) {
        let says = |at: u32| self.terms.get(at as usize).filter(|term| term.weight != Weight::Faint);
        let (Some(before), Some(at)) = (says(before), says(at)) else { return };
        let stem = |term: &Term| self.text.get(term.start as usize..term.end as usize).unwrap_or_default();
        pair_of(stem(before), stem(at), &mut self.stem);
        let pair = self.term();
        self.count(pair, weight);
    }

    /// Counts a term with the weight of its field. Returns how much it adds to the length of the primitive.
    #[inline(always)]
    fn count(&mut self, at: u32, weight: u16) -> u16 {
        let Some(count) = self.counts.get_mut(at as usize) else { return 0 };
        let weight = weight.min(count.most);
        if count.tenths == 0 {
            self.held.push(at);
        }
        count.tenths = count.tenths.saturating_add(weight);
        if count.halves { weight / 2 } else { weight }
    }

    /// Adds a new spelling.
    #[cold]
    fn spell(&mut self, word: &str, hash: u64) -> u32 {
        let mut at = ABSENT;
        if !LEXICON.is_silent(word) {
            self.stem.clear();
            self.stem.push_str(word);
            stem(&mut self.stem);
            at = self.term();
        }
        self.spellings.insert(hash, at);
        at
    }

    /// Returns the term of the stem or pair in `self.stem`.
    fn term(&mut self) -> u32 {
        let hash = self.stems.hash(&self.stem);
        if let Some(known) = self.stems.get(hash) {
            return known;
        }
        if self.terms.len() == MAX_TERM {
            return ABSENT;
        }
        let at = self.terms.len() as u32;
        self.stems.insert(hash, at);
        let start = self.text.len() as u32;
        self.text.push_str(&self.stem);
        let (end, entry) = (self.text.len() as u32, LEXICON.find(&self.stem));
        let weight = entry.map_or(Weight::Full, |entry| LEXICON.weight(entry));
        let entry = entry.unwrap_or(ABSENT);
        self.terms.push(Term { start, end, entry, weight });
        self.counts.push(Count { tenths: 0, most: most(weight), halves: weight != Weight::Full });
        at
    }

    /// Stores the counts of the current primitive.
    fn file(&mut self) {
        for at in self.held.drain(..) {
            let Some(count) = self.counts.get_mut(at as usize) else { continue };
            self.holdings.push(at << 8 | u32::from(count.tenths.min(255)));
            count.tenths = 0;
        }
        let length = std::mem::take(&mut self.length);
        self.primitives.push(Read { end: self.holdings.len(), length });
    }
}

/// Writes two stems as one term. It begins with a space, so it has no common beginning with the stem of a word.
pub(super) fn pair_of(before: &str, stem: &str, pair: &mut String) {
    pair.clear();
    pair.extend([" ", before, " ", stem]);
}
