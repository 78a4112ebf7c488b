//! The Durable Object that keeps the tasks of one owner, and has their work done.
//!
//! A task is a record in SQLite; what happens to it comes here and is applied one event after the other.
//! Whatever an event changes is written without a pause in between, so that the runtime keeps all of it or
//! nothing, and answers nobody before it is kept. Work is done in steps, driven by the object's alarm: what a
//! step has to remember is written with what the task has become. So there is no moment at which a process
//! that ends loses more than the step it was at, and that one is done again.
#![expect(missing_docs, reason = "what `durable_object` writes for JavaScript carries no documentation")]

mod client;
mod jobs;
mod store;
mod watchers;

use std::{cell::Cell, rc::Rc, time::Duration};

use mcp_sieve::{
    mcp::{Applied, RpcError, TaskWork},
    task::{Event, State as Standing, Statement, Task},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use worker::{Date, DurableObject, Env, Method, Request, Response, Result, State, Storage, durable_object};

pub(crate) use client::EdgeTasks;
use jobs::Jobs;
use store::Store;
use watchers::Watchers;

/// What the object is asked. Each is answered with `{"ok": …}` or `{"failure": …}`, both with status 200.
#[derive(Debug, Serialize, Deserialize)]
enum Asked {
    /// Nothing comes back.
    Create(Box<Task>, Option<Box<TaskWork>>),
    /// A [`Task`], or `null`.
    Load(String),
    /// An [`Applied`], or `null`.
    Apply(String, Event),
    /// The records that it finds.
    List(Statement),
    /// A stream of tasks, a line for each change: of these, or of all where none is named.
    Watch(Vec<String>),
}

/// The tasks of one owner. It takes `Asked` as the body of a `POST`.
#[durable_object(alarm)]
#[derive(Debug)]
pub struct TasksObject {
    env: Env,
    desk: Rc<Desk>,
}

/// What keeps the tasks.
#[derive(Debug)]
struct Desk {
    storage: Storage,
    store: Store,
    watchers: Watchers,
    jobs: Jobs,
    /// When the alarm is to ring, where that is known.
    rings: Cell<Option<u64>>,
}

impl DurableObject for TasksObject {
    fn new(state: State, env: Env) -> Self {
        let storage = state.storage();
        let desk = Desk {
            store: Store::new(storage.sql()),
            storage,
            watchers: Watchers::default(),
            jobs: Jobs::default(),
            rings: Cell::new(None),
        };
        Self { env, desk: Rc::new(desk) }
    }

    async fn fetch(&self, mut request: Request) -> Result<Response> {
        if request.method() != Method::Post {
            return Response::error("only POST", 405);
        }
        let said = match request.json().await? {
            Asked::Watch(ids) => return self.desk.watchers.open(ids),
            asked => self.desk.answer(asked),
        };
        // The alarm is kept with what was written.
        self.desk.wake().await?;
        Response::from_json(&match said {
            Ok(ok) => json!({ "ok": ok }),
            Err(failure) => refused(&failure),
        })
    }

    async fn alarm(&self) -> Result<Response> {
        self.desk.rings.set(None);
        self.desk.work(&self.env).await.map_err(fault)?;
        self.desk.wake().await?;
        Response::empty()
    }
}

impl Desk {
    /// What a request comes to; nothing in it waits.
    fn answer(&self, asked: Asked) -> Kept<Value> {
        let now = now();
        let said = match asked {
            Asked::Create(task, work) => {
                self.store.forget_expired(now)?;
                self.store.create(&task, work.map(|work| *work), now)?;
                self.watchers.tell(&task);
                return Ok(Value::Null);
            }
            Asked::Load(id) => serde_json::to_value(self.store.load(&id, now)?),
            Asked::Apply(id, event) => serde_json::to_value(self.happen(&id, event, now)?),
            Asked::List(statement) => serde_json::to_value(self.store.list(statement)?),
            Asked::Watch(_) => Ok(Value::Null),
        };
        said.map_err(|error| RpcError::internal("storage", format!("the tasks: {error}")))
    }

    /// Has something happen to a task, with what follows from it for its work and for whoever watches.
    fn happen(&self, id: &str, event: Event, now: u64) -> Kept<Option<Applied>> {
        let Some(mut task) = self.store.load(id, now)? else { return Ok(None) };
        let answers = matches!(event, Event::Answer(_));
        let changed = task.apply(event, now);
        if changed == Ok(true) {
            self.keep(&task)?;
            if answers && task.state == Standing::Working {
                self.store.due(id, Some(now))?;
            }
        }
        Ok(Some(Applied { task, changed }))
    }

    /// Writes what a task has become; one that has ended needs no more work.
    fn keep(&self, task: &Task) -> Kept<()> {
        self.store.save(task)?;
        if task.state.ended() {
            self.store.end_work(&task.id)?;
        }
        self.watchers.tell(task);
        Ok(())
    }

    /// Sets the alarm for the next thing to do.
    async fn wake(&self) -> Result<()> {
        let Some(next) = self.store.next().map_err(fault)? else { return Ok(()) };
        if self.rings.get().is_some_and(|rings| rings <= next) {
            return Ok(());
        }
        self.storage.set_alarm(Duration::from_millis(next.saturating_sub(now()))).await?;
        self.rings.set(Some(next));
        Ok(())
    }
}

/// What is said where storage may fail.
type Kept<T> = std::result::Result<T, RpcError>;

fn refused(failure: &RpcError) -> Value {
    json!({ "failure": failure.to_json() })
}

/// A failure that only the runtime hears of.
fn fault(failure: RpcError) -> worker::Error {
    worker::Error::RustError(failure.message)
}

fn now() -> u64 {
    Date::now().as_millis()
}
