//! Threads, and where they run.

use super::{Entry, shown, term};
use crate::results::record::Counter as C;

pub(super) const TERMS: &[Entry] = &[
    term(
        "kernel",
        &["kernels"],
        "A function that the GPU runs with many threads at once. One launch of it starts a grid of blocks.",
    ),
    term(
        "thread",
        &["threads"],
        "The smallest unit of work: it runs the kernel once, with its own index and registers.",
    ),
    shown(
        "warp",
        &["warps"],
        &[C::WarpInstructions],
        "32 threads that execute one instruction together. The GPU schedules warps, not threads.",
    ),
    shown(
        "lane",
        &["lanes", "active lanes"],
        &[C::ThreadInstructions, C::WarpInstructions],
        "One of the 32 threads of a warp. An instruction with few active lanes takes as long as one with all.",
    ),
    term(
        "block",
        &["block size", "thread block", "grid × block"],
        "Threads that run on one multiprocessor, share its shared memory and can wait for each other. The block size is their number, 1 to 1024.",
    ),
    term(
        "grid",
        &[],
        "All blocks of one launch. They run in any order, as multiprocessors get free.",
    ),
    term(
        "coarsening",
        &["coarsening factor", "coarsen", "work units per thread"],
        "The number of work units that each thread takes. More work per thread means fewer blocks and fewer starts, but less parallelism.",
    ),
    term(
        "multiprocessor",
        &["multiprocessors", "SM"],
        "A part of the GPU that runs blocks: it has schedulers, registers, shared memory and an L1 cache. An H200 has 132 of them.",
    ),
    term(
        "occupancy",
        &[],
        "Resident warps of a multiprocessor, as a share of the most possible. While one warp waits, another resident warp can work.",
    ),
    term(
        "limited by",
        &[],
        "The resource that keeps one more block from fitting on a multiprocessor: threads, blocks, registers or shared memory.",
    ),
    term(
        "blocks per SM",
        &[],
        "Blocks of the grid over multiprocessors of the GPU. Below 1, some multiprocessors get no work.",
    ),
    term(
        "register",
        &["registers", "registers/thread"],
        "A thread's own fast storage; a multiprocessor has 65 536: the more each thread uses, the fewer warps fit. PTX has its own names for registers, not those of the source.",
    ),
    term(
        "guard",
        &["guards", "the guard is false"],
        "A predicate before a PTX instruction: only lanes where it is true carry the instruction out.",
    ),
    term(
        "reconvergence",
        &["where the paths meet", "reconvergence stack"],
        "Lanes of a warp that parted at a branch meet again behind it and go on together. Who comes first waits.",
    ),
    term(
        "shuffle",
        &["warp shuffle"],
        "An instruction by which lanes of a warp read each other's registers. It needs neither shared memory nor a barrier.",
    ),
    shown(
        "divergence",
        &["divergent", "diverge"],
        &[C::DivergentBranches],
        "Lanes of a warp take different ways at a branch. The warp executes each way in turn, with the other lanes idle.",
    ),
    shown(
        "barrier",
        &["barriers", "__syncthreads"],
        &[C::Barriers],
        "A place where each warp waits until all warps of its block are there. `__syncthreads()` is one.",
    ),
];
