//! How often changes of a server's lists are followed. After each of them the server is listed and the catalog is
//! compiled, so a server that announces changes all the time would slow the calls of all others.

use std::pin::pin;

use futures_util::{
    StreamExt,
    future::{Either, select},
    stream::{self, Fuse, LocalBoxStream},
};

use crate::{session::change::Change, upstream::Fetch};

/// Minimum time, in milliseconds, between two changes of a server's lists that are followed, once
/// [`MAX_CHANGES_AT_ONCE`] were.
const CHANGE_MS: u64 = 250;
/// Maximum number of changes of a server's lists that are followed at once, such as two of each list.
const MAX_CHANGES_AT_ONCE: u64 = 12;

/// The credit that allows as many.
const FULL: u64 = MAX_CHANGES_AT_ONCE * CHANGE_MS;

/// The credit of a server, in milliseconds, of which each change of its lists that is followed takes [`CHANGE_MS`]. It
/// grows with time, up to [`FULL`].
#[derive(Debug)]
pub(crate) struct Credit {
    left: u64,
    /// The time, in milliseconds since 1970, at which `left` was computed.
    at: u64,
}

impl Credit {
    /// Returns the full credit.
    pub fn full(now: u64) -> Self {
        Self { left: FULL, at: now }
    }

    /// Returns the milliseconds until a change may be followed; zero if it may be now.
    pub fn missing(&mut self, now: u64) -> u64 {
        self.left = self.left.saturating_add(now.saturating_sub(self.at)).min(FULL);
        self.at = now;
        CHANGE_MS.saturating_sub(self.left)
    }

    /// Takes the credit of a change that is followed.
    pub fn take(&mut self) {
        self.left = self.left.saturating_sub(CHANGE_MS);
    }
}

/// Returns the changes with those of lists at most every [`CHANGE_MS`], after the first [`MAX_CHANGES_AT_ONCE`]. One
/// that has to wait is reported once, however often the server reports it meanwhile, so that the last one is never
/// lost. Updates of resources do not wait.
pub(super) fn spaced<F: Fetch>(
    fetch: &F,
    changes: LocalBoxStream<'static, Change>,
) -> LocalBoxStream<'static, Change> {
    let (fetch, changes) = (fetch.clone(), changes.fuse());
    let credit = Credit::full(fetch.now());
    let spacing = Spacing { fetch, changes, waiting: Vec::new(), credit };
    stream::unfold(spacing, async |mut spacing| Some((spacing.next().await?, spacing))).boxed_local()
}

struct Spacing<F> {
    fetch: F,
    changes: Fuse<LocalBoxStream<'static, Change>>,
    /// The changes of lists that wait, in the order of their first reports.
    waiting: Vec<Change>,
    credit: Credit,
}

impl<F: Fetch> Spacing<F> {
    async fn next(&mut self) -> Option<Change> {
        loop {
            let missing = self.credit.missing(self.fetch.now());
            if missing == 0 && !self.waiting.is_empty() {
                self.credit.take();
                return Some(self.waiting.remove(0));
            }
            let next = match self.waiting.is_empty() {
                true => self.changes.next().await,
                false => match select(self.changes.next(), pin!(self.fetch.sleep(missing))).await {
                    Either::Left((next, _)) => next,
                    Either::Right(_) => continue,
                },
            };
            match next {
                Some(update @ Change::Resource(_)) => return Some(update),
                Some(change) if self.waiting.contains(&change) => {}
                Some(change) => self.waiting.push(change),
                None if self.waiting.is_empty() => return None,
                None => return Some(self.waiting.remove(0)),
            }
        }
    }
}
