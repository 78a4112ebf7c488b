//! A compiled policy: terms on the caller, and parts that read primitives.

use crate::{
    catalog::{Bitset, Plan},
    expr::{Expr, Field, Term},
};

/// The result of a term that holds.
pub(super) const HOLDS: u8 = b'1';

/// The expression of a policy, split into terms that read the caller and parts that read primitives. The terms are
/// evaluated for each caller and the parts once for each primitive. A caller's view joins the two with bit operations.
#[derive(Debug)]
pub(super) struct Program {
    root: Step,
    /// The terms that read the caller, each once.
    pub terms: Vec<Term>,
    /// The largest parts that read no caller.
    pub parts: Vec<Expr>,
    /// The fields that are read from primitives one by one, with the number of terms that read each.
    pub reads: Vec<(Field, usize)>,
}

/// An expression with numbers in place of its leaves.
#[derive(Debug)]
enum Step {
    All(Vec<Self>),
    Any(Vec<Self>),
    Not(Box<Self>),
    Caller(usize),
    Part(usize),
}

impl Program {
    pub fn new(expr: &Expr) -> Self {
        let mut program =
            Self { root: Step::All(Vec::new()), terms: Vec::new(), parts: Vec::new(), reads: Vec::new() };
        program.root = program.step(expr);
        for field in expr.terms().into_iter().map(Term::field).filter(|field| is_read(field)) {
            match program.reads.iter_mut().find(|(known, _)| known == field) {
                Some((_, times)) => *times += 1,
                None => program.reads.push((field.clone(), 1)),
            }
        }
        program
    }

    fn step(&mut self, expr: &Expr) -> Step {
        match expr {
            expr if expr.reads_caller().is_none() => self.part(expr.clone()),
            Expr::All(parts) => Step::All(self.steps(parts, Expr::All)),
            Expr::Any(parts) => Step::Any(self.steps(parts, Expr::Any)),
            Expr::Not(inner) => Step::Not(Box::new(self.step(inner))),
            Expr::Term(term) => Step::Caller(position(&mut self.terms, term)),
        }
    }

    /// Returns the steps of a list. All expressions that do not read the caller become one step.
    fn steps(&mut self, exprs: &[Expr], list: fn(Vec<Expr>) -> Expr) -> Vec<Step> {
        let (mut steps, mut part) = (Vec::new(), Vec::new());
        for expr in exprs {
            match expr.reads_caller() {
                Some(_) => steps.push(self.step(expr)),
                None => part.push(expr.clone()),
            }
        }
        if !part.is_empty() {
            steps.push(self.part(Expr::list(part, list)));
        }
        steps
    }

    fn part(&mut self, expr: Expr) -> Step {
        self.parts.push(expr);
        Step::Part(self.parts.len() - 1)
    }

    /// Returns the result for every primitive, if the caller alone decides it. `answers` are the results of the terms.
    pub fn decided(&self, answers: &[u8]) -> Option<bool> {
        self.root.decided(answers)
    }

    /// Returns the plan that combines the results of the parts, one set for each, for a caller.
    pub fn plan<'a>(&self, answers: &[u8], parts: &'a [Bitset]) -> Plan<'a> {
        self.root.plan(answers, parts, true)
    }
}

impl Step {
    fn decided(&self, answers: &[u8]) -> Option<bool> {
        let list = |steps: &[Self], end: bool| {
            let mut open = false;
            for step in steps {
                match step.decided(answers) {
                    Some(holds) if holds == end => return Some(end),
                    Some(_) => {}
                    None => open = true,
                }
            }
            (!open).then_some(!end)
        };
        match self {
            Self::All(steps) => list(steps, false),
            Self::Any(steps) => list(steps, true),
            Self::Not(step) => step.decided(answers).map(|holds| !holds),
            Self::Caller(term) => Some(holds(answers, *term)),
            Self::Part(_) => None,
        }
    }

    fn plan<'a>(&self, answers: &[u8], parts: &'a [Bitset], wanted: bool) -> Plan<'a> {
        let plans = |steps: &[Self]| steps.iter().map(|step| step.plan(answers, parts, wanted)).collect();
        match (self, wanted) {
            (Self::All(steps), true) | (Self::Any(steps), false) => Plan::All(plans(steps)),
            (Self::Any(steps), true) | (Self::All(steps), false) => Plan::Any(plans(steps)),
            (Self::Not(step), _) => step.plan(answers, parts, !wanted),
            (Self::Caller(term), _) if holds(answers, *term) == wanted => Plan::All(Vec::new()),
            (Self::Caller(_), _) => Plan::Any(Vec::new()),
            (Self::Part(part), _) => match (parts.get(*part), wanted) {
                (Some(bits), true) => Plan::In(bits),
                (Some(bits), false) => Plan::Out(bits),
                // Every part has its set.
                (None, _) => Plan::Any(Vec::new()),
            },
        }
    }
}

fn holds(answers: &[u8], term: usize) -> bool {
    answers.get(term) == Some(&HOLDS)
}

fn position(terms: &mut Vec<Term>, term: &Term) -> usize {
    terms.iter().position(|known| known == term).unwrap_or_else(|| {
        terms.push(term.clone());
        terms.len() - 1
    })
}

/// Returns whether a field is read from primitives one by one. Memberships and kinds are read from bitsets.
fn is_read(field: &Field) -> bool {
    !field.reads_caller() && !matches!(field, Field::Kind | Field::Group | Field::Tag | Field::Concern(_))
}
