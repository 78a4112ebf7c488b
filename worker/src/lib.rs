//! The Cloudflare Worker: MCP at `/mcp`, and below it by preset; lists as plain resources below `/catalog/`; the demo
//! page.
//!
//! The Worker reads requests, passes them to the protocol core, and provides storage, `fetch`, a clock and a key. No
//! rule of the protocol is decided here.
//!
//! The lists and calls come from the upstream servers of the configuration, or from a server in the same process that
//! the author of a Worker adds ([`local`]). A Worker with neither explains how to configure an upstream server.

// The future of a request holds those of all its steps, and the compiler follows each into the next.
#![recursion_limit = "256"]

mod auth;
mod clock;
mod config_source;
mod console;
mod deployment;
mod fetch;
mod host;
mod http;
pub mod local;
mod middleware;
mod objects;
mod pieces;
mod plan;
mod ranker;
mod signing_key;
mod time_zone;

use mcp_sieve_gateway::{
    auth::METADATA_PATH,
    server::{CARD_CATALOG_PATHS, Endpoint, PLAIN_PATH},
};
use worker::{Context, Env, Request, Response, Result, event};

pub use objects::{
    audit::AuditObject,
    catalog::CatalogObject,
    connections::ConnectionsObject,
    documents::LibraryObject,
    listeners::{ChangesObject, announce},
    rate_counter::LimitsObject,
    session::SessionObject,
    tasks::TasksObject,
};

use crate::http::{assets, connect, convert, health, mcp, upstreams};
use objects::audit;

#[event(fetch)]
async fn fetch(request: Request, env: Env, context: Context) -> Result<Response> {
    let path = request.path();
    if Endpoint::from_path(&path).is_some() {
        return mcp::serve(request, &env, context).await;
    }
    if path.starts_with(PLAIN_PATH) {
        return convert::write(mcp::list(convert::head(&request), &env, context).await);
    }
    // Probes call the Worker by its IP address, which `hosts` does not list.
    if path == health::PATH {
        return health::report(&request, &env).await;
    }
    // The operator's programs may use any host name. A malicious page that does so has no token.
    if path == upstreams::PATH {
        return match upstreams::read(&request, &env, context).await? {
            Some(response) => Ok(response),
            None => assets::serve(request, &env).await,
        };
    }
    // The endpoints above check host name and origin themselves.
    if let Some(refusal) = mcp::other_name(&request, &env).await {
        return convert::write(refusal.into_response());
    }
    if CARD_CATALOG_PATHS.contains(&path.as_str())
        && let Some(response) = mcp::card_catalog(&request, &env).await?
    {
        return Ok(response);
    }
    match path.as_str() {
        path if path.starts_with(METADATA_PATH) => mcp::metadata(request, &env).await,
        path if path.starts_with(connect::PATH) => connect::serve(request, &env, context).await,
        audit::PATH | audit::CALLS_PATH => audit::read(&request, &env, context).await,
        _ => {
            let mut request = request;
            match middleware::serve(&mut request, &env, context).await? {
                Some(response) => Ok(response),
                None => assets::serve(request, &env).await,
            }
        }
    }
}
