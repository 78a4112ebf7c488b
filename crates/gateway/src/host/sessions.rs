//! The trait for the storage of sessions, their streams and their suspended calls.

use std::rc::Rc;

use crate::{
    host::suspended_calls::SuspendedCalls,
    protocol::error::RpcError,
    session::{session_streams::SessionStreams, state::Session},
};

/// The storage of sessions, and of the requests and calls that wait for their client.
#[expect(async_fn_in_trait, reason = "requests are answered on the thread they came in on")]
pub trait Sessions {
    /// Returns the streams of the session with this id, if this process holds them.
    fn live(&self, id: &str) -> Option<Rc<SessionStreams>>;

    /// Returns whether a later request of a client reaches a call of its session that waits here for a response. If
    /// not, upstream servers learn that the client accepts no requests.
    fn resumes(&self) -> bool {
        true
    }

    /// Returns the place where calls wait between two requests of their client, if this process is such a place.
    fn suspended_calls(&self) -> Option<Rc<SuspendedCalls>>;

    /// Returns the number of a new session, made of random bytes. A host that stores several sessions in one place
    /// replaces some of the bytes with those of the place. Each session must have a different number.
    fn session_number(&self, random: [u8; 16]) -> [u8; 16] {
        random
    }

    /// Returns the session with this id, unless it has ended.
    ///
    /// # Errors
    /// Fails if the store fails.
    async fn load_session(&self, id: &str) -> Result<Option<Session>, RpcError>;

    /// Stores a session.
    ///
    /// # Errors
    /// Fails if the store fails.
    async fn save_session(&self, id: &str, session: &Session) -> Result<(), RpcError>;

    /// Ends a session. Returns false if there was none.
    ///
    /// # Errors
    /// Fails if the store fails.
    async fn end_session(&self, id: &str) -> Result<bool, RpcError>;
}
