//! A piece of work with its buffers on the device and its kernels looked up.

use super::memory::{Memory, Uploads};
use super::module::Modules;
use super::status::Status;
use super::stream::{Ready, Stream};
use crate::backend::Failure;
use crate::launch::{Arg, HostBuffer, Init, Inputs, Launch, Trap, TrapKind, Work};
use crate::units::Bytes;

/// Work that can be run again and again.
pub(super) struct PreparedWork {
    /// Its launches, in order.
    pub(super) launches: Vec<Ready>,
    /// Whether it ran once already.
    pub(super) warm: bool,
    buffers: Vec<Slot>,
}

/// A buffer on the device.
struct Slot {
    memory: Memory,
    /// How to put back what it held, if the launches write to it.
    restore: Option<Restore>,
    /// A host buffer to read it into: this many elements of this type.
    shape: Shape,
}

enum Restore {
    Zeros,
    Copy(Memory),
}

#[derive(Clone, Copy)]
enum Shape {
    U32(usize),
    U64(usize),
    F32(usize),
}

impl Shape {
    fn of(buffer: &HostBuffer) -> Self {
        match buffer {
            HostBuffer::U32(values) => Self::U32(values.len()),
            HostBuffer::U64(values) => Self::U64(values.len()),
            HostBuffer::F32(values) => Self::F32(values.len()),
        }
    }

    fn host_buffer(self) -> HostBuffer {
        match self {
            Self::U32(len) => HostBuffer::U32(vec![0; len]),
            Self::U64(len) => HostBuffer::U64(vec![0; len]),
            Self::F32(len) => HostBuffer::F32(vec![0.0; len]),
        }
    }
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
            let slot = match buffer.init {
                Init::ZeroedU32(words) => {
                    let memory = allocate(buffer.name, buffer.init.bytes(), uploads)?;
                    memory.fill(0, stream).map_err(|status| Failure::Lost(status.to_string()))?;
                    let restore = buffer.written.then_some(Restore::Zeros);
                    Slot { memory, restore, shape: Shape::U32(words) }
                }
                Init::Input { index, .. } => {
                    let input = inputs.get(index).ok_or_else(|| {
                        Failure::Load(format!(
                            "buffer `{}` is input {index}, and {} were given",
                            buffer.name,
                            inputs.len()
                        ))
                    })?;
                    let shape = Shape::of(input);
                    let original = make_room(buffer.name, input.bytes(), uploads, |uploads| {
                        uploads.get(input, stream)
                    })?;
                    if buffer.written {
                        let memory = allocate(buffer.name, input.bytes(), uploads)?;
                        Slot { memory, restore: Some(Restore::Copy(original)), shape }
                    } else {
                        Slot { memory: original, restore: None, shape }
                    }
                }
            };
            buffers.push(slot);
        }
        let launches = work
            .launches
            .iter()
            .map(|launch| {
                let function = module.function(&launch.kernel).map_err(|status| {
                    Failure::Load(format!(
                        "{} has no entry point `{}`: {status}",
                        work.module.path, launch.kernel
                    ))
                })?;
                let args = launch
                    .args
                    .iter()
                    .map(|arg| Ok(vec![word(*arg, &buffers)?]))
                    .collect::<Result<_, Failure>>()?;
                let ready = Ready {
                    function,
                    kernel: launch.kernel.clone(),
                    grid: launch.grid,
                    block: launch.block,
                    shared_bytes: launch.shared_bytes,
                    args,
                };
                allow(launch, &ready)?;
                Ok(ready)
            })
            .collect::<Result<_, Failure>>()?;
        let prepared = Self { launches, warm: false, buffers };
        prepared.restore(stream).map_err(|status| Failure::Lost(status.to_string()))?;
        Ok(prepared)
    }

    /// Queues what puts written buffers back to what they held at first.
    pub(super) fn restore(&self, stream: &Stream) -> Result<(), Status> {
        for slot in &self.buffers {
            match &slot.restore {
                Some(Restore::Zeros) => slot.memory.fill(0, stream)?,
                Some(Restore::Copy(original)) => slot.memory.copy_from(original, stream)?,
                None => {}
            }
        }
        Ok(())
    }

    /// What the buffer of this index holds; `None` when there is no such buffer.
    pub(super) fn read(
        &self,
        buffer: usize,
        stream: &Stream,
    ) -> Option<Result<HostBuffer, Status>> {
        let slot = self.buffers.get(buffer)?;
        let mut host = slot.shape.host_buffer();
        Some(slot.memory.download(&mut host, stream).map(|()| host))
    }
}

/// An argument as the driver takes it: its bytes at the start of a word.
fn word(arg: Arg, buffers: &[Slot]) -> Result<u64, Failure> {
    Ok(match arg {
        Arg::Buffer(index) => {
            buffers.get(index).map(|slot| slot.memory.address()).ok_or_else(|| {
                Failure::Load(format!("an argument names buffer {index}, which is not there"))
            })?
        }
        Arg::U32(value) => u64::from(value),
        Arg::U64(value) => value,
        Arg::F32(value) => u64::from(value.to_bits()),
    })
}

/// Opts in to the shared memory that the launch takes, and says in words what
/// the driver would refuse with a number.
fn allow(launch: &Launch, ready: &Ready) -> Result<(), Failure> {
    /// Dynamic shared memory that needs no opting in.
    const WITHOUT_OPT_IN: u32 = 48 << 10;

    let refused = |message: String| Failure::Trap(refusal(&launch.kernel, message));
    if launch.shared_bytes > WITHOUT_OPT_IN {
        ready.function.allow_shared(launch.shared_bytes).map_err(|status| {
            refused(format!(
                "{} of shared memory per block is more than the GPU gives ({status})",
                Bytes(u64::from(launch.shared_bytes))
            ))
        })?;
    }
    let lost = |status: Status| Failure::Lost(status.to_string());
    let most = ready.function.most_threads().map_err(lost)?;
    if launch.block.count() > u64::from(most) {
        let registers = ready.function.resources().map_err(lost)?.registers;
        return Err(refused(format!(
            "{} threads per block, and with {registers} registers each at most {most} fit",
            launch.block.count()
        )));
    }
    Ok(())
}

/// The trap for a launch that was refused.
pub(super) fn refusal(kernel: &str, message: String) -> Trap {
    Trap {
        kind: TrapKind::LaunchFailed,
        kernel: kernel.to_owned(),
        file: None,
        line: None,
        block: None,
        lanes: Vec::new(),
        message,
    }
}

fn allocate(name: &str, bytes: u64, uploads: &mut Uploads) -> Result<Memory, Failure> {
    make_room(name, bytes, uploads, |_| Memory::allocate(bytes))
}

/// Tries `get`; if memory ran out, once more without the inputs that nobody uses.
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
            return Failure::Lost(status.to_string());
        }
        let free = cust::memory::mem_get_info().map_or(0, |(free, _)| free as u64);
        Failure::OutOfMemory(format!(
            "buffer `{name}` takes {} and the GPU has {} free",
            Bytes(bytes),
            Bytes(free)
        ))
    })
}
