//! Fits the model's factors to measured cases, the held-out half left alone. Of random cases, give
//! it the sets that it is to fit.
//!
//! Least squares of the logarithm of predicted over measured, with the program's own
//! model, by Levenberg and Marquardt; large errors count linearly (soft L1 from 8 %
//! on), systems and kernels of no system count by the square root of their cases, and each
//! factor is held near what it starts from (a log-normal prior).

use std::collections::HashMap;

use rayon::prelude::*;
use serde_json::Value;
use sha2::Digest;
use warpscope::emulator::Outcome;
use warpscope::gpu::{self, Factors, Geometry, GpuSpec, History};

use crate::facts;

/// A case that was measured, and what the model sees of it.
pub(crate) struct Case {
    pub(crate) algorithm: String,
    /// What it counts with: its system, or its kernel if that is of no system. Random cases of a
    /// system count apart.
    pub(crate) group: String,
    pub(crate) seconds: f64,
    pub(crate) fitted: bool,
    pub(crate) launches: Vec<(Geometry, Outcome)>,
}

impl Case {
    /// The case that a line of `counts` holds.
    pub(crate) fn read(value: &Value) -> Self {
        let launches = value["launches"].as_array().unwrap().iter().map(facts::read);
        let text = |name: &str| value["case"][name].as_str().unwrap().to_owned();
        let algorithm = text("algorithm");
        let group = match algorithm.as_str() {
            "outside" | "suite" => format!("{algorithm} {}", text("variant")),
            _ if part(value) == "fresh" => format!("random {algorithm}"),
            _ => algorithm.clone(),
        };
        Self {
            algorithm,
            group,
            seconds: value["seconds"].as_f64().unwrap(),
            fitted: matches!(
                part(value),
                "fit" | "fresh" | "suite-fit" | "suite-report" | "blind" | "blind-2" | "outside"
            ),
            launches: launches.collect(),
        }
    }

    /// Whether it is of no system.
    pub(crate) fn is_outside(&self) -> bool {
        matches!(self.algorithm.as_str(), "outside" | "suite")
    }

    /// Predicted seconds.
    pub(crate) fn predict(&self, factors: &Factors, profile: &GpuSpec) -> f64 {
        let mut history = History::default();
        let each = self.launches.iter().map(|(geometry, outcome)| {
            gpu::predict_with(factors, &mut history, outcome, geometry, profile).seconds
        });
        each.sum()
    }
}

/// What the case of a line of `counts` is for: `fit` or `held-out`, by a hash of what
/// identifies it, once and for all; `fresh` ones are never fitted. Those of the suite are in
/// the half that their kernel is in.
pub(crate) fn part(value: &Value) -> &str {
    let case = &value["case"];
    let text = |name: &str| case[name].as_str().unwrap().to_owned();
    if text("algorithm") == "outside" {
        return "outside";
    }
    if text("algorithm") == "suite" {
        return value["part"].as_str().unwrap();
    }
    if value["fresh"].as_bool() == Some(true) {
        return "fresh";
    }
    let params: Vec<String> = case["params"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(key, it)| format!("\"{key}\": {it}"))
        .collect();
    let key = format!(
        "{} {} {} {} {} {{{}}}",
        text("algorithm"),
        text("variant"),
        case["block"],
        case["coarsen"],
        case["n"],
        params.join(", ")
    );
    if sha2::Sha256::digest(key.as_bytes())[0] & 1 == 1 { "held-out" } else { "fit" }
}

