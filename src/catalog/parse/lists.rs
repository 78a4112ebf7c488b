//! Parses list results into valid primitives, and reports those that are left out or repaired.

use std::{mem, ops::Range};

use super::{
    member_offsets::{MemberOffsets, value_of},
    repair,
    schema::{self, Property},
    source_text::{SourceText, Utf8Text},
    validate::{Validator, Verdict},
};
use crate::{
    catalog::model::{
        kind::{ByKind, Kind},
        report::Report,
        skill_path::hidden_key,
    },
    error::{Error, ErrorKind},
    json::{Raw, Scanner},
    revision::Era,
};

/// The lists of one server, with the server's name for `server:` terms.
#[derive(Debug)]
pub struct Source<'a> {
    /// The operator's name for the server.
    pub server: &'a str,
    /// Its lists.
    pub lists: Lists<'a>,
}

/// The primitives of a server's lists, as the original bytes.
///
/// Primitives that the JSON Schema of the protocol rejects are left out, or repaired if that loses nothing. For
/// example, a `null` in place of an optional member is removed. Of a member that occurs twice in one object, at any
/// depth, only the last value is kept, which most JSON parsers read. The catalog
/// [reports](crate::catalog::Catalog::reports) all of these.
#[derive(Debug)]
pub struct Lists<'a> {
    text: Text<'a>,
    items: ByKind<Vec<Item>>,
    /// The values of the members in [`Lists::DECLARED`], by their positions in the text.
    declared: Declared,
    notes: Notes,
}

/// The positions of values in a text, for each of [`Lists::DECLARED`].
type Declared = [Vec<Range<usize>>; 3];

/// Findings about lists, apart from their primitives.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// The reports on primitives that were left out or repaired.
    pub reports: Vec<Report>,
    /// The URIs of resources and templates that were left out. Their server still has them, so they count as hidden
    /// rather than as unlisted resources.
    pub left_out: Vec<(Kind, String)>,
}

impl Notes {
    /// Adds the findings about the lists of another server. If there are several servers, the reports name the server.
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

/// A valid element of a list, by its position in the text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item {
    pub start: usize,
    pub end: usize,
    pub offsets: MemberOffsets,
}

impl Item {
    /// Returns the id of the primitive, as written in `text`, in which the item is `shift` bytes further back.
    pub fn id(self, kind: Kind, text: &[u8], shift: usize) -> Option<&str> {
        let primitive = text.get(self.start + shift..)?;
        value_of(primitive.get(self.offsets.id.place())?, kind.id_key()).map(Raw::get)
    }
}

impl<'a> Lists<'a> {
    /// Parses list results: an object with any of `tools`, `resources`, `resourceTemplates`, `prompts`, `skills` and of
    /// [`Lists::DECLARED`], a JSON-RPC response with such an object as its `result`, or an array of these, such as the
    /// pages of a list. The order is kept.
    ///
    /// # Errors
    /// [`ErrorKind::Json`] for text that is not JSON, and [`ErrorKind::Catalog`] for JSON of another shape.
    pub fn read(source: &'a str) -> Result<Self, Error> {
        Self::checked(Text::Lent(source))
    }

    /// Parses primitives that no server has listed. They only need an id.
    ///
    /// # Errors
    /// The same as for [`Lists::read`].
    pub fn bare(source: &'a str) -> Result<Self, Error> {
        let (items, declared) = read(source, schema::id, &mut Validator::default())?;
        Ok(Self { text: Text::Lent(source), items, declared, notes: Notes::default() })
    }

    /// Parses list results whose text is passed by value. A catalog reuses it, so there is never a second copy.
    ///
    /// # Errors
    /// The errors of [`Lists::read`], and [`ErrorKind::Json`] for bytes that are not UTF-8.
    pub fn take(incoming: impl Into<SourceText>) -> Result<Self, Error> {
        Self::checked(Text::Kept(incoming.into().arrive()?))
    }

