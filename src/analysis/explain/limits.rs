//! For each resource that can hold a case back, the sentence that says so: only
//! with counters that bear it out.

use super::facts::Facts;
use super::{Next, Reason};
use crate::experiment::{Case, ParamValue};
use crate::units::{Bytes, Elements, grouped, significant};

/// A resource that takes less of a case's time than this is not its reason.
const LEAST_SHARE: f64 = 0.3;

/// Sectors of a warp that reads 32 words of 4 bytes in a row.
const ROW_SECTORS: f64 = 4.0;

/// What holds a case back.
pub(super) struct Limit {
    pub(super) reason: Reason,
    /// The counters that it rests on.
    pub(super) counters: Vec<&'static str>,
    pub(super) next: Option<Next>,
}

/// The resource that the model names, if it takes much of the time and the
/// counters say how that comes.
pub(super) fn limit(facts: &Facts) -> Option<Limit> {
    let bound = facts.model.bound_by.as_str();
    let seconds = facts.part(bound);
    if seconds < LEAST_SHARE * facts.seconds {
        return None;
    }
    let (says, counters, next) = match bound {
        "l2_atomics" => atomics(facts)?,
        "shared" => shared(facts)?,
        "dram" | "l2" | "l1" => traffic(facts, bound)?,
        "issue" => issue(facts)?,
        "latency" => latency(facts)?,
        "block_start" => starts(facts),
        "look_back" => look_back(facts),
        "launch" => launch(facts),
        _ => return None,
    };
    let (case, of) = (facts.name.clone(), facts.seconds);
    let reason = Reason { case, says, seconds: seconds.min(of), of };
    Some(Limit { reason, counters, next })
}

