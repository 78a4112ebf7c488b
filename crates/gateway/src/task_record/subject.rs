//! A task as the subject of expressions.

use mcp_sieve::time::CivilDate;
use mcp_sieve::{
    expr::{Field, Subject},
    revision::Era,
};

use super::Task;

/// A task as the subject of an expression. It has fields of its own; all other fields are those of the called
/// primitive.
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "what was called has nothing to show")]
pub struct TaskSubject<'a> {
    /// The task.
    pub task: &'a Task,
    /// The era in whose terms the status is given.
    pub era: Era,
    /// The called primitive, if it is known.
    pub called: Option<&'a dyn Subject>,
}

impl Subject for TaskSubject<'_> {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        let task = self.task;
        match field {
            Field::Status => visit(task.state.status(self.era).name()),
            Field::TaskId => visit(&task.id),
            Field::Method => visit(&task.method),
            Field::Name => visit(&task.name),
            Field::CreatedAt => visit(&CivilDate::timestamp(task.created)),
            Field::LastUpdatedAt => visit(&CivilDate::timestamp(task.updated)),
            Field::Description => task.message.iter().for_each(|message| visit(message)),
            other => self.called.into_iter().for_each(|called| called.values(other, visit)),
        }
    }
}
