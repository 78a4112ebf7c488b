//! The steps of OAuth towards authorization servers, which a library in JavaScript takes (`worker/oauth`).

use mcp_sieve_gateway::error::RpcError;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use worker::{js_sys::Promise, wasm_bindgen::prelude::wasm_bindgen, wasm_bindgen_futures::JsFuture};

#[wasm_bindgen(raw_module = "./oauth/call.js")]
extern "C" {
    /// Takes a step by its name. Resolves with `{"ok": …}` or `{"failure": …}`, as JSON.
    fn call(name: &str, input: &str) -> Promise;
}

/// An authorization server, as it was found for an upstream server.
#[derive(Clone, serde::Serialize, Deserialize)]
pub(crate) struct Discovery {
    /// The resource that tokens are for (RFC 8707). An issuer by itself has none.
    #[serde(default)]
    pub resource: Option<String>,
    pub issuer: String,
    /// The metadata of the authorization server.
    pub server: Value,
    #[serde(default)]
    pub scopes: Option<Vec<String>>,
}

/// Tokens of an authorization server.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Tokens {
    pub access: String,
    pub refresh: Option<String>,
    /// Seconds until the access token ends.
    pub expires_in: Option<f64>,
    pub scope: Option<String>,
    /// The claims of a verified ID token.
    pub claims: Option<Value>,
}

/// The beginning of a sign-in.
#[derive(Deserialize)]
pub(crate) struct Begun {
    /// The address to which the browser is sent.
    pub url: String,
    pub verifier: String,
    pub nonce: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Ok(Value),
    Failure(Failure),
}

#[derive(Deserialize)]
struct Failure {
    code: String,
    message: String,
}

impl Tokens {
    /// Returns when the access token ends, in milliseconds since 1970, if the authorization server stated it.
    pub fn expires(&self, now: u64) -> Option<u64> {
        self.expires_in.map(|seconds| now.saturating_add((seconds.max(0.0) * 1000.0) as u64))
    }
}

/// Takes a step, such as `refresh`.
///
/// # Errors
/// A `sign_in_…` code, with a message that holds no token.
pub(crate) async fn step<T: DeserializeOwned>(name: &'static str, input: &Value) -> Result<T, RpcError> {
    let failed = || RpcError::internal("sign_in_server", "the sign-in failed unexpectedly, begin it again");
    let answered = JsFuture::from(call(name, &input.to_string())).await.map_err(|_| failed())?;
    let outcome = serde_json::from_str(&answered.as_string().unwrap_or_default()).map_err(|_| failed())?;
    match outcome {
        Outcome::Ok(value) => serde_json::from_value(value).map_err(|_| failed()),
        Outcome::Failure(Failure { code, message }) => Err(RpcError::internal(&code, message)),
    }
}

/// Revokes tokens, the refresh token first. Servers cannot revoke access tokens that others verify on their own, and those
/// end soon, so only the first token decides.
pub(crate) async fn revoke(
    server: &Value,
    client: &Value,
    tokens: [(Option<&str>, &str); 2],
) -> Result<(), RpcError> {
    let mut outcome = None;
    for (token, hint) in tokens {
        let Some(token) = token else { continue };
        let input = json!({"server": server, "client": client, "token": token, "hint": hint});
        let revoked = step::<Value>("revoke", &input).await.map(drop);
        outcome.get_or_insert(revoked);
    }
    outcome.unwrap_or(Ok(()))
}
