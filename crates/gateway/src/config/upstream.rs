//! The settings of an upstream server: URL or command, headers, prefix, timeouts and capabilities.

use mcp_sieve::{Error, catalog::Prefix, json::Entry, lock::LockWords};

use super::{
    capabilities::{Capabilities, RequiredCapabilities},
    concern_use::ConcernUse,
    list_scope::ListScope,
    local_process::LocalProcess,
    number::{MAX_NUMBER, positive},
    passed_method::PassedMethod,
    renames::{NameMap, Renames},
    request::check_request,
    upstream_auth::{AuthKind, UpstreamAuth},
};

/// Maximum number of upstream servers of one gateway.
pub const MAX_UPSTREAMS: usize = 500;

/// An upstream server and its settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upstream {
    /// The name in `server:` terms and in reports.
    pub name: String,
    /// The URL. Empty for a local server, and if the URL is set outside the file.
    pub url: String,
    /// The process of the server, if it is a local one.
    pub process: Option<LocalProcess>,
    /// The prefix for the names of its tools and prompts.
    pub prefix: Option<String>,
    /// Whether every name gets the prefix, or only names that another server lists too.
    pub prefix_all: bool,
    /// The headers of every request to the server. A value may refer to variables of the deployment.
    pub headers: Vec<(String, String)>,
    /// The headers of a caller's request that are forwarded with its calls, in place of `headers` of the same name.
    pub pass_headers: Vec<String>,
    /// The operator's names for its groups, tags and concerns.
    pub renames: Renames,
    /// The use of the concerns that it declares.
    pub concerns: ConcernUse,
    /// Whether it is asked for resources that no list contains. The default is `true` for a single server while nothing
    /// is hidden.
    pub unlisted: Option<bool>,
    /// The client capabilities that it is listed with, in addition to its listing without any.
    pub capabilities: Capabilities,
    /// The treatment of primitives that require capabilities which the client lacks. By default those that only a listing
    /// with capabilities contains are hidden, and others only if `capabilities` is set.
    pub required_capabilities: Option<RequiredCapabilities>,
    /// What becomes of its definitions that the operator has not accepted, in place of the words of the whole file.
    pub lock: LockWords,
    /// Whether its `instructions` are passed to callers.
    pub instructions: bool,
    /// Whether it may send requests to clients: elicitation, sampling and roots.
    pub questions: bool,
    /// Whether all callers share their sessions at the server.
    pub shares_sessions: bool,
    /// The credentials with which requests are sent to it.
    pub auth: UpstreamAuth,
    /// The callers who share its lists, if the file says it. [`Upstream::list_scope`] has the default.
    pub lists: Option<ListScope>,
    /// Whether only one person can reach the gateway, so that stateless requests without a principal may share a
    /// session. The host sets it, not the file.
    pub one_user: bool,
    /// The methods of other vendors that are passed to it.
    pub pass_methods: Vec<PassedMethod>,
    /// Maximum time, in milliseconds, until a list response begins, and between two pieces of it.
    pub timeout_ms: u64,
    /// Maximum time, in milliseconds, for all its lists, from the first page to the last.
    pub list_timeout_ms: u64,
    /// Maximum time, in milliseconds, until the response to a call begins, and between two messages of it. Tools may
    /// work for a while before they report anything. Comments and incomplete messages do not count.
    pub call_timeout_ms: u64,
    /// Lifetime of its lists, in milliseconds, if the server does not declare one.
    pub ttl_ms: u64,
    /// Minimum lifetime of its lists, in milliseconds, whatever the server declares. A notification that they have
    /// changed still takes effect at once.
    pub min_ttl_ms: u64,
    /// Maximum time, in milliseconds, for which a request waits for the first lists of the server, or for its lists
    /// after a notification that they have changed.
    pub list_wait_ms: u64,
    /// Maximum number of pages of one list that are requested.
    pub max_pages: usize,
}

impl Default for Upstream {
    fn default() -> Self {
        Self {
            name: "upstream".to_owned(),
            url: String::new(),
            process: None,
            prefix: None,
            prefix_all: false,
            headers: Vec::new(),
            pass_headers: Vec::new(),
            renames: Renames::default(),
            concerns: ConcernUse::default(),
            unlisted: None,
            capabilities: Capabilities::default(),
            required_capabilities: None,
            lock: LockWords::default(),
            instructions: true,
            questions: true,
            shares_sessions: false,
            auth: UpstreamAuth::default(),
            lists: None,
            one_user: false,
            pass_methods: Vec::new(),
            timeout_ms: 10_000,
            list_timeout_ms: 60_000,
            call_timeout_ms: 120_000,
            ttl_ms: 60_000,
            min_ttl_ms: 5_000,
            list_wait_ms: 1_500,
            max_pages: 1_000,
        }
    }
}

