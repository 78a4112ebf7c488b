//! The state of a connection to an upstream server: its revision, its session and its capabilities.

use std::{
    ops::Not,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use http::{HeaderMap, HeaderValue, StatusCode};
use mcp_sieve::{Kind, revision::Revision};

use crate::object::ReadObject;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    backend::{features::Features, introduction::Introduction},
    protocol::{
        error::{HEADER_MISMATCH, INVALID_REQUEST, UNSUPPORTED_VERSION},
        headers,
        log_level::Level,
    },
    upstream::{
        announced_facets::Announced, client_tasks::ClientTasks, lock, meta, post::HttpRejection,
        session_inbox::SessionInbox,
    },
};

/// The codes with which a server refuses a request of a session before its method runs: the session is unknown, or the
/// server is of the other era. The first is that of the official servers, and the second that of this gateway.
pub(crate) const NOT_RUN: [i64; 4] = [-32001, INVALID_REQUEST, HEADER_MISMATCH, UNSUPPORTED_VERSION];

/// Milliseconds between two checks of a session that is in doubt. A server that is down is not asked more often.
const CHECK_MS: u64 = 5_000;

/// A connection to an upstream server.
#[derive(Debug)]
pub(crate) struct Connection {
    pub negotiated: Negotiated,
    pub capabilities: Capabilities,
    /// The description that the server gives of itself.
    pub introduction: Introduction,
    /// The time until which the capabilities are valid, in milliseconds since 1970. Those of a session do not expire,
    /// because another handshake would begin another session.
    until: u64,
    /// Whether another process discovered the server.
    adopted: bool,
    /// The headers of the caller for which the session was opened.
    caller: HeaderMap,
    /// Whether the session is given up: no further calls begin in it, and it is ended when its last call ends.
    retired: AtomicBool,
    /// Whether the server has ended the session.
    lost: AtomicBool,
    /// Whether a request failed in a way that a lost session explains.
    doubted: AtomicBool,
    /// The time before which the session is not checked again, in milliseconds since 1970.
    check_after: AtomicU64,
    /// Whether the server rejected `completion/complete`, which it had not announced, as an unknown method.
    refuses_completion: AtomicBool,
    /// The lowest level of log messages that a call in the session has set.
    level: Mutex<Option<Level>>,
    /// The messages of the session outside the answers of calls.
    pub inbox: SessionInbox,
    /// Whether the next call has to wait for what the server asks first, and the client's roots have changed meanwhile.
    roots: Mutex<RootsState>,
    /// The tasks with which the session's client answered requests.
    pub client_tasks: ClientTasks,
}

/// The protocol era in which requests are sent to the server.
#[derive(Debug)]
pub(crate) enum Negotiated {
    /// The stateless era: every request contains all the information that the server needs.
    Stateless(Revision),
    /// The handshake era. The revision is the one that the server chose.
    Session { version: HeaderValue, session: Option<HeaderValue> },
}

/// What a server may ask about the roots of its client before the next call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum RootsState {
    /// Nothing.
    #[default]
    Known,
    /// The session is new, or the server was notified that the roots have changed.
    Asking,
    /// The roots have changed, and the server was not notified yet, because the client could not be asked then.
    Changed,
}

/// The methods that the server announces.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Capabilities {
    #[serde(skip_serializing_if = "Not::not")]
    tools: bool,
    #[serde(skip_serializing_if = "Not::not")]
    resources: bool,
    #[serde(skip_serializing_if = "Not::not")]
    prompts: bool,
    features: Features,
    /// Only listing reads these, which never uses an adopted connection.
    #[serde(skip)]
    announced: Announced,
}

impl Connection {
    /// Creates a connection. `caller` are the headers of the caller for which its session was opened.
    pub fn new(
        negotiated: Negotiated,
        capabilities: Capabilities,
        introduction: Introduction,
        caller: HeaderMap,
    ) -> Self {
        Self {
            negotiated,
            capabilities,
            introduction,
            until: u64::MAX,
            adopted: false,
            caller,
            retired: AtomicBool::default(),
            lost: AtomicBool::default(),
            doubted: AtomicBool::default(),
            check_after: AtomicU64::default(),
            level: Mutex::default(),
            refuses_completion: AtomicBool::default(),
            inbox: SessionInbox::default(),
            roots: Mutex::default(),
            client_tasks: ClientTasks::default(),
        }
    }

