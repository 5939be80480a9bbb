//! The emulator as a backend: real results, exact counters, predicted times.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use super::{Backend, Failure, OpenError, Prepared, Sample, host_memory};
use crate::emulator::{self, Blocks, Follow, Kernel, Memory, Options, Outcome};
use crate::experiment::SampleChoice;
use crate::gpu::{self, Architecture, Geometry, GpuSpec, History, Prediction};
use crate::work::{
    Buffer, Checked, Device, Element, HostBuffer, HostStage, Init, Inputs, Launch, Limits, Phases,
    Progress, Resources, Sampling, Step, TrapKind, Work,
};

mod checked;
mod profiler;
mod run_sampled;
mod stage;
#[cfg(test)]
mod tests;
mod totals;
mod traced;
mod words;

use profiler::Profiler;
use totals::Totals;

/// Blocks that an estimate of thread instructions runs, and the fewest blocks that it is made for.
const FEW_BLOCKS: u64 = 4;
const MANY_BLOCKS: u64 = 64;

/// The emulator, predicting times for one GPU profile.
#[derive(Debug)]
pub struct Emulated {
    device: Device,
    spec: Arc<GpuSpec>,
    choice: SampleChoice,
    profiles_kernels: bool,
    progress: Arc<Progress>,
    /// By the address of their PTX, which is static, and their name.
    kernels: HashMap<(usize, String), Rc<Kernel>>,
    running: BTreeMap<u64, Running>,
    next: u64,
    /// The launches of the last sample, where they are kept.
    seen: Option<Vec<Seen>>,
}

/// A launch as the timing model saw it.
#[derive(Debug, Clone)]
pub struct Seen {
    /// The phase that it belongs to.
    pub phase: &'static str,
    /// The kernel.
    pub kernel: String,
    /// Its shape.
    pub geometry: Geometry,
    /// What all of its blocks did, or would do.
    pub outcome: Outcome,
}

/// A prepared piece of work.
#[derive(Debug)]
struct Running {
    memory: Memory,
    /// Each buffer with its device address.
    buffers: Vec<(Buffer, u64)>,
    /// The inputs that buffers start from.
    inputs: Inputs,
    steps: Vec<ReadyStep>,
    phases: Phases,
    /// Whether it ran already, so that written buffers are to be restored.
    used: bool,
}

/// A step with everything looked up.
#[derive(Debug)]
enum ReadyStep {
    Launch(Box<ReadyLaunch>),
    Host(HostStage),
}

#[derive(Debug)]
struct ReadyLaunch {
    kernel: Rc<Kernel>,
    launch: Launch,
    args: Vec<u64>,
    resources: Resources,
    /// L1 cache that each block finds, in bytes.
    follow: Follow,
    progress: Arc<Progress>,
}

impl Emulated {
    /// Opens the emulator for the profile called `gpu`, or the default one.
    pub fn open(gpu: Option<&str>) -> Result<Self, OpenError> {
        let name = gpu.unwrap_or(gpu::DEFAULT_GPU);
        let spec = gpu::open_spec(name)?;
        let architecture = Architecture::of(spec.compute_capability);
        let device = Device {
            backend: "emulator".to_owned(),
            name: spec.name.clone(),
            driver: None,
            id: spec.id(),
            modelled: true,
            validated: spec.validated,
            limits: Limits {
                compute_capability: spec.compute_capability,
                threads_per_block: 1024,
                shared_per_block: architecture.shared_per_block,
                registers_per_sm: architecture.registers,
                memory: spec.dram_bytes.min(room()),
                cuda: None,
            },
        };
        let (kernels, running) = (HashMap::new(), BTreeMap::new());
        Ok(Self {
            device,
            spec,
            choice: SampleChoice::Never,
            profiles_kernels: false,
            progress: Arc::default(),
            kernels,
            running,
            next: 0,
            seen: None,
        })
    }

    /// The same, keeping what each launch of a sample did for [`Self::take_seen`].
    #[must_use]
    pub fn keeping(mut self) -> Self {
        self.seen = Some(Vec::new());
        self
    }

