//! Stand-in for the crates.io package of the same name.
//!
//! `cust` and `cust_raw` call [`include_cuda`] from their build scripts. The
//! original panics on a machine without a CUDA installation and otherwise asks
//! the linker for `libcuda`. warpscope wants neither: it must build everywhere,
//! and it resolves the driver's entry points at run time (see
//! `src/backend/cuda/driver.rs`). So this version does nothing.

/// Does nothing: no CUDA installation is searched for and nothing is linked.
pub fn include_cuda() {}
