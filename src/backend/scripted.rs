//! A deterministic backend for tests: it counts histograms, and computes times and its
//! clock by a formula, so that an experiment always gives the same records.
//!
//! **Times.** Without noise, with `n` values in `b` bins:
//!
//! | variant | seconds |
//! |---|---|
//! | `global` | `2e-6 + n * 8e-11 * (1 + 8 / b)` |
//! | `shared` | `5e-6 + b * 1e-10 + n * 1e-12 * (1 + 16 / coarsening)` |
//!
//! each times `1 + 0.05 * abs(log2(block) - 7)`: 128 threads per block are best,
//! `global` wins for small `n` and `shared` for large. Noise is one of eight factors
//! within 0.2 %, in turn. The first sample is three times as slow. Preparing advances
//! the clock by 1 ms, and a sample by 10 ms plus the kernel's time.
//!
//! **Faults.** With certain numbers of bins ([`TRAP`] and the constants after it) the
//! `shared` variant misbehaves, so that tests can mix failing and sound cases.
//!
//! **Devices.** `scripted-0`, `scripted-1` and so on are equal, except that device
//! [`SMALL`] has 48 KiB of shared memory per block.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{Backend, Failure, Prepared, Sample};
use crate::work::{
    Arg, Checked, Device, DeviceBaseline, HostBuffer, Inputs, Launch, Limits, Step, Trap, TrapKind,
    Work,
};

#[cfg(test)]
mod tests;

/// Bins with which `shared` traps.
pub const TRAP: u64 = 6661;
/// Bins with which `shared` gives a wrong answer.
pub const WRONG: u64 = 6662;
/// Bins with which `shared` takes real time.
pub const SLOW: u64 = 6663;
/// Bins with which `shared` ends the process.
pub const DIES: u64 = 6664;
/// Bins with which `shared` does not fit into memory.
pub const FULL: u64 = 6665;
/// Bins with which `shared` loses the device.
pub const LOST: u64 = 6666;
/// Bins with which `shared` is throttled at first.
pub const THROTTLED: u64 = 6667;
/// Bins with which `shared` is always throttled.
pub const HOT: u64 = 6668;
/// Bins with which the times of `shared` are noisy.
pub const NOISY: u64 = 6669;
/// Bins with which the PTX of `shared` does not load.
pub const UNLOADABLE: u64 = 6670;
/// Bins with which only the first answer of `shared` is right.
pub const FLICKERS: u64 = 6671;
/// Bins with which `shared` never gets prepared.
pub const HANGS_LOADING: u64 = 6672;
/// Bins with which `shared` never ends.
pub const HANGS: u64 = 6673;
/// Bins with which the answer of `shared` never arrives.
pub const HANGS_READING: u64 = 6674;
/// Bins with which every eighth sample of `shared` takes half as long again.
pub const UNEVEN: u64 = 6675;

/// Number of the device with little shared memory.
pub const SMALL: u32 = 9;

/// The highest clock in MHz.
pub const CLOCK: u32 = 1000;

/// The baseline of the device.
pub const BASELINE: DeviceBaseline =
    DeviceBaseline { empty_kernel: 1e-6, launch: 4e-6, copy: 1e12 };

/// Deviations of successive samples from the formula; their median is 0.
const SPREAD: [f64; 8] = [0.0, 0.001, -0.001, 0.002, -0.002, 0.0005, -0.0005, 0.0];

/// The deterministic backend.
#[derive(Debug)]
pub struct Scripted {
    device: Device,
    clock: f64,
    prepared: BTreeMap<u64, State>,
    next: u64,
    lost: bool,
}

/// One prepared piece of work.
#[derive(Debug)]
struct State {
    job: Job,
    inputs: Inputs,
    samples: usize,
}

/// What a launch asks for, read from its name and arguments.
#[derive(Debug, Clone)]
struct Job {
    kernel: String,
    shared: bool,
    range: bool,
    n: u64,
    bins: u64,
    block: u32,
    grid: u32,
}

