//! What a person chooses from a catalog by hand, as one filter.
//!
//! A [`Picker`] keeps a choice: groups in a tree, tags to have and not to have, concerns, words, names switched
//! off and names kept at hand. It says at any time which filter that is, which primitives the filter leaves, and
//! what each further choice would leave. Whoever draws it (the package's element, a terminal) reads numbers and a
//! window of rows, and decides nothing.
//!
//! # Boxes
//! A group is chosen with all that stands below it. Its box is [on](Checked::On) where it or a group above is chosen, or
//! where the groups below hold all of its members and each is on; [mixed](Checked::Mixed) where part of what is below
//! differs; [excluded](Checked::Excluded) where it or a group above is left out. Taking a box out of a chosen group
//! refuses it, so that the members of the upper group alone stay; putting one into a refused group lifts the
//! refusal.
//!
//! # Servers
//! What comes from several servers has these as the first level of the tree, each with the groups that it has something
//! in. A group that two servers have stands below both and is one group: choosing it chooses it for both.
//!
//! # Semantics
//! Every change is one step of [`Picker::undo`], unless it changes nothing. A change that makes no filter (too many
//! names, a value that a concern refuses) is refused and leaves everything as it was. Words to find are no choice:
//! they order and shorten the rows, not the filter; [`Picker::about`] is the choice.

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

/// A choice from what one caller may see. See the [module](self).
#[derive(Debug)]
pub struct Picker {
    view: View,
    concerns: Concerns,
    on_invalid: OnInvalid,
    /// The names of the servers; empty if everything is from one server.
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
    /// The candidates in the order in which the limit takes them; empty without a limit.
    ranking: Vec<Ranked>,
    order: Vec<u32>,
    scratch: Scratch,
}

impl Picker {
    /// Nothing chosen yet of what `view` shows.
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

    /// What is chosen.
    pub fn choice(&self) -> &Choice {
        &self.choice
    }

    /// The choice as one filter.
    ///
    /// # Errors
    /// None: a choice that makes no filter was refused when it was made.
    pub fn filter(&self) -> Result<Filter, Error> {
        self.choice.filter()
    }

    /// The groups, depth first, below their servers if there are several; then those that only a filter named. [`Picker::toggle`] takes a place in this list.
    pub fn groups(&self) -> &[Node] {
        self.tree.nodes()
    }

    /// The tags, then those that only a filter named.
    pub fn tags(&self) -> &[Tag] {
        &self.tags
    }

    /// The declared concerns.
    pub fn concerns(&self) -> &Concerns {
        &self.concerns
    }

    /// The kind that rows and counts are of; tools at first.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What the filter leaves of the kind.
    pub fn selected(&self) -> &Bitset {
        self.selection.bits()
    }

    /// Whom the choice is from.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Shows another kind.
    pub fn show_kind(&mut self, kind: Kind) {
        self.kind = kind;
        self.look();
    }

    /// Which rows there are.
    pub fn show(&mut self, showing: Showing) {
        self.showing = showing;
        self.arrange();
    }

    /// Rows about these words alone, the best first. The filter stays as it is.
    pub fn find(&mut self, words: &str) {
        words.trim().clone_into(&mut self.find);
        self.arrange();
    }

    /// Selects again, after the choice or the kind has changed.
    fn look(&mut self) {
        let filter = self.choice.filter().unwrap_or_default();
        self.narrowing = self.narrow(filter).unwrap_or_default();
        self.view.select(&self.narrowing, self.kind, &mut self.selection);
        self.ranking = self.view.ranking(&self.narrowing, self.kind);
        self.arrange();
    }

    fn narrow(&self, filter: Filter) -> Result<Narrowing, Error> {
        let filter = filter.with_server_defaults(&self.concerns, &Filter::default());
        Ok(filter.settle(&self.view, &self.concerns, self.on_invalid, Vec::new())?.narrowing)
    }
}
