//! Sessions that a server may have lost without a response of status 404. The request that failed is not repeated,
//! because it may have run. Before the next one, a `ping` shows whether the session is still known.

use std::sync::Arc;

use crate::{
    protocol::error::{METHOD_NOT_FOUND, RpcError},
    upstream::{
        Fetch, Upstream,
        connection::{Connection, NOT_RUN},
        request::{Accepted, open},
    },
};

/// The reasons of a failure with which a server may refuse a session that it has lost.
const DOUBTFUL: [&str; 3] = ["upstream_unauthorized", "upstream_status", "upstream_not_mcp"];

/// Returns whether a failure may come from a lost session. The failure of a server that is down, or busy until a given
/// time, does not concern its sessions.
fn is_doubtful(failure: &RpcError) -> bool {
    let is_busy = failure.asked_again_after().is_some();
    !is_busy && failure.reason().is_some_and(|reason| DOUBTFUL.contains(&reason))
}

/// Doubts a session in which a request failed.
pub(crate) fn doubt(connection: &Connection, failure: &RpcError) {
    if is_doubtful(failure) || failure.reason().is_none() && NOT_RUN.contains(&failure.code) {
        connection.doubt();
    }
}

impl Upstream {
    /// Returns whether a session is in doubt, and the server does not know it.
    pub(crate) async fn is_lost<F: Fetch>(&self, fetch: &F, connection: &Arc<Connection>) -> bool {
        if !connection.take_doubt(fetch.now()) {
            return false;
        }
        let Some(headers) = connection.closing_headers() else { return true };
        let ping = self.request(connection, "ping", headers, None, self.endpoint.timeout_ms);
        let answer = match open(&self.endpoint, fetch, ping).await {
            Ok(Accepted::Replies(replies)) => replies.response().await,
            Ok(Accepted::Refused(_)) => return true,
            Err(failure) => Err(failure),
        };
        match answer {
            Ok(Ok(_)) => false,
            Ok(Err(error)) => error.code != METHOD_NOT_FOUND,
            Err(failure) => is_doubtful(&failure),
        }
    }
}
