//! The concern mapping (discussion #1936): concern values by the name or URI of a primitive.

use super::rules::mapping;
use crate::{error::Error, json::Entry, sort_indices::sort_indices};

/// Concern values by the name of the concern. Each name occurs once.
type Values = Vec<(String, Vec<String>)>;

/// The internal mapping of #1936: concern values by the name, `uri` or `uriTemplate` of a primitive. It is a sorted
/// table with one lookup for each primitive, unlike rules, which are all tried on every primitive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConcernMapping {
    /// The mappings, sorted by the name of the primitive. Each name occurs once.
    primitives: Vec<(String, Values)>,
}

impl ConcernMapping {
    /// Reads the mapping.
    ///
    /// # Errors
    /// [`ErrorKind::Config`](crate::error::ErrorKind::Config) with the path of the member.
    pub fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let mut primitives = entry.members(mapping)?;
        let name = |at: usize| primitives.get(at).map(|(name, _)| name);
        let order = sort_indices(primitives.len(), &mut |a, b| name(a).cmp(&name(b)));
        let take = |at: &u32| primitives.get_mut(*at as usize).map(std::mem::take);
        Ok(Self { primitives: order.iter().filter_map(take).collect() })
    }

    /// Returns the values of the primitive that its server lists as `id`.
    pub(crate) fn find(&self, id: &str) -> &[(String, Vec<String>)] {
        let place = self.primitives.binary_search_by(|(known, _)| known.as_str().cmp(id));
        let found = place.ok().and_then(|place| self.primitives.get(place));
        found.map_or(&[], |(_, values)| values)
    }

    /// Returns the names of the primitives, with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[(String, Vec<String>)])> {
        self.primitives.iter().map(|(id, values)| (id.as_str(), values.as_slice()))
    }
}
