//! The filter and order of task lists: parsing, canonical JSON and hash.

use serde::{Deserialize, Serialize};

use super::{
    Bounds, Status,
    field::{FIELDS, find_field},
};
use crate::{
    concern::Configuration,
    digest::Digest,
    error::{Error, ErrorKind, UnknownName},
    expr::{Expr, Field},
    filter::{self, OnUnknownMember, ParsedFilter},
    json::{Members, Object, Raw},
};

/// A filter and order of tasks (SEP-1904). The default selects all tasks, the most recently changed first. A task must
/// meet every field, and one of the values in each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskFilter {
    /// The accepted methods of the calls. A task of unknown method is always accepted.
    pub methods: Vec<String>,
    /// The accepted ids.
    pub task_ids: Vec<String>,
    /// The accepted statuses, in the terms of the reader's era. An unknown status matches nothing.
    pub status: Vec<String>,
    /// The bounds of the time of creation.
    pub created: Bounds,
    /// The bounds of the time of the last change.
    pub updated: Bounds,
    /// The time by which tasks are ordered.
    pub order_by: Option<OrderKey>,
    /// The direction of the order.
    pub order: Option<Direction>,
    /// A condition, which may read the task and the called primitive.
    pub r#where: Option<Expr>,
    /// The filter of the called primitives. Only its concerns are used.
    pub called: filter::Filter,
}

/// The time by which tasks are ordered. Tasks with equal times are ordered by ascending ids, in both directions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum OrderKey {
    /// `createdAt`: the time of creation.
    Created,
    /// `lastUpdatedAt`: the time of the last change.
    #[default]
    Updated,
}

/// The direction of an order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Direction {
    /// The earliest first.
    Ascending,
    /// The latest first.
    #[default]
    Descending,
}

impl OrderKey {
    /// Every order.
    pub const ALL: [Self; 2] = [Self::Created, Self::Updated];

    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Created => "createdAt",
            Self::Updated => "lastUpdatedAt",
        }
    }
}

impl Direction {
    /// Both directions.
    pub const ALL: [Self; 2] = [Self::Ascending, Self::Descending];

    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ascending => "asc",
            Self::Descending => "desc",
        }
    }
}

/// The fields about called primitives, with the names that other lists use.
const CALLED: [&str; 3] = ["concerns", "concernsRef", "applyDefaults"];

impl TaskFilter {
    /// Parses the parameters of a list request. The fields are in `filter` or directly in the parameters, because the
    /// proposal does not define their place. Unknown names beside `filter` are not reported, since they may be
    /// parameters of another kind.
    ///
    /// `null`, an empty array and, except for times, an empty string count as an absent field. Unknown fields are
    /// ignored, and the first [`Filter::MAX_UNKNOWN`](crate::Filter::MAX_UNKNOWN) are reported.
    ///
    /// # Errors
    /// All errors have a path. [`FilterField`](ErrorKind::FilterField) for a misspelt member of `filter` under
    /// [`OnUnknownMember::Error`]; [`FilterType`](ErrorKind::FilterType) for a JSON type or word that the field does not
    /// accept, and for a field that is in both places with different values; [`FilterLimit`](ErrorKind::FilterLimit)
    /// for too many or too long values; [`TimeFormat`](ErrorKind::TimeFormat) for an invalid time;
    /// [`Expression`](ErrorKind::Expression) for a `where` that does not parse.
    pub fn read(params: Option<Raw<'_>>, on_unknown: OnUnknownMember) -> Result<ParsedFilter<Self>, Error> {
        let mut parsed = ParsedFilter::<Self>::default();
        let filter = &mut parsed.filter;
        let params = params.and_then(Members::read).unwrap_or_default();
        let nested = match params.get("filter").filter(|raw| !raw.is_null()) {
            Some(raw) => Members::read(raw).ok_or_else(|| Error::filter_type("filter", "an object"))?,
            None => Members::default(),
        };
        let mut called = Vec::new();
        let mut of_called = Object::open(&mut called);
        let names = FIELDS.iter().map(|field| field.name).chain(CALLED);
        for (key, raw) in names.filter_map(|key| params.get(key).map(|raw| (key, raw))) {
            match (nested.get(key), find_field(key)) {
                (Some(other), _) if !same(raw, other) => {
                    let message = format!("`{key}` is also beside `filter`, with another value");
                    return Err(Error::new(ErrorKind::FilterType, message).field(format!("filter.{key}")));
                }
                (Some(_), _) => {}
                (None, Some(field)) => field.read(filter, raw, key)?,
                (None, None) => of_called.raw(key, raw.get().as_bytes()),
            }
        }
        for (key, raw) in &nested.0 {
            let prefixed =
                key.strip_prefix(crate::catalog::Catalog::PREFIX).and_then(|key| key.strip_prefix('/'));
            let name = prefixed.unwrap_or(key);
            if CALLED.contains(&name) {
                of_called.raw(name, raw.get().as_bytes());
                continue;
            }
            match find_field(name) {
                Some(field) => field.read(&mut parsed.filter, *raw, &format!("filter.{key}"))?,
                None => {
                    let known: Vec<&str> = FIELDS.iter().map(|field| field.name).chain(CALLED).collect();
                    parsed.ignore_member(key, "", &known, on_unknown)?;
                }
            }
        }
        of_called.close();
        parsed.filter.called = String::from_utf8(called).unwrap_or_default().parse()?;
        for (at, status) in parsed.filter.status.iter().enumerate() {
            if Status::named(status).is_none() {
                parsed.unknown.push(UnknownName::new(format!("status[{at}]"), "unknown status"));
            }
        }
        Ok(parsed)
    }

