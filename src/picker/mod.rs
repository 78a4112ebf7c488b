//! A model for user interfaces in which a user selects primitives of a catalog. The result is one filter.
//!
//! A [`Picker`] holds a choice: groups in a tree, required and excluded tags, concerns, words, disabled names and
//! favorites. At any time it returns the filter, the primitives that match it, and the number that each further option
//! would leave. A user interface (the package's element, a terminal) only displays numbers and a window of rows, and
//! contains no logic of its own.
//!
//! # Boxes
//! Selecting a group selects all groups below it. Its box is [on](Checked::On) if the group or one above is selected,
//! or if the groups below contain all its members and are all on. It is [mixed](Checked::Mixed) if groups below differ,
//! and [excluded](Checked::Excluded) if the group or one above is excluded. Deselecting a group below a selected one
//! excludes it, so the other members of the upper group stay. Selecting an excluded group ends its exclusion.
//!
//! # Servers
//! With several servers, these are the first level of the tree, each with the groups in which it has primitives. A
//! group of two servers appears below both, but is one group: selecting it selects it for both.
//!
//! # Semantics
//! Every change is one step of [`Picker::undo`], unless it changes nothing. A change that results in an invalid filter
//! (too many names, a value that a concern does not accept) is rejected and changes nothing. Words for [`Picker::find`]
//! are not part of the choice: they only order and reduce the rows. Words for [`Picker::set_query`] are.

mod budget;
mod choice;
mod counts;
mod edit;
mod history;
mod planting;
mod preferences;
mod rows;
mod servers;
mod tree;

pub use budget::{Budget, Rank};
pub use choice::{Choice, Mark};
pub use counts::Counts;
pub use history::MAX_STEPS;
pub use preferences::{MAX_NAMES, PREFERENCES_VERSION, Preferences};
pub use rows::{MAX_REASONS, Row, Showing};
pub use tree::{Checked, Node};

use crate::{
    catalog::{Bitset, Kind, Tag},
    concern::{Concerns, OnInvalid},
    error::Error,
    filter::{Filter, Narrowing, Ranked, Selection},
    policy::View,
    rank::Scratch,
};
use history::History;
use tree::Tree;

/// A choice among the primitives that one caller may see. See the [module](self).
#[derive(Debug)]
pub struct Picker {
    view: View,
    concerns: Concerns,
    on_invalid: OnInvalid,
    /// The names of the servers. Empty if all primitives are from one server.
    servers: Vec<String>,
    tree: Tree,
    tags: Vec<Tag>,
    choice: Choice,
    history: History,
    kind: Kind,
    find: String,
    showing: Showing,
    narrowing: Narrowing,
    selection: Selection,
    /// The candidates in the order in which the limit takes them. Empty without a limit.
    ranking: Vec<Ranked>,
    order: Vec<u32>,
    scratch: Scratch,
}

impl Picker {
    /// Creates a picker for `view` without any choice.
    pub fn new(view: &View, concerns: &Concerns, on_invalid: OnInvalid) -> Self {
        let servers = servers::servers_of(view);
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
        self.choice.filter()
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
    pub fn concerns(&self) -> &Concerns {
        &self.concerns
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
    fn look(&mut self) {
        let filter = self.choice.filter().unwrap_or_default();
        self.narrowing = self.narrow(filter).unwrap_or_default();
        self.view.select(&self.narrowing, self.kind, &mut self.selection);
        self.ranking = self.view.ranking(&self.narrowing, self.kind);
        self.arrange();
    }

    fn narrow(&self, filter: Filter) -> Result<Narrowing, Error> {
        let filter = filter.with_server_defaults(&Filter::default());
        Ok(filter.settle(&self.view, &self.concerns, self.on_invalid, Vec::new())?.narrowing)
    }
}
