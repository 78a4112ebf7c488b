//! The instance that must handle a request of the stateless revision.

use std::borrow::Cow;

use mcp_sieve::{json, seal::Key};
use serde_json::Value;

use crate::{
    call::{client_requests, round_handles},
    host::suspended_calls::NUMBER,
    protocol::{envelope, message::Message, method::Method, request_state},
};

/// The purpose of the sealed state of a suspended call.
pub(crate) const PURPOSE: &str = "suspended";

/// The instance that must handle a request of the stateless revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallHome {
    /// The instance with this name, where the call is suspended.
    Known(String),
    /// Any instance that can suspend calls, because the server may send requests to the client.
    Any,
}

/// Returns the instance that must handle a message: the one where its call is suspended, or any that can suspend calls
/// if the client can be sent requests. Returns `None` if any instance can handle it.
pub(crate) fn home(key: &Key, message: &Message<'_>) -> Option<CallHome> {
    if !envelope::claims(message) || !message.known.is_some_and(Method::may_ask) {
        return None;
    }
    let token = message.param("requestState").and_then(json::Raw::text).map(Cow::into_owned);
    let state = token.and_then(|token| round_handles::server_state(key, token));
    if let Some(content) = state.and_then(|state| request_state::peek(key, PURPOSE, &state)) {
        let name = content.get(NUMBER..).and_then(|name| std::str::from_utf8(name).ok());
        return name.map(|name| CallHome::Known(name.to_owned()));
    }
    let capabilities = message.meta.get(envelope::CAPABILITIES)?;
    let capabilities: Value = serde_json::from_str(capabilities.get()).ok()?;
    let askable = client_requests::askable(&capabilities);
    askable.as_object().filter(|askable| !askable.is_empty()).map(|_| CallHome::Any)
}
