//! Follows a block while it runs: when the value of each register is there.

mod op;

use crate::critical_path::arrivals::Arrivals;
use crate::critical_path::cache::{Asks, Cache, Counts};
use crate::critical_path::constants::Constants;
use crate::critical_path::crowd::Crowd;
use crate::critical_path::hand_offs::Watch;
use crate::critical_path::history::{Time, WaitHistory};
use crate::critical_path::line::Line;
use crate::critical_path::links::Links;
use crate::critical_path::plan::{CostPlan, LEVELS};
use crate::critical_path::shared::{self, CLUSTER_BARRIER, Loops};
use crate::critical_path::swapped::Swapped;
use crate::critical_path::timeline::{CriticalPath, Timeline, Wait};
use crate::critical_path::trace::Trace;
use crate::critical_path::turns::Turns;
use crate::machine::{BlockContext, Dim3, Fragment, Observer, Warp};
use crate::program::{Guard, Inst, Kernel, Meet, Op, Terminator, Together};

/// What a recorder found.
#[derive(Debug)]
pub(crate) struct Recorded {
    pub(crate) timelines: Vec<Timeline>,
    /// What their blocks swapped.
    pub(crate) swapped: Vec<Swapped>,
    /// Accesses of the blocks of a multiprocessor.
    pub(crate) traces: Vec<(u64, Trace)>,
    /// By site: what lies between seeing a word and storing one there.
    pub(crate) paths: Vec<(u16, CriticalPath)>,
}

/// Follows blocks while they run.
#[derive(Debug)]
pub(crate) struct Recorder<'p> {
    plan: &'p CostPlan,
    lines: Vec<Line>,
    history: WaitHistory,
    cache: Cache,
    /// Per site: whether it reads what nobody writes.
    constant: Vec<bool>,
    /// Per site: where a load looks first.
    asks: Vec<Asks>,
    /// Per site of an asynchronous copy: whether it goes past L1.
    copies: Vec<Option<bool>>,
    /// Per warp and site: for how many further rounds of an unrolled loop a load waits for one
    /// that L1 or L2 did not have.
    missed: Vec<[u8; 2]>,
    ran: Vec<bool>,
    warp: usize,
    /// Warps on a multiprocessor.
    together: usize,
    /// Whether another block than the first of a cluster runs: only the first is followed.
    beside: bool,
    /// The blocks that wait for each other, where they are all of the grid.
    grid: Option<u64>,
    crowd: Crowd,
    loops: Loops,
    turns: Turns,
    swapped: Swapped,
    /// When L1 has taken the sectors of the copies so far: about one a cycle (4.1 to 4.5 cycles for
    /// 4 sectors, 5.5 for 6; `benches/data/h200/copies.csv`). What comes behind them waits.
    filled: Time,
    /// Sectors of the copy that was read last and is not stored yet.
    copied: f32,
    arrivals: Arrivals,
    instructions: u64,
    constants: Constants,
    /// Distinct addresses of its loads beyond the first of each, and addresses that it did not hold.
    constant_reads: (u64, u64),
    wide_divisions: u64,
    slow_ways: u64,
    /// Halves of a shuffle that exchanges take beyond one each.
    exchanges: u64,
    widened: (u64, u64),
    links: Links<'p>,
    timelines: Vec<Timeline>,
    /// What the blocks of both swapped.
    all_swapped: Vec<Swapped>,
    traces: Vec<(u64, Trace)>,
}

