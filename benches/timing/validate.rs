//! How well a fit predicts what it has not seen: whole systems, and kernels of no system.

use std::io::Write;

use warpscope::gpu::{self, Factors, GpuSpec};

use crate::fit::{Case, fit as fit_to};

/// Most steps of a fit.
const STEPS: usize = 15;

/// The cases of files that `counts`, `outside` and `suite` wrote.
fn read(files: &[String]) -> Vec<Case> {
    let lines = |file: &String| {
        let text = std::fs::read_to_string(file).unwrap();
        text.lines()
            .map(|line| Case::read(&serde_json::from_str(line).unwrap()))
            .collect::<Vec<_>>()
    };
    files.iter().flat_map(lines).collect()
}

/// Fits to the cases that are for fitting, and says how far off a system is that a fit to
/// all others has not seen.
pub(crate) fn fit(files: &[String], out: &mut impl Write) {
    let profile = gpu::find_spec(gpu::DEFAULT_GPU).unwrap();
    let cases = read(files);
    let fitted: Vec<&Case> = cases.iter().filter(|case| case.fitted).collect();
    let (factors, error) = fit_to(&fitted, &profile, STEPS);
    for ((name, _), value) in Factors::NAMES.iter().zip(factors.values()) {
        writeln!(out, "{name} {value:.4}").unwrap();
    }
    writeln!(out, "# mean error {error:.4} over {} cases", fitted.len()).unwrap();
    out.flush().unwrap();
    let systems = cases.iter().filter(|case| !case.is_outside());
    let mut names: Vec<&str> = systems.map(|case| case.algorithm.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let others: Vec<&Case> =
            fitted.iter().copied().filter(|case| case.algorithm != name).collect();
        let (factors, _) = fit_to(&others, &profile, STEPS);
        let there = cases.iter().filter(|case| case.algorithm == name);
        let errors = Errors::of(there.map(|case| ratio(case, &factors, &profile)));
        writeln!(out, "# without {name}: {errors}").unwrap();
        out.flush().unwrap();
    }
}

/// Predicts each kernel of no system by a fit to the cases of the other folds and of the
/// systems: a line per kernel, then the errors of all.
pub(crate) fn folds(files: &[String], folds: usize, out: &mut impl Write) {
    let profile = gpu::find_spec(gpu::DEFAULT_GPU).unwrap();
    let cases = read(files);
    let mut kernels: Vec<&str> =
        cases.iter().filter(|case| case.is_outside()).map(|case| case.group.as_str()).collect();
    kernels.sort_unstable();
    kernels.dedup();
    let fold = |case: &Case| kernels.binary_search(&case.group.as_str()).ok().map(|at| at % folds);
    let mut all = Vec::new();
    for left_out in 0..folds {
        let fitted: Vec<&Case> =
            cases.iter().filter(|case| case.fitted && fold(case) != Some(left_out)).collect();
        let (factors, _) = fit_to(&fitted, &profile, STEPS);
        for kernel in kernels.iter().skip(left_out).step_by(folds) {
            let there = cases.iter().filter(|case| case.group == *kernel);
            let pairs: Vec<(f64, f64)> =
                there.map(|case| (case.seconds, case.predict(&factors, &profile))).collect();
            let errors = Errors::of(pairs.iter().map(|(measured, predicted)| predicted / measured));
            writeln!(out, "{kernel}: {errors}").unwrap();
            all.extend(pairs.into_iter().map(|pair| (kernel.starts_with("suite"), pair)));
        }
        out.flush().unwrap();
    }
    for suite in [true, false] {
        let part: Vec<(f64, f64)> =
            all.iter().filter(|(it, _)| *it == suite).map(|(_, pair)| *pair).collect();
        if part.is_empty() {
            continue;
        }
        let errors = Errors::of(part.iter().map(|(measured, predicted)| predicted / measured));
        let name = if suite { "suite" } else { "outside" };
        writeln!(out, "# {name}: {errors}, Kendall {:.3}", kendall(&part)).unwrap();
    }
}

fn ratio(case: &Case, factors: &Factors, profile: &GpuSpec) -> f64 {
    case.predict(factors, profile) / case.seconds
}

/// Kendall's tau of pairs of measured and predicted seconds, of those whose measured times
/// differ by 2 %.
fn kendall(pairs: &[(f64, f64)]) -> f64 {
    let (mut count, mut score) = (0.0, 0.0);
    for (index, a) in pairs.iter().enumerate() {
        for b in pairs[..index].iter().filter(|b| (a.0 / b.0).ln().abs() >= 0.02) {
            count += 1.0;
            score += ((a.0 - b.0) * (a.1 - b.1)).signum();
        }
    }
    score / count
}

/// Errors of predictions: |predicted / measured - 1|.
struct Errors {
    each: Vec<f64>,
}

impl Errors {
    fn of(ratios: impl Iterator<Item = f64>) -> Self {
        let mut each: Vec<f64> = ratios.map(|ratio| (ratio - 1.0).abs()).collect();
        each.sort_by(f64::total_cmp);
        Self { each }
    }
}

impl std::fmt::Display for Errors {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Self { each } = self;
        let mean = each.iter().sum::<f64>() / each.len() as f64;
        let at = |percent: usize| each[(each.len() * percent / 100).min(each.len() - 1)];
        write!(
            f,
            "{} cases, mean {mean:.4}, median {:.4}, 95th percentile {:.4}",
            each.len(),
            at(50),
            at(95)
        )
    }
}
