//! The description that a server gives of itself, beside its lists.

use std::collections::BTreeMap;

use mcp_sieve::{
    Kind,
    catalog::Catalog,
    json::{self, Members, Object, Raw},
};
use serde::{Deserialize, Serialize};

use crate::protocol::response::SERVER_INFO;

/// Maximum length, in bytes, of the part of one server's `instructions` that callers receive.
pub const MAX_INSTRUCTIONS: usize = 8 * 1024;
/// Maximum length, in bytes, of a server's `serverInfo`. It is part of every stateless result.
pub const MAX_SERVER_INFO: usize = 8 * 1024;
/// Maximum length, in bytes, of those capabilities of a server that Sieve does not implement.
pub const MAX_FOREIGN_CAPABILITIES: usize = 8 * 1024;
/// Maximum length, in bytes, of the unknown members of one list.
pub const MAX_LIST_MEMBERS: usize = 8 * 1024;

/// The capabilities that the gateway implements itself.
const OWN_CAPABILITIES: [&str; 10] = [
    "tools",
    "resources",
    "prompts",
    "completions",
    "logging",
    "tasks",
    "filtering",
    "concerns",
    "extensions",
    "experimental",
];
/// The members of list results that the gateway writes itself.
const OWN_MEMBERS: [&str; 5] = ["_meta", "resultType", "ttlMs", "cacheScope", "nextCursor"];
/// The namespaces of extensions that the gateway announces itself or not at all.
const OWN_NAMESPACES: [&str; 2] = ["io.modelcontextprotocol", Catalog::PREFIX];

/// The description that a server gives of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Introduction {
    /// The `instructions` of the server, with a mark if they were cut.
    pub instructions: Option<String>,
    /// The `serverInfo` of the server, as JSON.
    pub server_info: Option<String>,
    /// The capabilities that Sieve does not implement: a JSON object that may contain `extensions` and `experimental`.
    pub capabilities: Option<String>,
    /// The unknown members of the server's lists: one JSON object for each list, by the member that holds the
    /// primitives.
    pub lists: BTreeMap<String, String>,
    /// Notes for the operator on members that were cut or left out.
    pub notes: Vec<String>,
}

impl Introduction {
    /// Parses the result of `server/discover` or `initialize`.
    pub fn read(result: &[u8]) -> Self {
        let mut introduction = Self::default();
        let Some(members) = std::str::from_utf8(result).ok().and_then(Members::parse) else {
            return introduction;
        };
        if let Some(text) = members.get("instructions").and_then(json::Raw::text) {
            introduction.instructions = introduction.cut(&text);
        }
        let meta = members.get("_meta").and_then(Members::read).unwrap_or_default();
        if let Some(info) = members.get("serverInfo").or_else(|| meta.get(SERVER_INFO)).filter(is_server_info)
        {
            introduction.server_info = introduction.bounded("serverInfo", info.get(), MAX_SERVER_INFO);
        }
        let capabilities = members.get("capabilities").and_then(Members::read).map(foreign);
        if let Some(capabilities) = capabilities.filter(|capabilities| capabilities != "{}") {
            introduction.capabilities =
                introduction.bounded("capabilities", &capabilities, MAX_FOREIGN_CAPABILITIES);
        }
        introduction
    }

    /// Stores the unknown members of the first page of a list.
    pub(crate) fn learn_list(&mut self, kind: Kind, result: &Members<'_>) {
        let unknown = |key: &str| !OWN_MEMBERS.contains(&key) && key != kind.list_key();
        let meta = result.get("_meta").and_then(Members::read).unwrap_or_default();
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        for (key, value) in result.0.iter().filter(|(key, _)| unknown(key)) {
            object.raw(key, value.get().as_bytes());
        }
        let foreign = |key: &str| key != SERVER_INFO && !is_of(Catalog::PREFIX, key);
        if meta.0.iter().any(|(key, _)| foreign(key)) {
            let mut inner = Object::open(object.value("_meta"));
            for (key, value) in meta.0.iter().filter(|(key, _)| foreign(key)) {
                inner.raw(key, value.get().as_bytes());
            }
            inner.close();
        }
        object.close();
        let members = String::from_utf8(out).unwrap_or_default();
        if members == "{}" || self.list(kind).is_some() {
            return;
        }
        if let Some(members) = self.bounded(kind.list_method(), &members, MAX_LIST_MEMBERS) {
            self.lists.insert(kind.list_key().to_owned(), members);
        }
    }

    /// Returns the unknown members of a list, as a JSON object.
    pub(crate) fn list(&self, kind: Kind) -> Option<&str> {
        self.lists.get(kind.list_key()).map(String::as_str)
    }

    /// Adds the members that are missing here from the description that the same server gives in its other revision.
    pub(crate) fn or(mut self, other: Self) -> Self {
        self.instructions = self.instructions.or(other.instructions);
        self.server_info = self.server_info.or(other.server_info);
        self.capabilities = self.capabilities.or(other.capabilities);
        other.lists.into_iter().for_each(|(key, members)| _ = self.lists.entry(key).or_insert(members));
        let new = other.notes.into_iter().filter(|note| !self.notes.contains(note)).collect::<Vec<_>>();
        self.notes.extend(new);
        self
    }

    /// Returns the text, cut to the limit and marked if it is too long; `None` for an empty text.
    fn cut(&mut self, text: &str) -> Option<String> {
        let Some(end) = (text.len() > MAX_INSTRUCTIONS).then(|| text.floor_char_boundary(MAX_INSTRUCTIONS))
        else {
            return (!text.is_empty()).then(|| text.to_owned());
        };
        let length = text.len();
        self.notes.push(format!("its `instructions` are {length} bytes long and were cut after {end}"));
        Some(format!("{}\n\n[Cut after {end} of {length} bytes.]", text.get(..end)?))
    }

    /// Returns the text, or `None` with a note if it is too long.
    fn bounded(&mut self, what: &str, text: &str, most: usize) -> Option<String> {
        if text.len() <= most {
            return Some(text.to_owned());
        }
        let length = text.len();
        self.notes.push(format!("its `{what}` is {length} bytes long, more than {most}, and was left out"));
        None
    }
}

/// Returns whether a value is a valid `serverInfo`.
fn is_server_info(raw: &Raw<'_>) -> bool {
    let Some(info) = Members::read(*raw) else { return false };
    ["name", "version"].into_iter().all(|key| info.get(key).and_then(json::Raw::text).is_some())
}

/// Returns whether a key is in a namespace.
fn is_of(namespace: &str, key: &str) -> bool {
    key.strip_prefix(namespace).is_some_and(|rest| rest.starts_with('/'))
}

/// Returns the capabilities that Sieve does not implement, as JSON.
fn foreign(capabilities: Members<'_>) -> String {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.keep(&capabilities, &OWN_CAPABILITIES);
    for key in ["extensions", "experimental"] {
        let inner = capabilities.get(key).and_then(Members::read).unwrap_or_default();
        let foreign = |name: &str| !OWN_NAMESPACES.iter().any(|namespace| is_of(namespace, name));
        if inner.0.iter().any(|(name, _)| foreign(name)) {
            let mut object = Object::open(object.value(key));
            for (name, value) in inner.0.iter().filter(|(name, _)| foreign(name)) {
                object.raw(name, value.get().as_bytes());
            }
            object.close();
        }
    }
    object.close();
    String::from_utf8(out).unwrap_or_default()
}
