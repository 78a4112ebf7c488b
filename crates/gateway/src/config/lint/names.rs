//! Lints for names in expressions and filters that need no lists of servers. The names of presets, revisions and
//! transports are always known, those of servers only if the file names them. Servers also bring their own groups, tags
//! and concerns. Without their lists, only likely typos are found: names that differ in a few letters from one that the
//! file declares or assigns.

use mcp_sieve::{
    expr::{Expr, Field, Term},
    filter::{FilterField, Vocabulary},
    policy::Preset,
    revision::Revision,
};

use super::{Finding, Flaw, facets::undeclared_value, survey::is_exact};
use crate::config::{Config, Transport};

/// Checks every expression and every preset's filter. `listed` is whether the lists of the servers are known: rules and
/// policies are then tried on them instead.
pub(super) fn lint(config: &Config, listed: bool, findings: &mut Vec<Finding>) {
    let known = Known::new(config, listed);
    for (at, rule) in config.engine.assignments.rules.iter().enumerate() {
        known.expression(&rule.matches, &format!("rules[{at}].match"), findings);
    }
    for (at, policy) in config.engine.policies.iter().enumerate() {
        known.expression(&policy.show, &format!("policies[{at}].show"), findings);
    }
    let shipped = Preset::shipped();
    for (at, preset) in
        config.engine.presets.iter().enumerate().filter(|(_, preset)| !shipped.contains(preset))
    {
        let place = format!("presets[{at}].filter");
        let filter = &preset.filter;
        if let Some(expr) = &filter.r#where {
            known.expression(expr, &format!("{place}.where"), findings);
        }
        for (member, vocabulary, names) in FilterField::named_facets(filter) {
            let noun = match vocabulary {
                Vocabulary::Groups => "group",
                Vocabulary::Tags => "tag",
            };
            for (at, name) in names.iter().enumerate() {
                findings.extend(known.slip(noun, name, &format!("{place}.{member}[{at}]")));
            }
        }
    }
    for (at, check) in config.engine.checks.iter().enumerate() {
        known.expression(&check.require, &format!("checks[{at}].require"), findings);
    }
}

/// The names that a configuration knows.
struct Known<'a> {
    config: &'a Config,
    /// Whether the lists of the servers are known.
    listed: bool,
    presets: Vec<&'a str>,
    /// The names of the servers. Empty if the file names none.
    servers: Vec<&'a str>,
    groups: Vec<&'a str>,
    tags: Vec<&'a str>,
    concerns: Vec<&'a str>,
}

impl<'a> Known<'a> {
    fn new(config: &'a Config, listed: bool) -> Self {
        let assignments = &config.engine.assignments;
        let rules = || assignments.rules.iter();
        let groups = assignments.groups.iter().map(|group| &group.name);
        let parents = assignments.groups.iter().flat_map(|group| &group.parents);
        let tags = assignments.tags.iter().map(|tag| &tag.name);
        let of_groups = assignments.groups.iter().flat_map(|group| &group.concerns);
        let of_mapping = assignments.concern_mapping.iter().flat_map(|(_, concerns)| concerns);
        let of_rules = rules().flat_map(|rule| &rule.concerns);
        let mapped = of_groups.chain(of_mapping).chain(of_rules).map(|(name, _)| name.as_str());
        let only = Some(&config.upstream).filter(|upstream| upstream.is_named());
        let servers = if config.upstreams.is_empty() { only.as_slice() } else { &[] };
        Self {
            config,
            listed,
            presets: config.engine.presets.iter().map(|preset| preset.name.as_str()).collect(),
            servers: servers
                .iter()
                .copied()
                .chain(&config.upstreams)
                .map(|server| server.name.as_str())
                .collect(),
            groups: groups
                .chain(parents)
                .chain(rules().flat_map(|rule| &rule.groups))
                .map(String::as_str)
                .collect(),
            tags: tags.chain(rules().flat_map(|rule| &rule.tags)).map(String::as_str).collect(),
            concerns: config
                .engine
                .concerns
                .iter()
                .map(|concern| concern.name.as_str())
                .chain(mapped)
                .collect(),
        }
    }

    fn expression(&self, expr: &Expr, place: &str, findings: &mut Vec<Finding>) {
        findings.extend(expr.terms().into_iter().filter_map(|term| self.term(term, place)));
    }

    fn term(&self, term: &Term, place: &str) -> Option<Finding> {
        match term.field() {
            Field::Preset => absent("preset", &self.presets, term, place),
            Field::Protocol => absent("revision", &Revision::dates(), term, place),
            Field::Transport => {
                absent("transport", &[Transport::Http, Transport::Stdio].map(Transport::name), term, place)
            }
            _ if self.listed => None,
            Field::Server if !self.servers.is_empty() => absent("server", &self.servers, term, place),
            Field::Group if is_exact(term) => self.slip("group", term.value(), place),
            Field::Tag if is_exact(term) => self.slip("tag", term.value(), place),
            Field::Concern(name) => {
                self.value(name, term, place).or_else(|| self.slip("concern", name, place))
            }
            _ => None,
        }
    }

    /// Returns a finding for a name that the file lacks but that is close to one of its names.
    fn slip(&self, noun: &str, name: &str, place: &str) -> Option<Finding> {
        let known = match noun {
            "group" => &self.groups,
            "tag" => &self.tags,
            _ => &self.concerns,
        };
        if self.listed || known.contains(&name) {
            return None;
        }
        let meant = Expr::nearest(name, &mut known.iter().copied())?;
        let message = format!("the file neither declares nor assigns the {noun} `{name}`");
        Some(Finding::new(Flaw::UnknownName, place, message).meant(Some(meant)))
    }

    /// Returns a finding for a value that its concern does not declare.
    fn value(&self, name: &str, term: &Term, place: &str) -> Option<Finding> {
        let concern = self.config.engine.concerns.iter().find(|concern| concern.name == name)?;
        let wrong = is_exact(term) && !concern.accepts(term.value());
        wrong.then(|| undeclared_value(concern, place, term.value()))
    }
}

/// Returns a finding for a term that accepts none of the known names.
fn absent(noun: &str, known: &[&str], term: &Term, place: &str) -> Option<Finding> {
    if known.iter().any(|name| term.accepts(name)) {
        return None;
    }
    let message = format!("no {noun} is called `{}`", term.value());
    let meant = is_exact(term).then(|| Expr::nearest(term.value(), &mut known.iter().copied())).flatten();
    Some(Finding::new(Flaw::UnknownName, place, message).meant(meant))
}
