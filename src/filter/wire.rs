use super::Filter;
use crate::{
    catalog::PREFIX,
    concern::{Configuration, MAX_VALUES, check_length, kind_error, limit_error},
    error::{Error, ErrorKind, Ignored},
    expr::Expr,
    json::{self, Members, Raw},
};

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
                "where" => filter.r#where = condition(raw, "filter.where")?,
                "concerns" if json::is_null(raw) => filter.concerns = Configuration::default(),
                "concerns" => filter.concerns = Configuration::read(raw, "filter.concerns")?,
                _ => ignored.push(Ignored { field: key.into_owned(), reason: "unknown field" }),
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
