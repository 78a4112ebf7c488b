//! Parses and validates `sieve.jsonc`, including the rules that span several members.

use std::sync::Arc;

use mcp_sieve::{
    Error, ErrorKind,
    expr::Expr,
    json::{Entry, Members, Raw, Record},
};

use super::{
    Audit, Auth, AuthKind, Disclosure, Drafts, Limits,
    acknowledged::acknowledged,
    host_name::{host_name, origins},
    middleware::{Mandate, Middleware},
    number::positive,
    settings::{Config, Filtering, Identity, Tasks, UnknownNames},
    upstream::{MAX_UPSTREAMS, Upstream},
};

/// The known members of the file.
const KNOWN: [&str; 40] = [
    "$schema",
    "server",
    "groups",
    "tags",
    "groupsFrom",
    "tagsFrom",
    "toolsets",
    "concerns",
    "concernMapping",
    "applyDefaults",
    "rules",
    "lock",
    "policies",
    "presets",
    "checks",
    "exposeConcerns",
    "exposeSep2084Groups",
    "onInvalidConcern",
    "onUnknownMember",
    "filtering",
    "disclosure",
    "maxToolName",
    "definitions",
    "toolNames",
    "drafts",
    "tasks",
    "unknownNames",
    "checkStateless",
    "pageSize",
    "enforce",
    "origins",
    "hosts",
    "auth",
    "limits",
    "log",
    "audit",
    "upstream",
    "upstreams",
    "middleware",
    "acknowledged",
];

impl Config {
    /// Reads `sieve.jsonc`: JSON with comments and trailing commas.
    ///
    /// # Errors
    /// [`ErrorKind::Json`] with the byte position, for text that is not JSON. [`ErrorKind::Config`] with the path of
    /// the member, for a member that violates the schema or contradicts another.
    pub fn parse(source: &str) -> Result<Self, Error> {
        let source = Raw::strip_comments(source)?;
        let mut file = mcp_sieve::Config::root(Raw::parse(&source)?)?.record(&KNOWN)?;
        // An error of the record comes first.
        let engine = mcp_sieve::Config::read(&mut file);
        let mut config = Self::default();
        config.fill(&mut file);
        file.end()?;
        config.engine = engine?;
        config.settle()?;
        Ok(config)
    }

    /// Reads the members that only a gateway uses, in the order in which their errors are reported.
    fn fill(&mut self, file: &mut Record<'_>) {
        let mut upstream = None;
        file.fill("server", &mut self.server, Identity::read);
        file.fill("filtering", &mut self.filtering, Filtering::read);
        file.fill("disclosure", &mut self.disclosure, Disclosure::read);
        file.fill("drafts", &mut self.drafts, Drafts::read);
        file.fill("tasks", &mut self.tasks, Tasks::read);
        file.fill("unknownNames", &mut self.unknown_names, UnknownNames::read);
        file.fill("checkStateless", &mut self.check_stateless, Entry::flag);
        file.fill("pageSize", &mut self.page_size, positive);
        file.fill("origins", &mut self.origins, origins);
        file.fill("hosts", &mut self.hosts, |entry| entry.list(host_name));
        file.fill_optional("auth", &mut self.auth, Auth::read);
        file.fill("limits", &mut self.limits, Limits::read);
        file.fill("log", &mut self.log, Entry::flag);
        file.fill("audit", &mut self.audit, Audit::read);
        file.fill("upstream", &mut upstream, |entry| Upstream::read(entry, &[]).map(Some));
        file.fill("upstreams", &mut self.upstreams, |entry| several(entry, upstream.is_some()));
        file.fill_optional("middleware", &mut self.middleware, Middleware::read);
        file.fill("acknowledged", &mut self.acknowledged, acknowledged);
        self.upstream = upstream.unwrap_or_default();
    }

    /// Gives the engine its part of the servers' settings, and checks the rules between members.
    fn settle(&mut self) -> Result<(), Error> {
        self.engine.assignments.omit_mirror = !self.filtering.mirror;
        let servers = self.upstreams.iter().chain([&self.upstream]);
        let hiding = servers.filter(|server| server.hides_incapable()).map(|server| server.name.clone());
        self.engine.assignments.hide_incapable = hiding.collect();
        self.engine.servers = match self.upstreams.as_slice() {
            [] if self.upstream == Upstream::default() => Vec::new(),
            [] => vec![self.upstream.name.clone()],
            several => several.iter().map(|upstream| upstream.name.clone()).collect(),
        };
        if let Some(lock) = &mut self.engine.assignments.lock {
            let servers = self.upstreams.iter().chain([&self.upstream]);
            let words = servers.map(|server| (server.name.clone(), server.lock)).collect();
            Arc::make_mut(lock).settle(words, &self.engine.servers);
        }
        self.engine.prefixes = self.upstreams.iter().filter_map(Upstream::prefix).collect();
        self.check_upstreams()?;
        self.check_credentials()?;
        self.check_passed_methods()?;
        self.check_chains()?;
        self.check_server_card()?;
        self.check_disclosed_groups()
    }

