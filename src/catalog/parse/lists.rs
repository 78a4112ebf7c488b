use std::mem;

use super::{
    member_offsets::{MemberOffsets, value_of},
    repair,
    schema::{self, Property},
    source_text::{SourceText, Utf8Text},
    validate::{Validator, Verdict},
};
use crate::{
    catalog::{
        LIST_ERA, LIST_REPORTS,
        model::{
            kind::{ByKind, Kind},
            report::Report,
            skill_path::hidden_key,
        },
    },
    error::{Error, ErrorKind},
    json::{self, Raw, Scanner},
    revision::Era,
};

/// Where primitives come from: a server's name, for `server:` terms, and what it listed.
#[derive(Debug)]
pub struct Source<'a> {
    /// The operator's name for the server.
    pub server: &'a str,
    /// Its lists.
    pub lists: Lists<'a>,
}

/// Primitives as a server listed them, still the bytes they came as.
///
/// Those that the JSON Schema of the protocol rejects are left out, or repaired where nothing is lost by it: a `null`
/// in place of an optional member is removed. The catalog [reports](crate::catalog::Catalog::reports) both.
#[derive(Debug)]
pub struct Lists<'a> {
    text: Text<'a>,
    items: ByKind<Vec<Item>>,
    notes: Notes,
}

/// What was found out about lists beside their primitives.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// What was left out and repaired.
    pub reports: Vec<Report>,
    /// The URIs of resources that were left out, and templates. Their server has them, so that they are hidden, and
    /// not resources that no list mentions.
    pub left_out: Vec<(Kind, String)>,
}

impl Notes {
    /// Adds what was found out about the lists of another server; the reports name the server if there are several.
    pub fn add(&mut self, notes: &Self, server: &str, several: bool) {
        let before = self.reports.len();
        self.reports.extend_from_slice(&notes.reports);
        let left_out = notes.left_out.iter();
        self.left_out.extend(left_out.map(|(kind, id)| (*kind, hidden_key(*kind, server, id))));
        if several {
            for report in self.reports.iter_mut().skip(before) {
                report.problem.push_str(&[" (server `", server, "`)"].concat());
            }
        }
    }
}

#[derive(Debug)]
enum Text<'a> {
    Lent(&'a str),
    Kept(Utf8Text),
}

/// One valid element of a list: where it stands in the text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item {
    pub start: usize,
    pub end: usize,
    pub offsets: MemberOffsets,
}

impl Item {
    /// What the primitive goes by, as it is written in `text`, in which the item stands `shift` bytes further on.
    pub fn id(self, text: &[u8], shift: usize) -> Option<&str> {
        let primitive = text.get(self.start + shift..)?;
        let member = std::str::from_utf8(primitive.get(self.offsets.id.place())?).ok()?;
        value_of(member).map(Raw::get)
    }
}

impl<'a> Lists<'a> {
    /// Reads list results: an object with any of `tools`, `resources`, `resourceTemplates`, `prompts`, `skills`;
    /// a JSON-RPC response that holds one as its `result`; or an array of these, such as the pages of a
    /// list. Order is kept.
    ///
    /// # Errors
    /// [`ErrorKind::Json`] for text that is not JSON, [`ErrorKind::Catalog`] for another shape.
    pub fn read(source: &'a str) -> Result<Self, Error> {
        Self::checked(Text::Lent(source))
    }

    /// The same for primitives that no server has listed: they need nothing but what they go by.
    ///
    /// # Errors
    /// As [`Lists::read`].
    pub(crate) fn bare(source: &'a str) -> Result<Self, Error> {
        let items = read(source, schema::id, &mut Validator::default())?;
        Ok(Self { text: Text::Lent(source), items, notes: Notes::default() })
    }

