//! The task database of one owner: tables, limits and the queue of due work.

use std::time::Duration;

use futures_util::{FutureExt, future::LocalBoxFuture};
use mcp_sieve_gateway::tasks::{Binding, SCHEMA, Statement, Task};
use mcp_sieve_gateway::{
    error::RpcError,
    tasks::{TaskQueue, TaskStep, TaskWork},
};
use serde_json::{Map, Value, json};
use worker::{Delay, SqlStorage, SqlStorageValue};

use super::watchers::Watchers;
use crate::clock;
use crate::objects::sql::{self, Database, Row, first_number, text, whole};

/// Maximum number of tasks of one owner.
pub(super) const MAX_TASKS: u64 = 10_000;
/// Storage, in bytes, beyond which an owner gets no new task.
const MAX_STORED: usize = 512 * 1024 * 1024;
/// Maximum length, in bytes of JSON, of a task's result and of a call that becomes a task. The platform's rows have at
/// most two megabytes.
pub(super) const MAX_RESULT: usize = 1_500_000;
/// Maximum length, in bytes, of a task's record without its result. Questions and their answers are part of it.
const MAX_HEAD: usize = 400_000;

/// The tasks and their remaining work. `call` never changes, and `work` changes with each step.
const TABLES: [&str; 7] = {
    let [tasks, first, second, third] = SCHEMA;
    [
        tasks,
        first,
        second,
        third,
        "CREATE TABLE IF NOT EXISTS calls (id TEXT PRIMARY KEY, call TEXT NOT NULL) STRICT",
        "CREATE TABLE IF NOT EXISTS work (id TEXT PRIMARY KEY, due INTEGER, tries INTEGER NOT NULL, \
         asked TEXT NOT NULL, state BLOB) STRICT",
        "CREATE INDEX IF NOT EXISTS work_due ON work (due)",
    ]
};

/// The object's SQLite database, and the streams that report its changes.
#[derive(Debug)]
pub(super) struct Store {
    database: Database,
    pub watchers: Watchers,
}

impl Store {
    pub fn new(sql: SqlStorage) -> Self {
        Self { database: Database::new(sql, &TABLES), watchers: Watchers::default() }
    }

