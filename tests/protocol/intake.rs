//! Memory limits for request bodies in one isolate, and requests that are answered without their body.

use std::rc::Rc;

use http::{Method, Request};
use mcp_sieve_gateway::{
    error::RpcError,
    server::{
        AcceptedHead, BODY_MS, BODY_PACE, Body, BodyReader, Intake, Lease, MAX_ALL_AWAITED, MAX_AWAITED,
        MAX_BODIES, MAX_BODY, MAX_CALLER_BODIES, SMALL_BODIES, SMALL_BODY,
    },
};
use serde_json::{Value, json};

use crate::host::World;

const PIECE: usize = 4096;

/// Reads this many bytes in pieces, all at time 0.
fn fill(reading: &mut BodyReader, mut bytes: usize) -> Result<(), RpcError> {
    while bytes > 0 {
        let piece = vec![b' '; bytes.min(PIECE)];
        reading.push(&piece, 0)?;
        bytes -= piece.len();
    }
    Ok(())
}

/// Reads a whole body and returns its lease.
fn whole(intake: &Rc<Intake>, caller: &str, bytes: usize) -> Result<Lease, RpcError> {
    let mut reading = intake.read(caller, Some(bytes), 0);
    fill(&mut reading, bytes)?;
    let (body, lease) = reading.end();
    assert_eq!(body.len(), bytes);
    Ok(lease)
}

fn reason(failure: &RpcError) -> (u16, &str) {
    (failure.status.as_u16(), failure.data.as_ref().unwrap()["reason"].as_str().unwrap())
}

#[test]
fn bodies_of_all_callers_fit_into_one_limit() {
    let intake = Rc::new(Intake::default());
    let mut held = Vec::new();
    let refused = (0..500).filter(|number| match whole(&intake, &format!("{number}"), 3_900_000) {
        Ok(lease) => {
            held.push(lease);
            false
        }
        Err(failure) => {
            assert_eq!(reason(&failure), (503, "body_limit"));
            assert_eq!(failure.asked_again_after(), Some(1));
            true
        }
    });
    assert_eq!(refused.count(), 500 - (MAX_BODIES - SMALL_BODIES) / 3_900_000);
    assert_eq!(intake.bytes(), held.len() * 3_900_000, "what was refused takes nothing");
    // Small bodies are still accepted, in the part of the memory that large ones may not use.
    let small: Vec<_> =
        (0..SMALL_BODIES / SMALL_BODY).map(|_| whole(&intake, "", SMALL_BODY).unwrap()).collect();
    assert!(intake.bytes() <= MAX_BODIES);
    drop((held, small));
    assert_eq!(intake.bytes(), 0);
}

#[test]
fn small_bodies_have_a_limit_as_well() {
    let intake = Rc::new(Intake::default());
    let most = MAX_BODIES / SMALL_BODY;
    let held: Vec<_> = (0..most + 3).map_while(|_| whole(&intake, "", SMALL_BODY).ok()).collect();
    assert_eq!(held.len(), most);
    assert_eq!(reason(&whole(&intake, "", 1).unwrap_err()), (503, "body_limit"));
}

#[test]
fn a_caller_has_two_bodies_of_the_maximum_length() {
    let intake = Rc::new(Intake::default());
    let one = whole(&intake, "alice", MAX_BODY).unwrap();
    let _two = whole(&intake, "alice", MAX_BODY).unwrap();
    assert_eq!(intake.bytes(), MAX_CALLER_BODIES);
    assert_eq!(reason(&whole(&intake, "alice", SMALL_BODY + 1).unwrap_err()), (503, "body_limit"));
    assert!(whole(&intake, "alice", SMALL_BODY).is_ok(), "small ones pass");
    assert!(whole(&intake, "bob", MAX_BODY).is_ok());
    drop(one);
    assert!(whole(&intake, "alice", MAX_BODY).is_ok());
}

