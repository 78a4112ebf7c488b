//! The stream of a session: its change notifications, and those that a client missed while it was not connected.

use futures_util::StreamExt;
use mcp_sieve_gateway::{session::MAX_EVENTS, streams::Change};
use serde_json::{Value, json};

use crate::{
    client::{Client, Frames},
    host::World,
    listening::{NOBODY, relist, told, tool},
};

#[test]
fn the_stream_of_a_session_tells_what_changes() {
    let client = Client::open("2025-11-25", &json!({}));
    let mut frames = client.get(None);
    let mut heard = |change: Change| {
        client.world.changed(&change);
        told(&client.world, &mut frames)
    };
    assert_eq!(heard(Change::Tools), ["tools"]);
    assert_eq!(heard(Change::Groups), ["groups"]);
    // The client subscribes after its stream was opened.
    let (updated, uri) = (Change::Resource("note:one".to_owned()), json!({"uri": "note:one"}));
    assert_eq!(heard(updated.clone()), NOBODY);
    assert_eq!(client.ask("resources/subscribe", uri.clone())["result"], json!({}));
    assert_eq!(heard(Change::Prompts), ["prompts"]);
    assert!(client.world.hub.wanted().resources.contains("note:one"));
    assert_eq!(heard(updated.clone()), ["note:one"]);
    assert_eq!(client.ask("resources/unsubscribe", uri)["result"], json!({}));
    assert_eq!(heard(updated), NOBODY);
    assert_eq!(heard(Change::Prompts), ["prompts"]);
    assert!(client.world.hub.wanted().resources.is_empty());
}

#[test]
fn a_second_stream_of_a_session_takes_the_place_of_the_first() {
    let client = Client::open("2025-11-25", &json!({}));
    let (mut first, mut second) = (client.get(None), client.get(None));
    client.world.changed(&Change::Tools);
    assert_eq!(client.world.run(first.next()), None);
    assert_eq!(told(&client.world, &mut second), ["tools"]);
}

/// Returns the ids of the pending events.
fn ids(client: &Client, frames: &mut Frames) -> Vec<String> {
    std::iter::from_fn(|| client.ready(frames)).filter_map(|frame| frame.id).collect()
}

#[test]
fn the_stream_of_a_session_continues_after_its_connection_was_lost() {
    let client = Client::open("2025-11-25", &json!({}));
    let mut frames = client.get(None);
    let prime = ids(&client, &mut frames).pop().expect("an event at once");
    client.world.changed(&Change::Tools);
    let tools = ids(&client, &mut frames).pop().unwrap();
    drop(frames);
    for (from, replayed) in [(&prime, "tools"), (&tools, "prompts")] {
        let mut resumed = client.get(Some(from));
        assert_eq!(told(&client.world, &mut resumed), [replayed], "after {from}");
        client.world.changed(&Change::Prompts);
        assert_eq!(told(&client.world, &mut resumed), ["prompts"], "later changes");
    }
    // Responses to other requests do not push the stream out of the log.
    for id in 0..=MAX_EVENTS {
        client.call(u32::try_from(id).unwrap(), "chatter");
    }
    let mut resumed = client.get(Some(&tools));
    told(&client.world, &mut resumed);
    client.world.changed(&Change::Tools);
    assert_eq!(told(&client.world, &mut resumed), ["tools"]);
}

#[test]
fn a_session_is_told_of_what_changed_while_it_did_not_listen() {
    let world = World::named("watched");
    let tools = |tools: Value| relist(&world, &tools, &json!([]));
    let client = Client::of(world.clone(), "2025-11-25", &json!({}));
    for uri in ["note:open", "note:secret"] {
        assert_eq!(client.ask("resources/subscribe", json!({"uri": uri}))["result"], json!({}));
    }
    tools(json!([tool("open", "yard"), tool("secret", "cellar")]));
    let mut frames = client.get(None);
    assert_eq!(told(&world, &mut frames), NOBODY, "the first stream has missed nothing");
    let mut after = |change: &dyn Fn()| {
        drop(std::mem::replace(&mut frames, futures_util::stream::empty().boxed_local()));
        change();
        frames = client.get(None);
        told(&world, &mut frames)
    };
    // The gateway did not listen for the resources meanwhile, so each that the client can read counts as changed.
    assert_eq!(after(&|| {}), ["note:open"]);
    let hidden = || tools(json!([tool("open", "yard"), tool("secret", "attic")]));
    assert_eq!(after(&hidden), ["note:open"]);
    let seen = || tools(json!([tool("open", "garden"), tool("secret", "attic")]));
    assert_eq!(after(&seen), ["tools", "groups", "note:open"]);
    assert_eq!(after(&|| {}), ["note:open"]);
}
