//! What the time would be if an amount of work were different.
//!
//! A predicted time keeps the amounts that it was computed from ([`LaunchCost`]). Here the
//! model computes the time again from changed amounts: without what belongs to a [`Cause`],
//! or with another case's in its place.

use super::rates::Factors;
use super::time::{self, Parts};
use crate::work::cause::{Amount, Cause};
use crate::work::metric::Metric;
use crate::work::{Amounts, LaunchCost};

/// The kinds of wait of a chain.
const WAITS: [Amount; 5] = [
    Amount::LoadWaits,
    Amount::ResultWaits,
    Amount::BarrierWaits,
    Amount::AtomicWaits,
    Amount::SharedAtomicWaits,
];

/// Notes that a launch moves `excess` times the sectors of coalesced accesses: its traffic
/// is that much less, and the excess is a factor of its own.
pub fn coalesced(amounts: &mut Amounts, excess: f64) {
    for amount in [Amount::L1, Amount::L2Way, Amount::L2] {
        amounts.scale(amount, 1.0 / excess);
    }
    amounts.scale(Amount::Excess, excess);
}

/// Predicted seconds of all launches with these amounts.
pub fn seconds_of(launches: &[LaunchCost]) -> f64 {
    launches.iter().map(|launch| f64::from(launch.launches) * seconds(launch)).sum()
}

/// The seconds of one launch, from its amounts.
pub(super) fn seconds(launch: &LaunchCost) -> f64 {
    parts(launch).seconds()
}

fn parts(launch: &LaunchCost) -> Parts {
    let of = |amount| launch.amounts.get(amount);
    let warps = of(Amount::Warps).max(1.0);
    let chain: f64 = WAITS.iter().map(|wait| of(*wait)).sum();
    let alone = (chain + of(Amount::Turnover)) / warps;
    let (excess, partial) = (of(Amount::Excess), of(Amount::Excess) * of(Amount::Partial));
    let shared =
        of(Amount::SharedPasses) + of(Amount::ConflictPasses) + of(Amount::SharedAtomicPasses);
    let units = [
        of(Amount::Issue).max(of(Amount::Unit)) * of(Amount::IdleLanes),
        shared + of(Amount::L1) * excess,
        of(Amount::L2Way) * partial,
        of(Amount::AtomicSends),
    ];
    let busiest = time::side_by_side(units) * of(Amount::Imbalance);
    Parts {
        launch: of(Amount::Launch) + of(Amount::Code),
        alone,
        longest: launch.first * chain / warps,
        busiest,
        rounds: launch.rounds,
        look_far: of(Amount::LookFar),
        look_back: of(Amount::LookBack),
        dram: of(Amount::Dram),
        l2: of(Amount::L2) * partial,
        atomics: of(Amount::AtomicPasses),
        starts: of(Amount::Starts),
        barriers: launch.barriers,
        crowd: of(Amount::Crowd),
        fill: launch.fill,
        turn: launch.turn,
        overlap: launch.overlap,
        queue: if launch.queue > 0.0 { launch.queue } else { Factors::FITTED.queue },
        clock: launch.clock,
    }
}

/// Predicted seconds without the amounts of a cause: its work is free; its factors are
/// ideal. Zero work never takes longer, so the result is at most [`seconds_of`].
pub fn seconds_without(launches: &[LaunchCost], cause: Cause) -> f64 {
    let mut changed = launches.to_vec();
    for launch in &mut changed {
        remove(launch, cause);
    }
    seconds_of(&changed)
}

/// Predicted seconds of nothing but the amounts of a cause.
pub fn seconds_alone(launches: &[LaunchCost], cause: Cause) -> f64 {
    let mut changed = launches.to_vec();
    for launch in &mut changed {
        for other in Cause::ALL.iter().filter(|other| **other != cause) {
            remove(launch, *other);
        }
    }
    seconds_of(&changed)
}

