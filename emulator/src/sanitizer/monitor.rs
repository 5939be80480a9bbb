//! Checks every memory access, barrier and exchange of lanes before it runs.
//!
//! Blocks run one after the other, so findings are the same in every run.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::machine::{BlockContext, Dim3, Memory, Observer, Waiting, Warp, lanes};
use crate::program::{ALL_THREADS, Exchange, Inst, Kernel, Meet, Op, SiteKind};
use crate::ptx::{Item, Module};
use crate::sanitizer::finding::{Finding, FindingKind};
use crate::sanitizer::order::{Epochs, Order, Place, WARPS};
use crate::sanitizer::shadow::Shadow;

/// Findings kept; the rest is counted only.
const MOST_FINDINGS: usize = 100;

/// Spinning rounds of one group of lanes after which others of its warp go on.
const SPINS: u32 = 16;

/// What the monitor knows of a site.
#[derive(Debug, Clone, Default)]
pub(crate) struct SiteFacts {
    /// Atomic, volatile or with an order of its own: no race with its like.
    pub(crate) synchronises: bool,
    /// An atomic that writes whatever it finds: all but compare-and-swap.
    pub(crate) always_writes: bool,
    /// A compare-and-swap.
    pub(crate) swaps: bool,
    /// An allocation that its address must lie in.
    pub(crate) owner: Option<usize>,
}

/// A finding before it is put in words for the user.
#[derive(Debug)]
pub(crate) struct Seen {
    block: [u32; 3],
    lanes: Vec<u32>,
    count: u64,
    other: Option<u16>,
    message: String,
}

/// A group of lanes that reads a place again and again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Poll {
    pub(crate) site: u16,
    pub(crate) lanes: u32,
    pub(crate) rounds: u32,
    /// What the place held in the last round.
    pub(crate) held: u64,
}

/// Per barrier: the warps that came and do not wait, and what they bring.
type Arrived = [(u32, Epochs); 16];

/// What is known of a block of a cluster while another one runs.
#[derive(Debug, Default)]
struct Running {
    ctaid: [u32; 3],
    polls: HashMap<(usize, Place), Poll>,
    local: Option<Vec<Vec<u32>>>,
    arrived: Arrived,
    late: u32,
}

/// Watches one launch.
#[derive(Debug)]
pub(crate) struct Monitor {
    pub(crate) sites: Vec<SiteFacts>,
    pub(crate) order: Order,
    /// Of each block of the cluster.
    pub(crate) shared: Vec<Shadow>,
    pub(crate) global: Vec<Shadow>,
    pub(crate) seen: BTreeMap<(u32, FindingKind), (u16, Seen)>,
    /// Lines that take part in a race.
    pub(crate) racing: BTreeSet<u16>,
    /// Whether lanes of a warp progress by themselves.
    pub(crate) independent: bool,
    pub(crate) polls: HashMap<(usize, Place), Poll>,
    /// Per warp and byte of local memory: the lanes that have written it. None
    /// where functions are called, whose frames lie in what others have left.
    pub(crate) local: Option<Vec<Vec<u32>>>,
    /// The rest of what is known of the running block.
    arrived: Arrived,
    /// The warps with lanes that poll while the others of the warp wait at a barrier.
    late: u32,
    /// Number of the running block in its cluster.
    rank: usize,
    /// What is known of the other blocks of the cluster, by their number.
    others: Vec<Running>,
    /// Per basic block: whether a loop that waits is ahead.
    pub(crate) waits: Vec<bool>,
    pub(crate) ctaid: [u32; 3],
    pub(crate) warp: usize,
    pub(crate) threads: u64,
}

