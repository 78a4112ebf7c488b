//! The part of a task filter that storage can evaluate.

use serde::{Deserialize, Serialize};

use super::{Bounds, Direction, OrderKey, Status, TaskFilter, TaskState};
use crate::{concern::insert, revision::Era};

/// The part of a [`TaskFilter`] that storage can evaluate, prepared for one era. The rest, [`TaskFilter::called`] and
/// `where`, must be applied to the tasks that a query finds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Query {
    /// The era of the statuses.
    pub era: Era,
    /// The accepted statuses, as a bitset.
    statuses: u8,
    /// Whether every status is accepted.
    pub any_status: bool,
    /// The accepted methods; empty for any.
    pub methods: Vec<String>,
    /// The accepted ids, sorted; empty for any.
    pub ids: Vec<String>,
    /// The bounds of the time of creation.
    pub created: Bounds,
    /// The bounds of the time of the last change.
    pub updated: Bounds,
    /// The time by which tasks are ordered.
    pub by: OrderKey,
    /// The direction of the order.
    pub direction: Direction,
}

/// The properties of a task that a [`Query`] reads.
pub trait TaskProperties {
    /// Returns the id.
    fn id(&self) -> &str;
    /// Returns the method, if it is known.
    fn method(&self) -> Option<&str>;
    /// Returns the status in an era; `None` if it is unknown.
    fn status(&self, era: Era) -> Option<Status>;
    /// Returns the time of creation, in milliseconds since 1970.
    fn created(&self) -> i64;
    /// Returns the time of the last change, in milliseconds since 1970.
    fn updated(&self) -> i64;

    /// Returns whether the time to live of the task is over at `now`, in milliseconds since 1970.
    fn expired(&self, now: u64) -> bool;
}

pub fn signed(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

impl Query {
    /// Prepares a filter for an era.
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

    /// Returns whether a task matches. A task of unknown method matches any methods.
    pub fn admits(&self, task: &impl TaskProperties) -> bool {
        let status = || task.status(self.era).is_some_and(|status| self.statuses & bit(status) != 0);
        self.created.hold(task.created())
            && self.updated.hold(task.updated())
            && (self.any_status || status())
            && (self.methods.is_empty()
                || task.method().is_none_or(|method| self.methods.iter().any(|wanted| wanted == method)))
            && (self.ids.is_empty() || self.ids.binary_search_by(|id| id.as_str().cmp(task.id())).is_ok())
    }

    /// Returns the accepted states.
    pub fn states(&self) -> impl Iterator<Item = TaskState> {
        let wanted = |state: &TaskState| self.any_status || self.statuses & bit(state.status(self.era)) != 0;
        TaskState::ALL.into_iter().filter(wanted)
    }

    /// Returns the sort key of a task. The task with the lesser key comes first.
    pub(super) fn rank<'a>(&self, task: &'a impl TaskProperties) -> (i64, &'a str) {
        let at = self.time(task);
        (if self.direction == Direction::Descending { -at } else { at }, task.id())
    }

    /// Returns the time of a task by which tasks are ordered.
    pub(super) fn time(&self, task: &impl TaskProperties) -> i64 {
        match self.by {
            OrderKey::Created => task.created(),
            OrderKey::Updated => task.updated(),
        }
    }
}

fn bit(status: Status) -> u8 {
    1 << status as u8
}
