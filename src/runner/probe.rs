//! Measures a GPU with small kernels that each isolate one property, and writes a
//! profile for the timing model.
//!
//! ```text
//! ProbeLaunch --> ProbeRunner --> ProbeSamples --> Estimate --> Number of a profile
//! ```
//!
//! The kernels are `kernels/device/probe_*.cu`; each says what it isolates. A
//! [`ProbeRunner`] runs them: [`BackendRunner`] on a backend, and in tests a simulated GPU.

mod arithmetic;
mod atomics;
mod estimate;
mod launch;
mod launches;
mod memory;
mod runner;
mod shared;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::backend::Failure;
use crate::gpu::{Architecture, Document, Key, Number, Values};
pub use estimate::Estimate;
pub use launch::{MODULES, ProbeLaunch, Setup};
pub use runner::BackendRunner;

/// Runs probes.
pub trait ProbeRunner {
    /// Runs `probe` until it has enough samples.
    fn launch(&mut self, probe: &ProbeLaunch) -> Result<ProbeSamples, Failure>;

    /// Copies `bytes` bytes to the host and back: seconds of each direction.
    fn copy(&mut self, bytes: u64) -> Result<[Estimate; 2], Failure>;
}

/// The result of a probe: one entry per sample.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProbeSamples {
    /// Seconds between the events around the launch that is timed.
    pub seconds: Vec<f64>,
    /// The contents of `cycles`, one word per block.
    pub cycles: Vec<Vec<u32>>,
    /// The words of `data` that the probe keeps.
    pub data: Vec<Vec<u32>>,
}

/// Properties of the GPU that are not measured.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceFacts {
    /// Name by the driver.
    pub name: String,
    /// Compute capability as major * 10 + minor: 90 for 9.0.
    pub compute_capability: u32,
    /// Streaming multiprocessors.
    pub sms: u32,
    /// Boost clock in hertz.
    pub boost_hz: f64,
    /// Peak bandwidth of DRAM in bytes per second, by its clock and width.
    pub dram_peak: f64,
    /// DRAM in bytes, and how many of them are free.
    pub dram_bytes: (u64, u64),
    /// L2 cache in bytes.
    pub l2_bytes: u64,
    /// Most shared memory per block in bytes.
    pub shared_per_block: u32,
    /// When and with which driver: `2026-11-21, driver 580.159.04`.
    pub occasion: String,
}

impl DeviceFacts {
    /// Lanes for 32-bit floats per multiprocessor, by architecture.
    pub fn fp32_lanes(&self) -> u32 {
        match self.compute_capability {
            60 | 70..86 => 64,
            _ => 128,
        }
    }

    /// Maximum number of resident threads per multiprocessor.
    fn threads_per_sm(&self) -> u32 {
        Architecture::of(self.compute_capability).warps * 32
    }

    /// Words of a buffer that is larger than the caches and fits into memory: 16 times L2.
    fn large(&self) -> u32 {
        let bytes = (16 * self.l2_bytes).clamp(256 << 20, 1 << 30).min(self.dram_bytes.1 / 3);
        (bytes / 4).next_multiple_of(1 << 16) as u32
    }
}

/// Numbers by key.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProbeResults(pub BTreeMap<Key, (Values, Option<f64>)>);

impl ProbeResults {
    /// Adds a value, if it is above 0: a difference can be lost in noise.
    fn put(&mut self, key: Key, estimate: Estimate) {
        if estimate.is_positive() {
            self.0.insert(key, (Values::One(estimate.value), Some(estimate.spread)));
        }
    }

    /// Adds a curve with the spread of its worst point.
    fn curve(&mut self, key: Key, points: &[(f64, Estimate)]) {
        let sound = |point: &&(f64, Estimate)| point.1.is_positive();
        let points: Vec<_> = points.iter().filter(sound).collect();
        if points.is_empty() {
            return;
        }
        let spread = points.iter().map(|(_, estimate)| estimate.spread).fold(0.0, f64::max);
        let points = points.iter().map(|(x, estimate)| (*x, estimate.value)).collect();
        self.0.insert(key, (Values::Curve(points), Some(spread)));
    }

    /// The keys without a value, because of noise or because the GPU lacks the feature.
    pub fn missing(&self) -> Vec<Key> {
        let listed = GROUPS.iter().flat_map(|group| group.keys).copied();
        listed.filter(|key| !self.0.contains_key(key)).collect()
    }

    /// A value measured before.
    fn get(&self, key: Key) -> Option<f64> {
        self.0.get(&key).map(|(values, _)| values.most())
    }
}

/// Measurements that belong together.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// Its name, such as `arithmetic`.
    pub name: &'static str,
    /// The keys that it measures.
    pub keys: &'static [Key],
    run: fn(&mut dyn ProbeRunner, &DeviceFacts, &mut ProbeResults) -> Result<(), Failure>,
}

/// Every group in the order in which they run: later groups use earlier results.
pub const GROUPS: &[Group] = &[
    Group { name: "launches", keys: launches::KEYS, run: launches::run },
    Group { name: "arithmetic", keys: arithmetic::KEYS, run: arithmetic::run },
    Group { name: "shared memory and barriers", keys: shared::KEYS, run: shared::run },
    Group { name: "memory", keys: memory::KEYS, run: memory::run },
    Group { name: "global atomics", keys: atomics::KEYS, run: atomics::run },
];

/// Runs every group; `on_group` is called before each.
pub fn measure(
    runner: &mut dyn ProbeRunner,
    facts: &DeviceFacts,
    on_group: &mut dyn FnMut(usize, &Group),
) -> Result<ProbeResults, Failure> {
    let mut found = ProbeResults::default();
    for (index, group) in GROUPS.iter().enumerate() {
        on_group(index, group);
        (group.run)(runner, facts, &mut found)?;
    }
    Ok(found)
}

/// The profile of the GPU with these results.
pub fn document(facts: &DeviceFacts, found: &ProbeResults) -> Document {
    let driver = |value: f64| Number::one(value, &format!("driver: {}", facts.occasion));
    let mut numbers: BTreeMap<Key, Number> = [
        (Key::Multiprocessors, driver(f64::from(facts.sms))),
        (Key::BoostClock, driver(facts.boost_hz)),
        (Key::DramPeak, driver(facts.dram_peak)),
        (Key::DramSize, driver(facts.dram_bytes.0 as f64)),
        (Key::L2Size, driver(facts.l2_bytes as f64)),
        (
            Key::Fp32Lanes,
            Number::one(
                f64::from(facts.fp32_lanes()),
                "published: CUDA programming guide, by compute capability",
            ),
        ),
    ]
    .into();
    // Every profile needs these two, even if they are not measured.
    let link = "assumed: PCIe 3.0 x16, the slowest link of the last ten years";
    numbers.insert(Key::BusRate, Number::one(15.75e9, link));
    numbers.insert(Key::BusLatency, Number::one(1e-5, "assumed"));
    let source = format!("measured by warpscope probe, {}", facts.occasion);
    for (key, (values, spread)) in &found.0 {
        let number =
            Number { values: values.clone(), source: source.clone(), spread: spread.map(short) };
        numbers.insert(*key, number);
    }
    Document {
        name: facts.name.clone(),
        note: "Measured; predictions with it were not compared with the GPU.".to_owned(),
        compute_capability: facts.compute_capability,
        validated: false,
        numbers,
    }
}

/// A spread rounded to four decimal places.
fn short(spread: f64) -> f64 {
    (spread * 1e4).round() / 1e4
}