impl Monitor {
    /// For a launch with `args`, in blocks of `threads`; nobody has written the
    /// allocations at `unwritten`.
    pub(crate) fn new(
        kernel: &Kernel,
        module: &Module,
        (args, unwritten): (&[u64], &[u64]),
        threads: u64,
        memory: &Memory,
    ) -> Self {
        let function = module.items.iter().find_map(|item| match item {
            Item::Function(function) if function.name == kernel.name => Some(function),
            _ => None,
        });
        let origins = function.map(crate::sanitizer::origins::origins).unwrap_or_default();
        // An argument is a pointer if an allocation starts there.
        let pointed: Vec<Option<usize>> = args
            .iter()
            .map(|&value| memory.allocations().iter().position(|a| a.base == value))
            .collect();
        let mut learns = false;
        let mut facts = Vec::with_capacity(kernel.sites.len());
        for site in &kernel.sites {
            let instruction = &kernel.instructions[site.instruction as usize];
            let words = [
                "volatile",
                "relaxed",
                "acquire",
                "release",
                "acq_rel",
                "mmio",
                "test_wait",
                "try_wait",
            ];
            let ordered = instruction.word.split('.').any(|part| words.contains(&part));
            let atomic = site.kind == SiteKind::Atomic;
            let synchronises = atomic || ordered;
            let swaps = atomic && instruction.word.split('.').any(|part| part == "cas");
            learns |= ordered && site.kind == SiteKind::Load;
            let owners: BTreeSet<usize> = origins
                .get(&instruction.line)
                .into_iter()
                .flatten()
                .filter_map(|&param| pointed.get(usize::from(param)).copied().flatten())
                .collect();
            let owner = owners.first().copied().filter(|_| owners.len() == 1);
            facts.push(SiteFacts { synchronises, always_writes: atomic && !swaps, swaps, owner });
        }
        learns |= kernel.insts.iter().any(|inst| matches!(inst.op, Op::Atomic { .. }));
        let waits =
            crate::sanitizer::loops::waiting(kernel, |op| match crate::sanitizer::access::of(op) {
                Some(access) => access.returns || facts[usize::from(access.site)].synchronises,
                None => false,
            });
        let global = memory
            .allocations()
            .iter()
            .map(|found| Shadow::new(found.bytes.len(), !unwritten.contains(&found.base)))
            .collect();
        Self {
            sites: facts,
            order: Order::new(learns),
            shared: Vec::new(),
            global,
            seen: BTreeMap::new(),
            racing: BTreeSet::new(),
            independent: crate::sanitizer::origins::independent_lanes(module),
            polls: HashMap::new(),
            late: 0,
            local: kernel.calls.is_empty().then(|| vec![Vec::new(); WARPS]),
            arrived: Arrived::default(),
            rank: 0,
            others: Vec::new(),
            waits,
            ctaid: [0; 3],
            warp: 0,
            threads,
        }
    }

    /// Accesses that the monitor does not understand, in words.
    pub(crate) fn blind_spots(&self, kernel: &Kernel) -> Vec<String> {
        let watched: BTreeSet<u16> = kernel
            .insts
            .iter()
            .filter_map(|inst| crate::sanitizer::access::of(inst.op).map(|access| access.site))
            .chain(kernel.bulks.iter().flat_map(|bulk| {
                let barrier = bulk.barrier.map(|barrier| barrier.site);
                [Some(bulk.to.site), Some(bulk.from.site), barrier].into_iter().flatten()
            }))
            // The tensor itself is not watched.
            .chain(kernel.tensors.iter().flat_map(|tensor| {
                let barrier = tensor.barrier.map(|barrier| barrier.site);
                [Some(tensor.shared.site), barrier].into_iter().flatten()
            }))
            .collect();
        let unwatched: BTreeSet<&str> = (0..self.sites.len() as u16)
            .filter(|site| {
                let kind = kernel.sites[usize::from(*site)].kind;
                matches!(kind, SiteKind::Load | SiteKind::Store | SiteKind::Atomic)
                    && !watched.contains(site)
            })
            .map(|site| kernel.word(site))
            .collect();
        unwatched.iter().map(|word| format!("`{word}` is run but not checked")).collect()
    }

    /// Lanes of the running warp that the block has.
    fn lanes_of_warp(&self) -> u32 {
        let left = self.threads.saturating_sub(self.warp as u64 * 32);
        if left >= 32 { u32::MAX } else { (1 << left) - 1 }
    }

