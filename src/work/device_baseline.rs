//! The limits of a GPU, measured once per device to compare other times with.

use serde::{Deserialize, Serialize};

/// The baseline of a device, measured by the process that owns it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DeviceBaseline {
    /// Event time of an empty kernel of one thread, in seconds: the shortest time
    /// of a kernel.
    pub empty_kernel: f64,
    /// Wall time of one launch and its wait, in seconds. Held launches leave it out;
    /// a program that waits for a result adds it.
    pub launch: f64,
    /// Bytes read plus bytes written per second by a large copy on the device.
    pub copy: f64,
}
