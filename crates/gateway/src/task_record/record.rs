//! The stored record of a task, and its JSON form.

use std::borrow::Cow;

use mcp_sieve::task::{Status, TaskProperties, TaskState};
use mcp_sieve::{
    Error, ErrorKind,
    json::{self, Members, Number, Object, Raw},
    revision::Era,
};
use serde::{Deserialize, Serialize};

/// A task. JSON is stored as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// The id for clients, which cannot be guessed.
    pub id: String,
    /// The owner as the store writes it: a principal, a session, or an anonymous caller.
    pub owner: String,
    /// The JSON-RPC method of the call.
    pub method: String,
    /// The name of the called primitive, as its caller knows it.
    pub name: String,
    /// The task on the upstream server; `None` for a local task.
    pub remote: Option<Remote>,
    /// The state of the task.
    pub state: TaskState,
    /// A message about the state, for people.
    pub message: Option<String>,
    /// The time of creation, in milliseconds since 1970.
    pub created: u64,
    /// The time of the last change, in milliseconds since 1970.
    pub updated: u64,
    /// The time to live after [`created`](Self::created), in milliseconds; `None` if the task never expires.
    pub ttl: Option<u64>,
    /// The suggested interval, in milliseconds, between requests about the task.
    pub poll: Option<u64>,
    /// All questions that the task has asked its client, in order.
    pub questions: Vec<TaskQuestion>,
    /// The JSON of the result, or of the error if the task [failed](TaskState::Failed).
    pub outcome: Option<String>,
}

/// The identity of a task on its upstream server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remote {
    /// The operator's name for the server.
    pub server: String,
    /// The id of the task on the server.
    pub id: String,
    /// The era in which the server handles the task.
    pub era: Era,
    /// The era of the client that began the task.
    pub client: Era,
    /// The JSON of the capabilities that were declared to the server with the call.
    pub capabilities: String,
}

/// A question of a task to its client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskQuestion {
    /// The key, which is unique within the task.
    pub key: String,
    /// The JSON of `{method, params}`.
    pub request: String,
    /// The JSON of the client's answer; `None` for an open question.
    pub answer: Option<String>,
}

/// The stored name of [`Era::Stateless`].
const STATELESS: &str = "stateless";

impl Task {
    /// Returns the questions that are not yet answered.
    pub fn open_questions(&self) -> impl Iterator<Item = &TaskQuestion> {
        self.questions.iter().filter(|question| question.answer.is_none())
    }

    /// Returns the time at which the task expires, in milliseconds since 1970; `None` if it never does.
    pub fn expires(&self) -> Option<u64> {
        self.ttl.map(|ttl| self.created.saturating_add(ttl))
    }

    /// Returns whether the task has expired at `now`, in milliseconds since 1970.
    pub fn expired(&self, now: u64) -> bool {
        self.expires().is_some_and(|at| at <= now)
    }

    /// Returns the record as JSON for storage, without its [outcome](Self::outcome): that may be long, and lists do not
    /// show it.
    pub fn head(&self) -> String {
        let mut out = Vec::with_capacity(256);
        let mut object = Object::open(&mut out);
        object.text("id", &self.id);
        object.text("owner", &self.owner);
        object.text("method", &self.method);
        object.text("name", &self.name);
        if let Some(Remote { server, id, era, client, capabilities }) = &self.remote {
            let [era, client] =
                [era, client].map(|era| if *era == Era::Stateless { STATELESS } else { "session" });
            object.texts("remote", &[server.as_str(), id, era, client]);
            object.raw("capabilities", capabilities.as_bytes());
        }
        object.raw("state", self.state.number().to_string().as_bytes());
        self.message.iter().for_each(|message| object.text("message", message));
        let numbers = [
            ("created", Some(self.created)),
            ("updated", Some(self.updated)),
            ("ttl", self.ttl),
            ("poll", self.poll),
        ];
        for (key, number) in numbers {
            number.iter().for_each(|number| object.raw(key, number.to_string().as_bytes()));
        }
        if !self.questions.is_empty() {
            Object::push_array(object.value("questions"), &self.questions, |out, question| {
                let mut object = Object::open(out);
                object.text("key", &question.key);
                object.raw("request", question.request.as_bytes());
                question.answer.iter().for_each(|answer| object.raw("answer", answer.as_bytes()));
                object.close();
            });
        }
        object.close();
        String::from_utf8(out).unwrap_or_default()
    }

    /// Parses the output of [`Task::head`], and combines it with the outcome.
    ///
    /// # Errors
    /// [`ErrorKind::Json`] for text that is not such a record.
    pub fn read(head: &str, outcome: Option<String>) -> Result<Self, Error> {
        let read = || {
            let members = Members::parse(head)?;
            let text = |key: &str| members.get(key).and_then(json::Raw::text).map(Cow::into_owned);
            let number = |key: &str| members.get(key).and_then(whole);
            let remote = members.get("remote").and_then(json::Raw::elements).and_then(|parts| {
                let mut parts = parts.into_iter().map(|part| part.text().map(Cow::into_owned));
                let (server, id) = (parts.next()??, parts.next()??);
                let mut era = || {
                    let name = parts.next()??;
                    Some(if name == STATELESS { Era::Stateless } else { Era::Session })
                };
                let (era, client) = (era()?, era().unwrap_or(Era::Session));
                let capabilities = members.get("capabilities").map(Raw::get).unwrap_or("{}");
                Some(Remote { server, id, era, client, capabilities: capabilities.to_owned() })
            });
            let questions = members.get("questions").and_then(json::Raw::elements).unwrap_or_default();
            Some(Self {
                id: text("id")?,
                owner: text("owner")?,
                method: text("method")?,
                name: text("name")?,
                remote,
                state: number("state").and_then(|number| TaskState::numbered(u8::try_from(number).ok()?))?,
                message: text("message"),
                created: number("created")?,
                updated: number("updated")?,
                ttl: number("ttl"),
                poll: number("poll"),
                questions: questions.into_iter().map(question).collect::<Option<_>>()?,
                outcome,
            })
        };
        read().ok_or_else(|| Error::new(ErrorKind::Json, "expected the record of a task"))
    }
}

fn question(raw: Raw<'_>) -> Option<TaskQuestion> {
    let members = Members::read(raw)?;
    Some(TaskQuestion {
        key: members.get("key")?.text()?.into_owned(),
        request: members.get("request")?.get().to_owned(),
        answer: members.get("answer").map(|raw| raw.get().to_owned()),
    })
}

fn whole(raw: Raw<'_>) -> Option<u64> {
    raw.get().parse::<Number>().ok().and_then(Number::whole).and_then(|whole| u64::try_from(whole).ok())
}

impl TaskProperties for Task {
    fn id(&self) -> &str {
        &self.id
    }

    fn method(&self) -> Option<&str> {
        Some(&self.method)
    }

    fn status(&self, era: Era) -> Option<Status> {
        Some(self.state.status(era))
    }

    fn created(&self) -> i64 {
        signed(self.created)
    }

    fn updated(&self) -> i64 {
        signed(self.updated)
    }

    fn expired(&self, now: u64) -> bool {
        self.expires().is_some_and(|at| at <= now)
    }
}

/// Returns a time as a signed number.
pub(super) fn signed(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}
