//! Comparisons as tables: for a terminal, CSV, JSON and Markdown.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{ReportError, markdown};
use crate::analysis::compare::{
    self, CONFIDENCE, Comparison, LEAST_SAMPLES, LONG, MARGINS, RESAMPLES, SEED, Side, Verdict,
};
use crate::figure::Time;
use crate::results::record::{Outcome, Record};
use crate::units::{Elements, Seconds, significant};

/// Two records and what came of holding them against each other.
#[derive(Debug, Clone)]
pub struct Compared<'a> {
    /// The baseline.
    pub baseline: &'a Record,
    /// The other.
    pub other: &'a Record,
    /// The comparison, or why there is none.
    pub result: Result<Comparison, String>,
}

/// All that were compared.
#[derive(Debug, Clone)]
pub struct Comparisons<'a> {
    /// What the baselines are called.
    pub baseline: String,
    /// What the others are called.
    pub other: String,
    /// Which time was compared.
    pub time: Time,
    /// Margin that replaces the usual ones.
    pub margin: Option<f64>,
    /// The pairs.
    pub pairs: Vec<Compared<'a>>,
    /// Cases without another to compare with.
    pub only_baseline: Vec<Record>,
    /// Cases without a baseline.
    pub only_other: Vec<Record>,
}

/// The comparison, or why there is none.
pub fn held(
    baseline: &Record,
    other: &Record,
    time: Time,
    margin: Option<f64>,
) -> Result<Comparison, String> {
    let lacks = |record: &Record| match (record.outcome(), &record.skip) {
        (Outcome::Skipped, Some(reason)) => format!("skipped ({reason})"),
        (Outcome::Wrong, _) => {
            let wrong = record.wrong.as_ref().map_or("wrong answer", |wrong| wrong.kind.as_str());
            format!("WRONG ({wrong})")
        }
        _ => "without a time".to_owned(),
    };
    let side = |record, whose: &str| {
        time.summary(record).ok_or_else(|| format!("{whose} is {}", lacks(record)))
    };
    let (a, b) = (side(baseline, "the baseline")?, side(other, "the other")?);
    let of = |seconds, record: &Record| Side { seconds, provenance: record.provenance };
    compare::compare(of(&*a, baseline), of(&*b, other), margin)
        .ok_or_else(|| "a median is not above 0".to_owned())
}

/// What a column shows of a record.
type Of<'a> = Box<dyn Fn(&Record) -> String + 'a>;

/// Headings of the columns after those of the case.
const RESULTS: [&str; 6] = ["baseline", "other", "ratio", "95 % interval", "verdict", "from"];

