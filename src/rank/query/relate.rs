//! Adds related stems to a query: synonyms, topics, word families, typos and joined words.

use super::stems::{ONE, OWN, Query, RESPELT};
use crate::rank::{
    build::rarity,
    index::{ABSENT, Index},
    lexicon::{LEXICON, Tie, Weight},
    spelling::slips,
    stem::stem,
    vocabulary::letters,
};

/// The relations of a stem that the catalog holds. They add to the stem's own score. A topic counts less than one
/// [`Hit::FLOOR`](crate::rank::Hit::FLOOR)th of a word: a primitive that shares only the topic of a request is not
/// found next to one that shares its word.
pub const KNOWN: Relations = Relations { family: 128, same: 51, topic: 50, subject: 50, bound: 128 };
/// The relations of a stem that the catalog does not hold. They replace the stem.
pub const UNKNOWN: Relations = Relations { family: 179, same: 179, topic: 102, subject: 160, bound: 255 };

/// The divisor for the kind and the place of a word that describes the next one: `meeting notes` are notes.
pub const DESCRIBING: u32 = 4;

/// Number of bytes at the beginning that the stems of a family share.
const FAMILY: usize = 4;
/// The endings that replace a final `e` within a family: `place` and `placement`, `compute` and `computation`.
pub const ENDINGS: [&[u8]; 27] = [
    b"abl", b"al", b"anc", b"ant", b"ar", b"ari", b"at", b"ation", b"ator", b"ement", b"enc", b"ent", b"er",
    b"ful", b"ial", b"ic", b"ion", b"ional", b"ism", b"ist", b"iti", b"iv", b"or", b"ori", b"ual", b"ur",
    b"iz",
];
/// Minimum length, in bytes, of a part of a joined word.
const PART: usize = 3;

/// The weights of the stems that are related to a stem.
pub struct Relations {
    /// For stems of which one is the beginning of the other, or which are mostly the same.
    pub family: u32,
    /// For equivalents, and for the kind of a thing.
    pub same: u32,
    /// For words of one topic, the place of a thing, and the generic term for a name.
    pub topic: u32,
    /// For words that tools for the stem mention.
    pub subject: u32,
    /// The maximum that all related stems add together.
    pub bound: u32,
}

impl Relations {
    /// Returns the weight of a stem that is related to a word. `head` is whether the word is the head of its phrase,
    /// rather than a description of the next word.
    fn tied(&self, tie: Tie, head: bool) -> u32 {
        match tie {
            Tie::Same => self.same,
            Tie::Topic | Tie::Instance => self.topic,
            Tie::Subject => self.subject,
            Tie::Kind if head => self.same,
            Tie::Place if head => self.topic,
            Tie::Kind => self.same / DESCRIBING,
            Tie::Place => self.topic / DESCRIBING,
        }
    }
}

impl Query {
    /// Adds the stem of a word and its related stems. `head` is whether the word is the head of its phrase, rather than
    /// a description of the next word. Returns the rarity of the word, which limits that of its related stems. A word
    /// that the index does not hold is as rare as one that a single primitive holds.
    pub(super) fn relate(
        &mut self,
        word: &str,
        stem: &str,
        (weight, head, number): (u32, bool, u8),
        index: &Index,
    ) -> u32 {
        let known = index.vocabulary.find(stem);
        let relations = if known.is_some() { &KNOWN } else { &UNKNOWN };
        let entry = LEXICON.find(stem);
        // The rarity of a related stem is limited to that of the word itself, so that it weighs less.
        let own = match known {
            Some(known) => index.rarity(known),
            None => {
                let common = entry.map_or(Weight::Full, |entry| LEXICON.weight(entry));
                rarity(stem, common, 1, index.len().max(1)).into()
            }
        };
        if let Some(known) = known {
            self.add(known, weight, own, OWN, index);
        } else {
            if entry.is_none() {
                self.misspelt(stem, weight, (own, number), index);
            }
            self.joined(word, weight, (own, number), index);
        }
        self.bounds.push(weight * own / ONE * 255 / ONE * relations.bound);
        let cut = word.strip_prefix(stem) == Some("e");
        self.family(stem, (weight * relations.family / ONE, cut), (own, number), index);
        for (member, tie) in entry.into_iter().flat_map(|entry| LEXICON.related(entry)) {
            let term = index.related.get(member as usize).copied().unwrap_or(ABSENT);
            let relation = relations.tied(tie, head);
            if term != ABSENT {
                self.add(term, weight * relation / ONE, own, number, index);
            }
        }
        own
    }

