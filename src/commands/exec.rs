//! `warpscope exec`: one launch of a kernel that the user brings.

mod arguments;
mod registers;
mod show;

use std::fs;
use std::io::Write;
use std::time::Instant;

use anyhow::{Context, bail};

use super::Exit;
use crate::backend::Failure;
use crate::backend::emulated::host_memory;
use crate::backend::once::{self, Once, OnceArg};
use crate::cli::exec::{Argument, Exec, Extent};
use crate::cli::suggest;
use crate::emulator::{self, Finding, Kernel, Memory, Options, Outcome, Setting};
use crate::gpu::{self, Geometry, Prediction, Profile};
use crate::launch::{Dim3, Resources, Trap, TrapKind};
use crate::ptx::{self, Function, Item, Module};
use crate::units::Bytes;
use registers::Registers;

/// All that a launch gave.
struct Report<'a> {
    exec: &'a Exec,
    entry: &'a str,
    /// What ran it, in words.
    ran_on: String,
    seconds_wall: f64,
    /// Kernel time, if a GPU ran it.
    seconds_measured: Option<f64>,
    trap: Option<Trap>,
    emulated: Option<(&'a Kernel, Outcome)>,
    /// Findings of `--check`, how many more there were, and what it cannot see.
    checked: Option<(Vec<Finding>, usize, Vec<String>)>,
    model: Option<Model>,
}

/// A predicted time and what it was predicted for.
struct Model {
    profile: &'static Profile,
    prediction: Prediction,
    registers: Registers,
}

pub(super) fn run(exec: &Exec, out: &mut impl Write) -> anyhow::Result<Exit> {
    let path = exec.file.display().to_string();
    let bytes = fs::read(&exec.file).with_context(|| format!("cannot read {path}"))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = before.split(|&byte| byte == b'\n').count();
        anyhow::anyhow!("{path}:{line}: not text in UTF-8, so it is not PTX")
    })?;
    let module = ptx::parse(&text, &path)?;
    let function = entry(&module, exec.entry.as_deref(), &path)?;
    check_extents(exec)?;
    arguments::check(function, &exec.arguments)?;
    let buffers = prepare(exec)?;
    if exec.backend == "cuda" {
        return on_cuda(exec, &path, &text, function, buffers, out);
    }
    let profile = profile(exec)?;
    let kernel = emulator::load(&text, &path, function.name)?;
    let (memory, args) = place(exec, &buffers);
    let unwritten: Vec<u64> = buffers
        .iter()
        .zip(&args)
        .filter(|(buffer, _)| matches!(buffer, OnceArg::Buffer { contents: None, .. }))
        .map(|(_, &address)| address)
        .collect();
    drop(buffers);
    let registers = registers::find(exec.regs, &exec.file, function, profile.compute_capability);
    let resources = Resources {
        registers: registers.count,
        static_shared: kernel.static_shared() as u32,
        stack: 0,
    };
    let (grid, block) = (dim(exec.grid), dim(exec.block));
    let start = Instant::now();
    let mut options = Options::default();
    options.budget = exec.budget.unwrap_or(options.budget);
    let mut checked = None;
    let ran = fits(exec, function, profile, resources).and_then(|()| {
        if exec.check {
            let setting = Setting {
                grid,
                block,
                shared_bytes: exec.shared,
                args: &args,
                unwritten: &unwritten,
            };
            let found = emulator::check(&kernel, &module, setting, &memory, options);
            checked = Some((found.findings, found.more, found.limits));
            return found.result;
        }
        emulator::launch(&kernel, grid, block, exec.shared, &args, &memory, options)
    });
    let seconds_wall = start.elapsed().as_secs_f64();
    let geometry = Geometry {
        blocks: grid.count(),
        threads: block.count() as u32,
        resources,
        dynamic_shared: exec.shared,
    };
    let (outcome, trap) = match ran {
        Ok(outcome) => (Some(outcome), None),
        Err(trap) => (None, Some(trap)),
    };
    let model = outcome.as_ref().map(|outcome| Model {
        profile,
        prediction: gpu::predict(outcome, &geometry, profile),
        registers,
    });
    for dump in &exec.dump {
        if let Some(&address) = args.get(dump.argument) {
            write_dump(&dump.file, &memory.read_bytes(address))?;
        }
    }
    let report = Report {
        exec,
        entry: function.name,
        ran_on: "emulator".to_owned(),
        seconds_wall,
        seconds_measured: None,
        trap,
        emulated: outcome.map(|outcome| (&kernel, outcome)),
        checked,
        model,
    };
    finish(&report, out)
}

