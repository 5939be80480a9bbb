//! The sentences of an explanation: cause, evidence of both cases, consequence.

use super::effects::{self, Effect};
use super::{CONTRADICTION, Facts, LEAST_RATIO, SourceLine, effects::cause_of, is_modelled};
use crate::analysis::mean;
use crate::results::record::{Amount, Cause, Counter, LaunchCost, Metric};
use crate::units::{Bytes, Seconds, grouped, significant};

use Counter as C;

/// Counts further apart than this differ.
const DIFFERS: f64 = 1.1;

/// A sentence with the line of source that it is about.
pub(super) fn at(line: Option<&SourceLine>, says: &str) -> String {
    match line {
        Some(line) => format!("{line}: {says}"),
        None => says.to_owned(),
    }
}

/// A further cause.
pub(super) fn also(effect: &Effect, slow: &Facts, fast: &Facts) -> String {
    format!("Also {}: {}.", effect.cause, evidence(effect.cause, slow, fast))
}

/// What the times would be if only this cause differed.
pub(super) fn consequence(effect: &Effect, slow: &Facts, fast: &Facts) -> String {
    let label = effect.cause.label();
    let (a, b) = (&slow.name, &fast.name);
    let faster = slow.modelled - effect.slow_with;
    let slower = effect.fast_with - fast.modelled;
    // What the slow case gains says most, unless other work then takes the time.
    if faster >= slower.min(0.5 * (slow.modelled - fast.modelled)) {
        let (with, of) = (Seconds(effect.slow_with), Seconds(slow.modelled));
        format!("With the {label} of {b}, {a} would take {with} instead of {of} (model).")
    } else {
        let (with, of) = (Seconds(effect.fast_with), Seconds(fast.modelled));
        format!("With the {label} of {a}, {b} would take {with} instead of {of} (model).")
    }
}

