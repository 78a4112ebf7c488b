//! The number of tools and tokens that each disclosure mode would list.

use crate::{
    Filter, Kind,
    catalog::{Bitset, Tokens},
    expr::Expr,
    filter::{Narrowing, Selection},
    policy::{DisclosureMode, View},
};

use super::{DiscoveryTool, Tools};

/// The size of the first list in a disclosure mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preview {
    /// The mode.
    pub mode: DisclosureMode,
    /// The number of tools in the list.
    pub tools: usize,
    /// The tokens of a model's context that the list takes.
    pub tokens: Tokens,
}

impl Tools<'_> {
    /// Returns the tools among `selected` that every mode lists: those that match `always`, and the pinned ones.
    pub fn always_listed(view: &View, selected: &Bitset, always: Option<&Expr>) -> Bitset {
        let mut listed = selected.clone();
        let Some(expr) = always else {
            match view.catalog().kind_index(Kind::Tool).pinned() {
                Some(pinned) => listed.intersect(pinned),
                None => listed.clear(),
            }
            return listed;
        };
        let only = Filter { r#where: Some(expr.clone()), ..Filter::default() };
        let (narrowing, mut selection) = (Narrowing::restriction(view, &only), Selection::default());
        listed.intersect(view.select(&narrowing, Kind::Tool, &mut selection));
        listed
    }
}

impl Preview {
    /// Returns what a model would read in each mode of the tools in `selected`: all that it may call, or the tools of
    /// discovery and those that are `always` listed.
    pub fn of_modes(view: &View, selected: &Bitset, always: Option<&Expr>) -> [Self; 3] {
        let selected = &Tools::new(view, selected).members(None);
        let always = Tools::always_listed(view, selected, always);
        [DisclosureMode::Flat, DisclosureMode::Search, DisclosureMode::Groups].map(|mode| {
            let catalog = view.catalog();
            // Without tools to find, no discovery tools are listed.
            let own = if selected.count() == 0 { &[] } else { DiscoveryTool::listed_in(mode) };
            let mut listed = if mode == DisclosureMode::Flat { selected.clone() } else { always.clone() };
            let mut tokens = 0;
            for tool in own {
                tokens += u64::from(Tokens::estimate(tool.definition().as_bytes()));
                // A discovery tool replaces a server's tool of the same name.
                catalog
                    .kind_index(Kind::Tool)
                    .find(tool.name())
                    .into_iter()
                    .for_each(|index| listed.remove(index));
            }
            let Tokens { count, exact } = catalog.tokens(Kind::Tool, &listed);
            let tokens = Tokens { count: tokens + count, exact: exact && own.is_empty() };
            Self { mode, tools: own.len() + listed.count(), tokens }
        })
    }
}
