//! The worker process: reads requests, measures, replies.

use std::convert::Infallible;
use std::io::{self, BufRead, Write};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::lines::{self, Line};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::protocol::{PROTOCOL, ProfiledCase, Reply, Request};
use super::{MOST_REPLY_BYTES, MOST_REQUEST_BYTES, MOST_VIEW_BYTES};
use crate::backend::{self, Backend};
use crate::experiment::{BackendChoice, Case, Stopping, Target};
use crate::own::{self, OwnFile};
use crate::results::record::PROGRAM;
use crate::runner::measure::{self, Measurer, Step, Verdict};
use crate::runner::plan;
use crate::units::text;
use crate::work::Progress;

/// Time between two messages about a long launch.
const TICK: Duration = Duration::from_millis(250);

/// Settings of a worker that its parent cannot change.
#[derive(Debug, Clone, Copy, Default)]
pub struct Binding {
    /// Number of its CUDA device.
    pub device: Option<u32>,
}

impl Binding {
    /// The target with these settings.
    fn apply(self, target: &Target) -> Result<Target, String> {
        let Some(device) = self.device else { return Ok(target.clone()) };
        let mut target = target.clone();
        match (target.backend, target.device) {
            (BackendChoice::Emulator, _) => {
                return Err(format!(
                    "the worker was started with --device {device}, a CUDA device, and asked for \
                     the {} backend; leave --device out of the worker's command",
                    target.backend
                ));
            }
            (_, Some(other)) if other != device => {
                return Err(format!(
                    "the worker was started with --device {device} and asked for device {other}; \
                     name the device in one place"
                ));
            }
            (BackendChoice::Auto, _) => target.backend = BackendChoice::Cuda,
            (BackendChoice::Cuda | BackendChoice::Scripted, _) => {}
        }
        target.device = Some(device);
        Ok(target)
    }
}

/// Serves standard input and output until the input closes. Then the process ends at
/// once, even while it measures.
pub fn serve_stdio(binding: Binding) -> io::Result<()> {
    let (sender, requests) = crossbeam_channel::unbounded();
    std::thread::Builder::new().name("requests".to_owned()).spawn(move || {
        for line in requests_of(io::stdin().lock()) {
            if sender.send(line).is_err() {
                return;
            }
        }
        exit_at_once();
    })?;
    answer(requests, replies()?, binding)
}

/// Serves every request of `input`, replying on `output`, until the input ends.
pub fn serve(input: impl BufRead, output: impl Write + Send) -> io::Result<()> {
    answer(requests_of(input), output, Binding::default())
}

/// The lines of `input`. Too long a line is the last one: its start, which is no request.
fn requests_of(mut input: impl BufRead) -> impl Iterator<Item = String> {
    let mut ended = false;
    std::iter::from_fn(move || match lines::read(&mut input, MOST_REQUEST_BYTES) {
        _ if ended => None,
        Line::Whole(line) => Some(line),
        Line::Long(start) => {
            ended = true;
            let start = text::excerpt(&start, text::SHOWN);
            Some(format!("{start} (a request has at most {} MiB)", MOST_REQUEST_BYTES >> 20))
        }
        Line::Ended => None,
    })
}

/// The standard output, for replies only. From now on other output of this process, such
/// as a kernel's `printf`, goes to standard error.
#[cfg(unix)]
fn replies() -> io::Result<impl Write + Send> {
    use std::os::fd::AsFd;
    let own = io::stdout().as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok(std::fs::File::from(own))
}

#[cfg(not(unix))]
fn replies() -> io::Result<impl Write + Send> {
    Ok(io::stdout())
}

/// Ends the process without cleanup of libraries, which may hang: a driver waits for its
/// kernels.
fn exit_at_once() {
    #[cfg(unix)]
    signal_hook::low_level::exit(0);
    #[cfg(not(unix))]
    std::process::exit(0);
}

/// One connection.
struct Session<W> {
    output: W,
    backend: Option<Box<dyn Backend>>,
    measurer: Measurer,
    binding: Binding,
}

