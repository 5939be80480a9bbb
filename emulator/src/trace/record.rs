//! Records a block: the blocks before it, then the block itself with its checkpoints.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::compile::{LoadError, Module};
use crate::exec::{BlockFault, Runner, Saved, Shape, Spin, Turns};
use crate::launch::{Blocks, Options, Setting, name_fault, position, run};
use crate::machine::{Counters, Dim3, Memory, Progress, Trap};
use crate::program::Kernel;
use crate::trace::step::{Marks, Step};
use crate::trace::symbols::Symbols;
use crate::trace::tape::{Kept, Tape, first_sites};
use crate::trace::writes::{self, Write};

/// Most bytes of a trace: steps, checkpoints and what the block writes.
pub const MOST_BYTES: u64 = 64 << 20;

/// Steps between two looks at the limits.
const LOOK: usize = 1 << 10;

/// The limits of a recording.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Most bytes of the trace.
    pub(crate) bytes: u64,
    /// Most bytes of its checkpoints. When they take more, every second one goes.
    pub(crate) saved: u64,
    /// Bytes of checkpoints that steps do not take the place of.
    pub(crate) least_saved: u64,
    /// Steps between checkpoints at first.
    pub(crate) interval: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: MOST_BYTES, saved: 16 << 20, least_saved: 4 << 20, interval: 1 << 10 }
    }
}

/// Blocks before the recorded one that run before it looks whether to stop.
const AT_ONCE: u64 = 1 << 10;

/// Steps that memory is made for at a time.
const ROOM: usize = 1 << 17;

/// How the kernel is launched.
#[derive(Debug, Clone)]
pub struct Setup {
    /// Blocks.
    pub grid: Dim3,
    /// Threads per block.
    pub block: Dim3,
    /// Dynamic shared memory per block, in bytes.
    pub shared_bytes: u32,
    /// One value per parameter, as its bits, as for [`launch`](crate::launch).
    pub args: Vec<u64>,
    /// Blocks of a cluster, where the kernel does not fix them.
    pub cluster: Option<Dim3>,
    /// Most warp instructions per block.
    pub budget: u64,
    /// Host threads for the blocks before; 0 means all.
    pub threads: usize,
    /// Where the blocks before say how far they have come.
    pub progress: Option<Arc<Progress>>,
    /// Set by another thread to stop the recording.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            grid: Dim3::linear(1),
            block: Dim3::linear(1),
            shared_bytes: 0,
            args: Vec::new(),
            cluster: None,
            budget: Options::default().budget,
            threads: 0,
            progress: None,
            stop: None,
        }
    }
}

/// How a recording ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// With the block.
    Finished,
    /// With a trap. The last step of its warp has [`Marks::TRAP`].
    Trapped(Box<Trap>),
    /// At [`MOST_BYTES`]: the block goes on after the last step.
    Full,
}

/// Why a block cannot be recorded.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RecordError {
    /// The kernel cannot be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The grid has no such block.
    #[error("there is no block {block}: the grid has {blocks} blocks, numbered from 0")]
    NoBlock {
        /// The block asked for.
        block: u64,
        /// Blocks of the grid.
        blocks: u64,
    },
    /// [`Setup::stop`] was set.
    #[error("the recording was stopped")]
    Stopped,
    /// The launch is impossible, or a block before this one went wrong.
    #[error("{0}")]
    Before(Box<Trap>),
}

/// A state to go back to.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    /// Steps before it.
    pub(crate) step: usize,
    /// Warp of the cluster whose turn is next.
    pub(crate) next: usize,
    /// `None` for the start of the block.
    pub(crate) saved: Option<Saved>,
    /// Bytes of the state.
    pub(crate) bytes: u64,
}

/// One block of a launch, recorded.
#[derive(Debug)]
pub struct Trace {
    pub(crate) kernel: Kernel,
    pub(crate) symbols: Symbols,
    pub(crate) sites: Vec<u16>,
    pub(crate) setup: Setup,
    pub(crate) memory: Memory,
    /// The block, the first block of its cluster, and its number in the cluster.
    pub(crate) block: [u32; 3],
    pub(crate) first: [u32; 3],
    pub(crate) rank: usize,
    pub(crate) steps: Vec<Step>,
    pub(crate) checkpoints: Vec<Checkpoint>,
    /// What the block writes to global memory after each checkpoint.
    pub(crate) writes: Vec<Vec<Write>>,
    /// Global memory is as it is before this one; behind the last, as at the end.
    pub(crate) memory_at: usize,
    ending: Ending,
    counters: Counters,
}

/// Records block `block` (its index in the grid, x first) of a launch of `kernel`, a kernel of
/// `module`, on `memory` as it is before the launch.
pub fn record(
    module: &Module,
    kernel: &str,
    setup: Setup,
    memory: Memory,
    block: u64,
) -> Result<Trace, RecordError> {
    record_within(module, kernel, setup, memory, block, Limits::default())
}

