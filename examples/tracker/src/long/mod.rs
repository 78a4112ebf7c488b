//! Long-running tools that work in steps.
//!
//! A step is a function from the state of the previous step to the next state. The work can continue wherever that
//! state is stored: in a task, or in the request of a waiting caller. A step may run twice if its writes were stored
//! but its new state was not. A step that writes must therefore detect from the data that it has run.

mod audit;
mod import;
mod report;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

pub(crate) use import::TABLE as IMPORTS;

use super::{args::Args, error::Fail, store::Store, tools::Reply};

/// The input of a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turn<'a> {
    /// The state returned by the previous step; `None` at the first.
    pub(crate) state: Option<&'a Value>,
    /// The client's answers, by question key.
    pub(crate) answers: &'a Map<String, Value>,
}

/// The outcome of a step that leaves work to do.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct More {
    pub(crate) state: Value,
    pub(crate) wait_ms: i64,
    pub(crate) progress: Progress,
}

/// The progress of the work.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Progress {
    pub(crate) done: i64,
    pub(crate) total: i64,
    pub(crate) message: String,
}

/// A question to the client in the middle of the work.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Question {
    pub(crate) state: Value,
    pub(crate) key: &'static str,
    /// The parameters of `elicitation/create`.
    pub(crate) params: Value,
}

/// A tool that works in steps, on validated arguments.
type Long = fn(&Store<'_>, &Args, Turn<'_>) -> Result<Reply, Fail>;

pub(crate) fn find(name: &str) -> Option<Long> {
    Some(match name {
        "report_issues" => report::step,
        "import_issues" => import::step,
        "audit_issues" => audit::step,
        _ => return None,
    })
}

/// The state that a tool keeps between steps.
trait Memory: Serialize + DeserializeOwned {
    fn of(turn: Turn<'_>) -> Result<Option<Self>, Fail> {
        let read = |state: &Value| {
            serde_json::from_value(state.clone())
                .map_err(|error| Fail::Fault(format!("the work cannot be taken up: {error}")))
        };
        turn.state.map(read).transpose()
    }

    fn written(&self) -> Result<Value, Fail> {
        serde_json::to_value(self).map_err(|error| Fail::Fault(format!("the work cannot be kept: {error}")))
    }

    /// Returns a reply that schedules the next step after the pause in `args`.
    fn more(&self, args: &Args, done: i64, total: i64, message: String) -> Result<Reply, Fail> {
        let progress = Progress { done, total, message };
        Ok(Reply::More(More { state: self.written()?, wait_ms: args.integer("pause_ms")?, progress }))
    }
}

/// Returns the parameters of `elicitation/create` for a form.
fn form(message: &str, properties: Value, required: &[&str]) -> Value {
    let schema = json!({"type": "object", "properties": properties, "required": required});
    json!({"mode": "form", "message": message, "requestedSchema": schema})
}
