//! The thread that keeps one worker running and brings it its groups.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

use super::attempt::{self, Attempt, Limits, Step};
use super::crew::News;
use super::link::Link;
use super::open::Post;
use super::{Interrupt, WorkerError};
use crate::experiment::Case;
use crate::runner::measure;
use crate::work::Device;

/// How often in a row a worker is started again without a result in between.
const MOST_RESTARTS: u32 = 5;

/// How long the first restart waits that follows another; each one after it
/// waits twice as long, up to a limit.
const BACKOFF: Duration = Duration::from_millis(250);
const MOST_BACKOFF: Duration = Duration::from_secs(10);

/// How many cases in a row may end with the worker's death while there are
/// others to do them: the worker is to blame then, not the cases.
const MOST_DEATHS: u32 = 3;

/// Everything that one worker's thread needs.
pub(super) struct Hand {
    pub(super) worker: usize,
    pub(super) post: Post,
    pub(super) limits: Limits,
    pub(super) stop: Interrupt,
    pub(super) news: Sender<News>,
    /// Workers that are not lost, this one included.
    pub(super) others: Arc<AtomicUsize>,
    /// Restarts, and deaths over a case, since the last result.
    pub(super) restarts: u32,
    pub(super) deaths: u32,
}

impl Hand {
    /// Serves groups until there are no more, the worker is lost, or it shall stop.
    pub(super) fn run(mut self, jobs: &Receiver<Vec<Case>>) {
        match self.serve(jobs) {
            Ok(()) | Err(WorkerError::Interrupted) => {}
            Err(error) => {
                if !matches!(error, WorkerError::Unreliable { .. }) {
                    self.others.fetch_sub(1, Ordering::SeqCst);
                }
                self.say(News::Lost { worker: self.worker, error });
            }
        }
    }

    fn serve(&mut self, jobs: &Receiver<Vec<Case>>) -> Result<(), WorkerError> {
        let (link, mut device) = self.post.connect(&self.stop)?;
        let mut link = Some(link);
        self.say(News::Ready { worker: self.worker, device: device.clone() });
        for cases in jobs {
            // A worker that a case brought down is started for the next one.
            let open = match link.take() {
                Some(open) => open,
                None => match self.post.connect(&self.stop) {
                    Ok((open, now)) if now.id == device.id => open,
                    fresh => {
                        self.give_back((0..cases.len()).collect());
                        link = Some(self.settle(fresh, &mut device)?);
                        continue;
                    }
                },
            };
            link = self.measure(open, &cases, &mut device)?;
        }
        Ok(())
    }

    /// Has a group measured. What it leaves is given back.
    fn measure(
        &mut self,
        mut link: Link,
        cases: &[Case],
        device: &mut Device,
    ) -> Result<Option<Link>, WorkerError> {
        let worker = self.worker;
        let mut left: Vec<usize> = (0..cases.len()).collect();
        let mut results = 0;
        let news = &self.news;
        let ending =
            attempt::run(&mut link, &self.post, device, cases, &self.limits, &mut |step| {
                // Nobody hears it only when the session is over.
                let _ = news.send(match step {
                    Step::Started(index) => News::Started { worker, index },
                    Step::Ended(index, record, view) => {
                        results += 1;
                        left.retain(|other| *other != index);
                        News::Ended { worker, index, record, view }
                    }
                });
            });
        if results > 0 {
            (self.restarts, self.deaths) = (0, 0);
        }
        let (at, kind, message) = match ending {
            Attempt::Done => {
                self.say(News::Free { worker });
                return Ok(Some(link));
            }
            Attempt::Interrupted => return Err(WorkerError::Interrupted),
            Attempt::Refused(message) => {
                self.give_back(left);
                return Err(WorkerError::Refused(message));
            }
            Attempt::Gone { at, kind, message } => (at, kind, message),
        };
        drop(link);
        let lost_with_result = results > 0 && kind == super::LOST;
        if let Some(index) = at {
            left.retain(|other| *other != index);
            let record = measure::blamed(&cases[index], device, kind, message.clone());
            self.say(News::Ended { worker, index, record, view: None });
            self.deaths += 1;
        }
        self.give_back(left);
        if at.is_some() || lost_with_result {
            if self.deaths >= MOST_DEATHS && self.leave_to_others() {
                let command = self.post.name();
                return Err(WorkerError::Unreliable { command, how: message });
            }
            self.say(News::Free { worker });
            return Ok(None);
        }
        let gone = WorkerError::Early { command: self.post.name(), how: message };
        self.settle(Err(gone), device).map(Some)
    }

    /// Starts the worker again, at most so many times, and says where it is.
    fn settle(
        &mut self,
        mut fresh: Result<(Link, Device), WorkerError>,
        device: &mut Device,
    ) -> Result<Link, WorkerError> {
        loop {
            match fresh {
                Ok((link, now)) if now.backend == device.backend => {
                    *device = now;
                    self.say(News::Ready { worker: self.worker, device: device.clone() });
                    return Ok(link);
                }
                Ok((_, now)) => {
                    return Err(WorkerError::Changed {
                        before: format!("{} ({})", device.name, device.backend),
                        now: format!("{} ({})", now.name, now.backend),
                    });
                }
                Err(WorkerError::Interrupted) => return Err(WorkerError::Interrupted),
                Err(error) if self.restarts >= MOST_RESTARTS => {
                    return Err(WorkerError::GaveUp {
                        command: self.post.name(),
                        restarts: self.restarts,
                        source: Box::new(error),
                    });
                }
                Err(_) => {
                    self.stop.sleep(backoff(self.restarts));
                    self.restarts += 1;
                    fresh = self.post.connect(&self.stop);
                }
            }
        }
    }

    /// Whether another worker is left to go on; then this one no longer counts.
    fn leave_to_others(&self) -> bool {
        let less = |left: usize| (left > 1).then(|| left - 1);
        self.others.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less).is_ok()
    }

    fn give_back(&self, indices: Vec<usize>) {
        if !indices.is_empty() {
            self.say(News::Returned { worker: self.worker, indices });
        }
    }

    fn say(&self, news: News) {
        // Nobody hears it only when the session is over.
        let _ = self.news.send(news);
    }
}

/// How long to wait before a restart after so many in a row; not at all before
/// the first.
fn backoff(restarts: u32) -> Duration {
    let Some(doublings) = restarts.checked_sub(1) else { return Duration::ZERO };
    BACKOFF.saturating_mul(1 << doublings.min(16)).min(MOST_BACKOFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restarts_wait_longer_each_time_up_to_a_limit() {
        let waits: Vec<u128> = (0..10).map(|restarts| backoff(restarts).as_millis()).collect();
        assert_eq!(waits, [0, 250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000]);
        assert_eq!(backoff(u32::MAX), MOST_BACKOFF);
    }
}
