use std::{
    mem,
    sync::{Arc, Mutex, PoisonError},
};

use super::{CallerContext, Policy, Predicates, Preset, Reads, View, bound::Bound, judge::Judge};
use crate::{
    catalog::{Catalog, Kind, Report, Scope},
    expr::{Field, Term},
    filter::Narrowing,
};

/// Maximum number of distinct views of a catalog that are cached. When it is reached, the cache is emptied.
pub const MAX_VIEWS: usize = 64;
/// The first revision that allows any JSON Schema for the output of a tool.
const MODERN: &str = "2026-07-28";
/// Maximum number of reports that are kept until they are fetched.
const MAX_REPORTS: usize = 64;

/// A catalog with policies and presets, which makes the view of each caller.
///
/// A policy reads the caller only through its terms, and a predicate in Rust only through the fields it declares. So
/// callers share one cached view if every such term has the same result for them, if they have the same values of these
/// fields, and if the same presets apply to them.
#[derive(Debug)]
pub struct Guarded {
    catalog: Arc<Catalog>,
    /// What every caller sees where there are no policies.
    whole: View,
    /// In the order in which they are asked.
    judges: Arc<Vec<Judge>>,
    presets: Arc<[Preset]>,
    views: Mutex<Vec<(Key, View)>>,
    reports: Mutex<Vec<Report>>,
}

/// Everything about a caller that its view depends on.
#[derive(Debug, Default, PartialEq)]
struct Key {
    /// The results of the terms that read the caller, whether each preset applies to it, and whether its revision is
    /// older than [`MODERN`].
    answers: Vec<bool>,
    /// The values of the fields that predicates read; `None` ends the values of each.
    values: Vec<Option<String>>,
}

impl Guarded {
    /// Puts `catalog` under `policies`. They are asked by priority and name, not in the order given.
    pub fn new(catalog: impl Into<Arc<Catalog>>, policies: Vec<Policy>) -> Self {
        let catalog = catalog.into();
        let whole = View::everything(Arc::clone(&catalog));
        let (views, reports) = Default::default();
        let (judges, presets) = (Arc::default(), [].into());
        let mut guarded = Self { catalog, whole, judges, presets, views, reports };
        policies.into_iter().for_each(|policy| guarded.add(Judge::Policy(policy)));
        guarded
    }

    /// Adds predicates.
    #[must_use]
    pub fn asking(mut self, predicates: &Predicates) -> Self {
        predicates.iter().for_each(|predicate| self.add(Judge::Predicate(Arc::clone(predicate))));
        self
    }

    /// Sets the presets.
    #[must_use]
    pub fn bounded(mut self, presets: Vec<Preset>) -> Self {
        self.presets = presets.into();
        self
    }

    /// Puts another catalog under the same policies, predicates and presets.
    #[must_use]
    pub fn over(&self, catalog: Catalog) -> Self {
        let (judges, presets) = (Arc::clone(&self.judges), Arc::clone(&self.presets));
        Self { judges, presets, ..Self::new(catalog, Vec::new()) }
    }

    fn add(&mut self, judge: Judge) {
        let place = self.judges.partition_point(|known| known.order() <= judge.order());
        Arc::make_mut(&mut self.judges).insert(place, judge);
    }

    /// The catalog, for reports to the operator. Callers are answered from a [`View`].
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Returns what `asking` may see. The presets that are for it apply whether or not it names them; its own values of
    /// [`Field::Preset`] only add to them, such as the preset of the path that it connected to.
    pub fn view(&self, asking: &dyn CallerContext) -> View {
        let asking = &Bound::new(&self.presets, asking);
        let binding: Vec<bool> = self.presets.iter().map(|preset| asking.by(preset)).collect();
        let older = self.is_older(asking);
        if self.judges.is_empty() && !binding.contains(&true) && !older {
            return self.whole.clone();
        }
        if self.judges.iter().any(|judge| judge.reads() == Reads::Request) {
            return self.look(&binding, older, asking);
        }
        let key = self.key(&binding, older, asking);
        let mut views = self.views.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, view)) = views.iter().find(|(known, _)| *known == key) {
            return view.clone();
        }
        if views.len() >= MAX_VIEWS {
            views.clear();
        }
        let view = self.look(&binding, older, asking);
        views.push((key, view.clone()));
        view
    }

    /// Returns what could not be judged since the last call, for the operator.
    pub fn reports(&self) -> Vec<Report> {
        mem::take(&mut *self.reports.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether views depend on the caller.
    pub fn reads_caller(&self) -> bool {
        self.presets.iter().any(|preset| preset.when.is_some())
            || self.judges.iter().any(|judge| judge.reads() != Reads::Primitive)
            || self.caller_terms().next().is_some()
    }

    /// Whether the caller uses a revision whose schema rejects a tool of the catalog.
    fn is_older(&self, asking: &dyn CallerContext) -> bool {
        let mut older = false;
        if self.catalog.kind_index(Kind::Tool).modern().is_some() {
            asking.values(&Field::Protocol, &mut |date| older |= date < MODERN);
        }
        older
    }

    fn key(&self, binding: &[bool], older: bool, asking: &dyn CallerContext) -> Key {
        let terms = self.caller_terms().map(|term| term.holds(asking));
        let answers = terms.chain(binding.iter().copied());
        let mut key = Key { answers: answers.collect(), values: Vec::new() };
        key.answers.push(older);
        for judge in self.judges.iter() {
            let Reads::Caller(fields) = judge.reads() else { continue };
            for field in fields {
                asking.values(field, &mut |value| key.values.push(Some(value.to_owned())));
                key.values.push(None);
            }
        }
        key
    }

    fn caller_terms(&self) -> impl Iterator<Item = &Term> {
        let policies = self.judges.iter().filter_map(|judge| match judge {
            Judge::Policy(policy) => Some(policy),
            Judge::Predicate(_) => None,
        });
        policies.flat_map(|policy| policy.show.terms()).filter(|term| term.field().reads_caller())
    }

    /// Makes a view. Presets come first: no policy has to be asked about what they leave out.
    fn look(&self, binding: &[bool], older: bool, asking: &dyn CallerContext) -> View {
        let bound = self.presets.iter().zip(binding).filter(|(_, binds)| **binds);
        let bounds: Vec<_> = bound
            .map(|(preset, _)| Narrowing::new(Scope::everything(&self.catalog), &preset.filter))
            .collect();
        let mut visible = Kind::ALL.map(|kind| {
            let kind_index = self.catalog.kind_index(kind);
            let mut everything = kind_index.all().clone();
            kind_index.modern().filter(|_| older).into_iter().for_each(|modern| everything.subtract(modern));
            let left = bounds.iter().fold(everything, |left, bound| bound.bound(&self.catalog, kind, &left));
            self.judges.iter().fold(left, |left, judge| {
                judge.pass(&self.catalog, kind, left, asking, &mut |report| self.report(report))
            })
        });
        self.catalog.hide_attached(&mut visible);
        View::of(Arc::clone(&self.catalog), visible)
    }

    fn report(&self, report: Report) {
        let mut reports = self.reports.lock().unwrap_or_else(PoisonError::into_inner);
        if reports.len() < MAX_REPORTS && !reports.contains(&report) {
            reports.push(report);
        }
    }
}
