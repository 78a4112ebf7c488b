use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    rc::Rc,
};

use super::{
    Finding, Kind, Scan, Scanner,
    known::{Expanded, Known, Piece, Pieces},
    restore::unbracketed,
};
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
pub(super) enum Name {
    Ours(Kind, u32),
    /// Somebody else's, carried here.
    Other(Box<str>),
}

impl Name {
    /// Appends the name.
    pub fn push(&self, out: &mut String) {
        match self {
            Self::Ours(kind, number) => {
                out.push_str(kind.name());
                out.push('_');
                push_number(out, *number);
            }
            Self::Other(name) => out.push_str(name),
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
            let name = unbracketed(name);
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
            let mut whole = String::new();
            name.push(&mut whole);
            (whole, kind, &**value)
        })
    }

    /// The handle at a place, and its value.
    pub(super) fn entry(&self, place: usize) -> Option<(&Name, &str)> {
        self.entries.get(place).map(|(name, value)| (name, &**value))
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
    table: Table,
}

impl<S: Scan> Redactor<S> {
    /// A redactor that goes on from some handles. Where one of them stands in a text, it stays.
    pub fn new(scanner: S, handles: Handles) -> Self {
        let known = Known::new(&handles);
        Self { scanner, table: Table { handles, known, counts: vec![0; Kind::ALL.len()] } }
    }

    /// A text with handles in it; the text itself where nothing was found.
    pub fn redact<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        let scanner = &self.scanner;
        self.table.redact(text, &|text, from| scanner.next(text, from))
    }

    /// The same for the part of a text from `place` on, of which `behind` bytes of the expanded text may still change:
    /// appends what is certain, and returns where it ends.
    pub(super) fn redact_part(
        &mut self,
        text: &str,
        mut place: usize,
        behind: usize,
        out: &mut String,
    ) -> usize {
        let expanded = self.expand(text);
        let mut sure = expanded.text.len().saturating_sub(behind);
        let (scanner, table) = (&self.scanner, &mut self.table);
        let scan = |text: &str, from| scanner.next(text, from);
        let pieces = Pieces::new(&scan, &expanded, expanded.place(place));
        for piece in pieces.take_while(|piece| piece.start < sure) {
            if !piece.whole && piece.end > sure {
                sure = piece.start;
                break;
            }
            out.push_str(text.get(place..piece.from).unwrap_or_default());
            table.replace(&expanded, piece, out);
            place = piece.to;
        }
        let sure = expanded.origin(sure);
        let sure = (sure..).find(|place| text.is_char_boundary(*place)).unwrap_or(sure).max(place);
        out.push_str(text.get(place..sure).unwrap_or_default());
        sure
    }

    /// A text with values in place of the handles that are known.
    pub(in crate::middleware) fn expand<'t>(&mut self, text: &'t str) -> Expanded<'t> {
        self.table.known.expand(&self.table.handles, text)
    }

    /// What finds.
    pub(in crate::middleware) fn scanner(&self) -> &S {
        &self.scanner
    }

    /// What the handles stand for.
    pub fn handles(&self) -> &Handles {
        &self.table.handles
    }

    /// How often something of each kind was replaced.
    pub fn counts(&self) -> impl Iterator<Item = (Kind, u32)> {
        Kind::ALL.iter().copied().zip(self.table.counts.iter().copied()).filter(|(_, count)| *count > 0)
    }
}

/// What a redactor keeps from one text to the next.
#[derive(Debug, Clone)]
struct Table {
    handles: Handles,
    /// Those that stay in a text.
    known: Known,
    /// How many findings were replaced, of each kind.
    counts: Vec<u32>,
}

impl Table {
    fn redact<'t>(&mut self, text: &'t str, scan: &dyn Fn(&str, usize) -> Option<Finding>) -> Cow<'t, str> {
        let expanded = self.known.expand(&self.handles, text);
        let mut pieces = Pieces::new(scan, &expanded, 0);
        let Some(first) = pieces.next() else { return Cow::Borrowed(text) };
        let mut out = String::with_capacity(text.len());
        let (mut place, mut next) = (0, Some(first));
        while let Some(piece) = next {
            out.push_str(text.get(place..piece.from).unwrap_or_default());
            self.replace(&expanded, piece, &mut out);
            place = piece.to;
            next = pieces.next();
        }
        out.push_str(text.get(place..).unwrap_or_default());
        Cow::Owned(out)
    }

    /// Appends the handle of a piece.
    fn replace(&mut self, text: &Expanded<'_>, piece: Piece, out: &mut String) {
        let value = text.text.get(piece.start..piece.end).unwrap_or_default();
        let number = self.handles.number(piece.kind, value);
        if let Some(count) = self.counts.get_mut(piece.kind as usize) {
            *count += 1;
        }
        out.push('[');
        Name::Ours(piece.kind, number).push(out);
        out.push(']');
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