/// The numbers of both cases behind a cause.
pub(super) fn evidence(cause: Cause, slow: &Facts, fast: &Facts) -> String {
    let (a, b) = (&slow.name, &fast.name);
    let both = |counter: Counter, noun: &str| {
        let (x, y) = (grouped(slow.count(counter) as u64), grouped(fast.count(counter) as u64));
        format!("{a} has {x} {noun}, {b} {y}")
    };
    let time = |of: f64| Seconds(of).to_string();
    let wait =
        |amount| (time(waits(slow.launches(), amount)), time(waits(fast.launches(), amount)));
    match cause {
        Cause::GlobalAtomics => global_atomics(slow, fast),
        Cause::SharedAtomics => {
            let passes = both(C::SharedAtomicWavefronts, "passes of atomics in shared memory");
            match slow.ratio(C::SharedAtomicWavefronts, C::SharedAtomicRequests) {
                Some(each) if each > 1.5 => format!(
                    "lanes hit the same word or bank, so each warp's atomic takes {} passes; \
                     {passes}",
                    mean(each)
                ),
                _ => passes,
            }
        }
        Cause::BankConflicts => format!(
            "lanes of a warp access different words of one bank, one after the other; {}",
            both(C::SharedBankConflicts, "passes by bank conflicts")
        ),
        Cause::SharedPasses => {
            let (x, y) = (passes(slow) as u64, passes(fast) as u64);
            format!("{a} takes {} passes through shared memory, {b} {}", grouped(x), grouped(y))
        }
        Cause::Coalescing => {
            let (x, y) = (slow.amount(Amount::Excess), fast.amount(Amount::Excess));
            format!(
                "lanes access scattered addresses; {a} moves {} sectors for each that is needed, \
                 {b} {}",
                mean(x),
                mean(y)
            )
        }
        Cause::MemoryTraffic => traffic(slow, fast),
        Cause::Instructions => {
            let counts = both(C::WarpInstructions, "warp instructions");
            if slow.count(C::WarpInstructions) > fast.count(C::WarpInstructions) {
                format!("the schedulers issue more; {counts}")
            } else {
                // Counters are of PTX.
                format!(
                    "{counts}, but those of {a} become more or slower machine instructions, as \
                     those of a division do"
                )
            }
        }
        Cause::Divergence => {
            let lanes = |facts: &Facts| mean(32.0 / facts.amount(Amount::IdleLanes).max(1.0));
            let (x, y) = (lanes(slow), lanes(fast));
            format!("{a} keeps {x} of 32 lanes active, {b} {y}")
        }
        Cause::Barriers => {
            let (x, y) = wait(Amount::BarrierWaits);
            format!(
                "{}; the longest chain waits {x} at barriers in {a}, {y} in {b}",
                both(C::Barriers, "waits of warps at barriers")
            )
        }
        Cause::MemoryLatency => {
            let (x, y) = wait(Amount::LoadWaits);
            format!(
                "loads wait for each other; the longest chain waits {x} for them in {a}, {y} in {b}"
            )
        }
        Cause::DependentChain => {
            let (x, y) = wait(Amount::ResultWaits);
            format!(
                "each instruction waits for the result before it; the longest chain waits {x} in \
                 {a}, {y} in {b}"
            )
        }
        Cause::Parallelism => {
            let warps = |facts: &Facts| grouped(facts.amount(Amount::Warps).round() as u64);
            let most = slow.launches().iter().map(|it| it.most_warps).fold(0.0, f64::max);
            format!(
                "{a} keeps {} of {} warps at work, {b} {}; {}",
                warps(slow),
                grouped(most as u64),
                warps(fast),
                blocks(slow, fast)
            )
        }
        Cause::Launches => {
            let count = |facts: &Facts| -> u32 {
                facts.launches().iter().map(|launch| launch.launches).sum()
            };
            let (x, y) = (count(slow), count(fast));
            format!("each launch takes time before a block runs; {a} launches {x}, {b} {y}")
        }
        Cause::Host => {
            let (x, y) = (slow.host.unwrap_or_default(), fast.host.unwrap_or_default());
            format!(
                "copies and stages on the CPU take {} of {} in {a}, {} of {} in {b}",
                Seconds(x),
                Seconds(slow.seconds),
                Seconds(y),
                Seconds(fast.seconds)
            )
        }
        Cause::BlockStart => {
            format!(
                "blocks start one after the other, and each does little; {}",
                blocks(slow, fast)
            )
        }
        Cause::LookBack => {
            format!("each block waits for the sums before it; {}", blocks(slow, fast))
        }
        Cause::NoDifference => format!("{a} and {b} do the same work"),
    }
}

fn blocks(slow: &Facts, fast: &Facts) -> String {
    let of = |facts: &Facts| -> String {
        let all = facts.launches().iter().map(|it| f64::from(it.launches) * it.blocks);
        grouped(all.sum::<f64>() as u64)
    };
    format!("{} has {} blocks, {} {}", slow.name, of(slow), fast.name, of(fast))
}

/// Seconds of waits of a kind, in all rounds of all launches.
fn waits(launches: &[LaunchCost], amount: Amount) -> f64 {
    let each = launches.iter().map(|launch| {
        let cycles = launch.amounts.get(amount) / launch.amounts.get(Amount::Warps).max(1.0);
        f64::from(launch.launches) * cycles / launch.clock
    });
    each.sum()
}

fn passes(facts: &Facts) -> f64 {
    facts.count(C::SharedLoadWavefronts) + facts.count(C::SharedStoreWavefronts)
}

