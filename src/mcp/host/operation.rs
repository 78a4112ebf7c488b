use serde::{Deserialize, Serialize};

use crate::mcp::host::printable::printable;

/// Maximum length of a text of an [`Operation`], in bytes: subjects are chosen by others.
pub const MAX_AUDIT_TEXT: usize = 256;
/// Maximum number of names in an [`Operation`]: of decisions that differ in the name alone, the first that were asked for.
pub const MAX_AUDIT_NAMES: usize = 8;

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
