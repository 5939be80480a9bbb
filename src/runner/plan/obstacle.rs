//! Why a device cannot run a case.

use crate::algorithms::Algorithm;
use crate::experiment::Case;
use crate::units::Bytes;
use crate::work::{Launch, Limits, Work, cuda_for};

/// Threads of a warp.
const WARP: u32 = 32;

/// Registers are allocated to a warp in units of this size.
const REGISTER_UNIT: u32 = 256;

/// Why a device with these limits cannot run `case`, whose names and values exist;
/// `None` if it can.
pub fn obstacle(algorithm: &'static dyn Algorithm, case: &Case, limits: &Limits) -> Option<String> {
    let coarsens =
        algorithm.variants().iter().any(|variant| variant.name == case.variant && variant.coarsens);
    if case.coarsen != 1 && !coarsens {
        return Some(format!("{} cannot be coarsened; it runs with coarsening 1", case.variant));
    }
    if case.block > limits.threads_per_block {
        return Some(format!(
            "a block of {} threads is beyond the {} that the device runs",
            case.block, limits.threads_per_block
        ));
    }
    if let Some(reason) = distribution(algorithm, case).or_else(|| algorithm.obstacle(case)) {
        return Some(reason);
    }
    let work = algorithm.work(case);
    if let Some(reason) = target(&work, limits).or_else(|| driver(&work, limits)) {
        return Some(reason);
    }
    work.launches()
        .find_map(|launch| {
            shared_memory(&work, launch, limits).or_else(|| registers(&work, launch, limits))
        })
        .or_else(|| memory(&work, limits))
}

fn distribution(algorithm: &'static dyn Algorithm, case: &Case) -> Option<String> {
    let apply = algorithm.distributions();
    (!apply.iter().any(|dist| dist.is_like(case.dist))).then(|| {
        let names: Vec<String> = apply.iter().map(ToString::to_string).collect();
        format!("{} takes no {} input; it takes {}", case.algorithm, case.dist, names.join(", "))
    })
}

fn target(work: &Work, limits: &Limits) -> Option<String> {
    let reason = work.module.target()?.refuses(limits.compute_capability)?;
    Some(format!("{} {reason}", work.module.path))
}

/// An old driver does not load new PTX. A user's file is left to it: a compiled one comes
/// with machine code too.
fn driver(work: &Work, limits: &Limits) -> Option<String> {
    let version = work.module.version().filter(|_| !work.module.is_own())?;
    let (needed, has) = (cuda_for(version), limits.cuda?);
    (needed > has).then(|| {
        format!(
            "{} has PTX {}.{} and needs a driver for CUDA {}.{}, the driver supports {}.{}: \
             update it",
            work.module.path, version.0, version.1, needed.0, needed.1, has.0, has.1
        )
    })
}

/// Static shared memory counts too; where no assembler reports it, it is what the PTX declares.
fn shared_memory(work: &Work, launch: &Launch, limits: &Limits) -> Option<String> {
    let fixed = work
        .module
        .resources(&launch.kernel, limits.compute_capability)
        .map_or(0, |resources| resources.static_shared);
    let bytes = u64::from(launch.shared_bytes) + u64::from(fixed);
    (bytes > u64::from(limits.shared_per_block)).then(|| {
        format!(
            "{} needs {} of shared memory per block, the device has {}",
            launch.kernel,
            Bytes(bytes),
            Bytes(limits.shared_per_block.into())
        )
    })
}

/// A block needs its registers on one multiprocessor. A warp's registers are allocated
/// in units of 256, and the number of warps is rounded up to a multiple of the
/// multiprocessor's partitions.
fn registers(work: &Work, launch: &Launch, limits: &Limits) -> Option<String> {
    let cc = limits.compute_capability;
    let resources = work.module.resources(&launch.kernel, cc);
    let per_thread = resources.filter(|resources| !resources.estimated)?.registers;
    let partitions: u32 = if cc == 60 { 2 } else { 4 };
    let per_warp = (per_thread * WARP).next_multiple_of(REGISTER_UNIT);
    let warps = (launch.block.count() as u32).div_ceil(WARP).next_multiple_of(partitions);
    let needed = u64::from(per_warp) * u64::from(warps);
    (needed > u64::from(limits.registers_per_sm)).then(|| {
        format!(
            "{} takes {per_thread} registers per thread, {needed} for a block of {}; \
             a multiprocessor has {}",
            launch.kernel,
            launch.block.count(),
            limits.registers_per_sm
        )
    })
}

