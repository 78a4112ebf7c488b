use crate::{
    error::{Error, ErrorKind},
    json::{Entry, choice},
    middleware::{Chain, Registry},
};

use super::{MiddlewareServer, number::positive};

/// Context middleware, as the operator has it. It is off unless the file speaks of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Middleware {
    /// The functions that are offered at the mount; none for all of this process.
    pub functions: Option<Vec<String>>,
    /// Servers with further functions, which chains and `functions` name `SERVER/FUNCTION`.
    pub servers: Vec<MiddlewareServer>,
    /// What calls go through on their way to servers and back, whatever their client says.
    pub chains: Vec<Mandate>,
    /// Content policies of the operator's own, as JSON. [`Middleware::registry`] parses and compiles them.
    pub policies: Option<String>,
    /// Kinds of personal data of the operator's own, in the same way.
    pub patterns: Option<String>,
    /// Whether the functions are offered as interceptors too, at a mount of their own.
    pub interceptors: bool,
    /// Whether `context_logger` may keep whole contexts.
    pub keep: bool,
    /// Beginnings of addresses whose servers may be asked if they are there.
    pub reach: Vec<String>,
    /// Calls in a minute that a mount takes, in one place.
    pub calls_per_minute: u32,
    /// For how many hours a pseudonym is opened at least. It is opened for less than twice as many.
    pub pseudonym_hours: u32,
}

/// Hours for which a pseudonym is opened, unless the operator says otherwise.
pub const PSEUDONYM_HOURS: u32 = 24;

/// Calls in a minute, unless the operator says otherwise.
pub const CALLS_PER_MINUTE: u32 = 600;
/// Most chains.
pub const MAX_CHAINS: usize = 64;
/// The methods whose calls can go through chains.
const METHODS: [&str; 3] = ["tools/call", "prompts/get", "resources/read"];

/// Functions that calls go through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mandate {
    /// Of these methods.
    pub on: Vec<String>,
    /// Of callers bound by these presets; none for all.
    pub presets: Vec<String>,
    /// What the arguments go through on their way out.
    pub request: Chain,
    /// What the result goes through on its way back.
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

    /// Returns the names of functions that are offered or called by a chain, each as often as it is named.
    pub fn named_functions(&self) -> impl Iterator<Item = &str> {
        let steps = self
            .chains
            .iter()
            .flat_map(|mandate| mandate.request.steps.iter().chain(&mandate.response.steps));
        let offered = self.functions.iter().flatten().map(String::as_str);
        offered.chain(steps.map(|step| step.function.as_str()))
    }

    /// Creates the functions that come with the engine, with the policies and patterns of the operator's own. A host calls
    /// this once.
    ///
    /// # Errors
    /// [`ErrorKind::Config`] with the first member of `policies` or `patterns` that is wrong.
    pub fn registry(&self) -> Result<Registry, Error> {
        let built = Registry::built_in_with(self.policies.as_deref(), self.patterns.as_deref());
        built.map_err(|error| error.within("middleware"))
    }

    /// Checks that every function that is offered or called by a chain is one of `registry`, and that each accepts the
    /// arguments of its step. A host calls this once it knows its functions.
    ///
    /// # Errors
    /// [`ErrorKind::Config`] with the member that names the first unknown function, or whose arguments are wrong.
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
        record.fill("on", &mut mandate.on, |entry| entry.list(method));
        record.fill("presets", &mut mandate.presets, Entry::texts);
        record.fill("request", &mut mandate.request, Chain::read);
        record.fill("response", &mut mandate.response, Chain::read);
        record.end().map(|()| mandate)
    }

    /// Whether it is for a call of `method` by a caller whom `presets` bind.
    pub fn binds(&self, method: &str, presets: &[String]) -> bool {
        let bound = self.presets.is_empty() || presets.iter().any(|preset| self.presets.contains(preset));
        bound && self.on.iter().any(|on| on == method)
    }
}

fn method(entry: &Entry<'_>) -> Result<String, Error> {
    let method = entry.text()?;
    match METHODS.contains(&method.as_str()) {
        true => Ok(method),
        false => Err(entry.refuse(format!("expected {}", choice(&METHODS)))),
    }
}

/// The beginning of an address, its host whole: a beginning of a host would allow others'.
fn beginning(entry: &Entry<'_>) -> Result<String, Error> {
    let text = entry.text()?;
    match text.strip_prefix("https://").and_then(|rest| rest.find('/')) {
        Some(host) if host > 0 => Ok(text),
        _ => Err(entry.refuse("expected the beginning of an address, such as `https://example.com/docs/`")),
    }
}
