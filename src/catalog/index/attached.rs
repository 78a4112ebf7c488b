//! Resources that belong to other primitives: the page of a tool's user interface (MCP Apps, `_meta.ui.resourceUri`)
//! and the files of a skill (`…/SKILL.md` and its siblings and descendants). They are hidden together with their owner.

use super::kind_index::KindIndex;
use crate::catalog::ResourceUri;
use crate::json::{self, Members};

/// The name of the main file of a skill.
const SKILL_FILE: &str = "/skill.md";

/// The links from tools to resources.
#[derive(Debug, Clone, Default)]
pub(crate) struct Attached {
    links: Vec<(Box<str>, usize)>,
}

impl Attached {
    pub fn new(tools: &KindIndex) -> Self {
        let text = |index| std::str::from_utf8(tools.bytes(index)?).ok();
        let linking = (0..tools.len()).filter_map(|index| Some((interface(text(index)?)?.into(), index)));
        Self { links: linking.collect() }
    }

    /// Returns each linked URI, with the index of the tool.
    pub fn links(&self) -> impl Iterator<Item = (&str, usize)> {
        self.links.iter().map(|(uri, tool)| (uri.as_ref(), *tool))
    }
}

/// Returns the directories that contain a URI, each with its final slash.
pub(crate) fn directories(uri: &str) -> impl Iterator<Item = &str> {
    uri.match_indices('/').filter_map(|(at, _)| uri.get(..=at))
}

/// Returns the URI of the resource for a tool's user interface, from the tool's JSON.
pub(crate) fn interface(tool: &str) -> Option<String> {
    let meta = Members::parse(tool)?.get("_meta").and_then(Members::read)?;
    let nested = meta.get("ui").and_then(Members::read).and_then(|ui| ui.get("resourceUri"));
    nested.or(meta.get("ui/resourceUri")).and_then(json::Raw::text).map(Into::into)
}

/// Returns the directory of a skill with its final slash, from the URI of its main file.
pub(crate) fn skill_directory(uri: &str) -> Option<&str> {
    let (directory, name) = uri.split_at_checked(uri.len().checked_sub(SKILL_FILE.len())?)?;
    if name.eq_ignore_ascii_case(SKILL_FILE) { uri.get(..=directory.len()) } else { None }
}

impl ResourceUri<'_> {
    /// Returns the directory of a skill without its final slash, which is the URI of the directory itself.
    pub fn skill_root(uri: &str) -> Option<&str> {
        skill_directory(uri)?.strip_suffix('/')
    }
}
