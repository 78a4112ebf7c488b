//! The caller of a view, converted from a JavaScript object.

use std::collections::BTreeMap;

use mcp_sieve::Caller;
use serde::Deserialize;
use serde_json::value::RawValue;
use tsify::Tsify;
use wasm_bindgen::JsValue;

use crate::{decode, failure::Failure};

/// The caller of a view, as policies, presets and checks read it. An absent member has no value there.
#[derive(Debug, Default, Deserialize, Tsify)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct CallerInput {
    /// The claims of its verified token.
    #[tsify(optional, type = "Readonly<Record<string, unknown>>")]
    claims: Option<Box<RawValue>>,
    /// The name and version by which its client introduces itself.
    #[tsify(optional)]
    client: Option<ClientInput>,
    /// The capabilities that its client declares. Primitives that require others are hidden; without this member, none.
    #[tsify(optional, type = "object")]
    capabilities: Option<Box<RawValue>>,
    /// The headers of its request.
    #[tsify(optional, type = "Readonly<Record<string, string>>")]
    headers: Option<BTreeMap<String, String>>,
    /// The JSON-RPC method of its request, such as `tools/list`.
    #[tsify(optional)]
    method: Option<String>,
    /// The protocol revision of its request, such as `2026-07-28`.
    #[tsify(optional)]
    protocol: Option<String>,
    /// The transport of its request: `http` or `stdio`.
    #[tsify(optional)]
    transport: Option<String>,
}

/// The name and version of a client.
#[derive(Debug, Default, Deserialize, Tsify)]
#[serde(default, deny_unknown_fields)]
pub struct ClientInput {
    name: String,
    version: String,
}

/// Returns the caller of a view; without a value, an anonymous one.
///
/// # Errors
/// `json` and `invalid_option` for a value of another form.
pub fn caller(value: JsValue) -> Result<Caller, Failure> {
    let Some(text) = decode::text(value)? else { return Ok(Caller::anonymous()) };
    let input: CallerInput =
        serde_json::from_str(&text).map_err(|error| Failure::new("invalid_option", error.to_string()))?;
    let mut caller = match input.claims {
        Some(claims) => Caller::with_claims(claims.get())?,
        None => Caller::anonymous(),
    };
    if let Some(ClientInput { name, version }) = input.client {
        caller = caller.with_client(name, version);
    }
    if let Some(capabilities) = input.capabilities {
        caller = caller.with_capabilities(capabilities.get())?;
    }
    for (name, value) in input.headers.unwrap_or_default() {
        caller = caller.with_header(&name, value);
    }
    if let Some(method) = input.method {
        caller = caller.with_method(method);
    }
    if let Some(protocol) = input.protocol {
        caller = caller.with_protocol(protocol);
    }
    if let Some(transport) = input.transport {
        caller = caller.with_transport(transport);
    }
    Ok(caller)
}
