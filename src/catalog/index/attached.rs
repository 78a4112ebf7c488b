//! Resources that belong to other primitives: the page of a tool's user interface (MCP Apps, `_meta.ui.resourceUri`)
//! and the files of a skill (`…/SKILL.md` and its siblings and descendants). They are hidden together with their owner.

use super::kind_index::KindIndex;
use crate::catalog::ResourceUri;
use crate::catalog::model::tool_ui::ToolUi;

/// The name of the main file of a skill.
const SKILL_FILE: &str = "/skill.md";

/// The links from tools to resources.
#[derive(Debug, Clone, Default)]
pub(crate) struct Attached {
    links: Vec<(Box<str>, usize)>,
    /// The links that open a page.
    pages: Vec<usize>,
}

impl Attached {
    pub fn new(tools: &KindIndex) -> Self {
        let text = |index| std::str::from_utf8(tools.bytes(index)?).ok();
        let naming = |index| text(index).filter(|tool| ToolUi::may_name_page(tool));
        let pages = |index| naming(index).map(ToolUi::read).unwrap_or_default().pages();
        let linking = (0..tools.len()).flat_map(|index| pages(index).map(move |uri| (uri.into(), index)));
        let links: Vec<(Box<str>, usize)> = linking.collect();
        let pages = links.iter().enumerate().filter(|(_, (uri, _))| ToolUi::is_page(uri));
        Self { pages: pages.map(|(at, _)| at).collect(), links }
    }

    /// Returns a page that a tool opens, with the index of the tool.
    pub fn page(&self, number: usize) -> Option<(&str, usize)> {
        self.links.get(*self.pages.get(number)?).map(|(uri, tool)| (uri.as_ref(), *tool))
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

    /// Returns the URI of a skill's file under another URI of the skill: `uri` is a file of the skill `from`, and the
    /// result the same file of the skill `to`.
    pub fn moved(uri: &str, from: &str, to: &str) -> String {
        let path = ResourceUri::skill_root(from).and_then(|root| uri.strip_prefix(root)).unwrap_or_default();
        [ResourceUri::skill_root(to).unwrap_or_default(), path].concat()
    }
}