impl<'p> Recorder<'p> {
    /// A recorder for blocks of so many warps; of L1, each has so many bytes, and so many blocks
    /// are resident on a multiprocessor.
    pub(crate) fn new(
        kernel: &Kernel,
        plan: &'p CostPlan,
        warps: usize,
        (cache_bytes, resident): (u64, u32),
        watch: Option<Watch<'p>>,
    ) -> Self {
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
            asks: (0..kernel.sites.len()).map(|site| Asks::of(kernel, site as u16)).collect(),
            copies: (0..kernel.sites.len())
                .map(|site| {
                    let word = kernel.word(site as u16);
                    word.starts_with("cp.async.c").then(|| word.starts_with("cp.async.cg"))
                })
                .collect(),
            missed: vec![[0; 2]; warps * kernel.sites.len()],
            ran: vec![false; kernel.blocks.len()],
            warp: 0,
            together: warps * resident.max(1) as usize,
            beside: false,
            grid: (kernel.cluster.meets == Together::Grid).then_some(1),
            instructions: 0,
            crowd: Crowd::new(resident),
            loops: Loops::default(),
            turns: Turns::new(kernel),
            swapped: Swapped::default(),
            filled: Time::default(),
            copied: 0.0,
            arrivals: Arrivals::default(),
            constants: Constants::default(),
            constant_reads: (0, 0),
            wide_divisions: 0,
            slow_ways: 0,
            exchanges: 0,
            widened: (0, 0),
            links: Links::new(watch),
            timelines: Vec::new(),
            all_swapped: Vec::new(),
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
        self.all_swapped.push(std::mem::take(&mut self.swapped));
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
            joined,
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
            joined,
            local,
            scattered,
            updated,
            span,
            passes,
            constant_reads: self.constant_reads,
            wide_divisions: self.wide_divisions,
            slow_ways: self.slow_ways,
            exchanges: self.exchanges,
            widened: self.widened,
            instructions: self.instructions,
            ..Timeline::default()
        };
        for line in &mut self.lines {
            line.close(&mut self.history);
            if let Some(block) = line.block {
                line.cycles += self.plan.cycles(block) - line.counted;
            }
            line.take_cycles(&mut self.history);
        }
        self.stretch_ends(u32::MAX);
        let latest =
            self.lines.iter_mut().max_by(|a, b| a.floor.cycles().total_cmp(&b.floor.cycles()));
        if let Some(line) = latest {
            let now = line.floor.cycles();
            let longer = self.loops.longer(now) + self.turns.longer(now);
            line.floor = self.history.wait(line.floor, Wait::Swap, longer);
            timeline.swaps_again = (self.loops.again + self.turns.again) as u64;
        }
        timeline.crowded = self.crowd.longer();
        timeline.lopsided = self.crowd.lopsided();
        let ends = self.lines.iter_mut().map(|line| &mut line.floor);
        self.history.cut(&mut ends.chain(self.links.times()).collect::<Vec<_>>());
        self.links.finish(&self.history);
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
        self.all_swapped.push(std::mem::take(&mut self.swapped));
    }

    /// The next block to run.
    pub(crate) fn start(&mut self, block: u64) {
        self.links.start(block);
    }

    /// All that it found.
    pub(crate) fn into_found(self) -> Recorded {
        let Self { timelines, all_swapped: swapped, traces, links, .. } = self;
        Recorded { timelines, swapped, traces, paths: links.into_paths() }
    }

    /// A warp comes to a barrier, instruction `index` of the kernel.
    fn arrive(&mut self, index: usize, guard: Guard) {
        let line = &mut self.lines[self.warp];
        if let Guard::If(p) | Guard::Unless(p) = guard {
            line.last.later(line.registers[self.plan.pred(p)]);
        }
        line.issued += 1.0;
        line.close(&mut self.history);
        let so_far = self.plan.before(index);
        line.cycles += so_far - line.counted;
        line.counted = so_far;
        line.take_cycles(&mut self.history);
    }

    /// These warps wait for each other, or end.
    fn stretch_ends(&mut self, warps: u32) {
        let lines = self.lines.iter_mut().enumerate();
        let mut met: Vec<_> = lines.filter(|(index, _)| warps >> (index & 31) & 1 != 0).collect();
        let end = met.iter().map(|(_, line)| line.floor.cycles()).fold(0.0, f64::max);
        let stretches =
            met.iter_mut().map(|(index, line)| (*index, std::mem::take(&mut line.stretch)));
        self.crowd.meet(stretches, end);
    }

    /// These warps have waited for each other at a barrier, which takes as
    /// long as `barriers` plain ones.
    fn wait_for(&mut self, warps: u32, barriers: f32) {
        let met = |index: &usize| warps >> (index & 31) & 1 != 0;
        let mut latest = Time::default();
        for index in (0..self.lines.len()).filter(met) {
            latest.later(self.lines[index].floor);
        }
        self.stretch_ends(warps);
        let now = latest.cycles();
        let longer = self.loops.longer(now) + self.turns.longer(now);
        if longer > 0.0 {
            latest = self.history.wait(latest, Wait::Swap, longer);
        }
        let latest = self.history.wait(latest, Wait::Barrier, barriers);
        self.loops.begin(latest.cycles());
        self.turns.begin(latest.cycles());
        for index in (0..self.lines.len()).filter(met) {
            self.lines[index].floor = latest;
            self.lines[index].last = latest;
            self.lines[index].stretch.began = latest.cycles();
            self.lines[index].joins.leave(latest.cycles());
        }
    }
}

