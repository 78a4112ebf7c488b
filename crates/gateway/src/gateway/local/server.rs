//! The trait `LocalServer`: tools, prompts and resources that a Worker provides itself.

use futures_util::future::LocalBoxFuture;

use crate::{gateway::local::reply::Reply, host::local_request::LocalRequest, protocol::error::RpcError};

/// A server in the same process: its lists, and the function that answers its calls.
///
/// ```
/// use futures_util::{FutureExt, future::LocalBoxFuture};
/// use mcp_sieve_gateway::{error::RpcError, local::{LocalRequest, LocalServer, Reply}};
/// use serde_json::json;
///
/// struct Greeter;
///
/// impl LocalServer for Greeter {
///     fn lists(&self) -> String {
///         r#"{"tools":[{"name":"greet","inputSchema":{"type":"object"}}]}"#.to_owned()
///     }
///
///     fn answer(&self, _: LocalRequest) -> LocalBoxFuture<'static, Result<Reply, RpcError>> {
///         let result = json!({"content": [{"type": "text", "text": "Hello!"}]});
///         async { Ok(Reply::Result(result)) }.boxed_local()
///     }
/// }
/// ```
pub trait LocalServer: 'static {
    /// Returns the results of the lists, as JSON: one object with `tools`, `resources`, `resourceTemplates`, `prompts`
    /// or `skills`, or an array of several.
    fn lists(&self) -> String;

    /// Returns the lifetime of the lists in milliseconds. By default they are valid for the life of the process.
    /// `sieve_worker::announce` notifies clients of an earlier change; other processes keep their lists for this time.
    fn ttl_ms(&self) -> u64 {
        u64::MAX
    }

    /// Returns the default configuration of the server, in the format of `sieve.jsonc`. It applies if the operator
    /// provides none.
    fn config(&self) -> &str {
        "{}"
    }

    /// Answers `tools/call`, `prompts/get`, `resources/read` or `completion/complete`. `skills/get` is answered from
    /// the lists.
    ///
    /// The caller may see what the request names, but its arguments are not compared with `inputSchema`. A tool that
    /// fails returns a result with `isError`, because the model should read the reason.
    ///
    /// # Errors
    /// For a request that cannot be answered. For a resource that does not exist, return
    /// `RpcError::relayed(-32602, "Resource not found", Some(json!({"uri": uri})))`; each client gets the error of its
    /// revision.
    fn answer(&self, ask: LocalRequest) -> LocalBoxFuture<'static, Result<Reply, RpcError>>;
}
