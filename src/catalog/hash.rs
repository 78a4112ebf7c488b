//! Content hashes of a catalog, of a caller's visible part, and of single primitives.

use std::sync::OnceLock;

use crate::{
    catalog::{
        Catalog,
        index::{bitset::Bitset, visible::Scope},
        model::{
            binding::BoundArgument,
            kind::Kind,
            rules::{Group, Tag},
        },
    },
    digest::Digest,
    sort_indices::sort_indices,
};

impl Catalog {
    /// Returns the content hash. Catalogs with equal contents, in equal order and with equal assignments, have equal
    /// hashes.
    pub fn hash(&self) -> u128 {
        *self.hash.get_or_init(|| catalog_hash(self))
    }

    /// Returns the hash of the text of a primitive. It is computed once, so that hashing a list reads no primitive.
    pub fn primitive_hash(&self, kind: Kind, index: usize) -> u128 {
        let kind_index = self.kind_index(kind);
        let hashes = kind.of(&self.hashes).get_or_init(|| vec![OnceLock::new(); kind_index.len()]);
        let hash = || Digest::of(kind_index.bytes(index).unwrap_or_default());
        hashes.get(index).map_or_else(hash, |cell| *cell.get_or_init(hash))
    }
}

impl Group {
    /// Adds all members of a group to a digest.
    pub fn add_to(&self, digest: &mut Digest) {
        let Self { name, title, description, parents, meta, concerns } = self;
        digest.part(name.as_bytes());
        for text in [title, description, meta] {
            digest.part(&[u8::from(text.is_some())]);
            digest.part(text.as_deref().unwrap_or_default().as_bytes());
        }
        add_names(digest, parents);
        for (concern, values) in concerns {
            digest.part(concern.as_bytes());
            values.iter().for_each(|value| digest.part(value.as_bytes()));
            digest.part(&[]);
        }
        digest.part(&[]);
    }
}

impl Tag {
    /// Adds all members of a tag to a digest.
    pub(crate) fn add_to(&self, digest: &mut Digest) {
        let Self { name, description, meta } = self;
        for text in [name.as_str(), description, meta.as_deref().unwrap_or_default()] {
            digest.part(text.as_bytes());
        }
    }
}

/// Returns the hash of a whole catalog.
fn catalog_hash(catalog: &Catalog) -> u128 {
    let Catalog { indexes, facets, .. } = catalog;
    let mut digest = Digest::new();
    let mut part = |bytes: &[u8]| digest.part(bytes);
    for kind_index in indexes {
        part(kind_index.raw());
        kind_index
            .pinned()
            .into_iter()
            .flat_map(Bitset::iter)
            .for_each(|index| part(&(index as u64).to_le_bytes()));
        part(&[]);
        // Two catalogs with one text may fill it with different values.
        for (index, bound) in kind_index.all_bound() {
            part(&(*index as u64).to_le_bytes());
            for BoundArgument { path, value } in bound {
                path.iter().for_each(|key| part(key.as_bytes()));
                let (source, text) = value.parts();
                part(&[source]);
                part(text.as_bytes());
            }
        }
    }
    for group in catalog.served_groups() {
        part(group.name.as_bytes());
        part(group.title.as_deref().unwrap_or_default().as_bytes());
        part(group.description.as_deref().unwrap_or_default().as_bytes());
        group.parents.iter().for_each(|parent| part(parent.as_bytes()));
        part(&[]);
    }
    for tag in catalog.served_tags() {
        part(tag.name.as_bytes());
        part(tag.description.as_bytes());
    }
    // Sources of groups and tags are a setting, and lists of groups are apart, so the bytes do not contain these either.
    let (groups, tags) = (facets.groups.iter().enumerate(), facets.tags.iter().enumerate());
    let named = groups.map(|(id, name)| (id, name, true)).chain(tags.map(|(id, name)| (id, name, false)));
    for (id, name, is_group) in named {
        for kind_index in indexes {
            let Some(members) = kind_index.published(id, is_group) else { continue };
            part(name.as_bytes());
            members.iter().for_each(|index| part(&(index as u64).to_le_bytes()));
            part(&[]);
        }
    }
    // The concern mapping is internal, so the bytes of primitives do not contain it.
    for (concern, (name, values)) in facets.concerns().enumerate() {
        part(name.as_bytes());
        for (value, text) in values.iter().enumerate() {
            part(text.as_bytes());
            for bits in indexes.iter().filter_map(|kind_index| kind_index.concern_value(concern, value)) {
                bits.iter().for_each(|index| part(&(index as u64).to_le_bytes()));
                part(&[]);
            }
        }
    }
    digest.end()
}