    /// Maximum nesting depth of a primitive. With a message and a batch around it, `serde_json` still reads it.
    pub const MAX_DEPTH: usize = 122;

    fn checked(mut text: Text<'a>) -> Result<Self, Error> {
        let mut validator = Validator::default();
        let (mut items, mut declared) = read(text.as_str(), schema::members, &mut validator)?;
        if !validator.repeated.is_empty() {
            // Only the last value of a member is judged.
            text = Text::Kept(repair::apply(text.as_str(), &validator.repeated).arrive()?);
            validator = validator.again();
            (items, declared) = read(text.as_str(), schema::members, &mut validator)?;
        }
        if !validator.edits.is_empty() {
            // Repaired text is a copy, and is parsed once more.
            text = Text::Kept(repair::apply(text.as_str(), &validator.edits).arrive()?);
            (items, declared) = read(text.as_str(), schema::members, &mut Validator::default())?;
        }
        let left_out = mem::take(&mut validator.left_out);
        Ok(Self { text, items, declared, notes: Notes { reports: validator.end(), left_out } })
    }

    /// The members of list results that declare the names of primitives: the results of `groups/list`, `tags/list` and
    /// `listConcerns`.
    pub const DECLARED: [&'static str; 3] = ["groups", "tags", "concerns"];

    /// Returns the values of each member in [`Lists::DECLARED`], in order: one for each list result that has it.
    pub fn declared(&self) -> [Vec<Raw<'_>>; 3] {
        let values =
            |ranges: &Vec<Range<usize>>| ranges.iter().map(|range| raw(self.text(), range)).collect();
        self.declared.each_ref().map(values)
    }

    /// Returns the primitives of one kind.
    pub fn primitives(&self, kind: Kind) -> Vec<Raw<'_>> {
        self.items(kind).iter().map(|item| raw(self.text(), &(item.start..item.end))).collect()
    }

    /// Removes the primitives of a kind for which `keep` returns `false`.
    pub fn retain(&mut self, kind: Kind, mut keep: impl FnMut(Raw<'_>) -> bool) {
        let text = self.text.as_str();
        kind.of_mut(&mut self.items).retain(|item| keep(raw(text, &(item.start..item.end))));
    }

    pub(crate) fn items(&self, kind: Kind) -> &[Item] {
        kind.of::<Vec<Item>>(&self.items)
    }

    /// Returns the findings about the lists.
    pub(crate) fn notes(&self) -> &Notes {
        &self.notes
    }

    pub(crate) fn text(&self) -> &str {
        self.text.as_str()
    }

    /// Returns the text and its primitives by kind, if the text can be reused: it was passed by value, and its
    /// primitives are in the order of a catalog.
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

fn raw<'a>(text: &'a str, range: &Range<usize>) -> Raw<'a> {
    Raw::known(text.get(range.clone()).unwrap_or_default())
}

/// The function that returns the members of each kind of primitive.
type Table = fn(Kind) -> &'static [Property];

/// Parses lists in one pass over the text. A value of the wrong shape is noted and skipped, because invalid JSON
/// anywhere in the text is a more important error.
fn read(
    text: &str,
    properties: Table,
    validator: &mut Validator,
) -> Result<(ByKind<Vec<Item>>, Declared), Error> {
    let (mut scanner, mut reader) = (Scanner::watching(text), Reader::new(properties));
    if !scanner.elements(&mut |scanner| reader.result(scanner, validator))? {
        reader.result(&mut scanner, validator)?;
    }
    scanner.end()?;
    reader.wrong.map_or(Ok((reader.items, reader.declared)), Err)
}

/// The state of the parser for lists.
struct Reader {
    properties: Table,
    items: ByKind<Vec<Item>>,
    declared: Declared,
    wrong: Option<Error>,
}

/// The value of a list result for one kind.
#[derive(Default)]
enum Found {
    #[default]
    Nothing,
    Items(Vec<Item>),
    NoArray,
}

