//! The fixture rows about the proposal for context middleware, in our words and in the printed ones. Each message is
//! sent to the endpoint as it is printed.

use std::rc::Rc;

use mcp_sieve_gateway::middleware::{Document, Documents, Environment, Library};
use serde_json::{Value, json};

use crate::{
    proposals::{row::Face, run_rows},
    world::World,
};

/// The environment of the functions in a row: the time and the documents.
struct Described {
    now: u64,
    library: Library,
}

impl Environment for Described {
    fn now(&self) -> u64 {
        self.now
    }

    fn documents(&self) -> Option<&dyn Documents> {
        Some(&self.library)
    }
}

/// M-1, M-3, M-6, M-9: the printed messages; M-14, M-16, M-17, M-23, M-25, M-27, M-29, M-31: the printed
/// examples.
#[test]
fn proposals_to_the_letter() {
    let (failures, runs) = run_rows(Face::Middleware, |_, world, steps| {
        let mount = mount(world);
        let steps = found(steps, &world["lost"]);
        let differences: Vec<String> = steps.iter().filter_map(|step| difference(&mount, step)).collect();
        if differences.is_empty() { Ok(()) } else { Err(differences.join("\n")) }
    });
    println!("proposals: {runs} runs of rows");
    assert!(runs > 0 && failures.is_empty(), "{} of {runs} runs:\n{}", failures.len(), failures.join("\n"));
}

/// Returns the deployment that a row describes.
fn mount(world: &Value) -> World {
    let text = |document: &Value, key: &str| document[key].as_str().unwrap().to_owned();
    let mut library = Library::new();
    for document in world["documents"].as_array().into_iter().flatten() {
        let [id, source, title, body] = ["id", "source", "title", "text"].map(|key| text(document, key));
        library.put(Document { id, source, title, text: body }).unwrap();
    }
    let config = world.get("config").cloned().unwrap_or_else(|| json!({"middleware": {}}));
    let now = world["now"].as_u64().unwrap_or_default();
    World::with(&config.to_string(), Rc::new(Described { now, library }))
}

/// Returns the steps with a text of our own in place of each that is missing from the captured proposal.
fn found(steps: &[Value], lost: &Value) -> Vec<Value> {
    let mut text = Value::from(steps).to_string();
    for (captured, instead) in lost.as_object().into_iter().flatten() {
        text = text.replace(captured, instead.as_str().unwrap());
    }
    serde_json::from_str(&text).unwrap()
}

/// Sends the message of a step, and returns the differences from its expectations.
fn difference(mount: &World, step: &Value) -> Option<String> {
    let mut message = step["send"].clone();
    for (member, value) in [("jsonrpc", json!("2.0")), ("id", json!(1))] {
        message.as_object_mut().unwrap().entry(member).or_insert(value);
    }
    let (_, response) = mount.send_legacy(&message);
    let part = |pointer: &str| response.pointer(pointer).unwrap_or(&Value::Null);
    let members = |key: &str| step[key].as_object().into_iter().flatten();
    let equal = members("at").all(|(pointer, value)| part(pointer) == value);
    let within = members("has").all(|(pointer, value)| contains(part(pointer), value));
    let falling = members("falling").all(|(pointer, member)| {
        let numbers = part(pointer).as_array().into_iter().flatten();
        let numbers: Vec<f64> = numbers.filter_map(|entry| entry[member.as_str()?].as_f64()).collect();
        numbers.len() > 1 && numbers.windows(2).all(|pair| pair[0] > pair[1])
    });
    (!(equal && within && falling)).then(|| format!("sent {message}\nfound {response}"))
}

/// Returns whether every member of `part` is in `whole`, at every depth.
fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(key, value)| whole.get(key).is_some_and(|found| contains(found, value)))
        }
        _ => whole == part,
    }
}
