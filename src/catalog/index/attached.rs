//! Resources that belong to something else: the page of a tool's user interface (MCP Apps, `_meta.ui.resourceUri`) and
//! the files of a skill (`…/SKILL.md` and what stands beside and below it). They are hidden with what they belong to.

use super::bitset::Bitset;
use crate::{
    catalog::{
        Catalog,
        model::{kind::Kind, resource_uri::fold_listed, vocabulary::Names},
    },
    json::{self, Members},
};

/// The name of the main file of a skill.
const SKILL_FILE: &str = "/skill.md";

/// Which tools refer to which resources.
#[derive(Debug, Clone, Default)]
pub(crate) struct Attached {
    links: Vec<(Box<str>, usize)>,
}

impl Attached {
    pub fn new(catalog: &Catalog) -> Self {
        let tools = catalog.kind_index(Kind::Tool);
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
    pub fn hide_attached(&self, visible: &mut [Bitset; 4]) {
        let [tools, resources, ..] = visible;
        let kind_index = self.kind_index(Kind::Resource);
        // Every tool would be read for nothing.
        if kind_index.is_empty() {
            return;
        }
        // A page may be listed under another spelling than its tool has.
        let links: Vec<(String, usize)> =
            self.attached().links().map(|(uri, tool)| (fold_listed(uri), tool)).collect();
        let (mut used, mut unused) = (Names::default(), Names::default());
        links.iter().filter(|(_, tool)| tools.contains(*tool)).for_each(|(uri, _)| _ = used.intern(uri));
        let hidden = links.iter().filter(|(uri, _)| used.find(uri).is_none());
        hidden.for_each(|(uri, _)| _ = unused.intern(uri));
        if unused.len() > 0 {
            for (index, id) in kind_index.ids().enumerate() {
                if unused.find(&fold_listed(id)).is_some() {
                    resources.set(index, false);
                }
            }
        }
        let listed = kind_index.ids().enumerate().filter(|(index, _)| !resources.contains(*index));
        let hidden = listed.map(|(_, id)| id).chain(kind_index.hidden()).map(str::to_ascii_lowercase);
        let mut skills = Names::default();
        hidden.for_each(|id| {
            skill_directory(&id).into_iter().for_each(|directory| _ = skills.intern(directory))
        });
        if skills.len() == 0 {
            return;
        }
        for (index, id) in kind_index.ids().enumerate() {
            let id = id.to_ascii_lowercase();
            if directories(&id).any(|directory| skills.find(directory).is_some()) {
                resources.set(index, false);
            }
        }
    }
}

/// The directories that a URI is in, each with its last slash.
pub(crate) fn directories(uri: &str) -> impl Iterator<Item = &str> {
    uri.match_indices('/').filter_map(|(at, _)| uri.get(..=at))
}

/// The resource that shows a tool's user interface, of the tool's JSON.
pub(crate) fn interface(tool: &str) -> Option<String> {
    let meta = Members::parse(tool)?.get("_meta").and_then(Members::read)?;
    let nested = meta.get("ui").and_then(Members::read).and_then(|ui| ui.get("resourceUri"));
    nested.or(meta.get("ui/resourceUri")).and_then(json::text).map(Into::into)
}

/// The directory of a skill, with its last slash, of its main file's URI in lower case.
pub(crate) fn skill_directory(uri: &str) -> Option<&str> {
    let directory = uri.strip_suffix(SKILL_FILE)?;
    uri.get(..=directory.len())
}
