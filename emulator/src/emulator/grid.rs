//! A launch: checks it, spreads its blocks over the host's threads, and sums up.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::Dim;
use super::block::{PRINT_BYTES, Runner, Shape};
use super::chain::{self, Course, Mix, Plan, Recorder};
use super::check::Monitor;
use super::counters::{Counters, Tallies};
use super::exec::Fault;
use super::kernel::Kernel;
use super::memory::{Memory, Reach};
use super::profile::{self, InstructionCount};
use super::sample::Blocks;
use super::{Trap, TrapKind};

/// Blocks below which one host thread does it all: handing out work costs more.
const FEW_BLOCKS: u64 = 8;

/// Most shared memory of a block: no GPU has as much.
const MOST_SHARED: u64 = 1 << 20;

/// Bytes that the local memory of all blocks that run at a time may take; where
/// it could be more, fewer host threads run.
const MOST_PRIVATE: u64 = 1 << 30;

/// How a launch is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Host threads; 0 takes all.
    pub threads: usize,
    /// Warp instructions that each block may issue before it counts as a
    /// runaway loop.
    pub budget: u64,
    /// Warp instructions that all blocks together may issue.
    pub launch_budget: u64,
    /// Which blocks run.
    pub blocks: Blocks,
    /// Bytes of L1 cache that a block finds, if the courses of some blocks are
    /// to be recorded.
    pub courses: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        // Ten thousand million: about a minute, and a hundred times what the
        // longest block of any kernel here needs.
        // All blocks together: hours.
        Self {
            threads: 0,
            budget: 10_000_000_000,
            launch_budget: 1_000_000_000_000,
            blocks: Blocks::All,
            courses: None,
        }
    }
}

/// What the threads of the host found: counts, the first trap, courses, and what
/// was touched.
type Found = (Tallies, Option<(u64, Trap)>, Vec<Course>, Vec<Touched>);

/// What a launch did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// Hardware events.
    pub counters: Counters,
    /// Passes of atomics at L2, for every allocation and 256 bytes of it (of
    /// its first 16 MiB). Trailing zeros are left out.
    pub atomic_chunks: Vec<Vec<u64>>,
    /// What each PTX instruction did, in the order of the text
    /// ([`Kernel::instruction`] tells which it is).
    pub instructions: Vec<InstructionCount>,
    /// Whether results or counters may depend on the order of its threads.
    pub schedule_dependent: bool,
    /// What the kernel printed, block after block, up to 1 MiB.
    pub printed: Vec<u8>,
    /// Machine instructions by class, estimated.
    pub mix: Mix,
    /// The courses of some blocks, by index, where [`Options::courses`] asks for them.
    pub courses: Vec<Course>,
    /// Whether its blocks read what others may be writing at the time.
    pub reads_others: bool,
    /// Per allocation: its bytes, and the sectors that accesses touched, again
    /// and again those that many do: loads, stores, atomics.
    pub touched: Vec<Touched>,
}

/// What a launch did to one allocation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Touched {
    /// Its size in bytes.
    pub bytes: u64,
    /// Sectors of loads.
    pub loads: u64,
    /// Sectors of stores.
    pub stores: u64,
    /// Sectors of atomics.
    pub atomics: u64,
}

impl Touched {
    /// Adds what another thread of the host found, allocation by allocation.
    pub(super) fn merge(mine: &mut Vec<Self>, theirs: &[Self]) {
        if mine.len() < theirs.len() {
            mine.resize(theirs.len(), Self::default());
        }
        for (mine, theirs) in mine.iter_mut().zip(theirs) {
            mine.bytes = mine.bytes.max(theirs.bytes);
            mine.loads += theirs.loads;
            mine.stores += theirs.stores;
            mine.atomics += theirs.atomics;
        }
    }
}

/// What a launch did, whether or not it came to its end.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ran {
    /// What it did: after a trap, up to it, as far as [`Self::counted`] says.
    pub outcome: Outcome,
    /// What went wrong, if anything; of several, the one in the block with the
    /// lowest index.
    pub trap: Option<Trap>,
    /// Whether the counters are those of the blocks up to the trap. Not so
    /// where several host threads ran: some were ahead, by chance.
    pub counted: bool,
}

impl From<Trap> for Ran {
    fn from(trap: Trap) -> Self {
        Self { trap: Some(trap), ..Self::default() }
    }
}

/// Runs `kernel` over `grid` blocks of `block` threads with `shared_bytes` of
/// dynamic shared memory. `args` holds the values of its parameters as
/// [`Kernel::argument_words`] counts them.
///
/// # Errors
/// A [`Trap`] when the launch is impossible or the kernel goes wrong; of
/// several, the one in the block with the lowest index.
pub fn launch(
    kernel: &Kernel,
    grid: Dim,
    block: Dim,
    shared_bytes: u32,
    args: &[u64],
    memory: &Memory,
    options: Options,
) -> Result<Outcome, Trap> {
    let ran = run(kernel, grid, block, shared_bytes, args, memory, options);
    match ran.trap {
        Some(trap) => Err(trap),
        None => Ok(ran.outcome),
    }
}

