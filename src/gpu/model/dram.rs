//! DRAM: bytes that come out of it and bytes written back to it.
//!
//! Formula, in seconds: 2 x the smaller of the two / the rate of copying + the rest
//! of the larger / the rate of reading or writing. Bytes read are the cold part of
//! footprints; bytes written back are those that what comes into L2 pushes out of
//! it ([`super::history`]): a kernel that only reads makes L2 write what lay there.

use super::history::Traffic;
use super::rates::Rates;

/// Seconds of DRAM.
pub(super) fn seconds(traffic: &Traffic, rates: &Rates) -> f64 {
    let [read, write, copy] = rates.dram;
    let (out, back) = (traffic.cold, traffic.pushed_out);
    let both = out.min(back);
    2.0 * both / copy + (out - both) / read + (back - both) / write
}
