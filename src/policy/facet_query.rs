//! The entries of `groups/list` and `tags/list` (SEP-1300), and the parameters that select them.
//!
//! `counts: true` adds to each group and tag the number of its members that the caller sees, by kind, as
//! `_meta["dev.mcpsieve/size"]`. `parent: "x"` returns only the groups directly in `x`, and `parent: null` those without
//! a parent.

use super::View;
use crate::{
    catalog::{Catalog, Group, Kind, Tag},
    error::Error,
    json::{Members, Object, Raw},
};

/// A parsed request for groups or tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FacetQuery {
    depth: Depth,
    counts: bool,
}

/// The groups that a request asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Depth {
    All,
    /// The groups directly in this one, or for `None` those without a parent.
    Below(Option<String>),
}

impl FacetQuery {
    /// Reads a request for groups. `param` returns the value of a parameter.
    ///
    /// # Errors
    /// [`ErrorKind::FilterType`](crate::ErrorKind::FilterType) for a `parent` or `counts` of another type.
    pub fn of_groups<'a>(param: &dyn Fn(&str) -> Option<Raw<'a>>) -> Result<Self, Error> {
        let depth = match param("parent") {
            None => Depth::All,
            Some(raw) if raw.is_null() => Depth::Below(None),
            Some(raw) => match raw.text() {
                Some(name) => Depth::Below(Some(name.into_owned())),
                None => return Err(Error::filter_type("parent", "the name of a group, or `null`")),
            },
        };
        Ok(Self { depth, ..Self::of_tags(param)? })
    }

    /// Reads a request for tags. `param` returns the value of a parameter.
    ///
    /// # Errors
    /// [`ErrorKind::FilterType`](crate::ErrorKind::FilterType) for `counts` of another type.
    pub fn of_tags<'a>(param: &dyn Fn(&str) -> Option<Raw<'a>>) -> Result<Self, Error> {
        let counts = match param("counts").map(Raw::get) {
            None | Some("null" | "false") => false,
            Some("true") => true,
            Some(_) => return Err(Error::filter_type("counts", "`true` or `false`")),
        };
        Ok(Self { depth: Depth::All, counts })
    }

    /// Returns the visible groups that the request selects.
    pub fn groups<'a>(&self, view: &'a View) -> Vec<&'a Group> {
        let mut groups = view.groups();
        groups.retain(|group| match &self.depth {
            Depth::All => true,
            Depth::Below(None) => group.parents.is_empty(),
            Depth::Below(Some(parent)) => group.parents.contains(parent),
        });
        groups
    }

    /// Writes the entry of a group. With `sep_2084`, `_meta` also has its parents under the key of SEP-2084.
    pub fn write_group(&self, view: &View, group: &Group, sep_2084: bool, out: &mut Vec<u8>) {
        let size = self.counts.then(|| view.group_sizes(&group.name));
        let mut object = Object::open(out);
        object.text("name", &group.name);
        object.optional_text("title", group.title.as_deref());
        object.optional_text("description", group.description.as_deref());
        if size.is_some() || !group.parents.is_empty() || group.meta.is_some() {
            let mut meta = Object::open(object.value("_meta"));
            Self::write_own(&mut meta, group.meta.as_deref());
            write_parents(&mut meta, &format!("{prefix}/parent", prefix = Catalog::PREFIX), &group.parents);
            let own = group.meta.as_deref().and_then(Members::parse).unwrap_or_default();
            if sep_2084 && !group.parents.is_empty() && own.get(Group::SEP_2084_KEY).is_none() {
                meta.texts(Group::SEP_2084_KEY, &group.parents);
            }
            write_size(&mut meta, size);
            meta.close();
        }
        object.close();
    }

    /// Writes the entry of a tag.
    pub fn write_tag(&self, view: &View, tag: &Tag, out: &mut Vec<u8>) {
        let mut object = Object::open(out);
        object.text("name", &tag.name);
        object.text("description", &tag.description);
        if self.counts || tag.meta.is_some() {
            let mut meta = Object::open(object.value("_meta"));
            Self::write_own(&mut meta, tag.meta.as_deref());
            write_size(&mut meta, self.counts.then(|| view.tag_sizes(&tag.name)));
            meta.close();
        }
        object.close();
    }

    /// Writes the members of `_meta` that the operator defines, except those with our names.
    pub fn write_own(meta: &mut Object<'_>, own: Option<&str>) {
        if let Some(own) = own.and_then(Members::parse) {
            meta.keep(
                &own,
                &[
                    &format!("{prefix}/parent", prefix = Catalog::PREFIX),
                    &format!("{prefix}/size", prefix = Catalog::PREFIX),
                ],
            );
        }
    }
}

fn write_size(meta: &mut Object<'_>, sizes: Option<[usize; Kind::COUNT]>) {
    let Some(sizes) = sizes else { return };
    let mut object = Object::open(meta.value(&format!("{prefix}/size", prefix = Catalog::PREFIX)));
    for (kind, size) in Kind::ALL.into_iter().zip(sizes).filter(|(_, size)| *size > 0) {
        object.raw(kind.list_key(), size.to_string().as_bytes());
    }
    object.close();
}

/// Writes one parent as a string, several as an array.
fn write_parents(object: &mut Object<'_>, key: &str, parents: &[String]) {
    match parents {
        [] => {}
        [parent] => object.text(key, parent),
        parents => object.texts(key, parents),
    }
}
