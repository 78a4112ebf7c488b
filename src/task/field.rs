//! The fields of a filter of tasks, in one table. The parser and the canonical form are derived from it.

use super::{
    Bounds, Direction, OrderKey, TaskFilter,
    filter::{choice, condition, texts},
};
use crate::{
    concern::insert,
    error::Error,
    expr::Expr,
    filter::field::{Access, access},
    json::{Object, Raw},
    time::signed_timestamp,
};

/// One field of a filter of tasks.
pub(super) struct TaskField {
    /// The name of the member in JSON.
    pub name: &'static str,
    /// The type of the value, and its field in [`TaskFilter`].
    shape: Shape,
}

/// The type of a field's value.
enum Shape {
    Texts(Access<Vec<String>, TaskFilter>),
    After(Access<Option<i64>, TaskFilter>),
    Before(Access<Option<i64>, TaskFilter>),
    OrderBy(Access<Option<OrderKey>, TaskFilter>),
    Order(Access<Option<Direction>, TaskFilter>),
    Condition(Access<Option<Expr>, TaskFilter>),
}

/// The fields about tasks, in canonical order. The fields about called primitives are parsed as for other lists.
pub static FIELDS: [TaskField; 10] = [
    TaskField { name: "methods", shape: Shape::Texts(access!(methods)) },
    TaskField { name: "taskIds", shape: Shape::Texts(access!(task_ids)) },
    TaskField { name: "status", shape: Shape::Texts(access!(status)) },
    TaskField { name: "createdAfter", shape: Shape::After(access!(created.after)) },
    TaskField { name: "createdBefore", shape: Shape::Before(access!(created.before)) },
    TaskField { name: "lastUpdatedAfter", shape: Shape::After(access!(updated.after)) },
    TaskField { name: "lastUpdatedBefore", shape: Shape::Before(access!(updated.before)) },
    TaskField { name: "orderBy", shape: Shape::OrderBy(access!(order_by)) },
    TaskField { name: "order", shape: Shape::Order(access!(order)) },
    TaskField { name: "where", shape: Shape::Condition(access!(r#where)) },
];

/// Returns the field of this name.
pub(super) fn find_field(name: &str) -> Option<&'static TaskField> {
    FIELDS.iter().find(|field| field.name == name)
}

impl TaskField {
    /// Parses the value at `path` into `filter`.
    pub fn read(&self, filter: &mut TaskFilter, raw: Raw<'_>, path: &str) -> Result<(), Error> {
        match &self.shape {
            Shape::Texts(list) => list.set(filter, texts(raw, path)?),
            Shape::After(bound) => bound.set(filter, Bounds::later(raw, path)?),
            Shape::Before(bound) => bound.set(filter, Bounds::earlier(raw, path)?),
            Shape::OrderBy(by) => by.set(filter, choice(raw, path, OrderKey::ALL, OrderKey::name)?),
            Shape::Order(order) => order.set(filter, choice(raw, path, Direction::ALL, Direction::name)?),
            Shape::Condition(expr) => expr.set(filter, condition(raw, path)?),
        }
        Ok(())
    }

    /// Writes the value if `filter` sets it. The order is always written.
    pub fn write(&self, filter: &TaskFilter, object: &mut Object<'_>) {
        match &self.shape {
            Shape::Texts(list) if list.get(filter).is_empty() => {}
            Shape::Texts(list) => {
                let values = list.get(filter);
                let mut sorted = Vec::with_capacity(values.len());
                values.iter().for_each(|value| insert(&mut sorted, value.as_str()));
                object.texts(self.name, &sorted);
            }
            Shape::After(bound) | Shape::Before(bound) => {
                if let Some(ms) = *bound.get(filter) {
                    object.text(self.name, &signed_timestamp(ms));
                }
            }
            Shape::OrderBy(by) => object.text(self.name, by.get(filter).unwrap_or_default().name()),
            Shape::Order(order) => object.text(self.name, order.get(filter).unwrap_or_default().name()),
            Shape::Condition(expr) => {
                if let Some(expr) = expr.get(filter) {
                    object.text(self.name, &expr.to_string());
                }
            }
        }
    }
}
