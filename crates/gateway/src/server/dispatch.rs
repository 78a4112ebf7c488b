//! Selects the handler of a method.

use futures_util::FutureExt;
use http::Response;
use mcp_sieve::Kind;

use crate::{
    call::invoke,
    config::{Drafts, Filtering},
    host::Host,
    methods::{
        capabilities, deterministic_groups, directory, disclosed, discover, discovery, explain, facets, list,
        listen, manifest, session_settings, sign_in, skills, tags,
    },
    protocol::{error::RpcError, method::Method, params, response::Body},
    request::{concerns, context::Context},
    tasks,
};

/// Answers a request of either era. Lists are handled here, all other methods in boxed futures: a new isolate usually
/// serves a list first, and the runtime compiles each function as a whole.
pub(crate) async fn dispatch<H: Host>(mut context: Box<Context<'_, H>>) -> Result<Response<Body>, RpcError> {
    concerns::forward(&mut context);
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
    if let Some(response) = answer_from_catalog(&context, method) {
        return response;
    }
    let with_concerns = context.exchange.config.filtering.concerns;
    match method {
        Method::GetSkill if skills::served(&context) => {
            params::check(context.message)?;
            skills::get(*context).boxed_local().await
        }
        Method::ReadDirectory if skills::reads_directories(&context) => {
            params::check(context.message)?;
            directory::read(*context).boxed_local().await
        }
        Method::GetGroup if disclosed::served(&context) => disclosed::get(*context),
        Method::UpdateConcerns | Method::UpdateConcernsAsProposed if with_concerns => {
            concerns::update(*context).await
        }
        Method::CallTool if let Some(response) = deterministic_groups::unavailable(&context) => Ok(response),
        Method::CallTool if let Some(response) = sign_in::already_connected(&context) => response,
        Method::CallTool if context.exchange.discovered.get().is_some() => {
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
        Method::Listen => listen::listen(*context).boxed_local().await,
        // Boxed, because the future around it is nested too deeply for the compiler otherwise.
        Method::GetTask
        | Method::CancelTask
        | Method::UpdateTask
        | Method::TaskResult
        | Method::ListTasks
        | Method::QueryTasks
            if tasks::methods::served(&context) =>
        {
            tasks::methods::answer(*context, method).boxed_local().await
        }
        Method::SetLogLevel if context.offers(|features| features.logging) => {
            session_settings::set_level(*context).await
        }
        Method::Subscribe => session_settings::subscribe(*context).await,
        Method::Unsubscribe if capabilities::subscribes(&context) => {
            session_settings::unsubscribe(*context).await
        }
        _ => Err(unknown(&context)),
    }
}

/// Answers a request for a method that only describes the catalog or the server; `None` for any other method, and for
/// one that is not served to this caller.
fn answer_from_catalog<H: Host>(
    context: &Context<'_, H>,
    method: Method,
) -> Option<Result<Response<Body>, RpcError>> {
    let Drafts { manifest, deterministic_groups: exact_groups, .. } = context.exchange.config.drafts;
    let Filtering { groups, tags, concerns, explain, .. } = context.exchange.config.filtering;
    Some(match method {
        Method::Discover => Ok(discover::discover(context)),
        Method::ListSkills if skills::served(context) => list::list(context, Kind::Skill),
        Method::Manifest if manifest => manifest::manifest(context),
        Method::DescribeTools if manifest => manifest::describe(context),
        Method::ListExactGroups if exact_groups => deterministic_groups::list(context),
        Method::ExpandGroup if exact_groups => deterministic_groups::expand(context),
        Method::ListGroups if disclosed::served(context) => disclosed::list(context),
        Method::ListGroups if groups => facets::groups(context),
        Method::ListTags if tags => facets::tags(context),
        Method::ListConcerns | Method::ListConcernsAsProposed if concerns => facets::concerns(context),
        Method::Explain if explain => explain::explain(context),
        _ => return None,
    })
}

/// Returns the error for a method that is not served to this caller.
fn unknown<H: Host>(context: &Context<'_, H>) -> RpcError {
    RpcError::method(&context.message.method, context.era())
}
