use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    fmt,
    rc::Rc,
};

use super::{Finding, Kind, Scan, Scanner};
use crate::digest::Hashing;

/// Which handle stands for which value. The same value of a kind has one handle; handles of a kind are numbered in the
/// order in which their values first appear.
#[derive(Debug, Clone, Default)]
pub struct Handles {
    /// In the order in which they were given out, those that were carried here first.
    entries: Vec<(Name, Rc<str>)>,
    numbers: BTreeMap<Kind, Numbers>,
}

/// The values of a kind.
#[derive(Debug, Clone, Default)]
struct Numbers {
    of: HashMap<Rc<str>, u32, Hashing>,
    last: u32,
}

/// The name of a handle.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Name {
    Ours(Kind, u32),
    /// Somebody else's, carried here.
    Other(Box<str>),
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ours(kind, number) => write!(f, "{}_{number}", kind.name()),
            Self::Other(name) => f.write_str(name),
        }
    }
}

impl Handles {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Those of earlier calls, so that what had a handle keeps it, and numbers go on.
    pub fn carried<'m>(map: impl IntoIterator<Item = (&'m str, &'m str)>) -> Self {
        let mut handles = Self::default();
        for (name, value) in map {
            let name = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
            let value: Rc<str> = value.into();
            let name = match ours(name) {
                Some((kind, number)) => {
                    let numbers = handles.numbers.entry(kind).or_default();
                    numbers.last = numbers.last.max(number);
                    numbers.of.entry(value.clone()).or_insert(number);
                    Name::Ours(kind, number)
                }
                None => Name::Other(name.into()),
            };
            handles.entries.push((name, value));
        }
        handles
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Each with its kind, if it is one of ours, and its value, in order.
    pub fn iter(&self) -> impl Iterator<Item = (String, Option<Kind>, &str)> {
        self.entries.iter().map(|(name, value)| {
            let kind = match name {
                Name::Ours(kind, _) => Some(*kind),
                Name::Other(_) => None,
            };
            (name.to_string(), kind, &**value)
        })
    }

    /// The number of a value's handle, which it gets if it has none.
    fn number(&mut self, kind: Kind, value: &str) -> u32 {
        let numbers = self.numbers.entry(kind).or_default();
        if let Some(number) = numbers.of.get(value) {
            return *number;
        }
        let value: Rc<str> = value.into();
        numbers.last += 1;
        let number = numbers.last;
        numbers.of.insert(value.clone(), number);
        self.entries.push((Name::Ours(kind, number), value));
        number
    }
}

/// The kind and number of a name that a handle of ours bears.
fn ours(name: &str) -> Option<(Kind, u32)> {
    let (kind, digits) = name.rsplit_once('_')?;
    // Far enough from the largest number that counting on ends nowhere.
    let number = digits
        .parse()
        .ok()
        .filter(|number| (1..u32::MAX / 2).contains(number) && !digits.starts_with(['0', '+']))?;
    Some((Kind::ALL.iter().copied().find(|known| known.name() == kind)?, number))
}

/// Puts handles in place of what a scanner finds, over as many texts as belong together.
#[derive(Debug, Clone)]
pub struct Redactor<S = Scanner> {
    scanner: S,
    handles: Handles,
    /// How many findings were replaced, of each kind.
    counts: Vec<u32>,
}

impl<S: Scan> Redactor<S> {
    /// A redactor that goes on from some handles.
    pub fn new(mut scanner: S, handles: Handles) -> Self {
        let others = handles.entries.iter().filter_map(|(name, _)| match name {
            Name::Other(name) => Some(name.to_string()),
            Name::Ours(..) => None,
        });
        scanner.mind(others.collect());
        Self { scanner, handles, counts: vec![0; Kind::ALL.len()] }
    }

    /// A text with handles in it; the text itself where nothing was found.
    pub fn redact<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        let Some(first) = self.scanner.next(text, 0) else { return Cow::Borrowed(text) };
        let mut out = String::with_capacity(text.len());
        let (mut place, mut next) = (0, Some(first));
        while let Some(found) = next {
            out.push_str(text.get(place..found.start).unwrap_or_default());
            self.replace(text, found, &mut out);
            place = found.end;
            next = self.scanner.next(text, place);
        }
        out.push_str(text.get(place..).unwrap_or_default());
        Cow::Owned(out)
    }

    /// The first finding of a text that begins at `from` or later.
    pub(super) fn next(&self, text: &str, from: usize) -> Option<Finding> {
        self.scanner.next(text, from)
    }

    /// Appends the handle of a finding.
    pub(super) fn replace(&mut self, text: &str, found: Finding, out: &mut String) {
        let value = text.get(found.start..found.end).unwrap_or_default();
        let number = self.handles.number(found.kind, value);
        if let Some(count) = self.counts.get_mut(found.kind as usize) {
            *count += 1;
        }
        out.push('[');
        out.push_str(found.kind.name());
        out.push('_');
        push_number(out, number);
        out.push(']');
    }

    /// What the handles stand for.
    pub fn handles(&self) -> &Handles {
        &self.handles
    }

    /// How often something of each kind was replaced.
    pub fn counts(&self) -> impl Iterator<Item = (Kind, u32)> {
        Kind::ALL.iter().copied().zip(self.counts.iter().copied()).filter(|(_, count)| *count > 0)
    }
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
