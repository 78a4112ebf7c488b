//! A line of the audit log, which may stand for several equal decisions.

use serde::{Deserialize, Serialize};

use crate::host::printable::printable;

/// Maximum length, in bytes, of each text in an [`Operation`]. Callers choose some of these texts.
pub const MAX_AUDIT_TEXT: usize = 256;
/// Maximum number of names in an [`Operation`]. Of decisions that differ only in the name, the first names are listed.
pub const MAX_AUDIT_NAMES: usize = 8;

/// A line of the audit log: one decision, or several that are alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// The time of the first decision, in milliseconds since 1970.
    pub at: u64,
    /// The time of the last decision, in milliseconds since 1970.
    pub last: u64,
    /// The number of decisions that the line counts.
    pub count: u32,
    /// The principal of the verified token; `None` for a caller without a token.
    pub who: Option<String>,
    /// The JSON-RPC method, or the HTTP method if no message was read.
    pub method: String,
    /// The kind of primitive that the request was about, if any.
    pub kind: Option<String>,
    /// A stable code of the reason for the denial, or of the action that was taken.
    pub reason: String,
    /// The requested names or URIs, each once and at most [`MAX_AUDIT_NAMES`], with unprintable characters escaped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

impl Operation {
    /// Returns the line of one decision at `at`, in milliseconds since 1970.
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

    /// Adds the name of the primitive that the decision is about.
    #[must_use]
    pub fn about(mut self, name: &str) -> Self {
        self.names.push(printable(cut(name)).into_owned());
        self.bounded()
    }

    /// Returns whether two lines are equal apart from times, count and names.
    pub fn is_repetition_of(&self, other: &Self) -> bool {
        (&self.who, &self.method, &self.kind, &self.reason)
            == (&other.who, &other.method, &other.kind, &other.reason)
    }

    /// Adds the decisions of another line to this one.
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

    /// Returns the line with its texts cut to [`MAX_AUDIT_TEXT`] bytes and its names to [`MAX_AUDIT_NAMES`].
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

/// Returns the beginning of a text, at most [`MAX_AUDIT_TEXT`] bytes.
pub(crate) fn cut(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_AUDIT_TEXT)).unwrap_or_default()
}
