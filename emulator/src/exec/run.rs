//! Runs a warp: its fragments through basic blocks, until it has to pause.

use crate::exec::arms::Arms;
use crate::exec::lanes::those;
use crate::exec::step::{step, step_apart};
use crate::exec::{call, collective, quick};
#[cfg(target_arch = "x86_64")]
use crate::machine::HostVectors;
use crate::machine::{
    ALL, Arrival, At, Barriers, BlockContext, Fault, Fragment, Observer, TrapKind, Waiting, Warp,
};
use crate::program::{ALL_THREADS, ANY_BARRIER, Kernel, Meet, Op, Terminator};

/// Blocks a warp may enter before another one gets its turn.
const TURN: u32 = 4096;

/// The same for a kernel that polls, where a warp may be spinning.
const POLLING_TURN: u32 = 64;

/// The same for an observer that wants warps side by side.
const INTERLEAVED_TURN: u32 = 1;

/// What the warps of a block wait for, and which of them can run.
pub(crate) struct Others<'b> {
    pub(crate) barriers: &'b mut Barriers,
    pub(crate) ready: &'b mut [bool],
    /// Whether the next that is ready goes on where one comes to a barrier.
    pub(crate) onward: bool,
    /// Lanes of the warp that runs which had not ended before.
    pub(crate) before: u32,
}

impl Others<'_> {
    /// Warp number `index` has come to a barrier. Gives the next that goes on.
    #[inline(always)]
    fn arrive(
        &mut self,
        kernel: &Kernel,
        warps: &mut [Warp],
        index: usize,
        arrival: &Arrival,
        observer: &mut impl Observer,
    ) -> Option<usize> {
        let Self { barriers, ready, onward, before } = self;
        let warp = &warps[index];
        barriers.end((*before & !warp.live).count_ones());
        ready[index] = warp.others_ready();
        barriers.arrive(index, arrival);
        barriers.release(kernel, warps, ready, observer);
        if *onward { (index + 1..ready.len()).find(|&next| ready[next]) } else { None }
    }
}

/// Why a warp stopped running: one byte, which is read as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pause {
    /// Its turn is over.
    Turn,
    /// Its running lanes came to a barrier, which has been told.
    Barrier,
    /// They came to the barrier of the cluster, as [`BlockContext`] tells.
    Cluster,
    /// Nothing of it can run: ended, or waiting.
    Idle,
}

