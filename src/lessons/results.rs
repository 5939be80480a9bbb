//! The records that a lesson's values are computed from.

use std::collections::BTreeMap;

use crate::analysis::explain::Subject;
use crate::experiment::Case;
use crate::results::record::Record;

/// One case with its time and its counters.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The result: measured, recorded or modelled.
    pub record: Box<Record>,
    /// The emulator's result for the same case, where the record has no counters of its own.
    pub counted: Option<Box<Record>>,
}

impl Measured {
    /// The case for [`crate::analysis::explain`].
    pub fn subject(&self) -> Subject<'_> {
        let own = Subject::from(&*self.record);
        Subject { counted: own.counted.or(self.counted.as_deref()), ..own }
    }
}

/// Results by case.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Results {
    cases: BTreeMap<String, Measured>,
}

impl Results {
    /// Takes a result. A later one of the same case replaces it.
    pub fn add(&mut self, record: Box<Record>) {
        let key = key(&record.case());
        let counted = self.cases.remove(&key).and_then(|before| before.counted);
        self.cases.insert(key, Measured { record, counted });
    }

    /// Takes the emulator's counters of a case whose result is here.
    pub fn count(&mut self, counted: Box<Record>) {
        if let Some(measured) = self.cases.get_mut(&key(&counted.case())) {
            measured.counted = Some(counted);
        }
    }

    /// The result of a case.
    pub fn get(&self, case: &Case) -> Option<&Measured> {
        self.cases.get(&key(case))
    }

    /// The records of these cases, in their order.
    pub fn records<'a>(
        &'a self,
        cases: impl IntoIterator<Item = &'a Case>,
    ) -> impl Iterator<Item = &'a Record> {
        cases.into_iter().filter_map(|case| Some(&*self.get(case)?.record))
    }

    /// Every case.
    pub fn all(&self) -> impl Iterator<Item = &Measured> {
        self.cases.values()
    }

    /// Number of cases.
    pub fn len(&self) -> usize {
        self.cases.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }
}

/// What tells a case from others. The text of a case rounds no number.
pub(super) fn key(case: &Case) -> String {
    format!("{case} {}", case.seed)
}
