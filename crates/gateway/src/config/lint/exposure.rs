//! Lints for settings that let in more than their conditions suggest.

use mcp_sieve::expr::{Expr, Field};

use super::{Finding, Flaw, endpoint::upstreams};
use crate::config::Config;

/// Checks origins, and unlisted resources.
pub(super) fn lint(config: &Config, findings: &mut Vec<Finding>) {
    if let Some(at) = config.origins.iter().position(|origin| origin == "*") {
        let message = "pages of every site can send requests from the browser of a visitor, with the access that its network \
                       has: name the origins of your pages, such as `https://app.example`";
        findings.push(Finding::new(Flaw::AnyOrigin, format!("origins[{at}]"), message));
    }
    let Some(condition) = condition_on_uris(config) else { return };
    for (place, upstream) in
        upstreams(config).into_iter().filter(|(_, upstream)| upstream.unlisted == Some(true))
    {
        let message = format!(
            "{condition} decides by URIs, and `{}` may read a URI that it does not list as another one: write \
             `\"unlisted\": false`, and let the server list what callers may read, or templates of it",
            upstream.name
        );
        findings.push(Finding::new(Flaw::UnlistedUris, format!("{place}.unlisted"), message));
    }
}

/// Returns the place of the first condition on URIs that hides something.
fn condition_on_uris(config: &Config) -> Option<String> {
    let reads = |condition: &Expr| condition.terms().iter().any(|term| *term.field() == Field::Uri);
    let rules = config.engine.assignments.rules.iter().enumerate().filter(|(_, rule)| rule.hide);
    let mut rules = rules.map(|(at, rule)| (format!("rules[{at}].match"), &rule.matches));
    let policies = config.engine.policies.iter().enumerate();
    let mut policies = policies.map(|(at, policy)| (format!("policies[{at}].show"), &policy.show));
    let presets = config.engine.presets.iter().enumerate();
    let mut presets = presets.filter_map(|(at, preset)| {
        Some((format!("presets[{at}].filter.where"), preset.filter.r#where.as_ref()?))
    });
    let conditions: [&mut dyn Iterator<Item = (String, &Expr)>; 3] =
        [&mut rules, &mut policies, &mut presets];
    let mut conditions = conditions.into_iter().flatten();
    conditions.find(|(_, condition)| reads(condition)).map(|(place, _)| place)
}
