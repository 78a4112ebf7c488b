//! A gateway for the Model Context Protocol that shows each caller the tools it may see.
//!
//! The gateway stands between MCP clients and upstream MCP servers. It merges the lists of the servers into one
//! catalog, assigns groups, tags and concerns to their tools, resources, templates, prompts and skills, and applies
//! policies and filters for each caller. Allowed calls are forwarded to the server that owns the primitive. The engine behind it is
//! the crate [`mcp_sieve`]; this crate adds the protocol.
//!
//! A platform embeds the gateway: it accepts HTTP requests, implements [`Host`](host::Host) with its clock, storage and
//! HTTP client, and calls [`handle`](server::handle). Sieve's Cloudflare Worker and the handler of the npm package are
//! such platforms.
//!
//! # Example
//!
//! A host in front of one server whose lists are known. It has no sessions and forwards no calls.
//!
//! ```
//! use std::{rc::Rc, sync::Arc};
//!
//! use futures_util::{
//!     StreamExt, future,
//!     future::LocalBoxFuture,
//!     stream::{self, LocalBoxStream},
//! };
//! use http::Request;
//! use mcp_sieve::{
//!     catalog::{Lists, Source},
//!     seal::Key,
//! };
//! use mcp_sieve_gateway::{
//!     Config,
//!     error::RpcError,
//!     host::{Answer, Backends, Call, Caller, Clock, Freshness, Host, Observer, Secrets, Sessions},
//!     server::{Body, Inbound, handle},
//!     session::{Session, SessionStreams, SuspendedCalls},
//!     streams::{Change, SubscriptionFilter},
//!     upstream::{Backend, Features},
//! };
//!
//! #[derive(Clone)]
//! struct OneServer {
//!     backend: Arc<Backend>,
//!     key: Arc<Key>,
//! }
//!
//! impl Clock for OneServer {
//!     fn now(&self) -> u64 {
//!         1_800_000_000_000 // the time of the platform, in milliseconds since 1970
//!     }
//!
//!     async fn sleep(&self, _ms: u64) {} // a timer of the platform
//!
//!     fn spawn(&self, _work: LocalBoxFuture<'static, ()>) {} // a task of the platform
//! }
//!
//! impl Secrets for OneServer {
//!     fn random(&self) -> Result<[u8; 16], RpcError> {
//!         Ok([7; 16]) // unguessable bytes
//!     }
//!
//!     fn key(&self) -> &Key {
//!         &self.key
//!     }
//! }
//!
//! impl Backends for OneServer {
//!     async fn backend(&self, _need: Freshness) -> Result<Arc<Backend>, RpcError> {
//!         Ok(Arc::clone(&self.backend))
//!     }
//!
//!     async fn forward(&self, _call: &Call<'_>) -> Result<Answer, RpcError> {
//!         Err(RpcError::internal("upstream_missing", "this host only lists"))
//!     }
//!
//!     async fn changes(
//!         &self,
//!         _caller: &Caller<'static>,
//!         _wanted: &SubscriptionFilter,
//!     ) -> Result<LocalBoxStream<'static, Change>, RpcError> {
//!         Ok(stream::once(future::pending()).boxed_local())
//!     }
//! }
//!
//! impl Sessions for OneServer {
//!     fn live(&self, _id: &str) -> Option<Rc<SessionStreams>> {
//!         None
//!     }
//!
//!     fn suspended_calls(&self) -> Option<Rc<SuspendedCalls>> {
//!         None
//!     }
//!
//!     async fn load_session(&self, _id: &str) -> Result<Option<Session>, RpcError> {
//!         Ok(None)
//!     }
//!
//!     async fn save_session(&self, _id: &str, _session: &Session) -> Result<(), RpcError> {
//!         Err(RpcError::internal("storage", "this host has no sessions"))
//!     }
//!
//!     async fn end_session(&self, _id: &str) -> Result<bool, RpcError> {
//!         Ok(false)
//!     }
//! }
//!
//! impl Observer for OneServer {}
//!
//! impl Host for OneServer {}
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let config = Config::parse(r#"{"rules": [{"match": "name:list_*", "groups": ["issues"]}]}"#)?;
//! let lists = r#"{"tools": [
//!     {"name": "list_issues", "inputSchema": {"type": "object"}},
//!     {"name": "send_mail", "inputSchema": {"type": "object"}}]}"#;
//! let source = Source { server: "tracker", lists: Lists::read(lists)? };
//! let backend = Arc::new(Backend::compile(vec![source], &config, Features::default()));
//! let key = Key::new(b"a secret of the deployment").ok_or("the key is too short")?;
//! let host = OneServer { backend, key: Arc::new(key) };
//!
//! let body = r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {
//!     "filter": {"groups": ["issues"]},
//!     "_meta": {
//!         "io.modelcontextprotocol/protocolVersion": "2026-07-28",
//!         "io.modelcontextprotocol/clientCapabilities": {}}}}"#;
//! let request = Request::post("https://gateway.example/mcp")
//!     .header("content-type", "application/json")
//!     .header("accept", "application/json, text/event-stream")
//!     .header("mcp-protocol-version", "2026-07-28")
//!     .header("mcp-method", "tools/list")
//!     .body(body.as_bytes().to_vec())?;
//! let inbound = Inbound::read(&request);
//! // `Ok(None)`: no token was verified. `auth::Authenticator` verifies tokens.
//! let response = futures_executor::block_on(handle(&config, &host, Ok(None), &inbound));
//!
//! assert_eq!(response.status(), 200);
//! let Body::Json(json) = response.into_body() else { return Err("a list is JSON".into()) };
//! let json = String::from_utf8(json)?;
//! assert!(json.contains("list_issues") && !json.contains("send_mail"));
//! # Ok(())
//! # }
//! ```
//!
//! To serve tools of your own, implement [`LocalServer`](local::LocalServer); it has an example.
//!
//! # Modules
//!
//! - [`server`] answers HTTP requests at the MCP endpoint.
//! - [`host`] has the traits that a platform implements.
//! - [`config`] parses, checks and explains `sieve.jsonc`.
//! - [`upstream`] is the client for upstream servers, and the gateway that joins several.
//! - [`local`] is for tools, prompts and resources of your own.
//! - [`auth`] verifies bearer tokens.
//! - [`session`], [`streams`] and [`tasks`] are for hosts with storage: sessions, notifications of changes, and tasks.
//! - [`sign_in`] seals the tokens of callers for upstream servers.
//! - [`limits`] counts the requests of a caller.
//! - [`audit`] has the lines of the audit log and the buffers that collect them.
//! - [`error`] has the JSON-RPC error and the codes of reasons.
//! - [`middleware`], [`remote`] and [`mount`] are context middleware: local functions, functions on other servers, and
//!   the endpoint for applications.
//! - [`drafts`] lists the implemented drafts of the protocol.
//!
//! # Protocol eras
//!
//! Clients and upstream servers of both eras of MCP are served, in every combination:
//!
//! - [`Era::Stateless`](host::Era::Stateless), revision 2026-07-28: each request carries its revision and the client's
//!   capabilities. There is no session.
//! - [`Era::Session`](host::Era::Session), revisions before it, such as 2025-11-25: `initialize` opens a session, and
//!   requests name it in the header [`Mcp-Session-Id`](server::SESSION_HEADER).
//!
//! [`Revision`](host::Revision) lists the revisions. The gateway converts results, errors, notifications, tasks and
//! questions to the client between the eras. A host without storage for sessions serves stateless clients only.
//!
//! # Errors
//!
//! A request never fails: [`handle`](server::handle) returns errors as responses. They are JSON-RPC errors
//! ([`RpcError`](error::RpcError)), most of them with a stable code in `error.data.reason`. [`REASONS`](error::REASONS)
//! lists the codes with their meanings; those of the engine, such as `filter_limit`, are among them. Host methods
//! return an `RpcError` as well. A primitive that is hidden from the caller gets the same error as one that does not exist.
//!
//! # Limits
//!
//! Everything that a caller or an upstream server controls is bounded. Each bound is a constant next to its type:
//!
//! | subject | constants |
//! |---|---|
//! | request bodies | [`MAX_BODY`](server::MAX_BODY), [`MAX_BODIES`](server::MAX_BODIES), [`MAX_BATCH`](server::MAX_BATCH) |
//! | sessions and streams | [`MAX_EVENTS`](session::MAX_EVENTS), [`MAX_SUSPENDED`](session::MAX_SUSPENDED), [`MAX_LISTENERS`](streams::MAX_LISTENERS) |
//! | tasks | [`MAX_TTL_MS`](tasks::MAX_TTL_MS), [`MAX_PAGE`](tasks::MAX_PAGE) |
//! | upstream servers | [`MAX_ANSWER`](upstream::MAX_ANSWER), [`MAX_LISTS`](upstream::MAX_LISTS), [`MAX_REPLIES`](upstream::MAX_REPLIES) |
//! | contexts of middleware | [`MAX_CONTEXT`](middleware::MAX_CONTEXT), [`MAX_ITEMS`](middleware::MAX_ITEMS) |
//!
//! Operators set rate limits in the configuration ([`Limits`](config::Limits)). A [`RateLimiter`](limits::RateLimiter)
//! counts; the host decides where.
//!
//! # What it does not do
//!
//! - The gateway does no I/O of its own. It reads no clock, file, environment variable or socket: time, randomness,
//!   storage and requests to other servers go through [`Host`](host::Host) and [`Fetch`](upstream::Fetch).
//! - It is no HTTP server. Requests and responses are types of the crate [`http`](::http), and a response may be a
//!   stream of events ([`Body::Events`](server::Body::Events)).
//! - Futures are not `Send`: a request is answered on the thread on which it came in, as in Workers and browsers. A
//!   server with several threads runs the gateway in a `tokio::task::LocalSet` or once per thread.
//! - It does not issue tokens. [`auth`] verifies those of an authorization server or of the operator.
//!
//! # Stability
//!
//! Before 1.0, a minor release may change any public item. Codes in [`REASONS`](error::REASONS) keep their meaning, and
//! the format of `sieve.jsonc` is described by [`config::SCHEMA`]. Values of limits may change in any release, and
//! [`drafts`] change with their texts.

pub mod config;
pub mod drafts;
pub mod host;
pub mod middleware;
pub mod mount;
pub mod remote;
pub mod server;
pub mod session;
pub mod sign_in;
pub mod streams;
pub mod tasks;
pub mod upstream;

mod backend;
mod call;
mod caller;
mod gateway;
mod http;
mod methods;
mod object;
mod protocol;
mod request;
mod sha256_text;
mod small_collect;
mod task_record;

pub use config::Config;
pub use gateway::local;
pub use request::auth;

pub mod audit {
    //! The audit log: lines about denied requests, allowed calls and function runs, and the buffers that collect them.
    //!
    //! A host receives lines by [`Observer::record`](crate::host::Observer::record) and
    //! [`Observer::record_call`](crate::host::Observer::record_call), and collects them in an [`AuditBuffer`] and a
    //! [`CallBuffer`], so that no response waits for the log. A buffer combines equal lines and counts what exceeds its
    //! size. Texts that callers choose are cut; [`printable`] escapes what would change the appearance of a log.
    //!
    //! The reason of a line is a code of [`AUDIT_REASONS`] or of [`REASONS`](crate::error::REASONS).

    pub use crate::{
        host::{
            allowed_call::AllowedCall,
            audit_buffer::{AuditBuffer, MAX_AUDIT_LINES},
            call_buffer::{CallBatch, CallBuffer, MAX_AUDIT_CALLS},
            operation::{MAX_AUDIT_NAMES, MAX_AUDIT_TEXT, Operation},
            printable::{printable, printable_json},
            runtime::{AuditSink, FunctionRun},
            write_schedule::{AUDIT_DELAY_MS, AUDIT_LAPSE_MS},
        },
        protocol::reason::AUDIT_REASONS,
    };
}

pub mod error {
    //! Errors of the protocol: the JSON-RPC error with its HTTP status, and the codes of reasons.
    //!
    //! `error.data.reason` of an error is a code of [`REASONS`]. Errors of the engine become
    //! [invalid params](RpcError::params) with their code, and the byte or field where the input is wrong.

    pub use crate::protocol::{
        error::RpcError,
        reason::{REASONS, Reason, SIGN_IN_REASONS},
    };
}

pub mod limits {
    //! Rate limits: the counter of one caller, and the weight of a request.
    //!
    //! A host keeps a [`RateLimiter`] for each caller, by [principal](crate::host::principal) or by [`network`]. A
    //! request over the limits that [`Limits`](crate::config::Limits) sets is refused with
    //! [`RpcError::too_many_requests`](crate::error::RpcError::too_many_requests).

    pub use crate::host::rate_limit::{CROWDED_S, LEASE_MS, RateLimiter, Weight, network};
}

/// The README's Rust is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
