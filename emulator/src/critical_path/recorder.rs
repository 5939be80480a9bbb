//! Follows a block while it runs: when the value of each register is there.

use crate::critical_path::cache::{Cache, Counts};
use crate::critical_path::history::{Time, WaitHistory};
use crate::critical_path::line::Line;
use crate::critical_path::lines::Found;
use crate::critical_path::plan::{CostPlan, LEVELS};
use crate::critical_path::sectors::distinct_addresses;
use crate::critical_path::shared::{
    CLUSTER_BARRIER, REMOTE, REMOTE_ATOMIC, is_remote, passes, rounds,
};
use crate::critical_path::slow_way::slow_way;
use crate::critical_path::timeline::{Timeline, Wait};
use crate::critical_path::trace::Trace;
use crate::machine::{BlockContext, Dim3, Fragment, Observer, Warp, lanes};
use crate::program::{
    Exchange, Guard, Inst, Kernel, Matrix, Meet, Op, Terminator, Transfer, Update, Window,
};

/// Follows blocks while they run.
#[derive(Debug)]
pub(crate) struct Recorder<'p> {
    plan: &'p CostPlan,
    lines: Vec<Line>,
    history: WaitHistory,
    cache: Cache,
    /// Per site: whether it reads what nobody writes.
    constant: Vec<bool>,
    /// Per site: whether L1 does not answer it.
    afresh: Vec<bool>,
    /// Per warp and site: for how many further rounds of an unrolled loop a load waits for one
    /// that L1 or L2 did not have.
    missed: Vec<[u8; 2]>,
    ran: Vec<bool>,
    warp: usize,
    /// Whether another block than the first of a cluster runs: only the first is followed.
    beside: bool,
    instructions: u64,
    constant_passes: u64,
    wide_divisions: u64,
    slow_ways: u64,
    timelines: Vec<Timeline>,
    traces: Vec<(u64, Trace)>,
}

impl<'p> Recorder<'p> {
    pub(crate) fn new(kernel: &Kernel, plan: &'p CostPlan, warps: usize, cache_bytes: u64) -> Self {
        let registers = kernel.slots32 + kernel.slots64 + kernel.preds;
        let line = Line { registers: vec![Time::default(); registers], ..Line::default() };
        Self {
            plan,
            lines: vec![line; warps],
            history: WaitHistory::new(kernel.knows_cycles()),
            cache: Cache::new(cache_bytes),
            constant: (0..kernel.sites.len())
                .map(|site| kernel.word(site as u16).split('.').any(|word| word == "nc"))
                .collect(),
            afresh: (0..kernel.sites.len()).map(|site| kernel.asks_afresh(site as u16)).collect(),
            missed: vec![[0; 2]; warps * kernel.sites.len()],
            ran: vec![false; kernel.blocks.len()],
            warp: 0,
            beside: false,
            instructions: 0,
            constant_passes: 0,
            wide_divisions: 0,
            slow_ways: 0,
            timelines: Vec::new(),
            traces: Vec::new(),
        }
    }

    /// The next block is followed as one of several of its multiprocessor, or alone.
    pub(crate) fn trace(&mut self, blocks: Option<usize>) {
        self.cache.trace.record(blocks);
    }

    /// After a block has ended that was followed for its accesses.
    pub(crate) fn finish_trace(&mut self, block: u64) {
        self.traces.push((block, self.cache.trace.take()));
    }

    /// After a block has ended.
    pub(crate) fn finish(&mut self, kernel: &Kernel, block: u64) {
        let Counts {
            asked,
            found,
            filled,
            lines,
            stored,
            partial,
            local,
            scattered,
            updated,
            span,
            passes,
        } = self.cache.counts;
        let mut timeline = Timeline {
            block,
            sectors: (asked, found),
            distinct: filled,
            lines,
            stored,
            partial,
            local,
            scattered,
            updated,
            span,
            passes,
            constant_passes: self.constant_passes,
            wide_divisions: self.wide_divisions,
            slow_ways: self.slow_ways,
            instructions: self.instructions,
            ..Timeline::default()
        };
        for line in &mut self.lines {
            line.close(&mut self.history);
            line.cycles += line.block.map_or(0.0, |block| self.plan.cycles(block));
            line.take_cycles(&mut self.history);
        }
        let mut ends: Vec<&mut Time> = self.lines.iter_mut().map(|line| &mut line.floor).collect();
        self.history.cut(&mut ends);
        let warps = self.lines.len() as f32;
        for line in &self.lines {
            let chain = self.history.chain(line.floor);
            timeline.critical_path.later(&chain);
            for (sum, waits) in timeline.average.waits.iter_mut().zip(chain.waits) {
                *sum += waits / warps;
            }
        }
        let ran = kernel.blocks.iter().zip(&self.ran).filter(|(_, ran)| **ran);
        timeline.code = ran.map(|(block, _)| block.ptx.1).sum();
        self.timelines.push(timeline);
    }

