//! Removes the findings that the file acknowledges, and finds acknowledgements without one.

use mcp_sieve::expr::Expr;

use super::{Finding, Flaw};
use crate::config::Config;

/// Removes the findings of a review that the file acknowledges. `tried` is whether the lists of the servers were
/// checked: without them, an acknowledgement of a finding about lists is not judged.
pub(super) fn settle(config: &Config, tried: bool, findings: &mut Vec<Finding>) {
    let mut unused = Vec::new();
    for written in &config.acknowledged {
        let (code, place) = match written.split_once(':') {
            Some((code, place)) => (code, Some(place)),
            None => (written.as_str(), None),
        };
        let known = Flaw::REVIEW.into_iter().find(|flaw| flaw.code() == code);
        let is_meant = |finding: &Finding| {
            Some(finding.flaw) == known && place.is_none_or(|place| place == finding.place)
        };
        let found = findings.len();
        findings.retain(|finding| !is_meant(finding));
        if findings.len() == found && (tried || !known.is_some_and(Flaw::reads_lists)) {
            unused.push(finding(written, code, known));
        }
    }
    findings.append(&mut unused);
}

/// Returns the finding for an acknowledgement that removes nothing.
fn finding(written: &str, code: &str, known: Option<Flaw>) -> Finding {
    let place = format!("acknowledged.{written}");
    if known.is_some() {
        let message = format!("acknowledges nothing: there is no finding `{written}`, remove it");
        return Finding::new(Flaw::UnusedAcknowledgement, place, message);
    }
    let message = format!(
        "acknowledges nothing: `{code}` is no finding that can be acknowledged, correct what it reports instead"
    );
    let meant = Expr::nearest(code, &mut Flaw::REVIEW.into_iter().map(Flaw::code)).map(str::to_owned);
    Finding::new(Flaw::UnusedAcknowledgement, place, message).meant(meant)
}
