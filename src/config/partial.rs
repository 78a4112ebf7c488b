//! Reading the members of a configuration that the engine uses.

use std::sync::Arc;

use super::Config;
use crate::{
    catalog::{Assignments, ConcernMapping, Group, Names, Prefix, Rule, Tag, check_parents},
    concern::{Concern, Concerns, Configuration, OnInvalid},
    error::{Error, ErrorKind},
    filter::{Filter, OnUnknownMember},
    json::{Entry, Members, Raw, Record},
    lock::{Lock, LockWords},
    policy::{Check, Policy, Preset},
};

/// Limits for the length, in characters, to which names of tools are shortened. The protocol allows 128.
const MIN_TOOL_NAME: i64 = 16;
const MAX_TOOL_NAME: i64 = 128;

/// Limits for the number of tokens to which definitions of tools are shortened. A name and a sentence take some 50.
const MIN_DEFINITION: i64 = 50;
const MAX_DEFINITION: i64 = 100_000;

/// The members of a configuration, read but not yet checked against each other.
#[derive(Debug)]
pub(super) struct PartialConfig {
    config: Config,
    presets: Vec<Preset>,
    concerns: Vec<Concern>,
    apply_defaults: bool,
}

impl PartialConfig {
    /// Reads the members of a file that the engine uses. The record may have other members, and it keeps the first
    /// error.
    pub fn read(file: &mut Record<'_>) -> Self {
        let mut config = Config::default();
        let (mut presets, mut concerns, mut apply_defaults) = (Vec::new(), Vec::new(), false);
        let (assignments, mut schema) = (&mut config.assignments, String::new());
        file.fill("$schema", &mut schema, Entry::text);
        file.fill("groups", &mut assignments.groups, |entry| entry.list(Group::read));
        file.fill("tags", &mut assignments.tags, |entry| entry.list(Tag::read));
        file.fill("groupsFrom", &mut assignments.groups_from, |entry| {
            Assignments::read_sources(entry, Some(Assignments::TOOLBOX)).map(Some)
        });
        file.fill("tagsFrom", &mut assignments.tags_from, |entry| {
            Assignments::read_sources(entry, None).map(Some)
        });
        file.fill("toolsets", &mut config.toolsets, |entry| entry.members(toolset));
        file.fill("concerns", &mut concerns, |entry| entry.list(Concern::read));
        file.fill("concernMapping", &mut assignments.concern_mapping, ConcernMapping::read);
        file.fill("applyDefaults", &mut apply_defaults, Entry::flag);
        file.fill("rules", &mut assignments.rules, |entry| entry.list(Rule::read));
        file.fill_optional("lock", &mut assignments.lock, |entry| Lock::read(entry).map(Arc::new));
        file.fill("policies", &mut config.policies, |entry| entry.list(Policy::read));
        file.fill("presets", &mut presets, |entry| entry.list(Preset::read));
        file.fill("checks", &mut config.checks, |entry| entry.list(Check::read));
        file.fill("exposeConcerns", &mut assignments.expose_concerns, Entry::flag);
        file.fill("exposeSep2084Groups", &mut assignments.expose_sep_2084_groups, Entry::flag);
        file.fill("onInvalidConcern", &mut config.on_invalid_concern, OnInvalid::read);
        file.fill("onUnknownMember", &mut config.on_unknown_member, OnUnknownMember::read);
        file.fill("maxToolName", &mut assignments.max_tool_name, |entry| {
            entry.whole(MIN_TOOL_NAME, MAX_TOOL_NAME).map(Some)
        });
        file.fill("definitions", &mut assignments.definition_budget, |entry| {
            definition_budget(entry).map(Some)
        });
        file.fill("toolNames", &mut assignments.portable_tool_names, portable);
        file.fill("enforce", &mut config.enforce, Entry::flag);
        Self { config, presets, concerns, apply_defaults }
    }

    /// Reads what the engine uses of the servers and of `filtering`: the names, prefixes, `requiredCapabilities` and
    /// `mirror`. A gateway reads these members itself, with all of their settings.
    pub(super) fn read_servers(&mut self, file: &mut Record<'_>) {
        let (config, mirror) = (&mut self.config, "mirror");
        let mut servers: Vec<(String, bool)> = Vec::new();
        file.fill("upstream", &mut servers, |entry| Ok(vec![server(entry.raw())]));
        file.fill("upstreams", &mut servers, |entry| entry.list(|entry| Ok(server(entry.raw()))));
        file.fill("upstreams", &mut config.prefixes, |entry| {
            Ok(entry.list(prefix)?.into_iter().flatten().collect())
        });
        file.fill("filtering", &mut config.assignments.omit_mirror, |entry| {
            let mirror = Members::read(entry.raw()).and_then(|filtering| filtering.get(mirror));
            Ok(mirror.is_some_and(|mirror| mirror.get() == "false"))
        });
        let mut words: Vec<(String, LockWords)> = Vec::new();
        file.fill("upstream", &mut words, |entry| Ok(vec![lock_words(entry)?]));
        let mut several: Vec<(String, LockWords)> = Vec::new();
        file.fill("upstreams", &mut several, |entry| entry.list(lock_words));
        words.append(&mut several);
        let hiding = servers.iter().filter(|(_, hides)| *hides);
        config.assignments.hide_incapable = hiding.map(|(name, _)| name.clone()).collect();
        config.servers = servers.into_iter().map(|(name, _)| name).collect();
        if let Some(lock) = &mut config.assignments.lock {
            Arc::make_mut(lock).settle(words, &config.servers);
        }
    }

