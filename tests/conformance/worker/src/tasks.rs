//! Tools that work in steps, so that they can run as tasks.

use mcp_sieve_gateway::{
    error::RpcError,
    local::{Continue, Input, LocalRequest, Progress, Reply, TaskPlan},
};
use serde_json::{Value, json};

use crate::{
    calls::failed,
    content::text,
    input::{Answered, done, elicit, filled},
};

const ELICIT: &str = "elicitation/create";
const SECOND_MS: u64 = 1_000;

/// Returns the tools of this file in their listed form.
pub(crate) fn lists() -> Vec<Value> {
    serde_json::from_str(include_str!("tasks.json")).unwrap_or_default()
}

/// Calls a tool of this file; returns `None` for any other tool.
pub(crate) fn call(name: &str, ask: &LocalRequest) -> Option<Answered> {
    Some(match name {
        "greet" => done(&format!("Hello, {}!", argument(ask, "name").as_str().unwrap_or_default())),
        "slow_compute" => slow(ask),
        // This tool runs only as a task.
        "failing_job" => match ask.state {
            None => Ok(Reply::Task(TaskPlan::default().with_state(b"begun").after(SECOND_MS))),
            Some(_) => Ok(Reply::Result(failed("this job always fails"))),
        },
        "protocol_error_job" => match ask.state {
            None => later("begun", SECOND_MS / 2),
            Some(_) => Err(RpcError::internal("job", "this job always ends with an error")),
        },
        "confirm_delete" => confirm(ask),
        "multi_input" => several(ask),
        "test_tool_with_task" => composed(ask),
        "large_result" => large(ask),
        _ => return None,
    })
}

/// Returns an argument of the call, or `null`.
fn argument(ask: &LocalRequest, name: &str) -> Value {
    ask.params.get("arguments").and_then(|arguments| arguments.get(name)).cloned().unwrap_or_default()
}

/// Returns a reply that continues the work after `wait_ms` milliseconds.
fn later(state: &str, wait_ms: u64) -> Answered {
    let progress = Progress::new(1.0, "half done").of(2.0);
    Ok(Reply::Continue(Continue::new(state).after(wait_ms).with_progress(progress)))
}

fn slow(ask: &LocalRequest) -> Answered {
    let label = argument(ask, "label");
    let wait_ms = argument(ask, "seconds").as_f64().unwrap_or_default() * SECOND_MS as f64;
    match ask.state {
        None if wait_ms >= 1.0 => later("slept", wait_ms as u64),
        _ => done(&format!("computed {}", label.as_str().unwrap_or_default())),
    }
}

/// Asks the client after the call has become a task.
fn confirm(ask: &LocalRequest) -> Answered {
    let Some(answer) = ask.answers.get("confirm") else {
        if ask.state.is_none() {
            return later("ask", 0);
        }
        let params = elicit("Delete it?", json!({"confirm": {"type": "boolean"}}));
        return Ok(Reply::Input(Input::default().ask("confirm", ELICIT, params).state("asked")));
    };
    let yes = answer.pointer("/content/confirm") == Some(&Value::Bool(true));
    done(if yes { "deleted" } else { "kept" })
}

fn several(ask: &LocalRequest) -> Answered {
    match (filled(ask, "first", "name"), filled(ask, "second", "name")) {
        (Some(first), Some(second)) => done(&format!("{first} and {second}")),
        _ if ask.state.is_none() => later("ask", 0),
        _ => {
            let name = || elicit("A name, please", json!({"name": {"type": "string"}}));
            let input = Input::default().ask("first", ELICIT, name()).ask("second", ELICIT, name());
            Ok(Reply::Input(input.state("asked")))
        }
    }
}

/// Asks the client before the call becomes a task.
fn composed(ask: &LocalRequest) -> Answered {
    if let Some(name) = ask.state.as_deref().and_then(|state| state.strip_prefix(b"name:")) {
        return done(&format!("Hello, {}!", String::from_utf8_lossy(name)));
    }
    match filled(ask, "user_name", "name") {
        Some(name) => later(&format!("name:{name}"), SECOND_MS / 2),
        None => {
            let params = elicit("What is your name?", json!({"name": {"type": "string"}}));
            Ok(Reply::Input(Input::default().ask("user_name", ELICIT, params)))
        }
    }
}

fn large(ask: &LocalRequest) -> Answered {
    match ask.state {
        None => later("begun", 0),
        Some(_) => {
            let bytes = argument(ask, "bytes").as_u64().and_then(|bytes| usize::try_from(bytes).ok());
            Ok(Reply::Result(text(&"x".repeat(bytes.unwrap_or_default()))))
        }
    }
}