    /// Adds stems of the same family: `recommend` and `recommendation`, `crypto` and `cryptocurrency`.
    ///
    /// `cut` is whether the stem lost a final `e`. Any letter may then follow the stem, as in `place` and `placid`, so
    /// only the endings that replace an `e` count.
    fn family(&mut self, stem: &str, (weight, cut): (u32, bool), (own, number): (u32, u8), index: &Index) {
        let stem = stem.as_bytes();
        let Some(head) = stem.get(..FAMILY).filter(|head| !head.iter().any(u8::is_ascii_digit)) else {
            return;
        };
        for at in index.vocabulary.beginning(head) {
            let known = index.vocabulary.get(at).as_bytes();
            let shared = stem.iter().zip(known).take_while(|(a, b)| a == b).count();
            let (shorter, longer) = (stem.len().min(known.len()), stem.len().max(known.len()));
            let ending = known.get(stem.len()..).filter(|_| cut && shared == stem.len());
            if ending.is_some_and(|ending| !ENDINGS.contains(&ending)) {
                continue;
            }
            if shared < longer && (shared == shorter || shared > FAMILY && shared * 5 >= longer * 3) {
                let weight = weight * shared as u32 / longer as u32;
                self.add(at as u32, weight, own, number, index);
            }
        }
    }

    /// Adds the stems of which a word may be a typo, such as `calender`. Typos in the first letter are not considered.
    fn misspelt(&mut self, stem: &str, weight: u32, (own, number): (u32, u8), index: &Index) {
        let first = stem.len().min(stem.chars().next().map_or(0, char::len_utf8));
        let held = letters(stem);
        for at in index.vocabulary.beginning(stem.as_bytes().get(..first).unwrap_or_default()) {
            // Each typo adds a letter, removes one, or both.
            if (index.vocabulary.letters(at) ^ held).count_ones() > 4 {
                continue;
            }
            let known = index.vocabulary.get(at);
            if let Some(slips) = slips(stem.as_bytes(), known.as_bytes()) {
                let longer = stem.len().max(known.len());
                let weight = weight * RESPELT / ONE * (longer - slips) as u32 / longer as u32;
                self.add(at as u32, weight, own, number, index);
            }
        }
    }

    /// Adds the parts of a joined word, such as `stockprice`. Chooses the split by the rarity of its more common part
    /// and by balance.
    fn joined(&mut self, word: &str, weight: u32, (own, number): (u32, u8), index: &Index) {
        let mut part = |part: &str| {
            if LEXICON.is_silent(part) {
                return None;
            }
            self.stem.clear();
            self.stem.push_str(part);
            stem(&mut self.stem);
            index.vocabulary.find(&self.stem)
        };
        let mut best = None;
        for at in PART..(word.len() + 1).saturating_sub(PART) {
            let Some((left, right)) = word.split_at_checked(at) else { continue };
            let (Some(left), Some(right)) = (part(left), part(right)) else { continue };
            let balance = at.min(word.len() - at) as u32;
            let score = index.rarity(left).min(index.rarity(right)) + 4 * balance;
            best = best.max(Some((score, left, right)));
        }
        for term in best.into_iter().flat_map(|(_, left, right)| [left, right]) {
            self.add(term, weight * RESPELT / ONE, own, number, index);
        }
    }
}
