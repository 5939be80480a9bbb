//! The GPU profiles that the form offers.

use crate::gpu;

/// Names of the built-in profiles.
pub fn names() -> Vec<&'static str> {
    gpu::specs().iter().map(|profile| profile.name.as_str()).collect()
}

/// The profile used unless another is named.
pub fn default_name() -> &'static str {
    gpu::DEFAULT_GPU
}
