//! Spreads the cases of an experiment over its workers.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::{Duration, Instant};

use super::results::Results;
use super::seat::{self, Seat, State};
use super::{Control, Ending, Event, Options, SessionError, Spec};
use crate::algorithms::Algorithm;
use crate::experiment::{Case, Experiment};
use crate::results::record::{self, Record};
use crate::runner::plan::{self, Plan, Planned};
use crate::runner::worker::{self, Crew, News};
use crate::work::{Device, Limits};

/// How long the first worker that answers waits for the others, so that what is
/// stored for any of their devices counts from the start.
const PATIENCE_FOR_OTHERS: Duration = Duration::from_secs(15);

/// How long to sleep while nothing can be handed out that is not waited for.
const LOOK: Duration = Duration::from_millis(20);

/// Longer than anything is waited for.
const LONG: Duration = Duration::from_secs(3600);

/// Runs every case. The order is that of the plan with one worker; several take
/// the largest first, so that they end together.
pub(super) fn run(
    experiment: &Experiment,
    options: &Options,
    control: &Control,
    results: &mut Results,
) -> Result<Ending, SessionError> {
    let alone = [Spec::default()];
    let specs = if options.workers.is_empty() { &alone[..] } else { &options.workers };
    let mut stopping = experiment.stopping;
    if let Some(limit) = options.limit {
        // Sampling leaves time for the rest of the case.
        stopping.limit_seconds = stopping.limit_seconds.min(limit.as_secs_f64() / 2.0);
    }
    let crew =
        Crew::start(specs, &experiment.target, &stopping, options.limit, control.interrupt())?;
    let algorithm = plan::algorithm(&experiment.algorithm)?;
    let hashes = algorithm
        .variants()
        .iter()
        .map(|variant| (variant.name, algorithm.module(variant.name).hash()))
        .collect();
    let mut spread = Spread {
        algorithm,
        hashes,
        crew,
        seats: specs.iter().map(Seat::new).collect(),
        queue: VecDeque::new(),
        limits: None,
        begun: HashSet::new(),
        control,
        results,
    };
    spread.gather()?;
    if !control.is_cancelled() {
        spread.plan(experiment)?;
    }
    spread.work()
}

struct Spread<'a, 'b> {
    algorithm: &'static dyn Algorithm,
    /// Hash of each variant's PTX.
    hashes: HashMap<&'static str, String>,
    crew: Crew,
    seats: Vec<Seat>,
    /// Groups that no worker has, as planned for a device of these limits.
    queue: VecDeque<Vec<Planned>>,
    limits: Option<Limits>,
    /// Cases that ended or that a worker has, so that a new plan leaves them out.
    begun: HashSet<String>,
    control: &'a Control,
    results: &'a mut Results<'b>,
}

impl Spread<'_, '_> {
    /// Waits until every worker answers or is lost, or long enough.
    fn gather(&mut self) -> Result<(), SessionError> {
        let mut since: Option<Instant> = None;
        while self.seats.iter().any(Seat::is_away) && !self.control.is_cancelled() {
            let patience =
                since.map_or(LONG, |since| PATIENCE_FOR_OTHERS.saturating_sub(since.elapsed()));
            if patience.is_zero() {
                break;
            }
            self.hear(patience)?;
            if self.seats.iter().any(Seat::is_free) {
                since.get_or_insert_with(Instant::now);
            }
        }
        Ok(())
    }

    fn plan(&mut self, experiment: &Experiment) -> Result<(), SessionError> {
        let Some(limits) = seat::devices(&self.seats).next().map(|device| device.limits) else {
            return Err(self.none_left());
        };
        self.limits = Some(limits);
        let plan = plan::plan(experiment, &limits)?;
        let cases = plan.cases().count();
        let stored = plan.cases().filter(|it| self.stored(&it.case).is_some()).count();
        let skipped = plan.cases().filter(|it| self.obstacle_everywhere(it).is_some()).count();
        (self.results.on_event)(Event::Planned { cases, stored, skipped });
        self.enqueue(plan);
        Ok(())
    }

    fn enqueue(&mut self, plan: Plan) {
        self.queue = plan.groups.into_iter().map(|group| group.cases).collect();
        if self.seats.len() > 1 {
            self.queue.make_contiguous().reverse();
        }
    }

    /// Puts what is to run from now on in the place of what is left. What ended
    /// stays stored and told, and what a worker has goes on.
    fn replan(&mut self) {
        let Some(experiment) = self.control.take_replanned() else { return };
        let Some(limits) = self.limits.filter(|_| experiment.algorithm == self.algorithm.name())
        else {
            return;
        };
        // What makes no sense is no reason to end what runs.
        let Ok(mut plan) = plan::plan(&experiment, &limits) else { return };
        for group in &mut plan.groups {
            group.cases.retain(|planned| !self.begun.contains(&key(&planned.case)));
        }
        plan.groups.retain(|group| !group.cases.is_empty());
        let left: Vec<u64> = plan.cases().map(|planned| planned.case.n).collect();
        let cases = self.begun.len() + left.len();
        self.enqueue(plan);
        (self.results.on_event)(Event::Replanned { cases, left });
    }