/// L2 serialises the lanes of an atomic that hit one word.
fn global_atomics(slow: &Facts, fast: &Facts) -> String {
    let (a, b) = (&slow.name, &fast.name);
    let lanes = slow.ratio(C::GlobalAtomicLanes, C::GlobalAtomicRequests).unwrap_or_default();
    let addresses =
        slow.ratio(C::GlobalAtomicAddresses, C::GlobalAtomicRequests).unwrap_or_default();
    let says = if addresses < 0.9 * lanes {
        let noun = if mean(addresses) == "1" { "address" } else { "addresses" };
        format!(
            "each warp's {} atomics hit {} {noun}, so L2 serialises them",
            mean(lanes),
            mean(addresses)
        )
    } else {
        "L2 executes atomics in passes".to_owned()
    };
    let (x, y) = (slow.count(C::GlobalAtomicPasses), fast.count(C::GlobalAtomicPasses));
    let busiest = [slow, fast].map(|facts| facts.count(C::BusiestSlicePasses));
    let far = |x: f64, y: f64| x.max(y) / x.min(y).max(1.0);
    if far(busiest[0], busiest[1]) > far(x, y) && far(x, y) < DIFFERS {
        return format!(
            "{says}; the busiest slice does {} of {} passes in {a}, {} of {} in {b}",
            grouped(busiest[0] as u64),
            grouped(x as u64),
            grouped(busiest[1] as u64),
            grouped(y as u64)
        );
    }
    let slice = if x > 0.0 && busiest[0] > 0.95 * x { ", all in one slice" } else { "" };
    format!("{says}{slice}; {a} needs {} passes, {b} {}", grouped(x as u64), grouped(y as u64))
}

/// Bytes at the level that differs most in time.
fn traffic(slow: &Facts, fast: &Facts) -> String {
    let (a, b) = (&slow.name, &fast.name);
    let bytes = |facts: &Facts| {
        32.0 * (facts.count(C::GlobalLoadSectors) + facts.count(C::GlobalStoreSectors))
    };
    let (x, y) = (bytes(slow), bytes(fast));
    if x > DIFFERS * y || slow.launches().is_empty() {
        let (x, y) = (Bytes(x as u64), Bytes(y as u64));
        return format!("loads and stores move {x} in {a}, {y} in {b}");
    }
    let levels = [(Amount::L2, "L2"), (Amount::L2Way, "L2"), (Amount::Dram, "DRAM")];
    let time = |facts: &Facts, amount| {
        let clock = facts.launches().first().map_or(1.0, |launch| launch.clock);
        facts.amount(amount) / clock
    };
    let differs = |amount| time(slow, amount) - time(fast, amount);
    let most = levels.into_iter().max_by(|x, y| differs(x.0).total_cmp(&differs(y.0)));
    let (amount, level) = most.unwrap_or(levels[0]);
    let (x, y) = (Seconds(time(slow, amount)), Seconds(time(fast, amount)));
    format!("{level} is busy for {x} in {a}, {y} in {b}")
}

/// The cause whose work costs most in one case, and the seconds that it costs.
pub(super) fn most(facts: &Facts) -> (Cause, f64) {
    if let Some((cause, saved)) = effects::saved(facts.launches()).first()
        && *saved > 0.0
    {
        return (*cause, *saved);
    }
    let bound = facts.model.bound_by.known();
    bound.map_or((Cause::NoDifference, 0.0), |resource| {
        (cause_of(resource, facts), facts.part(resource).min(facts.seconds))
    })
}

/// What one case takes its time for.
pub(super) fn alone(cause: Cause, saved: f64, facts: &Facts) -> String {
    let all = facts.modelled;
    let (without, of) = (Seconds((all - saved).max(0.0)), Seconds(all));
    let glossary = cause.glossary().trim_end_matches('.');
    let count = cause.counters().first().map(|counter| (*counter, facts.count(*counter)));
    let counted = match count {
        Some((counter, value)) if value > 0.0 => {
            format!(" ({}: {})", counter.label(), grouped(value as u64))
        }
        _ => String::new(),
    };
    let start: String = glossary.chars().take(1).flat_map(char::to_lowercase).collect();
    // `L2` and `CPU` keep their case.
    let glossary = if glossary.chars().nth(1).is_some_and(char::is_lowercase) {
        format!("{start}{}", glossary.chars().skip(1).collect::<String>())
    } else {
        glossary.to_owned()
    };
    format!("{glossary}{counted}. Without {}: {without} of {of} (model).", cause.label())
}

