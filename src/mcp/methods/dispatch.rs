use futures_util::FutureExt;
use http::{Response, StatusCode};
use serde_json::json;

use crate::{
    catalog::{Kind, PREFIX},
    config::Filtering,
    json::Object,
    mcp::{
        call::invoke,
        host::{Freshness, Host},
        http::response::{self, Body},
        methods::{capabilities, explain, facets, list, session_settings},
        protocol::{error::RpcError, params},
        request::{concerns, context::Context},
        streams::listen,
        tasks::store,
    },
    revision::Revision,
};

/// How long a client may keep what the server says of itself.
const DISCOVER_TTL_MS: u64 = 60_000;

/// How fresh a catalog a method wants. What lists shows them as their servers want them shown.
pub(crate) fn need(method: &str) -> Freshness {
    match method {
        "tools/call"
        | "prompts/get"
        | "resources/read"
        | "completion/complete"
        | "resources/subscribe"
        | "resources/unsubscribe"
        | "logging/setLevel"
        | "tasks/get"
        | "tasks/result"
        | "tasks/update"
        | "tasks/cancel"
        | "server/discover"
        | "initialize" => Freshness::Route,
        _ => Freshness::List,
    }
}

/// The methods, but those that list a kind; of the proposals without the prefix.
const METHODS: [&str; 27] = [
    "tools/call",
    "prompts/get",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "completion/complete",
    "logging/setLevel",
    "initialize",
    "ping",
    "server/discover",
    "subscriptions/listen",
    "tasks/get",
    "tasks/result",
    "tasks/update",
    "tasks/cancel",
    "tasks/list",
    "tasks/query",
    "groups/list",
    "tags/list",
    "concerns/list",
    "listConcerns",
    "concerns/update",
    "updateConcerns",
    "explain",
    "notifications/initialized",
    "notifications/cancelled",
    "notifications/progress",
];
/// The HTTP methods that a request of any client has.
const VERBS: [&str; 7] = ["GET", "POST", "DELETE", "OPTIONS", "HEAD", "PUT", "PATCH"];

/// Whether a text is the name of a method of the protocol or of HTTP, whether it is served or not.
pub(crate) fn is_known(method: &str) -> bool {
    let ours = method.strip_prefix(PREFIX).and_then(|name| name.strip_prefix('/')).unwrap_or(method);
    Kind::ALL.into_iter().any(|kind| kind.list_method() == method)
        || METHODS.contains(&ours)
        || VERBS.contains(&method)
}

/// Answers one request of either era.
pub(crate) async fn answer<H: Host>(context: Context<'_, H>) -> Result<Response<Body>, RpcError> {
    let method = context.message.method.as_ref();
    let Filtering { groups, tags, concerns: with_concerns, explain, .. } = context.asked.config.filtering;
    // Methods of the proposals answer to their own names and, for good, to ours.
    let ours = method.strip_prefix(PREFIX).and_then(|name| name.strip_prefix('/')).unwrap_or(method);
    if let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.list_method() == method) {
        return list::list(&context, kind);
    }
    match ours {
        "groups/list" if groups => facets::groups(&context),
        "tags/list" if tags => facets::tags(&context),
        "concerns/list" | "listConcerns" if with_concerns => facets::concerns(&context),
        "concerns/update" | "updateConcerns" if with_concerns => concerns::update(context).await,
        // Nobody proposed it, so it has no name but ours.
        "tasks/query" if ours != method && context.is_stateless() && store::served(&context) => {
            store::query(&context).boxed_local().await
        }
        "explain" if explain && ours != method => explain::explain(&context),
        _ => match method {
            "tools/call" | "prompts/get" | "resources/read" => {
                params::check(context.message)?;
                invoke::call(context).boxed_local().await
            }
            "completion/complete" if capabilities::completes(&context) => {
                params::check(context.message)?;
                invoke::call(context).await
            }
            "server/discover" if context.is_stateless() => Ok(discover(&context)),
            "subscriptions/listen" if context.is_stateless() => listen::listen(context).boxed_local().await,
            _ if method.starts_with("tasks/") && store::served(&context) => {
                // Behind a pointer: what awaits this is nested deeply enough for the compiler.
                store::answer(context).boxed_local().await
            }
            "logging/setLevel" if !context.is_stateless() => session_settings::set_level(context).await,
            "resources/subscribe" if !context.is_stateless() => session_settings::subscribe(context).await,
            "resources/unsubscribe" if !context.is_stateless() => {
                session_settings::unsubscribe(context).await
            }
            _ => {
                let status = if context.is_stateless() { StatusCode::NOT_FOUND } else { StatusCode::OK };
                Err(RpcError::method(method, status))
            }
        },
    }
}

fn discover<H: Host>(context: &Context<'_, H>) -> Response<Body> {
    let mut out = response::open(context.id);
    context.shape().write(&mut out, Some(context.cache(DISCOVER_TTL_MS)), None, |result| {
        result.raw("supportedVersions", json!(Revision::dates()).to_string().as_bytes());
        result.raw("capabilities", capabilities::of(context).to_string().as_bytes());
        if let Some(instructions) = &context.asked.config.server.instructions {
            result.text("instructions", instructions);
        }
    });
    response::close(&mut out);
    response::json(out)
}

pub(crate) fn written<H: Host>(
    context: &Context<'_, H>,
    body: impl FnOnce(&mut Object<'_>),
) -> Result<Response<Body>, RpcError> {
    let mut out = response::open(context.id);
    context.shape().write(&mut out, Some(context.cache(0)), None, body);
    response::close(&mut out);
    Ok(response::json(out))
}
