//! Lints for groups, tags and concerns that are declared but unused, or used but undeclared.

use std::collections::{BTreeMap, BTreeSet};

use mcp_sieve::{
    catalog::{Rule, RuleOutcome},
    concern::Concern,
    expr::Expr,
};

use super::{Finding, Flaw, survey::Survey};
use crate::config::Config;

/// The names of groups or of tags, and their use.
struct Vocabulary<'a> {
    /// The member of the configuration that declares the names.
    member: &'static str,
    noun: &'static str,
    declared: Vec<&'a str>,
    /// The number of names that the file itself declares. They come first in `declared`.
    own: usize,
    undeclared: Flaw,
    unused: Flaw,
    given: Vec<&'a [String]>,
    /// The names in the result of the rules. `None` without a catalog.
    used: Option<BTreeSet<&'a str>>,
    /// The names that servers publish, which count in filters.
    published: BTreeSet<&'a str>,
}

/// Compares the declared groups, tags and concerns with those in use.
pub(super) fn lint(config: &Config, survey: Option<&Survey<'_>>, findings: &mut Vec<Finding>) {
    let assignments = &config.engine.assignments;
    let [served_groups, served_tags, _] = assignments.served;
    let outcomes = || survey.into_iter().flat_map(|survey| &survey.outcomes);
    // Names that rules give to servers without a known list count as used.
    let used = |names: fn(&RuleOutcome) -> Vec<&str>, given: fn(&Rule) -> &[String]| {
        survey.map(|survey| {
            let awaiting = assignments.rules.iter().filter(|rule| survey.names_missing_server(&rule.matches));
            let given = awaiting.flat_map(given).map(String::as_str);
            survey.outcomes.iter().flat_map(names).chain(given).collect::<BTreeSet<_>>()
        })
    };
    Vocabulary {
        member: "groups",
        noun: "group",
        declared: assignments.groups.iter().map(|group| group.name.as_str()).collect(),
        own: assignments.groups.len().saturating_sub(served_groups),
        undeclared: Flaw::UndeclaredGroup,
        unused: Flaw::UnusedGroup,
        given: assignments.rules.iter().map(|rule| rule.groups.as_slice()).collect(),
        used: used(|outcome| outcome.groups().collect(), |rule| &rule.groups),
        published: outcomes().flat_map(|outcome| published_of(outcome, true)).collect(),
    }
    .lint(findings);
    Vocabulary {
        member: "tags",
        noun: "tag",
        declared: assignments.tags.iter().map(|tag| tag.name.as_str()).collect(),
        own: assignments.tags.len().saturating_sub(served_tags),
        undeclared: Flaw::UndeclaredTag,
        unused: Flaw::UnusedTag,
        given: assignments.rules.iter().map(|rule| rule.tags.as_slice()).collect(),
        used: used(|outcome| outcome.tags().collect(), |rule| &rule.tags),
        published: outcomes().flat_map(|outcome| published_of(outcome, false)).collect(),
    }
    .lint(findings);
    concerns(config, survey, findings);
}

/// Returns the groups or tags of a primitive that its server publishes.
fn published_of(outcome: &RuleOutcome, is_group: bool) -> Vec<&str> {
    let [groups, tags] = outcome.published();
    if is_group { groups.collect() } else { tags.collect() }
}

impl Vocabulary<'_> {
    fn lint(&self, findings: &mut Vec<Finding>) {
        let Self { member, noun, declared, .. } = self;
        for (at, name) in declared.iter().enumerate().take(self.own) {
            let is_used = |used: &BTreeSet<_>| used.contains(name) || self.published.contains(name);
            if self.used.as_ref().is_some_and(|used| !is_used(used)) {
                let message = format!("no primitive has the {noun} `{name}`");
                findings.push(Finding::new(self.unused, format!("{member}[{at}]"), message));
            }
        }
        let mut known: BTreeSet<&str> = declared.iter().copied().collect();
        for (rule, names) in self.given.iter().enumerate() {
            for (at, name) in names.iter().enumerate() {
                if known.insert(name) {
                    findings.push(self.undeclared(format!("rules[{rule}].{member}[{at}]"), name));
                }
            }
        }
        for name in self.used.iter().flatten() {
            if known.insert(name) {
                findings.push(self.undeclared("catalog".to_owned(), name));
            }
        }
    }

    fn undeclared(&self, place: String, name: &str) -> Finding {
        let message = format!("the {} `{name}` is not declared under `{}`", self.noun, self.member);
        Finding::new(self.undeclared, place, message)
            .meant(Expr::nearest(name, &mut self.declared.iter().copied()))
    }
}

