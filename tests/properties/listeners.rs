//! Listeners are woken exactly if a change is pending for them, whatever the order of changes.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    task::{Context, Poll, Wake, Waker},
};

use futures_util::{StreamExt, stream::LocalBoxStream};
use mcp_sieve::catalog::{Lists, Source};
use mcp_sieve_gateway::{
    config::Config,
    host::Caller,
    streams::{Change, Listeners, SubscriptionFilter},
    upstream::{Backend, Features},
};
use proptest::prelude::*;
use serde_json::json;

use crate::cases;

/// A configuration that hides the resource `secret`.
const CONFIG: &str = r#"{"policies": [{"name": "secrets", "show": "-name:secret"}]}"#;

/// Counts how often a listener was woken.
#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Relaxed);
    }
}

#[derive(Debug, Clone, Copy)]
enum Step {
    /// A resource changes that the listener subscribed to and may see.
    Visible,
    /// A resource changes that the listener subscribed to and a policy hides.
    Hidden,
    /// A resource changes that the listener did not subscribe to.
    Other,
    /// The listener polls once.
    Poll,
    /// The listener polls until it has read everything.
    Drain,
}

/// Returns a stream of changes for a listener that subscribes to `note:open` and `note:secret`.
fn listener(hub: &Listeners, config: &Config, backend: &Backend) -> LocalBoxStream<'static, Change> {
    let caller = json!({"claims": null, "headers": [], "protocol": "2026-07-28", "client": null, "capabilities": {},
        "level": null, "query": ""});
    let caller: Caller<'static> = serde_json::from_value(caller).unwrap();
    let resources = ["note:open", "note:secret"].map(str::to_owned).into();
    hub.listen(config, backend, caller, SubscriptionFilter { lists: Vec::new(), resources }, None).unwrap()
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn a_listener_is_woken_exactly_when_something_waits(steps in prop::collection::vec(prop_oneof![
        Just(Step::Visible), Just(Step::Hidden), Just(Step::Other), Just(Step::Poll), Just(Step::Drain),
    ], 0..40)) {
        let config = Config::parse(CONFIG).unwrap();
        let lists = json!({"resources": [{"uri": "note:open", "name": "open"}, {"uri": "note:secret", "name": "secret"},
            {"uri": "note:other", "name": "other"}]}).to_string();
        let source = Source { server: "s", lists: Lists::read(&lists).unwrap() };
        let backend = Backend::compile(vec![source], &config, Features::default());
        let hub = Listeners::default();
        let mut changes = listener(&hub, &config, &backend);
        let wakes = Arc::new(Wakes::default());
        let waker = Waker::from(Arc::clone(&wakes));
        let mut context = Context::from_waker(&waker);
        let changed = |uri: &str| hub.changed(&config, &backend, &Change::Resource(uri.to_owned()));
        // Whether a change is pending; whether the listener polled since its last wake; the expected number of wakes.
        let (mut waits, mut polled, mut expected) = (false, false, 0);
        for step in steps {
            match step {
                Step::Visible => {
                    changed("note:open");
                    waits = true;
                }
                Step::Hidden => changed("note:secret"),
                Step::Other => changed("note:other"),
                Step::Poll | Step::Drain => loop {
                    let ready = changes.poll_next_unpin(&mut context);
                    prop_assert_eq!(ready.is_ready(), waits);
                    (waits, polled) = (false, true);
                    if matches!(step, Step::Poll) || ready == Poll::Pending {
                        break;
                    }
                },
            }
            if waits && polled {
                polled = false;
                expected += 1;
            }
            prop_assert_eq!(wakes.0.load(Relaxed), expected, "after {:?}", step);
        }
    }
}
