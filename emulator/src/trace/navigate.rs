//! From one step to another: pure functions of a trace. Each takes a step and gives the index of
//! another, or `None` if no such step exists; they go backwards at the same cost as forwards.

use crate::trace::record::Trace;
use crate::trace::step::{Marks, Step};

impl Trace {
    /// The first step from `from` on that `holds` is true for.
    pub fn find(&self, from: usize, holds: impl Fn(usize, &Step) -> bool) -> Option<usize> {
        (from..self.steps.len()).find(|&at| holds(at, &self.steps[at]))
    }

    /// The last step before `before` that `holds` is true for.
    pub fn find_back(&self, before: usize, holds: impl Fn(usize, &Step) -> bool) -> Option<usize> {
        (0..before.min(self.steps.len())).rev().find(|&at| holds(at, &self.steps[at]))
    }

    /// The nearest step after `step`, or before it, that `holds` is true for.
    pub fn seek(
        &self,
        step: usize,
        back: bool,
        holds: impl Fn(usize, &Step) -> bool,
    ) -> Option<usize> {
        if back { self.find_back(step, holds) } else { self.find(step.checked_add(1)?, holds) }
    }

    /// The warp of a step; 0 past the end.
    fn warp_of(&self, step: usize) -> u8 {
        self.steps.get(step).map_or(0, |it| it.warp)
    }

    /// The first step of a warp.
    pub fn first_of(&self, warp: usize) -> Option<usize> {
        self.find(0, |_, it| usize::from(it.warp) == warp)
    }

    /// The last step of a warp.
    pub fn last_of(&self, warp: usize) -> Option<usize> {
        self.find_back(usize::MAX, |_, it| usize::from(it.warp) == warp)
    }

    /// The step of another warp nearest in time: its next, else its last.
    pub fn of_warp(&self, step: usize, warp: usize) -> Option<usize> {
        let of = |_: usize, it: &Step| usize::from(it.warp) == warp;
        self.find(step, of).or_else(|| self.find_back(step, of))
    }

    /// The next or previous instruction of the warp.
    pub fn instruction(&self, step: usize, back: bool) -> Option<usize> {
        let warp = self.warp_of(step);
        self.seek(step, back, |_, it| it.warp == warp)
    }

    /// The next or previous step of any warp.
    pub fn any(&self, step: usize, back: bool) -> Option<usize> {
        self.seek(step, back, |_, _| true)
    }

    /// The first step of the next line of the warp, or of the line before. Lines are those of the
    /// source, or of the PTX without one. It enters calls.
    pub fn line(&self, step: usize, back: bool) -> Option<usize> {
        let here = self.steps.get(step)?;
        let same = |it: &Step| it.warp == here.warp;
        let line = |it: &Step| self.line_key(it.instruction);
        if !back {
            let other = |_: usize, it: &Step| same(it) && line(it) != line(here);
            return self.seek(step, false, other);
        }
        // To the start of this line, or from there to the start of the line before.
        let start = self.line_start(step);
        if start < step {
            return Some(start);
        }
        let before = self.find_back(start, |_, it| same(it))?;
        Some(self.line_start(before))
    }

    /// The first step of the run of steps of one line that a step is in.
    fn line_start(&self, step: usize) -> usize {
        let Some(here) = self.steps.get(step) else { return step };
        let key = self.line_key(here.instruction);
        let mut start = step;
        for at in (0..step).rev() {
            let it = &self.steps[at];
            if it.warp != here.warp {
                continue;
            }
            if self.line_key(it.instruction) != key {
                break;
            }
            start = at;
        }
        start
    }

    /// What tells lines apart: file and line of the source, else the line of the PTX.
    fn line_key(&self, instruction: u32) -> (bool, u32, u32) {
        if let Some((file, line)) = self.source_of(instruction) {
            return (true, file, line);
        }
        let found = self.kernel.instructions.get(instruction as usize);
        (false, 0, found.map_or(0, |it| it.line))
    }

    /// The next or previous instruction of these lanes that is not inside a call made here.
    pub fn over_call(&self, step: usize, back: bool) -> Option<usize> {
        let here = *self.steps.get(step)?;
        let meets = |it: &Step| it.warp == here.warp && it.active & here.active != 0;
        self.seek(step, back, |_, it| meets(it) && it.depth <= here.depth)
    }

    /// The next or previous instruction of these lanes after the function has returned, or
    /// before it was called.
    pub fn out_of_call(&self, step: usize, back: bool) -> Option<usize> {
        let here = *self.steps.get(step)?;
        let meets = |it: &Step| it.warp == here.warp && it.active & here.active != 0;
        self.seek(step, back, |_, it| meets(it) && it.depth < here.depth)
    }

    /// The next or previous step of the warp at one of some lines: run to the cursor, or to a
    /// breakpoint. `at` says whether an instruction is at one, by its index in the kernel.
    pub fn run_to(&self, step: usize, back: bool, at: impl Fn(usize) -> bool) -> Option<usize> {
        let warp = self.warp_of(step);
        self.seek(step, back, |_, it| it.warp == warp && at(it.instruction as usize))
    }

    /// The nearest step with some marks, of one warp or all.
    pub fn marked(
        &self,
        step: usize,
        back: bool,
        marks: Marks,
        warp: Option<usize>,
    ) -> Option<usize> {
        let of = |it: &Step| warp.is_none_or(|warp| usize::from(it.warp) == warp);
        self.seek(step, back, |_, it| it.marks.has(marks) && of(it))
    }

    /// The first step at a source line with some marks: the first bank conflict of a line, its
    /// first divergent branch. Without a source, `line` is one of the PTX.
    pub fn first_at(&self, line: u32, marks: Marks) -> Option<usize> {
        let here = |it: &Step| {
            let (_, _, at) = self.line_key(it.instruction);
            at == line
        };
        self.find(0, |_, it| it.marks.has(marks) && here(it))
    }
}
