use std::collections::BTreeSet;

use crate::{
    config::Config,
    mcp::{
        host::{Freshness, Host, SubscriptionFilter},
        streams::{change::Change, listeners::Listeners},
    },
};

/// Returns what to watch on upstream servers for listeners that want these resources: every list, because one request
/// refreshes them all.
pub fn upstream_subscription(resources: BTreeSet<String>) -> SubscriptionFilter {
    SubscriptionFilter { lists: Change::LISTS.map(|(_, change)| change).to_vec(), resources }
}

/// Reports a change that an upstream server has announced to the listeners that may see it. A changed list is fetched
/// again, so that listeners are told what really differs in their sight. If it cannot be fetched, they are told nothing.
pub async fn relay_change(host: &impl Host, config: &Config, listeners: &Listeners, change: &Change) {
    match change {
        Change::Resource(_) => {
            if let Ok(backend) = host.backend(Freshness::Route).await {
                listeners.changed(config, &backend, change);
            }
        }
        _ => {
            // A host may have told its listeners when the catalog was replaced.
            if let Ok(backend) = host.backend(Freshness::List).await
                && !listeners.know(&backend)
            {
                listeners.refreshed(host, config, &backend).await;
            }
        }
    }
}
