//! Lint for methods of other vendors that bypass mandatory middleware.

use super::{Finding, Flaw, endpoint::upstreams};
use crate::config::Config;

/// Finds servers with passed methods while middleware chains are mandatory for calls: passed methods are not redacted.
pub(super) fn lint(config: &Config, findings: &mut Vec<Finding>) {
    if config.middleware.as_ref().is_none_or(|middleware| middleware.chains.is_empty()) {
        return;
    }
    for (place, upstream) in upstreams(config) {
        let Some(first) = upstream.pass_methods.first() else { continue };
        let message = [
            "`",
            &first.pattern(),
            "` and other passed methods of `",
            &upstream.name,
            "` do not go through the chains of `middleware`: what they carry is neither redacted nor refused",
        ];
        findings.push(Finding::new(Flaw::PassedChains, format!("{place}.passMethods"), message.concat()));
    }
}
