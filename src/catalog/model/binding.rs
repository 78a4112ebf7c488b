//! Bound arguments: parameters of tools that the gateway fills, so that callers neither see nor choose them.

use crate::{
    error::Error,
    expr::Expr,
    json::{Entry, Members, Number},
};

/// A parameter that a rule binds to a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The path of the parameter in a tool's `arguments`, with dots between its keys. A key of the schema may itself
    /// contain dots: the longest that the schema has is read first.
    pub parameter: String,
    /// The source of the value.
    pub value: BoundValue,
}

/// The source of a bound argument's value.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BoundValue {
    /// A claim of the caller's token, by its path. Text, numbers and booleans keep their type.
    Claim(String),
    /// A header of the request, in lower case. Its value is text.
    Header(String),
    /// A value of the file, as JSON.
    Const(String),
}

/// A bound argument of one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundArgument {
    /// The keys from the root of `arguments`.
    pub path: Vec<String>,
    /// The source of the value.
    pub value: BoundValue,
}

/// Maximum number of parameters that one rule binds.
pub const MAX_BINDINGS: usize = 64;
/// Maximum number of keys in the path of a bound parameter.
pub const MAX_BINDING_DEPTH: usize = 8;
/// The characters of a header's name, besides ASCII letters and digits (RFC 9110, section 5.6.2).
const HEADER_SIGNS: &str = "!#$%&'*+-.^_`|~";

/// Reads the member `bind` of a rule.
///
/// # Errors
/// [`ErrorKind::Config`](crate::error::ErrorKind::Config) with the path of the member.
pub(super) fn bindings(entry: &Entry<'_>) -> Result<Vec<Binding>, Error> {
    let mut list: Vec<Binding> = Vec::new();
    entry.each_member(&mut |parameter, entry| {
        let keys = parameter.split('.').count();
        let length = parameter.chars().count();
        if !(1..=Expr::MAX_VALUE).contains(&length) || keys > MAX_BINDING_DEPTH {
            let max = Expr::MAX_VALUE;
            return Err(entry.refuse(format!(
                "expected the path of a parameter, at most {MAX_BINDING_DEPTH} keys and {max} characters"
            )));
        }
        if let Some(other) = list.iter().find(|other| overlaps(&other.parameter, parameter)) {
            return Err(entry.refuse(format!("overlaps `{}`, which is bound too", other.parameter)));
        }
        let value = BoundValue::read(entry)?;
        list.push(Binding { parameter: parameter.to_owned(), value });
        Ok(())
    })?;
    match list.len() {
        0..=MAX_BINDINGS => Ok(list),
        _ => Err(entry.refuse(format!("expected at most {MAX_BINDINGS} parameters"))),
    }
}

/// Returns whether one path is within the other.
fn overlaps(one: &str, other: &str) -> bool {
    let within = |inner: &str, outer: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    within(one, other) || within(other, one)
}

impl BoundValue {
    /// Returns the number of the source, and its name or value.
    pub(crate) fn parts(&self) -> (u8, &str) {
        match self {
            Self::Claim(path) => (0, path),
            Self::Header(name) => (1, name),
            Self::Const(json) => (2, json),
        }
    }

    /// Returns the value with these parts, as [`BoundValue::parts`] returns them.
    pub(crate) fn of(source: usize, text: String) -> Option<Self> {
        match source {
            0 => Some(Self::Claim(text)),
            1 => Some(Self::Header(text)),
            2 => Some(Self::Const(text)),
            _ => None,
        }
    }

    fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let (mut claim, mut header, mut constant) = (None, None, None);
        let mut record = entry.record(&["claim", "header", "const"])?;
        record.fill("claim", &mut claim, |entry| entry.some_text().map(Some));
        record.fill("header", &mut header, |entry| {
            let name = entry.some_text()?;
            let is_sign = |sign: char| sign.is_ascii_alphanumeric() || HEADER_SIGNS.contains(sign);
            match name.chars().all(is_sign) {
                true => Ok(Some(name.to_ascii_lowercase())),
                false => Err(entry.refuse("expected the name of a header")),
            }
        });
        record.fill("const", &mut constant, |entry| Ok(Some(entry.raw().get().to_owned())));
        record.end()?;
        match (claim, header, constant) {
            (Some(claim), None, None) => Ok(Self::Claim(claim)),
            (None, Some(header), None) => Ok(Self::Header(header)),
            (None, None, Some(json)) => Ok(Self::Const(json)),
            _ => Err(entry.refuse("expected one of `claim`, `header` and `const`")),
        }
    }
}

/// The members of a primitive, besides its texts, that the operator replaces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemberOverrides {
    /// The members of `annotations` to set, as the text of a JSON object. `null` removes a member. Empty for none.
    pub annotations: String,
    /// The `icons` as a JSON array, or `Some(None)` to remove them.
    pub icons: Option<Option<String>>,
    /// Whether the `outputSchema` of a tool is removed.
    pub drops_output_schema: bool,
}

/// The hints in the annotations of a tool.
const HINTS: [&str; 4] = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

/// Reads the member `annotations` of a rule.
///
/// # Errors
/// [`ErrorKind::Config`](crate::error::ErrorKind::Config) with the path of the member.
pub(super) fn annotations(entry: &Entry<'_>) -> Result<String, Error> {
    entry.each_member(&mut |key, entry| match key {
        _ if entry.raw().is_null() => Ok(()),
        "title" | "lastModified" => entry.text().map(drop),
        "audience" => readers(entry),
        "priority" => match entry.number()? {
            number if (Number::ZERO..=Number::ONE).contains(&number) => Ok(()),
            _ => Err(entry.refuse("expected a number from 0 to 1")),
        },
        _ if HINTS.contains(&key) => entry.flag().map(drop),
        _ => Ok(()),
    })?;
    let is_empty = Members::read(entry.raw()).is_none_or(|members| members.0.is_empty());
    Ok(if is_empty { String::new() } else { entry.raw().get().to_owned() })
}

/// Checks the readers of a resource.
fn readers(entry: &Entry<'_>) -> Result<(), Error> {
    match entry.texts()?.iter().all(|reader| reader == "user" || reader == "assistant") {
        true => Ok(()),
        false => Err(entry.refuse("expected an array of `user` and `assistant`")),
    }
}

/// Reads the member `icons` of a rule: an array, or `null` to remove those of the server.
///
/// # Errors
/// [`ErrorKind::Config`](crate::error::ErrorKind::Config) with the path of the member.
pub(super) fn icons(entry: &Entry<'_>) -> Result<Option<Option<String>>, Error> {
    if entry.raw().is_null() {
        return Ok(Some(None));
    }
    entry.list(|entry| {
        let (mut text, mut sizes) = (String::new(), Vec::new());
        let mut record = entry.record(&["src", "mimeType", "sizes", "theme"])?;
        record.need(&["src"]);
        record.fill("src", &mut text, Entry::some_text);
        record.fill("mimeType", &mut text, Entry::text);
        record.fill("sizes", &mut sizes, Entry::texts);
        record.fill("theme", &mut text, |entry| match entry.text()? {
            theme if theme == "light" || theme == "dark" => Ok(theme),
            _ => Err(entry.refuse("expected `light` or `dark`")),
        });
        record.end()
    })?;
    Ok(Some(Some(entry.raw().get().to_owned())))
}

/// Reads the member `outputSchema` of a rule, which can only be removed.
///
/// # Errors
/// [`ErrorKind::Config`](crate::error::ErrorKind::Config) with the path of the member.
pub(super) fn dropped(entry: &Entry<'_>) -> Result<bool, Error> {
    if entry.raw().is_null() { Ok(true) } else { Err(entry.refuse("expected `null`")) }
}
