//! Inputs and references, kept from one group to the next.

use std::collections::HashMap;
use std::sync::Arc;

use super::prerequisites::{self, PrerequisiteFailure, Role};
use crate::algorithms::Algorithm;
use crate::backend::Backend;
use crate::experiment::Case;
use crate::work::{HostBuffer, Inputs};

/// The last input and its references. A plan runs all cases of an input before the
/// next input.
#[derive(Debug)]
pub(super) struct References {
    key: String,
    inputs: Result<Inputs, PrerequisiteFailure>,
    by_key: HashMap<String, Reference>,
}

impl Default for References {
    fn default() -> Self {
        Self { key: String::new(), inputs: Ok(Inputs::new()), by_key: HashMap::new() }
    }
}

/// The right outputs of a case, or why the kernel that computes them failed.
pub(super) type Reference = Result<Arc<[HostBuffer]>, PrerequisiteFailure>;

fn input_key(algorithm: &'static dyn Algorithm, case: &Case) -> String {
    format!("{} {}", algorithm.name(), algorithm.input_key(case))
}

/// Two cases with the same key have the same reference.
fn reference_key(algorithm: &'static dyn Algorithm, case: &Case) -> String {
    match algorithm.reference_case(case) {
        Some(reference) => format!("kernel {reference}"),
        None => algorithm.reference_key(case),
    }
}

impl References {
    /// Whether the input and the reference of `case` are in the cache.
    pub(super) fn has(&self, algorithm: &'static dyn Algorithm, case: &Case) -> bool {
        self.key == input_key(algorithm, case)
            && self.by_key.contains_key(&reference_key(algorithm, case))
    }

    /// The input of `case`, from the cache if possible. Kernels that leave some of it run on
    /// `backend`.
    pub(super) fn inputs(
        &mut self,
        algorithm: &'static dyn Algorithm,
        case: &Case,
        backend: &mut dyn Backend,
    ) -> Result<Inputs, PrerequisiteFailure> {
        let key = input_key(algorithm, case);
        if self.key != key {
            // Freed first: two large inputs may not fit into memory.
            self.inputs = Ok(Inputs::new());
            self.by_key.clear();
            self.inputs = prerequisites::inputs(algorithm, case, backend);
            self.key = key;
        }
        self.inputs.clone()
    }

    /// The input and the reference of `case`, from the cache if possible. If a kernel
    /// computes the reference, it runs on `backend`.
    pub(super) fn of(
        &mut self,
        algorithm: &'static dyn Algorithm,
        case: &Case,
        backend: &mut dyn Backend,
    ) -> Result<(Inputs, Arc<[HostBuffer]>), PrerequisiteFailure> {
        let inputs = self.inputs(algorithm, case, backend)?;
        let reference = self
            .by_key
            .entry(reference_key(algorithm, case))
            .or_insert_with(|| match algorithm.reference_case(case) {
                None => Ok(algorithm.reference(case, &inputs).into()),
                Some(reference) => {
                    let buffers = algorithm.outputs(&reference);
                    prerequisites::outputs(algorithm, &reference, &inputs, backend, &buffers)
                        .map(Into::into)
                        .map_err(|failure| PrerequisiteFailure {
                            role: Role::Reference,
                            kernel: reference.variant,
                            failure,
                        })
                }
            })
            .clone();
        Ok((inputs, reference?))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::algorithms::{self, Spec, Traffic, histogram::Histogram};
    use crate::backend::scripted::{self, Scripted};
    use crate::experiment::{Experiment, ParamValue, Sizes};
    use crate::runner::plan;
    use crate::work::{View, Work};

    /// A histogram whose right answer is that of the kernel `shared`.
    struct ByKernel;

    impl Algorithm for ByKernel {
        fn spec(&self) -> &'static Spec {
            Histogram.spec()
        }

        fn work(&self, case: &Case) -> Work {
            Histogram.work(case)
        }

        fn reference_case(&self, case: &Case) -> Option<Case> {
            Some(Case { variant: "shared".to_owned(), block: 64, coarsen: 1, ..case.clone() })
        }

        fn reference(&self, _: &Case, _: &Inputs) -> Vec<HostBuffer> {
            Vec::new()
        }

        fn outputs(&self, case: &Case) -> Vec<usize> {
            Histogram.outputs(case)
        }

        fn traffic(&self, case: &Case) -> Traffic {
            Histogram.traffic(case)
        }

        fn view(&self, _: &Case, _: &Inputs, _: &[HostBuffer]) -> Option<View> {
            None
        }
    }

