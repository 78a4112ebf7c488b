//! Authentication by the bearer token of a request: one that the operator issued, or one that an authorization
//! server signed.

mod keys;
mod operator_tokens;
mod signature;

use std::borrow::Cow;

use http::{HeaderMap, Request, header};
use mcp_sieve::{
    config::{Auth, Config},
    mcp::{
        RpcError,
        auth::{Rejection, Token, admit},
    },
};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use worker::{Date, Env};

use keys::Keys;
pub(crate) use operator_tokens::OperatorTokens;

/// What a verified token says of its bearer.
pub(crate) type Claims<'a> = Cow<'a, Map<String, Value>>;

/// The tokens and keys by which callers are identified.
#[derive(Debug, Default)]
pub(crate) struct Identity {
    tokens: OperatorTokens,
    keys: Keys,
}

impl Identity {
    pub fn new(tokens: OperatorTokens) -> Self {
        Self { tokens, keys: Keys::default() }
    }

    /// Returns the claims of the caller; `None` for a caller that shows no token and needs none.
    ///
    /// # Errors
    /// 401 and 403 for a token that is refused, 503 if the keys to verify one cannot be fetched.
    pub async fn of<B>(
        &self,
        env: &Env,
        config: &Config,
        request: &Request<B>,
    ) -> Result<Option<Claims<'_>>, RpcError> {
        let headers = request.headers();
        let Some(auth) = &config.auth else { return Ok(self.tokens.claims(headers)?.map(Cow::Borrowed)) };
        if !headers.contains_key(header::AUTHORIZATION) {
            return admit(config, request, None);
        }
        let refused = |refusal: Rejection| refusal.failure(auth, request);
        let token = bearer(headers).ok_or_else(|| refused(Rejection::Scheme))?;
        if let Some(claims) = self.tokens.find(token) {
            return Ok(Some(Cow::Borrowed(claims)));
        }
        let token = Token::read(token).map_err(refused)?;
        self.verify(env, auth, &token).await?.map_err(refused)?;
        token.claims(auth, Date::now().as_millis()).map(|claims| Some(Cow::Owned(claims))).map_err(refused)
    }

    /// Whether the operator has handed out tokens.
    pub fn takes_tokens(&self) -> bool {
        !self.tokens.is_empty()
    }

    /// Whether a token is signed with a key of its issuer.
    async fn verify(
        &self,
        env: &Env,
        auth: &Auth,
        token: &Token<'_>,
    ) -> Result<Result<(), Rejection>, RpcError> {
        let mut set = self.keys.get(env, &auth.jwks, false).await?;
        // It may be signed with a key that was made since.
        if set.jwks.find(token) == Err(Rejection::UnknownKey) {
            set = self.keys.get(env, &auth.jwks, true).await?;
        }
        Ok(match set.jwks.find(token) {
            Ok((at, jwk)) if set.verify(at, jwk, token).await => Ok(()),
            Ok(_) => Err(Rejection::Signature),
            Err(refusal) => Err(refusal),
        })
    }
}

/// The bearer token of a request.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut sent = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(authorization), None) = (sent.next(), sent.next()) else { return None };
    let (scheme, token) = authorization.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// A SHA-256 in hex.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
