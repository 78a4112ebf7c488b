//! The Durable Object of one session of the session era, or of suspended calls; one more keeps the signing key.
#![expect(missing_docs, reason = "what `durable_object` writes for JavaScript carries no documentation")]

use std::{cell::OnceCell, rc::Rc, time::Duration};

use mcp_sieve::mcp::{SESSION_HEADER, SessionStreams, SuspendedCalls};
use worker::{DurableObject, Env, Method, Request, Response, Result, State, Storage, durable_object};

use super::{
    event_log::SqlEventLog,
    suspended_calls::{self, SUSPENDED_PATH},
};
use crate::{
    http::mcp,
    signing_key::{self, KEY_PATH},
};

/// How long a session lasts. A client whose session has gone is told so, and initializes again.
const SESSION_TTL: Duration = Duration::from_secs(24 * 60 * 60);
/// The path at which a session is read, written and ended.
pub(crate) const SESSION_PATH: &str = "/session";
const KEY_BYTES: usize = 32;
const SESSION: &str = "session";
const KEY: &str = "key";

/// One session, suspended calls, or the key. Requests that name a session are its client's, and are answered here;
/// of the others, at the path of the session `GET` reads what it remembers, `PUT` writes and `DELETE` ends.
#[durable_object(alarm)]
#[derive(Debug)]
pub struct SessionObject {
    env: Env,
    home: Rc<Home>,
    suspended: OnceCell<Rc<SuspendedCalls>>,
}

/// The place where a session lives.
#[derive(Debug)]
pub(crate) struct Home {
    storage: Storage,
    events: SqlEventLog,
    pub live: Rc<SessionStreams>,
}

impl DurableObject for SessionObject {
    fn new(state: State, env: Env) -> Self {
        let events = SqlEventLog::new(state.storage().sql());
        let live = SessionStreams::new(events.clone());
        Self {
            env,
            home: Rc::new(Home { storage: state.storage(), events, live }),
            suspended: OnceCell::new(),
        }
    }

    async fn fetch(&self, mut request: Request) -> Result<Response> {
        let home = &self.home;
        match (request.path().as_str(), request.method()) {
            // A client's path may come here as another than it went by: runtimes resolve its dots on the way.
            _ if request.headers().has(SESSION_HEADER)? => {
                mcp::answer(request, &self.env, Rc::clone(home)).await
            }
            (SUSPENDED_PATH, Method::Post) => {
                let name = request.headers().get(suspended_calls::NAME)?.unwrap_or_default();
                mcp::answer_suspended(request, &self.env, self.suspended(name)).await
            }
            (KEY_PATH, Method::Get) => Response::from_bytes(self.key().await?),
            (SESSION_PATH, Method::Get) => match home.load().await? {
                Some(session) => Response::ok(session),
                None => Response::error("no session", 404),
            },
            (SESSION_PATH, Method::Put) => {
                home.save(request.text().await?).await?;
                Response::empty()
            }
            (SESSION_PATH, Method::Delete) if home.end().await? => Response::empty(),
            _ => Response::error("no session", 404),
        }
    }

    async fn alarm(&self) -> Result<Response> {
        self.home.end().await?;
        Response::empty()
    }
}

impl Home {
    pub async fn load(&self) -> Result<Option<String>> {
        self.storage.get::<String>(SESSION).await
    }

    /// Keeps a session; it lasts from now on.
    pub async fn save(&self, session: String) -> Result<()> {
        self.storage.put(SESSION, session).await?;
        self.storage.set_alarm(SESSION_TTL).await
    }

    /// Ends the session with all that is under way; false if there is none.
    pub async fn end(&self) -> Result<bool> {
        self.live.end();
        let held = self.load().await?.is_some();
        self.storage.delete_alarm().await?;
        self.storage.delete_all().await?;
        self.events.forget_tables();
        Ok(held)
    }
}

impl SessionObject {
    /// The calls that wait here. An object has one name for as long as it lives.
    fn suspended(&self, name: String) -> Rc<SuspendedCalls> {
        Rc::clone(self.suspended.get_or_init(|| Rc::new(SuspendedCalls::new(name))))
    }

    /// The key, made when it is first asked for: an operator who sets none still gets tokens that every
    /// isolate can open.
    async fn key(&self) -> Result<Vec<u8>> {
        if let Some(key) = self.home.storage.get::<Vec<u8>>(KEY).await? {
            return Ok(key);
        }
        let key = signing_key::random::<KEY_BYTES>()?.to_vec();
        self.home.storage.put(KEY, &key).await?;
        Ok(key)
    }
}
