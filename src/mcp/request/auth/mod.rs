//! Who asks: bearer tokens that an authorization server signed (JWT, RFC 7519), what becomes of those that are
//! refused, and where a client that has none is sent (RFC 9728).
//!
//! Signatures are checked by the platform, whose cryptography is its own; everything else about a token is
//! decided here. A [`Token`] is read, its key is found in the [`Jwks`], the platform says whether the signature is
//! that key's, and [`Token::claims`] gives what it says if it is meant for this server and this time.

pub(crate) mod challenge;
pub(crate) mod jwks;
pub(crate) mod key_cache;
pub(crate) mod rejection;
pub(crate) mod token;
pub(crate) mod verified_claims;

pub use crate::mcp::request::auth::challenge::{METADATA_PATH, admit, metadata, no_metadata};
pub use crate::mcp::request::auth::jwks::{Jwk, Jwks, MAX_JWKS};
pub use crate::mcp::request::auth::key_cache::KeyCache;
pub use crate::mcp::request::auth::rejection::Rejection;
pub use crate::mcp::request::auth::token::{Algorithm, MAX_TOKEN, Token};
pub use crate::mcp::request::auth::verified_claims::{open_claims, seal_claims};
