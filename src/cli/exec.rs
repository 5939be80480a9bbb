//! `warpscope exec`: one launch of a kernel from a file of PTX or CUDA C++.

mod argument;
mod arguments;
mod buffers;
mod cuda;
mod file;
mod predict;
mod registers;
mod show;
mod traced;

use std::fmt;
use std::io::Write;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, bail};
pub use argument::{Argument, Element, Init, Placed, TensorArgument};
use clap::Args;
use clap::builder::{PathBufValueParser, PossibleValuesParser, TypedValueParser};
use predict::Sampled;
use registers::Registers;

use super::launched::Watch;
use super::trace::TraceOptions;
use super::{Exit, axes};
use crate::emulator::ptx::{self, Function};
use crate::emulator::{self, Finding, Kernel, Options, Outcome, Ran, Setting};
use crate::gpu::{self, Geometry, GpuSpec, Prediction};
use crate::units::parse_count;
use crate::units::text::{self, Escaped};
use crate::work::{Dim3, Resources, Trap, TrapKind};

/// Run, count or check a kernel from any PTX or CUDA C++ file.
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Debug, Clone, Args)]
#[command(after_help = "Arguments, in the order of the kernel's parameters:
  TYPE=VALUE              a number; TYPE is u8 s8 u16 s16 u32 s32 u64 s64 f32 f64
  buffer=TYPE:COUNT:INIT  a pointer to a new buffer
  struct=FIELD,FIELD,...  a structure that is passed by value
  bytes=HEX               bytes in memory order
  tensormap=K:TYPE:DIMS:BOX[:OPTION...]
                          a map of the tensor in the buffer of argument K (from 0): its
                          dimensions, those of elements side by side first, and the box
                          that one instruction copies, as 128x64; OPTION is swizzle=32 |
                          64 | 128, fill=nan, strides= (bytes) or steps=

INIT is the content of a buffer:
  zeros | ones            every element 0 or 1
  iota                    element i is i
  random:SEED             integers over their whole range, floats in [0, 1)
  @FILE                   the bytes of a file, little-endian, exactly COUNT elements
  uninit                  never written; --check reports reads of it

FIELD is a member of a structure, aligned as in C (use bytes=HEX for any other layout):
  TYPE:VALUE              a number; TYPE:A:B:C is several of that type
  buffer:TYPE:COUNT:INIT  a pointer to a new buffer
  bytes:HEX               bytes in memory order

The output of printf goes to standard output before the report, and into
\"printed\" with --json.

Examples:
  warpscope exec add.ptx --entry add --grid 4 --block 256 --counters \\
      --arg buffer=f32:1024:iota --arg buffer=f32:1024:ones --arg u32=1024 \\
      --dump 0=out.f32
  warpscope exec scan.ptx --entry scan --grid 1 --block 128 --shared 512 \\
      --arg buffer=u32:128:random:7 --check
  warpscope exec mul.ptx --entry mul --grid 8,8 --block 16,16 \\
      --arg buffer=f32:16Ki:@a.f32 --gpu T4 --regs 32 --json
  warpscope exec my.cu --grid 4 --block 256 --arg buffer=f32:1024:ones --check
  warpscope exec add.ptx --grid 4 --block 256 --arg buffer=f32:1024:iota --trace 3:0
  warpscope exec fill.ptx --entry fill --grid 1 --block 64 \\
      --arg struct=buffer:f32:64:uninit,u32:64,f32:0.5 --dump 0.0=out.f32

Exit codes: 0 a clean launch, 2 bad arguments or unreadable PTX, 3 a trap or a
finding of --check.")]
pub struct Exec {
    /// PTX to load, or CUDA C++ to compile
    #[arg(value_name = "FILE.ptx|FILE.cu",
          value_parser = PathBufValueParser::new().try_map(existing))]
    pub file: PathBuf,
    /// Kernel to launch [default: the only one in the file]
    #[arg(long, value_name = "NAME")]
    pub entry: Option<String>,
    /// Blocks in the grid
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub grid: Extent,
    /// Threads per block
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub block: Extent,
    /// Blocks per cluster, where the kernel does not fix them (`__cluster_dims__`)
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub cluster: Option<Extent>,
    /// Dynamic shared memory per block
    #[arg(long, value_name = "BYTES", default_value = "0", value_parser = bytes)]
    pub shared: u32,
    /// Kernel argument, one option for each: u32=1000, f32=1.5, buffer=f32:1024:zeros,
    /// struct=u32:7,f32:2.5
    #[arg(long = "arg", value_name = "TYPE=VALUE")]
    pub arguments: Vec<Argument>,
    /// Write the buffer of argument K (from 0) to a file after the launch, raw and
    /// little-endian; K.B is buffer B of a structure
    #[arg(long, value_name = "K[.B]=FILE")]
    pub dump: Vec<Dump>,
    /// Print the counters, in all and by source line
    #[arg(long)]
    pub counters: bool,
    /// Find invalid accesses, races, uninitialised reads and barrier misuse
    #[arg(long, conflicts_with = "predict")]
    pub check: bool,
    /// Backend that runs the kernel
    #[arg(long, value_name = "BACKEND", default_value = "emulator",
          value_parser = PossibleValuesParser::new(["emulator", "cuda"]))]
    pub backend: String,
    /// GPU to predict the time for: a name from `warpscope devices`, or a profile file
    /// [default: H200 SXM]
    #[arg(long, value_name = "NAME|FILE")]
    pub gpu: Option<String>,
    /// Only predict the time: run a sample of the blocks of a large grid, without
    /// output
    #[arg(long, conflicts_with = "dump")]
    pub predict: bool,
    /// Registers per thread for the prediction [default: from ptxas if it is
    /// found, else an estimate]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=255))]
    pub regs: Option<u32>,
    /// Limit of warp instructions, to stop a runaway kernel [default: 10^10 per block,
    /// 10^12 in all]
    #[arg(long, value_name = "INSTRUCTIONS", value_parser = budget)]
    pub budget: Option<u64>,
    /// Host threads of the emulator [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// The trace.
    #[command(flatten)]
    pub traced: TraceOptions,
    /// Pass control characters that the kernel prints to the terminal
    #[arg(long, conflicts_with = "json")]
    pub raw: bool,
}

