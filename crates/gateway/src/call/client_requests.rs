//! The requests that a server may send to the client during a call, and the capabilities that they need.

use mcp_sieve::policy::Described;

use crate::small_collect::small_collect;
use serde_json::{Map, Value, json};

use crate::{config::QUESTIONS, object::deserialize, protocol::error::RpcError};

/// The mode of questions that have none of their own.
const FORM: &str = "form";

/// The capability of a client that has roots, and its member for a client that reports when they change.
const ROOTS: &str = "roots";
const LIST_CHANGED: &str = "listChanged";

/// The capability whose members are extensions.
pub(crate) const EXTENSIONS: &str = "extensions";
/// The capability to answer requests with tasks. Only clients with sessions have it.
pub(crate) const TASKS: &str = "tasks";

/// The requests that a client may answer with a task: the capability for the request, and the name of the request below
/// `tasks.requests`.
const TASK_REQUESTS: [(&str, &str); 2] = [("sampling", "createMessage"), ("elicitation", "create")];

/// Returns the capability that a client must declare for requests of a method; `None` for a method that clients do not
/// implement.
pub(crate) fn capability(method: &str) -> Option<&'static str> {
    match method {
        "sampling/createMessage" => Some("sampling"),
        "elicitation/create" => Some("elicitation"),
        "roots/list" => Some("roots"),
        _ => None,
    }
}

/// Returns those capabilities of a client that declare which requests it answers.
pub(crate) fn askable(capabilities: &Value) -> Value {
    let kept = capabilities.as_object().into_iter().flatten();
    let kept = kept.filter(|(name, value)| QUESTIONS.contains(&name.as_str()) && value.is_object());
    Value::Object(small_collect(kept.map(|(name, value)| (name.clone(), value.clone()))))
}

/// Returns the capabilities of a client without those, and without tasks for them.
pub(crate) fn unasked(capabilities: &Value) -> Value {
    let mut kept = capabilities.clone();
    if let Some(kept) = kept.as_object_mut() {
        kept.retain(|name, _| name != TASKS && !QUESTIONS.contains(&name.as_str()));
    }
    kept
}

/// Returns the members of such a capability that a server may read.
fn parts(name: &str) -> &'static [&'static str] {
    match name {
        "sampling" => &["tools", "context"],
        "elicitation" => &["form", "url"],
        _ => &[],
    }
}

/// Reduces the result of [`askable`] to the members that servers read. The result has few distinct values, whatever
/// clients declare.
pub(crate) fn normalized(capabilities: &Value) -> Value {
    let mut kept = askable(capabilities);
    for (name, value) in kept.as_object_mut().into_iter().flatten() {
        let declared = |part: &&&str| value.get(**part).is_some_and(Value::is_object);
        let declared = parts(name).iter().filter(declared).map(|part| ((*part).to_owned(), json!({})));
        let notifies = value.get(LIST_CHANGED) == Some(&Value::Bool(true)) && name == ROOTS;
        let notifies = notifies.then(|| (LIST_CHANGED.to_owned(), true.into()));
        *value = Value::Object(small_collect(declared.chain(notifies)));
    }
    kept
}

/// Removes the declaration that the client reports changed roots.
pub(crate) fn without_changed_roots(kept: &mut Value) {
    kept.get_mut(ROOTS).and_then(Value::as_object_mut).into_iter().for_each(|roots| {
        roots.remove(LIST_CHANGED);
    });
}

/// Adds to the result of [`normalized`] the tasks that a client with a session declares for these requests.
pub(crate) fn add_tasks(kept: &mut Value, declared: &Value) {
    let Some(kept) = kept.as_object_mut() else { return };
    let tasks = declared.get(TASKS);
    let requests = TASK_REQUESTS.iter().filter(|(capability, request)| {
        let settings = tasks.and_then(|tasks| tasks.get("requests")?.get(*capability)?.get(*request));
        kept.contains_key(*capability) && settings.is_some_and(Value::is_object)
    });
    let requests: Map<_, _> = small_collect(
        requests.map(|(capability, request)| ((*capability).to_owned(), json!({*request: {}}))),
    );
    if requests.is_empty() {
        return;
    }
    let cancels = tasks.and_then(|tasks| tasks.get("cancel")).is_some_and(Value::is_object);
    let settings = match cancels {
        true => json!({"requests": requests, "cancel": {}}),
        false => json!({"requests": requests}),
    };
    kept.insert(TASKS.to_owned(), settings);
}

/// Returns whether a method is a request about a task of the client. The list of a client's tasks is none: it may name
/// tasks of other servers.
pub(crate) fn is_about_task(method: &str) -> bool {
    matches!(method, "tasks/get" | "tasks/result" | "tasks/cancel")
}

/// Adds the configured extensions that a client declares, in their configured form. The result has few distinct values,
/// whatever clients declare.
pub(crate) fn add_extensions(kept: &mut Value, declared: &Value, configured: &[String]) {
    if configured.is_empty() {
        return;
    }
    let declared = declared.to_string();
    for part in configured.iter().filter(|part| Described::declares(&declared, part)) {
        let part: Value = serde_json::from_str(part).unwrap_or_default();
        let Some(extensions) = part.get(EXTENSIONS).and_then(Value::as_object) else { continue };
        let kept = kept.as_object_mut().map(|kept| kept.entry(EXTENSIONS).or_insert_with(|| json!({})));
        let kept = kept.and_then(Value::as_object_mut);
        kept.into_iter().for_each(|kept| kept.extend(extensions.clone()));
    }
}

/// Checks that the client can answer requests, each a method and its parameters.
///
/// # Errors
/// The required capabilities that it has not declared, and a method that clients do not implement.
pub(crate) fn able<'a>(
    requests: impl Iterator<Item = (&'a str, &'a Value)>,
    capabilities: &Value,
) -> Result<(), RpcError> {
    let mut missing = Map::new();
    for (method, params) in requests {
        let Some(name) = capability(method) else {
            let message = format!("clients have no method `{method}`");
            return Err(RpcError::internal("input_request", message));
        };
        if let Some(lacking) = lacking(name, params, capabilities) {
            missing.insert(name.to_owned(), lacking);
        }
    }
    if missing.is_empty() { Ok(()) } else { Err(RpcError::capability(Value::Object(missing))) }
}

/// Checks that the client can answer a request, whose parameters are JSON.
///
/// # Errors
/// Those of [`able`].
pub(crate) fn able_text(method: &str, params: &str, capabilities: &Value) -> Result<(), RpcError> {
    let params = deserialize(params).unwrap_or_default();
    able([(method, &params)].into_iter(), capabilities)
}

/// Returns the part of a capability that a request needs and the client has not declared. An empty `elicitation`
/// declares the form mode.
fn lacking(name: &str, params: &Value, capabilities: &Value) -> Option<Value> {
    let mode = params.get("mode").and_then(Value::as_str).unwrap_or(FORM);
    let declared = capabilities.get(name).and_then(Value::as_object);
    if name != "elicitation" || declared.is_none() && mode == FORM {
        return declared.is_none().then(|| json!({}));
    }
    let has = |declared: &Map<_, _>| declared.contains_key(mode) || mode == FORM && declared.is_empty();
    (!declared.is_some_and(has)).then(|| json!({mode: {}}))
}
