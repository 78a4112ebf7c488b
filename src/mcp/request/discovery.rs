//! How tools are listed to a caller, and the calls that come by a discovery tool.
//!
//! A call that comes by `call_tool` is answered as if its caller had called the tool itself: its message is rewritten
//! before anything looks at it, so visibility, arguments, middleware, tasks and questions are those of the tool.

use std::cell::OnceCell;

use crate::{
    config::Config,
    discovery::{Answer, DiscoveryTool, ToolCall},
    error::{Error, ErrorKind},
    filter::DISCLOSURE,
    json::{self, Members, Object, Raw, choice},
    mcp::{
        protocol::{
            error::RpcError,
            message::Message,
            method::Method,
            params::{self, only},
        },
        request::caller::Caller,
    },
    policy::DisclosureMode,
};

/// The discovery tool that a request calls.
#[derive(Debug)]
pub(crate) struct Discovered {
    pub tool: DiscoveryTool,
    /// The name of the tool that it is asked to call, of one that calls another.
    pub name: Option<String>,
}

/// Where it is kept which discovery tool a request calls.
pub(crate) type DiscoveredCell = OnceCell<Discovered>;

/// What a call of a discovery tool asks for.
pub(crate) enum DiscoveryCall {
    /// The request is what it says it is.
    None,
    /// The parameters of the call that it makes, as JSON.
    Call(String),
    /// Its arguments are not those of the tool.
    Refused(Answer),
}

/// Returns the mode that is set for a caller: by the URL, else by its presets, else by a rule for its client, else for
/// all.
///
/// # Errors
/// A mode in the URL that there is not.
pub(crate) fn setting(config: &Config, caller: &Caller<'_>, query: &str) -> Result<DisclosureMode, RpcError> {
    let mut parts = query.split('&').filter_map(|part| part.split_once('='));
    if let Some((_, value)) = parts.rfind(|(name, value)| *name == DISCLOSURE && !value.is_empty()) {
        return DisclosureMode::named(value).ok_or_else(|| {
            let message = ["expected ", &choice(DisclosureMode::NAMES)].concat();
            Error::new(ErrorKind::FilterType, message).field(["?", DISCLOSURE].concat()).into()
        });
    }
    let preset = |name: &String| config.presets.iter().find(|preset| preset.name == *name)?.disclosure;
    let of_preset = caller.presets.iter().find_map(preset);
    let of_client = || {
        let mut rules = config.disclosure.clients.iter();
        rules.find(|(when, _)| when.holds(caller)).map(|(_, mode)| *mode)
    };
    Ok(of_preset.or_else(of_client).unwrap_or(config.disclosure.mode))
}

/// Reads a call of a discovery tool, where the caller may be listed some. In `auto` these are known whatever is listed
/// now: a client keeps the list that it got.
///
/// # Errors
/// Parameters that servers could read in two ways, and a mode in the URL that there is not.
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

/// The parameters of a request, as those of a call of the tool itself.
fn rewritten(message: &Message<'_>, call: &ToolCall) -> String {
    let members = message.params.and_then(Members::read).unwrap_or_default();
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.keep(&members, &["name", "arguments"]);
    object.text("name", &call.name);
    if let Some(arguments) = &call.arguments {
        object.raw("arguments", arguments.as_bytes());
    }
    object.close();
    // All of it was text.
    String::from_utf8(out).unwrap_or_default()
}

/// Whether how tools are listed depends on the caller.
pub(crate) fn reads_caller(config: &Config) -> bool {
    !config.disclosure.clients.is_empty()
}

/// The name of the tool that a discovery tool calls for a message, if it does.
pub(crate) fn called(cell: &DiscoveredCell) -> Option<&str> {
    cell.get()?.name.as_deref()
}

/// Whether a message is answered by a discovery tool itself.
pub(crate) fn is_own(cell: &DiscoveredCell) -> bool {
    cell.get().is_some_and(|discovered| discovered.name.is_none())
}

/// The arguments of a message, if they are an object.
pub(crate) fn arguments<'a>(message: &Message<'a>) -> Option<Raw<'a>> {
    message.param("arguments").filter(|raw| !json::is_null(*raw))
}
