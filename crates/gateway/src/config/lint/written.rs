//! Lints for policies and presets that rely on values that callers or servers control.

use mcp_sieve::expr::{Expr, Field, Term};

use super::{Finding, Flaw};
use crate::config::Config;

/// Checks the condition of every policy, and the callers of every preset.
pub(super) fn lint(config: &Config, findings: &mut Vec<Finding>) {
    for (at, policy) in config.engine.policies.iter().enumerate() {
        let place = format!("policies[{at}].show");
        by_callers(&policy.show, &place, findings);
        if config.upstreams.len() > 1 {
            by_servers(&policy.show, &place, findings);
        }
    }
    for (at, preset) in config.engine.presets.iter().enumerate() {
        if let Some(when) = &preset.when {
            by_callers(when, &format!("presets[{at}].when"), findings);
        }
    }
}

/// Finds a term on what the request of a caller says, which no token confirms.
fn by_callers(condition: &Expr, place: &str, findings: &mut Vec<Finding>) {
    let is_written = |term: &&Term| {
        matches!(
            term.field(),
            Field::ClientName
                | Field::ClientVersion
                | Field::Capability(_)
                | Field::Header(_)
                | Field::RequestMeta(_)
        )
    };
    let Some(term) = condition.terms().into_iter().find(is_written) else { return };
    let message = format!(
        "every caller writes `{}` as it likes, so this keeps out no caller that wants to pass: decide by a `claim` of a token \
         that `auth` verifies",
        term.field()
    );
    findings.push(Finding::new(Flaw::CallerWritten, place, message));
}

/// Finds a term on what servers say of their own primitives, in a condition that applies to several servers.
fn by_servers(condition: &Expr, place: &str, findings: &mut Vec<Finding>) {
    let terms = condition.terms();
    if terms.iter().any(|term| *term.field() == Field::Server) {
        return;
    }
    let is_written = |term: &&Term| {
        matches!(
            term.field(),
            Field::Group
                | Field::Tag
                | Field::Concern(_)
                | Field::Annotation(_)
                | Field::Meta(_)
                | Field::Audience
                | Field::Priority
                | Field::LastModified
                | Field::Title
                | Field::Description
        )
    };
    let Some(term) = terms.into_iter().find(is_written) else { return };
    let message = format!(
        "every server writes the `{}` of its primitives as it likes, so each of them decides whether this applies to it: \
         name the servers that you trust with it, with `server:NAME`",
        term.field()
    );
    findings.push(Finding::new(Flaw::ServerWritten, place, message));
}