/// The cause whose counter differs most between two cases of the same time.
pub(super) fn differs_most(slow: &Facts, fast: &Facts) -> Option<Cause> {
    let causes = effects::kernel_causes().filter_map(|cause| {
        let counter = cause.counters().first()?;
        let (x, y) = (slow.count(*counter), fast.count(*counter));
        let times = x.max(y) / x.min(y).max(1.0);
        (times >= DIFFERS && x.max(y) > 1000.0).then_some((cause, times))
    });
    causes.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(cause, _)| cause)
}

/// Why two cases take the same time: what differs most does not limit them.
pub(super) fn no_difference(slow: &Facts, fast: &Facts) -> Vec<String> {
    let (limit, saved) = most(slow);
    let (without, of) = (Seconds(slow.modelled - saved), Seconds(slow.modelled));
    let bound = format!(
        "The largest cost of both is {limit}: without it, {} takes {without} of {of} (model).",
        slow.name
    );
    let Some(differs) = differs_most(slow, fast) else {
        return vec!["No counter differs by 10 %.".to_owned(), bound];
    };
    let counter = differs.counters().first().copied().unwrap_or(C::WarpInstructions);
    let values = [slow, fast].map(|facts| grouped(facts.count(counter) as u64));
    let free = effects::saved(slow.launches());
    let saved = free.iter().find(|(cause, _)| *cause == differs).map_or(0.0, |(_, saved)| *saved);
    let hidden = format!(
        "{} differ most: {} in {}, {} in {}. Other work hides them: without {differs}, {} takes \
         {} of {of} (model).",
        upper(counter.label()),
        values[0],
        slow.name,
        values[1],
        fast.name,
        slow.name,
        Seconds((slow.modelled - saved).max(0.0))
    );
    if differs == limit { vec![hidden] } else { vec![hidden, bound] }
}

/// Where no cause makes a difference of times.
pub(super) fn no_cause(slow: &Facts, fast: &Facts) -> String {
    if slow.modelled <= fast.modelled {
        return "Nothing that the model counts makes the difference.".to_owned();
    }
    format!(
        "No cause alone makes the difference: waits and work overlap less in {} (model).",
        slow.name
    )
}

fn upper(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Where measured or recorded times contradict the model: both ratios, and what follows.
pub(super) fn contradiction(slow: &Facts, fast: &Facts) -> Option<String> {
    if is_modelled(slow) && is_modelled(fast) {
        return None;
    }
    let found = slow.seconds / fast.seconds;
    let modelled = slow.modelled / fast.modelled;
    let apart = (found / modelled).max(modelled / found);
    let opposite = found >= LEAST_RATIO && modelled <= 1.0 / LEAST_RATIO;
    if apart < CONTRADICTION && !opposite {
        return None;
    }
    let (a, b) = (&slow.name, &fast.name);
    let (x, y) = (Seconds(slow.modelled), Seconds(fast.modelled));
    let provenance = slow.record.provenance;
    let verdict = if modelled < 1.0 {
        format!("{a} is {}× faster", significant(1.0 / modelled))
    } else if modelled < LEAST_RATIO {
        "both take the same time".to_owned()
    } else {
        format!("{b} is {}× faster", significant(modelled))
    };
    let trust = if opposite || modelled < LEAST_RATIO || found < LEAST_RATIO {
        "Trust the times; the cause above is uncertain."
    } else {
        "Trust the times for how much, the model for why."
    };
    Some(format!(
        "The model contradicts the {provenance} times: it predicts {x} for {a} and {y} for {b}, so \
         that {verdict}. {trust}"
    ))
}
