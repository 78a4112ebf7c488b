//! The handlers of MCP methods, one per file, and the dispatcher that selects them.

pub(crate) mod announced;
pub(crate) mod capabilities;
pub(crate) mod deterministic_groups;
pub(crate) mod directory;
pub(crate) mod disclosed;
pub(crate) mod discover;
pub(crate) mod discovery;
pub(crate) mod explain;
pub(crate) mod facets;
pub(crate) mod initialize;
pub(crate) mod list;
pub(crate) mod manifest;
mod ranking;
pub(crate) mod session_settings;
pub(crate) mod skills;
pub(crate) mod tags;
pub(crate) mod tool_list;

use futures_util::FutureExt;
use http::Response;

use crate::{
    catalog::Kind,
    config::Filtering,
    mcp::{
        call::invoke,
        host::Host,
        http::response::Body,
        protocol::{error::RpcError, method::Method, params},
        request::{concerns, context::Context},
        streams::listen,
        tasks::store,
    },
};

/// Answers a request of either era. Lists are handled here, all other methods in boxed futures: a new isolate usually
/// serves a list first, and the runtime compiles each function as a whole.
pub(crate) async fn answer<H: Host>(mut context: Box<Context<'_, H>>) -> Result<Response<Body>, RpcError> {
    let Some(method) = context.message.known.filter(|method| method.is_in(context.era())) else {
        return answer_unknown(context).boxed_local().await;
    };
    context.stale = tags::stale(&mut context);
    match method {
        Method::ListTools => list::list(&context, Kind::Tool),
        Method::ListResources => list::list(&context, Kind::Resource),
        Method::ListTemplates => list::list(&context, Kind::Template),
        Method::ListPrompts => list::list(&context, Kind::Prompt),
        method => answer_other(context, method).boxed_local().await,
    }
}

/// Answers a request for a method that is unknown or not part of this era. It may be passed to a server.
async fn answer_unknown<H: Host>(context: Box<Context<'_, H>>) -> Result<Response<Body>, RpcError> {
    // The route has no servers if the method is passed to none.
    if context.message.known.is_some() || context.route.as_ref().is_ok_and(|route| route.servers.is_empty()) {
        return Err(unknown(&context));
    }
    params::check(context.message)?;
    invoke::call(*context).await
}

/// Answers a request for anything but a list.
async fn answer_other<H: Host>(
    context: Box<Context<'_, H>>,
    method: Method,
) -> Result<Response<Body>, RpcError> {
    let Filtering { groups, tags, concerns: with_concerns, explain, .. } = context.asked.config.filtering;
    match method {
        Method::ListSkills if skills::served(&context) => list::list(&context, Kind::Skill),
        Method::Manifest if context.asked.config.drafts.manifest => manifest::manifest(&context),
        Method::DescribeTools if context.asked.config.drafts.manifest => manifest::describe(&context),
        Method::ListExactGroups if context.asked.config.drafts.deterministic_groups => {
            deterministic_groups::list(&context)
        }
        Method::ExpandGroup if context.asked.config.drafts.deterministic_groups => {
            deterministic_groups::expand(&context)
        }
        Method::GetSkill if skills::served(&context) => {
            params::check(context.message)?;
            skills::get(*context).boxed_local().await
        }
        Method::ReadDirectory if skills::reads_directories(&context) => {
            params::check(context.message)?;
            directory::read(*context).boxed_local().await
        }
        Method::ListGroups if disclosed::served(&context) => disclosed::list(&context),
        Method::GetGroup if disclosed::served(&context) => disclosed::get(*context),
        Method::ListGroups if groups => facets::groups(&context),
        Method::ListTags if tags => facets::tags(&context),
        Method::ListConcerns | Method::ListConcernsAsProposed if with_concerns => facets::concerns(&context),
        Method::UpdateConcerns | Method::UpdateConcernsAsProposed if with_concerns => {
            concerns::update(*context).await
        }
        Method::Explain if explain => explain::explain(&context),
        Method::CallTool if let Some(response) = deterministic_groups::unavailable(&context) => Ok(response),
        Method::CallTool if context.asked.discovered.get().is_some() => {
            match discovery::answer(&context).boxed_local().await? {
                Some(response) => Ok(response),
                None => invoke::call(*context).boxed_local().await,
            }
        }
        Method::CallTool | Method::GetPrompt | Method::ReadResource => {
            params::check(context.message)?;
            invoke::call(*context).boxed_local().await
        }
        Method::Complete if capabilities::may_complete(&context) => {
            params::check(context.message)?;
            invoke::call(*context).await
        }
        Method::Discover => Ok(discover::discover(&context)),
        Method::Listen => listen::listen(*context).boxed_local().await,
        // Boxed, because the future around it is nested too deeply for the compiler otherwise.
        Method::GetTask
        | Method::CancelTask
        | Method::UpdateTask
        | Method::TaskResult
        | Method::ListTasks
        | Method::QueryTasks
            if store::served(&context) =>
        {
            store::answer(*context, method).boxed_local().await
        }
        Method::SetLogLevel => session_settings::set_level(*context).await,
        Method::Subscribe => session_settings::subscribe(*context).await,
        Method::Unsubscribe => session_settings::unsubscribe(*context).await,
        _ => Err(unknown(&context)),
    }
}

/// Returns the error for a method that is not served to this caller.
fn unknown<H: Host>(context: &Context<'_, H>) -> RpcError {
    RpcError::method(&context.message.method, context.era())
}
