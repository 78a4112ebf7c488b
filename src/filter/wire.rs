//! Parses filters from JSON.

use std::{borrow::Cow, str::FromStr};

use super::{
    Fields, Filter, OnUnknownMember, ParsedFilter,
    field::{FilterField, Shape, find_field},
    suggestions,
};
use crate::{
    catalog::Catalog,
    concern::Configuration,
    error::{Error, ErrorKind, Ignored},
    expr::Expr,
    json::{Members, Number, Raw},
    rank::Index,
};

/// The reason that is reported for an unknown field.
pub(super) const UNKNOWN: &str = "unknown field";

impl Filter {
    /// Parses the `filter` member of a list request. `null` and `{}` are empty filters, and an empty array or text
    /// counts as absent. Unknown members are ignored, and the first [`Filter::MAX_UNKNOWN`](crate::Filter::MAX_UNKNOWN)
    /// are reported (SEP-2564).
    ///
    /// # Errors
    /// [`FilterField`](crate::error::ErrorKind::FilterField) for a misspelt member under [`OnUnknownMember::Error`],
    /// [`Expression`](crate::error::ErrorKind::Expression) for an invalid `where`,
    /// [`FilterType`](crate::error::ErrorKind::FilterType) for a wrong JSON type and
    /// [`FilterLimit`](crate::error::ErrorKind::FilterLimit) for too many or too long values, each with the path of the
    /// value. A wrong type is reported before an exceeded limit.
    pub fn read(raw: Raw<'_>, on_unknown: OnUnknownMember) -> Result<ParsedFilter, Error> {
        let mut parsed = ParsedFilter::default();
        if raw.is_null() {
            return Ok(parsed);
        }
        let members = Members::read(raw).ok_or_else(|| Error::filter_type("filter", "an object"))?;
        let mut over_limit = None;
        for (key, raw) in members.0 {
            let name =
                key.strip_prefix(Catalog::PREFIX).and_then(|key| key.strip_prefix('/')).unwrap_or(&key);
            let Some(field) = find_field(name) else {
                let known = FilterField::ALL.each_ref().map(FilterField::name);
                parsed.ignore_member(&key, "", &known, on_unknown)?;
                continue;
            };
            match field.member.shape.read(&mut parsed, raw, field.name(), on_unknown) {
                Err(error) if error.kind() == ErrorKind::FilterLimit => {
                    over_limit = over_limit.or(Some(error))
                }
                read => read?,
            }
        }
        over_limit.map_or(Ok(parsed), Err)
    }

    /// Parses a filter from JSON text, like [`Filter::read`]. A misspelt member is an error.
    ///
    /// # Errors
    /// The errors of [`Filter::read`], and [`Json`](crate::error::ErrorKind::Json) for text that is not JSON.
    pub fn parse(source: &str) -> Result<ParsedFilter, Error> {
        Self::parse_with(source, OnUnknownMember::default())
    }

    /// Parses a filter from JSON text under the setting of a configuration.
    ///
    /// # Errors
    /// The errors of [`Filter::parse`].
    pub fn parse_with(source: &str, on_unknown: OnUnknownMember) -> Result<ParsedFilter, Error> {
        Self::read(Raw::parse(source)?, on_unknown)
    }
}

impl FromStr for Filter {
    type Err = Error;

    /// Parses JSON text like [`Filter::parse`], and refuses a filter of which a part would have no effect, because
    /// nothing could report that part.
    fn from_str(source: &str) -> Result<Self, Error> {
        let ParsedFilter { filter, ignored, .. } = Self::parse(source)?;
        let Some(part) = ignored.into_iter().next() else { return Ok(filter) };
        Err(Error::new(ErrorKind::FilterField, part.reason).field(["filter.", &part.field].concat()))
    }
}

