//! Kernels that have to run before a case: those that leave its inputs, and its reference.

use std::fmt;
use std::sync::Arc;

use crate::algorithms::Algorithm;
use crate::backend::{Backend, Failure, Prepared};
use crate::experiment::Case;
use crate::results::record::FailureKind;
use crate::work::{HostBuffer, Inputs};

/// What a case needs another kernel for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Its output is the right one.
    Reference,
    /// It leaves what the case reads.
    Input,
}

impl Role {
    /// What is wrong with a case without it.
    pub(super) fn kind(self) -> FailureKind {
        match self {
            Self::Reference => FailureKind::NoReference,
            Self::Input => FailureKind::NoInput,
        }
    }
}

/// A kernel that has to run first and has no result.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FirstFailure {
    pub(super) role: Role,
    /// The variant.
    pub(super) kernel: String,
    /// What went wrong.
    pub(super) failure: Failure,
}

impl fmt::Display for FirstFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { role, kernel, failure } = self;
        match role {
            Role::Reference => write!(f, "the reference kernel {kernel}")?,
            Role::Input => write!(f, "the kernel {kernel}, which has to run first,")?,
        }
        match failure {
            Failure::Trap(trap) => write!(f, " trapped: {trap}"),
            other => write!(f, " cannot run: {other}"),
        }
    }
}

/// The inputs of `case`. Kernels that leave some of them run on `backend`.
pub(crate) fn inputs(
    algorithm: &dyn Algorithm,
    case: &Case,
    backend: &mut dyn Backend,
) -> Result<Inputs, FirstFailure> {
    let mut inputs = algorithm.inputs(case);
    let mut left = algorithm.left_before(case);
    while let Some(first) = left.first().map(|it| it.case.clone()) {
        let of_it: Vec<_> = left.extract_if(.., |it| it.case == first).collect();
        let before = self::inputs(algorithm, &first, backend)?;
        let buffers: Vec<usize> = of_it.iter().map(|it| it.buffer).collect();
        let found = outputs(algorithm, &first, &before, backend, &buffers);
        let failed = |failure| FirstFailure { role: Role::Input, kernel: first.variant, failure };
        for (left, found) in of_it.iter().zip(found.map_err(failed)?) {
            if let Some(input) = inputs.get_mut(left.input) {
                *input = Arc::new(found);
            }
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
