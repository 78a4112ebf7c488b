use super::{Fields, Filter, Limit, Not, meant};
use crate::{
    catalog::PREFIX,
    concern::{Configuration, MAX_VALUES, check_length, kind_error, limit_error},
    error::{Error, ErrorKind, Ignored},
    expr::Expr,
    json::{self, Members, Number, Raw},
    rank::MAX_QUERY,
};

/// The reason of a field that is not known.
pub(super) const UNKNOWN: &str = "unknown field";

impl Filter {
    /// Reads the `filter` member of a list request. `null` and `{}` are no filter, an empty array or text
    /// is an absent one, and a field that is not known is ignored and reported (SEP-2564).
    ///
    /// # Errors
    /// [`Expression`](crate::error::ErrorKind::Expression) for a `where` that does not parse,
    /// [`FilterType`](crate::error::ErrorKind::FilterType) for another JSON type than the field takes and
    /// [`FilterLimit`](crate::error::ErrorKind::FilterLimit) for too many or too long values, each with
    /// the path of the value.
    pub fn read(raw: Raw<'_>) -> Result<(Self, Vec<Ignored>), Error> {
        let (mut filter, mut ignored) = (Self::default(), Vec::new());
        if json::is_null(raw) {
            return Ok((filter, ignored));
        }
        let members = Members::read(raw).ok_or_else(|| kind_error("filter", "an object"))?;
        for (key, raw) in members.0 {
            match key.strip_prefix(PREFIX).and_then(|key| key.strip_prefix('/')).unwrap_or(&key) {
                "groups" => filter.groups = names(raw, "filter.groups")?,
                "tags" => filter.tags = names(raw, "filter.tags")?,
                "not" => filter.not = Not::read(raw, &mut ignored)?,
                "namePatterns" => filter.name_patterns = names(raw, "filter.namePatterns")?,
                "uriPatterns" => filter.uri_patterns = names(raw, "filter.uriPatterns")?,
                "limit" => filter.limit = Limit::read(raw, &mut ignored)?,
                "fields" => filter.fields = Fields::of(&names(raw, "filter.fields")?),
                "applyDefaults" => filter.apply_defaults = flag(raw, "filter.applyDefaults")?,
                "query" => filter.query = query(raw, "filter.query")?,
                "where" => filter.r#where = condition(raw, "filter.where")?,
                "concerns" if json::is_null(raw) => filter.concerns = Configuration::default(),
                "concernsRef" if json::is_null(raw) => filter.concerns_ref = None,
                "concernsRef" => filter.concerns_ref = Some(handle(raw)?),
                "concerns" => filter.concerns = Configuration::read(raw, "filter.concerns")?,
                _ => ignored.push(unknown(&key)),
            }
        }
        Ok((filter, ignored))
    }

    /// Reads a filter from JSON text, as [`Filter::read`] does.
    ///
    /// # Errors
    /// As [`Filter::read`], and [`Json`](crate::error::ErrorKind::Json) for text that is not JSON.
    pub fn parse(source: &str) -> Result<(Self, Vec<Ignored>), Error> {
        Self::read(Raw::parse(source)?)
    }
}

impl Not {
    fn read(raw: Raw<'_>, ignored: &mut Vec<Ignored>) -> Result<Self, Error> {
        let mut not = Self::default();
        for (key, raw) in members(raw, "filter.not", "an object of `groups` and `tags`")?.0 {
            match key.as_ref() {
                "groups" => not.groups = names(raw, "filter.not.groups")?,
                "tags" => not.tags = names(raw, "filter.not.tags")?,
                _ => ignored.push(Ignored::new(format!("not.{key}"), UNKNOWN)),
            }
        }
        Ok(not)
    }
}

impl Limit {
    fn read(raw: Raw<'_>, ignored: &mut Vec<Ignored>) -> Result<Self, Error> {
        let mut limit = Self::default();
        for (key, raw) in members(raw, "filter.limit", "an object of `count` and `tokens`")?.0 {
            match key.as_ref() {
                "count" => limit.count = room(raw.get(), "filter.limit.count")?,
                "tokens" => limit.tokens = room(raw.get(), "filter.limit.tokens")?,
                _ => ignored.push(Ignored::new(format!("limit.{key}"), UNKNOWN)),
            }
        }
        Ok(limit)
    }
}

