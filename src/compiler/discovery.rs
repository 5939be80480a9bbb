//! Where compilers are on this machine: absolute paths, in a fixed order.
//!
//! 1. `WARPSCOPE_NVRTC`, `WARPSCOPE_CLANG`: nothing else counts then.
//! 2. NVRTC of Python: the active virtual environment, conda, the user's packages, the
//!    system's.
//! 3. NVRTC of the loader's path, of `CUDA_HOME` and `CUDA_PATH`, of the usual folders.
//! 4. clang on the path, and of Homebrew or LLVM's installer.
//!
//! A relative folder in a variable does not count, nor does the current folder: a library
//! that came with a `.cu` file must never be loaded.

mod clang;
mod environment;
pub(super) mod headers;
mod nvrtc;
mod python;
pub(super) mod tools;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

pub use environment::Environment;
pub(super) use environment::Os;

use super::error::{self, CompileError};

/// Names the library of NVRTC.
pub(super) const NVRTC_VARIABLE: &str = "WARPSCOPE_NVRTC";

/// Names the program clang.
pub(super) const CLANG_VARIABLE: &str = "WARPSCOPE_CLANG";

/// What kind of compiler a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The library of NVRTC.
    Nvrtc,
    /// The program clang.
    Clang,
}

/// A compiler that was found. Whether it works is seen when it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Compiler {
    pub(super) kind: Kind,
    /// Its file, absolute.
    pub(super) path: PathBuf,
    /// The file, its size and its time: another file has another identity.
    pub(super) identity: String,
    /// Whether the user named it.
    pub(super) asked: bool,
}

impl Compiler {
    pub(super) fn new(kind: Kind, path: PathBuf) -> Self {
        let identity = identity(&path);
        Self { kind, path, identity, asked: false }
    }
}

/// A file by its real path, size and time of change.
pub(super) fn identity(path: &Path) -> String {
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let about = fs::metadata(&real).ok();
    let bytes = about.as_ref().map_or(0, fs::Metadata::len);
    let time = about.and_then(|about| about.modified().ok());
    let time = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    format!("{} {bytes} {}", real.display(), time.as_nanos())
}

/// The compilers of an environment, best first. An error is what a variable names wrongly.
pub(super) fn compilers(environment: &Environment) -> Result<Vec<Compiler>, CompileError> {
    for (variable, kind) in [(NVRTC_VARIABLE, Kind::Nvrtc), (CLANG_VARIABLE, Kind::Clang)] {
        if let Some(path) = environment.path(variable) {
            let path = error::absolute(variable, path)?;
            return Ok(vec![Compiler { asked: true, ..Compiler::new(kind, path) }]);
        }
    }
    let mut found = Vec::new();
    if environment.os != Os::Mac {
        found.extend(nvrtc::libraries(environment).map(|path| Compiler::new(Kind::Nvrtc, path)));
    }
    let clangs = clang::programs(environment).into_iter();
    found.extend(clangs.map(|path| Compiler::new(Kind::Clang, path)));
    // The same file may be found in several ways.
    let mut seen = Vec::new();
    found.retain(|compiler| {
        let new = !seen.contains(&compiler.identity);
        seen.push(compiler.identity.clone());
        new
    });
    Ok(found)
}

#[cfg(test)]
mod tests;
