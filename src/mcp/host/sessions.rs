use std::rc::Rc;

use crate::mcp::{
    call::suspended_calls::SuspendedCalls,
    protocol::error::RpcError,
    streams::{session::Session, session_streams::SessionStreams},
};

/// Where sessions are stored, and where the requests and calls that wait for their client are held.
#[expect(async_fn_in_trait, reason = "requests are answered on the thread they came in on")]
pub trait Sessions {
    /// The running side of the session of this id, if this is where it lives.
    fn live(&self, id: &str) -> Option<Rc<SessionStreams>>;

    /// Whether a later request of a client reaches a call of its session that waits for an answer here. Where it does not,
    /// servers are told that the client cannot be asked.
    fn resumes(&self) -> bool {
        true
    }

    /// Where calls wait between two requests of their client, if this is such a place.
    fn parked(&self) -> Option<Rc<SuspendedCalls>>;

    /// Returns the number of a new session, made of random bytes. A host that keeps several sessions in one place
    /// replaces some of the bytes by those of the place. No two sessions have the same number.
    fn session_number(&self, random: [u8; 16]) -> [u8; 16] {
        random
    }

    /// The session of this id, unless it has ended.
    ///
    /// # Errors
    /// When the store fails.
    async fn load_session(&self, id: &str) -> Result<Option<Session>, RpcError>;

    /// Keeps a session.
    ///
    /// # Errors
    /// When the store fails.
    async fn save_session(&self, id: &str, session: &Session) -> Result<(), RpcError>;

    /// Ends a session; false if there was none.
    ///
    /// # Errors
    /// When the store fails.
    async fn end_session(&self, id: &str) -> Result<bool, RpcError>;
}
