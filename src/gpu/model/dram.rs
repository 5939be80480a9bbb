//! DRAM: bytes that come out of it and bytes written back to it.
//!
//! Formula, in seconds: 2 x the smaller of the two / the rate of copying + the rest
//! of the larger / the rate of reading or writing. Bytes read are the cold part of
//! footprints; bytes written back are those that what comes into L2 pushes out of
//! it ([`super::history`]): a kernel that only reads makes L2 write what lay there.
//!
//! Loads and stores at places in no order open a row of DRAM for each sector. Their rates
//! are measured (`benches/data/h200/classes.csv`): they do not depend on the footprint from
//! 256 MiB to 16 GiB, so neither does the TLB show.

use super::history::{Traffic, UPDATE};
use super::rates::Rates;

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
}

/// Seconds in which DRAM gives what L2 lacks for atomics.
pub(super) fn update_seconds(traffic: &Traffic, rates: &Rates) -> f64 {
    traffic.updates * UPDATE / rates.random[0]
}

/// Seconds in which DRAM takes written sectors of lines that L2 gives up too early. L2 waits for
/// them: stores of each lane to a row of its own, of 1 KiB, take as long as both together
/// (270,336 rows of bytes, halves and words on an H200: 3.8, 2.1 and 1.4 ms, of which DRAM takes
/// 0.6).
pub(super) fn torn_seconds(traffic: &Traffic, rates: &Rates) -> f64 {
    traffic.torn / rates.random[1]
}
