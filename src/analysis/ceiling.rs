//! The end of a ladder: the highest rate that the hardware allows a case, and the times of
//! vendors' libraries on the same GPU.

use crate::algorithms;
use crate::gpu::{self, Key};
use crate::results::libraries::{self, LibraryTime};
use crate::results::record::Record;

/// Floating-point operations of a tensor core on TF32 per multiprocessor and cycle, without
/// sparsity, by compute capability: NVIDIA's architecture papers, the published peak over
/// multiprocessors and the clock that it is stated for.
const TENSOR: [(u32, f64); 5] =
    [(80, 1024.0), (86, 256.0), (89, 256.0), (90, 2048.0), (100, 4096.0)];

/// From this share of written bytes on, a case reads and writes as a copy does.
const COPIES: f64 = 0.25;

/// What the hardware allows a case at most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ceiling {
    /// What sets it.
    pub by: By,
    /// Bytes or floating-point operations per second.
    pub rate: f64,
    /// The least time of the case at this rate.
    pub seconds: f64,
}

/// What sets a ceiling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum By {
    /// Bytes that are read from DRAM.
    Read,
    /// Bytes that are read and written, as by a copy.
    Copy,
    /// 32-bit floating-point operations.
    Fp32,
    /// Operations of tensor cores on TF32.
    Tf32,
}

impl By {
    /// Its name: `DRAM read rate`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "DRAM read rate",
            Self::Copy => "DRAM copy rate",
            Self::Fp32 => "FP32 peak",
            Self::Tf32 => "TF32 peak",
        }
    }

    /// Whether it counts operations; else bytes.
    pub fn is_arithmetic(self) -> bool {
        matches!(self, Self::Fp32 | Self::Tf32)
    }

    /// Where its figure comes from.
    pub fn source(self) -> &'static str {
        if self.is_arithmetic() { "at the boost clock" } else { "measured" }
    }
}

/// The ceiling of a case: its memory or its arithmetic, whichever takes longer. Memory rates
/// are the highest that the device's profile or a library's copy has; arithmetic peaks are
/// those of the boost clock. `None` where the device has no profile or the case moves and computes nothing.
pub fn ceiling(record: &Record) -> Option<Ceiling> {
    let spec = gpu::spec_of_device(&record.device.name)?;
    let clock = f64::from(spec.sms) * spec.boost_hz;
    let by = if writes(record) >= COPIES { By::Copy } else { By::Read };
    let (key, of_copy) = match by {
        By::Copy => (Key::DramCopy, ("copy", 8)),
        _ => (Key::DramRead, ("read", 4)),
    };
    let rate = spec.get(key).max(seen(&record.device.name, of_copy));
    let memory = Ceiling { by, rate, seconds: record.bytes as f64 / rate };
    let lanes =
        Ceiling { by: By::Fp32, rate: 2.0 * f64::from(spec.fp32_lanes) * clock, seconds: 0.0 };
    let tensor = TENSOR.iter().find(|(cc, _)| *cc == spec.compute_capability);
    let arithmetic = match tensor {
        Some((_, each)) if uses_tensor_cores(record) => {
            Ceiling { by: By::Tf32, rate: each * clock, seconds: 0.0 }
        }
        _ => lanes,
    };
    let seconds = record.flops as f64 / arithmetic.rate;
    let arithmetic = Ceiling { seconds, ..arithmetic };
    let ceiling = if arithmetic.seconds > memory.seconds { arithmetic } else { memory };
    (ceiling.seconds > 0.0 && ceiling.seconds.is_finite()).then_some(ceiling)
}

/// Whether the variant of a case multiplies on tensor cores.
fn uses_tensor_cores(record: &Record) -> bool {
    let known = algorithms::find(&record.algorithm).map_or(&[][..], |it| it.variants());
    known.iter().any(|variant| record.variant == variant.name && variant.tensor)
}

/// The share of a case's bytes that it writes: those of its outputs.
fn writes(record: &Record) -> f64 {
    let case = record.case();
    // A stored case may have been written by anyone.
    let sound = algorithms::sound(&case).filter(|_| !case.variant.is_empty() && record.bytes > 0);
    let Some(algorithm) = sound else { return 0.0 };
    let buffers = algorithm.work(&case).buffers;
    let outputs = algorithm.outputs(&case).into_iter().filter_map(|at| buffers.get(at));
    let written = outputs.fold(0, |sum, buffer| sum + buffer.bytes());
    written as f64 / record.bytes as f64
}

