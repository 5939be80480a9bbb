//! One group of cases on one running worker, from the request to its end.

use std::time::{Duration, Instant};

use super::link::{Heard, Link};
use super::open::{Post, start_of};
use super::protocol::{Reply, Request};
use super::{DIED, GARBLED, LOST, MOST_REPLY_BYTES, TIMED_OUT};
use crate::experiment::{Case, Stopping};
use crate::results::record::Record;
use crate::work::Device;
use crate::work::View;

/// How long a measured case may be silent beyond its own time limit: making a
/// large input and its reference is part of that.
const PATIENCE_TO_MEASURE: Duration = Duration::from_secs(120);

/// How long an emulated launch may take. The emulator ends runaway kernels by
/// itself; this is for the case that it does not.
const PATIENCE_TO_EMULATE: Duration = Duration::from_secs(3600);

/// How long cases may take.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Limits {
    /// When a case has been measured enough.
    pub(super) stopping: Stopping,
    /// Most time that a case may take in all; then its worker is ended.
    pub(super) case: Option<Duration>,
}

/// What happens on the way. Indices count the cases of the group.
#[derive(Debug)]
pub(super) enum Step {
    /// A case is about to run for the first time.
    Started(usize),
    /// A case has ended.
    Ended(usize, Box<Record>, Option<View>),
}

/// How it went.
#[derive(Debug)]
pub(super) enum Attempt {
    /// Every case has its record.
    Done,
    /// The worker will not do it.
    Refused(String),
    /// The wait was interrupted.
    Interrupted,
    /// The worker is gone, or must go. The case at which it was, if any, is to
    /// blame, with the kind and the message of what happened.
    Gone { at: Option<usize>, kind: &'static str, message: String },
}

/// Sends the group to the worker and listens until it is done or the worker gone.
pub(super) fn run(
    link: &mut Link,
    post: &Post,
    device: &Device,
    cases: &[Case],
    limits: &Limits,
    on_step: &mut dyn FnMut(Step),
) -> Attempt {
    link.ask(&Request::Measure { cases: cases.to_vec(), stopping: limits.stopping });
    let patience = patience(device, limits);
    let mut started = vec![false; cases.len()];
    let mut ended = vec![false; cases.len()];
    let mut clock =
        Clock { limit: limits.case, taken: vec![Duration::ZERO; cases.len()], at: None };
    loop {
        let wait = clock.left().map_or(patience, |left| left.min(patience));
        let heard = link.hear(wait);
        let at = clock.at();
        let garbled = |line: &str| Attempt::Gone {
            at,
            kind: GARBLED,
            message: format!("{}; it was ended", post.garbled(line)),
        };
        let reply = match heard {
            Heard::Reply(reply) => reply,
            Heard::Other(line) => return garbled(&line),
            Heard::TooLong(line) => {
                let most = MOST_REPLY_BYTES >> 20;
                let message = format!(
                    "the worker replied with a line of more than {most} MiB and was ended; it \
                     begins with: {}",
                    start_of(&line)
                );
                return Attempt::Gone { at, kind: GARBLED, message };
            }
            Heard::Interrupted => return Attempt::Interrupted,
            Heard::Silence => {
                let message = match limits.case.filter(|_| clock.is_over()) {
                    Some(limit) => format!(
                        "the case took longer than the {} s that a case may take; its worker was \
                         ended",
                        limit.as_secs_f64()
                    ),
                    None => format!(
                        "the worker was silent for {} s over this case and was ended",
                        patience.as_secs()
                    ),
                };
                return Attempt::Gone { at, kind: TIMED_OUT, message };
            }
            Heard::Ended => {
                let message = format!("the worker died of this case ({})", link.how_it_ended());
                return Attempt::Gone { at, kind: DIED, message };
            }
        };
        match reply {
            Reply::At { case } if ended.get(case) == Some(&false) => {
                clock.turn(Some(case));
                if !std::mem::replace(&mut started[case], true) {
                    on_step(Step::Started(case));
                }
            }
            Reply::Record { case, record, view }
                if ended.get(case) == Some(&false)
                    && record.case() == cases[case]
                    && record.device.id == device.id =>
            {
                clock.turn(None);
                ended[case] = true;
                on_step(Step::Ended(case, record, view));
            }
            Reply::Done if ended.iter().all(|ended| *ended) => return Attempt::Done,
            // The case that lost the device has its record.
            Reply::Lost { message } => return Attempt::Gone { at, kind: LOST, message },
            Reply::Refused { message } => return Attempt::Refused(message),
            reply @ (Reply::Hello { .. }
            | Reply::At { .. }
            | Reply::Record { .. }
            | Reply::Dissected(_)
            | Reply::Done) => return garbled(&format!("{reply:?}")),
        }
    }
}

fn patience(device: &Device, limits: &Limits) -> Duration {
    if device.modelled {
        return PATIENCE_TO_EMULATE;
    }
    let own = Duration::try_from_secs_f64(limits.stopping.limit_seconds).unwrap_or_default();
    PATIENCE_TO_MEASURE.saturating_add(own)
}

/// How long each case of a group has run, the others' turns left out.
struct Clock {
    limit: Option<Duration>,
    taken: Vec<Duration>,
    /// The case that runs, and since when.
    at: Option<(usize, Instant)>,
}

impl Clock {
    fn at(&self) -> Option<usize> {
        self.at.map(|(case, _)| case)
    }

    /// It is this case's turn now.
    fn turn(&mut self, case: Option<usize>) {
        if let Some((before, since)) = self.at {
            self.taken[before] += since.elapsed();
        }
        self.at = case.map(|case| (case, Instant::now()));
    }

    /// What the running case may still take.
    fn left(&self) -> Option<Duration> {
        let (case, since) = self.at?;
        Some(self.limit?.saturating_sub(self.taken[case] + since.elapsed()))
    }

    fn is_over(&self) -> bool {
        self.left().is_some_and(|left| left.is_zero())
    }
}
