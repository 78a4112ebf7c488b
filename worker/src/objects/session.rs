//! The Durable Object of sessions (revision 2025-11-25) or of suspended calls. One more keeps the signing key.
#![expect(missing_docs, reason = "what `durable_object` writes for JavaScript carries no documentation")]

use std::{cell::OnceCell, rc::Rc};

use mcp_sieve_gateway::{server::SESSION_HEADER, session::SuspendedCalls};
use worker::{DurableObject, Env, Method, Request, Response, Result, State, Storage, durable_object};

use super::{
    session_home::SessionStore,
    suspended_calls::{self, SUSPENDED_PATH},
};
use crate::{
    http::mcp,
    signing_key::{self, KEY_PATH},
};

/// The prefix of the path at which a session is read, written and ended. The session's place in the object follows.
pub(crate) const SESSION_PATH: &str = "/session/";
const KEY_BYTES: usize = 32;
const KEY: &str = "key";

/// Sessions, suspended calls, or the key. Requests with a session header come from the session's client and are
/// answered here. Others read, write or end the session at their path, by `GET`, `PUT` and `DELETE`.
#[durable_object(alarm)]
#[derive(Debug)]
pub struct SessionObject {
    env: Env,
    storage: Storage,
    sessions: SessionStore,
    suspended: OnceCell<Rc<SuspendedCalls>>,
}

impl DurableObject for SessionObject {
    fn new(state: State, env: Env) -> Self {
        let sessions = SessionStore::new(state.storage());
        Self { env, storage: state.storage(), sessions, suspended: OnceCell::new() }
    }

    async fn fetch(&self, mut request: Request) -> Result<Response> {
        let path = request.path();
        match (path.as_str(), request.method()) {
            // A client's path may have changed on the way, since runtimes resolve dot segments.
            _ if request.headers().has(SESSION_HEADER)? => {
                mcp::answer(request, &self.env, &self.sessions).await
            }
            (SUSPENDED_PATH, Method::Post) => {
                let name = request.headers().get(suspended_calls::NAME)?.unwrap_or_default();
                mcp::answer_suspended(request, &self.env, self.suspended(name)).await
            }
            (KEY_PATH, Method::Get) => Response::from_bytes(self.key().await?),
            (path, method) => {
                let place = path.strip_prefix(SESSION_PATH).and_then(|place| place.parse().ok());
                let Some(place) = place else { return no_session() };
                let home = self.sessions.home(place);
                match method {
                    Method::Get => home.load().await?.map_or_else(no_session, Response::ok),
                    Method::Put => {
                        home.save(request.text().await?).await?;
                        Response::empty()
                    }
                    Method::Delete if home.end().await? => Response::empty(),
                    _ => no_session(),
                }
            }
        }
    }

    async fn alarm(&self) -> Result<Response> {
        self.sessions.expire().await?;
        Response::empty()
    }
}

impl SessionObject {
    /// Returns the suspended calls of this object, whose name never changes.
    fn suspended(&self, name: String) -> Rc<SuspendedCalls> {
        Rc::clone(self.suspended.get_or_init(|| Rc::new(SuspendedCalls::new(name))))
    }

    /// Returns the key, which the first request creates. Without it, tokens of an operator who sets no key could be
    /// opened only in the isolate that sealed them.
    async fn key(&self) -> Result<Vec<u8>> {
        if let Some(key) = self.storage.get::<Vec<u8>>(KEY).await? {
            return Ok(key);
        }
        let key = signing_key::random::<KEY_BYTES>()?.to_vec();
        self.storage.put(KEY, &key).await?;
        Ok(key)
    }
}

fn no_session() -> Result<Response> {
    Response::error("no session", 404)
}
