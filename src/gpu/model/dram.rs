//! DRAM: bytes that come out of it and bytes written, each at the fraction of
//! the peak that it reaches.
//!
//! Formula, in seconds: cold bytes / (peak x fraction) + bytes written / (peak x
//! fraction). The bytes are footprints ([`super::history`]).

use super::history::Traffic;
use super::rates::{DRAM_READ, DRAM_WRITE};
use crate::gpu::Profile;

/// Seconds of DRAM.
pub(super) fn seconds(traffic: &Traffic, profile: &Profile) -> f64 {
    (traffic.cold / DRAM_READ + traffic.written / DRAM_WRITE) / profile.dram_bytes_per_second
}
