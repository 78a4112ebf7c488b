use std::str::FromStr;

use super::{nearest, parse, snippet};
use crate::error::Error;

/// What a term reads: a property of the primitive, or of the caller asking for it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Field {
    /// `tool`, `resource`, `template` or `prompt`.
    Kind,
    /// Each group it is in.
    Group,
    /// Each tag it carries.
    Tag,
    /// Its values for the named concern.
    Concern(String),
    /// Its `name`.
    Name,
    /// Its `title`.
    Title,
    /// Its `description`.
    Description,
    /// Its `uri` or `uriTemplate`.
    Uri,
    /// The server it came from.
    Server,
    /// A member of its `annotations`.
    Annotation(String),
    /// `audience` of its `annotations`: `user`, `assistant`.
    Audience,
    /// `priority` of its `annotations`, a number from 0 to 1.
    Priority,
    /// `lastModified` of its `annotations`, an instant.
    LastModified,
    /// A member of its `_meta`, by path.
    Meta(String),
    /// How a task stands.
    Status,
    /// The id of a task.
    TaskId,
    /// When a task was made, an instant.
    CreatedAt,
    /// When a task last changed, an instant.
    LastUpdatedAt,
    /// Caller: `clientInfo.name`.
    ClientName,
    /// Caller: `clientInfo.version`.
    ClientVersion,
    /// Caller: the protocol version of the request.
    Protocol,
    /// Caller: `true` where the client declared the capability.
    Capability(String),
    /// Caller: a claim of the verified token, by path.
    Claim(String),
    /// Caller: an HTTP header of the request, name in lower case.
    Header(String),
    /// Caller: the JSON-RPC method asked.
    Method,
    /// Caller: the preset it came by.
    Preset,
}

/// The words of fields that are one, and of fields that take a name of their own.
const PLAIN: [(&str, Field); 20] = [
    ("kind", Field::Kind),
    ("group", Field::Group),
    ("tag", Field::Tag),
    ("name", Field::Name),
    ("title", Field::Title),
    ("description", Field::Description),
    ("uri", Field::Uri),
    ("server", Field::Server),
    ("audience", Field::Audience),
    ("priority", Field::Priority),
    ("lastModified", Field::LastModified),
    ("status", Field::Status),
    ("taskId", Field::TaskId),
    ("createdAt", Field::CreatedAt),
    ("lastUpdatedAt", Field::LastUpdatedAt),
    ("client.name", Field::ClientName),
    ("client.version", Field::ClientVersion),
    ("protocol", Field::Protocol),
    ("method", Field::Method),
    ("preset", Field::Preset),
];
type Named = fn(String) -> Field;
const NAMED: [(&str, Named); 6] = [
    ("concern", Field::Concern),
    ("annotation", Field::Annotation),
    ("meta", Field::Meta),
    ("capability", Field::Capability),
    ("claim", Field::Claim),
    ("header", Field::Header),
];

impl Field {
    /// Whether the field reads the caller, not the primitive. Such terms belong in policies only.
    pub fn reads_caller(&self) -> bool {
        matches!(
            self,
            Self::ClientName
                | Self::ClientVersion
                | Self::Protocol
                | Self::Capability(_)
                | Self::Claim(_)
                | Self::Header(_)
                | Self::Method
                | Self::Preset
        )
    }

    /// The word it is written with, without the name behind it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Concern(_) => "concern",
            Self::Annotation(_) => "annotation",
            Self::Meta(_) => "meta",
            Self::Capability(_) => "capability",
            Self::Claim(_) => "claim",
            Self::Header(_) => "header",
            plain => PLAIN.iter().find(|(_, field)| field == plain).map_or("", |(word, _)| word),
        }
    }

    /// The name behind the word, for fields that have one.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Concern(name)
            | Self::Annotation(name)
            | Self::Meta(name)
            | Self::Capability(name)
            | Self::Claim(name)
            | Self::Header(name) => Some(name),
            _ => None,
        }
    }

    /// The field that `word` stands for by itself.
    pub(super) fn plain(word: &str) -> Option<Self> {
        PLAIN.iter().find(|(plain, _)| *plain == word).map(|(_, field)| field.clone())
    }

    /// The field that `word` stands for with a name behind it.
    pub(super) fn named(word: &str, name: &str) -> Option<Self> {
        let (_, field) = NAMED.iter().find(|(named, _)| *named == word)?;
        // Header names are case-insensitive; the caller's are kept in lower case.
        let name = if word == "header" { name.to_ascii_lowercase() } else { name.to_owned() };
        Some(field(name))
    }

    /// Whether `word` takes a name.
    pub(super) fn takes_name(word: &str) -> bool {
        NAMED.iter().any(|(named, _)| *named == word)
    }

    /// What `word` was probably meant to be, which is neither a field nor one of the form's own `words`.
    pub(super) fn meant(word: &str, words: [&'static str; 3]) -> Option<String> {
        if let Some(plain) = nearest(word, &mut PLAIN.iter().map(|(word, _)| *word).chain(words)) {
            return Some(plain.to_owned());
        }
        let (first, name) = word.split_once('.').unwrap_or((word, "NAME"));
        let named = nearest(first, &mut NAMED.iter().map(|(word, _)| *word))?;
        Some(format!("{named}.{name}"))
    }

    /// What to say of such a word.
    pub(super) fn unknown(word: &str, words: [&'static str; 3]) -> String {
        let first = word.split('.').next().unwrap_or_default();
        if Self::takes_name(first) {
            return format!("expected a name after `{first}.`, as in `{first}.NAME`");
        }
        let mut message = format!("unknown term `{}`", snippet::head(word));
        match Self::meant(word, words) {
            Some(meant) => message.extend([" (did you mean `", &meant, "`?)"]),
            None => {
                message.push_str(", expected one of");
                let plain = PLAIN.iter().map(|(word, _)| (*word, ","));
                for (word, end) in plain.chain(NAMED.iter().map(|(word, _)| (*word, ".NAME,"))) {
                    [" ", word, end].into_iter().for_each(|part| message.push_str(part));
                }
                message.pop();
            }
        }
        message
    }
}

impl FromStr for Field {
    type Err = Error;

    /// Reads a field as a term writes it.
    fn from_str(source: &str) -> Result<Self, Error> {
        parse::field(source)
    }
}
