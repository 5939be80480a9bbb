//! An NVIDIA GPU, through `cust` and direct calls of the driver. All `unsafe` code for
//! CUDA is in this module.
//!
//! A sample is taken in this order: restore written buffers, flush the L2 cache,
//! hold the stream, record start, launch, record stop, release, wait. The GPU
//! starts when everything is queued, so the kernel's time holds no launch latency.

use std::collections::BTreeMap;

use cust::context::Context;
use cust::sys::CUdevice_attribute;

mod baseline;
mod devices;
mod driver;
mod memory;
mod module;
mod nvml;
mod prepared;
mod printed;
pub(super) mod single_launch;
mod status;
mod stream;

use super::{Backend, Failure, OpenError, Prepared, Sample};
use crate::work::{self, Device, DeviceBaseline, HostBuffer, Inputs, Resources, TrapKind, Work};
pub use devices::{devices, driver_state, hardware};
use memory::{Memory, Uploads};
use module::Modules;
use nvml::Clocks;
pub use nvml::health;
use prepared::{PreparedWork, ReadySteps};
use status::Status;
use stream::{Stopped, Timer};

/// Least and most bytes that are written to flush the L2 cache.
const FLUSH_BYTES: (u64, u64) = (64 << 20, 512 << 20);

/// Failed holds in a row before launches are timed without it.
const HOLD_ATTEMPTS: u32 = 3;

/// Memory left to the driver, for stacks and code.
const HEADROOM_BYTES: u64 = 64 << 20;

/// A CUDA device.
pub struct Cuda {
    device: Device,
    prepared: BTreeMap<u64, PreparedWork>,
    next: u64,
    uploads: Uploads,
    modules: Modules,
    flush: Memory,
    timer: Timer,
    clocks: Clocks,
    baseline: Option<DeviceBaseline>,
    /// Failed holds in a row. Under a profiler or debugger every launch waits for the
    /// one before it, so all of them fail.
    failed_holds: u32,
    /// Why the device is lost.
    lost: Option<String>,
    // Last, so that it is dropped after its resources.
    _context: Context,
}

impl Cuda {
    /// Opens the device with this ordinal of the driver.
    pub fn open(ordinal: u32) -> Result<Self, OpenError> {
        let refused = |status: Status| OpenError::NoCuda(format!("device {ordinal}: {status}"));
        let handle = devices::device(ordinal)?;
        let context = devices::context(handle).map_err(refused)?;
        let mut timer = Timer::new()
            .map_err(|reason| OpenError::NoCuda(format!("device {ordinal}: {reason}")))?;
        let l2 = devices::attribute(handle, CUdevice_attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)
            .map_err(refused)?;
        let flush = Memory::allocate(flush_bytes(l2 as u64)).map_err(refused)?;
        let (free, _) =
            cust::memory::mem_get_info().map_err(|error| refused(Status::from(error)))?;
        let memory = (free as u64).saturating_sub(HEADROOM_BYTES);
        let device = devices::describe(handle, memory).map_err(refused)?;
        let clocks = Clocks::new(&device.id, devices::highest_clock(handle));
        let baseline = baseline::measure(&mut timer, memory);
        Ok(Self {
            device,
            prepared: BTreeMap::new(),
            next: 0,
            uploads: Uploads::default(),
            modules: Modules::default(),
            flush,
            timer,
            clocks,
            baseline,
            failed_holds: 0,
            lost: None,
            _context: context,
        })
    }

    /// The resources of each launch's kernel on this device, by the driver's assembler.
    pub fn resources(&self, prepared: Prepared) -> Result<Vec<Resources>, Failure> {
        let launches = self.find(prepared)?.launches();
        Ok(launches.map(|launch| launch.function.resources()).collect::<Result<_, _>>()?)
    }

    /// The current and the highest clock of the multiprocessors in MHz, by NVML.
    pub fn megahertz(&self) -> Option<(u32, u32)> {
        self.clocks.now().zip(self.clocks.highest())
    }

    fn find(&self, prepared: Prepared) -> Result<&PreparedWork, Failure> {
        if let Some(reason) = &self.lost {
            return Err(Failure::Lost(reason.clone()));
        }
        self.prepared.get(&prepared.0).ok_or_else(|| {
            Failure::Lost(format!("work {} was released or never prepared", prepared.0))
        })
    }

    /// Runs all steps once, from restored buffers and a cold L2 cache.
    fn run(&mut self, prepared: Prepared, hold: bool) -> Result<(Sample, bool), Stopped> {
        let Some(work) = self.prepared.get(&prepared.0) else {
            return Ok((Sample::default(), false));
        };
        work.restore(self.timer.stream())?;
        self.flush.fill(0, self.timer.stream())?;
        let mut sample = Sample { phases: vec![0.0; work.phases.len()], ..Sample::default() };
        let (mut held, mut launched) = (hold, 0);
        for steps in &work.steps {
            match steps {
                ReadySteps::Launches { ready, phases } => {
                    let times =
                        self.timer.time(ready, hold).map_err(|stopped| stopped.after(launched))?;
                    for (&phase, seconds) in phases.iter().zip(times.phases) {
                        sample.phases[phase] += seconds;
                    }
                    sample.seconds += times.seconds;
                    held &= times.held;
                    // The slowest of several segments counts.
                    sample.clock = match (sample.clock, times.clock) {
                        (Some(before), Some(now)) => Some(before.min(now)),
                        (before, now) => before.or(now),
                    };
                    launched += ready.len();
                }
                ReadySteps::Host(stage, phases) => {
                    let seconds = work.stage(stage, self.timer.stream())?;
                    for (&phase, seconds) in phases.iter().zip(seconds) {
                        sample.phases[phase] += seconds;
                    }
                }
            }
        }
        Ok((sample, held))
    }

