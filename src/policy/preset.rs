//! Presets: named filters that limit what a caller can list and call.

use std::sync::LazyLock;

use super::{DisclosureMode, check::of_callers};
use crate::{
    error::{Error, ErrorKind},
    expr::{Expr, Field, Subject},
    filter::{Filter, OnUnknownMember, ParsedFilter, field::FilterField},
    json::{Entry, Members, Raw},
};

/// Maximum length of a preset's name, in bytes.
const MAX_NAME: usize = 64;

/// The presets of every server, unless it declares others with these names. A tool without annotations may change
/// things, and may destroy some (revision 2025-03-26, tool annotations).
const SHIPPED: &str = r#"[
  {"name": "read-only", "filter": {"where": "-kind:tool or annotation.readOnlyHint:true"}},
  {"name": "no-destructive", "filter": {"not": {"tags": ["destructive"]},
    "where": "-kind:tool or annotation.readOnlyHint:true or annotation.destructiveHint:false"}}]"#;

/// A named filter that applies to callers: what it leaves out is neither listed nor called, even if a request asks for
/// it or it is pinned.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Preset {
    /// The last part of the path at which it is served, and what `preset:` terms match.
    pub name: String,
    /// The filter that decides what stays visible.
    pub filter: Filter,
    /// The callers that it is for: it applies to them on every path, and for others it does not exist. Without it, the
    /// preset applies to every caller that connects to its path.
    pub when: Option<Expr>,
    /// The disclosure mode for its callers, if it differs from that of the configuration.
    pub disclosure: Option<DisclosureMode>,
}

impl Preset {
    /// Reads a preset.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Config`] with the path of what is wrong.
    pub fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let mut preset = Self::default();
        let mut record = entry.record(&["name", "filter", "when", "disclosure"])?;
        record.need(&["name", "filter"]);
        record.fill("name", &mut preset.name, name);
        // The filter's own reader gives paths from `filter` on.
        record.fill("filter", &mut preset.filter, |inner| entry.read(|_| read_filter(inner)));
        record.fill("when", &mut preset.when, |entry| {
            let differs = |field: &Field| {
                format!(
                    "`{field}` differs between requests, but a preset applies to all requests of a caller"
                )
            };
            Preset::read_condition(entry, differs).map(Some)
        });
        record.fill("disclosure", &mut preset.disclosure, |entry| DisclosureMode::read(entry).map(Some));
        record.end().map(|()| preset)
    }

    /// Returns the presets of every server: `read-only` and `no-destructive`.
    pub fn shipped() -> &'static [Self] {
        static READ: LazyLock<Vec<Preset>> = LazyLock::new(|| {
            let entries = Raw::parse(SHIPPED).ok().and_then(Raw::elements).unwrap_or_default();
            entries.into_iter().filter_map(|raw| Preset::read(&Entry::root(raw)).ok()).collect()
        });
        &READ
    }

    /// Returns the names of the presets that apply to a caller that connected to the path of `named`, that one first.
    /// Returns `None` where there is no preset of that name for this caller.
    pub fn find_applicable(
        presets: &[Self],
        named: Option<&str>,
        caller: &dyn Subject,
    ) -> Option<Vec<String>> {
        let applies = |preset: &Self| preset.when.as_ref().map(|when| when.holds(caller));
        let mut names = Vec::new();
        if let Some(named) = named {
            let preset = presets.iter().find(|preset| preset.name == named)?;
            (applies(preset) != Some(false)).then(|| names.push(named.to_owned()))?;
        }
        let others = presets.iter().filter(|preset| Some(preset.name.as_str()) != named);
        names.extend(others.filter(|preset| applies(preset) == Some(true)).map(|preset| preset.name.clone()));
        Some(names)
    }
}

/// Reads a name that needs no escaping in a path.
fn name(entry: &Entry<'_>) -> Result<String, Error> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let good = |name: &String| {
        (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(plain) && !name.starts_with('.')
    };
    let expected = || entry.refuse(format!("expected 1 to {MAX_NAME} of the characters A-Z a-z 0-9 - _ ."));
    entry.text().ok().filter(good).ok_or_else(expected)
}

/// Reads a filter in which every part takes effect.
fn read_filter(entry: &Entry<'_>) -> Result<Filter, Error> {
    reject_null(entry.raw()).map_err(|error| error.within("filter"))?;
    let ParsedFilter { filter, ignored, .. } = Filter::read(entry.raw(), OnUnknownMember::Ignore)?;
    // Blank text is no condition in a request; in a preset it would be a limit that limits nothing.
    let named = Members::read(entry.raw()).is_some_and(|members| members.get("where").is_some());
    if named && filter.r#where.is_none() {
        let message = "found blank text, expected an expression";
        return Err(Error::new(ErrorKind::Config, message).field("filter.where"));
    }
    let stray = FilterField::ALL.iter().find(|field| !field.allowed_in_presets && field.is_set(&filter));
    match stray.map(FilterField::name).or_else(|| ignored.first().map(|part| part.field.as_str())) {
        Some(field) => {
            let allowed =
                FilterField::ALL.iter().filter(|field| field.allowed_in_presets).map(FilterField::name);
            let expected = Error::one_of(&allowed.collect::<Vec<_>>());
            let message = format!("`{field}` bounds nothing, expected {expected}");
            Err(Error::new(ErrorKind::Config, message).field("filter"))
        }
        None => Ok(filter),
    }
}

/// Refuses `null`. In a request it stands for an absent field; in a preset it would be a limit that limits nothing.
fn reject_null(raw: Raw<'_>) -> Result<(), Error> {
    if raw.get() == "null" {
        return Err(Error::new(ErrorKind::Config, "found null, expected a value".to_owned()));
    }
    let members = Members::read(raw).unwrap_or_default();
    members.0.iter().try_for_each(|(key, value)| reject_null(*value).map_err(|error| error.within(key)))
}

impl Preset {
    /// Reads a condition on callers. Its value must not change from one request of a caller to the next: for a field
    /// that differs between requests, `differs` returns the error message.
    pub fn read_condition(entry: &Entry<'_>, differs: impl FnOnce(&Field) -> String) -> Result<Expr, Error> {
        let expr = of_callers(entry)?;
        let other = |field: &&Field| matches!(field, Field::Method | Field::Preset);
        match expr.terms().into_iter().map(|term| term.field()).find(other) {
            Some(field) => Err(entry.refuse(differs(field))),
            None => Ok(expr),
        }
    }
}
