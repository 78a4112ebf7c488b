use super::{Bounds, By, Direction, TaskFilter};
use crate::{
    error::{Error, Ignored},
    json::{Entry, Object},
};

/// Which criteria of the filter a server serves (SEP-1904, `tasks.list.filter`). By default all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Support {
    /// The methods that may be asked for; none where `methods` is not served.
    pub methods: Vec<String>,
    /// `taskIds`
    pub task_ids: bool,
    /// `status`
    pub status: bool,
    /// Both bounds of `createdAt`.
    pub created: Sides,
    /// Both bounds of `lastUpdatedAt`.
    pub updated: Sides,
    /// What the order may be by.
    pub by: Vec<By>,
    /// Which end may come first.
    pub directions: Vec<Direction>,
}

/// Which bounds of a time are served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sides {
    /// The upper.
    pub before: bool,
    /// The lower.
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
            by: By::ALL.to_vec(),
            directions: Direction::ALL.to_vec(),
        }
    }
}

const UNSUPPORTED: &str = "not served";

impl Support {
    /// Nothing.
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

    /// Reads it in the shape of the capability, where what is not named is not served.
    pub(crate) fn read(entry: &Entry<'_>) -> Result<Self, Error> {
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
            record.fill("by", &mut order.0, |entry| named(entry, By::ALL, By::name));
            record.fill("direction", &mut order.1, |entry| named(entry, Direction::ALL, Direction::name));
            record.end().map(|()| order)
        });
        (support.by, support.directions) = order;
        record.end().map(|()| support)
    }

    /// Takes out of a filter what is not served, and tells of it.
    pub fn restrict(&self, filter: &mut TaskFilter) -> Vec<Ignored> {
        let mut ignored = Vec::new();
        let mut refuse = |field: &str| ignored.push(Ignored::new(field, UNSUPPORTED));
        // What may not be asked for is what nothing is of.
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

    /// Appends the capability of a server that serves every criterion for tasks of these methods: what
    /// [`Support::write`] appends, as constant text, which is smaller in a module that declares nothing else.
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

    /// Appends it as the capability: what is not served is not there.
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

/// Reads names of some of these, each once.
fn named<T: Copy + PartialEq>(
    entry: &Entry<'_>,
    all: [T; 2],
    name: fn(T) -> &'static str,
) -> Result<Vec<T>, Error> {
    let named = entry.list(|entry| {
        let text = entry.text()?;
        let known = all.into_iter().find(|one| name(*one) == text);
        known.ok_or_else(|| entry.refuse(format!("expected {}", crate::json::choice(&all.map(name)))))
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
