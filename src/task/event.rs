use serde::{Deserialize, Serialize};

use super::{MAX_QUESTIONS, Task, TaskQuestion, TaskState};

/// Something that happens to a task. JSON is held as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// It goes on, and this is how; nothing to say takes back what was said.
    Progress(Option<String>),
    /// It needs these answers: each question by a key that the task has not used before, as the JSON of
    /// `{method, params}`.
    Ask(Vec<(String, String)>),
    /// Its client answers, each by the question's key, as JSON. Other keys, and those answered before, say nothing.
    Answer(Vec<(String, String)>),
    /// It ends with a result.
    Complete {
        /// The JSON of the result.
        result: String,
        /// Whether that says `isError`.
        is_error: bool,
    },
    /// It ends with a JSON-RPC error, as the JSON of `{code, message, data}`.
    Fail(String),
    /// Its client wants no more of it.
    Cancel,
}

/// Why an event could not happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    /// The task has ended.
    Ended,
    /// A question's key was used before.
    KeyUsed,
    /// It would have asked more than [`MAX_QUESTIONS`].
    TooManyQuestions,
}

impl Refusal {
    /// The stable token.
    pub fn code(self) -> &'static str {
        match self {
            Self::Ended => "task_ended",
            Self::KeyUsed => "task_key_used",
            Self::TooManyQuestions => "task_questions",
        }
    }

    /// The refusal of a token.
    pub fn of(code: &str) -> Option<Self> {
        [Self::Ended, Self::KeyUsed, Self::TooManyQuestions]
            .into_iter()
            .find(|refusal| refusal.code() == code)
    }
}

impl Task {
    /// Has something happen, at `now`; false where it changes nothing. Time never runs backwards for a task,
    /// whatever its clock does.
    ///
    /// # Errors
    /// [`Refusal`], and the task is as it was.
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
            Event::Answer(answers) => self.answer(answers),
            Event::Complete { result, is_error } => {
                self.end(if is_error { TaskState::Erred } else { TaskState::Completed }, Some(result))
            }
            Event::Fail(error) => self.end(TaskState::Failed, Some(error)),
            Event::Cancel => self.end(TaskState::Cancelled, None),
        };
        if changed {
            self.updated = self.updated.max(now);
        }
        Ok(changed)
    }

    fn ask(&mut self, questions: Vec<(String, String)>) -> Result<(), Refusal> {
        if self.questions.len() + questions.len() > MAX_QUESTIONS {
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
        if self.open().next().is_some() {
            self.state = TaskState::InputRequired;
        }
        Ok(())
    }

    fn answer(&mut self, answers: Vec<(String, String)>) -> bool {
        let mut changed = false;
        for (key, answer) in answers {
            let open =
                self.questions.iter_mut().find(|question| question.key == key && question.answer.is_none());
            if let Some(question) = open {
                question.answer = Some(answer);
                changed = true;
            }
        }
        if self.open().next().is_none() && self.state == TaskState::InputRequired {
            self.state = TaskState::Working;
        }
        changed
    }

    fn end(&mut self, state: TaskState, outcome: Option<String>) -> bool {
        self.state = state;
        self.outcome = outcome;
        true
    }
}
