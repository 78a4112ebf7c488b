//! A catalog with policies and presets, which computes and caches the view of each caller.

use std::{
    mem,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use super::{
    CallerContext, Policy, Predicates, Preset, Reads, View, awaiting, bound::Bound, judge::Judge, own_name,
    pages, program::HOLDS, verdicts::Verdicts, view_cache::ViewCache,
};
use crate::{
    catalog::{Bitset, ByKind, Catalog, Kind, KindIndex, Prefix, Report, Scope},
    expr::{Field, NoCaller},
    filter::{Filter, Narrowing},
    rank::SharedWords,
    revision::Era,
};

/// The first stateless revision, and the first that allows any JSON Schema for the output of a tool.
const FIRST_STATELESS: &str = "2026-07-28";
/// Maximum number of reports that are stored until they are fetched.
const MAX_REPORTS: usize = 64;
/// The number of primitives that one step of [`Guarded::prepare`] evaluates at most.
const STEP: usize = 1024;

/// A catalog with policies and presets, which makes the view of each caller.
///
/// A policy reads the caller only through its terms, and a predicate in Rust only through the fields it declares. So
/// callers share one cached view if every such term has the same result for them, if they have the same values of these
/// fields, and if the same presets apply to them.
#[derive(Debug)]
pub struct Guarded {
    catalog: Arc<Catalog>,
    /// The catalog of callers in sessions, if it is another one. It is made when the first of them asks.
    for_sessions: OnceLock<Arc<Catalog>>,
    /// The view of every caller if there are no policies.
    whole: View,
    /// Policies and predicates in the order in which they are evaluated.
    judges: Arc<Vec<Judge>>,
    presets: Arc<[Preset]>,
    /// Finds the pages that visible tools open, if resources are read by address. Without it no page opens, and a module
    /// that reads none has no parser of addresses.
    open_pages: Option<OpenPages>,
    /// The primitives that await review, by kind, if there may be any.
    awaiting: Option<ByKind<Bitset>>,
    /// The prefixes that names of servers get only if another server lists them too.
    prefixes: Arc<[Prefix]>,
    /// The results that do not depend on the caller, one for each of `judges`.
    verdicts: Vec<Verdicts>,
    /// The tools whose arguments each of `judges` judges, found at the first call.
    bound_tools: OnceLock<Vec<Option<Bitset>>>,
    /// The words of the catalog, which the search indexes of all views are made of.
    words: Arc<SharedWords>,
    views: Mutex<ViewCache>,
    reports: Mutex<Vec<Report>>,
}

/// Returns the numbers of the pages that the visible tools open, as [`pages::open`].
type OpenPages = fn(&Catalog, &ByKind<Bitset>, (&[Judge], &[&Filter]), &dyn CallerContext) -> Bitset;

/// Primitives that a caller cannot see for reasons other than policies.
struct Outside {
    /// The era of the caller, if there is a primitive of callers of the other one alone.
    era: Option<Era>,
    /// For each set of capabilities that primitives require, whether they are hidden for want of it.
    lacks: Vec<bool>,
}

impl Outside {
    fn excluded<'a>(&'a self, kind_index: &'a KindIndex) -> impl Iterator<Item = &'a Bitset> {
        let of_others = match self.era {
            Some(Era::Session) => kind_index.stateless_only(),
            Some(Era::Stateless) => kind_index.session_only(),
            None => None,
        };
        let lacking = self.lacks.iter().enumerate().filter(|(_, lacks)| **lacks);
        of_others.into_iter().chain(lacking.filter_map(|(id, _)| kind_index.requiring(id)))
    }
}

impl Guarded {
    /// Puts `catalog` under `policies`, which are evaluated by priority and name, not in the given order.
    pub fn new(catalog: impl Into<Arc<Catalog>>, policies: Vec<Policy>) -> Self {
        let catalog = catalog.into();
        let whole = View::everything(Arc::clone(&catalog));
        let (verdicts, bound_tools, words, views, reports) = Default::default();
        let (judges, presets, prefixes) = (Arc::default(), [].into(), [].into());
        let (for_sessions, open_pages, awaiting) = (OnceLock::new(), None, None);
        let mut guarded = Self {
            catalog,
            for_sessions,
            whole,
            judges,
            presets,
            open_pages,
            awaiting,
            prefixes,
            verdicts,
            bound_tools,
            words,
            views,
            reports,
        };
        policies.into_iter().for_each(|policy| guarded.add(Judge::policy(policy)));
        guarded
    }

    /// Lets visible tools open their pages (MCP Apps), for a server that reads resources.
    #[must_use]
    pub fn opening_pages(self) -> Self {
        Self { open_pages: Some(pages::open), ..self }
    }

    /// Finds the primitives that await review, if there may be any.
    #[must_use]
    pub(crate) fn awaiting(self, any: bool) -> Self {
        let awaiting = any.then(|| Kind::ALL.map(|kind| self.catalog.awaiting_review(kind)));
        Self { awaiting, ..self }
    }

    /// Returns whether the primitive at `index` awaits review, so that only its name is known.
    pub fn awaits_review(&self, kind: Kind, index: usize) -> bool {
        self.awaiting.as_ref().is_some_and(|awaiting| kind.of::<Bitset>(awaiting).contains(index))
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

    /// Sets the prefixes of the servers. Those that every name of a server has do not matter.
    #[must_use]
    pub fn prefixed(mut self, prefixes: impl Iterator<Item = Prefix>) -> Self {
        self.prefixes = prefixes.filter(|prefix| !prefix.always).collect();
        self
    }

    /// Puts another catalog under the same policies, predicates and presets.
    #[must_use]
    pub fn over(&self, catalog: Catalog) -> Self {
        let (judges, presets) = (Arc::clone(&self.judges), Arc::clone(&self.presets));
        let prefixes = Arc::clone(&self.prefixes);
        let verdicts = judges.iter().map(|_| Verdicts::default()).collect();
        Self { judges, presets, prefixes, verdicts, ..Self::new(catalog, Vec::new()) }
    }

    fn add(&mut self, judge: Judge) {
        let place = self.judges.partition_point(|known| known.order() <= judge.order());
        Arc::make_mut(&mut self.judges).insert(place, judge);
        self.verdicts.push(Verdicts::default());
    }

    /// Returns the catalog, for reports to the operator. Callers are answered from a [`View`].
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Returns the view without policies and presets, for reports to the operator.
    pub fn whole(&self) -> &View {
        &self.whole
    }

    /// Returns what `asking` may see. The presets that are for it apply whether or not it names them; its own values of
    /// [`Field::Preset`] only add to them, such as the preset of the path that it connected to.
    pub fn view(&self, asking: &dyn CallerContext) -> View {
        let asking = &Bound::new(&self.presets, asking);
        let applying: Vec<bool> = self.presets.iter().map(|preset| asking.by(preset)).collect();
        let (era, lacks) = (self.era(asking), self.lacks(asking));
        if self.judges.is_empty() && !applying.contains(&true) && era.is_none() && !lacks.contains(&true) {
            return self.whole.clone();
        }
        let outside = Outside { era, lacks };
        let key = self.key(&applying, &outside, asking);
        if self.judges.iter().any(|judge| judge.reads() == Reads::Request) {
            return self.look(&applying, &outside, &key, asking);
        }
        if let Some(view) = self.views().get(&key) {
            return view;
        }
        // Known callers do not wait for the view of a new one.
        let view = self.look(&applying, &outside, &key, asking);
        self.views().insert(&key, view, self.catalog.hash() as u64)
    }

    /// Returns a view of these primitives of the catalog that `view` has. It is not cached.
    pub fn part(&self, view: &View, visible: ByKind<Bitset>) -> View {
        View::restricted(Arc::clone(&view.catalog), visible).sharing(&self.words)
    }

    /// Returns the size of the cached views, in bytes. It can exceed
    /// [`MAX_VIEW_BYTES`](crate::policy::Guarded::MAX_VIEW_BYTES) by new search indexes, until the next view is
    /// requested.
    pub fn cached_bytes(&self) -> usize {
        self.views().size()
    }

    /// Evaluates the parts of policies that do not read the caller, in small steps. Each item is the number of
    /// primitives that a step evaluated. Without preparation the first view evaluates everything it depends on at once.
    pub fn prepare(&self) -> impl Iterator<Item = usize> {
        let judges = self.judges.iter().zip(&self.verdicts);
        judges.flat_map(|judge| Kind::ALL.map(|kind| (judge, kind))).flat_map(
            move |((judge, verdicts), kind)| {
                let len = self.catalog.kind_index(kind).len();
                (0..len).step_by(STEP).map(move |start| {
                    let mut within = Bitset::none(len);
                    (start..len.min(start + STEP)).for_each(|index| within.insert(index));
                    judge.prepare(verdicts, &self.catalog, kind, &within)
                })
            },
        )
    }

    /// Returns what could not be judged since the last call, for the operator.
    pub fn reports(&self) -> Vec<Report> {
        mem::take(&mut *self.reports.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns whether views depend on the caller.
    pub fn reads_caller(&self) -> bool {
        self.catalog.requirements().any(|(_, hides)| hides)
            || self.presets.iter().any(|preset| preset.when.is_some())
            || self.judges.iter().any(|judge| judge.reads() != Reads::Primitive)
            || self.judges.iter().any(|judge| !judge.terms().is_empty())
    }

    /// Returns whether views depend on the method of the request.
    pub fn reads_method(&self) -> bool {
        self.judges.iter().any(|judge| {
            let reads = match judge.reads() {
                Reads::Primitive => false,
                Reads::Caller(fields) => fields.contains(&Field::Method),
                Reads::Request => true,
            };
            reads || judge.terms().iter().any(|term| *term.field() == Field::Method)
        })
    }

    /// Returns the era of the caller, if any primitive is only for callers of the other era, or not the same for them.
    fn era(&self, asking: &dyn CallerContext) -> Option<Era> {
        let has = |set: fn(&KindIndex) -> Option<&Bitset>| {
            Kind::ALL.into_iter().any(|kind| set(self.catalog.kind_index(kind)).is_some())
        };
        let stateless = has(KindIndex::stateless_only) || has(KindIndex::modern_outputs);
        let sessions = has(KindIndex::session_only);
        if !stateless && !sessions {
            return None;
        }
        let mut older = false;
        asking.values(&Field::Protocol, &mut |date| older |= date < FIRST_STATELESS);
        match older {
            true => Some(Era::Session).filter(|_| stateless),
            false => Some(Era::Stateless).filter(|_| sessions),
        }
    }

    /// Returns, for each set of capabilities that primitives require of clients, whether those primitives are hidden
    /// from this client.
    fn lacks(&self, asking: &dyn CallerContext) -> Vec<bool> {
        self.catalog.requirements().map(|(needed, hides)| hides && !asking.declares(needed)).collect()
    }

    /// Returns everything about a caller on which its view depends, as text: the results of the terms that read the
    /// caller, for one judge after another, whether each preset applies, the era, the missing capabilities, and the
    /// values of the fields that predicates read, each after its length.
    fn key(&self, applying: &[bool], outside: &Outside, asking: &dyn CallerContext) -> String {
        let mut key = String::new();
        let mut answer = |holds: bool| key.push(if holds { char::from(HOLDS) } else { '0' });
        self.judges.iter().flat_map(Judge::terms).for_each(|term| answer(term.holds(asking)));
        applying.iter().for_each(|applies| answer(*applies));
        answer(outside.era == Some(Era::Session));
        outside.lacks.iter().for_each(|lacks| answer(*lacks));
        for judge in self.judges.iter() {
            let Reads::Caller(fields) = judge.reads() else { continue };
            for field in fields {
                asking.values(field, &mut |value| {
                    key.push_str(&value.len().to_string());
                    key.push(':');
                    key.push_str(value);
                });
                key.push(';');
            }
        }
        key
    }

    fn views(&self) -> MutexGuard<'_, ViewCache> {
        self.views.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates a view. Presets are applied first, so that policies need not be evaluated for the primitives they leave
    /// out.
    fn look(&self, applying: &[bool], outside: &Outside, key: &str, asking: &dyn CallerContext) -> View {
        let bound = self.presets.iter().zip(applying).filter(|(_, applies)| **applies);
        let bounds: Vec<_> = bound
            .map(|(Preset { filter, .. }, _)| {
                (Narrowing::restriction(Scope::everything(&self.catalog), filter), filter)
            })
            .collect();
        let mut visible: ByKind<Bitset> = Default::default();
        let under = (&*self.catalog, &*self.prefixes);
        for (kind, slot) in Kind::ALL.into_iter().zip(&mut visible) {
            let kind_index = self.catalog.kind_index(kind);
            let mut everything = kind_index.all().clone();
            outside.excluded(kind_index).for_each(|bits| everything.subtract(bits));
            let left = bounds.iter().fold(everything, |left, (bound, filter)| {
                let mut kept = bound.bound(&self.catalog, kind, &left);
                for condition in filter.r#where.iter() {
                    own_name::hide(condition, under, kind, &mut kept, &NoCaller);
                }
                if !awaiting::judges(filter, kind) {
                    self.hide_awaiting(kind, &mut kept);
                }
                kept
            });
            let mut answers = key.as_bytes();
            *slot = self.judges.iter().zip(&self.verdicts).fold(left, |left, (judge, verdicts)| {
                let own = answers.split_off(..judge.terms().len()).unwrap_or_default();
                let caller = (own, asking);
                let mut shown =
                    judge.pass(verdicts, under, kind, left, caller, &mut |report| self.report(report));
                if self.awaiting.is_some() && !judge.needs_only_names(kind, own) {
                    self.hide_awaiting(kind, &mut shown);
                }
                shown
            });
        }
        self.catalog.hide_attached(&mut visible);
        let presets: Vec<&Filter> = bounds.iter().map(|(_, filter)| *filter).collect();
        let open = |open: OpenPages| open(&self.catalog, &visible, (&self.judges, &presets), asking);
        let pages = Some(Arc::new(self.open_pages.map(open).unwrap_or_default()));
        View { pages, ..View::restricted(self.catalog_of(outside.era), visible) }.sharing(&self.words)
    }

    /// Removes the primitives that await review, because a condition would read what their definitions lack.
    fn hide_awaiting(&self, kind: Kind, shown: &mut Bitset) {
        self.awaiting.iter().for_each(|awaiting| shown.subtract(kind.of(awaiting)));
    }

    /// Returns the catalog of the callers of an era.
    fn catalog_of(&self, era: Option<Era>) -> Arc<Catalog> {
        let made = || self.catalog.for_sessions().map_or_else(|| Arc::clone(&self.catalog), Arc::new);
        Arc::clone(if era == Some(Era::Session) {
            self.for_sessions.get_or_init(made)
        } else {
            &self.catalog
        })
    }

    /// Returns, for each judge, the tools whose arguments it judges; `None` for a judge of no arguments.
    pub(super) fn bound_tools(&self) -> impl Iterator<Item = (&Judge, &Option<Bitset>)> {
        let find = |judge: &Judge| judge.bound_tools(&self.catalog, &self.prefixes);
        let bound = self.bound_tools.get_or_init(|| self.judges.iter().map(find).collect());
        self.judges.iter().zip(bound)
    }

    /// Returns whether a policy judges the arguments of calls.
    pub fn judges_arguments(&self) -> bool {
        self.judges.iter().any(Judge::judges_arguments)
    }

    /// Returns the caller with the presets that apply to it.
    pub(super) fn bind<'a>(&self, asking: &'a dyn CallerContext) -> Bound<'a> {
        Bound::new(&self.presets, asking)
    }

    fn report(&self, report: Report) {
        let mut reports = self.reports.lock().unwrap_or_else(PoisonError::into_inner);
        if reports.len() < MAX_REPORTS && !reports.contains(&report) {
            reports.push(report);
        }
    }
}
