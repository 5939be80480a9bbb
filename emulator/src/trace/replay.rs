//! Goes back to a checkpoint and runs the block again up to a step.

use std::ops::Range;

use crate::exec::{Runner, Shape};
use crate::machine::Reach;
use crate::trace::capture::{Eye, Standing};
use crate::trace::moment::Moment;
use crate::trace::record::{Trace, advance};
use crate::trace::step::Marks;
use crate::trace::tape::Tape;
use crate::trace::writes;

impl Trace {
    /// All about one step: `None` past the end.
    pub fn moment(&mut self, step: usize) -> Option<Moment> {
        self.look(step..step.checked_add(1)?, None, true).pop()
    }

    /// All about the steps of a range, of one warp or all, but for the registers that they do not
    /// name: [`Trace::value`] and [`Trace::line_values`] need a [`Trace::moment`]. They are in
    /// memory together: some thousands at once are fine.
    pub fn moments(&mut self, steps: Range<usize>, warp: Option<usize>) -> Vec<Moment> {
        let Ok(warp) = warp.map(u8::try_from).transpose() else { return Vec::new() };
        self.look(steps, warp, false)
    }

    /// With `whole`, the moments keep all registers.
    fn look(&mut self, steps: Range<usize>, warp: Option<u8>, whole: bool) -> Vec<Moment> {
        let steps = steps.start..steps.end.min(self.steps.len());
        if steps.is_empty() {
            return Vec::new();
        }
        let from = self.checkpoint(steps.start);
        let Ok(shape) =
            Shape::new(&self.kernel, self.setup.setting(), &self.memory, self.setup.options())
        else {
            return Vec::new();
        };
        for interval in (from..self.memory_at).rev() {
            writes::undo(shape.memory, &self.writes[interval]);
        }
        for interval in self.memory_at..from {
            writes::redo(shape.memory, &self.writes[interval]);
        }
        let (moments, end) = self.replay(&shape, from, Eye::new(steps, warp), whole);
        // Back to the checkpoint, wherever that has led.
        let last = self.checkpoint(end);
        self.undo(shape.memory, from..last + 1);
        drop(shape);
        self.memory_at = from;
        moments
    }

    fn undo(&self, memory: Reach, intervals: Range<usize>) {
        for interval in intervals.rev() {
            writes::undo(memory, &self.writes[interval]);
        }
    }

    /// The last checkpoint before a step.
    fn checkpoint(&self, step: usize) -> usize {
        self.checkpoints.partition_point(|it| it.step <= step).saturating_sub(1)
    }

    /// Runs from a checkpoint on. Gives what the eye sees, and the number of the next step.
    fn replay(&self, shape: &Shape, from: usize, eye: Eye, whole: bool) -> (Vec<Moment>, usize) {
        let checkpoint = &self.checkpoints[from];
        let Range { start, end } = eye.wanted.clone();
        let turn = self.turn_of(start);
        let mut moments = Vec::new();
        let mut tape =
            Tape::new(&self.kernel, &self.sites, self.rank, checkpoint.step).looking(eye);
        let mut runner = Runner::new(shape);
        let mut turns = runner.start(self.first, &mut tape);
        if let Some(saved) = &checkpoint.saved {
            turns = runner.restore(saved);
        }
        tape.enter_rank(runner.context().peers.rank());
        let mut next = checkpoint.next;
        let of_block = shape.warps();
        while tape.count < end {
            if tape.count >= turn
                && let Some(eye) = &mut tape.eye
            {
                let warps = self.rank * of_block..(self.rank + 1) * of_block;
                eye.warps = runner.warps[warps].iter().map(Standing::of).collect();
            }
            let goes_on = advance(&mut runner, &mut turns, &mut next, None, &mut tape);
            for seen in tape.eye.iter_mut().flat_map(|eye| eye.seen.drain(..)) {
                let moment = self.describe(seen);
                moments.push(if whole { moment } else { moment.shown() });
            }
            if !goes_on.unwrap_or(false) {
                break;
            }
        }
        (moments, tape.count)
    }

    /// The first step of the turn that a step is in.
    fn turn_of(&self, step: usize) -> usize {
        let before = &self.steps[..=step];
        before.iter().rposition(|it| it.marks.has(Marks::TURN)).unwrap_or_default()
    }
}
