//! The evidence of an explanation: the numbers of both cases behind a cause.

use super::Facts;
use super::sentences::DIFFERS;
use crate::analysis::mean;
use crate::results::record::{Amount, Cause, Counter};
use crate::units::{Bytes, Seconds, grouped};

use Counter as C;

/// The numbers of both cases behind a cause.
pub(super) fn evidence(cause: Cause, slow: &Facts, fast: &Facts) -> String {
    let (a, b) = (&slow.name, &fast.name);
    let both = |counter: Counter, noun: &str| both(slow, fast, counter, noun);
    let wait = |amount| longest_waits(slow, fast, amount);
    match cause {
        Cause::GlobalAtomics => global_atomics(slow, fast),
        Cause::SharedAtomics => shared_atomics(slow, fast),
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
            format!("each block waits for what those before it store; {}", blocks(slow, fast))
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

/// A count of both cases, with the noun that says what is counted.
fn both(slow: &Facts, fast: &Facts, counter: Counter, noun: &str) -> String {
    let [x, y] = [slow, fast].map(|facts| grouped(facts.count(counter) as u64));
    format!("{} has {x} {noun}, {} {y}", slow.name, fast.name)
}

/// The waits of a kind on the longest chain of both cases, in all rounds of all launches.
fn longest_waits(slow: &Facts, fast: &Facts, amount: Amount) -> (Seconds, Seconds) {
    let of = |facts: &Facts| {
        let each = facts.launches().iter().map(|launch| {
            let cycles = launch.amounts.get(amount) / launch.amounts.get(Amount::Warps).max(1.0);
            f64::from(launch.launches) * cycles / launch.clock
        });
        Seconds(each.sum())
    };
    (of(slow), of(fast))
}

fn passes(facts: &Facts) -> f64 {
    facts.count(C::SharedLoadWavefronts) + facts.count(C::SharedStoreWavefronts)
}

/// Lanes of a warp that hit one word or bank take a pass each; where the passes do not
/// differ, warps wait longer for each other's turns.
fn shared_atomics(slow: &Facts, fast: &Facts) -> String {
    let [x, y] = [slow, fast].map(|facts| facts.count(C::SharedAtomicWavefronts));
    let (longer, shorter) = longest_waits(slow, fast, Amount::SharedAtomicWaits);
    if x < DIFFERS * y && longer.0 > DIFFERS * shorter.0 {
        return format!(
            "warps wait for their turn at a word of shared memory; the longest chain waits \
             {longer} for such atomics in {}, {shorter} in {}",
            slow.name, fast.name
        );
    }
    let passes = both(slow, fast, C::SharedAtomicWavefronts, "passes of atomics in shared memory");
    match slow.ratio(C::SharedAtomicWavefronts, C::SharedAtomicRequests) {
        Some(each) if each > 1.5 => format!(
            "lanes hit the same word or bank, so each warp's atomic takes {} passes; {passes}",
            mean(each)
        ),
        _ => passes,
    }
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
