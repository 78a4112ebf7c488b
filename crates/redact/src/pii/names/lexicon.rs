//! The lexicon of names and context words, with the possible meanings of each word.

use std::{ops::BitOr, sync::LazyLock};

use crate::scan::word_table::WordTable;

/// The text of the lexicon: names, and words around names and numbers.
pub(crate) const PAGE: &str = include_str!("lexicon.txt");

/// The parsed lexicon.
pub(crate) static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::parse(PAGE));

/// The possible meanings of a word, as a bitset.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct WordSense(u16);

impl WordSense {
    pub const GIVEN: Self = Self(1);
    pub const SURNAME: Self = Self(1 << 1);
    /// A given name that is more often something else.
    pub const DOUBTFUL: Self = Self(1 << 2);
    /// A word that is written with a capital without being a name.
    pub const COMMON: Self = Self(1 << 3);
    pub const TITLE: Self = Self(1 << 4);
    /// A particle between names, with a small letter.
    pub const PARTICLE: Self = Self(1 << 5);
    /// A word that ends the name of an organization.
    pub const COMPANY: Self = Self(1 << 6);
    pub const STREET: Self = Self(1 << 7);
    pub const MONTH: Self = Self(1 << 8);
    /// A word that announces a date of birth.
    pub const BIRTH: Self = Self(1 << 9);
    /// A word that announces a name.
    pub const NAMED: Self = Self(1 << 10);

    /// A word that announces a telephone number. `NUMBER` is a word that may be between such a word and the number.
    pub const PHONE: Self = Self(1 << 11);
    pub const NUMBER: Self = Self(1 << 12);

    /// A word that may end the name of an organization, but also ends many other names.
    pub const UNIT: Self = Self(1 << 13);

    /// A word that may follow *my name is* without being a name.
    pub const PLAIN: Self = Self(1 << 14);

    /// A word that may be between a question and the number that answers it.
    pub const LEADING: Self = Self(1 << 15);

    const PARTS: [(&str, Self); 16] = [
        ("given", Self::GIVEN),
        ("surname", Self::SURNAME),
        ("doubtful", Self(Self::GIVEN.0 | Self::DOUBTFUL.0)),
        ("common", Self::COMMON),
        ("title", Self(Self::TITLE.0 | Self::COMMON.0)),
        ("particle", Self::PARTICLE),
        ("company", Self::COMPANY),
        ("unit", Self(Self::COMPANY.0 | Self::UNIT.0)),
        ("street", Self::STREET),
        ("month", Self(Self::MONTH.0 | Self::COMMON.0)),
        ("birth", Self::BIRTH),
        ("named", Self::NAMED),
        ("phone", Self::PHONE),
        ("number", Self::NUMBER),
        ("plain", Self::PLAIN),
        ("leading", Self::LEADING),
    ];

    pub fn is(self, sense: Self) -> bool {
        self.0 & sense.0 != 0
    }
}

impl BitOr for WordSense {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

#[derive(Debug)]
pub(crate) struct Lexicon(WordTable<WordSense>);

impl Lexicon {
    fn parse(page: &'static str) -> Self {
        let (mut words, mut part) = (Vec::new(), WordSense::default());
        for line in page.lines().filter(|line| !line.starts_with('#')) {
            if let Some(heading) = line.strip_prefix("! ") {
                part = WordSense::PARTS
                    .iter()
                    .find(|(name, _)| *name == heading)
                    .map_or(part, |(_, sense)| *sense);
            } else {
                words.extend(line.split_ascii_whitespace().map(|word| (word, part)));
            }
        }
        Self(WordTable::new(&words, BitOr::bitor))
    }

    /// Returns the possible meanings of a word; none for an unknown word.
    #[inline]
    pub fn sense(&self, word: &[u8]) -> WordSense {
        self.0.get(word)
    }

    pub fn has(&self, word: &[u8], sense: WordSense) -> bool {
        self.sense(word).is(sense)
    }
}

#[cfg(test)]
mod tests {
    use super::PAGE;
    use crate::scan::word_table::WordTable;

    #[test]
    fn knows_what_a_list_knows() {
        let words: Vec<(&str, usize)> =
            PAGE.split_ascii_whitespace().enumerate().map(|(at, word)| (word, at + 1)).collect();
        let table = WordTable::new(&words, usize::max);
        for (word, _) in &words {
            for word in [*word, &word.to_ascii_uppercase(), &format!("{word}x"), &word.replace('a', "e")] {
                let same = |(known, _): &&(&str, usize)| known.eq_ignore_ascii_case(word);
                let naive = words.iter().filter(same).map(|(_, at)| *at).max().unwrap_or(0);
                assert_eq!(table.get(word.as_bytes()), naive, "{word}");
            }
        }
    }
}
