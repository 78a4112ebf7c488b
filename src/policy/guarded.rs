use std::{
    cmp::Reverse,
    sync::{Arc, Mutex, PoisonError},
};

use super::{Policy, Preset, View};
use crate::{
    catalog::{Bits, Catalog, Kind},
    expr::{Field, Subject, Term},
    filter::Narrowing,
};

/// Most distinct views of a catalog that are kept; one more, and all are made anew when next asked for.
pub const MAX_VIEWS: usize = 64;

/// A catalog under policies and presets, which hands each caller the view it may have.
///
/// A policy reads the caller only through its terms, so callers for whom every such term comes out alike, and
/// whom the same presets bind, have one view. It is made once and kept.
#[derive(Debug)]
pub struct Guarded {
    catalog: Arc<Catalog>,
    /// What everybody sees where there are no policies.
    whole: View,
    policies: Vec<Policy>,
    presets: Vec<Preset>,
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
        Self { catalog, whole, policies: sorted, presets: Vec::new(), views: Mutex::default() }
    }

    /// The same, where callers whom one of these binds see no more than it leaves.
    #[must_use]
    pub fn bounded(mut self, presets: Vec<Preset>) -> Self {
        self.presets = presets;
        self
    }

    /// The catalog, for whoever reports on it. Callers are answered from a [`View`].
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// What `caller` may see. Its values for [`Field::Preset`] name the presets that bind it.
    pub fn view(&self, caller: &dyn Subject) -> View {
        let binding = self.binding(caller);
        if self.policies.is_empty() && !binding.contains(&true) {
            return self.whole.clone();
        }
        let terms = self.caller_terms().map(|term| term.holds(caller));
        let answers: Vec<bool> = terms.chain(binding).collect();
        let mut views = self.views.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, view)) = views.iter().find(|(known, _)| *known == answers) {
            return view.clone();
        }
        if views.len() >= MAX_VIEWS {
            views.clear();
        }
        let bounds = self.bounds(&self.binding(caller));
        let view = Kind::ALL.map(|kind| self.judge(kind, caller, &bounds));
        let view = View::of(Arc::clone(&self.catalog), view);
        views.push((answers, view.clone()));
        view
    }

    /// Whether what a caller sees depends on who it is.
    pub fn reads_caller(&self) -> bool {
        self.presets.iter().any(|preset| preset.when.is_some()) || self.caller_terms().next().is_some()
    }

    /// Of each preset, whether it binds this caller.
    fn binding(&self, caller: &dyn Subject) -> Vec<bool> {
        let mut named = Vec::new();
        if !self.presets.is_empty() {
            caller.values(&Field::Preset, &mut |name| named.push(name.to_owned()));
        }
        self.presets.iter().map(|preset| named.contains(&preset.name)).collect()
    }

    fn bounds(&self, binding: &[bool]) -> Vec<Narrowing> {
        let bound = self.presets.iter().zip(binding).filter(|(_, binds)| **binds);
        bound.map(|(preset, _)| Narrowing::new(&*self.catalog, &preset.filter)).collect()
    }

    fn caller_terms(&self) -> impl Iterator<Item = &Term> {
        self.policies.iter().flat_map(|policy| policy.show.terms()).filter(|term| term.field().reads_caller())
    }

    fn judge(&self, kind: Kind, caller: &dyn Subject, bounds: &[Narrowing]) -> Bits {
        let everything = self.catalog.shelf(kind).all().clone();
        let within = |visible: Bits, bound: &Narrowing| bound.bound(&self.catalog, kind, &visible);
        let everything = bounds.iter().fold(everything, within);
        let shown = |visible: Bits, policy: &Policy| self.catalog.pick(kind, &policy.show, &visible, caller);
        self.policies.iter().fold(everything, shown)
    }
}
