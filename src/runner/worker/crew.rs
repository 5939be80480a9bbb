//! The parent's side: every worker in use, each with its thread.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use super::attempt::Limits;
use super::hand::Hand;
use super::interrupt::Listening;
use super::open::{Post, Spec};
use super::{Interrupt, WorkerError};
use crate::experiment::{Case, Stopping, Target};
use crate::results::record::Record;
use crate::work::Device;
use crate::work::View;

/// What a worker reports. `worker` is its place among the specs, `index` that of
/// a case in the group it was given.
#[derive(Debug)]
pub enum News {
    /// It runs, on this device, and waits for a group: at the start, and when it
    /// was started again, which may be on another device.
    Ready {
        /// The worker.
        worker: usize,
        /// What it runs on.
        device: Device,
    },
    /// A case is about to run for the first time.
    Started {
        /// The worker.
        worker: usize,
        /// The case.
        index: usize,
    },
    /// A case has ended, if only with the death of the worker.
    Ended {
        /// The worker.
        worker: usize,
        /// The case.
        index: usize,
        /// The result.
        record: Box<Record>,
        /// What its output view draws.
        view: Option<View>,
    },
    /// It cannot do the rest of its group, which others may.
    Returned {
        /// The worker.
        worker: usize,
        /// Cases without a result.
        indices: Vec<usize>,
    },
    /// It waits for another group.
    Free {
        /// The worker.
        worker: usize,
    },
    /// It is of no more use.
    Lost {
        /// The worker.
        worker: usize,
        /// Why.
        error: WorkerError,
    },
    /// The session shall stop.
    Interrupted,
}

/// The workers of a session. Dropping it ends them.
#[derive(Debug)]
pub struct Crew {
    jobs: Vec<Sender<Vec<Case>>>,
    threads: Vec<JoinHandle<()>>,
    news: Receiver<News>,
    stop: Interrupt,
    _listening: [Listening; 2],
}

impl Crew {
    /// Begins to start every worker. `limit` is the most time that a case may
    /// take in all. `interrupt` ends every wait and every worker.
    pub fn start(
        specs: &[Spec],
        target: &Target,
        stopping: &Stopping,
        limit: Option<Duration>,
        interrupt: &Interrupt,
    ) -> Result<Self, WorkerError> {
        let (sender, news) = mpsc::channel();
        let stop = Interrupt::new();
        let inner = stop.clone();
        let waker = sender.clone();
        let listening = [
            interrupt.on_raise(move || inner.raise()),
            interrupt.on_raise(move || {
                let _ = waker.send(News::Interrupted);
            }),
        ];
        let mut crew = Self {
            jobs: Vec::new(),
            threads: Vec::new(),
            news,
            stop: stop.clone(),
            _listening: listening,
        };
        let others = Arc::new(AtomicUsize::new(specs.len()));
        for (worker, spec) in specs.iter().enumerate() {
            let hand = Hand {
                worker,
                post: Post::new(spec, target)?,
                limits: Limits { stopping: *stopping, case: limit },
                stop: stop.clone(),
                news: sender.clone(),
                others: Arc::clone(&others),
                restarts: 0,
                deaths: 0,
            };
            let (jobs, taken) = mpsc::channel();
            let thread = std::thread::Builder::new()
                .name(format!("worker {}", worker + 1))
                .spawn(move || hand.run(&taken))
                .map_err(WorkerError::NoThread)?;
            crew.jobs.push(jobs);
            crew.threads.push(thread);
        }
        Ok(crew)
    }

    /// Gives a worker that is ready or free a group to measure in turns.
    pub fn assign(&self, worker: usize, cases: Vec<Case>) {
        if let Some(jobs) = self.jobs.get(worker) {
            // A worker that is gone has said so, or is about to.
            let _ = jobs.send(cases);
        }
    }

    /// Waits for the next news, at most this long.
    pub fn next(&self, patience: Duration) -> Option<News> {
        self.news.recv_timeout(patience).ok()
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.jobs.clear();
        self.stop.raise();
        for thread in self.threads.drain(..) {
            // It has told of a panic in its own way.
            let _ = thread.join();
        }
    }
}
