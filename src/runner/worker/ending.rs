//! Ends a worker's process and whatever it started, and leaves nothing behind.

use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// How long a worker whose input was closed may take to end by itself.
pub(super) const GRACE: Duration = Duration::from_secs(1);

/// How long it may take once it was asked to by a signal: `srun` tells its
/// scheduler first.
const GRACE_TO_OBEY: Duration = Duration::from_millis(500);

/// How long the system may take to end it by force. A process that hangs in a
/// driver is beyond that; waiting for it would hang us too.
const GRACE_BY_FORCE: Duration = Duration::from_secs(2);

/// How often a process that is about to end is looked at.
const LOOK: Duration = Duration::from_millis(2);

/// A process that leads a group of its own.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    ended: Option<ExitStatus>,
}

impl Process {
    /// Takes charge of a process that was started.
    pub(super) fn new(child: Child) -> Self {
        Self { child, ended: None }
    }

    /// Waits for it to end. When it has, what is left of its group is killed.
    pub(super) fn wait(&mut self, patience: Duration) -> Option<ExitStatus> {
        let start = Instant::now();
        loop {
            if self.ended.is_none() {
                self.ended = look(&mut self.child);
            }
            if self.ended.is_some() || start.elapsed() >= patience {
                return self.ended;
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Ends it, its input being closed: waits, asks it, forces it.
    pub(super) fn end(&mut self) {
        if self.wait(GRACE).is_none() {
            signal_group(&mut self.child, false);
            if self.wait(GRACE_TO_OBEY).is_none() {
                signal_group(&mut self.child, true);
                self.wait(GRACE_BY_FORCE);
            }
        }
    }
}

/// How the process ended, if it has.
#[cfg(unix)]
fn look(child: &mut Child) -> Option<ExitStatus> {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    if let Ok(None) = waitid(WaitId::Pid(Pid::from_child(child)), options) {
        return None;
    }
    // Until its leader is collected, the group's number belongs to nobody else.
    signal_group(child, true);
    child.try_wait().ok().flatten()
}

#[cfg(not(unix))]
fn look(child: &mut Child) -> Option<ExitStatus> {
    child.try_wait().ok().flatten()
}

/// Asks or forces the process group of `child`, which was not collected yet, to
/// end. A group that has ended in between is as good.
#[cfg(unix)]
fn signal_group(child: &mut Child, force: bool) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let signal = if force { Signal::KILL } else { Signal::TERM };
    let _ = kill_process_group(Pid::from_child(child), signal);
}

#[cfg(not(unix))]
fn signal_group(child: &mut Child, force: bool) {
    if force {
        let _ = child.kill();
    }
}
