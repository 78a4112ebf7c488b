//! What an operator is told of decisions: who asked by which method about what kind of thing, and why it was
//! denied. Never what was asked with: no name, no argument, no content.
//!
//! | reason | denied is |
//! |---|---|
//! | `hidden` | something that a policy or rule hides; the caller heard that it does not exist |
//! | `check` | a caller that the operator's checks turn away |
//! | `unauthorized`, `forbidden` | a bearer token that is missing or refused; one that lacks a scope |
//! | `rate_limited` | a caller that asks too often, or too much at once |
//! | `origin`, `host` | a web page that may not call, a name that is not this server's |
//! | `session_invalid`, `session_stolen` | a session id that was not sealed here; one of another caller |
//! | `handle_invalid`, `invalid_cursor`, `cursor_filter_mismatch` | what was not sealed here, or not for this |

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Failure, Host, principal};

/// Longest text of an [`Operation`], in bytes: methods and subjects are of the caller's making.
pub const MAX_AUDIT_TEXT: usize = 256;

/// One line of the operator's log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// Milliseconds since 1970.
    pub at: u64,
    /// The principal of the verified token; `None` for whoever showed none.
    pub who: Option<String>,
    /// The JSON-RPC method; the verb of HTTP where no message was read.
    pub method: String,
    /// The kind of thing that it was about, if it was about one.
    pub kind: Option<String>,
    /// A stable code: why it was denied, or what was done.
    pub reason: String,
}

impl Operation {
    /// The same with no text longer than [`MAX_AUDIT_TEXT`].
    #[must_use]
    pub fn bounded(mut self) -> Self {
        let texts = [Some(&mut self.method), Some(&mut self.reason), self.who.as_mut(), self.kind.as_mut()];
        for text in texts.into_iter().flatten() {
            text.truncate(text.floor_char_boundary(MAX_AUDIT_TEXT));
        }
        self
    }
}

/// Tells the operator of a refusal, if it denies anything.
pub(super) fn note<H: Host>(host: &H, claims: Option<&Map<String, Value>>, method: &str, failure: &Failure) {
    let Some(reason) = failure.denial.as_ref().and_then(|denial| denial.reason) else { return };
    let kind = match method {
        "tools/call" => Some("tool"),
        "prompts/get" => Some("prompt"),
        "resources/read" | "resources/subscribe" => Some("resource"),
        _ => None,
    };
    let operation = Operation {
        at: host.now(),
        who: claims.and_then(principal).map(Into::into),
        method: method.to_owned(),
        kind: kind.map(str::to_owned),
        reason: reason.to_owned(),
    };
    host.record(operation.bounded());
}
