//! One worker process and the pipes to it.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::WorkerError;
use super::protocol::{Reply, Request};

/// How much of standard error is kept to explain a death.
const LAST_LINES: usize = 12;

/// How long a worker whose input was closed may take to end by itself.
const GRACE: Duration = Duration::from_secs(1);

/// How often a process that is about to end is looked at.
const LOOK: Duration = Duration::from_millis(2);

/// What a worker is waited for.
#[derive(Debug)]
pub(super) enum Incoming {
    /// A line of its standard output.
    Line(String),
    /// Its standard output closed.
    Closed,
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
    child: Child,
    stdin: Option<ChildStdin>,
    incoming: Receiver<Incoming>,
    waker: Sender<Incoming>,
    last_lines: Arc<Mutex<VecDeque<String>>>,
    stderr: Option<JoinHandle<()>>,
    /// Whether it may be in the middle of a group.
    busy: bool,
}

impl Link {
    /// Starts `command`, a program and its arguments.
    pub(super) fn start(command: &[OsString]) -> Result<Self, WorkerError> {
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
        let (sender, incoming) = mpsc::channel();
        let last_lines = Arc::default();
        if let Some(stdout) = child.stdout.take() {
            let sender = sender.clone();
            spawn("worker replies", move || read_lines(stdout, &sender)).map_err(failed)?;
        }
        let mut stderr = None;
        if let Some(pipe) = child.stderr.take() {
            let kept = Arc::clone(&last_lines);
            stderr = Some(spawn("worker errors", move || keep_last(pipe, &kept)).map_err(failed)?);
        }
        let stdin = child.stdin.take();
        Ok(Self { child, stdin, incoming, waker: sender, last_lines, stderr, busy: false })
    }

    /// Where to send [`Incoming::Interrupted`] to end a wait.
    pub(super) fn waker(&self) -> Sender<Incoming> {
        self.waker.clone()
    }

    /// Sends a request. A worker that has ended is noticed when it is heard.
    pub(super) fn ask(&mut self, request: &Request) {
        self.busy = true;
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
        match self.incoming.recv_timeout(patience) {
            Ok(Incoming::Line(line)) => match serde_json::from_str(&line) {
                Ok(reply) => {
                    self.busy = matches!(reply, Reply::At { .. } | Reply::Record { .. });
                    Heard::Reply(reply)
                }
                Err(_) => Heard::Other(line),
            },
            Ok(Incoming::Interrupted) => Heard::Interrupted,
            Ok(Incoming::Closed) | Err(RecvTimeoutError::Disconnected) => Heard::Ended,
            Err(RecvTimeoutError::Timeout) => Heard::Silence,
        }
    }

    /// Waits for the process, which has closed its output, and says how it
    /// ended: `signal: 6 (SIGABRT); it last said: …`.
    pub(super) fn how_it_ended(&mut self) -> String {
        let status = match self.wait(GRACE) {
            Some(status) => status.to_string(),
            None => "it closed its output".to_owned(),
        };
        // What it said on standard error may still be on its way.
        let start = Instant::now();
        while self.stderr.as_ref().is_some_and(|thread| !thread.is_finished())
            && start.elapsed() < GRACE
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

    fn wait(&mut self, patience: Duration) -> Option<std::process::ExitStatus> {
        let start = Instant::now();
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            if start.elapsed() >= patience {
                return None;
            }
            std::thread::sleep(LOOK);
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.stdin = None;
        if self.busy || self.wait(GRACE).is_none() {
            // It may have ended in between, which is as good.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// A command as messages name it.
pub(super) fn shown(command: &[OsString]) -> String {
    let words: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> std::io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name(name.to_owned()).spawn(body)
}

fn read_lines(stdout: impl Read, sender: &Sender<Incoming>) {
    let mut reader = BufReader::new(stdout);
    let mut line = Vec::new();
    loop {
        line.clear();
        match reader.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            // A line without an end was cut off by the death of its writer.
            Ok(_) if line.last() != Some(&b'\n') => break,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        if sender.send(Incoming::Line(text)).is_err() {
            return;
        }
    }
    let _ = sender.send(Incoming::Closed);
}

fn keep_last(stderr: impl Read, kept: &Mutex<VecDeque<String>>) {
    let mut reader = BufReader::new(stderr);
    let mut line = Vec::new();
    while matches!(reader.read_until(b'\n', &mut line), Ok(read) if read > 0) {
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        line.clear();
        if text.is_empty() {
            continue;
        }
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == LAST_LINES {
            kept.pop_front();
        }
        kept.push_back(text);
    }
}