fn memory(work: &Work, limits: &Limits) -> Option<String> {
    let bytes = work.bytes();
    (bytes > limits.memory).then(|| {
        format!(
            "the buffers take {} ({bytes} B), the device has {} ({} B) for them",
            Bytes(bytes),
            Bytes(limits.memory),
            limits.memory
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::{Dim3, Module};

    const LIMITS: Limits = Limits {
        compute_capability: 90,
        threads_per_block: 1024,
        shared_per_block: 227 << 10,
        registers_per_sm: 1 << 16,
        memory: 1 << 30,
        cuda: None,
    };

    /// A launch of a kernel that takes 65 registers and 1,000 bytes of shared memory.
    fn work(block: u32, shared_bytes: u32) -> Work {
        let resources = "header\nk,sm_50,65,1000,0,0,0\n";
        let module =
            Module { name: "m", path: "m.ptx", ptx: ".target sm_70\n", source: "", resources };
        let launch = Launch {
            phase: "p",
            kernel: "k".to_owned(),
            grid: Dim3::linear(1),
            block: Dim3::linear(block),
            shared_bytes,
            args: Vec::new(),
        };
        Work::of_launches(module, Vec::new(), [launch])
    }

    #[test]
    fn ptx_for_a_newer_gpu_is_a_skip() {
        let on = |cc| target(&work(32, 0), &Limits { compute_capability: cc, ..LIMITS });
        assert_eq!((on(70), on(90)), (None, None));
        let reason = on(61);
        assert_eq!(
            reason.as_deref(),
            Some("m.ptx needs compute capability 7.0, the device has 6.1")
        );
    }

    #[test]
    fn ptx_for_a_newer_driver_is_a_skip() {
        let with = |cuda| {
            let mut work = work(32, 0);
            work.module.ptx = ".version 8.0\n.target sm_90a\n";
            driver(&work, &Limits { cuda, ..LIMITS })
        };
        assert_eq!((with(None), with(Some((12, 0))), with(Some((13, 0)))), (None, None, None));
        let reason = with(Some((11, 8))).unwrap_or_default();
        for part in ["m.ptx", "PTX 8.0", "CUDA 12.0", "11.8", "update"] {
            assert!(reason.contains(part), "{reason}");
        }
    }

    #[test]
    fn registers_are_rounded_per_warp_and_per_partition() {
        let obstacle = |block, cc| {
            let work = work(block, 0);
            let limits = Limits { compute_capability: cc, ..LIMITS };
            work.launches().find_map(|launch| registers(&work, launch, &limits))
        };
        // 65 x 32 = 2080, rounded to 2304: 28 warps fit (64,512), 29 do not,
        // since they count as 32.
        assert_eq!(obstacle(28 * 32, 90), None);
        assert!(obstacle(28 * 32 + 1, 90).is_some_and(|why| why.contains("73728")));
        // With two partitions 29 count as 30: 69,120.
        assert!(obstacle(29 * 32, 60).is_some_and(|why| why.contains("69120")));
        assert_eq!(obstacle(28 * 32, 60), None);
    }

    #[test]
    fn static_shared_memory_counts() {
        for resources in ["header\nk,sm_50,65,1000,0,0,0\n", "header\nk,estimate,65,1000,0\n"] {
            let obstacle = |dynamic| {
                let mut work = work(32, dynamic);
                work.module.resources = resources;
                work.launches().find_map(|launch| shared_memory(&work, launch, &LIMITS))
            };
            assert_eq!(obstacle((227 << 10) - 1000), None);
            assert!(obstacle((227 << 10) - 999).is_some());
        }
    }
}
