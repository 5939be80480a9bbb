//! The buffers of a launch: allocated, filled, and written to files after it.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, bail};

use super::arguments::fill;
use crate::backend::host_memory;
use crate::backend::single_launch::{LaunchArgument, LaunchBuffer};
use crate::cli::exec::{Argument, Exec};
use crate::emulator::Memory;
use crate::units::Bytes;

/// Bytes that `--check` needs for each byte of a buffer.
const CHECK_BYTES: u64 = 14;

/// Arguments in the emulator's memory.
#[derive(Debug, Default)]
pub(super) struct Placed {
    pub(super) memory: Memory,
    /// The argument words of the kernel.
    pub(super) words: Vec<u64>,
    /// For each argument, the addresses of its buffers.
    pub(super) addresses: Vec<Vec<u64>>,
    /// Addresses of uninitialised buffers.
    pub(super) unwritten: Vec<u64>,
}

/// The buffers that an argument points to.
fn buffers(argument: &Argument) -> Vec<(usize, &Argument)> {
    argument.placed().buffers
}

fn bytes_of(argument: &Argument) -> u64 {
    match argument {
        Argument::Buffer { element, count, .. } => count * u64::from(element.bytes()),
        _ => 0,
    }
}

/// Refuses buffers that do not fit in memory, and dumps of other arguments.
pub(super) fn check(exec: &Exec) -> anyhow::Result<()> {
    let total: u64 = exec
        .arguments
        .iter()
        .flat_map(buffers)
        .fold(0, |sum, (_, buffer)| sum.saturating_add(bytes_of(buffer)));
    let free = host_memory::free() / 5 * 4;
    if total > free {
        bail!(
            "--arg: the buffers need {}, but this machine has {} free",
            Bytes(total),
            Bytes(free)
        );
    }
    let checked = total.saturating_mul(CHECK_BYTES);
    if exec.check && checked > free {
        bail!(
            "--check: buffers of this size can need {} of shadow memory, but this machine has {} \
             free; check a smaller case",
            Bytes(checked),
            Bytes(free)
        );
    }
    for (index, argument) in exec.arguments.iter().enumerate() {
        let Argument::TensorMap(tensor) = argument else { continue };
        if !matches!(exec.arguments.get(tensor.buffer), Some(Argument::Buffer { .. })) {
            bail!("--arg {index}: argument {} is not a buffer", tensor.buffer);
        }
    }
    for dump in &exec.dump {
        let name = dump.argument;
        let Some(argument) = exec.arguments.get(name) else {
            bail!(
                "--dump {name}: there is no argument {name}; {} are given, counted from 0",
                exec.arguments.len()
            );
        };
        let held = buffers(argument).len();
        match argument {
            Argument::Scalar { .. } => {
                bail!("--dump {name}: argument {name} is a number, not a buffer")
            }
            _ if held == 0 => bail!("--dump {name}: argument {name} has no buffer"),
            _ if dump.buffer >= held => bail!(
                "--dump {name}.{}: argument {name} has {held} buffer(s), counted from 0",
                dump.buffer
            ),
            _ => {}
        }
    }
    Ok(())
}

/// Places all arguments in the emulator's memory.
pub(super) fn place(exec: &Exec) -> anyhow::Result<Placed> {
    let mut placed = Placed::default();
    let mut firsts = Vec::new();
    for (index, argument) in exec.arguments.iter().enumerate() {
        let layout = argument.placed();
        let mut addresses = Vec::with_capacity(layout.buffers.len());
        for (_, buffer) in &layout.buffers {
            let address = placed.memory.allocate(bytes_of(buffer));
            addresses.push(address);
            let Argument::Buffer { element, count, init } = buffer else { continue };
            let mut at = address;
            let written = fill(index, *element, *count, init, |piece| {
                placed.memory.write_bytes(at, piece);
                at += piece.len() as u64;
            })?;
            if !written {
                placed.unwritten.push(address);
            }
        }
        let buffers = layout
            .buffers
            .iter()
            .map(|(at, _)| (*at, LaunchBuffer { bytes: 0, contents: None }))
            .collect();
        let once = LaunchArgument { bytes: layout.bytes, buffers };
        firsts.push(placed.words.len());
        placed.words.extend(once.words(&addresses));
        placed.addresses.push(addresses);
    }
    for (argument, first) in exec.arguments.iter().zip(firsts) {
        let Argument::TensorMap(tensor) = argument else { continue };
        let address = placed.addresses.get(tensor.buffer).and_then(|held| held.first());
        let words = tensor.map.words(address.copied().unwrap_or_default());
        placed.words[first..first + words.len()].copy_from_slice(&words);
    }
    Ok(placed)
}

/// All arguments with the contents of their buffers, for a GPU.
pub(super) fn collect(exec: &Exec) -> anyhow::Result<Vec<LaunchArgument>> {
    exec.arguments
        .iter()
        .enumerate()
        .map(|(index, argument)| {
            let layout = argument.placed();
            let mut buffers = Vec::with_capacity(layout.buffers.len());
            for (at, buffer) in layout.buffers {
                let Argument::Buffer { element, count, init } = buffer else { continue };
                let mut contents = Vec::new();
                let written = fill(index, *element, *count, init, |piece| {
                    contents.extend_from_slice(piece);
                })?;
                let contents = written.then_some(contents);
                buffers.push((at, LaunchBuffer { bytes: bytes_of(buffer), contents }));
            }
            Ok(LaunchArgument { bytes: layout.bytes, buffers })
        })
        .collect()
}

/// Writes the buffers that `--dump` names, from the emulator's memory.
pub(super) fn dump(exec: &Exec, placed: &Placed) -> anyhow::Result<()> {
    for dump in &exec.dump {
        let held = placed.addresses.get(dump.argument);
        let Some(&address) = held.and_then(|held| held.get(dump.buffer)) else { continue };
        write(&dump.file, |file| {
            let mut written = Ok(());
            placed.memory.read_pieces(address, |piece| {
                if written.is_ok() {
                    written = file.write_all(piece);
                }
            });
            written
        })?;
    }
    Ok(())
}

/// Writes one dump.
pub(super) fn write(
    path: &Path,
    contents: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>,
) -> anyhow::Result<()> {
    let cannot = || format!("--dump: cannot write {}", path.display());
    let mut file = BufWriter::new(File::create(path).with_context(cannot)?);
    contents(&mut file).and_then(|()| file.flush()).with_context(cannot)
}
