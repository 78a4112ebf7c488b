//! Concerns that are not learned, and why.

use std::{cell::RefCell, rc::Rc};

use mcp_sieve_gateway::upstream::MAX_LEARNING_REQUESTS;
use serde_json::{Value, json};

use super::{
    config, listed, lists,
    mapped_server::{Form, mapped},
    methods, names, net, refreshed,
};
use crate::{
    gateway::{Servers, gateway},
    net::{Reply, Seen},
    server::error,
};

#[test]
fn concerns_beyond_the_requests_of_one_listing_are_reported() {
    let server = mapped(Form::Filter);
    let values: Vec<String> = (0..8).map(|at| format!("v{at}")).collect();
    // Eight values in two lists take 16 requests, so that three concerns fit.
    let concern = |at: usize| json!({"name": format!("c{at}"), "values": values});
    server.borrow_mut().concerns = (0..4).map(concern).collect();
    for (at, (_, mapping)) in server.borrow_mut().primitives.get_mut("tools").unwrap().iter_mut().enumerate()
    {
        *mapping = json!({"c0": ["v0"], "c2": [format!("v{at}")], "c3": ["v1"]});
    }
    let (net, config) = (net(&server), config(None));
    let served = listed(&gateway(&config.upstreams), &net, &config);
    assert_eq!(lists(&methods(&net, 0)), MAX_LEARNING_REQUESTS + 2);
    assert_eq!(
        served.notes,
        [
            "declarations: server `a`: the concern `c3` is not learned: its values take 16 requests, and 0 of the 48 for one listing are left",
            "concerns: server `a`: no primitive has a value of the concern `c1`",
            "concerns: server `a`: no primitive has a value of the concern `c3`",
        ]
    );
    let third = names(&served.backend, &config, "tools", &json!({"c2": "v3"}));
    assert_eq!(third, (vec!["hashData".to_owned()], vec![]));
    // A concern without values hides nothing, and callers do not know it.
    let (all, ignored) = names(&served.backend, &config, "tools", &json!({"c3": "v7"}));
    assert_eq!((all.len(), ignored), (5, vec!["concerns.c3".to_owned()]));
}

#[test]
fn ranges_of_many_numbers_are_reported() {
    let server = mapped(Form::Filter);
    let range =
        |max: f64, step: Value| json!({"name": "depth", "values": {"min": 0, "max": max, "step": step}});
    for (range, is_learned) in [
        (range(15.0, Value::Null), true),
        (range(30.0, json!(2)), true),
        (range(16.0, Value::Null), false),
        (range(1.0, json!(0.5)), false),
    ] {
        let mut range = range;
        if range["values"]["step"].is_null() {
            range["values"].as_object_mut().unwrap().remove("step");
        }
        server.borrow_mut().concerns = json!([range]);
        let (net, config) = (net(&server), config(None));
        let served = listed(&gateway(&config.upstreams), &net, &config);
        let deep = names(&served.backend, &config, "tools", &json!({"depth": 0})).0;
        assert_eq!(!deep.contains(&"guessData".to_owned()), is_learned, "{range}");
        let problem = "declarations: server `a`: the concern `depth` is not learned: only ranges of at most 16 whole numbers can be learned";
        assert_eq!(
            served.notes.iter().any(|note| note == problem),
            !is_learned,
            "{range}: {:?}",
            served.notes
        );
    }
}

#[test]
fn a_list_that_fails_costs_no_tool_and_is_tried_again() {
    let server = mapped(Form::Meta);
    let fails = Rc::new(RefCell::new(false));
    let servers = Servers::default();
    let (behind, broken) = (Rc::clone(&server), Rc::clone(&fails));
    servers.set("a", move |seen: &Seen| match seen.body["params"]["_meta"]["concerns"]["cost"].is_string() {
        true if *broken.borrow() => Reply::Lost,
        _ => behind.borrow_mut().answer(seen),
    });
    let (net, config) = (servers.net(), config(None));
    let gateway = gateway(&config.upstreams);
    *fails.borrow_mut() = true;
    let served = listed(&gateway, &net, &config);
    let [problem, idle] = &served.notes[..] else { panic!("{:?}", served.notes) };
    assert!(
        problem.starts_with("declarations: server `a`: the concern `cost` is not learned: "),
        "{problem}"
    );
    assert_eq!(idle, "concerns: server `a`: no primitive has a value of the concern `cost`");
    assert_eq!(names(&served.backend, &config, "tools", &json!({"cost": "minimal"})).0.len(), 5);
    assert_eq!(names(&served.backend, &config, "tools", &json!({"security": "low"})).0, ["validateData"]);

    *fails.borrow_mut() = false;
    let again = || refreshed(&gateway, &net, &config, 2_000);
    let cheap = ["encryptData", "logData", "validateData", "guessData"];
    assert_eq!(names(&again().backend, &config, "tools", &json!({"cost": "minimal"})).0, cheap);
    // Values that were learned stay while the server fails.
    *fails.borrow_mut() = true;
    gateway.expire_server("a");
    assert_eq!(names(&again().backend, &config, "tools", &json!({"cost": "minimal"})).0, cheap);
}

#[test]
fn a_refusal_is_final_until_the_lists_change() {
    let server = mapped(Form::Meta);
    let servers = Servers::default();
    let behind = Rc::clone(&server);
    servers.set("a", move |seen: &Seen| match seen.body["params"]["_meta"]["concerns"].is_object() {
        true => error(seen, 200, json!({"code": -32602, "message": "unknown member"})),
        false => behind.borrow_mut().answer(seen),
    });
    let (net, config) = (servers.net(), config(None));
    let gateway = gateway(&config.upstreams);
    let served = listed(&gateway, &net, &config);
    assert_eq!(
        served.notes[0],
        "declarations: server `a`: the concern `security` is not learned: `tools/list` with a value of it is refused: unknown member"
    );
    let from = net.methods().len();
    refreshed(&gateway, &net, &config, 2_000);
    assert_eq!(lists(&methods(&net, from)), 2);
}
