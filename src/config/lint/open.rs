//! Lint for a gateway that accepts unknown callers and calls its servers with the operator's credentials.

use url::form_urlencoded;

use super::{Finding, Flaw};
use crate::{
    config::{Config, Upstream},
    middleware::secrets::names_secret,
    policy::Check,
};

/// Returns whether the gateway serves callers without a token: it does not require one, and no check keeps them out in
/// both revisions.
pub fn admits_strangers(config: &Config) -> bool {
    let required = config.auth.as_ref().is_some_and(|auth| auth.required);
    let checked = config.check_stateless && config.checks.iter().any(Check::refuses_strangers);
    !required && !checked
}

/// Finds the first credential that the gateway would use for unknown callers.
pub(super) fn lint(config: &Config, findings: &mut Vec<Finding>) {
    if !admits_strangers(config) {
        return;
    }
    let only = (0, "upstream".to_owned(), &config.upstream);
    let several = config.upstreams.iter().enumerate();
    let several = several.map(|(at, upstream)| (at, format!("upstreams[{at}]"), upstream));
    let servers = if config.upstreams.is_empty() { vec![only] } else { several.collect() };
    let found =
        servers.iter().find_map(|(_, place, upstream)| Some((place, upstream, credential(upstream)?)));
    if let Some((place, upstream, member)) = found {
        let message = [
            "every caller uses the operator's credentials for `",
            &upstream.name,
            "`, because neither `auth` nor `checks` keep out callers without a token: require one, or pass `--public` to `deploy`",
        ];
        findings.push(Finding::new(Flaw::OpenGateway, format!("{place}.{member}"), message.concat()));
    }
}

/// Returns the member of a server that holds a credential. This is a header whose value refers to a variable or whose
/// name marks a credential, or a URL with a parameter of such a name.
fn credential(upstream: &Upstream) -> Option<String> {
    let secret = |(name, value): &&(String, String)| value.contains("${") || names_secret(name);
    if let Some((name, _)) = upstream.headers.iter().find(secret) {
        return Some(format!("headers.{name}"));
    }
    let (_, query) = upstream.url.split_once('?')?;
    let mut parameters = form_urlencoded::parse(query.as_bytes());
    parameters.any(|(name, _)| names_secret(&name)).then(|| "url".to_owned())
}
