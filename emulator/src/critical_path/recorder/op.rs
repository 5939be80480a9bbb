//! What an instruction waits for, and when its result is there.

use super::Recorder;
use crate::critical_path::cache::Asks;
use crate::critical_path::exchanges;
use crate::critical_path::history::Time;
use crate::critical_path::joins::Request;
use crate::critical_path::line::BEHIND_LOADS;
use crate::critical_path::lines::Found;
use crate::critical_path::shared::{REMOTE, REMOTE_ATOMIC, is_remote, wavefronts, wide_wavefronts};
use crate::critical_path::slow_way::slow_way;
use crate::critical_path::timeline::Wait;
use crate::machine::{BlockContext, Fragment, Warp, lanes};
use crate::program::{Cell, End, Exchange, Kernel, Matrix, Op, Transfer, Update, Window};

/// Passes of L1 that a copy takes at least, even one that reads nothing and writes zeros: 3.2 cycles
/// (`benches/data/h200/copies.csv`).
const LEAST_OF_COPY: f32 = 2.9;

/// What a load that acquires takes beside, of a fence behind stores: 100 ns
/// (`benches/data/h200/hand_offs.csv`).
const ACQUIRES: f32 = 0.3;

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

/// How much longer the cache of constants takes for an address that it does not hold, in passes:
/// 17 cycles (`benches/data/h200/constants.csv`).
const MISSED: f32 = 15.2;