    /// Completes the configuration: adds the members whose meaning depends on others, and checks the rules between
    /// members.
    ///
    /// # Errors
    /// [`ErrorKind::Config`] with the path of the member that contradicts another.
    pub fn complete(self) -> Result<Config, Error> {
        let Self { mut config, presets, concerns, apply_defaults } = self;
        unique("presets", presets.iter().map(|preset| preset.name.as_str()))?;
        // Declared presets come before the built-in ones, and replace those with the same name.
        config.presets.retain(|shipped| presets.iter().all(|preset| preset.name != shipped.name));
        config.presets.splice(..0, presets);
        check_names(&config)?;
        config.concerns = Concerns::new(concerns)?.applying_defaults(apply_defaults);
        check_presets(&mut config)?;
        Ok(config)
    }
}

/// Reads the groups of a toolset.
fn toolset(entry: &Entry<'_>) -> Result<Vec<String>, Error> {
    let groups = entry.some_list(Entry::some_text)?;
    match groups.len() {
        0..=Configuration::MAX_VALUES => Ok(groups),
        _ => Err(entry.refuse(format!("expected at most {max} groups", max = Configuration::MAX_VALUES))),
    }
}

/// Reads the number of tokens to which definitions of tools are shortened.
fn definition_budget(entry: &Entry<'_>) -> Result<u32, Error> {
    let (mut record, mut budget) = (entry.record(&["budget"])?, 0);
    record.need(&["budget"]);
    record.fill("budget", &mut budget, |entry| entry.whole(MIN_DEFINITION, MAX_DEFINITION));
    record.end().map(|()| budget)
}

/// Reads the form of tool names: whether they are rewritten to names that every host accepts.
fn portable(entry: &Entry<'_>) -> Result<bool, Error> {
    match entry.text().as_deref() {
        Ok("original") => Ok(false),
        Ok("portable") => Ok(true),
        _ => Err(entry.refuse(["expected ", &Error::one_of(&["original", "portable"])].concat())),
    }
}

/// Reads the prefix of a server, if it has one.
fn prefix(entry: &Entry<'_>) -> Result<Option<Prefix>, Error> {
    let (server, _) = server(entry.raw());
    let (mut text, mut always) = (None, false);
    entry.each_member(&mut |key, entry| {
        match key {
            "prefix" if !entry.raw().is_null() => text = Some(Prefix::read(entry)?),
            "prefixAll" => always = entry.flag()?,
            _ => {}
        }
        Ok(())
    })?;
    Ok(text.map(|text| Prefix { server, text, always }))
}

/// Reads what a server's settings say of its lock, after the name of the server.
fn lock_words(entry: &Entry<'_>) -> Result<(String, LockWords), Error> {
    let mut words = LockWords::default();
    entry.each_member(&mut |key, entry| {
        if key == "lock" && !entry.raw().is_null() {
            words = LockWords::read(entry)?;
        }
        Ok(())
    })?;
    Ok((server(entry.raw()).0, words))
}

/// Returns the name of a server, and whether it hides primitives that require a capability which the client lacks. By
/// default, it does if it is listed with `capabilities`.
fn server(raw: Raw<'_>) -> (String, bool) {
    let settings = Members::read(raw).unwrap_or_default();
    let name = settings.get("name").and_then(Raw::text);
    let name = name.map_or_else(|| super::settings::UNNAMED.to_owned(), Into::into);
    let has_members = |raw| Members::read(raw).is_some_and(|members| !members.0.is_empty());
    let listed = || {
        let capabilities = settings.get("capabilities").and_then(Members::read).unwrap_or_default();
        capabilities.0.iter().any(|(name, part)| name != "extensions" || has_members(*part))
    };
    match settings.get("requiredCapabilities").and_then(Raw::text) {
        Some(setting) => (name, setting == "hide"),
        None => (name, listed()),
    }
}

/// Checks that names are unique, that groups have parents, and that no rule reads the caller.
fn check_names(config: &Config) -> Result<(), Error> {
    let assignments = &config.assignments;
    unique("groups", assignments.groups.iter().map(|group| group.name.as_str()))?;
    check_parents(&assignments.groups)?;
    if config.toolsets.iter().any(|(name, _)| name == Filter::ALL_TOOLSETS) {
        let message = "`all` stands for every group, expected another name";
        return Err(Error::new(ErrorKind::Config, message).field("toolsets.all"));
    }
    unique("tags", assignments.tags.iter().map(|tag| tag.name.as_str()))?;
    for (at, rule) in assignments.rules.iter().enumerate() {
        if let Some(field) = rule.matches.reads_caller() {
            let message = format!("`{field}` reads the caller, expected a field of the primitive");
            return Err(Error::new(ErrorKind::Config, message).field(format!("rules[{at}].match")));
        }
    }
    Ok(())
}

/// Checks the concerns of presets. A preset is a restriction, so a value that a request would ignore is an error here.
fn check_presets(config: &mut Config) -> Result<(), Error> {
    for (at, Preset { filter, .. }) in config.presets.iter_mut().enumerate() {
        let settled = config.concerns.settle(&filter.concerns, OnInvalid::Error, |_| true);
        let (settled, _) = settled
            .map_err(|error| error.with_kind(ErrorKind::Config).within(&format!("presets[{at}].filter")))?;
        filter.concerns = settled;
    }
    Ok(())
}

/// Returns an error for a name that is declared twice.
fn unique<'a>(field: &str, names: impl Iterator<Item = &'a str>) -> Result<(), Error> {
    let mut known = Names::default();
    for (at, name) in names.enumerate() {
        // A name that is already known has an earlier index.
        if known.intern(name) < at {
            let message = format!("`{name}` is declared twice");
            return Err(Error::new(ErrorKind::Config, message).field(format!("{field}[{at}]")));
        }
    }
    Ok(())
}
