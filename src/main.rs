//! The `warpscope` program.

use std::process::ExitCode;

use clap::Parser;
use warpscope::cli::{self, Cli};

fn main() -> ExitCode {
    cli::run(Cli::parse()).unwrap_or_else(|error| cli::report(&error)).into()
}
