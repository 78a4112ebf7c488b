//! The refusal of a request that needs more scopes than the token of its caller has (step-up, revision 2025-11-25,
//! authorization; RFC 6750, section 3.1).

use http::StatusCode;
use mcp_sieve::policy::View;
use serde_json::Value;

use crate::{
    host::Host,
    protocol::error::RpcError,
    request::{
        auth::{challenge::Presented, rejection::Rejection},
        context::Context,
        visibility,
    },
};

/// Returns the refusal of a request for a primitive that only policies with a scope hide from the caller. `find` returns
/// whether a view has the primitive. Returns `None` for any other primitive, and if the host takes no tokens.
pub(crate) fn insufficient_scope<H: Host>(
    context: &Context<'_, H>,
    find: &dyn Fn(&View) -> bool,
) -> Option<RpcError> {
    let exchange = context.exchange;
    let seen = (&*context.backend.guarded, &*context.backend.declared);
    let query = exchange.request.uri().query().unwrap_or_default();
    let scopes = visibility::lacking_scopes(exchange.config, seen, &context.caller, query, find);
    if scopes.is_empty() {
        return None;
    }
    let request = exchange.request;
    let rejection = if exchange.claims.is_some() { Rejection::Scope } else { Rejection::Missing };
    let failure = match &exchange.config.auth {
        Some(auth) => {
            let named = exchange.claims.and_then(|claims| claims.get("iss")).and_then(Value::as_str);
            let presented = Presented {
                issuer: auth.issuers.iter().find(|issuer| Some(issuer.issuer.as_str()) == named),
                in_header: auth.deciding_header(request.headers()).is_some(),
                proof: exchange.claims.is_some_and(|claims| claims.contains_key("cnf")),
                scopes: &scopes,
            };
            rejection.presented(auth, presented, request)
        }
        None if exchange.host.takes_tokens() => {
            let (status, error) = match rejection {
                Rejection::Missing => (StatusCode::UNAUTHORIZED, ""),
                _ => (StatusCode::FORBIDDEN, "error=\"insufficient_scope\", "),
            };
            let challenge = format!("Bearer {error}scope=\"{}\"", scopes.join(" "));
            let failure = RpcError::request(status, rejection.code(), "").denied(rejection.code());
            failure.challenged(challenge)
        }
        None => return None,
    };
    let named: Vec<String> = scopes.iter().map(|scope| format!("`{scope}`")).collect();
    let noun = if named.len() == 1 { "scope" } else { "scopes" };
    let message = format!("this needs a token with the {noun} {}", named.join(" and "));
    Some(RpcError { message, ..failure })
}
