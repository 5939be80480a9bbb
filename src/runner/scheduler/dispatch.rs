//! Gives the cases of a plan to workers, and takes their results.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;

use super::worker_pool::WorkerPool;
use super::worker_state::{CaseLimits, Hashes, Status, WorkerEvent};
use super::{Control, Ending, Event, Options, SchedulerError, Tally, WorkerSpec};
use crate::algorithms::Algorithm;
use crate::experiment::{Case, Experiment};
use crate::own::{self, Version};
use crate::results::record::{self, Flag, Record};
use crate::results::store::{Store, StoreError};
use crate::runner::measure;
use crate::runner::plan::{self, Plan, Planned};
use crate::runner::worker::START_LIMIT;
use crate::work::{Device, Limits, View};

/// How long the first worker that is ready waits for the others, so that cases
/// stored for their devices count from the start.
const READY_PATIENCE: Duration = Duration::from_secs(15);

/// Owns the plan and the workers of one sweep.
pub(super) struct Scheduler<'a> {
    algorithm: &'static dyn Algorithm,
    hashes: Arc<Hashes>,
    /// Whether an assembler saw the kernels of the user's file.
    assembled: bool,
    pool: WorkerPool,
    /// Groups that no worker has, planned for a device with these limits.
    queue: VecDeque<Vec<Planned>>,
    limits: Option<Limits>,
    /// Cases that have ended or that a worker has. A new plan leaves them out.
    begun: HashSet<String>,
    control: &'a Control,
    changes: Receiver<()>,
    store: Option<Store>,
    tally: Tally,
    on_event: &'a mut dyn FnMut(Event),
}

