//! A launch under way: checks it, runs its blocks on host threads, sums up their counts.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::cost::{Swaps, awaits, instruction, swaps};
use crate::critical_path::{
    CostPlan, CriticalPath, HandOffs, Handed, Recorder, Swapped, Timeline, Trace, Watch,
    shared_words,
};
use crate::exec::{BlockFault, Runner, Shape, Spins, private_bytes};
use crate::launch::blocks::Blocks;
use crate::launch::cluster;
use crate::launch::follow::{self, Follow};
use crate::launch::followed::Followed;
use crate::launch::kinds::Kinds;
use crate::launch::outcome::{Options, Outcome, Ran, Setting};
use crate::launch::printed::Printed;
use crate::machine::instruction_count;
use crate::machine::{
    Allocation, At, Bytes, Counters, Dim3, Fault, Memory, Observer, Reach, STRETCHES, Tallies,
    Touched, Trap, TrapKind, Unobserved, lanes,
};
use crate::program::{Data, Kernel, MULTIPROCESSORS, Together, Variable};

/// Blocks below which one host thread does it all: handing out work costs more.
const FEW_BLOCKS: u64 = 8;

/// Most shared memory of a block: no GPU has as much.
const MOST_SHARED: u64 = 1 << 20;

/// Most blocks, threads and bytes of shared memory of a multiprocessor of an H200; a block takes
/// [`RESERVED`] bytes beside its own.
const MOST_RESIDENT: (u64, u64, u64) = (32, 2048, 228 << 10);
const RESERVED: u64 = 1 << 10;

/// Bytes that the local memory of all blocks that run at a time may take; where
/// it could be more, fewer host threads run.
const MOST_PRIVATE: u64 = 1 << 30;

/// Runs `kernel` over `grid` blocks of `block` threads with `shared_bytes` of
/// dynamic shared memory. `args` holds the values of its parameters as
/// [`Kernel::argument_words`] counts them.
///
/// # Errors
/// A [`Trap`] when the launch is impossible or the kernel goes wrong; of
/// several, the one in the block with the lowest index.
pub fn launch(
    kernel: &Kernel,
    grid: Dim3,
    block: Dim3,
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

/// Like [`launch`], but also returns what happened before a trap.
pub fn run(
    kernel: &Kernel,
    grid: Dim3,
    block: Dim3,
    shared_bytes: u32,
    args: &[u64],
    memory: &Memory,
    options: Options,
) -> Ran {
    let setting = Setting { grid, block, shared_bytes, args, unwritten: &[] };
    let shape = match Shape::new(kernel, setting, memory, options) {
        Ok(shape) => shape,
        Err(trap) => return trap.into(),
    };
    let mut job = Job::new(&shape, options);
    let threads = job.threads();
    let claim = memory.claim(threads <= 1);
    job.alone = claim.is_alone();
    // More do not run at the same time.
    shape.spins.expect(threads.min(rayon::current_num_threads()));
    if threads <= 1 {
        job.work();
    } else {
        rayon::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(|_| job.work());
            }
            job.work();
        });
    }
    job.finish(threads)
}

/// Like [`run`], on one host thread with an observer.
pub(crate) fn watch(
    kernel: &Kernel,
    setting: Setting,
    memory: &Memory,
    options: Options,
    observer: &mut impl Observer,
) -> Ran {
    match Shape::new(kernel, setting, memory, options) {
        Ok(shape) => {
            let mut job = Job::new(&shape, Options { timelines: None, ..options });
            let claim = memory.claim(true);
            job.alone = claim.is_alone();
            job.blocks(|runner, block| runner.run(block.ctaid, observer));
            job.finish(1)
        }
        Err(trap) => trap.into(),
    }
}

/// Most blocks that run at the same time.
fn most_at_a_time(block: Dim3, shared: u64) -> u64 {
    let (blocks, threads, bytes) = MOST_RESIDENT;
    let resident = blocks.min(threads / block.count().next_multiple_of(32));
    u64::from(MULTIPROCESSORS) * resident.min(bytes / (shared + RESERVED))
}

/// A trap of the launch as a whole.
fn launch_trap(kernel: &Kernel, kind: TrapKind, message: String) -> Trap {
    let kernel = kernel.name.clone();
    Trap { kind, kernel, file: None, line: None, block: None, lanes: Vec::new(), message }
}

