//! The observer: turns what a block does into steps, and looks closely at those asked for.

use crate::machine::{BlockContext, Fragment, Observer, SECTOR, SiteTally, Tallies, Warp};
use crate::program::{Inst, Kernel, Op, SiteKind, Terminator};
use crate::trace::capture::Eye;
use crate::trace::step::{Marks, Step};
use crate::trace::writes::Writes;

/// What follows a block while it is recorded, or while it runs again.
pub(crate) struct Tape<'k> {
    kernel: &'k Kernel,
    /// First site of each instruction; sites are made in the order of instructions.
    sites: &'k [u16],
    /// The block of its cluster that is followed, and whether it is the one that runs.
    rank: usize,
    here: bool,
    warp: usize,
    fragment: Fragment,
    /// Of the running basic block: the next instruction without a step, and the end.
    next: u32,
    end: u32,
    /// Steps so far.
    pub(crate) count: usize,
    /// Whether no step of the running turn has begun.
    new_turn: bool,
    /// The last step, until it is done.
    open: Option<Open>,
    /// While recording.
    pub(crate) kept: Option<Kept>,
    /// While showing.
    pub(crate) eye: Option<Eye>,
}

/// What a recording keeps.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) steps: Vec<Step>,
    pub(crate) writes: Writes,
    /// What the block has counted.
    pub(crate) tallies: Tallies,
}

/// A step that is under way.
#[derive(Debug)]
struct Open {
    step: Step,
    /// Its sites before it.
    before: Vec<SiteTally>,
    /// Bytes per lane of its load or store.
    bytes: u32,
}

/// First site of each instruction of a kernel, and the end.
pub(crate) fn first_sites(kernel: &Kernel) -> Vec<u16> {
    let count = kernel.instructions.len() as u32;
    let first = |at| kernel.sites.partition_point(|site| site.instruction < at) as u16;
    (0..=count).map(first).collect()
}

impl<'k> Tape<'k> {
    /// Follows block `rank` of its cluster, whose next step is number `count`.
    pub(crate) fn new(kernel: &'k Kernel, sites: &'k [u16], rank: usize, count: usize) -> Self {
        let nothing = Fragment { block: 0, at: None, mask: 0, token: 0, depth: 0, waiting: None };
        Self {
            kernel,
            sites,
            rank,
            here: rank == 0,
            warp: 0,
            fragment: nothing,
            next: 0,
            end: 0,
            count,
            new_turn: true,
            open: None,
            kept: None,
            eye: None,
        }
    }

    /// The same, keeping what it sees.
    pub(crate) fn recording(self) -> Self {
        let tallies = Tallies::new(self.kernel);
        let kept = Kept { steps: Vec::new(), writes: Writes::default(), tallies };
        Self { kept: Some(kept), ..self }
    }

    /// The same, looking at some steps.
    pub(crate) fn looking(self, eye: Eye) -> Self {
        Self { eye: Some(eye), ..self }
    }

    /// Block `rank` of the cluster runs.
    pub(crate) fn enter_rank(&mut self, rank: usize) {
        self.here = rank == self.rank;
    }

    /// Sites of an instruction.
    fn sites_of(&self, instruction: u32) -> std::ops::Range<usize> {
        let at = instruction as usize;
        let site = |at: usize| self.sites.get(at).copied().map_or(0, usize::from);
        site(at)..site(at + 1)
    }

    /// The running fragment comes to an instruction.
    fn begin(&mut self, warp: &Warp, context: &BlockContext, instruction: u32) {
        self.close(warp, context);
        let mut marks = Marks::default();
        if std::mem::take(&mut self.new_turn) {
            marks.add(Marks::TURN);
        }
        let step = Step {
            instruction,
            active: self.fragment.mask,
            warp: self.warp as u8,
            depth: self.fragment.depth.min(255) as u8,
            marks,
        };
        if let Some(eye) = &mut self.eye {
            eye.begin(self.count, &step, &self.fragment, warp, context);
        }
        self.count += 1;
        let before = context.tallies.sites[self.sites_of(instruction)].to_vec();
        self.open = Some(Open { step, before, bytes: 0 });
    }

    /// Ends the step that is under way, if there is one. To be called after every turn.
    pub(crate) fn close(&mut self, warp: &Warp, context: &BlockContext) {
        let Some(Open { mut step, before, bytes }) = self.open.take() else { return };
        let sites = self.sites_of(step.instruction);
        let mut cost = SiteTally::default();
        for (site, before) in sites.clone().zip(&before) {
            let now = &context.tallies.sites[site];
            let change = SiteTally::each(|get| get(now).wrapping_sub(get(before)));
            cost = SiteTally::each(|get| get(&cost) + get(&change));
            if let Some(Kept { tallies, .. }) = &mut self.kept {
                let sum = &mut tallies.sites[site];
                *sum = SiteTally::each(|get| get(sum) + get(&change));
            }
        }
        step.marks.add(marks(context.kernel, sites, &cost, bytes));
        if let Some(eye) = &mut self.eye {
            eye.end(warp, context, cost);
        }
        if let Some(Kept { steps, .. }) = &mut self.kept {
            steps.push(step);
        }
    }

