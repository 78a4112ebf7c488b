use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    time::Duration,
};

use futures_util::{
    StreamExt,
    future::{Either, select},
};
use http::{Request, StatusCode, header};
use mcp_sieve::{
    config::KeySource,
    mcp::{
        RpcError,
        auth::{Jwks, KeyCache, MAX_JWKS},
        upstream::Fetch,
    },
};
use worker::{Date, Delay, Env};

use super::signature::KeySet;
use crate::{console, fetch::EdgeFetch};

/// How long the authorization server may take to say which keys it has.
const PATIENCE: Duration = Duration::from_secs(5);
/// The KV namespace.
const NAMESPACE: &str = "SIEVE_JWKS";
/// Seconds after which it is worth asking again, where no keys can be had.
const AGAIN_S: u64 = 30;

/// The keys of the authorization server, for as long as they are good.
#[derive(Debug, Default)]
pub(super) struct Keys {
    life: Cell<KeyCache>,
    set: RefCell<Option<Rc<KeySet>>>,
}

impl Keys {
    /// The keys, got anew where they are stale or `renew` wants them so, and no oftener than [`KeyCache`] lets.
    ///
    /// # Errors
    /// 503 where there are none.
    pub async fn get(&self, env: &Env, source: &KeySource, renew: bool) -> Result<Rc<KeySet>, RpcError> {
        let now = Date::now().as_millis();
        let (held, mut life) = (self.set.borrow().clone(), self.life.get());
        let settled = matches!(source, KeySource::Inline(_)) || (life.fresh(now) && !renew);
        if let Some(set) = held.as_ref().filter(|_| settled) {
            return Ok(Rc::clone(set));
        }
        let asks = life.ask(now);
        self.life.set(life);
        let got = match asks {
            true => load(env, source).await,
            false => Err("they were asked for a moment ago".to_owned()),
        };
        // Another request may have got them meanwhile.
        let mut life = self.life.get();
        match got {
            Ok((set, kept)) => {
                life.come(now, kept.as_deref());
                self.life.set(life);
                let set = Rc::new(set);
                self.set.replace(Some(Rc::clone(&set)));
                Ok(set)
            }
            Err(problem) => {
                if asks {
                    console::warn(&format!("the keys of the authorization server: {problem}"));
                    life.failed(now);
                    self.life.set(life);
                }
                let held = self.set.borrow().clone().filter(|_| life.good(now));
                held.ok_or_else(|| {
                    let message = "the keys of the authorization server cannot be had";
                    let failure = RpcError::internal("jwks", message).retry_after(AGAIN_S);
                    failure.under(StatusCode::SERVICE_UNAVAILABLE)
                })
            }
        }
    }
}

/// A key set from where it is, and what its server says of keeping it.
async fn load(env: &Env, source: &KeySource) -> Result<(KeySet, Option<String>), String> {
    let (bytes, kept) = match source {
        KeySource::Inline(source) => (source.clone().into_bytes(), None),
        KeySource::Kv(name) => {
            let namespace = env.kv(NAMESPACE).map_err(|error| format!("{NAMESPACE}: {error}"))?;
            let found = namespace.get(name).bytes().await.map_err(|error| format!("{NAMESPACE}: {error}"))?;
            (found.ok_or_else(|| format!("{NAMESPACE} has no `{name}`"))?, None)
        }
        KeySource::Url(url) => {
            let fetched = Box::pin(fetch(url));
            match select(fetched, Delay::from(PATIENCE)).await {
                Either::Left((fetched, _)) => fetched?,
                Either::Right(_) => return Err(format!("{url} takes longer than {PATIENCE:?}")),
            }
        }
    };
    Ok((KeySet::new(Jwks::parse(&bytes)?), kept))
}

async fn fetch(url: &str) -> Result<(Vec<u8>, Option<String>), String> {
    let request = Request::get(url).header(header::ACCEPT, "application/jwk-set+json, application/json");
    let request = request.body(Vec::new()).map_err(|error| error.to_string())?;
    let lost = |_| format!("{url} cannot be reached");
    let response = EdgeFetch::default().fetch(request).await.map_err(lost)?;
    if response.status() != StatusCode::OK {
        return Err(format!("{url} answers {}", response.status()));
    }
    let (head, mut chunks) = response.into_parts();
    let mut body = Vec::new();
    while let Some(chunk) = chunks.next().await {
        body.extend_from_slice(&chunk.map_err(lost)?);
        // One byte over is enough to be refused.
        if body.len() > MAX_JWKS {
            break;
        }
    }
    let kept = head.headers.get(header::CACHE_CONTROL).and_then(|value| value.to_str().ok());
    Ok((body, kept.map(str::to_owned)))
}
