//! Reports for the operator about what servers changed. A tool that appears, or whose description changes, may need a
//! rule, and a rule or a policy that names a tool has no effect once its server renames it.

use std::collections::BTreeMap;

use mcp_sieve::Kind;

use crate::backend::guarded_catalog::Backend;

/// Maximum number of names in one report.
const MAX_NAMES: usize = 8;

/// Returns a line for each server, kind and change between two catalogs, and one for each server whose `instructions`
/// changed. Primitives that a rule hides are in neither catalog. The first lists of a server change nothing.
pub(super) fn changes(before: &Backend, after: &Backend) -> Vec<String> {
    let (old, new) = (before.guarded.catalog(), after.guarded.catalog());
    let mut found: BTreeMap<_, Vec<&str>> = BTreeMap::new();
    for kind in Kind::ALL {
        let (old, new) = (old.kind_index(kind), new.kind_index(kind));
        let mut note = |server, change, id| found.entry((server, kind, change)).or_default().push(id);
        for (index, id) in new.ids().enumerate() {
            let server = new.server(index);
            match old.find(id) {
                None => note(server, "added", id),
                Some(at)
                    if (old.server(at), old.bytes(at), old.short(at))
                        == (server, new.bytes(index), new.short(index)) => {}
                Some(_) => note(server, "changed", id),
            }
        }
        for (index, id) in old.ids().enumerate().filter(|(_, id)| new.find(id).is_none()) {
            note(old.server(index), "removed", id);
        }
    }
    let listed = |server: &str| before.introductions.iter().find(|(name, _)| name == server);
    let mut lines: Vec<String> = found
        .into_iter()
        .filter(|((server, ..), _)| server.and_then(listed).is_some())
        .map(|((server, kind, change), ids)| {
            let names: Vec<String> = ids.iter().take(MAX_NAMES).map(|id| ["`", id, "`"].concat()).collect();
            let plural = if ids.len() > 1 { "s" } else { "" };
            let more = match ids.len() - names.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let (server, names) = (server.unwrap_or_default(), names.join(", "));
            format!("catalog: `{server}` {change} the {kind}{plural} {names}{more}")
        })
        .collect();
    for (server, now) in &after.introductions {
        if listed(server).is_some_and(|(_, known)| known.instructions != now.instructions) {
            lines.push(format!("upstreams: `{server}` changed its `instructions`"));
        }
    }
    lines
}
