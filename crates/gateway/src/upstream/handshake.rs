//! The detection of an upstream server's protocol era, and the handshake if it needs one.

use std::sync::Arc;

use http::{HeaderMap, HeaderValue};
use mcp_sieve::{json::Object, revision::Revision};
use serde_json::Value;

use crate::{
    backend::introduction::Introduction,
    protocol::error::{HEADER_MISMATCH, MISSING_CAPABILITY, RpcError, UNSUPPORTED_VERSION},
    upstream::{
        Fetch, Upstream,
        connection::{Capabilities, Connection, Negotiated},
        lease::Lease,
        meta,
        post::{OutgoingRequest, send_message},
        request::{Accepted, open},
    },
};

/// The stateless revision that is proposed. Only one is known, so a server that rejects it supports only older ones.
const PROPOSED: Revision = Revision::V2026_07_28;

/// The reasons with which a stateless probe may fail at a server that needs a handshake.
const UNPREPARED: [&str; 3] = ["upstream_status", "upstream_not_mcp", "upstream_cut"];

/// The result of a stateless probe.
enum ProbeResult {
    Stateless(Box<Connection>),
    /// The server needs a handshake, with this revision proposed.
    Session(Revision),
    /// The server did not understand the probe. Some servers of earlier revisions fail at a request before the
    /// handshake.
    Unanswered(RpcError),
}

impl Upstream {
    /// Detects the server's protocol era and opens a connection.
    pub(crate) async fn connect<F: Fetch>(&self, fetch: &F) -> Result<Lease<F>, RpcError> {
        // The connection serves all callers, so the request must not identify the current one.
        let fetch = &fetch.shared();
        let shake_hands = async |version| {
            let connection = self.shake_hands(fetch, version, b"{}", &HeaderMap::new()).await?;
            Ok::<_, RpcError>(connection.valid_until(self.expiry(fetch.now(), self.endpoint.ttl_ms)))
        };
        let connection = match self.probe(fetch).await? {
            ProbeResult::Stateless(connection) => *connection,
            ProbeResult::Session(version) => shake_hands(version).await?,
            ProbeResult::Unanswered(failure) => {
                shake_hands(Revision::LATEST_WITH_SESSIONS).await.map_err(|_| failure)?
            }
        };
        let connection = Arc::new(connection);
        if let Some(before) = self.remember(&connection) {
            self.lease(fetch, before).retire();
        }
        Ok(self.lease(fetch, connection))
    }

    async fn probe<F: Fetch>(&self, fetch: &F) -> Result<ProbeResult, RpcError> {
        let method = "server/discover";
        let mut headers = HeaderMap::new();
        meta::route(&mut headers, PROPOSED, method, None);
        let params = Some(meta::own(Some(PROPOSED)));
        let patience_ms = self.endpoint.timeout_ms;
        let ask = OutgoingRequest {
            method,
            id: self.next_id(),
            headers,
            params,
            back: None,
            client: None,
            patience_ms,
        };
        let answer = match open(&self.endpoint, fetch, ask).await {
            Ok(Accepted::Replies(replies)) => replies.response().await.map(Some),
            Ok(Accepted::Refused(refusal)) => Ok(refusal.error.map(Err)),
            Err(failure) => Err(failure),
        };
        let error = match answer {
            Ok(Some(Ok(result))) => return self.discovered(&result, fetch.now()),
            Ok(error) => error.and_then(Result::err),
            Err(failure) if failure.reason().is_some_and(|reason| UNPREPARED.contains(&reason)) => {
                return Ok(ProbeResult::Unanswered(failure));
            }
            Err(failure) => return Err(failure),
        };
        match error {
            Some(error) if error.code == UNSUPPORTED_VERSION => {
                let supported = error.data.as_ref().and_then(|data| data.get("supported"));
                match supported.and_then(Value::as_array) {
                    Some(supported) => {
                        let version = newest(supported, |version| !version.is_stateless());
                        version.map(ProbeResult::Session).ok_or_else(|| self.endpoint.version())
                    }
                    None => Ok(ProbeResult::Session(Revision::LATEST_WITH_SESSIONS)),
                }
            }
            // Only the stateless era has these codes.
            Some(error) if [HEADER_MISMATCH, MISSING_CAPABILITY].contains(&error.code) => {
                Err(self.endpoint.refused(method, &error))
            }
            _ => Ok(ProbeResult::Session(Revision::LATEST_WITH_SESSIONS)),
        }
    }