/// Runs warp number `index` until it pauses, with the widest vectors of the machine: more than 4
/// lanes only with AVX2, which `rows` relies on. Other warps may have followed it: then `index`
/// becomes that of the one that pauses or goes wrong.
pub(crate) fn run<O: Observer>(
    kernel: &Kernel,
    (warps, index): (&mut [Warp], &mut usize),
    others: &mut Others,
    context: &mut BlockContext,
    observer: &mut O,
) -> Result<Pause, Fault> {
    #[cfg(target_arch = "x86_64")]
    {
        let vectors = HostVectors::here();
        if vectors >= HostVectors::Avx512 {
            // SAFETY: the machine has these features, as just checked.
            return unsafe { run_avx512(kernel, (warps, index), others, context, observer) };
        }
        if vectors >= HostVectors::Avx2 {
            // SAFETY: the machine has these features, as just checked.
            return unsafe { run_avx2(kernel, (warps, index), others, context, observer) };
        }
    }
    run_body::<O, 4>(kernel, (warps, index), others, context, observer)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(
    enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,f16c,fma,bmi1,bmi2,popcnt,lzcnt"
)]
fn run_avx512<O: Observer>(
    kernel: &Kernel,
    (warps, index): (&mut [Warp], &mut usize),
    others: &mut Others,
    context: &mut BlockContext,
    observer: &mut O,
) -> Result<Pause, Fault> {
    run_body::<O, 16>(kernel, (warps, index), others, context, observer)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,f16c,fma,bmi1,bmi2,popcnt,lzcnt")]
fn run_avx2<O: Observer>(
    kernel: &Kernel,
    (warps, index): (&mut [Warp], &mut usize),
    others: &mut Others,
    context: &mut BlockContext,
    observer: &mut O,
) -> Result<Pause, Fault> {
    run_body::<O, 8>(kernel, (warps, index), others, context, observer)
}

/// The loop itself, with vectors of `N` lanes.
#[inline(always)]
fn run_body<O: Observer, const N: usize>(
    kernel: &Kernel,
    (warps, index): (&mut [Warp], &mut usize),
    others: &mut Others,
    context: &mut BlockContext,
    observer: &mut O,
) -> Result<Pause, Fault> {
    let mut warp = &mut warps[*index];
    others.before = warp.live;
    let Some(mut fragment) = resume(kernel, warp) else { return Ok(Pause::Idle) };
    let whole = if kernel.polls {
        POLLING_TURN
    } else if O::INTERLEAVES {
        INTERLEAVED_TURN
    } else {
        TURN
    };
    let mut turn = whole;
    let mut arms = Arms::default();
    // An observer takes longer than a call, and a copy of all ops for each takes long to compile.
    // Nor is it worth that for development builds and for PCs without AVX2, older than 2013.
    let apart = !O::STEPS || cfg!(debug_assertions) || cfg!(target_arch = "x86_64") && N == 4;
    let steps = O::STEPS && !kernel.steps.is_empty();
    let insts = if steps { kernel.steps.as_slice() } else { kernel.insts.as_slice() };
    'fragments: loop {
        let block = &kernel.blocks[fragment.block as usize];
        observer.resume(warp, context, &fragment);
        let mut at = if let Some(at) = fragment.at.take() {
            at
        } else {
            let entry = &mut context.tallies.entries[fragment.block as usize];
            entry.0 += 1;
            entry.1 += u64::from(fragment.mask.count_ones());
            observer.block(kernel, fragment.block);
            block.first
        };
        while at < block.end {
            // By reference: copied to the stack in pieces, it would be waited for.
            let inst = &insts[at as usize];
            at += 1;
            let mask = inst.guard.lanes(&warp.preds, fragment.mask);
            if mask == 0 {
                continue;
            }
            let mask = observer.before(warp, context, at as usize - 1, inst, mask);
            if mask == 0 {
                continue;
            }
            // Neighbours among ops: one test tells that it is none of these.
            if !matches!(inst.op, Op::Barrier { .. } | Op::Collective { .. } | Op::Quick { .. }) {
                if apart {
                    step_apart::<N>(warp, context, &inst.op, mask)?;
                } else {
                    step::<N>(warp, context, &inst.op, mask)?;
                }
                continue;
            }
            if let Op::Barrier { meet, id, threads, a, site, .. } = inst.op {
                if matches!(meet, Meet::ArriveInCluster | Meet::WaitInCluster) {
                    let wait = meet == Meet::WaitInCluster;
                    fragment.at = Some(at);
                    if wait {
                        context.tallies.sites[usize::from(site)].waits += 1;
                        fragment.waiting = Some(Waiting::Cluster { site });
                    }
                    warp.put(fragment);
                    context.cluster_arrival = (wait, mask, site);
                    return Ok(Pause::Cluster);
                }
                let first = mask.trailing_zeros() as usize & 31;
                let (mut same, fixed) = (u32::MAX, kernel.sites[usize::from(site)].offset);
                let id = if fixed == ANY_BARRIER {
                    let numbers = &warp.regs32[usize::from(id)];
                    same = those::<N>(|lane| numbers[lane] == numbers[first]);
                    let Some(id) = u8::try_from(numbers[first]).ok().filter(|&id| id < 16) else {
                        return Err(no_barrier(numbers[first], mask & same, site));
                    };
                    if mask & !same != 0 {
                        // Lanes that name different barriers go on apart.
                        warp.put(Fragment { mask: mask & !same, at: Some(at - 1), ..fragment });
                        fragment.mask &= !(mask & !same);
                    }
                    id
                } else {
                    fixed as u8
                };
                let threads = match threads {
                    ALL_THREADS => ALL,
                    threads => warp.regs32[usize::from(threads)][first].min(ALL - 1),
                };
                let votes = match meet {
                    Meet::Sync | Meet::Arrive => 0,
                    _ => {
                        let voters = mask & same;
                        let yes = voters & warp.preds[usize::from(a)];
                        u64::from(voters.count_ones()) | u64::from(yes.count_ones()) << 32
                    }
                };
                let lanes = fragment.mask.count_ones();
                let waiting = (meet != Meet::Arrive).then(|| {
                    context.tallies.sites[usize::from(site)].waits += 1;
                    Waiting::Barrier { id, site }
                });
                warp.put_at(&fragment, at, waiting);
                let arrival = Arrival { id, lanes, threads, votes };
                let next = others.arrive(kernel, warps, *index, &arrival, observer);
                let Some(next) = next else { return Ok(Pause::Barrier) };
                *index = next;
                observer.enter(next);
                warp = &mut warps[next];
                others.before = warp.live;
                (turn, arms) = (whole, Arms::default());
                if !warp.take_only(&mut fragment) {
                    match resume(kernel, warp) {
                        Some(ready) => fragment = ready,
                        None => return Ok(Pause::Idle),
                    }
                }
                continue 'fragments;
            }
            if let Op::Collective { index } = inst.op {
                if collective::run::<N>(kernel, warp, index, &mut fragment, at, mask) {
                    observer.join(fragment.mask);
                    continue;
                }
                warp.put(fragment);
                match resume(kernel, warp) {
                    Some(ready) => fragment = ready,
                    None => return Ok(Pause::Idle),
                }
                continue 'fragments;
            }
            if let Op::Quick { index, length } = inst.op {
                at += u32::from(length) - 1;
                quick::step::<N>(warp, context, index, mask);
            }
        }
        observer.end(warp, context, &fragment);
        let from = fragment.block;
        context.spend(block.ptx, fragment.mask)?;
        if O::STEPS && arms.meet(&mut fragment) {
            turn -= 1;
            continue;
        }
        if let Some(to) = straight::<N>(kernel, warp, fragment, &block.terminator) {
            fragment.block = to;
        } else if O::STEPS
            && let Some(first) = arms.part(kernel, warp, fragment, &block.terminator, turn)
        {
            context.tallies.diverged[from as usize] += 1;
            fragment = first;
        } else if !next::<N>(warp, context, observer, &mut fragment, &block.terminator)? {
            match resume(kernel, warp) {
                Some(ready) => fragment = ready,
                None => return Ok(Pause::Idle),
            }
        }
        // A GPU suspends a warp that waits for such a barrier.
        if kernel.tests && fragment.block == from {
            turn = 1;
        }
        turn -= 1;
        if turn == 0 {
            // Lanes that left a loop wait for those still in it. Where the
            // kernel polls, those may be polling for what the first would do.
            if kernel.polls && observer.stops_waiting() {
                warp.stop_waiting();
            }
            if O::STAYS && !kernel.polls {
                warp.put_first(fragment);
            } else {
                warp.put(fragment);
            }
            return Ok(Pause::Turn);
        }
    }
}

