//! Rate limits and limits for concurrent requests, tested with a clock under control.

use http::{Method, Request};
use mcp_sieve_gateway::{
    config::{Limits, Rate},
    error::RpcError,
    limits::{LEASE_MS, RateLimiter, Weight, network},
    server::{Body, Inbound},
};
use serde_json::{Value, json};

const ONE: Weight = Weight { messages: 1, busy: 1 };
const HOUR_MS: u64 = 3_600_000;

fn rate(requests: u32, seconds: u32) -> Limits {
    Limits { rate: Some(Rate { requests, seconds }), concurrent: None }
}

#[test]
fn a_limiter_continues_from_a_stored_time() {
    let limits = rate(5, 60);
    let (mut before, mut after) = (RateLimiter::default(), RateLimiter::default());
    for _ in 0..5 {
        assert_eq!(before.enter(&limits, ONE, 1_000_000), Ok(None));
    }
    assert_eq!(before.due(), 1_060_000);
    after.continue_from(before.due());
    for limiter in [&mut before, &mut after] {
        assert_eq!(limiter.enter(&limits, ONE, 1_011_000), Err(1));
        assert_eq!(limiter.enter(&limits, ONE, 1_012_000), Ok(None));
    }
}

#[test]
fn a_rate_allows_a_burst_and_then_one_request_after_another() {
    let (mut limiter, limits) = (RateLimiter::default(), rate(7, 60));
    let start = 1_800_000_000_000;
    for _ in 0..7 {
        assert_eq!(limiter.enter(&limits, ONE, start), Ok(None));
    }
    assert_eq!(limiter.enter(&limits, ONE, start), Err(9), "60 s / 7");
    assert_eq!(limiter.enter(&limits, ONE, start + 8_000), Err(1));
    assert_eq!(limiter.enter(&limits, ONE, start + 9_000), Ok(None));
    assert_eq!(limiter.enter(&limits, ONE, start + 9_000), Err(9));
    // In the long run, a caller that sends all the time gets no more than the rate.
    let passed = (0..600_000)
        .step_by(100)
        .filter(|ms| limiter.enter(&limits, ONE, start + HOUR_MS + ms).is_ok())
        .count();
    assert_eq!(passed, 7 + 70 - 1);
}

#[test]
fn a_request_after_the_reported_delay_is_allowed() {
    for (requests, seconds) in [(1, 1), (3, 1), (1, 60), (120, 60), (1_000_000, 1), (u32::MAX, 60)] {
        let (mut limiter, limits) = (RateLimiter::default(), rate(requests, seconds));
        let mut now = 5_000;
        for _ in 0..1_000 {
            match limiter.enter(&limits, ONE, now) {
                Ok(_) => {}
                Err(wait) => {
                    assert!((1..=u64::from(seconds)).contains(&wait), "{requests} in {seconds} s: {wait}");
                    now += wait * 1000;
                    assert_eq!(limiter.enter(&limits, ONE, now), Ok(None), "{requests} in {seconds} s");
                }
            }
        }
    }
}

#[test]
fn a_batch_counts_its_messages_up_to_the_whole_rate() {
    let (mut limiter, limits) = (RateLimiter::default(), rate(10, 10));
    let batch = |messages| Weight { messages, busy: 1 };
    assert_eq!(limiter.enter(&limits, batch(8), 0), Ok(None));
    assert_eq!(limiter.enter(&limits, batch(3), 0), Err(1));
    assert_eq!(limiter.enter(&limits, batch(2), 0), Ok(None));
    assert_eq!(limiter.enter(&limits, batch(100), 0), Err(10));
    assert_eq!(limiter.enter(&limits, batch(100), 10_000), Ok(None));
}

#[test]
fn a_clock_that_is_set_back_blocks_no_caller() {
    let limits = Limits { concurrent: Some(1), ..rate(2, 10) };
    let mut limiter = RateLimiter::default();
    assert!(limiter.enter(&limits, ONE, HOUR_MS * 24 * 365).is_ok());
    // Requests from before the clock moved have long ended; at most the rate is used up.
    assert_eq!(limiter.enter(&limits, ONE, 1_000), Err(5));
    assert!(limiter.enter(&limits, ONE, 6_000).is_ok());
    // The clock jumps forward again.
    assert_eq!(limiter.enter(&limits, ONE, u64::MAX / 1000).map(|_| ()), Ok(()));
}

#[test]
fn concurrent_requests_are_limited_until_they_end_or_their_lease_expires() {
    let limits = Limits { rate: None, concurrent: Some(2) };
    let mut limiter = RateLimiter::default();
    let first = limiter.enter(&limits, ONE, 0).unwrap().unwrap();
    assert!(limiter.enter(&limits, ONE, 0).is_ok());
    assert_eq!(limiter.enter(&limits, ONE, 0), Err(1));
    assert_eq!(
        limiter.enter(&limits, Weight { busy: 0, ..ONE }, 0),
        Ok(None),
        "a request that only listens does not count"
    );
    limiter.leave(first);
    limiter.leave(first);
    limiter.leave(99);
    assert!(limiter.enter(&limits, ONE, 1).is_ok());
    assert_eq!(limiter.enter(&limits, ONE, LEASE_MS - 1), Err(1));
    assert!(limiter.enter(&limits, ONE, LEASE_MS).is_ok(), "nobody saw the second end");
    assert_eq!(limiter.enter(&limits, ONE, LEASE_MS), Err(1));
    // A request that reports that it continues does not lose its lease.
    let mut limiter = RateLimiter::default();
    let (first, second) = (limiter.enter(&limits, ONE, 0), limiter.enter(&limits, ONE, 0));
    limiter.stay(first.unwrap().unwrap(), LEASE_MS - 1);
    assert!(limiter.enter(&limits, ONE, LEASE_MS).is_ok());
    limiter.stay(second.unwrap().unwrap(), LEASE_MS);
    assert_eq!(limiter.enter(&limits, ONE, LEASE_MS), Err(1), "what was given up does not come back");
}

