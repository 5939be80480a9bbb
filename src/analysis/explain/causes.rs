//! For each resource that can bound a case, its sentence: only with counters that
//! confirm it.

use super::{Facts, Next, Reason};
use crate::algorithms;
use crate::analysis::mean;
use crate::experiment::ParamValue;
use crate::results::record::{Counter, Resource};
use crate::units::{Bytes, Elements, grouped, significant};

use Counter as C;

/// A resource that takes a smaller share of a case's time is not its cause.
const LEAST_SHARE: f64 = 0.3;

/// Sectors of a coalesced access of 4 bytes a lane.
const COALESCED_SECTORS: f64 = 4.0;

/// What bounds a case.
pub(super) struct Cause {
    pub(super) reason: Reason,
    /// The counters that it rests on.
    pub(super) counters: Vec<Counter>,
    pub(super) next: Option<Next>,
}

/// The resource that the model names, if it takes much of the time and the counters
/// confirm it.
pub(super) fn of(facts: &Facts) -> Option<Cause> {
    let bound = facts.model.bound_by.known()?;
    let seconds = facts.part(bound);
    if seconds < LEAST_SHARE * facts.seconds {
        return None;
    }
    let fewer_blocks = "4 times the work per thread leaves a quarter of the blocks";
    let (says, counters, next) = match bound {
        Resource::L2Atomics => atomics(facts)?,
        Resource::Shared => shared(facts)?,
        Resource::Dram | Resource::L2 | Resource::L1 => traffic(facts, bound)?,
        Resource::Issue => issue(facts)?,
        Resource::Latency => latency(facts)?,
        Resource::BlockStart => (
            "blocks start one after the other, and each does little work".to_owned(),
            vec![C::WarpInstructions],
            coarser(facts, fewer_blocks),
        ),
        Resource::LookBack => (
            "each block waits for the sums of the blocks before it".to_owned(),
            vec![C::GlobalLoadRequests],
            coarser(facts, fewer_blocks),
        ),
        Resource::Launch => (
            "the launch takes longer than the kernel's work at this size".to_owned(),
            vec![C::WarpInstructions, C::GlobalLoadSectors],
            larger(facts, "4 times the size takes far less than 4 times the time"),
        ),
    };
    let (case, of) = (facts.name.clone(), facts.seconds);
    let reason = Reason { case, says, seconds: seconds.min(of), of };
    Some(Cause { reason, counters, next })
}

type Found = (String, Vec<Counter>, Option<Next>);

/// L2 serialises the lanes of an atomic that hit one word.
fn atomics(facts: &Facts) -> Option<Found> {
    let lanes = facts.ratio(C::GlobalAtomicLanes, C::GlobalAtomicRequests)?;
    let addresses = facts.ratio(C::GlobalAtomicAddresses, C::GlobalAtomicRequests)?;
    let busiest = facts.ratio(C::BusiestSlicePasses, C::GlobalAtomicPasses).unwrap_or_default();
    let mut says = if addresses < 0.9 * lanes {
        let addresses = plural(addresses, "address", "addresses");
        format!("each warp's {} atomics hit {addresses}, so L2 serialises them", mean(lanes))
    } else {
        format!("L2 processes {} atomics", grouped(facts.count(C::GlobalAtomicLanes) as u64))
    };
    if busiest > 0.95 {
        says.push_str(", all in one slice");
    } else if busiest > 0.25 {
        says.push_str(&format!(", {:.0} % of them in one slice", 100.0 * busiest));
    }
    let next = spread(facts, 8);
    let counters = vec![
        C::GlobalAtomicRequests,
        C::GlobalAtomicLanes,
        C::GlobalAtomicAddresses,
        C::GlobalAtomicPasses,
        C::BusiestSlicePasses,
    ];
    Some((says, counters, next))
}

/// Shared memory takes one wavefront a cycle and multiprocessor.
fn shared(facts: &Facts) -> Option<Found> {
    let atomics = facts.count(C::SharedAtomicWavefronts);
    let conflicts = facts.count(C::SharedBankConflicts);
    let loads = facts.count(C::SharedLoadWavefronts);
    let all = atomics + loads + facts.count(C::SharedStoreWavefronts);
    if all <= 0.0 {
        return None;
    }
    if atomics > all / 2.0 {
        let each = facts.ratio(C::SharedAtomicWavefronts, C::SharedAtomicRequests)?;
        let says = if each > 1.5 {
            let passes = plural(each, "pass", "passes");
            format!(
                "lanes hit the same word or bank of shared memory, so each warp's atomic takes \
                 {passes}"
            )
        } else {
            let atomics = grouped(facts.count(C::SharedAtomicRequests) as u64);
            format!("warps execute {atomics} atomics on shared memory")
        };
        return Some((says, vec![C::SharedAtomicRequests, C::SharedAtomicWavefronts], None));
    }
    let says = if conflicts > 0.25 * all {
        let share = 100.0 * conflicts / all;
        format!("bank conflicts cause {share:.0} % of the passes through shared memory")
    } else {
        let all = grouped(all as u64);
        format!("{all} passes through the banks of shared memory, hardly any by bank conflicts")
    };
    let counters = [C::SharedLoadWavefronts, C::SharedStoreWavefronts, C::SharedBankConflicts];
    Some((says, counters.into(), None))
}

