//! The polling of upstream tasks.

use mcp_sieve_gateway::tasks::PollTurns;
use serde_json::json;

use super::{
    caller::{Caller, EXTENSION, ids, world},
    streams::next,
};
use crate::{
    client::{Frames, frames_of, json_of, modern},
    upstream_server::far,
};

/// The state at the server decides which tasks a list holds. A Worker may send a limited number of requests, so a list
/// asks for the newest 300.
#[test]
fn open_tasks_of_servers_behind_are_refreshed_before_a_list() {
    const OPEN: usize = 320;
    let (world, _) = world("tasks");
    let caller = Caller::modern(&world, Some("alice-token"));
    (1..=OPEN).for_each(|at| {
        caller.begin(if at % 2 == 0 { "far-modern" } else { "far-legacy" });
        far::become_(at, json!({"status": "completed", "result": {"content": []}}));
    });
    let polled = || {
        far::REQUESTS.with_borrow(|requests| {
            requests.iter().filter(|request| request.starts_with("tasks/get")).count()
        })
    };
    for expected in [300, OPEN] {
        caller.list(json!({}));
        assert_eq!(polled(), expected);
    }
    let listed = |status: &str| {
        let (mut found, mut params) = (0, json!({"filter": {"status": [status]}}));
        loop {
            let page = caller.list(params.clone());
            found += ids(&page).len();
            match page["result"]["nextCursor"].as_str() {
                Some(next) => params["cursor"] = json!(next),
                None => return found,
            }
        }
    };
    assert_eq!((listed("working"), listed("completed")), (0, OPEN));
}

#[test]
fn a_list_waits_five_seconds_for_servers_behind() {
    let (world, _) = world("tasks");
    let caller = Caller::modern(&world, Some("alice-token"));
    let ids = [caller.begin("far-modern"), caller.begin("far-modern")];
    far::become_(1, json!({"silent": true}));
    far::become_(2, json!({"status": "completed", "result": {"content": []}}));
    let capabilities = json!({"extensions": {EXTENSION: {}}});
    let sent = modern("dev.mcpsieve/tasks/query", json!({}), &capabilities);
    let claims = &world.tokens["alice-token"];
    let mut reply = std::pin::pin!(world.handle(Ok(Some(claims)), &sent));
    for ms in [0, 4_999] {
        world.advance(ms);
        assert!(world.settle(reply.as_mut()).is_none(), "{ms}");
    }
    world.advance(1);
    let listed = json_of(world.run(reply).into_parts().1);
    let status = |id: &String| {
        let tasks = listed["result"]["tasks"].as_array().unwrap();
        tasks.iter().find(|task| task["taskId"] == **id).unwrap()["status"].clone()
    };
    assert_eq!(ids.each_ref().map(status), ["working", "completed"]);
}

/// The server of a task sees as many polls as of one stream.
#[test]
fn streams_of_one_upstream_task_share_its_polls() {
    let (world, _) = world("tasks");
    let caller = Caller::modern(&world, None);
    let id = caller.begin("far-modern");
    let listen = || {
        let selectors = json!({"notifications": {"taskIds": [id]}});
        let mut frames = frames_of(caller.open("subscriptions/listen", selectors));
        next(&world, &mut frames);
        next(&world, &mut frames);
        frames
    };
    let mut streams: Vec<Frames> = (0..5).map(|_| listen()).collect();
    let polls = || {
        far::REQUESTS.with_borrow(|requests| {
            requests.iter().filter(|request| request.starts_with("tasks/get")).count()
        })
    };
    let before = polls();
    let mut step = |ms: u64| {
        world.advance(ms);
        let told = streams.iter_mut().map(|frames| world.settle(futures_util::StreamExt::next(frames)));
        told.flatten().count()
    };
    for (ms, polled) in [(0, 0), (1_000, 1), (1_000, 2), (1_000, 3)] {
        assert_eq!((step(ms), polls() - before), (0, polled));
    }
    far::become_(1, json!({"status": "completed", "result": {"content": []}}));
    assert_eq!((step(1_000), polls() - before), (5, 4), "each is told what one has found");
}

#[test]
fn a_turn_lasts_for_the_pause_whatever_the_clock_does() {
    let turns = PollTurns::default();
    let taken = [(5_000, true), (5_999, false), (6_000, true), (9, true), (10, false), (1_009, true)];
    for (now, expected) in taken {
        assert_eq!(turns.take("task", now, 1_000), expected, "{now}");
    }
    // Beyond the limit no turn is recorded, so that each stream polls.
    (0..20_000).for_each(|at| assert!(turns.take(&format!("task {at}"), 2_000, 1_000)));
    assert!(!turns.take("task 0", 2_500, 1_000));
    assert!(turns.take("task 19999", 2_500, 1_000));
}