fn remove(launch: &mut LaunchCost, cause: Cause) {
    let ideal = Amounts::default();
    for amount in Amount::of(cause) {
        let value = match amount {
            Amount::Warps => launch.most_warps.max(launch.amounts.get(amount)),
            other => ideal.get(other),
        };
        launch.amounts.set(amount, value);
    }
}

/// The launches of two cases, put side by side: those of the same kernel, the longest
/// first, then the others by length. Where one case has no launch left, an empty one
/// stands: a launch of the same shape with no work.
pub fn aligned(a: &[LaunchCost], b: &[LaunchCost]) -> Vec<(LaunchCost, LaunchCost)> {
    let (mut a, mut b) = (each(a), each(b));
    let mut pairs = Vec::new();
    let mut rest = Vec::new();
    for launch in a.drain(..) {
        match b.iter().position(|other| other.kernel == launch.kernel) {
            Some(at) => pairs.push((launch, b.remove(at))),
            None => rest.push(launch),
        }
    }
    let mut others = b.into_iter();
    for launch in rest {
        let other = others.next().unwrap_or_else(|| empty(&launch));
        pairs.push((launch, other));
    }
    pairs.extend(others.map(|launch| (empty(&launch), launch)));
    pairs
}

/// Most single launches that are compared; a stored line may claim any number.
const MOST_LAUNCHES: usize = 4096;

/// Single launches, the longest first.
fn each(launches: &[LaunchCost]) -> Vec<LaunchCost> {
    let one = |launch: &LaunchCost| LaunchCost { launches: 1, ..launch.clone() };
    let mut all: Vec<LaunchCost> = launches
        .iter()
        .flat_map(|launch| std::iter::repeat_n(one(launch), launch.launches as usize))
        .take(MOST_LAUNCHES)
        .collect();
    all.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    all
}

fn empty(launch: &LaunchCost) -> LaunchCost {
    let mut empty = LaunchCost { seconds: 0.0, ..launch.clone() };
    for amount in Amount::ALL.iter().filter(|amount| !amount.is_factor()) {
        empty.amounts.set(*amount, 0.0);
    }
    empty
}

/// Seconds that all first launches of `pairs` save with the amounts of a cause that their
/// partners have, and seconds that the partners lose with those of the first ones.
pub fn exchanged(pairs: &[(LaunchCost, LaunchCost)], cause: Cause) -> (f64, f64) {
    let with = |launch: &LaunchCost, other: &LaunchCost| {
        let mut changed = launch.clone();
        for amount in Amount::of(cause) {
            changed.amounts.set(amount, other.amounts.get(amount));
        }
        seconds(&changed)
    };
    pairs.iter().fold((0.0, 0.0), |(saved, lost), (a, b)| {
        (saved + seconds(a) - with(a, b), lost + with(b, a) - seconds(b))
    })
}

/// The total of an amount over launches; of a factor its mean, weighted by what it
/// multiplies.
pub fn total(launches: &[LaunchCost], amount: Amount) -> f64 {
    let sum = |of: &dyn Fn(&LaunchCost) -> f64| -> f64 {
        launches.iter().map(|launch| f64::from(launch.launches) * of(launch)).sum()
    };
    if !amount.is_factor() {
        return sum(&|launch| launch.amounts.get(amount));
    }
    let weight = |launch: &LaunchCost| match amount {
        Amount::IdleLanes => launch.amounts.get(Amount::Issue),
        Amount::Excess | Amount::Partial => {
            launch.amounts.get(Amount::L1) + launch.amounts.get(Amount::L2Way)
        }
        // Divided by the warps, the chains give a time.
        Amount::Warps => launch.seconds / launch.amounts.get(amount).max(1.0),
        _ => launch.seconds,
    };
    let all = sum(&weight);
    if all <= 0.0 {
        return Amounts::default().get(amount);
    }
    sum(&|launch| weight(launch) * launch.amounts.get(amount)) / all
}
