//! Authentication of callers by access tokens, the errors for rejected tokens, and the metadata that points clients to
//! the authorization servers (RFC 9728).
//!
//! An [`Authenticator`] accepts tokens that the operator issued ([`OperatorTokens`]) and those of authorization servers:
//! signed ones (JWT, RFC 7519), and opaque ones that their server judges (RFC 7662). The platform fetches keys, asks
//! servers and verifies signatures ([`KeyProvider`]); this module does the rest. It parses a [`Token`], finds its key in
//! the [`Jwks`] of its issuer and lets the platform verify the signature. Then it checks that the token is valid for this
//! server at this time, and that its sender has the key to which it is bound (RFC 9449).

pub(crate) mod algorithm;
pub(crate) mod authenticator;
pub(crate) mod challenge;
pub(crate) mod claims;
pub(crate) mod introspected;
pub(crate) mod jwks;
pub(crate) mod key_cache;
pub(crate) mod keys;
pub(crate) mod operator_tokens;
pub(crate) mod proof;
pub(crate) mod proof_error;
pub(crate) mod rejection;
pub(crate) mod token;
pub(crate) mod used_proofs;
pub(crate) mod verified_claims;

pub use algorithm::Algorithm;
pub use authenticator::Authenticator;
pub use challenge::{METADATA_PATH, admit, metadata, no_metadata};
pub use introspected::{MAX_INTROSPECTED, MAX_INTROSPECTION, introspection_request};
pub use jwks::{Jwk, Jwks, JwksError, MAX_CANDIDATES, MAX_JWKS};
pub use key_cache::KeyCache;
pub use keys::{FetchedKeys, KeyProvider};
pub use operator_tokens::{OperatorTokens, bearer_token};
pub use proof_error::ProofError;
pub use rejection::Rejection;
pub use token::{MAX_TOKEN, Token};
pub use used_proofs::MAX_USED_PROOFS;
pub use verified_claims::{open_claims, seal_claims};
