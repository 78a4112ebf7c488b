use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::TaskState;
use crate::{
    error::{Error, ErrorKind},
    json::{self, Members, Number, Object, Raw, push_array},
    revision::Era,
};

/// One task, whoever reads it. JSON is held as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// What clients call it: unguessable.
    pub id: String,
    /// Whose it is, as the store has it: a principal, a session, or nobody known.
    pub owner: String,
    /// The JSON-RPC method of the call.
    pub method: String,
    /// What was called, by the name that its caller knows.
    pub name: String,
    /// Where the work is done; `None` for work of one's own.
    pub remote: Option<Remote>,
    /// How it stands.
    pub state: TaskState,
    /// A word on that, for people.
    pub message: Option<String>,
    /// When it was made, in milliseconds since 1970.
    pub created: u64,
    /// When it last changed.
    pub updated: u64,
    /// For how many milliseconds behind [`created`](Self::created) it is kept; for good, if it does not say.
    pub ttl: Option<u64>,
    /// How many milliseconds apart it is worth asking for it.
    pub poll: Option<u64>,
    /// Everything that it has asked its client, in order.
    pub questions: Vec<TaskQuestion>,
    /// The JSON of its result, or of its error where it [failed](TaskState::Failed).
    pub outcome: Option<String>,
}

/// A task of a server behind, as that server knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remote {
    /// The operator's name for the server.
    pub server: String,
    /// What the server calls the task.
    pub id: String,
    /// The era in which it speaks of it.
    pub era: Era,
}

/// Something that a task asked its client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskQuestion {
    /// Its name within the task, for good.
    pub key: String,
    /// The JSON of `{method, params}`.
    pub request: String,
    /// The JSON of the client's answer.
    pub answer: Option<String>,
}

/// How the era of a remote task is written.
const STATELESS: &str = "stateless";

impl Task {
    /// The questions that are not answered yet.
    pub fn open(&self) -> impl Iterator<Item = &TaskQuestion> {
        self.questions.iter().filter(|question| question.answer.is_none())
    }

    /// When it is to be forgotten, in milliseconds since 1970.
    pub fn expires(&self) -> Option<u64> {
        self.ttl.map(|ttl| self.created.saturating_add(ttl))
    }

    /// Whether it is as good as gone.
    pub fn expired(&self, now: u64) -> bool {
        self.expires().is_some_and(|at| at <= now)
    }

    /// All of it but its [outcome](Self::outcome), which may be long and which no list shows, as JSON for storage.
    pub fn head(&self) -> String {
        let mut out = Vec::with_capacity(256);
        let mut object = Object::open(&mut out);
        object.text("id", &self.id);
        object.text("owner", &self.owner);
        object.text("method", &self.method);
        object.text("name", &self.name);
        if let Some(Remote { server, id, era }) = &self.remote {
            object.texts(
                "remote",
                &[server.as_str(), id, if *era == Era::Stateless { STATELESS } else { "session" }],
            );
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
            push_array(object.value("questions"), &self.questions, |out, question| {
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

    /// Reads what [`Task::head`] wrote, beside its outcome.
    ///
    /// # Errors
    /// [`ErrorKind::Json`] for what is no such record.
    pub fn read(head: &str, outcome: Option<String>) -> Result<Self, Error> {
        let read = || {
            let members = Members::parse(head)?;
            let text = |key: &str| members.get(key).and_then(json::text).map(Cow::into_owned);
            let number = |key: &str| members.get(key).and_then(whole);
            let remote = members.get("remote").and_then(json::elements).and_then(|parts| {
                let mut parts = parts.into_iter().map(|part| json::text(part).map(Cow::into_owned));
                let (server, id, era) = (parts.next()??, parts.next()??, parts.next()??);
                Some(Remote { server, id, era: if era == STATELESS { Era::Stateless } else { Era::Session } })
            });
            let questions = members.get("questions").and_then(json::elements).unwrap_or_default();
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
        key: json::text(members.get("key")?)?.into_owned(),
        request: members.get("request")?.get().to_owned(),
        answer: members.get("answer").map(|raw| raw.get().to_owned()),
    })
}

fn whole(raw: Raw<'_>) -> Option<u64> {
    raw.get().parse::<Number>().ok().and_then(Number::whole).and_then(|whole| u64::try_from(whole).ok())
}
