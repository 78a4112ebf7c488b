//! Tries every rule and policy on every listed primitive, as the data for the lints.

use std::collections::BTreeSet;

use mcp_sieve::{
    Kind,
    catalog::{Catalog, RuleOutcome, RuleTrace, Source},
    expr::{Expr, Field, Op, Subject, Term},
};

use crate::config::Config;

/// The results of trying every rule and policy of a configuration on every primitive.
#[derive(Debug)]
pub(super) struct Survey<'a> {
    pub trace: RuleTrace<'a>,
    /// The result of the rules.
    pub catalog: &'a Catalog,
    /// The results of each rule.
    pub rules: Vec<Tried>,
    /// The results of each policy, then those of the condition for the tools that every disclosure mode lists.
    pub policies: Vec<Tried>,
    /// The results of the `where` of each preset that has one.
    pub presets: Vec<Tried>,
    /// The outcome of the rules for each primitive.
    pub outcomes: Vec<RuleOutcome>,
    /// Whether some primitive may pass all policies for some caller.
    pub shows_something: bool,
    /// The servers of the file whose lists are unknown.
    missing: Vec<&'a str>,
}

/// The results of one condition.
#[derive(Debug, Default)]
pub(super) struct Tried {
    /// The indices of the primitives that the condition may match.
    pub hits: Vec<usize>,
    /// The rules that hid primitives before the condition could match them.
    pub behind: BTreeSet<usize>,
    /// The results of each term, in source order.
    pub terms: Vec<Probe>,
}

/// The results of one term.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Probe {
    /// Whether some primitive has a value for the term's field.
    pub found: bool,
    /// Whether some primitive has a value that the term accepts.
    pub accepted: bool,
}

