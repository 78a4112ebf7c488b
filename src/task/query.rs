use serde::{Deserialize, Serialize};

use super::{Bounds, By, Direction, Status, Task, TaskFilter, TaskState};
use crate::{concern::insert, revision::Era};

/// A [`TaskFilter`] made ready for tasks that are read in one era: what storage can decide of it. Where it is asked for
/// more, [`TaskFilter::called`] and `where`, whoever lists asks the tasks that come out of this.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Query {
    /// The era whose statuses are meant.
    pub era: Era,
    /// The statuses wanted, each a bit.
    statuses: u8,
    /// Whether every status is.
    pub(super) any_status: bool,
    /// The methods wanted; none for any.
    pub(super) methods: Vec<String>,
    /// The ids wanted, in order; none for any.
    pub(super) ids: Vec<String>,
    /// Bounds on both times.
    pub(super) created: Bounds,
    pub(super) updated: Bounds,
    /// The order.
    pub(super) by: By,
    pub(super) direction: Direction,
}

/// What a [`Query`] asks of one task.
pub trait Listed {
    /// Its id.
    fn id(&self) -> &str;
    /// Its method, if it says.
    fn method(&self) -> Option<&str>;
    /// How it stands in the words of an era; `None` for words that are none.
    fn status(&self, era: Era) -> Option<Status>;
    /// When it was made, in milliseconds since 1970.
    fn created(&self) -> i64;
    /// When it last changed.
    fn updated(&self) -> i64;
}

impl Listed for Task {
    fn id(&self) -> &str {
        &self.id
    }

    fn method(&self) -> Option<&str> {
        Some(&self.method)
    }

    fn status(&self, era: Era) -> Option<Status> {
        Some(self.state.status(era))
    }

    fn created(&self) -> i64 {
        signed(self.created)
    }

    fn updated(&self) -> i64 {
        signed(self.updated)
    }
}

pub(super) fn signed(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

impl Query {
    /// Makes a filter ready.
    pub fn new(filter: &TaskFilter, era: Era) -> Self {
        let wanted = filter.status.iter().filter_map(|name| Status::named(name));
        let mut ids = Vec::with_capacity(filter.task_ids.len());
        filter.task_ids.iter().for_each(|id| insert(&mut ids, id.clone()));
        Self {
            era,
            statuses: wanted.fold(0, |bits, status| bits | bit(status)),
            any_status: filter.status.is_empty(),
            methods: filter.methods.clone(),
            ids,
            created: filter.created,
            updated: filter.updated,
            by: filter.order_by.unwrap_or_default(),
            direction: filter.order.unwrap_or_default(),
        }
    }

    /// Whether a task meets it.
    pub fn admits(&self, task: &impl Listed) -> bool {
        let status = || task.status(self.era).is_some_and(|status| self.statuses & bit(status) != 0);
        self.created.hold(task.created())
            && self.updated.hold(task.updated())
            && (self.any_status || status())
            && (self.methods.is_empty()
                || task.method().is_none_or(|method| self.methods.iter().any(|wanted| wanted == method)))
            && (self.ids.is_empty() || self.ids.binary_search_by(|id| id.as_str().cmp(task.id())).is_ok())
    }

    /// The states that are wanted.
    pub(super) fn states(&self) -> impl Iterator<Item = TaskState> {
        let wanted = |state: &TaskState| self.any_status || self.statuses & bit(state.status(self.era)) != 0;
        TaskState::ALL.into_iter().filter(wanted)
    }

    /// What puts a task in its place: of two, the lesser comes first.
    pub(super) fn rank<'a>(&self, task: &'a impl Listed) -> (i64, &'a str) {
        let at = self.time(task);
        (if self.direction == Direction::Descending { -at } else { at }, task.id())
    }

    /// The time that the order is by.
    pub(super) fn time(&self, task: &impl Listed) -> i64 {
        match self.by {
            By::Created => task.created(),
            By::Updated => task.updated(),
        }
    }
}

fn bit(status: Status) -> u8 {
    1 << status as u8
}
