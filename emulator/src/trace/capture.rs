//! What is kept of a step that is looked at, while the block runs again.

use std::ops::Range;

use crate::machine::{BlockContext, Fragment, MeetingPlace, SiteTally, Warp, lanes};
use crate::program::{
    Cell, Inst, Kernel, Op, SHARED_WINDOW, Slot, Terminator, Transfer, Update, Window,
};
use crate::trace::step::Step;

/// The registers of a warp.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Registers {
    pub(crate) words: Vec<[u32; 32]>,
    pub(crate) doubles: Vec<[u64; 32]>,
    pub(crate) preds: Vec<u32>,
}

impl Registers {
    fn of(warp: &Warp) -> Self {
        Self {
            words: warp.regs32.to_vec(),
            doubles: warp.regs64.to_vec(),
            preds: warp.preds.clone(),
        }
    }

    /// The cells of a transfer from slot `first` on.
    fn cells(&self, cell: Cell, count: u8, first: Slot) -> Vec<[u64; 32]> {
        let slots = (0..Slot::from(count)).map(|index| usize::from(first + index));
        if cell == Cell::B64 {
            return slots.map(|slot| self.doubles[slot]).collect();
        }
        slots.map(|slot| self.words[slot].map(u64::from)).collect()
    }
}

/// How the lanes of one warp stand.
#[derive(Debug, Clone, Default)]
pub(crate) struct Standing {
    /// Lanes that have not ended.
    pub(crate) live: u32,
    /// All but the running one.
    pub(crate) fragments: Vec<Fragment>,
    /// Where lanes meet.
    pub(crate) places: Vec<MeetingPlace>,
}

impl Standing {
    pub(crate) fn of(warp: &Warp) -> Self {
        Self {
            live: warp.live,
            fragments: warp.fragments().to_vec(),
            places: warp.places().collect(),
        }
    }
}

/// The access that a step makes.
#[derive(Debug)]
pub(crate) struct RawAccess {
    pub(crate) op: Op,
    pub(crate) mask: u32,
    pub(crate) addresses: [u64; 32],
    /// Start of the running block's shared memory in the window.
    pub(crate) own: u64,
    /// Of an atomic: what was in memory, cell by cell.
    pub(crate) old: Option<Vec<[u64; 32]>>,
    /// What is loaded, stored or given to the atomic, cell by cell.
    pub(crate) values: Vec<[u64; 32]>,
}

/// A step as it was seen.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) index: usize,
    pub(crate) step: Step,
    /// Lanes that carry out some op of it.
    pub(crate) executing: u32,
    /// The warp around it, and where its lanes meet others, from the innermost place on.
    pub(crate) standing: Standing,
    pub(crate) stack: Vec<MeetingPlace>,
    /// Of a branch: the lanes that jump.
    pub(crate) taken: Option<u32>,
    pub(crate) before: Registers,
    pub(crate) after: Registers,
    pub(crate) access: Option<RawAccess>,
    /// The number of a barrier of the block.
    pub(crate) barrier: Option<u32>,
    /// What it prints.
    pub(crate) printed: Option<String>,
    pub(crate) cost: SiteTally,
    /// All warps of the block before the turn.
    pub(crate) warps: Vec<Standing>,
}

/// Looks at some steps while they happen.
#[derive(Debug)]
pub(crate) struct Eye {
    pub(crate) wanted: Range<usize>,
    /// Only of this warp.
    warp: Option<u8>,
    /// How the warps stand, as of the start of the turn.
    pub(crate) warps: Vec<Standing>,
    open: Option<Seen>,
    /// Bytes that the block had printed before it.
    printed: usize,
    pub(crate) seen: Vec<Seen>,
}

impl Eye {
    /// Looks at the steps of a range, of one warp or all.
    pub(crate) fn new(wanted: Range<usize>, warp: Option<u8>) -> Self {
        Self { wanted, warp, warps: Vec::new(), open: None, printed: 0, seen: Vec::new() }
    }

    pub(crate) fn begin(
        &mut self,
        index: usize,
        step: &Step,
        fragment: &Fragment,
        warp: &Warp,
        context: &BlockContext,
    ) {
        if !self.wanted.contains(&index) || self.warp.is_some_and(|warp| warp != step.warp) {
            return;
        }
        let guards = context.kernel.insts.iter().zip(&context.kernel.origins);
        let mut guards = guards.filter(|(_, origin)| **origin == step.instruction).peekable();
        // What has no op of its own is done for all lanes.
        let executing = if guards.peek().is_none() { step.active } else { 0 };
        self.printed = context.printed.len();
        self.open = Some(Seen {
            index,
            step: *step,
            executing,
            standing: Standing::of(warp),
            stack: warp.meetings(fragment).collect(),
            taken: None,
            before: Registers::of(warp),
            after: Registers::default(),
            access: None,
            barrier: None,
            printed: None,
            cost: SiteTally::default(),
            warps: self.warps.clone(),
        });
    }

