//! A user's file in place of an algorithm's name.

use std::path::Path;

use anyhow::bail;

use super::Exit;
use super::output::say;
use crate::algorithms::{self, Algorithm};
use crate::experiment::{Experiment, Target};
use crate::own;
use crate::results::record::Record;
use crate::runner::plan;
use crate::runner::scheduler::{self, Control, Verdict};
use crate::runner::source;
use crate::work::metric::{FailureKind, Metric};

/// The error for `--like` beside the name of a system.
pub(super) const LIKE_NEEDS_A_FILE: &str =
    "--like needs a file with kernels, as in `my.cu --like histogram`";

/// Whether a word on the command line names a file with kernels.
pub(super) fn is_file(word: &str) -> bool {
    own::is_own_name(word)
}

/// Whether a variant is a kernel of a user's file.
pub(super) fn is_own(algorithm: &str, variant: &str) -> bool {
    own::hash_of(algorithm, variant).is_some()
}

/// Says which files with kernels have changed since the results of these records.
pub(super) fn say_changes(records: &[Record]) {
    let mut told: Vec<&str> = Vec::new();
    for record in records.iter().rev().filter(|record| !record.source.is_empty()) {
        if told.contains(&record.algorithm.as_ref()) || told.len() == MOST_TOLD {
            continue;
        }
        told.push(&record.algorithm);
        if let Some(change) = own::with_hash(&record.source).and_then(source::change) {
            say(&change);
        }
    }
}

/// Most files whose change is told.
const MOST_TOLD: usize = 10;

/// The algorithm that `name` means: a built-in one, or the file at this path, which is
/// read, compiled and registered. Warnings of the compiler are printed.
pub(super) fn algorithm(
    name: &str,
    like: Option<&str>,
    target: &Target,
) -> anyhow::Result<&'static dyn Algorithm> {
    if !own::is_own_name(name) {
        if like.is_some() {
            bail!("{LIKE_NEEDS_A_FILE}");
        }
        return Ok(plan::algorithm(name)?);
    }
    let opened = source::open(name, like, target)?;
    for warning in &opened.warnings {
        say(&source::in_line(&opened.file.name, warning));
    }
    Ok(opened.system)
}

/// The path of a file that an experiment in the file `experiment` names: beside it where
/// the current folder has none.
pub(super) fn beside(name: &str, experiment: Option<&Path>) -> String {
    let there = experiment.and_then(Path::parent).map(|folder| folder.join(name));
    match there {
        Some(there) if own::is_own_name(name) && !Path::new(name).exists() && there.exists() => {
            there.to_string_lossy().into_owned()
        }
        _ => name.to_owned(),
    }
}

/// Whether a case of a kernel can be launched as its file says.
fn can_run(experiment: &Experiment, algorithm: &dyn Algorithm, variant: &str) -> bool {
    let one = Experiment { variants: vec![variant.to_owned()], ..experiment.clone() };
    plan::cases(&one).is_ok_and(|cases| cases.iter().any(|it| algorithm.obstacle(it).is_none()))
}

/// What the check of a user's kernels leaves to run.
pub(super) struct Checked {
    /// The variants without a finding; `None` where nothing is left to run.
    pub(super) experiment: Option<Experiment>,
    /// How the command ends if all else goes well.
    pub(super) exit: Exit,
}

/// Runs the kernels of a user's file once, small and under the sanitizer, and leaves out of
/// `experiment` those that are wrong. Each gets a line with its first error.
/// With `skip` nothing is checked.
pub(super) fn check(
    mut experiment: Experiment,
    skip: bool,
    control: &Control,
) -> anyhow::Result<Checked> {
    let Some(algorithm) = algorithms::find(&experiment.algorithm) else {
        return Ok(Checked { experiment: Some(experiment), exit: Exit::Fine });
    };
    let chosen = |name: &str| {
        experiment.variants.is_empty() || experiment.variants.iter().any(|it| it == name)
    };
    let all: Vec<&str> = algorithm
        .variants()
        .iter()
        .map(|variant| variant.name)
        .filter(|name| chosen(name))
        .collect();
    let own = all.iter().copied().filter(|name| is_own(algorithm.name(), name));
    let (own, idle): (Vec<&str>, Vec<&str>) =
        own.partition(|name| can_run(&experiment, algorithm, name));
    // Its cases are skipped with the reason; that is an error of the file.
    let exit = if idle.is_empty() { Exit::Fine } else { Exit::Wrong };
    let mut wrong: Vec<String> = Vec::new();
    // The last kernel whose output is not that of its reference.
    let mut differs = None;
    if !own.is_empty() && !skip {
        scheduler::check_variants(&experiment, &own, control, &mut |checked| {
            let name = checked.case.variant;
            match checked.verdict {
                Verdict::Unchecked(reason) => {
                    let place = own::place_of(algorithm.name(), &name);
                    let (file, line) = place.map_or_else(
                        || (algorithm.name().to_owned(), String::new()),
                        |(file, line)| (file, format!(":{line}")),
                    );
                    if reason.starts_with(&format!("{file}:")) {
                        say(&format!("{reason} ({name} is not checked)"));
                    } else {
                        say(&format!("{file}{line}: {name} is not checked: {reason}"));
                    }
                }
                Verdict::Checked(findings) => {
                    let Some(first) = findings.first() else { return };
                    let more = match findings.len() - 1 {
                        0 => String::new(),
                        1 => " (and 1 more finding)".to_owned(),
                        more => format!(" (and {more} more findings)"),
                    };
                    say(&format!("{}{more}", own::in_header(first.clone())));
                    if first.kind == FailureKind::WrongAnswer.name()
                        && !own::is_like(algorithm.name())
                    {
                        differs = Some(name.clone());
                    }
                    wrong.push(name);
                }
            }
        })?;
    }
    if control.is_cancelled() {
        return Ok(Checked { experiment: None, exit: Exit::Interrupted });
    }
    if wrong.is_empty() {
        return Ok(Checked { experiment: Some(experiment), exit });
    }
    let left: Vec<String> = all
        .iter()
        .filter(|name| !wrong.iter().any(|it| it == *name))
        .map(|it| (*it).to_owned())
        .collect();
    say(&format!("{} left out; --no-check runs such kernels anyway", wrong.join(", ")));
    if let Some(name) = differs {
        say(&format!(
            "if {name} computes something else, write `reference = \"{name}\"` in `[kernel.{name}]`"
        ));
    }
    let experiment = (!left.is_empty()).then(|| {
        experiment.variants = left;
        experiment
    });
    Ok(Checked { experiment, exit: Exit::Wrong })
}
