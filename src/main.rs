//! The `warpscope` program.

use std::process::ExitCode;

use clap::Parser;
use warpscope::cli::{self, Cli};

fn main() -> ExitCode {
    cli::run(Cli::parse_from(cli::arguments(std::env::args_os())))
        .unwrap_or_else(|error| cli::report(&error))
        .into()
}