    /// The same for text that is handed over. A catalog keeps it, so that there is never a second copy.
    ///
    /// # Errors
    /// As [`Lists::read`], and [`ErrorKind::Json`] for bytes that are not UTF-8.
    pub fn take(incoming: impl Into<SourceText>) -> Result<Self, Error> {
        Self::checked(Text::Kept(incoming.into().arrive()?))
    }

    fn checked(mut text: Text<'a>) -> Result<Self, Error> {
        let mut validator = Validator::default();
        let mut items = read(text.as_str(), schema::members, &mut validator)?;
        if !validator.edits.is_empty() {
            // Repaired text is a copy, and is read once more.
            text = Text::Kept(repair::apply(text.as_str(), &validator.edits).arrive()?);
            items = read(text.as_str(), schema::members, &mut Validator::default())?;
        }
        let left_out = mem::take(&mut validator.left_out);
        Ok(Self { text, items, notes: Notes { reports: validator.end(), left_out } })
    }

    /// The primitives of one kind.
    pub fn of(&self, kind: Kind) -> Vec<Raw<'_>> {
        self.items(kind).iter().map(|item| raw(self.text(), item)).collect()
    }

    /// Leaves out the primitives of a kind for which `keep` does not hold.
    pub fn retain(&mut self, kind: Kind, mut keep: impl FnMut(Raw<'_>) -> bool) {
        let text = self.text.as_str();
        kind.of_mut(&mut self.items).retain(|item| keep(raw(text, item)));
    }

    pub(crate) fn items(&self, kind: Kind) -> &[Item] {
        kind.of::<Vec<Item>>(&self.items)
    }

    /// What was found out about them beside their primitives.
    pub(crate) fn notes(&self) -> &Notes {
        &self.notes
    }

    pub(crate) fn text(&self) -> &str {
        self.text.as_str()
    }

    /// The text and its primitives by kind, if it can be kept: it was handed over, and the primitives stand in it
    /// in the order of a catalog.
    pub(crate) fn kept(self) -> Result<(Utf8Text, ByKind<Vec<Item>>), Box<Self>> {
        let starts = self.items.iter().flatten().map(|item| item.start);
        match self.text {
            Text::Kept(text) if starts.is_sorted() => Ok((text, self.items)),
            _ => Err(Box::new(self)),
        }
    }
}

impl Text<'_> {
    fn as_str(&self) -> &str {
        match self {
            Self::Lent(text) => text,
            Self::Kept(text) => text.text(),
        }
    }
}

fn raw<'a>(text: &'a str, item: &Item) -> Raw<'a> {
    Raw::known(text.get(item.start..item.end).unwrap_or_default())
}

/// The members of each kind of primitive.
type Table = fn(Kind) -> &'static [Property];

/// Reads lists in one pass over the text. What has the wrong shape is noted and read past: text that is not JSON is
/// refused as such, wherever that shows.
fn read(text: &str, properties: Table, validator: &mut Validator) -> Result<ByKind<Vec<Item>>, Error> {
    let (mut scanner, mut reader) = (Scanner::new(text), Reader::new(properties));
    if !scanner.elements(&mut |scanner| reader.result(scanner, validator))? {
        reader.result(&mut scanner, validator)?;
    }
    scanner.end()?;
    reader.wrong.map_or(Ok(reader.items), Err)
}

/// Lists on their way in.
struct Reader {
    properties: Table,
    items: ByKind<Vec<Item>>,
    wrong: Option<Error>,
}

/// What a list result has for one kind.
#[derive(Default)]
enum Found {
    #[default]
    Nothing,
    Items(Vec<Item>),
    NoArray,
}

impl Reader {
    fn new(properties: Table) -> Self {
        Self { properties, items: Default::default(), wrong: None }
    }

