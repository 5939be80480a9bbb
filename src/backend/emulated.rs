//! The emulator as a backend: real results, exact counters, predicted times.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::time::Instant;

use super::{Backend, Failure, OpenError, Prepared, Sample};
use crate::emulator::{self, Counters, Kernel, Memory, Options};
use crate::gpu::{self, Architecture, Geometry, Prediction, Profile};
use crate::launch::{
    Arg, Device, HostBuffer, Init, Inputs, Launch, Limits, Resources, Trap, TrapKind, Work,
};

/// The emulator, predicting times for one GPU profile.
#[derive(Debug)]
pub struct Emulated {
    device: Device,
    profile: &'static Profile,
    kernels: HashMap<(&'static str, String), Rc<Kernel>>,
    running: BTreeMap<u64, Running>,
    next: u64,
}

/// A prepared piece of work.
#[derive(Debug)]
struct Running {
    memory: Memory,
    /// Device address of each buffer.
    addresses: Vec<u64>,
    /// Buffers to zero or rewrite before a sample, with what they hold at first.
    restores: Vec<(u64, Option<Rc<[u32]>>)>,
    launches: Vec<(Rc<Kernel>, Launch, Vec<u64>, Resources)>,
}

impl Emulated {
    /// Opens the emulator for the profile called `gpu`, or the default one.
    pub fn open(gpu: Option<&str>) -> Result<Self, OpenError> {
        let name = gpu.unwrap_or(gpu::DEFAULT_PROFILE);
        let profile = gpu::find_profile(name).ok_or_else(|| OpenError::UnknownGpu {
            name: name.to_owned(),
            known: gpu::profiles()
                .iter()
                .map(|profile| profile.name.as_str())
                .collect::<Vec<_>>()
                .join(", "),
        })?;
        let architecture = Architecture::of(profile.compute_capability);
        let device = Device {
            backend: "emulator".to_owned(),
            name: profile.name.clone(),
            driver: None,
            id: profile.id(),
            modelled: true,
            validated: profile.validated,
            limits: Limits {
                compute_capability: profile.compute_capability,
                threads_per_block: 1024,
                shared_per_block: architecture.shared_per_block,
                registers_per_sm: architecture.registers,
                memory: profile.dram_bytes.min(host_memory() / 3),
            },
        };
        Ok(Self { device, profile, kernels: HashMap::new(), running: BTreeMap::new(), next: 0 })
    }

    fn kernel(&mut self, work: &Work, name: &str) -> Result<Rc<Kernel>, Failure> {
        let key = (work.module.name, name.to_owned());
        if let Some(kernel) = self.kernels.get(&key) {
            return Ok(Rc::clone(kernel));
        }
        let kernel = emulator::load(work.module.ptx, work.module.path, name)
            .map_err(|error| Failure::Load(error.to_string()))?;
        let kernel = Rc::new(kernel);
        self.kernels.insert(key, Rc::clone(&kernel));
        Ok(kernel)
    }

    fn find(&mut self, prepared: Prepared) -> Result<&mut Running, Failure> {
        self.running
            .get_mut(&prepared.0)
            .ok_or_else(|| Failure::Lost("the work was released before it ran".to_owned()))
    }
}

/// Memory that this machine has free, in bytes; a guess where it does not say.
pub(crate) fn host_memory() -> u64 {
    let told = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
        line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()
    });
    told.map_or(8 << 30, |kib| kib << 10)
}

/// The contents of a buffer as 32-bit words, as device memory holds them.
fn words(buffer: &HostBuffer) -> Vec<u32> {
    match buffer {
        HostBuffer::U32(values) => values.clone(),
        HostBuffer::U64(values) => {
            values.iter().flat_map(|value| [*value as u32, (value >> 32) as u32]).collect()
        }
        HostBuffer::F32(values) => values.iter().map(|value| value.to_bits()).collect(),
    }
}

impl Backend for Emulated {
    fn device(&self) -> &Device {
        &self.device
    }

    fn repeats(&self) -> bool {
        false
    }

