use std::fmt;

use http::{Request, StatusCode};

use crate::{
    config::Auth,
    mcp::{protocol::error::RpcError, request::auth::challenge::challenge},
};

/// Why a bearer token is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rejection {
    /// There is none, and there has to be.
    Missing,
    /// What is there is no bearer token.
    Scheme,
    /// It is longer than [`MAX_TOKEN`](crate::mcp::request::auth::token::MAX_TOKEN).
    TooLarge,
    /// It is no signed JWT.
    Malformed,
    /// It is signed by something that is not taken, or not at all.
    Algorithm,
    /// It wants something understood that nothing here understands.
    Critical,
    /// It does not say which key it is signed with, and there are several.
    KeyId,
    /// The key that it names is not in the set.
    UnknownKey,
    /// The key that it names signs by something else.
    KeyType,
    /// The signature is not that key's.
    Signature,
    /// It is of another issuer.
    Issuer,
    /// It is meant for another server.
    Audience,
    /// It has expired, or never does.
    Expired,
    /// It is not good yet.
    NotYetValid,
    /// It is about nobody.
    Subject,
    /// It lacks a scope.
    Scope,
}

impl Rejection {
    /// The stable code, in `error.data.reason` and in the operator's log.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Missing => "token_missing",
            Self::Scheme => "token_scheme",
            Self::TooLarge => "token_too_large",
            Self::Malformed => "token_malformed",
            Self::Algorithm => "token_algorithm",
            Self::Critical => "token_critical",
            Self::KeyId => "token_key_id",
            Self::UnknownKey => "token_key_unknown",
            Self::KeyType => "token_key_type",
            Self::Signature => "token_signature",
            Self::Issuer => "token_issuer",
            Self::Audience => "token_audience",
            Self::Expired => "token_expired",
            Self::NotYetValid => "token_not_yet_valid",
            Self::Subject => "token_subject",
            Self::Scope => "token_scope",
        }
    }

    /// What `request` is answered, with where to get a token that will do.
    pub fn failure<B>(self, auth: &Auth, request: &Request<B>) -> RpcError {
        let (status, error) = match self {
            Self::Missing => (StatusCode::UNAUTHORIZED, None),
            Self::Scope => (StatusCode::FORBIDDEN, Some("insufficient_scope")),
            _ => (StatusCode::UNAUTHORIZED, Some("invalid_token")),
        };
        let failure = RpcError::request(status, self.code(), self.to_string()).denied(self.code());
        failure.challenged(challenge(auth, request, error))
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "a bearer token is required",
            Self::Scheme => "expected a bearer token",
            Self::TooLarge => "the token is too long",
            Self::Malformed => "the token is not a signed JWT",
            Self::Algorithm => "the token is not signed by RS256, ES256 or EdDSA",
            Self::Critical => "the token has critical parameters that are not supported",
            Self::KeyId => "the token does not name its key, and there are several",
            Self::UnknownKey => "the token names a key that its issuer does not publish",
            Self::KeyType => "the key that the token names is for another algorithm",
            Self::Signature => "the token's signature is invalid",
            Self::Issuer => "the token comes from another issuer",
            Self::Audience => "the token is for another server",
            Self::Expired => "the token has expired",
            Self::NotYetValid => "the token is not valid yet",
            Self::Subject => "the token has no subject, expected `sub`",
            Self::Scope => "the token lacks a scope",
        })
    }
}
