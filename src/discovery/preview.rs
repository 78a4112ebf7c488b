use super::DiscoveryTool;
use crate::{
    catalog::{Bitset, Kind, Tokens, estimate_tokens},
    policy::{DisclosureMode, View},
};

/// What a client is listed in a disclosure mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preview {
    /// The mode.
    pub mode: DisclosureMode,
    /// The number of tools in the list.
    pub tools: usize,
    /// The tokens of a model's context that the list takes.
    pub tokens: Tokens,
}

/// Returns what each mode would list of the tools in `selected`: all of them, or the tools of discovery and, behind them,
/// those that are pinned.
pub fn preview(view: &View, selected: &Bitset) -> [Preview; 3] {
    [DisclosureMode::Flat, DisclosureMode::Search, DisclosureMode::Groups].map(|mode| {
        let (catalog, discovery) = (view.catalog(), DiscoveryTool::of(mode));
        let mut listed = selected.clone();
        if !discovery.is_empty() {
            match catalog.kind_index(Kind::Tool).pinned() {
                Some(pinned) => listed.intersect(pinned),
                None => listed.clear(),
            }
        }
        let own: u64 =
            discovery.iter().map(|tool| u64::from(estimate_tokens(tool.definition().as_bytes()))).sum();
        let Tokens { count, exact } = catalog.tokens(Kind::Tool, &listed);
        let tokens = Tokens { count: own + count, exact: exact && discovery.is_empty() };
        Preview { mode, tools: discovery.len() + listed.count(), tokens }
    })
}