impl Scope<'_> {
    /// Returns the hash of the visible part: of the whole catalog if everything is visible, else of the visible
    /// primitives as if no others existed.
    pub fn hash(self) -> u128 {
        if self.is_whole() { self.catalog().hash() } else { scope_hash(self) }
    }
}

/// Returns the hash of the visible part of a catalog, as if nothing else existed. Indices are counted among the visible
/// primitives, and names are sorted, because their order of registration depends on hidden primitives.
fn scope_hash(scope: Scope<'_>) -> u128 {
    let (catalog, mut digest) = (scope.catalog(), Digest::new());
    let places = |digest: &mut Digest, kind: Kind, members: Option<&Bitset>| {
        let seen = scope.bits(kind).iter().enumerate();
        let seen = seen.filter(|(_, index)| members.is_some_and(|members| members.contains(*index)));
        seen.for_each(|(place, _)| digest.part(&(place as u64).to_le_bytes()));
        digest.part(&[]);
    };
    let published = |digest: &mut Digest, id: usize, is_group: bool| {
        for kind in Kind::ALL {
            let members = catalog.kind_index(kind).published(id, is_group);
            if let Some(members) = members.filter(|members| members.meets(scope.bits(kind))) {
                digest.part(kind.name().as_bytes());
                places(digest, kind, Some(&members));
            }
        }
    };
    for kind in Kind::ALL {
        let kind_index = catalog.kind_index(kind);
        scope
            .bits(kind)
            .iter()
            .filter_map(|index| kind_index.bytes(index))
            .for_each(|bytes| digest.part(bytes));
        digest.part(&[]);
        places(&mut digest, kind, kind_index.pinned());
    }
    for group in scope.groups() {
        digest.part(group.name.as_bytes());
        digest.part(group.title.as_deref().unwrap_or_default().as_bytes());
        digest.part(group.description.as_deref().unwrap_or_default().as_bytes());
        add_names(&mut digest, &group.parents);
        let id = catalog.facets.groups.find(&group.name);
        id.into_iter().for_each(|id| published(&mut digest, id, true));
    }
    for tag in scope.tags() {
        digest.part(tag.name.as_bytes());
        digest.part(tag.description.as_bytes());
        let id = catalog.facets.tags.find(&tag.name);
        id.into_iter().for_each(|id| published(&mut digest, id, false));
    }
    let mut mapped: Vec<(&str, &str, usize, usize)> = Vec::new();
    for (concern, (name, values)) in catalog.facets.concerns().enumerate() {
        let seen = |value: &usize| {
            let members = |kind| catalog.kind_index(kind).concern_value(concern, *value);
            Kind::ALL.into_iter().any(|kind| members(kind).is_some_and(|bits| bits.meets(scope.bits(kind))))
        };
        let values = values.iter().enumerate().map(|(value, text)| (name, text, concern, value));
        mapped.extend(values.filter(|(.., value)| seen(value)));
    }
    let order = sort_indices(mapped.len(), &mut |a, b| mapped.get(a).cmp(&mapped.get(b)));
    for (name, value, concern, number) in order.into_iter().filter_map(|at| mapped.get(at as usize).copied())
    {
        digest.part(name.as_bytes());
        digest.part(value.as_bytes());
        for kind in Kind::ALL {
            places(&mut digest, kind, catalog.kind_index(kind).concern_value(concern, number));
        }
    }
    digest.end()
}

fn add_names(digest: &mut Digest, names: &[String]) {
    names.iter().for_each(|name| digest.part(name.as_bytes()));
    digest.part(&[]);
}
