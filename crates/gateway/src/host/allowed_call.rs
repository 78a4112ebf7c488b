//! An entry of the operator's log of allowed calls.

use serde::{Deserialize, Serialize};

use crate::host::{operation::cut, printable::printable};

/// A request that was forwarded to a server for a caller, as the operator's log of allowed calls holds it. Callers
/// choose some of its texts, which are cut as those of an [`Operation`](crate::audit::Operation) are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllowedCall {
    /// The time at which the request was forwarded, in milliseconds since 1970.
    pub at: u64,
    /// The principal of the verified token; `None` for a caller without a token.
    pub who: Option<String>,
    /// The JSON-RPC method.
    pub method: String,
    /// The names of the servers that the request was sent to, comma-separated if there are several.
    pub server: String,
    /// The name or URI of the primitive, as the caller knows it; `None` for a method that names none.
    pub name: Option<String>,
    /// The digest of `params.arguments`: `sha256:` and the hash, in hex, of its JSON text as the client sent it, byte
    /// for byte; `None` without arguments.
    pub arguments: Option<String>,
}

impl AllowedCall {
    /// Returns the call with its texts cut, and with characters that do not print escaped.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        let texts = [Some(&mut self.method), Some(&mut self.server), self.who.as_mut(), self.name.as_mut()];
        for text in texts.into_iter().flatten() {
            let shown = printable(cut(text)).into_owned();
            *text = cut(&shown).to_owned();
        }
        self
    }
}
