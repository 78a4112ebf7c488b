//! The reasons why the proof of a key is rejected.

use std::fmt;

/// The reason why a proof is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProofError {
    /// The request has no proof, or several.
    Missing,
    /// The proof is not a signed JWT with the claims of a proof.
    Malformed,
    /// The header of the proof has another `typ`.
    Kind,
    /// The proof is signed with an algorithm that is not accepted.
    Algorithm,
    /// The header has no public key that fits the algorithm.
    Key,
    /// The header contains a private key.
    PrivateKey,
    /// The proof is for another HTTP method.
    Method,
    /// The proof is for another URL.
    Url,
    /// The proof was not made just now.
    Time,
    /// The proof is for another token.
    Token,
    /// The signature does not verify with the key of the proof.
    Signature,
    /// The token is bound to another key.
    OtherKey,
    /// The token is bound to no key.
    Unbound,
    /// The proof was used before.
    Replayed,
}

impl fmt::Display for ProofError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "expected one header `DPoP` with a proof beside the token",
            Self::Malformed => "the proof is not a signed JWT with `htm`, `htu`, `iat`, `jti` and `ath`",
            Self::Kind => "the header of the proof has another `typ` than `dpop+jwt`",
            Self::Algorithm => "the proof is not signed by RS256, PS256, ES256, ES384 or EdDSA",
            Self::Key => "the header of the proof has no public key (`jwk`) for its algorithm",
            Self::PrivateKey => "the header of the proof contains a private key, expected the public key alone",
            Self::Method => "the proof is for another method (`htm`)",
            Self::Url => "the proof is for another URL (`htu`), expected that of the request without query and fragment",
            Self::Time => "the proof was not made just now (`iat`), check the clock of the client",
            Self::Token => "the proof is for another token (`ath`)",
            Self::Signature => "the signature of the proof is invalid",
            Self::OtherKey => "the token is bound to another key than that of the proof",
            Self::Unbound => "the token is bound to no key (`cnf`), expected it as a bearer token",
            Self::Replayed => "the proof was used before, expected a new one for each request",
        })
    }
}
