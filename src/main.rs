//! The `warpscope` program.

use std::process::ExitCode;

use warpscope::cli;

fn main() -> ExitCode {
    cli::run(cli::parse(std::env::args_os())).unwrap_or_else(|error| cli::report(&error)).into()
}
