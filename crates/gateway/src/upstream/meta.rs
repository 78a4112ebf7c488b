//! The parts of a request that depend on the upstream server's protocol era: the `_meta` envelope and the headers.

use base64::{Engine, engine::general_purpose::STANDARD};
use http::{HeaderMap, HeaderValue};
use mcp_sieve::{
    catalog::Catalog,
    json::{self, Members, Object, Raw},
    revision::Revision,
};

use crate::object::ReadObject;
use serde_json::{Value, json};

use crate::{
    call::client_requests::{self, EXTENSIONS},
    config::PRODUCT,
    config::QUESTIONS,
    host::{Call, SubscriptionFilter},
    protocol::{
        envelope::{CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROTOCOL_VERSION},
        headers,
        method::Method,
        tasks::EXTENSION,
    },
};

/// The capabilities of a client without any.
pub(crate) const NO_CAPABILITIES: &str = "{}";
/// The key of #1936 for concerns in `_meta`.
const CONCERNS_KEY: &str = "concerns";
/// Reserved space, in bytes, for the members that the gateway writes into `_meta` and for the request around
/// parameters.
const ENVELOPE: usize = 512;

/// Appends the name and version of the gateway, in the format of `clientInfo`.
pub(crate) fn client_info(out: &mut Vec<u8>) {
    let mut info = Object::open(out);
    info.text("name", PRODUCT);
    info.text("version", env!("CARGO_PKG_VERSION"));
    info.close();
}

/// Returns the parameters of a request of the gateway's own.
pub(crate) fn own(version: Option<Revision>) -> Vec<u8> {
    own_with(version, |_| {})
}

/// Returns the parameters of a list request of a client with these capabilities, given as JSON.
pub(crate) fn listing(version: Option<Revision>, capabilities: &str, cursor: Option<&str>) -> Vec<u8> {
    with(version, capabilities, |params| cursor.into_iter().for_each(|cursor| params.text("cursor", cursor)))
}

