//! Tools that request input from the client.

use std::time::Duration;

use mcp_sieve_gateway::{
    error::RpcError,
    local::{Input, LocalRequest, Reply},
};
use serde_json::{Value, json};
use worker::Delay;

use crate::content::text;

const ELICIT: &str = "elicitation/create";
const SAMPLE: &str = "sampling/createMessage";
const ROOTS: &str = "roots/list";

pub(crate) type Answered = Result<Reply, RpcError>;

/// Calls a tool of this file; returns `None` for any other tool.
pub(crate) async fn call(name: &str, ask: &LocalRequest) -> Option<Answered> {
    Some(match name {
        "test_sampling" => sampling(ask),
        "test_elicitation" => elicitation(ask),
        "test_elicitation_sep1034_defaults" => form(ask, defaults()),
        "test_elicitation_sep1330_enums" => form(ask, enums()),
        "test_missing_capability" => once(ask, "sample", SAMPLE, question("Anything", 10)),
        "test_streaming_elicitation" => streaming(ask).await,
        "test_input_required_result_elicitation" => greeting(ask),
        "test_input_required_result_sampling" => {
            once(ask, "capital_question", SAMPLE, question("What is the capital of France?", 100))
        }
        "test_input_required_result_list_roots" => once(ask, "client_roots", ROOTS, json!({})),
        "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => {
            confirm(ask)
        }
        "test_input_required_result_multiple_inputs" => several(ask),
        "test_input_required_result_multi_round" => rounds(ask),
        "test_input_required_result_capabilities" => possible(ask),
        _ => return None,
    })
}

/// Returns parameters of `elicitation/create` for a form whose fields are all required.
pub(crate) fn elicit(message: &str, properties: Value) -> Value {
    let required: Vec<&String> = properties.as_object().into_iter().flat_map(|all| all.keys()).collect();
    let schema = json!({"type": "object", "properties": properties, "required": required});
    json!({"mode": "form", "message": message, "requestedSchema": schema})
}

/// Returns parameters of `sampling/createMessage` with one message.
fn question(text: &str, max_tokens: u32) -> Value {
    let message = json!({"role": "user", "content": {"type": "text", "text": text}});
    json!({"messages": [message], "maxTokens": max_tokens})
}

/// Returns the text that the user entered in a form field.
pub(crate) fn filled<'a>(ask: &'a LocalRequest, key: &str, field: &str) -> Option<&'a str> {
    ask.answers.get(key)?.get("content")?.get(field)?.as_str()
}

/// Returns a reply that ends the call with a text.
pub(crate) fn done(message: &str) -> Answered {
    Ok(Reply::Result(text(message)))
}

/// Returns a reply that requests input from the client.
fn asked(input: Input) -> Answered {
    Ok(Reply::Input(input))
}

/// Sends one request to the client, and returns its response as the tool result.
fn once(ask: &LocalRequest, key: &str, method: &'static str, params: Value) -> Answered {
    match ask.answers.get(key) {
        Some(answer) => done(&answer.to_string()),
        None => asked(Input::default().ask(key, method, params)),
    }
}

fn sampling(ask: &LocalRequest) -> Answered {
    let Some(answer) = ask.answers.get("sample") else {
        let prompt = crate::text(&ask.params, "/arguments/prompt")?;
        return asked(Input::default().ask("sample", SAMPLE, question(&prompt, 100)));
    };
    let said = answer.pointer("/content/text").and_then(Value::as_str).unwrap_or_default();
    done(&format!("LLM response: {said}"))
}

fn elicitation(ask: &LocalRequest) -> Answered {
    let Some(answer) = ask.answers.get("user") else {
        let message = crate::text(&ask.params, "/arguments/message")?;
        let fields = json!({
            "username": {"type": "string", "description": "The user's name"},
            "email": {"type": "string", "description": "The user's address"},
        });
        return asked(Input::default().ask("user", ELICIT, elicit(&message, fields)));
    };
    done(&format!("User response: {answer}"))
}