    /// Creates a connection to a stateless server that another process discovered. It is valid for calls until a time, in
    /// milliseconds since 1970.
    pub fn adopted(negotiated: Negotiated, capabilities: Capabilities, until: u64) -> Self {
        let own = Self::new(negotiated, capabilities, Introduction::default(), HeaderMap::new());
        Self { until, adopted: true, ..own }
    }

    /// Returns whether another process discovered the server.
    pub fn is_adopted(&self) -> bool {
        self.adopted
    }

    /// Returns the time until which the server's capabilities are valid, in milliseconds since 1970.
    pub fn until(&self) -> u64 {
        self.until
    }

    /// Sets the time until which the description of a server without a session is valid, in milliseconds since 1970.
    pub fn valid_until(self, until: u64) -> Self {
        if self.has_session() { self } else { Self { until, ..self } }
    }

    /// Returns whether the server's capabilities have expired.
    pub fn is_outdated(&self, now: u64) -> bool {
        now >= self.until
    }

    /// Returns whether the server keeps a session for this connection.
    pub fn has_session(&self) -> bool {
        matches!(self.negotiated, Negotiated::Session { session: Some(_), .. })
    }

    /// Marks the session as given up.
    pub fn retire(&self) {
        self.retired.store(true, Ordering::Relaxed);
    }

    pub fn is_retired(&self) -> bool {
        self.retired.load(Ordering::Relaxed)
    }

    /// Records that the server may have lost the session.
    pub fn doubt(&self) {
        self.doubted.store(self.has_session(), Ordering::Relaxed);
    }

    /// Returns whether the session has to be checked now. Only one request gets `true`.
    pub fn take_doubt(&self, now: u64) -> bool {
        if now < self.check_after.load(Ordering::Relaxed) || !self.doubted.swap(false, Ordering::Relaxed) {
            return false;
        }
        self.check_after.store(now.saturating_add(CHECK_MS), Ordering::Relaxed);
        true
    }

