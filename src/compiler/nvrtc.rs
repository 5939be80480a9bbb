//! NVIDIA's run-time compiler: a shared library, so it runs in a process of its own,
//! `warpscope compile`.

mod library;

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::Command;

use serde::{Deserialize, Serialize};

use super::discovery::Compiler;
use super::discovery::headers::folders;
use super::error::CompileError;
use super::messages::{self, Severity};
use super::{Compiled, Request, Setup, TIME_LIMIT, Target, cache, missing, prelude, source};
use crate::process::{self, Limits};
use library::{Job, Library};

/// The emulator's compute capability: lanes and blocks make independent progress.
const EMULATED: u32 = 70;

/// Most bytes of a reply: PTX and machine code, as JSON.
const MOST_OUTPUT: usize = 64 << 20;

/// Most bytes of a request.
const MOST_INPUT: u64 = 16 << 20;

/// What the parent sends.
#[derive(Debug, Serialize, Deserialize)]
struct Order {
    library: PathBuf,
    name: String,
    source: String,
    target: Target,
    /// Folders of NVIDIA's headers, if the source needs them.
    headers: Vec<PathBuf>,
}

/// What the child replies.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Reply {
    /// It was compiled.
    Done {
        version: (u32, u32),
        ptx: String,
        #[serde(with = "cache::base64_option")]
        cubin: Option<Vec<u8>>,
        log: String,
    },
    /// The source has errors.
    Refused { version: (u32, u32), log: String },
    /// The library supports only these compute capabilities.
    NoTarget { version: (u32, u32), supported: Vec<u32> },
    /// The library is no NVRTC, or failed by itself.
    Bad { reason: String },
}

/// The folders of NVIDIA's headers, if the source includes one that is not built in and is in one of
/// them. They come with `compiler`.
pub(super) fn headers(setup: &Setup, compiler: &Compiler, source: &str) -> Vec<PathBuf> {
    let mut further = source::further_headers(source).peekable();
    if further.peek().is_none() {
        return Vec::new();
    }
    let folders = folders(&compiler.path, &setup.environment);
    let there = |header: &str| folders.iter().any(|folder| folder.join(header).is_file());
    if further.any(there) { folders } else { Vec::new() }
}

/// Compiles a request with the library of `compiler`, in a process of this program.
pub(super) fn compile(
    setup: &Setup,
    compiler: &Compiler,
    request: &Request,
    headers: Vec<PathBuf>,
) -> Result<Compiled, CompileError> {
    let name = source::plain_name(&request.name);
    // NVIDIA's headers define anew what the prelude has: nothing that a user can mend.
    let foreign = !headers.is_empty();
    let of_headers = |message: &messages::Message| foreign && message.line.is_none();
    let order = Order {
        library: compiler.path.clone(),
        source: prelude::for_nvrtc(&name, &request.source, foreign),
        name: name.clone(),
        target: request.target,
        headers,
    };
    let order = serde_json::to_vec(&order)
        .map_err(|error| CompileError::bad(&compiler.path, &error.to_string()))?;
    let mut command = Command::new(&setup.program);
    command.arg("compile");
    // The library looks for its other half there, also on Windows.
    if let Some(folder) = compiler.path.parent() {
        command.current_dir(folder);
    }
    let limits = Limits { time: setup.time_limit, output: MOST_OUTPUT };
    let finished = process::run(&mut command, order, limits)
        .map_err(|error| CompileError::of_run(&compiler.path, error))?;
    let crashed = || CompileError::crashed(&compiler.path, finished.status, &finished.stderr);
    if !finished.status.success() {
        return Err(crashed());
    }
    // A library may write to standard output too: then this is no reply.
    let reply = serde_json::from_slice(&finished.stdout).map_err(|_| {
        CompileError::bad(&compiler.path, "it writes to standard output, which NVRTC does not")
    })?;
    match reply {
        Reply::Done { version, ptx, cubin, log } => {
            let mut warnings = messages::parse(&log, &name);
            warnings.retain(|it| it.severity == Severity::Warning && !of_headers(it));
            Ok(Compiled {
                ptx: source::at_callers(&source::without_paths(&ptx, &name), &name),
                cubin,
                compiler: called(version),
                warnings,
            })
        }
        Reply::Refused { version, log } => match messages::parse(&log, &name) {
            none if none.is_empty() => {
                let said = log.lines().find(|line| !line.trim().is_empty());
                Err(CompileError::bad(
                    &compiler.path,
                    said.unwrap_or("it refused without a reason"),
                ))
            }
            mut messages => {
                messages.retain(|it| it.is_error() || !of_headers(it));
                messages.dedup();
                missing::explain(&mut messages, |packages| {
                    // From CUDA 13 on their names have no version.
                    let plain = |name: &&str| name.trim_end_matches("-cu12").to_owned();
                    let newer = version.0 > 12;
                    let named = |name| if newer { plain(name) } else { (*name).to_owned() };
                    let packages: Vec<String> = packages.iter().map(named).collect();
                    let (packages, nvrtc) = (packages.join(" "), called(version));
                    format!(
                        "it comes with a CUDA toolkit, or with `pip install {packages}` where \
                         {nvrtc} is"
                    )
                });
                Err(CompileError::Refused(messages))
            }
        },
        Reply::NoTarget { version, supported } => Err(no_target(request, version, &supported)),
        Reply::Bad { reason } => Err(CompileError::bad(&compiler.path, &reason)),
    }
}

/// NVRTC with its version.
fn called((major, minor): (u32, u32)) -> String {
    format!("NVRTC {major}.{minor}")
}