/// Sectors of 32 bytes between the multiprocessors and memory.
fn traffic(facts: &Facts, level: Resource) -> Option<Found> {
    let sectors = facts.count(C::GlobalLoadSectors) + facts.count(C::GlobalStoreSectors);
    if sectors <= 0.0 {
        return None;
    }
    let (bytes, needed) = (32.0 * sectors, facts.record.bytes as f64);
    let mut says = format!("{} move through {level}", Bytes(bytes as u64));
    if needed > 0.0 && bytes > 1.5 * needed {
        let times = significant(bytes / needed);
        says.push_str(&format!(", {times}× the {} needed", Bytes(facts.record.bytes)));
    }
    let mut counters = vec![C::GlobalLoadRequests, C::GlobalLoadSectors, C::GlobalStoreSectors];
    let wide = |sectors, requests| {
        facts.ratio(sectors, requests).filter(|sectors| *sectors > 2.0 * COALESCED_SECTORS)
    };
    let mut scattered = |what, sectors| {
        let least = mean(COALESCED_SECTORS);
        let each = mean(sectors);
        says.push_str(&format!(
            ", since each warp's {what} touches {each} sectors ({least} if coalesced)"
        ));
    };
    if let Some(each) = wide(C::GlobalLoadSectors, C::GlobalLoadRequests) {
        scattered("load", each);
    } else if let Some(each) = wide(C::GlobalStoreSectors, C::GlobalStoreRequests) {
        counters.push(C::GlobalStoreRequests);
        scattered("store", each);
    }
    Some((says, counters, None))
}

/// Instructions that the schedulers have to issue.
fn issue(facts: &Facts) -> Option<Found> {
    let lanes = facts.ratio(C::ThreadInstructions, C::WarpInstructions)?;
    let mut says = format!(
        "the schedulers issue {} warp instructions, {} thread instructions per element",
        grouped(facts.count(C::WarpInstructions) as u64),
        significant(facts.count(C::ThreadInstructions) / (facts.record.n.max(1) as f64)),
    );
    if lanes < 24.0 {
        says.push_str(&format!(", with {} of 32 lanes active", mean(lanes)));
    }
    Some((
        says,
        vec![C::WarpInstructions, C::ThreadInstructions, C::DivergentBranches],
        coarser(facts, "4 times the work per thread spends fewer instructions on starting"),
    ))
}

/// Too few warps to hide the waits of each.
fn latency(facts: &Facts) -> Option<Found> {
    let counters = vec![C::GlobalLoadRequests, C::SharedLoadRequests, C::Barriers];
    let waits: f64 = counters.iter().map(|counter| facts.count(*counter)).sum();
    if waits <= 0.0 && facts.count(C::WarpInstructions) <= 0.0 {
        return None;
    }
    let occupancy = 100.0 * facts.model.occupancy;
    let limit = &facts.model.occupancy_limit;
    let says = if facts.model.occupancy < 0.75 {
        format!(
            "warps wait for memory, results and barriers, and at {occupancy:.0} % occupancy \
             (limited by {limit}) too few others are ready"
        )
    } else {
        format!(
            "warps wait for memory, results and barriers, and even at {occupancy:.0} % occupancy \
             too few others are ready"
        )
    };
    let next = larger(facts, "more blocks hide more of the waits: the time grows by less");
    Some((says, counters, next))
}

/// The case with `factor` times the parameter that spreads atomics.
fn spread(facts: &Facts, factor: u64) -> Option<Next> {
    let mut case = facts.record.case();
    let params = algorithms::find(&case.algorithm)?.params();
    let name = params.iter().find(|param| param.spreads_atomics)?.name;
    let value = case.int(name)?.checked_mul(factor)?;
    case.params.insert(name.to_owned(), ParamValue::Int(value));
    let says = format!(
        "{factor} times the {name} spread the atomics over more addresses and slices, so {} gets \
         faster",
        facts.name
    );
    Some(Next { says, case })
}

/// The case with 4 times the coarsening.
fn coarser(facts: &Facts, says: &str) -> Option<Next> {
    let mut case = facts.record.case();
    case.coarsen = case.coarsen.checked_mul(4).filter(|coarsen| *coarsen <= 64)?;
    Some(Next { says: format!("{says} (coarsening {})", case.coarsen), case })
}

/// The case with 4 times the size.
fn larger(facts: &Facts, says: &str) -> Option<Next> {
    let mut case = facts.record.case();
    case.n = case.n.max(1).checked_mul(4).filter(|n| *n <= 1 << 28)?;
    Some(Next { says: format!("{says} (n = {})", Elements(case.n)), case })
}

fn plural(count: f64, one: &str, many: &str) -> String {
    let text = mean(count);
    format!("{text} {}", if text == "1" { one } else { many })
}
