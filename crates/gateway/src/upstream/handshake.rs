//! The detection of an upstream server's protocol era, and the handshake if it needs one.

use std::sync::{Arc, atomic::Ordering};

use futures_util::{
    FutureExt,
    future::{Either, select},
};
use http::{HeaderMap, HeaderValue};
use mcp_sieve::{json::Object, revision::Revision};
use serde_json::Value;

use crate::{
    backend::introduction::Introduction,
    object::deserialize_bytes,
    protocol::error::{HEADER_MISMATCH, MISSING_CAPABILITY, RpcError, UNSUPPORTED_VERSION},
    upstream::{
        Fetch, Upstream,
        connection::{Capabilities, Connection, Negotiated},
        fetch::within,
        lease::Lease,
        meta,
        post::{OutgoingRequest, send_message},
        request::{Accepted, open},
    },
};

/// The stateless revision that is proposed. Only one is known, so a server that rejects it supports only older ones.
const PROPOSED: Revision = Revision::V2026_07_28;

/// The reasons of a failed handshake that say more than those of the probe before it.
const TELLING: [&str; 4] =
    ["upstream_unauthorized", "upstream_redirect", "upstream_refused", "upstream_version"];
/// Milliseconds for which a probe, or a notification, is waited for alone. Some servers never answer an unknown method.
const PROBE_MS: u64 = 3_000;
/// Milliseconds for which a server that did not answer a probe gets the handshake at once.
const UNPROBED_MS: u64 = 60 * 60 * 1_000;

/// The result of a stateless probe.
enum ProbeResult {
    Stateless(Box<Connection>),
    /// The server needs a handshake, with this revision proposed.
    Session(Revision),
    /// The server did not understand the probe, or answered it with nothing usable. Servers of earlier revisions may
    /// fail in any way at a request before the handshake.
    Unanswered(RpcError),
}

impl Upstream {
    /// Detects the server's protocol era and opens a connection.
    pub(crate) async fn connect<F: Fetch>(&self, fetch: &F) -> Result<Lease<F>, RpcError> {
        // The connection serves all callers, so the request must not identify the current one.
        let fetch = &fetch.shared();
        let shake_hands = async |version| {
            let connection = self.shake_hands(fetch, version, b"{}", &HeaderMap::new(), None).await?;
            self.confirm(fetch, &connection, None).await;
            Ok::<_, RpcError>(connection.valid_until(self.expiry(fetch.now(), self.endpoint.ttl_ms)))
        };
        let shake = shake_hands(Revision::LATEST_WITH_SESSIONS);
        let connection = if fetch.now() < self.unprobed_until.load(Ordering::Relaxed) {
            match shake.boxed_local().await {
                Ok(connection) => connection,
                Err(_) => self.probed(fetch, &shake_hands).boxed_local().await?,
            }
        } else {
            self.probed(fetch, &shake_hands).boxed_local().await?
        };
        let connection = Arc::new(connection);
        if let Some(before) = self.remember(&connection) {
            self.lease(fetch, before).retire();
        }
        Ok(self.lease(fetch, connection))
    }

    /// Opens the connection that a stateless probe calls for. If the server does not answer the probe soon, the handshake
    /// is tried beside it.
    async fn probed<F: Fetch>(
        &self,
        fetch: &F,
        shake_hands: &impl AsyncFn(Revision) -> Result<Connection, RpcError>,
    ) -> Result<Connection, RpcError> {
        let mut probe = self.probe(fetch).boxed_local();
        let probed = match within(fetch, PROBE_MS, &mut probe).await {
            Some(probed) => probed,
            None => match select(probe, shake_hands(Revision::LATEST_WITH_SESSIONS).boxed_local()).await {
                // The handshake had its time beside the probe.
                Either::Left((ProbeResult::Unanswered(failure), _))
                    if failure.reason() == Some("upstream_timeout") =>
                {
                    return Err(failure);
                }
                Either::Left((probed, _)) => probed,
                Either::Right((Ok(connection), _)) => {
                    let until = fetch.now().saturating_add(UNPROBED_MS);
                    self.unprobed_until.store(until, Ordering::Relaxed);
                    return Ok(connection);
                }
                Either::Right((Err(_), probe)) => probe.await,
            },
        };
        match probed {
            ProbeResult::Stateless(connection) => Ok(*connection),
            ProbeResult::Session(version) => shake_hands(version).await,
            ProbeResult::Unanswered(failure) => {
                let shaken = shake_hands(Revision::LATEST_WITH_SESSIONS).await;
                let is_telling =
                    |failed: &RpcError| failed.reason().is_some_and(|reason| TELLING.contains(&reason));
                shaken.map_err(|failed| if is_telling(&failed) { failed } else { failure })
            }
        }
    }