/// Bytes per second of the fastest call of CUDA's own copy or of a plain read.
fn seen(device: &str, (name, bytes): (&str, u64)) -> f64 {
    let rows = of_device(device).filter(|time| time.algorithm == name);
    rows.map(|time| (time.n * bytes) as f64 / time.seconds).fold(0.0, f64::max)
}

/// The times of libraries on the device of a case, measured or predicted, for its problem.
pub fn libraries(record: &Record) -> Vec<&'static LibraryTime> {
    of_device(&record.device.name).filter(|time| time.solves(record)).collect()
}

fn of_device(name: &str) -> impl Iterator<Item = &'static LibraryTime> {
    let wanted = gpu::spec_of_device(name).map(|spec| spec.name.clone());
    libraries::times().iter().filter(move |time| {
        wanted.is_some() && gpu::spec_of_device(&time.gpu).map(|spec| spec.name.clone()) == wanted
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::experiment::{Case, Distribution};
    use crate::results::record::{DeviceRecord, Provenance};

    fn record(algorithm: &str, variant: &str, n: u64, device: &str) -> Record {
        let known = algorithms::find(algorithm).unwrap();
        let defaults = known.params().iter().map(|it| (it.name.to_owned(), it.default()));
        let case = Case {
            algorithm: algorithm.to_owned(),
            variant: variant.to_owned(),
            block: 256,
            coarsen: 1,
            n,
            params: defaults.collect(),
            dist: Distribution::Uniform,
            seed: 7,
        };
        let device = DeviceRecord { name: device.to_owned(), driver: None, id: String::new() };
        let mut record = Record::new(&case, device, "cuda", Provenance::Recorded);
        let traffic = known.traffic(&case);
        (record.bytes, record.flops) = (traffic.bytes, traffic.flops);
        record
    }

    #[test]
    fn what_a_case_does_most_sets_its_ceiling() {
        let by = |algorithm: &str, variant: &str, n| {
            ceiling(&record(algorithm, variant, n, "NVIDIA H200")).unwrap().by
        };
        assert_eq!(by("histogram", "shared", 1 << 24), By::Read);
        assert_eq!(by("reduce", "shuffle", 1 << 24), By::Read);
        assert_eq!(by("scan", "decoupled-lookback", 1 << 24), By::Copy);
        assert_eq!(by("merge-sort", "merge-path", 1 << 20), By::Copy);
        assert_eq!(by("matmul", "tiled", 4096), By::Fp32);
        assert_eq!(by("distance-histogram", "privatised", 1 << 16), By::Fp32);
        let unknown = record("histogram", "shared", 1024, "GPU of tomorrow");
        assert_eq!((ceiling(&unknown), libraries(&unknown).len()), (None, 0));
    }

    #[test]
    fn no_library_and_no_recording_is_above_its_ceiling() {
        for time in libraries::times() {
            let Some(algorithm) = algorithms::find(&time.algorithm) else { continue };
            // Small inputs stay in the L2 cache.
            if time.n < 1 << 26 && algorithm.name() != "matmul" || time.library.contains("TF32") {
                continue;
            }
            let variant = algorithm.variants()[0].name;
            let mut record = record(algorithm.name(), variant, time.n, &time.gpu);
            record.params.extend(time.params.clone());
            let least = ceiling(&record).unwrap().seconds;
            assert!(least <= time.seconds, "{time:?} takes less than {least}");
        }
    }

    #[test]
    fn a_predicted_case_has_the_libraries_of_its_gpu() {
        let predicted = record("scan", "decoupled-lookback", 1 << 28, "H200 SXM");
        let names: Vec<_> = libraries(&predicted).iter().map(|it| it.library.as_str()).collect();
        assert_eq!(names, ["CUB"]);
        let other = record("scan", "decoupled-lookback", 1 << 28, "Tesla T4");
        assert!(libraries(&other).is_empty());
    }
}
