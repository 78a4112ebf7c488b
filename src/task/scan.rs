use serde::{Deserialize, Serialize};

use super::{Direction, Listed, Query, Task, query::signed};

/// A stretch of the tasks that a [`Query`] finds: what one look into storage is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scan {
    /// What is looked for, and in which order.
    pub query: Query,
    /// Behind which task to begin.
    pub from: Option<Place>,
    /// The most tasks that are wanted.
    pub limit: usize,
    /// Now, in milliseconds since 1970: what has expired is not found.
    pub now: u64,
}

/// Where a list goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The time of the last task that was listed, by which the order is.
    pub at: i64,
    /// Its id.
    pub id: String,
    /// When the list began. What the order puts behind that is new, and in no page of the list, so that a list
    /// of tasks that keep changing comes to its end.
    pub began: i64,
}

impl Scan {
    /// Looks through tasks in memory; what storage does with [`Scan::sql`].
    pub fn pick<'a>(&self, tasks: impl IntoIterator<Item = &'a Task>) -> Vec<&'a Task> {
        let alive = tasks.into_iter().filter(|task| !task.expired(self.now));
        let mut found: Vec<&Task> =
            alive.filter(|task| self.query.admits(*task) && self.reaches(*task)).collect();
        self.query.arrange(&mut found, self.limit);
        found
    }

    /// Whether a task stands behind the place where the scan begins, and was there when the list began.
    pub(super) fn reaches(&self, task: &impl Listed) -> bool {
        let Some(place) = &self.from else { return true };
        let at = self.query.time(task);
        let last = if self.query.direction == Direction::Descending { -place.at } else { place.at };
        at <= place.began.max(place.at) && self.query.rank(task) > (last, place.id.as_str())
    }

    /// The place behind a task, in a list that [began](Scan::began) then.
    pub fn behind(&self, task: &impl Listed, began: i64) -> Place {
        Place { at: self.query.time(task), id: task.id().to_owned(), began }
    }

    /// When the list began. Where the clock has gone back since, that is the time of the latest task there was,
    /// which [`Scan::latest`] finds: it is old, and only ahead of the clock.
    pub fn began(&self, latest: Option<&Task>) -> i64 {
        let now = || signed(self.now).max(latest.map_or(i64::MIN, |task| self.query.time(task)));
        self.from.as_ref().map_or_else(now, |place| place.began)
    }

    /// What finds the latest task, where a list begins at the other end.
    pub fn latest(&self) -> Option<Self> {
        if self.from.is_some() || self.query.direction == Direction::Descending {
            return None;
        }
        let mut query = self.query.clone();
        query.direction = Direction::Descending;
        Some(Self { query, from: None, limit: 1, now: self.now })
    }
}

impl Query {
    /// Puts tasks in order, the first `limit` of them.
    pub fn arrange<T: Listed>(&self, tasks: &mut Vec<&T>, limit: usize) {
        // What does not come first need not be sorted.
        if limit < tasks.len() {
            tasks.select_nth_unstable_by(limit, |a, b| self.rank(*a).cmp(&self.rank(*b)));
            tasks.truncate(limit);
        }
        tasks.sort_unstable_by(|a, b| self.rank(*a).cmp(&self.rank(*b)));
    }
}
