//! The tool by which a caller signs in to a server: `connect_NAME`. A server lists it in place of its own tools to a caller
//! that has no connection.

use std::sync::Arc;

use mcp_sieve::{
    Digest, Kind,
    catalog::Lists,
    json::{self, Members},
};
use serde_json::{Map, Value, json};

use crate::{
    backend::{features::Features, introduction::Introduction},
    gateway::upstream_slot::UpstreamSlot,
    host::{Answer, Call},
    protocol::{error::RpcError, method::Method},
    sign_in::{connected, tool_name},
    upstream::{Declarations, Fetch, pages::Listing},
};

/// The reason code for a caller that has to sign in.
pub(crate) const SIGN_IN: &str = "upstream_sign_in";
/// The key of the question in a result that asks for input.
const QUESTION: &str = "sign-in";
/// Interval, in milliseconds, at which a call looks whether its caller has signed in.
const LOOK_MS: u64 = 1_000;
/// Maximum time, in milliseconds, for which a call waits for a sign-in that its client reports as begun.
const WAIT_MS: u64 = 25_000;

/// Returns the lists of a server to a caller without a connection.
pub(super) fn listing(server: &str) -> Listing {
    let tool = json!({
        "name": tool_name(server),
        "title": format!("Sign in to {server}"),
        "description": format!(
            "Connects the user to {server}, whose tools are listed after the sign-in. Call it when a task needs {server}. It asks the user to open an address, or returns this address for you to show to the user."
        ),
        "inputSchema": {"type": "object", "properties": {}, "additionalProperties": false},
        "annotations": {
            "readOnlyHint": false, "destructiveHint": false, "idempotentHint": true, "openWorldHint": true
        },
    });
    Listing {
        lists: json!([{"tools": [tool]}]).to_string(),
        ttl_ms: 0,
        features: Features::default(),
        introduction: Introduction::default(),
        declared: Declarations::default(),
        problems: Vec::new(),
    }
}

impl UpstreamSlot {
    /// Returns whether a call is one of the tool.
    pub(super) fn signs_in(&self, call: &Call<'_>) -> bool {
        let name = || call.params.as_ref()?.get("name").and_then(json::Raw::text);
        self.takes_sign_in
            && call.method == Method::CallTool.name()
            && name().is_some_and(|name| name == tool_name(&self.name))
            && (self.needs_sign_in() || !self.lists_tool(&tool_name(&self.name)))
    }

    /// Returns whether the server itself lists a tool of this name.
    fn lists_tool(&self, name: &str) -> bool {
        let Some(listing) = self.listing() else { return false };
        let Ok(lists) = Lists::read(&listing.lists) else { return false };
        let is_named = |tool: &json::Raw<'_>| {
            let own = Members::read(*tool).and_then(|tool| tool.get("name")).and_then(json::Raw::text);
            own.is_some_and(|own| own == name)
        };
        lists.primitives(Kind::Tool).iter().any(is_named)
    }

    /// Adds the address of the sign-in to the error for a caller that has to sign in.
    pub(super) fn with_address<F: Fetch>(&self, fetch: &F, failure: RpcError) -> RpcError {
        if failure.reason() != Some(SIGN_IN) {
            return failure;
        }
        self.expire();
        let Some(url) = fetch.sign_in_url(&self.name) else { return failure };
        let message = format!("{}. Open this address to sign in: {url}", failure.message);
        RpcError { message, ..failure.with("url", url) }
    }

    /// Answers a call of the tool: asks the user to open the address of the sign-in, if the client can be asked, or returns
    /// it. Waits a while for a sign-in that has begun.
    ///
    /// # Errors
    /// Fails if the store of connections does not answer, or the platform has no page for the sign-in.
    pub(super) async fn sign_in<F: Fetch>(
        self: &Arc<Self>,
        fetch: &F,
        call: &Call<'_>,
    ) -> Result<Answer, RpcError> {
        let answer = answer_of(call);
        let until = fetch.now().saturating_add(if answer.as_deref() == Some("accept") { WAIT_MS } else { 0 });
        loop {
            if fetch.is_connected(&self.name).await? {
                self.expire();
                fetch.lists_changed(&self.name);
                return Ok(result(&connected(&self.name), false));
            }
            if fetch.now() >= until {
                break;
            }
            fetch.sleep(LOOK_MS).await;
        }
        if let Some("decline" | "cancel") = answer.as_deref() {
            return Ok(result(&format!("The user did not sign in to {}.", self.name), true));
        }
        let Some(url) = fetch.sign_in_url(&self.name) else {
            let message =
                format!("upstream `{}` needs a sign-in, which this platform does not offer", self.name);
            return Err(RpcError::internal(SIGN_IN, message));
        };
        if call.accepts_requests && call.caller.supports("elicitation.url") {
            return Ok(question(&self.name, &url));
        }
        let words =
            format!("Open this address to connect to {}: {url}\nList the tools again afterwards.", self.name);
        Ok(result(&words, false))
    }
}

/// Returns the action of the client's answer to the question.
fn answer_of(call: &Call<'_>) -> Option<String> {
    let answers = call.params.as_ref()?.get("inputResponses").and_then(Members::read)?;
    let answer = answers.get(QUESTION).and_then(Members::read)?;
    answer.get("action").and_then(json::Raw::text).map(Into::into)
}

fn result(words: &str, is_error: bool) -> Answer {
    let mut result = json!({"resultType": "complete", "content": [{"type": "text", "text": words}]});
    if let Some(object) = result.as_object_mut().filter(|_| is_error) {
        object.insert("isError".to_owned(), true.into());
    }
    Answer::Result(result.to_string().into_bytes())
}

/// Returns a result that asks the user to open an address.
fn question(server: &str, url: &str) -> Answer {
    let message = format!("Sign in to {server}, so that its tools can be used in your name.");
    let params = json!({"mode": "url", "elicitationId": Digest::hex(Digest::of(url.as_bytes())), "url": url, "message": message});
    let mut requests = Map::new();
    requests.insert(QUESTION.to_owned(), json!({"method": "elicitation/create", "params": params}));
    let result = json!({"resultType": "input_required", "inputRequests": Value::Object(requests)});
    Answer::Result(result.to_string().into_bytes())
}
