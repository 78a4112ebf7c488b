//! Relays the changes of upstream servers to the listeners that can see them.

use std::collections::BTreeSet;

use crate::{
    config::Config,
    host::{Freshness, Host, SubscriptionFilter},
    session::change::Change,
    streams::listeners::Listeners,
};

/// Returns the subscription to upstream servers for listeners of these resources. It has every list, because one
/// request refreshes them all.
pub fn upstream_subscription(resources: BTreeSet<String>) -> SubscriptionFilter {
    SubscriptionFilter { lists: Change::LISTS.map(|(_, change)| change).to_vec(), resources }
}

/// Reports a change that an upstream server has announced to the listeners that may see it. A changed list is fetched
/// again, so that only visible differences are reported. If it cannot be fetched, nothing is reported.
pub async fn relay_change(host: &impl Host, config: &Config, listeners: &Listeners, change: &Change) {
    match change {
        Change::Resource(_) => {
            if let Ok(backend) = host.backend(Freshness::Route).await {
                listeners.changed(config, &backend, change);
            }
        }
        _ => {
            // The host may have notified the listeners already, when it replaced the catalog.
            if let Ok(backend) = host.backend(Freshness::List).await
                && !listeners.are_current(&backend)
            {
                listeners.refreshed(host, config, &backend).await;
            }
        }
    }
}
