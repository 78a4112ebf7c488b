//! The changes that a listener subscribes to.

use std::collections::BTreeSet;

use crate::small_collect::small_collect;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::session::change::Change;

/// The changes that a listener has selected.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubscriptionFilter {
    /// The selected lists, each as its change.
    pub lists: Vec<Change>,
    /// The URIs of the selected resources.
    pub resources: BTreeSet<String>,
}

impl SubscriptionFilter {
    /// Returns every selected change.
    pub fn all(&self) -> impl Iterator<Item = Change> {
        self.lists.iter().cloned().chain(self.resources.iter().cloned().map(Change::Resource))
    }

    /// Returns the selectors in the form of `subscriptions/listen`.
    pub(crate) fn selectors(&self) -> Value {
        let wanted = Change::LISTS.into_iter().filter(|(_, change)| self.lists.contains(change));
        let wanted = wanted.map(|(selector, _)| (selector.to_owned(), true.into()));
        let mut selectors: Map<String, Value> = small_collect(wanted);
        if !self.resources.is_empty() {
            selectors.insert("resourceSubscriptions".to_owned(), self.resources.iter().cloned().collect());
        }
        Value::Object(selectors)
    }

    /// Returns whether a change is selected.
    pub fn has(&self, change: &Change) -> bool {
        match change {
            Change::Resource(uri) => self.resources.contains(uri),
            list => self.lists.contains(list),
        }
    }
}
