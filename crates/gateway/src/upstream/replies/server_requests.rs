//! Requests that a server sends during an answer, and the responses to them.

use std::{rc::Rc, sync::Arc};

use futures_util::FutureExt;
use http::HeaderMap;
use mcp_sieve::json::Object;

use crate::{
    call::client_requests,
    host::ServerRequest,
    protocol::error::{METHOD_NOT_FOUND, RpcError},
    upstream::{
        AskableClient, Endpoint, Fetch, client_tasks::ClientTasks, message::Request, post::send_message,
        replies::clock::Clock,
    },
};

/// The return path for the response to a request of the server.
pub(crate) struct Back<F> {
    pub endpoint: Arc<Endpoint>,
    pub fetch: F,
    pub headers: HeaderMap,
    pub method: String,
    pub id: Vec<u8>,
    pub clock: Rc<Clock>,
    /// The tasks of the client that the server may ask about.
    pub tasks: Option<ClientTasks>,
}

/// A request that the client has not answered.
struct Open<F: Fetch>(Rc<Clock>, F);

impl<F: Fetch> Drop for Open<F> {
    fn drop(&mut self) {
        self.0.end_request(self.1.now());
    }
}

impl<F: Fetch> Back<F> {
    /// Sends the response to the server. Failures are ignored.
    pub async fn respond(self, outcome: Result<String, RpcError>) {
        let mut body = Vec::new();
        let mut response = Object::open(&mut body);
        response.text("jsonrpc", "2.0");
        response.raw("id", &self.id);
        match outcome {
            Ok(result) => response.raw("result", result.as_bytes()),
            Err(failure) => response.raw("error", failure.to_json().to_string().as_bytes()),
        }
        response.close();
        let _ = send_message(&self.endpoint, &self.fetch, &self.method, &self.headers, body).await;
    }

    /// Converts the request to one for the client, which names the server.
    pub fn server_request(self, params: &str) -> ServerRequest {
        let (method, params) = (self.method.clone(), self.endpoint.sign(&self.method, params));
        self.clock.ask();
        let open = Open(Rc::clone(&self.clock), self.fetch.clone());
        let reply = Box::new(move |outcome: Result<String, RpcError>| {
            async move {
                if let (Ok(answer), Some(tasks)) = (&outcome, &self.tasks) {
                    tasks.learn(answer);
                }
                self.respond(outcome).await;
                drop(open);
            }
            .boxed_local()
        });
        ServerRequest { method, params, reply }
    }
}

/// Returns an error if the request cannot be sent to the client; `None` if it is not a request to a client. A request
/// about a task of the client is one if the task is among `tasks`.
pub(crate) fn obstacle(
    request: &Request,
    client: Option<&AskableClient>,
    tasks: Option<&ClientTasks>,
) -> Option<Result<(), RpcError>> {
    let is_about_task = client_requests::is_about_task(&request.method)
        && tasks.is_some_and(|tasks| tasks.knows(&request.params));
    if !is_about_task {
        client_requests::capability(&request.method)?;
    }
    let AskableClient { capabilities, reachable } = client?;
    if is_about_task {
        return Some(if *reachable { Ok(()) } else { Err(unreachable()) });
    }
    let able = client_requests::able_text(&request.method, &request.params, capabilities);
    Some(able.and_then(|()| if *reachable { Ok(()) } else { Err(unreachable()) }))
}

/// Returns the response to a request that is not sent to the client. The server decides whether it can continue without
/// the client.
pub(crate) fn instead(request: &Request, client: Option<&AskableClient>) -> Result<String, RpcError> {
    let method = &request.method;
    match obstacle(request, client, None) {
        _ if method == "ping" => Ok("{}".to_owned()),
        Some(outcome) => {
            let failure = outcome.err().unwrap_or_else(unreachable);
            Err(RpcError::relayed(METHOD_NOT_FOUND, failure.message, None))
        }
        None => Err(RpcError::relayed(METHOD_NOT_FOUND, format!("method `{method}` not found"), None)),
    }
}

fn unreachable() -> RpcError {
    let message = "the upstream server has a request to the client, which cannot be sent on this request";
    RpcError::internal("client_stream", message)
}
