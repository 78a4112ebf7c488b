//! Helpers that read the messages of task streams and respond to them.

use http::Method;
use serde_json::{Value, json};

use super::caller::Caller;
use crate::{
    client::{Frames, frame, frames_of, request, send_as},
    host::World,
};

/// Waits for the next message of a stream.
pub fn next(world: &World, frames: &mut Frames) -> Value {
    loop {
        let bytes = world.run(futures_util::StreamExt::next(frames)).expect("another frame");
        if let Some(data) = frame(&bytes).data {
            return data;
        }
    }
}

/// Opens `tasks/result` of a task that asks its client, and reads the first question.
pub fn waiting(world: &World, caller: &Caller<'_>, id: &str) -> (Frames, Value) {
    let mut frames = frames_of(caller.open("tasks/result", json!({"taskId": id})));
    let question = next(world, &mut frames);
    (frames, question)
}

/// Sends the client's response to a question.
pub fn respond(world: &World, caller: &Caller<'_>, question: &Value, response: Value) {
    let mut message = json!({"jsonrpc": "2.0", "id": question["id"]});
    message.as_object_mut().unwrap().extend(response.as_object().unwrap().clone());
    let headers = [("mcp-session-id", caller.session.as_deref().unwrap())];
    send_as(world, caller.token, &request(Method::POST, &headers, &message));
    world.settle(std::future::pending::<()>());
}
