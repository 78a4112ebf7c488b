//! Lints for policies: conditions that match nothing, and names that another policy or a rule hides.

use mcp_sieve::expr::{Expr, Field, Op, Term};

use super::{
    Finding, Flaw,
    contradiction::contradiction,
    rules::dead,
    survey::{Survey, is_exact},
    terms::unmet_terms,
};
use crate::config::Config;

/// Checks every policy, in the order of the file, and then all together. Checks the condition for the tools that every
/// disclosure mode lists in the same way.
pub(super) fn lint(config: &Config, survey: Option<&Survey<'_>>, findings: &mut Vec<Finding>) {
    let mut alive = true;
    let always = config.disclosure.always.iter();
    let policies = config.engine.policies.iter().map(|policy| &policy.show);
    for (number, condition) in policies.chain(always).enumerate() {
        let (place, flaw, nothing) = match number < config.engine.policies.len() {
            true => (format!("policies[{number}].show"), Flaw::DeadPolicy, "shows nothing to any caller"),
            false => ("disclosure.always".to_owned(), Flaw::DeadAlways, "matches no tool"),
        };
        if let Some((reason, meant)) = contradiction(condition) {
            let message = format!("{nothing}: {reason}");
            findings.push(Finding::new(Flaw::Contradiction, place, message).meant(meant));
            alive &= flaw != Flaw::DeadPolicy;
            continue;
        }
        find_hidden_names(config, survey, number, findings);
        let Some((survey, tried)) = survey.and_then(|survey| Some((survey, survey.policies.get(number)?)))
        else {
            continue;
        };
        let rules = &config.engine.assignments.rules;
        let unmet_terms = unmet_terms(condition, &tried.terms, &place, None, rules, survey);
        let may_match = survey.names_missing_server(condition);
        if tried.hits.is_empty() && !may_match && !survey.trace.is_empty() {
            findings.push(dead(flaw, nothing, place, unmet_terms));
            alive &= flaw != Flaw::DeadPolicy;
        } else {
            findings.extend(unmet_terms);
        }
    }
    let hides_all = survey.is_some_and(|survey| !survey.shows_something && !survey.trace.is_empty());
    if alive && hides_all && !config.engine.policies.is_empty() {
        let message = "show nothing to any caller: together they leave no primitive, though each leaves some";
        findings.push(Finding::new(Flaw::DeadPolicy, "policies", message));
    }
}

/// Finds the names that one policy shows but a rule hides or another policy denies.
fn find_hidden_names(
    config: &Config,
    survey: Option<&Survey<'_>>,
    number: usize,
    findings: &mut Vec<Finding>,
) {
    let Some(policy) = config.engine.policies.get(number) else { return };
    for (term, _) in named(&policy.show).into_iter().filter(|(_, wanted)| *wanted) {
        let refuses = |(_, other): &(usize, &mcp_sieve::policy::Policy)| {
            named(&other.show).iter().any(|(refused, wanted)| !wanted && same(term, refused))
        };
        let by = hider(config, survey, term).map(|rule| format!("rules[{rule}] hides it")).or_else(|| {
            let refusing = config.engine.policies.iter().enumerate().find(refuses);
            refusing.map(|(other, _)| format!("policies[{other}] refuses it"))
        });
        if let Some(by) = by {
            let message = format!("`{}` is shown by its name here, and {by}", term.value());
            findings.push(Finding::new(Flaw::AllowAndDeny, format!("policies[{number}].show"), message));
        }
    }
}

/// Returns the rule that hides the primitive that a term names: judged by its outcome or, without a survey, by the name
/// in the rule.
fn hider(config: &Config, survey: Option<&Survey<'_>>, term: &Term) -> Option<usize> {
    let Some(survey) = survey else {
        let hides = |(_, rule): &(usize, &mcp_sieve::catalog::Rule)| {
            rule.hide && named(&rule.matches).iter().any(|(hidden, wanted)| *wanted && same(term, hidden))
        };
        return config.engine.assignments.rules.iter().enumerate().find(hides).map(|(rule, _)| rule);
    };
    let mut called =
        survey.outcomes.iter().enumerate().filter(|(at, _)| survey.trace.id(*at) == Some(term.value()));
    let first = called.next()?.1.hidden_by?;
    called.all(|(_, outcome)| outcome.hidden_by.is_some()).then_some(first)
}

/// Returns the terms that name one primitive, each with whether it allows (`true`) or denies (`false`) it.
fn named(expr: &Expr) -> Vec<(&Term, bool)> {
    fn collect<'a>(expr: &'a Expr, wanted: bool, found: &mut Vec<(&'a Term, bool)>) {
        match expr {
            Expr::Not(inner) => collect(inner, !wanted, found),
            Expr::All(parts) | Expr::Any(parts) => parts.iter().for_each(|part| collect(part, wanted, found)),
            Expr::Term(term) if is_exact(term) && matches!(term.field(), Field::Name | Field::Uri) => {
                found.push((term, wanted != (term.op() == Op::Differs)));
            }
            Expr::Term(_) => {}
        }
    }
    let mut found = Vec::new();
    collect(expr, true, &mut found);
    found
}

fn same(one: &Term, other: &Term) -> bool {
    (one.field(), one.value()) == (other.field(), other.value())
}
