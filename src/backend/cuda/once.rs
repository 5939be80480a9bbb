//! One launch on the first device, with nothing around it: what tools that
//! watch a process see is the kernel and its copies alone.

use super::devices;
use super::memory::Memory;
use super::module::Module;
use super::prepared::refusal;
use super::status::Status;
use super::stream::{Event, Ready, Stream};
use crate::backend::once::{Once, OnceBuffer, RanOnce};
use crate::backend::{Failure, OpenError};
use crate::work::{self, Trap, TrapKind};

/// Dynamic shared memory that needs no opting in.
const WITHOUT_OPT_IN: u32 = 48 << 10;

/// Loads, uploads, launches, waits, downloads.
pub(in crate::backend) fn run(once: &Once) -> Result<RanOnce, Failure> {
    let lost = |status: Status| Failure::Lost(status.to_string());
    let none = |error: OpenError| Failure::Lost(error.to_string());
    let handle = devices::device(0).map_err(none)?;
    let _context = devices::context(handle).map_err(lost)?;
    let device = devices::describe(handle, 0).map_err(lost)?.name;
    // The loader takes PTX that lives as long as the program, which this one
    // command ends with.
    let source = work::Module {
        name: "exec",
        path: String::leak(once.path.to_owned()),
        ptx: String::leak(once.ptx.to_owned()),
        source: "",
        resources: "",
    };
    let module = Module::load(&source).map_err(Failure::Load)?;
    let function = module.function(once.kernel).map_err(|status| {
        Failure::Load(format!("{} has no entry point `{}`: {status}", once.path, once.kernel))
    })?;
    let refused = |status: Status| Failure::Trap(refusal(once.kernel, status.to_string()));
    if once.shared_bytes > WITHOUT_OPT_IN {
        function.allow_shared(once.shared_bytes).map_err(refused)?;
    }
    let stream = Stream::new().map_err(lost)?;
    let mut memories = Vec::with_capacity(once.args.len());
    let mut args = Vec::with_capacity(once.args.len());
    for arg in &once.args {
        let mut held = Vec::with_capacity(arg.buffers.len());
        for (_, OnceBuffer { bytes, contents }) in &arg.buffers {
            let memory = Memory::allocate(*bytes).map_err(|status| {
                Failure::OutOfMemory(format!("a buffer of {bytes} bytes: {status}"))
            })?;
            if let Some(contents) = contents {
                memory.upload_bytes(contents, &stream).map_err(lost)?;
            }
            held.push(memory);
        }
        let addresses: Vec<u64> = held.iter().map(Memory::address).collect();
        args.push(arg.words(&addresses));
        memories.push(held);
    }
    let ready = Ready {
        function,
        kernel: once.kernel.to_owned(),
        grid: once.grid,
        block: once.block,
        shared_bytes: once.shared_bytes,
        args,
    };
    let (start, stop) = (Event::new().map_err(lost)?, Event::new().map_err(lost)?);
    start.record(&stream).map_err(lost)?;
    ready.enqueue(&stream).map_err(refused)?;
    stop.record(&stream).map_err(lost)?;
    stream.wait().map_err(|status| {
        Failure::Trap(Trap {
            kind: TrapKind::DeviceFault,
            ..refusal(once.kernel, status.to_string())
        })
    })?;
    let buffers = memories
        .iter()
        .map(|held| held.iter().map(|memory| memory.download_bytes(&stream)).collect())
        .collect::<Result<_, _>>()
        .map_err(lost)?;
    Ok(RanOnce { device, seconds: stop.seconds_since(&start).map_err(lost)?, buffers })
}
