//! The client capabilities that Sieve declares when it lists an upstream server.

use mcp_sieve::{
    Error,
    json::{Entry, Members, Object, Raw},
};

/// Maximum size of the capabilities of one server, in bytes of JSON.
pub const MAX_CAPABILITIES_SIZE: usize = 4_096;
/// Maximum number of capabilities of one server, with their members and extensions counted one by one: each may cost a
/// request for every list.
pub const MAX_CAPABILITIES: usize = 16;

const EXTENSIONS: &str = "extensions";

/// The client capabilities with which an upstream server is listed, in addition to its listing without any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capabilities {
    /// Whether the server is listed with the requests to clients that Sieve relays: elicitation, sampling, roots, and
    /// tasks of clients. An empty object in the file switches this off.
    pub relayed: bool,
    /// The configured capabilities: one `ClientCapabilities` object, as JSON, for each capability without its members, for each member of a
    /// capability, and for each extension with its settings.
    pub parts: Vec<String>,
    /// All configured capabilities in one `ClientCapabilities` object, as JSON; empty if the file has none.
    pub all: String,
}

impl Default for Capabilities {
    fn default() -> Self {
        Self { relayed: true, parts: Vec::new(), all: String::new() }
    }
}

/// The treatment of a primitive that requires capabilities which the client does not declare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequiredCapabilities {
    /// Leave the primitive out of lists.
    Hide,
    /// List the primitive with the capabilities that it requires.
    Annotate,
}

impl Capabilities {
    /// Returns whether a capability is one of them.
    pub(super) fn has(&self, name: &str) -> bool {
        Members::parse(&self.all).is_some_and(|all| all.get(name).is_some())
    }

    pub(super) fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let (mut relayed, mut parts) = (false, Vec::new());
        entry.each_member(&mut |name, part| {
            relayed = true;
            if name == EXTENSIONS {
                part.each_member(&mut |id, settings| {
                    let settings = object(settings)?;
                    parts.push(member(EXTENSIONS, &member(id, settings)));
                    Ok(())
                })
            } else {
                object(part)?;
                parts.push(member(name, "{}"));
                part.each_member(&mut |key, value| {
                    parts.push(member(name, &member(key, value.raw().get())));
                    Ok(())
                })
            }
        })?;
        let all = entry.raw().get().to_owned();
        if all.len() > MAX_CAPABILITIES_SIZE {
            return Err(entry.refuse("expected at most 4096 bytes"));
        }
        if parts.len() > MAX_CAPABILITIES {
            return Err(entry
                .refuse("expected at most 16 capabilities, with members and extensions counted one by one"));
        }
        Ok(Self { relayed, parts, all })
    }
}

impl RequiredCapabilities {
    pub(super) fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        match entry.text()?.as_str() {
            "hide" => Ok(Self::Hide),
            "annotate" => Ok(Self::Annotate),
            _ => Err(entry.refuse("expected `hide` or `annotate`")),
        }
    }
}

fn object<'a>(entry: &Entry<'a>) -> Result<&'a str, Error> {
    let raw: Raw<'a> = entry.raw();
    Members::read(raw).map(|_| raw.get()).ok_or_else(|| entry.refuse("expected an object"))
}

/// Returns an object with one member, whose value is JSON.
fn member(name: &str, value: &str) -> String {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.raw(name, value.as_bytes());
    object.close();
    // The name and the value are both text, so this never fails.
    String::from_utf8(out).unwrap_or_default()
}