fn concerns(config: &Config, survey: Option<&Survey<'_>>, findings: &mut Vec<Finding>) {
    let outcomes = || survey.into_iter().flat_map(|survey| &survey.outcomes);
    for (at, concern) in config.engine.concerns.iter().enumerate() {
        let mapped = outcomes().flat_map(RuleOutcome::concerns).any(|(name, _)| name == concern.name);
        if survey.is_none() || mapped {
            continue;
        }
        let message = format!("no primitive has a value of the concern `{}`", concern.name);
        if at < config.own_concerns() {
            findings.push(Finding::new(Flaw::UnusedConcern, format!("concerns[{at}]"), message));
        } else if !config.forwards_concerns() {
            let message = format!("{message}, which a server declares");
            findings.push(Finding::new(Flaw::UnusedConcern, "catalog", message));
        }
    }
    let mut reported = BTreeSet::new();
    for (at, group) in config.engine.assignments.groups.iter().enumerate() {
        for (name, values) in &group.concerns {
            mapping(config, &format!("groups[{at}].concerns.{name}"), name, values, &mut reported, findings);
        }
    }
    let ids: Option<BTreeSet<&str>> =
        survey.map(|survey| (0..survey.trace.len()).filter_map(|index| survey.trace.id(index)).collect());
    for (id, values) in config.engine.assignments.concern_mapping.iter() {
        let place = format!("concernMapping.{id}");
        if let Some(ids) = ids.as_ref().filter(|ids| !ids.contains(id)) {
            let message = format!("no primitive is called `{id}`");
            let meant = Expr::nearest(id, &mut ids.iter().copied());
            findings.push(Finding::new(Flaw::UnknownName, place.clone(), message).meant(meant));
        }
        for (name, values) in values {
            mapping(config, &format!("{place}.{name}"), name, values, &mut reported, findings);
        }
    }
    for (at, rule) in config.engine.assignments.rules.iter().enumerate() {
        for (name, values) in &rule.concerns {
            mapping(config, &format!("rules[{at}].concerns.{name}"), name, values, &mut reported, findings);
        }
    }
    let mut undeclared = BTreeMap::new();
    for (name, values) in outcomes().flat_map(RuleOutcome::concerns) {
        match config.engine.concerns.declares(name) {
            true => mapping(config, "catalog", name, values, &mut reported, findings),
            false => *undeclared.entry(name).or_insert(0_usize) += 1,
        }
    }
    for (name, count) in undeclared {
        if reported.insert((name.to_owned(), String::new())) {
            let mut finding = undeclared_concern(config, "catalog", name);
            let plural = if count == 1 { "primitive has" } else { "primitives have" };
            finding.message.push_str(&format!(", and hides nothing: {count} {plural} a value of it"));
            findings.push(finding);
        }
    }
}

/// Returns the finding of a concern that is not declared.
fn undeclared_concern(config: &Config, place: &str, name: &str) -> Finding {
    let message = format!("the concern `{name}` is not declared under `concerns`");
    let meant = Expr::nearest(name, &mut config.engine.concerns.iter().map(|concern| concern.name.as_str()));
    Finding::new(Flaw::UndeclaredConcern, place, message).meant(meant)
}

/// Reports undeclared values that a primitive or a group has for a concern. `reported` holds what is already reported.
fn mapping(
    config: &Config,
    place: &str,
    name: &str,
    values: &[String],
    reported: &mut BTreeSet<(String, String)>,
    findings: &mut Vec<Finding>,
) {
    let declared = || config.engine.concerns.iter();
    let Some(concern) = declared().find(|concern| concern.name == name) else {
        if reported.insert((name.to_owned(), String::new())) {
            findings.push(undeclared_concern(config, place, name));
        }
        return;
    };
    for value in values.iter().filter(|value| !concern.accepts(value)) {
        if reported.insert((name.to_owned(), value.clone())) {
            findings.push(undeclared_value(concern, place, value));
        }
    }
}

pub(super) fn undeclared_value(concern: &Concern, place: &str, value: &str) -> Finding {
    let message = format!(
        "`{value}` is not a value of the concern `{}`, expected {}",
        concern.name,
        concern.expected()
    );
    let meant = Expr::nearest(value, &mut concern.values.listed().iter().map(String::as_str));
    Finding::new(Flaw::UndeclaredValue, place, message).meant(meant)
}