    fn barrier(&mut self, warp: &Warp, site: u16, mask: u32, whole_block: bool) {
        let all = self.lanes_of_warp();
        if mask == all || !whole_block && mask == warp.live {
            return;
        }
        // The others do not wait for lanes that poll: those come to the barrier later.
        let (late, others) = (1 << (self.warp % 32), warp.live & !mask);
        let here = |it: &Option<Waiting>| matches!(it, Some(Waiting::Barrier { site: at, .. }) if *at == site);
        let waiting = warp.waiting().filter(|it| here(&it.waiting));
        let waiting = waiting.fold(0, |lanes, it| lanes | it.mask);
        if warp.live == all && waiting == 0 && self.stops_waiting() {
            self.late |= late;
            return;
        }
        if self.late & late != 0 && waiting == others {
            self.late &= !late;
            return;
        }
        let ended = (all & !warp.live).count_ones();
        let elsewhere = others.count_ones();
        let mut message = format!("{} lanes of the warp come to the barrier", mask.count_ones());
        if elsewhere > 0 {
            message.push_str(&format!(", {elsewhere} are elsewhere"));
        }
        if ended > 0 {
            message.push_str(&format!(", {ended} have ended"));
        }
        self.report(FindingKind::DivergentBarrier, site, mask, None, || message);
    }

    fn collective(&mut self, warp: &Warp, kernel: &Kernel, index: u16, mask: u32) {
        let collective = &kernel.collectives[usize::from(index)];
        let Some(members) = collective.members else { return };
        let named = &warp.regs32[usize::from(members)];
        let (mut missing, mut without, mut absent) = (0_u32, 0, 0);
        for lane in lanes(mask) {
            let wrong = named[lane] & !(self.lanes_of_warp() & warp.live);
            if wrong != 0 {
                missing |= 1 << lane;
                absent |= wrong;
            }
            without |= u32::from(named[lane] >> lane & 1 == 0) << lane;
        }
        let word = kernel.word(collective.site);
        if missing != 0 {
            let all = self.lanes_of_warp();
            self.report(FindingKind::LaneMask, collective.site, missing, None, || {
                let never = absent & !all;
                let which =
                    if never != 0 { "that the block does not have" } else { "that have ended" };
                format!(
                    "`{word}` names {} lanes {which} (mask {absent:#010x})",
                    absent.count_ones()
                )
            });
        }
        if without != 0 {
            self.report(FindingKind::LaneMask, collective.site, without, None, || {
                format!("`{word}` is run by lanes that its mask does not name")
            });
        }
        if matches!(collective.exchange, Exchange::Barrier) {
            self.order.meet_lanes(self.warp);
            let warp = self.warp;
            self.polls.retain(|(polling, _), _| *polling != warp);
        }
    }

    /// Notes a finding; of several for one line, the first is told.
    pub(crate) fn report(
        &mut self,
        kind: FindingKind,
        site: u16,
        mask: u32,
        other: Option<u16>,
        message: impl FnOnce() -> String,
    ) {
        let count = u64::from(mask.count_ones());
        if kind == FindingKind::Race {
            self.racing.insert(site);
            self.racing.extend(other);
        }
        let (ctaid, warp) = (self.ctaid, self.warp as u32);
        self.seen
            .entry((u32::from(site), kind))
            .and_modify(|(_, seen)| seen.count += count)
            .or_insert_with(|| {
                let lanes = lanes(mask).map(|lane| warp * 32 + lane as u32).collect();
                (site, Seen { block: ctaid, lanes, count, other, message: message() })
            });
    }

    /// Findings by file and line, one per kind and line, and how many more there
    /// were.
    pub(crate) fn findings(&self, kernel: &Kernel) -> (Vec<Finding>, usize) {
        let racing: BTreeSet<(String, u32)> =
            self.racing.iter().map(|&site| kernel.place(site)).collect();
        let mut found: BTreeMap<(String, u32, FindingKind), Finding> = BTreeMap::new();
        for (&(_, kind), (site, seen)) in &self.seen {
            let (file, line) = kernel.place(*site);
            // What a race has left unwritten is the race's fault.
            if kind == FindingKind::Uninitialised && racing.contains(&(file.clone(), line)) {
                continue;
            }
            let other = seen.other.map(|site| kernel.place(site));
            let instruction = kernel.sites[usize::from(*site)].instruction as usize;
            found
                .entry((file.clone(), line, kind))
                .and_modify(|finding| finding.count += seen.count)
                .or_insert_with(|| Finding {
                    kind,
                    file,
                    line,
                    ptx_line: kernel.instructions[instruction].line,
                    block: seen.block,
                    lanes: seen.lanes.clone(),
                    count: seen.count,
                    other,
                    message: seen.message.clone(),
                });
        }
        let more = found.len().saturating_sub(MOST_FINDINGS);
        (found.into_values().take(MOST_FINDINGS).collect(), more)
    }
}

