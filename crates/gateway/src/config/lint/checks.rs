//! The entry point of the lints, which runs all checks in the order of the configuration's members.

use mcp_sieve::catalog::{Report, ReportCode, Source};

use super::{
    acknowledged, credentials, defaults, exposure, facets,
    finding::{Finding, Flaw},
    lookalikes, names, open, packages, passed, policies, presets, rules,
    survey::Survey,
    tool_names, written,
};
use crate::config::{Config, history::ByPath};

/// Checks a configuration, in the order of its members. With the lists of the servers, tries every rule on every
/// primitive. Without them, checks only the file itself.
///
/// Time grows with the number of rules times the number of primitives, and again with the number of rules that a
/// primitive meets.
pub fn lint(config: &Config, sources: Option<&[Source<'_>]>) -> Vec<Finding> {
    let catalog = sources.map(|sources| config.compile_first(sources));
    let survey =
        sources.zip(catalog.as_ref()).map(|(sources, catalog)| Survey::new(config, sources, catalog));
    let mut findings = Vec::new();
    rules::lint(config, survey.as_ref(), &mut findings);
    policies::lint(config, survey.as_ref(), &mut findings);
    presets::lint(config, survey.as_ref(), &mut findings);
    facets::lint(config, survey.as_ref(), &mut findings);
    names::lint(config, sources.is_some(), &mut findings);
    open::lint(config, &mut findings);
    passed::lint(config, &mut findings);
    lookalikes::lint_prefixes(config, &mut findings);
    credentials::lint(config, &mut findings);
    written::lint(config, &mut findings);
    exposure::lint(config, &mut findings);
    packages::lint(config, &mut findings);
    if let Some(catalog) = catalog {
        defaults::lint(config, &catalog, &mut findings);
        tool_names::lint(config, &catalog, &mut findings);
        lookalikes::lint_names(&catalog, &mut findings);
        let finding = |report: &Report| {
            let message = format!("{} `{}`: {}", report.kind, report.name, report.problem);
            let flaw = match report.code {
                ReportCode::Repaired => Flaw::Repaired,
                ReportCode::Differs => Flaw::Differs,
                ReportCode::Prefixed => Flaw::Prefixed,
                ReportCode::RepeatedMember => Flaw::RepeatedMember,
                _ => Flaw::LeftOut,
            };
            Finding::new(flaw, "catalog", message)
        };
        // The command compares the lock itself, with words for what has changed.
        let reports = catalog.reports().iter().filter(|report| report.code != ReportCode::NotAccepted);
        findings.extend(reports.map(finding));
        // Policies report primitives that they cannot evaluate only when a view is built.
        let guarded = config.guard(catalog);
        guarded.view(&ByPath(""));
        findings.extend(guarded.reports().iter().map(finding));
    }
    acknowledged::settle(config, sources.is_some(), &mut findings);
    findings
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use mcp_sieve::{catalog::Lists, policy::Policy};

    #[test]
    fn what_a_policy_cannot_judge_is_found() {
        let config = Config::parse(r#"{"policies": [{"name": "short", "show": "description:a*"}]}"#).unwrap();
        let tool = |length: usize| {
            let description = "a".repeat(length);
            let lists = format!(
                r#"{{"tools": [{{"name": "t", "inputSchema": {{"type": "object"}}, "description": "{description}"}}]}}"#
            );
            let sources = [Source { server: "s", lists: Lists::read(&lists).unwrap() }];
            lint(&config, Some(&sources)).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(tool(Policy::MAX_READ), [""; 0]);
        let message = "catalog: tool `t`: policy `short`: it has more than 262144 bytes to read, hidden";
        assert_eq!(tool(Policy::MAX_READ + 1), [message]);
    }
}
