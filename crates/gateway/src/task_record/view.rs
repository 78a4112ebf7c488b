//! Writes tasks as JSON members of responses, in the terms of either era.

use mcp_sieve::{
    json::{Members, Object},
    revision::Era,
};
use mcp_sieve::{task::TaskState, time::CivilDate};

use super::Task;

impl Task {
    /// Writes the members that every response about a task has, in the terms of an era.
    pub fn show(&self, era: Era, object: &mut Object<'_>) {
        object.text("taskId", &self.id);
        object.text("status", self.state.status(era).name());
        self.message.iter().for_each(|message| object.text("statusMessage", message));
        object.text("createdAt", &CivilDate::timestamp(self.created));
        object.text("lastUpdatedAt", &CivilDate::timestamp(self.updated));
        let (ttl, poll) = match era {
            Era::Session => ("ttl", "pollInterval"),
            Era::Stateless => ("ttlMs", "pollIntervalMs"),
        };
        let number = |number: u64| number.to_string().into_bytes();
        object.raw(ttl, &self.ttl.map_or_else(|| b"null".to_vec(), number));
        self.poll.into_iter().for_each(|ms| object.raw(poll, &number(ms)));
    }

    /// Writes the further members of the tasks extension: the open questions, and the result or the error. The result
    /// has a `resultType`, which every result of the stateless revision must have.
    pub fn show_outcome(&self, object: &mut Object<'_>) {
        if self.state == TaskState::InputRequired {
            let mut requests = Object::open(object.value("inputRequests"));
            self.open_questions()
                .for_each(|question| requests.raw(&question.key, question.request.as_bytes()));
            requests.close();
        }
        let Some(outcome) = &self.outcome else { return };
        if self.state == TaskState::Failed {
            return object.raw("error", outcome.as_bytes());
        }
        match Members::parse(outcome).filter(|members| members.get("resultType").is_none()) {
            None => object.raw("result", outcome.as_bytes()),
            Some(members) => {
                let mut result = Object::open(object.value("result"));
                result.text("resultType", "complete");
                result.keep(&members, &[]);
                result.close();
            }
        }
    }
}
