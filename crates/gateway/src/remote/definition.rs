//! The function definitions that a middleware server lists, and how long they are cached.

use mcp_sieve::json::{self, Members, Object, Raw};

use crate::middleware::Schema;

/// Minimum time, in milliseconds, for which a server's list of functions is cached. A server may extend it with
/// `ttlMs`. It validates the arguments of each call itself, so an outdated list cannot bypass its checks.
pub const DEFINITIONS_MS: u64 = 5 * 60 * 1000;
/// Maximum time, in milliseconds, for which the list is cached.
const MAX_DEFINITIONS_MS: u64 = 60 * 60 * 1000;
/// Maximum number of functions that a server may list.
pub const MAX_DEFINITIONS: usize = 256;

/// The schema of a function whose own schema is unknown or uses unsupported keywords. Its two arguments are those that
/// a chain provides.
pub(crate) const OPEN_SCHEMA: &str =
    r#"{"type":"object","properties":{"redactions":{"type":"object"},"metadata":{}}}"#;

/// A function in the list of its server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Definition {
    pub name: String,
    pub description: String,
    /// The JSON Schema of the arguments.
    pub schema: Option<String>,
}

/// The functions that a server lists, and the time of expiry of that list.
#[derive(Debug, Clone, Default)]
pub(crate) struct Definitions {
    pub all: Vec<Definition>,
    /// Time of expiry, in milliseconds since 1970.
    pub until: u64,
}

impl Definitions {
    /// Reads the result of `middleware/list`. Returns `None` for a result without a valid list.
    pub fn read(result: &[u8], now: u64) -> Option<Self> {
        let result = Members::parse(std::str::from_utf8(result).ok()?)?;
        let listed = result.get("middleware")?.elements()?;
        if listed.len() > MAX_DEFINITIONS {
            return None;
        }
        let all = listed.into_iter().map(Definition::read).collect::<Option<_>>()?;
        let ttl_ms: Option<u64> = result.get("ttlMs").and_then(|raw| raw.get().parse().ok());
        let ms = ttl_ms.unwrap_or_default().clamp(DEFINITIONS_MS, MAX_DEFINITIONS_MS);
        Some(Self { all, until: now.saturating_add(ms) })
    }

    /// Returns a function by its name on the server.
    pub fn find(&self, name: &str) -> Option<&Definition> {
        self.all.iter().find(|definition| definition.name == name)
    }
}

impl Definition {
    fn read(raw: Raw<'_>) -> Option<Self> {
        let members = Members::read(raw)?;
        let name =
            members.get("name").and_then(json::Raw::text).filter(|name| !name.is_empty())?.into_owned();
        let description =
            members.get("description").and_then(json::Raw::text).unwrap_or_default().into_owned();
        let schema = members.get("inputSchema").filter(|schema| schema.is_object());
        Some(Self { name, description, schema: schema.map(|schema| schema.get().to_owned()) })
    }

    /// Returns the schema by which arguments are validated before they are sent.
    pub fn local_schema(&self) -> &str {
        self.schema.as_deref().filter(|schema| Schema::parse(schema).is_ok()).unwrap_or(OPEN_SCHEMA)
    }

    /// Writes arguments in the form that the function accepts. The values of handles are sent only to a function that
    /// declares an argument for them.
    pub fn write_arguments(&self, arguments: &Members<'_>, out: &mut Vec<u8>) {
        let declared = self.schema.as_deref().and_then(Members::parse);
        let declared = declared.and_then(|schema| schema.get("properties")).and_then(Members::read);
        let has = |name: &str| declared.as_ref().is_some_and(|declared| declared.get(name).is_some());
        let mut left_out = Vec::new();
        if !has("redactions") {
            left_out.push("redactions");
        }
        // `"values"`, which a chain provides, requests the values of handles.
        let asks = arguments.get("metadata").and_then(json::Raw::text).is_some_and(|value| value == "values");
        if asks && !(has("metadata") && has("redactions")) {
            left_out.push("metadata");
        }
        let mut object = Object::open(out);
        object.keep(arguments, &left_out);
        object.close();
    }
}
