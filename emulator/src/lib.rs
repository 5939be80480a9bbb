//! Runs PTX on the CPU: computes the real result, counts what the hardware would have
//! done, and finds races and invalid accesses. Unit-test a CUDA kernel in CI with no GPU.
//!
//! ```
//! use warpscope_emulator::{Launch, Module};
//!
//! // `out[i] = 2 * in[i]`, as `nvcc --ptx` prints it.
//! let ptx = "
//!     .version 7.8
//!     .target sm_50
//!     .address_size 64
//!     .visible .entry twice(.param .u64 in, .param .u64 out) {
//!         .reg .b32 %r<4>;
//!         .reg .b64 %rd<6>;
//!         ld.param.u64 %rd1, [in];
//!         ld.param.u64 %rd2, [out];
//!         mov.u32 %r1, %tid.x;
//!         mul.wide.u32 %rd3, %r1, 4;
//!         add.s64 %rd4, %rd1, %rd3;
//!         ld.global.u32 %r2, [%rd4];
//!         shl.b32 %r3, %r2, 1;
//!         add.s64 %rd5, %rd2, %rd3;
//!         st.global.u32 [%rd5], %r3;
//!         ret;
//!     }";
//! let module = Module::load(ptx)?;
//! let kernel = module.kernel("twice")?;
//! let report = Launch::new(&kernel)
//!     .block(64)
//!     .input(&[21_u32; 64])
//!     .output::<u32>(64)
//!     .sanitize(&module)
//!     .run();
//!
//! assert_eq!(report.trap, None);
//! assert!(report.findings.is_empty());
//! assert_eq!(report.buffer::<u32>(1), [42; 64]);
//! assert_eq!(report.counters.global_load_sectors, 8);
//! # Ok::<(), warpscope_emulator::LoadError>(())
//! ```
//!
//! Results and counters are the same for any number of host threads, unless the kernel
//! itself depends on the order of its threads ([`Outcome::schedule_dependent`]).
//!
//! [`Launch`] is the simple interface. [`run`], [`check`], [`Memory`] and [`Options`]
//! give more control: memory that several launches share, sampled blocks, budgets,
//! timelines for a timing model.
//!
//! # Rooms
//!
//! ```text
//! ptx --> compile --> program --> exec --> launch --> report
//! text    checks      ops for     32 lanes  blocks on
//! to      every       register    per op    host threads
//! tree    instruction slots
//! ```
//!
//! `machine` is the state of a block, `lane` computes one lane, `cost` counts one access.
//! `critical_path` and `sanitizer` observe blocks while they run.
//! `tests/architecture.rs` in the workspace lists which room imports which.
//!
//! # Instructions
//!
//! By the chapters of the PTX ISA. [`Module::kernel`] refuses other instructions with
//! file, line and instruction. `tests/ptx` compares every executed form with an H200;
//! `tests/ptx/unsupported.csv` lists the forms that are refused.
//!
//! | family | executed | refused |
//! |---|---|---|
//! | integers | all, with carries (`.cc`), bit fields, `dp2a`, `dp4a`, `.u16x2`, `.s16x2` | |
//! | floats | `f16`, `bf16`, pairs of them, `f32`, `f64`, `.f32x2`; sums of two sizes; all roundings, `.ftz`, `.sat`, `.relu` | `fma.oob`, `tanh` of `f64` |
//! | comparison, selection, logic, shifts | all, with `lop3` into a predicate | |
//! | conversion | all of the above, `cvt.pack`, `tf32`, `e4m3x2`, `e5m2x2` | `e2m1`, `e2m3`, `e3m2`, `ue8m0`, `.rs` |
//! | video | scalar and SIMD | negated operands; forms that GPUs do not compute as the ISA says |
//! | moves, loads, stores | all spaces, vectors, cache hints; `cvta`, `isspacep`, `createpolicy`, prefetches; `.b128` registers; `cp.async`, `cp.async.bulk`, `cp.reduce.async.bulk`, both with tensor maps, `st.async`, `red.async`; shared memory of other blocks of a cluster (`mapa`) | `im2col` |
//! | atomics | all integer ones; `add` of `f16`, `bf16`, `f32`, `f64`; 16, 32, 64 and 128 bits; vectors in global memory | |
//! | control | `bra`, `brx.idx`, `call` (direct, through registers, recursive), `ret`, `exit`, `trap`, `brkpt` | `alloca`, dynamic parallelism |
//! | lanes, barriers, fences | `shfl`, `vote`, `match`, `redux`, `elect`, `activemask`, named barriers, `mbarrier`, `barrier.cluster`, fences | |
//! | matrices | `mma.sync` of `f16`, `bf16`, `tf32`, `f64`, `e4m3`, `e5m2`, 8-bit and 4-bit integers, bits; `wmma` of these but for 4-bit integers and bits; `wgmma`; `ldmatrix`, `stmatrix`, `movmatrix` of `b16` | `mma.sp`, `wgmma.sp`, `mma.m8n8k4` of `f16`, `tcgen05` |
//! | textures, surfaces | | `tex`, `suld`, … |
//! | special registers | all; clocks tick with the block | `%reserved_smem_offset` |

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
pub mod trace;

pub use compile::{GRID_BARRIER, LoadError, Module, load};
pub use cost::{CLASSES, Class, Mix, Swaps, sums_meet};
pub use critical_path::{Answers, CriticalPath, HandOffs, Timeline, WAITS, Wait};
pub use launch::{
    Blocks, Checked, Element, Follow, Launch, Options, Outcome, Ran, Report, SampleSize, Setting,
    SmallerRun, check, extrapolate, launch, prefix, reach, run, sample,
};
pub use machine::{
    AccessKind, CHUNK, Counters, Dim3, Done, HostVectors, InstructionCount, Memory, Progress,
    TENSOR_MAP_BYTES, TensorElement, TensorMap, Touched, Trap, TrapKind, slice,
};
pub use program::{InstructionPlace, Issues, Kernel, MachineCode, ValueType};
pub use sanitizer::{Finding, FindingKind};