fn answer(
    requests: impl IntoIterator<Item = String>,
    output: impl Write + Send,
    binding: Binding,
) -> io::Result<()> {
    let mut session = Session { output, backend: None, measurer: Measurer::new(), binding };
    for line in requests {
        match serde_json::from_str(&line) {
            Ok(Request::Open { protocol, program, target }) => {
                session.open(protocol, &program, &target)?;
            }
            Ok(Request::System { file, cubin }) => session.system(&file, cubin.as_deref())?,
            Ok(Request::Measure { cases, stopping, progress }) => {
                session.measure(&cases, &stopping, progress)?;
            }
            Ok(Request::Check { case }) => session.check(&case)?,
            Ok(Request::ProfileKernels { case }) => session.profile_kernels(&case)?,
            Err(error) => {
                let shown = text::excerpt(&line, text::SHOWN);
                session.refuse(format!("not a request: {error}: {shown}"))?;
            }
        }
    }
    Ok(())
}

impl<W: Write + Send> Session<W> {
    fn open(&mut self, protocol: u32, program: &str, target: &Target) -> io::Result<()> {
        if protocol != PROTOCOL {
            return self.refuse(format!(
                "the parent is {program} with protocol {protocol}, the worker is {PROGRAM} with \
                 protocol {PROTOCOL}; install the same version on both sides"
            ));
        }
        let target = match self.binding.apply(target) {
            Ok(target) => target,
            Err(reason) => return self.refuse(reason),
        };
        match backend::open(&target) {
            Err(error) => self.refuse(error.to_string()),
            Ok(backend) => {
                let device = backend.device().clone();
                self.backend = Some(backend);
                self.say(&Reply::Hello { protocol: PROTOCOL, program: PROGRAM.to_owned(), device })
            }
        }
    }

    /// Says nothing where it succeeds.
    fn system(&mut self, file: &OwnFile, cubin: Option<&str>) -> io::Result<()> {
        let system = match own::system(file) {
            Ok(system) => system,
            Err(error) => return self.refuse(error.to_string()),
        };
        let Some(cubin) = cubin else { return Ok(()) };
        let Ok(cubin) = STANDARD.decode(cubin) else {
            return self.refuse(format!("the `cubin` of {} is not base64", file.name));
        };
        let modules = system.variants().iter().map(|variant| system.module(variant.name));
        let own = modules.into_iter().find(|module| module.name == file.name);
        if let (Some(backend), Some(module)) = (self.backend.as_deref_mut(), own) {
            backend.add_binary(&module, cubin);
        }
        Ok(())
    }

