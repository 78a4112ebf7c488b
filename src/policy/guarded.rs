use std::{
    cmp::Reverse,
    sync::{Arc, Mutex, PoisonError},
};

use super::{Policy, View};
use crate::{
    catalog::{Bits, Catalog, Kind},
    expr::{Subject, Term},
};

/// Most distinct views of a catalog that are kept; one more, and all are made anew when next asked for.
pub const MAX_VIEWS: usize = 64;

/// A catalog under policies, which hands each caller the view it may have.
///
/// A policy reads the caller only through its terms, so callers for whom every such term comes out alike
/// have one view. It is made once and kept.
#[derive(Debug)]
pub struct Guarded {
    catalog: Arc<Catalog>,
    /// What everybody sees where there are no policies.
    whole: View,
    policies: Vec<Policy>,
    views: Mutex<Vec<(Vec<bool>, View)>>,
}

impl Guarded {
    /// Puts `catalog` under `policies`, whatever order they come in.
    pub fn new(catalog: Catalog, policies: Vec<Policy>) -> Self {
        let before =
            |a: &Policy, b: &Policy| (Reverse(a.priority), &a.name) <= (Reverse(b.priority), &b.name);
        let mut sorted = Vec::with_capacity(policies.len());
        for policy in policies {
            sorted.insert(sorted.partition_point(|known| before(known, &policy)), policy);
        }
        let catalog = Arc::new(catalog);
        let whole = View::whole(Arc::clone(&catalog));
        Self { catalog, whole, policies: sorted, views: Mutex::default() }
    }

    /// The catalog, for whoever reports on it. Callers are answered from a [`View`].
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// What `caller` may see.
    pub fn view(&self, caller: &dyn Subject) -> View {
        if self.policies.is_empty() {
            return self.whole.clone();
        }
        let answers: Vec<bool> = self.caller_terms().map(|term| term.holds(caller)).collect();
        let mut views = self.views.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, view)) = views.iter().find(|(known, _)| *known == answers) {
            return view.clone();
        }
        if views.len() >= MAX_VIEWS {
            views.clear();
        }
        let view = View::of(Arc::clone(&self.catalog), Kind::ALL.map(|kind| self.judge(kind, caller)));
        views.push((answers, view.clone()));
        view
    }

    /// Whether what a caller sees depends on who it is.
    pub fn reads_caller(&self) -> bool {
        self.caller_terms().next().is_some()
    }

    fn caller_terms(&self) -> impl Iterator<Item = &Term> {
        self.policies.iter().flat_map(|policy| policy.show.terms()).filter(|term| term.field().reads_caller())
    }

    fn judge(&self, kind: Kind, caller: &dyn Subject) -> Bits {
        let everything = self.catalog.shelf(kind).all().clone();
        let shown = |visible: Bits, policy: &Policy| self.catalog.pick(kind, &policy.show, &visible, caller);
        self.policies.iter().fold(everything, shown)
    }
}