    /// The timelines, and the accesses of the blocks of a multiprocessor.
    pub(crate) fn into_found(self) -> (Vec<Timeline>, Vec<(u64, Trace)>) {
        (self.timelines, self.traces)
    }

    /// A warp comes to a barrier.
    fn arrive(&mut self, guard: Guard) {
        let line = &mut self.lines[self.warp];
        if let Guard::If(p) | Guard::Unless(p) = guard {
            line.last.later(line.registers[self.plan.pred(p)]);
        }
        line.issued += 1.0;
        line.close(&mut self.history);
    }

    /// These warps have waited for each other at a barrier, which takes as
    /// long as `barriers` plain ones.
    fn wait_for(&mut self, warps: u32, barriers: f32) {
        let met = |index: &usize| warps >> (index & 31) & 1 != 0;
        let mut latest = Time::default();
        for index in (0..self.lines.len()).filter(met) {
            latest.later(self.lines[index].floor);
        }
        let latest = self.history.wait(latest, Wait::Barrier, barriers);
        for index in (0..self.lines.len()).filter(met) {
            self.lines[index].floor = latest;
            self.lines[index].last = latest;
        }
    }

    /// A function stores as many registers on its stack, or loads them again before it returns
    /// to an address that is one of them.
    fn saved(&mut self, words: u32, frames: &[u64; 32], offset: u64, (mask, stores): (u32, bool)) {
        let (line, history) = (&mut self.lines[self.warp], &mut self.history);
        let mut start = line.last;
        start.later(line.floor);
        line.issued += words as f32;
        let mut all_here = true;
        for word in 0..u64::from(words) {
            let access = (mask, 4, stores);
            let place = offset.wrapping_add(4 * word);
            let (here, passes) = self.cache.own(frames, place, access, self.warp, start.cycles());
            start = line.pass(history, start, passes);
            all_here &= here;
        }
        line.last.later(start);
        if !stores {
            let wait = if all_here { Wait::L1Hit } else { Wait::L2Hit };
            line.last.later(history.wait(start, wait, 1.0));
        }
    }