#[cold]
fn no_barrier(id: u32, lanes: u32, site: u16) -> Fault {
    Fault {
        kind: TrapKind::Trap,
        at: At::Site(site),
        lanes,
        message: format!("there is no barrier {id}; a block has 0 to 15"),
    }
}

/// The next fragment that can run. Where all wait, those that wait for lanes
/// that have ended go on, or else those at a meeting place, which others of the
/// warp may wait for.
#[inline(always)]
fn resume(kernel: &Kernel, warp: &mut Warp) -> Option<Fragment> {
    match warp.take() {
        None if warp.any_parked() => {
            if !collective::settle(kernel, warp) {
                warp.stop_waiting();
            }
            warp.take()
        }
        taken => taken,
    }
}

/// The block that all lanes of `fragment` go on to, where that is all there is
/// to do: as nearly always.
#[inline(always)]
fn straight<const N: usize>(
    kernel: &Kernel,
    warp: &Warp,
    fragment: Fragment,
    terminator: &Terminator,
) -> Option<u32> {
    let to = match *terminator {
        Terminator::Jump(to) => to,
        Terminator::Branch { p, when, taken, other, .. } => {
            let pred = warp.preds[usize::from(p)];
            let go = fragment.mask & if when { pred } else { !pred };
            if go == fragment.mask {
                taken
            } else if go == 0 {
                other
            } else {
                return None;
            }
        }
        // All go one way, and there is such a way.
        Terminator::Pick(index) => {
            let table = &kernel.tables[usize::from(index)];
            let values = &warp.regs32[usize::from(table.slot)];
            let first = values[fragment.mask.trailing_zeros() as usize & 31];
            let last = values[31 - (fragment.mask.leading_zeros() as usize & 31)];
            if first != last || !call::alike::<N, _>(values, fragment.mask) {
                return None;
            }
            *table.targets.get(first as usize)?
        }
        _ => return None,
    };
    let alone = to > fragment.block || !warp.others_ready();
    (alone && !warp.meets(&kernel.scopes, fragment, to)).then_some(to)
}

/// Ends a basic block; `fragment` becomes the one that goes on. Gives whether one does: it
/// may have to wait.
#[inline(never)]
fn next<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    observer: &impl Observer,
    fragment: &mut Fragment,
    terminator: &Terminator,
) -> Result<bool, Fault> {
    let scopes = &context.kernel.scopes;
    let to = match *terminator {
        Terminator::Jump(to) => to,
        Terminator::Branch { p, when, taken, other, reconverge } => {
            let pred = warp.preds[usize::from(p)];
            let go = fragment.mask & if when { pred } else { !pred };
            if go == fragment.mask {
                taken
            } else if go == 0 {
                other
            } else {
                context.tallies.diverged[fragment.block as usize] += 1;
                if observer.prefers(other, taken) {
                    let rest = fragment.mask & !go;
                    return Ok(warp.part(scopes, fragment, (rest, other), taken, reconverge));
                }
                return Ok(warp.part(scopes, fragment, (go, taken), other, reconverge));
            }
        }
        Terminator::Exit => {
            warp.exit(*fragment);
            if warp.any_parked() {
                collective::settle(context.kernel, warp);
            }
            return Ok(false);
        }
        Terminator::Call(index) => return call::enter::<N>(warp, context, fragment, index),
        Terminator::Return => return Ok(call::leave::<N>(warp, context, fragment)),
        Terminator::Pick(index) => return call::pick::<N>(warp, context, fragment, index),
    };
    // Backward jumps of a lane that spins must let the lane it waits for run.
    let backward = to <= fragment.block;
    (fragment.block, fragment.at) = (to, None);
    if !warp.go(scopes, fragment) {
        return Ok(false);
    }
    if backward && warp.others_ready() {
        warp.put(*fragment);
        return Ok(warp.take().inspect(|first| *fragment = *first).is_some());
    }
    Ok(true)
}
