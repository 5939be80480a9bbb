//! The amounts of work of a launch, as kept beside its time.

use super::latency::Chains;
use super::rates::Rates;
use super::time::Parts;
use super::{atomics, cache, issue, l2, shared};
use crate::emulator::{Outcome, WAITS, Wait};
use crate::work::Amounts;
use crate::work::cause::Amount;

/// A launch with what the model found about it.
pub(super) struct Launched<'a> {
    pub(super) outcome: &'a Outcome,
    pub(super) rates: &'a Rates,
    pub(super) together: &'a Parts,
    pub(super) chains: &'a Chains,
    /// Multiprocessors.
    pub(super) sms: f64,
    /// Warps of the whole grid.
    pub(super) warps: f64,
    /// Share of the busiest multiprocessor in all work.
    pub(super) share: f64,
    /// Seconds of the launch without fetching code.
    pub(super) launch: f64,
    /// Seconds of fetching code.
    pub(super) code: f64,
}

/// The amount that a wait of the chain counts to.
fn amount(wait: usize) -> Amount {
    const LOADS: [Wait; 4] = [Wait::L1Hit, Wait::L2Hit, Wait::Dram, Wait::Pass];
    if LOADS.iter().any(|it| *it as usize == wait) {
        Amount::LoadWaits
    } else if wait == Wait::Barrier as usize {
        Amount::BarrierWaits
    } else if wait == Wait::Atomic as usize {
        Amount::AtomicWaits
    } else if [Wait::SharedAtomic, Wait::Swap].iter().any(|it| *it as usize == wait) {
        Amount::SharedAtomicWaits
    } else {
        Amount::ResultWaits
    }
}

/// The amounts of a launch.
pub(super) fn of(launched: &Launched) -> Amounts {
    let Launched { outcome, rates, together, chains, sms, warps, share, launch, code } = *launched;
    let Parts { rounds, .. } = *together;
    let mut amounts = Amounts::default();
    let mut add = |amount, value: f64| {
        let value = amounts.get(amount) + value;
        amounts.set(amount, value);
    };
    add(Amount::Launch, launch);
    add(Amount::Code, code);
    // Warps at work at a time. The number of rounds follows from it.
    let at_work = warps / rounds;
    for wait in 0..WAITS {
        let cycles = chains.longest_waits[wait] + (rounds - 1.0) * chains.mean_waits[wait];
        add(amount(wait), cycles * at_work);
    }
    add(Amount::Turnover, (rounds - 1.0) * rates.turnover * at_work);
    let counters = &outcome.counters;
    let idle = if counters.thread_instructions > 0 {
        (32.0 * counters.warp_instructions as f64 / counters.thread_instructions as f64).max(1.0)
    } else {
        1.0
    };
    add(Amount::Issue, issue::cycles(outcome, rates) / idle / sms);
    let unit = issue::unit_cycles(outcome, rates).max(cache::constant_cycles(outcome, rates));
    add(Amount::Unit, unit / idle / sms);
    let [plain, conflicts, atomic] = shared::parts(outcome, rates);
    add(Amount::SharedPasses, plain / sms);
    add(Amount::ConflictPasses, conflicts / sms);
    add(Amount::SharedAtomicPasses, atomic / sms);
    let partial = l2::dearer(outcome, rates);
    add(Amount::L1, cache::l1_cycles(outcome, rates) / sms);
    add(Amount::L2Way, l2::cycles(outcome, rates) / partial / sms);
    add(Amount::L2, together.l2 / partial);
    add(Amount::Dram, together.dram);
    add(Amount::AtomicSends, atomics::cycles(outcome, rates) / sms);
    add(Amount::AtomicPasses, together.atomics);
    add(Amount::Starts, together.starts);
    add(Amount::LookFar, together.look_far);
    add(Amount::LookBack, together.look_back);
    amounts.set(Amount::Warps, at_work);
    amounts.set(Amount::Imbalance, share * sms);
    amounts.set(Amount::Crowd, together.crowd);
    amounts.set(Amount::IdleLanes, idle);
    amounts.set(Amount::Partial, partial);
    amounts
}

/// The share of the first round in the waits of the chain.
pub(super) fn first(together: &Parts, chains: &Chains, rates: &Rates) -> f64 {
    let waits = together.alone - (together.rounds - 1.0) * rates.turnover;
    if waits > 0.0 { chains.longest / waits } else { 1.0 }
}
