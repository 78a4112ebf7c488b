//! The disclosure mode of a caller, and calls through a discovery tool.
//!
//! A call through `call_tool` gets the response that a direct call of the tool would get. Its message is rewritten
//! before any other code reads it, so the rules for visibility, arguments, middleware, tasks and questions of that tool
//! apply.

use std::cell::OnceCell;

use mcp_sieve::{
    Error, ErrorKind, Filter,
    discovery::{Answer, DiscoveryTool, ToolCall},
    json::{Object, Raw},
    policy::DisclosureMode,
};

use crate::object::ReadObject;

use crate::{
    caller::identity::Caller,
    config::Config,
    protocol::{
        error::RpcError,
        message::Message,
        method::Method,
        params::{self, only},
    },
};

/// The discovery tool that a request calls.
#[derive(Debug)]
pub(crate) struct Discovered {
    pub tool: DiscoveryTool,
    /// The name of the tool to call, for a discovery tool that calls another tool.
    pub name: Option<String>,
}

/// A cell for the discovery tool that a request calls.
pub(crate) type DiscoveredCell = OnceCell<Discovered>;

/// The effect of a request on discovery tools.
pub(crate) enum DiscoveryCall {
    /// The request is processed unchanged.
    None,
    /// The request calls another tool: the parameters of that call, as JSON.
    Call(String),
    /// The arguments do not match the discovery tool; its response.
    Refused(Answer),
}

/// Returns the disclosure mode of a caller: that of the URL, else of its presets, else of a rule for its client, else
/// the default.
///
/// # Errors
/// An unknown mode in the URL.
pub(crate) fn setting(config: &Config, caller: &Caller<'_>, query: &str) -> Result<DisclosureMode, RpcError> {
    let mut parts = query.split('&').filter_map(|part| part.split_once('='));
    if let Some((_, value)) =
        parts.rfind(|(name, value)| *name == Filter::DISCLOSURE_PARAMETER && !value.is_empty())
    {
        return DisclosureMode::named(value).ok_or_else(|| {
            let message = ["expected ", &Error::one_of(DisclosureMode::NAMES)].concat();
            Error::new(ErrorKind::FilterType, message)
                .field(["?", Filter::DISCLOSURE_PARAMETER].concat())
                .into()
        });
    }
    let preset = |name: &String| config.engine.presets.iter().find(|preset| preset.name == *name)?.disclosure;
    let of_preset = caller.presets.iter().find_map(preset);
    let of_client = || {
        let mut rules = config.disclosure.clients.iter();
        rules.find(|(when, _)| when.holds(caller)).map(|(_, mode)| *mode)
    };
    Ok(of_preset.or_else(of_client).unwrap_or(config.disclosure.mode))
}

/// Reads a call of a discovery tool, unless the caller's mode is `flat`. In `auto` the tools can be called even if they
/// are not listed now, because a client may hold an earlier list.
///
/// # Errors
/// Parameters with duplicate members, which servers could interpret differently, and an unknown mode in the URL.
pub(crate) fn read_call(
    config: &Config,
    caller: &Caller<'_>,
    query: &str,
    message: &Message<'_>,
    cell: &DiscoveredCell,
) -> Result<DiscoveryCall, RpcError> {
    let named = (message.known == Some(Method::CallTool)).then(|| message.text_param("name").ok()).flatten();
    let Some(tool) = named.and_then(|name| DiscoveryTool::named(&name)) else {
        return Ok(DiscoveryCall::None);
    };
    if setting(config, caller, query)? == DisclosureMode::Flat {
        return Ok(DiscoveryCall::None);
    }
    params::check(message)?;
    let arguments = message.param("arguments");
    if !tool.calls() {
        _ = cell.set(Discovered { tool, name: None });
        return Ok(DiscoveryCall::None);
    }
    for name in ["name", "arguments"] {
        arguments.map(|raw| only(raw, name)).transpose()?;
    }
    let call = ToolCall::read(tool, arguments);
    let name = call.as_ref().ok().map(|call| call.name.clone());
    _ = cell.set(Discovered { tool, name });
    Ok(match call {
        Ok(call) => DiscoveryCall::Call(rewritten(message, &call)),
        Err(refusal) => DiscoveryCall::Refused(refusal),
    })
}

/// Returns the parameters of a direct call of the tool, as JSON.
fn rewritten(message: &Message<'_>, call: &ToolCall) -> String {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    let params = message.params.as_ref().map(ReadObject::members);
    params.into_iter().for_each(|params| object.keep(params, &["name", "arguments"]));
    object.text("name", &call.name);
    if let Some(arguments) = &call.arguments {
        object.raw("arguments", arguments.as_bytes());
    }
    object.close();
    // All parts were valid UTF-8.
    String::from_utf8(out).unwrap_or_default()
}

/// Returns whether the disclosure mode depends on the caller.
pub(crate) fn reads_caller(config: &Config) -> bool {
    !config.disclosure.clients.is_empty()
}

/// Returns the name of the tool that the message calls through a discovery tool, if it does.
pub(crate) fn called(cell: &DiscoveredCell) -> Option<&str> {
    cell.get()?.name.as_deref()
}

/// Returns whether a discovery tool itself answers the message.
pub(crate) fn is_own(cell: &DiscoveredCell) -> bool {
    cell.get().is_some_and(|discovered| discovered.name.is_none())
}

/// Returns the arguments of a message, unless they are absent or `null`.
pub(crate) fn arguments<'a>(message: &Message<'a>) -> Option<Raw<'a>> {
    message.param("arguments").filter(|raw| !raw.is_null())
}
