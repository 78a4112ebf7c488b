//! Notifications of task changes.

use std::{collections::BTreeMap, rc::Rc};

use futures_util::{
    StreamExt,
    stream::{self, LocalBoxStream},
};
use mcp_sieve::{Kind, json::Object, policy::View, revision::Era};

use crate::task_record::Task;
use serde_json::Value;

use crate::{
    call::{
        owner::{known, owner},
        task_eligibility::declares,
        upstream::UpstreamTasks,
    },
    caller::identity::Caller,
    host::Host,
    protocol::error::RpcError,
    request::context::Context,
    tasks::{lookup::reach, methods::undeclared, watch::follow},
};

/// The member of `subscriptions/listen` that selects tasks.
pub(crate) const SELECTOR: &str = "taskIds";
/// Maximum number of tasks per stream.
const MAX_TASKS: usize = 256;

/// Returns the ids in a subscription that the caller may access, and a stream of changes of these tasks.
///
/// # Errors
/// A client that has not declared the extension, and too many ids.
pub(crate) async fn listened<H: Host>(
    context: &Context<'_, H>,
    selector: &Value,
) -> Result<(Vec<String>, LocalBoxStream<'static, Task>), RpcError> {
    if !declares(&context.caller) {
        return Err(undeclared());
    }
    let ids = selector.as_array().map(Vec::as_slice).unwrap_or_default();
    if ids.len() > MAX_TASKS {
        return Err(RpcError::params(format!("`{SELECTOR}` holds more than {MAX_TASKS} ids")));
    }
    let mut named = Vec::new();
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for id in ids.iter().filter_map(Value::as_str) {
        if !named.iter().any(|known| known == id) && reach(context, id).await.is_ok() {
            named.push(id.to_owned());
            places.entry(owner(context, id)).or_default().push(id.to_owned());
        }
    }
    let host = context.exchange.host;
    let followed = places.into_iter().filter_map(|(owner, ids)| {
        Some(follow(UpstreamTasks::new(context), host.tasks()?, owner, ids, None))
    });
    Ok((named, stream::select_all(followed).boxed_local()))
}

/// Returns a stream of changes of all tasks of a session, except those of tools that its client may not see.
pub(crate) fn of_session<H: Host>(
    host: &H,
    view: View,
    principal: Option<&str>,
    session: &str,
    caller: Caller<'static>,
) -> LocalBoxStream<'static, Task> {
    let Some(store) = host.tasks() else { return stream::pending().boxed_local() };
    let owner = known(principal, Some(session)).unwrap_or_default();
    let view = Rc::new(view);
    let tasks = follow(UpstreamTasks { host: host.clone(), caller }, store, owner, Vec::new(), None);
    tasks.filter(move |task| std::future::ready(view.find(Kind::Tool, &task.name).is_some())).boxed_local()
}

/// Returns the notification for a task. `meta` is its `_meta`.
pub(crate) fn notice(task: &Task, era: Era, meta: Option<&Value>) -> Vec<u8> {
    let method = match era {
        Era::Session => "notifications/tasks/status",
        Era::Stateless => "notifications/tasks",
    };
    let mut out = Vec::new();
    let mut message = Object::open(&mut out);
    message.text("jsonrpc", "2.0");
    message.text("method", method);
    let mut params = Object::open(message.value("params"));
    task.show(era, &mut params);
    if era == Era::Stateless {
        task.show_outcome(&mut params);
    }
    meta.iter().for_each(|meta| params.raw("_meta", meta.to_string().as_bytes()));
    params.close();
    message.close();
    out
}
