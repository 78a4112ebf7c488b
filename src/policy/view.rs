use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
};

use crate::{
    catalog::{
        Bitset, ByKind, Catalog, Group, Kind, ResourceUri, Scope, Tag, is_plain, skill_root, unscoped,
    },
    digest::Digest,
    filter::{AppliedFilters, Explanation, Narrowing, Ranked, Searchable, Selection, hash_of_hashes},
    rank::{Index, Indexes, SharedWords},
};

/// The result of looking up a URI for a caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The visible resource at this index, perhaps under another spelling.
    Resource(usize),
    /// A resource that the visible template at this index generates.
    Template(usize),
    /// A file or directory of the visible skill at this index.
    Skill(usize),
    /// A resource that exists and is hidden from the caller, or that a server may take for such a one.
    Hidden,
    /// A resource that no list mentions.
    Unlisted,
}

/// The part of a catalog that one caller may see.
#[derive(Debug, Clone)]
pub struct View {
    catalog: Arc<Catalog>,
    /// By kind; absent when everything is visible.
    pub(super) visible: Option<Arc<ByKind<Bitset>>>,
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
            false => Self::restricted(catalog, visible),
        }
    }

    fn listed(catalog: Arc<Catalog>) -> Self {
        Self { catalog, visible: None, shared: Arc::default() }
    }

    pub(super) fn restricted(catalog: Arc<Catalog>, visible: ByKind<Bitset>) -> Self {
        Self { catalog, visible: Some(Arc::new(visible)), shared: Arc::default() }
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

    /// Returns the filters that were applied to this view last.
    pub(crate) fn applied(&self) -> &AppliedFilters {
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
    pub(crate) fn list_hash(&self, kind: Kind) -> u128 {
        let hash =
            || hash_of_hashes(self.bits(kind).iter().map(|index| self.catalog.primitive_hash(kind, index)));
        self.shared.lists.get(kind as usize).map_or_else(hash, |list| *list.get_or_init(hash))
    }

    /// Returns the hash of the list of groups.
    pub(crate) fn groups_hash(&self) -> u128 {
        *self.shared.groups.get_or_init(|| hash_of(self.groups(), Group::add_to))
    }

    /// Returns the hash of the list of tags.
    pub(crate) fn tags_hash(&self) -> u128 {
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
    #[doc(hidden)]
    pub fn ranking(&self, narrowing: &Narrowing, kind: Kind) -> Vec<Ranked> {
        narrowing.ranking(self.into(), kind)
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
        Self::restricted(Arc::clone(&self.catalog), visible)
    }

    /// Returns what `uri` leads to.
    ///
    /// A visible template allows all that it generates: a server may also list some of that as resources, and one of
    /// these that is hidden is still generated by the template.
    pub fn resource(&self, uri: &ResourceUri<'_>) -> Reach {
        let mut like = self.catalog.resources_like(uri).peekable();
        let exact = self.find(Kind::Resource, uri.text());
        let first = exact.or_else(|| like.peek().copied().flatten());
        if let Some(index) = first
            && like.all(|index| self.shows(Kind::Resource, index))
        {
            return Reach::Resource(index);
        }
        if let Some(index) = self.skill_at(uri) {
            return Reach::Skill(index);
        }
        let of_hidden_skill = self.hides_skill_of(uri);
        let template = self.template_around(uri);
        if let Some(index) = template.filter(|index| !of_hidden_skill && !self.is_of_another(*index, uri)) {
            return Reach::Template(index);
        }
        if self.hides(uri) || of_hidden_skill || template.is_some() { Reach::Hidden } else { Reach::Unlisted }
    }

    /// Returns whether a URI that matches the template at `index` belongs to a resource of another server, or to a
    /// template that another server listed before, hidden or not.
    fn is_of_another(&self, index: usize, uri: &ResourceUri<'_>) -> bool {
        let templates = self.catalog.kind_index(Kind::Template);
        let server = templates.server(index);
        let first = if self.catalog.is_recorded() { index } else { templates.len() };
        let is_other =
            |other: &usize| templates.server(*other) != server && self.catalog.template_makes(*other, uri);
        let resources = self.catalog.resources_like(uri).flatten();
        let resources =
            resources.filter(|other| self.catalog.kind_index(Kind::Resource).server(*other) != server);
        resources.count() + (0..first).filter(is_other).count() > 0
    }

    /// Returns the visible skill that contains the file with this URI.
    fn skill_at(&self, uri: &ResourceUri<'_>) -> Option<usize> {
        let holders = self.catalog.skills().holding("", uri);
        if !is_plain(uri.text()) || holders.iter().any(|index| !self.shows(Kind::Skill, *index)) {
            return None;
        }
        let kind_index = self.catalog.kind_index(Kind::Skill);
        holders.into_iter().flatten().find(|index| {
            let directory = kind_index.id(*index).and_then(skill_root);
            let path = directory.and_then(|directory| uri.text().strip_prefix(directory));
            path.is_some_and(|path| path.is_empty() || path.starts_with('/'))
        })
    }

    /// Returns whether a visible skill is below a directory. Returns `None` if no skill is, hidden or not.
    pub fn skills_below(&self, directory: &str) -> Option<bool> {
        let kind_index = self.catalog.kind_index(Kind::Skill);
        let below = |uri: &str| {
            let (head, path) = uri.split_at_checked(directory.len()).unwrap_or_default();
            head.eq_ignore_ascii_case(directory) && path.starts_with('/')
        };
        let hidden = kind_index.hidden().filter(|key| below(unscoped(key).1)).count() > 0;
        let mut known = hidden.then_some(false);
        for (index, id) in kind_index.ids().enumerate() {
            let visible = self.bits(Kind::Skill).contains(index) && id.starts_with(directory) && below(id);
            if visible || below(id) || kind_index.own_id(index).is_some_and(below) {
                known = Some(visible || known == Some(true));
            }
        }
        known
    }

    /// Returns the visible template that matches a URI.
    pub fn template_around(&self, uri: &ResourceUri<'_>) -> Option<usize> {
        self.bits(Kind::Template).iter().find(|at| self.catalog.template_makes(*at, uri))
    }

    /// Returns whether a server may interpret `uri` as a file or directory of a hidden skill.
    fn hides_skill_of(&self, uri: &ResourceUri<'_>) -> bool {
        let holders = self.catalog.skills().holding_anywhere(uri);
        holders.into_iter().filter(|index| !self.shows(Kind::Skill, *index)).count() > 0
    }

    /// Returns whether a URI that no visible list mentions is hidden, or belongs to a hidden primitive. The whole
    /// catalog is always searched, because otherwise the time taken would reveal where the search ended.
    fn hides(&self, uri: &ResourceUri<'_>) -> bool {
        // A page is hidden if some form of its URI is linked to by hidden tools alone.
        let hidden = |tools: &Vec<usize>| {
            !tools.is_empty() && !tools.iter().any(|index| self.shows(Kind::Tool, Some(*index)))
        };
        let pages = self.catalog.tools_showing(uri).filter(hidden).count();
        let same = self.catalog.may_be(uri).filter(|(kind, index)| !self.shows(*kind, *index)).count();
        let skills =
            self.catalog.skills_holding(uri).filter(|index| !self.shows(Kind::Resource, *index)).count();
        same > 0 || skills > 0 || pages > 0
    }

    fn shows(&self, kind: Kind, index: Option<usize>) -> bool {
        index.is_some_and(|index| self.bits(kind).contains(index))
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
    pub(crate) fn members(&self, kind: Kind, group: &str) -> Bitset {
        let id = Scope::from(self).group(group);
        let mut members = self.bits(kind).clone();
        match id.and_then(|id| self.catalog.kind_index(kind).group(id)) {
            Some(group) => members.intersect(group),
            None => members.clear(),
        }
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
