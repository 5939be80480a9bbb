//! The word of a barrier in shared memory, as far as kernels and lanes both know it.

/// The bit that is the parity of the phase.
pub(crate) const PHASE: u32 = 63;

/// The word of a new barrier for `n` arrivals is this plus `n` times [`PER_ARRIVAL`], modulo
/// 2^64.
pub(crate) const NEW_BARRIER: u64 = 1 << 63 | 1 << 21;

/// Minus one in both counts of arrivals: of this phase and of the next.
pub(crate) const PER_ARRIVAL: u64 = 0_u64.wrapping_sub(1 << 43 | 1 << 1);
