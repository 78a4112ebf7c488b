//! Authenticates callers by bearer token: operator tokens, or tokens of the authorization server.

use std::{borrow::Cow, rc::Rc};

use futures_util::FutureExt;
use http::{Request, header};
use serde_json::{Map, Value};

use crate::{
    config::{Auth, Config},
    protocol::error::RpcError,
    request::auth::{
        challenge::admit,
        keys::{KeyProvider, KeySet, Keys},
        operator_tokens::{OperatorTokens, bearer_token},
        rejection::Rejection,
        token::Token,
    },
};

/// Authenticates callers by the bearer token of a request: one that the operator issued, or one that the authorization
/// server signed. `I` is the platform's form of keys ([`KeyProvider::Imported`]).
#[derive(Debug)]
pub struct Authenticator<I> {
    tokens: OperatorTokens,
    keys: Keys<I>,
}

impl<I: Default> Authenticator<I> {
    /// Creates an authenticator that accepts these tokens of the operator.
    pub fn new(tokens: OperatorTokens) -> Self {
        Self { tokens, keys: Keys::default() }
    }

    /// Returns whether the operator issued tokens.
    pub fn has_operator_tokens(&self) -> bool {
        !self.tokens.is_empty()
    }

    /// Returns the claims of the caller; `None` for a request without a token if none is required.
    ///
    /// The operator's tokens are checked first, then those of the authorization server. The form of a token is checked
    /// before its key is looked up, and its signature before its claims.
    ///
    /// # Errors
    /// 401 and 403 for a token that is rejected, 503 if the keys to verify one cannot be fetched.
    pub async fn authenticate<P: KeyProvider<Imported = I>, B>(
        &self,
        provider: &P,
        config: &Config,
        request: &Request<B>,
    ) -> Result<Option<Cow<'_, Map<String, Value>>>, RpcError> {
        let headers = request.headers();
        let Some(auth) = &config.auth else { return Ok(self.tokens.claims(headers)?.map(Cow::Borrowed)) };
        if !headers.contains_key(header::AUTHORIZATION) {
            return admit(config, request, None);
        }
        // Boxed as a function of its own, which a new process compiles only when a request carries a token.
        self.authenticate_bearer(provider, auth, request).boxed_local().await
    }

    /// Returns the claims of the bearer token that a request carries.
    async fn authenticate_bearer<P: KeyProvider<Imported = I>, B>(
        &self,
        provider: &P,
        auth: &Auth,
        request: &Request<B>,
    ) -> Result<Option<Cow<'_, Map<String, Value>>>, RpcError> {
        let headers = request.headers();
        let refused = |rejection: Rejection| rejection.failure(auth, request);
        let token = bearer_token(headers).ok_or_else(|| refused(Rejection::Scheme))?;
        if let Some(claims) = self.tokens.find(token) {
            return Ok(Some(Cow::Borrowed(claims)));
        }
        let token = Token::read(token).map_err(refused)?;
        self.verify(provider, auth, &token).await?.map_err(refused)?;
        token.claims(auth, provider.now()).map(|claims| Some(Cow::Owned(claims))).map_err(refused)
    }

    /// Checks that a token is signed with a key of its issuer.
    async fn verify<P: KeyProvider<Imported = I>>(
        &self,
        provider: &P,
        auth: &Auth,
        token: &Token<'_>,
    ) -> Result<Result<(), Rejection>, RpcError> {
        let set = self.keys.get(provider, &auth.jwks, false).await?;
        let verified = verify_with(provider, &set, token).await;
        // The key may be newer than the cached set. If the token names no key, only its signature shows that.
        let renews = match verified {
            Err(Rejection::UnknownKey) => true,
            Err(Rejection::KeyType | Rejection::Signature) => token.kid.is_none(),
            _ => false,
        };
        if !renews {
            return Ok(verified);
        }
        let renewed = self.keys.get(provider, &auth.jwks, true).await?;
        Ok(if Rc::ptr_eq(&set, &renewed) { verified } else { verify_with(provider, &renewed, token).await })
    }
}

/// Checks that a token is signed with a key of a set.
async fn verify_with<P: KeyProvider>(
    provider: &P,
    set: &KeySet<P::Imported>,
    token: &Token<'_>,
) -> Result<(), Rejection> {
    for (index, key) in set.jwks.candidates(token)? {
        if provider.verify(&set.imported, index, key, token).await {
            return Ok(());
        }
    }
    Err(Rejection::Signature)
}
