//! Parses JSON Web Tokens and validates their claims.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Map, Value};

use crate::{config::Auth, request::auth::rejection::Rejection};

/// Maximum length, in bytes, of a token. Typical tokens have one or two thousand.
pub const MAX_TOKEN: usize = 16 * 1024;

/// A signature algorithm. Others (`none`, shared secrets) are rejected before a key is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    Rs256,
    /// ECDSA over P-256 with SHA-256.
    Es256,
    /// Ed25519.
    EdDsa,
}

/// A parsed token whose signature and claims are not verified yet.
#[derive(Debug, Clone)]
pub struct Token<'a> {
    /// The algorithm that the header names.
    pub algorithm: Algorithm,
    /// The id of the key that the header names.
    pub kid: Option<String>,
    /// The signed part of the text: header and claims, in their encoded form.
    pub signed: &'a str,
    /// The signature.
    pub signature: Vec<u8>,
    claims: Map<String, Value>,
}

impl<'a> Token<'a> {
    /// Parses a token in its compact form (RFC 7515, section 3.1).
    ///
    /// # Errors
    /// A token that is too long, malformed, or signed in an unsupported way.
    pub fn read(token: &'a str) -> Result<Self, Rejection> {
        if token.len() > MAX_TOKEN {
            return Err(Rejection::TooLarge);
        }
        let (signed, signature) = token.rsplit_once('.').ok_or(Rejection::Malformed)?;
        let (header, claims) = signed.split_once('.').ok_or(Rejection::Malformed)?;
        let header = object(header)?;
        // RFC 7515 requires that critical parameters are understood, and none is supported here. `zip` and `b64` change
        // what the signed bytes mean, with or without `crit`.
        let unencoded = header.get("b64").is_some_and(|encoded| encoded != &Value::Bool(true));
        if header.contains_key("crit") || header.contains_key("zip") || unencoded {
            return Err(Rejection::Critical);
        }
        if header.get("typ").is_some_and(|kind| !is_access_token(kind)) {
            return Err(Rejection::Kind);
        }
        let algorithm = header.get("alg").and_then(Value::as_str).and_then(Algorithm::named);
        let kid = match header.get("kid") {
            None => None,
            Some(Value::String(kid)) => Some(kid.clone()),
            Some(_) => return Err(Rejection::Malformed),
        };
        Ok(Self {
            algorithm: algorithm.ok_or(Rejection::Algorithm)?,
            kid,
            signed,
            signature: URL_SAFE_NO_PAD.decode(signature).map_err(|_| Rejection::Malformed)?,
            claims: object(claims)?,
        })
    }

    /// Returns the claims. The signature must have been verified before.
    ///
    /// # Errors
    /// A token of another issuer or audience, outside its validity period, without a subject, bound to a key of its
    /// sender, or without a required scope.
    pub fn claims(self, auth: &Auth, now_ms: u64) -> Result<Map<String, Value>, Rejection> {
        let text = |name: &str| self.claims.get(name).and_then(Value::as_str);
        if text("iss") != Some(auth.issuer.as_str()) {
            return Err(Rejection::Issuer);
        }
        if !texts(self.claims.get("aud")).any(|meant| auth.audience.iter().any(|own| own == meant)) {
            return Err(Rejection::Audience);
        }
        let now = now_ms as f64 / 1000.0;
        let skew = auth.clock_skew as f64;
        let time = |name: &str| match self.claims.get(name) {
            None => Ok(None),
            Some(value) => value.as_f64().map(Some).ok_or(Rejection::Malformed),
        };
        // A token without an expiry could never be revoked.
        if time("exp")?.is_none_or(|expires| expires + skew <= now) {
            return Err(Rejection::Expired);
        }
        if time("nbf")?.is_some_and(|begins| begins - skew > now) {
            return Err(Rejection::NotYetValid);
        }
        if text("sub").is_none_or(str::is_empty) {
            return Err(Rejection::Subject);
        }
        // A token that is bound to a key (RFC 9449, RFC 8705) is worth nothing without a proof of that key, which is
        // not verified here. Taken as a bearer token, a stolen one would work.
        if self.claims.contains_key("cnf") {
            return Err(Rejection::Bound);
        }
        // Scopes are a space-separated string or an array of strings; large issuers use either.
        let had: Vec<&str> = ["scope", "scp"]
            .into_iter()
            .flat_map(|name| texts(self.claims.get(name)))
            .flat_map(str::split_ascii_whitespace)
            .collect();
        if !auth.scopes.iter().all(|scope| had.contains(&scope.as_str())) {
            return Err(Rejection::Scope);
        }
        Ok(self.claims)
    }
}

impl Algorithm {
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "RS256" => Some(Self::Rs256),
            "ES256" => Some(Self::Es256),
            // `Ed25519` is the name in RFC 9864.
            "EdDSA" | "Ed25519" => Some(Self::EdDsa),
            _ => None,
        }
    }
}

/// Returns whether a header's `typ` names a kind of token that may be an access token: `JWT`, or that of RFC 9068. An
/// issuer signs other kinds (identity, logout and event tokens) with the same keys. `application/` may precede the
/// name, and case does not matter (RFC 7515, section 4.1.9).
fn is_access_token(kind: &Value) -> bool {
    let name = kind.as_str().unwrap_or_default().to_ascii_lowercase();
    ["jwt", "at+jwt"].contains(&name.strip_prefix("application/").unwrap_or(&name))
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

fn object(part: &str) -> Result<Map<String, Value>, Rejection> {
    let json = URL_SAFE_NO_PAD.decode(part).map_err(|_| Rejection::Malformed)?;
    serde_json::from_slice(&json).map_err(|_| Rejection::Malformed)
}
