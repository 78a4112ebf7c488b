//! A view: the part of a catalog that one caller may see.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
};

use crate::{
    catalog::{Bitset, ByKind, Catalog, Group, Kind, Purpose, Scope, Tag},
    digest::Digest,
    filter::{AppliedFilters, Explanation, Narrowing, Ranked, Searchable, Selection},
    rank::{Index, Indexes, SharedWords},
};

/// The part of a catalog that one caller may see.
#[derive(Debug, Clone)]
pub struct View {
    pub(super) catalog: Arc<Catalog>,
    /// By kind; absent when everything is visible.
    pub(super) visible: Option<Arc<ByKind<Bitset>>>,
    /// The numbers of the pages that visible tools open. Absent if every visible tool opens its page.
    pub(super) pages: Option<Arc<Bitset>>,
    pub(super) shared: Arc<Shared>,
}

/// Derived data that all copies of a view share. It is computed on first use.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// The search indexes of the visible primitives.
    pub indexes: Arc<Indexes>,
    /// The filters that were applied last.
    pub applied: AppliedFilters,
    /// The number of the last use, for the cache.
    pub used: AtomicU64,
    hash: OnceLock<u128>,
    /// The hashes of the lists of each kind, in the order of [`Kind::ALL`].
    lists: ByKind<OnceLock<u128>>,
    groups: OnceLock<u128>,
    tags: OnceLock<u128>,
    /// The view without the tools that only applications may call, if there are any.
    for_models: OnceLock<Box<View>>,
}

impl View {
    /// Returns the view without policies and presets: every listed primitive, except the files of skills and the pages
    /// of tools that a rule hides.
    pub fn everything(catalog: impl Into<Arc<Catalog>>) -> Self {
        let catalog = catalog.into();
        let mut visible = Kind::ALL.map(|kind| catalog.kind_index(kind).all().clone());
        if [Kind::Resource, Kind::Skill]
            .into_iter()
            .any(|kind| catalog.kind_index(kind).hidden().next().is_some())
        {
            catalog.hide_attached(&mut visible);
        }
        let mut kinds = Kind::ALL.into_iter().zip(&visible);
        match kinds.all(|(kind, bits)| bits == catalog.kind_index(kind).all()) {
            true => Self::listed(catalog),
            false => Self { pages: None, ..Self::restricted(catalog, visible) },
        }
    }

    fn listed(catalog: Arc<Catalog>) -> Self {
        Self { catalog, visible: None, pages: None, shared: Arc::default() }
    }

    /// Returns the view of these primitives, in which no tool opens a page.
    pub(super) fn restricted(catalog: Arc<Catalog>, visible: ByKind<Bitset>) -> Self {
        Self {
            catalog,
            visible: Some(Arc::new(visible)),
            pages: Some(Arc::default()),
            shared: Arc::default(),
        }
    }

    /// Returns the view, with no search index yet: they will be made of these words of the catalog.
    pub(super) fn sharing(self, words: &Arc<SharedWords>) -> Self {
        self.with(Indexes::sharing(words), AppliedFilters::default())
    }

    /// Returns the view, with no search index and no applied filter yet. The size of what is made will be added to
    /// `meter`, in bytes.
    pub(super) fn metered(&self, meter: &Arc<AtomicUsize>) -> Self {
        self.clone().with(self.shared.indexes.metered(meter), AppliedFilters::metered(meter))
    }

    fn with(self, indexes: Indexes, applied: AppliedFilters) -> Self {
        let shared = Shared { indexes: Arc::new(indexes), applied, ..Shared::default() };
        Self { shared: Arc::new(shared), ..self }
    }

