use super::Choice;

/// Most steps that can be taken back; the oldest is forgotten for a further one.
pub const MAX_STEPS: usize = 100;

/// The choices before this one, and those that were taken back.
#[derive(Debug, Default)]
pub(super) struct History {
    past: Vec<Choice>,
    future: Vec<Choice>,
}

impl History {
    /// Takes down what was before a change. What was taken back is gone.
    pub fn record(&mut self, before: Choice) {
        if self.past.len() == MAX_STEPS {
            self.past.remove(0);
        }
        self.past.push(before);
        self.future.clear();
    }

    /// How many steps can be taken back, and how many taken again.
    pub fn steps(&self) -> (usize, usize) {
        (self.past.len(), self.future.len())
    }

    /// Exchanges `now` for the choice before it.
    pub fn undo(&mut self, now: &mut Choice) -> bool {
        step(&mut self.past, &mut self.future, now)
    }

    /// Exchanges `now` for the choice that was taken back last.
    pub fn redo(&mut self, now: &mut Choice) -> bool {
        step(&mut self.future, &mut self.past, now)
    }
}

fn step(from: &mut Vec<Choice>, to: &mut Vec<Choice>, now: &mut Choice) -> bool {
    let Some(next) = from.pop() else { return false };
    to.push(std::mem::replace(now, next));
    true
}
