//! The rows of the picker's list: order, state, and the reasons why primitives are hidden.

use super::{Picker, Rank};
use crate::{
    catalog::{Bitset, Tokens},
    expr::{Field, Subject},
    filter::Reason,
};

impl Row<'_> {
    /// Maximum number of filter rules that are reported for a hidden row.
    pub const MAX_REASONS: usize = 8;
}

/// The rows that are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Showing {
    /// The primitives that match the filter.
    #[default]
    Matching,
    /// The primitives that the filter hides.
    Hidden,
    /// The primitives that only the limit hides, best first.
    Dropped,
    /// All primitives, in the order of the catalog.
    All,
}

/// A primitive as a row of the list.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row<'a> {
    /// Its index among the visible primitives.
    pub place: usize,
    /// Its name, `uri` or `uriTemplate`.
    pub id: &'a str,
    /// The server that lists it, if there are several servers.
    pub server: Option<&'a str>,
    /// Its title or, if its id is a URI, its `name`.
    pub title: Option<String>,
    /// Its description.
    pub description: Option<String>,
    /// The groups that contain it, and those above them.
    pub groups: Vec<&'a str>,
    /// The tags that it has.
    pub tags: Vec<&'a str>,
    /// Its size in a model's context.
    pub tokens: Tokens,
    /// Whether it is a favorite.
    pub favorite: bool,
    /// Whether it is disabled.
    pub off: bool,
    /// Every rule that hides it, at most [`Row::MAX_REASONS`](crate::picker::Row::MAX_REASONS). Empty for a row that
    /// matches the filter. The rule `off` is for a disabled primitive, `favorites` for one that is not a favorite, and
    /// `server` and `not.server` for one of a server that is not chosen.
    pub reasons: Vec<Reason>,
    /// Its rank among the candidates, if the limit drops it.
    pub rank: Option<Rank>,
}

impl Picker {
    /// Returns the number of rows.
    pub fn row_count(&self) -> usize {
        self.order.len()
    }

    /// Returns the rows, as indices of primitives in the catalog.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Returns the number of selected primitives, and of all visible primitives of the kind.
    pub fn sizes(&self) -> (usize, usize) {
        (self.selection.bits().count(), self.view.count(self.kind))
    }

    /// Returns the tokens of the selected primitives, and of all visible primitives of the kind.
    pub fn tokens(&self) -> (Tokens, Tokens) {
        let of = |bits| self.view.catalog().tokens(self.kind, bits);
        (of(self.selection.bits()), of(self.view.bits(self.kind)))
    }

    /// Returns the row at `at`, a position below [`Picker::row_count`].
    pub fn row(&self, at: usize) -> Option<Row<'_>> {
        let index = *self.order.get(at)? as usize;
        let (catalog, kind) = (self.view.catalog(), self.kind);
        let (id, primitive) = (catalog.kind_index(kind).id(index)?, catalog.primitive(kind, index)?);
        let text = |field: &Field| {
            let mut found = None;
            primitive.values(field, &mut |text| found = Some(text.to_owned()));
            found.filter(|text| text != id)
        };
        let (off, favorite) = (self.is_off(kind, id), self.is_favorite(kind, id));
        let shown = self.selection.bits().contains(index);
        let (server, groups) = (catalog.kind_index(kind).server(index), primitive.groups());
        let rank = self.rank(index);
        let reasons = match shown {
            true => Vec::new(),
            false if rank.is_some() => vec![self.limit_reason()],
            false => self.reasons(id, off, favorite, server.unwrap_or_default(), &groups),
        };
        Some(Row {
            place: self.view.bits(kind).count_below(index),
            id,
            server: server.filter(|_| !self.servers.is_empty()),
            title: text(&Field::Title).or_else(|| text(&Field::Name)),
            description: text(&Field::Description),
            groups,
            tags: primitive.tags(),
            tokens: catalog.tokens_of(kind, index)?,
            favorite,
            off,
            reasons,
            rank,
        })
    }

    fn limit_reason(&self) -> Reason {
        Reason { rule: "limit", wanted: self.choice.filter.limit.describe(), ..Reason::default() }
    }

    /// Returns the reasons why a primitive is hidden. Conditions on disabled names, favorites and servers are part of
    /// the filter's expression, so their reasons replace that of the expression.
    fn reasons(&self, id: &str, off: bool, favorite: bool, server: &str, groups: &[&str]) -> Vec<Reason> {
        let mut reasons = Vec::new();
        if off {
            reasons.push(Reason { rule: "off", ..Reason::default() });
        } else if self.choice.only_favorites && !favorite {
            reasons.push(Reason { rule: "favorites", ..Reason::default() });
        }
        reasons.extend(self.choice.server_reason(server, groups));
        let own = !reasons.is_empty();
        self.narrowing.each_reason((&self.view).into(), self.kind, id, &mut |reason| {
            if !own || reason.rule != "where" {
                reasons.push(reason);
            }
            reasons.len() < Row::MAX_REASONS
        });
        reasons
    }

    /// Builds the search index, so that the first search does not have to wait for it.
    pub fn prepare(&self) {
        _ = self.view.index(self.kind);
    }

    /// Orders the rows like the catalog or, with search words, by relevance. The search results are followed by rows
    /// whose name contains the words as a substring, for words that are still being typed.
    pub(super) fn arrange(&mut self) {
        let (visible, selected) = (self.view.bits(self.kind), self.selection.bits());
        let mut within: Bitset = visible.clone();
        match self.showing {
            Showing::All => {}
            Showing::Matching => within.intersect(selected),
            Showing::Hidden => within.subtract(selected),
            Showing::Dropped => within = self.dropped_bits(),
        }
        self.order.clear();
        if self.find.is_empty() && self.showing == Showing::Dropped {
            let dropped: Vec<u32> = self.dropped().map(|index| index as u32).collect();
            self.order = dropped;
            return;
        }
        if self.find.is_empty() {
            within.write_indices(&mut self.order);
            return;
        }
        let index = self.view.index(self.kind);
        for hit in index.search_within(&self.find, &within, usize::MAX, &mut self.scratch) {
            self.order.push(hit.index as u32);
            within.remove(hit.index);
        }
        let kind_index = self.view.catalog().kind_index(self.kind);
        let typed = within.iter().filter(|index| kind_index.id(*index).is_some_and(|id| has(id, &self.find)));
        self.order.extend(typed.map(|index| index as u32));
    }
}

/// Returns whether a name contains these letters, ignoring ASCII case.
fn has(name: &str, letters: &str) -> bool {
    name.as_bytes().windows(letters.len()).any(|window| window.eq_ignore_ascii_case(letters.as_bytes()))
}
