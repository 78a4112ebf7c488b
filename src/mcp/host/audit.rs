//! The operator's log of decisions: who asked by which method for what, and why it was denied. A line holds the names and
//! URIs that were asked for, hidden ones too, and no argument and no content of the request.
//!
//! Callers choose names freely, so a name makes no line of its own: decisions that differ in the name alone are counted
//! in one line, which lists the first [`MAX_AUDIT_NAMES`] of them.
//!
//! | reason | what was denied |
//! |---|---|
//! | `hidden` | something that a policy or rule hides; the caller is told that it does not exist |
//! | `unknown` | something that does not exist: logged like `hidden`, so that both cost the same |
//! | `unlisted` | nothing: a server was asked for a resource that no list mentions, which is logged like `hidden` |
//! | `check` | a caller that the operator's checks turn away |
//! | `unauthorized`, `forbidden` | a bearer token that is missing or refused; one that lacks a scope |
//! | `rate_limited` | a caller that asks too often, or too much at once |
//! | `origin`, `host` | a web page that may not call; a host name that is not this server's |
//! | `session_invalid`, `session_stolen` | a session id that was not sealed here; one of another caller |
//! | `handle_invalid`, `invalid_cursor`, `cursor_filter_mismatch` | a handle or cursor that was not sealed here, or not for this |
//! | `not_kept` | nothing: `count` lines were left out, since there were too many different ones |

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use crate::mcp::host::audit_buffer::{AUDIT_DELAY_MS, AUDIT_LAPSE_MS, AuditBuffer, MAX_AUDIT_LINES};

use crate::{
    json::{self, Members},
    mcp::{
        host::{Host, printable::printable},
        protocol::{
            error::RpcError,
            message::Message,
            method::{self, Method, Subject},
        },
        request::caller::principal,
    },
};

/// Maximum length of a text of an [`Operation`], in bytes: subjects are chosen by others.
pub const MAX_AUDIT_TEXT: usize = 256;
/// Maximum number of names in an [`Operation`]: of decisions that differ in the name alone, the first that were asked for.
pub const MAX_AUDIT_NAMES: usize = 8;
/// The method of a line about a request whose method the protocol does not know. Callers choose methods freely, and
/// each would be a line of its own.
const OTHER_METHOD: &str = "other";

/// One line of the operator's log: a decision, or several that are alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// When it was decided, in milliseconds since 1970; the first time, of several.
    pub at: u64,
    /// When it was decided the last time, in milliseconds since 1970.
    pub last: u64,
    /// How many decisions the line stands for.
    pub count: u32,
    /// The principal of the verified token; `None` for a caller that showed none.
    pub who: Option<String>,
    /// The JSON-RPC method; the HTTP method where no message was read.
    pub method: String,
    /// The kind of thing that it was about, if it was about one.
    pub kind: Option<String>,
    /// A stable code: why it was denied, or what was done.
    pub reason: String,
    /// The names or URIs that were asked for, each once and at most [`MAX_AUDIT_NAMES`], with unprintable characters
    /// escaped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

impl Operation {
    /// The line of one decision at `at`, in milliseconds since 1970.
    #[must_use]
    pub fn new(at: u64, who: Option<&str>, method: &str, kind: Option<&str>, reason: &str) -> Self {
        let operation = Self {
            at,
            last: at,
            count: 1,
            who: who.map(str::to_owned),
            method: method.to_owned(),
            kind: kind.map(str::to_owned),
            reason: reason.to_owned(),
            names: Vec::new(),
        };
        operation.bounded()
    }

    /// The line of a decision about something of this name.
    #[must_use]
    pub fn about(mut self, name: &str) -> Self {
        self.names.push(printable(cut(name)).into_owned());
        self.bounded()
    }

    /// Whether two lines differ in nothing but time, count and names.
    pub fn says_the_same(&self, other: &Self) -> bool {
        (&self.who, &self.method, &self.kind, &self.reason)
            == (&other.who, &other.method, &other.kind, &other.reason)
    }

    /// Counts the decisions of another line in this one.
    pub fn repeat(&mut self, other: &Self) {
        self.count = self.count.saturating_add(other.count);
        self.at = self.at.min(other.at);
        self.last = self.last.max(other.last);
        for name in &other.names {
            if self.names.len() < MAX_AUDIT_NAMES && !self.names.contains(name) {
                self.names.push(name.clone());
            }
        }
    }

    /// Returns the line with no text longer than [`MAX_AUDIT_TEXT`] and no more than [`MAX_AUDIT_NAMES`] names.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        self.names.truncate(MAX_AUDIT_NAMES);
        let texts = [Some(&mut self.method), Some(&mut self.reason), self.who.as_mut(), self.kind.as_mut()];
        for text in texts.into_iter().flatten().chain(&mut self.names) {
            text.truncate(cut(text).len());
        }
        self
    }
}

/// The beginning of a text that is too long for a line.
pub(crate) fn cut(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_AUDIT_TEXT)).unwrap_or_default()
}

/// Records in the operator's log that a message was refused, if that denies anything.
pub(crate) fn refused<H: Host>(
    host: &H,
    claims: Option<&Map<String, Value>>,
    message: &Message<'_>,
    failure: &RpcError,
) {
    write(host, claims, &message.method, named(message).as_deref(), failure);
}

/// Records a refusal of a request of which no message was read, if it denies anything. `method` is that of HTTP.
pub(crate) fn note<H: Host>(host: &H, claims: Option<&Map<String, Value>>, method: &str, failure: &RpcError) {
    write(host, claims, method, None, failure);
}

/// The name or URI that a message is about.
pub(crate) fn named<'a>(message: &Message<'a>) -> Option<Cow<'a, str>> {
    match message.known?.subject() {
        Subject::Tool | Subject::Prompt => message.text_param("name").ok(),
        Subject::Resource => message.text_param("uri").ok(),
        Subject::Reference => {
            let reference = Members::read(message.param("ref")?)?;
            ["name", "uri"].into_iter().find_map(|key| reference.get(key).and_then(json::text))
        }
        Subject::None | Subject::Task => None,
    }
}

fn write<H: Host>(
    host: &H,
    claims: Option<&Map<String, Value>>,
    method: &str,
    name: Option<&str>,
    failure: &RpcError,
) {
    let Some(reason) = failure.denial.as_ref().and_then(|denial| denial.reason) else { return };
    let kind = match Method::named(method).map(Method::subject) {
        Some(Subject::Tool) => Some("tool"),
        Some(Subject::Prompt) => Some("prompt"),
        Some(Subject::Resource) => Some("resource"),
        _ => None,
    };
    let method = if method::is_known(method) { method } else { OTHER_METHOD };
    let who = claims.and_then(principal);
    let operation = Operation::new(host.now(), who.as_deref(), method, kind, reason);
    host.record(match name {
        Some(name) => operation.about(name),
        None => operation,
    });
}
