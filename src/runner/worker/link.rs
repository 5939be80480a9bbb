//! One worker process and the pipes to it.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{BufReader, Read, Write};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::ending::{self, Process};
use super::interrupt::Listening;
use super::lines::{self, Line};
use super::protocol::{Reply, Request};
use super::{Interrupt, MOST_REPLY_BYTES, WorkerError};

/// How much of standard error is kept to explain a death: lines, and bytes of each.
const LAST_LINES: usize = 12;
const LAST_BYTES: usize = 4096;

/// How many lines may wait to be heard. A worker that says more waits.
const MOST_WAITING: usize = 4;

/// How often standard error is looked at when it is about to close.
const LOOK: Duration = Duration::from_millis(2);

/// What a worker is waited for.
#[derive(Debug)]
enum Incoming {
    /// A line of its standard output.
    Line(Line),
    /// The wait shall end.
    Interrupted,
}

/// What came of waiting for a reply.
#[derive(Debug)]
pub(super) enum Heard {
    /// A reply.
    Reply(Reply),
    /// A line that is no reply.
    Other(String),
    /// A line that is longer than any reply: its start.
    TooLong(String),
    /// The process ended.
    Ended,
    /// Nothing for as long as was waited.
    Silence,
    /// The wait was interrupted.
    Interrupted,
}

/// A running worker process. Dropping it ends the process.
#[derive(Debug)]
pub(super) struct Link {
    process: Process,
    stdin: Option<ChildStdin>,
    incoming: Receiver<Incoming>,
    interrupt: Interrupt,
    last_lines: Arc<Mutex<VecDeque<String>>>,
    stderr: Option<JoinHandle<()>>,
    _listening: Listening,
}

impl Link {
    /// Starts `command`, a program and its arguments. `interrupt` ends any wait
    /// for it.
    pub(super) fn start(command: &[OsString], interrupt: &Interrupt) -> Result<Self, WorkerError> {
        let (program, arguments) = command.split_first().ok_or(WorkerError::NoCommand)?;
        let failed = |source| WorkerError::Start { command: shown(command), source };
        let mut builder = Command::new(program);
        builder.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt;
            builder.process_group(0);
        }
        let mut child = builder.spawn().map_err(failed)?;
        let (sender, incoming) = mpsc::sync_channel(MOST_WAITING);
        let last_lines = Arc::default();
        let waker = sender.clone();
        if let Some(stdout) = child.stdout.take() {
            spawn("worker replies", move || read_replies(stdout, &sender)).map_err(failed)?;
        }
        let mut stderr = None;
        if let Some(pipe) = child.stderr.take() {
            let kept = Arc::clone(&last_lines);
            stderr = Some(spawn("worker errors", move || keep_last(pipe, &kept)).map_err(failed)?);
        }
        let stdin = child.stdin.take();
        // Where the channel is full, whoever waits is about to wake.
        let listening = interrupt.on_raise(move || {
            let _: Result<(), TrySendError<_>> = waker.try_send(Incoming::Interrupted);
        });
        let interrupt = interrupt.clone();
        let process = Process::new(child);
        Ok(Self { process, stdin, incoming, interrupt, last_lines, stderr, _listening: listening })
    }

    /// Sends a request. A worker that has ended is noticed when it is heard.
    pub(super) fn ask(&mut self, request: &Request) {
        let Some(stdin) = &mut self.stdin else { return };
        let sent =
            serde_json::to_vec(request).map_err(std::io::Error::from).and_then(|mut line| {
                line.push(b'\n');
                stdin.write_all(&line)?;
                stdin.flush()
            });
        if sent.is_err() {
            self.stdin = None;
        }
    }

    /// Waits for the next reply.
    pub(super) fn hear(&mut self, patience: Duration) -> Heard {
        let incoming = self.incoming.recv_timeout(patience);
        if self.interrupt.is_raised() {
            return Heard::Interrupted;
        }
        match incoming {
            Ok(Incoming::Line(Line::Whole(line))) => {
                serde_json::from_str(&line).map_or(Heard::Other(line), Heard::Reply)
            }
            Ok(Incoming::Line(Line::Long(start))) => Heard::TooLong(start),
            Ok(Incoming::Line(Line::Ended)) | Err(RecvTimeoutError::Disconnected) => Heard::Ended,
            Ok(Incoming::Interrupted) => Heard::Interrupted,
            Err(RecvTimeoutError::Timeout) => Heard::Silence,
        }
    }

    /// Waits for the process, which has closed its output, and says how it
    /// ended: `signal: 6 (SIGABRT); it last said: …`.
    pub(super) fn how_it_ended(&mut self) -> String {
        let status = match self.process.wait(ending::GRACE) {
            Some(status) => status.to_string(),
            None => "it closed its output".to_owned(),
        };
        // What it said on standard error may still be on its way.
        let start = Instant::now();
        while self.stderr.as_ref().is_some_and(|thread| !thread.is_finished())
            && start.elapsed() < ending::GRACE
        {
            std::thread::sleep(LOOK);
        }
        let lines = self.last_lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.is_empty() {
            return status;
        }
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        format!("{status}; it last said: {}", lines.join(" | "))
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // A worker ends when its input closes, whatever it is doing.
        self.stdin = None;
        self.process.end();
    }
}

/// A command as messages name it, and as a shell would read it.
pub(super) fn shown(command: &[OsString]) -> String {
    shell_words::join(command.iter().map(|word| word.to_string_lossy()))
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> std::io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name(name.to_owned()).spawn(body)
}

/// Passes on the lines of a worker up to the first that makes no sense.
fn read_replies(stdout: impl Read, sender: &SyncSender<Incoming>) {
    let mut reader = BufReader::new(stdout);
    loop {
        let line = lines::read(&mut reader, MOST_REPLY_BYTES);
        let last = !matches!(line, Line::Whole(_));
        if sender.send(Incoming::Line(line)).is_err() || last {
            return;
        }
    }
}

fn keep_last(stderr: impl Read, kept: &Mutex<VecDeque<String>>) {
    lines::read_all(BufReader::new(stderr), LAST_BYTES, |line| {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == LAST_LINES {
            kept.pop_front();
        }
        kept.push_back(line);
    });
}
