//! One case under the sanitizer, compared with its reference.

use serde::{Deserialize, Serialize};

use super::Measurer;
use crate::algorithms::Algorithm;
use crate::backend::Backend;
use crate::experiment::Case;
use crate::results::record::FailureKind;
use crate::work::{Finding, HostBuffer, Inputs};

/// What a check of one case says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// What is wrong with its kernel, by line; nothing if it is sound.
    Checked(Vec<Finding>),
    /// Why it could not be checked.
    Unchecked(String),
}

impl Measurer {
    /// Runs `case` once under the sanitizer of `backend`, and compares its output with the
    /// reference if nothing else is wrong. A reference kernel runs under the sanitizer too,
    /// for its limit of instructions. The case has no obstacle. `None` if the backend has
    /// no sanitizer.
    pub fn check(
        &mut self,
        backend: &mut dyn Backend,
        algorithm: &'static dyn Algorithm,
        case: &Case,
    ) -> Option<Verdict> {
        if let Some(reason) = algorithm.missing_input(case) {
            return Some(Verdict::Unchecked(reason));
        }
        let work = algorithm.work(case);
        let inputs = match self.references.inputs(algorithm, case, backend) {
            Ok(inputs) => inputs,
            Err(failed) => return Some(Verdict::Unchecked(failed.to_string())),
        };
        let checked = match backend.check(&work, &inputs, &algorithm.outputs(case))? {
            Ok(checked) => checked,
            Err(failure) => return Some(Verdict::Unchecked(failure.to_string())),
        };
        if !checked.findings.is_empty() {
            return Some(Verdict::Checked(checked.findings));
        }
        // A partial output cannot be compared. The run compares the whole output later.
        if checked.partial {
            return Some(Verdict::Checked(Vec::new()));
        }
        let reference = match self.small_reference(backend, algorithm, case, &inputs) {
            Ok(Some(reference)) => reference,
            Ok(None) => return Some(Verdict::Checked(Vec::new())),
            Err(reason) => return Some(Verdict::Unchecked(reason)),
        };
        let verified = algorithm.verify(case, &inputs, &reference, &checked.outputs);
        let finding = verified.err().map(|mismatch| {
            let kernel = work.launches().last().map_or("", |launch| launch.kernel.as_str());
            let text = mismatch.to_string();
            Finding::new(FailureKind::WrongAnswer, kernel, text).at(checked.place)
        });
        Some(Verdict::Checked(finding.into_iter().collect()))
    }

    /// The reference of a small case; `None` if its kernel ran in part. The error is a sentence.
    fn small_reference(
        &mut self,
        backend: &mut dyn Backend,
        algorithm: &'static dyn Algorithm,
        case: &Case,
        inputs: &Inputs,
    ) -> Result<Option<Vec<HostBuffer>>, String> {
        let Some(reference) = algorithm.reference_case(case) else {
            let found = self.references.of(algorithm, case, backend);
            return found.map(|it| Some(it.1.to_vec())).map_err(|it| it.failure.to_string());
        };
        let failed = |why: &dyn std::fmt::Display| {
            Err(format!("the reference kernel {} failed: {why}", reference.variant))
        };
        if let Some(reason) = algorithm.obstacle(&reference) {
            return failed(&reason);
        }
        let (work, outputs) = (algorithm.work(&reference), algorithm.outputs(&reference));
        match (backend.check(&work, inputs, &outputs), outputs.len()) {
            (Some(Ok(checked)), _) if checked.partial => Ok(None),
            (Some(Ok(checked)), all) if checked.outputs.len() == all => Ok(Some(checked.outputs)),
            (Some(Ok(checked)), _) => match checked.findings.last() {
                Some(finding) => failed(finding),
                None => failed(&"it has no output"),
            },
            (Some(Err(failure)), _) => failed(&failure),
            (None, _) => failed(&"it cannot be checked"),
        }
    }
}
