//! The same functions as interceptors: `interceptors/list` and `interceptor/invoke` as the draft SEP-2624 has them.
//! An experiment at a mount of its own, bound to a draft and with no promise beyond it.

use http::Response;
use serde_json::{Value, json};

use crate::{
    error::{Error, ErrorKind},
    json::{self, Members, Object, Raw, push_array},
    mcp::{http::response::Body, middleware::mount::MountRequest, protocol::error::RpcError},
    middleware::{Content, Middleware, Mode, Outcome, Phase, Registry, Report},
};

/// The state of the draft that this follows.
pub(crate) const DRAFT: &str = "2026-04-22";
/// The oldest revision that the functions go with.
const MIN_PROTOCOL: &str = "2025-03-26";

pub(crate) fn list(asked: &MountRequest<'_>) -> Result<Response<Body>, RpcError> {
    let event = asked.message.param("event").and_then(json::text);
    let functions = asked.workshop.registry.functions().enumerate();
    let shown: Vec<Value> = functions
        .filter(|(_, function)| event.as_deref().is_none_or(|event| hears(*function, event)))
        .map(|(at, function)| describe(at, function))
        .collect();
    Ok(asked.written(true, |result| {
        result.raw("interceptors", Value::Array(shown).to_string().as_bytes());
    }))
}

fn describe(at: usize, function: &dyn Middleware) -> Value {
    let hook = function.hook();
    let schema: Value = serde_json::from_str(function.input_schema()).unwrap_or_default();
    json!({
        "name": function.name(),
        "description": function.description(),
        "type": if hook.changes { "mutation" } else { "validation" },
        "hook": {"events": hook.events, "phase": phase(hook.phase)},
        "mode": "enforce",
        "failOpen": false,
        "priorityHint": at,
        "compat": {"minProtocol": MIN_PROTOCOL},
        "configSchema": schema,
    })
}

fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Request => "request",
        Phase::Response => "response",
        Phase::Both => "both",
    }
}

fn hears(function: &dyn Middleware, event: &str) -> bool {
    function.hook().events.iter().any(|known| *known == event || event == "*")
}

pub(crate) async fn invoke(asked: &MountRequest<'_>) -> Result<Response<Body>, RpcError> {
    let name = asked.message.text_param("name")?;
    let registry = &asked.workshop.registry;
    let function = find(registry, &name)?;
    let (event, side) = (asked.message.text_param("event")?, asked.message.text_param("phase")?);
    let hook = function.hook();
    let fits = hook.phase == Phase::Both || phase(hook.phase) == side;
    if !fits || !hears(function, &event) {
        let message = format!("`{name}` has no part in the {side} of `{event}`");
        return Err(RpcError::handle("interceptor_hook", message));
    }
    let payload = asked.message.param("payload").ok_or_else(|| RpcError::params("`payload` is required"))?;
    let read = Payload::read(payload)?;
    let environment = &asked.workshop.environment;
    let begun = environment.now();
    let before = read.content.clone();
    let applied = registry.apply(&name, asked.message.param("config"), read.content, &**environment).await;
    let mut report = Report::before(&name, Mode::Enforce, &before);
    match &applied {
        Ok(outcome) => report.after(&before, outcome),
        Err(error) => report.ended = Some(error.code()),
    }
    asked.note(&report, begun);
    let outcome = applied.map_err(|error| failed(&name, error))?;
    let payload = read.shape.write(&outcome).ok_or_else(|| {
        let message = "the function gives more than the payload has room for";
        failed(&name, Error::new(ErrorKind::MiddlewareFailed, message))
    })?;
    let ms = environment.now().saturating_sub(begun);
    let info: Option<Value> = outcome.metadata.as_deref().and_then(|text| serde_json::from_str(text).ok());
    Ok(asked.written(false, |result| {
        result.text("interceptor", &name);
        result.text("type", if hook.changes { "mutation" } else { "validation" });
        result.text("phase", &side);
        if hook.changes {
            result.raw("modified", report.changed.to_string().as_bytes());
            result.raw("payload", payload.as_bytes());
        } else {
            result.raw("valid", outcome.refusal.is_none().to_string().as_bytes());
            if let Some(refusal) = &outcome.refusal {
                result.text("severity", "error");
                let messages = json!([{"message": refusal.message, "severity": "error"}]);
                result.raw("messages", messages.to_string().as_bytes());
            }
        }
        result.raw("durationMs", ms.to_string().as_bytes());
        info.iter().for_each(|info| result.raw("info", info.to_string().as_bytes()));
    }))
}

fn find<'a>(registry: &'a Registry, name: &str) -> Result<&'a dyn Middleware, RpcError> {
    let unknown = || RpcError::handle("unknown_interceptor", format!("there is no interceptor `{name}`"));
    registry.functions().find(|function| function.name() == name).ok_or_else(unknown)
}

/// What the draft answers when an interceptor fails; what it is given wrongly stays invalid params.
fn failed(name: &str, error: Error) -> RpcError {
    if error.kind() != ErrorKind::MiddlewareFailed {
        return error.into();
    }
    let mut failure = RpcError::internal(error.code(), error.to_string());
    if let Some(Value::Object(data)) = &mut failure.data {
        data.insert("interceptor".to_owned(), name.into());
    }
    failure
}

/// What an event is about, as content: messages, items, or an object any string of which is text.
struct Payload<'a> {
    content: Content<'a>,
    shape: PayloadSlot,
}

enum PayloadSlot {
    Items,
    /// An object, whose strings went in as those of a tool's call.
    Object,
}

const WRAPPED: &str = "dev.mcpsieve/tool_call";

impl<'a> Payload<'a> {
    fn read(raw: Raw<'a>) -> Result<Self, RpcError> {
        if raw.get().starts_with('[') {
            return Ok(Self { content: Content::read(raw)?, shape: PayloadSlot::Items });
        }
        let mut out = Vec::new();
        push_array(&mut out, [raw], |out, raw| {
            let mut item = Object::open(out);
            item.text("type", WRAPPED);
            item.raw("input", raw.get().as_bytes());
            item.close();
        });
        let text = String::from_utf8(out).unwrap_or_default();
        Ok(Self { content: Content::read(Raw::parse(&text)?)?.into_owned(), shape: PayloadSlot::Object })
    }
}

impl PayloadSlot {
    /// The payload in the shape that it came in; none where items were added for which it has no room.
    fn write(&self, outcome: &Outcome<'_>) -> Option<String> {
        match self {
            Self::Items => Some(outcome.content.to_json()),
            Self::Object => {
                let mut items = outcome.content.items();
                let (item, None) = (items.next()?, items.next()) else { return None };
                Members::parse(item)?.get("input").map(|raw| raw.get().to_owned())
            }
        }
    }
}
