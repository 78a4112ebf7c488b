//! Validates primitives against the [schema](super::schema) during the first pass over their text.
//!
//! A problem that can be repaired without loss becomes an [`Edit`]. A primitive with any other problem is left out,
//! because official clients reject a whole list for one such primitive.

use std::{borrow::Cow, mem, ops::Range};

use super::{
    repair::{Cuts, Edit},
    schema::{Form, JSON_SCHEMA, OUTPUT_SCHEMA, Property, TYPE},
    skill,
};
use crate::catalog::Lists;
use crate::{
    catalog::model::{
        kind::{ByKind, Kind},
        report::{Report, ReportCode, Reports},
    },
    error::Error,
    json::{self, KeyFilter, Number, Raw, Repeated, Scanner, same_text},
    time::parse_rfc3339,
};

/// Maximum length, in bytes, of a value that a report quotes.
const MAX_QUOTED: usize = 24;

/// Validates primitives and collects their problems.
#[derive(Debug, Default)]
pub(crate) struct Validator {
    /// The repairs of all primitives so far, in order.
    pub edits: Vec<Edit>,
    /// The edits without which each member of a primitive occurs once, in order.
    pub repeated: Vec<Edit>,
    /// The URIs of resources and templates that were left out.
    pub left_out: Vec<(Kind, String)>,
    reports: Reports,
    /// The reports on primitives with a member that occurs twice.
    repetitions: Reports,
    /// The number of elements so far in the list of each kind.
    counts: ByKind<usize>,
    repaired: Option<(Report, usize)>,
    /// The reason why the current primitive is left out.
    fault: Option<String>,
    /// The reason why older revisions reject its output schema.
    modern_output: Option<String>,
    /// The reason why all revisions reject its output schema.
    output: Option<String>,
    /// The first repair of it.
    repair: Option<String>,
    /// The path to the current value.
    path: Vec<Step>,
    /// Whether the last record has a member that the schema does not define.
    undefined: bool,
}

/// A callback with the key of a member, its position, and whether its value is a record with undefined members.
type Each<'a> = dyn FnMut(&str, Range<usize>, bool) + 'a;

#[derive(Debug, Clone, Copy)]
enum Step {
    Key(&'static str),
    Index(usize),
}

/// The result of validating a primitive.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Valid,
    /// A tool whose output schema older revisions reject.
    ModernOutput,
    LeftOut,
}

impl Validator {
    /// Skips a value that should be a primitive, and calls `each` for every member. Returns whether it is an object.
    pub fn primitive(
        &mut self,
        scanner: &mut Scanner<'_>,
        properties: &'static [Property],
        each: &mut Each<'_>,
    ) -> Result<bool, Error> {
        let is_object = scanner.first() == b'{';
        if is_object {
            self.record(scanner, properties, each)?;
        } else {
            let value = scanner.value()?;
            self.refuse("", value, "an object");
        }
        Ok(is_object)
    }

    /// Validates the last skill as a whole.
    pub fn skill(&mut self, skill: Raw<'_>) {
        if self.fault.is_some() {
            return;
        }
        self.fault = match *Kind::Skill.of(&self.counts) >= Lists::MAX_SKILLS {
            true => Some(
                ["is not among the first ", &Lists::MAX_SKILLS.to_string(), " skills of its server"].concat(),
            ),
            false => skill::problem(skill),
        };
    }

    /// Records that the last primitive nests too deeply.
    #[cold]
    pub fn too_deep(&mut self) {
        let problem = || ["nests deeper than ", &Lists::MAX_DEPTH.to_string(), " levels"].concat();
        self.fault.get_or_insert_with(problem);
    }

    /// Searches the last primitive, which begins at `start`, for members that occur twice.
    #[cold]
    #[inline(never)]
    pub fn repeated(&mut self, kind: Kind, primitive: Raw<'_>, start: usize) {
        let Repeated { path: Some(path), cuts } = Repeated::find(primitive) else { return };
        let cut = |cut: Range<usize>| Edit { range: cut.start + start..cut.end + start, text: "" };
        self.repeated.extend(cuts.into_iter().map(cut));
        let (name, _) = Self::name(kind, primitive, *kind.of(&self.counts));
        let problem = ["`", &path, "` occurs twice: only its last value is used"].concat();
        self.repetitions.add(ReportCode::RepeatedMember, kind, &name, &problem);
    }

    /// Returns a validator for the text without repeated members.
    pub fn again(self) -> Self {
        Self { repetitions: self.repetitions, ..Self::default() }
    }