    /// A case of `global` with this number of bins.
    fn case(bins: u64, block: u32) -> Case {
        let params = [("bins", ParamValue::Int(bins)), ("binning", "modulo".parse().unwrap())];
        Case {
            algorithm: "histogram".to_owned(),
            variant: "global".to_owned(),
            block,
            coarsen: 1,
            n: 100,
            params: params.map(|(name, value)| (name.to_owned(), value)).into(),
            dist: crate::experiment::Distribution::Iota,
            seed: 7,
        }
    }

    #[test]
    fn a_kernel_computes_the_reference_once_for_all_shapes() {
        let (mut backend, mut references) = (Scripted::open(0), References::default());
        let (inputs, reference) = references.of(&ByKernel, &case(8, 32), &mut backend).unwrap();
        assert_eq!(*reference, Histogram.reference(&case(8, 32), &inputs));
        assert!(
            references.has(&ByKernel, &case(8, 256)) && !references.has(&ByKernel, &case(9, 32))
        );
        let (_, again) = references.of(&ByKernel, &case(8, 256), &mut backend).unwrap();
        assert!(Arc::ptr_eq(&reference, &again));
    }

    #[test]
    fn a_reference_kernel_that_traps_is_named() {
        let (mut backend, mut references) = (Scripted::open(0), References::default());
        for _ in 0..2 {
            let failed = references.of(&ByKernel, &case(scripted::TRAP, 32), &mut backend);
            let failed = failed.unwrap_err();
            assert_eq!(failed.kernel, "shared");
            let record = |variant: &str| {
                let case = Case { variant: variant.to_owned(), ..case(scripted::TRAP, 32) };
                super::super::records::without_prerequisite(&case, backend.device(), &failed)
            };
            let wrong = record("global").wrong.unwrap();
            assert_eq!(wrong.kind, "no-reference");
            let says = "the reference kernel shared trapped: ";
            assert!(wrong.message.starts_with(says), "{}", wrong.message);
            assert!(wrong.line.is_some() && !record("global").settles());
            // The reference kernel itself has the trap as its result.
            let own = record("shared");
            assert!(own.settles() && !own.wrong.unwrap().message.starts_with(says));
        }
    }

    #[test]
    fn inputs_are_made_once_and_references_belong_to_them() {
        let experiment = Experiment {
            sizes: Sizes::range(10, 20, 2),
            variants: ["global", "shared"].map(str::to_owned).to_vec(),
            params: [("bins".to_owned(), vec![ParamValue::Int(2), ParamValue::Int(8)])].into(),
            ..Experiment::default()
        };
        let mut backend = Scripted::open(0);
        let plan = plan::plan(&experiment, &backend.device().limits).unwrap();
        let algorithm = algorithms::find("histogram").unwrap();
        let mut references = References::default();
        let mut seen = Vec::new();
        for planned in plan.cases() {
            let had = references.has(algorithm, &planned.case);
            let (inputs, reference) =
                references.of(algorithm, &planned.case, &mut backend).unwrap();
            assert!(references.has(algorithm, &planned.case));
            assert_eq!(had, seen.iter().any(|(_, seen)| Arc::ptr_eq(seen, &reference)));
            let counted: u32 = reference[0].as_u32().map_or(0, |bins| bins.iter().sum());
            assert_eq!(u64::from(counted), planned.case.n);
            assert_eq!(Some(reference[0].len() as u64), planned.case.int("bins"));
            seen.push((Arc::clone(&inputs[0]), reference));
        }
        let same = |a: usize, b: usize| {
            (Arc::ptr_eq(&seen[a].0, &seen[b].0), Arc::ptr_eq(&seen[a].1, &seen[b].1))
        };
        // Two variants, two numbers of bins, two sizes.
        assert_eq!(same(0, 1), (true, true));
        assert_eq!(same(0, 2), (true, false));
        assert_eq!(same(0, 4), (false, false));
    }
}
