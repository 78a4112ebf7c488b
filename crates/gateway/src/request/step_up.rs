//! The refusal of a request that needs more scopes than the token of its caller has (step-up, revision 2025-11-25,
//! authorization; RFC 6750, section 3.1).

use http::{Request, StatusCode};
use mcp_sieve::policy::View;
use serde_json::Value;

use crate::{
    backend::guarded_catalog::Backend,
    caller::identity::Caller,
    config::Config,
    host::Host,
    protocol::error::RpcError,
    request::{
        auth::{challenge::Presented, rejection::Rejection},
        visibility,
    },
};

/// A request for a primitive that its caller cannot see.
pub(crate) struct HiddenRequest<'a, H, B> {
    pub config: &'a Config,
    pub host: &'a H,
    pub request: &'a Request<B>,
    pub backend: &'a Backend,
    pub caller: &'a Caller<'a>,
}

impl<H: Host, B> HiddenRequest<'_, H, B> {
    /// Returns the refusal of a request for a primitive that only policies with a scope hide from the caller. `find` returns
    /// whether a view has the primitive. Returns `None` for any other primitive, and if the host takes no tokens.
    pub fn insufficient_scope(&self, find: &dyn Fn(&View) -> bool) -> Option<RpcError> {
        let Self { config, host, request, backend, caller } = *self;
        let seen = (&*backend.guarded, &*backend.declared);
        let query = request.uri().query().unwrap_or_default();
        let scopes = visibility::lacking_scopes(config, seen, caller, query, find);
        if scopes.is_empty() {
            return None;
        }
        let claims = caller.claims.as_deref();
        let rejection = if claims.is_some() { Rejection::Scope } else { Rejection::Missing };
        let failure = match &config.auth {
            Some(auth) => {
                let named = claims.and_then(|claims| claims.get("iss")).and_then(Value::as_str);
                let presented = Presented {
                    issuer: auth.issuers.iter().find(|issuer| Some(issuer.issuer.as_str()) == named),
                    in_header: auth.deciding_header(request.headers()).is_some(),
                    proof: claims.is_some_and(|claims| claims.contains_key("cnf")),
                    scopes: &scopes,
                };
                rejection.presented(auth, presented, request)
            }
            None if host.takes_tokens() => {
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
}
