//! What runs kernels: one trait, three adapters.
//!
//! [`Backend`] has the four verbs that measuring needs: prepare, sample, read,
//! release. `cuda` does them on a GPU, `emulated` on the emulator with
//! predicted times, `scripted` from fixed formulas for tests.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use crate::experiment::{BackendChoice, SampleChoice, Target};
use crate::work::{
    Checked, Device, DeviceBaseline, HostBuffer, Inputs, Module, Progress, Sampling, Trap,
    TrapKind, Work,
};

#[cfg(target_os = "linux")]
pub mod cuda;
pub mod emulated;
pub(crate) mod host_memory;
pub mod scripted;
pub mod single_launch;

/// Something that runs kernels.
pub trait Backend {
    /// What it runs on.
    fn device(&self) -> &Device;

    /// The clock by which a measurement decides that it has taken long enough:
    /// seconds since some fixed moment. The scripted backend has one of its
    /// own, so that its measurements are the same every time.
    fn now(&self) -> f64 {
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed().as_secs_f64()
    }

    /// Whether a second sample can differ from the first. Predicted times
    /// cannot, so a case runs once.
    fn repeats(&self) -> bool;

    /// The measured baseline of the device; `None` if times are predicted.
    fn device_baseline(&self) -> Option<DeviceBaseline> {
        None
    }

    /// The highest clock of the multiprocessors in MHz, where it is known.
    fn highest_clock(&self) -> Option<u32> {
        None
    }

    /// Why the driver limits the clock now, in words.
    fn throttle_reasons(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// Gives machine code for `module`, in case the driver is too old for its PTX. Only a GPU
    /// uses it.
    fn add_binary(&mut self, _module: &Module, _cubin: Vec<u8>) {}

    /// Loads the module, allocates and fills the buffers.
    fn prepare(&mut self, work: &Work, inputs: &Inputs) -> Result<Prepared, Failure>;

    /// Restores written buffers (untimed), takes every step once, and waits.
    /// The first call after [`Backend::prepare`] is the warm-up.
    fn sample(&mut self, prepared: Prepared) -> Result<Sample, Failure>;

    /// When this backend is to run a few blocks in place of all; one that measures
    /// never does.
    fn sample_choice(&self) -> SampleChoice {
        SampleChoice::Never
    }

    /// Whether samples shall say what went on inside them ([`Sample::profile`]),
    /// which takes time; backends that do not count never do.
    fn profile_kernels(&mut self, _wanted: bool) {}

    /// Where the launches of the current work say how far they have come; `None` if they do
    /// not.
    fn progress(&self) -> Option<Arc<Progress>> {
        None
    }

    /// Whether buffers of so many bytes can all be filled, which a sample need not.
    fn holds(&self, _bytes: u64) -> bool {
        true
    }

    /// Why single blocks of `work` say nothing about the others, if they do not.
    fn depends_on_blocks(&mut self, _work: &Work) -> Option<&'static str> {
        None
    }

    /// Estimates the thread instructions of `work` from a few of its blocks. `None` if the backend
    /// cannot, or if there are few blocks.
    fn thread_instructions(&mut self, _work: &Work, _inputs: &Inputs) -> Option<u64> {
        None
    }

    /// Counts and time of `work` from some of its blocks or from smaller work, as `sampling`
    /// says.
    fn run_sampled(&mut self, _work: &Work, _sampling: &Sampling) -> Result<Sample, Failure> {
        Err(Failure::Load("what is measured cannot be sampled".to_owned()))
    }

    /// Runs every step of `work` once under the sanitizer, and reads the buffers with these
    /// indices. `None` if the backend has no sanitizer.
    fn check(
        &mut self,
        _work: &Work,
        _inputs: &Inputs,
        _outputs: &[usize],
    ) -> Option<Result<Checked, Failure>> {
        None
    }

