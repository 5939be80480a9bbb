//! One launch on the first device and nothing else, so that tools that watch the
//! process see the kernel and its copies alone.

use super::devices;
use super::memory::Memory;
use super::module::Module;
use super::prepared::allow;
use super::printed;
use super::status::Status;
use super::stream::{Event, Ready, Stream};
use crate::backend::single_launch::{LaunchArgument, LaunchBuffer, Outcome, SingleLaunch};
use crate::backend::{Failure, OpenError};
use crate::work::{self, TrapKind};

/// Runs `launch`; also what the kernel printed, up to 1 MiB.
pub(in crate::backend) fn run(launch: &SingleLaunch) -> (Result<Outcome, Failure>, Vec<u8>) {
    match printed::captured(|| launched(launch)) {
        Ok(ran) => ran,
        Err(error) => {
            let reason = format!("cannot read what the kernel prints: {error}");
            (Err(Failure::Lost(reason)), Vec::new())
        }
    }
}

/// Loads, uploads, launches, waits, downloads.
fn launched(launch: &SingleLaunch) -> Result<Outcome, Failure> {
    let none = |error: OpenError| Failure::Lost(error.to_string());
    let handle = devices::device(0).map_err(none)?;
    let _context = devices::context(handle)?;
    let device = devices::describe(handle, 0)?.name;
    // A module holds static text. The process ends after this launch.
    let source = work::Module {
        name: "exec",
        path: String::leak(launch.path.to_owned()),
        ptx: String::leak(launch.ptx.to_owned()),
        source: "",
        resources: "",
    };
    let module = Module::load(&source, None).map_err(Failure::Load)?;
    let stream = Stream::new()?;
    let (mut args, mut memories) = (Vec::new(), Vec::new());
    for argument in &launch.args {
        let buffers = upload(argument, &stream)?;
        args.push(argument.words(&buffers.iter().map(Memory::address).collect::<Vec<_>>()));
        memories.push(buffers);
    }
    let ready = Ready {
        function: module.entry_point(launch.kernel, launch.path)?,
        kernel: launch.kernel.to_owned(),
        grid: launch.grid,
        block: launch.block,
        shared_bytes: launch.shared_bytes,
        together: source.waits_for_grid(launch.kernel),
        args,
    };
    allow(&ready)?;
    let (start, stop) = (Event::new()?, Event::new()?);
    start.record(&stream)?;
    let trap = |kind| move |status: Status| Failure::trap(kind, launch.kernel, status.to_string());
    ready.enqueue(&stream).map_err(trap(TrapKind::LaunchFailed))?;
    stop.record(&stream)?;
    stream.wait().map_err(trap(TrapKind::DeviceFault))?;
    let buffers = memories
        .iter()
        .map(|held| held.iter().map(|memory| memory.download_bytes(&stream)).collect())
        .collect::<Result<_, Status>>()?;
    Ok(Outcome { device, seconds: stop.seconds_since(&start)?, buffers })
}

/// The buffers of an argument on the device.
fn upload(argument: &LaunchArgument, stream: &Stream) -> Result<Vec<Memory>, Failure> {
    let upload = |(_, buffer): &(usize, LaunchBuffer)| {
        let bytes = buffer.bytes;
        let memory = Memory::allocate(bytes).map_err(|status| {
            Failure::OutOfMemory(format!("a buffer of {bytes} bytes: {status}"))
        })?;
        if let Some(contents) = &buffer.contents {
            memory.upload_bytes(contents, stream)?;
        }
        Ok(memory)
    };
    argument.buffers.iter().map(upload).collect()
}