impl Reader {
    fn new(properties: Table) -> Self {
        Self { properties, items: Default::default(), declared: Default::default(), wrong: None }
    }

    /// Adds the primitives of one list result.
    fn result(&mut self, scanner: &mut Scanner<'_>, validator: &mut Validator) -> Result<(), Error> {
        let mut found: ByKind<Found> = Default::default();
        let (mut inner, properties) = (None, self.properties);
        let mut shared = MemberOffsets::default();
        let (declared, mut declares) = (&mut self.declared, false);
        let is_object = scanner.object(&mut |scanner, key| {
            let kinds = found.iter_mut().zip(Kind::ALL);
            match kinds.into_iter().find(|(_, kind)| key == Some(kind.list_key())) {
                Some((found, kind)) => *found = items(scanner, kind, properties(kind), shared, validator)?,
                None if key == Some("result") => {
                    inner.insert(Self::new(properties)).result(scanner, validator)?;
                }
                // Before the list, where the gateway writes them.
                None if key == Some(Lists::ERA_KEY) => {
                    shared.era = scanner.value()?.text().as_deref().and_then(Era::named);
                }
                None if key == Some(Lists::CONDITIONAL_KEY) => {
                    shared.is_conditional = scanner.value()?.get() == "true";
                }
                None if key == Some(Lists::REPORTS_KEY) => validator.differing(scanner.value()?),
                None => match declared.iter_mut().zip(Lists::DECLARED).find(|(_, name)| key == Some(*name)) {
                    Some((declared, _)) => {
                        let length = scanner.value()?.get().len();
                        declared.push(scanner.at() - length..scanner.at());
                        declares = true;
                    }
                    None => scanner.pass()?,
                },
            }
            Ok(())
        })?;
        if let Some(Self { items, declared, wrong, .. }) = inner {
            self.items.iter_mut().zip(items).for_each(|(items, more)| items.extend(more));
            self.declared.iter_mut().zip(declared).for_each(|(declared, more)| declared.extend(more));
            return self.note(wrong);
        }
        if !is_object {
            scanner.value()?;
            return self.note(Some(wrong("a list result is an object")));
        }
        if !declares && found.iter().all(|found| matches!(found, Found::Nothing)) {
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

    /// Stores the error, unless there is an earlier one.
    fn note(&mut self, wrong: Option<Error>) -> Result<(), Error> {
        self.wrong = self.wrong.take().or(wrong);
        Ok(())
    }
}

/// Number of items after which their total number is estimated.
const SAMPLE: usize = 64;
/// Minimum length of an item for this estimate, in bytes. It limits the memory for items to an eighth of the text.
const SHORTEST: usize = 416;

fn items(
    scanner: &mut Scanner<'_>,
    kind: Kind,
    properties: &'static [Property],
    shared: MemberOffsets,
    validator: &mut Validator,
) -> Result<Found, Error> {
    let mut items = Vec::new();
    let begins = scanner.at();
    let is_array = scanner.elements(&mut |scanner| {
        if items.len() == SAMPLE {
            // Reserves room for the estimated number at once, because a vector that doubles leaves unused room of the
            // same size.
            let length = ((scanner.at() - begins) / SAMPLE).max(SHORTEST);
            items.reserve_exact(scanner.left() / length + 1);
        }
        let edits = validator.edits.len();
        let ((raw, mut offsets), is_too_deep) = scanner
            .within(Lists::MAX_DEPTH, |scanner| MemberOffsets::read(scanner, kind, properties, validator))?;
        if is_too_deep {
            validator.too_deep();
        }
        if scanner.take_suspect() {
            validator.repeated(kind, raw, scanner.at() - raw.get().len());
        }
        // Skills that no server has listed have only a URI.
        if kind == Kind::Skill && properties.len() > 1 {
            validator.skill(raw);
        }
        let verdict = validator.verdict(kind, raw, edits);
        (offsets.era, offsets.is_conditional) = (shared.era, shared.is_conditional);
        offsets.is_bare = properties.len() == 1;
        offsets.modern_output = verdict == Verdict::ModernOutput;
        if verdict != Verdict::LeftOut {
            items.push(Item { start: scanner.at() - raw.get().len(), end: scanner.at(), offsets });
        }
        Ok(())
    })?;
    if !is_array && !scanner.value()?.is_null() {
        return Ok(Found::NoArray);
    }
    if !is_array {
        // Some servers write an empty list in this way.
        validator.repaired(kind, kind.list_key(), &["`", kind.list_key(), "` is `null`"].concat());
    }
    items.shrink_to_fit();
    Ok(Found::Items(items))
}

fn wrong(message: &str) -> Error {
    Error::new(ErrorKind::Catalog, message)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn tool(members: &str) -> String {
        format!(r#"{{"name":"t","inputSchema":{{"type":"object"}}{members}}}"#)
    }

    /// Returns the text of the tools of a list, and the problems of its reports.
    fn read(tool: &str) -> (Vec<String>, Vec<String>) {
        let text = format!(r#"[{{"jsonrpc":"2.0","id":1,"result":{{"tools":[{tool}]}}}}]"#);
        let lists = Lists::read(&text).unwrap();
        let tools = lists.primitives(Kind::Tool).iter().map(|tool| tool.get().to_owned()).collect();
        (tools, lists.notes().reports.iter().map(|report| report.problem.clone()).collect())
    }

    #[test]
    fn a_member_that_occurs_twice_is_kept_once() {
        let twice = |path: &str| format!("`{path}` occurs twice: only its last value is used");
        for (written, kept, path) in [
            (r#","description":"Bad.","description":"Good.""#, r#","description":"Good.""#, "description"),
            (
                r#","d\u0065scription":"Bad.","description":"Good.""#,
                r#","description":"Good.""#,
                "description",
            ),
            (r#","x":{"a":[{"b":1, "c":2, "b":3}]}"#, r#","x":{"a":[{"c":2, "b":3}]}"#, "x.a[0].b"),
            (r#","_meta":{"a":1},"_meta":{"b":1}"#, r#","_meta":{"b":1}"#, "_meta"),
            (
                r#","annotations":{"title":"a","title":"b"}"#,
                r#","annotations":{"title":"b"}"#,
                "annotations.title",
            ),
            (
                r#","outputSchema":{"type":"object","properties":{"a":true,"a":{}}}"#,
                r#","outputSchema":{"type":"object","properties":{"a":{}}}"#,
                "outputSchema.properties.a",
            ),
            // Only the last value is judged.
            (r#","title":7,"title":"x""#, r#","title":"x""#, "title"),
            (r#","groups":["a"],"groups":["b"]"#, r#","groups":["b"]"#, "groups"),
        ] {
            assert_eq!(read(&tool(written)), (vec![tool(kept)], vec![twice(path)]), "{written}");
        }
        let null = (vec![tool("")], vec!["`title` is `null`: repaired".to_owned(), twice("title")]);
        assert_eq!(read(&tool(r#","title":"x","title":null"#)), null);
        let (none, problems) = read(&tool(r#","title":"x","title":7"#));
        assert_eq!(
            (none.len(), problems),
            (0, vec![twice("title"), "`title` is `7`, expected a string: left out".to_owned()])
        );
    }

    #[test]
    fn a_list_without_repeated_members_is_no_copy() {
        let schema = r#","x":{"type":{"type":{"description":""}},"description":[{"type":1},{"type":1}]}"#;
        let text = format!(r#"{{"tools":[{}]}}"#, tool(schema));
        let lists = Lists::read(&text).unwrap();
        assert_eq!(lists.text().as_ptr(), text.as_ptr());
        assert_eq!(lists.notes().reports, []);
    }
}
