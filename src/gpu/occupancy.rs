//! Occupancy: how many blocks and warps a multiprocessor holds at once.
//!
//! Figures are those of the CUDA programming guide's table of technical
//! specifications per compute capability; registers are allocated per warp in
//! units of 256, shared memory in units of 256 bytes (128 from 8.0 on) plus
//! 1 KiB per block from 8.0 on. L1 is as the tuning guides of the architectures say.

use crate::work::metric::metrics;

/// Limits of a multiprocessor, by compute capability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Architecture {
    /// Most resident warps.
    pub warps: u32,
    /// Most resident blocks.
    pub blocks: u32,
    /// Most shared memory for all blocks, in bytes.
    pub shared: u32,
    /// Most shared memory for one block after opting in, in bytes.
    pub shared_per_block: u32,
    /// Allocation unit of shared memory, in bytes.
    pub shared_unit: u32,
    /// Shared memory that the system takes per block, in bytes.
    pub shared_reserved: u32,
    /// 32-bit registers.
    pub registers: u32,
    /// Sub-partitions, each with its own scheduler and share of the registers.
    pub partitions: u32,
    /// L1 cache, in bytes.
    pub cache: u32,
    /// Whether shared memory is a part of it.
    pub unified: bool,
}

impl Architecture {
    /// The architecture of a compute capability (as 90 for 9.0). Unknown ones
    /// count as the newest known below them.
    pub fn of(compute_capability: u32) -> Self {
        let kib = |amount: u32| amount << 10;
        let (warps, blocks, shared, per_block) = match compute_capability {
            52 | 61 => (64, 32, 96, 48),
            ..70 => (64, 32, 64, 48),
            70..75 => (64, 32, 96, 96),
            75..80 => (32, 16, 64, 64),
            80..86 => (64, 32, 164, 163),
            86..89 => (48, 16, 100, 99),
            90..120 => (64, 32, 228, 227),
            89.. => (48, 24, 100, 99),
        };
        let ampere = compute_capability >= 80;
        let cache = match compute_capability {
            61 => 48,
            ..70 => 24,
            75..80 => 96,
            80..86 => 192,
            90..120 => 256,
            _ => 128,
        };
        Self {
            warps,
            blocks,
            shared: kib(shared),
            shared_per_block: kib(per_block),
            shared_unit: if ampere { 128 } else { 256 },
            shared_reserved: if ampere { kib(1) } else { 0 },
            registers: kib(64),
            partitions: if compute_capability == 60 { 2 } else { 4 },
            cache: kib(cache),
            unified: compute_capability >= 70,
        }
    }

    /// Registers that one warp takes.
    pub fn registers_per_warp(&self, registers_per_thread: u32) -> u32 {
        (registers_per_thread.max(1) * 32).next_multiple_of(256)
    }
}

metrics! {
    /// What limits the resident blocks of a multiprocessor.
    OccupancyLimit:
    Warps "warps" "warps" "The maximum number of resident warps.";
    Blocks "blocks" "blocks" "The maximum number of resident blocks.";
    Registers "registers" "registers" "The registers of the multiprocessor.";
    Shared "shared memory" "shared memory" "The shared memory of the multiprocessor.";
}

/// Resident blocks and warps of a multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occupancy {
    /// Resident blocks.
    pub blocks: u32,
    /// Resident warps.
    pub warps: u32,
    /// Maximum of resident warps.
    pub most_warps: u32,
    /// What limits them.
    pub limit: OccupancyLimit,
    /// Blocks that each limit alone would allow.
    pub room: [(u32, OccupancyLimit); 4],
}

impl Occupancy {
    /// Resident warps over the most possible, 0 to 1.
    pub fn fraction(&self) -> f64 {
        f64::from(self.warps) / f64::from(self.most_warps)
    }
}

/// Why a block cannot launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CannotLaunch {
    /// The block has no threads, or more than 1024.
    #[error("a block has 1 to 1024 threads, not {0}")]
    Threads(u32),
    /// The block's registers do not fit.
    #[error("the block needs {needed} registers, but a multiprocessor has {available}")]
    Registers {
        /// Needed by the block.
        needed: u32,
        /// Available.
        available: u32,
    },
    /// The block's shared memory does not fit.
    #[error(
        "the block needs {needed} bytes of shared memory, but a block gets at most {available}"
    )]
    Shared {
        /// Needed by the block.
        needed: u32,
        /// Available.
        available: u32,
    },
}

