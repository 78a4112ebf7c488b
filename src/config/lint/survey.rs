use std::collections::BTreeSet;

use crate::{
    catalog::{Catalog, Kind, RuleOutcome, RuleTrace, Source},
    config::Config,
    expr::{Expr, Field, Op, Subject, Term},
};

/// How the rules and policies of a configuration fare with every primitive.
#[derive(Debug)]
pub(super) struct Survey<'a> {
    pub trace: RuleTrace<'a>,
    /// By rule.
    pub rules: Vec<Tried>,
    /// By policy.
    pub policies: Vec<Tried>,
    /// What comes out, by primitive.
    pub outcomes: Vec<RuleOutcome>,
    /// Whether some primitive may pass all policies together, for some caller.
    pub shows_something: bool,
    /// The servers of the file whose lists are not known.
    missing: Vec<&'a str>,
}

/// How one condition fares.
#[derive(Debug, Default)]
pub(super) struct Tried {
    /// The primitives that it may hold for, by their places.
    pub hits: Vec<usize>,
    /// The rules that hid what it would hold for.
    pub behind: BTreeSet<usize>,
    /// By term, in source order.
    pub terms: Vec<Probe>,
}

/// How one term fares.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Probe {
    /// Something has a value for its field.
    pub found: bool,
    /// Something has the value wanted.
    pub accepted: bool,
}

impl<'a> Survey<'a> {
    /// Tries the rules on what the servers list, and the policies on what comes out: `catalog`.
    pub fn of(config: &'a Config, sources: &'a [Source<'a>], catalog: &Catalog) -> Self {
        let rules = &config.assignments.rules;
        let tried =
            |expr: &Expr| Tried { terms: vec![Probe::default(); expr.terms().len()], ..Tried::default() };
        let mut survey = Self {
            trace: RuleTrace::new(sources, &config.assignments),
            rules: rules.iter().map(|rule| tried(&rule.matches)).collect(),
            policies: config.policies.iter().map(|policy| tried(&policy.show)).collect(),
            outcomes: Vec::new(),
            shows_something: false,
            missing: missing(config, sources),
        };
        for index in 0..survey.trace.len() {
            let (tried, policies) = (&mut survey.rules, &mut survey.policies);
            let outcome = survey.trace.follow(index, &[], &mut |meeting| match meeting.rule {
                Some(number) => {
                    if let Some((rule, tried)) = rules.get(number).zip(tried.get_mut(number)) {
                        tried.meet(&rule.matches, index, meeting.primitive, meeting.hidden_by);
                    }
                }
                // What is hidden is there all the same, and may be named.
                None if meeting.hidden_by.is_some() => {
                    let policies = config.policies.iter().zip(&mut *policies);
                    policies.for_each(|(policy, tried)| tried.probe(&policy.show, meeting.primitive));
                }
                None => {}
            });
            survey.outcomes.extend(outcome);
        }
        for kind in Kind::ALL {
            let kind_index = catalog.kind_index(kind).all().iter();
            for (index, primitive) in
                kind_index.filter_map(|index| Some((index, catalog.primitive(kind, index)?)))
            {
                let policies = config.policies.iter().zip(&mut survey.policies);
                let shown = policies.fold(true, |shown, (policy, tried)| {
                    tried.meet(&policy.show, index, &primitive, None) && shown
                });
                survey.shows_something |= shown;
            }
        }
        survey
    }

    /// Whether a condition names a server whose lists are not known, so that it may hold for what that one lists.
    pub fn awaits(&self, expr: &Expr) -> bool {
        expr.terms().into_iter().any(|term| self.awaits_term(term))
    }

    /// The same for one term.
    pub fn awaits_term(&self, term: &Term) -> bool {
        *term.field() == Field::Server && self.missing.iter().any(|server| term.accepts(server))
    }

    /// Every value that something has, or may have, for `field` as rule `step` meets it, or behind the last.
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
}

impl Tried {
    /// Tries the condition on one primitive; whether it may hold for some caller.
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

    /// Tries its terms alone.
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

/// Whether an expression may come out as `wanted` for a primitive, when some caller asks.
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

/// Whether a term names one value, and no pattern or range of them.
pub(super) fn is_exact(term: &Term) -> bool {
    matches!(term.op(), Op::Matches | Op::Equals | Op::Differs) && !term.is_pattern()
}
