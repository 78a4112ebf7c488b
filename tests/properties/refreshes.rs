//! A new catalog is compared with the state that each listener knows: in slices, once for all listeners with the same
//! view, and without losing or repeating a change while refreshes overlap.

use std::{
    cell::{Cell, RefCell},
    future::Future,
    pin::Pin,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    task::{Context, Poll, Waker},
};

use futures_util::{
    FutureExt, StreamExt,
    future::{LocalBoxFuture, poll_fn},
    stream::LocalBoxStream,
};
use mcp_sieve::{
    catalog::{Lists, Primitive, Source},
    policy::{CallerContext, Predicate, PredicateError},
};
use mcp_sieve_gateway::{
    config::Config,
    host::{Caller, Clock},
    streams::{Change, Listeners, SubscriptionFilter},
    upstream::{Backend, Features},
};
use serde_json::{Value, json};

use crate::random::Random;

/// Number of claims that policies read; callers differ in their claims and therefore in their views.
const BITS: usize = 9;
/// Number of tools in a catalog.
const TOOLS: usize = 200;

/// A clock whose `sleep` yields once, so that other futures run, and which counts the sleeps.
#[derive(Default, Clone)]
struct Slices(Rc<Cell<usize>>);

impl Clock for Slices {
    fn now(&self) -> u64 {
        0
    }

    async fn sleep(&self, ms: u64) {
        assert_eq!(ms, 0, "nothing waits for a time");
        self.0.set(self.0.get() + 1);
        let mut slept = false;
        poll_fn(|_| if std::mem::replace(&mut slept, true) { Poll::Ready(()) } else { Poll::Pending }).await;
    }

    fn spawn(&self, _: LocalBoxFuture<'static, ()>) {}
}

/// A predicate that shows everything and counts its evaluations.
struct Judgements(Arc<AtomicUsize>);

impl Predicate for Judgements {
    fn name(&self) -> &str {
        "judgements"
    }

    fn holds(&self, _: &Primitive<'_>, _: &dyn CallerContext) -> Result<bool, PredicateError> {
        self.0.fetch_add(1, Relaxed);
        Ok(true)
    }
}

/// Returns a configuration with a policy per claim: without the claim, the caller does not see one tool in [`BITS`].
fn config(judgements: &Arc<AtomicUsize>) -> Config {
    let policies: Vec<Value> = (0..BITS)
        .map(|bit| json!({"name": format!("p{bit}"), "show": format!("claim.c{bit}:yes or -description:*part{bit}*")}))
        .collect();
    let config = Config::parse(&json!({"policies": policies, "enforce": true}).to_string()).unwrap();
    config.with_predicate(Judgements(Arc::clone(judgements)))
}

/// Returns a catalog whose tools have the version of their part.
fn backend(config: &Config, versions: &[u64; BITS]) -> Backend {
    let tool = |at: usize| {
        let (part, version) = (at % BITS, versions[at % BITS]);
        json!({"name": format!("t{at}"), "description": format!("part{part} version {version}"), "inputSchema": {}})
    };
    let lists = json!({"tools": (0..TOOLS).map(tool).collect::<Vec<_>>()}).to_string();
    let source = Source { server: "s", lists: Lists::read(&lists).unwrap() };
    Backend::compile(vec![source], config, Features::default())
}

/// Returns a listener for tool changes, whose claims are the bits of `number`.
fn listener(
    hub: &Listeners,
    config: &Config,
    backend: &Backend,
    number: usize,
) -> LocalBoxStream<'static, Change> {
    let claims = (0..BITS).filter(|bit| number >> bit & 1 == 1).map(|bit| (format!("c{bit}"), json!("yes")));
    let mut claims: serde_json::Map<String, Value> = claims.collect();
    claims.insert("sub".to_owned(), json!(format!("caller {number}")));
    let caller = json!({"claims": claims, "headers": [], "protocol": "2026-07-28", "client": null, "capabilities": {},
        "level": null, "query": ""});
    let caller: Caller<'static> = serde_json::from_value(caller).unwrap();
    let wanted = SubscriptionFilter { lists: vec![Change::Tools], ..SubscriptionFilter::default() };
    hub.listen(config, backend, caller, wanted, None).unwrap()
}

/// Returns the number of changes received.
fn heard(changes: &mut LocalBoxStream<'static, Change>) -> usize {
    let next = |changes: &mut LocalBoxStream<'static, Change>| changes.next().now_or_never().flatten();
    std::iter::from_fn(|| next(changes)).count()
}