    /// Sends a stateless probe, and repeats it if the server refuses the only revision that it names.
    async fn probe<F: Fetch>(&self, fetch: &F) -> ProbeResult {
        for _ in 0..2 {
            if let Some(probed) = self.discover(fetch).await {
                return probed;
            }
        }
        ProbeResult::Unanswered(self.endpoint.version())
    }

    /// Sends one probe. Returns `None` if the server refuses the only revision that it names.
    async fn discover<F: Fetch>(&self, fetch: &F) -> Option<ProbeResult> {
        let method = "server/discover";
        let mut headers = HeaderMap::new();
        meta::route(&mut headers, PROPOSED, method, None);
        let params = Some(meta::own(Some(PROPOSED)));
        let patience_ms = self.endpoint.timeout_ms;
        let ask = OutgoingRequest {
            method,
            id: self.next_id().to_string().into(),
            headers,
            params,
            back: None,
            client: None,
            patience_ms,
            passthrough: None,
        };
        let answer = match open(&self.endpoint, fetch, ask).await {
            Ok(Accepted::Replies(replies)) => replies.response().await.map(Some),
            Ok(Accepted::Refused(refusal)) => Ok(refusal.error.map(Err)),
            Err(failure) => Err(failure),
        };
        let error = match answer {
            Ok(Some(Ok(result))) => {
                let probed = self.discovered(&result, fetch.now());
                if matches!(probed, ProbeResult::Stateless(_)) {
                    fetch.received(method, &result);
                }
                return Some(probed);
            }
            Ok(error) => error.and_then(Result::err),
            Err(failure) => return Some(ProbeResult::Unanswered(failure)),
        };
        Some(match error {
            Some(error) if error.code == UNSUPPORTED_VERSION => {
                let supported = error.data.as_ref().and_then(|data| data.get("supported"));
                match supported.and_then(Value::as_array) {
                    Some(supported) => match newest(supported, |version| !version.is_stateless()) {
                        Some(version) => ProbeResult::Session(version),
                        None if supported.iter().any(|date| date == PROPOSED.date()) => return None,
                        None => ProbeResult::Unanswered(self.endpoint.version()),
                    },
                    None => ProbeResult::Session(Revision::LATEST_WITH_SESSIONS),
                }
            }
            // Only the stateless era has these codes.
            Some(error) if [HEADER_MISMATCH, MISSING_CAPABILITY].contains(&error.code) => {
                ProbeResult::Unanswered(self.endpoint.refused(method, &error))
            }
            _ => ProbeResult::Session(Revision::LATEST_WITH_SESSIONS),
        })
    }

    fn discovered(&self, result: &[u8], now: u64) -> ProbeResult {
        let introduction = Introduction::read(result);
        let result: Value = deserialize_bytes(result).unwrap_or_default();
        let supported = result.get("supportedVersions").and_then(Value::as_array);
        // A server that answers any method may answer this one without supporting it.
        let Some(supported) = supported else {
            return ProbeResult::Session(Revision::LATEST_WITH_SESSIONS);
        };
        match newest(supported, |_| true) {
            Some(version) if version.is_stateless() => {
                let Some(capabilities) = Capabilities::read(&result) else {
                    return ProbeResult::Unanswered(self.endpoint.lacks("server/discover", "capabilities"));
                };
                let ttl_ms = result.get("ttlMs").and_then(Value::as_u64).unwrap_or(self.endpoint.ttl_ms);
                let negotiated = Negotiated::Stateless(version);
                let connection = Connection::new(negotiated, capabilities, introduction, HeaderMap::new());
                ProbeResult::Stateless(Box::new(connection.valid_until(self.expiry(now, ttl_ms))))
            }
            Some(version) => ProbeResult::Session(version),
            None => ProbeResult::Unanswered(self.endpoint.version()),
        }
    }

    fn expiry(&self, now: u64, ttl_ms: u64) -> u64 {
        now.saturating_add(ttl_ms.max(self.endpoint.min_ttl_ms))
    }

