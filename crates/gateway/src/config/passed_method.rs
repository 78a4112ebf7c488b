//! Methods of other vendors that the operator passes to an upstream server.

use mcp_sieve::{Error, Kind, json::Entry};

/// Maximum number of entries in `passMethods` of one server.
pub const MAX_PASSED_METHODS: usize = 64;
/// Maximum length, in bytes, of the name of a passed method.
pub const MAX_PASSED_METHOD: usize = 128;

/// The methods and notifications of the protocol and of the proposals that Sieve implements. They are never passed.
const IMPLEMENTED: [&str; 56] = [
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "tools/call",
    "tools/manifest",
    "tools/describe",
    "experimental/groups/list",
    "experimental/groups/expand",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "resources/directory/read",
    "prompts/list",
    "prompts/get",
    "skills/list",
    "skills/get",
    "completion/complete",
    "subscriptions/listen",
    "logging/setLevel",
    "tasks/get",
    "tasks/cancel",
    "tasks/update",
    "tasks/result",
    "tasks/list",
    "tasks/query",
    "groups/list",
    "groups/get",
    "tags/list",
    "concerns/list",
    "listConcerns",
    "concerns/update",
    "updateConcerns",
    "explain",
    "roots/list",
    "sampling/createMessage",
    "elicitation/create",
    "notifications/initialized",
    "notifications/cancelled",
    "notifications/progress",
    "notifications/message",
    "notifications/tools/list_changed",
    "notifications/resources/list_changed",
    "notifications/resources/updated",
    "notifications/prompts/list_changed",
    "notifications/skills/list_changed",
    "notifications/roots/list_changed",
    "notifications/groups/list_changed",
    "notifications/tags/list_changed",
    "notifications/concerns/list_changed",
    "notifications/tasks",
    "notifications/tasks/status",
    "notifications/elicitation/complete",
    "notifications/subscriptions/acknowledged",
];
/// Namespaces of the protocol's official extensions and of Sieve.
const RESERVED: [&str; 2] = ["io.modelcontextprotocol", "dev.mcpsieve"];
const TOO_MANY: &str = "expected at most 64 methods";
const PATTERN: &str = "expected the name of a method, such as `com.example/preview`, or a namespace, such as `com.example/*`, of at most 128 of the characters A-Z a-z 0-9 _ - . /";
const PRIMITIVES: [(&str, Kind); 3] =
    [("tool", Kind::Tool), ("prompt", Kind::Prompt), ("resource", Kind::Resource)];

/// A method of another vendor, or a namespace of methods, that is passed to an upstream server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassedMethod {
    /// The method, or the namespace with its last `/`.
    text: String,
    /// Whether it is a namespace.
    is_namespace: bool,
    /// The kind of the primitive that a request refers to, and the parameter that names the primitive.
    pub primitive: Option<(Kind, String)>,
}

impl PassedMethod {
    /// Reads the entries of one server. An entry that an earlier one covers is refused: it would have no effect, and
    /// the primitive that it names would not be checked.
    pub(super) fn read_all(entry: &Entry<'_>) -> Result<Vec<Self>, Error> {
        let mut entries: Vec<Self> = Vec::new();
        entry.list(|entry| {
            let later = Self::read(entry)?;
            if let Some(first) = entries.iter().find(|earlier| earlier.contains(&later)) {
                let (first, later) = (first.pattern(), later.pattern());
                return Err(entry.refuse(
                    ["`", &first, "` before it covers `", &later, "`: exchange them, or remove this one"]
                        .concat(),
                ));
            }
            entries.push(later);
            Ok(())
        })?;
        match entries.len() {
            0..=MAX_PASSED_METHODS => Ok(entries),
            _ => Err(entry.refuse(TOO_MANY)),
        }
    }

    fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        if entry.raw().get().starts_with('"') {
            return pattern(entry).map(|(text, is_namespace)| Self { text, is_namespace, primitive: None });
        }
        let mut record = entry.record(&["method", "tool", "prompt", "resource"])?;
        record.need(&["method"]);
        let mut method = (String::new(), false);
        record.fill("method", &mut method, pattern);
        let mut named = Vec::new();
        for (key, kind) in PRIMITIVES {
            let mut parameter = None;
            record.fill(key, &mut parameter, |entry| entry.some_text().map(Some));
            named.extend(parameter.map(|parameter| (kind, parameter)));
        }
        record.end()?;
        if named.len() > 1 {
            return Err(entry.refuse("expected at most one of `tool`, `prompt`, `resource`"));
        }
        let (text, is_namespace) = method;
        Ok(Self { text, is_namespace, primitive: named.pop() })
    }

    /// Returns whether requests and notifications of `method` are passed.
    pub fn covers(&self, method: &str) -> bool {
        match self.is_namespace {
            true => method.strip_prefix(&self.text).is_some_and(is_name),
            false => method == self.text,
        }
    }

    /// Returns whether the methods of an extension or capability with this name are passed: the entry is a method or a
    /// namespace below the name, or the name is in the namespace.
    pub fn concerns(&self, name: &str) -> bool {
        let below = self.text.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        below || self.covers(name)
    }

    /// Returns the first entry of another server that may pass the same method, if one of the two names no primitive.
    pub(super) fn collision<'a>(&self, others: &'a [Self]) -> Option<&'a Self> {
        others
            .iter()
            .find(|other| (self.primitive.is_none() || other.primitive.is_none()) && self.overlaps(other))
    }

    /// Returns whether both entries may pass the same method.
    fn overlaps(&self, other: &Self) -> bool {
        self.contains(other) || other.contains(self)
    }

    /// Returns whether this entry covers each method that `other` covers.
    fn contains(&self, other: &Self) -> bool {
        match self.is_namespace {
            true => other.text.starts_with(&self.text),
            false => other.text == self.text,
        }
    }

    /// Returns the method or namespace as written in the file.
    pub fn pattern(&self) -> String {
        [self.text.as_str(), if self.is_namespace { "*" } else { "" }].concat()
    }
}

/// Reads the name of a method, or a namespace including its last `/`.
fn pattern(entry: &Entry<'_>) -> Result<(String, bool), Error> {
    let mut text = entry.text()?;
    let is_namespace = text.ends_with("/*");
    if is_namespace {
        text.pop();
    }
    let name = text.strip_suffix('/').filter(|_| is_namespace).unwrap_or(&text);
    if text.len() > MAX_PASSED_METHOD || !is_name(name) {
        return Err(entry.refuse(PATTERN));
    }
    let within = |name: &str, namespace: &str| {
        let start = name.get(..namespace.len()).is_some_and(|start| start.eq_ignore_ascii_case(namespace));
        start && matches!(name.as_bytes().get(namespace.len()), None | Some(b'/'))
    };
    let implemented = match is_namespace {
        true => IMPLEMENTED.iter().find(|method| within(method, name)),
        false => IMPLEMENTED.iter().find(|method| method.eq_ignore_ascii_case(name)),
    };
    if let Some(method) = implemented {
        return Err(entry
            .refuse(["`", method, "` is a method that Sieve handles itself, and is never passed"].concat()));
    }
    match RESERVED.iter().find(|namespace| within(name, namespace)) {
        Some(namespace) => Err(entry.refuse(["methods of `", namespace, "` are never passed"].concat())),
        None => Ok((text, is_namespace)),
    }
}

/// Returns whether a text is a valid name of a passed method.
fn is_name(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte);
    (1..=MAX_PASSED_METHOD).contains(&text.len()) && text.bytes().all(fits)
}
