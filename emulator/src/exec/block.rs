//! A thread block: its warps, its shared memory, its barriers.

use crate::exec::run;
use crate::exec::run::{Others, Pause};
use crate::exec::spin::{Spin, Spins};
use crate::machine::{
    At, Barriers, BlockContext, Bytes, Dim3, Fault, Meeting, Observer, Peers, Progress, Reach,
    Tallies, Touched, TrapKind, Warp,
};
use crate::program::{Fill, FillValue, Kernel, MULTIPROCESSORS, SiteKind, Special, Together};

/// Warp instructions after which a block says how far it has come: some milliseconds.
const REPORT: u64 = 1 << 20;

/// A fault, and the warp that it is in.
pub(crate) type BlockFault = Box<(usize, Fault)>;

/// What all blocks of a launch share.
#[derive(Debug)]
pub(crate) struct Shape<'m> {
    pub(crate) kernel: &'m Kernel,
    pub(crate) memory: Reach<'m>,
    pub(crate) grid: Dim3,
    pub(crate) block: Dim3,
    /// Blocks of a cluster along each axis; they run together.
    pub(crate) cluster: Dim3,
    /// Whether the launch or the kernel asks for clusters.
    pub(crate) in_clusters: bool,
    /// Static and dynamic shared memory together, and the dynamic part.
    pub(crate) shared_bytes: u64,
    pub(crate) dynamic_shared: u32,
    /// Parameter values: 8-byte words, and as the constant bank holds them.
    pub(crate) params: &'m [u64],
    pub(crate) bank: Vec<u8>,
    pub(crate) budget: u64,
    pub(crate) spins: Spins,
    /// Where the blocks say how far they have come.
    pub(crate) progress: Option<&'m Progress>,
}

impl Shape<'_> {
    /// Blocks of a cluster.
    pub(crate) fn blocks(&self) -> usize {
        self.cluster.count() as usize
    }

    /// Warps of a block.
    pub(crate) fn warps(&self) -> usize {
        self.block.count().div_ceil(32) as usize
    }

    /// Block `rank` of the cluster whose first block is `first`.
    pub(crate) fn member(&self, first: [u32; 3], rank: usize) -> [u32; 3] {
        let (rank, Dim3 { x, y, .. }) = (rank as u32, self.cluster);
        [first[0] + rank % x, first[1] + rank / x % y, first[2] + rank / x / y]
    }
}

/// What the warps of a block, or of the blocks of a cluster, wait for between two turns.
#[derive(Debug, Clone)]
pub(crate) struct Turns {
    /// Block after block of a cluster.
    barriers: Vec<Barriers>,
    meeting: Meeting,
    /// Per warp, whether it can run.
    pub(crate) ready: Vec<bool>,
}

/// Runs the blocks that one host thread gets, one cluster after the other, reusing
/// registers and shared memory.
#[derive(Debug)]
pub(crate) struct Runner<'m> {
    pub(super) shape: &'m Shape<'m>,
    pub(super) context: BlockContext<'m>,
    /// Block after block of a cluster.
    pub(crate) warps: Vec<Warp>,
    /// Slots to fill before every block.
    by_block: Vec<Fill>,
    /// Warp instructions of the block that [`Progress`] has.
    reported: u64,
}

impl<'m> Runner<'m> {
    pub(crate) fn new(shape: &'m Shape<'m>) -> Self {
        let kernel = shape.kernel;
        let warps = (0..shape.blocks() * shape.warps())
            .map(|_| Warp::new(kernel.slots32, kernel.slots64, kernel.preds))
            .collect();
        let context = BlockContext {
            kernel,
            memory: shape.memory,
            params: &shape.bank,
            printed: Vec::new(),
            prints: (0, 0),
            alone: false,
            watching: false,
            changed: false,
            shared: Bytes::zeroed(shape.shared_bytes),
            peers: Peers::new(shape.blocks(), shape.shared_bytes),
            tallies: Tallies::new(kernel),
            found: vec![0; kernel.sites.len()],
            budget: shape.budget,
            granted: shape.budget,
            ticks: 0,
            cluster_arrival: (false, 0, 0),
        };
        let by_block = kernel.fills.iter().copied().filter(|fill| {
            matches!(
                fill.value,
                FillValue::Shared(_)
                    | FillValue::Special(
                        Special::Block(_)
                            | Special::Stack
                            | Special::Multiprocessor
                            | Special::Cluster(_)
                            | Special::BlockInCluster(_)
                            | Special::ClusterRank
                    )
            )
        });
        let by_block = by_block.collect();
        let mut runner = Self { shape, context, warps, by_block, reported: 0 };
        for index in 0..runner.warps.len() {
            runner.fill(index);
        }
        runner
    }

