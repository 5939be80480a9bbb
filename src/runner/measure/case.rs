//! One case while it is measured.

use std::sync::Arc;

use super::prerequisites::PrerequisiteFailure;
use super::references::References;
use super::stopping::Rule;
use super::{Step, records, summaries};
use crate::algorithms::{self, Algorithm, sampling};
use crate::backend::{Backend, Failure, Prepared, Sample};
use crate::experiment::{Case, SampleChoice, Stopping};
use crate::results::record::{
    FailureKind, Flag, ModelRecord, Phase, Record, StopReason, Summary, Wrong,
};
use crate::statistics;
use crate::work::View;
use crate::work::{
    CaseProfile, Device, HostBuffer, Inputs, LaunchCost, PhaseKind, Phases, Sampling, Work,
};

/// Maximum number of samples at a low clock that a case repeats.
const MOST_DISCARDS: u32 = 5;

/// A case between its warm-up and its end.
pub(super) struct Running {
    /// Its index in the group.
    pub(super) index: usize,
    case: Case,
    algorithm: &'static dyn Algorithm,
    work: Work,
    phases: Phases,
    prepared: Prepared,
    inputs: Inputs,
    reference: Arc<[HostBuffer]>,
    rule: Rule,
    samples: Samples,
    first_launch: f64,
}

/// The samples of a case, without discarded ones.
#[derive(Debug, Default)]
struct Samples {
    seconds: Vec<f64>,
    /// For each phase, its time in each sample.
    phases: Vec<Vec<f64>>,
    /// The clock of each sample, if it was read.
    clocks: Vec<u32>,
    discards: u32,
    throttled: bool,
    /// Why the driver limited the clock during throttled samples.
    throttle_reasons: Vec<&'static str>,
    unheld: bool,
}

/// A case at its end.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) record: Box<Record>,
    pub(super) view: Option<View>,
    /// What went on inside it, if the backend counts.
    pub(super) profile: Option<CaseProfile>,
    /// Why the device is lost, if it is.
    pub(super) lost: Option<String>,
}

impl Ended {
    fn new(record: Record, view: Option<View>) -> Self {
        Self { record: Box::new(record), view, profile: None, lost: None }
    }

    fn failed(case: &Case, backend: &dyn Backend, failure: &Failure) -> Self {
        let record = records::failed(case, backend.device(), failure);
        Self { record, view: None, profile: None, lost: records::lost(failure) }
    }

    fn without_prerequisite(
        case: &Case,
        backend: &dyn Backend,
        failed: &PrerequisiteFailure,
    ) -> Self {
        let record = records::without_prerequisite(case, backend.device(), failed);
        Self { record, view: None, profile: None, lost: records::lost(&failed.failure) }
    }
}

impl Running {
    /// Makes its input and reference, prepares it, runs a warm-up and checks its output. The case ends here if
    /// that fails, or if its time is predicted.
    pub(super) fn start(
        index: usize,
        case: &Case,
        stopping: &Stopping,
        backend: &mut dyn Backend,
        references: &mut References,
        announce: &mut dyn FnMut(Step),
    ) -> Result<Self, Ended> {
        let Some(algorithm) = algorithms::find(&case.algorithm) else {
            let message = format!("there is no algorithm `{}`", case.algorithm);
            let record =
                records::blamed(case, backend.device(), FailureKind::UnknownAlgorithm, message);
            return Err(Ended::new(*record, None));
        };
        if let Some(reason) = algorithm.missing_input(case) {
            let record = records::blamed(case, backend.device(), FailureKind::NoInput, reason);
            return Err(Ended::new(*record, None));
        }
        let work = algorithm.work(case);
        if let Some(ended) = sampled(case, algorithm, &work, backend, references) {
            return Err(ended);
        }
        let made = !references.has(algorithm, case);
        let by_kernel = algorithm.reference_case(case).is_some();
        if made {
            announce(Step::Making(index));
        }
        if made && by_kernel {
            // The time limit covers kernels, which may hang, but not other inputs.
            if !algorithm.produced_inputs(case).is_empty() {
                announce(Step::At(index));
            }
            // `of` returns the same failure below.
            drop(references.inputs(algorithm, case, backend));
            announce(Step::At(index));
        }
        let found = references.of(algorithm, case, backend);
        if made && !by_kernel {
            announce(Step::At(index));
        }
        let (inputs, reference) =
            found.map_err(|failed| Ended::without_prerequisite(case, backend, &failed))?;
        let before = backend.now();
        let prepared = backend
            .prepare(&work, &inputs)
            .map_err(|failure| Ended::failed(case, backend, &failure))?;
        let mut running = Self {
            index,
            case: case.clone(),
            algorithm,
            phases: work.phases(),
            work,
            prepared,
            inputs,
            reference,
            rule: Rule::new(*stopping),
            samples: Samples::default(),
            first_launch: 0.0,
        };
        let ended = match backend.sample(prepared) {
            Err(failure) => Some(Ended::failed(case, backend, &failure)),
            Ok(_) if backend.repeats() => {
                running.first_launch = backend.now() - before;
                running.check(backend).err()
            }
            Ok(sample) => Some(running.predicted(&sample, backend)),
        };
        match ended {
            None => Ok(running),
            Some(ended) => {
                running.release(backend);
                Err(ended)
            }
        }
    }

