//! Lints for rules: conditions that match nothing, and rules without effect.

use mcp_sieve::{Kind, catalog::Rule};

use super::{Finding, Flaw, contradiction::contradiction, survey::Survey, terms::unmet_terms};
use crate::config::Config;

/// Checks every rule, in order.
pub(super) fn lint(config: &Config, survey: Option<&Survey<'_>>, findings: &mut Vec<Finding>) {
    let rules = &config.engine.assignments.rules;
    let idle = survey.map(|survey| idle(rules, survey)).unwrap_or_default();
    for (number, rule) in rules.iter().enumerate() {
        let place = format!("rules[{number}].match");
        if is_empty(rule) {
            let message = "changes nothing, expected one of `groups`, `tags`, `concerns`, `name`, `title`, `description`, `examples`, `hide`, `pin`, `annotations`, `icons`, `outputSchema`, `bind`";
            findings.push(Finding::new(Flaw::EmptyRule, format!("rules[{number}]"), message));
        }
        if let Some((reason, meant)) = contradiction(&rule.matches) {
            let message = format!("matches nothing: {reason}");
            findings.push(Finding::new(Flaw::Contradiction, place, message).meant(meant));
            continue;
        }
        let Some((survey, tried)) = survey.and_then(|survey| Some((survey, survey.rules.get(number)?)))
        else {
            continue;
        };
        if tried.hits.is_empty() && !tried.behind.is_empty() {
            let hiders: Vec<String> = tried.behind.iter().map(|hider| format!("rules[{hider}]")).collect();
            let message = format!("everything it matches is hidden earlier, by {}", hiders.join(" and "));
            findings.push(Finding::new(Flaw::ShadowedRule, place, message));
            continue;
        }
        let unmet_terms = unmet_terms(&rule.matches, &tried.terms, &place, Some(number), rules, survey);
        if tried.hits.is_empty() && !survey.names_missing_server(&rule.matches) {
            findings.push(dead(Flaw::DeadRule, "matches nothing", place, unmet_terms));
            continue;
        }
        findings.extend(unmet_terms);
        findings.extend(rule.pin.then(|| pinned_hidden(number, survey)).flatten());
        findings.extend(bound_kind(number, rule, survey));
        if let Some((_, because)) = idle.iter().find(|(idle, _)| *idle == number) {
            let message = format!("changes nothing: {}", words(rules, number, *because));
            findings.push(Finding::new(Flaw::ShadowedRule, format!("rules[{number}]"), message));
        }
    }
}

/// Returns a finding for a primitive that a rule pins and another rule hides.
fn pinned_hidden(number: usize, survey: &Survey<'_>) -> Option<Finding> {
    let mut pinned = survey.rules.get(number)?.hits.iter();
    let (name, hider) =
        pinned.find_map(|index| Some((survey.trace.id(*index)?, survey.outcomes.get(*index)?.hidden_by?)))?;
    let message = format!("pins `{name}`, which rules[{hider}] hides");
    Some(Finding::new(Flaw::PinnedHidden, format!("rules[{number}].pin"), message))
}

/// Returns a finding for a rule that binds arguments and matches something other than a tool.
fn bound_kind(number: usize, rule: &Rule, survey: &Survey<'_>) -> Option<Finding> {
    let mut hits = survey.rules.get(number)?.hits.iter().filter(|_| !rule.bind.is_empty());
    let (kind, name) = hits.find_map(|index| {
        let (kind, _) = survey.trace.origin(*index).filter(|(kind, _)| *kind != Kind::Tool)?;
        Some((kind.name(), survey.trace.id(*index)?))
    })?;
    let message = format!("binds arguments of tools, and matches the {kind} `{name}`: add `kind:tool`");
    Some(Finding::new(Flaw::BoundKind, format!("rules[{number}].bind"), message))
}

/// Returns a finding for a condition that matches nothing, with the responsible terms.
pub(super) fn dead(flaw: Flaw, what: &str, place: String, unmet_terms: Vec<Finding>) -> Finding {
    if unmet_terms.is_empty() {
        return Finding::new(flaw, place, format!("{what}: no primitive meets all its conditions"));
    }
    let meant = unmet_terms.iter().find_map(|finding| finding.meant.clone());
    let reasons: Vec<String> = unmet_terms.into_iter().map(|finding| finding.message).collect();
    Finding::new(flaw, place, format!("{what}: {}", reasons.join(", and "))).meant(meant)
}

fn is_empty(rule: &Rule) -> bool {
    let gives = !rule.groups.is_empty() || !rule.tags.is_empty() || !rule.concerns.is_empty();
    let replaces = rule.overrides != Default::default() || rule.members != Default::default();
    !gives && !replaces && !rule.hide && !rule.pin && rule.examples.is_empty() && rule.bind.is_empty()
}

/// Returns the rules that change the outcome of no primitive, each with the single other rule that is the reason, if
/// there is one. If two rules have the same effect, the later is idle.
fn idle(rules: &[Rule], survey: &Survey<'_>) -> Vec<(usize, Option<usize>)> {
    let mut idle: Vec<(usize, Option<usize>)> = Vec::new();
    // Rules that match nothing are already reported, so they cannot make another rule idle.
    let hits = |number: usize| survey.rules.get(number).filter(|tried| !tried.hits.is_empty());
    let mut gone: Vec<usize> = (0..rules.len()).filter(|number| hits(*number).is_none()).collect();
    for (number, rule) in rules.iter().enumerate().rev() {
        let Some(tried) = hits(number) else { continue };
        let matters = |also: Option<usize>| {
            let without: Vec<usize> = gone.iter().copied().chain(also).collect();
            let with_it: Vec<usize> = without.iter().copied().chain([number]).collect();
            let mut hits = tried.hits.iter();
            hits.any(|primitive| {
                let outcome = |without: &[usize]| survey.trace.outcome(*primitive, without);
                outcome(&with_it).zip(outcome(&without)).is_some_and(|(a, b)| !a.is_as(&b))
            })
        };
        if is_empty(rule) || matters(None) {
            continue;
        }
        let others = (0..rules.len()).filter(|other| *other != number && !gone.contains(other));
        let because = others.into_iter().find(|other| matters(Some(*other)));
        idle.push((number, because));
        gone.push(number);
    }
    idle
}

/// Describes why a rule changes nothing.
fn words(rules: &[Rule], number: usize, because: Option<usize>) -> String {
    let Some(because) = because else { return "its effect is there without it".to_owned() };
    let later = because > number;
    let hides = rules.get(because).is_some_and(|rule| rule.hide);
    let by = format!("rules[{because}]");
    match (later, hides) {
        (_, true) => format!("{by} hides everything it matches"),
        (true, false) => format!("{by} is later and replaces its effect"),
        (false, false) => format!("{by} has the same effect already"),
    }
}