/// The same within limits.
pub(crate) fn record_within(
    module: &Module,
    kernel: &str,
    setup: Setup,
    memory: Memory,
    block: u64,
    limits: Limits,
) -> Result<Trace, RecordError> {
    let kernel = module.named_kernel(kernel)?;
    let symbols = Symbols::of(&kernel, module.tree());
    let sites = first_sites(&kernel);
    let blocks = setup.grid.count();
    if block >= blocks {
        return Err(RecordError::NoBlock { block, blocks });
    }
    let failed = |trap| RecordError::Before(Box::new(trap));
    let options = setup.options();
    let shape = Shape::new(&kernel, setup.setting(), &memory, options).map_err(failed)?;
    let (cluster, grid) = (shape.cluster, setup.grid);
    let at = position(grid, block);
    let [x, y, z] = [at[0] / cluster.x, at[1] / cluster.y, at[2] / cluster.z];
    let first = [x * cluster.x, y * cluster.y, z * cluster.z];
    let inside = [at[0] - first[0], at[1] - first[1], at[2] - first[2]];
    let rank = ((inside[2] * cluster.y + inside[1]) * cluster.x + inside[0]) as usize;
    let before = (u64::from(z) * u64::from(grid.y / cluster.y) + u64::from(y))
        * u64::from(grid.x / cluster.x)
        + u64::from(x);
    if before > 0 {
        // Those that wait for each other, or that take turns, keep to their order.
        let threads =
            if kernel.depends_on_blocks().is_some() || kernel.polls { 1 } else { setup.threads };
        let Setup { grid, block, shared_bytes, args, .. } = &setup;
        for first in (0..before).step_by(AT_ONCE as usize) {
            if setup.is_stopped() {
                return Err(RecordError::Stopped);
            }
            let blocks = Blocks::From { first, count: AT_ONCE.min(before - first) };
            let options = Options { threads, blocks, ..options };
            let ran = run(&kernel, *grid, *block, *shared_bytes, args, &memory, options);
            if let Some(trap) = ran.trap {
                return Err(failed(trap));
            }
        }
    }
    shape.spins.go_on_after(before);
    let mut recording = Recording {
        runner: Runner::new(&shape),
        tape: Tape::new(&kernel, &sites, rank, 0).recording(),
        checkpoints: vec![Checkpoint { step: 0, next: 0, saved: None, bytes: 0 }],
        writes: Vec::new(),
        interval: limits.interval,
        limits,
        setup: &setup,
    };
    let ending = recording.run(first);
    let Recording { runner, tape, checkpoints, writes, .. } = recording;
    let Some(Kept { mut steps, mut tallies, .. }) = tape.kept else {
        return Err(RecordError::NoBlock { block, blocks });
    };
    if shape.blocks() == 1 {
        tallies.atomics.clone_from(&runner.context().tallies.atomics);
    }
    let counters = Counters::sum(&kernel, &tallies);
    let ending = match ending {
        Recorded::Finished => Ending::Finished,
        Recorded::Full => Ending::Full,
        Recorded::Stopped => return Err(RecordError::Stopped),
        Recorded::Trapped(fault) => {
            let (warp, of_block) = (fault.0, shape.warps());
            let last = steps.iter_mut().rfind(|step| usize::from(step.warp) == warp % of_block);
            if let Some(last) = last.filter(|_| warp / of_block == rank) {
                last.marks.add(Marks::TRAP);
            }
            Ending::Trapped(Box::new(name_fault(&shape, first, *fault)))
        }
    };
    steps.shrink_to_fit();
    drop(runner);
    drop(shape);
    let memory_at = checkpoints.len();
    Ok(Trace {
        sites,
        symbols,
        setup,
        block: at,
        first,
        rank,
        steps,
        checkpoints,
        writes,
        memory_at,
        ending,
        counters,
        kernel,
        memory,
    })
}

impl Setup {
    /// Whether another thread wants it to stop.
    fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    pub(crate) fn setting(&self) -> Setting<'_> {
        let &Self { grid, block, shared_bytes, .. } = self;
        Setting { grid, block, shared_bytes, args: &self.args, unwritten: &[] }
    }

    pub(crate) fn options(&self) -> Options<'_> {
        let progress = self.progress.as_deref();
        let &Self { cluster, budget, threads, .. } = self;
        Options { threads, budget, cluster, progress, ..Options::default() }
    }
}

/// How the block itself ended.
enum Recorded {
    Finished,
    Trapped(BlockFault),
    Full,
    Stopped,
}

/// A recording under way.
struct Recording<'m> {
    runner: Runner<'m>,
    tape: Tape<'m>,
    checkpoints: Vec<Checkpoint>,
    writes: Vec<Vec<Write>>,
    /// Steps between checkpoints.
    interval: usize,
    limits: Limits,
    setup: &'m Setup,
}

