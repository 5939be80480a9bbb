//! A program of another project, in a process with limits.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::Command;

use super::{Setup, TIME_LIMIT};
use crate::process::{self, Finished, Limits, RunError};

/// Most bytes of its output.
const MOST_OUTPUT: usize = 64 << 20;

/// Variables by which clang reads more than it is given.
const REMOVED: &[&str] = &[
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "OBJC_INCLUDE_PATH",
    "CCC_OVERRIDE_OPTIONS",
    "CC_LOG_DIAGNOSTICS",
    "CC_LOG_DIAGNOSTICS_FILE",
    "CC_PRINT_OPTIONS",
    "CC_PRINT_OPTIONS_FILE",
    "CC_PRINT_HEADERS",
    "CC_PRINT_HEADERS_FILE",
    "CC_PRINT_PROC_STAT",
    "CC_PRINT_PROC_STAT_FILE",
];

impl Setup {
    /// Runs a program to its end. Its files may have `writes` bytes.
    pub(super) fn tool(
        &self,
        program: &Path,
        arguments: &[OsString],
        input: Vec<u8>,
        writes: u64,
    ) -> Result<Finished, RunError> {
        // On Windows no process can become another one. There the parent watches the limits.
        let mut command = if cfg!(windows) {
            Command::new(program)
        } else {
            let mut command = Command::new(&self.program);
            command.args(["compile", "--writes", &writes.to_string(), "--"]).arg(program);
            command
        };
        command.args(arguments).env("CLANG_NO_DEFAULT_CONFIG", "1");
        for variable in REMOVED {
            command.env_remove(variable);
        }
        if let Some(folder) = program.parent() {
            command.current_dir(folder);
        }
        let limits = Limits { time: self.time_limit, output: MOST_OUTPUT };
        process::run(&mut command, input, limits)
    }
}

/// Limits this process and becomes a program.
///
/// # Errors
/// If it cannot be started.
pub(crate) fn become_tool(program: &OsStr, arguments: &[OsString], writes: u64) -> io::Result<()> {
    process::limit_self(TIME_LIMIT.as_secs(), writes);
    let mut command = Command::new(program);
    command.args(arguments);
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        Err(command.exec())
    }
    #[cfg(not(unix))]
    {
        let status = command.status()?;
        if status.success() { Ok(()) } else { Err(io::Error::other(status.to_string())) }
    }
}