    /// Returns the view without the tools that only applications may call (MCP Apps), for everything that a model reads.
    pub fn for_models(&self) -> &Self {
        let app_only = self.catalog.kind_index(Kind::Tool).app_only();
        let Some(app_only) = app_only.filter(|tools| tools.meets(self.bits(Kind::Tool))) else { return self };
        self.shared.for_models.get_or_init(|| {
            let mut visible = Kind::ALL.map(|kind| self.bits(kind).clone());
            Kind::Tool.of_mut(&mut visible).subtract(app_only);
            let indexes = Arc::new(self.shared.indexes.beside());
            let shared = Shared { indexes, ..Shared::default() };
            Box::new(Self {
                shared: Arc::new(shared),
                ..Self::restricted(Arc::clone(&self.catalog), visible)
            })
        })
    }

    /// Returns the size of the search indexes, in bytes.
    pub(super) fn indexes_size(&self) -> usize {
        let for_models = self.shared.for_models.get().map_or(0, |view| view.shared.indexes.size());
        self.shared.indexes.size() + for_models
    }

    /// Drops the search indexes, which are built again at their next use.
    pub(super) fn clear_indexes(&self) {
        self.shared.indexes.clear();
        self.shared.for_models.get().into_iter().for_each(|view| view.shared.indexes.clear());
    }

    /// Returns the filters that were applied to this view last.
    pub fn applied(&self) -> &AppliedFilters {
        &self.shared.applied
    }

    /// Returns the number of the last use.
    pub(super) fn last_used(&self) -> u64 {
        self.shared.used.load(Relaxed)
    }

    /// Returns the catalog of this view, for the bytes of selected primitives. Limit every direct query of it to
    /// [`View::bits`].
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Returns the hash of everything that is visible, which is the hash of the catalog if nothing is hidden. Hidden
    /// primitives do not affect it.
    pub fn hash(&self) -> u128 {
        *self.shared.hash.get_or_init(|| Scope::from(self).hash())
    }

    /// Returns the hash of the list of a kind: the visible primitives, in their order.
    pub fn list_hash(&self, kind: Kind) -> u128 {
        let hash = || {
            Selection::hash_of_hashes(
                self.bits(kind).iter().map(|index| self.catalog.primitive_hash(kind, index)),
            )
        };
        self.shared.lists.get(kind as usize).map_or_else(hash, |list| *list.get_or_init(hash))
    }

    /// Returns the hash of the list of groups.
    pub fn groups_hash(&self) -> u128 {
        *self.shared.groups.get_or_init(|| hash_of(self.groups(), Group::add_to))
    }

    /// Returns the hash of the list of tags.
    pub fn tags_hash(&self) -> u128 {
        *self.shared.tags.get_or_init(|| hash_of(self.tags(), Tag::add_to))
    }

    /// Returns the visible primitives of a kind.
    pub fn bits(&self, kind: Kind) -> &Bitset {
        Scope::from(self).bits(kind)
    }

