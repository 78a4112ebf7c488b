//! Filters tasks in the JSON of another server's list.

use std::{borrow::Cow, cmp::Ordering};

use super::{Place, Query, Scan, Status, TaskFilter, TaskProperties, bounds::within, query::signed};
use crate::{
    catalog::{Catalog, Group},
    error::Error,
    expr::{Field, Subject},
    json::{self, Members, Number, Raw},
    revision::Era,
    sort_indices::sort_indices,
};

/// A task in the JSON of a server, in the form of either era. Conditions on a missing method or concern always hold.
#[derive(Debug)]
pub struct ListedTask<'a> {
    members: Members<'a>,
    id: Cow<'a, str>,
    method: Option<Cow<'a, str>>,
    status: Option<Status>,
    created: i64,
    updated: i64,
    /// The time to live from its creation, in milliseconds.
    ttl: Option<i64>,
}

/// One page of a list of tasks.
#[derive(Debug, PartialEq, Eq)]
pub struct TaskPage {
    /// The indices of its tasks in the given array, in the order of the list.
    pub indices: Vec<u32>,
    /// The position of the next page, if there is one.
    pub next: Option<Place>,
}

/// The time of a task without a valid time, which is before all others.
const NEVER: i64 = -(1 << 60);

impl<'a> ListedTask<'a> {
    /// Parses a task; `None` if it is not an object with a `taskId`.
    fn read(raw: Raw<'a>) -> Option<Self> {
        let members = Members::read(raw)?;
        let text = |key: &str| members.get(key).and_then(json::Raw::text);
        let time = |key: &str| text(key).and_then(|text| within(&text)).unwrap_or(NEVER);
        Some(Self {
            id: text("taskId")?,
            method: text("method"),
            status: text("status").and_then(|name| Status::named(&name)),
            created: time("createdAt"),
            updated: time("lastUpdatedAt"),
            ttl: members.get("ttl").and_then(|raw| raw.get().parse().ok().and_then(Number::whole)),
            members,
        })
    }

    fn meta(&self) -> Members<'a> {
        self.members.get("_meta").and_then(Members::read).unwrap_or_default()
    }

    /// Visits the groups or tags of a task, which it has at the places where primitives have theirs.
    fn memberships(&self, key: &str, visit: &mut dyn FnMut(&str)) {
        let (meta, ours) = (self.meta(), format!("{prefix}/{key}", prefix = Catalog::PREFIX));
        let sep_2084 = (key == "groups").then(|| meta.get(Group::SEP_2084_KEY)).flatten();
        for raw in [self.members.get(key), meta.get(&ours), sep_2084].into_iter().flatten() {
            each_text(raw, visit);
        }
    }

    /// Visits the values of a concern, which a task has in `_meta` as primitives do.
    fn concern(&self, name: &str, visit: &mut dyn FnMut(&str)) {
        let meta = self.meta();
        let ours = format!("{prefix}/concerns", prefix = Catalog::PREFIX);
        let concerns = meta.get(&ours).or_else(|| meta.get("concerns")).and_then(Members::read);
        let Some(value) = concerns.as_ref().and_then(|concerns| concerns.get(name)) else { return };
        each_text(value, visit);
    }
}

/// Calls `visit` with a string or another scalar, or with each one in an array.
fn each_text(raw: Raw<'_>, visit: &mut dyn FnMut(&str)) {
    if let Some(text) = raw.text() {
        return visit(&text);
    }
    match raw.elements() {
        Some(values) => values.into_iter().for_each(|value| each_text(value, visit)),
        None if !raw.is_null() => visit(raw.get()),
        None => {}
    }
}

impl TaskProperties for ListedTask<'_> {
    fn id(&self) -> &str {
        &self.id
    }

    fn method(&self) -> Option<&str> {
        self.method.as_deref()
    }

    fn status(&self, _: Era) -> Option<Status> {
        self.status
    }

    fn created(&self) -> i64 {
        self.created
    }

    fn updated(&self) -> i64 {
        self.updated
    }

    fn expired(&self, now: u64) -> bool {
        self.ttl.is_some_and(|ttl| self.created.saturating_add(ttl) <= signed(now))
    }
}