    /// Decides about the last primitive. `edits` is the number of edits before it.
    pub fn verdict(&mut self, kind: Kind, primitive: Raw<'_>, edits: usize) -> Verdict {
        let mut place = 0;
        if let Some(count) = self.counts.get_mut(kind as usize) {
            place = mem::replace(count, *count + 1);
        }
        if self.fault.is_none() && self.modern_output.is_none() && self.edits.len() == edits {
            return Verdict::Valid;
        }
        self.report(kind, primitive, place, edits)
    }

    #[cold]
    #[inline(never)]
    fn report(&mut self, kind: Kind, primitive: Raw<'_>, place: usize, edits: usize) -> Verdict {
        let (name, id) = Self::name(kind, primitive, place);
        let name = &*name;
        let (fault, modern_output, repair) =
            (self.fault.take(), self.modern_output.take(), self.repair.take());
        let output = self.output.take();
        if let Some(fault) = fault {
            self.edits.truncate(edits);
            self.reports.add(ReportCode::Invalid, kind, name, &[&fault, ": left out"].concat());
            let by_uri = !kind.is_named();
            self.left_out.extend(id.filter(|_| by_uri).map(|id| (kind, id.into_owned())));
            return Verdict::LeftOut;
        }
        if let Some(repair) = repair {
            self.repaired(kind, name, &repair);
        }
        if let Some(problem) = output {
            let problem = [&problem, ": the tool is listed without it"].concat();
            self.reports.add(ReportCode::Repaired, kind, name, &problem);
        }
        let Some(problem) = modern_output else { return Verdict::Valid };
        let problem = [&problem, ": callers of revisions before 2026-07-28 get the tool without it"].concat();
        self.reports.add(ReportCode::Modern, kind, name, &problem);
        Verdict::ModernOutput
    }