    /// Stores a new task with its work.
    pub fn create(&self, task: &Task, work: Option<TaskWork>) -> Result<(), RpcError> {
        self.delete_expired()?;
        let most = |what: &str, limit: String| {
            let message = format!("{what}: {limit}; wait until some expire");
            Err(RpcError::internal("task_limit", message))
        };
        let tasks = self.rows("SELECT count(*) FROM tasks", [])?;
        if first_number(&tasks).unwrap_or_default() >= MAX_TASKS {
            return most("too many tasks", format!("one owner has at most {MAX_TASKS} at a time"));
        }
        if self.database.size() >= MAX_STORED {
            return most(
                "the storage is full",
                format!("the tasks of one owner take at most {MAX_STORED} bytes"),
            );
        }
        // Refuse before anything is written.
        let head = fits("the task", task.head(), MAX_HEAD)?;
        let (mut work, mut state, mut wait_ms) = (work, None, 0);
        if let Some(work) = &mut work {
            (state, wait_ms) = (work.state.take(), work.wait_ms);
        }
        remembered(state.as_deref())?;
        let call = work.map(|work| serde_json::to_string(&work).map_err(unreadable)).transpose()?;
        let call = call.map(|call| fits("the call", call, MAX_RESULT)).transpose()?;
        self.database.create_tables().map_err(failed)?;
        self.run(
            "INSERT INTO tasks (id, state, method, created, updated, expires, head, outcome) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                task.id.as_str().into(),
                i64::from(task.state.number()).into(),
                task.method.as_str().into(),
                number(task.created)?,
                number(task.updated)?,
                task.expires().map(number).transpose()?.into(),
                head.into(),
                task.outcome.clone().into(),
            ],
        )?;
        let Some(call) = call else { return Ok(()) };
        self.run("INSERT INTO calls (id, call) VALUES (?, ?)", [task.id.as_str().into(), call.into()])?;
        self.run("INSERT INTO work (id, tries, asked) VALUES (?, 0, '{}')", [task.id.as_str().into()])?;
        self.set_step(&task.id, state, &Map::new(), Some(self.now().saturating_add(wait_ms)))
    }

    /// Returns the records that a compiled statement selects.
    pub fn list(&self, Statement { sql, bindings }: Statement) -> Result<Vec<String>, RpcError> {
        let bound = bindings.into_iter().map(|binding| match binding {
            // Bounds beyond JavaScript's exact integers are larger than any stored number, so rounding does not matter.
            Binding::Number(number) => SqlStorageValue::Float(number as f64),
            Binding::Text(text) => text.into(),
        });
        let rows = self.exec(&sql, bound.collect())?;
        Ok(rows.into_iter().filter_map(|row| row.into_iter().next().and_then(text)).collect())
    }

    /// Returns when the next step is due or the next task is to be deleted.
    pub fn next(&self) -> Result<Option<u64>, RpcError> {
        const QUERY: &str =
            "SELECT min(at) FROM (SELECT min(due) AS at FROM work UNION ALL SELECT min(expires) FROM tasks)";
        let rows = self.rows(QUERY, [])?;
        Ok(first_number(&rows))
    }

    /// Returns whether tables are stored, but no task.
    pub fn has_empty_tables(&self) -> Result<bool, RpcError> {
        let rows = self.rows("SELECT EXISTS (SELECT 1 FROM tasks)", [])?;
        Ok(first_number(&rows) == Some(0))
    }

    /// Makes the next task create the tables again, because the storage was deleted.
    pub fn forget_tables(&self) {
        self.database.forget_tables();
    }

    fn run<const N: usize>(&self, query: &str, bound: [SqlStorageValue; N]) -> Result<(), RpcError> {
        self.rows(query, bound).map(|_| ())
    }

    fn rows<const N: usize>(&self, query: &str, bound: [SqlStorageValue; N]) -> Result<Vec<Row>, RpcError> {
        self.exec(query, bound.to_vec())
    }

    /// Runs a query. The first task creates the tables. Before that no query has rows.
    fn exec(&self, query: &str, bound: Vec<SqlStorageValue>) -> Result<Vec<Row>, RpcError> {
        match self.database.has_table("tasks") {
            Ok(false) => Ok(Vec::new()),
            Ok(true) => self.database.rows(query, bound).map_err(failed),
            Err(error) => Err(failed(error)),
        }
    }
}

impl TaskQueue for Store {
    fn now(&self) -> u64 {
        clock::now()
    }

