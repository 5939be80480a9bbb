//! Inputs and references, kept from one group to the next.

use std::collections::HashMap;
use std::sync::Arc;

use crate::algorithms::Algorithm;
use crate::experiment::Case;
use crate::work::{HostBuffer, Inputs};

/// The last input and its references. A plan runs all cases of an input before the
/// next input.
#[derive(Debug, Default)]
pub(super) struct References {
    key: String,
    inputs: Inputs,
    by_key: HashMap<String, Arc<[HostBuffer]>>,
}

fn input_key(algorithm: &'static dyn Algorithm, case: &Case) -> String {
    format!("{} {}", algorithm.name(), algorithm.input_key(case))
}

impl References {
    /// Whether the input and the reference of `case` are in the cache.
    pub(super) fn has(&self, algorithm: &'static dyn Algorithm, case: &Case) -> bool {
        self.key == input_key(algorithm, case)
            && self.by_key.contains_key(&algorithm.reference_key(case))
    }

    /// The input and the reference of `case`, from the cache if possible.
    pub(super) fn of(
        &mut self,
        algorithm: &'static dyn Algorithm,
        case: &Case,
    ) -> (Inputs, Arc<[HostBuffer]>) {
        let key = input_key(algorithm, case);
        if self.key != key {
            // Freed first: two large inputs may not fit into memory.
            self.inputs.clear();
            self.by_key.clear();
            self.inputs = algorithm.inputs(case);
            self.key = key;
        }
        let reference = self
            .by_key
            .entry(algorithm.reference_key(case))
            .or_insert_with(|| algorithm.reference(case, &self.inputs).into());
        (self.inputs.clone(), Arc::clone(reference))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms;
    use crate::experiment::{Experiment, ParamValue, Sizes};
    use crate::runner::plan;
    use crate::work::Limits;

    #[test]
    fn inputs_are_made_once_and_references_belong_to_them() {
        let experiment = Experiment {
            sizes: Sizes::range(10, 20, 2),
            params: [("bins".to_owned(), vec![ParamValue::Int(2), ParamValue::Int(8)])].into(),
            ..Experiment::default()
        };
        let limits = Limits {
            compute_capability: 90,
            threads_per_block: 1024,
            shared_per_block: 1 << 16,
            registers_per_sm: 1 << 16,
            memory: 1 << 30,
        };
        let plan = plan::plan(&experiment, &limits).unwrap_or_default();
        let algorithm = algorithms::ALL[0];
        let mut references = References::default();
        let mut seen = Vec::new();
        for planned in plan.cases() {
            let had = references.has(algorithm, &planned.case);
            let (inputs, reference) = references.of(algorithm, &planned.case);
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
