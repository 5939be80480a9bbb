//! `warpscope compare`: case by case, who is faster.

use std::io::Write;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::bail;
use clap::{Args, ValueEnum};

use super::Exit;
use super::filter::{self, Filter};
use super::output::deliver;
use crate::analysis::compare::pairs::{self, Pairs};
use crate::export::report::comparison::Comparisons;
use crate::figure::Time;
use crate::results::record::{Outcome, Record};

/// Compare stored times case by case.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "With two files, each case of the second is compared with the same case of \
the first. With --baseline KEY=VALUE, each case of all files is compared with the case that has \
VALUE and is otherwise equal. KEY is variant, block, coarsen, dist, seed, backend, device or a \
parameter.

The ratio is a case's median over the median of its baseline, with a 95 % confidence interval: a \
bootstrap of 10,000 resamples with a fixed seed if raw samples are stored, else from quartiles and \
sample count. The noise band is ±1 % if the shorter median is above 20 µs, else ±3 %; --margin \
replaces both. SAME: the interval lies inside the band. FASTER: below it. SLOWER: above it. \
UNDECIDED: all else, and any case with fewer than 6 samples. Modelled and reported times get a \
ratio without a verdict.

Exit codes: 0 compared, 1 a file has a wrong result or a trap, 2 bad usage or input.

Examples:
  warpscope compare before.jsonl after.jsonl
  warpscope compare h.jsonl --baseline variant=global
  warpscope compare h200.jsonl a100.jsonl --variant shared -n 2^20..2^24 --json
  warpscope compare h.jsonl --baseline block=128 --format markdown -o blocks.md"
)]
pub struct Compare {
    /// Files written by `warpscope sweep`: a baseline and another, or any number
    /// with --baseline
    #[arg(required = true, value_name = "FILE.jsonl")]
    pub files: Vec<PathBuf>,
    /// Compare every case with this baseline
    #[arg(long, value_name = "KEY=VALUE")]
    pub baseline: Option<Baseline>,
    /// Time to compare [default: kernels, or end-to-end if only some variants
    /// have host stages]
    #[arg(long, value_enum)]
    pub time: Option<Time>,
    /// Noise band in percent, within which medians are the SAME
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub margin: Option<f64>,
    /// Format to write
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Short for --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// File to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Which cases to use.
    #[command(flatten)]
    pub filter: Filter,
}

/// Formats of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Columns for a terminal
    Table,
    /// Comma-separated values, one row per pair
    Csv,
    /// One object: the rule, the pairs, the counts
    Json,
    /// A Markdown table
    Markdown,
}

/// The cases that others are compared with: those with this value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Baseline {
    /// A field of every case.
    pub key: String,
    /// Its value.
    pub value: String,
}

impl FromStr for Baseline {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // A pipeline's variant has an = of its own.
        let parts = text.split_once('=').map(|(key, value)| (key.trim(), value.trim()));
        match parts {
            Some((key, value)) if !key.is_empty() && !value.is_empty() => {
                Ok(Self { key: key.to_owned(), value: value.to_owned() })
            }
            _ => Err(format!("`{text}` is not of the form KEY=VALUE, as in variant=global")),
        }
    }
}

/// A share from a percentage: `2`, `0.5`, `2%`.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim_end().parse::<f64>().ok();
    number
        .filter(|percent| (0.0..=100.0).contains(percent))
        .map(|percent| percent / 100.0)
        .ok_or_else(|| format!("`{text}` is not a percentage from 0 to 100, as in 2 or 0.5"))
}

pub(super) fn run(compare: &Compare, out: &mut impl Write) -> anyhow::Result<Exit> {
    let (baseline, other, pairs) = sides(compare)?;
    let other = other.as_deref().unwrap_or(&baseline);
    let names = [name(compare, 0), name(compare, 1)];
    let comparisons =
        Comparisons::of(names, (&baseline, other), &pairs, compare.time, compare.margin);
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
    let wrong = |record: &Record| matches!(record.outcome(), Outcome::Wrong | Outcome::Failed);
    let any = comparisons.pairs.iter().any(|pair| wrong(pair.baseline) || wrong(pair.other));
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
            "`compare` needs two files, not {}; or use --baseline KEY=VALUE (as in variant=global) \
             to compare the cases of any number of files",
            compare.files.len()
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
        format!(
            "no case differs from one with {baseline} in that alone; sweep both with the same \
             settings"
        )
    } else {
        format!(
            "no case is in both {baseline} and {other}; `warpscope export FILE --format csv` lists \
             the cases of a file"
        )
    }
}
