//! clang as a compiler of CUDA C++, without CUDA: its target NVPTX and a prelude.

use std::ffi::OsString;

use serde::{Deserialize, Serialize};

use super::cache::{self, Cache};
use super::discovery::Compiler;
use super::error::CompileError;
use super::messages::{self, Severity};
use super::{Compiled, Request, Setup, Target, missing, prelude, source};

/// The oldest version whose output all tests pass.
const OLDEST: u32 = 14;

/// Architectures, each with the first clang that has it.
const ARCHITECTURES: &[(u32, u32)] = &[
    (50, 14),
    (52, 14),
    (53, 14),
    (60, 14),
    (61, 14),
    (62, 14),
    (70, 14),
    (72, 14),
    (75, 14),
    (80, 14),
    (86, 14),
    (87, 16),
    (89, 16),
    (90, 16),
    (100, 20),
    (120, 20),
];

/// The emulator's compute capability, as with NVRTC.
const EMULATED: u32 = 70;

/// What a program says about itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct About {
    /// Its major version; none if it is no clang.
    version: Option<u32>,
    /// Whether it has the target NVPTX.
    nvptx: bool,
}

/// Compiles a request with the program of `compiler`.
pub(super) fn compile(
    setup: &Setup,
    compiler: &Compiler,
    request: &Request,
) -> Result<Compiled, CompileError> {
    let version = version(setup, compiler)?;
    let (wanted, own) = match request.target {
        Target::Emulator => (EMULATED, "the emulator"),
        Target::Device { compute, .. } => (compute, "this GPU"),
    };
    let architecture = architecture(version, wanted).ok_or_else(|| CompileError::NoTarget {
        compiler: called(version),
        compute: wanted,
        reason: format!("it has no code for {own}"),
    })?;
    let name = source::plain_name(&request.name);
    let text = prelude::for_clang(&name, &request.source);
    let output = setup
        .tool(&compiler.path, &options(version, architecture), text.into_bytes(), 0)
        .map_err(|error| CompileError::of_run(&compiler.path, error))?;
    let log = String::from_utf8_lossy(&output.stderr);
    let mut messages = messages::parse(&log, &name);
    if output.status.success() {
        let ptx = String::from_utf8_lossy(&output.stdout);
        messages.retain(|message| message.severity == Severity::Warning);
        return Ok(Compiled {
            ptx: source::without_paths(&ptx, &name),
            cubin: None,
            compiler: called(version),
            warnings: messages,
        });
    }
    // A source with errors: exit code 1. A crash of clang has another one.
    if output.status.code() == Some(1) && messages.iter().any(messages::Message::is_error) {
        missing::explain(&mut messages, |packages| {
            let packages = packages.join(" ");
            format!(
                "clang has none of NVIDIA's headers, NVRTC has: `pip install \
                 nvidia-cuda-nvrtc-cu12 {packages}`"
            )
        });
        return Err(CompileError::Refused(messages));
    }
    Err(CompileError::crashed(&compiler.path, output.status, &output.stderr))
}

fn called(version: u32) -> String {
    format!("clang {version}")
}

/// The newest architecture of this version that the GPU runs.
fn architecture(version: u32, compute: u32) -> Option<u32> {
    let fits = |&&(architecture, since): &&(u32, u32)| since <= version && architecture <= compute;
    ARCHITECTURES.iter().filter(fits).map(|&(architecture, _)| architecture).max()
}

fn options(version: u32, architecture: u32) -> Vec<OsString> {
    let mut options: Vec<String> = [
        "-x",
        "cuda",
        // The host's types are the same on every machine.
        "--target=x86_64-unknown-linux-gnu",
        "--cuda-device-only",
        "-nocudainc",
        "-nocudalib",
        "-nostdinc",
        "-std=c++17",
        "-O3",
        "-gline-directives-only",
        "-Wall",
        // A loop that is not unrolled is no mistake of the source.
        "-Wno-pass-failed",
        "-ferror-limit=50",
        "-fno-crash-diagnostics",
        "-fno-caret-diagnostics",
        "-fno-color-diagnostics",
        "-S",
        "-o",
        "-",
        "-",
    ]
    .map(str::to_owned)
    .to_vec();
    options.push(format!("--cuda-gpu-arch=sm_{architecture}"));
    // `if (lane == 0) base = atomicAdd(…); base = __shfl_sync(ALL, base, 0);` passes an unset variable in
    // most lanes. clang would take that for impossible, and drop the `if`.
    let unset =
        if version < 15 { "-disable-noundef-analysis" } else { "-no-enable-noundef-analysis" };
    options.extend(["-Xclang", unset].map(str::to_owned));
    // PTX 6.3 has activemask; newer architectures start with newer PTX.
    if architecture < 75 {
        options.extend(["-Xclang", "-target-feature", "-Xclang", "+ptx63"].map(str::to_owned));
    }
    options.into_iter().map(OsString::from).collect()
}

/// The version of a program that can compile CUDA. Asked once, then kept in the cache.
pub(super) fn version(setup: &Setup, compiler: &Compiler) -> Result<u32, CompileError> {
    let cache = Cache::new(setup.cache.clone());
    let key = cache::hash(&["about clang", &compiler.identity]);
    let kept = cache.get(&key);
    let about = if let Some(about) = kept {
        about
    } else {
        let about = ask(setup, compiler)?;
        cache.put(&key, &about);
        about
    };
    let reason = match about {
        About { version: None, .. } => "it does not tell its version as clang does".to_owned(),
        About { version: Some(version), .. } if version < OLDEST => {
            format!("version {version}; {OLDEST} or newer is needed")
        }
        About { nvptx: false, .. } => "it is built without the target NVPTX".to_owned(),
        About { version: Some(version), .. } => return Ok(version),
    };
    Err(CompileError::bad(&compiler.path, &reason))
}

fn ask(setup: &Setup, compiler: &Compiler) -> Result<About, CompileError> {
    let ask = |question: &str| {
        let output = setup.tool(&compiler.path, &[question.into()], Vec::new(), 0);
        let output = output.map_err(|error| CompileError::of_run(&compiler.path, error))?;
        if !output.status.success() {
            return Err(CompileError::crashed(&compiler.path, output.status, &output.stderr));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let version = version_of(&ask("--version")?);
    let nvptx = version.is_some() && ask("--print-targets")?.contains("nvptx64");
    Ok(About { version, nvptx })
}

/// The version in `Debian clang version 19.1.7 (3)`.
fn version_of(text: &str) -> Option<u32> {
    let (_, rest) = text.split_once("clang version ")?;
    rest.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(version_of("Debian clang version 14.0.6\nTarget: x"), Some(14));
        assert_eq!(version_of("Apple clang version 15.0.0 (clang-1500)"), Some(15));
        assert_eq!(version_of("clang version 21.1.0 (https://x)"), Some(21));
        assert_eq!(version_of("gcc (Debian 12.2.0) 12.2.0"), None);
    }

    #[test]
    fn a_gpu_gets_the_newest_code_that_it_runs() {
        assert_eq!(architecture(14, EMULATED), Some(70));
        for (version, option) in
            [(14, "-disable-noundef-analysis"), (15, "-no-enable-noundef-analysis")]
        {
            assert!(options(version, EMULATED).iter().any(|it| it == option));
        }
        assert_eq!(architecture(14, 90), Some(86));
        assert_eq!(architecture(19, 90), Some(90));
        assert_eq!(architecture(19, 120), Some(90));
        assert_eq!(architecture(21, 121), Some(120));
        assert_eq!(architecture(19, 35), None);
    }
}
