//! Finds the terms and patterns that match nothing, and suggests corrections.

use std::collections::BTreeSet;

use mcp_sieve::{
    Kind,
    catalog::Rule,
    expr::{Expr, Field, Term},
};

use super::{
    Finding, Flaw,
    survey::{Probe, Survey, is_exact},
};

/// Returns a finding at `place` for each term of a condition that no primitive meets. `step` is the rule of the
/// condition, or `None` for a policy.
pub(super) fn unmet_terms(
    expr: &Expr,
    probes: &[Probe],
    place: &str,
    step: Option<usize>,
    rules: &[Rule],
    survey: &Survey<'_>,
) -> Vec<Finding> {
    let unmet = |(term, probe): &(&Term, &Probe)| {
        !probe.accepted && !term.field().reads_caller() && !survey.is_missing_server(term)
    };
    let unmet = expr.terms().into_iter().zip(probes).filter(unmet);
    let finding = |(term, probe): (&Term, &Probe)| {
        if let Some(later) = step.and_then(|step| given_later(term, step, rules)) {
            let message = format!(
                "nothing meets `{term}` yet: rules[{later}] assigns it, and a rule sees only what earlier rules assigned"
            );
            return Finding::new(Flaw::RuleOrder, place, message);
        }
        if let Some(setting) = unnamed_source(term, survey) {
            let message = only_published(&term.to_string(), setting);
            return Finding::new(Flaw::UnknownName, place, message);
        }
        let suggestion = suggest(term, *probe, step, survey);
        Finding::new(Flaw::UnknownName, place, absence(term, *probe)).meant(suggestion)
    };
    unmet.map(finding).collect()
}

/// Returns a finding for each pattern of the list at `place` that matches no value of `field`.
pub(super) fn unmet_patterns(
    patterns: &[String],
    field: &Field,
    place: &str,
    survey: &Survey<'_>,
) -> Vec<Finding> {
    if patterns.is_empty() {
        return Vec::new();
    }
    // A primitive that a rule hides exists all the same, and so does a name before its prefix.
    let known = survey.values(None, field);
    let listed = Kind::ALL.into_iter().flat_map(|kind| survey.catalog.kind_index(kind).ids());
    let names: Vec<&str> = known.iter().map(String::as_str).chain(listed).collect();
    let unmet = |(_, pattern): &(usize, &String)| !names.iter().any(|name| Expr::glob(pattern, name));
    let finding = |(at, pattern): (usize, &String)| {
        let message = format!("nothing matches `{pattern}`");
        let meant = Expr::nearest(pattern, &mut names.iter().copied());
        Finding::new(Flaw::UnknownName, format!("{place}[{at}]"), message).meant(meant)
    };
    patterns.iter().enumerate().filter(unmet).map(finding).collect()
}

/// Returns the setting for the source of the names that a term accepts, if servers only publish them.
fn unnamed_source(term: &Term, survey: &Survey<'_>) -> Option<&'static str> {
    let (is_group, setting) = match term.field() {
        Field::Group => (true, "groupsFrom"),
        Field::Tag => (false, "tagsFrom"),
        _ => return None,
    };
    survey.only_published(is_group, &|name| term.accepts(name)).then_some(setting)
}

/// Returns the message about a name that counts in filters only.
pub(super) fn only_published(name: &str, setting: &str) -> String {
    format!("`{name}` is published by servers, so it counts in filters only: name its source in `{setting}`")
}

/// Returns the first rule that assigns what a term accepts, but too late for rule `step`.
fn given_later(term: &Term, step: usize, rules: &[Rule]) -> Option<usize> {
    let gives = |rule: &Rule| match term.field() {
        Field::Group => rule.groups.iter().any(|name| term.accepts(name)),
        Field::Tag => rule.tags.iter().any(|name| term.accepts(name)),
        Field::Concern(wanted) => {
            let values = rule.concerns.iter().filter(|(name, _)| name == wanted);
            values.flat_map(|(_, values)| values).any(|value| term.accepts(value))
        }
        _ => false,
    };
    rules.iter().enumerate().skip(step).find(|(_, rule)| !rule.hide && gives(rule)).map(|(later, _)| later)
}

fn absence(term: &Term, probe: Probe) -> String {
    let (field, value, slip) = (term.field(), term.value(), slip(term.value()));
    match field {
        Field::Tag if is_exact(term) => format!("nothing carries the tag `{value}`{slip}"),
        Field::Group if is_exact(term) => format!("nothing is in the group `{value}`{slip}"),
        Field::Name if is_exact(term) => format!("nothing is called `{value}`{slip}"),
        Field::Kind if is_exact(term) => format!("nothing is a `{value}`"),
        Field::Concern(name) if !probe.found => format!("no primitive has a value of the concern `{name}`"),
        _ if !probe.found => format!("nothing has `{field}`"),
        _ => format!("nothing meets `{term}`{slip}"),
    }
}

/// Returns a hint on syntax that a value treats as plain text.
fn slip(value: &str) -> &'static str {
    match value {
        _ if value.contains(',') => "; a comma is a part of the value, alternatives are joined by `or`",
        _ if value.contains('|') => "; `|` is a part of the value, alternatives are joined by `or`",
        _ if value.contains(".*") || value.starts_with(['/', '^']) || value.ends_with('$') => {
            "; a pattern is no regular expression, it has `*` and `?`"
        }
        _ => "",
    }
}

fn suggest(term: &Term, probe: Probe, step: Option<usize>, survey: &Survey<'_>) -> Option<String> {
    let field = term.field();
    if !probe.found
        && let Some(name) = field.name()
    {
        let known = match field {
            Field::Concern(_) => {
                let concerns = survey.outcomes.iter().flat_map(|outcome| outcome.concerns());
                concerns.map(|(name, _)| name.to_owned()).collect()
            }
            _ => survey.trace.names_of(field),
        };
        let name = Expr::nearest(name, &mut known.iter().map(String::as_str))?;
        return Some(format!("{}.{name}", field.word()));
    }
    if term.is_pattern() {
        return respelt(term, &survey.values(step, field));
    }
    if !is_exact(term) {
        return None;
    }
    // The name of an existing kind is no typo, even without primitives of that kind.
    let is_kind = Kind::ALL.into_iter().any(|kind| kind.name() == term.value());
    if *field == Field::Kind && is_kind {
        return None;
    }
    // Rules read the name that a server lists. Later conditions read the name that the gateway lists.
    if step.is_none()
        && *field == Field::Name
        && let Some(listed) = survey.listed_name(term.value())
    {
        return Some(listed.to_owned());
    }
    let values = survey.values(step, field);
    let mut others = values.iter().map(String::as_str).filter(|value| *value != term.value());
    Expr::nearest(term.value(), &mut others).map(str::to_owned)
}

/// Returns a pattern in which each unknown word is replaced by the closest known one, if some value then matches it.
fn respelt(term: &Term, values: &BTreeSet<String>) -> Option<String> {
    let known: BTreeSet<&str> = values.iter().flat_map(|value| words(value)).collect();
    let mut pattern = term.value().to_owned();
    for word in words(term.value()).filter(|word| word.len() > 2 && !known.contains(word)) {
        pattern = pattern.replacen(word, Expr::nearest(word, &mut known.iter().copied())?, 1);
    }
    (pattern != term.value() && values.iter().any(|value| Expr::glob(&pattern, value))).then_some(pattern)
}

/// Returns the words of a name.
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}
