//! The map from placeholders to the values that they replace.

use std::{
    collections::{BTreeMap, HashMap},
    rc::Rc,
};

use mcp_sieve::Hashing;

use crate::scan::{
    kind::Kind,
    patterns::Patterns,
    placeholder::{self, unbracketed},
};

/// A map from placeholders to values. Equal values of a kind share a placeholder. The placeholders of a kind are
/// numbered in the order in which their values first appear.
///
/// The map contains the values in plain text: store and send it as carefully as the original text.
#[derive(Debug, Clone, Default)]
pub struct PlaceholderMap {
    /// The placeholders in order of creation, after those of earlier calls.
    entries: Vec<(PlaceholderName, Rc<str>)>,
    /// The custom patterns, which name their kinds.
    patterns: Patterns,
    numbers: BTreeMap<Kind, Numbers>,
}

/// The numbers of the values of a kind.
#[derive(Debug, Clone, Default)]
struct Numbers {
    of: HashMap<Rc<str>, u32, Hashing>,
    last: u32,
}

/// The name of a placeholder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PlaceholderName {
    Generated(Kind, u32),
    /// A name of another form, passed to [`PlaceholderMap::carried`].
    External(Box<str>),
}

impl PlaceholderName {
    /// Appends the name.
    pub fn push(&self, patterns: &Patterns, out: &mut String) {
        match self {
            Self::Generated(kind, number) => {
                out.push_str(patterns.name(*kind));
                out.push('_');
                push_number(out, *number);
            }
            Self::External(name) => out.push_str(name),
        }
    }
}

impl PlaceholderMap {
    /// Returns an empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a map of the placeholders of earlier texts, given as names, with or without brackets, and values. Known
    /// values keep their placeholders, and new numbers continue after theirs.
    ///
    /// ```
    /// use mcp_sieve_redact::{PlaceholderMap, Redactor, pii::Scanner};
    ///
    /// let carried = PlaceholderMap::carried([("EMAIL_1", "jane@example.com")]);
    /// let mut redactor = Redactor::new(Scanner::default(), carried);
    /// assert_eq!(redactor.redact("bob@example.com and jane@example.com"), "[EMAIL_2] and [EMAIL_1]");
    /// ```
    pub fn carried<'m>(map: impl IntoIterator<Item = (&'m str, &'m str)>) -> Self {
        let mut placeholders = Self::default();
        for (name, value) in map {
            let name = unbracketed(name);
            let value: Rc<str> = value.into();
            let name = match placeholders.take(name, &value) {
                Some((kind, number)) => PlaceholderName::Generated(kind, number),
                None => PlaceholderName::External(name.into()),
            };
            placeholders.entries.push((name, value));
        }
        placeholders
    }

    /// Registers a value under the kind and number of its generated name, and returns them; `None` for another name.
    fn take(&mut self, name: &str, value: &Rc<str>) -> Option<(Kind, u32)> {
        let (kind, number) = parse_generated(&self.patterns, name)?;
        let numbers = self.numbers.entry(kind).or_default();
        numbers.last = numbers.last.max(number);
        numbers.of.entry(value.clone()).or_insert(number);
        Some((kind, number))
    }

    /// Adds custom patterns. External names of their kinds become generated ones.
    pub(crate) fn learn(&mut self, patterns: &Patterns) {
        if patterns.is_empty() {
            return;
        }
        self.patterns = patterns.clone();
        for place in 0..self.entries.len() {
            let Some((PlaceholderName::External(name), value)) = self.entries.get(place).cloned() else {
                continue;
            };
            let taken = self.take(&name, &value);
            if let (Some((kind, number)), Some(entry)) = (taken, self.entries.get_mut(place)) {
                entry.0 = PlaceholderName::Generated(kind, number);
            }
        }
    }

    /// Returns the custom patterns, which name their kinds.
    pub(crate) fn patterns(&self) -> &Patterns {
        &self.patterns
    }

    /// Returns the name of a placeholder without its brackets, if it has any.
    pub fn unbracketed(name: &str) -> &str {
        unbracketed(name)
    }

    /// Returns the total size, in bytes, of the placeholders of built-in kinds in a text. A program that limits the
    /// size of texts can subtract it, so that a redacted text is accepted wherever the original was.
    pub fn size_in(text: &str) -> usize {
        placeholder::size_of_placeholders(text)
    }

    /// Returns the name of a kind in metadata, such as `email`.
    pub fn type_of(&self, kind: Kind) -> String {
        self.patterns.type_of(kind).map_or_else(|| kind.name().to_ascii_lowercase(), ToOwned::to_owned)
    }

    /// Returns the number of placeholders.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there are no placeholders.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Iterates over the names, kinds and values of the placeholders, in order. External names have no kind.
    pub fn iter(&self) -> impl Iterator<Item = (String, Option<Kind>, &str)> {
        self.entries.iter().map(|(name, value)| {
            let kind = match name {
                PlaceholderName::Generated(kind, _) => Some(*kind),
                PlaceholderName::External(_) => None,
            };
            let mut whole = String::new();
            name.push(&self.patterns, &mut whole);
            (whole, kind, &**value)
        })
    }

    /// Returns the placeholder at a position, and its value.
    pub(crate) fn entry(&self, place: usize) -> Option<(&PlaceholderName, &str)> {
        self.entries.get(place).map(|(name, value)| (name, &**value))
    }

    /// Returns the number of a value's placeholder. Creates the placeholder if the value has none.
    pub(crate) fn number(&mut self, kind: Kind, value: &str) -> u32 {
        let numbers = self.numbers.entry(kind).or_default();
        if let Some(number) = numbers.of.get(value) {
            return *number;
        }
        let value: Rc<str> = value.into();
        numbers.last += 1;
        let number = numbers.last;
        numbers.of.insert(value.clone(), number);
        self.entries.push((PlaceholderName::Generated(kind, number), value));
        number
    }
}

/// Returns the kind and the number of a generated name; `None` for any other name.
fn parse_generated(patterns: &Patterns, name: &str) -> Option<(Kind, u32)> {
    let (kind, digits) = name.rsplit_once('_')?;
    // The bound leaves room for new numbers, so that they never overflow.
    let number = digits
        .parse()
        .ok()
        .filter(|number| (1..u32::MAX / 2).contains(number) && !digits.starts_with(['0', '+']))?;
    let built_in = Kind::ALL.iter().copied().find(|known| known.name() == kind);
    Some((built_in.or_else(|| patterns.find_name(kind))?, number))
}

fn push_number(out: &mut String, number: u32) {
    let mut digits = [0; 10];
    let (mut left, mut count) = (number, 0);
    for slot in digits.iter_mut().rev() {
        *slot = b'0' + (left % 10) as u8;
        (left, count) = (left / 10, count + 1);
        if left == 0 {
            break;
        }
    }
    out.extend(digits.iter().skip(digits.len() - count).map(|digit| char::from(*digit)));
}
