use std::{fmt, str::FromStr};

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
    /// Caller: `clientInfo.name`.
    ClientName,
    /// Caller: `clientInfo.version`.
    ClientVersion,
    /// Caller: the protocol version of the request.
    Protocol,
    /// Caller: `true` where the client declared the capability.
    Capability(String),
    /// Caller: a claim of the verified token.
    Claim(String),
    /// Caller: an HTTP header of the request, name in lower case.
    Header(String),
    /// Caller: the JSON-RPC method asked.
    Method,
}

/// Plain names, and prefixes that take the rest of the word as a name.
const PLAIN: [(&str, Field); 12] = [
    ("kind", Field::Kind),
    ("group", Field::Group),
    ("tag", Field::Tag),
    ("name", Field::Name),
    ("title", Field::Title),
    ("description", Field::Description),
    ("uri", Field::Uri),
    ("server", Field::Server),
    ("client.name", Field::ClientName),
    ("client.version", Field::ClientVersion),
    ("protocol", Field::Protocol),
    ("method", Field::Method),
];
type Named = fn(String) -> Field;
const NAMED: [(&str, Named); 5] = [
    ("concern", Field::Concern),
    ("annotation", Field::Annotation),
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
        )
    }

    /// Every name that can start a term, for messages.
    pub(super) fn expected() -> String {
        let plain = PLAIN.iter().map(|(name, _)| (*name).to_owned());
        let named = NAMED.iter().map(|(name, _)| format!("{name}.NAME"));
        plain.chain(named).collect::<Vec<_>>().join(", ")
    }
}

impl FromStr for Field {
    type Err = ();

    fn from_str(source: &str) -> Result<Self, ()> {
        if let Some((_, field)) = PLAIN.iter().find(|(name, _)| *name == source) {
            return Ok(field.clone());
        }
        let (prefix, rest) = source.split_once('.').ok_or(())?;
        let (_, field) = NAMED.iter().find(|(name, _)| *name == prefix && !rest.is_empty()).ok_or(())?;
        // Header names are case-insensitive; the caller's are kept in lower case.
        Ok(field(if prefix == "header" { rest.to_ascii_lowercase() } else { rest.to_owned() }))
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (prefix, name) = match self {
            Self::Concern(name) => ("concern", name),
            Self::Annotation(name) => ("annotation", name),
            Self::Capability(name) => ("capability", name),
            Self::Claim(name) => ("claim", name),
            Self::Header(name) => ("header", name),
            plain => {
                let name = PLAIN.iter().find(|(_, field)| field == plain).map_or("", |(name, _)| name);
                return f.write_str(name);
            }
        };
        write!(f, "{prefix}.{name}")
    }
}