#[test]
fn a_body_takes_no_more_memory_than_it_needs() {
    let intake = Rc::new(Intake::default());
    // A length that is declared but not sent takes no memory.
    let mut reading = intake.read("", Some(MAX_BODY), 0);
    assert_eq!(intake.bytes(), 0);
    fill(&mut reading, 3 * PIECE).unwrap();
    assert_eq!(intake.bytes(), 4 * PIECE, "counted as allocated");
    drop(reading);
    for length in [None, Some(10), Some(usize::MAX)] {
        let mut reading = intake.read("", length, 0);
        while reading.push(&[b' '; PIECE], 0).is_ok() {}
        let (body, _lease) = reading.end();
        assert_eq!((body.len(), body.capacity()), (MAX_BODY, MAX_BODY), "{length:?}");
        assert_eq!(intake.bytes(), MAX_BODY);
    }
}

#[test]
fn a_body_that_arrives_too_slowly_ends() {
    let intake = Rc::new(Intake::default());
    let mut reading = intake.read("", None, 1_000);
    assert_eq!(reading.left(1_000), BODY_MS);
    reading.push(b"{", 1_000 + BODY_MS - 1).unwrap();
    assert_eq!(reading.left(1_000 + BODY_MS), 0);
    let failure = reading.push(b"}", 1_000 + BODY_MS).unwrap_err();
    assert_eq!(reason(&failure), (408, "body_timeout"));
    // A body that arrives in pieces may continue at the minimum pace.
    let mut reading = intake.read("", None, 0);
    let second = vec![b' '; BODY_PACE as usize * 1000];
    let limit = (0..).take_while(|second_number| reading.push(&second, second_number * 1000).is_ok()).count();
    assert_eq!(limit, MAX_BODY / second.len(), "a body at the pace arrives whole: {limit} s");
    let mut reading = intake.read("", None, 0);
    let slow = (0..).take_while(|number| reading.push(&second[32_000..], number * 1000).is_ok()).count();
    assert!((10..30).contains(&slow), "one at half the pace ends: {slow} s");
}

#[test]
fn few_bodies_are_awaited_whole() {
    let intake = Rc::new(Intake::default());
    let begun = |length, now| intake.read("alice", length, now);
    for length in [None, Some(MAX_AWAITED + 1), Some(usize::MAX)] {
        assert_eq!(begun(length, 0).awaits(0), None, "{length:?}");
    }
    let mut awaited: Vec<_> =
        (0..MAX_ALL_AWAITED / MAX_AWAITED).map(|_| begun(Some(MAX_AWAITED), 0)).collect();
    for reading in &mut awaited {
        assert_eq!(reading.awaits(0), Some(BODY_MS + MAX_AWAITED as u64 / BODY_PACE));
    }
    assert_eq!(intake.bytes(), 0, "nothing is allocated for what is awaited");
    // Other bodies are read in pieces until one of these has arrived or was given up.
    assert_eq!(begun(Some(1), 0).awaits(0), None);
    let (body, lease) = awaited.remove(0).whole(vec![b' '; MAX_AWAITED], 0).unwrap();
    assert_eq!((body.len(), intake.bytes()), (MAX_AWAITED, MAX_AWAITED));
    let mut next = begun(Some(MAX_AWAITED), 0);
    assert!(next.awaits(0).is_some() && begun(Some(1), 0).awaits(0).is_none());
    drop((next, lease));
    assert_eq!(intake.bytes(), 0);
    assert!(begun(Some(MAX_AWAITED), 0).awaits(0).is_some());
    std::mem::forget(awaited);
    let mut filling = begun(Some(MAX_AWAITED), 90_001);
    assert!(filling.awaits(90_001).is_some() && begun(Some(MAX_AWAITED), 90_001).awaits(90_001).is_some());
}

