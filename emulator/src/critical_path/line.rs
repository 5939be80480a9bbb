//! The times of one warp: when its registers are there, and when it can go on.

use crate::critical_path::copies::Copies;
use crate::critical_path::crowd::Stretch;
use crate::critical_path::history::{Time, WaitHistory};
use crate::critical_path::joins::Joins;
use crate::critical_path::lines::Found;
use crate::critical_path::plan::{CostPlan, Flight, LEVELS};
use crate::critical_path::timeline::Wait;
use crate::program::{Kernel, Slot, Terminator};

/// The number of instructions among which `ptxas` chooses the next. A warp issues in order,
/// so an instruction does not start before the one this many places earlier. Loads from
/// global memory move further up.
const WINDOW: usize = 24;

/// Passes of L1 in whose time a warp that is alone makes one: 2.1 cycles each, where warps of all four
/// schedulers together make one a cycle (`benches/data/h200/lines.csv`).
const ALONE: f32 = 1.9;

/// The same for each further wavefront of shared memory: a scheduler's warps make one every two cycles, all four
/// schedulers one a cycle (`benches/data/h200/banks.csv`).
const BANKS: f32 = 1.8;

/// A fence behind loads of what others store, of one behind stores: 560 cycles
/// (`benches/data/h200/hand_offs.csv`).
pub(crate) const BEHIND_LOADS: f32 = 0.83;

/// Times of one warp.
#[derive(Debug, Clone, Default)]
pub(crate) struct Line {
    /// When what each register holds is there.
    pub(crate) registers: Vec<Time>,
    /// No op of the running part starts earlier.
    pub(crate) floor: Time,
    /// When the last op so far started.
    pub(crate) last: Time,
    /// Instructions issued since the floor.
    pub(crate) issued: f32,
    /// When the last instructions started, in a circle.
    pub(crate) recent: [Time; WINDOW],
    pub(crate) next: usize,
    /// When the last stores were issued: shared, global.
    pub(crate) stores: [Time; 2],
    /// Groups of loads in flight, by level: the number of the last one, when those before
    /// it are there, and when it is.
    pub(crate) flights: [(u16, Time, Time); LEVELS],
    /// The next arrival at a barrier comes no earlier: copies arrive there.
    pub(crate) arrival: Time,
    /// Asynchronous copies under way.
    pub(crate) copies: Copies,
    /// Where the last load from global memory was found, and how many times as long it waits as one
    /// for a single place.
    pub(crate) found: (Found, f32),
    /// What it stored to last.
    pub(crate) joins: Joins,
    /// How long the next fence takes, as a part of one behind stores: what came since the last one.
    pub(crate) fence: f32,
    /// When the last access to global or local memory has made its passes, and the cycle in which it
    /// came.
    pub(crate) port: Time,
    pub(crate) came: f64,
    /// When the last access to shared memory with several wavefronts has made them.
    pub(crate) banks: Time,
    /// The register of members that the last exchanges named, unless a branch came since.
    pub(crate) gathered: Option<Slot>,
    /// The basic block that runs, the predicate that it hangs on, and the block from which on it
    /// does not.
    pub(crate) block: Option<u32>,
    pub(crate) under: Option<Time>,
    pub(crate) until: u32,
    /// Cycles of the machine code that ran since the last branch, where they are known.
    pub(crate) cycles: f32,
    /// Those of the running basic block that were taken before a barrier in it.
    pub(crate) counted: f32,
    /// What it has done since the last barrier.
    pub(crate) stretch: Stretch,
    /// When it saw what it waited for, if it waits for other blocks.
    pub(crate) seen: Option<Time>,
}

impl Line {
    /// What comes from here on waits for all that has started.
    pub(crate) fn close(&mut self, history: &mut WaitHistory) {
        self.floor = history.or_after(self.last, self.floor, Wait::Issue, self.issued);
        self.last = self.floor;
        self.issued = 0.0;
        self.under = None;
        self.recent = [Time::default(); WINDOW];
        self.gathered = None;
    }

    /// The machine code that ran since the last branch has taken its cycles.
    pub(crate) fn take_cycles(&mut self, history: &mut WaitHistory) {
        if self.cycles > 0.0 {
            self.floor = history.add(self.floor, Wait::Cycle, self.cycles);
            self.last = self.floor;
            self.cycles = 0.0;
        }
    }

    /// An exchange among members that no constant names: machine code moves them to a uniform
    /// register and branches where lanes are missing (`R2UR`, `BRA.DIV`), once for all exchanges up
    /// to the next branch. Two branches: a round of a loop whose exchange names the members that
    /// `match` has just found takes 31 cycles longer on an H200 than one that names all lanes.
    pub(crate) fn gather(&mut self, history: &mut WaitHistory, members: Slot) {
        if self.gathered == Some(members) {
            return;
        }
        self.part(history, self.registers[usize::from(members)]);
        self.floor = history.wait(self.floor, Wait::Branch, 1.0);
        self.last = self.floor;
        self.gathered = Some(members);
    }

