//! The checks of the claims of an access token, whether a signature or an endpoint vouches for them.

use serde_json::{Map, Value};

use crate::{
    config::TokenIssuer,
    request::auth::{proof_error::ProofError, rejection::Rejection},
};

/// Checks the claims of a token. `key` is the thumbprint of the key whose possession its sender has proven (RFC 9449).
///
/// # Errors
/// A token of another issuer or audience, outside its validity period, without a subject, bound to a key that is not
/// proven, or without a required scope.
pub(super) fn check(
    claims: &Map<String, Value>,
    issuer: &TokenIssuer,
    now_ms: u64,
    key: Option<&str>,
) -> Result<(), Rejection> {
    let text = |name: &str| claims.get(name).and_then(Value::as_str);
    if text("iss") != Some(issuer.issuer.as_str()) {
        return Err(Rejection::Issuer);
    }
    if !texts(claims.get("aud")).any(|meant| issuer.audience.iter().any(|own| own == meant)) {
        return Err(Rejection::Audience);
    }
    let now = now_ms as f64 / 1000.0;
    let skew = issuer.clock_skew as f64;
    // A token without an expiry could never be revoked.
    if time(claims, "exp")?.is_none_or(|expires| expires + skew <= now) {
        return Err(Rejection::Expired);
    }
    if time(claims, "nbf")?.is_some_and(|begins| begins - skew > now) {
        return Err(Rejection::NotYetValid);
    }
    if text("sub").is_none_or(str::is_empty) {
        return Err(Rejection::Subject);
    }
    check_binding(claims.get("cnf"), key)?;
    match issuer.scopes.iter().all(|scope| has_scope(claims, scope)) {
        true => Ok(()),
        false => Err(Rejection::Scope),
    }
}

/// Returns whether claims have a scope.
pub(crate) fn has_scope(claims: &Map<String, Value>, scope: &str) -> bool {
    // Scopes are a space-separated string or an array of strings; large issuers use either.
    let values = ["scope", "scp"].into_iter().flat_map(|name| texts(claims.get(name)));
    values.flat_map(str::split_ascii_whitespace).any(|had| had == scope)
}

/// Returns a claim that is an instant, in seconds since 1970.
pub(super) fn time(claims: &Map<String, Value>, name: &str) -> Result<Option<f64>, Rejection> {
    match claims.get(name) {
        None => Ok(None),
        Some(value) => value.as_f64().map(Some).ok_or(Rejection::Malformed),
    }
}

/// Checks that a token which is bound to a key (RFC 9449, section 6) came with a proof of this key, and one without a
/// binding without a proof. Taken as a bearer token, a stolen one would work. Bindings of other kinds, such as to a
/// certificate (RFC 8705), cannot be verified behind a proxy that terminates TLS.
fn check_binding(bound: Option<&Value>, key: Option<&str>) -> Result<(), Rejection> {
    let named = bound.map(|bound| match bound.as_object() {
        Some(members) if members.len() == 1 => members.get("jkt").and_then(Value::as_str),
        _ => None,
    });
    match (named, key) {
        (None, None) => Ok(()),
        (Some(Some(named)), Some(key)) if named == key => Ok(()),
        (Some(Some(_)), Some(_)) => Err(Rejection::Proof(ProofError::OtherKey)),
        (None, Some(_)) => Err(Rejection::Proof(ProofError::Unbound)),
        (Some(_), _) => Err(Rejection::Bound),
    }
}

/// Returns the value itself if it is a string, or the strings of an array.
fn texts(value: Option<&Value>) -> impl Iterator<Item = &str> {
    let (one, several) = match value {
        Some(Value::String(text)) => (Some(text.as_str()), None),
        Some(Value::Array(texts)) => (None, Some(texts)),
        _ => (None, None),
    };
    one.into_iter().chain(several.into_iter().flatten().filter_map(Value::as_str))
}