    /// A warp is about to run instruction `index` of the kernel, which is `op`.
    fn op(&mut self, context: &BlockContext, warp: &Warp, index: usize, op: Op, mask: u32) {
        let kernel = context.kernel;
        let (cost, reads, writes) = self.plan.of(index);
        let (line, history) = (&mut self.lines[self.warp], &mut self.history);
        if let Op::Collective { index } = op
            && let Some(members) = kernel.collectives[usize::from(index)].members
            && !self.plan.is_fixed(members)
        {
            line.gather(history, members);
        }
        let mut start = Time::default();
        for &register in reads {
            start.later(line.registers[register as usize]);
        }
        start.later(line.floor);
        if let Some(under) = line.under {
            start.later(under);
        }
        line.issued += self.plan.issued(index);
        let flight = self.plan.flight(index);
        if cost.issue > 0.0 {
            line.order(&mut start, flight.early);
        }
        let ready = match op {
            Op::Load(it @ Transfer { window, site, .. }) => match window {
                Window::Const if self.plan.is_joined(index) => start,
                Window::Const => {
                    let further = distinct_addresses(kernel, warp, it, mask) - 1;
                    self.constant_passes += u64::from(further);
                    if further > 0 {
                        start = history.wait(start, Wait::Pass, FURTHER * further as f32);
                    }
                    history.wait(start, Wait::Arithmetic, 1.0)
                }
                Window::Param => history.wait(start, Wait::Arithmetic, 1.0),
                Window::Local => {
                    start.later(line.stores[0]);
                    let (here, passes) =
                        self.cache.local(kernel, warp, (op, mask), self.warp, start.cycles());
                    let start = line.pass(history, start, passes);
                    history.wait(start, if here { Wait::L1Hit } else { Wait::L2Hit }, 1.0)
                }
                Window::Shared => {
                    start.later(line.stores[0]);
                    let passes = if is_remote(context, warp, op, mask) {
                        REMOTE
                    } else {
                        passes(kernel, warp, op, mask)
                    };
                    history.wait(start, Wait::Shared, passes)
                }
                Window::Global | Window::Generic => {
                    if !self.constant[usize::from(site)] {
                        start.later(line.stores[1]);
                    }
                    start.later(line.waited(flight));
                    let afresh = self.afresh[usize::from(site)];
                    let (found, passes) =
                        self.cache.load(kernel, warp, (op, mask), start.cycles(), afresh);
                    let start = line.pass(history, start, passes);
                    let missed =
                        &mut self.missed[self.warp * self.constant.len() + usize::from(site)];
                    let found = slowest(found, cost.waits, missed);
                    let wait = match found {
                        _ if afresh => Wait::L2Hit,
                        Found::Here => Wait::L1Hit,
                        Found::Beside => Wait::L2Hit,
                        Found::Nowhere => Wait::Dram,
                    };
                    let ready = history.wait(start, wait, cost.waits);
                    line.loaded(flight, ready);
                    ready
                }
            },
            Op::Store(Transfer { window, .. }) => {
                let near = matches!(window, Window::Shared | Window::Local);
                line.stored |= !near;
                line.stores[usize::from(!near)].later(start);
                match window {
                    Window::Shared => {}
                    Window::Local => {
                        let (_, passes) =
                            self.cache.local(kernel, warp, (op, mask), self.warp, start.cycles());
                        line.pass(history, start, passes);
                    }
                    _ => {
                        let passes = self.cache.store(kernel, warp, (op, mask), start.cycles());
                        line.pass(history, start, passes);
                    }
                }
                start
            }
            Op::Atomic { update: Update { window, .. }, .. } => {
                let wait = if window == Window::Shared { Wait::SharedAtomic } else { Wait::Atomic };
                line.stores[usize::from(window != Window::Shared)].later(start);
                if window != Window::Shared {
                    self.cache.update(kernel, warp, (op, mask));
                }
                let remote = is_remote(context, warp, op, mask);
                history.wait(start, wait, if remote { REMOTE_ATOMIC } else { 1.0 })
            }
            Op::Reduce(update) => {
                line.stores[usize::from(update.window != Window::Shared)].later(start);
                if update.window != Window::Shared {
                    self.cache.update(kernel, warp, (op, mask));
                }
                match rounds(kernel, warp, update, mask) {
                    0.0 => start,
                    rounds => {
                        let ready = history.wait(start, Wait::SharedAtomic, rounds);
                        line.last.later(ready);
                        ready
                    }
                }
            }
            Op::Bulk { index } => {
                // Whoever waits for the barrier reads the bytes as stored.
                let bulk = kernel.bulks[usize::from(index)];
                let loads = bulk.from.window != Window::Shared;
                let wait = if loads { Wait::L2Hit } else { Wait::Shared };
                let ready = history.wait(start, wait, 1.0);
                line.stores[usize::from(bulk.to.window != Window::Shared)].later(ready);
                start
            }
            Op::Tensor { index } => {
                let ready = history.wait(start, Wait::L2Hit, 1.0);
                let loads = kernel.tensors[usize::from(index)].loads;
                line.stores[usize::from(!loads)].later(ready);
                start
            }
            Op::Collective { index } => match kernel.collectives[usize::from(index)].exchange {
                Exchange::Align => start,
                Exchange::Fence => {
                    line.fence(history);
                    start
                }
                Exchange::Matrix { index } => match &kernel.matrices[usize::from(index)] {
                    // It runs beside the warps that started it.
                    Matrix::Product(product) if product.group.is_some() => {
                        history.add(start, Wait::Arithmetic, cost.waits)
                    }
                    _ => history.wait(start, Wait::Arithmetic, cost.waits),
                },
                _ => history.wait(start, Wait::Exchange, cost.waits),
            },
            Op::Binary64 { f, a, b, .. } if f.divides() => {
                let (a, b) = (&warp.regs64[usize::from(a)], &warp.regs64[usize::from(b)]);
                let wide = lanes(mask).any(|lane| (a[lane] | b[lane]) >> 32 != 0);
                self.wide_divisions += u64::from(wide);
                // Words take the way of a quotient of 32 bits, which the cycles of machine code
                // have; the other one is a function.
                if wide {
                    history.add(start, Wait::Slow, cost.waits)
                } else {
                    history.wait(start, Wait::Slow, NARROW)
                }
            }
            Op::Binary32 { f, b, .. } if f.divides() => {
                // The reciprocal of the divisor, which may be there long before the dividend.
                let divisor = line.registers[usize::from(b)];
                start.later(history.wait(divisor, Wait::Slow, RECIPROCAL));
                history.wait(start, Wait::Slow, cost.waits)
            }
            Op::Select32 { p, .. } => {
                // Predicates are there later than words.
                let predicate = line.registers[self.plan.pred(p)];
                start.later(history.wait(predicate, Wait::Arithmetic, PREDICATE));
                history.wait(start, Wait::Arithmetic, cost.waits)
            }
            _ => match cost.waits {
                0.0 => start,
                waits if cost.slow || cost.parts => {
                    let way = slow_way(op, warp, mask);
                    let kind = if cost.slow { Wait::Slow } else { Wait::Arithmetic };
                    self.slow_ways += way.map_or(0, |way| way.instructions);
                    if let Some(way) = way
                        && history.knows_cycles()
                    {
                        // A function beside the usual way.
                        let further = (way.waits - waits).max(0.0);
                        start = history.add(start, kind, further);
                    }
                    let waits = way.map_or(waits, |way| way.waits);
                    let scaled = match cost.scaling.1 {
                        0.0 => start,
                        steps => history.wait(start, Wait::Arithmetic, steps),
                    };
                    history.wait(scaled, kind, waits)
                }
                waits => history.wait(start, Wait::Arithmetic, waits),
            },
        };
        let ready = history.hidden(ready, start, self.plan.ahead(index) * cost.waits.min(1.0));
        line.last.later(start);
        for &register in writes {
            line.registers[register as usize] = ready;
        }
        if cost.parts {
            line.part(history, ready);
        }
    }
}