    /// Returns the name of a primitive for reports, by default its place in the list, and its id.
    fn name<'a>(kind: Kind, primitive: Raw<'a>, place: usize) -> (Cow<'a, str>, Option<Cow<'a, str>>) {
        let ([name, id], _) = json::pick(primitive, ["name", kind.id_key()]);
        let [name, id] =
            [name, id].map(|text| text.and_then(json::Raw::text).filter(|text| !text.is_empty()));
        (name.unwrap_or_else(|| ["#", &place.to_string()].concat().into()), id)
    }

    /// Counts a repaired primitive or list, and reports the first.
    #[cold]
    pub fn repaired(&mut self, kind: Kind, name: &str, problem: &str) {
        match &mut self.repaired {
            Some((_, count)) => *count += 1,
            None => self.repaired = Some((Report::new(ReportCode::Repaired, kind, name, problem), 1)),
        }
    }

    /// Adds the gateway's reports on primitives with two definitions.
    #[cold]
    pub fn differing(&mut self, reports: Raw<'_>) {
        for report in reports.elements().into_iter().flatten() {
            let ([kind, name, problem], _) = json::pick(report, ["kind", "name", "problem"]);
            let [kind, name, problem] =
                [kind, name, problem].map(|text| text.and_then(json::Raw::text).unwrap_or_default());
            if let Some(kind) = Kind::ALL.into_iter().find(|known| known.name() == kind) {
                self.reports.add(ReportCode::Differs, kind, &name, &problem);
            }
        }
    }

    /// Returns all reports.
    pub fn end(self) -> Vec<Report> {
        let mut reports = Vec::new();
        if let Some((mut report, count)) = self.repaired {
            report.problem.push_str(": repaired");
            if count > 1 {
                report.problem.push_str(&format!(", the first of {count}"));
            }
            reports.push(report);
        }
        self.repetitions.end(Kind::Tool, &mut reports);
        self.reports.end(Kind::Tool, &mut reports);
        reports
    }

    /// Skips and validates the value of a member.
    fn value(&mut self, scanner: &mut Scanner<'_>, form: &'static Form, step: Step) -> Result<(), Error> {
        let (first, start) = (scanner.first(), scanner.at());
        // Most values hold nothing that is validated, and need no path.
        if !matches!(
            (first, form),
            (b'[', Form::Array(_)) | (b'{', Form::Record(_) | Form::Schema(_) | Form::Properties)
        ) {
            scanner.pass()?;
            if !form.begins(first) {
                self.check(scanner.since(start), form, step);
            }
            return Ok(());
        }
        self.path.push(step);
        match form {
            Form::Array(inner) => self.elements(scanner, inner)?,
            Form::Record(properties) => _ = self.record(scanner, properties, &mut |_, _, _| ())?,
            Form::Schema(input) => self.schema(scanner, *input)?,
            _ if scanner.objects()? => {}
            _ => self.properties(scanner)?,
        }
        self.path.pop();
        Ok(())
    }

    /// Checks a value whose first byte does not decide.
    #[inline(never)]
    fn check(&mut self, value: Raw<'_>, form: &'static Form, step: Step) {
        if !fits(value, form) {
            self.path.push(step);
            self.refuse("", value, form.expected());
            self.path.pop();
        }
    }

    fn elements(&mut self, scanner: &mut Scanner<'_>, form: &'static Form) -> Result<(), Error> {
        let mut index = 0;
        scanner.elements(&mut |scanner| {
            self.value(scanner, form, Step::Index(index))?;
            index += 1;
            Ok(())
        })?;
        Ok(())
    }

    /// Skips an object, and calls `each` for every member. Returns which members are not `null`, as bits by their index
    /// in the table, and whether any member is kept.
    #[inline(never)]
    fn record(
        &mut self,
        scanner: &mut Scanner<'_>,
        properties: &'static [Property],
        each: &mut Each<'_>,
    ) -> Result<(u32, bool), Error> {
        let (mut cuts, mut present) = (Cuts::new(scanner.start() + 1), 0u32);
        let (mut next, mut undefined) = (0, false);
        let (mut seen, mut repeated, mut others) = (0u32, 0, KeyFilter::default());
        let Some(mut members) = scanner.open_object()? else { return Ok((0, false)) };
        while scanner.next_member(&mut members)? {
            let at = scanner.key_start();
            let Some(key) = members.key() else {
                scanner.pass()?;
                // Readers differ in what they make of such a key.
                self.fault("", &["has a key that is not Unicode"]);
                continue;
            };
            // Most servers write members in the order of the table.
            let is_next = properties.get(next).is_some_and(|property| same_text(property.key, key));
            let named = |property: &Property| same_text(property.key, key);
            let place = if is_next { Some(next) } else { properties.iter().position(named) };
            let Some((place, property)) = place.and_then(|place| Some((place, properties.get(place)?)))
            else {
                undefined = true;
                scanner.note_key(&members, &mut others);
                cuts.keep(at, &mut self.edits);
                scanner.pass()?;
                cuts.pass(scanner.at());
                each(key, at..scanner.at(), true);
                continue;
            };
            next = place + 1;
            repeated |= seen & 1 << place;
            seen |= 1 << place;
            self.undefined = false;
            if property.key == OUTPUT_SCHEMA && scanner.first() != b'n' {
                match self.output_schema(scanner, property)? {
                    Some(edits) => {
                        cuts.keep(at, &mut self.edits);
                        self.edits.extend(edits);
                    }
                    None => cuts.cut(at..scanner.at(), &mut self.edits),
                }
            } else if scanner.first() != b'n' || property.required {
                cuts.keep(at, &mut self.edits);
                present |= 1 << place;
                self.value(scanner, &property.form, Step::Key(property.key))?;
            } else {
                scanner.pass()?;
                cuts.cut(at..scanner.at(), &mut self.edits);
                self.path.push(Step::Key(property.key));
                self.repair("", "is `null`");
                self.path.pop();
            }
            cuts.pass(scanner.at());
            each(key, at..scanner.at(), self.undefined);
        }
        scanner.suspect(repeated != 0);
        self.undefined = undefined;
        cuts.close(&mut self.edits);
        for (property, place) in properties.iter().zip(0..) {
            if property.required && present >> place & 1 == 0 {
                self.fault(property.key, &["is missing, expected ", property.form.expected()]);
            }
        }
        Ok((present, cuts.kept))
    }

    /// Skips the output schema of a tool, without which the tool works. Returns its repairs, or `None` if no revision
    /// allows it.
    fn output_schema(
        &mut self,
        scanner: &mut Scanner<'_>,
        property: &'static Property,
    ) -> Result<Option<Vec<Edit>>, Error> {
        let (edits, fault) = (mem::take(&mut self.edits), self.fault.take());
        self.value(scanner, &property.form, Step::Key(property.key))?;
        let edits = mem::replace(&mut self.edits, edits);
        let Some(problem) = mem::replace(&mut self.fault, fault) else { return Ok(Some(edits)) };
        (self.modern_output, self.output) = (None, Some(problem));
        Ok(None)
    }

    /// Skips a JSON Schema. Arguments are always an object, so a missing `type` can be inserted in their schema.
    fn schema(&mut self, scanner: &mut Scanner<'_>, input: bool) -> Result<(), Error> {
        let (begins, edits) = (scanner.start() + 1, self.edits.len());
        let (present, kept) = self.record(scanner, JSON_SCHEMA, &mut |_, _, _| ())?;
        if present >> TYPE & 1 == 0 {
            self.path.push(Step::Key("type"));
            if input {
                let text = if kept { r#""type":"object","# } else { r#""type":"object""# };
                self.edits.insert(edits, Edit { range: begins..begins, text });
                self.repair("", "is missing");
            } else {
                self.fault("", &["is missing, expected `object`"]);
            }
            self.path.pop();
        }
        Ok(())
    }

    /// Skips the schemas of properties. Revision 2025-11-25 requires objects, and boolean schemas have an equivalent
    /// object.
    fn properties(&mut self, scanner: &mut Scanner<'_>) -> Result<(), Error> {
        let mut keys = KeyFilter::default();
        let Some(mut members) = scanner.open_object()? else { return Ok(()) };
        while scanner.next_member(&mut members)? {
            scanner.note_key(&members, &mut keys);
            let first = scanner.first();
            let value = scanner.value()?;
            let key = members.key().unwrap_or_default();
            let text = match first {
                b'{' => continue,
                b't' => "{}",
                b'f' => r#"{"not":{}}"#,
                _ => {
                    self.refuse(key, value, "a JSON Schema");
                    continue;
                }
            };
            let end = scanner.at();
            self.edits.push(Edit { range: end - value.get().len()..end, text });
            self.repair(key, "is a boolean");
        }
        Ok(())
    }

    /// Records that a value, or its member `below`, is invalid.
    #[cold]
    #[inline(never)]
    fn refuse(&mut self, below: &str, value: Raw<'_>, expected: &str) {
        let text = value.get();
        let (tick, shown) = match text.as_bytes().first() {
            Some(b'{') => ("", "an object"),
            Some(b'[') => ("", "an array"),
            _ if text.len() <= MAX_QUOTED => ("`", text),
            _ => ("", "longer"),
        };
        self.fault(below, &["is ", tick, shown, tick, ", expected ", expected]);
    }

    /// Records the first problem. In a tool's output schema, only `$schema` is defined by all revisions.
    #[cold]
    #[inline(never)]
    fn fault(&mut self, below: &str, words: &[&str]) {
        let note = self.note(below, words);
        let fault = match self.path.as_slice() {
            [Step::Key(OUTPUT_SCHEMA), Step::Key(key), ..] if *key != "$schema" => &mut self.modern_output,
            _ => &mut self.fault,
        };
        fault.get_or_insert(note);
    }

    /// Records the first repair.
    #[cold]
    #[inline(never)]
    fn repair(&mut self, below: &str, words: &str) {
        if self.repair.is_none() {
            self.repair = Some(self.note(below, &[words]));
        }
    }

    /// Returns a message about the current value, or about its member `below`.
    fn note(&self, below: &str, words: &[&str]) -> String {
        let mut path = String::new();
        let key = |path: &mut String, key: &str| {
            path.push_str(if path.is_empty() { "" } else { "." });
            path.push_str(key);
        };
        for step in &self.path {
            match step {
                Step::Key(name) => key(&mut path, name),
                Step::Index(index) => path.extend(["[", &index.to_string(), "]"]),
            }
        }
        if !below.is_empty() {
            key(&mut path, below);
        }
        let words = words.concat();
        // A problem of the whole primitive has no path.
        if path.is_empty() { words } else { ["`", &path, "` ", &words].concat() }
    }
}

/// Returns whether a value has a form that its [first byte](Form::begins) alone does not decide.
fn fits(value: Raw<'_>, form: &Form) -> bool {
    match form {
        Form::Integer | Form::Fraction => value.get().parse().is_ok_and(|number: Number| match form {
            Form::Integer => number.is_integer(),
            _ => Number::ZERO <= number && number <= Number::ONE,
        }),
        _ => value.text().is_some_and(|text| match form {
            Form::Id => !text.is_empty(),
            Form::Moment => is_moment(&text),
            Form::OneOf(names, _) => names.contains(&text.as_ref()),
            _ => false,
        }),
    }
}

/// Returns whether official clients accept a text as a date and time: RFC 3339 in uppercase and without leap seconds.
fn is_moment(text: &str) -> bool {
    let capitals = text.get(10..11) == Some("T") && !text.ends_with('z');
    capitals && text.get(17..19) != Some("60") && parse_rfc3339(text).is_some()
}
