//! Streams the changes of tasks, and polls tasks that run on upstream servers.

use std::{
    collections::{BTreeMap, VecDeque},
    pin::pin,
    rc::Rc,
};

use crate::small_collect::small_collect;
use futures_util::{
    StreamExt,
    future::{Either, select},
    stream::{self, LocalBoxStream},
};

use crate::task_record::Task;

use crate::{
    call::upstream::{UpstreamTasks, pause},
    host::{Host, store::TaskStore},
};

/// Delay, in milliseconds, before a store is watched again after the stream has ended.
const AGAIN_MS: u64 = 1_000;

/// Returns a stream of an owner's tasks, each whenever it has changed: those with the given ids, or all if `ids` is
/// empty. The stream continues when the store's does not. For given ids no change is missed, because the tasks are
/// loaded again whenever watching restarts, and their current state comes first unless it equals `seen`.
pub(crate) fn follow<H: Host>(
    relay: UpstreamTasks<H>,
    store: Rc<dyn TaskStore>,
    owner: String,
    ids: Vec<String>,
    seen: Option<&Task>,
) -> LocalBoxStream<'static, Task> {
    let seen: BTreeMap<_, _> = small_collect(seen.into_iter().map(|task| (task.id.clone(), task.clone())));
    let follower =
        Follower { relay, store, owner, ids, seen, news: VecDeque::new(), watch: None, paused: false };
    stream::unfold(follower, Follower::next).boxed_local()
}

struct Follower<H> {
    relay: UpstreamTasks<H>,
    store: Rc<dyn TaskStore>,
    owner: String,
    ids: Vec<String>,
    /// The last reported state of each given task.
    seen: BTreeMap<String, Task>,
    news: VecDeque<Task>,
    watch: Option<LocalBoxStream<'static, Task>>,
    paused: bool,
}

impl<H: Host> Follower<H> {
    async fn next(mut self) -> Option<(Task, Self)> {
        loop {
            if let Some(task) = self.news.pop_front() {
                if self.is_new(&task) {
                    return Some((task, self));
                }
                continue;
            }
            match &mut self.watch {
                Some(watch) => {
                    let wait = self.seen.values().filter(|task| is_open(task)).map(pause).min();
                    let host = self.relay.host.clone();
                    let look = async move {
                        match wait {
                            Some(ms) => host.sleep(ms).await,
                            None => std::future::pending().await,
                        }
                    };
                    let heard = match select(watch.next(), pin!(look)).await {
                        Either::Left((heard, _)) => Some(heard),
                        Either::Right(_) => None,
                    };
                    match heard {
                        Some(Some(task)) => self.news.push_back(task),
                        Some(None) => self.watch = None,
                        None => self.poll_all().await,
                    }
                }
                None => self.begin().await,
            }
        }
    }

    async fn begin(&mut self) {
        if std::mem::replace(&mut self.paused, true) {
            self.relay.host.sleep(AGAIN_MS).await;
        }
        self.watch = self.store.watch(&self.owner, self.ids.clone()).await.ok();
        self.look().await;
    }

    async fn look(&mut self) {
        for id in self.ids.clone() {
            if let Ok(Some(task)) = self.store.load(&self.owner, &id).await {
                self.news.push_back(task.clone());
                self.poll(task).await;
            }
        }
    }

    /// Polls the tasks that are open at their servers.
    async fn poll_all(&mut self) {
        let open: Vec<Task> = self.seen.values().filter(|task| is_open(task)).cloned().collect();
        for task in open {
            self.poll(task).await;
        }
    }

    /// Polls a task, unless another stream has its turn: what that finds out is reported here too.
    async fn poll(&mut self, task: Task) {
        if is_open(&task)
            && self.store.may_poll(&task.id, self.relay.host.now(), pause(&task))
            && let Ok(task) = self.relay.refresh(&self.store, task).await
        {
            self.news.push_back(task);
        }
    }

    fn is_new(&mut self, task: &Task) -> bool {
        if self.ids.is_empty() {
            return true;
        }
        let known = self.seen.get(&task.id);
        let new = known.is_none_or(|known| known.head() != task.head());
        if new {
            // The outcome may be long, and is no part of the comparison.
            self.seen.insert(task.id.clone(), Task { outcome: None, ..task.clone() });
        }
        new
    }
}

/// Returns whether a task must be polled: no change of an upstream task is reported.
fn is_open(task: &Task) -> bool {
    task.remote.is_some() && !task.state.ended()
}
