//! Edits of the form, to undo and redo.

use crate::experiment::Experiment;

/// Edits that are remembered.
const MOST: usize = 200;

/// What the form held before, and what it held before that was undone.
#[derive(Debug, Clone, Default)]
pub struct History {
    before: Vec<Experiment>,
    after: Vec<Experiment>,
}

impl History {
    /// The form held `before`, and holds something else now.
    pub fn edited(&mut self, before: Experiment) {
        if self.before.len() == MOST {
            self.before.remove(0);
        }
        self.before.push(before);
        self.after.clear();
    }

    /// What to go back to from `now`.
    pub fn undo(&mut self, now: &Experiment) -> Option<Experiment> {
        let back = self.before.pop()?;
        self.after.push(now.clone());
        Some(back)
    }

    /// What to go forward to from `now`.
    pub fn redo(&mut self, now: &Experiment) -> Option<Experiment> {
        let forward = self.after.pop()?;
        self.before.push(now.clone());
        Some(forward)
    }
}
