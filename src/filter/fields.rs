use crate::{
    concern::insert,
    json::{Members, Object},
};

/// Without these a primitive is none: they are always written.
const REQUIRED: [&str; 3] = ["name", "uri", "uriTemplate"];
/// Required too, and often the largest: left out, it is written as the schema of any object.
const SCHEMA: &str = "inputSchema";

/// Which members of a primitive are written: `["name", "title"]` writes these, `["-outputSchema"]` all but that.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Fields {
    /// Sorted. `None` keeps what is not left out.
    keep: Option<Vec<String>>,
    /// Sorted.
    omit: Vec<String>,
}

impl Fields {
    /// Reads names: one to write it and others that are named so, with `-` before it to leave it out.
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

    /// Whether every member is written.
    pub fn is_whole(&self) -> bool {
        self.keep.is_none() && self.omit.is_empty()
    }

    /// As [`Fields::new`] takes them, each once.
    pub fn names(&self) -> Vec<String> {
        let kept = self.keep.iter().flatten().cloned();
        self.omit.iter().map(|field| format!("-{field}")).chain(kept).collect()
    }

    /// Leaves out what `other` does not write either.
    pub(super) fn restrict(&mut self, other: &Self) {
        other.omit.iter().for_each(|field| insert(&mut self.omit, field.clone()));
        self.keep = match (self.keep.take(), &other.keep) {
            (Some(mine), Some(theirs)) => {
                Some(mine.into_iter().filter(|field| theirs.contains(field)).collect())
            }
            (mine, theirs) => mine.or_else(|| theirs.clone()),
        };
    }

    /// Appends a primitive, given the bytes it is sent as when it is whole.
    pub(super) fn write(&self, primitive: &[u8], out: &mut Vec<u8>) {
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
