//! Functions of context middleware on other servers, called over MCP (issue #1607).
//!
//! [`RemoteServers`] makes functions of middleware servers usable beside local ones: as steps of chains, in pipelines
//! and one at a time. A function is named `SERVER/FUNCTION`. Requests go through a [`Fetch`], which a host implements
//! with its HTTP client. Servers of both protocol revisions are called.
//!
//! A call fails closed. If the server cannot be reached, answers too late or with an invalid result, or reports an
//! internal error, its fallbacks are called, each once. If they fail as well, the call fails with
//! [`ErrorKind::MiddlewareFailed`](mcp_sieve::ErrorKind::MiddlewareFailed). An error that the function itself
//! returns is an answer, as is HTTP 401 or 403, and no fallback is called. A result whose metadata has `"allow": false`
//! refuses the context. Error messages name the function and the server, but never contain a URL, a header or text of a
//! context.
//!
//! ```
//! use futures_util::{FutureExt, future::LocalBoxFuture, stream};
//! use mcp_sieve_gateway::remote::{Chunks, Fetch, FetchError, MiddlewareServer, RemoteServers};
//! use mcp_sieve_gateway::middleware::Registry;
//!
//! /// Sends requests with the HTTP client of the host, which must not follow redirects.
//! #[derive(Clone)]
//! struct Http;
//!
//! impl Fetch for Http {
//!     async fn fetch(&self, request: http::Request<Vec<u8>>) -> Result<http::Response<Chunks>, FetchError> {
//!         # assert_eq!(request.uri().host(), Some("pii.example"));
//!         # let body = stream::iter([Ok(serde_json::to_vec(&serde_json::json!({"jsonrpc": "2.0", "id": id(&request),
//!         #     "result": {"supportedVersions": ["2026-07-28"], "capabilities": {},
//!         #         "middleware": [{"name": "redact", "description": "Redacts names."}]}})).unwrap())]);
//!         # let json = http::Response::builder().header("content-type", "application/json");
//!         # return Ok(json.body(body.boxed_local()).unwrap());
//!         // The response of the client, its body as a stream.
//!         # #[allow(unreachable_code)]
//!         Err(FetchError)
//!     }
//!
//!     async fn sleep(&self, ms: u64) {
//!         // The timer of the runtime.
//!         # std::future::pending::<()>().await;
//!     }
//!
//!     fn now(&self) -> u64 {
//!         std::time::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_millis() as u64)
//!     }
//!
//!     fn chance(&self) -> f64 {
//!         0.5 // a random number
//!     }
//!
//!     fn spawn(&self, work: LocalBoxFuture<'static, ()>) {
//!         // A task of the runtime.
//!         # drop(work);
//!     }
//! }
//! # fn id(request: &http::Request<Vec<u8>>) -> serde_json::Value {
//! #     serde_json::from_slice::<serde_json::Value>(request.body()).unwrap()["id"].clone()
//! # }
//! # use futures_util::StreamExt;
//!
//! # fn main() -> Result<(), mcp_sieve::Error> {
//! # futures_executor::block_on(async {
//! let pii = MiddlewareServer {
//!     name: "pii".to_owned(),
//!     url: "https://pii.example/mcp".to_owned(),
//!     headers: vec![("Authorization".to_owned(), "Bearer ${PII_TOKEN}".to_owned())],
//!     ..MiddlewareServer::default()
//! };
//! let servers = RemoteServers::new(&[pii], &|name| std::env::var(name).ok(), &Http);
//! # assert!(servers.is_err(), "no such variable");
//! # let pii = MiddlewareServer { name: "pii".into(), url: "https://pii.example/mcp".into(), ..Default::default() };
//! # let servers = RemoteServers::new(&[pii], &|_| None, &Http);
//! let mut registry = Registry::built_in();
//! servers?.add_to(&mut registry).await?;
//! assert!(registry.names().any(|name| name == "pii/redact"));
//! # Ok(())
//! # })
//! # }
//! ```

pub(crate) mod definition;
pub(crate) mod failure;
pub(crate) mod function;
pub(crate) mod outcome;
pub(crate) mod remote_server;
pub(crate) mod remote_servers;

pub use crate::{
    config::MiddlewareServer,
    upstream::{Chunks, Fetch, FetchError},
};
pub use definition::{DEFINITIONS_MS, MAX_DEFINITIONS};
pub use remote_servers::RemoteServers;