impl Recorder<'_> {
    /// The function of a fragment stores registers on its stack, or loads them again before it
    /// returns to an address that is one of them.
    pub(super) fn saved(
        &mut self,
        warp: &Warp,
        kernel: &Kernel,
        fragment: &Fragment,
        stores: bool,
    ) {
        let words = kernel.function_of(fragment.block).saves;
        if words == 0 {
            return;
        }
        let frames = &warp.regs64[usize::from(kernel.stack)];
        let (offset, mask) = (kernel.saved_bytes().wrapping_neg(), fragment.mask);
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
    pub(super) fn op(
        &mut self,
        context: &BlockContext,
        warp: &Warp,
        index: usize,
        op: &Op,
        mask: u32,
    ) {
        let kernel = context.kernel;
        let (cost, reads, writes) = self.plan.of(index);
        let (line, history) = (&mut self.lines[self.warp], &mut self.history);
        if let Op::Collective { index } = *op
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
        let mut wavefronts = wavefronts(kernel, warp, op, mask);
        // A load that machine code joined to another one makes none of its own.
        if self.plan.is_joined(index) {
            self.widened.0 += wavefronts as u64;
            wavefronts = 0.0;
        } else if let (Some(wide), Op::Load(it)) = (self.plan.wide(index), op) {
            let all = wide_wavefronts(&warp.regs64[usize::from(it.a)], wide, mask);
            self.widened.1 += (all - wavefronts).max(0.0) as u64;
            wavefronts = all;
        }
        line.stretch.wavefronts += wavefronts;
        if let Op::Store(it) = op
            && let Some(past) = self.copies[usize::from(it.site)]
        {
            // The second half of a copy: nothing waits for what it stores.
            let rest = LEAST_OF_COPY - std::mem::take(&mut self.copied);
            if !past && rest > 0.0 {
                start.later(self.filled);
                self.filled = history.wait(start, Wait::Pass, rest);
                start = self.filled;
            }
            line.copies.add(start);
            return;
        }
        line.issued += self.plan.issued(index);
        line.stretch.work += self.plan.issued(index);
        let flight = self.plan.flight(index);
        if cost.issue > 0.0 {
            line.order(&mut start, flight.early);
        }
        let by = (self.warp, warp);
        // Locks come and go behind the stores to shared memory.
        let behind = line.stores[0].cycles().max(start.cycles());
        let ready = match *op {
            Op::Load(it @ Transfer { window, site, .. }) => match window {
                Window::Const if self.plan.is_joined(index) => start,
                Window::Const => {
                    let (places, missed) = self.constants.read(kernel, warp, it, mask);
                    let further = places.saturating_sub(1);
                    self.constant_reads.0 += u64::from(further);
                    self.constant_reads.1 += u64::from(missed);
                    if further > 0 || missed > 0 {
                        let longer = FURTHER * further as f32 + MISSED * missed as f32;
                        start = history.wait(start, Wait::Pass, longer);
                    }
                    history.wait(start, Wait::Arithmetic, 1.0)
                }
                Window::Param => start,
                Window::Local if kernel.sites[usize::from(site)].silent => start,
                Window::Local => {
                    start.later(line.stores[0]);
                    let (here, passes) =
                        self.cache.local(kernel, warp, (op, mask), self.warp, start.cycles());
                    let start = line.pass(history, start, passes);
                    history.wait(start, if here { Wait::L1Hit } else { Wait::L2Hit }, 1.0)
                }
                Window::Shared => {
                    start.later(line.stores[0]);
                    if it.cell == Cell::B64 {
                        start.later(self.arrivals.at(kernel, warp, (it.a, site), mask));
                    }
                    let remote = is_remote(context, warp, op, mask);
                    if !remote {
                        start = line.take_banks(history, start, wavefronts);
                    }
                    history.wait(start, Wait::Shared, if remote { REMOTE } else { 1.0 })
                }
                Window::Global | Window::Generic => {
                    line.joins.left = None;
                    if !self.constant[usize::from(site)] {
                        start.later(line.stores[1]);
                    }
                    let copy = self.copies[usize::from(site)];
                    if copy.is_none() {
                        start.later(line.waited(flight));
                    }
                    let looks = self.asks[usize::from(site)];
                    // A copy whose bytes a register says reads one of them, which is counted, and
                    // then the others.
                    let mut asks = start;
                    if !kernel.sites[usize::from(site)].silent {
                        let before = self.cache.counts.filled;
                        let (found, passes) = if copy == Some(true) {
                            self.cache.past(kernel, warp, (op, mask))
                        } else {
                            self.cache.load(kernel, warp, (op, mask), start.cycles(), looks)
                        };
                        line.found = found;
                        asks = line.pass(history, asks, passes);
                        let sectors = self.cache.counts.filled - before;
                        if copy == Some(false) && sectors > 0 {
                            // L1 takes them one by one, from all warps.
                            asks.later(self.filled);
                            self.copied = sectors as f32;
                            self.filled = history.wait(asks, Wait::Pass, self.copied);
                            asks = self.filled;
                        }
                    }
                    let (found, longer) = line.found;
                    let longer = if found == Found::Here { 1.0 } else { longer };
                    if copy.is_some() {
                        let ready = history.wait(asks, found.wait(), longer);
                        line.last.later(asks);
                        for &register in writes {
                            line.registers[register as usize] = ready;
                        }
                        return;
                    }
                    let missed =
                        &mut self.missed[self.warp * self.constant.len() + usize::from(site)];
                    let found = slowest(found, cost.waits, missed);
                    let wait = if looks == Asks::Afresh { Wait::L2Hit } else { found.wait() };
                    let mut ready = history.wait(asks, wait, cost.waits * longer);
                    if looks == Asks::Afresh {
                        line.fence = line.fence.max(BEHIND_LOADS);
                        if kernel.has_word(site, "acquire") && !kernel.has_word(site, "cta") {
                            ready = history.wait(ready, Wait::Fence, ACQUIRES);
                        }
                    }
                    line.loaded(flight, ready);
                    ready
                }
            },
            Op::Store(Transfer { window: Window::Local, site, .. })
                if kernel.sites[usize::from(site)].silent =>
            {
                start
            }
            // A call and a return wait for what they pass on in registers.
            Op::Store(Transfer { window: Window::Param, .. }) => {
                line.last.later(start);
                start
            }
            Op::Store(it @ Transfer { window, site, .. }) => {
                let near = matches!(window, Window::Shared | Window::Local);
                if !near {
                    line.release(history, kernel, site, &mut start);
                }
                if !near {
                    line.fence = 1.0;
                }
                line.stores[usize::from(!near)].later(start);
                match window {
                    Window::Shared => {
                        self.turns.stores(context, warp, (it.a, it.site), mask, behind);
                        line.take_banks(history, start, wavefronts);
                    }
                    Window::Local => {
                        let (_, passes) =
                            self.cache.local(kernel, warp, (op, mask), self.warp, start.cycles());
                        line.pass(history, start, passes);
                    }
                    _ => {
                        let request = Request {
                            warps: self.together,
                            warp: self.warp,
                            size: u64::from(it.bytes()),
                            at: start.cycles(),
                        };
                        let joins = &mut line.joins;
                        let passes = self.cache.store(kernel, warp, (op, mask), &request, joins);
                        line.pass(history, start, passes);
                    }
                }
                start
            }
            Op::Atomic { update: update @ Update { window, .. }, .. } => {
                let wait = if window == Window::Shared { Wait::SharedAtomic } else { Wait::Atomic };
                if window != Window::Shared {
                    line.release(history, kernel, update.site, &mut start);
                    line.fence = line.fence.max(BEHIND_LOADS);
                    self.swapped.add(kernel, warp, update, mask);
                    line.joins.left = None;
                }
                line.stores[usize::from(window != Window::Shared)].later(start);
                if update.f.is_arrival() {
                    start.later(std::mem::take(&mut line.arrival));
                    self.arrivals.add(kernel, warp, (update.a, update.site), mask, start);
                }
                let longer = match window {
                    Window::Shared if is_remote(context, warp, op, mask) => REMOTE_ATOMIC,
                    Window::Shared => 1.0,
                    _ => self.cache.update(kernel, warp, (op, mask), start.cycles()),
                };
                let further = exchanges::of_atomic(kernel, update, mask);
                self.exchanges += further.halves;
                start = history.add(start, Wait::Exchange, further.waits);
                let tries = self.turns.tries(context, by, update, mask, behind);
                start = history.add(start, Wait::Swap, tries);
                match self.loops.rounds(kernel, by, update, mask) {
                    0.0 => history.wait(start, wait, longer),
                    rounds => {
                        let ready = history.wait(start, Wait::Swap, rounds);
                        line.cut(history, ready);
                        ready
                    }
                }
            }
            Op::Reduce(update) => {
                if update.window != Window::Shared {
                    line.release(history, kernel, update.site, &mut start);
                }
                self.turns.tries(context, by, update, mask, behind);
                line.stores[usize::from(update.window != Window::Shared)].later(start);
                if update.f.is_arrival() {
                    let mut arrives = std::mem::take(&mut line.arrival);
                    arrives.later(start);
                    self.arrivals.add(kernel, warp, (update.a, update.site), mask, arrives);
                }
                if update.window != Window::Shared {
                    self.cache.update(kernel, warp, (op, mask), start.cycles());
                }
                match self.loops.rounds(kernel, by, update, mask) {
                    0.0 => start,
                    rounds => {
                        let ready = history.wait(start, Wait::Swap, rounds);
                        line.cut(history, ready);
                        ready
                    }
                }
            }
            Op::Bulk { index } => {
                let bulk = kernel.bulks[usize::from(index)];
                let loads = bulk.from.window != Window::Shared;
                let wait = if loads { Wait::Dram } else { Wait::Shared };
                let ready = history.wait(start, wait, 1.0);
                if let Some(End { a, site, .. }) = bulk.barrier {
                    self.arrivals.add(kernel, warp, (a, site), mask, ready);
                } else {
                    line.stores[usize::from(bulk.to.window != Window::Shared)].later(ready);
                }
                start
            }
            Op::Tensor { index } => {
                let tensor = &kernel.tensors[usize::from(index)];
                let ready = history.wait(start, Wait::Dram, 1.0);
                if let Some(End { a, site, .. }) = tensor.barrier {
                    self.arrivals.add(kernel, warp, (a, site), mask, ready);
                } else {
                    line.stores[usize::from(!tensor.loads)].later(ready);
                }
                start
            }
            Op::Collective { index } => match kernel.collectives[usize::from(index)].exchange {
                Exchange::Align => start,
                Exchange::Group => {
                    line.copies.group();
                    start
                }
                Exchange::Groups { left } => {
                    line.wait_for_copies(history, left);
                    start
                }
                Exchange::Copies => {
                    line.arrival = line.copies.all();
                    start
                }
                Exchange::Fence => {
                    line.fence(history);
                    self.cache.fence(start.cycles());
                    start
                }
                Exchange::Matrix { index } => match &kernel.matrices[usize::from(index)] {
                    // It runs beside the warps that started it.
                    Matrix::Product(product) if product.group.is_some() => {
                        history.add(start, Wait::Arithmetic, cost.waits)
                    }
                    _ => history.wait(start, Wait::Arithmetic, cost.waits),
                },
                exchange => {
                    let further = exchanges::of_exchange(exchange, warp, mask);
                    self.exchanges += further.halves;
                    start = history.add(start, Wait::Exchange, further.waits);
                    history.wait(start, Wait::Exchange, cost.waits)
                }
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
        // Moves are no instructions: who reads a word that was moved waits for it.
        if cost.issue > 0.0 {
            line.last.later(start);
        }
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