    fn discovered(&self, result: &[u8], now: u64) -> Result<ProbeResult, RpcError> {
        let introduction = Introduction::read(result);
        let result: Value = serde_json::from_slice(result).unwrap_or_default();
        let supported = result.get("supportedVersions").and_then(Value::as_array);
        // A server that answers any method may answer this one without supporting it.
        let Some(supported) = supported else {
            return Ok(ProbeResult::Session(Revision::LATEST_WITH_SESSIONS));
        };
        match newest(supported, |_| true) {
            Some(version) if version.is_stateless() => {
                let capabilities = Capabilities::read(&result);
                let capabilities =
                    capabilities.ok_or_else(|| self.endpoint.lacks("server/discover", "capabilities"))?;
                let ttl_ms = result.get("ttlMs").and_then(Value::as_u64).unwrap_or(self.endpoint.ttl_ms);
                let negotiated = Negotiated::Stateless(version);
                let connection = Connection::new(negotiated, capabilities, introduction, HeaderMap::new());
                Ok(ProbeResult::Stateless(Box::new(connection.valid_until(self.expiry(now, ttl_ms)))))
            }
            Some(version) => Ok(ProbeResult::Session(version)),
            None => Err(self.endpoint.version()),
        }
    }

    fn expiry(&self, now: u64, ttl_ms: u64) -> u64 {
        now.saturating_add(ttl_ms.max(self.endpoint.min_ttl_ms))
    }

    /// Opens a session for a client with these capabilities and headers.
    pub(crate) async fn shake_hands<F: Fetch>(
        &self,
        fetch: &F,
        version: Revision,
        capabilities: &[u8],
        caller: &HeaderMap,
    ) -> Result<Connection, RpcError> {
        let method = "initialize";
        let mut params = Vec::new();
        let mut object = Object::open(&mut params);
        object.text("protocolVersion", version.date());
        object.raw("capabilities", capabilities);
        meta::client_info(object.value("clientInfo"));
        object.close();
        let ask = OutgoingRequest {
            method,
            id: self.next_id(),
            headers: caller.clone(),
            params: Some(params),
            back: Some(caller.clone()),
            client: None,
            patience_ms: self.endpoint.timeout_ms,
        };
        let mut replies = match open(&self.endpoint, fetch, ask).await? {
            Accepted::Replies(replies) => replies,
            Accepted::Refused(refusal) if refusal.error.is_some() => {
                return Err(self.endpoint.refused(method, &refusal.failure));
            }
            Accepted::Refused(refusal) => return Err(refusal.failure),
        };
        let session = replies.session.take();
        let result = replies.response().await?.map_err(|error| self.endpoint.refused(method, &error))?;
        let introduction = Introduction::read(&result);
        let result: Value = serde_json::from_slice(&result).unwrap_or_default();
        let version = result.get("protocolVersion").and_then(Value::as_str);
        let version = version.and_then(|version| HeaderValue::from_str(version).ok());
        let version = version.ok_or_else(|| self.endpoint.lacks(method, "protocolVersion"))?;
        let capabilities =
            Capabilities::read(&result).ok_or_else(|| self.endpoint.lacks(method, "capabilities"))?;
        let negotiated = Negotiated::Session { version, session };
        let body = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_vec();
        let mut headers = negotiated.back().unwrap_or_default();
        headers.extend(caller.clone());
        send_message(&self.endpoint, fetch, "notifications/initialized", &headers, body).await?;
        Ok(Connection::new(negotiated, capabilities, introduction, caller.clone()))
    }
}

/// Returns the newest common revision for which `wanted` returns true.
fn newest(supported: &[Value], wanted: impl Fn(Revision) -> bool) -> Option<Revision> {
    let spoken = |version: &Revision| supported.iter().any(|date| date == version.date());
    Revision::ALL.into_iter().filter(|version| wanted(*version)).find(spoken)
}
