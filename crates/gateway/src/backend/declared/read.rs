//! A lenient parser for the declarations of servers: invalid parts are left out and reported.

use std::borrow::Cow;

use mcp_sieve::{
    catalog::{Catalog, Group, Tag},
    concern::{Concern, Concerns},
    json::{self, Entry, Members, Object, Raw},
};

use crate::config::{NameMap, Renames};

/// The members of a concern that are read.
const CONCERN: [&str; 5] = ["name", "description", "values", "ordered", "default"];

/// A parser for declarations that applies the operator's renames.
pub(super) struct Reader<'a> {
    pub renames: &'a Renames,
    /// A function that is called with each problem.
    pub report: &'a mut dyn FnMut(String),
}

impl Reader<'_> {
    /// Parses a group. Returns `None` if the operator leaves it out or it has no usable name.
    pub fn group(&mut self, item: &str) -> Option<Group> {
        let (members, name) = self.named("group", item, &self.renames.groups)?;
        let meta = members.get("_meta").and_then(Members::read).unwrap_or_default();
        let (parent, size) = (
            format!("{prefix}/parent", prefix = Catalog::PREFIX),
            format!("{prefix}/size", prefix = Catalog::PREFIX),
        );
        let mut parents: Vec<String> = Vec::new();
        for key in [parent.as_str(), Group::SEP_2084_KEY] {
            let Some(raw) = meta.get(key).filter(|raw| !raw.is_null()) else { continue };
            let names = match raw.text() {
                Some(name) => Some(vec![name]),
                None => raw.elements().and_then(|all| all.into_iter().map(json::Raw::text).collect()),
            };
            let Some(names) = names else {
                (self.report)(format!("`{key}` of the group `{name}` is not the name of a group, ignored"));
                continue;
            };
            for parent in names.iter().filter_map(|parent| self.renames.groups.get(parent)) {
                if !parents.iter().any(|known| known == parent) {
                    parents.push(parent.to_owned());
                }
            }
        }
        let [title, description] =
            ["title", "description"].map(|key| self.text("group", &name, &members, key));
        let meta = self.meta("group", &name, &members, &[&parent, &size, Group::SEP_2084_KEY]);
        Some(Group { name, title, description, parents, meta, concerns: Vec::new() })
    }

    /// Parses a tag, in the same way as a group.
    pub fn tag(&mut self, item: &str) -> Option<Tag> {
        let (members, name) = self.named("tag", item, &self.renames.tags)?;
        let description = self.text("tag", &name, &members, "description").unwrap_or_default();
        let meta = self.meta("tag", &name, &members, &[&format!("{prefix}/size", prefix = Catalog::PREFIX)]);
        Some(Tag { name, description, meta })
    }

    /// Parses a concern. Returns `None` if the operator leaves it out or it is invalid. If only the default is invalid,
    /// it alone is left out.
    pub fn concern(&mut self, item: &str) -> Option<Concern> {
        let (members, name) = self.named("concern", item, &self.renames.concerns)?;
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        object.text("name", &name);
        for key in CONCERN.iter().skip(1) {
            if let Some(raw) = members.get(key).filter(|raw| !raw.is_null()) {
                object.raw(key, raw.get().as_bytes());
            }
        }
        object.close();
        let text = String::from_utf8(out).unwrap_or_default();
        let read = Raw::parse(&text).and_then(|raw| Concern::read(&Entry::root(raw)));
        let mut concern = match read {
            Ok(concern) => concern,
            Err(error) => {
                (self.report)(format!("the concern `{name}` is left out: {error}"));
                return None;
            }
        };
        let Err(problem) = check(&concern) else { return Some(concern) };
        concern.default = None;
        let usable = check(&concern).is_ok();
        let what = if usable { "the default of the concern" } else { "the concern" };
        (self.report)(format!("{what} `{name}` is left out: {problem}"));
        usable.then_some(concern)
    }

    /// Returns the members of a declaration, and its name after the operator's renames.
    fn named<'i>(&mut self, noun: &str, item: &'i str, names: &NameMap) -> Option<(Members<'i>, String)> {
        let members = Members::parse(item).unwrap_or_default();
        let name = members.get("name").and_then(json::Raw::text).filter(|name| !name.is_empty());
        let Some(name) = name else {
            (self.report)(format!("a {noun} without a name is left out"));
            return None;
        };
        if name.chars().count() > Catalog::MAX_NAME {
            (self.report)(format!(
                "a {noun} whose name has more than {max} characters is left out",
                max = Catalog::MAX_NAME
            ));
            return None;
        }
        let renamed = names.get(&name)?.to_owned();
        Some((members, renamed))
    }

    fn text(&mut self, noun: &str, name: &str, members: &Members<'_>, key: &str) -> Option<String> {
        let raw = members.get(key).filter(|raw| !raw.is_null())?;
        let text = raw.text().map(Cow::into_owned);
        if text.is_none() {
            (self.report)(format!("`{key}` of the {noun} `{name}` is not a string, ignored"));
        }
        text
    }

    /// Returns the `_meta` of a declaration without the members in `but`, which the gateway itself writes.
    fn meta(&mut self, noun: &str, name: &str, members: &Members<'_>, but: &[&str]) -> Option<String> {
        let raw = members.get("_meta").filter(|raw| !raw.is_null())?;
        let Some(meta) = Members::read(raw) else {
            (self.report)(format!("`_meta` of the {noun} `{name}` is not an object, ignored"));
            return None;
        };
        if meta.0.iter().all(|(key, _)| but.contains(&key.as_ref())) {
            return None;
        }
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        object.keep(&meta, but);
        object.close();
        String::from_utf8(out).ok()
    }
}

/// Checks a concern on its own.
fn check(concern: &Concern) -> Result<(), String> {
    let checked = Concerns::new(vec![concern.clone()]);
    let Err(error) = checked else { return Ok(()) };
    let problem = error.to_string();
    Err(problem.strip_prefix("concerns[0]: ").map_or(problem.clone(), str::to_owned))
}
