//! Times, and what limits them.

use super::{Entry, shown, term};
use crate::results::record::Counter as C;

pub(super) const TERMS: &[Entry] = &[
    term(
        "kernel time",
        &["time"],
        "Time that the kernels of a case take on the GPU, without copies and host stages. Of several samples it is the median.",
    ),
    term(
        "end-to-end time",
        &["end to end", "end-to-end"],
        "Kernel time, host stages and the copies between them. It is the fair time where a variant does a part on the CPU.",
    ),
    term(
        "latency",
        &["latency-bound", "stall"],
        "Time from an instruction to its result. A kernel is latency-bound if its warps wait for results and no other warp is ready.",
    ),
    term(
        "throughput",
        &["elements per second"],
        "Elements processed per second: n over the median time.",
    ),
    term(
        "bandwidth",
        &["GB/s"],
        "Bytes that the algorithm must move, over the time. `of copy` compares it with a large copy on the same GPU.",
    ),
    term(
        "device's limit",
        &["limit", "peak rate"],
        "The least time that the peak rates of the device allow for the bytes and operations that the algorithm needs. A share near 100 % cannot be improved.",
    ),
    term(
        "GFLOP/s",
        &["FLOP", "FLOP/s", "arithmetic throughput"],
        "Billions of floating-point operations per second that the algorithm needs, over the time. A multiply-add counts as two.",
    ),
    term(
        "speed-up",
        &["speedup"],
        "Time of the baseline over the time of the case. 2× means half the time.",
    ),
    term(
        "baseline",
        &[],
        "The case or curve that others are compared with. Without a choice it is the first variant.",
    ),
    term(
        "bound by",
        &["bound"],
        "The resource that keeps the kernel busy longest. To make the kernel faster, use less of that resource.",
    ),
    term(
        "launching",
        &["launch", "launches", "launch latency"],
        "Starting a kernel takes a few microseconds, whatever it does. At small sizes this is most of the time.",
    ),
    term(
        "critical path",
        &["longest chain"],
        "The longest chain of instructions that wait for each other's results. No number of threads makes it shorter.",
    ),
    term(
        "roofline",
        &["roof", "ceiling"],
        "A chart of operations per second over operations per byte. Its roofs are the highest rates of the GPU: DRAM's slope on the left, arithmetic on the right.",
    ),
    term(
        "ladder",
        &["rung", "rungs"],
        "The variants at one size from the slowest to the fastest, with the factor that each idea bought. The scale ends at the limit of the hardware: DRAM's rate or the arithmetic peak.",
    ),
    term(
        "operational intensity",
        &["operations per byte", "ops per DRAM byte", "operations per byte of DRAM"],
        "Arithmetic operations for each byte that moves through DRAM. Kernels with little of it are limited by DRAM, others by arithmetic.",
    ),
    shown(
        "float operations",
        &[],
        &[C::ThreadInstructions],
        "Floating-point operations of all lanes. A multiply-add counts as two.",
    ),
    shown(
        "integer operations",
        &[],
        &[C::ThreadInstructions],
        "Integer operations of all lanes, with those that compute addresses.",
    ),
];
