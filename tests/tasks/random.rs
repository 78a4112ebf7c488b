//! Random tasks and filters, from a seed that a failure prints.

use mcp_sieve::{task::TaskState, time::CivilDate};
use mcp_sieve_gateway::tasks::Task;
use serde_json::{Value, json};

use crate::split_mix;

/// The generator.
pub struct Random(split_mix::Random);

/// The earliest time that occurs, in Unix milliseconds.
pub const BEGIN: u64 = 1_800_000_000_000;
const METHODS: [&str; 3] = ["tools/call", "sampling/createMessage", "elicitation/create"];
const STATUSES: [&str; 6] = ["working", "input_required", "completed", "failed", "cancelled", "asleep"];

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(split_mix::Random::new(seed))
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.0.next() % bound
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    /// Returns a task whose times fall within `span` milliseconds; a short span makes many equal.
    pub fn task(&mut self, number: u64, span: u64) -> Task {
        let created = BEGIN + self.below(span);
        Task {
            id: format!("task-{:04x}-{number}", self.below(0xffff)),
            owner: "principal:alice".to_owned(),
            method: self.pick(&METHODS).to_owned(),
            name: self.pick(&["report", "import"]).to_owned(),
            remote: None,
            state: self.pick(&TaskState::ALL),
            message: (self.below(4) == 0).then(|| "half".to_owned()),
            created,
            updated: created + self.below(span),
            ttl: (self.below(3) == 0).then(|| self.below(3 * span)),
            poll: None,
            questions: Vec::new(),
            outcome: None,
        }
    }

    /// Returns a time close to those of the tasks, in any notation.
    fn time(&mut self, span: u64) -> String {
        let at = BEGIN - 2 + self.below(2 * span + 4);
        let utc = CivilDate::timestamp(at);
        match self.below(4) {
            0 => utc,
            1 => utc.replace('Z', "5Z"),
            2 => format!("{}+01:00", CivilDate::timestamp(at + 3_600_000).trim_end_matches('Z')),
            _ => format!("{}-05:30", CivilDate::timestamp(at - 19_800_000).trim_end_matches('Z')),
        }
    }

    /// Returns the parameters of a list request.
    pub fn params(&mut self, tasks: &[Task], span: u64) -> Value {
        let mut filter = json!({});
        for key in ["createdAfter", "createdBefore", "lastUpdatedAfter", "lastUpdatedBefore"] {
            if self.below(4) == 0 {
                filter[key] = self.time(span).into();
            }
        }
        if self.below(3) == 0 {
            filter["status"] = (0..self.below(4)).map(|_| self.pick(&STATUSES)).collect();
        }
        if self.below(3) == 0 {
            filter["methods"] = (0..self.below(3)).map(|_| self.pick(&METHODS)).collect();
        }
        if self.below(4) == 0 && !tasks.is_empty() {
            let ids = (0..self.below(6)).map(|_| tasks[self.below(tasks.len() as u64) as usize].id.clone());
            filter["taskIds"] = ids.chain(["nobody".to_owned()]).collect();
        }
        if self.below(2) == 0 {
            filter["orderBy"] = self.pick(&["createdAt", "lastUpdatedAt"]).into();
        }
        if self.below(2) == 0 {
            filter["order"] = self.pick(&["asc", "desc"]).into();
        }
        if self.below(2) == 0 { json!({"filter": filter}) } else { filter }
    }
}
