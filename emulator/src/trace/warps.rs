//! What the warps of a block do at one moment.

use crate::machine::{Fragment, Waiting};
use crate::program::operands::Register;
use crate::program::{Kernel, Op, Terminator, Window};
use crate::trace::capture::{Seen, Standing};
use crate::trace::moment::{Gathering, Place, WarpState, WarpView};
use crate::trace::record::Trace;
use crate::trace::step::Step;

/// Steps of a warp to look back for loads that are under way.
const LOOK_BACK: usize = 32;

/// The instruction that a fragment runs next, or where it waits.
pub(crate) fn next_instruction(kernel: &Kernel, fragment: &Fragment) -> u32 {
    let block = &kernel.blocks[fragment.block as usize];
    let Some(at) = fragment.at else { return block.ptx.0 };
    // Who waits has run the op.
    let op = if fragment.waiting.is_some() { at.saturating_sub(1) } else { at };
    let last = (block.ptx.0 + block.ptx.1).saturating_sub(1);
    match kernel.origins.get(op as usize) {
        Some(&origin) if op < block.end => origin,
        _ => last,
    }
}

impl Trace {
    /// Where an instruction is.
    pub(crate) fn place_of(&self, instruction: u32) -> Place {
        let Some(found) = self.kernel.instruction(instruction as usize) else {
            return Place::default();
        };
        Place {
            word: found.word.to_owned(),
            ptx_line: found.ptx_line,
            source: found.source.map(|(file, line)| (file.to_owned(), line)),
        }
    }

    /// Where the instruction of a step is.
    pub fn place(&self, step: usize) -> Place {
        self.steps.get(step).map(|step| self.place_of(step.instruction)).unwrap_or_default()
    }

    /// The warps of the block around a step.
    pub(crate) fn warp_views(&self, seen: &Seen) -> Vec<WarpView> {
        let views = seen.warps.iter().enumerate().map(|(warp, standing)| {
            if warp == usize::from(seen.step.warp) {
                let at = Some(self.place_of(seen.step.instruction));
                return WarpView { state: WarpState::Running, live: seen.standing.live, at };
            }
            self.view(warp, standing, seen.index)
        });
        views.collect()
    }

    fn view(&self, warp: usize, standing: &Standing, step: usize) -> WarpView {
        let live = standing.live;
        let ready = standing.fragments.iter().find(|it| it.waiting.is_none());
        let Some(first) = ready.or(standing.fragments.first()) else {
            // Lanes that wait where paths meet go on when nobody else can.
            let state = if live == 0 { WarpState::Exited } else { WarpState::Ready };
            return WarpView { state, live, at: None };
        };
        let instruction = next_instruction(&self.kernel, first);
        let state = match first.waiting {
            Some(Waiting::Barrier { .. }) => WarpState::Barrier,
            Some(Waiting::Cluster { .. }) => WarpState::Cluster,
            Some(Waiting::Lanes { .. }) => WarpState::Lanes,
            None if self.waits_for_load(warp, instruction, step) => WarpState::Memory,
            None => WarpState::Ready,
        };
        WarpView { state, live, at: Some(self.place_of(instruction)) }
    }

    /// Whether the next instruction of a warp needs what a load from global or local memory
    /// brings, and no instruction has needed it so far.
    fn waits_for_load(&self, warp: usize, next: u32, step: usize) -> bool {
        let mut needed: Vec<Register> = self.symbols.used(next as usize).0.to_vec();
        if needed.is_empty() {
            let reads = self.branch_reads(next);
            needed.extend(reads);
        }
        let of_warp = |it: &&Step| usize::from(it.warp) == warp;
        for earlier in self.steps[..step].iter().rev().filter(of_warp).take(LOOK_BACK) {
            if needed.is_empty() {
                return false;
            }
            let (read, written) = self.symbols.used(earlier.instruction as usize);
            let brings = written.iter().any(|register| needed.contains(register));
            if brings && self.loads_from_afar(earlier.instruction) {
                return true;
            }
            // Who has read or computed it since has waited for it.
            needed.retain(|register| !read.contains(register) && !written.contains(register));
        }
        false
    }

    /// The predicate of a branch.
    fn branch_reads(&self, instruction: u32) -> Option<Register> {
        let block = self
            .kernel
            .blocks
            .iter()
            .find(|block| block.ptx.1 > 0 && instruction + 1 == block.ptx.0 + block.ptx.1)?;
        match block.terminator {
            Terminator::Branch { p, .. } => Some(Register::Pred(p)),
            _ => None,
        }
    }

    fn loads_from_afar(&self, instruction: u32) -> bool {
        let ops = self.kernel.insts.iter().zip(&self.kernel.origins);
        ops.filter(|(_, origin)| **origin == instruction).any(|(inst, _)| match inst.op {
            Op::Load(it) => {
                matches!(it.window, Window::Global | Window::Generic | Window::Local)
            }
            Op::Atomic { update, .. } => update.window != Window::Shared,
            _ => false,
        })
    }
}

/// Who is at the barrier that a step comes to.
pub(crate) fn gathering(seen: &Seen) -> Option<Gathering> {
    let barrier = seen.barrier?;
    let id = u8::try_from(barrier).ok()?;
    let (mut there, mut missing) = (Vec::new(), Vec::new());
    for (warp, standing) in seen.warps.iter().enumerate() {
        let own = warp == usize::from(seen.step.warp);
        let standing = if own { &seen.standing } else { standing };
        let waits = |it: &&Fragment| matches!(it.waiting, Some(Waiting::Barrier { id: at, .. }) if at == id);
        let waiting = standing.fragments.iter().filter(waits);
        let mut come = waiting.fold(0, |all, fragment| all | fragment.mask);
        if own {
            come |= seen.step.active;
        }
        there.push(come);
        missing.push(standing.live & !come);
    }
    Some(Gathering { barrier, there, missing })
}