impl<'a> Survey<'a> {
    /// Tries the rules on the lists of the servers, and the policies on the result, `catalog`.
    pub fn new(config: &'a Config, sources: &'a [Source<'a>], catalog: &'a Catalog) -> Self {
        let rules = &config.engine.assignments.rules;
        let tried =
            |expr: &Expr| Tried { terms: vec![Probe::default(); expr.terms().len()], ..Tried::default() };
        let policies = config.engine.policies.iter().map(|policy| &policy.show);
        let conditions: Vec<&Expr> = policies.chain(&config.disclosure.always).collect();
        let wheres: Vec<&Expr> =
            config.engine.presets.iter().filter_map(|preset| preset.filter.r#where.as_ref()).collect();
        let mut survey = Self {
            trace: RuleTrace::new(sources, &config.engine.assignments),
            catalog,
            rules: rules.iter().map(|rule| tried(&rule.matches)).collect(),
            policies: conditions.iter().map(|condition| tried(condition)).collect(),
            presets: wheres.iter().map(|condition| tried(condition)).collect(),
            outcomes: Vec::new(),
            shows_something: false,
            missing: missing(config, sources),
        };
        for index in 0..survey.trace.len() {
            let (tried, policies, presets) = (&mut survey.rules, &mut survey.policies, &mut survey.presets);
            let outcome = survey.trace.follow(index, &[], &mut |meeting| match meeting.rule {
                Some(number) => {
                    if let Some((rule, tried)) = rules.get(number).zip(tried.get_mut(number)) {
                        tried.meet(&rule.matches, index, meeting.primitive, meeting.hidden_by);
                    }
                }
                // Hidden primitives exist all the same, so policies may name them.
                None if meeting.hidden_by.is_some() => {
                    let policies = conditions.iter().zip(&mut *policies);
                    let presets = wheres.iter().zip(&mut *presets);
                    policies
                        .chain(presets)
                        .for_each(|(condition, tried)| tried.probe(condition, meeting.primitive));
                }
                None => {}
            });
            survey.outcomes.extend(outcome);
        }
        for kind in Kind::ALL {
            let kind_index = catalog.kind_index(kind).all().iter();
            for (index, primitive) in
                kind_index.filter_map(|index| Some((index, catalog.primitive(kind, index)?.trusted())))
            {
                // Disclosure concerns tools. It hides nothing.
                let policies = config.engine.policies.len();
                let count = if kind == Kind::Tool { conditions.len() } else { policies };
                let tried = conditions.iter().zip(&mut survey.policies).take(count).enumerate();
                let shown = tried.fold(true, |shown, (at, (condition, tried))| {
                    (tried.meet(condition, index, &primitive, None) || at == policies) && shown
                });
                survey.shows_something |= shown;
                let presets = wheres.iter().zip(&mut survey.presets);
                presets.for_each(|(condition, tried)| tried.probe(condition, &primitive));
            }
        }
        survey
    }

    /// Returns whether a condition names a server whose lists are unknown, so that it may match its primitives.
    pub fn names_missing_server(&self, expr: &Expr) -> bool {
        expr.terms().into_iter().any(|term| self.is_missing_server(term))
    }

    /// Returns whether a term names a server whose lists are unknown.
    pub fn is_missing_server(&self, term: &Term) -> bool {
        *term.field() == Field::Server && self.missing.iter().any(|server| term.accepts(server))
    }

    /// Returns every value that some primitive has, or may have, for `field` before the rule `step`, or after the last
    /// rule.
    pub fn values(&self, step: Option<usize>, field: &Field) -> BTreeSet<String> {
        let mut values = BTreeSet::new();
        if *field == Field::Server {
            values.extend(self.missing.iter().map(|server| (*server).to_owned()));
        }
        for index in 0..self.trace.len() {
            self.trace.follow(index, &[], &mut |meeting| {
                if meeting.rule == step {
                    meeting.primitive.values(field, &mut |value| _ = values.insert(value.to_owned()));
                }
            });
        }
        values
    }

    /// Returns whether servers publish a group, or else a tag, that `accepts` accepts, and no primitive has one that
    /// counts in policies. Its source can then be named in `groupsFrom` or `tagsFrom`.
    pub fn only_published(&self, is_group: bool, accepts: &dyn Fn(&str) -> bool) -> bool {
        let trusted = |outcome: &RuleOutcome| match is_group {
            true => outcome.groups().any(accepts),
            false => outcome.tags().any(accepts),
        };
        let published = |outcome: &RuleOutcome| {
            let [mut groups, mut tags] = outcome.published();
            if is_group { groups.any(accepts) } else { tags.any(accepts) }
        };
        self.outcomes.iter().any(published) && !self.outcomes.iter().any(trusted)
    }

    /// Returns the name under which the catalog lists a primitive that its server calls `own`, if it has another name.
    pub fn listed_name(&self, own: &str) -> Option<&'a str> {
        [Kind::Tool, Kind::Prompt].into_iter().find_map(|kind| {
            let index = self.catalog.kind_index(kind);
            index.id(index.all().iter().find(|at| index.own_id(*at) == Some(own))?)
        })
    }
}

impl Tried {
    /// Tries the condition on one primitive. Returns whether it may hold for some caller.
    fn meet(&mut self, expr: &Expr, index: usize, primitive: &dyn Subject, hidden_by: Option<usize>) -> bool {
        self.probe(expr, primitive);
        let met = may_be(expr, true, primitive);
        match hidden_by {
            _ if !met => {}
            Some(rule) => _ = self.behind.insert(rule),
            None => self.hits.push(index),
        }
        met
    }

    /// Tries only the terms of the condition.
    fn probe(&mut self, expr: &Expr, primitive: &dyn Subject) {
        for (term, probe) in expr.terms().into_iter().zip(&mut self.terms) {
            if !probe.accepted {
                primitive.values(term.field(), &mut |value| {
                    probe.found = true;
                    probe.accepted |= term.accepts(value);
                });
            }
        }
    }
}

fn missing<'a>(config: &'a Config, sources: &[Source<'_>]) -> Vec<&'a str> {
    let names = config.upstreams.iter().map(|upstream| upstream.name.as_str());
    names.filter(|name| sources.iter().all(|source| source.server != *name)).collect()
}

/// Returns whether an expression may evaluate to `wanted` for a primitive and some caller.
pub(in crate::config) fn may_be(expr: &Expr, wanted: bool, primitive: &dyn Subject) -> bool {
    let part = |part: &Expr| may_be(part, wanted, primitive);
    match expr {
        Expr::Term(term) => term.field().reads_caller() || term.holds(primitive) == wanted,
        Expr::Not(inner) => may_be(inner, !wanted, primitive),
        Expr::All(parts) if wanted => parts.iter().all(part),
        Expr::Any(parts) if !wanted => parts.iter().all(part),
        Expr::All(parts) | Expr::Any(parts) => parts.iter().any(part),
    }
}

/// Returns whether a term names one value, rather than a pattern or a range.
pub(super) fn is_exact(term: &Term) -> bool {
    matches!(term.op(), Op::Matches | Op::Equals | Op::Differs) && !term.is_pattern()
}