    /// What the buffer with this index in [`Work::buffers`] holds now.
    fn read(&mut self, prepared: Prepared, buffer: usize) -> Result<HostBuffer, Failure>;

    /// Frees what [`Backend::prepare`] made. Inputs may stay cached while the
    /// caller keeps them alive.
    fn release(&mut self, prepared: Prepared);
}

/// Names a prepared piece of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Prepared(pub u64);

/// One run of all steps.
#[allow(clippy::struct_excessive_bools, reason = "each is a reservation of its own")]
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sample {
    /// Seconds of each of the work's [`crate::work::Phases`]. Kernels are
    /// timed on the device, copies and stages on the host by the wall clock; the
    /// copies of a predicted sample are predicted too.
    pub phases: Vec<f64>,
    /// Kernel time in seconds: from the first start to the last stop, stages on
    /// the host and their copies apart.
    pub seconds: f64,
    /// Whether the clock was below three quarters of its boost value.
    pub throttled: bool,
    /// The multiprocessors' clock in MHz, where it was read.
    pub clock: Option<u32>,
    /// Hardware events, summed over the launches (emulator only).
    pub counters: crate::work::metric::Counts,
    /// How a predicted time comes about (emulator only).
    pub prediction: Option<crate::gpu::Prediction>,
    /// The same kernel by kernel and instruction by instruction, where
    /// [`Backend::profile_kernels`] asked for it.
    pub profile: Option<crate::work::CaseProfile>,
    /// Whether results or counters depend on the order in which threads ran.
    pub schedule_dependent: bool,
    /// Whether the registers of a kernel are estimated (emulator only).
    pub registers_estimated: bool,
    /// Wall-clock seconds of the emulation.
    pub wall: Option<f64>,
    /// Whether launches could not be queued ahead of the GPU (under a profiler
    /// or debugger), so that the times hold launch latency too.
    pub unheld: bool,
}

/// Why a backend could not do what it was asked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Failure {
    /// The kernel went wrong: a result.
    #[error(transparent)]
    Trap(#[from] Trap),
    /// The buffers do not fit; the case is skipped.
    #[error("{0}")]
    OutOfMemory(String),
    /// The PTX could not be loaded; the text holds the loader's log in full.
    #[error("{0}")]
    Load(String),
    /// The device no longer answers; the process that owns it must end.
    #[error("{0}")]
    Lost(String),
}

impl Failure {
    /// A trap of `kernel` without a place in the source.
    fn trap(kind: TrapKind, kernel: &str, message: String) -> Self {
        Self::Trap(Trap {
            kind,
            kernel: kernel.to_owned(),
            file: None,
            line: None,
            block: None,
            lanes: Vec::new(),
            message,
        })
    }
}

/// Why no backend could be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// No CUDA device answers.
    #[error("no CUDA device: {0}; `--backend emulator` runs the same kernels without one")]
    NoCuda(String),
    /// CUDA devices answer, but not the one asked for.
    #[error("{0}")]
    NoDevice(String),
    /// There is no such GPU profile, or its file cannot be used.
    #[error(transparent)]
    Profile(#[from] crate::gpu::SpecError),
}

/// A CUDA device that answers, as `warpscope devices` lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CudaDevice {
    /// What `--device` takes.
    pub ordinal: u32,
    /// Its name: `NVIDIA H200`.
    pub name: String,
    /// Compute capability as major * 10 + minor: 90 for 9.0.
    pub compute_capability: u32,
    /// Its memory in bytes.
    pub memory: u64,
    /// Version of the driver: `580.159.04`, or the CUDA version it supports.
    pub driver: String,
    /// Its UUID, as `nvidia-smi -L` writes it.
    pub uuid: String,
}

/// The CUDA devices that answer, at least one, or the reason there are none.
pub fn cuda_devices() -> Result<Vec<CudaDevice>, OpenError> {
    #[cfg(target_os = "linux")]
    return cuda::devices();
    #[cfg(not(target_os = "linux"))]
    return Err(OpenError::NoCuda(NOT_LINUX.to_owned()));
}