impl Job {
    fn of(launch: &Launch) -> Result<Self, Failure> {
        let unknown =
            || Failure::Load(format!("the scripted backend knows no kernel `{}`", launch.kernel));
        let (shared, range) = match launch.kernel.strip_prefix("histogram_") {
            Some("global_modulo") => (false, false),
            Some("global_range") => (false, true),
            Some("shared_modulo" | "shared_wide_modulo") => (true, false),
            Some("shared_range" | "shared_wide_range") => (true, true),
            _ => return Err(unknown()),
        };
        let [_, Arg::U32(n), _, Arg::U32(bins)] = launch.args[..] else {
            return Err(unknown());
        };
        Ok(Self {
            kernel: launch.kernel.clone(),
            shared,
            range,
            n: n.into(),
            bins: bins.into(),
            block: launch.block.x,
            grid: launch.grid.x,
        })
    }

    /// Whether it misbehaves in this way.
    fn is(&self, behaviour: u64) -> bool {
        self.shared && self.bins == behaviour
    }

    /// Seconds by the formula.
    fn seconds(&self) -> f64 {
        let (n, bins) = (self.n as f64, self.bins as f64);
        let base = if self.shared {
            let threads = f64::from(self.grid) * f64::from(self.block);
            let coarsening = (n / threads).max(1.0);
            5e-6 + bins * 1e-10 + n * 1e-12 * (1.0 + 16.0 / coarsening)
        } else {
            2e-6 + n * 8e-11 * (1.0 + 8.0 / bins)
        };
        base * (1.0 + 0.05 * (libm::log2(f64::from(self.block)) - 7.0).abs())
    }

    fn count(&self, values: &[u32]) -> Vec<u32> {
        let mut counts = vec![0; self.bins as usize];
        for &value in values {
            let value = u64::from(value);
            let bin = if self.range { (value * self.bins) >> 32 } else { value % self.bins };
            counts[bin as usize] += 1;
        }
        counts
    }

    fn trap(&self, kind: TrapKind, message: &str) -> Failure {
        Failure::Trap(Trap {
            kind,
            kernel: self.kernel.clone(),
            file: Some("kernels/histogram.cu".to_owned()),
            line: Some(144),
            block: Some([0, 0, 0]),
            lanes: vec![5],
            message: message.to_owned(),
        })
    }
}

/// Never returns, like a kernel that never ends.
fn hang() -> ! {
    loop {
        std::thread::park();
    }
}

impl Scripted {
    /// The device with this number.
    pub fn open(number: u32) -> Self {
        Self {
            device: Device {
                backend: "scripted".to_owned(),
                name: "Scripted GPU".to_owned(),
                driver: Some("1.0".to_owned()),
                id: format!("scripted-{number}"),
                modelled: false,
                validated: true,
                limits: Limits {
                    compute_capability: 90,
                    threads_per_block: 1024,
                    shared_per_block: if number == SMALL { 48 << 10 } else { 227 << 10 },
                    registers_per_sm: 1 << 16,
                    memory: 1 << 30,
                    cuda: None,
                },
            },
            clock: 0.0,
            prepared: BTreeMap::new(),
            next: 0,
            lost: false,
        }
    }

    fn answers(&self) -> Result<(), Failure> {
        if self.lost {
            return Err(Failure::Lost("the scripted GPU no longer answers".to_owned()));
        }
        Ok(())
    }
}

/// The failure for a handle that does not come from `prepare`.
fn unprepared(prepared: Prepared) -> Failure {
    Failure::Lost(format!("work {} was released or never prepared", prepared.0))
}

impl Backend for Scripted {
    fn device(&self) -> &Device {
        &self.device
    }

    fn now(&self) -> f64 {
        self.clock
    }

    fn repeats(&self) -> bool {
        true
    }

    fn device_baseline(&self) -> Option<DeviceBaseline> {
        Some(BASELINE)
    }

    fn highest_clock(&self) -> Option<u32> {
        Some(CLOCK)
    }

