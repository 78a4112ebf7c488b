//! Notifications of changes: the listeners of a deployment, and the changes that upstream servers announce to them.
//!
//! A host keeps one [`Listeners`] and implements [`Backends::changes`](crate::host::Backends::changes) with it. It
//! subscribes to its upstream servers with [`upstream_subscription`] and passes on what they announce with
//! [`relay_change`]. A listener is notified only of changes that it can see.

pub(crate) mod listeners;
pub(crate) mod relay;

pub use crate::session::{change::Change, subscription_filter::SubscriptionFilter};
pub use listeners::{Listeners, MAX_LISTENERS, MAX_LISTENERS_PER_CALLER, MAX_UNKNOWN_LISTENERS};
pub use relay::{relay_change, upstream_subscription};
