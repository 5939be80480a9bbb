//! The command line: one file per subcommand, with its arguments and what it does.
//! Commands put rooms together and print; they measure, decide and draw nothing
//! themselves.

pub mod axes;
pub mod class;
pub mod compare;
pub mod compile;
pub mod completions;
pub mod devices;
pub mod doctor;
pub mod exec;
pub mod export;
pub mod filter;
mod interface;
mod interrupt;
mod launched;
pub mod learn;
pub mod list;
pub mod man;
pub mod merge;
pub mod new;
mod output;
mod own;
pub mod plot;
pub mod probe;
pub mod run;
pub mod show;
pub mod sweep;
pub mod trace;
pub mod values;
pub mod worker;
pub mod workers;

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};

use crate::algorithms;
use crate::experiment::{BackendChoice, UnknownName};
use crate::settings::{Motion, Pictures};
use crate::units::text::{self, Escaped};

/// An oscilloscope for CUDA kernels in the terminal.
#[derive(Debug, Clone, Parser)]
#[command(
    name = "warpscope", version, about, long_about = LONG, after_help = EXAMPLES,
    override_usage = "warpscope [OPTIONS] [ALGORITHM|FILE.cu|FILE.ptx]\n       warpscope <COMMAND> …"
)]
pub struct Cli {
    /// File with kernels to open in the terminal interface; see [`arguments`]
    #[arg(long, hide = true, value_name = "FILE.cu|FILE.ptx")]
    pub file: Option<String>,
    /// Built-in algorithm to open the terminal interface on; see [`arguments`]
    #[arg(long, hide = true, value_name = "ALGORITHM", conflicts_with = "file")]
    pub algorithm: Option<String>,
    /// Built-in algorithm that the kernels of the file belong to, as further variants
    #[arg(long, value_name = "ALGORITHM")]
    pub like: Option<String>,
    /// Use only ASCII characters in the terminal interface
    #[arg(long)]
    pub ascii: bool,
    /// Backend of the terminal interface: auto, cuda or emulator
    #[arg(long, value_name = "BACKEND")]
    pub backend: Option<BackendChoice>,
    /// Settings file of the terminal interface, or none [default:
    /// warpscope/config.toml in the user's configuration folder]
    #[arg(long, value_name = "FILE|none")]
    pub config: Option<String>,
    /// Start with the large layout for a projector
    #[arg(long)]
    pub present: bool,
    /// Motion in the terminal interface
    #[arg(long, value_enum, value_name = "MOTION")]
    pub motion: Option<Motion>,
    /// Chart and export preview of the terminal interface as pixels: where the terminal is
    /// known to show them, never, or by a protocol
    #[arg(long, value_enum, value_name = "WAY")]
    pub pictures: Option<Pictures>,
    /// Folder for the runs of the terminal interface, one file each, or none
    /// [default: warpscope/runs in the user's data folder]
    #[arg(long, value_name = "FOLDER|none")]
    pub out: Option<String>,
    /// Workers of the terminal interface.
    #[command(flatten)]
    pub workers: workers::Workers,
    /// Command to run; without one, the terminal interface opens
    #[command(subcommand)]
    pub command: Option<Command>,
}

const LONG: &str = "An oscilloscope for CUDA kernels in the terminal: run a kernel on an NVIDIA \
GPU or on the built-in PTX emulator, see how its time grows with the input, and export the \
picture. Without a command, the terminal interface opens.

Every number has a label: measured (by a GPU's event timer), modelled (from emulator counters and \
a GPU profile), recorded (a stored measurement) or reported (a published time).";

const EXAMPLES: &str = "Examples:
  warpscope                                        the terminal interface
  warpscope scan                                   the same, on one algorithm
  warpscope my.cu                                  the same, with your own kernels
  warpscope --worker \"ssh gpu01 warpscope worker\"  the same, on another machine's GPU
  warpscope run histogram --variant shared -n 1M   one case, with its counters
  warpscope sweep histogram -o h.jsonl             every variant by input size
  warpscope plot h.jsonl -o h.png                  the picture
  warpscope compare h.jsonl --baseline variant=global   speed-up of every case
  warpscope doctor                                 what works on this machine

Exit codes: 0 success, 1 a wrong result or a trap, 2 bad usage or input, 3 a trap
or a finding in `exec`, 130 interrupted (finished cases are stored).";

/// The subcommands.
#[derive(Debug, Clone, Subcommand)]
pub enum Command {
    /// Open stored results in the terminal interface, read-only
    Show(show::Show),
    /// List algorithms with their variants and parameters, or what a file of kernels says
    List(list::List),
    /// Write a commented file with kernels to start from
    New(new::New),
    /// List CUDA devices and built-in GPU profiles
    Devices(devices::Devices),
    /// Run one case and print its time, counters and verification
    Run(run::Run),
    /// Run, count or check a kernel from any PTX file
    Exec(exec::Exec),
    /// Run every combination of the axes and store the results
    Sweep(sweep::Sweep),
    /// Draw stored results as PNG or SVG
    Plot(plot::Plot),
    /// Write stored results as CSV, JSON, Markdown or an HTML report
    Export(export::Export),
    /// Compare stored times case by case, with confidence intervals
    Compare(compare::Compare),
    /// Merge files of results into one
    Merge(merge::Merge),
    /// Learn by predicting, measuring and explaining
    Learn(learn::Learn),
    /// Measure a GPU and write its profile
    Probe(probe::Probe),
    /// Teach a class: students vote in their browsers before a lesson's experiments run
    Class(class::Class),
    /// Check what works on this machine, and how to fix the rest
    Doctor(doctor::Doctor),
    /// Serve a backend over standard input and output
    #[command(hide = true)]
    Worker(worker::Worker),
    /// Host a compiler within limits
    #[command(hide = true)]
    Compile(compile::Compile),
    /// Print a shell completion script
    Completions(completions::Completions),
    /// Print a manual page
    Man(man::Man),
}

/// How a command ended: its exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Success; skips are fine.
    Fine,
    /// A wrong result or a trap.
    Wrong,
    /// Bad usage or input.
    Usage,
    /// A trap or a finding in `exec`.
    Trapped,
    /// Interrupted; finished cases are stored.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Fine => 0,
            Exit::Wrong => 1,
            Exit::Usage => 2,
            Exit::Trapped => 3,
            Exit::Interrupted => 130,
        })
    }
}