    fn throttle_reasons(&self) -> Vec<&'static str> {
        vec!["power cap"]
    }

    fn prepare(&mut self, work: &Work, inputs: &Inputs) -> Result<Prepared, Failure> {
        self.answers()?;
        let [Step::Launch(launch)] = &work.steps[..] else {
            return Err(Failure::Load("the scripted backend runs single launches".to_owned()));
        };
        let job = Job::of(launch)?;
        for buffer in &work.buffers {
            buffer.given(inputs).map_err(Failure::Load)?;
        }
        if job.is(FULL) {
            return Err(Failure::OutOfMemory("no room for the bins".to_owned()));
        }
        if job.is(UNLOADABLE) {
            return Err(Failure::Load("ptxas fatal: unresolved symbol".to_owned()));
        }
        if job.is(HANGS_LOADING) {
            hang();
        }
        self.clock += 1e-3;
        let id = self.next;
        self.next += 1;
        self.prepared.insert(id, State { job, inputs: inputs.clone(), samples: 0 });
        Ok(Prepared(id))
    }

    fn sample(&mut self, prepared: Prepared) -> Result<Sample, Failure> {
        self.answers()?;
        let state = self.prepared.get_mut(&prepared.0).ok_or_else(|| unprepared(prepared))?;
        let index = state.samples;
        state.samples += 1;
        let job = &state.job;
        if job.is(TRAP) {
            return Err(job.trap(TrapKind::OutOfBounds, "atomic add past the end of `bins`"));
        }
        if job.is(LOST) {
            let trap = job.trap(TrapKind::DeviceFault, "an illegal memory access");
            self.lost = true;
            return Err(trap);
        }
        if job.is(HANGS) {
            hang();
        }
        if job.is(DIES) && index == 1 {
            std::process::abort();
        }
        if job.is(SLOW) {
            std::thread::sleep(Duration::from_millis(50));
        }
        let spread = SPREAD[index % SPREAD.len()] * if job.is(NOISY) { 100.0 } else { 1.0 };
        let warm = if index == 0 { 3.0 } else { 1.0 };
        let late = if job.is(UNEVEN) && index % 8 == 7 { 1.5 } else { 1.0 };
        let seconds = job.seconds() * (1.0 + spread) * warm * late;
        let throttled = job.is(HOT) || job.is(THROTTLED) && (1..4).contains(&index);
        self.clock += 1e-2 + seconds;
        Ok(Sample {
            phases: vec![seconds],
            seconds,
            throttled,
            clock: Some(if throttled { CLOCK / 2 } else { CLOCK }),
            ..Sample::default()
        })
    }

    /// Finds what traps, and what else is there by its output.
    fn check(
        &mut self,
        work: &Work,
        inputs: &Inputs,
        outputs: &[usize],
    ) -> Option<Result<Checked, Failure>> {
        let mut ran = || {
            let prepared = self.prepare(work, inputs)?;
            let found = match self.sample(prepared) {
                Err(Failure::Trap(trap)) => {
                    Checked { findings: vec![trap.into()], ..Checked::default() }
                }
                Err(failure) => return Err(failure),
                Ok(_) => {
                    let outputs = outputs.iter().map(|&buffer| self.read(prepared, buffer));
                    Checked { outputs: outputs.collect::<Result<_, _>>()?, ..Checked::default() }
                }
            };
            self.release(prepared);
            Ok(found)
        };
        Some(ran())
    }

    fn read(&mut self, prepared: Prepared, buffer: usize) -> Result<HostBuffer, Failure> {
        self.answers()?;
        let state = self.prepared.get(&prepared.0).ok_or_else(|| unprepared(prepared))?;
        let values = state.inputs.first().and_then(|input| input.as_u32()).unwrap_or_default();
        if state.job.is(HANGS_READING) {
            hang();
        }
        if buffer == 0 {
            return Ok(HostBuffer::U32(values.to_vec()));
        }
        let mut counts = state.job.count(values);
        if state.job.is(WRONG) || state.job.is(FLICKERS) && state.samples > 1 {
            counts[3] += 1;
        }
        Ok(HostBuffer::U32(counts))
    }

    fn release(&mut self, prepared: Prepared) {
        self.prepared.remove(&prepared.0);
    }
}