    fn prepare(&mut self, work: &Work, inputs: &Inputs) -> Result<Prepared, Failure> {
        let mut memory = Memory::new();
        let mut addresses = Vec::new();
        let mut restores = Vec::new();
        for buffer in &work.buffers {
            let address = memory.allocate(buffer.init.bytes());
            addresses.push(address);
            let first = match buffer.init {
                Init::ZeroedU32(_) => None,
                Init::Input { index, .. } => {
                    let input = inputs.get(index).ok_or_else(|| {
                        Failure::Load(format!(
                            "buffer `{}` asks for input {index}, which was not given",
                            buffer.name
                        ))
                    })?;
                    if let (HostBuffer::U32(values), false) = (&**input, buffer.written) {
                        memory.write_u32(address, values);
                        continue;
                    }
                    let values: Rc<[u32]> = words(input).into();
                    memory.write_u32(address, &values);
                    Some(values)
                }
            };
            if buffer.written {
                restores.push((address, first));
            }
        }
        let mut launches = Vec::new();
        for launch in &work.launches {
            let kernel = self.kernel(work, &launch.kernel)?;
            let capability = self.profile.compute_capability;
            // Without a row in the table, a middling number of registers.
            let resources = work
                .module
                .resources(&launch.kernel, capability)
                .unwrap_or(Resources { registers: 32, static_shared: 0, stack: 0 });
            let args = launch
                .args
                .iter()
                .map(|arg| match *arg {
                    Arg::Buffer(index) => addresses.get(index).copied().unwrap_or_default(),
                    Arg::U32(value) => u64::from(value),
                    Arg::U64(value) => value,
                    Arg::F32(value) => u64::from(value.to_bits()),
                })
                .collect();
            launches.push((kernel, launch.clone(), args, resources));
        }
        self.next += 1;
        self.running.insert(self.next, Running { memory, addresses, restores, launches });
        Ok(Prepared(self.next))
    }

    fn sample(&mut self, prepared: Prepared) -> Result<Sample, Failure> {
        let profile = self.profile;
        let running = self.find(prepared)?;
        for (address, first) in &running.restores {
            match first {
                Some(values) => running.memory.write_u32(*address, values),
                None => running.memory.clear(*address),
            }
        }
        let mut sample = Sample::default();
        let mut predictions = Vec::new();
        let mut counters: BTreeMap<String, u64> = Counters::default().named();
        let start = Instant::now();
        for (kernel, launch, args, resources) in &running.launches {
            let geometry = Geometry::new(launch, *resources);
            let shared = resources.static_shared + launch.shared_bytes;
            if let Err(reason) = gpu::occupancy(
                profile.compute_capability,
                geometry.threads,
                resources.registers,
                shared,
            ) {
                return Err(Failure::Trap(refused(launch, &reason.to_string())));
            }
            let outcome = emulator::launch(
                kernel,
                launch.grid,
                launch.block,
                launch.shared_bytes,
                args,
                &running.memory,
                Options::default(),
            )?;
            sample.schedule_dependent |= outcome.schedule_dependent;
            let prediction = gpu::predict(&outcome, &geometry, profile);
            sample.phases.push(prediction.seconds);
            sample.seconds += prediction.seconds;
            for (name, value) in outcome.counters.named() {
                *counters.entry(name).or_default() += value;
            }
            predictions.push(prediction);
        }
        sample.wall = Some(start.elapsed().as_secs_f64());
        sample.counters = counters;
        sample.prediction = longest(predictions, sample.seconds);
        Ok(sample)
    }

    fn read(&mut self, prepared: Prepared, buffer: usize) -> Result<HostBuffer, Failure> {
        let running = self.find(prepared)?;
        let address = running.addresses.get(buffer).copied().unwrap_or_default();
        Ok(HostBuffer::U32(running.memory.read_u32(address)))
    }

    fn release(&mut self, prepared: Prepared) {
        self.running.remove(&prepared.0);
    }
}

/// The launch that takes longest explains the whole; the parts of all are summed.
fn longest(predictions: Vec<Prediction>, seconds: f64) -> Option<Prediction> {
    let mut parts: BTreeMap<String, f64> = BTreeMap::new();
    for (name, value) in predictions.iter().flat_map(|prediction| &prediction.parts) {
        *parts.entry(name.clone()).or_default() += value;
    }
    predictions
        .into_iter()
        .max_by(|a, b| a.seconds.total_cmp(&b.seconds))
        .map(|prediction| Prediction { seconds, parts, ..prediction })
}

/// The trap of a launch that the modelled GPU would refuse.
fn refused(launch: &Launch, reason: &str) -> Trap {
    Trap {
        kind: TrapKind::LaunchFailed,
        kernel: launch.kernel.clone(),
        file: None,
        line: None,
        block: None,
        lanes: Vec::new(),
        message: reason.to_owned(),
    }
}