/// As [`launch`], for who wants to know what happened before a trap.
pub fn run(
    kernel: &Kernel,
    grid: Dim,
    block: Dim,
    shared_bytes: u32,
    args: &[u64],
    memory: &Memory,
    options: Options,
) -> Ran {
    launch_watched(kernel, grid, block, shared_bytes, args, memory, options, &mut None)
}

/// As [`run`]; with a monitor, on one host thread under its eyes.
#[allow(clippy::too_many_arguments, reason = "those of a launch, and who watches it")]
pub(super) fn launch_watched(
    kernel: &Kernel,
    grid: Dim,
    block: Dim,
    shared_bytes: u32,
    args: &[u64],
    memory: &Memory,
    options: Options,
    monitor: &mut Option<Box<Monitor>>,
) -> Ran {
    let nowhere = |kind: TrapKind, message: String| Trap {
        kind,
        kernel: kernel.name.clone(),
        file: None,
        line: None,
        block: None,
        lanes: Vec::new(),
        message,
    };
    let refuse = |message: String| Ran::from(nowhere(TrapKind::LaunchFailed, message));
    if grid.count() == 0 || block.count() == 0 {
        return refuse(format!(
            "a grid of {}x{}x{} blocks of {}x{}x{} threads has nothing to run",
            grid.x, grid.y, grid.z, block.x, block.y, block.z
        ));
    }
    if block.count() > 1024 {
        return refuse(format!("{} threads per block; at most 1024 can run", block.count()));
    }
    if args.len() != kernel.argument_words() {
        return refuse(format!(
            "the kernel takes {} arguments, not {}",
            kernel.argument_words(),
            args.len()
        ));
    }
    let variables = memory.module(kernel.data.module, || kernel.data.allocate());
    let Some(variables) = variables else {
        return refuse("too many modules with variables ran on one memory".to_owned());
    };
    let shared = kernel.static_shared.next_multiple_of(16) + u64::from(shared_bytes);
    if shared > MOST_SHARED {
        return refuse(format!(
            "{shared} bytes of shared memory per block; no GPU has more than {MOST_SHARED}"
        ));
    }
    let shape = Shape {
        kernel,
        memory: Reach { memory, variables },
        grid,
        block,
        shared_bytes: shared,
        dynamic_shared: shared_bytes,
        params: args,
        bank: bank(kernel, args),
        budget: options.budget.min(options.launch_budget),
    };
    let blocks = options.blocks.count(grid.count());
    let used = AtomicU64::new(0);
    let next = AtomicU64::new(0);
    // Blocks from here on need not start: an earlier one trapped.
    let stop = AtomicU64::new(u64::MAX);
    let found: Mutex<Found> = Mutex::new((Tallies::new(kernel), None, Vec::new(), Vec::new()));
    // Of those that run, the blocks whose courses are recorded.
    let courses = [0, blocks / 3, blocks * 2 / 3, blocks.saturating_sub(1)];
    let plan = options.courses.map(|_| Plan::new(kernel));
    let printed = Mutex::new(Printed::default());
    let watched = monitor.is_some();
    let watcher = Mutex::new(monitor.take());
    let watcher_of = || watcher.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let work = || {
        let mut runner = Runner::new(&shape);
        runner.watch(watcher_of().take());
        let mut recorder = None;
        let mut trap = None;
        // Blocks start in the order of their index, as a GPU starts them.
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= blocks || at >= stop.load(Ordering::Relaxed) {
                break;
            }
            let index = options.blocks.index(at, grid.count());
            let ctaid = position(grid, index);
            let recorded = options.courses.zip(plan.as_ref());
            let recorded = recorded.filter(|_| !watched && courses.contains(&at));
            if let Some((cache, plan)) = recorded {
                let warps = block.count().div_ceil(32) as usize;
                let fresh = || Box::new(Recorder::new(kernel, plan, warps, cache));
                let mut ready: Box<Recorder<'_>> = recorder.take().unwrap_or_else(fresh);
                ready.start();
                runner.record(Some(ready));
            }
            let ended = runner.run(ctaid);
            if recorded.is_some() {
                recorder = runner.record(None);
                if let Some(recorder) = &mut recorder {
                    recorder.finish(kernel, index);
                }
            }
            let text = runner.take_printed();
            if !text.is_empty() {
                printed.lock().unwrap_or_else(PoisonError::into_inner).add(index, text);
            }
            if let Err(fault) = ended {
                stop.fetch_min(at, Ordering::Relaxed);
                trap = Some((index, name_fault(kernel, ctaid, *fault)));
                break;
            }
            let spent = runner.spent();
            if used.fetch_add(spent, Ordering::Relaxed) + spent > options.launch_budget {
                stop.fetch_min(0, Ordering::Relaxed);
            }
        }
        if let Some(monitor) = runner.watch(None) {
            *watcher_of() = Some(monitor);
        }
        let mut found = found.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (tallies, touched) = runner.into_tallies();
        found.0.merge(&tallies);
        Touched::merge(&mut found.3, &touched);
        if let Some(recorder) = recorder {
            found.2.extend(recorder.into_courses());
        }
        if let Some((index, trap)) = trap
            && found.1.as_ref().is_none_or(|(earlier, _)| index < *earlier)
        {
            found.1 = Some((index, trap));
        }
    };
    let available =
        if options.threads == 0 { rayon::current_num_threads() } else { options.threads };
    let room = (MOST_PRIVATE / kernel.private_bytes(block.count()).max(1)).max(1) as usize;
    let threads =
        if watched || blocks < FEW_BLOCKS { 1 } else { available.min(blocks as usize).min(room) };
    if threads <= 1 {
        work();
    } else {
        rayon::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(|_| work());
            }
            work();
        });
    }
    *monitor = watcher_of().take();
    let (tallies, trap, mut courses, touched) =
        found.into_inner().unwrap_or_else(PoisonError::into_inner);
    let printed = printed.into_inner().unwrap_or_else(PoisonError::into_inner);
    let last = trap.as_ref().map_or(u64::MAX, |(index, _)| *index);
    let overspent = used.into_inner() > options.launch_budget;
    let trap = trap.map(|(_, trap)| trap).or_else(|| {
        let budget = options.launch_budget;
        let message = format!("the launch used up its budget of {budget} warp instructions");
        overspent.then(|| nowhere(TrapKind::RunawayLoop, message))
    });
    courses.sort_by_key(|course| course.block);
    Ran {
        counted: trap.is_none() || threads <= 1,
        outcome: Outcome {
            mix: chain::mix(kernel, &tallies),
            counters: Counters::sum(kernel, &tallies),
            instructions: profile::counts(kernel, &tallies),
            atomic_chunks: tallies.atomics,
            schedule_dependent: kernel.schedule_dependent,
            printed: printed.text(last),
            courses,
            touched,
            reads_others: kernel.reads_others(),
        },
        trap,
    }
}

