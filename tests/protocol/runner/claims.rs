//! The claims of the caller, for a call and for the steps of its task.

use std::{borrow::Cow, cell::RefCell, rc::Rc};

use futures_util::{FutureExt, StreamExt};
use http::HeaderMap;
use mcp_sieve::seal::Key;
use mcp_sieve_gateway::{
    host::{Answer, Call, Revision},
    local,
};
use serde_json::json;

use super::server::{alice, at_once, result, run};
use crate::tasks::{Caller, world};

#[test]
fn a_server_sees_the_claims_of_the_callers_token() {
    let seen = Rc::new(RefCell::new(Vec::new()));
    let noted = Rc::clone(&seen);
    let server = Rc::new(at_once(move |ask| {
        noted.borrow_mut().push((ask.principal, ask.claims));
        Ok(result("done"))
    }));
    let (key, headers) = (Key::new(b"a key").unwrap(), HeaderMap::new());
    for claims in [Some(alice()), None] {
        let caller = mcp_sieve_gateway::host::Caller {
            claims: claims.as_ref().map(Cow::Borrowed),
            ..mcp_sieve_gateway::host::Caller::new(&headers, Revision::V2026_07_28, "tools/call")
        };
        let call = Call {
            method: "tools/call",
            params: None,
            servers: &[],
            caller: &caller,
            accepts_requests: false,
            streams: None,
            task: None,
            passthrough: None,
        };
        let never = |_| panic!("no step waits");
        let Answer::Dialog(turns) = local::answer(server.clone(), &key, 1_000_000, never, &call) else {
            panic!("expected a dialog");
        };
        assert_eq!(turns.count().now_or_never(), Some(1));
    }
    assert_eq!(*seen.borrow(), [(Some("alice".to_owned()), Some(alice())), (None, None)]);
}

#[test]
fn the_steps_of_a_task_have_the_claims_of_the_call_that_began_it() {
    for (token, expected) in [(Some("alice-token"), Some(json!("alice"))), (None, None)] {
        let (world, store) = world("tasks");
        Caller::modern(&world, token).begin("import");
        store.clock.set(world.clock.get());
        let seen = Rc::new(RefCell::new(None));
        let noted = Rc::clone(&seen);
        let server = at_once(move |ask| {
            *noted.borrow_mut() = Some(ask.claims);
            Ok(result("done"))
        });
        run(&store.runner(), &server);
        let claims = seen.borrow_mut().take().expect("a step");
        assert_eq!(claims.map(|claims| claims["sub"].clone()), expected);
    }
}
