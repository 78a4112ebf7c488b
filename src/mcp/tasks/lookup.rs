use std::rc::Rc;

use crate::{
    catalog::Kind,
    mcp::{
        host::Host,
        protocol::error::RpcError,
        request::context::Context,
        tasks::{owner::owner, store::TaskStore, upstream::UpstreamTasks},
    },
    task::Task,
};

/// A task that a caller has named, and may.
pub(crate) struct FoundTask {
    pub store: Rc<dyn TaskStore>,
    pub owner: String,
    pub task: Task,
}

/// Whether a caller may know of a task: it is of something that they may see.
pub(crate) fn shows<H: Host>(context: &Context<'_, H>, task: &Task) -> bool {
    context.view.find(Kind::Tool, &task.name).is_some()
}

/// The task of an id.
///
/// # Errors
/// In the same words: a task that never was, one whose time is over, another caller's, and one of what this
/// caller may not see.
pub(crate) async fn reach<H: Host>(context: &Context<'_, H>, id: &str) -> Result<FoundTask, RpcError> {
    let store = context.asked.host.tasks().ok_or_else(|| unknown(id))?;
    let owner = owner(context, id);
    let task = store.load(&owner, id).await?;
    let task = task.filter(|task| !task.expired(context.asked.host.now()) && shows(context, task));
    let task = UpstreamTasks::of(context).refresh(&store, task.ok_or_else(|| unknown(id))?).await?;
    Ok(FoundTask { store, owner, task })
}

/// The task that a request names.
pub(crate) async fn named<H: Host>(context: &Context<'_, H>) -> Result<FoundTask, RpcError> {
    reach(context, &context.message.text_param("taskId")?).await
}

pub(crate) fn unknown(id: &str) -> RpcError {
    RpcError::params(format!("Unknown task: {id}"))
}
