//! Explains why a filter includes or excludes a primitive.

use super::{Narrowing, Selection, facet::Criterion, narrow::Clause};
use crate::{
    catalog::{Kind, Primitive, Scope},
    concern::insert,
    json::Object,
};

/// An explanation of why a list contains a primitive or not.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// Whether the list contains the primitive.
    pub shown: bool,
    /// The first rule that excludes the primitive, unless it is shown.
    pub reason: Option<Reason>,
}

/// The rule of a filter that excludes a primitive.
#[non_exhaustive]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reason {
    /// The field of the filter: `groups`, `tags`, `concern`, `not.groups`, `not.tags`, `namePatterns`, `uriPatterns`,
    /// `where`, `query` or `limit`. It is `unknown` if no primitive of that name is visible to the caller.
    pub rule: &'static str,
    /// The name of the concern, if the rule is `concern`.
    pub concern: Option<String>,
    /// The values that the filter requires or, under `not`, excludes. For an expression, the part that decided.
    pub wanted: Vec<String>,
    /// The actual values of the primitive, if the rule reads one field.
    pub found: Vec<String>,
}

impl Narrowing {
    /// Returns why the selection contains the primitive called `id` or not. A primitive outside `scope` is unknown.
    pub fn explain(&self, scope: Scope<'_>, kind: Kind, id: &str) -> Explanation {
        let mut reason = None;
        self.each_reason(scope, kind, id, &mut |found| {
            reason = Some(found);
            false
        });
        Explanation { shown: reason.is_none(), reason }
    }

    /// Passes each rule that excludes the primitive called `id` to `take`, in order of evaluation, until `take` returns
    /// `false`.
    pub(crate) fn each_reason(
        &self,
        scope: Scope<'_>,
        kind: Kind,
        id: &str,
        take: &mut dyn FnMut(Reason) -> bool,
    ) {
        let (catalog, visible) = (scope.catalog(), scope.bits(kind));
        let kind_index = catalog.kind_index(kind);
        let index = kind_index.find(id).filter(|index| visible.contains(*index));
        let Some((index, primitive)) = index.and_then(|index| Some((index, catalog.primitive(kind, index)?)))
        else {
            take(Reason { rule: "unknown", ..Reason::default() });
            return;
        };
        if kind_index.pinned().is_some_and(|pinned| pinned.contains(index)) {
            return;
        }
        let mut met = true;
        for clause in &self.clauses {
            if !clause.admits(catalog, visible, &primitive, index) {
                met = false;
                if !take(clause.reason(&primitive)) {
                    return;
                }
            }
        }
        let mut selection = Selection::default();
        if met && !self.select(scope, kind, &mut selection).contains(index) {
            take(Reason { rule: "limit", wanted: self.limit.describe(), ..Reason::default() });
        }
    }
}

impl Clause {
    /// Returns the required values, and the actual values of the primitive.
    fn reason(&self, primitive: &Primitive<'_>) -> Reason {
        let facet = match self {
            Clause::Facet(facet) => facet,
            Clause::Condition(condition) => {
                let (wanted, found) = condition.decided(primitive);
                return Reason { rule: condition.rule, concern: None, wanted, found };
            }
            Clause::Relevance(relevance) => {
                return Reason { rule: "query", wanted: vec![relevance.query.clone()], ..Reason::default() };
            }
        };
        let (concern, found) = match &facet.criterion {
            Criterion::Groups | Criterion::NotGroups => (None, primitive.groups()),
            Criterion::Tags | Criterion::NotTags => (None, primitive.tags()),
            Criterion::Concern(name) => (Some(name.clone()), primitive.concern(name)),
        };
        // The names are sorted, because their order in the catalog depends on hidden primitives.
        let mut ordered = Vec::with_capacity(found.len());
        found.into_iter().for_each(|name| insert(&mut ordered, name));
        let found = ordered.into_iter().map(str::to_owned).collect();
        Reason { rule: facet.criterion.rule(), concern, wanted: facet.wanted.clone(), found }
    }
}

impl Explanation {
    /// Appends the explanation as JSON: `{"shown":true,"reason":null}`, or a reason of `{rule, concern?, wanted?,
    /// found?}`.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut object = Object::open(out);
        self.write_members(&mut object);
        object.close();
    }

    /// Adds the members of the explanation to an object.
    pub fn write_members(&self, object: &mut Object<'_>) {
        object.raw("shown", if self.shown { b"true" } else { b"false" });
        match &self.reason {
            None => object.raw("reason", b"null"),
            Some(reason) => reason.write(object.value("reason")),
        }
    }
}

impl Reason {
    /// Appends the reason as JSON: `{rule, concern?, wanted?, found?}`.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut object = Object::open(out);
        object.text("rule", self.rule);
        if let Some(concern) = &self.concern {
            object.text("concern", concern);
        }
        if self.rule != "unknown" {
            object.texts("wanted", &self.wanted);
            object.texts("found", &self.found);
        }
        object.close();
    }
}
