//! The member `fields` of a filter: which members of each primitive are returned.

use crate::{
    concern::insert,
    json::{Members, Object},
};

/// The members that identify a primitive. They are always written.
const REQUIRED: [&str; 3] = ["name", "uri", "uriTemplate"];
/// A required member that is often the largest. If it is omitted, the schema of any object is written instead.
const SCHEMA: &str = "inputSchema";

/// The members of a primitive that are written. `["name", "title"]` writes only these, `["-outputSchema"]` all but
/// that.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Fields {
    /// The only members to write, sorted. `None` for all that are not omitted.
    keep: Option<Vec<String>>,
    /// The members to omit, sorted.
    omit: Vec<String>,
}

impl Fields {
    /// Parses names. A plain name selects a member, and a name with a leading `-` omits one.
    pub fn new(names: &[String]) -> Self {
        let mut fields = Self::default();
        for name in names {
            match name.strip_prefix('-') {
                Some(name) => insert(&mut fields.omit, name.to_owned()),
                None => insert(fields.keep.get_or_insert_default(), name.clone()),
            }
        }
        fields
    }

    /// Returns whether every member is written.
    pub fn is_whole(&self) -> bool {
        self.keep.is_none() && self.omit.is_empty()
    }

    /// Returns the names that [`Fields::new`] accepts, each once.
    pub fn names(&self) -> Vec<String> {
        let kept = self.keep.iter().flatten().cloned();
        self.omit.iter().map(|field| format!("-{field}")).chain(kept).collect()
    }

    /// Restricts the members to those that `other` also writes.
    pub(super) fn restrict(&mut self, other: &Self) {
        other.omit.iter().for_each(|field| insert(&mut self.omit, field.clone()));
        self.keep = match (self.keep.take(), &other.keep) {
            (Some(mine), Some(theirs)) => {
                Some(mine.into_iter().filter(|field| theirs.contains(field)).collect())
            }
            (mine, theirs) => mine.or_else(|| theirs.clone()),
        };
    }

    /// Appends a primitive, given the bytes of the complete primitive.
    pub fn write(&self, primitive: &[u8], out: &mut Vec<u8>) {
        let members = std::str::from_utf8(primitive).ok().and_then(Members::parse).unwrap_or_default();
        let mut object = Object::open(out);
        for (key, value) in &members.0 {
            if self.writes(key) {
                object.raw(key, value.get().as_bytes());
            } else if key == SCHEMA {
                object.raw(key, br#"{"type":"object"}"#);
            }
        }
        object.close();
    }

    fn writes(&self, key: &str) -> bool {
        let named = |list: &[String]| list.iter().any(|field| field == key);
        REQUIRED.contains(&key) || (self.keep.as_deref().is_none_or(named) && !named(&self.omit))
    }
}
