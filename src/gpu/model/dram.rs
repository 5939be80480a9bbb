//! DRAM: bytes that come out of it and bytes written back to it.
//!
//! Formula, in seconds: 2 x the smaller of the two / the rate of copying + the rest
//! of the larger / the rate of reading or writing. Bytes read are the cold part of
//! footprints; bytes written back are those that what comes into L2 pushes out of
//! it ([`super::history`]): a kernel that only reads makes L2 write what lay there.
//!
//! Sectors that are changed in place in pieces of lines take [`IN_PIECES`] more.
//!
//! Loads and stores at places in no order open a row of DRAM for each sector. Their rates
//! are measured (`benches/data/h200/classes.csv`): they do not depend on the footprint from
//! 256 MiB to 16 GiB, so neither does the TLB show.

use super::history::{Traffic, UPDATE};
use super::rates::Rates;

/// Seconds that each sector takes longer which a block changes in place in a line of which it does not
/// touch the other half, as blocks of 16 x 16 threads do: 50 µs for 4.2 million sectors in four arrays
/// of 8 million floats, 140 for 11.5 million in eleven, and as long on an H100, whose DRAM is slower.
/// DRAM moves no more bytes. Whether the other half is changed at the same time, later or never is
/// nearly the same. Sectors that are in L2, or written elsewhere, take no longer, nor do those of
/// blocks that read all of the line (`benches/data/h200/in_place.csv`), as stencils do.
const IN_PIECES: f64 = 12e-12;

/// Seconds of DRAM.
pub(super) fn seconds(traffic: &Traffic, rates: &Rates) -> f64 {
    let [read, write, copy] = rates.dram;
    let (out, back) = (traffic.cold + traffic.again, traffic.pushed_out);
    let both = out.min(back);
    let [random_read, random_write] = rates.random;
    2.0 * both / copy
        + (out - both) / read
        + (back - both) / write
        + traffic.random_loads / random_read
        + traffic.random_stores / random_write
        + update_seconds(traffic, rates)
        + traffic.in_pieces * IN_PIECES
}

/// Seconds in which DRAM gives what L2 lacks for atomics.
pub(super) fn update_seconds(traffic: &Traffic, rates: &Rates) -> f64 {
    traffic.updates * UPDATE / rates.random[0]
}

/// Seconds that DRAM needs to write two kinds of sectors: those of lines that L2 gives up too early, and
/// those stored at places in no order. L2 waits meanwhile, so its own time comes on top: 270,336 rows of
/// 1 KiB, each written by one lane in bytes, halves or words, take an H200 3.8, 2.1 and 1.4 ms, and
/// 0.6 ms of each is DRAM's.
pub(super) fn waited_seconds(traffic: &Traffic, rates: &Rates) -> f64 {
    (traffic.torn + traffic.random_stores) / rates.random[1]
}
