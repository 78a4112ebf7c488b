//! The Durable Object of one legacy session; one more keeps the signing key.
#![expect(missing_docs, reason = "what `durable_object` writes for JavaScript carries no documentation")]

use std::time::Duration;

use worker::{DurableObject, Env, Method, Request, Response, Result, State, Storage, durable_object};

use crate::secret::KEY_PATH;

/// How long a session lasts. A client whose session has gone is told so, and initializes again.
const SESSION_TTL: Duration = Duration::from_secs(24 * 60 * 60);
const KEY_BYTES: usize = 32;
const SESSION: &str = "session";
const KEY: &str = "key";

/// One session, or the key. `GET` reads, `PUT` writes, `DELETE` ends.
#[durable_object]
#[derive(Debug)]
pub struct SessionObject {
    storage: Storage,
}

impl DurableObject for SessionObject {
    fn new(state: State, _: Env) -> Self {
        Self { storage: state.storage() }
    }

    async fn fetch(&self, mut request: Request) -> Result<Response> {
        match request.method() {
            Method::Get if request.path() == KEY_PATH => Response::from_bytes(self.key().await?),
            Method::Get => match self.storage.get::<String>(SESSION).await? {
                Some(session) => Response::ok(session),
                None => Response::error("no session", 404),
            },
            Method::Put => {
                self.storage.put(SESSION, request.text().await?).await?;
                self.storage.set_alarm(SESSION_TTL).await?;
                Response::empty()
            }
            Method::Delete => {
                let held = self.storage.get::<String>(SESSION).await?.is_some();
                self.storage.delete_alarm().await?;
                self.storage.delete_all().await?;
                if held { Response::empty() } else { Response::error("no session", 404) }
            }
            _ => Response::error("expected GET, PUT or DELETE", 405),
        }
    }

    async fn alarm(&self) -> Result<Response> {
        self.storage.delete_all().await?;
        Response::empty()
    }
}

impl SessionObject {
    /// The key, made when it is first asked for: an operator who sets none still gets tokens that every
    /// isolate can open.
    async fn key(&self) -> Result<Vec<u8>> {
        if let Some(key) = self.storage.get::<Vec<u8>>(KEY).await? {
            return Ok(key);
        }
        let key = crate::secret::random::<KEY_BYTES>()?.to_vec();
        self.storage.put(KEY, &key).await?;
        Ok(key)
    }
}
