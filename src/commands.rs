//! What each subcommand does. Commands put rooms together and print; they
//! measure, decide and draw nothing themselves.

mod axes;
mod compare;
mod complete;
mod deliver;
mod describe;
mod devices;
mod doctor;
mod exec;
mod export;
mod filter;
mod interrupt;
mod kernels;
mod list;
mod merge;
mod plot;
mod preview;
mod probe;
mod progress;
mod run;
mod screen;
mod show;
mod sweep;
mod worker;
mod workers;

use std::io;
use std::process::ExitCode;

use crate::cli::{Cli, Command};

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
    let Some(command) = cli.command.take() else { return screen::run(&cli) };
    if cli.backend.is_some() || !cli.workers.is_empty() {
        anyhow::bail!(
            "--backend, --worker, --device and --limit before a command are for the terminal \
             interface; write them after the command"
        );
    }
    // Not locked: the screen and the worker write from threads of their own.
    let mut out = io::stdout();
    match command {
        Command::Show(show) => show::run(&show, screen::start(&cli)),
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
        Command::Completions(completions) => complete::completions(&completions, &mut out),
        Command::Man(man) => complete::manual(&man, &mut out),
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