/// The factors that suit `cases` best, and the mean error there.
pub(crate) fn fit(cases: &[&Case], profile: &GpuSpec, steps: usize) -> (Factors, f64) {
    const SOFT: f64 = 0.08;
    const PRIOR: f64 = 0.05;
    let spreads: Vec<f64> = Factors::NAMES.iter().map(|(_, spread)| *spread).collect();
    let starts = Factors::PRIOR.values();
    let factors = |x: &[f64]| {
        let values: Vec<f64> = starts
            .iter()
            .zip(&spreads)
            .zip(x)
            .map(|((start, spread), by)| start * (spread * by).exp())
            .collect();
        Factors::PRIOR.with(&values)
    };
    let mut counts: HashMap<&str, f64> = HashMap::new();
    for case in cases {
        *counts.entry(&case.group).or_default() += 1.0;
    }
    let weights: Vec<f64> = cases
        .iter()
        .map(|case| {
            (cases.len() as f64 / (counts[case.group.as_str()] * counts.len() as f64)).sqrt()
        })
        .collect();
    let wrong = |x: &[f64]| -> Vec<f64> {
        let factors = factors(x);
        cases.par_iter().map(|case| (case.predict(&factors, profile) / case.seconds).ln()).collect()
    };
    let cost = |wrong: &[f64], x: &[f64]| -> f64 {
        let soft = |r: f64| 2.0 * SOFT * SOFT * ((1.0 + (r / SOFT).powi(2)).sqrt() - 1.0);
        let data: f64 = wrong.iter().zip(&weights).map(|(r, w)| w * soft(*r)).sum();
        data + x.iter().map(|by| (PRIOR * by).powi(2)).sum::<f64>()
    };
    let size = starts.len();
    let mut x = vec![0.0; size];
    let mut now = wrong(&x);
    let mut best = cost(&now, &x);
    let mut damping = 1e-2;
    for _ in 0..steps {
        let slopes: Vec<Vec<f64>> = (0..size)
            .map(|index| {
                let mut moved = x.clone();
                moved[index] += 0.02;
                wrong(&moved).iter().zip(&now).map(|(a, b)| (a - b) / 0.02).collect()
            })
            .collect();
        let pull: Vec<f64> =
            now.iter().zip(&weights).map(|(r, w)| w / (1.0 + (r / SOFT).powi(2)).sqrt()).collect();
        let mut matrix = vec![vec![0.0; size + 1]; size];
        for a in 0..size {
            for b in 0..=a {
                let sum: f64 =
                    slopes[a].iter().zip(&slopes[b]).zip(&pull).map(|((a, b), w)| a * b * w).sum();
                matrix[a][b] = sum;
                matrix[b][a] = sum;
            }
            matrix[a][a] += PRIOR * PRIOR;
            let down: f64 =
                slopes[a].iter().zip(&now).zip(&pull).map(|((a, r), w)| a * r * w).sum();
            matrix[a][size] = -(down + PRIOR * PRIOR * x[a]);
        }
        let before = best;
        for _ in 0..12 {
            let mut damped = matrix.clone();
            for (index, row) in damped.iter_mut().enumerate() {
                row[index] *= 1.0 + damping;
            }
            let by = solve(damped);
            let tried: Vec<f64> = x.iter().zip(by).map(|(x, by)| x + by.clamp(-2.0, 2.0)).collect();
            let there = wrong(&tried);
            let cost = cost(&there, &tried);
            if cost < best {
                (x, now, best) = (tried, there, cost);
                damping = (damping / 4.0).max(1e-6);
                break;
            }
            damping *= 4.0;
        }
        if before - best < 1e-4 * before {
            break;
        }
    }
    let error = now.iter().map(|r| (r.exp() - 1.0).abs()).sum::<f64>() / now.len() as f64;
    (factors(&x), error)
}

/// Solves a system of equations, its right side in the last column.
fn solve(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let size = rows.len();
    for column in 0..size {
        let pivot = (column..size)
            .max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))
            .unwrap();
        rows.swap(column, pivot);
        let top = rows[column].clone();
        for row in rows.iter_mut().skip(column + 1) {
            let times = row[column] / top[column];
            for (value, above) in row.iter_mut().zip(&top).skip(column) {
                *value -= times * above;
            }
        }
    }
    let mut found = vec![0.0; size];
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|column| rows[row][column] * found[column]).sum();
        found[row] = (rows[row][size] - known) / rows[row][row];
    }
    found
}

/// Factors that a fit wrote, a name and a number a line; those that it lacks are the
/// program's.
pub(crate) fn read(path: &str) -> Factors {
    let text = std::fs::read_to_string(path).unwrap();
    let found: HashMap<&str, f64> = text
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter_map(|(name, value)| Some((name, value.parse().ok()?)))
        .collect();
    let values = Factors::NAMES.iter().zip(Factors::FITTED.values());
    let values: Vec<f64> =
        values.map(|((name, _), own)| found.get(name).copied().unwrap_or(own)).collect();
    Factors::FITTED.with(&values)
}
