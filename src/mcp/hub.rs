//! Everyone who listens, wherever what they are told comes from.

use std::{
    cell::RefCell,
    collections::VecDeque,
    fmt,
    rc::{Rc, Weak},
    task::{Poll, Waker},
};

use futures_util::{
    StreamExt,
    stream::{self, LocalBoxStream},
};

use super::{Asker, Backend, Change, Failure, Wanted, context, resource::Resolver, sight::Sight};
use crate::config::Config;

/// Most listeners at once; who comes later is told to come back.
pub const MAX_LISTENERS: usize = 10_000;

/// The listeners of a deployment. Each is told once of what changes in its own sight.
#[derive(Default)]
pub struct Hub {
    listeners: RefCell<Vec<Listener>>,
}

struct Listener {
    asker: Asker,
    wanted: Wanted,
    sight: Sight,
    line: Weak<RefCell<Line>>,
}

/// What a listener has yet to hear. What waits already is not said twice, so it stays short however slowly
/// the listener reads.
#[derive(Default)]
struct Line {
    waiting: VecDeque<Change>,
    waker: Option<Waker>,
}

impl fmt::Debug for Hub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hub").field("listeners", &self.listeners.borrow().len()).finish()
    }
}

impl Hub {
    /// What changes from now on in the sight of `asker`, until the stream is dropped. `backend` is what
    /// there is to see now.
    ///
    /// # Errors
    /// `too_many_listeners`, beyond [`MAX_LISTENERS`].
    pub fn listen(
        &self,
        config: &Config,
        backend: &Backend,
        asker: Asker,
        wanted: Wanted,
    ) -> Result<LocalBoxStream<'static, Change>, Failure> {
        let mut listeners = self.listeners.borrow_mut();
        listeners.retain(Listener::here);
        if listeners.len() >= MAX_LISTENERS {
            let message = format!("{MAX_LISTENERS} others are listening, come back later");
            return Err(Failure::internal("too_many_listeners", message));
        }
        let line = Rc::new(RefCell::new(Line::default()));
        let sight = Sight::of(config, backend, &asker);
        listeners.push(Listener { asker, wanted, sight, line: Rc::downgrade(&line) });
        let changes = stream::poll_fn(move |context| {
            let mut line = line.borrow_mut();
            line.waker = Some(context.waker().clone());
            line.waiting.pop_front().map_or(Poll::Pending, |change| Poll::Ready(Some(change)))
        });
        Ok(changes.boxed_local())
    }

    /// Everything that somebody wants to be told.
    pub fn wanted(&self) -> Wanted {
        let mut all = Wanted::default();
        for Listener { wanted, .. } in self.listeners.borrow().iter().filter(|listener| listener.here()) {
            let Wanted { lists, resources } = wanted;
            lists.iter().for_each(|list| {
                if !all.lists.contains(list) {
                    all.lists.push(list.clone());
                }
            });
            all.resources.extend(resources.iter().cloned());
        }
        all
    }

    /// Another backend may have taken the place of the one before.
    pub fn refreshed(&self, config: &Config, backend: &Backend) {
        self.each(|listener| {
            let now = Sight::of(config, backend, &listener.asker);
            let changes = listener.sight.changes(&now).collect();
            listener.sight = now;
            changes
        });
    }

    /// Somebody who knows says that this has changed.
    pub fn changed(&self, config: &Config, backend: &Backend, change: &Change) {
        self.each(|listener| {
            let concealed = match change {
                Change::Resource(uri) => {
                    let caller = listener.asker.caller("resources/read");
                    let query = &listener.asker.query;
                    let seen = context::look(config, backend, &caller, query);
                    seen.map_or(true, |(view, _)| {
                        let resources = Resolver { config, backend, view: &view, caller: &caller, query };
                        !resources.reaches(uri)
                    })
                }
                _ => false,
            };
            if concealed { Vec::new() } else { vec![change.clone()] }
        });
    }

    fn each(&self, mut news: impl FnMut(&mut Listener) -> Vec<Change>) {
        let mut listeners = self.listeners.borrow_mut();
        listeners.retain(Listener::here);
        let mut wakers = Vec::new();
        for listener in listeners.iter_mut() {
            let changes = news(listener);
            let Some(line) = listener.line.upgrade() else { continue };
            let mut line = line.borrow_mut();
            for change in changes.into_iter().filter(|change| listener.wanted.has(change)) {
                if !line.waiting.contains(&change) {
                    line.waiting.push_back(change);
                }
            }
            // A waker that is taken and not woken is lost, and the listener would wait for a later poll.
            if !line.waiting.is_empty() {
                wakers.extend(line.waker.take());
            }
        }
        drop(listeners);
        wakers.into_iter().for_each(Waker::wake);
    }
}

impl Listener {
    fn here(&self) -> bool {
        self.line.strong_count() > 0
    }
}