    /// When the loads are there that machine code waits for before it issues those of
    /// this group.
    pub(crate) fn waited(&mut self, flight: Flight) -> Time {
        let (group, before, now) = &mut self.flights[usize::from(flight.level)];
        if *group < flight.group {
            (*group, *before) = (flight.group, *now);
        }
        *before
    }

    /// A load of a group is there.
    pub(crate) fn loaded(&mut self, flight: Flight, ready: Time) {
        self.flights[usize::from(flight.level)].2.later(ready);
    }

    /// A fence: what follows waits until the stores before it are seen.
    pub(crate) fn fence(&mut self, history: &mut WaitHistory) {
        self.close(history);
        self.floor = history.wait(self.floor, Wait::Fence, self.fence);
        self.last = self.floor;
        self.fence = 0.0;
    }

    /// A store or atomic starts, perhaps one that releases what came before it to other blocks: a fence is
    /// in it.
    pub(crate) fn release(
        &mut self,
        history: &mut WaitHistory,
        kernel: &Kernel,
        site: u16,
        start: &mut Time,
    ) {
        let has = |word| kernel.has_word(site, word);
        if (has("release") || has("acq_rel")) && !has("cta") {
            self.last.later(*start);
            self.fence = self.fence.max(BEHIND_LOADS);
            self.fence(history);
            start.later(self.floor);
        }
    }

    /// What follows waits until all groups of copies but the last `left` have arrived.
    pub(crate) fn wait_for_copies(&mut self, history: &mut WaitHistory, left: u8) {
        self.last.later(self.copies.arrived(left));
        self.close(history);
    }

    /// Puts the start of an instruction into its order; loads only take a place.
    pub(crate) fn order(&mut self, start: &mut Time, moves_up: bool) {
        let place = &mut self.recent[self.next];
        if !moves_up {
            start.later(*place);
        }
        place.later(*start);
        self.next = (self.next + 1) % WINDOW;
    }

    /// An instruction has a branch of its own, when this is there: nothing moves
    /// across it.
    pub(crate) fn part(&mut self, history: &mut WaitHistory, ready: Time) {
        self.cut(history, ready);
        self.floor = history.wait(self.floor, Wait::Branch, 1.0);
        self.last = self.floor;
    }

    /// Nothing moves across this place, and what follows waits until this is there.
    pub(crate) fn cut(&mut self, history: &mut WaitHistory, ready: Time) {
        self.last.later(ready);
        let under = self.under;
        self.close(history);
        self.under = under;
    }

    /// What comes waits for a branch, or less often where the machine code of a loop has
    /// several rounds for one.
    pub(crate) fn branch(
        &mut self,
        plan: &CostPlan,
        history: &mut WaitHistory,
        terminator: Terminator,
        times: f32,
    ) {
        if let Terminator::Branch { p, .. } = terminator {
            self.last.later(self.registers[plan.pred(p)]);
        }
        self.issued += times;
        self.close(history);
        self.floor = history.wait(self.floor, Wait::Branch, times);
        self.last = self.floor;
        self.take_cycles(history);
    }

    /// An access that is ready at `start` makes `passes` passes after those that came before it. One
    /// that is ready earlier than the last one goes first, as machine code issues it first; those that
    /// come later wait for its passes too. Returns when they end.
    pub(crate) fn pass(&mut self, history: &mut WaitHistory, mut start: Time, passes: u32) -> Time {
        let first = start.cycles() < self.came;
        let longer = ALONE * passes.saturating_sub(1) as f32;
        if !first {
            start.later(self.port);
            self.came = start.cycles();
            self.port = start;
        }
        if passes > 1 {
            start = history.wait(start, Wait::Pass, longer);
            self.port = history.wait(self.port, Wait::Pass, longer);
        }
        start
    }

    /// An access to shared memory that is ready at `start` makes its wavefronts, after those of the
    /// accesses before it. Returns when the last of them starts.
    pub(crate) fn take_banks(
        &mut self,
        history: &mut WaitHistory,
        mut start: Time,
        wavefronts: f32,
    ) -> Time {
        start.later(self.banks);
        if wavefronts > 1.0 {
            start = history.wait(start, Wait::Pass, BANKS * (wavefronts - 1.0));
            self.banks = start;
        }
        start
    }

    /// All its times.
    pub(crate) fn times(&mut self) -> impl Iterator<Item = &mut Time> {
        let others =
            [&mut self.floor, &mut self.last, &mut self.port, &mut self.arrival, &mut self.banks];
        let registers = self.registers.iter_mut().chain(&mut self.recent);
        let flights = self.flights.iter_mut().flat_map(|(_, before, now)| [before, now]);
        let stores = self
            .stores
            .iter_mut()
            .chain(&mut self.under)
            .chain(&mut self.seen)
            .chain(self.copies.times());
        registers.chain(others).chain(stores).chain(flights)
    }
}