#[test]
fn a_batch_counts_each_of_its_requests_as_concurrent() {
    let limits = Limits { rate: None, concurrent: Some(3) };
    let mut limiter = RateLimiter::default();
    let two = limiter.enter(&limits, Weight { messages: 2, busy: 2 }, 0).unwrap().unwrap();
    assert_eq!(limiter.enter(&limits, Weight { messages: 2, busy: 2 }, 0), Err(1));
    assert!(limiter.enter(&limits, ONE, 0).is_ok());
    assert_eq!(limiter.enter(&limits, ONE, 0), Err(1));
    limiter.leave(two);
    assert!(limiter.enter(&limits, Weight { messages: 2, busy: 2 }, 0).is_ok());
}

#[test]
fn the_body_is_counted_for_what_the_headers_omit() {
    let limits = Limits { concurrent: Some(1), ..rate(10, 10) };
    let head = |headers: &[&'static str]| {
        let mut request = Request::post("/mcp");
        for value in headers {
            request = request.header("mcp-method", *value);
        }
        Weight::of_head(&request.body(()).unwrap())
    };
    let quiet = Weight { messages: 1, busy: 0 };
    assert_eq!(head(&["tools/call"]), ONE);
    // Without the header, a request of a session may be a response that a call waits for.
    for headers in [&[][..], &["subscriptions/listen"], &["notifications/cancelled"], &["ping"]] {
        assert_eq!(head(headers), quiet, "{headers:?}");
    }
    assert_eq!(Weight::of_head(&Request::get("/mcp").body(()).unwrap()), quiet);

    let rest = |messages, busy, head: Weight| Weight { messages, busy }.rest(head, &limits);
    assert_eq!(rest(1, 1, ONE), None);
    assert_eq!(rest(1, 0, ONE), None, "it turned out to listen");
    assert_eq!(rest(4, 1, ONE), Some(Weight { messages: 3, busy: 0 }));
    assert_eq!(rest(100, 1, ONE), Some(Weight { messages: 9, busy: 0 }), "no more than the rate");
    assert_eq!(rest(1, 1, quiet), Some(Weight { messages: 0, busy: 1 }), "no header said so");
    let few = Limits { concurrent: Some(3), ..limits };
    assert_eq!(Weight { messages: 5, busy: 5 }.rest(quiet, &few), Some(Weight { messages: 4, busy: 3 }));
    assert_eq!(Weight { messages: 5, busy: 5 }.rest(ONE, &few), Some(Weight { messages: 4, busy: 2 }));
    // The request counts as much as both parts together.
    let mut limiter = RateLimiter::default();
    assert_eq!(limiter.enter(&limits, ONE, 0), Ok(Some(1)));
    assert_eq!(limiter.enter(&limits, rest(100, 1, ONE).unwrap(), 0), Ok(None));
    assert_eq!(limiter.enter(&limits, quiet, 0), Err(1), "all of the rate is used");
}

#[test]
fn the_weight_of_a_request_depends_on_its_messages() {
    let of = |method: Method, body: Value| {
        let request = Request::builder().method(method).body(body.to_string().into_bytes()).unwrap();
        Inbound::read(&request).weight()
    };
    let message = |method: &str| json!({"jsonrpc": "2.0", "id": 1, "method": method});
    assert_eq!(of(Method::POST, message("tools/call")), ONE);
    let quiet = Weight { messages: 1, busy: 0 };
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    let response = json!({"jsonrpc": "2.0", "id": 1, "result": {}});
    let three = |busy| Weight { messages: 3, busy };
    assert_eq!(of(Method::POST, json!([cancelled, response, message("ping")])), three(0));
    assert_eq!(of(Method::POST, json!([cancelled, 1, message("tools/list")])), three(1));
    for body in
        [cancelled, response, message("ping"), message("subscriptions/listen"), json!([]), json!("what")]
    {
        assert_eq!(of(Method::POST, body.clone()), quiet, "{body}");
    }
    assert_eq!(of(Method::GET, json!(null)), quiet);
}

#[test]
fn addresses_are_grouped_by_network() {
    for (address, expected) in [
        ("203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::ffff", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.7", "::ffff:203.0.113.7"),
        ("unknown", "unknown"),
    ] {
        assert_eq!(network(address), expected);
    }
}

#[test]
fn rate_limited_requests_get_http_429() {
    let response = RpcError::too_many_requests(9).into_response();
    assert_eq!(
        (response.status().as_u16(), &response.headers()["retry-after"]),
        (429, &"9".parse().unwrap())
    );
    let Body::Json(json) = response.into_body() else { panic!("expected JSON") };
    let error = &serde_json::from_slice::<Value>(&json).unwrap()["error"];
    assert_eq!(error["data"], json!({"reason": "rate_limited", "retryAfter": 9}));
    assert!(!(-32_099..=-32_000).contains(&error["code"].as_i64().unwrap()), "{error}");
}
