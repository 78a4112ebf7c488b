//! The sessions of one Durable Object: their state, events and expiry.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
    time::Duration,
};

use mcp_sieve_gateway::session::SessionStreams;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use worker::{ListOptions, Result, Storage};

use super::{
    event_log::{SqlEventLog, database},
    session_id::SESSIONS_PER_OBJECT,
    sql::Database,
};
use crate::{clock, console};

/// Milliseconds after its last write at which a session expires. Its client then gets 404 and initializes again.
const SESSION_TTL_MS: u64 = 24 * 60 * 60 * 1000;
/// The prefix of the keys of stored sessions.
const PREFIX: &str = "session/";

/// The sessions that share an object.
#[derive(Debug)]
pub(crate) struct SessionStore {
    shared: Rc<Shared>,
    /// The sessions that have sent a request since the object was started, by place.
    homes: RefCell<HashMap<u8, Rc<Home>>>,
}

/// The storage of an object.
#[derive(Debug)]
struct Shared {
    storage: Storage,
    events: Rc<Database>,
    /// Whether an alarm is known to be set. It goes off no later than the first session expires.
    is_alarm_set: Cell<bool>,
}

/// One session of an object.
#[derive(Debug)]
pub(crate) struct Home {
    shared: Rc<Shared>,
    /// The key under which the session is stored.
    key: String,
    events: SqlEventLog,
    pub live: Rc<SessionStreams>,
}

/// A session as it is stored.
#[derive(Debug, Serialize, Deserialize)]
struct StoredSession {
    session: String,
    /// Milliseconds since 1970.
    expires: u64,
}

impl SessionStore {
    /// Returns the sessions of an object. Nothing is read or written yet.
    pub fn new(storage: Storage) -> Self {
        let events = Rc::new(database(storage.sql()));
        let shared = Rc::new(Shared { storage, events, is_alarm_set: Cell::new(false) });
        Self { shared, homes: RefCell::default() }
    }

    /// Returns the session at a place, which may not exist.
    pub fn home(&self, place: u8) -> Rc<Home> {
        let mut homes = self.homes.borrow_mut();
        let home = homes.entry(place).or_insert_with(|| {
            let events = SqlEventLog::new(Rc::clone(&self.shared.events), place);
            let live = SessionStreams::new(events.clone());
            Rc::new(Home { shared: Rc::clone(&self.shared), key: format!("{PREFIX}{place}"), events, live })
        });
        Rc::clone(home)
    }

    /// Ends the sessions that have expired, and sets the alarm for the next one.
    pub async fn expire(&self) -> Result<()> {
        self.shared.is_alarm_set.set(false);
        let now = clock::now();
        let mut next = None;
        for place in 0..SESSIONS_PER_OBJECT {
            let home = self.home(place);
            match home.read().await? {
                Some(stored) if stored.expires <= now => _ = home.end().await?,
                Some(stored) => next = Some(next.unwrap_or(u64::MAX).min(stored.expires)),
                None => {}
            }
        }
        match next {
            Some(next) => self.shared.set_alarm(next.saturating_sub(now)).await,
            None => self.shared.delete_all().await,
        }
    }
}

impl Home {
    /// Returns a number of the object, which all its sessions share.
    pub fn place(&self) -> usize {
        Rc::as_ptr(&self.shared).addr()
    }

    /// Returns the session as JSON, unless it has ended.
    pub async fn load(&self) -> Result<Option<String>> {
        let now = clock::now();
        let stored = self.read().await?.filter(|stored| stored.expires > now);
        Ok(stored.map(|stored| stored.session))
    }

    /// Stores the session, which restarts its lifetime.
    pub async fn save(&self, session: String) -> Result<()> {
        let Shared { storage, is_alarm_set, .. } = &*self.shared;
        if !is_alarm_set.get() && storage.get_alarm().await?.is_none() {
            self.shared.set_alarm(SESSION_TTL_MS).await?;
        }
        is_alarm_set.set(true);
        let expires = clock::now().saturating_add(SESSION_TTL_MS);
        storage.put(&self.key, StoredSession { session, expires }).await
    }

    /// Ends the session and its open requests. Returns false if there is none. The object's storage is deleted with the
    /// last of its sessions.
    pub async fn end(&self) -> Result<bool> {
        self.live.end();
        let storage = &self.shared.storage;
        let existed = storage.delete(&self.key).await?;
        let one = ListOptions::new().prefix(PREFIX).limit(1);
        if storage.list_with_options(one).await?.size() > 0 {
            self.events.clear()?;
            return Ok(existed);
        }
        self.shared.delete_all().await?;
        Ok(existed)
    }

    /// Returns the stored session. One in another form, as another version may have stored it, counts as ended: its
    /// client initializes again.
    async fn read(&self) -> Result<Option<StoredSession>> {
        let stored: Option<Value> = self.shared.storage.get(&self.key).await?;
        let read = |value| serde_json::from_value(value).inspect_err(note_unreadable).ok();
        Ok(stored.and_then(read))
    }
}

/// Reports a session that cannot be read.
pub(crate) fn note_unreadable(error: &serde_json::Error) {
    console::warn(&format!("session: it is stored in a form that cannot be read, and has ended: {error}"));
}

impl Shared {
    /// Deletes all that the object stores, and its alarm.
    async fn delete_all(&self) -> Result<()> {
        self.is_alarm_set.set(false);
        self.storage.delete_alarm().await?;
        self.storage.delete_all().await?;
        self.events.forget_tables();
        Ok(())
    }

    /// Sets the alarm so many milliseconds from now.
    async fn set_alarm(&self, ms: u64) -> Result<()> {
        self.storage.set_alarm(Duration::from_millis(ms)).await?;
        self.is_alarm_set.set(true);
        Ok(())
    }
}