impl<'m> Shape<'m> {
    /// Checks that the launch is possible.
    pub(crate) fn new(
        kernel: &'m Kernel,
        setting: Setting<'m>,
        memory: &'m Memory,
        options: Options<'m>,
    ) -> Result<Self, Trap> {
        let Setting { grid, block, shared_bytes, args, .. } = setting;
        let refuse = |message| Err(launch_trap(kernel, TrapKind::LaunchFailed, message));
        if grid.count() == 0 || block.count() == 0 {
            return refuse(format!(
                "a grid of {}x{}x{} blocks of {}x{}x{} threads has nothing to run",
                grid.x, grid.y, grid.z, block.x, block.y, block.z
            ));
        }
        let cluster = match cluster::size(kernel, grid, options.cluster) {
            Ok(cluster) => cluster,
            Err(message) => return refuse(message),
        };
        if block.count() > 1024 {
            return refuse(format!("{} threads per block; at most 1024 can run", block.count()));
        }
        let words = kernel.argument_words();
        if args.len() != words {
            return refuse(format!("the kernel takes {words} arguments, not {}", args.len()));
        }
        let variables = memory.module(kernel.data.module, || allocate(&kernel.data));
        let Some(variables) = variables else {
            return refuse("too many modules with variables ran on one memory".to_owned());
        };
        let shared = kernel.static_shared.next_multiple_of(16) + u64::from(shared_bytes);
        if shared > MOST_SHARED {
            return refuse(format!(
                "{shared} bytes of shared memory per block; no GPU has more than {MOST_SHARED}"
            ));
        }
        let together = (kernel.cluster.meets == Together::Grid).then_some(grid);
        let most = most_at_a_time(block, shared);
        if together.is_some() && grid.count() > most {
            return refuse(format!(
                "grid.sync() waits for all {} blocks, and no more than {most} of {} threads and {shared} \
                 bytes of shared memory run at a time",
                grid.count(),
                block.count()
            ));
        }
        Ok(Self {
            kernel,
            memory: Reach { memory, variables },
            grid,
            block,
            cluster: together.or(cluster).unwrap_or(Dim3::linear(1)),
            in_clusters: cluster.is_some(),
            shared_bytes: shared,
            dynamic_shared: shared_bytes,
            params: args,
            bank: bank(kernel, args),
            budget: options.budget.min(options.launch_budget),
            spins: Spins::new(1),
            progress: options.progress,
        })
    }
}

/// A launch that is under way, as the host threads that run its blocks share it.
struct Job<'s> {
    shape: &'s Shape<'s>,
    options: Options<'s>,
    /// How many blocks run.
    count: u64,
    /// Whether only one host thread works on the memory.
    alone: bool,
    /// The cost plan and what the blocks run on, where some are recorded.
    recorded: Option<(CostPlan, Follow)>,
    followed: Followed,
    /// Where blocks may wait for each other and timelines are wanted: by which instructions, and what
    /// they have stored so far.
    handed: Option<(Vec<bool>, Mutex<Handed>)>,
    next: AtomicU64,
    /// The next of them that no host thread has, where a sample does not run them.
    next_neighbour: AtomicUsize,
    /// Blocks from here on need not start: an earlier one trapped.
    stop: AtomicU64,
    /// Warp instructions issued so far.
    spent: AtomicU64,
    found: Mutex<Found>,
}

/// What the host threads found.
struct Found {
    tallies: Tallies,
    touched: Vec<Touched>,
    timelines: Vec<Timeline>,
    /// What the blocks of the timelines swapped.
    swapped: Vec<Swapped>,
    /// What they wait for from seeing a word to storing one, by where they store.
    paths: Vec<(u16, CriticalPath)>,
    /// Accesses of blocks of one multiprocessor, and of chosen ones.
    traces: Vec<(u64, Trace)>,
    /// The first trap and its block.
    trap: Option<(u64, Trap)>,
    printed: Printed,
    /// The squares of the warp instructions of blocks, summed up.
    squares: f64,
    kinds: Kinds,
    /// Most warp instructions of a block, and which of those that run it was.
    heaviest: (u64, u64),
    /// Warp instructions of the blocks of a sample, by block.
    work: Vec<(u64, u64)>,
}

/// A block to run.
struct BlockIndex {
    /// Its number among those that run.
    at: u64,
    /// Its number in the grid.
    index: u64,
    ctaid: [u32; 3],
    is_followed: bool,
}

