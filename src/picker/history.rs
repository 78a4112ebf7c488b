//! The undo and redo history of a choice.

use super::Choice;

/// Maximum number of steps that can be undone. The oldest one is dropped first.
pub(super) const MAX_STEPS: usize = 100;

/// The earlier choices, and those that were undone.
#[derive(Debug, Default)]
pub(super) struct History {
    past: Vec<Choice>,
    future: Vec<Choice>,
}

impl History {
    /// Records the choice before a change. Choices that were undone can no longer be redone.
    pub fn record(&mut self, before: Choice) {
        if self.past.len() == MAX_STEPS {
            self.past.remove(0);
        }
        self.past.push(before);
        self.future.clear();
    }

    /// Returns the number of steps that can be undone, and that can be redone.
    pub fn steps(&self) -> (usize, usize) {
        (self.past.len(), self.future.len())
    }

    /// Exchanges `now` for the previous choice. Returns whether there is one.
    pub fn undo(&mut self, now: &mut Choice) -> bool {
        step(&mut self.past, &mut self.future, now)
    }

    /// Forgets the choices that were undone.
    pub fn forget_redo(&mut self) {
        self.future.clear();
    }

    /// Exchanges `now` for the choice that was undone last. Returns whether there is one.
    pub fn redo(&mut self, now: &mut Choice) -> bool {
        step(&mut self.future, &mut self.past, now)
    }
}

fn step(from: &mut Vec<Choice>, to: &mut Vec<Choice>, now: &mut Choice) -> bool {
    let Some(next) = from.pop() else { return false };
    to.push(std::mem::replace(now, next));
    true
}