    /// The launches of the last sample, in order; none unless they are kept.
    pub fn take_seen(&mut self) -> Vec<Seen> {
        self.seen.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The same, running a few blocks in place of all when `choice` says.
    #[must_use]
    pub fn sampling(mut self, choice: SampleChoice) -> Self {
        // A sample fills little of its buffers.
        let memory = if choice == SampleChoice::Never { room() } else { host_memory::free() };
        self.device.limits.memory = self.spec.dram_bytes.min(memory);
        self.choice = choice;
        self
    }

    fn kernel(&mut self, work: &Work, name: &str) -> Result<Rc<Kernel>, Failure> {
        let key = (work.module.ptx.as_ptr().addr(), name.to_owned());
        if let Some(kernel) = self.kernels.get(&key) {
            return Ok(Rc::clone(kernel));
        }
        let kernel = emulator::load(work.module.ptx, work.module.path, name)
            .map_err(|error| Failure::Load(error.to_string()))?;
        let code = work.module.machine_code(name, self.spec.compute_capability);
        let kernel = Rc::new(kernel.with_machine_code(code));
        self.kernels.insert(key, Rc::clone(&kernel));
        Ok(kernel)
    }

    fn ready(
        &mut self,
        work: &Work,
        launch: &Launch,
        addresses: &[(Buffer, u64)],
    ) -> Result<ReadyStep, Failure> {
        let kernel = self.kernel(work, &launch.kernel)?;
        let resources = self.resources(work, launch, &kernel);
        let address = |index: usize| addresses.get(index).map(|(_, address)| *address);
        let words = launch
            .args
            .iter()
            .map(|arg| arg.words(address, |map, at| Ok(map.words(at))))
            .collect::<Result<Vec<_>, _>>()
            .map_err(Failure::Load)?;
        let args = words.concat();
        let follow = Geometry::new(launch, resources).follow(&self.spec);
        let (launch, progress) = (launch.clone(), Arc::clone(&self.progress));
        let ready = ReadyLaunch { kernel, launch, args, resources, follow, progress };
        Ok(ReadyStep::Launch(Box::new(ready)))
    }

    /// What a kernel takes. An estimate never keeps its blocks from fitting.
    fn resources(&self, work: &Work, launch: &Launch, kernel: &Kernel) -> Resources {
        /// A middling number of registers, for modules without a table.
        const MIDDLING: u32 = 32;
        let capability = self.spec.compute_capability;
        let found = work.module.resources(&launch.kernel, capability);
        if let Some(known) = found.filter(|it| !it.estimated) {
            return known;
        }
        let fits = |registers| {
            let threads = Geometry::new(launch, Resources::default()).threads;
            gpu::occupancy(capability, threads, registers, 0).is_ok()
        };
        let registers = found.map_or(MIDDLING, |it| it.registers);
        let registers = (MIDDLING..=registers).rev().find(|it| fits(*it)).unwrap_or(registers);
        let static_shared = u32::try_from(kernel.static_shared()).unwrap_or(u32::MAX);
        Resources { registers, static_shared, stack: 0, estimated: true }
    }

    fn steps(
        &mut self,
        work: &Work,
        addresses: &[(Buffer, u64)],
    ) -> Result<Vec<ReadyStep>, Failure> {
        let steps = work.steps.iter().map(|step| match step {
            Step::Launch(launch) => self.ready(work, launch, addresses),
            Step::Host(stage) => Ok(ReadyStep::Host(stage.clone())),
        });
        steps.collect()
    }

    /// Work whose buffers hold what they start from. A sample may leave its inputs out,
    /// which are zeros then, and its large outputs, which nothing reads.
    fn load(&mut self, work: &Work, inputs: &Inputs, sampled: bool) -> Result<Running, Failure> {
        let mut memory = Memory::new();
        let mut buffers = Vec::new();
        for buffer in &work.buffers {
            let address = memory.allocate(buffer.bytes());
            let left_out = match buffer.init {
                Init::Input { .. } => inputs.is_empty(),
                Init::Filled { .. } => buffer.bytes() > 1 << 24,
                Init::Zeroed { .. } => false,
            };
            if !(sampled && left_out) {
                fill(&mut memory, buffer, address, inputs).map_err(Failure::Load)?;
            }
            buffers.push((*buffer, address));
        }
        let steps = self.steps(work, &buffers)?;
        let (inputs, phases) = (inputs.clone(), work.phases());
        Ok(Running { memory, buffers, inputs, steps, phases, used: false })
    }

    fn find(&mut self, prepared: Prepared) -> Result<&mut Running, Failure> {
        self.running
            .get_mut(&prepared.0)
            .ok_or_else(|| Failure::Lost("the work was released before it ran".to_owned()))
    }
}

/// Bytes that buffers may fill: there are their inputs, references and outputs too.
fn room() -> u64 {
    host_memory::free() / 3
}

/// Puts what `buffer` starts from into memory that may hold something else.
fn fill(memory: &mut Memory, buffer: &Buffer, address: u64, inputs: &Inputs) -> Result<(), String> {
    let input = buffer.given(inputs)?;
    match (buffer.init, input.map(Arc::as_ref)) {
        (Init::Filled { word, .. }, _) => {
            memory.write_u32(address, &vec![word; (buffer.bytes() / 4) as usize]);
        }
        (_, Some(HostBuffer::U32(values))) => memory.write_u32(address, values),
        (_, Some(input)) => memory.write_bytes(address, &input.to_bytes()),
        (_, None) => memory.clear(address),
    }
    Ok(())
}

impl Running {
    /// What a buffer holds; nothing where there is no such buffer.
    fn read(&self, buffer: usize) -> Option<HostBuffer> {
        let (buffer, address) = self.buffers.get(buffer)?;
        Some(match buffer.element {
            Element::U32 => HostBuffer::U32(self.memory.read_u32(*address)),
            element => HostBuffer::from_bytes(element, &self.memory.read_bytes(*address)),
        })
    }
}

impl Backend for Emulated {
    fn device(&self) -> &Device {
        &self.device
    }

