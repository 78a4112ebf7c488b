//! Parses JSON Web Tokens and validates their claims.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Map, Value};

use crate::{
    config::TokenIssuer,
    request::auth::{algorithm::Algorithm, claims, rejection::Rejection},
};

/// Maximum length, in bytes, of a token. Typical tokens have one or two thousand.
pub const MAX_TOKEN: usize = 16 * 1024;

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
        let is_meant = |header: &Map<String, Value>| header.get("typ").is_none_or(is_access_token);
        Self::read_with(token, is_meant).map(|(token, _)| token)
    }

    /// Parses a token, and returns its header too. `is_meant` returns whether a header is of the expected kind.
    ///
    /// # Errors
    /// The same as for [`Token::read`].
    pub(super) fn read_with(
        token: &'a str,
        is_meant: impl FnOnce(&Map<String, Value>) -> bool,
    ) -> Result<(Self, Map<String, Value>), Rejection> {
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
        if !is_meant(&header) {
            return Err(Rejection::Kind);
        }
        let algorithm = header.get("alg").and_then(Value::as_str).and_then(Algorithm::named);
        let kid = match header.get("kid") {
            None => None,
            Some(Value::String(kid)) => Some(kid.clone()),
            Some(_) => return Err(Rejection::Malformed),
        };
        let token = Self {
            algorithm: algorithm.ok_or(Rejection::Algorithm)?,
            kid,
            signed,
            signature: URL_SAFE_NO_PAD.decode(signature).map_err(|_| Rejection::Malformed)?,
            claims: object(claims)?,
        };
        Ok((token, header))
    }

    /// Returns a claim whose signature need not be verified yet, to choose the keys that verify it.
    pub(super) fn unverified(&self, claim: &str) -> Option<&Value> {
        self.claims.get(claim)
    }

    /// Returns the claims. The signature must have been verified before.
    ///
    /// # Errors
    /// A token of another issuer or audience, outside its validity period, without a subject, bound to a key of its
    /// sender, or without a required scope.
    pub fn claims(self, issuer: &TokenIssuer, now_ms: u64) -> Result<Map<String, Value>, Rejection> {
        claims::check(&self.claims, issuer, now_ms, None)?;
        Ok(self.claims)
    }

    /// Returns the claims, unchecked.
    pub(super) fn into_claims(self) -> Map<String, Value> {
        self.claims
    }
}

/// Returns the issuer that a token names, if it has the form of a JWT, whatever its header says.
pub(super) fn named_issuer(token: &str) -> Option<String> {
    let (signed, _) = token.rsplit_once('.')?;
    let (header, claims) = signed.split_once('.')?;
    object(header).ok()?;
    object(claims).ok()?.get("iss")?.as_str().map(str::to_owned)
}

/// Returns whether a header's `typ` names a kind of token that may be an access token: `JWT`, or that of RFC 9068. An
/// issuer signs other kinds (identity, logout and event tokens) with the same keys. `application/` may precede the
/// name, and case does not matter (RFC 7515, section 4.1.9).
fn is_access_token(kind: &Value) -> bool {
    let name = kind.as_str().unwrap_or_default().to_ascii_lowercase();
    ["jwt", "at+jwt"].contains(&name.strip_prefix("application/").unwrap_or(&name))
}

fn object(part: &str) -> Result<Map<String, Value>, Rejection> {
    let json = URL_SAFE_NO_PAD.decode(part).map_err(|_| Rejection::Malformed)?;
    serde_json::from_slice(&json).map_err(|_| Rejection::Malformed)
}
