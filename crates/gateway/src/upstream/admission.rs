//! The admission of requests by the circuit breaker of a server.

use http::StatusCode;

use crate::{
    protocol::error::RpcError,
    upstream::{Fetch, Upstream, lock},
};

/// The party for which a request is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sender {
    /// The gateway itself, which lists the server.
    Gateway,
    Caller,
    /// The gateway itself, which waits for changes.
    Listener,
}

impl Sender {
    /// Returns whether a missing answer means that the server is down. `reason` is that of `failure`.
    fn counts(self, reason: &str, failure: &RpcError) -> bool {
        match self {
            Self::Gateway => true,
            // A single tool that takes too long, whose answer breaks off or that ends in HTTP 500, does not show that
            // the server is down. Many servers answer 500 when the code of a tool fails.
            Self::Caller => match reason {
                "upstream_unreachable" => true,
                "upstream_status" => !failure.has_http_status(StatusCode::INTERNAL_SERVER_ERROR),
                _ => false,
            },
            // The request is repeated while there are listeners, so requests of callers decide.
            Self::Listener => false,
        }
    }
}

impl Upstream {
    /// Runs `work`, unless requests to the server are paused, and records the result. Only missing answers count as
    /// failures.
    pub(super) async fn guard<F: Fetch, T>(
        &self,
        fetch: &F,
        sender: Sender,
        work: impl Future<Output = Result<T, RpcError>>,
    ) -> Result<T, RpcError> {
        let Some(breaker) = &self.breaker else { return work.await };
        let admitted = lock(breaker).admit(fetch.now(), fetch.chance());
        let admitted = admitted.map_err(|ms| self.endpoint.paused(ms))?;
        let done = work.await;
        let unanswered = ["upstream_unreachable", "upstream_timeout", "upstream_cut", "upstream_status"];
        let failure = done.as_ref().err();
        let missing = failure.and_then(|failure| {
            let reason = failure.reason().filter(|reason| unanswered.contains(reason))?;
            Some((reason, failure))
        });
        let mut breaker = lock(breaker);
        match missing {
            Some((reason, failure))
                if sender.counts(reason, failure) && !self.limits_caller(sender, failure) =>
            {
                breaker.failed(admitted, fetch.now(), fetch.chance());
            }
            Some(_) => {}
            None => breaker.answered(),
        }
        // The gateway's own limit is none of the server, and neither is the storage of one caller's connection.
        let of_server =
            failure.filter(|failure| failure.reason() != Some("reply_limit") && !failure.is_storage());
        if let Some(seconds) = of_server.and_then(RpcError::asked_again_after)
            && self.limits_all(sender)
        {
            breaker.defer(fetch.now() + seconds * 1_000);
        }
        done
    }

    /// Returns whether a failure is a limit of one caller, which does not affect the others.
    fn limits_caller(&self, sender: Sender, failure: &RpcError) -> bool {
        !self.limits_all(sender) && failure.has_http_status(StatusCode::TOO_MANY_REQUESTS)
    }

    /// Returns whether a limit that the server states for a request applies to all requests. A server that is sent
    /// headers of a caller may limit that caller.
    pub(super) fn limits_all(&self, sender: Sender) -> bool {
        sender != Sender::Caller || self.endpoint.passed.is_empty()
    }
}
