//! The settings under `middleware`: offered functions, mandatory chains and their limits.

use mcp_sieve::{Error, ErrorKind, json::Entry};

use crate::middleware::{Chain, Registry};

use super::{MiddlewareServer, number::positive};

/// The settings for context middleware. It is off unless the file has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Middleware {
    /// The functions that are offered at the mount. `None` offers all functions of this process.
    pub functions: Option<Vec<String>>,
    /// Servers with further functions, which chains and `functions` name `SERVER/FUNCTION`.
    pub servers: Vec<MiddlewareServer>,
    /// The mandatory chains for calls to servers and their results.
    pub chains: Vec<Mandate>,
    /// The operator's own content policies, as JSON. [`Middleware::registry`] parses and compiles them.
    pub policies: Option<String>,
    /// The operator's own kinds of personal data, as JSON. [`Middleware::registry`] parses and compiles them.
    pub patterns: Option<String>,
    /// Whether the functions are also offered as interceptors, at a separate mount.
    pub interceptors: bool,
    /// Whether `context_logger` may store whole contexts.
    pub keep: bool,
    /// URL prefixes of the servers that may be requested to check whether a page exists.
    pub reach: Vec<String>,
    /// Maximum number of calls per minute that a mount accepts in one location.
    pub calls_per_minute: u32,
    /// Minimum time, in hours, for which a pseudonym can be resolved. The actual time is less than twice as long.
    pub pseudonym_hours: u32,
}

/// The default minimum time, in hours, for which a pseudonym can be resolved.
pub const PSEUDONYM_HOURS: u32 = 24;

/// The default maximum number of calls per minute.
pub const CALLS_PER_MINUTE: u32 = 600;
/// Maximum number of chains.
pub const MAX_CHAINS: usize = 64;
/// The methods whose calls can go through chains.
const METHODS: [&str; 3] = ["tools/call", "prompts/get", "resources/read"];

/// The functions that calls must go through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mandate {
    /// The methods of the calls.
    pub on: Vec<String>,
    /// The presets whose callers are affected. Empty for all callers.
    pub presets: Vec<String>,
    /// The chain for the arguments of a call.
    pub request: Chain,
    /// The chain for the result of a call.
    pub response: Chain,
}

impl Default for Middleware {
    fn default() -> Self {
        Self {
            functions: None,
            servers: Vec::new(),
            chains: Vec::new(),
            policies: None,
            patterns: None,
            interceptors: false,
            keep: false,
            reach: Vec::new(),
            calls_per_minute: CALLS_PER_MINUTE,
            pseudonym_hours: PSEUDONYM_HOURS,
        }
    }
}

