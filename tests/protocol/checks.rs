//! Custom checks of a host: asynchronous, and run after those of the configuration.

use std::{cell::Cell, rc::Rc};

use futures_util::{FutureExt, future};
use http::{Method, StatusCode};
use mcp_sieve_gateway::{
    error::RpcError,
    host::{Caller, CheckResult, Clock},
};
use serde_json::{Value, json};

use crate::{
    client::{Client, json_of, modern, request, send},
    host::World,
};

fn initialize(world: &World) -> (http::response::Parts, Value) {
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    let (head, body) = send(world, &request(Method::POST, &[], &body));
    (head, json_of(body))
}

/// a check may wait, and no request is answered before it ends.
#[test]
fn a_check_may_wait() {
    let world = World::named("plain");
    let check_count = Rc::new(Cell::new(0));
    let count = Rc::clone(&check_count);
    world.checks_by(move |world, caller| {
        let (count, world, method) = (Rc::clone(&count), world.clone(), caller.method.to_string());
        async move {
            world.sleep(0).await;
            count.set(count.get() + 1);
            if method == "prompts/list" { Err(RpcError::check("no prompts for you")) } else { Ok(()) }
        }
        .boxed_local()
    });
    let client = Client::of(world.clone(), "2025-11-25", &json!({}));
    assert_eq!(check_count.get(), 1, "once for a session");
    client.ask("tools/list", json!({}));
    assert_eq!(check_count.get(), 1);
    let (head, body) = send(&world, &modern("prompts/list", json!({}), &json!({})));
    let refused = json!({"code": -32603, "message": "no prompts for you", "data": {"reason": "check"}});
    assert_eq!((head.status, &json_of(body)["error"]), (StatusCode::OK, &refused));
    assert_eq!(check_count.get(), 2, "at every request without one");
}

/// custom checks can limit connections by a quota, and requests by a rate.
#[test]
fn a_check_may_hold_a_quota_and_a_rate() {
    const QUOTA: usize = 2;
    const INTERVAL_MS: u64 = 60_000;
    let world = World::named("plain");
    let (connections, latest) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(None)));
    world.checks_by(move |world, _| {
        let checked = match latest.replace(Some(world.clock.get())) {
            _ if connections.get() == QUOTA => Err(RpcError::check("all 2 connections are taken")),
            Some(before) if before + INTERVAL_MS > world.clock.get() => {
                Err(RpcError::check("connect once a minute"))
            }
            _ => {
                connections.set(connections.get() + 1);
                Ok(())
            }
        };
        async { checked }.boxed_local()
    });
    let connect = || {
        let (head, body) = initialize(&world);
        assert_eq!(head.headers.contains_key("mcp-session-id"), body["error"].is_null(), "{body}");
        (body["error"]["code"].as_i64(), body["error"]["message"].as_str().map(str::to_owned))
    };
    let refused = |message: &str| (Some(-32603), Some(message.to_owned()));
    assert_eq!(connect(), (None, None));
    assert_eq!(connect(), refused("connect once a minute"));
    world.advance(INTERVAL_MS);
    assert_eq!(connect(), (None, None));
    world.advance(INTERVAL_MS);
    assert_eq!(connect(), refused("all 2 connections are taken"));
}

/// a check that breaks is a server error, and no request passes. A check that fails is neither.
#[test]
fn a_check_that_breaks_lets_nobody_in() {
    let world = World::named("plain");
    world.checks_by(|_, _| {
        async { Err(RpcError::internal("quota", "the quota store is down")) }.boxed_local()
    });
    let (head, body) = initialize(&world);
    assert_eq!(head.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert!(!head.headers.contains_key("mcp-session-id"), "no connection");
    assert_eq!(
        body["error"],
        json!({"code": -32603, "message": "the quota store is down", "data": {"reason": "quota"}})
    );
    let (head, _) = send(&world, &modern("tools/list", json!({}), &json!({})));
    assert_eq!(head.status, StatusCode::INTERNAL_SERVER_ERROR);

    for (failure, status) in [
        (RpcError::check("quota exceeded"), StatusCode::OK),
        (RpcError::request(StatusCode::FORBIDDEN, "scope", "not with this token"), StatusCode::FORBIDDEN),
    ] {
        let told = failure.message.clone();
        world.checks_by(move |_, _| {
            let failure = failure.clone();
            async { Err(failure) }.boxed_local()
        });
        let (head, body) = initialize(&world);
        assert_eq!((head.status, body["error"]["message"].as_str()), (status, Some(told.as_str())));
        assert!(!head.headers.contains_key("mcp-session-id"));
    }
}

/// the results of a check are values; [`mcp_sieve_gateway::host::Host::check`] returns them as a `Result`.
#[test]
fn a_check_says_its_result_in_words() {
    assert_eq!(CheckResult::success(), CheckResult::SUCCESS);
    assert_eq!((CheckResult::SUCCESS.is_error(), CheckResult::SUCCESS.message()), (false, None));
    assert!(CheckResult::SUCCESS.into_result().is_ok());
    let failed = CheckResult::error("come back later");
    assert_eq!((failed.is_error(), failed.message()), (true, Some("come back later")));
    let world = World::named("plain");
    world.checks_by(move |_, _| future::ready(failed.clone().into_result()).boxed_local());
    let (head, body) = initialize(&world);
    assert!(!head.headers.contains_key("mcp-session-id"));
    let error = json!({"code": -32603, "message": "come back later", "data": {"reason": "check"}});
    assert_eq!((head.status, &body["error"]), (StatusCode::OK, &error));
}

/// The proposal's worked example of a check in our own words: it reads the client's self-description and requires
/// sampling.
#[test]
fn the_printed_check_on_sampling() {
    fn perform(caller: &Caller<'_>) -> CheckResult {
        assert_eq!((caller.client_name(), caller.client_version()), (Some("c"), Some("1")));
        assert_eq!(caller.protocol.date(), "2025-11-25");
        let _asked = [caller.supports("elicitation"), caller.supports("roots")];
        if !caller.supports("sampling") {
            return CheckResult::error("This server needs a client with sampling");
        }
        CheckResult::success()
    }
    let world = World::named("plain");
    world.checks_by(|_, caller| future::ready(perform(caller).into_result()).boxed_local());
    assert_eq!(initialize(&world).1["error"]["message"], "This server needs a client with sampling");
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {"sampling": {}}, "clientInfo": {"name": "c", "version": "1"}});
    let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    let (head, body) = send(&world, &request(Method::POST, &[], &body));
    assert!(head.headers.contains_key("mcp-session-id"), "{}", json_of(body));
}
