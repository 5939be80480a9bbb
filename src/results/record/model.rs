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
    /// In what the case differs from every case that the model was compared with.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub extrapolated: Box<[Name]>,
    /// The work of each launch; alike launches of a kernel are one entry. Missing in lines
    /// of earlier versions.
    #[serde(default, skip_serializing_if = "Launches::is_empty")]
    pub launches: Launches,
}
