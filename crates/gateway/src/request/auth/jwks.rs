//! JSON Web Key Sets (RFC 7517): parsing, and the choice of the key for a token.

use std::fmt;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use mcp_sieve::json::Object;
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::request::auth::{algorithm::Algorithm, rejection::Rejection, token::Token};

/// Maximum length, in bytes, of a key set.
pub const MAX_JWKS: usize = 256 * 1024;
/// Maximum number of keys that the signature of one token is checked with. Issuers that name no keys have one or two of
/// an algorithm, and each check costs time before the caller is known.
pub const MAX_CANDIDATES: usize = 8;
/// Minimum length, in bytes, of an RSA modulus: 2048 bits (RFC 7518, section 3.3).
const MIN_MODULUS: usize = 256;

/// A key set (RFC 7517), reduced to the keys that can verify signatures here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jwks(Vec<Jwk>);

/// A public key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jwk {
    kid: Option<String>,
    /// The signature algorithms that the key is for. An RSA key that names none is for two.
    pub algorithms: &'static [Algorithm],
    /// The public key as a JSON Web Key: its required members in lexicographic order, as its thumbprint needs them
    /// (RFC 7638, section 3).
    pub public: String,
}

/// The reason why a key set cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum JwksError {
    /// The text is longer than [`MAX_JWKS`].
    TooLarge,
    /// The text is not a JSON object with an array `keys`.
    Malformed(serde_json::Error),
    /// No key of the set can verify signatures here.
    NoUsableKey,
}

impl fmt::Display for JwksError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge => write!(f, "the key set is larger than {MAX_JWKS} bytes"),
            Self::Malformed(error) => write!(f, "no key set: {error}"),
            Self::NoUsableKey => {
                f.write_str("the key set has no RSA (2048 bits), P-256, P-384 or Ed25519 key for signatures")
            }
        }
    }
}

impl std::error::Error for JwksError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Malformed(error) => Some(error),
            Self::TooLarge | Self::NoUsableKey => None,
        }
    }
}

#[derive(Deserialize)]
struct Wire {
    keys: Vec<Value>,
}

impl Jwks {
    /// Parses `{"keys": […]}`. Keys of other types or for other uses are skipped, as RFC 7517 advises.
    ///
    /// # Errors
    /// Text that is too long or not a key set, and a key set without a usable key.
    pub fn parse(source: &[u8]) -> Result<Self, JwksError> {
        if source.len() > MAX_JWKS {
            return Err(JwksError::TooLarge);
        }
        let Wire { keys } = serde_json::from_slice(source).map_err(JwksError::Malformed)?;
        match keys.iter().filter_map(Jwk::read).collect::<Vec<_>>() {
            none if none.is_empty() => Err(JwksError::NoUsableKey),
            some => Ok(Self(some)),
        }
    }

    /// Returns the keys that may have signed a token, each with its index in the set: those that the token names, or
    /// all if it names none, as far as they sign with its algorithm.
    ///
    /// # Errors
    /// [`Rejection::UnknownKey`] if the set has no key of the token's name; a newer set may have it.
    /// [`Rejection::KeyType`] if no key signs with the algorithm. [`Rejection::KeyId`] if more than [`MAX_CANDIDATES`]
    /// keys are left.
    pub fn candidates(&self, token: &Token<'_>) -> Result<Vec<(usize, &Jwk)>, Rejection> {
        let named = |jwk: &Jwk| token.kid.is_none() || jwk.kid == token.kid;
        let known = || self.0.iter().enumerate().filter(|(_, jwk)| named(jwk));
        // A set may contain keys of different types under one `kid`.
        let fitting: Vec<_> = known().filter(|(_, jwk)| jwk.algorithms.contains(&token.algorithm)).collect();
        match fitting.len() {
            0 if known().next().is_none() => Err(Rejection::UnknownKey),
            0 => Err(Rejection::KeyType),
            1..=MAX_CANDIDATES => Ok(fitting),
            _ => Err(Rejection::KeyId),
        }
    }
}

impl Jwk {
    /// Reads a public key that verifies signatures here.
    pub(super) fn read(value: &Value) -> Option<Self> {
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        let bytes = |name: &str| URL_SAFE_NO_PAD.decode(text(name)?).ok();
        let signs = value.get("use").is_none_or(|purpose| purpose == "sig");
        let has = |purposes: &Vec<Value>| purposes.iter().any(|purpose| purpose == "verify");
        let verifies = value.get("key_ops").is_none_or(|purposes| purposes.as_array().is_some_and(has));
        let (kty, crv) = (text("kty")?, text("crv"));
        let (algorithms, members): (&'static [Algorithm], &[&str]) = match (kty, crv) {
            ("RSA", _) if bytes("n")?.len() >= MIN_MODULUS => {
                (&[Algorithm::Rs256, Algorithm::Ps256], &["e", "kty", "n"])
            }
            ("EC", Some("P-256")) => (&[Algorithm::Es256], &["crv", "kty", "x", "y"]),
            ("EC", Some("P-384")) => (&[Algorithm::Es384], &["crv", "kty", "x", "y"]),
            ("OKP", Some("Ed25519")) => (&[Algorithm::EdDsa], &["crv", "kty", "x"]),
            _ => return None,
        };
        let algorithms = match value.get("alg") {
            None => algorithms,
            Some(alg) => {
                let named = alg.as_str().and_then(Algorithm::named)?;
                std::slice::from_ref(algorithms.iter().find(|algorithm| **algorithm == named)?)
            }
        };
        let mut public = Vec::new();
        let mut object = Object::open(&mut public);
        for name in members {
            object.text(name, text(name)?);
        }
        object.close();
        let public = String::from_utf8(public).ok()?;
        (signs && verifies).then(|| Self { kid: text("kid").map(str::to_owned), algorithms, public })
    }

    /// Returns the thumbprint of the key (RFC 7638), as a token names it under `jkt`.
    pub(super) fn thumbprint(&self) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::digest(&self.public))
    }
}
