//! Facts about this machine, without judgement.

use std::fs::{self, OpenOptions};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, thread};

use crate::algorithms;
use crate::backend::{self, DriverState, GpuHealth};
use crate::cli::devices;
use crate::compiler::{CompileError, Found, Setup, Tool};
use crate::experiment::{BackendChoice, Experiment, Sizes, Target};
use crate::results::record::Outcome;
use crate::results::store::files;
use crate::runner::scheduler::{self, Control, Event, Options};
use crate::settings;

/// Queries to the terminal; the fastest answer counts.
const QUESTIONS: u32 = 3;

/// After an answer slower than this there are no more queries.
const SLOW: Duration = Duration::from_millis(300);

/// The variants of one algorithm that ran and were verified, or what went wrong.
pub(super) type Trial = Result<Vec<String>, String>;

/// Everything that [`super::findings`] judges.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    pub(super) windows: bool,
    pub(super) cores: usize,
    pub(super) emulator: Option<Trial>,
    pub(super) cuda: Cuda,
    pub(super) terminal: Terminal,
    /// The first of `LC_ALL`, `LC_CTYPE` and `LANG` that is set.
    pub(super) locale: Option<String>,
    pub(super) no_color: bool,
    pub(super) colorterm: String,
    pub(super) term: String,
    pub(super) kept: Kept,
    pub(super) compilers: Option<Compilers>,
}

/// What compiles a `.cu` file.
#[derive(Debug, Clone)]
pub(super) struct Compilers {
    /// Name and file of the compiler, or why none was found.
    pub(super) compiler: Result<String, String>,
    /// The command that installs one, if no compiler was found.
    pub(super) command: Option<&'static str>,
    /// The folders of NVIDIA's headers.
    pub(super) headers: Vec<String>,
    /// The assembler and the disassembler, if they are there.
    pub(super) tools: [Option<String>; 2],
}

/// Settings and stored runs.
#[derive(Debug, Clone, Default)]
pub(super) struct Kept {
    /// The settings file, if settings are kept.
    pub(super) file: Option<PathBuf>,
    /// What is wrong with it.
    pub(super) problem: Option<String>,
    /// The folder of stored runs, if they are stored.
    pub(super) runs: Option<PathBuf>,
    /// Files in it.
    pub(super) count: usize,
}

/// State of CUDA.
#[derive(Debug, Clone, Default)]
pub(super) struct Cuda {
    pub(super) linux: bool,
    /// NVIDIA GPUs that the bus lists.
    pub(super) on_bus: usize,
    /// Device files, each with the error of opening it.
    pub(super) nodes: Vec<(String, Option<io::ErrorKind>)>,
    pub(super) driver: DriverState,
    /// The devices that answer, or why none does.
    pub(super) devices: Option<Result<Vec<String>, String>>,
    /// Oldest PTX version of the kernels, as (7, 8): with a driver that loads none newer,
    /// variants that need more are skipped.
    pub(super) isa: (u32, u32),
    pub(super) health: Vec<GpuHealth>,
    pub(super) kernels: Option<Trial>,
}

/// State of the terminal.
#[derive(Debug, Clone, Default)]
pub(super) struct Terminal {
    pub(super) is_one: bool,
    /// Columns and rows, or why they are unknown.
    pub(super) size: Option<Result<(u16, u16), String>>,
    /// Time until it reported its cursor position; none if it did not.
    pub(super) answer: Option<Duration>,
}

/// Inspects this machine. Runs kernels, which takes a second or two.
pub(super) fn gather(config: Option<&str>, out: Option<&str>) -> Facts {
    let var = |name: &str| env::var(name).unwrap_or_default();
    Facts {
        windows: cfg!(windows),
        cores: thread::available_parallelism().map_or(1, usize::from),
        emulator: Some(trial(BackendChoice::Emulator)),
        cuda: cuda(),
        terminal: terminal(),
        locale: ["LC_ALL", "LC_CTYPE", "LANG"].map(var).into_iter().find(|it| !it.is_empty()),
        no_color: !var("NO_COLOR").is_empty(),
        colorterm: var("COLORTERM"),
        term: var("TERM"),
        kept: kept(config, out),
        compilers: Some(compilers()),
    }
}

fn compilers() -> Compilers {
    let shown = |tool: &Tool| format!("{} ({})", tool.name, tool.path.display());
    let found = match Setup::of_this_process() {
        Ok(setup) => setup.found(),
        Err(error) => {
            Found { compiler: Err(error), headers: Vec::new(), ptxas: None, nvdisasm: None }
        }
    };
    let command = match &found.compiler {
        Err(CompileError::NoCompiler { command }) => Some(*command),
        _ => None,
    };
    Compilers {
        compiler: found.compiler.as_ref().map(shown).map_err(ToString::to_string),
        command,
        headers: found.headers.iter().map(|folder| folder.display().to_string()).collect(),
        tools: [&found.ptxas, &found.nvdisasm].map(|tool| tool.as_ref().map(shown)),
    }
}