impl Middleware {
    pub(super) fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let mut middleware = Self::default();
        let known = [
            "functions",
            "servers",
            "chains",
            "policies",
            "patterns",
            "interceptors",
            "keep",
            "reach",
            "callsPerMinute",
            "pseudonymHours",
        ];
        let mut record = entry.record(&known)?;
        record.fill_optional("functions", &mut middleware.functions, Entry::texts);
        record.fill("servers", &mut middleware.servers, MiddlewareServer::read_all);
        record.fill("chains", &mut middleware.chains, |entry| {
            let chains = entry.list(Mandate::read)?;
            match chains.len() {
                0..=MAX_CHAINS => Ok(chains),
                _ => Err(entry.refuse(format!("expected at most {MAX_CHAINS} chains"))),
            }
        });
        record.fill_optional("policies", &mut middleware.policies, Entry::object_text);
        record.fill_optional("patterns", &mut middleware.patterns, Entry::object_text);
        record.fill("interceptors", &mut middleware.interceptors, Entry::flag);
        record.fill("keep", &mut middleware.keep, Entry::flag);
        record.fill("reach", &mut middleware.reach, |entry| entry.list(beginning));
        record.fill("callsPerMinute", &mut middleware.calls_per_minute, positive);
        record.fill("pseudonymHours", &mut middleware.pseudonym_hours, positive);
        record.end().map(|()| middleware)
    }

    /// Returns the chains that apply to a call of `method` by a caller with these presets.
    pub fn chains_for(&self, method: &str, presets: &[String]) -> impl Iterator<Item = &Mandate> {
        self.chains.iter().filter(move |mandate| mandate.binds(method, presets))
    }

    /// Returns whether a chain applies to a call of `method` by a caller with these presets.
    pub fn binds(&self, method: &str, presets: &[String]) -> bool {
        self.chains_for(method, presets).next().is_some()
    }

    /// Returns the names of the functions that are offered or that a chain calls. A name may occur more than once.
    pub fn named_functions(&self) -> impl Iterator<Item = &str> {
        let steps = self
            .chains
            .iter()
            .flat_map(|mandate| mandate.request.steps.iter().chain(&mandate.response.steps));
        let offered = self.functions.iter().flatten().map(String::as_str);
        offered.chain(steps.map(|step| step.function.as_str()))
    }

    /// Creates the functions that come with the engine, with the operator's own policies and patterns. A host calls
    /// this once.
    ///
    /// # Errors
    /// [`ErrorKind::Config`] with the first invalid member of `policies` or `patterns`.
    pub fn registry(&self) -> Result<Registry, Error> {
        let built = Registry::built_in_with(self.policies.as_deref(), self.patterns.as_deref());
        built.map_err(|error| error.within("middleware"))
    }

    /// Checks that `registry` has every function that is offered or that a chain calls, and that each function accepts
    /// the arguments of its step. A host calls this once it knows its functions.
    ///
    /// # Errors
    /// [`ErrorKind::Config`] with the first member that names an unknown function or has invalid arguments.
    pub fn check(&self, registry: &Registry) -> Result<(), Error> {
        for (at, name) in self.functions.iter().flatten().enumerate() {
            if registry.names().all(|known| known != name) {
                let message = format!("there is no function `{name}`");
                return Err(
                    Error::new(ErrorKind::Config, message).field(format!("middleware.functions[{at}]"))
                );
            }
        }
        for (at, Mandate { request, response, .. }) in self.chains.iter().enumerate() {
            for (side, chain) in [("request", request), ("response", response)] {
                let place = format!("middleware.chains[{at}].{side}");
                chain.check(registry).map_err(|error| error.within(&place))?;
                if let Some(step) = chain.pseudonymous_step().filter(|_| side == "request") {
                    let message =
                        "pseudonyms stand for values in results: expected this action in `response`";
                    return Err(
                        Error::new(ErrorKind::Config, message).field(format!("{place}[{step}].arguments"))
                    );
                }
            }
        }
        Ok(())
    }
}

impl Mandate {
    fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let mut mandate = Self::default();
        let mut record = entry.record(&["on", "presets", "request", "response"])?;
        record.need(&["on"]);
        record.fill("on", &mut mandate.on, |entry| entry.some_list(method));
        record.fill("presets", &mut mandate.presets, Entry::texts);
        record.fill("request", &mut mandate.request, Chain::read);
        record.fill("response", &mut mandate.response, Chain::read);
        record.end().map(|()| mandate)
    }

    /// Returns whether the chain applies to a call of `method` by a caller with these presets.
    pub fn binds(&self, method: &str, presets: &[String]) -> bool {
        let bound = self.presets.is_empty() || presets.iter().any(|preset| self.presets.contains(preset));
        bound && self.on.iter().any(|on| on == method)
    }
}

fn method(entry: &Entry<'_>) -> Result<String, Error> {
    let method = entry.text()?;
    match METHODS.contains(&method.as_str()) {
        true => Ok(method),
        false => Err(entry.refuse(format!("expected {}", Error::one_of(&METHODS)))),
    }
}

/// Reads a URL prefix. The host must be complete, because the prefix of a host would also match other hosts.
fn beginning(entry: &Entry<'_>) -> Result<String, Error> {
    let text = entry.text()?;
    match text.strip_prefix("https://").and_then(|rest| rest.find('/')) {
        Some(host) if host > 0 => Ok(text),
        _ => Err(entry.refuse("expected the beginning of an address, such as `https://example.com/docs/`")),
    }
}
