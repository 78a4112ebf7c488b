use super::{Picker, Rank};
use crate::{
    catalog::{Bitset, Tokens},
    expr::{Field, Subject},
    filter::Reason,
};

/// Maximum number of filter rules that a hidden row names.
pub const MAX_REASONS: usize = 8;

/// Which rows there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Showing {
    /// What the filter leaves.
    #[default]
    Left,
    /// What it hides.
    Hidden,
    /// What the limit alone hides, the best first.
    Dropped,
    /// Both, in the catalog's order.
    All,
}

/// A primitive as a row of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row<'a> {
    /// Its index among the visible primitives.
    pub place: usize,
    /// Its name, `uri` or `uriTemplate`.
    pub id: &'a str,
    /// The server that it came from, if there are several.
    pub server: Option<&'a str>,
    /// Its title, or its `name` where the id is a URI.
    pub title: Option<String>,
    /// Its description.
    pub description: Option<String>,
    /// The groups it is in, with those above them.
    pub groups: Vec<&'a str>,
    /// The tags it carries.
    pub tags: Vec<&'a str>,
    /// Its size in a model's context.
    pub tokens: Tokens,
    /// Whether it is a favourite.
    pub favourite: bool,
    /// Whether it is switched off.
    pub off: bool,
    /// Every rule that hides it, at most [`MAX_REASONS`]; empty for a row that the filter keeps. The rule `off` stands
    /// for a primitive that is switched off, `favorites` for one that is not a favourite, and `server` and `not.server` for
    /// one of another server than those chosen.
    pub reasons: Vec<Reason>,
    /// Where it stands among the candidates, if the limit drops it.
    pub rank: Option<Rank>,
}

impl Picker {
    /// The rows that there are, as places of primitives in the catalog.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// How many are selected, and how many there are of the kind.
    pub fn sizes(&self) -> (usize, usize) {
        (self.selection.bits().count(), self.view.count(self.kind))
    }

    /// What is selected takes of a model's context, and what everything would.
    pub fn tokens(&self) -> (Tokens, Tokens) {
        let of = |bits| self.view.catalog().tokens(self.kind, bits);
        (of(self.selection.bits()), of(self.view.bits(self.kind)))
    }

    /// The row at `at`.
    pub fn row(&self, at: usize) -> Option<Row<'_>> {
        let index = *self.order.get(at)? as usize;
        let (catalog, kind) = (self.view.catalog(), self.kind);
        let (id, primitive) = (catalog.kind_index(kind).id(index)?, catalog.primitive(kind, index)?);
        let text = |field: &Field| {
            let mut found = None;
            primitive.values(field, &mut |text| found = Some(text.to_owned()));
            found.filter(|text| text != id)
        };
        let (off, favourite) = (self.is_off(kind, id), self.is_favourite(kind, id));
        let shown = self.selection.bits().contains(index);
        let (server, groups) = (catalog.kind_index(kind).server(index), primitive.groups());
        let reasons = match shown {
            true => Vec::new(),
            false => self.reasons(id, off, favourite, server.unwrap_or_default(), &groups),
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
            favourite,
            off,
            reasons,
            rank: self.rank(index),
        })
    }

    /// Why a hidden primitive is hidden. Switched-off names, favourites and servers are part of the filter's expression, so
    /// the reasons that they give take the place of the expression's.
    fn reasons(&self, id: &str, off: bool, favourite: bool, server: &str, groups: &[&str]) -> Vec<Reason> {
        let mut reasons = Vec::new();
        if off {
            reasons.push(Reason { rule: "off", ..Reason::default() });
        } else if self.choice.only_favourites && !favourite {
            reasons.push(Reason { rule: "favorites", ..Reason::default() });
        }
        reasons.extend(self.choice.server_reason(server, groups));
        let own = !reasons.is_empty();
        self.narrowing.each_reason((&self.view).into(), self.kind, id, &mut |reason| {
            if !own || reason.rule != "where" {
                reasons.push(reason);
            }
            reasons.len() < MAX_REASONS
        });
        reasons
    }

    /// Makes what words are found by, which the first to be typed would wait for otherwise.
    pub fn prepare(&self) {
        _ = self.view.index(self.kind);
    }

    /// Puts the rows in order: the catalog's, or that of a search, behind which stands what has the words in its
    /// name as a word that is half typed.
    pub(super) fn arrange(&mut self) {
        let (visible, selected) = (self.view.bits(self.kind), self.selection.bits());
        let mut within: Bitset = visible.clone();
        match self.showing {
            Showing::All => {}
            Showing::Left => within.intersect(selected),
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

/// Whether a name has these letters in it, upper case or lower.
fn has(name: &str, letters: &str) -> bool {
    name.as_bytes().windows(letters.len()).any(|window| window.eq_ignore_ascii_case(letters.as_bytes()))
}
