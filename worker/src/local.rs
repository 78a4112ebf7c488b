//! Tools of the Worker itself, for authors of a Worker in Rust: an MCP server in the same process as the gateway, in
//! place of upstream servers.
//!
//! The author's crate depends on `sieve-worker`, implements [`LocalServer`] and names it in the Worker's `start` event.
//! Lists, filters, policies, sessions and tasks are served from it as from any other server:
//!
//! ```no_run
//! use std::rc::Rc;
//!
//! use futures_util::{FutureExt, future::LocalBoxFuture};
//! use mcp_sieve_gateway::{error::RpcError, local::{LocalRequest, LocalServer, Reply}};
//! use serde_json::json;
//! use worker::event;
//!
//! struct Greeter;
//!
//! impl LocalServer for Greeter {
//!     fn lists(&self) -> String {
//!         json!({"tools": [{"name": "greet", "inputSchema": {"type": "object"}}]}).to_string()
//!     }
//!
//!     fn config(&self) -> &str {
//!         r#"{"server": {"name": "greeter"}}"#
//!     }
//!
//!     fn answer(&self, _: LocalRequest) -> LocalBoxFuture<'static, Result<Reply, RpcError>> {
//!         let result = json!({"content": [{"type": "text", "text": "Hello"}]});
//!         async move { Ok(Reply::Result(result)) }.boxed_local()
//!     }
//! }
//!
//! #[event(start)]
//! fn start() {
//!     sieve_worker::local::serve(|_| Rc::new(Greeter));
//! }
//! ```
//!
//! `examples/tracker` is a complete Worker of this kind, with its data in a Durable Object and tools that run as tasks.

use std::{cell::Cell, rc::Rc};

use mcp_sieve::Error;
use mcp_sieve_gateway::{config::Middleware, local::LocalServer, middleware::Registry};
use worker::Env;

/// Builds the server for the bindings of one request.
pub type Build = fn(&Env) -> Rc<dyn LocalServer>;
/// Adds functions of context middleware to the built-in ones.
pub type Extend = fn(&mut Registry) -> Result<(), Error>;

thread_local! {
    static BUILD: Cell<Option<Build>> = const { Cell::new(None) };
    static EXTEND: Cell<Option<Extend>> = const { Cell::new(None) };
}

/// Serves the tools of the server that `build` returns, if the configuration names no upstream server.
///
/// Call it in the Worker's `start` event, which runs in each isolate before its first request: Durable Objects have
/// isolates of their own.
pub fn serve(build: Build) {
    BUILD.set(Some(build));
}

/// Adds the author's functions of context middleware to the built-in ones. Call it in the `start` event, as [`serve`].
pub fn extend(extend: Extend) {
    EXTEND.set(Some(extend));
}

/// Returns the functions of context middleware: the built-in ones with the settings of the configuration, and those of
/// the Worker's author.
///
/// # Errors
/// When the configuration's policies or patterns are wrong, or the author's function returns an error.
pub(crate) fn functions(middleware: &Middleware) -> Result<Registry, Error> {
    let mut registry = middleware.registry()?;
    EXTEND.get().map_or(Ok(()), |extend| extend(&mut registry)).map(|()| registry)
}

/// Returns the server of the Worker's author, if there is one.
pub(crate) fn server(env: &Env) -> Option<Rc<dyn LocalServer>> {
    BUILD.get().map(|build| build(env))
}
