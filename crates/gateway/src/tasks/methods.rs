//! The methods for a single task.

use http::Response;
use mcp_sieve::revision::{Era, Revision};

use crate::task_record::{Event, Refusal};
use serde_json::json;

use crate::{
    call::{task_eligibility::declares, upstream::UpstreamTasks},
    host::{Host, store::Applied},
    protocol::{
        error::RpcError,
        method::Method,
        request_state,
        response::{self, Body},
        tasks::EXTENSION,
    },
    request::context::Context,
    tasks::{
        list,
        lookup::{FoundTask, named, unknown},
        result,
    },
};

/// Returns whether the caller's revision has tasks, the host stores them, and a server that the caller may know of runs
/// calls as tasks.
pub(crate) fn served<H: Host>(context: &Context<'_, H>) -> bool {
    context.caller.protocol >= Revision::V2025_11_25
        && context.exchange.host.tasks().is_some()
        && context.offers(|features| features.tasks)
}

/// Answers a method for tasks. The caller's era must have the method.
pub(crate) async fn answer<H: Host>(
    context: Context<'_, H>,
    method: Method,
) -> Result<Response<Body>, RpcError> {
    let era = context.era();
    if era == Era::Stateless && !declares(&context.caller) {
        return Err(undeclared());
    }
    match method {
        Method::CancelTask => cancel(&context, era).await,
        Method::UpdateTask => update(&context).await,
        Method::TaskResult => result::wait(context).await,
        Method::ListTasks | Method::QueryTasks => list::list(&context).await,

        _ => {
            let FoundTask { task, .. } = named(&context).await?;
            Ok(shown(&context, |result| {
                task.show(era, result);
                if era == Era::Stateless {
                    task.show_outcome(result);
                }
            }))
        }
    }
}

async fn cancel<H: Host>(context: &Context<'_, H>, era: Era) -> Result<Response<Body>, RpcError> {
    let FoundTask { store, owner, task, .. } = named(context).await?;
    let id = task.id.clone();
    let Applied { task, changed } = match task.remote.clone().filter(|_| !task.state.ended()) {
        // The upstream server decides whether it is cancelled.
        Some(remote) => {
            let relay = UpstreamTasks::new(context);
            let answer = relay.ask(&remote, "tasks/cancel", "{}").await?;
            let task = relay.refresh(&store, task).await?;
            match answer {
                Err(failure) if !task.state.ended() => return Err(failure),
                answer => Applied { task, changed: answer.map(|_| true).map_err(|_| Refusal::Ended) },
            }
        }
        None => store.apply(&owner, &id, Event::Cancel).await?.ok_or_else(|| unknown(&id))?,
    };
    match (era, changed) {
        (Era::Session, Err(_)) => {
            let status = task.state.status(era).name();
            Err(RpcError::params(format!("Cannot cancel task {id}: it is `{status}` already")))
        }
        (Era::Session, Ok(_)) => Ok(shown(context, |result| task.show(era, result))),
        (Era::Stateless, _) => Ok(shown(context, |_| {})),
    }
}

async fn update<H: Host>(context: &Context<'_, H>) -> Result<Response<Body>, RpcError> {
    let wanted = || RpcError::params("`inputResponses` is required, an object whose values are objects");
    let responses = context.message.param("inputResponses").ok_or_else(wanted)?;
    let answers = request_state::input_responses(responses).ok_or_else(wanted)?;
    let FoundTask { store, owner, task, .. } = named(context).await?;
    if let Some(remote) = task.remote.as_ref().filter(|_| !task.state.ended()) {
        UpstreamTasks::new(context).update(remote, &answers).await?;
    }
    // Responses to a task that has ended are ignored.
    store.apply(&owner, &task.id, Event::Answer(answers)).await?.ok_or_else(|| unknown(&task.id))?;
    Ok(shown(context, |_| {}))
}

/// Returns the error for a client that has not declared the extension.
pub(crate) fn undeclared() -> RpcError {
    RpcError::capability(json!({"extensions": {EXTENSION: {}}}))
}

fn shown<H: Host>(
    context: &Context<'_, H>,
    body: impl FnOnce(&mut mcp_sieve::json::Object<'_>),
) -> Response<Body> {
    let mut out = response::open(context.id);
    context.shape().write(&mut out, None, None, body);
    response::close(&mut out);
    response::json(out)
}
