//! The events that change a task, and the state transitions that they allow.

use mcp_sieve::json::{self, Members};
use mcp_sieve::task::TaskState;
use serde::{Deserialize, Serialize};

use super::{MAX_QUESTIONS, Task, TaskQuestion};

/// A change of a task. JSON is stored as text. The status message of a task that ends is removed, except for that of an
/// error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// The task continues with a new status message; `None` removes the message.
    Progress(Option<String>),
    /// The task asks its client. Each question has a key that the task has not used before, and the JSON of
    /// `{method, params}`.
    Ask(Vec<(String, String)>),
    /// The upstream server of the task reports its state. Open questions that it no longer has are removed.
    Report {
        /// The status message; `None` removes the message.
        message: Option<String>,
        /// Whether the task waits for its client in `tasks/result`, where the server sends its questions.
        waits: bool,
        /// All open questions, each as in [`Event::Ask`]. Keys of answered questions are ignored.
        questions: Vec<(String, String)>,
    },
    /// The client answers. Each answer has the key of its question, and JSON. Unknown keys, and those that were
    /// answered before, are ignored.
    Answer(Vec<(String, String)>),
    /// The task ends with a result.
    Complete {
        /// The JSON of the result.
        result: String,
        /// Whether the result has `isError: true`.
        is_error: bool,
    },
    /// The task ends with a JSON-RPC error, as the JSON of `{code, message, data}`. Its message becomes the status
    /// message.
    Fail(String),
    /// The client cancels the task.
    Cancel,
    /// The task ends with a status message of its server.
    End {
        /// The event that ends the task.
        event: Box<Event>,
        /// The status message.
        message: String,
    },
}

/// The reason why a task rejects an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    /// The task has ended.
    Ended,
    /// The key of a question was used before.
    KeyUsed,
    /// The task would exceed [`MAX_QUESTIONS`] open questions.
    TooManyQuestions,
}

impl Refusal {
    /// Returns the stable code.
    pub fn code(self) -> &'static str {
        match self {
            Self::Ended => "task_ended",
            Self::KeyUsed => "task_key_used",
            Self::TooManyQuestions => "task_questions",
        }
    }

    /// Returns the refusal with a code.
    pub fn from_code(code: &str) -> Option<Self> {
        [Self::Ended, Self::KeyUsed, Self::TooManyQuestions]
            .into_iter()
            .find(|refusal| refusal.code() == code)
    }
}

impl Task {
    /// Applies an event at `now`, in milliseconds since 1970, and returns whether it changed the task. The time of the
    /// last change never decreases, even if the clock does.
    ///
    /// # Errors
    /// [`Refusal`] if the task rejects the event. The task is then unchanged.
    pub fn apply(&mut self, event: Event, now: u64) -> Result<bool, Refusal> {
        if self.state.ended() {
            return Err(Refusal::Ended);
        }
        let changed = match event {
            Event::Progress(message) => {
                let changed = self.message != message;
                self.message = message;
                changed
            }
            Event::Ask(questions) => {
                self.ask(questions)?;
                true
            }
            Event::Report { message, waits, questions } => self.report(message, waits, questions)?,
            Event::Answer(answers) => self.store_answers(answers),
            Event::Complete { result, is_error } => {
                self.end(if is_error { TaskState::Erred } else { TaskState::Completed }, Some(result), None)
            }
            Event::Fail(error) => {
                let message = error_message(&error);
                self.end(TaskState::Failed, Some(error), message)
            }
            Event::Cancel => self.end(TaskState::Cancelled, None, None),
            Event::End { event, message } => {
                let changed = self.apply(*event, now)?;
                self.message = Some(message);
                changed
            }
        };
        if changed {
            self.updated = self.updated.max(now);
        }
        Ok(changed)
    }

    fn ask(&mut self, questions: Vec<(String, String)>) -> Result<(), Refusal> {
        if self.open_questions().count() + questions.len() > MAX_QUESTIONS {
            return Err(Refusal::TooManyQuestions);
        }
        let known = self.questions.len();
        for (key, request) in questions {
            if self.questions.iter().any(|question| question.key == key) {
                self.questions.truncate(known);
                return Err(Refusal::KeyUsed);
            }
            self.questions.push(TaskQuestion { key, request, answer: None });
        }
        if self.open_questions().next().is_some() {
            self.state = TaskState::InputRequired;
        }
        Ok(())
    }

    fn report(
        &mut self,
        message: Option<String>,
        waits: bool,
        questions: Vec<(String, String)>,
    ) -> Result<bool, Refusal> {
        let known = |key: &String| self.questions.iter().any(|question| question.key == *key);
        let listed = |question: &TaskQuestion| questions.iter().any(|(key, _)| *key == question.key);
        let withdrawn = self.open_questions().any(|question| !listed(question));
        let new: Vec<_> = questions.iter().filter(|(key, _)| !known(key)).cloned().collect();
        let kept = self.questions.iter().filter(|question| question.answer.is_some() || listed(question));
        let kept: Vec<_> = kept.cloned().collect();
        let changed = withdrawn || !new.is_empty() || self.message != message;
        let mut reported = Self { questions: kept, state: TaskState::Working, message, ..self.clone() };
        reported.ask(new)?;
        if waits || reported.open_questions().next().is_some() {
            reported.state = TaskState::InputRequired;
        }
        let changed = changed || reported.state != self.state;
        *self = reported;
        Ok(changed)
    }

    fn store_answers(&mut self, answers: Vec<(String, String)>) -> bool {
        let mut changed = false;
        for (key, answer) in answers {
            let open =
                self.questions.iter_mut().find(|question| question.key == key && question.answer.is_none());
            if let Some(question) = open {
                question.answer = Some(answer);
                changed = true;
            }
        }
        if self.open_questions().next().is_none() && self.state == TaskState::InputRequired {
            self.state = TaskState::Working;
        }
        changed
    }

    fn end(&mut self, state: TaskState, outcome: Option<String>, message: Option<String>) -> bool {
        self.state = state;
        self.outcome = outcome;
        self.message = message;
        true
    }
}

/// Returns the message of a JSON-RPC error, given as JSON.
fn error_message(error: &str) -> Option<String> {
    Members::parse(error)?.get("message").and_then(json::Raw::text).map(Into::into)
}