    /// Hands out groups and takes results until nothing is left to do.
    fn work(&mut self) -> Result<Ending, SessionError> {
        loop {
            if self.control.is_cancelled() {
                return Ok(Ending::Cancelled);
            }
            self.replan();
            let paused = self.control.is_paused();
            if !paused {
                self.hand_out()?;
            }
            let busy = self.seats.iter().any(Seat::is_busy);
            let waits = self.seats.iter().any(Seat::is_away);
            if !busy && self.queue.is_empty() {
                return Ok(Ending::Complete);
            }
            if !busy && paused {
                self.control.wait_while_paused(self.results.on_event);
            } else if !busy && !waits && !self.control.is_cancelled() {
                return Err(self.none_left());
            } else {
                self.hear(if paused { LOOK } else { LONG })?;
            }
        }
    }

    /// Gives every worker that waits a group that it can run.
    fn hand_out(&mut self) -> Result<(), SessionError> {
        for worker in 0..self.seats.len() {
            if !self.seats[worker].is_free() {
                continue;
            }
            let cases = self.take(worker)?;
            if !cases.is_empty() {
                self.crew.assign(worker, cases.clone());
                self.seats[worker].state = State::Busy(cases);
            }
        }
        Ok(())
    }

    /// The first group that has something for this worker, as far as it can run
    /// it. What needs no worker on the way is reported.
    fn take(&mut self, worker: usize) -> Result<Vec<Case>, SessionError> {
        let mut at = 0;
        while let Some(group) = self.queue.get_mut(at).map(std::mem::take) {
            if self.control.is_cancelled() {
                self.queue[at] = group;
                break;
            }
            let (mut taken, mut left) = (Vec::new(), Vec::new());
            for planned in group {
                if let Some(record) = self.stored(&planned.case) {
                    self.begun.insert(key(&planned.case));
                    self.results.found(record);
                } else if self.fits(&planned, self.seats[worker].device.as_ref()) {
                    self.begun.insert(key(&planned.case));
                    taken.push(planned.case);
                } else if let Some((device, reason)) = self.obstacle_everywhere(&planned) {
                    self.begun.insert(key(&planned.case));
                    let record = worker::skipped(&planned.case, &device, &reason);
                    self.results.ended(record, None)?;
                } else {
                    left.push(planned);
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

    /// Waits for news of a worker, and does what it says.
    fn hear(&mut self, patience: Duration) -> Result<(), SessionError> {
        match self.crew.next(patience) {
            None | Some(News::Interrupted) => {}
            Some(News::Ready { worker, device }) => {
                let of = self.seats.len();
                let seat = &mut self.seats[worker];
                seat.state = State::Free;
                let before = seat.device.replace(device.clone());
                if before.is_none_or(|before| before.id != device.id) {
                    (self.results.on_event)(Event::Ready { worker, of, device });
                    seat::same_backend(&self.seats)?;
                }
            }
            Some(News::Started { worker, index }) => {
                if let Some(case) = self.seats[worker].case(index) {
                    (self.results.on_event)(Event::Started(case.clone()));
                }
            }
            Some(News::Ended { record, view, .. }) => self.results.ended(record, view)?,
            Some(News::Returned { worker, indices }) => {
                let cases = indices.iter().filter_map(|index| self.seats[worker].case(*index));
                let group: Vec<Planned> = cases.map(|case| self.planned(case)).collect();
                for planned in &group {
                    self.begun.remove(&key(&planned.case));
                }
                if !group.is_empty() {
                    self.queue.push_front(group);
                }
                self.seats[worker].state = State::Away;
            }
            Some(News::Free { worker }) => self.seats[worker].state = State::Free,
            Some(News::Lost { worker, error }) => {
                let reason = seat::told(&self.seats[worker].name, &error);
                self.seats[worker].state = State::Lost(error);
                if !self.seats.iter().all(Seat::is_lost) {
                    let of = self.seats.len();
                    (self.results.on_event)(Event::Lost { worker, of, reason });
                }
            }
        }
        Ok(())
    }

    /// The stored record of a case, on any of the devices in use.
    fn stored(&self, case: &Case) -> Option<Record> {
        let ptx = self.hashes.get(case.variant.as_str()).map_or("", String::as_str);
        seat::devices(&self.seats).find_map(|device| {
            self.results.stored(&record::identity(case, &device.backend, &device.id, ptx))
        })
    }

    fn planned(&self, case: &Case) -> Planned {
        let obstacle = |limits| plan::obstacle(self.algorithm, case, limits);
        Planned { case: case.clone(), skip: self.limits.as_ref().and_then(obstacle) }
    }

    fn obstacle(&self, planned: &Planned, device: &Device) -> Option<String> {
        if Some(device.limits) == self.limits {
            planned.skip.clone()
        } else {
            plan::obstacle(self.algorithm, &planned.case, &device.limits)
        }
    }

    fn fits(&self, planned: &Planned, device: Option<&Device>) -> bool {
        device.is_some_and(|device| self.obstacle(planned, device).is_none())
    }

    /// What keeps the first device from running a case that none can run.
    fn obstacle_everywhere(&self, planned: &Planned) -> Option<(Device, String)> {
        let mut first = None;
        for device in seat::devices(&self.seats) {
            let reason = self.obstacle(planned, device)?;
            first.get_or_insert_with(|| (device.clone(), reason));
        }
        first
    }

    fn none_left(&mut self) -> SessionError {
        seat::none_left(std::mem::take(&mut self.seats))
    }
}

/// What tells cases of one plan apart.
fn key(case: &Case) -> String {
    format!("{case} seed={}", case.seed)
}
