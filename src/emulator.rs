//! The warp-level PTX emulator: compact ops, warps, memory, blocks, counters, traps.
