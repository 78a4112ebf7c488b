//! Changes of tasks.

use std::rc::Rc;

use mcp_sieve_gateway::tasks::Event;
use mcp_sieve_gateway::tasks::TaskStore;
use serde_json::json;

use crate::{host::World, store::Store};

/// Returns the event that completes a task.
pub fn done(text: &str, is_error: bool) -> Event {
    let mut result = json!({"content": [{"type": "text", "text": text}], "_meta": {"vendor/kept": 1}});
    if is_error {
        result["isError"] = json!(true);
    }
    Event::Complete { result: result.to_string(), is_error }
}

/// Returns the event in which a task asks the client.
pub fn ask(keys: &[&str]) -> Event {
    let question = json!({"method": "elicitation/create", "params": {"message": "Who?"}}).to_string();
    Event::Ask(keys.iter().map(|key| ((*key).to_owned(), question.clone())).collect())
}

/// Updates a task at the time of the world.
pub fn progress(world: &World, store: &Rc<Store>, id: &str) {
    let task = store.tasks.borrow().values().find(|task| task.id == id).cloned().unwrap();
    store.clock.set(world.clock.get());
    let event = Event::Progress(Some("x".into()));
    world.run(crate::store::Shared(Rc::clone(store)).apply(&task.owner, &task.id, event)).unwrap();
}