/// The client capabilities that declare which requests a client answers.
pub(crate) const QUESTIONS: [&str; 3] = ["sampling", "elicitation", "roots"];

/// The known members of a server's settings.
const KNOWN: [&str; 29] = [
    "name",
    "url",
    "command",
    "env",
    "cwd",
    "prefix",
    "prefixAll",
    "headers",
    "passHeaders",
    "auth",
    "groups",
    "tags",
    "concerns",
    "unlisted",
    "capabilities",
    "requiredCapabilities",
    "lock",
    "instructions",
    "questions",
    "sessions",
    "lists",
    "passMethods",
    "timeoutMs",
    "listTimeoutMs",
    "callTimeoutMs",
    "ttlMs",
    "minTtlMs",
    "listWaitMs",
    "maxPages",
];

impl Upstream {
    /// Reads the settings of a server. The members `needed` must be present.
    pub fn read(entry: &Entry<'_>, needed: &[&str]) -> Result<Self, Error> {
        let mut upstream = Self::default();
        let mut record = entry.record(&KNOWN)?;
        record.need(needed);
        record.fill("name", &mut upstream.name, Entry::some_text);
        record.fill("url", &mut upstream.url, Entry::text);
        let mut process = LocalProcess::default();
        record.fill("command", &mut process.command, LocalProcess::command);
        record.fill("env", &mut process.env, LocalProcess::env);
        record.fill_optional("cwd", &mut process.cwd, Entry::some_text);
        record.fill_optional("prefix", &mut upstream.prefix, Prefix::read);
        record.fill("prefixAll", &mut upstream.prefix_all, Entry::flag);
        record.fill("headers", &mut upstream.headers, |entry| entry.members(Entry::text));
        record.fill("passHeaders", &mut upstream.pass_headers, Entry::texts);
        record.fill("auth", &mut upstream.auth, UpstreamAuth::read);
        record.fill("groups", &mut upstream.renames.groups, NameMap::read);
        record.fill("tags", &mut upstream.renames.tags, NameMap::read);
        let mut concerns = (upstream.concerns, NameMap::default());
        record.fill("concerns", &mut concerns, ConcernUse::read);
        (upstream.concerns, upstream.renames.concerns) = concerns;
        record.fill_optional("unlisted", &mut upstream.unlisted, Entry::flag);
        record.fill("capabilities", &mut upstream.capabilities, Capabilities::read);
        let required = &mut upstream.required_capabilities;
        record.fill_optional("requiredCapabilities", required, RequiredCapabilities::read);
        record.fill("lock", &mut upstream.lock, LockWords::read);
        record.fill("instructions", &mut upstream.instructions, |entry| match entry.text()?.as_str() {
            "pass" => Ok(true),
            "hide" => Ok(false),
            _ => Err(entry.refuse("expected `pass` or `hide`")),
        });
        record.fill("questions", &mut upstream.questions, |entry| match entry.text()?.as_str() {
            "ask" => Ok(true),
            "refuse" => Ok(false),
            _ => Err(entry.refuse("expected `ask` or `refuse`")),
        });
        record.fill("sessions", &mut upstream.shares_sessions, |entry| match entry.text()?.as_str() {
            "own" => Ok(false),
            "shared" => Ok(true),
            _ => Err(entry.refuse("expected `own` or `shared`")),
        });
        record.fill_optional("lists", &mut upstream.lists, ListScope::read);
        record.fill("passMethods", &mut upstream.pass_methods, PassedMethod::read_all);
        record.fill("timeoutMs", &mut upstream.timeout_ms, positive);
        record.fill("listTimeoutMs", &mut upstream.list_timeout_ms, positive);
        record.fill("callTimeoutMs", &mut upstream.call_timeout_ms, positive);
        record.fill("ttlMs", &mut upstream.ttl_ms, |entry| entry.whole(0, MAX_NUMBER));
        record.fill("minTtlMs", &mut upstream.min_ttl_ms, |entry| entry.whole(0, MAX_NUMBER));
        record.fill("listWaitMs", &mut upstream.list_wait_ms, |entry| entry.whole(0, MAX_NUMBER));
        record.fill("maxPages", &mut upstream.max_pages, positive);
        record.end()?;
        if let Some(name) =
            QUESTIONS.iter().find(|name| !upstream.questions && upstream.capabilities.has(name))
        {
            return Err(entry.refuse(
                [
                    "`capabilities` declares `",
                    name,
                    "`, and `\"questions\": \"refuse\"` leaves it out: remove one of them",
                ]
                .concat(),
            ));
        }
        upstream.check_scope().map_err(|problem| entry.refuse(problem))?;
        entry.read(|_| check_request(&upstream.url, &upstream.headers, &upstream.pass_headers))?;
        upstream.process = process.of(entry, &upstream)?;
        Ok(upstream)
    }

