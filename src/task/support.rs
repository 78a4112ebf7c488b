//! The capability `tasks.list.filter`: the criteria that a server supports.

use super::{Bounds, Direction, OrderKey, TaskFilter};
use crate::{
    error::{Error, Ignored},
    json::{Entry, Object},
};

/// The criteria of a filter that a server supports (SEP-1904, `tasks.list.filter`). The default is all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Support {
    /// The methods that `methods` accepts; empty if `methods` is not supported.
    pub methods: Vec<String>,
    /// Whether `taskIds` is supported.
    pub task_ids: bool,
    /// Whether `status` is supported.
    pub status: bool,
    /// The supported bounds of `createdAt`.
    pub created: Sides,
    /// The supported bounds of `lastUpdatedAt`.
    pub updated: Sides,
    /// The supported values of `orderBy`.
    pub by: Vec<OrderKey>,
    /// The supported values of `order`.
    pub directions: Vec<Direction>,
}

/// The supported bounds of a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sides {
    /// Whether the upper bound is supported.
    pub before: bool,
    /// Whether the lower bound is supported.
    pub after: bool,
}

impl Default for Support {
    fn default() -> Self {
        let both = Sides { before: true, after: true };
        Self {
            methods: vec!["tools/call".to_owned()],
            task_ids: true,
            status: true,
            created: both,
            updated: both,
            by: OrderKey::ALL.to_vec(),
            directions: Direction::ALL.to_vec(),
        }
    }
}

const UNSUPPORTED: &str = "not served";

impl Support {
    /// Returns the value without any supported criterion.
    fn none() -> Self {
        let neither = Sides { before: false, after: false };
        Self {
            methods: Vec::new(),
            task_ids: false,
            status: false,
            created: neither,
            updated: neither,
            by: Vec::new(),
            directions: Vec::new(),
        }
    }