/// Cycles that a branch to another place takes beside those of its instruction. This and the next
/// three are from the branches of `benches/data/h200/chains.csv`.
const TAKEN: f32 = 4.0;

/// The same where a warp's lanes go different ways: it runs one way and then turns to the other
/// (17 cycles for two ways of one branch, 13 for each group of lanes that leaves a loop).
const DIVERGED: f32 = 17.0;

/// The same where others wait for these lanes at another place already (39 cycles).
const NESTED: f32 = 40.0;

/// Cycles of a call, and of the return, beside those of their instructions.
const CALLED: f32 = 20.0;

impl Observer for Recorder<'_> {
    /// Its cache has to see warps side by side.
    const INTERLEAVES: bool = true;

    fn enter_block(&mut self, rank: usize) {
        self.beside = rank != 0;
    }

    fn start_block(&mut self, _: [u32; 3], grid: Dim3, _: u64) {
        if self.beside {
            return;
        }
        self.grid = self.grid.map(|_| grid.count());
        for line in &mut self.lines {
            let mut registers = std::mem::take(&mut line.registers);
            registers.fill(Time::default());
            *line = Line { registers, ..Line::default() };
        }
        self.history.clear();
        self.crowd.clear();
        self.loops = Loops::default();
        self.turns.clear();
        self.swapped = Swapped::default();
        self.links.clear();
        self.filled = Time::default();
        self.arrivals.clear();
        self.cache.clear();
        self.missed.fill([0; 2]);
        self.ran.fill(false);
        self.instructions = 0;
        self.constants.clear();
        self.constant_reads = (0, 0);
        self.wide_divisions = 0;
        self.slow_ways = 0;
        self.exchanges = 0;
        self.widened = (0, 0);
    }

    fn enter(&mut self, warp: usize) {
        self.warp = warp;
    }

    fn block(&mut self, kernel: &Kernel, to: u32) {
        if self.beside {
            return;
        }
        if self.history.is_long() {
            let lines = self.lines.iter_mut().flat_map(Line::times);
            let mut live: Vec<&mut Time> = lines
                .chain([&mut self.filled])
                .chain(self.links.times())
                .chain(self.arrivals.times())
                .collect();
            self.history.cut(&mut live);
        }
        self.ran[to as usize] = true;
        let (plan, history) = (self.plan, &mut self.history);
        let line = &mut self.lines[self.warp];
        let from = line.block.replace(to);
        line.flights = [(0, Time::default(), Time::default()); LEVELS];
        let instructions = u64::from(kernel.blocks[to as usize].ptx.1);
        // What machine code runs under a predicate is no other place to it.
        let straight = |from| to > from && (plan.is_predicated(from) || line.under.is_some());
        line.joins.turn(instructions, from.is_some_and(straight));
        self.instructions += instructions;
        let Some(from) = from else { return };
        if to == line.until {
            line.under = None;
        }
        line.cycles += plan.cycles(from) - line.counted;
        line.counted = 0.0;
        line.stretch.work += 1.0;
        if history.knows_cycles() && to != from + 1 {
            line.cycles += TAKEN * plan.rounds(from);
        }
        let ended = &kernel.blocks[from as usize];
        let follows = match ended.terminator {
            Terminator::Jump(next) => next == to,
            Terminator::Branch { taken, other, .. } => taken == to || other == to,
            _ => true,
        };
        // The next round of a loop, or the lanes that go the other way: under predicates, machine code
        // does not wait for them.
        if to <= from && (follows || !history.knows_cycles()) {
            line.branch(plan, history, ended.terminator, plan.rounds(from));
            return;
        }
        match ended.terminator {
            // Nothing moves from one block of machine code to another.
            Terminator::Jump(_) if plan.cycles(from) > 0.0 && plan.cycles(to) > 0.0 => {
                line.close(history);
                line.take_cycles(history);
            }
            Terminator::Jump(_) => {}
            Terminator::Branch { p, reconverge, .. } => {
                if plan.is_predicated(from) {
                    if to != reconverge {
                        line.under = Some(line.registers[plan.pred(p)]);
                        line.until = reconverge;
                    }
                } else {
                    line.branch(plan, history, ended.terminator, 1.0);
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
            Terminator::Branch { p, reconverge, .. }
                if !self.plan.is_predicated(fragment.block) =>
            {
                let taken = warp.preds[usize::from(p)] & fragment.mask;
                if taken != 0 && taken != fragment.mask {
                    let outer = warp.meetings(fragment).next();
                    let nested = outer.is_some_and(|place| place.block != reconverge);
                    line.cycles += if nested { NESTED } else { DIVERGED };
                }
            }
            Terminator::Call(_) => line.cycles += CALLED,
            Terminator::Return if fragment.depth > 0 => line.cycles += CALLED,
            _ => {}
        }
        if terminator == Terminator::Return && fragment.depth > 0 {
            self.saved(warp, kernel, fragment, false);
        }
    }

    fn resume(&mut self, warp: &Warp, context: &BlockContext, fragment: &Fragment) {
        let kernel = context.kernel;
        if !self.beside
            && kernel.saved > 0
            && fragment.at.is_none()
            && fragment.depth > 0
            && kernel.function_of(fragment.block).block == fragment.block
        {
            self.saved(warp, kernel, fragment, true);
        }
    }

    fn before(
        &mut self,
        warp: &Warp,
        context: &BlockContext,
        index: usize,
        Inst { guard, op }: &Inst,
        mask: u32,
    ) -> u32 {
        if self.beside {
            return mask;
        }
        if matches!(op, Op::Barrier { meet, .. } if *meet != Meet::ArriveInCluster) {
            self.arrive(index, *guard);
        } else {
            let role = self.links.see(context.kernel, (self.warp, warp), (index, op), mask);
            self.op(context, warp, index, op, mask);
            let read = self.plan.of(index).2.first().copied();
            self.links.note(role, &mut self.lines[self.warp], read);
        }
        mask
    }

    fn meet(&mut self, _: usize, warps: u32) {
        if !self.beside {
            self.wait_for(warps, 1.0);
        }
    }

    fn meet_cluster(&mut self) {
        let Some(blocks) = self.grid else { return self.wait_for(u32::MAX, CLUSTER_BARRIER) };
        self.wait_for(u32::MAX, 2.0);
        let mut latest = self.lines.first().map_or(Time::default(), |line| line.floor);
        for (wait, times) in shared::grid_barrier(blocks) {
            latest = self.history.add(latest, wait, times);
        }
        for line in &mut self.lines {
            (line.floor, line.last) = (latest, latest);
            line.stretch.began = latest.cycles();
            line.joins.leave(latest.cycles());
        }
        self.loops.begin(latest.cycles());
        self.turns.begin(latest.cycles());
        // What L1 had may have changed.
        self.cache.clear();
    }
}