/// Shows the report; the exit code tells whether all was well.
fn finish(report: &Report, out: &mut impl Write) -> anyhow::Result<Exit> {
    if report.exec.json {
        serde_json::to_writer(&mut *out, &show::json(report))?;
        writeln!(out)?;
    } else {
        out.write_all(show::text(report).as_bytes())?;
    }
    let found = report.checked.as_ref().is_some_and(|(findings, ..)| !findings.is_empty());
    Ok(if found || report.trap.is_some() { Exit::Trapped } else { Exit::Fine })
}

/// The kernel asked for, or the only one.
fn entry<'m, 'a>(
    module: &'m Module<'a>,
    name: Option<&str>,
    path: &str,
) -> anyhow::Result<&'m Function<'a>> {
    let entries: Vec<&Function> = module
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Function(function) if function.entry && function.body.is_some() => Some(function),
            _ => None,
        })
        .collect();
    let names: Vec<&str> = entries.iter().map(|function| function.name).collect();
    match (name, entries.as_slice()) {
        (_, []) => bail!("{path} has no kernel (no .entry)"),
        (None, [only]) => Ok(only),
        (None, _) => bail!("--entry is missing; {path} has the kernels {}", names.join(", ")),
        (Some(name), _) => {
            let found = entries.iter().find(|function| function.name == name);
            found.copied().with_context(|| {
                format!("--entry: in {path} {}", suggest::unknown("kernel", name, &names))
            })
        }
    }
}

/// Refuses what no GPU launches.
fn check_extents(exec: &Exec) -> anyhow::Result<()> {
    let limits = [
        ("--grid", exec.grid, [i32::MAX.cast_unsigned(), 65535, 65535]),
        ("--block", exec.block, [1024, 1024, 64]),
    ];
    for (option, Extent(extent), most) in limits {
        for ((count, most), axis) in extent.into_iter().zip(most).zip(["x", "y", "z"]) {
            if count > most {
                bail!(
                    "{option}: {count} along {axis} is more than the {most} that can be launched"
                );
            }
        }
    }
    let threads = dim(exec.block).count();
    if threads > 1024 {
        bail!("--block: {threads} threads; a block has at most 1024");
    }
    for dump in &exec.dump {
        match exec.arguments.get(dump.argument) {
            Some(Argument::Buffer { .. }) => {}
            Some(_) => bail!("--dump {}: argument {0} is a number, not a buffer", dump.argument),
            None => bail!(
                "--dump {}: there is no such argument; they are counted from 0, and {} were given",
                dump.argument,
                exec.arguments.len()
            ),
        }
    }
    if exec.backend == "cuda" {
        for (given, option) in [
            (exec.counters, "--counters"),
            (exec.check, "--check"),
            (exec.predict, "--predict"),
            (exec.gpu.is_some(), "--gpu"),
            (exec.budget.is_some(), "--budget"),
        ] {
            if given {
                bail!("{option} is the emulator's; leave it out or use --backend emulator");
            }
        }
    }
    Ok(())
}