impl Comparisons<'_> {
    /// Columns for a terminal, a summary and the rule below.
    pub fn table(&self) -> String {
        let (rows, shared) = self.rows();
        let mut widths = vec![0; rows.first().map_or(0, Vec::len)];
        for row in &rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let mut text = self.heading(&shared);
        text.push('\n');
        let first_result = widths.len() - RESULTS.len();
        for row in &rows {
            let mut line = String::new();
            for (index, (cell, width)) in row.iter().zip(&widths).enumerate() {
                // Numbers to the right, words to the left.
                if (first_result..first_result + 3).contains(&index) {
                    let _ = write!(line, "{cell:>width$}  ");
                } else {
                    let _ = write!(line, "{cell:<width$}  ");
                }
            }
            text.extend([line.trim_end(), "\n"]);
        }
        text.extend(["\n", &self.summary(), "\n", &self.rule(), "\n"]);
        text
    }

    /// A Markdown table between heading and summary.
    pub fn markdown(&self) -> String {
        let (rows, shared) = self.rows();
        let mut text = format!("# Comparison\n\n{}\n", self.heading(&shared));
        for (index, row) in rows.iter().enumerate() {
            markdown::row(&mut text, row.iter().cloned());
            if index == 0 {
                markdown::row(&mut text, row.iter().map(|_| "---".to_owned()));
            }
        }
        text.extend(["\n", &self.summary(), "\n\n", &self.rule(), "\n"]);
        text
    }

    /// One row per pair, in base units and full precision.
    pub fn csv(&self) -> Result<String, ReportError> {
        let failed = |error: csv::Error| ReportError(error.to_string());
        let mut table = csv::Writer::from_writer(Vec::new());
        table
            .write_record([
                "baseline_case",
                "other_case",
                "baseline_device",
                "other_device",
                "baseline_provenance",
                "other_provenance",
                "baseline_seconds",
                "other_seconds",
                "ratio",
                "ratio_low",
                "ratio_high",
                "margin",
                "verdict",
                "basis",
                "reason",
            ])
            .map_err(failed)?;
        for Compared { baseline, other, result } in &self.pairs {
            let mut row = vec![
                baseline.case().to_string(),
                other.case().to_string(),
                baseline.device.name.clone(),
                other.device.name.clone(),
                baseline.provenance.to_string(),
                other.provenance.to_string(),
            ];
            match result {
                Ok(it) => {
                    let end =
                        |value: Option<f64>| value.map_or_else(String::new, |v| v.to_string());
                    row.extend([it.baseline, it.other, it.ratio].map(|value| value.to_string()));
                    row.push(end(it.interval.map(|(low, _)| low)));
                    row.push(end(it.interval.map(|(_, high)| high)));
                    row.push(it.margin.to_string());
                    row.push(it.verdict.map_or("", Verdict::name).to_owned());
                    row.extend([it.basis.to_string(), String::new()]);
                }
                Err(reason) => {
                    row.extend([const { String::new() }; 8]);
                    row.push(reason.clone());
                }
            }
            table.write_record(&row).map_err(failed)?;
        }
        let bytes = table.into_inner().map_err(|error| ReportError(error.to_string()))?;
        String::from_utf8(bytes).map_err(|error| ReportError(error.to_string()))
    }

    /// The rule, the pairs and the counts as one object.
    pub fn json(&self) -> Result<String, ReportError> {
        let pairs: Vec<Value> = self.pairs.iter().map(pair).collect();
        let cases = |records: &[Record]| -> Vec<Value> { records.iter().map(case).collect() };
        let counts: serde_json::Map<String, Value> = Verdict::ALL
            .iter()
            .map(|verdict| (verdict.name().to_lowercase(), json!(self.count(*verdict))))
            .chain([
                ("without_verdict".to_owned(), json!(self.plain())),
                ("not_compared".to_owned(), json!(self.failed())),
            ])
            .collect();
        let whole = json!({
            "baseline": self.baseline,
            "other": self.other,
            "time": match self.time { Time::Kernels => "kernels", Time::EndToEnd => "end-to-end" },
            "rule": {
                "confidence": CONFIDENCE,
                "resamples": RESAMPLES,
                "seed": SEED,
                "least_samples": LEAST_SAMPLES,
                "margin_long": self.margin.unwrap_or(MARGINS.0),
                "margin_short": self.margin.unwrap_or(MARGINS.1),
                "long_from_seconds": LONG,
            },
            "pairs": pairs,
            "counts": counts,
            "only_baseline": cases(&self.only_baseline),
            "only_other": cases(&self.only_other),
        });
        let text = serde_json::to_string_pretty(&whole);
        text.map(|text| text + "\n").map_err(|error| ReportError(error.to_string()))
    }

    /// Heading and cells of every pair, and what all cases share.
    pub fn rows(&self) -> (Vec<Vec<String>>, Vec<String>) {
        let params = {
            let mut names: Vec<&String> =
                self.pairs.iter().flat_map(|it| it.other.params.keys()).collect();
            names.sort_unstable();
            names.dedup();
            names
        };
        // Both cases in one cell where they differ.
        let cell = |it: &Compared, of: &dyn Fn(&Record) -> String| {
            let (baseline, other) = (of(it.baseline), of(it.other));
            if baseline == other { other } else { format!("{other} / {baseline}") }
        };
        let mut columns: Vec<(&str, Of)> = vec![
            ("algorithm", Box::new(|record| record.algorithm.clone())),
            ("variant", Box::new(|record| record.variant.clone())),
            ("n", Box::new(|record| Elements(record.n).to_string())),
            ("block", Box::new(|record| record.block.to_string())),
            ("coarsening", Box::new(|record| record.coarsen.to_string())),
        ];
        for name in params {
            let of = |record: &Record| {
                record.params.get(name).map(ToString::to_string).unwrap_or_default()
            };
            columns.push((name.as_str(), Box::new(of)));
        }
        columns.push(("input", Box::new(|record| record.dist.to_string())));
        columns.push(("seed", Box::new(|record| record.seed.to_string())));
        columns.push(("on", Box::new(Record::provenance_label)));
        let first = self.pairs.first();
        let (kept, shared): (Vec<_>, Vec<_>) = columns.into_iter().partition(|(name, of)| {
            *name == "n"
                || self.pairs.iter().any(|it| {
                    first.is_none_or(|first| cell(first, of.as_ref()) != cell(it, of.as_ref()))
                })
        });
        let mut heading: Vec<String> = kept.iter().map(|(name, _)| (*name).to_owned()).collect();
        heading.extend(RESULTS.map(str::to_owned));
        let mut rows = vec![heading];
        for it in &self.pairs {
            let mut row: Vec<String> = kept.iter().map(|(_, of)| cell(it, of.as_ref())).collect();
            row.extend(results(it));
            rows.push(row);
        }
        let shared = first.map_or_else(Vec::new, |first| {
            shared.iter().map(|(name, of)| format!("{name} {}", cell(first, of.as_ref()))).collect()
        });
        (rows, shared)
    }

    fn heading(&self, shared: &[String]) -> String {
        format!(
            "{} of {} against {}; a ratio below 1 is faster\n{}\n",
            self.time.name(),
            self.other,
            self.baseline,
            shared.join(", ")
        )
    }

    fn count(&self, verdict: Verdict) -> usize {
        let decided = self.pairs.iter().filter_map(|it| it.result.as_ref().ok()?.verdict);
        decided.filter(|it| *it == verdict).count()
    }

    /// Pairs with a ratio and no verdict.
    fn plain(&self) -> usize {
        let plain = |it: &&Compared| it.result.as_ref().is_ok_and(|it| it.verdict.is_none());
        self.pairs.iter().filter(plain).count()
    }

    fn failed(&self) -> usize {
        self.pairs.iter().filter(|it| it.result.is_err()).count()
    }

    /// `3 FASTER, 0 SLOWER, 10 SAME, 1 UNDECIDED of 14 pairs`, and what is left.
    pub fn summary(&self) -> String {
        let counts: Vec<String> =
            Verdict::ALL.iter().map(|it| format!("{} {it}", self.count(*it))).collect();
        let mut text = format!("{} of {} pairs", counts.join(", "), self.pairs.len());
        for (count, what) in [
            (self.plain(), "with a plain ratio, as nobody here measured both times".to_owned()),
            (self.failed(), "not compared".to_owned()),
            (self.only_baseline.len(), format!("only in {}", self.baseline)),
            (self.only_other.len(), format!("of {} without a baseline", self.other)),
        ] {
            if count > 0 {
                let _ = write!(text, "; {count} {what}");
            }
        }
        text
    }

    pub(super) fn rule(&self) -> String {
        let percent = |share: f64| format!("{} %", short(100.0 * share));
        let band = match self.margin {
            Some(margin) => percent(margin),
            None => format!(
                "{} ({} where the shorter median is at most {})",
                percent(MARGINS.0),
                percent(MARGINS.1),
                Seconds(LONG)
            ),
        };
        format!(
            "SAME: the {} interval of the ratio lies within {band}; FASTER and SLOWER: wholly \
             beyond. Interval of samples: bootstrap of the medians, {RESAMPLES} resamples, seed {SEED}",
            percent(CONFIDENCE)
        )
    }
}