    fn measure(&mut self, cases: &[Case], stopping: &Stopping, tells: bool) -> io::Result<()> {
        let Some(backend) = self.backend.as_deref_mut() else {
            return self.refuse("`measure` came before `open`".to_owned());
        };
        let mut sent = Ok(());
        let progress = backend.progress().filter(|_| tells);
        let (output, measurer) = (Mutex::new(&mut self.output), &mut self.measurer);
        let (running, ended) = crossbeam_channel::bounded::<Infallible>(0);
        let result = std::thread::scope(|scope| {
            if let Some(progress) = &progress {
                let thread = std::thread::Builder::new().name("progress".to_owned());
                // Without a thread there are no messages.
                let _ = thread.spawn_scoped(scope, || tell(progress, &output, &ended));
            }
            let result = measurer.group(backend, cases, stopping, &mut |step| {
                sent = say(&mut *lock(&output), &reply(step));
                if sent.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            drop(running);
            result
        });
        sent?;
        match result {
            Ok(()) => self.say(&Reply::Done),
            Err(stopped) => {
                self.backend = None;
                self.say(&Reply::Lost { message: stopped.to_string() })
            }
        }
    }

    fn check(&mut self, case: &Case) -> io::Result<()> {
        let Some(backend) = self.backend.as_deref_mut() else {
            return self.refuse("`check` came before `open`".to_owned());
        };
        let algorithm = match plan::algorithm(&case.algorithm) {
            Ok(algorithm) => algorithm,
            Err(error) => return self.refuse(error.to_string()),
        };
        let verdict = match plan::obstacle(algorithm, case, &backend.device().limits) {
            Some(reason) => Some(Verdict::Unchecked(reason)),
            None => self.measurer.check(backend, algorithm, case),
        };
        if let Some(verdict) = verdict {
            self.say(&Reply::Checked { verdict })
        } else {
            let name = backend.device().name.clone();
            self.refuse(format!("{name} has no sanitizer; the emulator has one"))
        }
    }

    fn profile_kernels(&mut self, case: &Case) -> io::Result<()> {
        let Some(backend) = self.backend.as_deref_mut() else {
            return self.refuse("`dissect` came before `open`".to_owned());
        };
        let device = backend.device();
        let obstacle = plan::algorithm(&case.algorithm)
            .ok()
            .and_then(|algorithm| plan::obstacle(algorithm, case, &device.limits));
        if let Some(reason) = obstacle {
            let record = *measure::skipped(case, device, &reason);
            return self.say(&Reply::Profiled(Box::new(ProfiledCase { record, profile: None })));
        }
        if let (Some(record), profile) = self.measurer.profile_kernels(backend, case) {
            self.say(&Reply::Profiled(Box::new(ProfiledCase { record: *record, profile })))
        } else {
            let name = backend.device().name.clone();
            self.refuse(format!("{name} does not count what a kernel does; the emulator does"))
        }
    }

    fn refuse(&mut self, message: String) -> io::Result<()> {
        self.say(&Reply::Refused { message })
    }

    fn say(&mut self, reply: &Reply) -> io::Result<()> {
        say(&mut self.output, reply)
    }
}

fn lock<W>(output: &Mutex<W>) -> std::sync::MutexGuard<'_, W> {
    output.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says how far launches have come, until `ended` is disconnected.
fn tell(
    progress: &Progress,
    output: &Mutex<&mut (impl Write + Send)>,
    ended: &crossbeam_channel::Receiver<Infallible>,
) {
    let mut last = progress.done();
    while ended.recv_timeout(TICK) == Err(crossbeam_channel::RecvTimeoutError::Timeout) {
        let done = progress.done();
        if done != last && done.launches > 0 {
            // The parent is gone if this fails, which the thread that measures finds out.
            let _ = say(&mut *lock(output), &Reply::Progress(done));
        }
        last = done;
    }
}

fn say(output: &mut impl Write, reply: &Reply) -> io::Result<()> {
    let mut line = serde_json::to_vec(reply)?;
    if line.len() >= MOST_REPLY_BYTES {
        line = serde_json::to_vec(&without_samples(reply))?;
    }
    line.push(b'\n');
    output.write_all(&line)?;
    output.flush()
}

/// The reply with the number of its samples instead of the samples.
fn without_samples(reply: &Reply) -> Reply {
    let mut reply = reply.clone();
    if let Reply::Record { record, .. } = &mut reply
        && let Some(seconds) = &mut record.seconds
    {
        seconds.taken = Some(seconds.count());
        seconds.samples = Box::default();
    }
    reply
}

fn reply(step: Step) -> Reply {
    match step {
        Step::Making(case) => Reply::At { case, making: true },
        Step::At(case) => Reply::At { case, making: false },
        Step::Done { index, record, view } => {
            let fits = |view: &_| {
                serde_json::to_string(view).is_ok_and(|text| text.len() <= MOST_VIEW_BYTES)
            };
            Reply::Record { case: index, record, view: view.filter(fits) }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_worker_serves_its_device_and_no_other() {
        let bound = Binding { device: Some(1) };
        let target = |backend, device| Target { backend, device, ..Target::default() };
        let cuda = target(BackendChoice::Cuda, Some(1));
        for asked in
            [cuda.clone(), target(BackendChoice::Auto, None), target(BackendChoice::Cuda, None)]
        {
            assert_eq!(bound.apply(&asked).unwrap(), cuda);
            assert_eq!(Binding::default().apply(&asked).unwrap(), asked);
        }
        let text = bound.apply(&target(BackendChoice::Cuda, Some(0))).unwrap_err();
        assert!(text.contains("device 0") && text.contains("--device 1"), "{text}");
        let text = bound.apply(&target(BackendChoice::Emulator, None)).unwrap_err();
        assert!(text.contains("emulator backend"), "{text}");
    }

    #[test]
    fn a_reply_too_long_to_be_read_leaves_its_samples_out() {
        let golden = include_str!("../../../tests/golden/protocol.jsonl");
        let line = golden.lines().find(|line| line.contains("\"record\"")).unwrap();
        let mut reply: Reply = serde_json::from_str(line).unwrap();
        let Reply::Record { record, .. } = &mut reply else { panic!("{line}") };
        record.seconds.as_mut().unwrap().samples = vec![0.123_456_789; 2_000_000].into();
        let mut output = Vec::new();
        let mut session = Session {
            output: &mut output,
            backend: None,
            measurer: Measurer::new(),
            binding: Binding::default(),
        };
        session.say(&reply).unwrap();
        assert!(output.len() < MOST_REPLY_BYTES);
        let Reply::Record { record, .. } = serde_json::from_slice(&output).unwrap() else {
            panic!("no record");
        };
        assert_eq!(record.seconds.unwrap().count(), 2_000_000);
    }
}