fn handle(raw: Raw<'_>) -> Result<String, Error> {
    let text = json::text(raw).ok_or_else(|| kind_error("filter.concernsRef", "a string"))?;
    Ok(text.into_owned())
}

/// A member that is not known. One that is misspelt is not refused either: SEP-2564 ignores unknown members.
fn unknown(member: &str) -> Ignored {
    Ignored { meant: meant::member(member), ..Ignored::new(member, UNKNOWN) }
}

fn members<'a>(raw: Raw<'a>, field: &str, wanted: &str) -> Result<Members<'a>, Error> {
    if json::is_null(raw) {
        return Ok(Members::default());
    }
    Members::read(raw).ok_or_else(|| kind_error(field, wanted))
}

/// Reads how much room there is; `null` is no bound.
pub(super) fn room(source: &str, field: &str) -> Result<Option<u32>, Error> {
    if source == "null" {
        return Ok(None);
    }
    let whole = source.parse::<Number>().ok().and_then(Number::whole);
    let room = whole.and_then(|whole| u32::try_from(whole).ok()).filter(|room| *room > 0);
    room.map(Some).ok_or_else(|| kind_error(field, "a whole number from 1"))
}

fn flag(raw: Raw<'_>, field: &str) -> Result<bool, Error> {
    match raw.get() {
        "null" => Ok(false),
        text => text.parse().map_err(|_| kind_error(field, "`true` or `false`")),
    }
}

/// Reads a condition on primitives, of which blank text is none.
pub(super) fn condition(raw: Raw<'_>, field: &str) -> Result<Option<Expr>, Error> {
    let text = json::text(raw);
    if json::is_null(raw) || text.as_ref().is_some_and(|text| text.trim().is_empty()) {
        return Ok(None);
    }
    if text.is_none() && !json::is_object(raw) {
        return Err(kind_error(field, "an expression, as text or an object"));
    }
    let read = Expr::from_json(raw).and_then(of_primitives);
    read.map(Some).map_err(|error| error.within(field))
}

/// Refuses an expression that reads the caller.
pub(super) fn of_primitives(expr: Expr) -> Result<Expr, Error> {
    match expr.reads_caller() {
        Some(term) => {
            let message = format!("`{term}` reads the caller, which only policies can");
            Err(Error::new(ErrorKind::FilterType, message))
        }
        None => Ok(expr),
    }
}

fn query(raw: Raw<'_>, field: &str) -> Result<Option<String>, Error> {
    if json::is_null(raw) {
        return Ok(None);
    }
    words_of(&json::text(raw).ok_or_else(|| kind_error(field, "a string"))?, field)
}

/// A person's words, of which blank text is none.
pub(super) fn words_of(text: &str, field: &str) -> Result<Option<String>, Error> {
    let words = text.trim();
    if words.len() > MAX_QUERY {
        return Err(limit_error(field, format!("at most {MAX_QUERY} bytes")));
    }
    Ok((!words.is_empty()).then(|| words.to_owned()))
}

fn names(raw: Raw<'_>, field: &str) -> Result<Vec<String>, Error> {
    if json::is_null(raw) {
        return Ok(Vec::new());
    }
    let values = json::elements(raw).ok_or_else(|| kind_error(field, "an array of strings"))?;
    if values.len() > MAX_VALUES {
        return Err(limit_error(field, format!("at most {MAX_VALUES} values")));
    }
    let mut names = Vec::with_capacity(values.len());
    for (at, raw) in values.into_iter().enumerate() {
        let field = format!("{field}[{at}]");
        let name = json::text(raw).ok_or_else(|| kind_error(&field, "a string"))?;
        check_length(&name, &field)?;
        if !names.iter().any(|known: &String| *known == name) {
            names.push(name.into_owned());
        }
    }
    Ok(names)
}