impl Subject for ListedTask<'_> {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        let key = match field {
            Field::Status => "status",
            Field::TaskId => "taskId",
            Field::Method => "method",
            Field::Name => "name",
            Field::CreatedAt => "createdAt",
            Field::LastUpdatedAt => "lastUpdatedAt",
            Field::Description => "statusMessage",
            Field::Concern(name) => return self.concern(name, visit),
            Field::Group => return self.memberships("groups", visit),
            Field::Tag => return self.memberships("tags", visit),
            _ => return,
        };
        self.members.get(key).into_iter().for_each(|raw| each_text(raw, visit));
    }
}

impl TaskFilter {
    /// Returns the indices of the matching tasks in a JSON array, in the order of the filter. A client of a server that
    /// supports fewer criteria can thus apply all of them. Elements that are not tasks are skipped.
    ///
    /// # Errors
    /// [`FilterType`](crate::error::ErrorKind::FilterType) if the value is not an array.
    pub fn select(&self, tasks: Raw<'_>) -> Result<Vec<u32>, Error> {
        let query = Query::new(self, Era::Session);
        Ok(self.arranged(tasks, &query, usize::MAX, &|_| true)?.0)
    }

    /// Returns a page of at most `limit` matching tasks in a JSON array, after the position `from`. Tasks whose time to
    /// live is over at `now`, in milliseconds since 1970, are skipped.
    ///
    /// # Errors
    /// [`FilterType`](crate::error::ErrorKind::FilterType) if the value is not an array.
    pub fn page(
        &self,
        tasks: Raw<'_>,
        from: Option<Place>,
        limit: usize,
        now: u64,
    ) -> Result<TaskPage, Error> {
        let scan = Scan { query: Query::new(self, Era::Session), from, limit, now };
        let wanted = |task: &ListedTask<'_>| !task.expired(now) && scan.reaches(task);
        let (indices, last) = self.arranged(tasks, &scan.query, limit, &wanted)?;
        Ok(TaskPage {
            indices,
            next: last.map(|last| scan.behind(&last, scan.began(None::<&ListedTask<'_>>))),
        })
    }

    /// Returns the indices of the first `limit` tasks that the filter and `wanted` accept, in the order of the filter.
    /// The last of these tasks is returned too if more tasks follow.
    fn arranged<'a>(
        &self,
        tasks: Raw<'a>,
        query: &Query,
        limit: usize,
        wanted: &dyn Fn(&ListedTask<'_>) -> bool,
    ) -> Result<(Vec<u32>, Option<ListedTask<'a>>), Error> {
        let tasks = tasks.elements().ok_or_else(|| Error::filter_type("tasks", "an array of tasks"))?;
        let mut kept: Vec<(u32, ListedTask<'a>)> = Vec::new();
        for (index, raw) in (0..).zip(tasks) {
            if let Some(task) = ListedTask::read(raw)
                && query.admits(&task)
                && self.admits(&task)
                && wanted(&task)
            {
                kept.push((index, task));
            }
        }
        let mut order = sort_indices(kept.len(), &mut |a, b| match (kept.get(a), kept.get(b)) {
            (Some((_, a)), Some((_, b))) => query.rank(a).cmp(&query.rank(b)),
            _ => Ordering::Equal,
        });
        let more = order.len() > limit;
        order.truncate(limit);
        let last = order.last().filter(|_| more).map(|at| *at as usize);
        for at in &mut order {
            *at = kept.get(*at as usize).map_or(*at, |(index, _)| *index);
        }
        Ok((order, last.map(|at| kept.swap_remove(at).1)))
    }

    /// Returns whether a task meets the conditions that [`Query`] does not include: concerns and `where`.
    fn admits(&self, task: &ListedTask<'_>) -> bool {
        let concerned = self.called.concerns.iter().all(|(name, values)| {
            let Some(values) = values else { return true };
            let (mut says, mut meets) = (false, false);
            task.concern(name, &mut |value| {
                says = true;
                meets |= values.iter().any(|wanted| wanted == value);
            });
            meets || !says
        });
        let ranged = self.called.concerns.ranges().all(|(name, range)| {
            let (mut says, mut meets) = (false, false);
            task.concern(name, &mut |value| {
                says = true;
                meets |= range.holds_number(value);
            });
            meets || !says
        });
        concerned && ranged && self.r#where.as_ref().is_none_or(|condition| condition.holds(task))
    }
}
