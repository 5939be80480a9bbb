//! Why a case failed.

use serde::{Deserialize, Serialize};

use crate::work::metric::{FailureKind, Stored};

/// Why a case failed, and where.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Wrong {
    /// The kind of failure.
    pub kind: Stored<FailureKind>,
    /// The kernel that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Source file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line in that file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Block index (x, y, z).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<[u32; 3]>,
    /// Threads of that block, by index.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lanes: Vec<u32>,
    /// First output element that differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// Its value in the reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// Its value in the output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub got: Option<String>,
    /// The whole error message.
    #[serde(default)]
    pub message: String,
}

impl Wrong {
    /// A failure without a place.
    pub fn new(kind: FailureKind, message: String) -> Self {
        Self { kind: kind.into(), message, ..Self::default() }
    }
}