/// What there is of the CUDA driver.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DriverState {
    /// Why its library cannot be loaded; none when it is.
    pub load_error: Option<String>,
    /// The newest version of CUDA that it supports.
    pub cuda: Option<(u32, u32)>,
}

/// What there is of the CUDA driver.
pub fn driver_state() -> DriverState {
    #[cfg(target_os = "linux")]
    return cuda::driver_state();
    #[cfg(not(target_os = "linux"))]
    return DriverState { load_error: Some(NOT_LINUX.to_owned()), cuda: None };
}

/// What may disturb measurements on a GPU.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GpuHealth {
    /// Its name.
    pub name: String,
    /// Other processes that compute on it: number and name.
    pub processes: Vec<(u32, String)>,
    /// Share of the last second or so in which a kernel ran, in percent.
    pub busy_percent: u32,
    /// What holds its clocks down, in words.
    pub throttled: Vec<&'static str>,
    /// Its temperature.
    pub celsius: Option<u32>,
    /// Clock of its multiprocessors, now and at most.
    pub megahertz: Option<(u32, u32)>,
    /// Whether it takes no compute work at all.
    pub prohibited: bool,
    /// Whether it serves one process at a time.
    pub exclusive: bool,
}

/// The state of each GPU that NVML knows; empty without NVML.
pub fn gpu_health() -> Vec<GpuHealth> {
    #[cfg(target_os = "linux")]
    return cuda::health();
    #[cfg(not(target_os = "linux"))]
    return Vec::new();
}

/// What the driver tells of a device's hardware, beyond what limits a launch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hardware {
    /// Streaming multiprocessors.
    pub sms: u32,
    /// Their highest clock in hertz.
    pub boost_hz: f64,
    /// Bytes per second of its memory, by clock and width.
    pub dram_peak: f64,
    /// Its memory in bytes.
    pub dram_bytes: u64,
    /// Its L2 cache in bytes.
    pub l2_bytes: u64,
}

/// What the driver tells of the device with this ordinal.
pub fn hardware(ordinal: u32) -> Result<Hardware, OpenError> {
    #[cfg(target_os = "linux")]
    return cuda::hardware(ordinal);
    #[cfg(not(target_os = "linux"))]
    return Err(OpenError::NoCuda(format!("device {ordinal}: {NOT_LINUX}")));
}

#[cfg(not(target_os = "linux"))]
const NOT_LINUX: &str = "this build supports CUDA on Linux only";

/// Opens the backend that `target` asks for; `Auto` is CUDA where a device
/// answers, else the emulator.
pub fn open(target: &Target) -> Result<Box<dyn Backend>, OpenError> {
    match target.backend {
        BackendChoice::Scripted => {
            Ok(Box::new(scripted::Scripted::open(target.device.unwrap_or(0))))
        }
        BackendChoice::Emulator => open_emulator(target),
        BackendChoice::Cuda => open_cuda(target.device.unwrap_or(0)),
        BackendChoice::Auto => match open_cuda(target.device.unwrap_or(0)) {
            Ok(backend) => Ok(backend),
            Err(_) => open_emulator(target),
        },
    }
}

fn open_emulator(target: &Target) -> Result<Box<dyn Backend>, OpenError> {
    let emulated = emulated::Emulated::open(target.gpu.as_deref())?;
    Ok(Box::new(emulated.sampling(target.sample)))
}

#[cfg(target_os = "linux")]
fn open_cuda(device: u32) -> Result<Box<dyn Backend>, OpenError> {
    Ok(Box::new(cuda::Cuda::open(device)?))
}

#[cfg(not(target_os = "linux"))]
fn open_cuda(_device: u32) -> Result<Box<dyn Backend>, OpenError> {
    Err(OpenError::NoCuda(NOT_LINUX.to_owned()))
}