/// A file that is missing is told before options that are.
fn existing(path: PathBuf) -> Result<PathBuf, String> {
    match path.metadata() {
        Ok(_) => Ok(path),
        Err(error) => {
            Err(format!("cannot read {}: {error}", text::line(&path.display().to_string())))
        }
    }
}

fn bytes(text: &str) -> Result<u32, String> {
    let bytes = parse_count(text).map_err(|error| error.to_string())?;
    u32::try_from(bytes)
        .ok()
        .filter(|&bytes| bytes <= 1 << 20)
        .ok_or_else(|| format!("a block has at most 1 MiB of shared memory, not {bytes} bytes"))
}

fn budget(text: &str) -> Result<u64, String> {
    let budget = parse_count(text).map_err(|error| error.to_string())?;
    if budget == 0 { Err("the budget must be at least 1".to_owned()) } else { Ok(budget) }
}

/// The size of a grid or block along x, y and z.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent(pub [u32; 3]);

impl fmt::Display for Extent {
    /// `8`, `8,4` or `8,4,2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [x, 1, 1] => write!(f, "{x}"),
            [x, y, 1] => write!(f, "{x},{y}"),
            [x, y, z] => write!(f, "{x},{y},{z}"),
        }
    }
}

impl FromStr for Extent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split(',').collect();
        if parts.len() > 3 {
            return Err(format!("`{text}` has {} numbers: write X, X,Y or X,Y,Z", parts.len()));
        }
        let mut extent = [1; 3];
        for (to, part) in extent.iter_mut().zip(parts) {
            let count = parse_count(part).map_err(|error| error.to_string())?;
            *to = u32::try_from(count)
                .ok()
                .filter(|&count| count > 0 && count <= i32::MAX.cast_unsigned())
                .ok_or_else(|| format!("an extent is 1 to 2147483647, not {count}"))?;
        }
        Ok(Self(extent))
    }
}

/// `--dump K=FILE` or `--dump K.B=FILE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dump {
    /// Which argument, from 0.
    pub argument: usize,
    /// Which of its buffers, from 0.
    pub buffer: usize,
    /// Where to.
    pub file: PathBuf,
}

impl FromStr for Dump {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("`{text}` is not of the form K=FILE or K.B=FILE, counted from 0");
        let (place, file) = text.split_once('=').ok_or_else(bad)?;
        if file.is_empty() {
            return Err(bad());
        }
        let (argument, buffer) = place.split_once('.').unwrap_or((place, "0"));
        let number = |text: &str| text.trim().parse().map_err(|_| bad());
        Ok(Self { argument: number(argument)?, buffer: number(buffer)?, file: file.into() })
    }
}

/// The result of a launch.
struct Report<'a> {
    exec: &'a Exec,
    entry: &'a str,
    /// Name of the device.
    ran_on: String,
    seconds_wall: f64,
    /// Kernel time, if a GPU ran it.
    seconds_measured: Option<f64>,
    trap: Option<Trap>,
    /// What the kernel printed, unescaped.
    printed: Vec<u8>,
    /// What the emulator counted, and whether that is complete up to a trap.
    emulated: Option<(&'a Kernel, Outcome, bool)>,
    /// Findings of `--check`, how many more there were, and its limits.
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
            printed: Vec::new(),
            emulated: None,
            checked: None,
            sampled: Sampled::All(None),
            model: None,
        }
    }
}

/// A predicted time and its basis.
struct Model {
    profile: Arc<GpuSpec>,
    prediction: Prediction,
    registers: Registers,
}

