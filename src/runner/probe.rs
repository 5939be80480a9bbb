//! Measures a GPU: small kernels that each isolate one thing, and what follows
//! from their times for a profile of the timing model.
//!
//! ```text
//! Shot --> Lab --> Reading --> Estimate --> Number of a profile
//!  which    runs    times and    median and
//!  launch   it      clocks       spread
//! ```
//!
//! The kernels are `kernels/probe*.cu`; each says what it isolates. A [`Lab`]
//! runs them: [`Bench`] on a backend, and in tests a GPU of known figures.

mod arithmetic;
mod atomics;
mod bench;
mod estimate;
mod launches;
mod memory;
mod shared;
mod shot;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::backend::Failure;
use crate::gpu::{Architecture, Document, Key, Number, Values};
pub use bench::Bench;
pub use estimate::Estimate;
pub use shot::{Before, Shot, modules};

/// Runs the launches that are asked for.
pub trait Lab {
    /// Runs `shot` until its time is known well enough.
    fn shoot(&mut self, shot: &Shot) -> Result<Reading, Failure>;

    /// Copies so many bytes to the host and back: seconds of each way.
    fn copy(&mut self, bytes: u64) -> Result<[Estimate; 2], Failure>;
}

/// What came of a shot: one entry for each sample.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    /// Seconds between the events around the launch that is timed.
    pub seconds: Vec<f64>,
    /// What the blocks left in `cycles`.
    pub cycles: Vec<Vec<u32>>,
    /// The words of `data` that the shot keeps.
    pub data: Vec<Vec<u32>>,
}

/// What is known of the GPU before anything is measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// Its name as the driver says it.
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

impl Facts {
    /// Lanes for 32-bit floats per multiprocessor, by architecture.
    pub fn fp32_lanes(&self) -> u32 {
        match self.compute_capability {
            60 | 70..86 => 64,
            _ => 128,
        }
    }

    /// Threads that a multiprocessor holds.
    fn threads_per_sm(&self) -> u32 {
        Architecture::of(self.compute_capability).warps * 32
    }

    /// Words of a buffer that no cache holds, and that fits: 16 times L2.
    fn large(&self) -> u32 {
        let bytes = (16 * self.l2_bytes).clamp(256 << 20, 1 << 30).min(self.dram_bytes.1 / 3);
        (bytes / 4).next_multiple_of(1 << 16) as u32
    }
}

/// Numbers by key.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found(pub BTreeMap<Key, (Values, Option<f64>)>);

impl Found {
    /// Takes one value. A difference can drown in noise; what is not above 0 is not
    /// found.
    fn put(&mut self, key: Key, estimate: Estimate) {
        if estimate.is_positive() {
            self.0.insert(key, (Values::One(estimate.value), Some(estimate.spread)));
        }
    }

    /// Takes a curve: its spread is that of its worst point.
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

    /// The keys that were to be found and were not: noise, or a GPU that does not
    /// have such a thing.
    pub fn missing(&self) -> Vec<Key> {
        let listed = GROUPS.iter().flat_map(|group| group.keys).copied();
        listed.filter(|key| !self.0.contains_key(key)).collect()
    }

    /// A value found before.
    fn get(&self, key: Key) -> Option<f64> {
        self.0.get(&key).map(|(values, _)| values.most())
    }
}

/// Some measurements that belong together.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// Its name, such as `arithmetic`.
    pub name: &'static str,
    /// The keys that it finds.
    pub keys: &'static [Key],
    run: fn(&mut dyn Lab, &Facts, &mut Found) -> Result<(), Failure>,
}

/// Every group, in the order in which they run: later ones use what earlier
/// ones found.
pub const GROUPS: &[Group] = &[
    Group { name: "launches", keys: launches::KEYS, run: launches::run },
    Group { name: "arithmetic", keys: arithmetic::KEYS, run: arithmetic::run },
    Group { name: "shared memory and barriers", keys: shared::KEYS, run: shared::run },
    Group { name: "memory", keys: memory::KEYS, run: memory::run },
    Group { name: "global atomics", keys: atomics::KEYS, run: atomics::run },
];

/// Measures everything; `on_group` hears of each group before it begins.
pub fn measure(
    lab: &mut dyn Lab,
    facts: &Facts,
    on_group: &mut dyn FnMut(usize, &Group),
) -> Result<Found, Failure> {
    let mut found = Found::default();
    for (index, group) in GROUPS.iter().enumerate() {
        on_group(index, group);
        (group.run)(lab, facts, &mut found)?;
    }
    Ok(found)
}

/// The profile that follows, as its file says it.
pub fn document(facts: &Facts, found: &Found) -> Document {
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
    // Every profile has these two, measured or not.
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

/// A spread to four places: more say nothing.
fn short(spread: f64) -> f64 {
    (spread * 1e4).round() / 1e4
}