/// Where the loads are found that a load waits for together with those of other rounds of its
/// loop, `waits` times a round: the farthest of them counts.
fn slowest(found: Found, waits: f32, missed: &mut [u8; 2]) -> Found {
    if waits <= 0.0 || waits >= 1.0 {
        return found;
    }
    let rounds = (1.0 / waits).round() as u8;
    let [far, beside] = missed;
    match found {
        Found::Nowhere => *far = rounds,
        Found::Beside => *beside = rounds,
        Found::Here => {}
    }
    let slowest = match (*far, *beside) {
        (1.., _) => Found::Nowhere,
        (0, 1..) => Found::Beside,
        (0, 0) => Found::Here,
    };
    (*far, *beside) = (far.saturating_sub(1), beside.saturating_sub(1));
    slowest
}

/// Cycles that a branch to another place takes beside those of its instruction.
const TAKEN: f32 = 4.0;

/// The same where a warp's lanes go different ways: it runs one way and then turns to the other
/// (17 to 22 cycles on an H200 for two ways of one branch, 17.7 for each group of lanes that leaves a
/// loop).
const DIVERGED: f32 = 17.0;

/// Cycles of a call, and of the return, beside those of their instructions (45 for both on an H200).
const CALLED: f32 = 20.0;

/// Slow steps of a quotient of 64-bit numbers that are below 2^32.
const NARROW: f32 = 8.8;

/// Dependent steps until a selection may use a predicate. Branches have it in their own wait.
const PREDICATE: f32 = 1.2;

/// Slow steps of the reciprocal of an integer.
const RECIPROCAL: f32 = 3.6;

/// How long a load of constants takes for each further address that its lanes read, in passes:
/// 11.2 cycles on an H200 (`load_constant_apart` of `benches/data/h200/chains.csv`). Those of other
/// warps run beside it.
const FURTHER: f32 = 10.0;

