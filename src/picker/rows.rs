use super::Picker;
use crate::{
    catalog::{Bits, Tokens},
    expr::{Field, Subject},
    filter::{Explanation, Reason},
};

/// Which rows there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Showing {
    /// What the filter leaves.
    #[default]
    Left,
    /// What it hides.
    Hidden,
    /// Both, in the catalog's order.
    All,
}

/// A primitive as a row tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row<'a> {
    /// Its place among the visible.
    pub place: usize,
    /// Its name, `uri` or `uriTemplate`.
    pub id: &'a str,
    /// What a person reads, where it says so.
    pub title: Option<String>,
    /// What it says of itself.
    pub description: Option<String>,
    /// The groups it is in, with those above them.
    pub groups: Vec<&'a str>,
    /// The tags it carries.
    pub tags: Vec<&'a str>,
    /// What it takes of a model's context.
    pub tokens: Tokens,
    /// Whether it is kept at hand.
    pub favourite: bool,
    /// Whether it is switched off.
    pub off: bool,
    /// Whether the filter leaves it, and if not why. What is switched off is out by the rule `off`, what is no
    /// favourite by `favourites`.
    pub explanation: Explanation,
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
        let (id, primitive) = (catalog.shelf(kind).id(index)?, catalog.primitive(kind, index)?);
        let text = |field: &Field| {
            let mut found = None;
            primitive.values(field, &mut |text| found = Some(text.to_owned()));
            found.filter(|text| text != id)
        };
        let (off, favourite) = (self.is_off(kind, id), self.is_favourite(kind, id));
        let shown = self.selection.bits().contains(index);
        let own = match (off, self.choice.only_favourites && !favourite) {
            (true, _) => Some("off"),
            (false, true) => Some("favourites"),
            (false, false) => None,
        };
        let explanation = match own.filter(|_| !shown) {
            Some(rule) => Explanation { shown, reason: Some(Reason { rule, ..Reason::default() }) },
            None => self.narrowing.explain(catalog, kind, Some(self.view.bits(kind)), id),
        };
        Some(Row {
            place: self.view.bits(kind).count_below(index),
            id,
            title: text(&Field::Title).or_else(|| text(&Field::Name)),
            description: text(&Field::Description),
            groups: primitive.groups(),
            tags: primitive.tags(),
            tokens: catalog.tokens_of(kind, index)?,
            favourite,
            off,
            explanation,
        })
    }

    /// Makes what words are found by, which the first to be typed would wait for otherwise.
    pub fn prepare(&self) {
        _ = self.view.index(self.kind);
    }

    /// Puts the rows in order: the catalog's, or that of a search, behind which stands what has the words in its
    /// name as a word that is half typed.
    pub(super) fn arrange(&mut self) {
        let (visible, selected) = (self.view.bits(self.kind), self.selection.bits());
        let mut within: Bits = visible.clone();
        match self.showing {
            Showing::All => {}
            Showing::Left => within.intersect(selected),
            Showing::Hidden => within.subtract(selected),
        }
        self.order.clear();
        if self.find.is_empty() {
            within.write_indices(&mut self.order);
            return;
        }
        let index = self.view.index(self.kind);
        for hit in index.search(&self.find, Some(&within), usize::MAX, &mut self.scratch) {
            self.order.push(hit.index as u32);
            within.remove(hit.index);
        }
        let shelf = self.view.catalog().shelf(self.kind);
        let typed = within.iter().filter(|index| shelf.id(*index).is_some_and(|id| has(id, &self.find)));
        self.order.extend(typed.map(|index| index as u32));
    }
}

/// Whether a name has these letters in it, upper case or lower.
fn has(name: &str, letters: &str) -> bool {
    name.as_bytes().windows(letters.len()).any(|window| window.eq_ignore_ascii_case(letters.as_bytes()))
}
