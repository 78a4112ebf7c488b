//! What rmcp does not pass on of a request: its parameters as they were sent, its caller and its URL.

use std::sync::Arc;

use axum::{
    body::{Body, to_bytes},
    extract::Request,
    http::{StatusCode, header::AUTHORIZATION, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
};
use mcp_sieve::{Caller, Error, Filter};
use rmcp::{ErrorData, RoleServer, service::RequestContext};
use serde::Deserialize;
use serde_json::{json, value::RawValue};

/// Maximum length of a body, in bytes: that of rmcp.
const MAX_BODY: usize = 4 * 1024 * 1024;
/// Tokens and the claims of their callers. Your server verifies the tokens of an authorization server.
const TOKENS: [(&str, &str); 1] = [("Bearer of-a-librarian", r#"{"sub":"ada","role":"librarian"}"#)];

/// The `params` of a request, as JSON. rmcp's models drop what they do not know, such as `filter`.
#[derive(Clone)]
struct SentParams(Arc<str>);

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

/// Keeps the parameters of a request for its handler. The body is not changed, so that rmcp reads it as the client sent
/// it, in either protocol revision.
pub async fn keep_params(request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, MAX_BODY).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    if let Ok(Message { params: Some(params) }) = serde_json::from_slice(&body) {
        parts.extensions.insert(SentParams(params.get().into()));
    }
    next.run(Request::from_parts(parts, Body::from(body))).await
}

/// A request to the library.
pub struct Asked {
    pub caller: Caller,
    /// The JSON of its parameters; empty if it has none.
    pub params: String,
    /// The filter in the URL.
    pub url: Filter,
}

impl Asked {
    pub fn read(context: &RequestContext<RoleServer>) -> Result<Self, ErrorData> {
        let Some(parts) = context.extensions.get::<Parts>() else {
            return Err(ErrorData::internal_error("this server is one for HTTP", None));
        };
        let token = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let claims = TOKENS.iter().find(|(known, _)| Some(*known) == token);
        let caller = claims.map_or(Ok(Caller::anonymous()), |(_, claims)| Caller::with_claims(*claims));
        let params = parts.extensions.get::<SentParams>().map_or("", |params| &params.0);
        let url = Filter::from_query(parts.uri.query().unwrap_or_default()).map_err(refusal)?;
        Ok(Self { caller: caller.map_err(refusal)?, params: params.to_owned(), url: url.filter })
    }
}

/// Returns the error of a request that Sieve cannot read: its message, and the code and the field that programs read.
pub fn refusal(error: Error) -> ErrorData {
    let data = json!({ "reason": error.code(), "field": error.path() });
    ErrorData::invalid_params(error.to_string(), Some(data))
}