impl Observer for Recorder<'_> {
    const WIDEST: usize = 8;
    /// Its cache has to see warps side by side.
    const INTERLEAVES: bool = true;

    fn enter_block(&mut self, rank: usize) {
        self.beside = rank != 0;
    }

    fn start_block(&mut self, _: [u32; 3], _: Dim3, _: u64) {
        if self.beside {
            return;
        }
        for line in &mut self.lines {
            let mut registers = std::mem::take(&mut line.registers);
            registers.fill(Time::default());
            *line = Line { registers, ..Line::default() };
        }
        self.history.clear();
        self.cache.clear();
        self.missed.fill([0; 2]);
        self.ran.fill(false);
        self.instructions = 0;
        self.constant_passes = 0;
        self.wide_divisions = 0;
        self.slow_ways = 0;
    }

    fn enter(&mut self, warp: usize) {
        self.warp = warp;
    }

    fn block(&mut self, kernel: &Kernel, to: u32) {
        if self.beside {
            return;
        }
        if self.history.is_long() {
            let mut live: Vec<&mut Time> = self.lines.iter_mut().flat_map(Line::times).collect();
            self.history.cut(&mut live);
        }
        self.ran[to as usize] = true;
        let (plan, history) = (self.plan, &mut self.history);
        let line = &mut self.lines[self.warp];
        let from = line.block.replace(to);
        line.flights = [(0, Time::default(), Time::default()); LEVELS];
        self.instructions += u64::from(kernel.blocks[to as usize].ptx.1);
        let Some(from) = from else { return };
        line.cycles += plan.cycles(from);
        if history.knows_cycles() && to != from + 1 {
            line.cycles += TAKEN * plan.rounds(from);
        }
        let ended = &kernel.blocks[from as usize];
        if to <= from {
            // The next round of a loop.
            line.branch(plan, history, ended.terminator, plan.rounds(from));
            return;
        }
        match ended.terminator {
            Terminator::Jump(_) => {}
            Terminator::Branch { p, reconverge, .. } => {
                if plan.is_predicated(from) {
                    if to != reconverge {
                        line.under = Some(line.registers[plan.pred(p)]);
                    }
                } else {
                    line.branch(plan, history, ended.terminator, 1.0);
                }
                if to == reconverge {
                    line.under = None;
                }
            }
            _ => line.branch(plan, history, ended.terminator, 1.0),
        }
    }

    fn end(&mut self, warp: &Warp, context: &BlockContext, fragment: &Fragment) {
        let kernel = context.kernel;
        if self.beside {
            return;
        }
        let terminator = kernel.blocks[fragment.block as usize].terminator;
        let line = &mut self.lines[self.warp];
        match terminator {
            Terminator::Branch { p, .. } if !self.plan.is_predicated(fragment.block) => {
                let taken = warp.preds[usize::from(p)] & fragment.mask;
                if taken != 0 && taken != fragment.mask {
                    line.cycles += DIVERGED;
                }
            }
            Terminator::Call(_) => line.cycles += CALLED,
            Terminator::Return if fragment.depth > 0 => line.cycles += CALLED,
            _ => {}
        }
        if kernel.saved == 0 {
            return;
        }
        let frames = &warp.regs64[usize::from(kernel.stack)];
        match terminator {
            Terminator::Call(index) => {
                let advance = kernel.calls[usize::from(index)].advance;
                self.saved(kernel.saved, frames, advance, (fragment.mask, true));
            }
            Terminator::Return if fragment.depth > 0 => {
                let before = kernel.saved_bytes().wrapping_neg();
                self.saved(kernel.saved, frames, before, (fragment.mask, false));
            }
            _ => {}
        }
    }

    fn before(
        &mut self,
        warp: &Warp,
        context: &BlockContext,
        index: usize,
        Inst { guard, op }: Inst,
        mask: u32,
    ) -> u32 {
        if self.beside {
            return mask;
        }
        if matches!(op, Op::Barrier { meet, .. } if meet != Meet::ArriveInCluster) {
            self.arrive(guard);
        } else {
            self.op(context, warp, index, op, mask);
        }
        mask
    }

    fn meet(&mut self, _: usize, warps: u32) {
        if !self.beside {
            self.wait_for(warps, 1.0);
        }
    }

    fn meet_cluster(&mut self) {
        self.wait_for(u32::MAX, CLUSTER_BARRIER);
    }
}
