//! Which negotiated the server behind is of, and the handshake where it wants one.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use http::{HeaderMap, HeaderValue, StatusCode};
use serde_json::Value;

use crate::{
    catalog::Kind,
    json::{Object, Raw},
    mcp::{
        http::headers,
        protocol::error::RpcError,
        upstream::{
            Fetch, Upstream,
            lease::Lease,
            meta,
            request::{Accepted, HttpRejection, OutgoingRequest, open, tell},
        },
    },
    revision::Revision,
};

const INVALID_PARAMS: i64 = -32602;
const HEADER_MISMATCH: i64 = -32020;
const MISSING_CAPABILITY: i64 = -32021;
const UNSUPPORTED_VERSION: i64 = -32022;

/// The stateless revision that is asked for. Only one is known: who refuses it speaks an older one.
const PROPOSED: Revision = Revision::V2026_07_28;

/// What has been learned of the server.
#[derive(Debug)]
pub(crate) struct Connection {
    pub negotiated: Negotiated,
    capabilities: Capabilities,
    /// Headers of the caller that the session was begun for.
    caller: HeaderMap,
    /// Whether no call begins on it any more, and the server is to be told so.
    retired: AtomicBool,
    /// Whether the server has ended its session.
    lost: AtomicBool,
}

/// How the server wants to be asked.
#[derive(Debug)]
pub(crate) enum Negotiated {
    /// Every request says all there is to know.
    Stateless(Revision),
    /// A handshake went before. The revision is whatever the server chose.
    Session { version: HeaderValue, session: Option<HeaderValue> },
}

/// Which methods the server says it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Capabilities {
    tools: bool,
    resources: bool,
    prompts: bool,
    completions: bool,
}

/// What came of asking in the stateless way.
enum ProbeResult {
    Stateless(Connection),
    /// Shake hands, proposing this revision.
    Session(Revision),
}

impl Connection {
    fn new(negotiated: Negotiated, capabilities: Capabilities, caller: HeaderMap) -> Self {
        let (retired, lost) = Default::default();
        Self { negotiated, capabilities, caller, retired, lost }
    }

    /// Whether the server keeps a session for it.
    pub fn has_session(&self) -> bool {
        matches!(self.negotiated, Negotiated::Session { session: Some(_), .. })
    }

    /// Gives it up.
    pub fn retire(&self) {
        self.retired.store(true, Ordering::Relaxed);
    }

    pub fn is_retired(&self) -> bool {
        self.retired.load(Ordering::Relaxed)
    }

    /// The headers of the request that ends its session; none where there is no session to end.
    pub fn farewell(&self) -> Option<HeaderMap> {
        if !self.has_session() || self.lost.load(Ordering::Relaxed) {
            return None;
        }
        let mut headers = self.negotiated.back()?;
        headers.extend(self.caller.clone());
        Some(headers)
    }

    /// Whether the server lists primitives of this kind.
    pub fn lists(&self, kind: Kind) -> bool {
        match kind {
            Kind::Tool => self.capabilities.tools,
            Kind::Resource | Kind::Template => self.capabilities.resources,
            Kind::Prompt => self.capabilities.prompts,
        }
    }

    /// Whether the server completes arguments.
    pub fn completes(&self) -> bool {
        self.capabilities.completions
    }

    /// Whether a refusal says that this is no longer how the server wants to be asked: its session is
    /// gone, or a server of the other negotiated answers at its address. No method has run then, so that the
    /// request may be repeated.
    pub fn ended_by(&self, refusal: &HttpRejection) -> bool {
        let HttpRejection { status, error, addressed, .. } = refusal;
        let code = error.as_ref().map(|error| error.code);
        let ended = match self.negotiated {
            Negotiated::Stateless(_) if *addressed => code == Some(UNSUPPORTED_VERSION),
            Negotiated::Stateless(_) => true,
            Negotiated::Session { .. } => match *status {
                StatusCode::NOT_FOUND => true,
                // Servers that lost their sessions say 400 as often as 404; those of the other negotiated miss
                // the envelope.
                StatusCode::BAD_REQUEST => {
                    let other_era = [HEADER_MISMATCH, UNSUPPORTED_VERSION, INVALID_PARAMS];
                    !addressed || code.is_some_and(|code| other_era.contains(&code))
                }
                _ => false,
            },
        };
        self.lost.fetch_or(ended, Ordering::Relaxed);
        ended
    }
}

impl Negotiated {
    /// Headers of a request.
    pub fn headers(&self, method: &str, params: Option<Raw<'_>>) -> HeaderMap {
        let mut headers = self.back().unwrap_or_default();
        if let Self::Stateless(version) = self {
            meta::route(&mut headers, *version, method, params);
        }
        headers
    }

    /// Headers under which a request of the server's is answered; the stateless negotiated has none such.
    pub fn back(&self) -> Option<HeaderMap> {
        let Self::Session { version, session } = self else { return None };
        let mut headers = HeaderMap::new();
        headers.insert(headers::PROTOCOL_VERSION, version.clone());
        session.iter().for_each(|id| _ = headers.insert(headers::SESSION_ID, id.clone()));
        Some(headers)
    }

    /// The revision to propose for one session more, of the negotiated that has sessions.
    pub fn session(&self) -> Option<Revision> {
        match self {
            Self::Stateless(_) => None,
            Self::Session { version, .. } => {
                let version = version.to_str().ok().and_then(Revision::from_date);
                Some(version.unwrap_or(Revision::LATEST_WITH_SESSIONS))
            }
        }
    }

