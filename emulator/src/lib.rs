//! The warp-level PTX emulator: runs the PTX that the GPU runs, with no GPU,
//! and counts what the hardware would have done.
//!
//! Text becomes a syntax tree ([`crate::ptx`]), the tree becomes compact ops
//! over register slots (`lower`), and warps run one op for 32 lanes at a time
//! (`exec`). Blocks spread over the threads of the host (`grid`). Results and
//! counters are the same on any number of threads, unless the kernel itself
//! depends on the order of its threads ([`Outcome::schedule_dependent`]).
//!
//! # Instructions
//!
//! By the chapters of the PTX ISA. What is not executed is refused by
//! [`load`], with file, line and instruction; `tests/ptx` holds every executed
//! form to what an H200 gave, and `tests/ptx/unsupported.csv` lists those that
//! are refused all the same.
//!
//! | family | executed | refused |
//! |---|---|---|
//! | integers | all, with carries (`.cc`), bit fields, `dp2a`, `dp4a`, `.u16x2`, `.s16x2` | |
//! | floats | `f16`, `bf16`, pairs of them, `f32`, `f64`, `.f32x2`; sums of two sizes; all roundings, `.ftz`, `.sat`, `.relu` | `fma.oob`, `tanh` of `f64` |
//! | comparison, selection, logic, shifts | all, with `lop3` into a predicate | |
//! | conversion | all of the above, `cvt.pack`, `tf32`, `e4m3x2`, `e5m2x2` | `e2m1`, `e2m3`, `e3m2`, `ue8m0`, `.rs` |
//! | video | scalar and SIMD | negated operands; forms that GPUs do not compute as the ISA says |
//! | moves, loads, stores | all spaces, vectors, cache hints; `cvta`, `isspacep`, `createpolicy`, prefetches; `.b128` registers; `cp.async` | `st.async`, bulk copies, tensors, clusters (`mapa`) |
//! | atomics | all integer ones; `add` of `f16`, `bf16`, `f32`, `f64`; 16, 32, 64 and 128 bits; vectors in global memory | |
//! | control | `bra`, `brx.idx`, `call` (direct, through registers, recursive), `ret`, `exit`, `trap` | `alloca`, `brkpt`, dynamic parallelism |
//! | lanes, barriers, fences | `shfl`, `vote`, `match`, `redux` of integers, `elect`, `activemask`, named barriers, fences | `redux` of floats, `mbarrier`, `barrier.cluster` |
//! | matrices, textures, surfaces | | `mma`, `wmma`, `wgmma`, `tcgen05`, `ldmatrix`, `tex`, `suld`, … |
//! | special registers | all that a launch without clusters has; clocks tick with the block | `%reserved_smem_offset` |

#![allow(
    clippy::inline_always,
    reason = "the dispatch loop is compiled twice, with and without AVX2; what it calls has to come along"
)]
#![allow(
    clippy::many_single_char_names,
    reason = "d, a, b, c are the operand names of the PTX ISA"
)]

mod compile;
mod cost;
mod critical_path;
mod exec;
mod lane;
mod launch;
mod machine;
mod program;
pub mod ptx;
mod sanitizer;

pub use compile::error::LoadError;
pub use compile::load::load;
pub use cost::instruction::{CLASSES, Class, Mix};
pub use critical_path::timeline::{Chain, Course, WAITS, Wait};
pub use launch::blocks::Blocks;
pub use launch::checked::{Checked, check};
pub use launch::extrapolate::{StoodIn, stand_for};
pub use launch::job::{launch, run};
pub use launch::outcome::{Options, Outcome, Ran, Setting};
pub use launch::sample::{estimate, extend};
pub use machine::counters::{Counters, Touched};
pub use machine::dim::Dim3;
pub use machine::instruction_count::{AccessKind, InstructionCount};
pub use machine::memory::Memory;
pub use machine::tallies::CHUNK;
pub use machine::trap::{Trap, TrapKind};
pub use program::kernel::{InstructionPlace, Kernel};
pub use sanitizer::finding::{Finding, FindingKind};