    /// Takes one more sample. The case ends when the stopping rule is met.
    pub(super) fn turn(&mut self, backend: &mut dyn Backend) -> Option<Ended> {
        let before = backend.now();
        let sample = match backend.sample(self.prepared) {
            Ok(sample) => sample,
            Err(failure) => return Some(Ended::failed(&self.case, backend, &failure)),
        };
        let wall = backend.now() - before;
        if sample.throttled {
            for reason in backend.throttle_reasons() {
                if !self.samples.throttle_reasons.contains(&reason) {
                    self.samples.throttle_reasons.push(reason);
                }
            }
        }
        if sample.throttled && self.samples.discards < MOST_DISCARDS {
            self.samples.discards += 1;
            self.rule.discarded(wall);
            return None;
        }
        self.rule.sampled(sample.seconds, wall);
        self.samples.push(&sample);
        let reason = self.rule.enough()?;
        Some(match self.check(backend) {
            Ok(view) => Ended::new(self.measured(backend, reason), view),
            Err(ended) => ended,
        })
    }

    /// Frees its memory in the backend.
    pub(super) fn release(self, backend: &mut dyn Backend) {
        backend.release(self.prepared);
    }

    /// Compares the output of the last sample with the reference.
    fn check(&self, backend: &mut dyn Backend) -> Result<Option<View>, Ended> {
        let (algorithm, case, inputs) = (self.algorithm, &self.case, &self.inputs);
        let outputs: Vec<HostBuffer> = algorithm
            .outputs(case)
            .into_iter()
            .map(|buffer| backend.read(self.prepared, buffer))
            .collect::<Result<_, _>>()
            .map_err(|failure| Ended::failed(case, backend, &failure))?;
        let view = algorithm.view(case, inputs, &outputs);
        let Err(mismatch) = algorithm.verify(case, inputs, &self.reference, &outputs) else {
            return Ok(view);
        };
        let mut record = records::blank(&self.case, backend.device());
        record.verified = Some(false);
        let wrong = Wrong {
            kernel: self.work.launches().last().map(|launch| launch.kernel.clone()),
            index: Some(mismatch.index),
            expected: Some(mismatch.expected.clone()),
            got: Some(mismatch.got.clone()),
            ..Wrong::new(FailureKind::WrongAnswer, mismatch.to_string())
        };
        record.wrong = Some(wrong.into());
        Err(Ended::new(record, view))
    }

    /// The record of a verified case.
    fn measured(&self, backend: &dyn Backend, reason: StopReason) -> Record {
        let mut record = records::blank(&self.case, backend.device());
        let samples = &self.samples;
        record.seconds = summaries::summary(&samples.seconds);
        record.outliers = summaries::outliers(&samples.seconds).map(Box::new);
        record.end_to_end = self.end_to_end().map(Box::new);
        let (clocks, reasons) = (samples.clocks.clone(), &samples.throttle_reasons);
        record.clock = summaries::clock(clocks, backend.highest_clock(), reasons).map(Box::new);
        record.device_baseline = backend.device_baseline().map(Box::new);
        record.stop_reason = Some(reason);
        record.discards = self.samples.discards;
        record.first_launch = Some(self.first_launch);
        let medians = samples.phases.iter().filter_map(|times| statistics::median(times));
        record.phases = phase_records(&self.phases, medians);
        record.verified = Some(true);
        if self.samples.throttled {
            record.flags.push(Flag::Throttled);
        }
        if self.samples.unheld {
            record.flags.push(Flag::Unheld);
        }
        record
    }

    /// The end of a case with a predicted time, after its only run.
    fn predicted(&self, sample: &Sample, backend: &mut dyn Backend) -> Ended {
        let view = match self.check(backend) {
            Ok(view) => view,
            Err(ended) => return ended,
        };
        let mut record = predicted(&self.case, &self.phases, sample, backend.device());
        record.verified = Some(true);
        Ended { profile: sample.profile.clone(), ..Ended::new(record, view) }
    }

    /// Kernels, host stages and copies, summed for each sample; `None` if there are
    /// only kernels.
    fn end_to_end(&self) -> Option<Summary> {
        let names = self.phases.names.iter().zip(&self.samples.phases);
        let others: Vec<&Vec<f64>> = names
            .filter(|(name, _)| name.kind != PhaseKind::Kernel)
            .map(|(_, times)| times)
            .collect();
        if others.is_empty() {
            return None;
        }
        let kernels = self.samples.seconds.iter().enumerate();
        let whole: Vec<f64> = kernels
            .map(|(index, kernels)| {
                kernels + others.iter().filter_map(|times| times.get(index)).sum::<f64>()
            })
            .collect();
        summaries::summary(&whole)
    }
}