/// Asks the client to fill in a form.
fn form(ask: &LocalRequest, properties: Value) -> Answered {
    match ask.answers.get("form") {
        Some(answer) => done(&format!("Elicitation completed: {answer}")),
        None => {
            let schema = json!({"type": "object", "properties": properties});
            let params = json!({"mode": "form", "message": "Please check", "requestedSchema": schema});
            asked(Input::default().ask("form", ELICIT, params))
        }
    }
}

/// Returns form fields with a default for each type.
fn defaults() -> Value {
    json!({
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": true},
    })
}

/// Returns form fields with every kind of enumeration.
fn enums() -> Value {
    let plain = json!(["option1", "option2", "option3"]);
    let titled = json!([
        {"const": "value1", "title": "First Option"},
        {"const": "value2", "title": "Second Option"},
        {"const": "value3", "title": "Third Option"},
    ]);
    json!({
        "untitledSingle": {"type": "string", "enum": plain},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled}},
    })
}

/// Reports progress before it asks the client.
async fn streaming(ask: &LocalRequest) -> Answered {
    ask.sender.progress(1.0, Some(2.0), None);
    Delay::from(Duration::from_millis(50)).await;
    once(ask, "user_name", ELICIT, elicit("What is your name?", json!({"name": {"type": "string"}})))
}

fn greeting(ask: &LocalRequest) -> Answered {
    match filled(ask, "user_name", "name") {
        Some(name) => done(&format!("Hello, {name}!")),
        None => {
            let params = elicit("What is your name?", json!({"name": {"type": "string"}}));
            asked(Input::default().ask("user_name", ELICIT, params))
        }
    }
}

/// Asks the client, and checks that the state comes back unchanged.
fn confirm(ask: &LocalRequest) -> Answered {
    match (&ask.state, ask.answers.get("confirm")) {
        (Some(state), Some(_)) if state == b"asked" => done("state-ok"),
        _ => {
            let params = elicit("Please confirm", json!({"ok": {"type": "boolean"}}));
            asked(Input::default().ask("confirm", ELICIT, params).state("asked"))
        }
    }
}

/// Sends three requests at once.
fn several(ask: &LocalRequest) -> Answered {
    let keys = ["user_name", "greeting", "client_roots"];
    if keys.iter().all(|key| ask.answers.contains_key(*key)) {
        return done(&Value::Object(ask.answers.clone()).to_string());
    }
    let name = elicit("What is your name?", json!({"name": {"type": "string"}}));
    let input = Input::default()
        .ask("user_name", ELICIT, name)
        .ask("greeting", SAMPLE, question("Generate a greeting", 50))
        .ask("client_roots", ROOTS, json!({}));
    asked(input.state("several"))
}

/// Asks twice, one request after the other.
fn rounds(ask: &LocalRequest) -> Answered {
    let before: Value =
        ask.state.as_deref().and_then(|state| serde_json::from_slice(state).ok()).unwrap_or_default();
    let name = before.get("name").and_then(Value::as_str).or_else(|| filled(ask, "step1", "name"));
    let Some(name) = name else {
        let params = elicit("Step 1: What is your name?", json!({"name": {"type": "string"}}));
        return asked(Input::default().ask("step1", ELICIT, params).state("{}"));
    };
    match filled(ask, "step2", "color") {
        Some(color) => done(&format!("{name} likes {color}")),
        None => {
            let params = elicit("Step 2: What is your favorite color?", json!({"color": {"type": "string"}}));
            asked(Input::default().ask("step2", ELICIT, params).state(json!({"name": name}).to_string()))
        }
    }
}

/// Sends the requests that the client's capabilities permit.
fn possible(ask: &LocalRequest) -> Answered {
    if !ask.answers.is_empty() {
        return done(&Value::Object(ask.answers.clone()).to_string());
    }
    let declared = |name: &str| ask.capabilities.get(name).is_some_and(Value::is_object);
    let mut input = Input::default();
    if declared("elicitation") {
        input =
            input.ask("user_name", ELICIT, elicit("What is your name?", json!({"name": {"type": "string"}})));
    }
    if declared("sampling") {
        input = input.ask("greeting", SAMPLE, question("Generate a greeting", 50));
    }
    if input.requests.is_empty() { done("nothing to ask") } else { asked(input) }
}