    /// After a turn of the running warp.
    pub(crate) fn end_turn(&mut self, warp: &Warp, context: &BlockContext) {
        self.close(warp, context);
        self.new_turn = true;
    }

    /// Adds marks to the step that is under way.
    fn mark(&mut self, marks: Marks) {
        if let Some(open) = &mut self.open {
            open.step.marks.add(marks);
        }
    }

    /// The step that is under way has trapped.
    pub(crate) fn trap(&mut self) {
        self.mark(Marks::TRAP);
    }
}

/// What stands out of a step with this cost.
fn marks(kernel: &Kernel, sites: std::ops::Range<usize>, cost: &SiteTally, bytes: u32) -> Marks {
    let mut marks = Marks::default();
    let Some(kind) = kernel.sites[sites].first().map(|site| site.kind) else { return marks };
    let atomic = kind == SiteKind::Atomic;
    if matches!(kind, SiteKind::Load | SiteKind::Store | SiteKind::Atomic) {
        marks.add(Marks::MEMORY);
    }
    if cost.waits > 0 {
        marks.add(Marks::BARRIER);
    }
    if cost.conflicts > 0 {
        marks.add(Marks::CONFLICT);
    }
    let filled = (cost.global_lanes * u64::from(bytes)).div_ceil(SECTOR);
    if !atomic && cost.sectors > filled + cost.global {
        marks.add(Marks::SCATTERED);
    }
    if atomic && (cost.deepest > cost.global || cost.wavefronts > cost.shared) {
        marks.add(Marks::SERIAL);
    }
    marks
}

impl Observer for Tape<'_> {
    /// Warps are to be seen side by side.
    const INTERLEAVES: bool = true;
    const STAYS: bool = true;

    fn enter_block(&mut self, rank: usize) {
        self.here = rank == self.rank;
    }

    fn enter(&mut self, warp: usize) {
        self.warp = warp;
    }

    fn resume(&mut self, warp: &Warp, context: &BlockContext, fragment: &Fragment) {
        if !self.here {
            return;
        }
        self.close(warp, context);
        self.fragment = *fragment;
        let block = &self.kernel.blocks[fragment.block as usize];
        let (first, count) = block.ptx;
        self.end = first + count;
        self.next = match fragment.at {
            // Where it goes on, the op before has run.
            Some(at) if at > block.first => {
                let done = self.kernel.origins.get(at as usize - 1);
                done.map_or(first, |done| (done + 1).max(first))
            }
            Some(_) => first,
            None => {
                if let Some(Kept { tallies, .. }) = &mut self.kept {
                    let entry = &mut tallies.entries[fragment.block as usize];
                    entry.0 += 1;
                    entry.1 += u64::from(fragment.mask.count_ones());
                }
                first
            }
        };
    }

    fn join(&mut self, lanes: u32) {
        self.fragment.mask = lanes;
    }

    fn before(
        &mut self,
        warp: &Warp,
        context: &BlockContext,
        index: usize,
        inst: &Inst,
        mask: u32,
    ) -> u32 {
        if let Some(Kept { writes, .. }) = &mut self.kept {
            writes.note(warp, context, *inst, mask);
        }
        if !self.here {
            return mask;
        }
        let origin = self.kernel.origins.get(index).copied().unwrap_or_default();
        while self.next <= origin && self.next < self.end {
            self.begin(warp, context, self.next);
            self.next += 1;
        }
        if let (Some(open), Op::Load(it) | Op::Store(it)) = (&mut self.open, inst.op) {
            open.bytes = it.bytes();
        }
        if let Some(eye) = &mut self.eye {
            eye.op(warp, context, *inst, mask);
        }
        mask
    }

    fn end(&mut self, warp: &Warp, context: &BlockContext, fragment: &Fragment) {
        if !self.here {
            return;
        }
        while self.next < self.end {
            self.begin(warp, context, self.next);
            self.next += 1;
        }
        let block = fragment.block as usize;
        if let Terminator::Branch { p, when, .. } = self.kernel.blocks[block].terminator {
            let pred = warp.preds[usize::from(p)];
            let go = fragment.mask & if when { pred } else { !pred };
            if go != 0 && go != fragment.mask {
                self.mark(Marks::DIVERGES);
                if let Some(Kept { tallies, .. }) = &mut self.kept {
                    tallies.diverged[block] += 1;
                }
            }
        }
        if let Some(eye) = &mut self.eye {
            eye.branch(self.kernel, warp, fragment);
        }
    }
}
