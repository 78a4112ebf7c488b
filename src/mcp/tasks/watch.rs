use std::{
    collections::{BTreeMap, VecDeque},
    pin::pin,
    rc::Rc,
};

use futures_util::{
    StreamExt,
    future::{Either, select},
    stream::{self, LocalBoxStream},
};

use crate::{
    mcp::{
        host::Host,
        tasks::{
            store::TaskStore,
            upstream::{UpstreamTasks, pause},
        },
    },
    small_collect::small_collect,
    task::Task,
};

/// Milliseconds until a store is watched again that has stopped telling.
const AGAIN_MS: u64 = 1_000;

/// Tasks of one owner, each whenever it has changed, whatever becomes of the store meanwhile: those of these ids, or
/// all. Of those that are named nothing is missed, and what they are now comes first, unless it was `seen`: they are
/// looked at again whenever the watching begins anew.
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
    /// What was told last of those named.
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
                    // A server behind is looked at; nobody tells of its tasks.
                    let remote =
                        self.seen.values().filter(|task| task.remote.is_some() && !task.state.ended());
                    let wait = remote.map(pause).min();
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
                        None => self.look().await,
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
        for id in &self.ids {
            if let Ok(Some(task)) = self.store.load(&self.owner, id).await
                && let Ok(task) = self.relay.refresh(&self.store, task).await
            {
                self.news.push_back(task);
            }
        }
    }

    fn is_new(&mut self, task: &Task) -> bool {
        if self.ids.is_empty() {
            return true;
        }
        let known = self.seen.get(&task.id);
        let new = known.is_none_or(|known| known.head() != task.head());
        if new {
            self.seen.insert(task.id.clone(), task.clone());
        }
        new
    }
}