impl Observer for Monitor {
    fn start_block(&mut self, ctaid: [u32; 3], grid: Dim3, shared_bytes: u64) {
        self.ctaid = ctaid;
        let [x, y, z] = ctaid.map(u64::from);
        let index = x + u64::from(grid.x) * (y + u64::from(grid.y) * z);
        self.order.start_block(index as u32);
        self.polls.clear();
        self.late = 0;
        self.arrived = Default::default();
        self.local.iter_mut().flatten().for_each(Vec::clear);
        match self.shared.get_mut(self.rank) {
            Some(shared) => shared.clear(),
            None => self.shared.push(Shadow::new(shared_bytes, false)),
        }
    }

    fn enter_block(&mut self, rank: usize) {
        while self.others.len() <= rank.max(self.rank) {
            let local = self.local.as_ref().map(|_| vec![Vec::new(); WARPS]);
            self.others.push(Running { local, ..Running::default() });
        }
        for rank in [self.rank, rank] {
            let other = &mut self.others[rank];
            std::mem::swap(&mut other.ctaid, &mut self.ctaid);
            std::mem::swap(&mut other.polls, &mut self.polls);
            std::mem::swap(&mut other.local, &mut self.local);
            std::mem::swap(&mut other.arrived, &mut self.arrived);
            std::mem::swap(&mut other.late, &mut self.late);
        }
        self.rank = rank;
        self.order.enter_block(rank);
    }

    fn meet_cluster(&mut self) {
        self.order.meet_cluster();
        self.polls.clear();
        self.others.iter_mut().for_each(|other| other.polls.clear());
    }

    fn enter(&mut self, warp: usize) {
        self.warp = warp;
    }

    fn before(
        &mut self,
        warp: &Warp,
        context: &BlockContext,
        _: usize,
        inst: &Inst,
        mask: u32,
    ) -> u32 {
        match inst.op {
            Op::Barrier { meet: Meet::ArriveInCluster | Meet::WaitInCluster, .. } => mask,
            Op::Barrier { meet, id, threads, site, .. } => {
                self.barrier(warp, site, mask, threads == ALL_THREADS);
                let id = warp.regs32[usize::from(id)][mask.trailing_zeros() as usize & 31];
                if let Some((warps, brought)) = self.arrived.get_mut(id as usize) {
                    *warps &= !(1 << self.warp);
                    if meet == Meet::Arrive {
                        *warps |= 1 << self.warp;
                        self.order.bring(self.warp, brought);
                    }
                }
                mask
            }
            Op::Collective { index } => {
                self.collective(warp, context.kernel, index, mask);
                mask
            }
            Op::Bulk { index } => self.bulk(warp, context, index, mask),
            Op::Tensor { index } => self.tensor(warp, context, index, mask),
            op => match crate::sanitizer::access::of(op) {
                Some(access) => self.access(warp, context, &access, mask),
                None => mask,
            },
        }
    }

    fn meet(&mut self, id: usize, met: u32) {
        let (arrived, brought) = std::mem::take(&mut self.arrived[id & 15]);
        let waited = met & !arrived;
        let warps: Vec<usize> = (0..32).filter(|warp| waited >> warp & 1 != 0).collect();
        self.order.meet_warps(&warps, &brought);
        self.polls.retain(|(polling, _), _| !warps.contains(polling));
    }

    /// On targets where lanes may wait forever, those that wait run first.
    fn prefers(&self, other: u32, taken: u32) -> bool {
        let waits = |block: u32| self.waits.get(block as usize).copied().unwrap_or_default();
        !self.independent && waits(other) && !waits(taken)
    }

    /// Others have to go on where lanes of the running warp spin.
    fn stops_waiting(&self) -> bool {
        self.polls.iter().any(|((warp, _), poll)| *warp == self.warp && poll.rounds >= SPINS)
    }
}
