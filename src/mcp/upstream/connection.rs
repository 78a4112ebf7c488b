//! What has been learned of the server behind: how it wants to be asked, and what it has.

use std::sync::atomic::{AtomicBool, Ordering};

use http::{HeaderMap, HeaderValue, StatusCode};
use serde_json::Value;

use crate::{
    catalog::Kind,
    json::Raw,
    mcp::{
        http::headers,
        protocol::skills,
        upstream::{announced::Announced, introduction::Introduction, meta, post::HttpRejection},
    },
    revision::Revision,
};

const INVALID_PARAMS: i64 = -32602;
pub(crate) const HEADER_MISMATCH: i64 = -32020;
pub(crate) const UNSUPPORTED_VERSION: i64 = -32022;

/// What has been learned of the server.
#[derive(Debug)]
pub(crate) struct Connection {
    pub negotiated: Negotiated,
    pub capabilities: Capabilities,
    /// What the server says about itself.
    pub introduction: Introduction,
    /// Until when the capabilities may be relied on, in milliseconds since 1970: those of a session as long as it lasts.
    until: u64,
    /// Headers of the caller that the session was begun for.
    caller: HeaderMap,
    /// Whether no call begins on it any more, and the server is to be told so.
    retired: AtomicBool,
    /// Whether the server has ended its session.
    lost: AtomicBool,
    /// Whether the server was asked to complete arguments without having announced it, and has no such method.
    refuses_completion: AtomicBool,
    /// Whether a call has the standalone stream of the session.
    standalone_taken: AtomicBool,
    /// Whether the server has refused to open one.
    refuses_standalone: AtomicBool,
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Capabilities {
    tools: bool,
    resources: bool,
    prompts: bool,
    completions: bool,
    skills: bool,
    directory_read: bool,
    announced: Announced,
}

impl Connection {
    /// A session that was begun with the headers of a caller.
    pub fn session(
        negotiated: Negotiated,
        capabilities: Capabilities,
        introduction: Introduction,
        caller: HeaderMap,
    ) -> Self {
        let (retired, lost, refuses_completion) = Default::default();
        let (standalone_taken, refuses_standalone) = Default::default();
        Self {
            negotiated,
            capabilities,
            introduction,
            until: u64::MAX,
            caller,
            retired,
            lost,
            refuses_completion,
            standalone_taken,
            refuses_standalone,
        }
    }

    /// What a server of the stateless era has told of itself, which holds until a time.
    pub fn discovered(
        version: Revision,
        capabilities: Capabilities,
        introduction: Introduction,
        until: u64,
    ) -> Self {
        let negotiated = Negotiated::Stateless(version);
        Self { until, ..Self::session(negotiated, capabilities, introduction, HeaderMap::new()) }
    }

    /// Whether the server's capabilities are to be asked for again.
    pub fn is_outdated(&self, now: u64) -> bool {
        now >= self.until
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
            Kind::Skill => self.capabilities.skills,
        }
    }

    /// Whether the server announces that it completes arguments.
    pub fn completes(&self) -> bool {
        self.capabilities.completions
    }

    /// Whether it has turned out that the server completes none.
    pub fn refuses_completion(&self) -> bool {
        self.refuses_completion.load(Ordering::Relaxed)
    }

    /// Takes note that the server completes none.
    pub fn refused_completion(&self) {
        self.refuses_completion.store(true, Ordering::Relaxed);
    }

    /// Takes the standalone stream of the session for a call, unless another call has it or the server has none.
    pub fn take_standalone(&self) -> bool {
        !self.refuses_standalone.load(Ordering::Relaxed)
            && !self.standalone_taken.swap(true, Ordering::Relaxed)
    }

    /// Gives the standalone stream back.
    pub fn release_standalone(&self) {
        self.standalone_taken.store(false, Ordering::Relaxed);
    }

    /// Takes note that the server opens no standalone stream.
    pub fn refuse_standalone(&self) {
        self.refuses_standalone.store(true, Ordering::Relaxed);
    }

    /// The lists of groups, tags and concerns that the server announces.
    pub fn announced(&self) -> &Announced {
        &self.capabilities.announced
    }

    /// Whether the server lists what is in a directory.
    pub fn reads_directories(&self) -> bool {
        self.capabilities.directory_read
    }

    /// Whether a refusal says that this is no longer how the server wants to be asked: its session is
    /// gone, or a server of the other era answers at its address. No method has run then, so that the
    /// request may be repeated.
    pub fn ended_by(&self, refusal: &HttpRejection) -> bool {
        let HttpRejection { status, error, addressed, .. } = refusal;
        let code = error.as_ref().map(|error| error.code);
        let ended = match self.negotiated {
            Negotiated::Stateless(_) if *addressed => code == Some(UNSUPPORTED_VERSION),
            Negotiated::Stateless(_) => true,
            Negotiated::Session { .. } => match *status {
                StatusCode::NOT_FOUND => true,
                // Servers that lost their sessions say 400 as often as 404; those of the other era miss
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

    /// Headers under which a request of the server's is answered; the stateless era has none such.
    pub fn back(&self) -> Option<HeaderMap> {
        let Self::Session { version, session } = self else { return None };
        let mut headers = HeaderMap::new();
        headers.insert(headers::PROTOCOL_VERSION, version.clone());
        session.iter().for_each(|id| _ = headers.insert(headers::SESSION_ID, id.clone()));
        Some(headers)
    }

    /// The revision to propose for one session more, of the era that has sessions.
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
    pub fn read(result: &Value) -> Option<Self> {
        let capabilities = result.get("capabilities")?;
        let declared = capabilities.as_object()?;
        let has = |key: &str| declared.get(key).is_some_and(|value| !value.is_null());
        let [tools, resources, prompts, completions] =
            ["tools", "resources", "prompts", "completions"].map(has);
        let skills = declared.get("extensions").and_then(|extensions| extensions.get(skills::EXTENSION));
        let skills = skills.filter(|settings| !settings.is_null());
        let directory_read = skills.and_then(|settings| settings.get(skills::DIRECTORY_READ));
        Some(Self {
            tools,
            resources,
            prompts,
            completions,
            skills: skills.is_some(),
            directory_read: directory_read == Some(&Value::Bool(true)),
            announced: Announced::read(capabilities),
        })
    }
}
