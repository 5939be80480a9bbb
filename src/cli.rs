//! The command line: one file per subcommand, with its arguments and what it does.
//! Commands put rooms together and print; they measure, decide and draw nothing
//! themselves.

pub mod axes;
pub mod compare;
pub mod completions;
pub mod devices;
pub mod doctor;
pub mod exec;
pub mod export;
pub mod filter;
mod interface;
mod interrupt;
pub mod list;
pub mod man;
pub mod merge;
mod output;
pub mod plot;
pub mod probe;
pub mod run;
pub mod show;
pub mod suggest;
pub mod sweep;
pub mod worker;
pub mod workers;

use std::io;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::experiment::BackendChoice;
use crate::settings::Motion;

/// An oscilloscope for CUDA kernels in the terminal.
#[derive(Debug, Clone, Parser)]
#[command(name = "warpscope", version, about, long_about = LONG, after_help = EXAMPLES)]
pub struct Cli {
    /// Draw the terminal interface with ASCII characters only
    #[arg(long)]
    pub ascii: bool,
    /// Backend that the terminal interface starts with: auto, cuda, emulator
    #[arg(long, value_name = "BACKEND", value_parser = axes::backend)]
    pub backend: Option<BackendChoice>,
    /// Settings file of the terminal interface, or none [default:
    /// warpscope/config.toml where the platform keeps configuration]
    #[arg(long, value_name = "FILE|none")]
    pub config: Option<String>,
    /// Begin with the large layout for a projector
    #[arg(long)]
    pub present: bool,
    /// How much of the terminal interface moves by itself: full, or reduced
    /// (nothing blinks, and a run is drawn once a second)
    #[arg(long, value_enum, value_name = "MOTION")]
    pub motion: Option<Motion>,
    /// Folder in which each run of the terminal interface gets a file of its own, or
    /// none [default: warpscope/runs where the platform keeps data]
    #[arg(long, value_name = "FOLDER|none")]
    pub out: Option<String>,
    /// What the terminal interface runs kernels on.
    #[command(flatten)]
    pub workers: workers::Workers,
    /// What to do; the terminal interface opens without one
    #[command(subcommand)]
    pub command: Option<Command>,
}

const LONG: &str = "An oscilloscope for CUDA kernels in the terminal: run a kernel on an NVIDIA \
GPU or on the built-in PTX emulator, watch its time grow with the input, and take the picture \
home. Without a command it opens the terminal interface.

Every number says where it comes from: measured (a GPU's event timer), modelled (the emulator's \
counts times a GPU's profile), recorded (a stored measurement) or reported (a published table).";

const EXAMPLES: &str = "Examples:
  warpscope                                        the terminal interface
  warpscope --worker \"ssh gpu01 warpscope worker\"  the same, on another machine's GPU
  warpscope run histogram --variant shared -n 1M   one case, with its counters
  warpscope sweep histogram -o h.jsonl             every variant by input size
  warpscope plot h.jsonl -o h.png                  the picture
  warpscope compare h.jsonl --baseline variant=global   who is faster, case by case
  warpscope doctor                                 what works on this machine

Exit codes: 0 all ran and none was wrong, 1 something was wrong or trapped,
2 bad usage or input, 3 a trap or a finding of `exec`, 130 interrupted (what was
measured is stored).";

/// The subcommands.
#[derive(Debug, Clone, Subcommand)]
pub enum Command {
    /// Show stored results in the terminal interface, read-only
    Show(show::Show),
    /// List algorithms, variants and parameters with ranges and defaults
    List(list::List),
    /// List CUDA devices that answer, and the built-in GPU profiles
    Devices(devices::Devices),
    /// Run one case and print result, verification, counters and model
    Run(run::Run),
    /// Run a kernel of any PTX file on your own buffers, count it, check it
    Exec(exec::Exec),
    /// Run every combination of the axes and store the results
    Sweep(sweep::Sweep),
    /// Draw stored results as PNG or SVG
    Plot(plot::Plot),
    /// Write stored results as CSV, JSON, Markdown or an HTML report
    Export(export::Export),
    /// Say case by case which of two times is shorter, and how sure that is
    Compare(compare::Compare),
    /// Put the results of several files into one
    Merge(merge::Merge),
    /// Measure a GPU and write the profile that predictions for it take
    Probe(probe::Probe),
    /// Say what works here, what does not, and what to do about it
    Doctor(doctor::Doctor),
    /// Serve a backend on standard input and output, as JSON lines
    #[command(hide = true)]
    Worker(worker::Worker),
    /// Print a completion script for a shell
    Completions(completions::Completions),
    /// Print a manual page
    Man(man::Man),
}

/// How a command ended, as its exit code tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// All ran and none was wrong; skips are fine.
    Fine,
    /// Something was wrong or trapped.
    Wrong,
    /// Bad usage or input.
    Usage,
    /// A kernel of `exec` trapped, or `--check` found something.
    Trapped,
    /// Interrupted; what was measured is stored.
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

/// Does what was typed.
///
/// # Errors
/// Bad usage or input, in words for the user.
pub fn run(mut cli: Cli) -> anyhow::Result<Exit> {
    let Some(command) = cli.command.take() else { return interface::run(&cli) };
    if cli.backend.is_some() || !cli.workers.is_empty() {
        anyhow::bail!(
            "--backend, --worker, --device and --limit before a command are for the terminal \
             interface; write them after the command"
        );
    }
    // Not locked: the screen and the worker write from threads of their own.
    let mut out = io::stdout();
    match command {
        Command::Show(show) => show::run(&show, interface::start(&cli)),
        Command::List(list) => list::run(&list, &mut out),
        Command::Devices(devices) => devices::run(&devices, &mut out),
        Command::Run(run) => run::run(&run, &mut out),
        Command::Exec(exec) => exec::run(&exec, &mut out),
        Command::Sweep(sweep) => sweep::run(&sweep),
        Command::Plot(plot) => plot::run(&plot, &mut out),
        Command::Export(export) => export::run(&export, &mut out),
        Command::Compare(compare) => compare::run(&compare, &mut out),
        Command::Merge(merge) => merge::run(&merge, &mut out),
        Command::Probe(probe) => probe::run(&probe, &mut out),
        Command::Doctor(_) => doctor::run(&cli, &mut out),
        Command::Worker(worker) => worker::run(&worker),
        Command::Completions(completions) => completions::run(&completions, &mut out),
        Command::Man(man) => man::run(&man, &mut out),
    }
}

/// Tells the user about an error; a reader of our output that has gone away
/// is none.
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
    // Standard error may be closed too; then there is nobody to tell.
    let _ = io::Write::write_all(&mut io::stderr(), format!("error: {error:#}\n").as_bytes());
    Exit::Usage
}

#[cfg(test)]
mod tests;
