//! Proofs of possession of the key that a token is bound to (DPoP, RFC 9449).

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use http::{Request, Uri};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::{
    protocol::headers::requested_scheme,
    request::auth::{jwks::Jwk, proof_error::ProofError, rejection::Rejection, token::Token},
};

/// The header that holds the proof.
pub(super) const HEADER: &str = "dpop";
/// Maximum age, in seconds, of a proof, in addition to the tolerated clock skew. Clients make one for each request.
pub(super) const MAX_PROOF_AGE_S: u64 = 60;
/// The members of a JSON Web Key that are private or secret (RFC 7518, sections 6.2.2, 6.3.2 and 6.4).
const PRIVATE: [&str; 8] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/// A proof whose signature is not verified yet.
#[derive(Debug)]
pub(super) struct Proof<'a> {
    /// The signed text, in the form of a token.
    pub token: Token<'a>,
    /// The key that signs it.
    pub key: Jwk,
    /// The thumbprint of the key.
    pub thumbprint: String,
    /// When it was made, in seconds since 1970.
    pub made: f64,
    /// The hash of the thumbprint and the id of the proof.
    pub id: [u8; 32],
}

impl<'a> Proof<'a> {
    /// Reads the proof of a request that carries `token`. Everything is checked but its signature, the key that the
    /// token is bound to, and whether it was used before (RFC 9449, section 4.3).
    ///
    /// # Errors
    /// What is wrong with the proof.
    pub fn read<B>(request: &'a Request<B>, token: &str, skew: u64, now_ms: u64) -> Result<Self, Rejection> {
        Self::checked(request, token, skew, now_ms).map_err(Rejection::Proof)
    }

    fn checked<B>(request: &'a Request<B>, token: &str, skew: u64, now_ms: u64) -> Result<Self, ProofError> {
        let mut sent = request.headers().get_all(HEADER).iter();
        let (Some(text), None) = (sent.next(), sent.next()) else { return Err(ProofError::Missing) };
        let text = text.to_str().map_err(|_| ProofError::Malformed)?;
        let (proof, header) = Token::read_with(text, is_proof).map_err(|rejection| match rejection {
            Rejection::Kind => ProofError::Kind,
            Rejection::Algorithm => ProofError::Algorithm,
            _ => ProofError::Malformed,
        })?;
        let jwk = header.get("jwk").ok_or(ProofError::Key)?;
        if PRIVATE.iter().any(|name| jwk.get(name).is_some()) {
            return Err(ProofError::PrivateKey);
        }
        let key = Jwk::read(jwk).filter(|key| key.algorithms.contains(&proof.algorithm));
        let key = key.ok_or(ProofError::Key)?;
        let text = |name: &str| proof.unverified(name).and_then(Value::as_str).ok_or(ProofError::Malformed);
        if text("htm")? != request.method().as_str() {
            return Err(ProofError::Method);
        }
        if !is_url_of(text("htu")?, request) {
            return Err(ProofError::Url);
        }
        let made = proof.unverified("iat").and_then(Value::as_f64).ok_or(ProofError::Malformed)?;
        let (now, skew) = (now_ms as f64 / 1000.0, skew as f64);
        if made - skew > now || made + skew + (MAX_PROOF_AGE_S as f64) <= now {
            return Err(ProofError::Time);
        }
        if text("ath")? != URL_SAFE_NO_PAD.encode(Sha256::digest(token)) {
            return Err(ProofError::Token);
        }
        let id = text("jti").ok().filter(|id| !id.is_empty()).ok_or(ProofError::Malformed)?;
        let thumbprint = key.thumbprint();
        // A thumbprint has one length, so no two pairs have one text.
        let id = Sha256::digest([&thumbprint, id].concat()).into();
        Ok(Self { token: proof, key, thumbprint, made, id })
    }
}

/// Returns whether the header of a JWT is that of a proof.
fn is_proof(header: &Map<String, Value>) -> bool {
    header.get("typ").and_then(Value::as_str).is_some_and(|kind| kind.eq_ignore_ascii_case("dpop+jwt"))
}

/// Returns whether `url` is that of a request without its query and fragment. Scheme, host and port are compared as they
/// are normalized (RFC 3986, section 6.2).
fn is_url_of<B>(url: &str, request: &Request<B>) -> bool {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let Ok(url) = url.parse::<Uri>() else { return false };
    let (Some(scheme), Some(authority)) = (url.scheme_str(), request.uri().authority()) else { return false };
    let requested = requested_scheme(request);
    let port = |port: Option<u16>| port.unwrap_or(if requested == "https" { 443 } else { 80 });
    // A user in the URL would be another authority.
    let has_user = url.authority().is_some_and(|authority| authority.as_str().contains('@'));
    scheme.eq_ignore_ascii_case(requested)
        && !has_user
        && url.host().is_some_and(|host| host.eq_ignore_ascii_case(authority.host()))
        && port(url.port_u16()) == port(authority.port_u16())
        && url.path() == request.uri().path()
}
