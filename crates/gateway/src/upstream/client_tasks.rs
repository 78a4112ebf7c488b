//! The tasks with which a client answers requests of a server.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use serde_json::Value;

use crate::{object::deserialize, upstream::lock};

/// Maximum number of tasks of a session that are remembered. The oldest is forgotten first.
const MAX_TASKS: usize = 64;

/// The tasks that the server of a session has been given. It may ask about no others: a client may have tasks of several
/// servers, and need not know from which of them a request comes.
#[derive(Debug, Clone, Default)]
pub(crate) struct ClientTasks(Arc<Mutex<VecDeque<String>>>);

impl ClientTasks {
    /// Remembers the task that a client's answer, as JSON, names, if it names one.
    pub fn learn(&self, answer: &str) {
        // Most answers name none, and are not parsed for it.
        if !answer.contains("taskId") {
            return;
        }
        let answer: Value = deserialize(answer).unwrap_or_default();
        let id = answer.get("task").and_then(|task| task.get("taskId")?.as_str());
        let Some(id) = id else { return };
        let mut known = lock(&self.0);
        if known.len() >= MAX_TASKS {
            known.pop_front();
        }
        known.push_back(id.to_owned());
    }

    /// Returns whether a request, whose parameters are JSON, is about one of the tasks.
    pub fn knows(&self, params: &str) -> bool {
        let params: Value = deserialize(params).unwrap_or_default();
        let id = params.get("taskId").and_then(Value::as_str);
        id.is_some_and(|id| lock(&self.0).iter().any(|known| known == id))
    }
}
