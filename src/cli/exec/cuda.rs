//! The launch on a GPU.

use std::io::Write;
use std::time::Instant;

use anyhow::bail;

use super::{Report, buffers, dim, finish};
use crate::backend::Failure;
use crate::backend::single_launch::{self, SingleLaunch};
use crate::cli::Exit;
use crate::cli::exec::{Argument, Exec};
use crate::emulator::ptx::Function;
use crate::units::text::Escaped;

/// Refuses options of the emulator.
pub(super) fn check(exec: &Exec) -> anyhow::Result<()> {
    for (given, option) in [
        (exec.counters, "--counters"),
        (exec.check, "--check"),
        (exec.predict, "--predict"),
        (exec.gpu.is_some(), "--gpu"),
        (exec.budget.is_some(), "--budget"),
        (exec.threads.is_some(), "--threads"),
    ] {
        if given {
            bail!("{option} needs the emulator: omit it or use --backend emulator");
        }
    }
    if exec.arguments.iter().any(|argument| matches!(argument, Argument::TensorMap(_))) {
        bail!("--arg tensormap= needs the emulator: omit --backend cuda");
    }
    if let Some(cluster) = exec.cluster {
        bail!(
            "`--cluster {cluster}` needs the emulator; for a GPU, fix the size in the kernel: \
             `__cluster_dims__({cluster})`"
        );
    }
    Ok(())
}

/// Launches it once, on the first device.
pub(super) fn run(
    exec: &Exec,
    path: &str,
    text: &str,
    function: &Function,
    out: &mut Escaped<impl Write>,
) -> anyhow::Result<Exit> {
    let launch = SingleLaunch {
        ptx: text,
        path,
        kernel: function.name,
        grid: dim(exec.grid),
        block: dim(exec.block),
        shared_bytes: exec.shared,
        args: buffers::collect(exec)?,
    };
    let start = Instant::now();
    let (ran, printed) = single_launch::run_on_cuda(&launch);
    let mut report = Report::new(exec, function.name, "cuda");
    report.printed = printed;
    report.seconds_wall = start.elapsed().as_secs_f64();
    match ran {
        Ok(ran) => {
            for dump in &exec.dump {
                let held = ran.buffers.get(dump.argument);
                if let Some(bytes) = held.and_then(|held| held.get(dump.buffer)) {
                    buffers::write(&dump.file, |file| file.write_all(bytes))?;
                }
            }
            report.ran_on = ran.device;
            report.seconds_measured = Some(ran.seconds);
        }
        Err(Failure::Trap(trap)) => report.trap = Some(trap),
        Err(other) => {
            out.write_all(&report.printed)?;
            return Err(other.into());
        }
    }
    finish(&report, out)
}
