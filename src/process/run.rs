//! A child process from its start to its end: input, bounded output, limits.

use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, bounded};

use super::tree::ProcessTree;

/// Interval at which the child is checked.
const CHECK: Duration = Duration::from_millis(1);

/// Time for the rest of the output after the child has ended.
const GRACE: Duration = Duration::from_secs(1);

/// Time to end after a kill. A process that hangs in the system is left behind then.
const KILL_GRACE: Duration = Duration::from_secs(2);

/// What a child may use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Time until it is killed.
    pub(crate) time: Duration,
    /// Bytes of standard output, and bytes of standard error.
    pub(crate) output: usize,
}

/// A child that ended by itself.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// Why a child gave no result.
#[derive(Debug)]
pub(crate) enum RunError {
    /// It could not be started.
    Start(io::Error),
    /// It was killed after its time.
    TimedOut,
    /// It was killed because it used too much memory.
    TooMuchMemory,
    /// It was killed because it wrote too much.
    TooMuchOutput,
}

/// Starts `command`, writes `input` to it and collects its output until it ends. Ends it,
/// and all that it started, when a limit is reached.
pub(crate) fn run(
    command: &mut Command,
    input: Vec<u8>,
    limits: Limits,
) -> Result<Finished, RunError> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let start = Instant::now();
    let (child, tree) = ProcessTree::start(command).map_err(RunError::Start)?;
    let mut running = Running { child, tree, ended: None };
    let full = Arc::new(AtomicBool::new(false));
    let stdin = running.child.stdin.take();
    let write = move || {
        if let Some(mut stdin) = stdin {
            // A child that does not want its input closes the pipe; its status says why.
            let _ = stdin.write_all(&input);
        }
    };
    std::thread::Builder::new()
        .name("compiler input".to_owned())
        .spawn(write)
        .map_err(RunError::Start)?;
    let stdout = collect(running.child.stdout.take(), limits.output, &full)?;
    let stderr = collect(running.child.stderr.take(), limits.output, &full)?;
    let status = loop {
        if let Some(status) = running.status() {
            break status;
        }
        if full.load(Ordering::Relaxed) {
            return Err(RunError::TooMuchOutput);
        }
        if start.elapsed() >= limits.time {
            return Err(RunError::TimedOut);
        }
        if memory::too_much(&running.child) {
            return Err(RunError::TooMuchMemory);
        }
        std::thread::sleep(CHECK);
    };
    let rest = |pipe: Receiver<Vec<u8>>| pipe.recv_timeout(GRACE).unwrap_or_default();
    let (stdout, stderr) = (rest(stdout), rest(stderr));
    if full.load(Ordering::Relaxed) {
        return Err(RunError::TooMuchOutput);
    }
    Ok(Finished { status, stdout, stderr })
}

/// A child that is killed when this is dropped, unless it has ended.
struct Running {
    child: Child,
    tree: ProcessTree,
    ended: Option<ExitStatus>,
}

impl Running {
    fn status(&mut self) -> Option<ExitStatus> {
        if self.ended.is_none() {
            self.ended = self.tree.exit_status(&mut self.child);
        }
        self.ended
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.status().is_some() {
            return;
        }
        self.tree.kill(&mut self.child);
        let start = Instant::now();
        while self.status().is_none() && start.elapsed() < KILL_GRACE {
            std::thread::sleep(CHECK);
        }
    }
}

/// Reads a pipe to its end, or until it has more than `most` bytes: then `full` is set.
fn collect(
    pipe: Option<impl Read + Send + 'static>,
    most: usize,
    full: &Arc<AtomicBool>,
) -> Result<Receiver<Vec<u8>>, RunError> {
    let (sender, receiver) = bounded(1);
    let full = Arc::clone(full);
    let read = move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            let bound = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
            let _ = pipe.take(bound).read_to_end(&mut bytes);
        }
        if bytes.len() > most {
            full.store(true, Ordering::Relaxed);
            bytes.clear();
        }
        // Nobody waits after a limit was reached.
        let _ = sender.send(bytes);
    };
    std::thread::Builder::new()
        .name("compiler output".to_owned())
        .spawn(read)
        .map_err(RunError::Start)?;
    Ok(receiver)
}

#[cfg(unix)]
mod memory {
    use std::process::Child;

    /// The child has limited itself.
    pub(super) fn too_much(_: &Child) -> bool {
        false
    }
}

#[cfg(windows)]
mod memory {
    use std::process::Child;

    use winsafe::HPROCESS;
    use winsafe::co::PROCESS;
    use winsafe::prelude::*;

    /// Whether the child uses more memory than it may.
    pub(super) fn too_much(child: &Child) -> bool {
        let used = HPROCESS::OpenProcess(PROCESS::QUERY_LIMITED_INFORMATION, false, child.id())
            .and_then(|process| process.GetProcessMemoryInfo());
        used.is_ok_and(|used| used.PrivateUsage as u64 > super::super::limits::MOST_MEMORY)
    }
}
