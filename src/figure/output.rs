//! The output of a case as a figure: the data of its view, its facts, and the
//! times of its phases.

use super::command::{self, command_of};
use super::facts::{facts, sentence};
use super::picture::sources;
use crate::algorithms;
use crate::experiment::Case;
use crate::results::record::{Outcome, Phase, Record};
use crate::units::Elements;
use crate::work::View;

/// The output of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// Algorithm, kind of view, case.
    pub title: String,
    /// Parameters, input, seed.
    pub subtitle: String,
    /// What computed it, provenance of the times, facts.
    pub caption: String,
    /// The commands that run the case and draw its output, one per line.
    pub command: String,
    /// What is drawn.
    pub view: View,
    /// Time of each phase; drawn where there are several.
    pub phases: Vec<Phase>,
}

/// What computed an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The CPU: the reference of a case that no kernel ran.
    Reference,
    /// The CPU; the kernel's output was equal.
    EqualReference,
    /// A kernel; equal to the reference.
    Verified,
    /// A kernel; not equal to the reference.
    Wrong,
    /// A kernel; not compared.
    Unchecked,
}

impl Origin {
    /// The origin of a kernel's output by the outcome of its case; none if the
    /// case was skipped.
    pub fn of(outcome: Outcome) -> Option<Self> {
        match outcome {
            Outcome::Verified => Some(Self::Verified),
            Outcome::Wrong => Some(Self::Wrong),
            Outcome::Unchecked => Some(Self::Unchecked),
            Outcome::Failed | Outcome::Skipped => None,
        }
    }

    /// In words. `kernel` is the kernel that computes the reference, if the CPU does not.
    fn words(self, kernel: Option<&str>) -> String {
        let reference = match kernel {
            Some(kernel) => format!("reference kernel {kernel}"),
            None => "CPU reference".to_owned(),
        };
        match self {
            Self::Reference => format!("output of the {reference}; no kernel has run"),
            Self::EqualReference => {
                format!("output of the {reference}, equal to the kernel's output")
            }
            Self::Verified => format!("output of the kernel, equal to the {reference}"),
            Self::Wrong => format!("WRONG output of the kernel, not equal to the {reference}"),
            Self::Unchecked => format!("output of the kernel, not compared with the {reference}"),
        }
    }
}

impl Output {
    /// The output `view` of `case`; `record` is what was measured of it.
    pub fn of(view: View, case: &Case, origin: Origin, record: Option<&Record>) -> Self {
        let params = case.params.iter();
        let params =
            params.map(|(name, value)| algorithms::with_value(&case.algorithm, name, value));
        let mut shared: Vec<String> =
            vec![format!("{} · block {} · coarsening {}", case.variant, case.block, case.coarsen)];
        shared.extend(params);
        shared.push(format!("input {} · seed {}", case.dist, case.seed));
        // A narrow picture cuts the end off: what matters comes first.
        let reference = algorithms::find(&case.algorithm).and_then(|it| it.reference_case(case));
        let kernel = reference.map(|case| case.variant);
        let mut caption = vec![origin.words(kernel.as_deref())];
        caption.extend(record.map(|record| format!("times {}", sources(&[record]))));
        caption.push(sentence(&facts(&view)));
        Self {
            title: format!("{}: {} at n = {}", case.algorithm, view.name(), Elements(case.n)),
            subtitle: shared.join(" · "),
            caption: caption.join("; "),
            command: command::drawing(
                &command_of(case, record),
                &case.algorithm,
                command::View::Output,
                None,
            ),
            phases: record.map(|record| record.phases.to_vec()).unwrap_or_default(),
            view,
        }
    }

    /// Facts and phases.
    pub(super) fn in_words(&self) -> String {
        let phases = self
            .phases
            .iter()
            .map(|phase| format!(" {} {}.", phase.name, crate::units::Seconds(phase.seconds)));
        format!("{}.{}", sentence(&facts(&self.view)), phases.collect::<String>())
    }
}

/// Most elements and operations of a case that the CPU computes again for a
/// picture: about a second.
const MOST: (u64, u64) = (1 << 22, 1 << 31);

/// Whether the CPU can compute a verified case again.
pub(super) fn can_recompute(record: &Record) -> bool {
    let case = record.case();
    // What a file says of its work is not believed.
    record.verified == Some(true)
        && case.n <= MOST.0
        && algorithms::sound(&case)
            .is_some_and(|algorithm| algorithm.traffic(&case).flops <= MOST.1)
}

/// The record whose output is drawn: the largest verified case that this CPU
/// can compute again; of equals the fastest.
pub fn select(records: &[Record]) -> Option<&Record> {
    records.iter().filter(|record| can_recompute(record)).max_by(|a, b| {
        let time = |record: &Record| record.median().unwrap_or(f64::INFINITY);
        a.n.cmp(&b.n).then(time(b).total_cmp(&time(a)))
    })
}

/// The view of what the CPU computes for `case`, if its algorithm has a view
/// and its input is on this machine. Memory and time grow with the elements.
pub fn reference(case: &Case) -> Option<View> {
    let algorithm = algorithms::sound(case)?;
    if algorithm.missing_input(case).is_some() {
        return None;
    }
    let inputs = algorithm.inputs(case);
    let reference = algorithm.reference(case, &inputs);
    algorithm.view(case, &inputs, &reference)
}

#[cfg(test)]
mod tests {
    use super::Origin;

    #[test]
    fn the_caption_names_the_reference() {
        let verified = |kernel| Origin::Verified.words(kernel);
        assert_eq!(verified(None), "output of the kernel, equal to the CPU reference");
        let by_kernel = "output of the kernel, equal to the reference kernel plain";
        assert_eq!(verified(Some("plain")), by_kernel);
    }
}
