//! Sieve at the edge: MCP at `/mcp` and below it by preset, its lists as plain resources below `/catalog/`, the demo page beside them.
//!
//! Glue only. The Worker reads requests, asks the protocol core, and lends it storage, `fetch`, a clock
//! and a key; no rule of the protocol is decided here.
//!
//! A Worker with tools of its own depends on this crate and says in its `start` event what it serves
//! ([`own::serve`]); the rest stays as it is.

// One future holds all that answers a request, and the compiler follows each into the next.
#![recursion_limit = "256"]

mod assets;
mod audit;
mod body;
mod changes;
mod console;
mod endpoint;
mod fetch;
mod health;
mod host;
mod identity;
mod isolate;
mod journal;
mod limits;
mod middleware;
mod objects;
mod operator;
pub mod own;
mod rooms;
mod rules;
mod secret;
mod session;
mod status;
mod tasks;
mod tracker;

use mcp_sieve::mcp::{MCP_PATH, PLAIN_PATH, auth::METADATA_PATH};
use worker::{Context, Env, Request, Response, Result, event};

pub use audit::AuditObject;
pub use changes::{ChangesObject, announce};
pub use limits::LimitsObject;
pub use middleware::LibraryObject;
pub use session::SessionObject;
pub use tasks::TasksObject;
pub use tracker::TrackerObject;

/// Whether MCP is served at a path: at the endpoint's own, and at those below it that presets have.
fn is_mcp(path: &str) -> bool {
    path.strip_prefix(MCP_PATH).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, context: Context) -> Result<Response> {
    let path = request.path();
    if is_mcp(&path) {
        return endpoint::serve(request, &env, context).await;
    }
    if path.starts_with(PLAIN_PATH) {
        return endpoint::list(request, &env, context).await;
    }
    // Probes call the Worker by its IP address, which is none of its names.
    if path == health::PATH {
        return health::report(&request, &env).await;
    }
    // The operator's programs may call it by any name: a page that does has no token of theirs.
    if path == status::PATH {
        return match status::read(&request, &env, context).await? {
            Some(response) => Ok(response),
            None => assets::serve(request, &env).await,
        };
    }
    // MCP and the lists check the name that they are called by, and the page that calls; all else is for any page.
    if let Some(refusal) = endpoint::other_name(&request, &env).await {
        return endpoint::write(refusal.into_response());
    }
    match path.as_str() {
        path if path.starts_with(METADATA_PATH) => endpoint::metadata(request, &env).await,
        audit::PATH => audit::read(&request, &env, context).await,
        _ => {
            let mut request = request;
            match middleware::serve(&mut request, &env, context).await? {
                Some(response) => Ok(response),
                None => assets::serve(request, &env).await,
            }
        }
    }
}
