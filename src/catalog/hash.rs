use super::{Bits, Catalog};
use crate::digest::Digest;

/// The hash of all that a catalog says.
pub(super) fn of(catalog: &Catalog) -> u128 {
    let Catalog { shelves, facets, groups, tags, .. } = catalog;
    let mut digest = Digest::new();
    let mut part = |bytes: &[u8]| digest.part(bytes);
    for shelf in shelves {
        part(shelf.raw());
        shelf.pinned().into_iter().flat_map(Bits::iter).for_each(|index| part(&(index as u64).to_le_bytes()));
        part(&[]);
    }
    for group in groups {
        part(group.name.as_bytes());
        part(group.title.as_deref().unwrap_or_default().as_bytes());
        part(group.description.as_deref().unwrap_or_default().as_bytes());
        part(group.parent.as_deref().unwrap_or_default().as_bytes());
    }
    for tag in tags {
        part(tag.name.as_bytes());
        part(tag.description.as_bytes());
    }
    // The concern mapping is internal: it is in no primitive's bytes.
    for (concern, (name, values)) in facets.concerns().enumerate() {
        part(name.as_bytes());
        for (value, text) in values.iter().enumerate() {
            part(text.as_bytes());
            for bits in shelves.iter().filter_map(|shelf| shelf.concern_value(concern, value)) {
                bits.iter().for_each(|index| part(&(index as u64).to_le_bytes()));
                part(&[]);
            }
        }
    }
    digest.end()
}
