use super::{Config, lint::may_be};
use crate::catalog::{Catalog, Kind, Outcome, Review, Source};

/// What rules and policies do to one primitive.
#[derive(Debug)]
pub struct History {
    /// The server that lists it.
    pub server: String,
    /// The rules that match it, in order, as far as the one that hides it.
    pub rules: Vec<usize>,
    /// What comes out.
    pub outcome: Outcome,
    /// What each policy says, in the order of the file; nothing of what is hidden.
    pub policies: Vec<Verdict>,
}

/// What a policy says of a primitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Everybody sees it.
    Shows,
    /// Nobody does.
    Hides,
    /// It depends on who asks.
    Depends,
}

impl Verdict {
    /// `shows`, `hides` or `depends`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shows => "shows",
            Self::Hides => "hides",
            Self::Depends => "depends",
        }
    }
}

/// The histories of the primitives of a kind that are called `id`, by their server or by a rule: one for each server
/// that lists such. `catalog` is what comes out for all.
pub fn histories(
    config: &Config,
    sources: &[Source<'_>],
    catalog: &Catalog,
    kind: Kind,
    id: &str,
) -> Vec<History> {
    let rules = &config.assignments.rules;
    let review = Review::new(sources, &config.assignments);
    let mut found = Vec::new();
    for index in 0..review.len() {
        let Some((_, server)) = review.origin(index).filter(|origin| origin.0 == kind) else { continue };
        let mut matched = Vec::new();
        let outcome = review.follow(index, &[], &mut |meeting| {
            let rule = meeting.rule.filter(|_| meeting.hidden_by.is_none());
            let matches = rule.and_then(|number| rules.get(number)).map(|rule| &rule.matches);
            matched.extend(rule.filter(|_| matches.is_some_and(|expr| expr.holds(meeting.primitive))));
        });
        let Some(outcome) = outcome else { continue };
        let name = outcome.name().or(review.id(index)).unwrap_or_default();
        if id != name && review.id(index) != Some(id) {
            continue;
        }
        let shelf = catalog.shelf(kind);
        let out = shelf.find(name).and_then(|index| catalog.primitive(kind, index));
        let judge = |expr| match &out {
            Some(primitive) if !may_be(expr, true, primitive) => Verdict::Hides,
            Some(primitive) if !may_be(expr, false, primitive) => Verdict::Shows,
            _ => Verdict::Depends,
        };
        let policies = match outcome.hidden_by {
            None => config.policies.iter().map(|policy| judge(&policy.show)).collect(),
            Some(_) => Vec::new(),
        };
        found.push(History { server: server.to_owned(), rules: matched, outcome, policies });
    }
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::catalog::Lists;

    #[test]
    fn each_rule_and_policy_is_told() {
        let config = Config::parse(
            r#"{"rules": [{"match": "name:a*", "groups": ["g"]}, {"match": "group:g name:ab", "hide": true},
                          {"match": "name:ab", "tags": ["late"]}, {"match": "name:ac", "name": "other"}],
                "policies": [{"name": "staff", "show": "claim.sub:* or -group:g"}, {"name": "no", "show": "-name:other"}]}"#,
        )
        .unwrap();
        let lists = r#"{"tools": [{"name": "ab", "inputSchema": {}}, {"name": "ac", "inputSchema": {}}, {"name": "b", "inputSchema": {}}]}"#;
        let source = || [Source { server: "s", lists: Lists::read(lists).unwrap() }];
        let catalog = config.compile(&source());
        let of = |id| histories(&config, &source(), &catalog, Kind::Tool, id).into_iter().next();

        let hidden = of("ab").unwrap();
        assert_eq!((hidden.rules, hidden.outcome.hidden_by, hidden.policies), (vec![0, 1], Some(1), vec![]));
        for id in ["ac", "other"] {
            let renamed = of(id).unwrap();
            assert_eq!((renamed.rules, renamed.outcome.name()), (vec![0, 3], Some("other")));
            assert_eq!(renamed.policies, [Verdict::Depends, Verdict::Hides]);
        }
        assert_eq!(of("b").unwrap().policies, [Verdict::Shows, Verdict::Shows]);
        assert!(of("c").is_none());
    }
}
