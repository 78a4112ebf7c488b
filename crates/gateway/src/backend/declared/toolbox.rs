//! The members of groups by the lists of Google's MCP Toolbox.

use std::collections::BTreeMap;

use mcp_sieve::{
    Kind,
    json::{Members, Raw},
};

use crate::{backend::declarations::Facet, config::Renames};

/// Returns the groups of each primitive that is in one, sorted by kind and name, with the operator's names of groups.
pub(super) fn members(groups: &Facet, renames: &Renames) -> Vec<(Kind, String, Vec<String>)> {
    let mut all: BTreeMap<(usize, String), Vec<String>> = BTreeMap::new();
    for group in groups.items.iter().filter_map(|item| Members::parse(item)) {
        let Some(name) = group.get("name").and_then(Raw::text) else { continue };
        let Some(name) = renames.groups.get(&name) else { continue };
        let lists = group.get("members").and_then(Members::read).unwrap_or_default();
        for kind in Kind::ALL {
            let ids = lists.get(kind.list_key()).and_then(Raw::elements).unwrap_or_default();
            for id in ids.into_iter().filter_map(Raw::text) {
                let groups = all.entry((kind as usize, id.into_owned())).or_default();
                if !groups.iter().any(|known| known == name) {
                    groups.push(name.to_owned());
                }
            }
        }
    }
    let member = |((kind, id), groups)| Some((*Kind::ALL.get(kind)?, id, groups));
    all.into_iter().filter_map(member).collect()
}