    /// The failure of a run. After a fault the device is lost.
    fn trap(&mut self, prepared: Prepared, stopped: Stopped) -> Failure {
        let kernels: Vec<String> = self
            .prepared
            .get(&prepared.0)
            .map(|work| work.launches().map(|launch| launch.kernel.clone()).collect())
            .unwrap_or_default();
        let (kernel, status) = match stopped {
            Stopped::Refused(index, status) if !status.is_fault() => {
                let kernel = kernels.get(index).map_or("", String::as_str);
                return Failure::trap(TrapKind::LaunchFailed, kernel, status.to_string());
            }
            Stopped::Refused(index, status) => (kernels.get(index).cloned(), status),
            Stopped::Failed(status) => (None, status),
            Stopped::Stage(message) => return Failure::Load(message),
        };
        let lost = self.lose(&status);
        if !status.is_fault() {
            return lost;
        }
        // The driver does not say which of several kernels faulted.
        let mut candidates = kernels;
        candidates.dedup();
        let kernel = kernel.unwrap_or_else(|| candidates.join(" or "));
        Failure::trap(TrapKind::DeviceFault, &kernel, status.to_string())
    }

    fn lose(&mut self, status: &Status) -> Failure {
        let reason = format!("{} no longer answers after {status}", self.device.name);
        self.lost = Some(reason.clone());
        Failure::Lost(reason)
    }
}

impl Backend for Cuda {
    fn device(&self) -> &Device {
        &self.device
    }

    fn repeats(&self) -> bool {
        true
    }

    fn device_baseline(&self) -> Option<DeviceBaseline> {
        self.baseline
    }

    fn highest_clock(&self) -> Option<u32> {
        self.clocks.highest()
    }

    fn throttle_reasons(&self) -> Vec<&'static str> {
        self.clocks.throttle_reasons()
    }

    fn add_binary(&mut self, module: &work::Module, cubin: Vec<u8>) {
        self.modules.add_binary(module, cubin);
    }

    fn prepare(&mut self, work: &Work, inputs: &Inputs) -> Result<Prepared, Failure> {
        if let Some(reason) = &self.lost {
            return Err(Failure::Lost(reason.clone()));
        }
        let stream = self.timer.stream();
        let prepared =
            PreparedWork::new(work, inputs, &mut self.modules, &mut self.uploads, stream)?;
        let id = self.next;
        self.next += 1;
        self.prepared.insert(id, prepared);
        Ok(Prepared(id))
    }

    fn sample(&mut self, prepared: Prepared) -> Result<Sample, Failure> {
        let warm = self.find(prepared)?.warm;
        loop {
            let hold = warm && self.failed_holds < HOLD_ATTEMPTS;
            let (mut sample, held) =
                self.run(prepared, hold).map_err(|stopped| self.trap(prepared, stopped))?;
            if held {
                self.failed_holds = 0;
            } else if hold {
                self.failed_holds += 1;
                continue;
            }
            if let Some(work) = self.prepared.get_mut(&prepared.0) {
                work.warm = true;
            }
            sample.unheld = warm && !held;
            if !hold {
                sample.clock = self.clocks.now();
            }
            sample.throttled = self.clocks.is_throttled(sample.clock);
            return Ok(sample);
        }
    }

    fn read(&mut self, prepared: Prepared, buffer: usize) -> Result<HostBuffer, Failure> {
        match self.find(prepared)?.read(buffer, self.timer.stream()) {
            Some(Ok(host)) => Ok(host),
            Some(Err(status)) => Err(self.trap(prepared, Stopped::Failed(status))),
            None => Err(Failure::Load(format!("there is no buffer {buffer} to read"))),
        }
    }

    fn release(&mut self, prepared: Prepared) {
        self.prepared.remove(&prepared.0);
        self.uploads.forget_dead();
    }
}

/// Twice the L2 cache, within bounds.
fn flush_bytes(l2: u64) -> u64 {
    (2 * l2).clamp(FLUSH_BYTES.0, FLUSH_BYTES.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flush_is_twice_the_cache_within_bounds() {
        assert_eq!(flush_bytes(4 << 20), 64 << 20);
        assert_eq!(flush_bytes(60 << 20), 120 << 20);
        assert_eq!(flush_bytes(1 << 30), 512 << 20);
    }

    #[test]
    fn a_device_that_is_not_there_is_a_plain_error() {
        let error = Cuda::open(9999).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.starts_with("no CUDA device: "), "{error}");
    }
}
