//! Work with its buffers on the device and its functions looked up.

use std::time::Instant;

use super::driver;
use super::memory::{Memory, Uploads};
use super::module::{Module, Modules};
use super::status::Status;
use super::stream::{Ready, SEGMENT, Stopped, Stream};
use crate::backend::Failure;
use crate::units::Bytes;
use crate::work::{
    Buffer, HostBuffer, HostStage, Init, Inputs, Launch, Phases, Step, TrapKind, Work,
};

/// Work that can be run repeatedly.
pub(super) struct PreparedWork {
    /// The steps in order: segments of launches, and host stages.
    pub(super) steps: Vec<ReadySteps>,
    /// The phases that the steps make up.
    pub(super) phases: Phases,
    /// Whether it has run before.
    pub(super) warm: bool,
    buffers: Vec<Slot>,
}

/// A segment of launches, or a host stage.
pub(super) enum ReadySteps {
    /// Launches, each with its phase; at most [`SEGMENT`].
    Launches {
        /// What is launched.
        ready: Vec<Ready>,
        /// The phase of each.
        phases: Vec<usize>,
    },
    /// A stage on the host, with the phases of its copy, itself and its copy back.
    Host(HostStage, [usize; 3]),
}

/// A buffer on the device.
struct Slot {
    buffer: Buffer,
    memory: Memory,
    /// Its input, which other cases may share.
    original: Option<Memory>,
}

impl PreparedWork {
    /// Loads, allocates and uploads what `work` needs.
    pub(super) fn new(
        work: &Work,
        inputs: &Inputs,
        modules: &mut Modules,
        uploads: &mut Uploads,
        stream: &Stream,
    ) -> Result<Self, Failure> {
        let module = modules.load(&work.module).map_err(Failure::Load)?;
        let mut buffers = Vec::with_capacity(work.buffers.len());
        for buffer in &work.buffers {
            let (name, bytes) = (buffer.name, buffer.bytes());
            let original = match buffer.given(inputs).map_err(Failure::Load)? {
                Some(input) => {
                    Some(make_room(name, bytes, uploads, |uploads| uploads.get(input, stream))?)
                }
                None => None,
            };
            let memory = match &original {
                // Read only: use the shared input.
                Some(original) if !buffer.written => original.clone(),
                _ => allocate(name, bytes, uploads)?,
            };
            buffers.push(Slot { buffer: *buffer, memory, original });
        }
        let phases = work.phases();
        let mut steps: Vec<ReadySteps> = Vec::new();
        for (index, step) in work.steps.iter().enumerate() {
            match step {
                Step::Launch(launch) => {
                    let launch = self::ready(launch, work, module, &buffers)?;
                    let phase = phases.of_launch(index);
                    match steps.last_mut() {
                        Some(ReadySteps::Launches { ready, phases }) if ready.len() < SEGMENT => {
                            ready.push(launch);
                            phases.push(phase);
                        }
                        _ => steps.push(ReadySteps::Launches {
                            ready: vec![launch],
                            phases: vec![phase],
                        }),
                    }
                }
                Step::Host(stage) => {
                    steps.push(ReadySteps::Host(stage.clone(), phases.of_stage(index)));
                }
            }
        }
        let prepared = Self { steps, phases, warm: false, buffers };
        for slot in &prepared.buffers {
            slot.restore(stream)?;
        }
        Ok(prepared)
    }

    /// The launches in order.
    pub(super) fn launches(&self) -> impl Iterator<Item = &Ready> {
        self.steps.iter().flat_map(|steps| match steps {
            ReadySteps::Launches { ready, .. } => ready.as_slice(),
            ReadySteps::Host(..) => &[],
        })
    }

    /// Queues the restore of all written buffers.
    pub(super) fn restore(&self, stream: &Stream) -> Result<(), Status> {
        self.buffers
            .iter()
            .filter(|slot| slot.buffer.written)
            .try_for_each(|slot| slot.restore(stream))
    }

    /// The contents of a buffer; `None` if there is no such buffer.
    pub(super) fn read(
        &self,
        buffer: usize,
        stream: &Stream,
    ) -> Option<Result<HostBuffer, Status>> {
        self.buffers.get(buffer).map(|slot| slot.read(stream))
    }

    /// Waits for the stream and runs a host stage. Returns the seconds of the copy to the
    /// host, the stage and the copy back. The host memory is pageable and newly
    /// allocated, as in a simple program.
    pub(super) fn stage(&self, stage: &HostStage, stream: &Stream) -> Result<[f64; 3], Stopped> {
        let slot = |index: usize| {
            self.buffers.get(index).ok_or_else(|| {
                Stopped::Stage(format!(
                    "the host stage `{}` names buffer {index}, which is not there",
                    stage.phase
                ))
            })
        };
        let (from, to) = (slot(stage.from)?, slot(stage.to)?);
        stream.wait()?;
        let start = Instant::now();
        let values = from.read(stream)?;
        let there = start.elapsed().as_secs_f64();
        let answer = stage.answer(&values, &to.buffer).map_err(Stopped::Stage)?;
        let computed = start.elapsed().as_secs_f64();
        to.memory.upload(&answer, stream)?;
        let back = start.elapsed().as_secs_f64();
        Ok([there, computed - there, back - computed])
    }
}

