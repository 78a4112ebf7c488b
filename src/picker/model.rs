//! The model itself: a view, a choice, and the rows that result.

use super::{
    choice::{Choice, Named},
    history::{History, MAX_STEPS},
    rows::Showing,
    servers::servers_of,
    tree::{Node, Tree},
};
use crate::{
    catalog::{Bitset, Kind, Tag},
    concern::{Concern, Concerns, OnInvalid},
    error::Error,
    filter::{Filter, Narrowing, Ranked, Selection},
    policy::View,
    rank::Scratch,
};

/// A choice among the primitives that one caller may see. See the [module](super).
#[derive(Debug)]
pub struct Picker {
    pub(super) view: View,
    pub(super) concerns: Concerns,
    pub(super) on_invalid: OnInvalid,
    /// The names of the servers. Empty if all primitives are from one server.
    pub(super) servers: Vec<String>,
    pub(super) tree: Tree,
    pub(super) tags: Vec<Tag>,
    pub(super) choice: Choice,
    pub(super) history: History,
    pub(super) kind: Kind,
    pub(super) find: String,
    pub(super) showing: Showing,
    pub(super) narrowing: Narrowing,
    pub(super) selection: Selection,
    /// The candidates in the order in which the limit takes them. Empty without a limit.
    pub(super) ranking: Vec<Ranked>,
    /// The names in the filter because a request's limit would keep others.
    pub(super) kept: Vec<Named>,
    pub(super) order: Vec<u32>,
    pub(super) scratch: Scratch,
}

impl Picker {
    /// Maximum number of steps that can be undone. The oldest one is dropped first.
    pub const MAX_STEPS: usize = MAX_STEPS;

    /// Creates a picker for `view` without any choice. [`View::picker`](crate::View::picker) calls it.
    pub fn new(view: &View, concerns: &Concerns, on_invalid: OnInvalid) -> Self {
        let servers = servers_of(view);
        let mut picker = Self {
            tree: Tree::new(view, &servers),
            servers,
            tags: view.tags().into_iter().cloned().collect(),
            view: view.clone(),
            concerns: concerns.clone(),
            on_invalid,
            choice: Choice::default(),
            history: History::default(),
            kind: Kind::Tool,
            find: String::new(),
            showing: Showing::default(),
            narrowing: Narrowing::default(),
            selection: Selection::default(),
            ranking: Vec::new(),
            kept: Vec::new(),
            order: Vec::new(),
            scratch: Scratch::default(),
        };
        picker.look();
        picker
    }

    /// Returns the choice.
    pub fn choice(&self) -> &Choice {
        &self.choice
    }

    /// Returns the choice as one filter.
    ///
    /// # Errors
    /// None, because changes that result in an invalid filter are rejected.
    pub fn filter(&self) -> Result<Filter, Error> {
        self.choice.filter(&self.kept)
    }

    /// Returns the choice as a filter without the names that its limit keeps, for another catalog.
    ///
    /// # Errors
    /// The same as for [`Picker::filter`].
    pub fn plain_filter(&self) -> Result<Filter, Error> {
        self.choice.filter(&[])
    }

    /// Returns the groups, depth first, below their servers if there are several, followed by groups that only a filter
    /// named. [`Picker::toggle`] takes an index in this list.
    pub fn groups(&self) -> &[Node] {
        self.tree.nodes()
    }

    /// Returns the tags, followed by tags that only a filter named.
    pub fn tags(&self) -> &[Tag] {
        &self.tags
    }

    /// Returns the declared concerns.
    pub fn concerns(&self) -> impl Iterator<Item = &Concern> {
        self.concerns.iter()
    }

    /// Returns the kind of the rows and counts, initially tools.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the primitives of the kind that the filter selects.
    pub fn selected(&self) -> &Bitset {
        self.selection.bits()
    }

    /// Returns the view of the caller.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Sets the kind of the rows and counts.
    pub fn show_kind(&mut self, kind: Kind) {
        self.kind = kind;
        self.look();
    }

    /// Sets which rows are listed.
    pub fn show(&mut self, showing: Showing) {
        self.showing = showing;
        self.arrange();
    }

    /// Lists only rows that match these words, best first. The filter does not change.
    pub fn find(&mut self, words: &str) {
        words.trim().clone_into(&mut self.find);
        self.arrange();
    }

    /// Selects again, after a change of the choice or of the kind.
    pub(super) fn look(&mut self) {
        let filter = self.choice.filter(&[]).unwrap_or_default();
        self.narrowing = self.narrow(filter).unwrap_or_default();
        self.kept = self.kept();
        let named = self.filter().and_then(|filter| self.narrow(filter));
        if named.is_err() {
            // A filter cannot name that many. The limit then keeps what a request's limit keeps.
            self.kept.clear();
        }
        self.ranking = self.shared(self.kind, named.is_ok());
        let narrowing = named.as_ref().unwrap_or(&self.narrowing);
        self.view.select(narrowing, self.kind, &mut self.selection);
        self.arrange();
    }

    pub(super) fn narrow(&self, filter: Filter) -> Result<Narrowing, Error> {
        let filter = filter.with_server_defaults(&Filter::default());
        Ok(filter.settle(&self.view, &self.concerns, self.on_invalid, Vec::new())?.narrowing)
    }
}