impl<'s> Job<'s> {
    fn new(shape: &'s Shape<'s>, options: Options<'s>) -> Self {
        let found = Found {
            tallies: Tallies::new(shape.kernel),
            touched: Vec::new(),
            timelines: Vec::new(),
            swapped: Vec::new(),
            paths: Vec::new(),
            traces: Vec::new(),
            trap: None,
            printed: Printed::default(),
            squares: 0.0,
            kinds: Kinds::default(),
            heaviest: (0, 0),
            work: Vec::new(),
        };
        let count = options.blocks.count(shape.grid.count() / shape.cluster.count());
        if let Some(progress) = options.progress {
            progress.start(count);
        }
        // The first block of each cluster runs for all of them.
        let all = if shape.blocks() > 1 { 0 } else { shape.grid.count() };
        let followed = options.timelines.map(|it| Followed::new(options.blocks, (count, all), it));
        Self {
            shape,
            options,
            count,
            alone: false,
            recorded: options.timelines.map(|follow| (CostPlan::new(shape.kernel), follow)),
            followed: followed.unwrap_or_default(),
            handed: options
                .timelines
                .map(|_| awaits::awaiting(shape.kernel))
                .filter(|it| it.contains(&true))
                .map(|it| (it, Mutex::new(Handed::new(at_a_time(options.timelines))))),
            next: AtomicU64::new(0),
            next_neighbour: AtomicUsize::new(0),
            stop: AtomicU64::new(u64::MAX),
            spent: AtomicU64::new(0),
            found: Mutex::new(found),
        }
    }

    /// How many host threads run it.
    fn threads(&self) -> usize {
        let Self { shape, options, count, .. } = self;
        // A sample of few has them because each takes long.
        if *count < FEW_BLOCKS && options.blocks == Blocks::All {
            return 1;
        }
        let wanted =
            if options.threads == 0 { rayon::current_num_threads() } else { options.threads };
        let private = private_bytes(shape.kernel, shape.block.count() * shape.cluster.count());
        let private = private.max(1);
        wanted.min(*count as usize).min((MOST_PRIVATE / private).max(1) as usize)
    }

