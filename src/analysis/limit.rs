//! What a device can reach at best: the least time of a case, by the bytes that it must move
//! and the floating-point operations that it must do.

use crate::gpu;
use crate::results::record::Record;

/// The least time of a case on its device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// Seconds.
    pub seconds: f64,
    /// What takes them.
    pub by: Bound,
}

/// What sets the least time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Bytes through DRAM.
    Dram,
    /// 32-bit floating-point operations.
    Float,
}

/// The least time of a case on its device, by the published peaks of the device's profile:
/// DRAM bandwidth, and two operations per float lane and cycle at the boost clock. A case
/// whose data stay in the L2 cache can take less. `None` where the device has no profile or
/// the case neither moves bytes nor does such operations.
pub fn limit(record: &Record) -> Option<Limit> {
    let spec = gpu::spec_of_device(&record.device.name)?;
    let lanes = f64::from(spec.sms) * f64::from(spec.fp32_lanes);
    let dram = record.bytes as f64 / spec.dram_bytes_per_second;
    let float = record.flops as f64 / (2.0 * lanes * spec.boost_hz);
    let (seconds, by) = if float > dram { (float, Bound::Float) } else { (dram, Bound::Dram) };
    (seconds > 0.0 && seconds.is_finite()).then_some(Limit { seconds, by })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::experiment::{Case, Distribution};
    use crate::results::record::{DeviceRecord, Provenance};

    fn record(device: &str, bytes: u64, flops: u64) -> Record {
        let case = Case {
            algorithm: "matmul".to_owned(),
            variant: "tiled".to_owned(),
            block: 256,
            coarsen: 1,
            n: 1024,
            params: std::collections::BTreeMap::new(),
            dist: Distribution::Uniform,
            seed: 7,
        };
        let device = DeviceRecord { name: device.to_owned(), driver: None, id: String::new() };
        let mut record = Record::new(&case, device, "cuda", Provenance::Recorded);
        (record.bytes, record.flops) = (bytes, flops);
        record
    }

    #[test]
    fn the_slower_of_bytes_and_operations_sets_the_limit() {
        // An H200: 4.8 TB/s and 132 multiprocessors of 128 lanes at 1.98 GHz, 66.9 TFLOP/s.
        let moved = limit(&record("NVIDIA H200", 4_800_000_000, 0)).unwrap();
        assert_eq!(moved.by, Bound::Dram);
        assert!((moved.seconds / 1e-3 - 1.0).abs() < 0.05, "{moved:?}");
        let computed = limit(&record("H200 SXM", 1000, 66_900_000_000)).unwrap();
        assert_eq!(computed.by, Bound::Float);
        assert!((computed.seconds / 1e-3 - 1.0).abs() < 0.05, "{computed:?}");
        assert_eq!(limit(&record("H200 SXM", 0, 0)), None);
        assert_eq!(limit(&record("GPU of tomorrow", 1000, 0)), None);
    }
}
