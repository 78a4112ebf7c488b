//! The subscriptions of a session to resources, while they change.

use std::collections::BTreeSet;

const SUBSCRIBE: &str = "resources/subscribe";
const UNSUBSCRIBE: &str = "resources/unsubscribe";

/// Maximum number of subscriptions that are changed at the same time. A server that does not answer some of them holds
/// up only these.
const MAX_CHANGING: usize = 16;

/// The subscriptions of a session.
#[derive(Debug, Default)]
pub(crate) struct SessionSubscriptions {
    /// The resources that were subscribed, also if the server has refused: they then report no changes.
    subscribed: BTreeSet<String>,
    /// The resources whose subscription is being changed.
    changing: BTreeSet<String>,
}

impl SessionSubscriptions {
    /// Returns the next request that leads to the `wanted` subscriptions: its method and its URI. It counts as sent.
    pub fn next(&mut self, wanted: &BTreeSet<String>) -> Option<(&'static str, String)> {
        if self.changing.len() >= MAX_CHANGING {
            return None;
        }
        let free = |uri: &&String| !self.changing.contains(*uri);
        let (method, uri) = match wanted.difference(&self.subscribed).find(free) {
            Some(uri) => (SUBSCRIBE, uri.clone()),
            None => (UNSUBSCRIBE, self.subscribed.difference(wanted).find(free)?.clone()),
        };
        match method {
            SUBSCRIBE => self.subscribed.insert(uri.clone()),
            _ => self.subscribed.remove(&uri),
        };
        self.changing.insert(uri.clone());
        Some((method, uri))
    }

    /// Records that a request of [`SessionSubscriptions::next`] has ended.
    pub fn finish(&mut self, uri: &str) {
        self.changing.remove(uri);
    }
}