    /// Blocks of a stretch whose atomics are counted apart: at least those that the GPU runs at
    /// the same time.
    fn stretch(&self) -> u64 {
        let at_a_time = at_a_time(self.options.timelines);
        let least = if at_a_time == 0 { self.count } else { at_a_time };
        least.max(self.count.div_ceil(STRETCHES)).max(1)
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs blocks until none is left, and follows some of them if asked for.
    fn work(&self) {
        let Some((plan, follow)) = &self.recorded else {
            return self.blocks(|runner, block| runner.run(block.ctaid, &mut Unobserved));
        };
        let kernel = self.shape.kernel;
        let mut recorder: Option<Recorder> = None;
        let watch = || self.handed.as_ref().map(|(awaiting, handed)| Watch::new(awaiting, handed));
        let mut watching = watch();
        let new = || {
            let warps = self.shape.block.count().div_ceil(32) as usize;
            Recorder::new(kernel, plan, warps, (follow.share(), follow.resident), watch())
        };
        let followed = &self.followed;
        self.blocks(|runner, block| {
            if !block.is_followed {
                let needed = watching.as_mut().filter(|it| it.is_needed(block.at));
                let Some(watching) = needed else {
                    return runner.run(block.ctaid, &mut Unobserved);
                };
                watching.start(block.index);
                let ended = runner.run(block.ctaid, watching);
                watching.finish();
                return ended;
            }
            let recorder = recorder.get_or_insert_with(new);
            recorder.start(block.index);
            let is_traced = followed.traces(block.at, block.index);
            recorder.trace(is_traced.then_some(followed.shares()));
            let ended = runner.run(block.ctaid, recorder);
            if is_traced {
                recorder.finish_trace(block.index);
            }
            recorder.finish(kernel, block.index);
            ended
        });
        if self.options.blocks != Blocks::All {
            self.run_neighbours(recorder.get_or_insert_with(new));
        }
        if let Some(recorder) = recorder {
            let recorded = recorder.into_found();
            let mut found = self.found();
            found.timelines.extend(recorded.timelines);
            found.swapped.extend(recorded.swapped);
            found.paths.extend(recorded.paths);
            found.traces.extend(recorded.traces);
        }
    }

    /// Runs the blocks of one multiprocessor for their accesses alone, beside a sample.
    fn run_neighbours(&self, recorder: &mut Recorder) {
        let Self { shape, followed: Followed { neighbours, .. }, .. } = self;
        // Blocks that wait for others must not run twice.
        if neighbours.is_empty() || shape.kernel.polls || shape.kernel.reads_others() {
            return;
        }
        let mut runner = Runner::new(shape);
        recorder.trace(Some(self.followed.shares()));
        while let Some(&block) = neighbours.get(self.next_neighbour.fetch_add(1, Ordering::Relaxed))
        {
            if runner.run(position(shape.grid, block), recorder).is_err() {
                break;
            }
            recorder.finish_trace(block);
        }
    }

    /// Clusters along each axis of the grid; blocks, if each is one of its own.
    fn clusters(&self) -> Dim3 {
        let Shape { grid, cluster, .. } = self.shape;
        Dim3 { x: grid.x / cluster.x, y: grid.y / cluster.y, z: grid.z / cluster.z }
    }

    /// Calls `run` for every block that is left, in the order in which a GPU starts
    /// them.
    fn blocks(&self, mut run: impl FnMut(&mut Runner<'s>, &BlockIndex) -> Result<(), BlockFault>) {
        let Self { shape, options, .. } = self;
        let clusters = self.clusters();
        let mut runner = Runner::new(shape);
        runner.work_alone(self.alone);
        let mut trap = None;
        let mut squares = 0.0;
        let mut kinds = Kinds::default();
        let mut heaviest = (0, 0);
        loop {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            if at >= self.count || at >= self.stop.load(Ordering::Relaxed) {
                break;
            }
            let index = options.blocks.index(at, clusters.count());
            runner.start_stretch((at / self.stretch()) as usize);
            let [x, y, z] = position(clusters, index);
            let Dim3 { x: width, y: height, z: depth } = shape.cluster;
            let ctaid = [x * width, y * height, z * depth];
            let is_followed = self.followed.has(at, index);
            let block = BlockIndex { at, index, ctaid, is_followed };
            let ended = run(&mut runner, &block);
            runner.report();
            let text = runner.take_printed();
            if !text.is_empty() {
                self.found().printed.add(index, text);
            }
            if let Err(fault) = ended {
                self.stop.fetch_min(at, Ordering::Relaxed);
                trap = Some((index, name_fault(shape, ctaid, *fault)));
                break;
            }
            if let Some(progress) = options.progress {
                progress.end_block();
            }
            let spent = runner.spent();
            // Of a whole grid, the mean.
            let blocks = if shape.kernel.cluster.meets == Together::Grid {
                shape.blocks() as u64
            } else {
                1
            };
            heaviest = heaviest.max((spent / blocks, at));
            squares += (spent as f64).powi(2);
            self.followed.end(spent);
            kinds.add(spent, is_followed.then_some(index));
            if matches!(options.blocks, Blocks::Between(_)) {
                self.found().work.push((index, spent));
            }
            if self.spent.fetch_add(spent, Ordering::Relaxed) + spent > options.launch_budget {
                self.stop.fetch_min(0, Ordering::Relaxed);
            }
        }
        shape.spins.leave();
        let mut found = self.found();
        let (tallies, touched) = runner.into_tallies();
        found.squares += squares;
        found.kinds.merge(kinds);
        found.heaviest = found.heaviest.max(heaviest);
        found.tallies.merge(&tallies);
        Touched::merge(&mut found.touched, &touched);
        if let Some((index, trap)) = trap
            && found.trap.as_ref().is_none_or(|(earlier, _)| index < *earlier)
        {
            found.trap = Some((index, trap));
        }
    }

    /// Sums up what `threads` host threads did.
    fn finish(self, threads: usize) -> Ran {
        let kernel = self.shape.kernel;
        let clusters = self.clusters().count();
        let chosen = self.followed.chosen(self.options.blocks, clusters);
        let found = self.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Found {
            tallies,
            touched,
            timelines,
            swapped,
            paths,
            traces,
            trap,
            printed,
            squares,
            kinds,
            heaviest,
            mut work,
        } = found;
        let (beside, elsewhere) =
            traces.into_iter().partition(|(block, _)| self.followed.is_neighbour(*block));
        let company = self
            .recorded
            .as_ref()
            .and_then(|(_, follow)| follow.company(beside, elsewhere, self.shape.grid.count()));
        let mut timelines = kinds.choose(timelines, &chosen);
        follow::correct(&mut timelines, company);
        work.sort_unstable();
        let hand_offs = self.handed.map_or_else(HandOffs::default, |(_, handed)| {
            handed.into_inner().unwrap_or_else(PoisonError::into_inner).found(&paths)
        });
        let float_sums = swaps::float_sums(kernel, &tallies);
        let words = shared_words(&swapped);
        let swaps = Swaps { words, ..swaps::of(kernel, &tallies) };
        let last = trap.as_ref().map_or(u64::MAX, |(index, _)| *index);
        let budget = self.options.launch_budget;
        let spent = self.spent.into_inner();
        let overspent = spent > budget;
        let trap = trap.map(|(_, trap)| trap).or_else(|| {
            let message = format!("the launch used up its budget of {budget} warp instructions");
            overspent.then(|| launch_trap(kernel, TrapKind::RunawayLoop, message))
        });
        let counters = Counters::sum(kernel, &tallies);
        // Budgets also count the basic blocks.
        let share = counters.warp_instructions as f64 / spent.max(1) as f64;
        let (heaviest, at) = ((heaviest.0 as f64 * share).round() as u64, heaviest.1);
        // The last to be done may sum up what all left; one of the first may have taken all work.
        let is_late = self.count > 2 * threads as u64 && 2 * at > self.count;
        let instructions = instruction_count::counts(kernel, &tallies, &awaits::asking(kernel));
        let joined = instructions.iter().enumerate().filter(|(at, _)| kernel.is_joined(*at));
        Ran {
            counted: trap.is_none() || threads <= 1,
            outcome: Outcome {
                mix: instruction::mix(kernel, &tallies),
                counters,
                joined_passes: joined.map(|(_, count)| count.shared_wavefronts).sum(),
                issued: kernel.issued(instructions.iter().map(|count| count.warps)),
                instructions,
                bunching: tallies.bunching(),
                atomic_chunks: tallies.atomics,
                schedule_dependent: kernel.schedule_dependent,
                takes_turns: kernel.takes_turns() && !is_late,
                printed: printed.text(last),
                timelines,
                touched,
                awaits_others: awaits::awaits_others(kernel) || hand_offs.longest > 0,
                hand_offs,
                awaits_warps: awaits::awaits_warps(kernel),
                recurses: kernel.recurses(),
                heaviest,
                uneven: uneven(self.count, spent, squares),
                block_work: work.into_iter().map(|(_, work)| work).collect(),
                left_open: 0.0,
                first_only: false,
                swaps,
                float_sums,
                company,
            },
            trap,
        }
    }
}

/// The standard deviation of the work of so many blocks as a part of its mean, from its sum and the
/// sum of its squares.
fn uneven(blocks: u64, sum: u64, squares: f64) -> f64 {
    if sum == 0 {
        0.0
    } else {
        (blocks as f64 * squares / (sum as f64).powi(2) - 1.0).max(0.0).sqrt()
    }
}

/// Blocks that the GPU runs at the same time; 0 where nobody knows.
fn at_a_time(follow: Option<Follow>) -> u64 {
    follow.map_or(0, |it| u64::from(it.resident) * u64::from(it.multiprocessors))
}

/// Memory for the variables of a module, with their initial values.
fn allocate(data: &Data) -> Vec<Allocation> {
    let allocate = |variable: &Variable| {
        let bytes = Bytes::zeroed(variable.bytes);
        for (at, &byte) in variable.init.iter().enumerate() {
            bytes.store(at as u64, byte);
        }
        Allocation { base: variable.address, bytes }
    };
    data.globals.iter().map(allocate).collect()
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

/// Index of a block along each axis.
pub(crate) fn position(grid: Dim3, index: u64) -> [u32; 3] {
    let (x, y) = (u64::from(grid.x), u64::from(grid.y));
    [(index % x) as u32, (index / x % y) as u32, (index / x / y) as u32]
}

/// A fault of a warp of the cluster that starts at `ctaid`, with everything that a message names.
pub(crate) fn name_fault(shape: &Shape, ctaid: [u32; 3], (warp, fault): (usize, Fault)) -> Trap {
    let kernel = shape.kernel;
    let ctaid = shape.member(ctaid, warp / shape.warps());
    let warp = warp % shape.warps();
    let (file, line) = match fault.at {
        At::Site(site) => kernel.place(site),
        At::Instruction(instruction) => kernel.place_of(instruction as usize),
    };
    Trap {
        kind: fault.kind,
        kernel: kernel.name.clone(),
        file: Some(file),
        line: Some(line),
        block: Some(ctaid),
        lanes: lanes(fault.lanes).map(|lane| (warp * 32 + lane) as u32).collect(),
        message: fault.message,
    }
}
