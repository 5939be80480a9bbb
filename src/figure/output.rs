//! The output of a case as a figure: what its algorithm's view shows, what that
//! says in words, and how long each phase took.

use super::command::command_of;
use super::picture::sources;
use crate::algorithms;
use crate::experiment::Case;
use crate::results::record::{Phase, Record};
use crate::units::Elements;
use crate::work::view::{Facts, View};

/// The output of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// Algorithm, kind of view, case.
    pub title: String,
    /// Parameters, input, seed.
    pub subtitle: String,
    /// What computed it, what it says, where the phases' times come from.
    pub caption: String,
    /// The command that runs the case.
    pub command: String,
    /// What is drawn.
    pub view: View,
    /// How long each part of the case took; drawn where there are several.
    pub phases: Vec<Phase>,
}

/// What computed an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The CPU: the reference of a case that nothing ran.
    Reference,
    /// The CPU; the kernel's output was found equal to it.
    EqualReference,
    /// A kernel; equal to the reference.
    Verified,
    /// A kernel; not equal to the reference.
    Wrong,
    /// A kernel; not compared.
    Unchecked,
}

impl Origin {
    /// In words.
    fn words(self) -> &'static str {
        match self {
            Self::Reference => "computed by the CPU reference; no kernel has run",
            Self::EqualReference => {
                "computed by the CPU reference, which the kernel's output was equal to"
            }
            Self::Verified => "computed by the kernel, equal to the CPU reference",
            Self::Wrong => "computed by the kernel: WRONG, not equal to the CPU reference",
            Self::Unchecked => "computed by the kernel, not compared with the CPU reference",
        }
    }
}

impl Output {
    /// The output `view` of `case`; `record` is what was measured of it.
    pub fn of(view: View, case: &Case, origin: Origin, record: Option<&Record>) -> Self {
        let params = case.params.iter().map(|(name, value)| format!("{name} {value}"));
        let mut shared: Vec<String> =
            vec![format!("{} · block {} · coarsening {}", case.variant, case.block, case.coarsen)];
        shared.extend(params);
        shared.push(format!("input {} · seed {}", case.dist, case.seed));
        // What is known of the numbers first: a narrow picture cuts the end off.
        let mut caption = vec![origin.words().to_owned()];
        caption.extend(record.map(|record| format!("times {}", sources(&[record]))));
        caption.push(said(&view.facts()));
        Self {
            title: format!("{}: {} at n = {}", case.algorithm, view.name(), Elements(case.n)),
            subtitle: shared.join(" · "),
            caption: caption.join("; "),
            command: command_of(case, record),
            phases: record.map(|record| record.phases.clone()).unwrap_or_default(),
            view,
        }
    }

    /// What the view says, and the phases.
    pub(super) fn in_words(&self) -> String {
        let phases = self
            .phases
            .iter()
            .map(|phase| format!(" {} {}.", phase.name, crate::units::Seconds(phase.seconds)));
        format!("{}.{}", said(&self.view.facts()), phases.collect::<String>())
    }
}

/// `fullest: bin 3 with 12, emptiest: …`
fn said(facts: &Facts) -> String {
    facts.iter().map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>().join(", ")
}

/// Elements, and operations, of a case beyond which the CPU takes longer to
/// compute its output than a picture is worth: about a second.
const MOST: (u64, u64) = (1 << 22, 1 << 31);

/// Of `records` the one whose output is worth a picture and can be computed
/// again on this CPU: the largest that was verified; of equals the fastest.
pub fn select(records: &[Record]) -> Option<&Record> {
    let fits = |record: &&Record| record.n <= MOST.0 && record.flops <= MOST.1;
    records.iter().filter(|record| record.verified == Some(true)).filter(fits).max_by(|a, b| {
        let time = |record: &Record| record.median().unwrap_or(f64::INFINITY);
        a.n.cmp(&b.n).then(time(b).total_cmp(&time(a)))
    })
}

/// What the CPU computes for `case`, if its algorithm has a view and this
/// machine its input. Takes memory and time for every element.
pub fn reference(case: &Case) -> Option<View> {
    let algorithm = algorithms::find(&case.algorithm)?;
    if algorithm.missing_input(case).is_some() {
        return None;
    }
    let inputs = algorithm.inputs(case);
    let reference = algorithm.reference(case, &inputs);
    algorithm.view(case, &inputs, &reference)
}
