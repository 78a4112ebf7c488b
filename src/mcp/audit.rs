//! The operator's log of decisions: who asked by which method about what kind of thing, and why it was denied. A line
//! holds no name, no argument and no content of the request.
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

mod buffer;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use buffer::{AUDIT_DELAY_MS, AUDIT_LAPSE_MS, AuditBuffer, MAX_AUDIT_LINES};

use super::{Failure, Host, methods, principal};

/// Maximum length of a text of an [`Operation`], in bytes: subjects are chosen by others.
pub const MAX_AUDIT_TEXT: usize = 256;
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
        };
        operation.bounded()
    }

    /// Whether two lines differ in nothing but time and count.
    pub fn says_the_same(&self, other: &Self) -> bool {
        (&self.who, &self.method, &self.kind, &self.reason)
            == (&other.who, &other.method, &other.kind, &other.reason)
    }

    /// Counts the decisions of another line in this one.
    pub fn repeat(&mut self, other: &Self) {
        self.count = self.count.saturating_add(other.count);
        self.at = self.at.min(other.at);
        self.last = self.last.max(other.last);
    }

    /// Returns the line with no text longer than [`MAX_AUDIT_TEXT`].
    #[must_use]
    pub fn bounded(mut self) -> Self {
        let texts = [Some(&mut self.method), Some(&mut self.reason), self.who.as_mut(), self.kind.as_mut()];
        for text in texts.into_iter().flatten() {
            text.truncate(text.floor_char_boundary(MAX_AUDIT_TEXT));
        }
        self
    }
}

/// Records a refusal in the operator's log, if it denies anything.
pub(super) fn note<H: Host>(host: &H, claims: Option<&Map<String, Value>>, method: &str, failure: &Failure) {
    let Some(reason) = failure.denial.as_ref().and_then(|denial| denial.reason) else { return };
    let kind = match method {
        "tools/call" => Some("tool"),
        "prompts/get" => Some("prompt"),
        "resources/read" | "resources/subscribe" => Some("resource"),
        _ => None,
    };
    let method = if methods::is_known(method) { method } else { OTHER_METHOD };
    let who = claims.and_then(principal);
    host.record(Operation::new(host.now(), who.as_deref(), method, kind, reason));
}
