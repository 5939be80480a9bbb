//! The variants of the matrix product: what they are called, which PTX they are in, and how
//! they are launched.

use super::product::Shape;
use super::shape;
use crate::algorithms::Variant;
use crate::algorithms::spec::module;
use crate::experiment::Case;
use crate::work::Module;

/// All of them; each takes up an idea of one before it.
pub(super) static ALL: [Variant; 12] = [
    Variant::new("global", "one thread per element, which fetches a row and a column by itself")
        .idea("one thread per element"),
    Variant::new(
        "tiled",
        "square tiles of both matrices in shared memory; 64, 256 or 1024 threads",
    )
    .idea("tiles in shared memory"),
    Variant::new("block-per-element", "a whole block adds up the products of one element")
        .idea("a block per element")
        .short("block"),
    Variant::new(
        "window-2x2",
        "a whole block computes a window of 2 x 2 elements and slides it along",
    )
    .idea("a block per 2 x 2 window")
    .short("window"),
    Variant::new("thread-per-element", "panel after panel of both matrices, the sums kept in C")
        .idea("panels, sums kept in C")
        .short("thread"),
    Variant {
        coarsens: false,
        ..Variant::new(
            "register-tiled",
            "a patch of 8 x 8 elements per thread in registers; 64, 128 or 256 threads",
        )
        .idea("8 x 8 sums per thread in registers")
        .short("register")
    },
    Variant {
        coarsens: false,
        ..Variant::new(
            ASYNC_COPIES,
            "the same patches, tiles copied to shared memory without registers; 256 threads",
        )
        .short("async")
        .idea("copies that run by themselves")
    },
    Variant {
        coarsens: false,
        ..Variant::new(
            ASYNC_WIDE,
            "the same copies, a patch of 16 x 8 elements per thread; 256 threads",
        )
        .short("async-wide")
        .idea("16 x 8 sums per thread")
    },
    Variant {
        coarsens: false,
        ..Variant::new(
            ASYNC_RELAY,
            "the same patches, the last tiles cut along k into blocks of their own; 256 threads",
        )
        .short("async-relay")
        .idea("no idle multiprocessors at the end")
    },
    Variant {
        coarsens: false,
        ..Variant::new(TENSOR_WARP, "tensor cores, a product per warp, inputs as TF32; 256 threads")
            .short("tensor-warp")
            .idea("tensor cores, inputs rounded to TF32")
            .tensor()
    },
    Variant {
        coarsens: false,
        ..Variant::new(
            TENSOR,
            "tensor cores, four warps per product, compute capability 9.0 only; 256 threads",
        )
        .short("tensor")
        .idea("asynchronous products of four warps")
        .tensor()
    },
    Variant {
        coarsens: false,
        ..Variant::new(
            TENSOR_BULK,
            "the same, tiles copied as boxes by one thread of a third warp group; 256 threads \
             that multiply",
        )
        .short("tensor-bulk")
        .idea("warps with jobs, copies of boxes")
        .tensor()
    },
];

/// The variants of `kernels/matmul_async.cu`.
const ASYNC_COPIES: &str = "async-copies";
const ASYNC_WIDE: &str = "async-wide";

/// The variant of `kernels/matmul_relay.cu`.
pub(super) const ASYNC_RELAY: &str = "async-relay";

/// The variants of `kernels/matmul_mma.cu`, `kernels/matmul_wgmma.cu` and
/// `kernels/matmul_bulk.cu`.
pub(super) const TENSOR_WARP: &str = "tensor-cores-warp";
pub(super) const TENSOR: &str = "tensor-cores";
pub(super) const TENSOR_BULK: &str = "tensor-cores-bulk";

const ASYNC_MODULE: Module = module!("matmul_async");
pub(super) const RELAY_MODULE: Module = module!("matmul_relay");
const TENSOR_WARP_MODULE: Module = module!("matmul_mma");
const TENSOR_MODULE: Module = module!("matmul_wgmma");
const TENSOR_BULK_MODULE: Module = module!("matmul_bulk");

/// Bytes of dynamic shared memory of [`TENSOR_WARP`]: four pairs of tiles, of 256 rows of 16
/// floats and 16 rows of 136.
const TENSOR_WARP_SHARED: u32 = 4 * 4 * (256 * 16 + 16 * 136);

/// Bytes of dynamic shared memory of [`TENSOR`]: four pairs of tiles, of 256 rows of 32
/// floats and 32 rows of 136, and what aligns them.
const TENSOR_SHARED: u32 = 1024 + 4 * 4 * (256 * 32 + 32 * 136);

/// Bytes of dynamic shared memory of [`TENSOR_BULK`]: four pairs of tiles, of 256 and 128 rows
/// of 32 floats, and what aligns them.
const TENSOR_BULK_SHARED: u32 = 1024 + 4 * 4 * (256 * 32 + 128 * 32);

