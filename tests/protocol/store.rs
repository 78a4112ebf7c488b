//! An in-memory task store with the same rules as the persistent one.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    rc::{Rc, Weak},
    task::{Poll, Waker},
};

use futures_util::{
    FutureExt, StreamExt,
    future::{self, LocalBoxFuture},
    stream::{self, LocalBoxStream},
};
use mcp_sieve::task::Scan;
use mcp_sieve_gateway::tasks::{Event, Task};
use mcp_sieve_gateway::{
    error::RpcError,
    tasks::{Applied, PollTurns, TaskQueue, TaskRunner, TaskStep, TaskStore, TaskWork},
};
use serde_json::{Map, Value};

#[derive(Default)]
pub struct Store {
    pub clock: Cell<u64>,
    pub tasks: RefCell<BTreeMap<(String, String), Task>>,
    /// The tasks that were created, with their work, in order.
    pub work: RefCell<Vec<(Task, Option<TaskWork>)>>,
    /// The next step of each task, and the time when it is due.
    pub steps: RefCell<BTreeMap<String, (TaskStep, Option<u64>)>>,
    /// Maximum length of an outcome, in bytes; unlimited if 0.
    pub room: Cell<usize>,
    /// Whether no further task can be stored.
    pub full: Cell<bool>,
    /// The ids of tasks whose step cannot be read, and of those whose record cannot.
    pub unreadable: [RefCell<Vec<String>>; 2],
    watches: RefCell<Vec<Watch>>,
    polls: PollTurns,
}

struct Watch {
    owner: String,
    ids: Vec<String>,
    line: Weak<RefCell<(Vec<Task>, Option<Waker>)>>,
}

impl Store {
    /// Applies an event to the only task with this name, as its work would.
    pub fn happen(
        self: &Rc<Self>,
        name: &str,
        event: Event,
    ) -> Result<bool, mcp_sieve_gateway::tasks::Refusal> {
        let id = self.named(name).id;
        self.runner().apply(&id, event).unwrap().unwrap().changed
    }

    /// Returns the only task with this name.
    pub fn named(&self, name: &str) -> Task {
        self.tasks.borrow().values().find(|task| task.name == name).cloned().expect("a task of this name")
    }

    /// Fails for an id among those that cannot be read.
    fn check(&self, of: usize, id: &str) -> Result<(), RpcError> {
        match self.unreadable[of].borrow().iter().any(|unreadable| unreadable == id) {
            true => Err(RpcError::internal("task_unreadable", "the task cannot be read")),
            false => Ok(()),
        }
    }

    /// Returns a runner for the work in this store.
    pub fn runner(self: &Rc<Self>) -> TaskRunner<Shared> {
        TaskRunner::new(Shared(Rc::clone(self)))
    }

    /// Returns the time when the next step of the only task with this name is due.
    pub fn due(&self, name: &str) -> Option<u64> {
        self.steps.borrow().get(&self.named(name).id).and_then(|(_, due)| *due)
    }
}

/// A shared handle to the store.
pub struct Shared(pub Rc<Store>);

impl TaskStore for Shared {
    fn create(&self, task: Task, work: Option<TaskWork>) -> LocalBoxFuture<'static, Result<(), RpcError>> {
        if self.0.full.get() {
            let failure = RpcError::internal("task_limit", "no further task can be stored");
            return future::ready(Err(failure)).boxed_local();
        }
        self.0.work.borrow_mut().push((task.clone(), work.clone()));
        if let Some(work) = work {
            let due = self.0.clock.get() + work.wait_ms;
            let step = TaskStep { work, question_keys: Map::new(), tries: 0 };
            self.0.steps.borrow_mut().insert(task.id.clone(), (step, Some(due)));
        }
        self.0.tasks.borrow_mut().insert((task.owner.clone(), task.id.clone()), task);
        future::ready(Ok(())).boxed_local()
    }

    fn load(&self, owner: &str, id: &str) -> LocalBoxFuture<'static, Result<Option<Task>, RpcError>> {
        let found = self.0.tasks.borrow().get(&(owner.to_owned(), id.to_owned())).cloned();
        future::ready(Ok(found)).boxed_local()
    }

    fn apply(
        &self,
        owner: &str,
        id: &str,
        event: Event,
    ) -> LocalBoxFuture<'static, Result<Option<Applied>, RpcError>> {
        let known = self.0.tasks.borrow().contains_key(&(owner.to_owned(), id.to_owned()));
        let applied = if known { self.0.runner().apply(id, event) } else { Ok(None) };
        future::ready(applied).boxed_local()
    }

    fn list(&self, owner: &str, scan: Scan) -> LocalBoxFuture<'static, Result<Vec<Task>, RpcError>> {
        let tasks = self.0.tasks.borrow();
        let of_owner = tasks.values().filter(|task| task.owner == owner);
        let found = scan.pick(of_owner).into_iter();
        // A list does not read outcomes.
        let found = found.map(|task| Task { outcome: None, ..task.clone() }).collect();
        future::ready(Ok(found)).boxed_local()
    }

    fn watch(
        &self,
        owner: &str,
        ids: Vec<String>,
    ) -> LocalBoxFuture<'static, Result<LocalBoxStream<'static, Task>, RpcError>> {
        let line = Rc::new(RefCell::new((Vec::<Task>::new(), None)));
        self.0.watches.borrow_mut().push(Watch { owner: owner.to_owned(), ids, line: Rc::downgrade(&line) });
        let told = stream::poll_fn(move |context| {
            let mut line = line.borrow_mut();
            if line.0.is_empty() {
                line.1 = Some(context.waker().clone());
                return Poll::Pending;
            }
            Poll::Ready(Some(line.0.remove(0)))
        });
        future::ready(Ok(told.boxed_local())).boxed_local()
    }

    fn may_poll(&self, id: &str, now: u64, pause_ms: u64) -> bool {
        self.0.polls.take(id, now, pause_ms)
    }
}

