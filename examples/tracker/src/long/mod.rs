//! Tools that take long, done in steps.
//!
//! A step is a function from what was remembered to what is to be remembered next, so that the work goes on
//! wherever its last step was written down: in a task, or in the request of a caller who waits. A step may
//! be done twice, when what it wrote here is kept and that it was done is not; so a step that writes is
//! known again by what it wrote.

mod audit;
mod import;
mod report;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

pub(crate) use import::TABLE as IMPORTS;

use super::{args::Args, error::Fail, store::Store, tools::Reply};

/// Where the work stands when a step begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turn<'a> {
    /// What the step before said to remember; `None` at the first.
    pub(crate) state: Option<&'a Value>,
    /// What the client has answered, by the keys of the questions.
    pub(crate) answers: &'a Map<String, Value>,
}

/// What is left to do after a step.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct More {
    pub(crate) state: Value,
    pub(crate) wait_ms: i64,
    pub(crate) progress: Progress,
}

/// How far the work is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Progress {
    pub(crate) done: i64,
    pub(crate) total: i64,
    pub(crate) message: String,
}

/// A question to the client, in the middle of the work.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Question {
    pub(crate) state: Value,
    pub(crate) key: &'static str,
    /// The parameters of `elicitation/create`.
    pub(crate) params: Value,
}

/// A tool done in steps, on checked arguments.
type Long = fn(&Store<'_>, &Args, Turn<'_>) -> Result<Reply, Fail>;

pub(crate) fn find(name: &str) -> Option<Long> {
    Some(match name {
        "report_issues" => report::step,
        "import_issues" => import::step,
        "audit_issues" => audit::step,
        _ => return None,
    })
}

/// What a tool remembers from one step to the next.
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

    /// The work goes on after the pause that `args` asks for.
    fn more(&self, args: &Args, done: i64, total: i64, message: String) -> Result<Reply, Fail> {
        let progress = Progress { done, total, message };
        Ok(Reply::More(More { state: self.written()?, wait_ms: args.integer("pause_ms")?, progress }))
    }
}

/// `elicitation/create`, for a form.
fn form(message: &str, properties: Value, required: &[&str]) -> Value {
    let schema = json!({"type": "object", "properties": properties, "required": required});
    json!({"mode": "form", "message": message, "requestedSchema": schema})
}