    /// Checks that `auth`, `lists`, `sessions` and the headers fit each other.
    fn check_scope(&self) -> Result<(), String> {
        let kind = self.auth.kind;
        let has_authorization = |name: &str| name.eq_ignore_ascii_case("authorization");
        let written = self.headers.iter().any(|(name, _)| has_authorization(name));
        let passed = self.pass_headers.iter().any(|name| has_authorization(name));
        if kind != AuthKind::Headers && (written || passed) {
            return Err(format!(
                "`auth` of type `{}` writes the header `Authorization`: remove it from `headers` and `passHeaders`",
                kind.name()
            ));
        }
        let is_of_caller = kind.is_of_caller();
        match self.list_scope() {
            ListScope::Session if self.shares_sessions => Err(
                "`\"lists\": \"session\"` needs a session for each client, and `\"sessions\": \"shared\"` gives them one: remove one of them"
                    .to_owned(),
            ),
            ListScope::Session if is_of_caller => Err(format!(
                "`\"lists\": \"session\"` needs lists for requests without a session too, for which `auth` of type `{}` has no credentials: use `caller`",
                kind.name()
            )),
            ListScope::Caller if !is_of_caller && self.pass_headers.is_empty() => Err(
                "`\"lists\": \"caller\"` needs credentials of each caller: set `auth` to `user`, `exchange` or `pass`, or name their headers in `passHeaders`"
                    .to_owned(),
            ),
            _ if is_of_caller && self.shares_sessions => Err(format!(
                "`\"sessions\": \"shared\"` gives all callers one session, and `auth` of type `{}` is of one caller: remove one of them",
                kind.name()
            )),
            _ => Ok(()),
        }
    }

    /// Returns the callers who share the lists of the server: by default each has its own if its credentials are its own.
    pub fn list_scope(&self) -> ListScope {
        let by_auth = if self.auth.kind.is_of_caller() { ListScope::Caller } else { ListScope::Shared };
        self.lists.unwrap_or(by_auth)
    }

    /// Returns whether requests for a caller have credentials of this caller, or lists of its own.
    pub fn is_of_caller(&self) -> bool {
        self.auth.kind.is_of_caller() || self.list_scope() == ListScope::Caller
    }

    /// Returns whether the file contains a URL or a command for the server.
    pub fn is_named(&self) -> bool {
        self.process.is_some() || !self.url.is_empty()
    }

    /// Returns the text that identifies the server across restarts: its URL, or the fragment of one, by which the
    /// command names a local server, whose URL is another each time.
    pub fn address(&self) -> &str {
        self.url.split_once('#').map_or(self.url.as_str(), |(_, fragment)| fragment)
    }

    /// Returns whether primitives are hidden from clients that do not declare the capabilities that the server says they
    /// require.
    pub fn hides_incapable(&self) -> bool {
        match self.required_capabilities {
            Some(treatment) => treatment == RequiredCapabilities::Hide,
            None => !self.capabilities.parts.is_empty(),
        }
    }

    /// Returns whether primitives that the server lists only to clients with some capabilities are hidden from others.
    pub(crate) fn hides_conditional(&self) -> bool {
        self.required_capabilities != Some(RequiredCapabilities::Annotate)
    }

    /// Returns a text that identifies the capabilities with which the server is listed.
    pub(crate) fn listed_with(&self) -> String {
        let Capabilities { relayed, all, .. } = &self.capabilities;
        let asked: &[&str] = if *relayed && self.questions { &QUESTIONS } else { &[] };
        [all, " ", &asked.join(",")].concat()
    }

    /// Returns the prefix of the server's names, for the catalog.
    pub fn prefix(&self) -> Option<Prefix> {
        let text = self.prefix.clone()?;
        Some(Prefix { server: self.name.clone(), text, always: self.prefix_all })
    }
}
