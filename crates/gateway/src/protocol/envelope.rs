//! The era of a request, and the checks of its envelope and headers.
//!
//! The era is a property of the request: its `_meta` decides, and headers only confirm it. The order of the checks is
//! part of the protocol, because a client receives the first failure.

use http::{HeaderMap, StatusCode};
use mcp_sieve::{
    json,
    revision::{Era, Revision},
};
use serde_json::{Value, json};

use crate::{
    object::deserialize,
    protocol::{
        client::check_client, error::RpcError, headers, log_level::Level, message::Message, method::Method,
    },
};

/// The key in `_meta` for the revision. Its presence makes a request part of the stateless era.
pub(crate) const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// The key in `_meta` for the capabilities of the client.
pub(crate) const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The key in `_meta` for the name and version of the client.
pub(crate) const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// The key in `_meta` for the lowest level of log messages that the client gets.
pub(crate) const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// The era of a message.
#[derive(Debug)]
pub(crate) enum Sender {
    /// Stateless: the request contains everything about the client.
    Stateless(Client),
    /// Session: there is a session, or the request opens one.
    Session,
}

impl Sender {
    /// Returns the era of the message.
    pub fn era(&self) -> Era {
        match self {
            Self::Stateless(_) => Era::Stateless,
            Self::Session => Era::Session,
        }
    }
}

/// The client's data in a stateless request.
#[derive(Debug)]
pub(crate) struct Client {
    pub version: Revision,
    pub info: Option<Value>,
    pub capabilities: Value,
    /// The lowest level of log messages that the client wants.
    pub level: Option<Level>,
}

/// Determines the era and checks the envelope and headers against its rules.
///
/// # Errors
/// The first check that fails, in the order of the protocol.
pub(crate) fn classify(message: &Message<'_>, headers: &HeaderMap) -> Result<Sender, RpcError> {
    let header = headers::value(headers, headers::PROTOCOL_VERSION)?;
    let claim = message.meta.get(PROTOCOL_VERSION);
    let claims_stateless = claim.and_then(json::Raw::text).is_some_and(|date| is_stateless(&date));
    let header_stateless = header.as_deref().is_some_and(is_stateless);

    if message.known == Some(Method::Initialize) && !claims_stateless {
        return match header {
            Some(header) if header_stateless => {
                Err(RpcError::header(headers::PROTOCOL_VERSION, Some(&header), "a revision with a handshake"))
            }
            _ => Ok(Sender::Session),
        };
    }
    if claim.is_some() {
        return if message.id.is_some() {
            request(message, headers, header.as_deref()).map(Sender::Stateless)
        } else {
            notification(message, header.as_deref()).map(Sender::Stateless)
        };
    }
    match header {
        Some(_) if header_stateless && message.id.is_some() => Err(missing(&absent(message))),
        Some(_) if header_stateless => Ok(Sender::Stateless(Client {
            version: Revision::V2026_07_28,
            info: None,
            capabilities: json!({}),
            level: None,
        })),
        Some(header) if Revision::from_date(&header).is_none() => {
            let message = format!(
                "protocol version `{header}` is not supported, expected one of {}",
                Revision::dates().join(", ")
            );
            Err(RpcError::request(StatusCode::BAD_REQUEST, "protocol_version", message))
        }
        _ => Ok(Sender::Session),
    }
}

/// Returns whether a message claims to be part of the stateless era, in a valid form or not.
pub(crate) fn claims(message: &Message<'_>) -> bool {
    message.meta.get(PROTOCOL_VERSION).is_some()
}

/// Dates are compared as text. Text that is not a date sorts after them and is rejected as an unknown revision.
fn is_stateless(date: &str) -> bool {
    date >= Revision::V2026_07_28.date()
}

fn request(message: &Message<'_>, headers: &HeaderMap, header: Option<&str>) -> Result<Client, RpcError> {
    let (claim, capabilities, info, level) = envelope(message)?;
    if let Some(header) = header.filter(|header| *header != claim) {
        return Err(RpcError::header(headers::PROTOCOL_VERSION, Some(header), &claim));
    }
    let method = headers::value(headers, headers::METHOD)?;
    if let Some(method) = method.as_deref().filter(|method| *method != message.method) {
        return Err(RpcError::header(headers::METHOD, Some(method), &message.method));
    }
    let version = revision(&claim)?;
    if header.is_none() {
        return Err(RpcError::header(headers::PROTOCOL_VERSION, None, &claim));
    }
    if method.is_none() {
        return Err(RpcError::header(headers::METHOD, None, &message.method));
    }
    name(message, headers)?;
    Ok(Client { version, info, capabilities, level })
}

