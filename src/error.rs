//! The error type of the crate: a kind with a stable code, a message, and the place in the input.

use std::fmt;

/// The kind of an error. [`ErrorKind::code`] is the same in every interface:
/// `error.code` in JavaScript, `error.data.reason` in JSON-RPC.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// Text that is not JSON, or JSON nested deeper than allowed.
    Json,
    /// A list result whose shape is not that of MCP.
    Catalog,
    /// A configuration that contradicts itself or the schema.
    Config,
    /// An expression that does not parse.
    Expression,
    /// A filter field of the wrong JSON type.
    FilterType,
    /// A field of a filter that does not exist and is probably misspelt. In a filter that is parsed with `str::parse`,
    /// any field that does not exist.
    FilterField,
    /// A filter larger than its limits, or one that takes too many steps on a list.
    FilterLimit,
    /// A concern value outside the declared values, for a concern whose `onInvalid` is `error`.
    ConcernValue,
    /// A cursor that this server did not issue.
    InvalidCursor,
    /// A cursor issued for another filter, method, caller or concern configuration.
    CursorFilterMismatch,
    /// A handle of concerns that this server did not issue to this caller.
    HandleInvalid,
    /// A handle of concerns that is too old, or of another version of the server.
    HandleExpired,
    /// Token counts of another shape, or of another catalog.
    Tokens,
    /// A time that cannot be parsed.
    TimeFormat,
    /// Bytes that are not a snapshot of a catalog, or have another format version.
    Snapshot,
    /// Stored preferences of another shape, or of a newer version.
    Preferences,
    /// The name of a middleware function that does not exist.
    UnknownMiddleware,
    /// Arguments that do not match the schema of a middleware function.
    ArgumentsInvalid,
    /// A context that is not an array of content items.
    ContextInvalid,
    /// A context that is too large.
    ContextLimit,
    /// A middleware function that failed.
    MiddlewareFailed,
}

impl ErrorKind {
    /// Returns the stable code of this kind.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Catalog => "catalog",
            Self::Config => "config",
            Self::Expression => "expression",
            Self::FilterType => "filter_type",
            Self::FilterField => "filter_field",
            Self::FilterLimit => "filter_limit",
            Self::ConcernValue => "concern_value",
            Self::InvalidCursor => "invalid_cursor",
            Self::CursorFilterMismatch => "cursor_filter_mismatch",
            Self::HandleInvalid => "handle_invalid",
            Self::HandleExpired => "handle_expired",
            Self::Tokens => "tokens",
            Self::TimeFormat => "time_format",
            Self::Snapshot => "snapshot",
            Self::Preferences => "preferences",
            Self::UnknownMiddleware => "unknown_middleware",
            Self::ArgumentsInvalid => "arguments_invalid",
            Self::ContextInvalid => "context_invalid",
            Self::ContextLimit => "context_limit",
            Self::MiddlewareFailed => "middleware_failed",
        }
    }
}

/// An input that was rejected. It has a [kind](ErrorKind), the field it concerns
/// (`filter.groups[2]`), and for text the byte offset where it went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(Box<Refusal>);

/// Maximum length, in bytes, of an error's message and of its field. Both may quote input.
const MAX_TEXT: usize = 2048;

/// Boxed, so that a `Result` with this error stays small.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Refusal {
    kind: ErrorKind,
    message: String,
    field: Option<String>,
    at: Option<usize>,
}