impl Slot {
    /// Queues the restore of the initial contents.
    fn restore(&self, stream: &Stream) -> Result<(), Status> {
        match (&self.original, self.buffer.init) {
            (Some(_), _) if !self.buffer.written => Ok(()),
            (Some(original), _) => self.memory.copy_from(original, stream),
            (None, Init::Filled { word, .. }) => self.memory.fill_words(word, stream),
            (None, Init::Zeroed { .. } | Init::Input { .. }) => self.memory.fill(0, stream),
        }
    }

    fn read(&self, stream: &Stream) -> Result<HostBuffer, Status> {
        let element = self.buffer.element;
        let len = (self.buffer.bytes() / element.bytes()) as usize;
        let mut host = HostBuffer::zeroed(element, len);
        self.memory.download(&mut host, stream).map(|()| host)
    }
}

/// A launch with its function and arguments.
fn ready(
    launch: &Launch,
    work: &Work,
    module: &Module,
    buffers: &[Slot],
) -> Result<Ready, Failure> {
    let address = |index: usize| buffers.get(index).map(|slot| slot.memory.address());
    let args = launch
        .args
        .iter()
        .map(|arg| arg.words(address, driver::encode))
        .collect::<Result<_, String>>()
        .map_err(Failure::Load)?;
    let ready = Ready {
        function: module.entry_point(&launch.kernel, work.module.path)?,
        kernel: launch.kernel.clone(),
        grid: launch.grid,
        block: launch.block,
        shared_bytes: launch.shared_bytes,
        together: work.module.waits_for_grid(&launch.kernel),
        args,
    };
    allow(&ready)?;
    Ok(ready)
}

/// Opts in to the shared memory of the launch, and refuses a block that is too large.
pub(super) fn allow(launch: &Ready) -> Result<(), Failure> {
    /// Shared memory, static and dynamic together, that needs no opt-in.
    const WITHOUT_OPT_IN: u64 = 48 << 10;

    let refused = |message| Failure::trap(TrapKind::LaunchFailed, &launch.kernel, message);
    let (dynamic, fixed) = (launch.shared_bytes, launch.function.resources()?.static_shared);
    let bytes = u64::from(dynamic) + u64::from(fixed);
    if dynamic > 0 && bytes > WITHOUT_OPT_IN {
        launch.function.allow_shared(dynamic).map_err(|status| {
            refused(format!(
                "{} of shared memory per block ({} dynamic, {} static) is more than the GPU \
                 gives ({status})",
                Bytes(bytes),
                Bytes(dynamic.into()),
                Bytes(fixed.into())
            ))
        })?;
    }
    let (threads, most) = (launch.block.count(), launch.function.most_threads()?);
    if threads > u64::from(most) {
        let registers = launch.function.resources()?.registers;
        return Err(refused(format!(
            "{threads} threads per block, and with {registers} registers each at most {most} fit"
        )));
    }
    if launch.together {
        let most = launch.function.blocks_at_a_time(threads, dynamic)?;
        let blocks = launch.grid.count();
        if blocks > most {
            return Err(refused(format!(
                "grid.sync() waits for all {blocks} blocks, and {most} run at the same time on this GPU"
            )));
        }
    }
    Ok(())
}

fn allocate(name: &str, bytes: u64, uploads: &mut Uploads) -> Result<Memory, Failure> {
    make_room(name, bytes, uploads, |_| Memory::allocate(bytes))
}

/// Tries `get`; if memory is full, frees unused inputs and tries once more.
fn make_room(
    name: &str,
    bytes: u64,
    uploads: &mut Uploads,
    get: impl Fn(&mut Uploads) -> Result<Memory, Status>,
) -> Result<Memory, Failure> {
    let mut outcome = get(uploads);
    if matches!(&outcome, Err(status) if status.is_out_of_memory()) && uploads.forget_unused() {
        outcome = get(uploads);
    }
    outcome.map_err(|status| {
        if !status.is_out_of_memory() {
            return status.into();
        }
        let free = cust::memory::mem_get_info().map_or(0, |(free, _)| free as u64);
        Failure::OutOfMemory(format!(
            "buffer `{name}` takes {} and the GPU has {} free",
            Bytes(bytes),
            Bytes(free)
        ))
    })
}
