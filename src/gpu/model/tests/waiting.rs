//! Blocks that wait for one another, and a last block that reads what all left.

use super::{h200, rounds, timeline};
use crate::emulator::{HandOffs, Outcome, Touched, Wait};
use crate::gpu::model::{Geometry, Prediction, predict};

/// A prediction of so many blocks that wait for each other like this.
fn of(blocks: u64, hand_offs: HandOffs) -> Prediction {
    let geometry = Geometry { blocks, ..rounds(1, 0).1 };
    let timelines = vec![timeline(1.0)];
    let outcome = Outcome { timelines, awaits_others: true, hand_offs, ..Outcome::default() };
    predict(&outcome, &geometry, &h200())
}

/// A chain of so many links, with so many fences in each.
fn chain(longest: u64, fences: f32) -> HandOffs {
    let mut chain =
        HandOffs { longest, waits: longest, at_a_word: 1, at_a_time: 1, ..HandOffs::default() };
    chain.path.waits[Wait::Fence as usize] = fences;
    chain
}

#[test]
fn a_chain_of_blocks_takes_as_long_as_its_links() {
    let seconds = |links, fences| of(4224, chain(links, fences)).seconds;
    // 435 cycles of 1.98 GHz from block to block; a fence takes 680 more.
    let (short, long) = (seconds(1000, 0.0), seconds(3000, 0.0));
    let link = (long - short) / 2000.0;
    assert!((link / 220e-9 - 1.0).abs() < 0.05, "{link}");
    let fence = (seconds(3000, 1.0) - long) / 3000.0;
    assert!((fence / 344e-9 - 1.0).abs() < 0.05, "{fence}");
}

#[test]
fn who_reads_one_word_waits_for_the_others() {
    let seconds = |at_a_word| of(4224, HandOffs { at_a_word, ..chain(4223, 0.0) }).seconds;
    assert!(seconds(4223) > 2.0 * seconds(1));
}

#[test]
fn blocks_that_look_back_do_not_go_one_after_the_other() {
    let looks = |at_a_time| HandOffs { at_a_time, looks_back: true, ..chain(1, 0.0) };
    let [by_warps, by_threads] = [32, 1].map(|it| of(1056, looks(it)).seconds);
    let chained = of(1056, chain(1055, 0.0)).seconds;
    assert!(
        by_warps < by_threads && 5.0 * by_threads < chained,
        "{by_warps} {by_threads} {chained}"
    );
}

#[test]
fn a_long_chain_is_doubtful_where_many_ask_all_the_time() {
    let why = "blocks wait for other blocks";
    let doubts = |blocks, waits| {
        of(blocks, HandOffs { waits, ..chain(blocks - 1, 0.0) }).extrapolated.contains(&why)
    };
    assert!(!doubts(264, 263) && doubts(4224, 4223));
}

#[test]
fn a_last_block_finds_in_l2_what_others_stored() {
    let geometry = Geometry { blocks: 10_000, ..rounds(1, 0).1 };
    let seconds = |others: u64| {
        let mut all = timeline(1.0);
        (all.instructions, all.others) = (10, 9998.0);
        let mut last = timeline(200.0);
        (last.instructions, last.sectors) = (2000, (2000, 0));
        let touched = Touched { bytes: 1 << 18, loads: 2000 + others, stores: 10_000, atomics: 0 };
        let (timelines, touched) = (vec![all, last], vec![touched]);
        predict(&Outcome { timelines, touched, ..Outcome::default() }, &geometry, &h200()).seconds
    };
    assert!(seconds(0) < 0.7 * seconds(100_000), "{} {}", seconds(0), seconds(100_000));
}
