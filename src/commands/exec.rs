//! `warpscope exec`: one launch of a kernel that the user brings.

mod arguments;
mod buffers;
mod cuda;
mod predict;
mod registers;
mod show;

use std::fs;
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, bail};

use super::{Exit, axes};
use crate::cli::exec::{Exec, Extent};
use crate::cli::suggest;
use crate::emulator::{self, Finding, Kernel, Options, Outcome, Ran, Setting};
use crate::gpu::{self, Geometry, Prediction, Profile};
use crate::ptx::{self, Function, Item, Module};
use crate::units::Bytes;
use crate::work::{Dim3, Resources, Trap, TrapKind};
use predict::Sampled;
use registers::Registers;

/// Largest PTX that is read: what one file of it takes in memory grows with it.
const MOST_PTX: u64 = 16 << 20;

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
    /// What the emulator counted, and whether that is all up to the trap.
    emulated: Option<(&'a Kernel, Outcome, bool)>,
    /// Findings of `--check`, how many more there were, and what it cannot see.
    checked: Option<(Vec<Finding>, usize, Vec<String>)>,
    sampled: Sampled,
    model: Option<Model>,
}

impl<'a> Report<'a> {
    fn new(exec: &'a Exec, entry: &'a str, ran_on: &str) -> Self {
        Self {
            exec,
            entry,
            ran_on: ran_on.to_owned(),
            seconds_wall: 0.0,
            seconds_measured: None,
            trap: None,
            emulated: None,
            checked: None,
            sampled: Sampled::All(None),
            model: None,
        }
    }
}

/// A predicted time and what it was predicted for.
struct Model {
    profile: Arc<Profile>,
    prediction: Prediction,
    registers: Registers,
}

pub(super) fn run(exec: &Exec, out: &mut impl Write) -> anyhow::Result<Exit> {
    let path = exec.file.display().to_string();
    let text = read(exec, &path)?;
    let module = ptx::parse(&text, &path)?;
    let function = entry(&module, exec.entry.as_deref(), &path)?;
    check_extents(exec)?;
    arguments::check(function, &exec.arguments)?;
    buffers::check(exec)?;
    if exec.backend == "cuda" {
        cuda::check(exec)?;
        return cuda::run(exec, &path, &text, function, out);
    }
    let profile = profile(exec)?;
    let kernel = emulator::load(&text, &path, function.name)?;
    let placed = buffers::place(exec)?;
    let registers = registers::find(exec.regs, &exec.file, function, profile.compute_capability);
    let resources = Resources {
        registers: registers.count,
        static_shared: kernel.static_shared() as u32,
        stack: 0,
    };
    let setting = Setting {
        grid: dim(exec.grid),
        block: dim(exec.block),
        shared_bytes: exec.shared,
        args: &placed.words,
        unwritten: &placed.unwritten,
    };
    let geometry = Geometry {
        blocks: setting.grid.count(),
        threads: setting.block.count() as u32,
        resources,
        dynamic_shared: exec.shared,
    };
    let mut options = Options {
        threads: exec.threads.map_or(0, usize::from),
        courses: Some(geometry.l1_bytes(&profile)),
        ..Options::default()
    };
    if let Some(budget) = exec.budget {
        options = Options { budget, launch_budget: budget, ..options };
    }
    let mut report = Report::new(exec, function.name, "emulator");
    let start = Instant::now();
    let ran = match fits(exec, function, &profile, resources) {
        Err(trap) => Ran::from(trap),
        Ok(()) if exec.check => {
            let found = emulator::check(&kernel, &module, setting, &placed.memory, options);
            report.checked = Some((found.findings, found.more, found.limits));
            found.ran
        }
        Ok(()) if exec.predict => {
            let (ran, sampled) = predict::run(&kernel, &setting, &placed.memory, options);
            report.sampled = sampled;
            ran
        }
        Ok(()) => {
            let Setting { grid, block, shared_bytes, args, .. } = setting;
            emulator::run(&kernel, grid, block, shared_bytes, args, &placed.memory, options)
        }
    };
    report.seconds_wall = start.elapsed().as_secs_f64();
    if ran.trap.is_none() {
        let prediction = gpu::predict(&ran.outcome, &geometry, &profile);
        report.model = Some(Model { profile, prediction, registers });
    }
    report.trap = ran.trap;
    report.emulated = Some((&kernel, ran.outcome, ran.counted));
    buffers::dump(exec, &placed)?;
    finish(&report, out)
}

/// The text of the file.
fn read(exec: &Exec, path: &str) -> anyhow::Result<String> {
    let cannot = || format!("cannot read {path}");
    let about = fs::metadata(&exec.file).with_context(cannot)?;
    if about.is_dir() {
        bail!("cannot read {path}: it is a folder; give a file of PTX");
    }
    if about.len() > MOST_PTX {
        bail!("{path} has {}; PTX of up to {} is read", Bytes(about.len()), Bytes(MOST_PTX));
    }
    let bytes = fs::read(&exec.file).with_context(cannot)?;
    for (start, what, way) in [
        (&b"\x7fELF"[..], "a compiled binary", "cuobjdump -ptx prints the PTX that is in it"),
        (b"P\xed\x55\xba", "a fat binary", "cuobjdump -ptx prints the PTX that is in it"),
    ] {
        if bytes.starts_with(start) {
            bail!("{path} is {what}, not PTX; {way}");
        }
    }
    let cuda = exec.file.extension().is_some_and(|extension| extension == "cu");
    String::from_utf8(bytes)
        .map_err(|error| {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = before.split(|&byte| byte == b'\n').count();
            anyhow::anyhow!("{path}:{line}: not text in UTF-8, so it is not PTX")
        })
        .and_then(|text| {
            if cuda && !text.contains(".version") {
                bail!("{path} is CUDA C++; compile it first: nvcc -ptx -lineinfo {path}");
            }
            Ok(text)
        })
}

/// Shows what the kernel printed and the report; the exit code tells whether
/// all was well.
fn finish(report: &Report, out: &mut impl Write) -> anyhow::Result<Exit> {
    if report.exec.json {
        serde_json::to_writer(&mut *out, &show::json(report))?;
        writeln!(out)?;
    } else {
        if let Some((_, outcome, _)) = &report.emulated {
            out.write_all(&outcome.printed)?;
            if outcome.printed.last().is_some_and(|&byte| byte != b'\n') {
                writeln!(out)?;
            }
        }
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
    Ok(())
}

fn dim(Extent([x, y, z]): Extent) -> Dim3 {
    Dim3 { x, y, z }
}

fn profile(exec: &Exec) -> anyhow::Result<Arc<Profile>> {
    axes::profile(exec.gpu.as_deref().unwrap_or(gpu::DEFAULT_PROFILE)).context("--gpu")
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