    pub(crate) fn op(&mut self, warp: &Warp, context: &BlockContext, inst: Inst, mask: u32) {
        let Some(seen) = &mut self.open else { return };
        seen.executing |= mask;
        match inst.op {
            Op::Barrier { id, .. } => {
                let first = mask.trailing_zeros() as usize & 31;
                seen.barrier = Some(warp.regs32[usize::from(id)][first]);
            }
            Op::Load(_) | Op::Store(_) | Op::Atomic { .. } | Op::Reduce(_)
                if mask != 0 && seen.access.as_ref().is_none_or(|it| is_part(it.op, inst.op)) =>
            {
                seen.access = Some(RawAccess::of(warp, context, inst.op, mask));
            }
            _ => {}
        }
    }

    /// The step that is looked at is the branch at the end of its basic block.
    pub(crate) fn branch(&mut self, kernel: &Kernel, warp: &Warp, fragment: &Fragment) {
        let Some(seen) = &mut self.open else { return };
        let block = &kernel.blocks[fragment.block as usize];
        if seen.step.instruction + 1 != block.ptx.0 + block.ptx.1 {
            return;
        }
        if let Terminator::Branch { p, when, .. } = block.terminator {
            let pred = warp.preds[usize::from(p)];
            seen.taken = Some(fragment.mask & if when { pred } else { !pred });
            seen.executing = fragment.mask;
        }
    }

    pub(crate) fn end(&mut self, warp: &Warp, context: &BlockContext, cost: SiteTally) {
        let Some(mut seen) = self.open.take() else { return };
        seen.after = Registers::of(warp);
        seen.cost = cost;
        let printed = context.printed.get(self.printed..).unwrap_or_default();
        seen.printed = (!printed.is_empty()).then(|| String::from_utf8_lossy(printed).into_owned());
        if let Some(access) = &mut seen.access
            && let Op::Load(Transfer { cell, count, slot, .. }) = access.op
        {
            access.values = seen.after.cells(cell, count, slot);
        }
        self.seen.push(seen);
    }
}

/// Whether an op of an instruction reads a part of what a later one reads: `cp.async` of fewer
/// bytes than it could looks at the first one before.
fn is_part(known: Op, op: Op) -> bool {
    match (known, op) {
        (Op::Load(part), Op::Load(whole)) => {
            part.window == whole.window && part.a == whole.a && part.bytes() < whole.bytes()
        }
        _ => false,
    }
}

impl RawAccess {
    fn of(warp: &Warp, context: &BlockContext, op: Op, mask: u32) -> Self {
        let registers = Registers::of(warp);
        let (window, a, site, values, old) = match op {
            Op::Load(Transfer { window, a, site, .. }) => (window, a, site, Vec::new(), None),
            Op::Store(Transfer { window, cell, count, a, slot, site }) => {
                (window, a, site, registers.cells(cell, count, slot), None)
            }
            Op::Atomic { update, .. } | Op::Reduce(update) => {
                let Update { window, cell, count, a, b, site, .. } = update;
                let values = registers.cells(cell, count, b);
                (window, a, site, values, Some((cell.bytes(), count)))
            }
            _ => (Window::Param, 0, 0, Vec::new(), None),
        };
        let offset = context.kernel.sites[usize::from(site)].offset.cast_unsigned();
        let addresses = warp.regs64[usize::from(a)].map(|base| base.wrapping_add(offset));
        let old = old.map(|(bytes, count)| {
            let cells = (0..u64::from(count)).map(|cell| {
                let mut values = [0; 32];
                for lane in lanes(mask) {
                    let start = addresses[lane].wrapping_add(cell * u64::from(bytes));
                    let start =
                        if window == Window::Shared { start + SHARED_WINDOW } else { start };
                    for at in (0..u64::from(bytes)).rev() {
                        let byte = context.byte(warp, lane, start.wrapping_add(at));
                        values[lane] = values[lane] << 8 | u64::from(byte.unwrap_or_default());
                    }
                }
                values
            });
            cells.collect()
        });
        Self { op, mask, addresses, own: context.peers.own(), old, values }
    }
}