/// The form in which a list request has concerns, given as JSON.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ConcernParams<'a> {
    /// None: the session has them.
    None,
    /// In `params.filter`. With `names_only`, primitives need only the members that identify them.
    Filter { concerns: &'a str, names_only: bool },
    /// In `_meta`, under both of their names.
    Meta(&'a str),
}

/// Returns the parameters of a list request with concerns.
pub(crate) fn concern_listing(
    version: Option<Revision>,
    capabilities: &str,
    cursor: Option<&str>,
    concerns: ConcernParams<'_>,
) -> Vec<u8> {
    let mut out = Vec::new();
    let mut params = Object::open(&mut out);
    cursor.into_iter().for_each(|cursor| params.text("cursor", cursor));
    if let ConcernParams::Filter { concerns, names_only } = concerns {
        let mut filter = Object::open(params.value("filter"));
        filter.raw("concerns", concerns.as_bytes());
        if names_only {
            filter.texts("fields", &["name"]);
        }
        filter.close();
    }
    let in_meta = if let ConcernParams::Meta(concerns) = concerns { Some(concerns) } else { None };
    if version.is_some() || in_meta.is_some() {
        let mut meta = Object::open(params.value("_meta"));
        version.into_iter().for_each(|version| write_envelope(&mut meta, version, capabilities));
        in_meta.into_iter().for_each(|concerns| write_concerns(&mut meta, concerns));
        meta.close();
    }
    params.close();
    out
}

/// Appends concerns, given as JSON, to `_meta`: under the key of #1936 and under that of Sieve.
pub(crate) fn write_concerns(meta: &mut Object<'_>, concerns: &str) {
    meta.raw(CONCERNS_KEY, concerns.as_bytes());
    meta.raw(&concerns_key(), concerns.as_bytes());
}

/// Returns the key of Sieve for concerns in `_meta`.
pub(crate) fn concerns_key() -> String {
    [Catalog::PREFIX, "/concerns"].concat()
}

/// Returns the parameters of a request of the gateway's own, with the members that `write` writes.
pub(crate) fn own_with(version: Option<Revision>, write: impl FnOnce(&mut Object<'_>)) -> Vec<u8> {
    with(version, NO_CAPABILITIES, write)
}

/// Returns the parameters of a request of a client with these capabilities, given as JSON.
pub(crate) fn with(
    version: Option<Revision>,
    capabilities: &str,
    write: impl FnOnce(&mut Object<'_>),
) -> Vec<u8> {
    let mut out = Vec::new();
    let mut params = Object::open(&mut out);
    write(&mut params);
    if let Some(version) = version {
        envelope(&mut params, version, capabilities);
    }
    params.close();
    out
}

/// Returns the parameters of a request for change notifications.
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
    write_envelope(&mut meta, version, capabilities);
    meta.close();
}

fn write_envelope(meta: &mut Object<'_>, version: Revision, capabilities: &str) {
    meta.text(PROTOCOL_VERSION, version.date());
    meta.raw(CAPABILITIES, capabilities.as_bytes());
    client_info(meta.value(CLIENT_INFO));
}

/// Returns a caller's parameters for a server of the handshake era, which has no envelope. `concerns` are forwarded to
/// the server.
pub(crate) fn session_params(call: &Call<'_>, concerns: Option<&str>) -> Option<Vec<u8>> {
    let params = call.params.as_ref()?;
    let meta = params.get("_meta").and_then(Members::read);
    if let Some(concerns) = concerns {
        let mut out = Vec::with_capacity(params.raw().get().len() + ENVELOPE);
        let mut object = Object::open(&mut out);
        object.keep(params.members(), &["_meta"]);
        let mut inner = Object::open(object.value("_meta"));
        let anew = [PROTOCOL_VERSION, CAPABILITIES, CLIENT_INFO, LOG_LEVEL, CONCERNS_KEY, &concerns_key()];
        inner.keep(&meta.unwrap_or_default(), &anew);
        write_concerns(&mut inner, concerns);
        inner.close();
        object.close();
        return Some(out);
    }
    let envelope = [PROTOCOL_VERSION, CAPABILITIES, CLIENT_INFO, LOG_LEVEL];
    let Some(meta) = meta.filter(|meta| meta.0.iter().any(|(key, _)| envelope.contains(&key.as_ref())))
    else {
        return Some(params.raw().get().into());
    };
    let mut out = Vec::with_capacity(params.raw().get().len());
    let mut object = Object::open(&mut out);
    object.keep(params.members(), &["_meta"]);
    if meta.0.iter().any(|(key, _)| !envelope.contains(&key.as_ref())) {
        let mut inner = Object::open(object.value("_meta"));
        inner.keep(&meta, &envelope);
        inner.close();
    }
    object.close();
    Some(out)
}

/// Returns a caller's parameters for a server of the stateless era. They contain the capabilities of the caller's
/// client, so that the server can send it requests in the result. `questions` states whether it may. `concerns` are
/// forwarded to the server.
pub(crate) fn stateless_params(
    version: Revision,
    call: &Call<'_>,
    configured: &[String],
    questions: bool,
    concerns: Option<&str>,
) -> Vec<u8> {
    let params = call.params.as_ref();
    let meta = params.and_then(|params| params.get("_meta")).and_then(Members::read).unwrap_or_default();
    let caller = call.caller;
    let length = params.map_or(0, |params| params.raw().get().len());
    let mut out = Vec::with_capacity(length + ENVELOPE);
    let mut object = Object::open(&mut out);
    params.into_iter().for_each(|params| object.keep(params.members(), &["_meta"]));
    let mut inner = Object::open(object.value("_meta"));
    let mut anew = vec![PROTOCOL_VERSION, CAPABILITIES, CLIENT_INFO];
    anew.extend((!caller.protocol.is_stateless()).then_some(LOG_LEVEL));
    let concerns_key = concerns_key();
    if concerns.is_some() {
        anew.extend([CONCERNS_KEY, &concerns_key]);
    }
    inner.keep(&meta, &anew);
    concerns.into_iter().for_each(|concerns| write_concerns(&mut inner, concerns));
    inner.text(PROTOCOL_VERSION, version.date());
    match meta.get(CAPABILITIES).filter(|_| caller.protocol.is_stateless()) {
        Some(capabilities) => declared(inner.value(CAPABILITIES), capabilities, takes_tasks(call), questions),
        // The gateway passes the server's requests on to the client of a session.
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
    out
}

/// Returns whether the answer may be a task. The gateway stores no task of another call, so its client could not get
/// the result.
fn takes_tasks(call: &Call<'_>) -> bool {
    call.task.is_some() || call.method.starts_with("tasks/")
}

/// Appends the capabilities of a stateless client: without the extension of tasks unless the call takes tasks, and
/// without those that let the server send requests unless it may.
fn declared(out: &mut Vec<u8>, capabilities: Raw<'_>, takes_tasks: bool, questions: bool) {
    let members = Members::read(capabilities);
    let extensions = members.as_ref().and_then(|all| all.get(EXTENSIONS)).and_then(Members::read);
    let extensions = extensions.filter(|extensions| !takes_tasks && extensions.get(EXTENSION).is_some());
    let members = members.filter(|_| extensions.is_some() || !questions);
    let Some(members) = members else { return out.extend_from_slice(capabilities.get().as_bytes()) };
    let mut but: Vec<&str> = if questions { Vec::new() } else { QUESTIONS.to_vec() };
    but.extend(extensions.is_some().then_some(EXTENSIONS));
    let mut kept = Object::open(out);
    kept.keep(&members, &but);
    if let Some(extensions) = extensions {
        let mut inner = Object::open(kept.value(EXTENSIONS));
        inner.keep(&extensions, &[EXTENSION]);
        inner.close();
    }
    kept.close();
}

/// Returns the capabilities of a session's client that the gateway declares to the server: the requests that the client
/// answers, the configured extensions that it declares, and tasks if the request is about one.
fn able(call: &Call<'_>, configured: &[String]) -> Value {
    let mut able = client_requests::askable(&call.caller.capabilities);
    client_requests::add_extensions(&mut able, &call.caller.capabilities, configured);
    if let Some(able) = able.as_object_mut().filter(|_| takes_tasks(call)) {
        let extensions = able.entry(EXTENSIONS).or_insert_with(|| json!({}));
        extensions.as_object_mut().into_iter().for_each(|extensions| {
            extensions.insert(EXTENSION.to_owned(), json!({}));
        });
    }
    able
}

/// Adds the headers that a server of the stateless era reads: the revision, the method and the subject.
pub(crate) fn route(
    headers: &mut HeaderMap,
    version: Revision,
    method: &str,
    params: Option<&ReadObject<'_>>,
) {
    headers.insert(headers::PROTOCOL_VERSION, HeaderValue::from_static(version.date()));
    if let Ok(method) = HeaderValue::from_str(method) {
        headers.insert(headers::METHOD, method);
    }
    let Some(key) = Method::named(method).and_then(Method::name_parameter) else { return };
    let name = params.and_then(|params| params.get(key)).and_then(json::Raw::text);
    if let Some(name) = name.and_then(|name| HeaderValue::from_str(&encode(&name)).ok()) {
        headers.insert(headers::NAME, name);
    }
}

/// Returns the header value for `text`: the text itself, or `=?base64?…?=` if the text is not plain or looks like such
/// a wrapper.
pub(crate) fn encode(text: &str) -> String {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
    let wrapped = text.starts_with("=?base64?") && text.ends_with("?=");
    if plain && !wrapped { text.to_owned() } else { format!("=?base64?{}?=", STANDARD.encode(text)) }
}
