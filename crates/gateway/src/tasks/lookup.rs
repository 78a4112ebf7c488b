//! Finds the task that a request names, if its caller may access it.

use std::rc::Rc;

use mcp_sieve::Kind;

use crate::task_record::Task;

use crate::{
    call::{owner::owner, upstream::UpstreamTasks},
    host::{Host, store::TaskStore},
    protocol::error::RpcError,
    request::context::Context,
};

/// A task that a request names and that its caller may access.
pub(crate) struct FoundTask {
    pub store: Rc<dyn TaskStore>,
    pub owner: String,
    pub task: Task,
}

/// Returns whether a caller may know of a task, which requires that it sees the called tool.
pub(crate) fn shows<H: Host>(context: &Context<'_, H>, task: &Task) -> bool {
    context.view.find(Kind::Tool, &task.name).is_some()
}

/// Finds the task with an id.
///
/// # Errors
/// The same error for a task that is unknown, expired, another caller's, or of a tool that is hidden from the caller.
pub(crate) async fn reach<H: Host>(context: &Context<'_, H>, id: &str) -> Result<FoundTask, RpcError> {
    let store = context.exchange.host.tasks().ok_or_else(|| unknown(id))?;
    let owner = owner(context, id);
    let task = store.load(&owner, id).await?;
    let task = task.filter(|task| !task.expired(context.exchange.host.now()) && shows(context, task));
    let task = UpstreamTasks::new(context).refresh(&store, task.ok_or_else(|| unknown(id))?).await?;
    Ok(FoundTask { store, owner, task })
}

/// Finds the task that a request names.
pub(crate) async fn named<H: Host>(context: &Context<'_, H>) -> Result<FoundTask, RpcError> {
    reach(context, &context.message.text_param("taskId")?).await
}

pub(crate) fn unknown(id: &str) -> RpcError {
    RpcError::params(format!("Unknown task: {id}"))
}
