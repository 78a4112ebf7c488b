//! What a request carries beside its purpose: the `_meta` envelope and the headers of the era in which
//! the server behind is asked.

use base64::{Engine, engine::general_purpose::STANDARD};
use http::{HeaderMap, HeaderValue};
use serde_json::{Value, json};

use crate::{
    json::{self, Members, Object, Raw},
    mcp::{
        call::client_requests,
        host::{Call, SubscriptionFilter},
        http::headers,
        protocol::{error::RpcError, method::Method},
        tasks::create::EXTENSION,
    },
    revision::Revision,
};

const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// The capabilities of a client that has none.
pub(crate) const NO_CAPABILITIES: &str = "{}";
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// Appends who the gateway is, as `clientInfo` has it.
pub(crate) fn client_info(out: &mut Vec<u8>) {
    let mut info = Object::open(out);
    info.text("name", env!("CARGO_PKG_NAME"));
    info.text("version", env!("CARGO_PKG_VERSION"));
    info.close();
}

/// The parameters of a request of the gateway's own.
pub(crate) fn own(version: Option<Revision>) -> Vec<u8> {
    own_with(version, |_| {})
}

/// The parameters of a request for a list, of a client with these capabilities, in JSON.
pub(crate) fn listing(version: Option<Revision>, capabilities: &str, cursor: Option<&str>) -> Vec<u8> {
    with(version, capabilities, |params| cursor.into_iter().for_each(|cursor| params.text("cursor", cursor)))
}