/// Arguments with the contents of buffers.
fn prepare(exec: &Exec) -> anyhow::Result<Vec<OnceArg>> {
    let total: u64 = exec
        .arguments
        .iter()
        .map(|argument| match argument {
            Argument::Buffer { element, count, .. } => count * u64::from(element.bytes()),
            Argument::Scalar { .. } => 0,
        })
        .sum();
    // Twice: as read or generated, and in the emulator's memory.
    if total > host_memory() / 5 * 2 {
        bail!("--arg: the buffers take {}, more than this machine has free", Bytes(total));
    }
    exec.arguments
        .iter()
        .enumerate()
        .map(|(index, argument)| {
            Ok(match argument {
                Argument::Scalar { bits, .. } => OnceArg::Bits(*bits),
                Argument::Buffer { element, count, init } => OnceArg::Buffer {
                    bytes: count * u64::from(element.bytes()),
                    contents: arguments::contents(index, *element, *count, init)?,
                },
            })
        })
        .collect()
}

/// Buffers in the emulator's memory, and the value of every argument.
fn place(exec: &Exec, buffers: &[OnceArg]) -> (Memory, Vec<u64>) {
    let mut memory = Memory::new();
    let args = buffers
        .iter()
        .map(|argument| match argument {
            OnceArg::Bits(bits) => *bits,
            OnceArg::Buffer { bytes, contents } => {
                let address = memory.allocate(*bytes);
                if let Some(contents) = contents {
                    memory.write_bytes(address, contents);
                }
                address
            }
        })
        .collect::<Vec<_>>();
    debug_assert_eq!(args.len(), exec.arguments.len());
    (memory, args)
}

fn on_cuda(
    exec: &Exec,
    path: &str,
    text: &str,
    function: &Function,
    args: Vec<OnceArg>,
    out: &mut impl Write,
) -> anyhow::Result<Exit> {
    let launch = Once {
        ptx: text,
        path,
        kernel: function.name,
        grid: dim(exec.grid),
        block: dim(exec.block),
        shared_bytes: exec.shared,
        args,
    };
    let start = Instant::now();
    let ran = once::run_on_cuda(&launch);
    let seconds_wall = start.elapsed().as_secs_f64();
    let mut report = Report {
        exec,
        entry: function.name,
        ran_on: "cuda".to_owned(),
        seconds_wall,
        seconds_measured: None,
        trap: None,
        emulated: None,
        checked: None,
        model: None,
    };
    match ran {
        Ok(ran) => {
            for dump in &exec.dump {
                if let Some(Some(bytes)) = ran.buffers.get(dump.argument) {
                    write_dump(&dump.file, bytes)?;
                }
            }
            report.ran_on = ran.device;
            report.seconds_measured = Some(ran.seconds);
        }
        Err(Failure::Trap(trap)) => report.trap = Some(trap),
        Err(other) => return Err(other.into()),
    }
    finish(&report, out)
}

fn write_dump(file: &std::path::Path, bytes: &[u8]) -> anyhow::Result<()> {
    fs::write(file, bytes).with_context(|| format!("--dump: cannot write {}", file.display()))
}

fn dim(Extent([x, y, z]): Extent) -> Dim3 {
    Dim3 { x, y, z }
}

fn profile(exec: &Exec) -> anyhow::Result<&'static Profile> {
    let name = exec.gpu.as_deref().unwrap_or(gpu::DEFAULT_PROFILE);
    gpu::find_profile(name).with_context(|| {
        let names: Vec<&str> = gpu::profiles().iter().map(|gpu| gpu.name.as_str()).collect();
        format!("--gpu: {}", suggest::unknown("GPU profile", name, &names))
    })
}

/// Refuses, as a GPU would, a block that no multiprocessor can hold.
fn fits(
    exec: &Exec,
    function: &Function,
    profile: &Profile,
    resources: Resources,
) -> Result<(), Trap> {
    let threads = dim(exec.block).count() as u32;
    let shared = resources.static_shared.saturating_add(exec.shared);
    gpu::occupancy(profile.compute_capability, threads, resources.registers, shared)
        .map(|_| ())
        .map_err(|reason| Trap {
            kind: TrapKind::LaunchFailed,
            kernel: function.name.to_owned(),
            file: None,
            line: None,
            block: None,
            lanes: Vec::new(),
            message: format!("on {}, {reason}", profile.name),
        })
}