impl Shape {
    /// Parses a value of this type at the path `name` of a filter, and stores it there.
    fn read(
        &self,
        parsed: &mut ParsedFilter,
        raw: Raw<'_>,
        name: &str,
        on_unknown: OnUnknownMember,
    ) -> Result<(), Error> {
        let path = format!("filter.{name}");
        let filter = &mut parsed.filter;
        self.clear(filter);
        if raw.is_null() {
            return Ok(());
        }
        match self {
            Self::Groups(list) | Self::Tags(list) | Self::Patterns { patterns: list, .. } => {
                list.set(filter, read_names(raw, &path)?);
            }
            Self::Projection(fields) => fields.set(filter, Fields::new(&read_names(raw, &path)?)),
            Self::Concerns(concerns) => concerns.set(filter, Configuration::read(raw, &path)?),
            Self::Condition(expr) => expr.set(filter, read_condition(raw, &path)?),
            Self::Words(words) => words.set(filter, parse_words(&read_text(raw, &path)?, &path)?),
            Self::Text(value) => value.set(filter, Some(read_text(raw, &path)?.into_owned())),
            Self::Count(count) => count.set(filter, parse_bound(raw.get(), &path)?),
            Self::Flag(flag) => flag.set(filter, read_flag(raw.get(), &path)?),
            Self::Object { expected, members } => {
                for (key, raw) in Members::read(raw).ok_or_else(|| Error::filter_type(&path, expected))?.0 {
                    let within = format!("{name}.");
                    match members.iter().find(|member| member.name == key) {
                        Some(member) => {
                            member.shape.read(parsed, raw, &[&*within, &key].concat(), on_unknown)?;
                        }
                        None => {
                            let known: Vec<&str> = members.iter().map(|member| member.name).collect();
                            parsed.ignore_member(&key, &within, &known, on_unknown)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

fn read_text<'a>(raw: Raw<'a>, path: &str) -> Result<Cow<'a, str>, Error> {
    raw.text().ok_or_else(|| Error::filter_type(path, "a string"))
}

impl<F> ParsedFilter<F> {
    /// Reports the unknown member `key` of an object with the members `known`. `within` is the path of the object and
    /// a dot, or empty for the filter itself.
    ///
    /// # Errors
    /// [`FilterField`](crate::error::ErrorKind::FilterField) for a likely typo, under [`OnUnknownMember::Error`].
    pub(crate) fn ignore_member(
        &mut self,
        key: &str,
        within: &str,
        known: &[&'static str],
        on_unknown: OnUnknownMember,
    ) -> Result<(), Error> {
        if self.ignored.len() >= Filter::MAX_UNKNOWN {
            return Ok(());
        }
        let (field, meant) = ([within, key].concat(), suggestions::find_nearest(key, known));
        match meant.filter(|_| on_unknown == OnUnknownMember::Error) {
            Some(meant) => {
                let message = format!("{UNKNOWN} (did you mean `{meant}`?)");
                Err(Error::new(ErrorKind::FilterField, message).field(["filter.", &field].concat()))
            }
            None => {
                self.ignored.push(Ignored { meant, ..Ignored::new(field, UNKNOWN) });
                Ok(())
            }
        }
    }
}

/// Parses a positive integer. `null` means no limit.
pub(super) fn parse_bound(source: &str, field: &str) -> Result<Option<u32>, Error> {
    if source == "null" {
        return Ok(None);
    }
    let whole = source.parse::<Number>().ok().and_then(Number::whole);
    let bound = whole.and_then(|whole| u32::try_from(whole).ok()).filter(|bound| *bound > 0);
    bound.map(Some).ok_or_else(|| Error::filter_type(field, "a whole number from 1 to 4294967295"))
}

/// Parses `true` or `false`.
pub(super) fn read_flag(source: &str, field: &str) -> Result<bool, Error> {
    source.parse().map_err(|_| Error::filter_type(field, "`true` or `false`"))
}

/// Parses a condition on primitives. Blank text means no condition.
fn read_condition(raw: Raw<'_>, field: &str) -> Result<Option<Expr>, Error> {
    let text = raw.text();
    if text.as_ref().is_some_and(|text| text.trim().is_empty()) {
        return Ok(None);
    }
    if text.is_none() && !raw.is_object() {
        return Err(Error::filter_type(field, "an expression, as text or an object"));
    }
    let read = Expr::from_json(raw).and_then(check_reads_primitive);
    read.map(Some).map_err(|error| error.within(field))
}

/// Rejects an expression that reads the caller.
pub(super) fn check_reads_primitive(expr: Expr) -> Result<Expr, Error> {
    match expr.reads_caller() {
        Some(term) => {
            let message = format!("`{term}` reads the caller, expected a field of the primitive");
            Err(Error::new(ErrorKind::FilterType, message))
        }
        None => Ok(expr),
    }
}

/// Parses words to search for. Blank text means no search.
pub(super) fn parse_words(text: &str, field: &str) -> Result<Option<String>, Error> {
    let words = text.trim();
    if words.len() > Index::MAX_QUERY {
        return Err(Error::filter_limit(field, format!("at most {max} bytes", max = Index::MAX_QUERY)));
    }
    Ok((!words.is_empty()).then(|| words.to_owned()))
}

fn read_names(raw: Raw<'_>, field: &str) -> Result<Vec<String>, Error> {
    let values = raw.elements().ok_or_else(|| Error::filter_type(field, "an array of strings"))?;
    let text =
        |(at, raw)| Raw::text(raw).ok_or_else(|| Error::filter_type(&format!("{field}[{at}]"), "a string"));
    let values = values.into_iter().enumerate().map(text).collect::<Result<Vec<_>, _>>()?;
    if values.len() > Configuration::MAX_VALUES {
        return Err(Error::filter_limit(
            field,
            format!("at most {max} values", max = Configuration::MAX_VALUES),
        ));
    }
    let mut names = Vec::with_capacity(values.len());
    for (at, name) in values.into_iter().enumerate() {
        Configuration::check_length(&name, &format!("{field}[{at}]"))?;
        if !names.iter().any(|known: &String| *known == name) {
            names.push(name.into_owned());
        }
    }
    Ok(names)
}