fn kept(config: Option<&str>, out: Option<&str>) -> Kept {
    let file = settings::file(config);
    let problem = file.as_deref().and_then(|path| settings::read(path).err());
    let runs = settings::runs(out);
    let files = runs.as_deref().and_then(|folder| files::list(folder).ok());
    let count = files.map_or(0, |files| files.len());
    Kept { file, problem: problem.map(|error| error.to_string()), runs, count }
}

fn cuda() -> Cuda {
    let linux = cfg!(target_os = "linux");
    // Before a kernel runs, so that this process is not among those found.
    let mut health = backend::gpu_health();
    let devices = backend::cuda_devices()
        .map(|list| list.iter().map(|device| devices::line(device).trim().to_owned()).collect())
        .map_err(|error| error.to_string());
    let kernels = devices.is_ok().then(|| trial(BackendChoice::Cuda));
    if kernels.is_some() {
        // Some throttle reasons appear only under load.
        for (before, after) in health.iter_mut().zip(backend::gpu_health()) {
            before.throttled.extend(after.throttled);
            before.throttled.sort_unstable();
            before.throttled.dedup();
        }
    }
    Cuda {
        linux,
        on_bus: if linux { on_bus() } else { 0 },
        nodes: if linux { nodes() } else { Vec::new() },
        driver: backend::driver_state(),
        devices: Some(devices),
        isa: oldest_isa(),
        health,
        kernels,
    }
}

/// NVIDIA's display and compute devices on the PCI bus.
fn on_bus() -> usize {
    let Ok(entries) = fs::read_dir("/sys/bus/pci/devices") else { return 0 };
    let says = |path: &Path, file: &str, start: &str| {
        fs::read_to_string(path.join(file)).is_ok_and(|text| text.starts_with(start))
    };
    entries
        .flatten()
        .filter(|entry| says(&entry.path(), "vendor", "0x10de"))
        .filter(|entry| says(&entry.path(), "class", "0x03"))
        .count()
}

/// The device files of the driver, by name.
fn nodes() -> Vec<(String, Option<io::ErrorKind>)> {
    let Ok(entries) = fs::read_dir("/dev") else { return Vec::new() };
    let numbered =
        |name: &str| name.strip_prefix("nvidia").is_some_and(|rest| rest.parse::<u32>().is_ok());
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| numbered(name) || name == "nvidiactl" || name == "nvidia-uvm")
        .collect();
    names.sort();
    let open = |name: String| {
        let path = format!("/dev/{name}");
        let result = OpenOptions::new().read(true).write(true).open(&path);
        (path, result.err().map(|error| error.kind()))
    };
    names.into_iter().map(open).collect()
}

/// The oldest `.version` of the kernels' PTX.
fn oldest_isa() -> (u32, u32) {
    let modules = algorithms::ALL.iter().flat_map(|algorithm| {
        algorithm.variants().iter().map(|variant| algorithm.module(variant.name))
    });
    modules.filter_map(|module| module.version()).min().unwrap_or_default()
}

/// Runs every variant of one algorithm once, from loading the PTX to verification.
fn trial(backend: BackendChoice) -> Trial {
    let experiment = Experiment {
        sizes: Sizes::range(1000, 1000, 2),
        target: Target { backend, ..Target::default() },
        ..Experiment::default()
    };
    let (mut verified, mut troubles) = (Vec::new(), Vec::new());
    let ended = scheduler::run(&experiment, &Options::default(), &Control::new(), &mut |event| {
        if let Event::Finished { record, .. } = event {
            let variant = format!("{} {}", record.algorithm, record.variant);
            match (record.outcome(), &record.skip, &record.wrong) {
                (Outcome::Verified, ..) => verified.push(variant),
                (_, Some(reason), _) => troubles.push(format!("{variant}: {reason}")),
                (.., Some(wrong)) => troubles.push(format!("{variant}: {}", wrong.message)),
                _ => troubles.push(format!("{variant}: not verified")),
            }
        }
    });
    match ended {
        Err(error) => Err(error.to_string()),
        Ok(_) if !troubles.is_empty() => Err(troubles.join("; ")),
        Ok(_) if verified.is_empty() => Err("no case ended".to_owned()),
        Ok(_) => Ok(verified),
    }
}

fn terminal() -> Terminal {
    if !io::stdout().is_terminal() {
        return Terminal::default();
    }
    let size = crossterm::terminal::size().map_err(|error| error.to_string());
    Terminal { is_one: true, size: Some(size), answer: answer() }
}

/// Queries the cursor position: the round trip of a key and the frame that it changes.
/// The query has a time limit of its own.
fn answer() -> Option<Duration> {
    let mut fastest: Option<Duration> = None;
    for _ in 0..QUESTIONS {
        let asked = Instant::now();
        crossterm::cursor::position().ok()?;
        let took = asked.elapsed();
        fastest = Some(fastest.map_or(took, |fastest| fastest.min(took)));
        if took > SLOW {
            break;
        }
    }
    fastest
}