    /// Parses the JSON of the capability. A criterion that is missing is not supported.
    pub fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let mut support = Self::none();
        let mut record =
            entry.record(&["methods", "taskIds", "status", "createdAt", "lastUpdatedAt", "order"])?;
        record.fill("methods", &mut support.methods, Entry::texts);
        record.fill("taskIds", &mut support.task_ids, Entry::flag);
        record.fill("status", &mut support.status, Entry::flag);
        record.fill("createdAt", &mut support.created, Sides::read);
        record.fill("lastUpdatedAt", &mut support.updated, Sides::read);
        let mut order = (Vec::new(), Vec::new());
        record.fill("order", &mut order, |entry| {
            let mut order = (Vec::new(), Vec::new());
            let mut record = entry.record(&["by", "direction"])?;
            record.fill("by", &mut order.0, |entry| named(entry, OrderKey::ALL, OrderKey::name));
            record.fill("direction", &mut order.1, |entry| named(entry, Direction::ALL, Direction::name));
            record.end().map(|()| order)
        });
        (support.by, support.directions) = order;
        record.end().map(|()| support)
    }

    /// Removes unsupported criteria from a filter, and returns them.
    pub fn restrict(&self, filter: &mut TaskFilter) -> Vec<Ignored> {
        let mut ignored = Vec::new();
        let mut refuse = |field: &str| ignored.push(Ignored::new(field, UNSUPPORTED));
        // An unsupported method is emptied, not removed: it then matches no task, as no task has it.
        if self.methods.is_empty() && !std::mem::take(&mut filter.methods).is_empty() {
            refuse("methods");
        }
        for (at, method) in filter.methods.iter_mut().enumerate() {
            if !self.methods.contains(method) {
                refuse(&format!("methods[{at}]"));
                method.clear();
            }
        }
        if !self.task_ids && !std::mem::take(&mut filter.task_ids).is_empty() {
            refuse("taskIds");
        }
        if !self.status && !std::mem::take(&mut filter.status).is_empty() {
            refuse("status");
        }
        let mut bound = |bounds: &mut Bounds, sides: Sides, [before, after]: [&str; 2]| {
            if !sides.before && bounds.before.take().is_some() {
                refuse(before);
            }
            if !sides.after && bounds.after.take().is_some() {
                refuse(after);
            }
        };
        bound(&mut filter.created, self.created, ["createdBefore", "createdAfter"]);
        bound(&mut filter.updated, self.updated, ["lastUpdatedBefore", "lastUpdatedAfter"]);
        if filter.order_by.take_if(|by| !self.by.contains(by)).is_some() {
            refuse("orderBy");
        }
        if filter.order.take_if(|order| !self.directions.contains(order)).is_some() {
            refuse("order");
        }
        ignored
    }

    /// Appends the capability of a server that supports every criterion for tasks of these methods. The output is that
    /// of [`Support::write`], but the code is smaller in a module that declares nothing else.
    pub fn write_all(methods: &[String], out: &mut Vec<u8>) {
        let mut filter = Object::open(out);
        if !methods.is_empty() {
            filter.texts("methods", methods);
        }
        filter.raw("taskIds", b"true");
        filter.raw("status", b"true");
        for key in ["createdAt", "lastUpdatedAt"] {
            filter.raw(key, br#"{"before":true,"after":true}"#);
        }
        filter.raw("order", br#"{"by":["createdAt","lastUpdatedAt"],"direction":["asc","desc"]}"#);
        filter.close();
    }

    /// Appends the JSON of the capability, without the criteria that are not supported.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut filter = Object::open(out);
        if !self.methods.is_empty() {
            filter.texts("methods", &self.methods);
        }
        for (key, on) in [("taskIds", self.task_ids), ("status", self.status)] {
            if on {
                filter.raw(key, b"true");
            }
        }
        for (key, sides) in [("createdAt", self.created), ("lastUpdatedAt", self.updated)] {
            if sides.before || sides.after {
                let mut object = Object::open(filter.value(key));
                let on = [("before", sides.before), ("after", sides.after)].into_iter().filter(|(_, on)| *on);
                on.for_each(|(side, _)| object.raw(side, b"true"));
                object.close();
            }
        }
        if !self.by.is_empty() || !self.directions.is_empty() {
            let mut order = Object::open(filter.value("order"));
            order.texts("by", &self.by.iter().map(|by| by.name()).collect::<Vec<_>>());
            order.texts("direction", &self.directions.iter().map(|way| way.name()).collect::<Vec<_>>());
            order.close();
        }
        filter.close();
    }
}

impl Sides {
    fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let mut sides = Self { before: false, after: false };
        let mut record = entry.record(&["before", "after"])?;
        record.fill("before", &mut sides.before, Entry::flag);
        record.fill("after", &mut sides.after, Entry::flag);
        record.end().map(|()| sides)
    }
}

/// Parses a list of names of `all`, and returns their values, each once and in the order of `all`.
fn named<T: Copy + PartialEq>(
    entry: &Entry<'_>,
    all: [T; 2],
    name: fn(T) -> &'static str,
) -> Result<Vec<T>, Error> {
    let named = entry.list(|entry| {
        let text = entry.text()?;
        let known = all.into_iter().find(|one| name(*one) == text);
        known.ok_or_else(|| entry.refuse(format!("expected {}", crate::error::Error::one_of(&all.map(name)))))
    })?;
    Ok(all.into_iter().filter(|one| named.contains(one)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_written_as_the_default_is() {
        for methods in [vec![], vec!["tools/call".to_owned(), "sampling/createMessage".to_owned()]] {
            let (mut constant, mut written) = (Vec::new(), Vec::new());
            Support::write_all(&methods, &mut constant);
            Support { methods, ..Support::default() }.write(&mut written);
            assert_eq!(String::from_utf8_lossy(&constant), String::from_utf8_lossy(&written));
        }
    }
}
