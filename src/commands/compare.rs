//! `warpscope compare`: case by case, who is faster.

use std::io::Write;

use anyhow::bail;

use super::deliver::deliver;
use super::{Exit, filter, plot};
use crate::analysis::compare::pairs::{self, Pairs};
use crate::cli::compare::{Compare, Format};
use crate::export::report::comparison::{Compared, Comparisons, held};
use crate::figure::Time;
use crate::results::record::{Outcome, Record};

pub(super) fn run(compare: &Compare, out: &mut impl Write) -> anyhow::Result<Exit> {
    let (baseline, other, pairs) = sides(compare)?;
    let other = other.as_deref().unwrap_or(&baseline);
    let paired = || pairs.both.iter().map(|&(a, b)| (&baseline[a], &other[b]));
    let time =
        compare.time.map_or_else(|| Time::fitting(paired().flat_map(|(a, b)| [a, b])), plot::time);
    let pick = |indices: &[usize], records: &[Record]| -> Vec<Record> {
        indices.iter().filter_map(|index| records.get(*index)).cloned().collect()
    };
    let comparisons = Comparisons {
        baseline: name(compare, 0),
        other: name(compare, 1),
        time,
        margin: compare.margin,
        pairs: paired()
            .map(|(baseline, other)| Compared {
                result: held(baseline, other, time, compare.margin),
                baseline,
                other,
            })
            .collect(),
        only_baseline: pick(&pairs.only_baseline, &baseline),
        only_other: pick(&pairs.only_other, other),
    };
    if comparisons.pairs.is_empty() {
        bail!("{}", nothing(compare, &comparisons));
    }
    let text = match if compare.json { Format::Json } else { compare.format } {
        Format::Table => comparisons.table(),
        Format::Csv => comparisons.csv()?,
        Format::Json => comparisons.json()?,
        Format::Markdown => comparisons.markdown(),
    };
    deliver(&text, compare.output.as_deref(), out)?;
    let wrong = |record: &&Record| record.outcome() == Outcome::Wrong;
    let any = paired().flat_map(|(a, b)| [a, b]).any(|record| wrong(&record));
    Ok(if any { Exit::Wrong } else { Exit::Fine })
}

/// The records of both sides, and which belong together. Without a second list
/// both sides are the first.
fn sides(compare: &Compare) -> anyhow::Result<(Vec<Record>, Option<Vec<Record>>, Pairs)> {
    if let Some(baseline) = &compare.baseline {
        let records = filter::read(&compare.files, &compare.filter)?;
        let pairs = pairs::against(&records, &baseline.key, &baseline.value)?;
        return Ok((records, None, pairs));
    }
    let [first, second] = &compare.files[..] else {
        bail!(
            "two files are compared with each other, and there {}; with --baseline KEY=VALUE (as \
             in variant=global) the cases of any number of files are compared among themselves",
            match compare.files.len() {
                1 => "is one".to_owned(),
                count => format!("are {count}"),
            }
        );
    };
    let read = |file| filter::read(std::slice::from_ref(file), &compare.filter);
    let (baseline, other) = (read(first)?, read(second)?);
    let pairs = pairs::same_cases(&baseline, &other);
    Ok((baseline, Some(other), pairs))
}

/// What a side is called.
fn name(compare: &Compare, side: usize) -> String {
    let file = |index: usize| {
        compare.files.get(index).map_or_else(String::new, |file| file.display().to_string())
    };
    match &compare.baseline {
        Some(baseline) if side == 0 => format!("{}={}", baseline.key, baseline.value),
        Some(baseline) => format!("every other {}", baseline.key),
        None => file(side),
    }
}

fn nothing(compare: &Compare, comparisons: &Comparisons) -> String {
    let Comparisons { baseline, other, .. } = comparisons;
    if compare.baseline.is_some() {
        format!("no case agrees with one of {baseline} in everything else; measure both alike")
    } else {
        format!(
            "no case is in both {baseline} and {other}; `warpscope export FILE --format csv` tells \
             what a file holds"
        )
    }
}
