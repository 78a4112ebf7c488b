//! Finds the token claim by which a configuration distinguishes callers, and the values that it names.

use mcp_sieve::expr::{Expr, Field, Op, Term};

use super::Config;

/// Maximum number of values that [`deciding_claim`] returns.
pub const MAX_CLAIM_VALUES: usize = 8;

/// Returns the claim by which checks, policies and presets distinguish callers, with the values that they name. An
/// operator can then try each value. Returns `None` unless they read exactly one claim and name at least one value.
pub fn deciding_claim(config: &Config) -> Option<(&str, Vec<&str>)> {
    let shows = config.engine.policies.iter().map(|policy| &policy.show);
    let whens = config.engine.presets.iter().filter_map(|preset| preset.when.as_ref());
    let requires = config.engine.checks.iter().map(|check| &check.require);
    let terms = shows.chain(whens).chain(requires).flat_map(Expr::terms);
    let (mut claim, mut values) = (None, Vec::new());
    for term in terms.filter(|term| term.field().reads_caller()) {
        let Field::Claim(name) = term.field() else { return None };
        if claim.is_some_and(|known| known != name) {
            return None;
        }
        claim = Some(name);
        match literal(term) {
            Some(value) if !values.contains(&value) => values.push(value),
            Some(_) => {}
            // `claim.NAME:*` only tests whether the claim exists.
            None if term.op() == Op::Matches && term.value() == "*" => {}
            None => return None,
        }
    }
    values.truncate(MAX_CLAIM_VALUES);
    claim.filter(|_| !values.is_empty()).map(|claim| (claim.as_str(), values))
}

fn literal(term: &Term) -> Option<&str> {
    let exact = matches!(term.op(), Op::Matches | Op::Equals | Op::Differs) && !term.is_pattern();
    exact.then(|| term.value())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn one_claim_with_literal_values_decides() {
        let policies = |shows: &[&str]| {
            let policies: Vec<String> =
                shows.iter().map(|show| format!(r#"{{"name": "p", "show": "{show}"}}"#)).collect();
            Config::parse(&format!(
                r#"{{"checks": [{{"name": "c", "require": "claim.role:*", "message": "no"}}],
                    "presets": [{{"name": "x", "when": "claim.role:support", "filter": {{"tags": ["a"]}}}}],
                    "policies": [{}]}}"#,
                policies.join(",")
            ))
            .unwrap()
        };
        let many: Vec<String> = (0..20).map(|at| format!("claim.role:r{at}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        for (shows, values) in [
            (&["-tag:x or claim.role:admin", "claim.role=support or claim.role!=admin"][..], Some(2)),
            (&[], Some(1)),
            (&["claim.sub:alice"], None),
            (&["client.name:x"], None),
            (&["claim.role:adm*"], None),
            (&["claim.role>5"], None),
            (&many, Some(MAX_CLAIM_VALUES)),
        ] {
            let config = policies(shows);
            let found = deciding_claim(&config);
            assert_eq!(
                found.map(|(claim, values)| (claim, values.len())),
                values.map(|count| ("role", count))
            );
        }
        assert_eq!(
            deciding_claim(&Config::parse(r#"{"policies": [{"name": "p", "show": "claim.a:*"}]}"#).unwrap()),
            None
        );
    }
}
