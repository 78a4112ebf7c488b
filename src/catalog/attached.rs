//! Resources that belong to something else: the page of a tool's user interface (MCP Apps, `_meta.ui.resourceUri`) and
//! the files of a skill (`…/SKILL.md` and what stands beside and below it). They are hidden with what they belong to.

use std::collections::BTreeSet;

use super::{Bits, Catalog, Kind};
use crate::json::{self, Raw};

/// The name of the main file of a skill.
const SKILL_FILE: &str = "/skill.md";

/// Which tools refer to which resources.
#[derive(Debug, Clone, Default)]
pub(super) struct Attached {
    links: Vec<(Box<str>, usize)>,
}

impl Attached {
    pub fn new(catalog: &Catalog) -> Self {
        let tools = catalog.shelf(Kind::Tool);
        // Most servers have no such tool, and most tools of the others refer to nothing.
        let text = |index| std::str::from_utf8(tools.bytes(index)?).ok();
        let linking = (0..tools.len()).filter_map(|index| Some((interface(text(index)?)?.into(), index)));
        Self { links: linking.collect() }
    }

    /// Each reference, with the index of the tool.
    pub fn links(&self) -> impl Iterator<Item = (&str, usize)> {
        self.links.iter().map(|(uri, tool)| (uri.as_ref(), *tool))
    }
}

impl Catalog {
    /// Takes out of `visible`, the visible primitives by kind, the resources that belong only to what is not in it.
    pub fn hide_attached(&self, visible: &mut [Bits; 4]) {
        let [tools, resources, ..] = visible;
        let shelf = self.shelf(Kind::Resource);
        let links = || self.attached().links();
        let used: BTreeSet<&str> =
            links().filter(|(_, tool)| tools.contains(*tool)).map(|(uri, _)| uri).collect();
        for (uri, _) in links().filter(|(uri, _)| !used.contains(uri)) {
            shelf.find(uri).into_iter().for_each(|index| resources.set(index, false));
        }
        let listed = shelf.ids().enumerate().filter(|(index, _)| !resources.contains(*index));
        let hidden = listed.map(|(_, id)| id).chain(shelf.hidden()).map(str::to_ascii_lowercase);
        let skills: BTreeSet<String> =
            hidden.filter_map(|id| Some(skill_directory(&id)?.to_owned())).collect();
        if skills.is_empty() {
            return;
        }
        for (index, id) in shelf.ids().enumerate() {
            let id = id.to_ascii_lowercase();
            if directories(&id).any(|directory| skills.contains(directory)) {
                resources.set(index, false);
            }
        }
    }
}

/// The directories that a URI is in, each with its last slash.
pub(super) fn directories(uri: &str) -> impl Iterator<Item = &str> {
    uri.match_indices('/').filter_map(|(at, _)| uri.get(..=at))
}

/// The resource that shows a tool's user interface, of the tool's JSON.
pub(super) fn interface(tool: &str) -> Option<String> {
    if !tool.contains("resourceUri") {
        return None;
    }
    let ([meta], _) = json::pick(Raw::known(tool), ["_meta"]);
    let ([ui, flat], _) = json::pick(meta?, ["ui", "ui/resourceUri"]);
    let nested = ui.and_then(|ui| json::pick(ui, ["resourceUri"]).0.into_iter().flatten().next());
    nested.or(flat).and_then(json::text).map(Into::into)
}

/// The directory of a skill, with its last slash, of its main file's URI in lower case.
pub(super) fn skill_directory(uri: &str) -> Option<&str> {
    let directory = uri.strip_suffix(SKILL_FILE)?;
    uri.get(..=directory.len())
}
