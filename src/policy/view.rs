use std::sync::{Arc, OnceLock};

use crate::{
    catalog::{Bits, Catalog, Group, Kind, Scope, Tag, template_matches},
    filter::{Narrowing, Searchable, Selection},
    rank::{Index, Indexes},
};

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
    pub(super) fn whole(catalog: Arc<Catalog>) -> Self {
        Self { catalog, visible: None, indexes: Arc::default(), hash: Arc::default() }
    }

    pub(super) fn of(catalog: Arc<Catalog>, visible: [Bits; 4]) -> Self {
        Self { catalog, visible: Some(Arc::new(visible)), indexes: Arc::default(), hash: Arc::default() }
    }

    /// The catalog seen. What is asked of it must be bounded by [`View::bits`].
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
        let visible = Kind::ALL.map(|kind| {
            let mut selection = Selection::default();
            narrowing.select(&self.catalog, kind, Some(self.bits(kind)), &mut selection).clone()
        });
        Self::of(Arc::clone(&self.catalog), visible)
    }

    /// A visible template that `uri` may come from.
    pub fn template_for(&self, uri: &str) -> Option<usize> {
        let shelf = self.catalog.shelf(Kind::Template);
        self.bits(Kind::Template)
            .iter()
            .find(|index| shelf.id(*index).is_some_and(|id| template_matches(id, uri)))
    }

    /// Whether a resource may be read: it is visible, a visible template makes it, or nothing is known of it.
    pub fn reaches(&self, uri: &str) -> bool {
        self.find(Kind::Resource, uri).is_some() || self.template_for(uri).is_some() || !self.conceals(uri)
    }

    /// Whether `uri` is of a resource that exists and is not visible: one listed or made by a template,
    /// that a rule took out or a policy hides.
    pub fn conceals(&self, uri: &str) -> bool {
        let hidden_by_policy = |kind: Kind, id: &str| {
            self.catalog.shelf(kind).find(id).is_some_and(|index| !self.bits(kind).contains(index))
        };
        let templates = self.catalog.shelf(Kind::Template);
        hidden_by_policy(Kind::Resource, uri)
            || self.catalog.shelf(Kind::Resource).hides(uri)
            || templates.hidden().any(|template| template_matches(template, uri))
            || templates.ids().any(|id| hidden_by_policy(Kind::Template, id) && template_matches(id, uri))
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
        Self::new(&view.catalog, view.visible.as_deref())
    }
}

impl<'a> From<&'a View> for Searchable<'a> {
    /// With the indexes that the view keeps.
    fn from(view: &'a View) -> Self {
        Self::new(view.into(), &view.indexes)
    }
}