    /// Returns the canonical JSON, which is equal for equivalent filters.
    pub fn canonical(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        FIELDS.iter().for_each(|field| field.write(self, &mut object));
        if !self.called.concerns.is_empty() {
            self.called.concerns.write(object.value("concerns"));
        }
        object.close();
        out
    }

    /// Returns the hash of [`TaskFilter::canonical`].
    pub fn hash(&self) -> u128 {
        Digest::of(&self.canonical())
    }
}

/// Returns whether two values are equal, in any JSON spelling.
fn same(a: Raw<'_>, b: Raw<'_>) -> bool {
    match (a.text(), b.text()) {
        (Some(a), Some(b)) => a == b,
        (None, None) => match (a.elements(), b.elements()) {
            (Some(a), Some(b)) => a.len() == b.len() && a.into_iter().zip(b).all(|(a, b)| same(a, b)),
            _ => a == b,
        },
        _ => false,
    }
}

pub(super) fn texts(raw: Raw<'_>, path: &str) -> Result<Vec<String>, Error> {
    if raw.is_null() {
        return Ok(Vec::new());
    }
    let values = raw.elements().ok_or_else(|| Error::filter_type(path, "an array of strings"))?;
    if values.len() > Configuration::MAX_VALUES {
        return Err(Error::filter_limit(
            path,
            format!("at most {max} values", max = Configuration::MAX_VALUES),
        ));
    }
    let mut texts: Vec<String> = Vec::with_capacity(values.len());
    for (at, raw) in values.into_iter().enumerate() {
        let path = format!("{path}[{at}]");
        let text = raw.text().ok_or_else(|| Error::filter_type(&path, "a string"))?;
        Configuration::check_length(&text, &path)?;
        if !texts.iter().any(|known| *known == text) {
            texts.push(text.into_owned());
        }
    }
    Ok(texts)
}

pub(super) fn choice<T: Copy>(
    raw: Raw<'_>,
    path: &str,
    all: [T; 2],
    name: fn(T) -> &'static str,
) -> Result<Option<T>, Error> {
    if raw.is_null() {
        return Ok(None);
    }
    let text = raw.text();
    let found = all.into_iter().find(|one| text.as_deref() == Some(name(*one)));
    found.map(Some).ok_or_else(|| Error::filter_type(path, &Error::one_of(&all.map(name))))
}

pub(super) fn condition(raw: Raw<'_>, path: &str) -> Result<Option<Expr>, Error> {
    if raw.is_null() || raw.text().is_some_and(|text| text.trim().is_empty()) {
        return Ok(None);
    }
    let expr = Expr::from_json(raw).map_err(|error| error.within(path))?;
    // For tasks, the field `method` is that of the call. In policies, it is that of the request, and so of the caller.
    let of_caller = |field: &&Field| field.reads_caller() && **field != Field::Method;
    let reads = expr.terms().into_iter().map(|term| term.field()).find(of_caller).map(|field| field.word());
    match reads {
        Some(word) => {
            let message = format!("`{word}` reads the caller, expected a field of the task");
            Err(Error::new(ErrorKind::FilterType, message).field(path))
        }
        None => Ok(Some(expr)),
    }
}