impl<'a> Scheduler<'a> {
    pub(super) fn new(
        experiment: &Experiment,
        options: &Options,
        store: Option<Store>,
        control: &'a Control,
        on_event: &'a mut dyn FnMut(Event),
    ) -> Result<Self, SchedulerError> {
        let own = [WorkerSpec::default()];
        let specs = if options.workers.is_empty() { &own[..] } else { &options.workers };
        let mut stopping = experiment.stopping;
        if let Some(limit) = options.limit {
            // The other half is left for preparing and checking.
            stopping.limit_seconds = stopping.limit_seconds.min(limit.as_secs_f64() / 2.0);
        }
        let algorithm = plan::algorithm(&experiment.algorithm)?;
        let version = own::current(algorithm.name());
        let store = stored(store, version)?;
        let hash = |variant: &'static str| {
            let source = own::hash_of(algorithm.name(), variant).unwrap_or_default();
            (variant, (algorithm.module(variant).hash(), source))
        };
        let hashes: Arc<Hashes> =
            Arc::new(algorithm.variants().iter().map(|variant| hash(variant.name)).collect());
        let limits = CaseLimits {
            stopping,
            case: options.limit,
            start: options.start_limit.unwrap_or(START_LIMIT),
            hashes: Arc::clone(&hashes),
            file: version.map(|version| version.file),
        };
        Ok(Self {
            algorithm,
            hashes,
            assembled: version.is_some_and(|version| !version.file.resources.is_empty()),
            pool: WorkerPool::new(specs, &experiment.target, &limits)?,
            queue: VecDeque::new(),
            limits: None,
            begun: HashSet::new(),
            control,
            changes: control.changes(),
            store,
            tally: Tally::default(),
            on_event,
        })
    }

    /// Runs every case. One worker keeps the order of the plan; several workers
    /// take the largest cases first, so that they finish together.
    pub(super) fn run(mut self, experiment: &Experiment) -> Result<Tally, SchedulerError> {
        let ending = self.run_to_end(experiment)?;
        Ok(Tally { ending, ..self.tally })
    }

    fn run_to_end(&mut self, experiment: &Experiment) -> Result<Ending, SchedulerError> {
        self.wait_for_workers()?;
        if !self.control.is_cancelled() {
            self.plan(experiment)?;
        }
        while !self.control.is_cancelled() {
            self.replan();
            let paused = self.control.is_paused();
            if !paused {
                self.assign()?;
            }
            let busy = self.pool.any(Status::Busy);
            if !busy && self.queue.is_empty() {
                return Ok(Ending::Complete);
            }
            if !busy && paused {
                self.control.wait_while_paused(&self.changes, self.on_event);
            } else if busy || self.pool.any(Status::Starting) {
                self.wait(None)?;
            } else if !self.control.is_cancelled() {
                return Err(self.pool.none_left());
            }
        }
        Ok(Ending::Cancelled)
    }

    /// Waits until every worker is ready or lost, or some are and time is up.
    fn wait_for_workers(&mut self) -> Result<(), SchedulerError> {
        let mut until: Option<Instant> = None;
        while self.pool.any(Status::Starting)
            && !self.control.is_cancelled()
            && until.is_none_or(|until| Instant::now() < until)
        {
            self.wait(until)?;
            if self.pool.any(Status::Idle) {
                until.get_or_insert_with(|| Instant::now() + READY_PATIENCE);
            }
        }
        Ok(())
    }

    fn plan(&mut self, experiment: &Experiment) -> Result<(), SchedulerError> {
        let Some(limits) = self.pool.devices().next().map(|device| device.limits) else {
            return Err(self.pool.none_left());
        };
        self.limits = Some(limits);
        let plan = plan::plan(experiment, &limits)?;
        let cases = plan.cases().count();
        let stored = plan.cases().filter(|it| self.stored(&it.case).is_some()).count();
        let skipped = plan.cases().filter(|it| self.obstacle_everywhere(it).is_some()).count();
        (self.on_event)(Event::Planned { cases, stored, skipped });
        self.enqueue(plan);
        Ok(())
    }

    fn enqueue(&mut self, plan: Plan) {
        self.queue = plan.groups.into_iter().map(|group| group.cases).collect();
        if self.pool.0.len() > 1 {
            self.queue.make_contiguous().reverse();
        }
    }

    /// Replaces the queue if the user changed the experiment. What has ended stays
    /// stored, and what a worker has continues.
    fn replan(&mut self) {
        let Some(experiment) = self.control.take_replanned() else { return };
        let Some(limits) = self.limits.filter(|_| experiment.algorithm == self.algorithm.name())
        else {
            return;
        };
        // An invalid experiment does not end the sweep.
        let Ok(mut plan) = plan::plan(&experiment, &limits) else { return };
        for group in &mut plan.groups {
            group.cases.retain(|planned| !self.begun.contains(&key(&planned.case)));
        }
        plan.groups.retain(|group| !group.cases.is_empty());
        let left: Vec<u64> = plan.cases().map(|planned| planned.case.n).collect();
        let cases = self.begun.len() + left.len();
        self.enqueue(plan);
        (self.on_event)(Event::Replanned { cases, left });
    }

    /// Gives every free worker a group that it can run.
    fn assign(&mut self) -> Result<(), SchedulerError> {
        for worker in 0..self.pool.0.len() {
            let status = self.pool.0[worker].status();
            if !matches!(status, Status::Idle | Status::Stopped) {
                continue;
            }
            let cases = self.take(worker)?;
            if cases.is_empty() {
                continue;
            }
            if status == Status::Idle {
                self.pool.0[worker].measure(cases);
            } else {
                self.give_back(&cases);
                let events = self.pool.0[worker].launch();
                self.handle(worker, events)?;
            }
        }
        Ok(())
    }

    /// Takes from the queue the first cases that this worker can run. On the way it
    /// reports the cases that are stored, and those that no worker can run.
    fn take(&mut self, worker: usize) -> Result<Vec<Case>, SchedulerError> {
        let mut at = 0;
        while let Some(group) = self.queue.get_mut(at).map(std::mem::take) {
            if self.control.is_cancelled() {
                self.queue[at] = group;
                break;
            }
            let (mut taken, mut left) = (Vec::new(), Vec::new());
            for planned in group {
                let stored = self.stored(&planned.case);
                let device = self.pool.0[worker].device();
                let fits = device.is_some_and(|device| self.obstacle(&planned, device).is_none());
                let skip = if fits { None } else { self.obstacle_everywhere(&planned) };
                if stored.is_none() && !fits && skip.is_none() {
                    left.push(planned);
                    continue;
                }
                self.begun.insert(key(&planned.case));
                if let Some(record) = stored {
                    self.report_stored(record);
                } else if let Some((device, reason)) = skip {
                    let record = measure::skipped(&planned.case, &device, &reason);
                    self.store(record, None)?;
                } else {
                    taken.push(planned.case);
                }
            }
            if left.is_empty() {
                self.queue.remove(at);
            } else {
                self.queue[at] = left;
                at += 1;
            }
            if !taken.is_empty() {
                return Ok(taken);
            }
        }
        Ok(Vec::new())
    }

    /// Puts cases back to the start of the queue.
    fn give_back(&mut self, cases: &[Case]) {
        if cases.is_empty() {
            return;
        }
        let planned = |case: &Case| {
            let limits = self.limits.as_ref();
            let skip = limits.and_then(|limits| plan::obstacle(self.algorithm, case, limits));
            Planned { case: case.clone(), skip }
        };
        let group = cases.iter().map(planned).collect();
        for case in cases {
            self.begun.remove(&key(case));
        }
        self.queue.push_front(group);
    }

    /// Waits for a worker, for the user, or until a time, and handles what happens.
    fn wait(&mut self, until: Option<Instant>) -> Result<(), SchedulerError> {
        match self.pool.next(&self.changes, until) {
            Some((worker, events)) => self.handle(worker, events),
            None => Ok(()),
        }
    }

    fn handle(&mut self, worker: usize, events: Vec<WorkerEvent>) -> Result<(), SchedulerError> {
        let of = self.pool.0.len();
        for event in events {
            match event {
                WorkerEvent::Ready(device) => {
                    (self.on_event)(Event::Ready { worker, of, device });
                    self.pool.check_backends()?;
                }
                WorkerEvent::Progress(done) => (self.on_event)(Event::Progress(done)),
                WorkerEvent::Started(case) => (self.on_event)(Event::Started(case)),
                WorkerEvent::Ended(record, view) => self.store(record, view)?,
                WorkerEvent::Returned(cases) => self.give_back(&cases),
                WorkerEvent::Lost => {
                    let left = self.pool.0.iter().any(|worker| worker.status() != Status::Lost);
                    if let Some(error) = self.pool.0[worker].error().filter(|_| left) {
                        let reason = format!("`{}`: {}", error.command, error.failure);
                        (self.on_event)(Event::Lost { worker, of, reason });
                    }
                }
            }
        }
        Ok(())
    }

    /// Reports a case that is in the store.
    fn report_stored(&mut self, record: Record) {
        self.tally.add(&record);
        self.tally.from_store += 1;
        let record = Box::new(record);
        (self.on_event)(Event::Finished { record, view: None, from_store: true });
    }

    /// Stores and reports a case that has ended.
    fn store(&mut self, record: Box<Record>, view: Option<View>) -> Result<(), SchedulerError> {
        if let Some(store) = &mut self.store {
            store.append(&record)?;
        }
        self.tally.add(&record);
        (self.on_event)(Event::Finished { record, view, from_store: false });
        Ok(())
    }

    /// The stored record of a case on any device in use, if it settles the case. A time with
    /// estimated registers does not where they are known now.
    fn stored(&self, case: &Case) -> Option<Record> {
        let hashes = self.hashes.get(case.variant.as_str());
        let (ptx, source) = hashes.map_or(("", ""), |(ptx, source)| (ptx, source));
        self.pool.devices().find_map(|device| {
            let identity = record::Identity::of(case, &device.backend, &device.id, (ptx, source));
            let record = self.store.as_ref()?.get(&identity)?;
            let better = self.assembled && record.flags.contains(&Flag::RegistersEstimated);
            (record.settles() && !better).then(|| record.clone())
        })
    }

    /// Why a device cannot run a case.
    fn obstacle(&self, planned: &Planned, device: &Device) -> Option<String> {
        if Some(device.limits) == self.limits {
            planned.skip.clone()
        } else {
            plan::obstacle(self.algorithm, &planned.case, &device.limits)
        }
    }

    /// Why the first device cannot run a case that no device can run.
    fn obstacle_everywhere(&self, planned: &Planned) -> Option<(Device, String)> {
        let mut first = None;
        for device in self.pool.devices() {
            let reason = self.obstacle(planned, device)?;
            first.get_or_insert_with(|| (device.clone(), reason));
        }
        first
    }
}

/// The store, with the user's file that its next lines are of.
fn stored(store: Option<Store>, version: Option<Version>) -> Result<Option<Store>, StoreError> {
    let Some(mut store) = store else { return Ok(None) };
    if let Some(version) = version {
        store.keep_file(version.file, own::path(version.hash).as_deref())?;
    }
    Ok(Some(store))
}

/// Tells the cases of a plan apart.
fn key(case: &Case) -> String {
    format!("{case} seed={}", case.seed)
}
