//! One worker process: its pipes, and how it ends.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::ffi::OsString;
use std::io::{self, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded};

use super::lines::{self, Line};
use super::protocol::{Reply, Request};
use super::{MOST_REPLY_BYTES, WorkerFailure};
use crate::process::ProcessTree;
use crate::units::text;

/// Standard error that is kept to explain a failure: lines, and bytes per line.
const LAST_LINES: usize = 12;
const LAST_BYTES: usize = 4096;

/// Number of replies that may wait in the channel. Then the worker waits.
const MOST_WAITING: usize = 4;

/// Maximum number of lines before `hello` that are ignored: remote shells may greet.
const MOST_GREETINGS: usize = 200;

/// Time to end after standard input closes, and to be reported as ended.
const GRACE: Duration = Duration::from_secs(1);

/// Time to end after SIGTERM: `srun` tells its scheduler first.
const TERM_GRACE: Duration = Duration::from_millis(500);

/// Time to end after SIGKILL. A process that hangs in a driver is left behind then.
const KILL_GRACE: Duration = Duration::from_secs(2);

/// Interval at which an ending process is checked.
const CHECK: Duration = Duration::from_millis(2);

/// What arrives from a worker. After a failure nothing more arrives.
pub(in crate::runner) type Incoming = Result<Reply, WorkerFailure>;

/// A running worker process. Dropping it ends the process and those that it started.
#[derive(Debug)]
pub(in crate::runner) struct WorkerProcess {
    child: Child,
    tree: ProcessTree,
    status: Option<ExitStatus>,
    stdin: Option<ChildStdin>,
    replies: Receiver<Incoming>,
    last_lines: Arc<Mutex<VecDeque<String>>>,
    /// Disconnected once standard error is read to its end.
    stderr: Receiver<Infallible>,
}

impl WorkerProcess {
    /// Starts `command`, a program and its arguments.
    pub(super) fn start(command: &[OsString]) -> Result<Self, WorkerFailure> {
        let (program, arguments) = command.split_first().ok_or(WorkerFailure::NoCommand)?;
        let mut builder = Command::new(program);
        builder.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let (mut child, tree) = ProcessTree::start(&mut builder).map_err(WorkerFailure::Start)?;
        let (stdin, stdout, errors) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (sender, replies) = bounded(MOST_WAITING);
        let (open, stderr) = bounded(0);
        let kept = Arc::default();
        let last_lines = Arc::clone(&kept);
        let process = Self { child, tree, status: None, stdin, replies, last_lines, stderr };
        spawn("worker replies", move || read_replies(stdout, &sender))?;
        spawn("worker errors", move || {
            keep_last(errors, &kept);
            drop::<Sender<Infallible>>(open);
        })?;
        Ok(process)
    }

    /// Sends a request. If the worker has ended, its replies say so.
    pub(in crate::runner) fn ask(&mut self, request: &Request) {
        let Some(stdin) = &mut self.stdin else { return };
        let sent = serde_json::to_vec(request).map_err(io::Error::from).and_then(|mut line| {
            line.push(b'\n');
            stdin.write_all(&line)?;
            stdin.flush()
        });
        if sent.is_err() {
            self.stdin = None;
        }
    }

    /// Its replies.
    pub(in crate::runner) fn replies(&self) -> &Receiver<Incoming> {
        &self.replies
    }

    /// Ends the process. Completes `failure` with the exit status if the process ended first.
    pub(in crate::runner) fn end(mut self, failure: WorkerFailure) -> WorkerFailure {
        if !matches!(failure, WorkerFailure::Ended(_)) {
            return failure;
        }
        let status = match self.wait(GRACE) {
            Some(status) => status.to_string(),
            None => "it closed its output".to_owned(),
        };
        // Standard error may still be on its way.
        let _ = self.stderr.recv_timeout(GRACE);
        let lines = self.last_lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.is_empty() {
            return WorkerFailure::Ended(status);
        }
        let lines: Vec<String> = lines.iter().map(|line| excerpt(line)).collect();
        WorkerFailure::Ended(format!("{status}; last lines: {}", lines.join(" | ")))
    }

    /// Waits for it to end. Then the processes that it started are killed.
    fn wait(&mut self, patience: Duration) -> Option<ExitStatus> {
        let start = Instant::now();
        loop {
            if self.status.is_none() {
                self.status = self.tree.exit_status(&mut self.child);
            }
            if self.status.is_some() || start.elapsed() >= patience {
                return self.status;
            }
            std::thread::sleep(CHECK);
        }
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        // A worker ends when its input closes, even while it measures.
        self.stdin = None;
        if self.wait(GRACE).is_none() {
            self.tree.ask_to_end();
            if self.wait(TERM_GRACE).is_none() {
                self.tree.kill(&mut self.child);
                self.wait(KILL_GRACE);
            }
        }
    }
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<(), WorkerFailure> {
    let thread = std::thread::Builder::new().name(name.to_owned()).spawn(body);
    thread.map(drop).map_err(WorkerFailure::Start)
}

/// The start of a line that may be long.
fn excerpt(line: &str) -> String {
    text::excerpt(line, text::SHOWN)
}

/// Sends every reply to `sender`, up to the first failure.
fn read_replies(stdout: Option<impl Read>, sender: &Sender<Incoming>) {
    let Some(stdout) = stdout else { return };
    let mut reader = BufReader::new(stdout);
    let mut greetings = MOST_GREETINGS;
    loop {
        let incoming = match lines::read(&mut reader, MOST_REPLY_BYTES) {
            Line::Whole(line) => match serde_json::from_str(&line) {
                Ok(reply) => Ok(reply),
                Err(_) if greetings > 0 && !line.starts_with('{') => {
                    greetings -= 1;
                    continue;
                }
                Err(_) => Err(WorkerFailure::InvalidReply(excerpt(&line))),
            },
            Line::Long(start) => Err(WorkerFailure::TooLong(excerpt(&start))),
            Line::Ended => Err(WorkerFailure::Ended(String::new())),
        };
        greetings = 0;
        let last = incoming.is_err();
        if sender.send(incoming).is_err() || last {
            return;
        }
    }
}

fn keep_last(stderr: Option<impl Read>, kept: &Mutex<VecDeque<String>>) {
    let Some(stderr) = stderr else { return };
    lines::read_all(BufReader::new(stderr), LAST_BYTES, |line| {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == LAST_LINES {
            kept.pop_front();
        }
        kept.push_back(line);
    });
}
