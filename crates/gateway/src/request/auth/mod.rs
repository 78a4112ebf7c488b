//! Authentication of callers by bearer tokens, the errors for rejected tokens, and the metadata that points clients to
//! the authorization server (RFC 9728).
//!
//! An [`Authenticator`] accepts tokens that the operator issued ([`OperatorTokens`]) and those that an authorization
//! server signed (JWT, RFC 7519). The platform fetches keys and verifies signatures ([`KeyProvider`]); this module does
//! the rest. It parses a [`Token`], finds its key in the [`Jwks`] and lets the platform verify the signature. Then
//! [`Token::claims`] returns the claims if the token is valid for this server at this time.

pub(crate) mod authenticator;
pub(crate) mod challenge;
pub(crate) mod jwks;
pub(crate) mod key_cache;
pub(crate) mod keys;
pub(crate) mod operator_tokens;
pub(crate) mod rejection;
pub(crate) mod token;
pub(crate) mod verified_claims;

pub use authenticator::Authenticator;
pub use challenge::{METADATA_PATH, admit, metadata, no_metadata};
pub use jwks::{Jwk, Jwks, JwksError, MAX_CANDIDATES, MAX_JWKS};
pub use key_cache::KeyCache;
pub use keys::{FetchedKeys, KeyProvider};
pub use operator_tokens::{OperatorTokens, bearer_token};
pub use rejection::Rejection;
pub use token::{Algorithm, MAX_TOKEN, Token};
pub use verified_claims::{open_claims, seal_claims};
