//! GPUs as numbers: profiles, occupancy, and the timing model.

use std::collections::BTreeMap;

/// A predicted time and how it comes about.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Prediction {
    /// Predicted kernel time in seconds.
    pub seconds: f64,
    /// The resource that takes longest.
    pub bound_by: String,
    /// Seconds that each resource would take by itself.
    pub parts: BTreeMap<String, f64>,
    /// Resident warps per multiprocessor over the most possible, 0 to 1.
    pub occupancy: f64,
    /// What limits the occupancy.
    pub occupancy_limit: String,
}
