use std::{borrow::Cow, cmp::Ordering};

use super::{Direction, Filter, Listed, Query, Status, bounds::within};
use crate::{
    concern::kind_error,
    error::Error,
    expr::{Field, Subject},
    json::{self, Members, Raw},
    revision::Era,
    sort_indices::sort_indices,
};

/// A task as some server shows it, in either era's shape. What it does not say is not asked: a `method`, a concern.
#[derive(Debug)]
pub struct Shown<'a> {
    members: Members<'a>,
    id: Cow<'a, str>,
    method: Option<Cow<'a, str>>,
    status: Option<Status>,
    created: i64,
    updated: i64,
}

/// The time of a task that tells none: before all others.
const NEVER: i64 = -(1 << 60);

impl<'a> Shown<'a> {
    /// Reads a task.
    fn read(raw: Raw<'a>) -> Option<Self> {
        let members = Members::read(raw)?;
        let text = |key: &str| members.get(key).and_then(json::text);
        let time = |key: &str| text(key).and_then(|text| within(&text)).unwrap_or(NEVER);
        Some(Self {
            id: text("taskId")?,
            method: text("method"),
            status: text("status").and_then(|name| Status::named(&name)),
            created: time("createdAt"),
            updated: time("lastUpdatedAt"),
            members,
        })
    }

    /// The values of a concern, as primitives have them in `_meta`.
    fn concern(&self, name: &str, visit: &mut dyn FnMut(&str)) {
        let meta = self.members.get("_meta").and_then(Members::read).unwrap_or_default();
        let ours = format!("{}/concerns", crate::catalog::PREFIX);
        let concerns = meta.get(&ours).or_else(|| meta.get("concerns")).and_then(Members::read);
        let Some(value) = concerns.as_ref().and_then(|concerns| concerns.get(name)) else { return };
        each_text(value, visit);
    }
}

/// Calls `visit` with a text, or each text of an array.
fn each_text(raw: Raw<'_>, visit: &mut dyn FnMut(&str)) {
    if let Some(text) = json::text(raw) {
        return visit(&text);
    }
    match json::elements(raw) {
        Some(values) => values.into_iter().for_each(|value| each_text(value, visit)),
        None if !json::is_null(raw) => visit(raw.get()),
        None => {}
    }
}

impl Listed for Shown<'_> {
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
}

impl Subject for Shown<'_> {
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
            _ => return,
        };
        self.members.get(key).into_iter().for_each(|raw| each_text(raw, visit));
    }
}

impl Filter {
    /// The places of the tasks that it keeps of those in a JSON array, in its order: what a server does that serves
    /// every criterion, done again behind one that serves fewer. What is no task is left out.
    ///
    /// # Errors
    /// [`FilterType`](crate::error::ErrorKind::FilterType) for what is no array.
    pub fn select(&self, tasks: Raw<'_>) -> Result<Vec<u32>, Error> {
        let tasks = json::elements(tasks).ok_or_else(|| kind_error("tasks", "an array of tasks"))?;
        let read: Vec<(u32, Shown<'_>)> =
            (0..).zip(tasks).filter_map(|(at, raw)| Some((at, Shown::read(raw)?))).collect();
        let query = Query::new(self, Era::Session);
        let kept: Vec<&(u32, Shown<'_>)> =
            read.iter().filter(|(_, task)| query.admits(task) && self.admits(task)).collect();
        let descending = query.direction == Direction::Descending;
        let order = sort_indices(kept.len(), &mut |a, b| {
            let (Some((_, a)), Some((_, b))) = (kept.get(a), kept.get(b)) else { return Ordering::Equal };
            let (first, second) = (query.time(a), query.time(b));
            let order = if descending { second.cmp(&first) } else { first.cmp(&second) };
            order.then_with(|| a.id.cmp(&b.id))
        });
        Ok(order.into_iter().filter_map(|at| kept.get(at as usize)).map(|(at, _)| *at).collect())
    }

    /// What storage does not decide.
    fn admits(&self, task: &Shown<'_>) -> bool {
        let concerned = self.called.concerns.iter().all(|(name, values)| {
            let Some(values) = values else { return true };
            let (mut says, mut meets) = (false, false);
            task.concern(name, &mut |value| {
                says = true;
                meets |= values.iter().any(|wanted| wanted == value);
            });
            meets || !says
        });
        concerned && self.r#where.as_ref().is_none_or(|condition| condition.holds(task))
    }
}