/// The parameters as the constant bank holds them.
fn bank(kernel: &Kernel, args: &[u64]) -> Vec<u8> {
    let mut bank = Vec::new();
    let mut words = args.iter();
    for param in &kernel.params {
        bank.resize(param.offset as usize, 0);
        let words = words.by_ref().take(param.words());
        bank.extend(words.flat_map(|word| word.to_le_bytes()).take(param.bytes as usize));
    }
    bank
}

/// What blocks printed, by their index.
#[derive(Debug, Default)]
struct Printed {
    blocks: BTreeMap<u64, Vec<u8>>,
    bytes: usize,
}

impl Printed {
    fn add(&mut self, block: u64, text: Vec<u8>) {
        self.bytes += text.len();
        self.blocks.insert(block, text);
        // Only the first blocks' text is given out: what lies behind enough of
        // it will not be.
        while self.bytes > 2 * PRINT_BYTES
            && let Some(last) = self.blocks.last_entry()
            && self.bytes - last.get().len() >= PRINT_BYTES
        {
            self.bytes -= last.remove().len();
        }
    }

    /// The text of the blocks up to number `last`.
    fn text(self, last: u64) -> Vec<u8> {
        let blocks = self.blocks.into_iter().take_while(|(block, _)| *block <= last);
        let mut text: Vec<u8> = blocks.flat_map(|(_, text)| text).collect();
        text.truncate(PRINT_BYTES);
        text
    }
}

/// Index of a block along each axis.
fn position(grid: Dim, index: u64) -> [u32; 3] {
    let (x, y) = (u64::from(grid.x), u64::from(grid.y));
    [(index % x) as u32, (index / x % y) as u32, (index / x / y) as u32]
}

/// A fault with everything that a message names.
fn name_fault(kernel: &Kernel, ctaid: [u32; 3], (warp, fault): (usize, Fault)) -> Trap {
    let place = fault.site.map(|site| kernel.place(site));
    Trap {
        kind: fault.kind,
        kernel: kernel.name.clone(),
        file: place.as_ref().map(|(file, _)| file.clone()),
        line: place.map(|(_, line)| line),
        block: Some(ctaid),
        lanes: (0..32)
            .filter(|lane| fault.lanes >> lane & 1 != 0)
            .map(|lane| warp as u32 * 32 + lane)
            .collect(),
        message: fault.message,
    }
}