#[test]
fn many_listeners_are_compared_in_slices_and_primitives_judged_once() {
    let (hub, judgements, clock) = (Listeners::default(), Arc::default(), Slices::default());
    let config = config(&judgements);
    let before = backend(&config, &[0; BITS]);
    let mut listeners: Vec<_> =
        (0..1 << BITS).map(|number| listener(&hub, &config, &before, number)).collect();
    assert_eq!(judgements.load(Relaxed), TOOLS, "listeners that come judge each tool once, all together");
    // Only callers with the claim `c0` see part 0, the only part that changes.
    let mut versions = [0; BITS];
    versions[0] = 1;
    let after = backend(&config, &versions);
    let mut refresh = std::pin::pin!(hub.refreshed(&clock, &config, &after));
    let mut context = Context::from_waker(Waker::noop());
    let (mut told, mut slices, mut most) = (0, 0, 0);
    loop {
        let ready = refresh.as_mut().poll(&mut context).is_ready();
        let mut now = 0;
        for (number, changes) in listeners.iter_mut().enumerate() {
            let count = heard(changes);
            assert!(count == 0 || number & 1 == 1, "{number} does not see what changed");
            assert!(count <= 1, "{number} hears it once");
            now += count;
        }
        (told, slices, most) = (told + now, slices + 1, most.max(now));
        if ready {
            break;
        }
    }
    assert_eq!(told, 1 << (BITS - 1), "each that sees the change");
    assert_eq!(slices, clock.0.get() + 1);
    assert!(slices > 15 && most <= 16, "{slices} slices, at most {most} changes in one");
    assert_eq!(judgements.load(Relaxed), 2 * TOOLS, "the new catalog is judged once");
}

/// Refreshes overlap, end in any order, or are dropped; listeners connect and disconnect meanwhile.
#[test]
fn overlapping_refreshes_lose_and_repeat_nothing() {
    let mut dropped = 0;
    for seed in 0..40 {
        let random = &mut Random::new(seed);
        let (hub, clock) = (Listeners::default(), Slices::default());
        let config = config(&Arc::default());
        let mut versions = [0; BITS];
        let backends: RefCell<Vec<Rc<Backend>>> = RefCell::new(vec![Rc::new(backend(&config, &versions))]);
        let latest = || Rc::clone(backends.borrow().last().unwrap());
        // Each listener with its number, the changes that it received, and the number of catalogs when it connected.
        let mut listeners: Vec<(LocalBoxStream<'static, Change>, usize, usize, usize)> = Vec::new();
        let mut running: Vec<Pin<Box<dyn Future<Output = ()> + '_>>> = Vec::new();
        let mut context = Context::from_waker(Waker::noop());
        for step in 0..160 {
            match if step < 40 { 0 } else { random.below(12) } {
                0..4 => {
                    let number = random.below(1 << BITS);
                    let came = backends.borrow().len();
                    listeners.push((listener(&hub, &config, &latest(), number), number, 0, came));
                }
                4 if !listeners.is_empty() => _ = listeners.swap_remove(random.below(listeners.len())),
                5 => {
                    // Part 0 never changes, and part 1 with each catalog.
                    (versions[1], versions[2 + random.below(BITS - 2)]) = (versions[1] + 1, random.next());
                    let new = Rc::new(backend(&config, &versions));
                    backends.borrow_mut().push(Rc::clone(&new));
                    let (hub, clock, config) = (&hub, &clock, &config);
                    // The refresh begins as soon as the catalog exists.
                    let mut refresh = Box::pin(async move { hub.refreshed(clock, config, &new).await });
                    if refresh.as_mut().poll(&mut context).is_pending() {
                        running.push(refresh);
                    }
                }
                6 if !running.is_empty() && random.one_in(3) => {
                    drop(running.swap_remove(random.below(running.len())));
                    dropped += 1;
                }
                _ if !running.is_empty() => {
                    let at = random.below(running.len());
                    if running[at].as_mut().poll(&mut context).is_ready() {
                        drop(running.remove(at));
                    }
                }
                _ => {}
            }
            for (changes, _, count, _) in &mut listeners {
                *count += heard(changes);
            }
        }
        let mut last = std::pin::pin!(async { hub.refreshed(&clock, &config, &latest()).await });
        while last.as_mut().poll(&mut context).is_pending() {}
        for running in &mut running {
            assert!(running.as_mut().poll(&mut context).is_ready(), "seed {seed}: it is done with the last");
        }
        for (changes, number, count, came) in &mut listeners {
            *count += heard(changes);
            let catalogs = backends.borrow().len() - *came;
            // Each catalog differs for callers who see part 1.
            match *number >> 1 & 1 {
                1 => assert!(
                    (usize::from(catalogs > 0)..=catalogs).contains(count),
                    "seed {seed}: {count} of {catalogs}"
                ),
                _ => assert!(*count <= catalogs, "seed {seed}: {count} of {catalogs}"),
            }
            if *number == 1 || *number == 0 {
                assert_eq!(*count, 0, "seed {seed}: it sees nothing that changes");
            }
        }
        // A second comparison finds no difference.
        let mut again = std::pin::pin!(async { hub.refreshed(&clock, &config, &latest()).await });
        while again.as_mut().poll(&mut context).is_pending() {}
        assert!(listeners.iter_mut().all(|(changes, ..)| heard(changes) == 0), "seed {seed}: told twice");
    }
    assert!(dropped > 10, "{dropped} were dropped");
}