pub(super) fn run(exec: &Exec, out: &mut Escaped<impl Write>) -> anyhow::Result<Exit> {
    let path = exec.file.display().to_string();
    let text = file::ptx(exec, &path)?;
    let module = ptx::parse(&text, &path)?;
    let function = file::entry(&module, exec.entry.as_deref(), &path)?;
    check_extents(exec)?;
    arguments::check(function, &exec.arguments)?;
    buffers::check(exec)?;
    if let Some(wanted) = exec.traced.trace {
        let taken = [
            ("--backend cuda", exec.backend == "cuda"),
            ("--check", exec.check),
            ("--predict", exec.predict),
            ("--counters", exec.counters),
            ("--dump", !exec.dump.is_empty()),
        ];
        if let Some((option, _)) = taken.iter().find(|(_, given)| *given) {
            bail!("--trace runs one block on the emulator: leave out {option}");
        }
        return traced::run(exec, wanted, (&text, &path, function.name), out);
    }
    if exec.backend == "cuda" {
        cuda::check(exec)?;
        return cuda::run(exec, &path, &text, function, out);
    }
    let profile = profile(exec)?;
    let kernel = emulator::load(&text, &path, function.name).map_err(way_out)?;
    let placed = buffers::place(exec)?;
    let facts =
        registers::find(exec.regs, &text, &module, function.name, profile.compute_capability);
    let kernel = kernel.with_machine_code(facts.machine_code);
    let registers = facts.registers;
    let resources = Resources {
        registers: registers.count,
        static_shared: kernel.static_shared() as u32,
        stack: facts.stack,
        estimated: registers.from == "estimate",
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
        timelines: Some(geometry.follow(&profile)),
        cluster: exec.cluster.map(dim),
        ..Options::default()
    };
    if let Some(budget) = exec.budget {
        options = Options { budget, launch_budget: budget, ..options };
    }
    let mut report = Report::new(exec, function.name, "emulator");
    let (watch, listener) = Watch::start(setting.grid.count())?;
    options.progress = Some(watch.progress());
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
    drop(watch);
    report.seconds_wall = start.elapsed().as_secs_f64();
    if ran.trap.is_none() {
        let prediction = gpu::predict(&ran.outcome, &geometry, &profile);
        report.model = Some(Model { profile, prediction, registers });
    }
    report.trap = ran.trap;
    let mut outcome = ran.outcome;
    report.printed = std::mem::take(&mut outcome.printed);
    report.emulated = Some((&kernel, outcome, ran.counted));
    buffers::dump(exec, &placed)?;
    let exit = finish(&report, out);
    drop(listener);
    exit
}

/// The error, with what else can run a kernel that the emulator does not.
fn way_out(error: emulator::LoadError) -> anyhow::Error {
    let unsupported = matches!(&error, emulator::LoadError::Refused { message, .. }
        if message.contains("not supported"));
    if unsupported {
        anyhow::anyhow!(
            "{error}; --backend cuda runs it on a GPU, and PTX for an older target (nvcc -ptx \
             -arch=compute_70) may do without it"
        )
    } else {
        error.into()
    }
}

/// Prints the kernel's own output and the report.
fn finish(report: &Report, out: &mut Escaped<impl Write>) -> anyhow::Result<Exit> {
    if report.exec.json {
        serde_json::to_writer(&mut *out, &show::json(report))?;
        writeln!(out)?;
    } else {
        if report.exec.raw {
            out.raw().write_all(&report.printed)?;
        } else {
            out.write_all(&report.printed)?;
        }
        if report.printed.last().is_some_and(|&byte| byte != b'\n') {
            writeln!(out)?;
        }
        out.write_all(show::text(report).as_bytes())?;
    }
    let found = report.checked.as_ref().is_some_and(|(findings, ..)| !findings.is_empty());
    Ok(if found || report.trap.is_some() { Exit::Trapped } else { Exit::Fine })
}

/// Refuses extents that no GPU launches.
fn check_extents(exec: &Exec) -> anyhow::Result<()> {
    let threads = dim(exec.block).count();
    if threads > 1024 {
        bail!("`--block {}`: a block has at most 1024 threads, not {threads}", exec.block);
    }
    let limits = [
        ("--grid", exec.grid, [i32::MAX.cast_unsigned(), 65535, 65535]),
        ("--block", exec.block, [1024, 1024, 64]),
    ];
    for (option, extent, most) in limits {
        for ((count, most), axis) in extent.0.into_iter().zip(most).zip(["x", "y", "z"]) {
            if count > most {
                bail!("`{option} {extent}`: at most {most} along {axis}, not {count}");
            }
        }
    }
    Ok(())
}

fn dim(Extent([x, y, z]): Extent) -> Dim3 {
    Dim3 { x, y, z }
}

fn profile(exec: &Exec) -> anyhow::Result<Arc<GpuSpec>> {
    axes::profile(exec.gpu.as_deref().unwrap_or(gpu::DEFAULT_GPU)).context("--gpu")
}

/// Refuses, as a GPU would, a block that does not fit on a multiprocessor.
fn fits(
    exec: &Exec,
    function: &Function,
    profile: &GpuSpec,
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