    fn sleep(&self, ms: u64) -> LocalBoxFuture<'static, ()> {
        Delay::from(Duration::from_millis(ms)).boxed_local()
    }

    fn load(&self, id: &str) -> Result<Option<Task>, RpcError> {
        const QUERY: &str =
            "SELECT head, outcome FROM tasks WHERE id = ? AND (expires IS NULL OR expires > ?)";
        let rows = self.rows(QUERY, [id.into(), number(self.now())?])?;
        let Some(row) = rows.into_iter().next() else { return Ok(None) };
        let mut row = row.into_iter();
        let (head, outcome) = (row.next().and_then(text).unwrap_or_default(), row.next().and_then(text));
        Task::read(&head, outcome).map(Some).map_err(unreadable)
    }

    fn save(&self, task: &Task) -> Result<(), RpcError> {
        let head = fits("the task", task.head(), MAX_HEAD)?;
        let outcome =
            task.outcome.clone().map(|outcome| fits("the result", outcome, MAX_RESULT)).transpose()?;
        self.run(
            "UPDATE tasks SET state = ?2, updated = ?3, head = ?4, outcome = ?5 WHERE id = ?1",
            [
                task.id.as_str().into(),
                i64::from(task.state.number()).into(),
                number(task.updated)?,
                head.into(),
                outcome.into(),
            ],
        )?;
        self.watchers.notify(task);
        Ok(())
    }

    fn due(&self, limit: usize) -> Result<Vec<String>, RpcError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = self.rows(
            "SELECT id FROM work WHERE due <= ? ORDER BY due LIMIT ?",
            [number(self.now())?, limit.into()],
        )?;
        Ok(rows.into_iter().filter_map(|row| row.into_iter().next().and_then(text)).collect())
    }

    fn begin(&self, id: &str) -> Result<Option<TaskStep>, RpcError> {
        const QUERY: &str = "SELECT call, state, asked, tries FROM work JOIN calls USING (id) WHERE id = ?";
        let rows = self.rows(QUERY, [id.into()])?;
        let Some(row) = rows.into_iter().next() else { return Ok(None) };
        let [call, state, question_keys, tries] =
            <[_; 4]>::try_from(row).map_err(|_| unreadable("a row of another shape"))?;
        self.run("UPDATE work SET tries = tries + 1 WHERE id = ?", [id.into()])?;
        let mut work: TaskWork = serde_json::from_str(&text(call).unwrap_or_default()).map_err(unreadable)?;
        if let SqlStorageValue::Blob(state) = state {
            work.state = Some(state);
        }
        let question_keys = text(question_keys).unwrap_or_default();
        let question_keys = serde_json::from_str(&question_keys).map_err(unreadable)?;
        Ok(Some(TaskStep { work, question_keys, tries: whole(&tries).unwrap_or_default() }))
    }

    fn set_step(
        &self,
        id: &str,
        state: Option<Vec<u8>>,
        question_keys: &Map<String, Value>,
        due: Option<u64>,
    ) -> Result<(), RpcError> {
        remembered(state.as_deref())?;
        self.run(
            "UPDATE work SET state = ?2, asked = ?3, due = ?4, tries = 0 WHERE id = ?1",
            [
                id.into(),
                state.into(),
                json!(question_keys).to_string().into(),
                due.map(number).transpose()?.into(),
            ],
        )
    }

    fn set_due(&self, id: &str, at: u64) -> Result<(), RpcError> {
        self.run("UPDATE work SET due = ?2 WHERE id = ?1", [id.into(), number(at)?])
    }

    fn end_work(&self, id: &str) -> Result<(), RpcError> {
        self.run("DELETE FROM work WHERE id = ?", [id.into()])?;
        self.run("DELETE FROM calls WHERE id = ?", [id.into()])
    }

    fn delete_expired(&self) -> Result<(), RpcError> {
        let now = self.now();
        for table in ["work", "calls"] {
            let query = format!("DELETE FROM {table} WHERE id IN (SELECT id FROM tasks WHERE expires <= ?)");
            self.run(&query, [number(now)?])?;
        }
        self.run("DELETE FROM tasks WHERE expires <= ?", [number(now)?])
    }
}

/// Returns the text, or an error if it is too long to be stored.
fn fits(what: &str, text: String, most: usize) -> Result<String, RpcError> {
    if text.len() > most { Err(too_large(what, text.len(), most)) } else { Ok(text) }
}

/// Fails if the state of a step is too long to be stored.
fn remembered(state: Option<&[u8]>) -> Result<(), RpcError> {
    match state {
        Some(state) if state.len() > MAX_RESULT => {
            Err(too_large("what the work remembers", state.len(), MAX_RESULT))
        }
        _ => Ok(()),
    }
}

fn failed(error: worker::Error) -> RpcError {
    RpcError::internal("storage", format!("the tasks: {error}"))
}

/// Returns the error for what is damaged, or was stored by another version.
fn unreadable(error: impl std::fmt::Display) -> RpcError {
    RpcError::internal(
        "task_unreadable",
        format!("the task is stored in a form that cannot be read: {error}"),
    )
}

/// Returns the error for something that is too long to be stored.
fn too_large(what: &str, size: usize, most: usize) -> RpcError {
    let message = format!("{what} has {size} bytes, and a task keeps at most {most}");
    let mut failure = RpcError::internal("task_too_large", message);
    failure.data = Some(json!({"reason": "task_too_large", "bytes": size, "limit": most}));
    failure
}

fn number(value: u64) -> Result<SqlStorageValue, RpcError> {
    sql::number(value).map_err(|_| RpcError::internal("storage", "a time is out of range"))
}
