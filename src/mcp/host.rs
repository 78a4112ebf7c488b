use std::sync::Arc;

use futures_util::stream::LocalBoxStream;

use super::{Caller, Failure, Session};
use crate::{json::Raw, policy::Guarded, seal::Key};

/// The world, lent to the protocol core: storage, the servers behind, time, chance and a key.
#[expect(async_fn_in_trait, reason = "requests are answered on the thread they came in on")]
pub trait Host {
    /// Milliseconds since 1970.
    fn now(&self) -> u64;

    /// Sixteen unguessable bytes.
    ///
    /// # Errors
    /// When the platform has none to give.
    fn random(&self) -> Result<[u8; 16], Failure>;

    /// The key that seals what callers carry back.
    fn key(&self) -> &Key;

    /// What there is to see, compiled; kept for as long as its sources allow.
    ///
    /// # Errors
    /// When the sources cannot be listed.
    async fn backend(&self) -> Result<Arc<Backend>, Failure>;

    /// Asks the server that owns the primitive. The core has already decided that the caller may.
    ///
    /// # Errors
    /// When it cannot be reached; what it answers, refusals included, is an [`Answer`].
    async fn forward(&self, call: &Call<'_>) -> Result<Answer, Failure>;

    /// The session of this id, unless it has ended.
    ///
    /// # Errors
    /// When the store fails.
    async fn load_session(&self, id: &str) -> Result<Option<Session>, Failure>;

    /// Keeps a session.
    ///
    /// # Errors
    /// When the store fails.
    async fn save_session(&self, id: &str, session: &Session) -> Result<(), Failure>;

    /// Ends a session; false if there was none.
    ///
    /// # Errors
    /// When the store fails.
    async fn end_session(&self, id: &str) -> Result<bool, Failure>;
}

/// The catalog under its policies, and what its servers can do beyond listing.
#[derive(Debug)]
pub struct Backend {
    /// The catalog, under policies.
    pub guarded: Guarded,
    /// Whether `completion/complete` is answered.
    pub completions: bool,
}

/// One request for the server behind.
#[derive(Debug)]
pub struct Call<'a> {
    /// The JSON-RPC method.
    pub method: &'a str,
    /// Its parameters as the caller wrote them.
    pub params: Option<Raw<'a>>,
    /// The server that owns the primitive, by the operator's name; `None` where none does.
    pub server: Option<&'a str>,
    /// Who asks.
    pub caller: &'a Caller<'a>,
}

/// What the server behind says.
#[allow(missing_debug_implementations, reason = "a stream has nothing to show")]
pub enum Answer {
    /// The JSON of `result`.
    Result(Vec<u8>),
    /// A JSON-RPC error.
    Error(Failure),
    /// Notifications first, then one last event.
    Events(LocalBoxStream<'static, Event>),
}

/// One message on the stream of an answer.
#[derive(Debug)]
pub enum Event {
    /// A JSON-RPC notification, whole. More follow.
    Notification(Vec<u8>),
    /// The JSON of `result`. Nothing follows.
    Result(Vec<u8>),
    /// A JSON-RPC error. Nothing follows.
    Error(Failure),
}
