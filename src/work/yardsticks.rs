//! What a GPU reaches at most, and what cannot be avoided: measured once per
//! device, to hold other times against.

use serde::{Deserialize, Serialize};

/// Yardsticks of one device, measured by the process that owns it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Yardsticks {
    /// Seconds that the event timer gives for a kernel of one thread that does
    /// nothing: no kernel's time is shorter.
    pub empty_kernel: f64,
    /// Seconds of wall time from launching such a kernel until the host knows
    /// that it has ended: what held launches leave out, and a program that waits
    /// for a result has to add.
    pub launch: f64,
    /// Bytes read plus bytes written per second by a large copy within the
    /// device's memory.
    pub copy: f64,
}
