//! NVIDIA's run-time compiler: a shared library, so it runs in a process of its own,
//! `warpscope compile`.

mod library;

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::Command;

use serde::{Deserialize, Serialize};

use super::discovery::Compiler;
use super::error::CompileError;
use super::messages::{self, Severity};
use super::{Compiled, Request, Setup, TIME_LIMIT, Target, cache, prelude, source};
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
    Refused { log: String },
    /// The library supports only these compute capabilities.
    NoTarget { version: (u32, u32), supported: Vec<u32> },
    /// The library is no NVRTC, or failed by itself.
    Bad { reason: String },
}

/// Compiles a request with the library of `compiler`, in a process of this program.
pub(super) fn compile(
    setup: &Setup,
    compiler: &Compiler,
    request: &Request,
) -> Result<Compiled, CompileError> {
    let name = source::plain_name(&request.name);
    let order = Order {
        library: compiler.path.clone(),
        source: prelude::for_nvrtc(&name, &request.source),
        name: name.clone(),
        target: request.target,
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
            warnings.retain(|message| message.severity == Severity::Warning);
            Ok(Compiled {
                ptx: source::at_callers(&source::without_paths(&ptx, &name), &name),
                cubin,
                compiler: called(version),
                warnings,
            })
        }
        Reply::Refused { log } => match messages::parse(&log, &name) {
            none if none.is_empty() => {
                let said = log.lines().find(|line| !line.trim().is_empty());
                Err(CompileError::bad(
                    &compiler.path,
                    said.unwrap_or("it refused without a reason"),
                ))
            }
            messages => Err(CompileError::Refused(messages)),
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
    let least = if uses_clusters(&order.source) { CLUSTERS } else { EMULATED };
    let Some((compute, own_code)) = architecture(order.target, version, &supported, least) else {
        return Reply::NoTarget { version, supported };
    };
    let kind = if own_code { "sm" } else { "compute" };
    let options = [
        format!("--gpu-architecture={kind}_{compute}"),
        "--std=c++17".to_owned(),
        "--generate-line-info".to_owned(),
    ];
    let job = Job { name: &order.name, source: &order.source, options: &options };
    match library.compile(&job, own_code) {
        Err(reason) => bad(reason),
        Ok(output) => match output.ptx {
            Some(ptx) => Reply::Done { version, ptx, cubin: output.cubin, log: output.log },
            None => Reply::Refused { log: output.log },
        },
    }
}

/// The first compute capability with clusters of blocks.
const CLUSTERS: u32 = 90;

/// Whether the user's part of a text, behind the prelude, works in clusters.
fn uses_clusters(text: &str) -> bool {
    let own = text.rsplit_once("\n#line 1 ").map_or(text, |(_, own)| own);
    ["__cluster_dims__", "this_cluster"].iter().any(|word| own.contains(word))
}

/// The compute capability to compile for, and whether for its machine code. `supported` is
/// empty where the library does not say; `least` is the least that the source needs.
fn architecture(
    target: Target,
    version: (u32, u32),
    supported: &[u32],
    least: u32,
) -> Option<(u32, bool)> {
    match target {
        Target::Emulator if supported.is_empty() => Some((least, false)),
        Target::Emulator => {
            supported.iter().copied().filter(|&it| it >= least).min().map(|it| (it, false))
        }
        Target::Device { compute, driver } => {
            let own_code = driver < version;
            // PTX of an older GPU is fine; machine code must be of the same generation.
            let fits = |it: &u32| *it <= compute && (!own_code || it / 10 == compute / 10);
            let newest = supported.iter().copied().filter(fits).max();
            let unknown = supported.is_empty().then_some(compute);
            newest.or(unknown).map(|it| (it, own_code))
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
        assert_eq!(architecture(Target::Emulator, (12, 9), &OLD, EMULATED), Some((70, false)));
        assert_eq!(architecture(Target::Emulator, (13, 0), &NEW, EMULATED), Some((75, false)));
        assert_eq!(architecture(Target::Emulator, (11, 0), &[], EMULATED), Some((70, false)));
        assert_eq!(architecture(Target::Emulator, (12, 9), &OLD, CLUSTERS), Some((90, false)));
        assert!(uses_clusters("a\n#line 1 \"k.cu\"\n__cluster_dims__(2)"));
        assert!(!uses_clusters("this_cluster()\n#line 1 \"k.cu\"\nint a;"));
        assert_eq!(architecture(Target::Emulator, (9, 0), &[35, 50], EMULATED), None);
    }

    #[test]
    fn a_gpu_gets_its_own_code_and_an_old_driver_machine_code() {
        let device = |compute, driver| Target::Device { compute, driver };
        assert_eq!(architecture(device(90, (12, 9)), (12, 9), &OLD, EMULATED), Some((90, false)));
        assert_eq!(architecture(device(90, (12, 4)), (12, 9), &OLD, EMULATED), Some((90, true)));
        assert_eq!(architecture(device(86, (13, 0)), (13, 0), &NEW, EMULATED), Some((75, false)));
        // Machine code for 7.5 does not run on 8.6.
        assert_eq!(architecture(device(86, (12, 0)), (13, 0), &NEW, EMULATED), None);
        assert_eq!(architecture(device(70, (13, 0)), (13, 0), &NEW, EMULATED), None);
        assert_eq!(architecture(device(61, (11, 0)), (11, 1), &[], EMULATED), Some((61, true)));
    }
}
