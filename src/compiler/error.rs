//! Why a file was not compiled, in sentences with the way out.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use super::TIME_LIMIT;
use super::discovery::Environment;
use super::messages::Message;
use crate::process::RunError;
use crate::units::text;

/// Why a file was not compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// This machine has no compiler.
    #[error(
        "no CUDA compiler found; get one with `{command}` (`warpscope doctor` says where it \
         searches)"
    )]
    NoCompiler {
        /// The one command that installs one on this platform.
        command: &'static str,
    },
    /// The compiler has errors to report. There is at least one message.
    #[error("{}", refused(.0))]
    Refused(Vec<Message>),
    /// It took longer than [`TIME_LIMIT`].
    #[error(
        "{compiler} did not finish within {} s and was stopped; simplify the file (deep templates \
         and fully unrolled loops are slow to compile)",
        TIME_LIMIT.as_secs()
    )]
    TimedOut {
        /// The compiler's file.
        compiler: String,
    },
    /// It used more memory than it may.
    #[error("{compiler} used more than 2 GiB of memory and was stopped; simplify the file")]
    TooMuchMemory {
        /// The compiler's file.
        compiler: String,
    },
    /// It ended without a result.
    #[error(
        "{compiler} crashed ({status}); simplify the file, or choose another compiler with \
         WARPSCOPE_NVRTC or WARPSCOPE_CLANG{}",
        detail(.said)
    )]
    Crashed {
        /// The compiler's file.
        compiler: String,
        /// Its signal or exit code.
        status: String,
        /// The end of what it wrote, or nothing.
        said: String,
    },
    /// It wrote more than it may.
    #[error("{compiler} wrote too much output and was stopped; simplify the file")]
    TooMuchOutput {
        /// The compiler's file.
        compiler: String,
    },
    /// The file that was found or named is no working compiler.
    #[error(
        "{compiler} is not a working compiler ({reason}); install it again, or choose another with \
         WARPSCOPE_NVRTC or WARPSCOPE_CLANG"
    )]
    BadCompiler {
        /// The compiler's file.
        compiler: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The compiler has no code for this GPU.
    #[error("{compiler} cannot compile for compute capability {}.{}: {reason}", compute / 10, compute % 10)]
    NoTarget {
        /// The compiler and its version.
        compiler: String,
        /// The GPU's compute capability.
        compute: u32,
        /// What it supports.
        reason: String,
    },
    /// The source is too long or has a zero byte.
    #[error("{0}")]
    BadSource(String),
    /// The file of this program is unknown.
    #[error("cannot find this program's own file to start the compiler: {0}")]
    NoProgram(io::Error),
}

impl CompileError {
    /// The error where nothing was found.
    pub(super) fn none(environment: &Environment) -> Self {
        Self::NoCompiler { command: environment.advice() }
    }

    /// A broken compiler.
    pub(super) fn bad(compiler: &Path, reason: &str) -> Self {
        let reason = text::excerpt(&text::line(reason.trim()), text::SHOWN);
        Self::BadCompiler { compiler: shown(compiler), reason }
    }

    /// A process that was stopped, or never started.
    pub(super) fn of_run(compiler: &Path, error: RunError) -> Self {
        let compiler_name = shown(compiler);
        match error {
            RunError::Start(error) => Self::bad(compiler, &error.to_string()),
            RunError::TimedOut => Self::TimedOut { compiler: compiler_name },
            RunError::TooMuchMemory => Self::TooMuchMemory { compiler: compiler_name },
            RunError::TooMuchOutput => Self::TooMuchOutput { compiler: compiler_name },
        }
    }

    /// A process that ended without a result.
    pub(super) fn crashed(compiler: &Path, status: ExitStatus, stderr: &[u8]) -> Self {
        #[cfg(unix)]
        {
            use std::os::unix::process::ExitStatusExt;
            // The limit of CPU time ends it with this signal.
            if status.signal() == Some(rustix::process::Signal::XCPU.as_raw()) {
                return Self::TimedOut { compiler: shown(compiler) };
            }
        }
        let said = String::from_utf8_lossy(stderr);
        // A compiler that runs out of memory says so on its last lines.
        if said.contains("bad_alloc") || said.to_lowercase().contains("out of memory") {
            return Self::TooMuchMemory { compiler: shown(compiler) };
        }
        let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let said = text::excerpt(&text::line(last.trim()), text::SHOWN);
        Self::Crashed { compiler: shown(compiler), status: status.to_string(), said }
    }
}

/// A path as a person reads it.
pub(super) fn shown(path: &Path) -> String {
    text::line(&path.display().to_string()).into_owned()
}

/// What a crashed compiler said last.
fn detail(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!("; it said: {said}") }
}

/// The first error, and the number of further ones.
fn refused(messages: &[Message]) -> String {
    let mut errors = messages.iter().filter(|message| message.is_error());
    let Some(first) = errors.next().or(messages.first()) else {
        return "the compiler refused the file without a reason".to_owned();
    };
    match errors.count() {
        0 => first.to_string(),
        1 => format!("{first} (and 1 more error)"),
        more => format!("{first} (and {more} more errors)"),
    }
}

/// The path behind a variable that must be absolute.
pub(super) fn absolute(variable: &str, path: PathBuf) -> Result<PathBuf, CompileError> {
    if !path.is_absolute() {
        return Err(CompileError::bad(&path, &format!("{variable} must be an absolute path")));
    }
    if !path.is_file() {
        return Err(CompileError::bad(&path, &format!("{variable} names no file")));
    }
    Ok(path)
}