type Found = (String, Vec<&'static str>, Option<Next>);

/// Lanes that meet on a word take turns in the slice of L2 that looks after it.
fn atomics(facts: &Facts) -> Option<Found> {
    let lanes = facts.per("global_atomic_lanes", "global_atomic_requests")?;
    let addresses = facts.per("global_atomic_addresses", "global_atomic_requests")?;
    let passes = facts.count("global_atomic_passes");
    let hottest = facts.count("hottest_chunk_passes") / passes.max(1.0);
    let mut says = if addresses < 0.9 * lanes {
        format!(
            "{} lanes of a warp meet on {}, which the L2 cache takes a lane at a time",
            mean(lanes),
            plural(addresses, "address", "addresses"),
        )
    } else {
        format!("{} atomics go to the L2 cache", grouped(facts.count("global_atomic_lanes") as u64))
    };
    if hottest > 0.95 {
        says.push_str(", all in one slice");
    } else if hottest > 0.25 {
        says.push_str(&format!(", {:.0} % of them in one slice", 100.0 * hottest));
    }
    let next = more(facts, "bins", 8).map(|case| Next {
        says: format!(
            "8 times the bins spread the atomics over more addresses and slices, and {} should \
             come closer",
            facts.name
        ),
        case,
    });
    let counters = vec![
        "global_atomic_requests",
        "global_atomic_lanes",
        "global_atomic_addresses",
        "global_atomic_passes",
        "hottest_chunk_passes",
    ];
    Some((says, counters, next))
}

/// One wavefront of shared memory a cycle and multiprocessor.
fn shared(facts: &Facts) -> Option<Found> {
    let atomics = facts.count("shared_atomic_wavefronts");
    let conflicts = facts.count("shared_bank_conflicts");
    let loads = facts.count("shared_load_wavefronts");
    let all = atomics + loads + facts.count("shared_store_wavefronts");
    if all <= 0.0 {
        return None;
    }
    if atomics > all / 2.0 {
        let each = facts.per("shared_atomic_wavefronts", "shared_atomic_requests")?;
        let says = if each > 1.5 {
            format!(
                "lanes that meet on a word or a bank of shared memory take turns, {} for each \
                 atomic of a warp",
                plural(each, "pass", "passes")
            )
        } else {
            format!(
                "{} atomics of warps on shared memory",
                grouped(facts.count("shared_atomic_requests") as u64)
            )
        };
        return Some((says, vec!["shared_atomic_requests", "shared_atomic_wavefronts"], None));
    }
    let counters =
        vec!["shared_load_wavefronts", "shared_store_wavefronts", "shared_bank_conflicts"];
    let says = if conflicts > 0.25 * all {
        format!(
            "{:.0} % of the passes through the banks of shared memory are conflicts",
            100.0 * conflicts / all
        )
    } else {
        format!(
            "{} passes through the banks of shared memory, hardly any of them conflicts",
            grouped(all as u64)
        )
    };
    Some((says, counters, None))
}

/// Sectors of 32 bytes between the multiprocessors and memory.
fn traffic(facts: &Facts, level: &str) -> Option<Found> {
    let sectors = facts.count("global_load_sectors") + facts.count("global_store_sectors");
    if sectors <= 0.0 {
        return None;
    }
    let bytes = 32.0 * sectors;
    let place = match level {
        "dram" => "memory",
        "l1" => "the L1 caches",
        _ => "the L2 cache",
    };
    let mut says = format!("{} go through {place}", Bytes(bytes as u64));
    let needed = facts.record.bytes as f64;
    if needed > 0.0 && bytes > 1.5 * needed {
        says.push_str(&format!(
            ", {}× the {} that have to move",
            significant(bytes / needed),
            Bytes(facts.record.bytes)
        ));
    }
    let mut counters = vec!["global_load_requests", "global_load_sectors", "global_store_sectors"];
    let wide = |requests, sectors| {
        facts.per(sectors, requests).filter(|sectors| *sectors > 2.0 * ROW_SECTORS)
    };
    if let Some(each) = wide("global_load_requests", "global_load_sectors") {
        says.push_str(&format!("; a warp's load touches {} sectors", mean(each)));
    } else if let Some(each) = wide("global_store_requests", "global_store_sectors") {
        counters.push("global_store_requests");
        says.push_str(&format!("; a warp's store touches {} sectors", mean(each)));
    }
    Some((says, counters, None))
}

/// Instructions that the schedulers have to issue.
fn issue(facts: &Facts) -> Option<Found> {
    let warps = facts.count("warp_instructions");
    let lanes = facts.per("thread_instructions", "warp_instructions")?;
    let mut says = format!(
        "{} PTX instructions of warps to issue, {} of lanes for each unit of n",
        grouped(warps as u64),
        significant(facts.count("thread_instructions") / (facts.record.n.max(1) as f64)),
    );
    if lanes < 24.0 {
        says.push_str(&format!(", with {} of 32 lanes active", mean(lanes)));
    }
    Some((
        says,
        vec!["warp_instructions", "thread_instructions", "divergent_branches"],
        coarser(facts, "a thread that does 4 times the work spends fewer instructions on starting"),
    ))
}

/// Too few warps to fill the time that each waits.
fn latency(facts: &Facts) -> Option<Found> {
    let waits = facts.count("global_load_requests")
        + facts.count("shared_load_requests")
        + facts.count("barriers");
    if waits <= 0.0 && facts.count("warp_instructions") <= 0.0 {
        return None;
    }
    let mut says = "each warp waits for its own loads, results and barriers, and there are too \
                    few other warps to fill the time"
        .to_owned();
    if facts.model.occupancy < 0.75 {
        says.push_str(&format!(
            " (occupancy at most {:.0} %, limited by {})",
            100.0 * facts.model.occupancy,
            facts.model.occupancy_limit
        ));
    }
    let counters = vec!["global_load_requests", "shared_load_requests", "barriers"];
    Some((says, counters, larger(facts, "more blocks fill the waits: time should grow by less")))
}

fn starts(facts: &Facts) -> Found {
    let says = "the blocks are started one after the other, and each does little".to_owned();
    let next = coarser(facts, "4 times the work per thread makes a quarter of the blocks");
    (says, vec!["warp_instructions"], next)
}

fn look_back(facts: &Facts) -> Found {
    let says = "each block waits for the sums of the blocks before it, in turn".to_owned();
    let next = coarser(facts, "4 times the work per thread makes a quarter of the blocks");
    (says, vec!["global_load_requests"], next)
}

fn launch(facts: &Facts) -> Found {
    let says = "starting the kernel takes longer than what it does at this size".to_owned();
    let next = larger(facts, "4 times the size: time should grow by far less");
    (says, vec!["warp_instructions", "global_load_sectors"], next)
}

/// The case with `factor` times a parameter.
fn more(facts: &Facts, param: &str, factor: u64) -> Option<Case> {
    let mut case = facts.record.case();
    let value = case.int(param)?.checked_mul(factor)?;
    case.params.insert(param.to_owned(), ParamValue::Int(value));
    Some(case)
}

fn coarser(facts: &Facts, says: &str) -> Option<Next> {
    let mut case = facts.record.case();
    case.coarsen = case.coarsen.checked_mul(4).filter(|coarsen| *coarsen <= 64)?;
    Some(Next { says: format!("{says} (coarsening {})", case.coarsen), case })
}

fn larger(facts: &Facts, says: &str) -> Option<Next> {
    let mut case = facts.record.case();
    case.n = case.n.max(1).checked_mul(4).filter(|n| *n <= 1 << 28)?;
    Some(Next { says: format!("{says} (n = {})", Elements(case.n)), case })
}

/// A mean count: whole where it is nearly so.
fn mean(count: f64) -> String {
    if (count - count.round()).abs() < 0.005 { grouped(count as u64) } else { significant(count) }
}

fn plural(count: f64, one: &str, many: &str) -> String {
    let text = mean(count);
    format!("{text} {}", if text == "1" { one } else { many })
}
