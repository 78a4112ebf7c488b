use std::sync::{Arc, OnceLock};

use crate::{
    catalog::{Bits, Catalog, Group, Kind, ResourceUri, Scope, Tag},
    filter::{Explanation, Narrowing, Searchable, Selection},
    rank::{Index, Indexes},
};

/// What a caller reaches by a URI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The visible resource at this index, perhaps under another spelling.
    Resource(usize),
    /// Something that the visible template at this index makes.
    Template(usize),
    /// Something that exists and is hidden from the caller, or that a server may take for it.
    Hidden,
    /// Something that no list mentions.
    Unlisted,
}

/// The part of a catalog that one caller may see.
#[derive(Debug, Clone)]
pub struct View {
    catalog: Arc<Catalog>,
    /// By kind; absent when everything is visible.
    visible: Option<Arc<[Bits; 4]>>,
    /// Of what is visible; every copy of the view has the same.
    indexes: Arc<Indexes>,
    /// Made when first asked for; every copy has the same.
    hash: Arc<OnceLock<u128>>,
}

impl View {
    /// The view where there are no policies and no presets: everything that `catalog` lists, but the files of skills
    /// and the resources of tools that a rule took out.
    pub fn everything(catalog: impl Into<Arc<Catalog>>) -> Self {
        let catalog = catalog.into();
        let mut visible = Kind::ALL.map(|kind| catalog.shelf(kind).all().clone());
        if catalog.shelf(Kind::Resource).hidden().next().is_some() {
            catalog.hide_attached(&mut visible);
        }
        let mut kinds = Kind::ALL.into_iter().zip(&visible);
        match kinds.all(|(kind, bits)| bits == catalog.shelf(kind).all()) {
            true => Self::listed(catalog),
            false => Self::of(catalog, visible),
        }
    }

    fn listed(catalog: Arc<Catalog>) -> Self {
        Self { catalog, visible: None, indexes: Arc::default(), hash: Arc::default() }
    }

    pub(super) fn of(catalog: Arc<Catalog>, visible: [Bits; 4]) -> Self {
        Self { catalog, visible: Some(Arc::new(visible)), indexes: Arc::default(), hash: Arc::default() }
    }

    /// The catalog that this is a view of, for the bytes of what was selected. What is asked of it directly must be
    /// bounded by [`View::bits`].
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The hash of all that is visible: of a whole catalog its own. What is hidden has no part in it.
    pub fn hash(&self) -> u128 {
        *self.hash.get_or_init(|| Scope::from(self).hash())
    }

    /// The visible primitives of a kind.
    pub fn bits(&self, kind: Kind) -> &Bits {
        Scope::from(self).bits(kind)
    }

    /// Selects the visible primitives of a kind that `narrowing` keeps. `selection` holds the result, and a selection
    /// that is used again allocates nothing.
    pub fn select<'a>(&self, narrowing: &Narrowing, kind: Kind, selection: &'a mut Selection) -> &'a Bits {
        narrowing.select(self.into(), kind, selection)
    }

    /// Returns why [`View::select`] keeps the primitive called `id` or not. One that is not visible is unknown.
    pub fn explain(&self, narrowing: &Narrowing, kind: Kind, id: &str) -> Explanation {
        narrowing.explain(self.into(), kind, id)
    }

    /// How many primitives of a kind are visible.
    pub fn count(&self, kind: Kind) -> usize {
        self.bits(kind).count()
    }

    /// Where the visible primitive of that name, `uri` or `uriTemplate` stands.
    pub fn find(&self, kind: Kind, id: &str) -> Option<usize> {
        self.catalog.shelf(kind).find(id).filter(|index| self.bits(kind).contains(*index))
    }

    /// What the visible primitives of a kind say, to be searched. Made when it is first asked for, and kept as
    /// long as the view.
    pub fn index(&self, kind: Kind) -> Arc<Index> {
        self.indexes.get(&self.catalog, kind, self.bits(kind))
    }

    /// This view without what `narrowing` leaves out: for operators who make a narrowing binding.
    pub fn within(&self, narrowing: &Narrowing) -> Self {
        let mut visible = Kind::ALL.map(|kind| {
            let mut selection = Selection::default();
            self.select(narrowing, kind, &mut selection).clone()
        });
        self.catalog.hide_attached(&mut visible);
        Self::of(Arc::clone(&self.catalog), visible)
    }

    /// What a caller who asks for `uri` reaches.
    ///
    /// A visible template allows whatever it makes: a server may list some of that as resources of their own, and one
    /// of those that is hidden is still made by the template.
    pub fn resource(&self, uri: &ResourceUri<'_>) -> Reach {
        let mut like = self.catalog.resources_like(uri).peekable();
        let exact = self.find(Kind::Resource, uri.text());
        let first = exact.or_else(|| like.peek().copied().flatten());
        if let Some(index) = first
            && like.all(|index| self.shows(Kind::Resource, index))
        {
            return Reach::Resource(index);
        }
        if let Some(index) = self.bits(Kind::Template).iter().find(|at| self.catalog.template_makes(*at, uri))
        {
            return Reach::Template(index);
        }
        if self.hides(uri) { Reach::Hidden } else { Reach::Unlisted }
    }

    /// Whether what no visible list mentions is hidden, or belongs to what is hidden. All of the catalog is looked
    /// through in either case: where a search ends would show in the time that it takes.
    fn hides(&self, uri: &ResourceUri<'_>) -> bool {
        let tools: Vec<bool> =
            self.catalog.tools_showing(uri).map(|index| self.shows(Kind::Tool, Some(index))).collect();
        let same = self.catalog.may_be(uri).filter(|(kind, index)| !self.shows(*kind, *index)).count();
        let skills =
            self.catalog.skills_holding(uri).filter(|index| !self.shows(Kind::Resource, *index)).count();
        same > 0 || skills > 0 || !tools.is_empty() && !tools.contains(&true)
    }

    fn shows(&self, kind: Kind, index: Option<usize>) -> bool {
        index.is_some_and(|index| self.bits(kind).contains(index))
    }

    /// The groups of which something is visible; where everything is, also declared ones that nothing is in.
    pub fn groups(&self) -> Vec<&Group> {
        Scope::from(self).groups()
    }

    /// How many primitives of each kind are visible in a group, in the order of [`Kind::ALL`].
    pub fn group_sizes(&self, name: &str) -> [usize; 4] {
        let id = Scope::from(self).group(name);
        Kind::ALL.map(|kind| self.common(kind, id.and_then(|id| self.catalog.shelf(kind).group(id))))
    }

    /// How many visible primitives of each kind carry a tag.
    pub fn tag_sizes(&self, name: &str) -> [usize; 4] {
        let id = Scope::from(self).tag(name);
        Kind::ALL.map(|kind| self.common(kind, id.and_then(|id| self.catalog.shelf(kind).tag(id))))
    }

    fn common(&self, kind: Kind, members: Option<&Bits>) -> usize {
        members.map_or(0, |members| members.common(self.bits(kind)))
    }

    /// The tags that something visible carries; where everything is, also declared ones that nothing carries.
    pub fn tags(&self) -> Vec<&Tag> {
        Scope::from(self).tags()
    }
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
    /// With the indexes that the view keeps.
    fn from(view: &'a View) -> Self {
        Self::new(view.into(), &view.indexes)
    }
}