impl Error {
    /// Creates an error with a message for people: lower case, without a final period, with input in backticks.
    #[cold]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Refusal { kind, message: bounded(message.into()), field: None, at: None }))
    }

    /// Returns the error for a field of a filter that has another type. `wanted` names the accepted types.
    pub fn filter_type(field: &str, wanted: &str) -> Self {
        Self::new(ErrorKind::FilterType, format!("expected {wanted}")).field(field)
    }

    /// Returns the error for a field of a filter that exceeds a limit, such as `at most 100 values`.
    pub fn filter_limit(field: &str, limit: String) -> Self {
        Self::new(ErrorKind::FilterLimit, format!("a filter accepts {limit} here")).field(field)
    }

    /// Lists names in words, for a message: `` `a` ``, `` `a` or `b` ``, ``one of `a`, `b`, `c` ``.
    pub fn one_of(names: &[&str]) -> String {
        match names {
            [a, b] => format!("`{a}` or `{b}`"),
            _ => {
                let one_of = if names.len() > 1 { "one of " } else { "" };
                format!("{one_of}`{}`", names.join("`, `"))
            }
        }
    }

    /// Returns the error of a middleware function that failed. The caller sees `message`.
    #[cold]
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::MiddlewareFailed, message)
    }

    /// Sets the path of the field that the error concerns, such as `filter.groups[2]`.
    #[must_use]
    pub fn field(mut self, field: impl Into<String>) -> Self {
        self.0.field = Some(bounded(field.into()));
        self
    }

    /// Prepends `outer` to the path of the field.
    pub fn within(mut self, outer: &str) -> Self {
        let inner = self.0.field.take().unwrap_or_default();
        let joint = if inner.is_empty() || inner.starts_with('[') { "" } else { "." };
        self.field(format!("{outer}{joint}{inner}"))
    }

    /// Changes the kind, and moves the byte offset into the message, because it refers to a nested text.
    pub fn with_kind(mut self, kind: ErrorKind) -> Self {
        if let Some(at) = self.0.at.take() {
            self.0.message.push_str(&format!(" at byte {at}"));
        }
        self.0.kind = kind;
        self
    }

    /// Sets the position, in bytes, at which a text went wrong.
    #[must_use]
    pub fn at_byte(mut self, at: usize) -> Self {
        self.0.at = Some(at);
        self
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the stable code of [`Error::kind`].
    pub fn code(&self) -> &'static str {
        self.0.kind.code()
    }

    /// Returns the rejected field, as a path from the input's root.
    pub fn path(&self) -> Option<&str> {
        self.0.field.as_deref()
    }

    /// Returns the byte offset in the source text at which the error occurred.
    pub fn at(&self) -> Option<usize> {
        self.0.at
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(field) = &self.0.field {
            line(f, field)?;
            f.write_str(": ")?;
        }
        line(f, &self.0.message)?;
        match self.0.at {
            Some(at) => write!(f, " at byte {at}"),
            None => Ok(()),
        }
    }
}

/// Returns the text, cut off if it is too long.
fn bounded(mut text: String) -> String {
    if text.len() > MAX_TEXT {
        text.truncate(text.floor_char_boundary(MAX_TEXT - '…'.len_utf8()));
        text.push('…');
    }
    text
}

/// Writes text on one line. Input that it quotes may contain line breaks.
fn line(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    for (at, part) in text.split(char::is_control).enumerate() {
        f.write_str(if at > 0 { " " } else { "" })?;
        f.write_str(part)?;
    }
    Ok(())
}

impl std::error::Error for Error {}

/// A part of a filter that had no effect. It is reported to the caller and is not an error.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignored {
    /// The field, as a path from the filter's root (`groups[0]`, `concerns.cost`); `?page` for a field of a URL.
    pub field: String,
    /// The reason why the part had no effect.
    pub reason: &'static str,
    /// The field that was probably intended.
    pub meant: Option<&'static str>,
}

/// A name in a filter that matches nothing: no visible primitive has it. It is reported to the caller and is not an
/// error.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    /// The place of the name, as a path from the filter's root (`groups[0]`).
    pub field: String,
    /// The description of the name, such as `unknown group`.
    pub reason: &'static str,
}

impl UnknownName {
    /// Creates the report of a name.
    pub fn new(field: impl Into<String>, reason: &'static str) -> Self {
        Self { field: field.into(), reason }
    }
}

impl Ignored {
    /// Creates the report of a part that had no effect because of `reason`.
    pub fn new(field: impl Into<String>, reason: &'static str) -> Self {
        Self { field: field.into(), reason, meant: None }
    }
}
