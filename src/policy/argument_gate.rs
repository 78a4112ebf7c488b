//! The gate for the arguments of calls: the conditions of policies that a call of a tool has to satisfy.

use super::{CallerContext, Guarded, Policy, View, judge::Judge, own_name};
use crate::{
    catalog::{Bitset, Catalog, Kind, Prefix, Primitive},
    expr::{Arguments, Expr, Field, NoCaller, Subject},
    json::Raw,
};

/// What the policies of a configuration decide about the arguments of a call.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct ArgumentVerdict {
    /// The first refusal, by the order of policies. `None` if the call may be sent.
    pub refused: Option<ArgumentRefusal>,
    /// What policies in audit mode would refuse.
    pub audited: Vec<ArgumentRefusal>,
}

/// A refusal of the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentRefusal {
    /// The name of the policy.
    pub policy: String,
    /// The policy's message, or a sentence that names the arguments which its condition reads.
    pub message: String,
    /// The stable code: `argument_refused`, or `arguments_too_large` beyond [`Policy::MAX_READ`].
    pub code: &'static str,
}

/// The code of a refusal by a condition.
const REFUSED: &str = "argument_refused";
/// The code of a refusal of arguments that are too long to be judged.
const TOO_LARGE: &str = "arguments_too_large";

impl Guarded {
    /// Judges the arguments of a call of the visible tool at `index`. Without policies on arguments, nothing is read.
    pub fn judge_arguments(
        &self,
        view: &View,
        index: usize,
        asking: &dyn CallerContext,
        arguments: Option<Raw<'_>>,
    ) -> ArgumentVerdict {
        if !self.judges_arguments() {
            return ArgumentVerdict::default();
        }
        let asking = self.bind(asking);
        let Some(primitive) = view.catalog().primitive(Kind::Tool, index) else {
            return ArgumentVerdict::default();
        };
        let subject = Called { primitive: primitive.trusted(), asking: &asking };
        let mut verdict = ArgumentVerdict::default();
        for (judge, bound) in self.bound_tools() {
            let Judge::Policy(rule) = judge else { continue };
            let (policy, _) = &**rule;
            let binds = bound.as_ref().is_some_and(|bound| bound.contains(index));
            let condition = policy.arguments.as_ref().filter(|_| binds);
            let Some(refusal) =
                condition.and_then(|condition| refuse(policy, condition, arguments, &subject))
            else {
                continue;
            };
            match (policy.audit, &verdict.refused) {
                (true, _) => verdict.audited.push(refusal),
                (false, None) => verdict.refused = Some(refusal),
                (false, Some(_)) => {}
            }
        }
        verdict
    }
}

impl Judge {
    /// Returns whether it is a policy on the arguments of calls.
    pub(super) fn judges_arguments(&self) -> bool {
        matches!(self, Self::Policy(rule) if rule.0.arguments.is_some())
    }

    /// Returns the tools whose arguments it judges: those that it matches by their listed name or by another one, and
    /// those that it cannot evaluate, unless it fails open.
    pub(super) fn bound_tools(&self, catalog: &Catalog, prefixes: &[Prefix]) -> Option<Bitset> {
        let Self::Policy(rule) = self else { return None };
        let (policy, _) = &**rule;
        policy.arguments.as_ref()?;
        let kind = Kind::Tool;
        let all = catalog.kind_index(kind).all();
        let others = Expr::Not(Box::new(policy.matches.clone()));
        let (mut free, unread) = catalog.pick_within(kind, &others, all, &NoCaller, Policy::MAX_READ);
        own_name::hide(&others, (catalog, prefixes), kind, &mut free, &NoCaller);
        unread.iter().for_each(|index| free.set(index, policy.fail_open));
        let mut bound = all.clone();
        bound.subtract(&free);
        Some(bound)
    }
}

/// Returns the refusal of a policy whose condition does not hold.
fn refuse(
    policy: &Policy,
    condition: &Expr,
    arguments: Option<Raw<'_>>,
    subject: &Called<'_>,
) -> Option<ArgumentRefusal> {
    let refusal = |code, message| Some(ArgumentRefusal { policy: policy.name.clone(), message, code });
    let size = arguments.map_or(0, |arguments| arguments.get().len());
    if size > Policy::MAX_READ {
        let message = format!("the arguments have more than {max} bytes to judge", max = Policy::MAX_READ);
        return refusal(TOO_LARGE, message);
    }
    let read = Arguments::read(arguments);
    match read.and_then(|read| read.evaluate(condition, subject)) {
        Some(true) => None,
        _ => refusal(REFUSED, policy.message.clone().unwrap_or_else(|| describe(condition))),
    }
}

/// Describes the arguments that a condition reads, without its values, which may be secrets or claims.
fn describe(condition: &Expr) -> String {
    let mut names: Vec<String> = Vec::new();
    for field in
        condition.terms().into_iter().map(|term| term.field()).filter(|field| field.reads_arguments())
    {
        let name = format!("`{field}`");
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match names.is_empty() {
        true => "a policy of the operator does not allow this call".to_owned(),
        false => format!("a policy of the operator does not allow this call with these {}", names.join(", ")),
    }
}

/// The called tool and its caller.
struct Called<'a> {
    primitive: Primitive<'a>,
    asking: &'a dyn CallerContext,
}

impl Subject for Called<'_> {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        match field.reads_caller() {
            true => self.asking.values(field, visit),
            false => self.primitive.values(field, visit),
        }
    }
}
