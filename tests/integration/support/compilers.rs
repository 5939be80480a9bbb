//! The CUDA compilers of this machine, for tests that compile for real.

use std::path::{Path, PathBuf};
use std::time::Duration;

use warpscope::compiler::{Environment, Setup};

/// Lists further libraries of NVRTC and programs of clang, as a path does.
const VARIABLE: &str = "WARPSCOPE_TEST_COMPILERS";

/// A setup with one compiler.
pub(crate) struct One {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) setup: Setup,
}

/// Every compiler of `WARPSCOPE_TEST_COMPILERS`. Prints a reason to skip if there is none.
pub(crate) fn all(test: &str, cache: &Path) -> Vec<One> {
    let list = std::env::var_os(VARIABLE).unwrap_or_default();
    let found: Vec<One> = std::env::split_paths(&list)
        .filter(|path| path.is_file())
        .map(|path| {
            let file = path.file_name().unwrap().to_str().unwrap();
            let variable =
                if file.contains("nvrtc") { "WARPSCOPE_NVRTC" } else { "WARPSCOPE_CLANG" };
            let environment = Environment::of_this_process().with(variable, &path);
            One { name: path.display().to_string(), path, setup: setup(environment, cache) }
        })
        .collect();
    if found.is_empty() {
        println!("skipped: {test}: {VARIABLE} lists no compilers");
    }
    found
}

/// The real program with this environment and cache.
pub(crate) fn setup(environment: Environment, cache: &Path) -> Setup {
    Setup {
        program: env!("CARGO_BIN_EXE_warpscope").into(),
        cache: Some(cache.to_owned()),
        environment,
        time_limit: Duration::from_mins(1),
    }
}
