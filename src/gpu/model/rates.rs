//! Every number of the model that is not in a profile, in one place. Cycles are
//! those of the multiprocessor's clock. "Fitted" numbers are what the fitting
//! half of the recorded cases decided (`benches/timing/fit.py`), held near what
//! `benches/data/h200/findings.md` measured; the others were measured alone.

use crate::emulator::{CLASSES, WAITS};

/// Seconds between two events around the first launch of a pipeline, beside its
/// blocks' own time: 2.7 µs measured for a kernel that does nothing (fitted).
pub(super) const LAUNCH_SECONDS: f64 = 3.27e-6;
/// The same for each further launch: 3.33 µs measured (fitted).
pub(super) const NEXT_LAUNCH_SECONDS: f64 = 3.22e-6;
/// Cycles for each PTX instruction that a launch runs for the first time (fitted).
pub(super) const CODE_CYCLES: f64 = 1.33;
/// Cycles of each kind of wait, in the order of [`crate::emulator::Wait`]
/// (fitted; a dependent load from L1 measures 39.6, from DRAM 690).
pub(super) const WAIT_CYCLES: [f64; WAITS] =
    [2.8, 40.1, 36.1, 11.7, 90.0, 44.6, 556.0, 612.0, 24.9, 20.1, 0.42];
/// A load beyond L1 whose data an earlier launch left in L2, as a fraction of
/// one that goes to DRAM (283 of 690 cycles measured; fitted).
pub(super) const WARM: f64 = 0.548;
/// Cycles between the starts of two blocks, anywhere on the GPU (0.60 ns at
/// 1980 MHz measured; fitted).
pub(super) const BLOCK_START_CYCLES: f64 = 1.23;
/// Cycles from a block's end to its successor's first instruction (fitted).
pub(super) const TURNOVER_CYCLES: f64 = 108.0;
/// Machine instructions for each that the emulator's rules expect, by
/// [`crate::emulator::Class`] (fitted).
pub(super) const EXPANSION: [f64; CLASSES] = [0.48, 0.97, 0.64, 2.0, 2.0, 0.55, 2.82];
/// Warp instructions per cycle and multiprocessor: one per sub-partition.
pub(super) const ISSUE_PER_CYCLE: f64 = 4.0;
/// Cycles of the load and store unit for each instruction that it takes (fitted).
pub(super) const LSU_CYCLES: f64 = 0.80;
/// Cycles of shared memory per wavefront (1.03 to 1.08 measured; fitted).
pub(super) const WAVEFRONT_CYCLES: f64 = 1.01;
/// Cycles of shared memory per wavefront of an atomic (2.0 measured where a warp
/// needs one; fitted).
pub(super) const ATOMIC_WAVEFRONT_CYCLES: f64 = 1.57;
/// Bytes per cycle that a multiprocessor's L1 gives (128 published; fitted).
pub(super) const L1_BYTES_PER_CYCLE: f64 = 130.0;
/// Bytes per cycle between a multiprocessor and L2 (64 published; fitted).
pub(super) const L2_BYTES_PER_CYCLE: f64 = 23.8;
/// Bytes per second out of a cold L2's DRAM, as a fraction of its peak: dirty
/// lines are pushed out on the way (2.53 of 4.8 TB/s measured for 4-byte loads;
/// fitted).
pub(super) const DRAM_READ: f64 = 2.54 / 4.8;
/// The same for stores (fitted).
pub(super) const DRAM_WRITE: f64 = 2.35 / 4.8;
/// Bytes per cycle and multiprocessor that the whole L2 moves when all ask
/// (fitted).
pub(super) const L2_TOTAL_BYTES_PER_CYCLE: f64 = 4.54e12 / (132.0 * 1.98e9);
/// Slices of L2 per multiprocessor (an H200 has 96 for 132).
pub(super) const SLICES_PER_SM: f64 = 96.0 / 132.0;
/// Cycles that a slice needs for one pass of an atomic (0.70 to 0.73 ns at 1980
/// MHz measured; fitted: 0.95 of 1.4).
pub(super) const ATOMIC_PASS_CYCLES: f64 = 1.33;
/// Passes per cycle and multiprocessor that all slices together do (100 per ns
/// measured; fitted likewise).
pub(super) const ATOMIC_PASSES_PER_CYCLE: f64 = 105.0 / (132.0 * 1.98);
/// Cycles that a round of blocks takes longer for each 32 of its blocks, where
/// blocks read what those before them publish (fitted).
pub(super) const LOOK_BACK_CYCLES: f64 = 168.0;
/// How waiting and working add up on a multiprocessor: the exponent of the norm
/// that joins them, 1 for one after the other, large for side by side (fitted).
pub(super) const OVERLAP: f64 = 1.0;
