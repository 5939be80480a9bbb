//! Which cause accounts for the difference of two times.
//!
//! The effect of a cause is counterfactual: the timing model computes the slow case again
//! with the amounts of work that the fast case has for that cause, and the fast case with
//! those of the slow one. The mean of both changes is the effect. It handles overlap: where
//! two resources take equally long, neither alone makes the slow case faster, but each
//! makes the fast one slower.

use super::Facts;
use crate::gpu::counterfactual::{aligned, exchanged, seconds_alone, seconds_of, seconds_without};
use crate::results::record::{Cause, Counter, LaunchCost, Metric, Resource, Stored};
use crate::units::Seconds;

/// What a cause does to the difference of two times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Effect {
    pub(super) cause: Cause,
    /// Seconds of the difference that it accounts for.
    pub(super) seconds: f64,
    /// Seconds of the slow case with the amounts of the fast one.
    pub(super) slow_with: f64,
    /// Seconds of the fast case with the amounts of the slow one.
    pub(super) fast_with: f64,
}

/// The effect of each cause on the modelled difference, the largest first.
pub(super) fn effects(slow: &Facts, fast: &Facts) -> Vec<Effect> {
    let (a, b) = (slow.launches(), fast.launches());
    if a.is_empty() || b.is_empty() {
        return of_parts(slow, fast);
    }
    let (slower, faster) = (seconds_of(a), seconds_of(b));
    let pairs = aligned(a, b);
    // No cause accounts for more than the whole difference.
    let most = (slower - faster).max(0.0);
    let mut effects: Vec<Effect> = kernel_causes()
        .map(|cause| {
            let (saved, lost) = exchanged(&pairs, cause);
            let seconds = f64::midpoint(saved.clamp(-most, most), lost.clamp(-most, most));
            Effect { cause, seconds, slow_with: slower - saved, fast_with: faster + lost }
        })
        .collect();
    if let (Some(x), Some(y)) = (slow.host, fast.host) {
        let (slow_with, fast_with) = (slow.seconds - x + y, fast.seconds - y + x);
        effects.push(Effect { cause: Cause::Host, seconds: x - y, slow_with, fast_with });
    }
    effects.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    effects
}

/// Causes that kernel time can have.
pub(super) fn kernel_causes() -> impl Iterator<Item = Cause> {
    let others = [Cause::Host, Cause::NoDifference];
    Cause::ALL.iter().copied().filter(move |cause| !others.contains(cause))
}

/// Seconds that each cause takes from a case if its work were free, the most first.
pub(crate) fn saved(launches: &[LaunchCost]) -> Vec<(Cause, f64)> {
    let all = seconds_of(launches);
    let mut saved: Vec<(Cause, f64)> = kernel_causes()
        .map(|cause| (cause, (all - seconds_without(launches, cause)).max(0.0)))
        .collect();
    saved.sort_by(|a, b| b.1.total_cmp(&a.1));
    saved
}

/// What limits launches: the cause that costs most, or else the resource that earlier
/// versions stored.
pub(crate) fn limit(launches: &[LaunchCost], bound_by: &Stored<Resource>) -> String {
    match saved(launches).first() {
        Some((cause, saved)) if *saved > 0.0 => cause.label().to_owned(),
        _ => bound_by.label().to_owned(),
    }
}

/// The time without each cause that costs at least a hundredth of it: `5.4 µs of 12 µs`. The
/// most costly cause comes first. These times overlap: they do not add up.
pub(crate) fn times_without(launches: &[LaunchCost]) -> Vec<(Cause, String)> {
    const LEAST: f64 = 0.01;
    let all = seconds_of(launches);
    let costly = saved(launches).into_iter().filter(|(_, saved)| *saved > LEAST * all);
    costly
        .map(|(cause, saved)| (cause, format!("{} of {}", Seconds(all - saved), Seconds(all))))
        .collect()
}

/// What each cause costs, as parts of a whole: the mean of what the launches save without
/// its work, and what its work takes by itself.
pub(super) fn attributed(launches: &[LaunchCost]) -> Vec<(Cause, f64)> {
    let saved = saved(launches).into_iter();
    saved
        .map(|(cause, saved)| (cause, f64::midpoint(saved, seconds_alone(launches, cause))))
        .collect()
}

/// For records of earlier versions: what each resource takes by itself.
fn of_parts(slow: &Facts, fast: &Facts) -> Vec<Effect> {
    let mut effects: Vec<Effect> = Resource::ALL
        .iter()
        .map(|resource| {
            let (a, b) = (slow.part(*resource), fast.part(*resource));
            let (slow_with, fast_with) = (slow.seconds - a + b, fast.seconds - b + a);
            Effect { cause: cause_of(*resource, slow), seconds: a - b, slow_with, fast_with }
        })
        .collect();
    effects.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    effects
}

/// The cause that a resource stands for in a case without amounts of work.
pub(super) fn cause_of(resource: Resource, facts: &Facts) -> Cause {
    match resource {
        Resource::BlockStart => Cause::BlockStart,
        Resource::Dram | Resource::L1 | Resource::L2 => Cause::MemoryTraffic,
        Resource::Issue => Cause::Instructions,
        Resource::L2Atomics => Cause::GlobalAtomics,
        Resource::Latency => Cause::MemoryLatency,
        Resource::Launch => Cause::Launches,
        Resource::LookBack => Cause::LookBack,
        Resource::Shared => {
            let passes = facts.count(Counter::SharedLoadWavefronts)
                + facts.count(Counter::SharedStoreWavefronts);
            if facts.count(Counter::SharedAtomicWavefronts) > passes {
                Cause::SharedAtomics
            } else if facts.count(Counter::SharedBankConflicts) > 0.25 * passes {
                Cause::BankConflicts
            } else {
                Cause::SharedPasses
            }
        }
    }
}