    fn repeats(&self) -> bool {
        false
    }

    fn sample_choice(&self) -> SampleChoice {
        self.choice
    }

    fn profile_kernels(&mut self, wanted: bool) {
        self.profiles_kernels = wanted;
    }

    fn progress(&self) -> Option<Arc<Progress>> {
        Some(Arc::clone(&self.progress))
    }

    fn holds(&self, bytes: u64) -> bool {
        bytes <= room()
    }

    fn depends_on_blocks(&mut self, work: &Work) -> Option<&'static str> {
        work.launches().find_map(|launch| {
            // A kernel that cannot be loaded is an error of the run.
            self.kernel(work, &launch.kernel).ok()?.depends_on_blocks()
        })
    }

    fn thread_instructions(&mut self, work: &Work, inputs: &Inputs) -> Option<u64> {
        let running = self.load(work, inputs, true).ok()?;
        let of_step = |step: &ReadyStep| match step {
            ReadyStep::Host(_) => Some(0),
            ReadyStep::Launch(ready) => {
                let blocks = ready.launch.grid.count();
                (blocks >= MANY_BLOCKS).then_some(())?;
                let few = ready.blocks(&running.memory, Blocks::Between(FEW_BLOCKS), false).ok()?;
                Some(few.counters.thread_instructions.saturating_mul(blocks) / FEW_BLOCKS)
            }
        };
        running.steps.iter().map(of_step).sum()
    }

    fn run_sampled(&mut self, work: &Work, sampling: &Sampling) -> Result<Sample, Failure> {
        self.sampled(work, sampling)
    }

    fn check(
        &mut self,
        work: &Work,
        inputs: &Inputs,
        outputs: &[usize],
    ) -> Option<Result<Checked, Failure>> {
        Some(self.checked(work, inputs, outputs))
    }

    fn prepare(&mut self, work: &Work, inputs: &Inputs) -> Result<Prepared, Failure> {
        self.progress.reset();
        let running = self.load(work, inputs, false)?;
        self.next += 1;
        self.running.insert(self.next, running);
        Ok(Prepared(self.next))
    }

