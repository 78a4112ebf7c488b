use std::collections::BTreeMap;

use http::{HeaderMap, StatusCode, header};
use mcp_sieve::mcp::{RpcError, small_collect};
use serde_json::{Map, Value};

use super::{bearer, sha256};

/// What `WWW-Authenticate` says of a token that was not handed out (RFC 6750, section 3.1). There is no authorization
/// server to point to.
const INVALID_TOKEN: &str = "Bearer error=\"invalid_token\"";

/// Claims of the bearer tokens an operator handed out, by the SHA-256 of the token.
///
/// The tokens themselves are nowhere, and looking one up compares digests, whose order says nothing of
/// the token.
#[derive(Debug, Default)]
pub(crate) struct OperatorTokens(BTreeMap<String, Map<String, Value>>);

impl OperatorTokens {
    /// Reads `{"<sha256 in hex>": {"sub": …}}`. Sessions, cursors and limits are bound to `sub`: callers without one
    /// would share them with every stranger.
    ///
    /// # Errors
    /// Names the first token that has no digest or no `sub`.
    pub fn parse(source: &str) -> Result<Self, RpcError> {
        let tokens: BTreeMap<String, Map<String, Value>> = serde_json::from_str(source)
            .map_err(|error| RpcError::internal("config", format!("SIEVE_TOKENS: {error}")))?;
        let digest = |name: &String| name.len() == 64 && name.bytes().all(|b| b.is_ascii_hexdigit());
        if let Some(name) = tokens.keys().find(|name| !digest(name)) {
            let message = format!("SIEVE_TOKENS: `{name}` is not a SHA-256 in hex");
            return Err(RpcError::internal("config", message));
        }
        let nameless = |claims: &Map<String, Value>| !claims.get("sub").is_some_and(is_name);
        if let Some((name, _)) = tokens.iter().find(|(_, claims)| nameless(claims)) {
            let message =
                format!("SIEVE_TOKENS: `{name}`: expected a member `sub`, a text that is not empty");
            return Err(RpcError::internal("config", message));
        }
        Ok(Self(small_collect(tokens.into_iter().map(|(name, claims)| (name.to_ascii_lowercase(), claims)))))
    }

    /// Whether no token was handed out.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The claims of a token that was handed out.
    pub fn find(&self, token: &str) -> Option<&Map<String, Value>> {
        self.0.get(&sha256(token.as_bytes()))
    }

    /// The claims of the caller, where no other tokens are taken; `None` for one that shows no token.
    ///
    /// # Errors
    /// 401 for a token that was not handed out.
    pub fn claims(&self, headers: &HeaderMap) -> Result<Option<&Map<String, Value>>, RpcError> {
        if self.is_empty() || !headers.contains_key(header::AUTHORIZATION) {
            return Ok(None);
        }
        bearer(headers).and_then(|token| self.find(token)).map(Some).ok_or_else(|| {
            let message = "the bearer token is not known here";
            RpcError::request(StatusCode::UNAUTHORIZED, "unauthorized", message)
                .denied("unauthorized")
                .challenged(INVALID_TOKEN.to_owned())
        })
    }
}

fn is_name(subject: &Value) -> bool {
    subject.as_str().is_some_and(|text| !text.is_empty())
}
