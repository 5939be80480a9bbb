//! Kernels that must run before a case: those that produce its inputs, and its reference.

use std::fmt;
use std::sync::Arc;

use crate::algorithms::{Algorithm, Produced, sampling};
use crate::backend::{Backend, Failure, Prepared};
use crate::experiment::{Case, SampleChoice};
use crate::results::record::FailureKind;
use crate::units::significant;
use crate::work::{HostBuffer, Inputs};

/// What a case needs another kernel for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Its output is the expected one.
    Reference,
    /// It produces an input.
    Input,
    /// It would produce an input, but not within seconds.
    TooLong,
}

impl Role {
    /// The kind of failure of a case whose prerequisite fails.
    pub(super) fn kind(self) -> FailureKind {
        match self {
            Self::Reference => FailureKind::NoReference,
            Self::Input | Self::TooLong => FailureKind::NoInput,
        }
    }
}

/// A prerequisite that failed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PrerequisiteFailure {
    pub(super) role: Role,
    /// The variant.
    pub(super) kernel: String,
    /// What went wrong.
    pub(super) failure: Failure,
}

impl PrerequisiteFailure {
    fn too_long(case: &Case, count: u64) -> Self {
        let reason = format!(
            "it executes about {} thread instructions; try a smaller n, or `--sample never`",
            significant(count as f64)
        );
        Self { role: Role::TooLong, kernel: case.variant.clone(), failure: Failure::Load(reason) }
    }
}

impl fmt::Display for PrerequisiteFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { role, kernel, failure } = self;
        match role {
            Role::Reference => write!(f, "the reference kernel {kernel}")?,
            Role::Input | Role::TooLong => {
                write!(f, "the kernel {kernel}, which must run first,")?;
            }
        }
        match failure {
            Failure::Load(reason) if *role == Role::TooLong => {
                write!(f, " takes too long on the emulator: {reason}")
            }
            Failure::Trap(trap) => write!(f, " trapped: {trap}"),
            other => write!(f, " cannot run: {other}"),
        }
    }
}

/// The inputs of `case`. Kernels that produce some of them run on `backend`.
pub(crate) fn inputs(
    algorithm: &dyn Algorithm,
    case: &Case,
    backend: &mut dyn Backend,
) -> Result<Inputs, PrerequisiteFailure> {
    made(algorithm, case, backend, &mut Vec::new())
}

/// A buffer that a case has produced.
type Known = (Case, usize, Arc<HostBuffer>);

/// The same, with what has been produced so far: two kernels may read one buffer.
fn made(
    algorithm: &dyn Algorithm,
    case: &Case,
    backend: &mut dyn Backend,
    known: &mut Vec<Known>,
) -> Result<Inputs, PrerequisiteFailure> {
    let mut inputs = algorithm.inputs(case);
    for Produced { input, case, buffer } in algorithm.produced_inputs(case) {
        let of_it = |it: &&Known| it.0 == case && it.1 == buffer;
        let found = if let Some((.., found)) = known.iter().find(of_it) {
            Arc::clone(found)
        } else {
            let before = made(algorithm, &case, backend, known)?;
            if backend.sample_choice() == SampleChoice::Auto
                && let Some(count) = backend.thread_instructions(&algorithm.work(&case), &before)
                && count > sampling::MOST_PRODUCING
            {
                return Err(PrerequisiteFailure::too_long(&case, count));
            }
            let found = outputs(algorithm, &case, &before, backend, &[buffer]);
            let found = found.map_err(|failure| PrerequisiteFailure {
                role: Role::Input,
                kernel: case.variant.clone(),
                failure,
            })?;
            let found = found.into_iter().next().unwrap_or(HostBuffer::U8(Vec::new()));
            let found = Arc::new(found);
            known.push((case, buffer, Arc::clone(&found)));
            found
        };
        if let Some(place) = inputs.get_mut(input) {
            *place = found;
        }
    }
    Ok(inputs)
}

/// Runs `case` once and reads these buffers.
pub(super) fn outputs(
    algorithm: &dyn Algorithm,
    case: &Case,
    inputs: &Inputs,
    backend: &mut dyn Backend,
    buffers: &[usize],
) -> Result<Vec<HostBuffer>, Failure> {
    if let Some(reason) = algorithm.obstacle(case) {
        return Err(Failure::Load(reason));
    }
    let prepared = backend.prepare(&algorithm.work(case), inputs)?;
    let read = |backend: &mut dyn Backend, prepared: Prepared| {
        backend.sample(prepared)?;
        buffers.iter().map(|&buffer| backend.read(prepared, buffer)).collect()
    };
    let outputs = read(backend, prepared);
    backend.release(prepared);
    outputs
}
