//! Fetches and caches the keys of an authorization server.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use http::StatusCode;

use crate::{
    config::{Introspection, KeySource},
    protocol::error::RpcError,
    request::auth::{
        jwks::{Jwk, Jwks},
        key_cache::KeyCache,
        token::Token,
    },
};

/// Delay, in seconds, after which a client may retry while no keys can be fetched.
pub(super) const RETRY_AFTER_S: u64 = 30;

/// Key fetching, introspection and signature verification, which the platform provides.
#[expect(async_fn_in_trait, reason = "requests are answered on the thread they came in on")]
pub trait KeyProvider {
    /// The keys of one set in the platform's own form, to import each at most once.
    type Imported: Default;

    /// Returns the time in milliseconds since 1970.
    fn now(&self) -> u64;

    /// Fetches a key set.
    ///
    /// # Errors
    /// The reason why it cannot be fetched, as a message for the operator.
    async fn fetch(&self, source: &KeySource) -> Result<FetchedKeys, String>;

    /// Returns whether the signature of `token` was made with the key at `index` of its set.
    async fn verify(&self, imported: &Self::Imported, index: usize, key: &Jwk, token: &Token<'_>) -> bool;

    /// Asks an authorization server about a token (RFC 7662), and returns the body of its response. The token must not
    /// appear in any message. At most one byte more than
    /// [`MAX_INTROSPECTION`](crate::auth::MAX_INTROSPECTION) is read.
    ///
    /// # Errors
    /// The reason why it cannot be asked, as a message for the operator.
    async fn introspect(&self, endpoint: &Introspection, token: &str) -> Result<Vec<u8>, String>;

    /// Reports a problem to the operator.
    fn note(&self, note: &str);
}

/// A key set as it was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedKeys {
    /// The JSON of the set.
    pub json: Vec<u8>,
    /// `Cache-Control` of the response, if there was one.
    pub cache_control: Option<String>,
}

/// A key set and the platform's imported form of its keys.
#[derive(Debug)]
pub(crate) struct KeySet<I> {
    pub jwks: Jwks,
    pub imported: I,
}

/// A cache of the keys of one authorization server.
#[derive(Debug)]
pub(crate) struct Keys<I> {
    cache: Cell<KeyCache>,
    set: RefCell<Option<Rc<KeySet<I>>>>,
}

impl<I> Default for Keys<I> {
    fn default() -> Self {
        Self { cache: Cell::default(), set: RefCell::default() }
    }
}

impl<I: Default> Keys<I> {
    /// Returns the keys. They are fetched if they are stale or `renew` is set, but no more often than [`KeyCache`]
    /// allows.
    ///
    /// # Errors
    /// 503 if there is no usable key set.
    pub async fn get<P: KeyProvider<Imported = I>>(
        &self,
        provider: &P,
        source: &KeySource,
        renew: bool,
    ) -> Result<Rc<KeySet<I>>, RpcError> {
        let now = provider.now();
        let (held, mut cache) = (self.set.borrow().clone(), self.cache.get());
        let settled = matches!(source, KeySource::Inline(_)) || (cache.is_fresh(now) && !renew);
        if let Some(set) = held.filter(|_| settled) {
            return Ok(set);
        }
        let may_fetch = cache.begin_fetch(now);
        self.cache.set(cache);
        let fetched = match may_fetch {
            true => fetch(provider, source).await,
            false => Err("they were requested a moment ago".to_owned()),
        };
        // Another request may have fetched them meanwhile.
        let mut cache = self.cache.get();
        match fetched {
            Ok((jwks, cache_control)) => {
                cache.record_fetch(now, cache_control.as_deref());
                self.cache.set(cache);
                let set = Rc::new(KeySet { jwks, imported: I::default() });
                self.set.replace(Some(Rc::clone(&set)));
                Ok(set)
            }
            Err(problem) => {
                if may_fetch {
                    provider.note(&format!("the keys of the authorization server: {problem}"));
                    cache.record_failure(now);
                    self.cache.set(cache);
                }
                let held = self.set.borrow().clone().filter(|_| cache.is_usable(now));
                held.ok_or_else(|| {
                    let message = "the keys of the authorization server cannot be loaded";
                    let failure = RpcError::internal("jwks", message).retry_after(RETRY_AFTER_S);
                    failure.under(StatusCode::SERVICE_UNAVAILABLE)
                })
            }
        }
    }
}

async fn fetch<P: KeyProvider>(provider: &P, source: &KeySource) -> Result<(Jwks, Option<String>), String> {
    let FetchedKeys { json, cache_control } = provider.fetch(source).await?;
    Ok((Jwks::parse(&json).map_err(|error| error.to_string())?, cache_control))
}