/// The command line that these words are. Bad usage ends the program with clap's message; a bad
/// value in it is escaped, since it may be the name of a file.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Cli {
    try_parse(words).unwrap_or_else(|mut error| {
        if let Some(ContextValue::String(value)) = error.get(ContextKind::InvalidValue) {
            let value = ContextValue::String(text::line(value).into_owned());
            error.insert(ContextKind::InvalidValue, value);
        }
        error.exit()
    })
}

/// The same; a word that is no command is told what resembles it, algorithms included.
fn try_parse(words: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    Cli::try_parse_from(arguments(words)).map_err(|error| {
        let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
            return error;
        };
        let mut command = Cli::command();
        let shown = command.get_subcommands().filter(|it| !it.is_hide_set());
        let mut known: Vec<String> = shown.map(|it| it.get_name().to_owned()).collect();
        known.extend(algorithms::ALL.iter().map(|it| it.name().to_owned()));
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let unknown = UnknownName::new("command or algorithm", &text::line(word), &known);
        command.error(ErrorKind::InvalidSubcommand, unknown)
    })
}

/// The arguments of the program, with `--file` before a file with kernels, or `--algorithm`
/// before the name of an algorithm, that stands in place of a command. A positional argument
/// would take a misspelt command too.
pub fn arguments(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut words: Vec<OsString> = words.into_iter().collect();
    let commands = Cli::command();
    let is_value = |before: &OsString| {
        let long = before.to_str().and_then(|it| it.strip_prefix("--"));
        commands
            .get_arguments()
            .any(|it| it.get_long() == long && it.get_action().takes_values() && long.is_some())
    };
    let found = (1..words.len()).filter(|&at| !is_value(&words[at - 1])).find_map(|at| {
        let word = words[at].to_string_lossy();
        if commands.find_subcommand(word.as_ref()).is_some() || word == "help" {
            Some((at, None))
        } else if !word.starts_with('-') && own::is_file(&word) {
            Some((at, Some("--file")))
        } else {
            algorithms::find(&word).map(|_| (at, Some("--algorithm")))
        }
    });
    if let Some((at, Some(option))) = found {
        words.insert(at, option.into());
    }
    words
}

/// Runs the command.
///
/// # Errors
/// Bad usage or input, in the user's terms.
pub fn run(mut cli: Cli) -> anyhow::Result<Exit> {
    let Some(command) = cli.command.take() else { return interface::run(&cli) };
    if cli.file.is_some() || cli.algorithm.is_some() || cli.like.is_some() {
        anyhow::bail!(
            "an algorithm, a file with kernels and --like follow the command: warpscope sweep my.cu"
        );
    }
    if cli.backend.is_some() || !cli.workers.is_empty() {
        anyhow::bail!(
            "before a command, --backend, --worker, --device and --limit set up the terminal \
             interface; write them after the command"
        );
    }
    // Not locked: the screen and the worker write from threads of their own.
    let mut out = Escaped::new(io::stdout());
    match command {
        Command::Show(show) => show::run(&show, interface::start(&cli)),
        Command::List(list) => list::run(&list, &mut out),
        Command::New(new) => new::run(&new, &mut out),
        Command::Devices(devices) => devices::run(&devices, &mut out),
        Command::Run(run) => run::run(&run, &mut out),
        Command::Exec(exec) => exec::run(&exec, &mut out),
        Command::Sweep(sweep) => sweep::run(&sweep),
        Command::Plot(plot) => plot::run(&plot, &mut out),
        Command::Export(export) => export::run(&export, &mut out),
        Command::Compare(compare) => compare::run(&compare, &mut out),
        Command::Merge(merge) => merge::run(&merge, &mut out),
        Command::Learn(learn) => learn::run(&cli, &learn, &mut out),
        Command::Probe(probe) => probe::run(&probe, &mut out),
        Command::Class(class) => class::run(&class, interface::start(&cli)),
        Command::Doctor(_) => doctor::run(&cli, &mut out),
        Command::Worker(worker) => worker::run(&worker),
        Command::Compile(compile) => compile::run(&compile),
        Command::Completions(completions) => completions::run(&completions, &mut out),
        Command::Man(man) => man::run(&man, &mut out),
    }
}

/// Prints an error; a closed pipe is not one.
pub fn report(error: &anyhow::Error) -> Exit {
    let closed = |cause: &(dyn std::error::Error + 'static)| {
        let kind = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        let in_json =
            cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
        kind.or(in_json) == Some(io::ErrorKind::BrokenPipe)
    };
    if error.chain().any(closed) {
        return Exit::Fine;
    }
    output::say(&format!("error: {error:#}"));
    Exit::Usage
}

#[cfg(test)]
mod tests;