/// `3`, `0.5`: without zeros that say nothing.
fn short(value: f64) -> String {
    format!("{}", (value * 1e6).round() / 1e6)
}

fn results(it: &Compared) -> [String; 6] {
    match &it.result {
        Ok(found) => [
            Seconds(found.baseline).to_string(),
            Seconds(found.other).to_string(),
            ratio(found.ratio),
            found.interval.map_or_else(
                || "–".to_owned(),
                |(low, high)| format!("{} to {}", ratio(low), ratio(high)),
            ),
            found.verdict.map_or("–", Verdict::name).to_owned(),
            found.basis.to_string(),
        ],
        Err(reason) => {
            let none = || "–".to_owned();
            [none(), none(), none(), none(), none(), reason.clone()]
        }
    }
}

/// A ratio near 1 needs more digits to tell how near.
fn ratio(ratio: f64) -> String {
    if (0.1..9.9995).contains(&ratio) { format!("{ratio:.3}") } else { significant(ratio) }
}

fn case(record: &Record) -> Value {
    json!({
        "algorithm": record.algorithm,
        "variant": record.variant,
        "block": record.block,
        "coarsen": record.coarsen,
        "n": record.n,
        "params": record.params,
        "dist": record.dist,
        "seed": record.seed,
        "backend": record.backend,
        "device": record.device,
        "provenance": record.provenance,
        "flags": record.flags,
        "ptx": record.ptx,
        "program": record.program,
        "time": record.time,
    })
}

fn pair(it: &Compared) -> Value {
    let found = it.result.as_ref().ok();
    json!({
        "baseline": case(it.baseline),
        "other": case(it.other),
        "baseline_seconds": found.map(|it| it.baseline),
        "other_seconds": found.map(|it| it.other),
        "ratio": found.map(|it| it.ratio),
        "interval": found.and_then(|it| it.interval).map(|(low, high)| [low, high]),
        "margin": found.map(|it| it.margin),
        "verdict": found.and_then(|it| it.verdict).map(Verdict::name),
        "basis": found.map(|it| it.basis.to_string()),
        "reason": it.result.as_ref().err(),
    })
}
