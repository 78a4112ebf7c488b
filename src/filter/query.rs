//! Parses filters from URL query strings.

use super::{
    Fields, Filter, ParsedFilter,
    field::{Shape, find_parameter},
    suggestions,
    wire::{UNKNOWN, check_reads_primitive, parse_bound, parse_words, read_flag},
};
use crate::{
    concern::{Configuration, insert},
    error::{Error, ErrorKind, Ignored},
    expr::{Expr, Field},
};

impl Filter {
    /// The URL parameter for the disclosure mode. It is not a field of a filter.
    pub const DISCLOSURE_PARAMETER: &str = "disclosure";
}

impl Filter {
    /// Maximum number of unknown fields of a filter that are reported.
    pub const MAX_UNKNOWN: usize = 32;
}

impl Filter {
    /// Parses the filter in the query of a URL, such as `groups=issues,pulls&tags=stable&concern.cost=low`.
    /// `q=name:create_*` is an expression, and `query=` has words to search for. The name of each field is its path
    /// (`not.tags`, `limit.count`). `toolsets=` names groups too, and narrows besides `groups=`. Commas separate the values of a list, and a repeated field adds values to it. A
    /// field without a value is absent. URLs may contain fields of other software, so the first
    /// [`Filter::MAX_UNKNOWN`](crate::Filter::MAX_UNKNOWN) unknown ones are ignored and reported.
    ///
    /// # Errors
    /// [`FilterField`](crate::error::ErrorKind::FilterField) for a misspelt field,
    /// [`Expression`](crate::error::ErrorKind::Expression) for an invalid `q`,
    /// [`FilterType`](crate::error::ErrorKind::FilterType) for a `q` that reads the caller and for a value that is not
    /// a number or flag, and [`FilterLimit`](crate::error::ErrorKind::FilterLimit) for too many or too long values.
    pub fn from_query(query: &str) -> Result<ParsedFilter, Error> {
        Self::from_query_with(query, &[])
    }

    /// Does the same as [`Filter::from_query`], with the toolsets that a configuration defines: the name and the groups
    /// of each.
    ///
    /// # Errors
    /// The errors of [`Filter::from_query`].
    #[inline(never)]
    pub fn from_query_with(query: &str, toolsets: &[(String, Vec<String>)]) -> Result<ParsedFilter, Error> {
        let ParsedFilter { mut filter, mut ignored, unknown } = ParsedFilter::default();
        let mut named = Vec::new();
        for part in query.strip_prefix('?').unwrap_or(query).split('&') {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let (name, value) = (decode(name), decode(value));
            let (field, value) = (format!("?{name}"), value.trim());
            if value.is_empty() {
                continue;
            }
            if name == Filter::DISCLOSURE_PARAMETER {
                continue;
            }
            if name == Filter::TOOLSETS_PARAMETER {
                add(&mut named, value, &field)?;
                continue;
            }
            match find_parameter(&name) {
                Some((shape, name)) => shape.add(&mut filter, name, value, &field)?,
                None => ignore(&name, field, &mut ignored)?,
            }
        }
        if !named.is_empty() {
            let field = format!("?{toolsets}", toolsets = Filter::TOOLSETS_PARAMETER);
            if let Some(groups) = Self::groups_of_toolsets(&named, toolsets, &field)? {
                let condition = filter.any_of(&Field::Group, &groups, &field)?;
                filter.require(condition)?;
            }
        }
        Ok(ParsedFilter { filter, ignored, unknown })
    }
}

