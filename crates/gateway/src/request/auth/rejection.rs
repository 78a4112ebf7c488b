//! The reasons why a bearer token is rejected, and the error responses for them.

use std::fmt;

use http::{Request, StatusCode};

use crate::{
    config::Auth,
    protocol::error::RpcError,
    request::auth::{
        challenge::{Presented, challenge},
        proof_error::ProofError,
    },
};

/// The reason why an access token is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rejection {
    /// A token is required and missing.
    Missing,
    /// The `Authorization` header, or the header of an issuer, does not hold one token.
    Scheme,
    /// The token is longer than [`MAX_TOKEN`](crate::request::auth::token::MAX_TOKEN).
    TooLarge,
    /// The token is not a signed JWT.
    Malformed,
    /// The token is unsigned, or signed with an algorithm that is not accepted.
    Algorithm,
    /// The token has header parameters that change its meaning (`crit`, `zip`, `b64`), none of which is supported.
    Critical,
    /// The token is of another kind (`typ`) than an access token.
    Kind,
    /// More keys fit the token than are tried
    /// ([`MAX_CANDIDATES`](crate::request::auth::jwks::MAX_CANDIDATES)).
    KeyId,
    /// The key that the token names is not in the set.
    UnknownKey,
    /// No key of the set that the token can mean is for its algorithm.
    KeyType,
    /// The signature does not verify with that key.
    Signature,
    /// The token is from another issuer.
    Issuer,
    /// The token is for another audience.
    Audience,
    /// The token has expired, or has no expiry.
    Expired,
    /// The token is not valid yet.
    NotYetValid,
    /// The token has no subject.
    Subject,
    /// The token is bound to a key of its sender (`cnf`), and was sent without a proof of that key, or is bound in a way
    /// that cannot be verified.
    Bound,
    /// The proof of the key that a token is bound to (RFC 9449) is rejected.
    Proof(ProofError),
    /// The authorization server says that the token is not active (RFC 7662).
    Inactive,
    /// The token lacks a required scope.
    Scope,
}

impl Rejection {
    /// Returns the stable code, which `error.data.reason` and the operator's log contain.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Missing => "token_missing",
            Self::Scheme => "token_scheme",
            Self::TooLarge => "token_too_large",
            Self::Malformed => "token_malformed",
            Self::Algorithm => "token_algorithm",
            Self::Critical => "token_critical",
            Self::Kind => "token_type",
            Self::KeyId => "token_key_id",
            Self::UnknownKey => "token_key_unknown",
            Self::KeyType => "token_key_type",
            Self::Signature => "token_signature",
            Self::Issuer => "token_issuer",
            Self::Audience => "token_audience",
            Self::Expired => "token_expired",
            Self::NotYetValid => "token_not_yet_valid",
            Self::Subject => "token_subject",
            Self::Bound => "token_bound",
            Self::Proof(_) => "token_proof",
            Self::Inactive => "token_inactive",
            Self::Scope => "token_scope",
        }
    }

    /// Returns the error response to `request` for a bearer token, with a challenge that points to the authorization
    /// servers.
    pub fn failure<B>(self, auth: &Auth, request: &Request<B>) -> RpcError {
        self.presented(auth, Presented::default(), request)
    }

    /// Returns the error response to `request` for a token that was presented in this way.
    pub(crate) fn presented<B>(
        self,
        auth: &Auth,
        presented: Presented<'_>,
        request: &Request<B>,
    ) -> RpcError {
        let (status, error) = match self {
            Self::Missing => (StatusCode::UNAUTHORIZED, None),
            Self::Scope => (StatusCode::FORBIDDEN, Some("insufficient_scope")),
            Self::Proof(_) => (StatusCode::UNAUTHORIZED, Some("invalid_dpop_proof")),
            _ => (StatusCode::UNAUTHORIZED, Some("invalid_token")),
        };
        // A token that is bound to a key is worth something in the other scheme.
        let presented = Presented { proof: presented.proof || self == Self::Bound, ..presented };
        let failure = |status| RpcError::request(status, self.code(), self.to_string()).denied(self.code());
        match challenge(auth, presented, request, error) {
            Some(challenge) => failure(status).challenged(challenge),
            // A 401 needs a challenge, and none can ask for a header that another system sets.
            None => failure(StatusCode::FORBIDDEN),
        }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Proof(error) => return error.fmt(f),
            Self::Missing => "a bearer token is required",
            Self::Scheme => "expected a bearer token",
            Self::TooLarge => "the token is too long",
            Self::Malformed => "the token is not a signed JWT",
            Self::Algorithm => "the token is not signed by RS256, PS256, ES256, ES384 or EdDSA",
            Self::Critical => {
                "the token has `crit`, `zip` or `b64` in its header, expected a token without such parameters"
            }
            Self::Kind => "the token is no access token, expected `typ` as `JWT` or `at+jwt`, or none",
            Self::KeyId => {
                "too many keys of its issuer fit the token, expected one that names its key in `kid`"
            }
            Self::UnknownKey => "the token names a key that its issuer does not publish",
            Self::KeyType => "no key of the issuer fits the algorithm of the token",
            Self::Signature => "the token's signature is invalid",
            Self::Issuer => "the token comes from another issuer",
            Self::Audience => "the token is for another server",
            Self::Expired => "the token has expired, or has no `exp`",
            Self::NotYetValid => "the token is not valid yet",
            Self::Subject => "the token has no subject, expected `sub`",
            Self::Bound => {
                "the token is bound to a key of its sender (`cnf`), expected the scheme `DPoP` with a proof of this key; other \
                 bindings cannot be verified here"
            }
            Self::Inactive => "the token is not active, says its issuer",
            Self::Scope => "the token lacks a scope",
        })
    }
}