    /// Selects the visible primitives of a kind that `narrowing` keeps. `selection` holds the result, and a selection
    /// that is used again allocates nothing.
    pub fn select<'a>(&self, narrowing: &Narrowing, kind: Kind, selection: &'a mut Selection) -> &'a Bitset {
        narrowing.select(self.into(), kind, selection)
    }

    /// Returns the primitives of a kind that match the clauses of `narrowing`, in the order in which its limit takes
    /// them. Without a limit, there are none.
    pub fn ranking(&self, narrowing: &Narrowing, kind: Kind) -> Vec<Ranked> {
        narrowing.ranking(self.into(), kind, None)
    }

    /// Returns why [`View::select`] keeps the primitive called `id` or not. One that is not visible is unknown.
    pub fn explain(&self, narrowing: &Narrowing, kind: Kind, id: &str) -> Explanation {
        narrowing.explain(self.into(), kind, id)
    }

    /// Returns the number of visible primitives of a kind.
    pub fn count(&self, kind: Kind) -> usize {
        self.bits(kind).count()
    }

    /// Returns the index of the visible primitive with that name, `uri` or `uriTemplate`.
    pub fn find(&self, kind: Kind, id: &str) -> Option<usize> {
        self.catalog.kind_index(kind).find(id).filter(|index| self.bits(kind).contains(*index))
    }

    /// Returns the search index of the visible primitives of a kind. It is built on first use and kept with the view.
    pub fn index(&self, kind: Kind) -> Arc<Index> {
        self.shared.indexes.get(&self.catalog, kind, self.bits(kind))
    }

    /// Returns this view without what `narrowing` leaves out, for operators that enforce the filter of a URL.
    pub fn within(&self, narrowing: &Narrowing) -> Self {
        let mut visible: ByKind<Bitset> = Default::default();
        for (kind, slot) in Kind::ALL.into_iter().zip(&mut visible) {
            let mut selection = Selection::default();
            slot.clone_from(self.select(narrowing, kind, &mut selection));
        }
        self.catalog.hide_attached(&mut visible);
        let pages = self.pages.clone();
        Self { pages, ..Self::restricted(Arc::clone(&self.catalog), visible) }
    }

    /// Returns the groups with visible members. If everything is visible, declared groups without members are included.
    pub fn groups(&self) -> Vec<&Group> {
        Scope::from(self).groups()
    }

    /// Returns the number of visible primitives of each kind in a group, in the order of [`Kind::ALL`].
    pub fn group_sizes(&self, name: &str) -> [usize; Kind::COUNT] {
        let id = Scope::from(self).group(name);
        Kind::ALL.map(|kind| self.common(kind, id.and_then(|id| self.catalog.kind_index(kind).group(id))))
    }

    /// Returns the number of visible primitives of each kind with a tag, in the order of [`Kind::ALL`].
    pub fn tag_sizes(&self, name: &str) -> [usize; Kind::COUNT] {
        let id = Scope::from(self).tag(name);
        Kind::ALL.map(|kind| self.common(kind, id.and_then(|id| self.catalog.kind_index(kind).tag(id))))
    }

    /// Returns the visible primitives of a kind that are in a group. A group that is not visible has none.
    pub fn members(&self, kind: Kind, group: &str) -> Bitset {
        let id = Scope::from(self).group(group);
        let mut members = self.bits(kind).clone();
        match id.and_then(|id| self.catalog.kind_index(kind).group(id)) {
            Some(group) => members.intersect(group),
            None => members.clear(),
        }
        members
    }

    /// Returns the visible primitives of a kind that are in a group by trusted memberships, as policies see them.
    pub fn trusted_members(&self, kind: Kind, group: &str) -> Bitset {
        let mut members = self.members(kind, group);
        let id = Scope::from(self).group(group);
        let trusted = id.and_then(|id| self.catalog.kind_index(kind).group_sets(Purpose::Policy).get(id));
        trusted.into_iter().for_each(|trusted| members.intersect(trusted));
        members
    }

    fn common(&self, kind: Kind, members: Option<&Bitset>) -> usize {
        members.map_or(0, |members| members.common(self.bits(kind)))
    }

    /// Returns the tags of visible primitives. If everything is visible, declared tags that no primitive has are
    /// included.
    pub fn tags(&self) -> Vec<&Tag> {
        Scope::from(self).tags()
    }
}

fn hash_of<T>(items: Vec<&T>, add: fn(&T, &mut Digest)) -> u128 {
    let mut digest = Digest::new();
    items.into_iter().for_each(|item| add(item, &mut digest));
    digest.end()
}

impl<'a> From<&'a View> for Scope<'a> {
    fn from(view: &'a View) -> Self {
        match &view.visible {
            Some(visible) => Self::part(&view.catalog, visible),
            None => Self::everything(&view.catalog),
        }
    }
}

impl<'a> From<&'a View> for Searchable<'a> {
    /// Uses the search indexes that the view keeps.
    fn from(view: &'a View) -> Self {
        Self::new(view.into(), &view.shared.indexes)
    }
}
