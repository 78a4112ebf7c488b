//! Declarations of groups, tags and concerns under the lock: those that the operator has not accepted lose their texts.

use std::borrow::Cow;

use mcp_sieve::{
    catalog::{Catalog, Group},
    json::{Members, Object, Raw},
    lock::{Lock, Treatment},
};

use crate::backend::declarations::{Declarations, Facet};

/// The members of a declaration with texts for people and models.
const TEXTS: [&str; 3] = ["title", "description", "instructions"];

/// Returns the declarations of a server as callers may receive them. `report` is called with each problem.
pub(super) fn reviewed<'a>(
    lock: Option<&Lock>,
    server: &str,
    declared: &'a Declarations,
    report: &mut dyn FnMut(String),
) -> Cow<'a, Declarations> {
    let Some(lock) = lock else { return Cow::Borrowed(declared) };
    let mut reviewed = declared.clone();
    let Declarations { groups, tags, concerns, toolbox, .. } = &mut reviewed;
    let facets = [(groups, "groups"), (tags, "tags"), (concerns, "concerns"), (toolbox, "groups")];
    for (facet, list) in facets {
        review(lock, (server, list), facet, report);
    }
    Cow::Owned(reviewed)
}

/// Removes the texts of declarations of one kind that the lock does not serve.
fn review(lock: &Lock, (server, list): (&str, &str), facet: &mut Facet, report: &mut dyn FnMut(String)) {
    for item in &mut facet.items {
        let Some(members) = Members::parse(item) else { continue };
        let Some(name) = members.get("name").and_then(Raw::text) else { continue };
        let Ok(definition) = Raw::parse_deep(item) else { continue };
        if lock.judge(server, list, &name, definition).treatment == Treatment::Serve {
            continue;
        }
        report(format!("{list}: the operator has not accepted `{name}`, so its texts are left out"));
        *item = without_texts(&members);
    }
}

/// Writes a declaration without its texts. Of its `_meta`, the groups above it remain.
fn without_texts(members: &Members<'_>) -> String {
    let parent = format!("{prefix}/parent", prefix = Catalog::PREFIX);
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    for (key, value) in members.0.iter().filter(|(key, _)| !TEXTS.contains(&key.as_ref())) {
        match Members::read(*value).filter(|_| key == "_meta") {
            Some(meta) => {
                let mut kept = Object::open(object.value(key));
                let is_kept = |key: &str| key == parent || key == Group::SEP_2084_KEY;
                meta.0
                    .iter()
                    .filter(|(key, _)| is_kept(key))
                    .for_each(|(key, value)| kept.raw(key, value.get().as_bytes()));
                kept.close();
            }
            None => object.raw(key, value.get().as_bytes()),
        }
    }
    object.close();
    String::from_utf8(out).unwrap_or_default()
}
