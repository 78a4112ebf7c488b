//! Lint for a gateway that accepts unknown callers and calls its servers with the operator's credentials.

use mcp_sieve::policy::Check;

use super::{Finding, Flaw, endpoint::Endpoint};
use crate::config::Config;

/// Returns whether the gateway serves callers without a token: it does not require one, and no check keeps them out in
/// both revisions.
pub fn admits_strangers(config: &Config) -> bool {
    let required = config.auth.as_ref().is_some_and(|auth| auth.required);
    let checked = config.check_stateless && config.engine.checks.iter().any(Check::refuses_strangers);
    !required && !checked
}

/// Finds the first credential that the gateway would use for unknown callers.
pub(super) fn lint(config: &Config, findings: &mut Vec<Finding>) {
    if !admits_strangers(config) {
        return;
    }
    // A local server gets its own credentials from the user who starts it, and no deployment has one.
    let mut remote =
        Endpoint::all(config).into_iter().filter(|endpoint| !endpoint.place.starts_with("middleware"));
    let found = remote.find_map(|endpoint| {
        let (member, _) = endpoint.credentials.into_iter().find(|(member, _)| is_sent(member))?;
        Some((endpoint.place, endpoint.name, member))
    });
    if let Some((place, name, member)) = found {
        let message = [
            "every caller uses the operator's credentials for `",
            name,
            "`, because neither `auth` nor `checks` keep out callers without a token: require one, or pass `--public` to `deploy`",
        ];
        findings.push(Finding::new(Flaw::OpenGateway, format!("{place}.{member}"), message.concat()));
    }
}

/// Returns whether a member holds what requests send.
fn is_sent(member: &str) -> bool {
    member == "url" || member.starts_with("headers.")
}
