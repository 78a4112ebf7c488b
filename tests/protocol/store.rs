//! Tasks in memory, by the same rules as in storage.

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
use mcp_sieve::{
    mcp::{Applied, RpcError, TaskStore, TaskWork},
    task::{Event, Scan, Task},
};

#[derive(Default)]
pub struct Store {
    pub clock: Cell<u64>,
    pub tasks: RefCell<BTreeMap<(String, String), Task>>,
    /// What was to be done, in order.
    pub work: RefCell<Vec<(Task, Option<TaskWork>)>>,
    watches: RefCell<Vec<Watch>>,
}

struct Watch {
    owner: String,
    ids: Vec<String>,
    line: Weak<RefCell<(Vec<Task>, Option<Waker>)>>,
}

impl Store {
    /// Has something happen to the only task there is of this name, as whoever does its work would.
    pub fn happen(&self, name: &str, event: Event) -> Result<bool, mcp_sieve::task::Refusal> {
        let found = self
            .tasks
            .borrow()
            .values()
            .find(|task| task.name == name)
            .cloned()
            .expect("a task of this name");
        self.change(&found.owner, &found.id, event).unwrap().changed
    }

    fn change(&self, owner: &str, id: &str, event: Event) -> Option<Applied> {
        let mut tasks = self.tasks.borrow_mut();
        let task = tasks.get_mut(&(owner.to_owned(), id.to_owned()))?;
        let changed = task.apply(event, self.clock.get());
        let task = task.clone();
        drop(tasks);
        if changed == Ok(true) {
            for watch in self.watches.borrow().iter() {
                let wants = watch.owner == owner
                    && (watch.ids.is_empty() || watch.ids.iter().any(|known| known == id));
                if let Some(line) = watch.line.upgrade().filter(|_| wants) {
                    let mut line = line.borrow_mut();
                    line.0.push(task.clone());
                    line.1.take().into_iter().for_each(Waker::wake);
                }
            }
        }
        Some(Applied { task, changed })
    }
}

/// What hands the store out.
pub struct Shared(pub Rc<Store>);

impl TaskStore for Shared {
    fn create(&self, task: Task, work: Option<TaskWork>) -> LocalBoxFuture<'static, Result<(), RpcError>> {
        self.0.work.borrow_mut().push((task.clone(), work));
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
        future::ready(Ok(self.0.change(owner, id, event))).boxed_local()
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
}
