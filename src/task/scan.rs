//! Reads one page of the tasks that a query finds, from a position in the list.

use serde::{Deserialize, Serialize};

use super::{Direction, Query, TaskProperties, query::signed};

/// A part of the tasks that a [`Query`] finds: the input of one read from storage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scan {
    /// The conditions and the order.
    pub query: Query,
    /// The position after which to begin; `None` for the start.
    pub from: Option<Place>,
    /// Maximum number of tasks.
    pub limit: usize,
    /// The current time, in milliseconds since 1970. Tasks that have expired are not found.
    pub now: u64,
}

/// The position in a list at which the next page begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The time of the last listed task by which the list is ordered, in milliseconds since 1970.
    pub at: i64,
    /// The id of the last listed task.
    pub id: String,
    /// The time at which the list began, in milliseconds since 1970. Tasks with a later time are on none of its pages,
    /// so that a list ends even if tasks keep changing.
    pub began: i64,
}

impl Scan {
    /// Returns the matching tasks of a list in memory, in order. A store may evaluate the same in a statement.
    pub fn pick<'a, T: TaskProperties>(&self, tasks: impl IntoIterator<Item = &'a T>) -> Vec<&'a T> {
        let alive = tasks.into_iter().filter(|task| !task.expired(self.now));
        let mut found: Vec<&T> =
            alive.filter(|task| self.query.admits(*task) && self.reaches(*task)).collect();
        self.query.arrange(&mut found, self.limit);
        found
    }

    /// Returns whether a task is after the start of the scan, and not newer than the list.
    pub(super) fn reaches(&self, task: &impl TaskProperties) -> bool {
        let Some(place) = &self.from else { return true };
        let at = self.query.time(task);
        let last = if self.query.direction == Direction::Descending { -place.at } else { place.at };
        at <= place.began.max(place.at) && self.query.rank(task) > (last, place.id.as_str())
    }

    /// Returns the position after a task, in a list that [began](Scan::began) at `began`.
    pub fn behind(&self, task: &impl TaskProperties, began: i64) -> Place {
        Place { at: self.query.time(task), id: task.id().to_owned(), began }
    }

    /// Returns the time at which the list began. If the clock was set back, that is the time of the latest task, which
    /// [`Scan::latest`] finds: such a task is not new, but only ahead of the clock.
    pub fn began(&self, latest: Option<&impl TaskProperties>) -> i64 {
        let now = || signed(self.now).max(latest.map_or(i64::MIN, |task| self.query.time(task)));
        self.from.as_ref().map_or_else(now, |place| place.began)
    }

    /// Returns the scan that finds the latest task, for the first page of an ascending list; `None` for other pages.
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
    /// Sorts tasks, and keeps the first `limit`.
    pub fn arrange<T: TaskProperties>(&self, tasks: &mut Vec<&T>, limit: usize) {
        // Only the first `limit` tasks have to be sorted.
        if limit < tasks.len() {
            tasks.select_nth_unstable_by(limit, |a, b| self.rank(*a).cmp(&self.rank(*b)));
            tasks.truncate(limit);
        }
        tasks.sort_unstable_by(|a, b| self.rank(*a).cmp(&self.rank(*b)));
    }
}