fn no_target(request: &Request, version: (u32, u32), supported: &[u32]) -> CompileError {
    let compute = match request.target {
        Target::Emulator => EMULATED,
        Target::Device { compute, .. } => compute,
    };
    let dotted = |number: &u32| format!("{}.{}", number / 10, number % 10);
    let reason = match (supported.iter().min(), supported.iter().max()) {
        (Some(least), Some(most)) => format!("it supports {} to {}", dotted(least), dotted(most)),
        _ => "it names no GPU that it supports".to_owned(),
    };
    CompileError::NoTarget { compiler: called(version), compute, reason }
}

/// The process `warpscope compile`: reads an order from standard input, writes the reply to
/// standard output.
///
/// # Errors
/// If standard input has no order, or standard output is closed.
pub(crate) fn serve() -> io::Result<()> {
    process::limit_self(TIME_LIMIT.as_secs(), 0);
    let mut order = Vec::new();
    io::stdin().lock().take(MOST_INPUT).read_to_end(&mut order)?;
    let order: Order = serde_json::from_slice(&order)?;
    let reply = answer(&order);
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, &reply)?;
    out.flush()
}

fn answer(order: &Order) -> Reply {
    let bad = |reason: String| Reply::Bad { reason };
    let library = match Library::open(&order.library) {
        Ok(library) => library,
        Err(reason) => return bad(reason),
    };
    let version = library.version();
    let supported = library.supported();
    let architectures = architectures(order.target, version, &supported);
    // NVIDIA's headers choose instructions by the architecture: those that a GPU would run.
    let older = if order.headers.is_empty() { 0 } else { architectures.len().saturating_sub(1) };
    let mut refused = Reply::NoTarget { version, supported };
    for (compute, own_code) in architectures.into_iter().skip(older) {
        let kind = if own_code { "sm" } else { "compute" };
        let mut options = vec![
            format!("--gpu-architecture={kind}_{compute}"),
            "--std=c++17".to_owned(),
            "--generate-line-info".to_owned(),
        ];
        options.extend(
            order.headers.iter().map(|folder| format!("--include-path={}", folder.display())),
        );
        if version >= INT128 && cfg!(target_os = "linux") {
            options.push("--device-int128".to_owned());
        }
        let job = Job { name: &order.name, source: &order.source, options: &options };
        match library.compile(&job, own_code) {
            Err(reason) => return bad(reason),
            Ok(output) => match output.ptx {
                Some(ptx) => {
                    return Reply::Done { version, ptx, cubin: output.cubin, log: output.log };
                }
                None => refused = Reply::Refused { version, log: output.log },
            },
        }
    }
    refused
}

/// The first version that has integers of 128 bits in kernels.
const INT128: (u32, u32) = (11, 5);

/// The compute capability with the newest instructions that the emulator has.
const NEWEST: u32 = 90;

/// The compute capabilities to compile for, and whether for machine code: the next where one
/// refuses the source, as it may need newer instructions. `supported` is empty where the library
/// does not say.
fn architectures(target: Target, version: (u32, u32), supported: &[u32]) -> Vec<(u32, bool)> {
    match target {
        Target::Emulator if supported.is_empty() => vec![(EMULATED, false)],
        Target::Emulator => {
            let from = |least| supported.iter().copied().filter(|&it| it >= least).min();
            let mut found: Vec<u32> = [EMULATED, NEWEST].into_iter().filter_map(from).collect();
            found.dedup();
            found.into_iter().map(|it| (it, false)).collect()
        }
        Target::Device { compute, driver } => {
            let own_code = driver < version;
            // PTX of an older GPU is fine; machine code must be of the same generation.
            let fits = |it: &u32| *it <= compute && (!own_code || it / 10 == compute / 10);
            let newest = supported.iter().copied().filter(fits).max();
            let unknown = supported.is_empty().then_some(compute);
            newest.or(unknown).map(|it| (it, own_code)).into_iter().collect()
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const OLD: [u32; 4] = [50, 60, 70, 90];
    const NEW: [u32; 3] = [75, 90, 120];

    #[test]
    fn the_emulator_gets_the_oldest_code_with_independent_lanes() {
        let emulator = |version, supported| architectures(Target::Emulator, version, supported);
        assert_eq!(emulator((12, 9), &OLD), [(70, false), (90, false)]);
        assert_eq!(emulator((13, 0), &NEW), [(75, false), (90, false)]);
        assert_eq!(emulator((13, 9), &[90, 120]), [(90, false)]);
        assert_eq!(emulator((11, 0), &[]), [(70, false)]);
        assert_eq!(emulator((9, 0), &[35, 50]), []);
    }

    #[test]
    fn a_gpu_gets_its_own_code_and_an_old_driver_machine_code() {
        let device = |compute, driver| Target::Device { compute, driver };
        assert_eq!(architectures(device(90, (12, 9)), (12, 9), &OLD), [(90, false)]);
        assert_eq!(architectures(device(90, (12, 4)), (12, 9), &OLD), [(90, true)]);
        assert_eq!(architectures(device(86, (13, 0)), (13, 0), &NEW), [(75, false)]);
        // Machine code for 7.5 does not run on 8.6.
        assert_eq!(architectures(device(86, (12, 0)), (13, 0), &NEW), []);
        assert_eq!(architectures(device(70, (13, 0)), (13, 0), &NEW), []);
        assert_eq!(architectures(device(61, (11, 0)), (11, 1), &[]), [(61, true)]);
    }
}
