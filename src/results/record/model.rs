//! How a modelled time is derived.

use serde::{Deserialize, Serialize};

use crate::work::metric::{Parts, Resource, Stored};
use crate::work::{Launches, Name};

/// How the timing model derives a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelRecord {
    /// The resource that takes longest.
    pub bound_by: Stored<Resource>,
    /// Seconds that each resource would take by itself.
    pub parts: Parts,
    /// Resident warps per multiprocessor over the most possible, 0 to 1.
    pub occupancy: f64,
    /// What limits the occupancy.
    pub occupancy_limit: Name,
    /// Half the width of the 95 % confidence interval that a sample of the blocks leaves, as a
    /// part of the time. Missing where all blocks ran, and in lines of earlier versions.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_open: f64,
    /// In what the case differs from every case that the model was compared with.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub extrapolated: Box<[Name]>,
    /// The work of each launch; alike launches of a kernel are one entry. Missing in lines
    /// of earlier versions.
    #[serde(default, skip_serializing_if = "Launches::is_empty")]
    pub launches: Launches,
}

impl ModelRecord {
    /// The 95 % confidence interval of a time in seconds, as far as the sample of the blocks
    /// leaves it open.
    pub fn interval(&self, seconds: f64) -> [f64; 2] {
        [seconds * (1.0 - self.left_open).max(0.0), seconds * (1.0 + self.left_open)]
    }
}

/// Whether a number need not be written.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}
