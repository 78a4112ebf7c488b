//! Decides whether a call may become a task.

use mcp_sieve::{
    Kind,
    json::{self, Members, Number, Object},
    revision::{Era, Revision},
};

use crate::object::OwnedObject;
use serde_json::Value;

use crate::{
    call::create::{TaskDraft, missing_support},
    caller::identity::Caller,
    host::{Host, TaskRequest},
    protocol::{error::RpcError, method::Method, tasks::EXTENSION},
    request::context::Context,
};

/// Returns the caller's request for a task if the call may become one.
///
/// # Errors
/// A call that contradicts the tool's `execution.taskSupport`. Clients of the stateless revision do not request single
/// tasks, so there it fails if the tool requires tasks and the client does not declare the extension.
pub(crate) fn requested_task<H: Host>(context: &Context<'_, H>) -> Result<Option<TaskRequest>, RpcError> {
    if context.message.known != Some(Method::CallTool) || context.exchange.host.tasks().is_none() {
        return Ok(None);
    }
    match context.caller.protocol {
        version if version.is_stateless() => match declares(&context.caller) {
            true => Ok(Some(TaskRequest::default())),
            false => {
                let name = context.message.text_param("name")?;
                let required = support(context, &name).as_deref() == Some("required");
                if required { Err(missing_support(Era::Stateless, &name)) } else { Ok(None) }
            }
        },
        version if version < Revision::V2025_11_25 => Ok(None),
        _ => session_request(context),
    }
}

/// Checks that a call can be answered without a task, before it runs.
///
/// # Errors
/// A call with `task`, and a tool that runs only as a task.
pub(crate) fn check_direct<H: Host>(context: &Context<'_, H>) -> Result<(), RpcError> {
    if context.message.known != Some(Method::CallTool) {
        return Ok(());
    }
    let name = context.message.text_param("name")?;
    if support(context, &name).as_deref() == Some("required") {
        let why = "and a call that goes through middleware becomes none";
        return Err(RpcError::task_support(format!("tool `{name}` runs only as a task, {why}")));
    }
    match context.message.param("task").filter(|raw| !raw.is_null()) {
        Some(_) if !context.is_stateless() => Err(RpcError::task_support(
            "a call that goes through middleware becomes no task: call the tool without `task`",
        )),
        _ => Ok(()),
    }
}

/// Returns whether a client of the stateless revision declares the extension.
pub(crate) fn declares(caller: &Caller<'_>) -> bool {
    let extensions = caller.capabilities.get("extensions");
    extensions.and_then(|known| known.get(EXTENSION)).is_some_and(Value::is_object)
}

fn session_request<H: Host>(context: &Context<'_, H>) -> Result<Option<TaskRequest>, RpcError> {
    let name = context.message.text_param("name")?;
    let task = context.message.param("task").filter(|raw| !raw.is_null());
    match (task, support(context, &name).as_deref()) {
        (None, Some("required")) => {
            Err(RpcError::task_support(format!("tool `{name}` runs only as a task: call it with `task`")))
        }
        (None, _) => Ok(None),
        (Some(task), Some("required" | "optional")) => {
            let task = Members::read(task).ok_or_else(|| RpcError::params("`task` must be an object"))?;
            let ttl = task.get("ttl").filter(|raw| !raw.is_null()).map(|raw| {
                let whole = raw.get().parse::<Number>().ok().and_then(Number::whole);
                let ttl = whole.and_then(|whole| u64::try_from(whole).ok());
                ttl.ok_or_else(|| RpcError::params("`task.ttl` must be a whole number of milliseconds"))
            });
            Ok(Some(TaskRequest { ttl: ttl.transpose()? }))
        }
        (Some(_), _) => Err(RpcError::task_support(format!("tool `{name}` does not run as a task"))),
    }
}

/// Returns the parameters of a call for its server. They have `task` if the caller accepts a task and the server may
/// expect the form of revision 2025-11-25, and do not have it otherwise.
pub(crate) fn params<H: Host>(
    context: &Context<'_, H>,
    origin: Option<&TaskDraft>,
    params: Option<OwnedObject>,
) -> Option<OwnedObject> {
    if context.message.known != Some(Method::CallTool) {
        return params;
    }
    let wanted = origin.is_some_and(|origin| origin.request.is_some())
        && match context.is_stateless() {
            true => {
                support(context, &context.message.text_param("name").ok()?).as_deref() == Some("required")
            }
            false => true,
        };
    if wanted == context.message.param("task").is_some() {
        return params;
    }
    let read = params.as_ref()?.read();
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.keep(read.members(), &["task"]);
    if wanted {
        object.raw("task", b"{}");
    }
    object.close();
    OwnedObject::parse(std::str::from_utf8(&out).ok()?)
}

/// Returns `execution.taskSupport` of a tool.
fn support<H: Host>(context: &Context<'_, H>, name: &str) -> Option<String> {
    let kind_index = context.view.catalog().kind_index(Kind::Tool);
    let tool = std::str::from_utf8(kind_index.bytes(context.view.find(Kind::Tool, name)?)?).ok()?;
    let execution = Members::parse(tool)?.get("execution").and_then(Members::read)?;
    execution.get("taskSupport").and_then(json::Raw::text).map(std::borrow::Cow::into_owned)
}
