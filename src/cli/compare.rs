//! `warpscope compare`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};

use super::filter::Filter;
use super::plot::Time;

/// Say case by case which of two times is shorter.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Two files: the cases that both have, the second against the first. With \
--baseline: the cases of all files together, each against the one that agrees with it in \
everything but KEY, in which that one has VALUE. KEY is variant, block, coarsen, dist, seed, \
backend, device, or a parameter.

The ratio is the other median over the baseline's, with its 95 % interval: a bootstrap of 10,000 \
resamples from a fixed seed where raw samples are stored, else from quartiles and the number of \
samples. SAME is an interval wholly within the band that repeated measurements keep to, 1 % where \
the shorter median is above 20 µs and 3 % below (--margin replaces both); FASTER is one wholly \
below the band, SLOWER one wholly above it; the rest is UNDECIDED, and so is everything with \
fewer than 6 samples. Times that are modelled or reported get a plain ratio and no verdict.

Exit codes: 0 compared, 1 a case was wrong or trapped in one of the files, 2 bad usage or input.

Examples:
  warpscope compare before.jsonl after.jsonl
  warpscope compare h.jsonl --baseline variant=global
  warpscope compare h200.jsonl a100.jsonl --variant shared -n 2^20..2^24 --json
  warpscope compare h.jsonl --baseline block=128 --format markdown -o blocks.md")]
pub struct Compare {
    /// Files that `warpscope sweep` wrote: the baseline and the other, or any
    /// number with --baseline
    #[arg(required = true, value_name = "FILE.jsonl")]
    pub files: Vec<PathBuf>,
    /// Hold the cases of the files against those with this value
    #[arg(long, value_name = "KEY=VALUE")]
    pub baseline: Option<Baseline>,
    /// Which time counts [default: kernels, and end-to-end where only some
    /// variants have stages on the host]
    #[arg(long, value_enum)]
    pub time: Option<Time>,
    /// How far apart medians may lie and be the SAME, in percent
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub margin: Option<f64>,
    /// Format to write
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// File to write; standard output unless given
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Which cases to compare.
    #[command(flatten)]
    pub filter: Filter,
}

/// Formats of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Columns for reading in a terminal
    Table,
    /// Comma-separated values, one row per pair
    Csv,
    /// One object: the rule, the pairs, the counts
    Json,
    /// A table for reading
    Markdown,
}

/// What the others are held against.
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
