//! Memory and its accesses.

use super::{Entry, shown, term};
use crate::results::record::Counter as C;

pub(super) const TERMS: &[Entry] = &[
    shown(
        "global memory",
        &[],
        &[C::GlobalLoadSectors, C::GlobalStoreSectors],
        "Memory that all threads of the GPU can access. It lies in DRAM and passes through the L2 and L1 caches.",
    ),
    shown(
        "shared memory",
        &["shared memory/block", "shared accesses"],
        &[C::SharedLoadWavefronts, C::SharedStoreWavefronts],
        "Fast memory of a multiprocessor that the threads of a block share. It has 32 banks that work at the same time.",
    ),
    shown(
        "local memory",
        &[],
        &[C::LocalLoadRequests, C::LocalStoreRequests],
        "Memory of one thread for arrays and for values that do not fit its registers. It lies in DRAM, so it is slow.",
    ),
    term(
        "spill",
        &["spilled registers"],
        "A value that the compiler moves from a register to local memory, because the kernel needs more registers than it has.",
    ),
    shown(
        "request",
        &["requests"],
        &[C::GlobalLoadRequests, C::GlobalStoreRequests],
        "One memory instruction of one warp. It touches one sector or many.",
    ),
    shown(
        "sector",
        &["sectors", "sectors per load", "sectors per store"],
        &[C::GlobalLoadSectors, C::GlobalStoreSectors],
        "32 bytes of memory, the smallest amount that moves between DRAM, L2 and L1. A warp that reads 32 neighbouring 4-byte values touches 4 sectors.",
    ),
    shown(
        "coalesced",
        &["coalescing", "coalesced access"],
        &[C::GlobalLoadSectors, C::GlobalLoadRequests],
        "The lanes of a warp access neighbouring addresses, so the request touches as few sectors as possible. Scattered accesses move whole sectors and use few of their bytes.",
    ),
    shown(
        "bank",
        &["banks"],
        &[C::SharedBankConflicts],
        "One of 32 parts of shared memory, each 4 bytes wide. Neighbouring 4-byte words lie in neighbouring banks.",
    ),
    shown(
        "bank conflict",
        &["bank conflicts"],
        &[C::SharedBankConflicts],
        "Lanes of a warp access different words of the same bank of shared memory. The bank serves them one after the other, so the access takes extra passes.",
    ),
    shown(
        "padding",
        &["padded"],
        &[C::SharedBankConflicts],
        "Unused words between rows of an array in shared memory. They shift the rows to other banks and so avoid bank conflicts.",
    ),
    shown(
        "wavefront",
        &["wavefronts", "pass", "passes", "passes per access", "passes per atomic"],
        &[C::SharedLoadWavefronts, C::SharedStoreWavefronts, C::SharedAtomicWavefronts],
        "One pass of an access through the 32 banks of shared memory. An access without conflicts takes one pass per 4 bytes of a lane.",
    ),
    shown(
        "atomic",
        &["atomics", "atomicAdd", "atomic operation"],
        &[C::GlobalAtomicRequests, C::SharedAtomicRequests],
        "A read, change and write of one word that no other thread can interrupt. Atomics on the same word happen one after the other.",
    ),
    shown(
        "contention",
        &["lanes per address"],
        &[C::GlobalAtomicLanes, C::GlobalAtomicAddresses],
        "Several lanes add to the same word at the same time. L2 serialises them, so few distinct addresses cost time.",
    ),
    shown(
        "L2 slice",
        &["busiest L2 slice", "slice"],
        &[C::BusiestSlicePasses, C::GlobalAtomicPasses],
        "A part of the L2 cache that serves its own addresses. Atomics on few addresses keep one slice busy while the others wait.",
    ),
    term(
        "L1 cache",
        &["L1"],
        "The cache of one multiprocessor. It shares its storage with shared memory.",
    ),
    term(
        "L2 cache",
        &["L2"],
        "The cache of the whole GPU, between the multiprocessors and DRAM. It also executes atomics on global memory.",
    ),
    term(
        "DRAM",
        &["HBM", "DRAM traffic"],
        "The memory of the GPU outside the chip. DRAM traffic is the bytes read that are not in L2 yet, and the bytes written.",
    ),
];