impl TaskQueue for Shared {
    fn now(&self) -> u64 {
        self.0.clock.get()
    }

    fn sleep(&self, ms: u64) -> LocalBoxFuture<'static, ()> {
        let (store, until) = (Rc::clone(&self.0), self.now() + ms);
        let over = move || store.clock.get() >= until;
        future::poll_fn(move |_| if over() { Poll::Ready(()) } else { Poll::Pending }).boxed_local()
    }

    fn load(&self, id: &str) -> Result<Option<Task>, RpcError> {
        self.0.check(1, id)?;
        let tasks = self.0.tasks.borrow();
        let found = tasks.values().find(|task| task.id == id).cloned();
        Ok(found.filter(|task| task.expires().is_none_or(|expires| expires > self.now())))
    }

    fn save(&self, task: &Task) -> Result<(), RpcError> {
        let room = self.0.room.get();
        if room > 0 && task.outcome.as_ref().is_some_and(|outcome| outcome.len() > room) {
            return Err(RpcError::internal("task_too_large", "the result is too long"));
        }
        self.0.tasks.borrow_mut().insert((task.owner.clone(), task.id.clone()), task.clone());
        for watch in self.0.watches.borrow().iter() {
            let wants = watch.owner == task.owner && (watch.ids.is_empty() || watch.ids.contains(&task.id));
            if let Some(line) = watch.line.upgrade().filter(|_| wants) {
                let mut line = line.borrow_mut();
                line.0.push(task.clone());
                line.1.take().into_iter().for_each(Waker::wake);
            }
        }
        Ok(())
    }

    fn due(&self, limit: usize) -> Result<Vec<String>, RpcError> {
        let steps = self.0.steps.borrow();
        let due = |at: Option<u64>| at.filter(|at| *at <= self.now());
        let mut found: Vec<_> =
            steps.iter().filter_map(|(id, (_, at))| Some((due(*at)?, id.clone()))).collect();
        found.sort();
        Ok(found.into_iter().take(limit).map(|(_, id)| id).collect())
    }

    fn begin(&self, id: &str) -> Result<Option<TaskStep>, RpcError> {
        self.0.check(0, id)?;
        let mut steps = self.0.steps.borrow_mut();
        let Some((step, _)) = steps.get_mut(id) else { return Ok(None) };
        let begun = step.clone();
        step.tries += 1;
        Ok(Some(begun))
    }

    fn set_step(
        &self,
        id: &str,
        state: Option<Vec<u8>>,
        question_keys: &Map<String, Value>,
        due: Option<u64>,
    ) -> Result<(), RpcError> {
        if let Some((step, at)) = self.0.steps.borrow_mut().get_mut(id) {
            (step.work.state, step.question_keys, step.tries, *at) = (state, question_keys.clone(), 0, due);
        }
        Ok(())
    }

    fn set_due(&self, id: &str, at: u64) -> Result<(), RpcError> {
        self.0.steps.borrow_mut().get_mut(id).into_iter().for_each(|(_, due)| *due = Some(at));
        Ok(())
    }

    fn end_work(&self, id: &str) -> Result<(), RpcError> {
        self.0.steps.borrow_mut().remove(id);
        Ok(())
    }

    fn delete_expired(&self) -> Result<(), RpcError> {
        let now = self.now();
        let over = |task: &Task| task.expires().is_some_and(|expires| expires <= now);
        self.0.tasks.borrow_mut().retain(|_, task| !over(task));
        let tasks = self.0.tasks.borrow();
        self.0.steps.borrow_mut().retain(|id, _| tasks.values().any(|task| task.id == *id));
        Ok(())
    }
}