/// Occupancy of a kernel: `threads` per block, `registers` per thread,
/// `shared` bytes per block (static and dynamic together).
pub fn occupancy(
    compute_capability: u32,
    threads: u32,
    registers: u32,
    shared: u32,
) -> Result<Occupancy, CannotLaunch> {
    let architecture = Architecture::of(compute_capability);
    if !(1..=1024).contains(&threads) {
        return Err(CannotLaunch::Threads(threads));
    }
    if shared > architecture.shared_per_block {
        return Err(CannotLaunch::Shared {
            needed: shared,
            available: architecture.shared_per_block,
        });
    }
    let warps = threads.div_ceil(32);
    let per_warp = architecture.registers_per_warp(registers);
    let needed = per_warp * warps.next_multiple_of(architecture.partitions);
    if needed > architecture.registers {
        return Err(CannotLaunch::Registers { needed, available: architecture.registers });
    }
    let warps_by_registers =
        architecture.registers / architecture.partitions / per_warp * architecture.partitions;
    let shared_taken =
        shared.next_multiple_of(architecture.shared_unit) + architecture.shared_reserved;
    let by_shared = architecture.shared.checked_div(shared_taken).unwrap_or(u32::MAX);
    // Of equal limits the first is named.
    let limits = [
        (architecture.warps / warps, OccupancyLimit::Warps),
        (architecture.blocks, OccupancyLimit::Blocks),
        (warps_by_registers / warps, OccupancyLimit::Registers),
        (by_shared, OccupancyLimit::Shared),
    ];
    let (blocks, limit) = limits[1..].iter().fold(limits[0], |a, b| if b.0 < a.0 { *b } else { a });
    let most_warps = architecture.warps;
    Ok(Occupancy { blocks, warps: blocks * warps, most_warps, limit, room: limits })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn small_kernels_fill_a_hopper_multiprocessor() {
        let full = occupancy(90, 128, 18, 0).unwrap();
        assert_eq!((full.blocks, full.warps, full.limit), (16, 64, OccupancyLimit::Warps));
        let small = occupancy(90, 32, 18, 0).unwrap();
        assert_eq!((small.blocks, small.warps, small.limit), (32, 32, OccupancyLimit::Blocks));
    }

    #[test]
    fn registers_and_shared_memory_limit() {
        // 64 registers: 2048 per warp, 8 warps per partition, 32 in all.
        let registers = occupancy(90, 256, 64, 0).unwrap();
        assert_eq!((registers.blocks, registers.limit), (4, OccupancyLimit::Registers));
        // 8 KiB of bins and 1 KiB of the system: 25 blocks of 228 KiB.
        let shared = occupancy(90, 32, 18, 8192).unwrap();
        assert_eq!((shared.blocks, shared.limit), (25, OccupancyLimit::Shared));
        // 7.5 has room for 1024 threads.
        assert_eq!(occupancy(75, 256, 18, 0).unwrap().blocks, 4);
    }

    #[test]
    fn what_cannot_launch_says_why() {
        assert_eq!(occupancy(90, 0, 18, 0), Err(CannotLaunch::Threads(0)));
        assert_eq!(occupancy(90, 1025, 18, 0), Err(CannotLaunch::Threads(1025)));
        assert!(matches!(occupancy(90, 1024, 80, 0), Err(CannotLaunch::Registers { .. })));
        assert_eq!(
            occupancy(50, 32, 18, 65_536 * 4),
            Err(CannotLaunch::Shared { needed: 262_144, available: 49_152 })
        );
        // 58,112 bins of 4 bytes are the most that an H200 takes.
        assert!(occupancy(90, 32, 18, 58_112 * 4).is_ok());
        assert!(occupancy(90, 32, 18, 58_113 * 4).is_err());
    }

    #[test]
    fn nothing_between_1_and_1024_threads_divides_by_zero() {
        for capability in [50, 60, 61, 70, 75, 80, 86, 89, 90, 100, 120] {
            for threads in 1..=1024 {
                let found = occupancy(capability, threads, 32, 16).unwrap();
                assert!(found.blocks >= 1 && found.fraction() <= 1.0, "{capability} {threads}");
            }
        }
    }
}