impl Shape {
    /// Adds the value of the parameter `field` to `filter`. `name` is the name in a parameter that accepts any.
    fn add(&self, filter: &mut Filter, name: &str, value: &str, field: &str) -> Result<(), Error> {
        match self {
            Self::Groups(list) | Self::Tags(list) | Self::Patterns { patterns: list, .. } => {
                add(list.get_mut(filter), value, field)?;
            }
            Self::Projection(fields) => {
                let mut names = fields.get(filter).names();
                add(&mut names, value, field)?;
                fields.set(filter, Fields::new(&names));
            }
            Self::Concerns(_) if name.is_empty() => {}
            Self::Concerns(concerns) => add_values(concerns.get_mut(filter), name, value, field)?,
            Self::Condition(condition) => {
                let both = add_condition(condition.get(filter).as_ref(), value);
                condition.set(filter, Some(both.map_err(|error| error.within(field))?));
            }
            Self::Words(words) => {
                let text = [words.get(filter).as_deref().unwrap_or_default(), value].join(" ");
                words.set(filter, parse_words(&text, field)?);
            }
            Self::Text(text) => text.set(filter, Some(value.to_owned())),
            Self::Count(count) => count.set(filter, parse_bound(value, field)?),
            Self::Flag(flag) => flag.set(filter, read_flag(value, field)?),
            // Each member has its own parameter.
            Self::Object { .. } => {}
        }
        Ok(())
    }
}

/// Adds values of the concern called `name`.
fn add_values(concerns: &mut Configuration, name: &str, values: &str, field: &str) -> Result<(), Error> {
    Configuration::check_length(name, field)?;
    let mut named = concerns.get(name).unwrap_or_default().to_vec();
    add(&mut named, values, field)?;
    let mut sorted = Vec::with_capacity(named.len());
    named.into_iter().for_each(|value| insert(&mut sorted, value));
    if !sorted.is_empty() {
        concerns.set(name, Some(sorted));
    }
    check_count(concerns.iter().len(), field)
}

/// Returns the conjunction of `known` and the expression in `source`.
fn add_condition(known: Option<&Expr>, source: &str) -> Result<Expr, Error> {
    let read = check_reads_primitive(source.parse()?)?;
    match known {
        Some(known) => known.clone().both(read),
        None => Ok(read),
    }
}

/// Reports an unknown field.
///
/// # Errors
/// [`FilterField`](crate::error::ErrorKind::FilterField) for a likely typo, because ignoring it would list primitives
/// that the caller wanted to exclude.
fn ignore(name: &str, field: String, ignored: &mut Vec<Ignored>) -> Result<(), Error> {
    if let Some(meant) = suggestions::suggest_parameter(name) {
        let message = format!("{UNKNOWN} (did you mean `{meant}`?)");
        return Err(Error::new(ErrorKind::FilterField, message).field(field));
    }
    let unknown = Ignored::new(field, UNKNOWN);
    if ignored.len() < Filter::MAX_UNKNOWN && !ignored.contains(&unknown) {
        ignored.push(unknown);
    }
    Ok(())
}

/// Adds those of the comma-separated values that the list lacks.
fn add(list: &mut Vec<String>, values: &str, field: &str) -> Result<(), Error> {
    for value in values.split(',').map(str::trim).filter(|value| !value.is_empty()) {
        Configuration::check_length(value, field)?;
        if !list.iter().any(|known| known == value) {
            list.push(value.to_owned());
        }
    }
    check_count(list.len(), field)
}

fn check_count(count: usize, field: &str) -> Result<(), Error> {
    if count > Configuration::MAX_VALUES {
        return Err(Error::filter_limit(
            field,
            format!("at most {max} values", max = Configuration::MAX_VALUES),
        ));
    }
    Ok(())
}

/// Decodes a name or a value of a query: `+` is a space, and `%xx` a byte.
fn decode(part: &str) -> String {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((byte, behind)) = rest.split_first() {
        let escaped = match behind {
            [high, low, ..] if *byte == b'%' => hex(*high).zip(hex(*low)),
            _ => None,
        };
        let (decoded, length) = match escaped {
            Some((high, low)) => (high << 4 | low, 3),
            None => (if *byte == b'+' { b' ' } else { *byte }, 1),
        };
        bytes.push(decoded);
        rest = rest.get(length..).unwrap_or_default();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the value of a hexadecimal digit.
pub fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| value.try_into().ok())
}