    fn sample(&mut self, prepared: Prepared) -> Result<Sample, Failure> {
        let (spec, profiles_kernels) = (Arc::clone(&self.spec), self.profiles_kernels);
        let mut seen = self.seen.is_some().then(Vec::new);
        let running = self.find(prepared)?;
        if std::mem::replace(&mut running.used, true) {
            for (buffer, address) in running.buffers.iter().filter(|(buffer, _)| buffer.written) {
                fill(&mut running.memory, buffer, *address, &running.inputs)
                    .map_err(Failure::Load)?;
            }
        }
        let mut totals =
            Totals::new(running.phases.len(), profiles_kernels.then(|| Profiler::new(&spec)));
        let mut history = History::default();
        let start = Instant::now();
        for (index, step) in running.steps.iter().enumerate() {
            match step {
                ReadyStep::Host(stage) => {
                    totals.stage(running, index, stage, &spec).map_err(Failure::Load)?;
                }
                ReadyStep::Launch(ready) => {
                    let (outcome, prediction) = ready.run(&running.memory, &spec, &mut history)?;
                    totals.launch(running, index, (ready, &outcome), prediction, &spec);
                    if let Some(seen) = &mut seen {
                        seen.push(ready.seen(outcome));
                    }
                }
            }
        }
        self.seen = seen;
        Ok(totals.finish(start.elapsed().as_secs_f64()))
    }

    fn read(&mut self, prepared: Prepared, buffer: usize) -> Result<HostBuffer, Failure> {
        self.find(prepared)?
            .read(buffer)
            .ok_or_else(|| Failure::Load(format!("there is no buffer {buffer} to read")))
    }

    fn release(&mut self, prepared: Prepared) {
        self.running.remove(&prepared.0);
    }
}

impl ReadyLaunch {
    fn run(
        &self,
        memory: &Memory,
        spec: &GpuSpec,
        history: &mut History,
    ) -> Result<(Outcome, Prediction), Failure> {
        self.check(spec)?;
        let outcome = self.blocks(memory, Blocks::All, true)?;
        let prediction = self.predict(&outcome, spec, history);
        Ok((outcome, prediction))
    }

    /// Refuses what the modelled GPU would.
    fn check(&self, spec: &GpuSpec) -> Result<(), Failure> {
        let Self { launch, resources, .. } = self;
        let geometry = Geometry::new(launch, *resources);
        let shared = resources.static_shared.saturating_add(launch.shared_bytes);
        let capability = spec.compute_capability;
        if let Err(reason) =
            gpu::occupancy(capability, geometry.threads, resources.registers, shared)
        {
            let kind = TrapKind::LaunchFailed;
            return Err(Failure::trap(kind, &launch.kernel, reason.to_string()));
        }
        Ok(())
    }

    /// Runs some of its blocks, and records the timelines of up to four of them if wanted.
    fn blocks(&self, memory: &Memory, blocks: Blocks, recorded: bool) -> Result<Outcome, Failure> {
        let Self { kernel, launch, args, .. } = self;
        let timelines = recorded.then_some(self.follow);
        // Where blocks wait for those before them, one thread runs them in turn: how
        // long they spin must not depend on this machine.
        let threads = usize::from(kernel.reads_others());
        Ok(emulator::launch(
            kernel,
            launch.grid,
            launch.block,
            launch.shared_bytes,
            args,
            memory,
            Options {
                blocks,
                threads,
                timelines,
                progress: Some(&self.progress),
                ..Options::default()
            },
        )?)
    }

    /// What is kept of it.
    fn seen(&self, outcome: Outcome) -> Seen {
        let geometry = Geometry::new(&self.launch, self.resources);
        let (phase, kernel) = (self.launch.phase, self.launch.kernel.clone());
        Seen { phase, kernel, geometry, outcome }
    }

    /// The time of what all of its blocks did.
    fn predict(&self, outcome: &Outcome, spec: &GpuSpec, history: &mut History) -> Prediction {
        let geometry = Geometry::new(&self.launch, self.resources);
        gpu::predict_next(history, outcome, &geometry, spec)
    }
}
