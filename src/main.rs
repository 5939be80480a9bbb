//! The `warpscope` program.

use std::process::ExitCode;

use clap::Parser;
use warpscope::cli::Cli;
use warpscope::commands;

fn main() -> ExitCode {
    commands::run(Cli::parse()).unwrap_or_else(|error| commands::report(&error)).into()
}