fn notification(message: &Message<'_>, header: Option<&str>) -> Result<Client, RpcError> {
    let Some(claim) = message.meta.get(PROTOCOL_VERSION).and_then(json::Raw::text) else {
        return Err(malformed(PROTOCOL_VERSION, "expected a string"));
    };
    if let Some(header) = header.filter(|header| *header != claim) {
        return Err(RpcError::header(headers::PROTOCOL_VERSION, Some(header), &claim));
    }
    Ok(Client { version: revision(&claim)?, info: None, capabilities: json!({}), level: None })
}

fn revision(claim: &str) -> Result<Revision, RpcError> {
    let version = Revision::from_date(claim).filter(|version| version.is_stateless());
    version.ok_or_else(|| RpcError::version(claim, &Revision::dates()))
}

/// The claimed revision, the client's capabilities, its information and its log level.
type Envelope = (String, Value, Option<Value>, Option<Level>);

/// Returns the members of `_meta` that stateless requests carry.
fn envelope(message: &Message<'_>) -> Result<Envelope, RpcError> {
    let value = |key: &str| -> Option<Value> { deserialize(message.meta.get(key)?.get()).ok() };
    let absent = absent(message);
    if !absent.is_empty() {
        return Err(missing(&absent));
    }
    check_client(message.meta.get(CLIENT_INFO), message.meta.get(CAPABILITIES))
        .map_err(|failure| failure.under(StatusCode::BAD_REQUEST))?;
    let Some(Value::String(claim)) = value(PROTOCOL_VERSION) else {
        return Err(malformed(PROTOCOL_VERSION, "expected a string"));
    };
    let Some(capabilities @ Value::Object(_)) = value(CAPABILITIES) else {
        return Err(malformed(CAPABILITIES, "expected an object"));
    };
    let info = match message.meta.get(CLIENT_INFO) {
        None => None,
        Some(_) => match value(CLIENT_INFO) {
            Some(info @ Value::Object(_)) => Some(info),
            _ => return Err(malformed(CLIENT_INFO, "expected an object")),
        },
    };
    let level = match message.meta.get(LOG_LEVEL) {
        None => None,
        Some(level) => match level.text().and_then(|name| name.parse().ok()) {
            Some(level) => Some(level),
            None => return Err(malformed(LOG_LEVEL, &format!("expected one of {}", Level::names()))),
        },
    };
    Ok((claim, capabilities, info, level))
}

fn absent(message: &Message<'_>) -> Vec<&'static str> {
    [PROTOCOL_VERSION, CAPABILITIES].into_iter().filter(|key| message.meta.get(key).is_none()).collect()
}

/// Checks that `Mcp-Name` repeats the name or URI of the request, so that it can be routed without its body.
fn name(message: &Message<'_>, headers: &HeaderMap) -> Result<(), RpcError> {
    let Some(key) = message.known.and_then(Method::name_parameter) else { return Ok(()) };
    // A body without the name is rejected later, as invalid parameters.
    let Some(body) = message.param(key).and_then(json::Raw::text) else { return Ok(()) };
    match has_name(headers, &body)? {
        true => Ok(()),
        false => Err(RpcError::header(headers::NAME, None, &body)),
    }
}

/// Returns whether a request has the header `Mcp-Name`.
///
/// # Errors
/// A header mismatch if the header differs from `body`, the name in the body.
pub(crate) fn has_name(headers: &HeaderMap, body: &str) -> Result<bool, RpcError> {
    let Some(value) = headers::value(headers, headers::NAME)? else { return Ok(false) };
    let decoded = headers::decode(headers::NAME, &value)?;
    if decoded == body { Ok(true) } else { Err(RpcError::header(headers::NAME, Some(&decoded), body)) }
}

fn missing(keys: &[&str]) -> RpcError {
    let named = keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(" and ");
    RpcError::envelope(format!("`_meta` lacks {named}"), json!({"missing": keys}))
}

fn malformed(key: &str, problem: &str) -> RpcError {
    RpcError::envelope(format!("`_meta` key `{key}`: {problem}"), json!({"key": key, "problem": problem}))
}