#[test]
fn a_body_that_is_awaited_whole_has_the_same_limits() {
    let intake = Rc::new(Intake::default());
    let arrived = |length: usize, now| intake.read("alice", Some(length), 0).whole(vec![b' '; length], now);
    let late = |length: usize| BODY_MS + length as u64 / BODY_PACE;
    assert!(arrived(MAX_AWAITED, late(MAX_AWAITED) - 1).is_ok());
    let refused = |length, now| {
        let failure = arrived(length, now).unwrap_err();
        let (status, reason) = reason(&failure);
        (status, reason.to_owned())
    };
    assert_eq!(refused(MAX_AWAITED, late(MAX_AWAITED)), (408, "body_timeout".to_owned()));
    assert_eq!(refused(10, BODY_MS), (408, "body_timeout".to_owned()));
    assert_eq!(refused(MAX_BODY + 1, 0), (413, "body_too_large".to_owned()));
    let held: Vec<_> = (0..MAX_CALLER_BODIES / MAX_BODY).map(|_| arrived(MAX_BODY, 0).unwrap()).collect();
    assert_eq!(refused(MAX_AWAITED, 0), (503, "body_limit".to_owned()));
    drop(held);
    assert!(arrived(MAX_AWAITED, 0).is_ok());
}

#[test]
fn bodies_that_nothing_ends_are_forgotten() {
    let intake = Rc::new(Intake::default());
    std::mem::forget((whole(&intake, "alice", MAX_BODY), whole(&intake, "alice", MAX_BODY)));
    let late = |now| {
        let mut reading = intake.read("alice", None, now);
        reading.push(&vec![b' '; MAX_BODY], now)
    };
    assert!(late(90_000).is_err());
    assert!(late(90_001).is_ok());
    assert_eq!(intake.bytes(), 0);
}

/// Returns the response to a request that its head alone decides, if it does.
fn early(config: Value, claims: Result<(), RpcError>, head: &Request<()>) -> Option<(u16, String)> {
    let Value::Object(config) = config else { panic!("a configuration is an object") };
    let world = World::listing(json!({"tools": []}), config);
    let answered = AcceptedHead::read(&world.config, &world, claims.map(|()| None), head);
    answered.err().map(|response| {
        let status = response.status().as_u16();
        let Body::Json(json) = response.into_body() else { return (status, String::new()) };
        let json: Value = serde_json::from_slice(&json).unwrap();
        (status, json["error"]["data"]["reason"].as_str().unwrap_or_default().to_owned())
    })
}

#[test]
fn a_head_alone_decides_most_refusals() {
    let post = || Request::post("https://sieve.example/mcp").header("content-type", "application/json");
    let built = |builder: http::request::Builder| builder.body(()).unwrap();
    let none = || json!({});
    let auth = json!({"auth": {
        "issuer": "https://issuer.example", "audience": ["a"], "jwks": "https://issuer.example/jwks",
    }});
    let refused = |status: u16, reason: &str| Some((status, reason.to_owned()));

    assert_eq!(early(none(), Ok(()), &built(post())), None);
    assert_eq!(early(none(), Ok(()), &built(post().header("content-length", MAX_BODY))), None);
    assert_eq!(early(none(), Ok(()), &built(Request::get("/mcp"))), None);
    assert_eq!(early(none(), Ok(()), &built(Request::delete("/mcp"))), None);
    let long = ["4194305", "99999999999999999999999999"];
    for length in long {
        let head = built(post().header("content-length", length));
        assert_eq!(early(none(), Ok(()), &head), refused(413, "body_too_large"));
    }
    assert_eq!(early(none(), Ok(()), &built(Request::post("/mcp"))), refused(415, "content_type"));
    assert_eq!(early(none(), Ok(()), &built(Request::put("/mcp"))), refused(405, "verb"));
    let preflight = built(Request::builder().method(Method::OPTIONS).uri("/mcp"));
    assert_eq!(early(none(), Ok(()), &preflight), refused(204, ""));
    let page = built(post().header("origin", "https://elsewhere.example"));
    assert_eq!(early(none(), Ok(()), &page), refused(403, "origin"));
    let hosts = json!({"hosts": ["sieve.example"]});
    assert_eq!(early(hosts.clone(), Ok(()), &built(post())), None);
    let other = built(post().header("host", "elsewhere.example"));
    assert_eq!(early(hosts, Ok(()), &other), refused(403, "host"));
    assert_eq!(early(auth, Ok(()), &built(post())).map(|(status, _)| status), Some(401));
    let busy = RpcError::too_many_requests(3);
    assert_eq!(early(none(), Err(busy), &built(post())), refused(429, "rate_limited"));
}