    /// The stateless revision.
    pub fn stateless(&self) -> Option<Revision> {
        match self {
            Self::Stateless(version) => Some(*version),
            Self::Session { .. } => None,
        }
    }
}

impl Capabilities {
    fn read(result: &Value) -> Option<Self> {
        let declared = result.get("capabilities")?.as_object()?;
        let has = |key: &str| declared.get(key).is_some_and(|value| !value.is_null());
        let [tools, resources, prompts, completions] =
            ["tools", "resources", "prompts", "completions"].map(has);
        Some(Self { tools, resources, prompts, completions })
    }
}

impl Upstream {
    /// Learns how the server wants to be asked, and what it has.
    pub(crate) async fn connect<F: Fetch>(&self, fetch: &F) -> Result<Lease<F>, RpcError> {
        // The first caller that needs it learns it for all.
        let fetch = &fetch.shared();
        let link = match self.probe(fetch).await? {
            ProbeResult::Stateless(link) => link,
            ProbeResult::Session(version) => {
                self.shake_hands(fetch, version, b"{}", &HeaderMap::new()).await?
            }
        };
        let link = Arc::new(link);
        if let Some(before) = self.remember(&link) {
            self.lease(fetch, before).retire();
        }
        Ok(self.lease(fetch, link))
    }

    async fn probe<F: Fetch>(&self, fetch: &F) -> Result<ProbeResult, RpcError> {
        let method = "server/discover";
        let mut headers = HeaderMap::new();
        meta::route(&mut headers, PROPOSED, method, None);
        let params = Some(meta::own(Some(PROPOSED), None));
        let patience_ms = self.site.timeout_ms;
        let ask = OutgoingRequest {
            method,
            id: self.next_id(),
            headers,
            params,
            back: None,
            asked: None,
            patience_ms,
        };
        let error = match open(&self.site, fetch, ask).await? {
            Accepted::Replies(replies) => match replies.response().await? {
                Ok(result) => return self.discovered(&result),
                Err(error) => Some(error),
            },
            Accepted::Refused(refusal) => refusal.error,
        };
        match error {
            Some(error) if error.code == UNSUPPORTED_VERSION => {
                let supported = error.data.as_ref().and_then(|data| data.get("supported"));
                match supported.and_then(Value::as_array) {
                    Some(supported) => {
                        let version = newest(supported, |version| !version.is_stateless());
                        version.map(ProbeResult::Session).ok_or_else(|| self.site.version())
                    }
                    None => Ok(ProbeResult::Session(Revision::LATEST_WITH_SESSIONS)),
                }
            }
            // Only the stateless negotiated has these.
            Some(error) if [HEADER_MISMATCH, MISSING_CAPABILITY].contains(&error.code) => {
                Err(self.site.refused(method, &error))
            }
            _ => Ok(ProbeResult::Session(Revision::LATEST_WITH_SESSIONS)),
        }
    }

    fn discovered(&self, result: &[u8]) -> Result<ProbeResult, RpcError> {
        let result: Value = serde_json::from_slice(result).unwrap_or_default();
        let supported = result.get("supportedVersions").and_then(Value::as_array);
        // A server that answers whatever it is asked has not been asked anything it knows.
        let Some(supported) = supported else {
            return Ok(ProbeResult::Session(Revision::LATEST_WITH_SESSIONS));
        };
        match newest(supported, |_| true) {
            Some(version) if version.is_stateless() => {
                let capabilities = Capabilities::read(&result);
                let capabilities =
                    capabilities.ok_or_else(|| self.site.lacks("server/discover", "capabilities"))?;
                Ok(ProbeResult::Stateless(Connection::new(
                    Negotiated::Stateless(version),
                    capabilities,
                    HeaderMap::new(),
                )))
            }
            Some(version) => Ok(ProbeResult::Session(version)),
            None => Err(self.site.version()),
        }
    }

    /// Begins a session, for a client with these capabilities and headers.
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
            asked: None,
            patience_ms: self.site.timeout_ms,
        };
        let mut replies = match open(&self.site, fetch, ask).await? {
            Accepted::Replies(replies) => replies,
            Accepted::Refused(refusal) if refusal.error.is_some() => {
                return Err(self.site.refused(method, &refusal.failure));
            }
            Accepted::Refused(refusal) => return Err(refusal.failure),
        };
        let session = replies.session.take();
        let result = replies.response().await?.map_err(|error| self.site.refused(method, &error))?;
        let result: Value = serde_json::from_slice(&result).unwrap_or_default();
        let version = result.get("protocolVersion").and_then(Value::as_str);
        let version = version.and_then(|version| HeaderValue::from_str(version).ok());
        let version = version.ok_or_else(|| self.site.lacks(method, "protocolVersion"))?;
        let capabilities =
            Capabilities::read(&result).ok_or_else(|| self.site.lacks(method, "capabilities"))?;
        let negotiated = Negotiated::Session { version, session };
        let body = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_vec();
        let mut headers = negotiated.back().unwrap_or_default();
        headers.extend(caller.clone());
        tell(&self.site, fetch, "notifications/initialized", &headers, body).await?;
        Ok(Connection::new(negotiated, capabilities, caller.clone()))
    }
}

/// The newest revision that both sides speak, of those wanted.
fn newest(supported: &[Value], wanted: impl Fn(Revision) -> bool) -> Option<Revision> {
    let spoken = |version: &Revision| supported.iter().any(|date| date == version.date());
    Revision::ALL.into_iter().filter(|version| wanted(*version)).find(spoken)
}
