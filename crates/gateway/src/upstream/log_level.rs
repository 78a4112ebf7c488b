//! The level of log messages in a session. Many servers send none before a client has set a level.

use http::HeaderMap;
use serde_json::json;

use crate::{
    protocol::log_level::Level,
    upstream::{
        Fetch, Upstream,
        connection::Connection,
        fetch::within,
        request::{Accepted, open},
    },
};

/// Time, in milliseconds, that a call waits for the server to set the level.
const LEVEL_MS: u64 = 1_000;

impl Upstream {
    /// Sets the level that a caller wants, unless the session has it or a lower one. Callers get only the messages of
    /// their own level, so the lowest one applies to a session of several callers. `passed` are headers of the caller.
    pub(super) async fn set_level<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
        wanted: Option<Level>,
        passed: &HeaderMap,
    ) {
        let Some(level) = wanted.filter(|level| connection.lowers_level(*level)) else { return };
        let mut headers = connection.negotiated.back().unwrap_or_default();
        headers.extend(passed.clone());
        let params = json!({"level": level.name()}).to_string().into_bytes();
        let ask = self.request(connection, "logging/setLevel", headers, Some(params), LEVEL_MS);
        let work = async {
            // The call does not depend on it.
            if let Ok(Accepted::Replies(replies)) = open(&self.endpoint, fetch, ask).await {
                let _ = replies.response().await;
            }
        };
        let _ = within(fetch, LEVEL_MS, work).await;
    }
}