    /// Opens a session for a client with these capabilities and headers, which is to be [confirmed](Self::confirm). If the
    /// server names other revisions than the proposed one, it is asked for the newest of them. The session begins with
    /// `concerns` (#1936), if there are any, given as JSON.
    pub(crate) async fn shake_hands<F: Fetch>(
        &self,
        fetch: &F,
        version: Revision,
        capabilities: &[u8],
        caller: &HeaderMap,
        concerns: Option<&str>,
    ) -> Result<Connection, RpcError> {
        let shaken = self.initialize(fetch, version, capabilities, caller, concerns).boxed_local().await?;
        let refused = match shaken {
            Ok(connection) => return Ok(connection),
            Err(refused) => refused,
        };
        let refuse = |failure: &RpcError| self.endpoint.refused("initialize", failure);
        let supported = refused.data.as_ref().and_then(|data| data.get("supported")?.as_array());
        let Some(supported) = supported else { return Err(refuse(&refused)) };
        let other = newest(supported, |version| !version.is_stateless());
        let other = other.ok_or_else(|| self.endpoint.version())?;
        if other == version {
            return Err(refuse(&refused));
        }
        self.initialize(fetch, other, capabilities, caller, concerns)
            .boxed_local()
            .await?
            .map_err(|failure| refuse(&failure))
    }

    /// Sends `initialize`. The inner error is the one with which the server refused it.
    async fn initialize<F: Fetch>(
        &self,
        fetch: &F,
        version: Revision,
        capabilities: &[u8],
        caller: &HeaderMap,
        concerns: Option<&str>,
    ) -> Result<Result<Connection, RpcError>, RpcError> {
        let method = "initialize";
        let mut params = Vec::new();
        let mut object = Object::open(&mut params);
        object.text("protocolVersion", version.date());
        object.raw("capabilities", capabilities);
        meta::client_info(object.value("clientInfo"));
        concerns.into_iter().for_each(|concerns| object.raw("concerns", concerns.as_bytes()));
        object.close();
        let ask = OutgoingRequest {
            method,
            id: self.next_id().to_string().into(),
            headers: caller.clone(),
            params: Some(params),
            back: Some(caller.clone()),
            client: None,
            patience_ms: self.endpoint.timeout_ms,
            passthrough: None,
        };
        let mut replies = match open(&self.endpoint, fetch, ask).await? {
            Accepted::Replies(replies) => replies,
            Accepted::Refused(refusal) if refusal.error.is_some() => return Ok(Err(refusal.failure)),
            Accepted::Refused(refusal) => return Err(refusal.failure),
        };
        let session = replies.session.take();
        let result = match replies.response().await? {
            Ok(result) => result,
            Err(error) => return Ok(Err(error)),
        };
        // In the session of a client, the server may say something else of itself.
        if capabilities == meta::NO_CAPABILITIES.as_bytes() {
            fetch.received(method, &result);
        }
        let introduction = Introduction::read(&result);
        let result: Value = deserialize_bytes(&result).unwrap_or_default();
        let version = result.get("protocolVersion").and_then(Value::as_str);
        let version = version.and_then(|version| HeaderValue::from_str(version).ok());
        let version = version.ok_or_else(|| self.endpoint.lacks(method, "protocolVersion"))?;
        let capabilities =
            Capabilities::read(&result).ok_or_else(|| self.endpoint.lacks(method, "capabilities"))?;
        let negotiated = Negotiated::Session { version, session };
        Ok(Ok(Connection::new(negotiated, capabilities, introduction, caller.clone())))
    }
}

impl Upstream {
    /// Notifies the server that the client is ready, after which the server may send requests. The notification repeats
    /// the `concerns` of the session.
    pub(crate) async fn confirm<F: Fetch>(&self, fetch: &F, connection: &Connection, concerns: Option<&str>) {
        let headers = connection.message_headers().unwrap_or_default();
        let body = initialized(concerns);
        // The notification needs no answer. If the server is down, the next request shows it.
        let sent = send_message(&self.endpoint, fetch, "notifications/initialized", &headers, body);
        let _ = within(fetch, PROBE_MS, sent).await;
    }
}

/// Returns the notification that ends a handshake. A server may read the concerns here or in `initialize`.
fn initialized(concerns: Option<&str>) -> Vec<u8> {
    let mut body = Vec::new();
    let mut message = Object::open(&mut body);
    message.text("jsonrpc", "2.0");
    message.text("method", "notifications/initialized");
    if let Some(concerns) = concerns {
        let mut params = Object::open(message.value("params"));
        params.raw("concerns", concerns.as_bytes());
        params.close();
    }
    message.close();
    body
}

/// Returns the newest common revision for which `wanted` returns true.
fn newest(supported: &[Value], wanted: impl Fn(Revision) -> bool) -> Option<Revision> {
    let spoken = |version: &Revision| supported.iter().any(|date| date == version.date());
    Revision::ALL.into_iter().filter(|version| wanted(*version)).find(spoken)
}
