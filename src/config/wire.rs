use super::{
    Audit, Auth, Disclosure, Drafts, Limits,
    acknowledged::acknowledged,
    host_name::{host_name, origins},
    middleware::{Mandate, Middleware},
    number::positive,
    settings::{Config, Filtering, Identity, Tasks, UnknownNames},
    upstream::{MAX_UPSTREAMS, Upstream},
};
use crate::{
    catalog::{ConcernMapping, Group, Names, Rule, Tag, check_parents},
    concern::{Concern, Concerns, OnInvalid},
    error::{Error, ErrorKind},
    expr::nearest,
    json::{Entry, Members, Raw, Record, Repeated, without_comments},
    policy::{Check, Policy, Preset},
};

/// Limits for the length, in characters, to which names of tools are shortened. The protocol allows 128.
const MIN_TOOL_NAME: i64 = 16;
const MAX_TOOL_NAME: i64 = 128;

/// The known members of the file.
const KNOWN: [&str; 33] = [
    "$schema",
    "server",
    "groups",
    "tags",
    "concerns",
    "concernMapping",
    "applyDefaults",
    "rules",
    "policies",
    "presets",
    "checks",
    "exposeConcerns",
    "exposeSep2084Groups",
    "onInvalidConcern",
    "filtering",
    "disclosure",
    "maxToolName",
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

/// Members whose meaning depends on other members.
#[derive(Default)]
struct Unsettled {
    presets: Vec<Preset>,
    concerns: Vec<Concern>,
    apply_defaults: bool,
    upstream: Option<Upstream>,
}

impl Config {
    /// Reads `sieve.jsonc`: JSON with comments and trailing commas.
    ///
    /// # Errors
    /// [`ErrorKind::Json`] with the byte position, for text that is not JSON. [`ErrorKind::Config`] with the path of
    /// the member, for a member that violates the schema or contradicts another.
    pub fn parse(source: &str) -> Result<Self, Error> {
        let source = without_comments(source)?;
        let root = Raw::parse(&source)?;
        if let Some(path) = Repeated::find(root).path {
            let message = "the member occurs twice, expected once";
            return Err(Error::new(ErrorKind::Config, message).field(path));
        }
        let mut file = Entry::root(root).record(&KNOWN)?;
        let mut config = Self::default();
        let unsettled = config.fill(&mut file);
        file.end()?;
        config.settle(unsettled)?;
        Ok(config)
    }

    /// Reads the members of a file, in the order in which their errors are reported.
    fn fill(&mut self, file: &mut Record<'_>) -> Unsettled {
        let Unsettled { mut presets, mut concerns, mut apply_defaults, mut upstream } = Unsettled::default();
        let (assignments, mut schema) = (&mut self.assignments, String::new());
        file.fill("$schema", &mut schema, Entry::text);
        file.fill("server", &mut self.server, Identity::read);
        file.fill("groups", &mut assignments.groups, |entry| entry.list(Group::read));
        file.fill("tags", &mut assignments.tags, |entry| entry.list(Tag::read));
        file.fill("concerns", &mut concerns, |entry| entry.list(Concern::read));
        file.fill("concernMapping", &mut assignments.concern_mapping, ConcernMapping::read);
        file.fill("applyDefaults", &mut apply_defaults, Entry::flag);
        file.fill("rules", &mut assignments.rules, |entry| entry.list(Rule::read));
        file.fill("policies", &mut self.policies, |entry| entry.list(Policy::read));
        file.fill("presets", &mut presets, |entry| entry.list(Preset::read));
        file.fill("checks", &mut self.checks, |entry| entry.list(Check::read));
        file.fill("exposeConcerns", &mut assignments.expose_concerns, Entry::flag);
        file.fill("exposeSep2084Groups", &mut assignments.expose_sep_2084_groups, Entry::flag);
        file.fill("onInvalidConcern", &mut self.on_invalid_concern, OnInvalid::read);
        file.fill("filtering", &mut self.filtering, Filtering::read);
        assignments.omit_mirror = !self.filtering.mirror;
        file.fill("disclosure", &mut self.disclosure, Disclosure::read);
        file.fill("maxToolName", &mut assignments.max_tool_name, |entry| {
            entry.whole(MIN_TOOL_NAME, MAX_TOOL_NAME).map(Some)
        });
        file.fill("drafts", &mut self.drafts, Drafts::read);
        file.fill("tasks", &mut self.tasks, Tasks::read);
        file.fill("unknownNames", &mut self.unknown_names, UnknownNames::read);
        file.fill("checkStateless", &mut self.check_stateless, Entry::flag);
        file.fill("pageSize", &mut self.page_size, positive);
        file.fill("enforce", &mut self.enforce, Entry::flag);
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
        Unsettled { presets, concerns, apply_defaults, upstream }
    }

    /// Adds the members whose meaning depends on others, and checks the rules between members.
    fn settle(&mut self, unsettled: Unsettled) -> Result<(), Error> {
        let Unsettled { presets, concerns, apply_defaults, upstream } = unsettled;
        self.upstream = upstream.unwrap_or_default();
        let servers = self.upstreams.iter().chain([&self.upstream]);
        let hiding = servers.filter(|server| server.hides_incapable()).map(|server| server.name.clone());
        self.assignments.hide_incapable = hiding.collect();
        unique("presets", presets.iter().map(|preset| preset.name.as_str()))?;
        // Declared presets come before the built-in ones, and replace those with the same name.
        self.presets.retain(|shipped| presets.iter().all(|preset| preset.name != shipped.name));
        self.presets.splice(..0, presets);
        self.check()?;
        self.concerns = Concerns::new(concerns)?.applying_defaults(apply_defaults);
        self.check_presets()?;
        self.check_chains()?;
        self.check_server_card()?;
        self.check_disclosed_groups()
    }

    /// Checks the rules that span several members.
    fn check(&self) -> Result<(), Error> {
        unique("groups", self.assignments.groups.iter().map(|group| group.name.as_str()))?;
        check_parents(&self.assignments.groups)?;
        unique("tags", self.assignments.tags.iter().map(|tag| tag.name.as_str()))?;
        unique("upstreams", self.upstreams.iter().map(|upstream| upstream.name.as_str()))?;
        self.check_passed_methods()?;
        for (at, rule) in self.assignments.rules.iter().enumerate() {
            if let Some(field) = rule.matches.reads_caller() {
                let message = format!("`{field}` reads the caller, expected a field of the primitive");
                return Err(refusal(format!("rules[{at}].match"), message));
            }
        }
        Ok(())
    }

    /// Checks the concerns of presets. A preset is a restriction, so a value that a request would ignore is an error
    /// here.
    fn check_presets(&mut self) -> Result<(), Error> {
        for (at, Preset { filter, .. }) in self.presets.iter_mut().enumerate() {
            let settled = self.concerns.settle(&filter.concerns, OnInvalid::Error, |_| true);
            let (settled, _) = settled.map_err(|error| {
                error.with_kind(ErrorKind::Config).within(&format!("presets[{at}].filter"))
            })?;
            filter.concerns = settled;
        }
        Ok(())
    }

    /// Checks that every preset of a chain exists. A chain for an unknown preset would apply to no caller.
    fn check_chains(&self) -> Result<(), Error> {
        let names = || self.presets.iter().map(|preset| preset.name.as_str());
        let chains = self.middleware.iter().flat_map(|middleware| &middleware.chains);
        for (at, Mandate { presets, .. }) in chains.enumerate() {
            let unknown = presets.iter().enumerate().find(|(_, name)| names().all(|known| known != *name));
            if let Some((place, name)) = unknown {
                let meant = nearest(name, &mut names()).map(|meant| format!(" (did you mean `{meant}`?)"));
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

fn unique<'a>(field: &str, names: impl Iterator<Item = &'a str>) -> Result<(), Error> {
    let mut known = Names::default();
    for (at, name) in names.enumerate() {
        // A name that is already known has an earlier index.
        if known.intern(name) < at {
            return Err(refusal(format!("{field}[{at}]"), format!("`{name}` is declared twice")));
        }
    }
    Ok(())
}

fn refusal(field: String, message: String) -> Error {
    Error::new(ErrorKind::Config, message).field(field)
}