    /// Adds the primitives of one list result.
    fn result(&mut self, scanner: &mut Scanner<'_>, validator: &mut Validator) -> Result<(), Error> {
        let mut found: ByKind<Found> = Default::default();
        let (mut inner, properties) = (None, self.properties);
        let mut era = None;
        let is_object = scanner.object(&mut |scanner, key| {
            let kinds = found.iter_mut().zip(Kind::ALL);
            match kinds.into_iter().find(|(_, kind)| key.as_deref() == Some(kind.list_key())) {
                Some((found, kind)) => *found = items(scanner, kind, properties(kind), era, validator)?,
                None if key.as_deref() == Some("result") => {
                    inner.insert(Self::new(properties)).result(scanner, validator)?;
                }
                // Before the list, where the gateway writes it.
                None if key.as_deref() == Some(LIST_ERA) => {
                    era = json::text(scanner.value()?).as_deref().and_then(Era::named);
                }
                None if key.as_deref() == Some(LIST_REPORTS) => validator.differing(scanner.value()?),
                None => _ = scanner.value()?,
            }
            Ok(())
        })?;
        if let Some(Self { items, wrong, .. }) = inner {
            self.items.iter_mut().zip(items).for_each(|(items, more)| items.extend(more));
            return self.note(wrong);
        }
        if !is_object {
            scanner.value()?;
            return self.note(Some(wrong("a list result is an object")));
        }
        if found.iter().all(|found| matches!(found, Found::Nothing)) {
            let expected = "expected one of `tools`, `resources`, `resourceTemplates`, `prompts`, `skills`";
            return self.note(Some(wrong(expected)));
        }
        for ((found, items), kind) in found.into_iter().zip(&mut self.items).zip(Kind::ALL) {
            match found {
                Found::Nothing => {}
                Found::Items(more) if items.is_empty() => *items = more,
                Found::Items(more) => items.extend(more),
                Found::NoArray => {
                    _ = self.wrong.get_or_insert(wrong("expected an array").field(kind.list_key()));
                }
            }
        }
        Ok(())
    }

    /// Keeps the first thing that is wrong.
    fn note(&mut self, wrong: Option<Error>) -> Result<(), Error> {
        self.wrong = self.wrong.take().or(wrong);
        Ok(())
    }
}

/// After so many items there is a guess at how many there are.
const SAMPLE: usize = 64;
/// No guess takes items for shorter, in bytes: places take no more than an eighth of the text.
const SHORTEST: usize = 416;

fn items(
    scanner: &mut Scanner<'_>,
    kind: Kind,
    properties: &'static [Property],
    era: Option<Era>,
    validator: &mut Validator,
) -> Result<Found, Error> {
    let mut items = Vec::new();
    let begins = scanner.at();
    let is_array = scanner.elements(&mut |scanner| {
        if items.len() == SAMPLE {
            // Room at once for as many as these foretell: a vector that doubles leaves holes of as much again.
            let length = ((scanner.at() - begins) / SAMPLE).max(SHORTEST);
            items.reserve_exact(scanner.left() / length + 1);
        }
        let edits = validator.edits.len();
        let (raw, mut offsets) = MemberOffsets::read(scanner, kind, properties, validator)?;
        // What no server lists has nothing but a URI.
        if kind == Kind::Skill && properties.len() > 1 {
            validator.skill(raw);
        }
        let verdict = validator.verdict(kind, raw, edits);
        offsets.era = if verdict == Verdict::Modern { Some(Era::Stateless) } else { era };
        if verdict != Verdict::LeftOut {
            items.push(Item { start: scanner.at() - raw.get().len(), end: scanner.at(), offsets });
        }
        Ok(())
    })?;
    if !is_array && !json::is_null(scanner.value()?) {
        return Ok(Found::NoArray);
    }
    if !is_array {
        // Some servers write an empty list so.
        validator.repaired(kind, kind.list_key(), &["`", kind.list_key(), "` is `null`"].concat());
    }
    items.shrink_to_fit();
    Ok(Found::Items(items))
}

fn wrong(message: &str) -> Error {
    Error::new(ErrorKind::Catalog, message)
}