fn phase_records(phases: &Phases, seconds: impl Iterator<Item = f64>) -> Box<[Phase]> {
    let names = phases.names.iter().zip(seconds);
    names
        .map(|(phase, seconds)| Phase {
            name: phase.name.as_str().into(),
            kind: phase.kind,
            seconds,
        })
        .collect()
}

/// The record of a predicted time, not verified yet.
fn predicted(case: &Case, phases: &Phases, sample: &Sample, device: &Device) -> Record {
    let mut record = records::blank(case, device);
    record.seconds = Some(Summary::of(sample.seconds));
    record.stop_reason = Some(StopReason::Single);
    record.phases = phase_records(phases, sample.phases.iter().copied());
    if device.modelled && !device.validated {
        record.flags.push(Flag::Unvalidated);
    }
    if sample.prediction.as_ref().is_some_and(|it| !it.extrapolated.is_empty()) {
        record.flags.push(Flag::Extrapolated);
    }
    if sample.schedule_dependent {
        record.flags.push(Flag::ScheduleDependent);
    }
    if sample.registers_estimated {
        record.flags.push(Flag::RegistersEstimated);
    }
    record.counters.clone_from(&sample.counters);
    let model = sample.prediction.as_ref().map(|prediction| ModelRecord {
        bound_by: prediction.bound_by.into(),
        parts: prediction.parts.iter().map(|(&part, &seconds)| (part, seconds)).collect(),
        occupancy: prediction.occupancy,
        occupancy_limit: prediction.occupancy_limit.as_str().into(),
        left_open: prediction.left_open,
        extrapolated: prediction.extrapolated.iter().map(|&it| it.into()).collect(),
        launches: prediction.launches.iter().cloned().map(LaunchCost::rounded).collect(),
    });
    record.model = model.map(Box::new);
    record.seconds_wall = sample.wall;
    record
}

/// The end of a case that runs a sample of its blocks, because the user asks for it or
/// because all blocks do not fit; `None` if all blocks run.
fn sampled(
    case: &Case,
    algorithm: &'static dyn Algorithm,
    work: &Work,
    backend: &mut dyn Backend,
    references: &mut References,
) -> Option<Ended> {
    let choice = backend.sample_choice();
    if choice == SampleChoice::Never {
        return None;
    }
    let fits = backend.holds(work.bytes());
    let operations = algorithm.operations(case);
    // The operations of a user's kernel are unknown. Such a kernel has another one as its reference.
    let is_own = algorithm.reference_case(case).is_some() && operations >= 1 << 14;
    let many = operations > sampling::MANY_OPERATIONS
        || choice == SampleChoice::Auto && fits && is_own && {
            let inputs = references.inputs(algorithm, case, backend);
            let all = inputs.ok().and_then(|it| backend.thread_instructions(work, &it));
            all.is_some_and(|all| all > sampling::MANY_INSTRUCTIONS)
        };
    if choice == SampleChoice::Auto && fits && !many {
        return None;
    }
    let mut allowed = algorithm.sampling(case);
    if let Sampling::Unknown(inputs) = &mut allowed {
        match references.inputs(algorithm, case, backend) {
            Ok(made) => *inputs = made,
            Err(failed) => return Some(Ended::without_prerequisite(case, backend, &failed)),
        }
        if let Some(reason) = backend.depends_on_blocks(work) {
            allowed = Sampling::Refused(reason);
        }
    }
    if let Sampling::Refused(reason) = allowed {
        if choice == SampleChoice::Auto && fits {
            return None;
        }
        let why = if fits { "" } else { "it takes more memory than this machine has free, and " };
        let reason = format!("{why}{} cannot be sampled: {reason}", case.algorithm);
        return Some(Ended::new(*records::skipped(case, backend.device(), &reason), None));
    }
    Some(match backend.run_sampled(work, &allowed) {
        Err(failure) => Ended::failed(case, backend, &failure),
        Ok(sample) => {
            let mut record = predicted(case, &work.phases(), &sample, backend.device());
            record.flags.push(Flag::Sampled);
            Ended { profile: sample.profile, ..Ended::new(record, None) }
        }
    })
}

impl Samples {
    fn push(&mut self, sample: &Sample) {
        self.seconds.push(sample.seconds);
        self.phases.resize(sample.phases.len(), Vec::new());
        for (times, &seconds) in self.phases.iter_mut().zip(&sample.phases) {
            times.push(seconds);
        }
        self.clocks.extend(sample.clock);
        self.throttled |= sample.throttled;
        self.unheld |= sample.unheld;
    }
}