impl Recording<'_> {
    fn run(&mut self, first: [u32; 3]) -> Recorded {
        let mut turns = self.runner.start(first, &mut self.tape);
        let mut spin = Spin::start(&self.runner.shape().spins);
        let (mut next, mut look) = (0, 0);
        let ended = loop {
            match advance(&mut self.runner, &mut turns, &mut next, Some(&mut spin), &mut self.tape)
            {
                Err(fault) => break Recorded::Trapped(fault),
                Ok(false) => break Recorded::Finished,
                Ok(true) => {}
            }
            let done = self.tape.count;
            if done >= look {
                look = done + LOOK;
                if self.setup.is_stopped() {
                    break Recorded::Stopped;
                }
                while self.bytes() >= self.limits.bytes && self.saved() > self.limits.least_saved {
                    self.thin();
                }
                if self.bytes() >= self.limits.bytes {
                    break Recorded::Full;
                }
                self.make_room();
            }
            if self.checkpoints.last().is_none_or(|last| done >= last.step + self.interval) {
                self.save(&turns, next);
            }
        };
        self.end_interval();
        ended
    }

    /// Bytes that the trace takes so far.
    fn bytes(&self) -> u64 {
        let writes: usize = self.writes.iter().map(Vec::len).sum();
        let (steps, open) = match &self.tape.kept {
            // As they will be kept: without the room behind them.
            Some(kept) => (kept.steps.len(), kept.writes.bytes()),
            None => (0, 0),
        };
        (steps * size_of::<Step>() + writes * size_of::<Write>()) as u64 + open + self.saved()
    }

    /// Bytes of its checkpoints.
    fn saved(&self) -> u64 {
        self.checkpoints.iter().map(|it| it.bytes).sum()
    }

    fn end_interval(&mut self) {
        let memory = self.runner.context().memory;
        if let Some(kept) = &mut self.tape.kept {
            self.writes.push(kept.writes.take(memory));
        }
    }

    /// Makes room for steps little by little: doubling would take twice as much as is allowed.
    fn make_room(&mut self) {
        if let Some(kept) = &mut self.tape.kept
            && kept.steps.capacity() - kept.steps.len() < ROOM
        {
            kept.steps.reserve_exact(2 * ROOM);
        }
    }

    /// Adds a checkpoint, if it is small enough.
    fn save(&mut self, turns: &Turns, next: usize) {
        let bytes = self.runner.state_bytes();
        if bytes > self.limits.saved / 4 {
            // Going back starts from the start of the block, then.
            self.interval = self.interval.saturating_mul(2);
            return;
        }
        self.end_interval();
        let saved = Some(self.runner.save(turns));
        self.checkpoints.push(Checkpoint { step: self.tape.count, next, saved, bytes });
        while self.saved() > self.limits.saved {
            self.thin();
        }
    }

    /// Drops every second checkpoint.
    fn thin(&mut self) {
        self.interval = self.interval.saturating_mul(2);
        let mut index = 0;
        self.checkpoints.retain(|_| {
            index += 1;
            index % 2 == 1
        });
        // The last checkpoint has no interval yet.
        let intervals = std::mem::take(&mut self.writes);
        let mut pairs = intervals.chunks(2).map(|pair| match pair {
            [first, second] => writes::join(first, second),
            _ => pair.concat(),
        });
        self.writes = pairs.by_ref().collect();
        if self.writes.len() == self.checkpoints.len()
            && let (Some(open), Some(kept)) = (self.writes.pop(), &mut self.tape.kept)
        {
            // Its end went: the interval goes on.
            kept.writes.reopen(&open);
        }
    }
}

/// Gives the next warp its turn, if it can run. False at the end of the block.
pub(crate) fn advance(
    runner: &mut Runner,
    turns: &mut Turns,
    next: &mut usize,
    spin: Option<&mut Spin>,
    tape: &mut Tape,
) -> Result<bool, BlockFault> {
    if *next == 0 && !runner.round(turns, spin)? {
        return Ok(false);
    }
    let warp = *next;
    *next = (warp + 1) % runner.warps.len();
    if turns.ready[warp] {
        let ended = runner.turn(warp, turns, false, tape);
        if ended.is_err() {
            tape.trap();
        }
        tape.end_turn(&runner.warps[warp], runner.context());
        ended?;
    }
    Ok(true)
}

impl Trace {
    /// The steps in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// How the recording ended.
    pub fn ending(&self) -> &Ending {
        &self.ending
    }

    /// What the block counted: its share of the launch. After [`Ending::Full`], up to there. Of
    /// a block in a cluster, `hottest_chunk_passes` is 0.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// How it was launched.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The block, along x, y and z.
    pub fn block(&self) -> [u32; 3] {
        self.block
    }

    /// Warps of the block.
    pub fn warps(&self) -> usize {
        self.setup.block.count().div_ceil(32) as usize
    }

    /// Bytes that it takes beside the buffers of the launch, at most [`MOST_BYTES`].
    pub fn bytes(&self) -> u64 {
        let writes: usize = self.writes.iter().map(Vec::len).sum();
        let saved: u64 = self.checkpoints.iter().map(|it| it.bytes).sum();
        (self.steps.capacity() * size_of::<Step>() + writes * size_of::<Write>()) as u64 + saved
    }
}
