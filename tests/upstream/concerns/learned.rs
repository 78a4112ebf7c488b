//! Values that are learned from lists, and when.

use mcp_sieve::Kind;
use mcp_sieve_gateway::upstream::{Listing, MAX_LEARNING_REQUESTS, Served};
use serde_json::json;

use super::{
    config, listed, lists,
    mapped_server::{FORMS, Form, mapped},
    methods, names, net, refreshed,
};
use crate::gateway::gateway;

#[test]
fn lists_are_filtered_as_by_the_server_in_every_form_that_it_takes() {
    for form in FORMS {
        let server = mapped(form);
        let (net, config) = (net(&server), config(None));
        let gateway = gateway(&config.upstreams);
        let served = listed(&gateway, &net, &config);
        let backend = &served.backend;
        let keeps = |note: &String| note.contains(" keeps sessions; ");
        assert!(served.notes.iter().all(keeps), "{form:?}: {:?}", served.notes);
        let asked = [
            json!({}),
            json!({"security": "high"}),
            json!({"security": "medium"}),
            json!({"security": "low"}),
            json!({"cost": "minimal"}),
            json!({"cost": "moderate"}),
            json!({"depth": 1}),
            json!({"depth": "2"}),
            json!({"depth": 3}),
            json!({"security": "high", "cost": "moderate"}),
            json!({"security": "medium", "cost": "minimal", "depth": 2}),
        ];
        for concerns in asked {
            for list in ["tools", "prompts"] {
                let direct = server.borrow().names(list, &concerns);
                let found = names(backend, &config, list, &concerns);
                assert_eq!(found, (direct, vec![]), "{form:?}: {list} with {concerns}");
            }
        }
        // The mapping stays internal.
        let tools = backend.guarded.catalog().kind_index(Kind::Tool);
        let first = String::from_utf8(tools.bytes(0).unwrap().to_vec()).unwrap();
        assert_eq!(first, r#"{"inputSchema":{"type":"object"},"name":"encryptData"}"#);
        let all = methods(&net, 0).len();
        assert!(all <= MAX_LEARNING_REQUESTS + 8, "{form:?}: {all} requests");
        // Only the session in which the plain lists were fetched stays open.
        let open = server.borrow().open;
        assert_eq!(open, usize::from(server.borrow().has_sessions()), "{form:?}");

        // Another process serves the same.
        for (_, listing) in gateway.listings() {
            assert_eq!(Listing::read(&listing.to_bytes()).unwrap(), *listing);
        }
        let taker = crate::gateway::gateway(&config.upstreams);
        let adopted = taker.adopt(gateway.share(net.now(), None).unwrap(), &config).unwrap();
        let cheap = names(&adopted.served.backend, &config, "tools", &json!({"cost": "minimal"}));
        assert_eq!(cheap.0, server.borrow().names("tools", &json!({"cost": "minimal"})), "{form:?}");
    }
}

#[test]
fn values_are_learned_again_after_a_change_and_not_at_expiry() {
    let server = mapped(Form::Filter);
    let (net, config) = (net(&server), config(None));
    let gateway = gateway(&config.upstreams);
    let mut from = 0;
    let mut again = |is_changed: bool, ms: u64| {
        if is_changed {
            gateway.expire_server("a");
        }
        let served = refreshed(&gateway, &net, &config, ms);
        let new = methods(&net, from);
        from = net.methods().len();
        (served, lists(&new))
    };
    // Two plain lists, and two for each of eight values.
    assert_eq!(again(false, 0).1, 18);
    let cheap = |served: &Served| names(&served.backend, &config, "tools", &json!({"cost": "minimal"})).0;
    let (served, count) = again(false, 2_000);
    assert_eq!(count, 2);
    assert!(!served.replaced);
    assert_eq!(cheap(&served), ["encryptData", "logData", "validateData", "guessData"]);

    // The server maps a tool otherwise and reports that its lists changed.
    server.borrow_mut().primitives.get_mut("tools").unwrap()[1].1 = json!({"cost": ["moderate"]});
    let (served, count) = again(true, 0);
    assert_eq!(count, 18);
    assert_eq!(cheap(&served), ["encryptData", "validateData", "guessData"]);
    assert_eq!(again(false, 2_000).1, 2);

    // It lists another tool and reports nothing.
    let tool = ("signData".to_owned(), json!({"cost": ["minimal"]}));
    server.borrow_mut().primitives.get_mut("tools").unwrap().push(tool);
    let (served, count) = again(false, 2_000);
    assert_eq!(count, 18);
    assert_eq!(cheap(&served), ["encryptData", "validateData", "guessData", "signData"]);
}

#[test]
fn the_values_of_stored_lists_are_not_learned_again() {
    let server = mapped(Form::Filter);
    let (net, config) = (net(&server), config(None));
    let before = gateway(&config.upstreams);
    listed(&before, &net, &config);
    let from = net.methods().len();
    let after = gateway(&config.upstreams);
    for (source, listing) in before.listings() {
        assert!(after.restore(source, listing, net.now()));
    }
    let served = refreshed(&after, &net, &config, 0);
    assert_eq!(lists(&methods(&net, from)), 2);
    let dear = names(&served.backend, &config, "tools", &json!({"cost": "moderate"})).0;
    assert_eq!(dear, ["logData", "validateData", "hashData", "guessData"]);
}