    /// Says whether only this host thread works on global memory.
    pub(crate) fn work_alone(&mut self, alone: bool) {
        self.context.alone = alone;
    }

    /// The next blocks belong to this stretch of the launch.
    pub(crate) fn start_stretch(&mut self, stretch: usize) {
        self.context.tallies.start_stretch(stretch);
    }

    /// What the last block printed.
    pub(crate) fn take_printed(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.context.printed)
    }

    /// Warp instructions that the last block issued.
    pub(crate) fn spent(&self) -> u64 {
        self.context.granted - self.context.budget
    }

    /// Tells [`Progress`] what the block has issued since the last time.
    pub(crate) fn report(&mut self) {
        let spent = self.spent();
        if let Some(progress) = self.shape.progress {
            progress.issue(spent - self.reported);
            self.reported = spent;
        }
    }

    /// What was counted, and what was touched: sites that go to several
    /// allocations count for the one that they went to last.
    pub(crate) fn into_tallies(self) -> (Tallies, Vec<Touched>) {
        let BlockContext { kernel, memory, found, mut tallies, .. } = self.context;
        tallies.end_stretch();
        let mut touched: Vec<Touched> = Vec::new();
        for ((site, tally), &allocation) in kernel.sites.iter().zip(&tallies.sites).zip(&found) {
            if tally.sectors == 0 {
                continue;
            }
            if touched.len() <= allocation {
                touched.resize(allocation + 1, Touched::default());
            }
            let entry = &mut touched[allocation];
            entry.bytes = memory.get(allocation).map_or(0, |found| found.bytes.len());
            match site.kind {
                SiteKind::Load => entry.loads += tally.sectors,
                SiteKind::Store => entry.stores += tally.sectors,
                _ => entry.atomics += tally.sectors,
            }
        }
        (tallies, touched)
    }

    /// Fills a warp's slots that no op writes and that no block changes.
    fn fill(&mut self, warp: usize) {
        let shape = self.shape;
        let Dim3 { x, y, .. } = shape.block;
        let warp_index = (warp % shape.warps()) as u32;
        let extent = |dim: Dim3, axis: u8| [dim.x, dim.y, dim.z][usize::from(axis)];
        let target = &mut self.warps[warp];
        for fill in &shape.kernel.fills {
            let value = |lane: u32| -> u64 {
                let thread = warp_index * 32 + lane;
                match fill.value {
                    FillValue::Constant(value) => value,
                    // Before every block.
                    FillValue::Shared(_) => 0,
                    FillValue::Param { index, offset, bytes } => {
                        let value = shape.params[usize::from(index)] >> (8 * offset);
                        if bytes >= 8 { value } else { value & ((1 << (8 * bytes)) - 1) }
                    }
                    FillValue::Quarters { fours, rest } => {
                        fours * u64::from(lane / 4) + rest * u64::from(lane % 4)
                    }
                    FillValue::Special(special) => u64::from(match special {
                        Special::Thread(0) => thread % x,
                        Special::Thread(1) => thread / x % y,
                        Special::Thread(_) => thread / x / y,
                        Special::BlockExtent(axis) => extent(shape.block, axis),
                        Special::GridExtent(axis) => extent(shape.grid, axis),
                        Special::ClusterGridExtent(axis) => {
                            extent(shape.grid, axis) / extent(shape.cluster, axis)
                        }
                        Special::ClusterExtent(axis) => extent(shape.cluster, axis),
                        Special::ClusterSize => shape.cluster.count() as u32,
                        Special::InCluster => u32::from(shape.in_clusters),
                        Special::Lane => lane,
                        Special::Warp => warp_index,
                        Special::Warps => shape.block.count().div_ceil(32) as u32,
                        Special::MaskEqual => 1 << lane,
                        Special::MaskLess => (1 << lane) - 1,
                        Special::MaskLessEqual => u32::MAX >> (31 - lane),
                        Special::MaskGreater => !(u32::MAX >> (31 - lane)),
                        Special::MaskGreaterEqual => u32::MAX << lane,
                        Special::DynamicShared => shape.dynamic_shared,
                        Special::TotalShared => shape.shared_bytes as u32,
                        // Before every block.
                        Special::Block(_)
                        | Special::Stack
                        | Special::Multiprocessor
                        | Special::Cluster(_)
                        | Special::BlockInCluster(_)
                        | Special::ClusterRank => 0,
                    }),
                }
            };
            // Lanes beyond the block never run; their values do not matter.
            if fill.wide {
                target.regs64[usize::from(fill.slot)] =
                    std::array::from_fn(|lane| value(lane as u32));
            } else {
                target.regs32[usize::from(fill.slot)] =
                    std::array::from_fn(|lane| value(lane as u32) as u32);
            }
        }
    }

    /// Fills the slots of all warps of the running block that depend on it.
    fn fill_block(&mut self, ctaid: [u32; 3]) {
        let (grid, cluster) = (self.shape.grid, self.shape.cluster);
        let cluster = [cluster.x, cluster.y, cluster.z];
        let rank = self.context.peers.rank();
        let warps = rank * self.shape.warps()..(rank + 1) * self.shape.warps();
        for fill in &self.by_block {
            let value = match fill.value {
                FillValue::Shared(address) => address + self.context.peers.own(),
                FillValue::Special(special) => u64::from(match special {
                    Special::Block(axis) => ctaid[usize::from(axis)],
                    Special::Cluster(axis) => ctaid[usize::from(axis)] / cluster[usize::from(axis)],
                    Special::BlockInCluster(axis) => {
                        ctaid[usize::from(axis)] % cluster[usize::from(axis)]
                    }
                    Special::ClusterRank => rank as u32,
                    Special::Multiprocessor => {
                        let index = u64::from(ctaid[2]) * u64::from(grid.y) + u64::from(ctaid[1]);
                        let index = index * u64::from(grid.x) + u64::from(ctaid[0]);
                        (index % u64::from(MULTIPROCESSORS)) as u32
                    }
                    _ => 0,
                }),
                _ => 0,
            };
            for warp in &mut self.warps[warps.clone()] {
                if fill.wide {
                    warp.regs64[usize::from(fill.slot)] = [value; 32];
                } else {
                    warp.regs32[usize::from(fill.slot)] = [value as u32; 32];
                }
            }
        }
    }

    #[cold]
    fn enter_block(&mut self, rank: usize, observer: &mut impl Observer) {
        let BlockContext { shared, peers, kernel, .. } = &mut self.context;
        peers.switch(shared, rank, kernel.cluster.reaches);
        observer.enter_block(rank);
    }

    /// The lanes of a warp that the block has.
    fn lanes(&self, warp: usize) -> u32 {
        let threads = self.shape.block.count() - (warp % self.shape.warps()) as u64 * 32;
        if threads >= 32 { u32::MAX } else { (1 << threads) - 1 }
    }

    /// Runs block `ctaid` to its end; if there are clusters, the one whose first block it is.
    pub(crate) fn run(
        &mut self,
        ctaid: [u32; 3],
        observer: &mut impl Observer,
    ) -> Result<(), BlockFault> {
        let mut turns = self.start(ctaid, observer);
        let shape = self.shape;
        let mut spin = Spin::start(&shape.spins);
        while self.round(&mut turns, Some(&mut spin))? {
            let mut warp = 0;
            while warp < self.warps.len() {
                if turns.ready[warp] {
                    warp = self.turn(warp, &mut turns, true, observer)?;
                }
                warp += 1;
            }
        }
        Ok(())
    }

    /// Starts block `ctaid`, or the cluster whose first block it is.
    pub(crate) fn start(&mut self, ctaid: [u32; 3], observer: &mut impl Observer) -> Turns {
        let kernel = self.shape.kernel;
        self.context.budget = self.shape.budget;
        self.reported = 0;
        self.context.ticks = 0;
        self.context.prints = (0, 0);
        self.context.watching = false;
        self.context.peers.ended = 0;
        for rank in 0..self.shape.blocks() {
            if self.shape.blocks() > 1 {
                self.enter_block(rank, observer);
            }
            let ctaid = self.shape.member(ctaid, rank);
            self.context.shared.reset(self.shape.shared_bytes);
            observer.start_block(ctaid, self.shape.grid, self.shape.shared_bytes);
            self.fill_block(ctaid);
        }
        for warp in 0..self.warps.len() {
            let mask = self.lanes(warp);
            self.warps[warp].start(mask);
            self.warps[warp].local.reset(kernel.functions[0].frame);
        }
        let threads = self.shape.block.count() as u32;
        let barriers = vec![Barriers::new(threads); self.shape.blocks()];
        Turns {
            barriers,
            meeting: Meeting::new(self.warps.len()),
            ready: vec![true; self.warps.len()],
        }
    }

    /// Before all warps get a turn: whether any can run. If not, the block has ended.
    pub(crate) fn round(
        &mut self,
        turns: &mut Turns,
        spin: Option<&mut Spin>,
    ) -> Result<bool, BlockFault> {
        let Turns { barriers, meeting, ready } = turns;
        if !ready.contains(&true) {
            // Before this is a deadlock: lanes that wait for their warp to
            // meet again may go on without those that wait at a barrier.
            for (warp, ready) in self.warps.iter_mut().zip(ready.iter_mut()) {
                *ready = warp.stop_waiting();
            }
            if !ready.contains(&true) {
                return self.check_all_ended().map(|()| false);
            }
        }
        let spent = self.spent();
        if spent - self.reported >= REPORT {
            self.report();
        }
        if let Some(spin) = spin
            && spin.is_due(spent)
        {
            let state = (self.warps.as_slice(), (&*ready, &*barriers, &*meeting));
            if let Some(blocks) = spin.look(state, spent, &mut self.context) {
                return Err(Box::new(self.livelock(&blocks)));
            }
        }
        Ok(true)
    }

    /// Runs a warp that is ready until it pauses, and, if told to go `onward`, those after it as
    /// long as each comes to a barrier. Gives the last.
    pub(crate) fn turn(
        &mut self,
        warp: usize,
        Turns { barriers, meeting, ready }: &mut Turns,
        onward: bool,
        observer: &mut impl Observer,
    ) -> Result<usize, BlockFault> {
        let kernel = self.shape.kernel;
        let blocks = barriers.len();
        // A block alone needs no division.
        let of_block = if blocks == 1 { self.warps.len() } else { self.shape.warps() };
        let rank = if blocks == 1 { 0 } else { warp / of_block };
        let first = rank * of_block;
        let block = first..first + of_block;
        if blocks > 1 && rank != self.context.peers.rank() {
            self.enter_block(rank, observer);
        }
        let mut index = warp - first;
        observer.enter(index);
        let onward = onward && blocks == 1 && kernel.cluster.meets == Together::Nobody;
        let pause = {
            let (barriers, ready) = (&mut barriers[rank], &mut ready[block.clone()]);
            let mut others = Others { barriers, ready, onward, before: 0 };
            let (warps, context) = (&mut self.warps[block.clone()], &mut self.context);
            let pause = run::run(kernel, (warps, &mut index), &mut others, context, observer);
            let ended = others.before & !self.warps[first + index].live;
            let pause = pause.map_err(|fault| Box::new((first + index, fault)))?;
            if pause == Pause::Idle {
                others.ready[index] = false;
            }
            // A barrier knows of the lanes that ended before they came.
            if ended != 0 && pause != Pause::Barrier {
                let Others { barriers, ready, .. } = others;
                barriers.end(ended.count_ones());
                barriers.release(kernel, &mut self.warps[block], ready, observer);
            }
            pause
        };
        let warp = first + index;
        if pause == Pause::Cluster {
            self.come(meeting, warp, self.context.cluster_arrival)
                .map_err(|fault| Box::new((warp, fault)))?;
            ready[warp] = self.warps[warp].others_ready();
        }
        // Those of a grid are many.
        if kernel.cluster.meets != Together::Nobody
            && (kernel.cluster.meets != Together::Grid
                || matches!(pause, Pause::Cluster | Pause::Idle))
        {
            self.open(meeting, ready, observer);
        }
        if kernel.cluster.reaches && blocks > 1 && pause == Pause::Idle {
            self.end_blocks();
        }
        Ok(warp)
    }

    /// Lanes of a warp come to the barrier of the cluster.
    #[cold]
    fn come(
        &mut self,
        meeting: &mut Meeting,
        warp: usize,
        (wait, lanes, site): (bool, u32, u16),
    ) -> Result<(), Fault> {
        let kind = TrapKind::DivergentBarrier;
        let fault = |lanes, message: &str| {
            let message = format!("`{}` {message}", self.shape.kernel.word(site));
            Err(Fault { kind, at: At::Site(site), lanes, message })
        };
        if !wait {
            return match meeting.arrive(warp, lanes) {
                0 => Ok(()),
                again => fault(again, "by threads that have not waited since they last arrived"),
            };
        }
        match meeting.wait(warp, lanes) {
            Ok(waiting) => {
                self.warps[warp].release_cluster(!waiting);
                Ok(())
            }
            Err(never) => fault(never, "by threads that have not arrived at the barrier"),
        }
    }

    /// Opens the barrier of the cluster if all threads have come.
    fn open(&mut self, meeting: &mut Meeting, ready: &mut [bool], observer: &mut impl Observer) {
        if !meeting.opens(self.warps.iter().map(|warp| warp.live)) {
            return;
        }
        observer.meet_cluster();
        for (warp, ready) in self.warps.iter_mut().zip(ready) {
            warp.release_cluster(u32::MAX);
            *ready |= warp.others_ready();
        }
    }

    /// Notes the blocks of the cluster that have ended.
    fn end_blocks(&mut self) {
        let blocks = self.warps.chunks(self.shape.warps()).enumerate();
        let ended = blocks.filter(|(_, warps)| warps.iter().all(|warp| warp.live == 0));
        self.context.peers.ended = ended.fold(0, |all, (rank, _)| all | 1 << rank);
    }
}
