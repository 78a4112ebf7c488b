//! Bearer tokens that the operator issues, stored as SHA-256 digests with their claims.

use std::{collections::BTreeMap, fmt::Write};

use http::{HeaderMap, StatusCode, header};
use mcp_sieve::json::Raw;

use crate::small_collect::small_collect;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::protocol::error::RpcError;

/// The challenge for an unknown token (RFC 6750, section 3.1). Without an authorization server it points to no
/// metadata.
const INVALID_TOKEN: &str = "Bearer error=\"invalid_token\"";

/// The claims of the bearer tokens that the operator issued, by the SHA-256 of the token.
///
/// The tokens themselves are not stored. A lookup compares digests, so its duration reveals nothing about a token.
#[derive(Debug, Default)]
pub struct OperatorTokens(BTreeMap<String, Map<String, Value>>);

impl OperatorTokens {
    /// Parses `{"<sha256 in hex>": {"sub": …}}`. Every token needs a `sub`, because sessions, cursors and limits are
    /// bound to it: callers without one would share them. `variable` is the name of the source in error messages.
    ///
    /// # Errors
    /// `config` with a member that occurs twice, the first key that is not a digest, or the first token without a
    /// `sub`.
    pub fn parse(variable: &str, source: &str) -> Result<Self, RpcError> {
        let refuse = |problem: String| RpcError::internal("config", format!("{variable}: {problem}"));
        let tokens: BTreeMap<String, Map<String, Value>> = serde_json::from_str(source).map_err(|error| {
            let form = r#"an object such as {"SHA-256 of a token in hex": {"sub": "alice"}}"#;
            refuse(format!("expected {form}: {error}"))
        })?;
        if let Some(path) = Raw::parse(source).ok().and_then(Raw::repeated_member) {
            return Err(refuse(format!("`{path}` occurs twice, expected once")));
        }
        let digest = |name: &String| name.len() == 64 && name.bytes().all(|b| b.is_ascii_hexdigit());
        if let Some(name) = tokens.keys().find(|name| !digest(name)) {
            return Err(refuse(format!("`{name}` is not a SHA-256 in hex")));
        }
        let named = |claims: &Map<String, Value>| {
            claims.get("sub").and_then(Value::as_str).is_some_and(|subject| !subject.is_empty())
        };
        if let Some((name, _)) = tokens.iter().find(|(_, claims)| !named(claims)) {
            return Err(refuse(format!("`{name}`: expected a member `sub`, a text that is not empty")));
        }
        let count = tokens.len();
        let all = small_collect(tokens.into_iter().map(|(name, claims)| (name.to_ascii_lowercase(), claims)));
        let all = Self(all);
        match all.0.len() < count {
            true => Err(refuse("a digest occurs twice, in upper and in lower case".to_owned())),
            false => Ok(all),
        }
    }

    /// Returns whether the operator issued no token.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the claims of a token, if the operator issued it.
    pub fn find(&self, token: &str) -> Option<&Map<String, Value>> {
        let mut digest = String::with_capacity(64);
        // Writing to a string cannot fail.
        Sha256::digest(token).iter().for_each(|byte| _ = write!(digest, "{byte:02x}"));
        self.0.get(&digest)
    }

    /// Returns the claims of a request's token if the operator's tokens are the only ones accepted. Returns `None` for
    /// a request without a token, or if the operator issued none.
    ///
    /// # Errors
    /// 401 for an unknown token.
    pub(crate) fn claims(&self, headers: &HeaderMap) -> Result<Option<&Map<String, Value>>, RpcError> {
        if self.is_empty() || !headers.contains_key(header::AUTHORIZATION) {
            return Ok(None);
        }
        bearer_token(headers).and_then(|token| self.find(token)).map(Some).ok_or_else(|| {
            let message = "the bearer token is not known here";
            RpcError::request(StatusCode::UNAUTHORIZED, "unauthorized", message)
                .denied("unauthorized")
                .challenged(INVALID_TOKEN.to_owned())
        })
    }
}

/// Returns the bearer token of a request. Returns `None` for another scheme and for several `Authorization` headers.
pub fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    access_token(headers).filter(|(_, proof)| !proof).map(|(token, _)| token)
}

/// Returns the access token of a request, and whether its scheme demands a proof (`DPoP`, RFC 9449). Returns `None` for
/// another scheme and for several `Authorization` headers.
pub(super) fn access_token(headers: &HeaderMap) -> Option<(&str, bool)> {
    let mut sent = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(authorization), None) = (sent.next(), sent.next()) else { return None };
    let (scheme, token) = authorization.to_str().ok()?.split_once(' ')?;
    let proof = scheme.eq_ignore_ascii_case("dpop");
    (proof || scheme.eq_ignore_ascii_case("bearer")).then(|| (token.trim(), proof))
}
