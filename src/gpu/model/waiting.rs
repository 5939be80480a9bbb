//! Blocks that wait for one another.

use super::history::Traffic;
use super::latency::{self, Chains};
use super::rates::Rates;
use crate::emulator::{HandOffs, Outcome};

/// Blocks of a launch.
pub(super) struct Blocks {
    /// All of them.
    pub(super) all: f64,
    /// Those that run at the same time.
    pub(super) there: f64,
    /// In how many rounds they come.
    pub(super) rounds: f64,
    /// Cycles that all rounds take one after the other.
    pub(super) alone: f64,
}

/// Cycles that the first blocks wait for others, and those that all further ones do.
///
/// A link of a chain of blocks takes what a block waits for from seeing a word to storing its own, and until
/// the next one sees that. Those that wait for the same word read it all the time, one after the other.
///
/// Blocks that look back go on without waiting for all before them. If warps look at 32 words at a time,
/// the first blocks look back on all that are there, where each finds what those before it have summed
/// up; a block of a later round waits until the sum has come through all that are there. If threads look
/// at one word after the other, a thread that has looked for t cycles is t / step blocks back. A sum that
/// is there then gets that much further with the next link. So it comes through all blocks
/// after √(2 · step · link · there), where a step takes as long as seeing a word that was stored.
pub(super) fn cycles(
    outcome: &Outcome,
    blocks: &Blocks,
    chains: &Chains,
    traffic: &Traffic,
    rates: &Rates,
) -> (f64, f64) {
    let HandOffs { longest, at_a_word, at_a_time, looks_back, path, .. } = &outcome.hand_offs;
    let path: f64 = latency::of(path, traffic, rates, 0.0).iter().sum();
    let link = rates.handed + path;
    let later = (blocks.rounds - 1.0).max(0.0);
    match (*longest, *looks_back) {
        (0, _) if !outcome.awaits_others => (0.0, 0.0),
        (1.., false) => {
            let waiting = *at_a_word as f64;
            let readers = waiting.min(blocks.there * (waiting / blocks.all).max(1.0));
            // Towards the end, fewer and fewer are left.
            let readers = readers * (1.0 - 0.5 * (readers / waiting.max(1.0)).min(1.0));
            let link = link.hypot(READ * readers);
            (0.0, (chains.longest + *longest as f64 * link - blocks.alone).max(0.0))
        }
        // Of two blocks, one looks at one word in any case.
        (_, true) if *at_a_time == 1 && blocks.all > 2.0 => {
            let round = (2.0 * rates.handed * link * blocks.there).sqrt();
            (round, later * round)
        }
        _ => {
            // Fitted to links of this length; theirs grows with the root of it.
            let longer = (link / FITTED_LINK).sqrt().max(1.0);
            let there = blocks.there / 32.0;
            let round = longer * (rates.look_again + rates.look_back * there);
            (longer * rates.look_far * (1.0 + there).log2(), later * round)
        }
    }
}

/// How many times as long blocks may wait for others: links are longer where many warps ask for words all
/// the time.
pub(super) fn doubt(outcome: &Outcome, blocks: f64, there: f64) -> f64 {
    let HandOffs { longest, waits, looks_back, .. } = &outcome.hand_offs;
    if *longest == 0 || *looks_back {
        return 2.0;
    }
    let at_once = *waits as f64 * (there / blocks).min(1.0);
    (LINK_DOUBT + at_once / MANY).min(2.0)
}

/// How far a link may be off, and from how many warps that ask at a time on it may be twice as long
/// (`benches/data/h200/hand_offs.csv`).
const LINK_DOUBT: f64 = 1.12;
const MANY: f64 = 5000.0;

/// Cycles of L2 for each of those that read the same word all the time: 8,448 warps take 8.2 µs for each
/// link (`benches/data/h200/hand_offs.csv`).
const READ: f64 = 1.9;

/// Cycles of a link of the scans whose blocks look back.
const FITTED_LINK: f64 = 780.0;