    /// Checks that the names of upstream servers are unique.
    fn check_upstreams(&self) -> Result<(), Error> {
        for (at, Upstream { name, .. }) in self.upstreams.iter().enumerate() {
            if self.upstreams.iter().take(at).any(|earlier| earlier.name == *name) {
                return Err(refusal(format!("upstreams[{at}]"), format!("`{name}` is declared twice")));
            }
        }
        Ok(())
    }

    /// Checks that the credentials for servers fit those that callers have for the gateway.
    fn check_credentials(&self) -> Result<(), Error> {
        let several = self.upstreams.iter().enumerate();
        let named = several.map(|(at, upstream)| (format!("upstreams[{at}].auth"), upstream));
        for (place, upstream) in named.chain([("upstream.auth".to_owned(), &self.upstream)]) {
            match (upstream.auth.kind, &self.auth) {
                (AuthKind::Pass, Some(auth)) if auth.reads_authorization() => {
                    let message = "`pass` gives the server the token that a caller sends, and `auth` of the file expects tokens for this gateway: use `exchange` or `user`";
                    return Err(refusal(place, message.to_owned()));
                }
                (AuthKind::Exchange, None) => {
                    let message = "`exchange` needs the token of a verified caller: set `auth` of the file, which says whose tokens are accepted";
                    return Err(refusal(place, message.to_owned()));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Checks that every preset of a chain exists. A chain for an unknown preset would apply to no caller.
    fn check_chains(&self) -> Result<(), Error> {
        let names = || self.engine.presets.iter().map(|preset| preset.name.as_str());
        let chains = self.middleware.iter().flat_map(|middleware| &middleware.chains);
        for (at, Mandate { presets, .. }) in chains.enumerate() {
            let unknown = presets.iter().enumerate().find(|(_, name)| names().all(|known| known != *name));
            if let Some((place, name)) = unknown {
                let meant =
                    Expr::nearest(name, &mut names()).map(|meant| format!(" (did you mean `{meant}`?)"));
                let message = format!("there is no preset `{name}`{}", meant.unwrap_or_default());
                return Err(refusal(format!("middleware.chains[{at}].presets[{place}]"), message));
            }
        }
        Ok(())
    }

    /// Checks that each passed method without a primitive goes to one server only, because nothing else would select
    /// the server.
    fn check_passed_methods(&self) -> Result<(), Error> {
        for (at, later) in self.upstreams.iter().enumerate() {
            for earlier in self.upstreams.iter().take(at) {
                for (place, passed) in later.pass_methods.iter().enumerate() {
                    let Some(other) = passed.collision(&earlier.pass_methods) else { continue };
                    let (passed, other) = (passed.pattern(), other.pattern());
                    let message = [
                        "`",
                        &passed,
                        "` overlaps `",
                        &other,
                        "` of `",
                        &earlier.name,
                        "`: a method that names no primitive can be passed to one server only",
                    ];
                    let field = format!("upstreams[{at}].passMethods[{place}]");
                    return Err(refusal(field, message.concat()));
                }
            }
        }
        Ok(())
    }
}

/// Reads the upstream servers. `another` is whether the file also has `upstream`, which is an error.
fn several(entry: &Entry<'_>, another: bool) -> Result<Vec<Upstream>, Error> {
    if another {
        return Err(entry.refuse("expected `upstream`, of one server, or `upstreams`, not both"));
    }
    let upstreams = entry.list(|entry| {
        let local = Members::read(entry.raw()).is_some_and(|members| members.get("command").is_some());
        Upstream::read(entry, if local { &["name"] } else { &["name", "url"] })
    })?;
    match upstreams.len() {
        0..=MAX_UPSTREAMS => Ok(upstreams),
        _ => Err(entry.refuse(format!("expected at most {MAX_UPSTREAMS} servers"))),
    }
}

fn refusal(field: String, message: String) -> Error {
    Error::new(ErrorKind::Config, message).field(field)
}