    /// Returns whether the server has ended the session.
    pub fn is_ended(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// Returns the headers of messages in the session that belong to no call; `None` without a handshake.
    pub fn message_headers(&self) -> Option<HeaderMap> {
        let mut headers = self.negotiated.back()?;
        headers.extend(self.caller.clone());
        Some(headers)
    }

    /// Returns the headers of the request that ends the session; `None` if there is no session to end.
    pub fn closing_headers(&self) -> Option<HeaderMap> {
        if !self.has_session() || self.is_ended() {
            return None;
        }
        self.message_headers()
    }

    /// Returns whether the server lists primitives of this kind.
    pub fn lists(&self, kind: Kind) -> bool {
        match kind {
            Kind::Tool => self.capabilities.tools,
            Kind::Resource | Kind::Template => self.capabilities.resources,
            Kind::Prompt => self.capabilities.prompts,
            Kind::Skill => self.capabilities.features.skills,
        }
    }

    /// Returns the kinds of primitives that the server is asked for. A server that announces no list may have forgotten
    /// to: official clients ask it all the same.
    pub fn listed_kinds(&self) -> impl Iterator<Item = Kind> {
        let announces = self.announces_lists();
        let by_default = move |kind: &Kind| !announces && *kind != Kind::Skill;
        Kind::ALL.into_iter().filter(move |kind| self.lists(*kind) || by_default(kind))
    }

    /// Returns whether the server announces any list of primitives.
    pub fn announces_lists(&self) -> bool {
        Kind::ALL.into_iter().any(|kind| self.lists(kind))
    }

    /// Returns what the server offers beside its primitives.
    pub fn features(&self) -> Features {
        let keeps_sessions = self.has_session();
        Features { keeps_sessions, ..self.capabilities.features }
    }

    /// Returns whether the server has rejected `completion/complete`.
    pub fn refuses_completion(&self) -> bool {
        self.refuses_completion.load(Ordering::Relaxed)
    }

    /// Records that the server rejected `completion/complete`.
    pub fn refused_completion(&self) {
        self.refuses_completion.store(true, Ordering::Relaxed);
    }

    /// Records a level of log messages for the session. Returns whether the server must be notified.
    pub fn lowers_level(&self, level: Level) -> bool {
        let is_kept = self.capabilities.features.logging && self.has_session();
        let mut lowest = lock(&self.level);
        let lowers = is_kept && lowest.is_none_or(|lowest| level < lowest);
        if lowers {
            *lowest = Some(level);
        }
        lowers
    }

    /// Sets what the server may ask about the roots of its client before the next call.
    pub fn set_roots(&self, state: RootsState) {
        *lock(&self.roots) = state;
    }

    /// Returns what the server may ask about the roots of its client before the next call. Only one call gets it.
    pub fn take_roots(&self) -> RootsState {
        std::mem::take(&mut lock(&self.roots))
    }

    /// Returns whether the server announces tasks. Only sessions have this capability.
    pub fn has_tasks(&self) -> bool {
        self.capabilities.features.tasks
    }

    /// Returns the lists of groups, tags and concerns that the server announces.
    pub fn announced(&self) -> &Announced {
        &self.capabilities.announced
    }

    /// Returns whether a refusal shows that this connection is no longer valid: its session is gone, or a server of the
    /// other era answers at its address. In this case no method has run, so the request may be repeated.
    pub fn ended_by(&self, refusal: &HttpRejection) -> bool {
        let HttpRejection { status, error, addressed, .. } = refusal;
        let code = error.as_ref().map(|error| error.code);
        // An error with the id of the request may come from the method.
        let is_named = |codes: &[i64]| !addressed || code.is_some_and(|code| codes.contains(&code));
        let ended = match (&self.negotiated, *status) {
            // Servers that lost their sessions return 400 as often as 404.
            (Negotiated::Session { .. }, StatusCode::NOT_FOUND | StatusCode::BAD_REQUEST) => {
                is_named(&NOT_RUN)
            }
            // With other statuses, such as 409 and 422, a method may have run.
            (
                Negotiated::Stateless(_),
                StatusCode::NOT_FOUND | StatusCode::BAD_REQUEST | StatusCode::METHOD_NOT_ALLOWED,
            ) => is_named(&[UNSUPPORTED_VERSION]),
            _ => false,
        };
        self.lost.fetch_or(ended, Ordering::Relaxed);
        ended
    }
}

impl Negotiated {
    /// Returns the headers of a request.
    pub fn headers(&self, method: &str, params: Option<&ReadObject<'_>>) -> HeaderMap {
        let mut headers = self.back().unwrap_or_default();
        if let Self::Stateless(version) = self {
            meta::route(&mut headers, *version, method, params);
        }
        headers
    }

    /// Returns the headers for responses to the server's own requests; `None` in the stateless era, which has no such
    /// requests.
    pub fn back(&self) -> Option<HeaderMap> {
        let Self::Session { version, session } = self else { return None };
        let mut headers = HeaderMap::new();
        headers.insert(headers::PROTOCOL_VERSION, version.clone());
        session.iter().for_each(|id| _ = headers.insert(headers::SESSION_ID, id.clone()));
        Some(headers)
    }

    /// Returns the revision to propose for another session; `None` in the stateless era.
    pub fn session(&self) -> Option<Revision> {
        match self {
            Self::Stateless(_) => None,
            Self::Session { version, .. } => {
                let version = version.to_str().ok().and_then(Revision::from_date);
                Some(version.unwrap_or(Revision::LATEST_WITH_SESSIONS))
            }
        }
    }

    /// Returns the stateless revision; `None` in the handshake era.
    pub fn stateless(&self) -> Option<Revision> {
        match self {
            Self::Stateless(version) => Some(*version),
            Self::Session { .. } => None,
        }
    }
}

impl Capabilities {
    /// Reads the result of `initialize` or `server/discover`; `None` if it has no capabilities.
    pub fn read(result: &Value) -> Option<Self> {
        let capabilities = result.get("capabilities")?;
        let declared = capabilities.as_object()?;
        let has = |key: &str| declared.get(key).is_some_and(|value| !value.is_null());
        let [tools, resources, prompts] = ["tools", "resources", "prompts"].map(has);
        let (features, announced) = (Features::read(capabilities), Announced::read(capabilities));
        Some(Self { tools, resources, prompts, features, announced })
    }
}