/// Threads of [`TENSOR_BULK`] that copy.
pub(super) const COPYING: u32 = 128;

/// What a block computes of C.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    /// An element per thread.
    Threads,
    /// A tile of these rows and columns.
    Tile(u64, u64),
}

/// The tile of a block of the variants whose threads compute patches, or whose tensor cores
/// compute it.
pub(super) fn large_tile(case: &Case) -> Option<(u64, u64)> {
    match (case.variant.as_str(), case.block) {
        ("register-tiled", 64) => Some((64, 64)),
        ("register-tiled", 128) => Some((128, 64)),
        ("register-tiled" | ASYNC_COPIES, 256) => Some((128, 128)),
        (ASYNC_WIDE | ASYNC_RELAY, 256) => Some((128, 256)),
        (TENSOR_WARP | TENSOR | TENSOR_BULK, 256) => Some((256, 128)),
        _ => None,
    }
}

/// The tile of a block of `tiled`, an element per thread.
fn square_tile(block: u32) -> Option<u64> {
    match block {
        64 => Some(8),
        256 => Some(16),
        1024 => Some(32),
        _ => None,
    }
}

fn unit(case: &Case) -> Unit {
    let of = |tile: Option<(u64, u64)>| tile.map_or(Unit::Threads, |(m, n)| Unit::Tile(m, n));
    match case.variant.as_str() {
        "tiled" => of(square_tile(case.block).map(|edge| (edge, edge))),
        "block-per-element" => Unit::Tile(1, 1),
        "window-2x2" => Unit::Tile(2, 2),
        "register-tiled" | ASYNC_COPIES | ASYNC_WIDE | ASYNC_RELAY | TENSOR_WARP | TENSOR
        | TENSOR_BULK => of(large_tile(case)),
        _ => Unit::Threads,
    }
}

/// The name of a case's kernel.
pub(super) fn kernel(case: &Case) -> String {
    let name = case.variant.replace('-', "_");
    match case.variant.as_str() {
        "tiled" => format!("matmul_tiled_{}", square_tile(case.block).unwrap_or(0)),
        "register-tiled" => format!("matmul_register_tiled_{}", case.block),
        _ => format!("matmul_{name}"),
    }
}

/// Bytes of dynamic shared memory: the trees that add up a block's threads, or the tiles of
/// [`TENSOR_WARP`], [`TENSOR`] and [`TENSOR_BULK`].
pub(super) fn shared_bytes(case: &Case) -> u32 {
    let trees = match case.variant.as_str() {
        TENSOR_WARP => return TENSOR_WARP_SHARED,
        TENSOR => return TENSOR_SHARED,
        TENSOR_BULK => return TENSOR_BULK_SHARED,
        "block-per-element" => 1,
        "window-2x2" => 4,
        _ => 0,
    };
    trees * 4 * case.block.next_power_of_two()
}

/// The blocks of a case.
pub(super) fn grid(case: &Case) -> u32 {
    let Shape { m, n, .. } = shape(case);
    let (m, n) = (m as u64, n as u64);
    let units = match unit(case) {
        Unit::Threads => (m * n).div_ceil(u64::from(case.block)),
        Unit::Tile(rows, columns) => m.div_ceil(rows) * n.div_ceil(columns),
    };
    units.div_ceil(u64::from(case.coarsen)).max(1) as u32
}

/// Why a case cannot be.
pub(super) fn obstacle(case: &Case) -> Option<String> {
    let block = case.block;
    match case.variant.as_str() {
        "tiled" if square_tile(block).is_none() => Some(format!(
            "`tiled` takes blocks of 64, 256 or 1024 threads (tiles of 8 x 8, 16 x 16 or \
             32 x 32), not {block}"
        )),
        "register-tiled" if large_tile(case).is_none() => Some(format!(
            "`register-tiled` takes blocks of 64, 128 or 256 threads (tiles of 64 x 64, \
             128 x 64 or 128 x 128), not {block}"
        )),
        ASYNC_COPIES | ASYNC_WIDE | ASYNC_RELAY | TENSOR_WARP | TENSOR | TENSOR_BULK
            if large_tile(case).is_none() =>
        {
            Some(format!("`{}` takes blocks of 256 threads, not {block}", case.variant))
        }
        _ => None,
    }
}

/// The PTX of a variant that has a file of its own.
pub(super) fn module(variant: &str) -> Option<Module> {
    Some(match variant {
        ASYNC_COPIES | ASYNC_WIDE => ASYNC_MODULE,
        ASYNC_RELAY => RELAY_MODULE,
        TENSOR_WARP => TENSOR_WARP_MODULE,
        TENSOR => TENSOR_MODULE,
        TENSOR_BULK => TENSOR_BULK_MODULE,
        _ => return None,
    })
}
