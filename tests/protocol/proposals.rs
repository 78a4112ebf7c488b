//! The rows of `tests/fixtures/proposals` over the protocol, in our words and in the printed ones.

use serde_json::{Map, Value};

use crate::{
    exchange::Talk,
    host::World,
    proposals::{
        row::{Face, Row},
        run_rows,
    },
    row::Step,
};

#[test]
fn proposals_to_the_letter() {
    let (failures, runs) = run_rows(Face::Protocol, conversation);
    println!("proposals: {runs} runs of rows");
    assert!(failures.is_empty(), "{} of {runs} runs:\n{}", failures.len(), failures.join("\n"));
}

/// Runs the steps of a row against a server of its own.
fn conversation(_: &Row, world: &Value, steps: &[Value]) -> Result<(), String> {
    let object = |key: &str| world.get(key).and_then(Value::as_object).cloned().unwrap_or_default();
    let world =
        World::with_tokens(Value::Object(object("lists")), object("config"), tokens(&object("tokens")));
    let mut talk = Talk::new(&world);
    for (at, step) in steps.iter().enumerate() {
        let read: Step =
            serde_json::from_value(step.clone()).map_err(|error| format!("step {at}: {error}"))?;
        let said = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| talk.step(&read)));
        said.unwrap_or_else(|_| Err("panicked".to_owned())).map_err(|wrong| format!("step {at}: {wrong}"))?;
    }
    Ok(())
}

fn tokens(written: &Map<String, Value>) -> std::collections::BTreeMap<String, Map<String, Value>> {
    let claims = |claims: &Value| claims.as_object().cloned().unwrap_or_default();
    written.iter().map(|(token, said)| (token.clone(), claims(said))).collect()
}
