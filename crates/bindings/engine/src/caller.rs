//! The caller of a view, described as JSON.

use mcp_sieve::{
    Caller, Error,
    json::{Entry, Raw, Record},
    policy::Check,
};
use mcp_sieve_bindings_value::{failure, refusal};
use mcp_sieve_gateway::config::Config;
use wasm_bindgen::JsValue;

/// The members of a description.
const MEMBERS: [&str; 9] =
    ["claims", "client", "capabilities", "headers", "meta", "method", "protocol", "transport", "preset"];

/// Reads the description of a caller.
///
/// # Errors
/// [`ErrorKind::Config`](mcp_sieve::ErrorKind::Config) with the path of a member of another form.
fn read(text: &str) -> Result<Caller, Error> {
    let mut record = Entry::root(Raw::parse(text)?).record(&MEMBERS)?;
    let mut caller = match member(&mut record, "claims", Entry::object_text) {
        Some(claims) => Caller::with_claims(claims)?,
        None => Caller::anonymous(),
    };
    if let Some(capabilities) = member(&mut record, "capabilities", Entry::object_text) {
        caller = caller.with_capabilities(capabilities)?;
    }
    if let Some(meta) = member(&mut record, "meta", Entry::object_text) {
        caller = caller.with_meta(meta)?;
    }
    if let Some((name, version)) = member(&mut record, "client", client) {
        caller = caller.with_client(name, version);
    }
    for (name, values) in member(&mut record, "headers", headers).unwrap_or_default() {
        caller = values.into_iter().fold(caller, |caller, value| caller.with_header(&name, value));
    }
    if let Some(method) = member(&mut record, "method", Entry::text) {
        caller = caller.with_method(method);
    }
    if let Some(date) = member(&mut record, "protocol", Entry::text) {
        caller = caller.with_protocol(date);
    }
    if let Some(name) = member(&mut record, "transport", Entry::text) {
        caller = caller.with_transport(name);
    }
    if let Some(name) = member(&mut record, "preset", Entry::text) {
        caller = caller.with_preset(name);
    }
    record.end().map(|()| caller)
}

/// Reads an optional member.
fn member<'a, T>(
    record: &mut Record<'a>,
    name: &str,
    read: impl FnMut(&Entry<'a>) -> Result<T, Error>,
) -> Option<T> {
    let mut value = None;
    record.fill_optional(name, &mut value, read);
    value
}

/// Reads the name and the version of a client.
fn client(entry: &Entry<'_>) -> Result<(String, String), Error> {
    let (mut name, mut version) = Default::default();
    let mut record = entry.record(&["name", "version"])?;
    record.fill("name", &mut name, Entry::text);
    record.fill("version", &mut version, Entry::text);
    record.end().map(|()| (name, version))
}

/// Reads headers, each with one value or several.
fn headers(entry: &Entry<'_>) -> Result<Vec<(String, Vec<String>)>, Error> {
    entry.members(|entry| match entry.text() {
        Ok(value) => Ok(vec![value]),
        Err(_) => entry.texts(),
    })
}

/// Reads the description of a caller, and refuses one that the gateway refuses.
///
/// # Errors
/// `config` for another form, `check` with the message of the first check that the caller fails, and `preset` for the
/// path of a preset that does not exist for it. As in the gateway, a caller that fails a check learns nothing about
/// presets.
pub(super) fn admitted(text: &str, settings: &Config) -> Result<Caller, JsValue> {
    let caller = read(text).map_err(|error| refusal(&error))?;
    let bound = caller.bind(&settings.engine.presets);
    match Check::failed(&settings.engine.checks, &bound) {
        Some(check) => Err(failure("check", &check.message)),
        None if bound.has_path() => Ok(caller),
        None => Err(failure("preset", "no such preset is for the caller")),
    }
}