/// The parameters of a request of the gateway's own, whose members `write` writes.
pub(crate) fn own_with(version: Option<Revision>, write: impl FnOnce(&mut Object<'_>)) -> Vec<u8> {
    with(version, NO_CAPABILITIES, write)
}

fn with(version: Option<Revision>, capabilities: &str, write: impl FnOnce(&mut Object<'_>)) -> Vec<u8> {
    let mut out = Vec::new();
    let mut params = Object::open(&mut out);
    write(&mut params);
    if let Some(version) = version {
        envelope(&mut params, version, capabilities);
    }
    params.close();
    out
}

/// The parameters of a request to be told of changes.
pub(crate) fn listening(version: Revision, wanted: &SubscriptionFilter) -> Vec<u8> {
    let mut out = Vec::new();
    let mut params = Object::open(&mut out);
    params.raw("notifications", wanted.selectors().to_string().as_bytes());
    envelope(&mut params, version, NO_CAPABILITIES);
    params.close();
    out
}

fn envelope(params: &mut Object<'_>, version: Revision, capabilities: &str) {
    let mut meta = Object::open(params.value("_meta"));
    meta.text(PROTOCOL_VERSION, version.date());
    meta.raw(CAPABILITIES, capabilities.as_bytes());
    client_info(meta.value(CLIENT_INFO));
    meta.close();
}

/// A caller's parameters for a server of the handshake era, which knows no envelope.
///
/// # Errors
/// Parameters that are no object.
pub(crate) fn session_params(call: &Call<'_>) -> Result<Option<Vec<u8>>, RpcError> {
    let Some(raw) = call.params else { return Ok(None) };
    let params = object(raw)?;
    let meta = params.get("_meta").and_then(Members::read);
    let envelope = [PROTOCOL_VERSION, CAPABILITIES, CLIENT_INFO, LOG_LEVEL];
    let Some(meta) = meta.filter(|meta| meta.0.iter().any(|(key, _)| envelope.contains(&key.as_ref())))
    else {
        return Ok(Some(raw.get().into()));
    };
    let mut out = Vec::with_capacity(raw.get().len());
    let mut object = Object::open(&mut out);
    object.keep(&params, &["_meta"]);
    if meta.0.iter().any(|(key, _)| !envelope.contains(&key.as_ref())) {
        let mut inner = Object::open(object.value("_meta"));
        inner.keep(&meta, &envelope);
        inner.close();
    }
    object.close();
    Ok(Some(out))
}

/// A caller's parameters for a server of the stateless era. The caller's own client is named: the server
/// may ask it for more through the result, if it can answer.
///
/// # Errors
/// Parameters that are no object.
pub(crate) fn stateless_params(
    version: Revision,
    call: &Call<'_>,
    configured: &[String],
) -> Result<Vec<u8>, RpcError> {
    let params = call.params.map(object).transpose()?.unwrap_or_default();
    let meta = params.get("_meta").and_then(Members::read).unwrap_or_default();
    let caller = call.caller;
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.keep(&params, &["_meta"]);
    let mut inner = Object::open(object.value("_meta"));
    let anew: &[&str] = match caller.protocol.is_stateless() {
        true => &[PROTOCOL_VERSION, CAPABILITIES, CLIENT_INFO],
        false => &[PROTOCOL_VERSION, CAPABILITIES, CLIENT_INFO, LOG_LEVEL],
    };
    inner.keep(&meta, anew);
    inner.text(PROTOCOL_VERSION, version.date());
    match meta.get(CAPABILITIES).filter(|_| caller.protocol.is_stateless()) {
        Some(capabilities) => inner.raw(CAPABILITIES, capabilities.get().as_bytes()),
        // What a session's client can be asked, the gateway asks it for the server.
        None => inner.raw(CAPABILITIES, able(call, configured).to_string().as_bytes()),
    }
    if let Some(level) = caller.level.filter(|_| !caller.protocol.is_stateless()) {
        inner.text(LOG_LEVEL, level.name());
    }
    match (meta.get(CLIENT_INFO), &caller.client) {
        (Some(info), _) => inner.raw(CLIENT_INFO, info.get().as_bytes()),
        (None, Some(info)) => inner.raw(CLIENT_INFO, info.to_string().as_bytes()),
        (None, None) => {}
    }
    inner.close();
    object.close();
    Ok(out)
}

/// What the caller can do as far as the gateway does it for the server: answer questions, and read tasks. What the server
/// is listed with, the caller does itself.
fn able(call: &Call<'_>, configured: &[String]) -> Value {
    let mut able = client_requests::askable(&call.caller.capabilities);
    client_requests::add_extensions(&mut able, &call.caller.capabilities, configured);
    if let Some(able) =
        able.as_object_mut().filter(|_| call.task.is_some() || call.method.starts_with("tasks/"))
    {
        let extensions = able.entry("extensions").or_insert_with(|| json!({}));
        extensions.as_object_mut().into_iter().for_each(|extensions| {
            extensions.insert(EXTENSION.to_owned(), json!({}));
        });
    }
    able
}

fn object(raw: Raw<'_>) -> Result<Members<'_>, RpcError> {
    Members::read(raw).ok_or_else(|| RpcError::params("`params` is not an object"))
}

/// Adds what a server of the stateless era reads from headers: the method, and what it is about.
pub(crate) fn route(headers: &mut HeaderMap, version: Revision, method: &str, params: Option<Raw<'_>>) {
    headers.insert(headers::PROTOCOL_VERSION, HeaderValue::from_static(version.date()));
    if let Ok(method) = HeaderValue::from_str(method) {
        headers.insert(headers::METHOD, method);
    }
    let Some(key) = Method::named(method).and_then(Method::name_parameter) else { return };
    let name = params.and_then(Members::read).and_then(|params| params.get(key)).and_then(json::text);
    if let Some(name) = name.and_then(|name| HeaderValue::from_str(&encode(&name)).ok()) {
        headers.insert(headers::NAME, name);
    }
}

/// A header value that stands for `text`: the text itself, or `=?base64?…?=` around it where it is not
/// plain, or would be taken for such a wrapper.
pub(crate) fn encode(text: &str) -> String {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
    let wrapped = text.starts_with("=?base64?") && text.ends_with("?=");
    if plain && !wrapped { text.to_owned() } else { format!("=?base64?{}?=", STANDARD.encode(text)) }
}
