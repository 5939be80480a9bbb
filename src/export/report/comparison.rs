//! Comparisons as tables: for a terminal, CSV, JSON and Markdown.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{ReportError, case_columns, csv, markdown, param_names};
use crate::analysis::compare::{
    self, CONFIDENCE, Comparison, LEAST_SAMPLES, LONG, MARGINS, RESAMPLES, SEED, Side, Verdict,
    pairs::Pairs,
};
use crate::figure::Time;
use crate::results::record::{Metric, Outcome, Record};
use crate::units::{Elements, Seconds, significant};

/// Two records compared.
#[derive(Debug, Clone)]
pub struct Compared<'a> {
    /// The baseline.
    pub baseline: &'a Record,
    /// The other.
    pub other: &'a Record,
    /// The comparison, or why there is none.
    pub result: Result<Comparison, String>,
}

/// A list of comparisons.
#[derive(Debug, Clone)]
pub struct Comparisons<'a> {
    /// Name of the baselines.
    pub baseline: String,
    /// Name of the others.
    pub other: String,
    /// The time that is compared.
    pub time: Time,
    /// Replaces the usual margins.
    pub margin: Option<f64>,
    /// The pairs.
    pub pairs: Vec<Compared<'a>>,
    /// Cases without another.
    pub only_baseline: Vec<Record>,
    /// Cases without a baseline.
    pub only_other: Vec<Record>,
}

/// The comparison, or why there is none.
fn held(
    baseline: &Record,
    other: &Record,
    time: Time,
    margin: Option<f64>,
) -> Result<Comparison, String> {
    let lacks = |record: &Record| match (record.outcome(), &record.skip) {
        (Outcome::Skipped, Some(reason)) => format!("skipped ({reason})"),
        (Outcome::Wrong, _) => {
            let wrong = record.wrong.as_ref().map_or("wrong answer", |wrong| wrong.kind.label());
            format!("WRONG ({wrong})")
        }
        (Outcome::Failed, _) => {
            let kind = record.wrong.as_ref().map_or("failed", |wrong| wrong.kind.label());
            format!("FAILED ({kind})")
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

/// Headings of the columns after those of the case.
const RESULTS: [&str; 6] = ["baseline", "other", "ratio", "95 % interval", "verdict", "from"];

impl<'a> Comparisons<'a> {
    /// Compares pairs of `baseline` and `other`, whose names are `names`. Without a `time`,
    /// the one by which they compare fairly.
    pub fn of(
        names: [String; 2],
        (baseline, other): (&'a [Record], &'a [Record]),
        pairs: &Pairs,
        time: Option<Time>,
        margin: Option<f64>,
    ) -> Self {
        let both = || pairs.both.iter().filter_map(|&(a, b)| baseline.get(a).zip(other.get(b)));
        let time = time.unwrap_or_else(|| Time::fitting(both().flat_map(|(a, b)| [a, b])));
        let pick = |indices: &[usize], records: &[Record]| {
            indices.iter().filter_map(|index| records.get(*index)).cloned().collect()
        };
        let [name, other_name] = names;
        let compared = |(baseline, other)| Compared {
            result: held(baseline, other, time, margin),
            baseline,
            other,
        };
        Self {
            baseline: name,
            other: other_name,
            time,
            margin,
            pairs: both().map(compared).collect(),
            only_baseline: pick(&pairs.only_baseline, baseline),
            only_other: pick(&pairs.only_other, other),
        }
    }

    /// Columns for a terminal, a summary and the rule below.
    pub fn table(&self) -> String {
        let (rows, shared) = self.rows();
        let width =
            |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
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
        let header = [
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
        ];
        let rows = self.pairs.iter().map(|Compared { baseline, other, result }| {
            let sides = [*baseline, *other];
            let mut row: Vec<String> = sides.map(|it| it.case().to_string()).into();
            row.extend(sides.map(|it| it.device.name.clone()));
            row.extend(sides.map(|it| it.provenance.to_string()));
            match result {
                Ok(it) => {
                    let (low, high) = it.interval.unzip();
                    let end = |end: Option<f64>| end.map_or_else(String::new, |it| it.to_string());
                    row.extend([it.baseline, it.other, it.ratio].map(|value| value.to_string()));
                    row.extend([end(low), end(high), it.margin.to_string()]);
                    row.push(it.verdict.map_or_else(String::new, |it| it.to_string()));
                    row.extend([it.basis.to_string(), String::new()]);
                }
                Err(reason) => {
                    row.extend([const { String::new() }; 8]);
                    row.push(reason.clone());
                }
            }
            row
        });
        csv::table(&header, rows)
    }

    /// The rule, the pairs and the counts as one object.
    pub fn json(&self) -> Result<String, ReportError> {
        let pairs: Vec<Value> = self.pairs.iter().map(pair).collect();
        let cases = |records: &[Record]| -> Vec<Value> { records.iter().map(case).collect() };
        let counts: serde_json::Map<String, Value> = Verdict::ALL
            .iter()
            .map(|verdict| (verdict.name().to_owned(), json!(self.count(*verdict))))
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
        text.map(|text| text + "\n").map_err(|error| ReportError::Failed(error.to_string()))
    }

    /// Headings and cells of every pair, and what all cases share.
    pub fn rows(&self) -> (Vec<Vec<String>>, Vec<String>) {
        // Both cases in one cell where they differ.
        let cell = |it: &Compared, of: &dyn Fn(&Record) -> String| {
            let (baseline, other) = (of(it.baseline), of(it.other));
            if baseline == other { other } else { format!("{other} / {baseline}") }
        };
        let mut columns = case_columns(param_names(self.pairs.iter().map(|it| it.other)));
        columns.insert(2, ("n", Box::new(|record| Elements(record.n).to_string())));
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

    /// `3 FASTER, 0 SLOWER, 10 SAME, 1 UNDECIDED of 14 pairs`, and the rest.
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

/// `3`, `0.5`: without trailing zeros.
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
            found.verdict.map_or_else(|| "–".to_owned(), |it| it.to_string()),
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
        "verdict": found.and_then(|it| it.verdict).map(Verdict::label),
        "basis": found.map(|it| it.basis.to_string()),
        "reason": it.result.as_ref().err(),
    })
}
