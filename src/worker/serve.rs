//! The worker's side: reads requests, measures, replies.

use std::io::{self, BufRead, Write};
use std::ops::ControlFlow;
use std::sync::mpsc;

use super::MOST_VIEW_BYTES;
use super::protocol::{PROTOCOL, Reply, Request};
use crate::backend::{self, Backend};
use crate::experiment::{Case, Stopping, Target};
use crate::measure::{Measurer, Step, Stopped};
use crate::measurement::PROGRAM;

/// Serves standard input and output until the input closes; then the process
/// ends at once, whatever it is doing.
pub fn serve_stdio() -> io::Result<()> {
    let (sender, requests) = mpsc::channel();
    std::thread::Builder::new().name("requests".to_owned()).spawn(move || {
        for line in io::stdin().lines() {
            let Ok(line) = line else { break };
            if sender.send(line).is_err() {
                return;
            }
        }
        // Nobody is left to read a reply.
        std::process::exit(0);
    })?;
    answer(requests, io::stdout().lock())
}

/// Serves every request of `input`, replying on `output`, until the input ends.
pub fn serve(input: impl BufRead, output: impl Write) -> io::Result<()> {
    answer(input.lines().map_while(Result::ok), output)
}

/// One connection.
struct Session<W> {
    output: W,
    backend: Option<Box<dyn Backend>>,
    measurer: Measurer,
}

fn answer(requests: impl IntoIterator<Item = String>, output: impl Write) -> io::Result<()> {
    let mut session = Session { output, backend: None, measurer: Measurer::new() };
    for line in requests {
        match serde_json::from_str(&line) {
            Ok(Request::Open { protocol, program, target }) => {
                session.open(protocol, &program, &target)?;
            }
            Ok(Request::Measure { cases, stopping }) => session.measure(&cases, &stopping)?,
            Err(error) => session.refuse(format!("not a request: {error}"))?,
        }
    }
    Ok(())
}

impl<W: Write> Session<W> {
    fn open(&mut self, protocol: u32, program: &str, target: &Target) -> io::Result<()> {
        if protocol != PROTOCOL {
            return self.refuse(format!(
                "the parent is {program} with protocol {protocol}, the worker is {PROGRAM} with \
                 protocol {PROTOCOL}; install the same version on both sides"
            ));
        }
        match backend::open(target) {
            Err(error) => self.refuse(error.to_string()),
            Ok(backend) => {
                let device = backend.device().clone();
                self.backend = Some(backend);
                self.say(&Reply::Hello { protocol: PROTOCOL, program: PROGRAM.to_owned(), device })
            }
        }
    }

    fn measure(&mut self, cases: &[Case], stopping: &Stopping) -> io::Result<()> {
        let Some(mut backend) = self.backend.take() else {
            return self.refuse("`measure` came before `open`".to_owned());
        };
        let mut measurer = std::mem::take(&mut self.measurer);
        let mut spoken = Ok(());
        let result = measurer.group(backend.as_mut(), cases, stopping, &mut |step| {
            spoken = self.say(&reply(step));
            if spoken.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        spoken?;
        match result {
            Ok(()) => {
                self.backend = Some(backend);
                self.measurer = measurer;
                self.say(&Reply::Done)
            }
            Err(stopped @ (Stopped::Lost(_) | Stopped::Unheard)) => {
                self.say(&Reply::Lost { message: stopped.to_string() })
            }
        }
    }

    fn refuse(&mut self, message: String) -> io::Result<()> {
        self.say(&Reply::Refused { message })
    }

    fn say(&mut self, reply: &Reply) -> io::Result<()> {
        let mut line = serde_json::to_vec(reply)?;
        line.push(b'\n');
        self.output.write_all(&line)?;
        self.output.flush()
    }
}

fn reply(step: Step) -> Reply {
    match step {
        Step::At(case) => Reply::At { case },
        Step::Done { index, record, view } => {
            let fits = |view: &_| {
                serde_json::to_string(view).is_ok_and(|text| text.len() <= MOST_VIEW_BYTES)
            };
            Reply::Record { case: index, record, view: view.filter(fits) }
        }
    }
}
