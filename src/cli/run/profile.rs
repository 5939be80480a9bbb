//! `warpscope run --kernels`: the kernel profiles of a case, from the emulator.

use std::io::Write;

use anyhow::{Context, bail};

use crate::algorithms;
use crate::analysis::kernel_profile;
use crate::cli::{Exit, interrupt};
use crate::experiment::{Case, Experiment};
use crate::figure::listing::{self, Heat, Listing};
use crate::figure::roofline::{self, Side};
use crate::results::record::{CaseProfile, KernelProfile, Outcome};
use crate::runner::plan;
use crate::runner::scheduler::{self, Control, ProfiledCase};

/// Source lines that are listed for each heat.
const MOST_LINES: usize = 5;

/// Profiles the only case of `experiment` and prints the result, as JSON or as text.
pub(super) fn run(
    experiment: &Experiment,
    json: bool,
    out: &mut impl Write,
) -> anyhow::Result<Exit> {
    let case = only(experiment)?;
    let control = Control::new();
    let listener = interrupt::cancels(&control)?;
    let target = &experiment.target;
    let found = scheduler::profile_kernels(&case, target.gpu.as_deref(), target.sample, &control)?;
    drop(listener);
    let Some(profiled) = found else { return Ok(Exit::Interrupted) };
    if json {
        serde_json::to_writer(&mut *out, &profiled)?;
        writeln!(out)?;
    } else {
        out.write_all(text(&profiled)?.as_bytes())?;
    }
    let wrong = matches!(profiled.record.outcome(), Outcome::Wrong | Outcome::Failed);
    Ok(if wrong { Exit::Wrong } else { Exit::Fine })
}

/// The case of an experiment that has one value on each axis.
pub(super) fn only(experiment: &Experiment) -> anyhow::Result<Case> {
    let algorithm = plan::algorithm(&experiment.algorithm)?;
    let params = algorithm.params().iter().map(|param| {
        let chosen = experiment.params.get(param.name).and_then(|values| values.first());
        (param.name.to_owned(), chosen.cloned().unwrap_or_else(|| param.default()))
    });
    Ok(Case {
        algorithm: experiment.algorithm.clone(),
        variant: experiment.variants.first().context("no variant")?.clone(),
        block: experiment.blocks.first().context("no block size")?.get(),
        coarsen: *experiment.coarsenings.first().context("no coarsening")?,
        n: *experiment.sizes.values().first().context("no size")?,
        params: params.collect(),
        dist: experiment.dist,
        seed: experiment.seed,
    })
}

fn text(profiled: &ProfiledCase) -> anyhow::Result<String> {
    let record = &profiled.record;
    let Some(profile) = &profiled.profile else {
        let wrong = record.wrong.as_ref().map(|wrong| wrong.message.as_str());
        bail!(
            "{}: {}",
            record.case(),
            wrong.or(record.skip.as_ref().map(|skip| skip.as_str())).unwrap_or("no counts")
        );
    };
    let label = record.provenance_label();
    let mut page = format!("{}\ncounted on the emulator · {label}\n", record.case());
    let case = record.case();
    let module =
        algorithms::find(&case.algorithm).context("no such algorithm")?.module(&case.variant);
    let figure = roofline::build(&[Side { label: &case.variant, profile }]);
    for (index, kernel) in profile.kernels.iter().enumerate() {
        page.push_str(&format!("\n{}: {}\n", kernel.phase, kernel.name));
        counters(&mut page, profile, kernel);
        let points = figure.iter().flat_map(|figure| &figure.points);
        for point in points.filter(|point| point.kernel == index) {
            page.push_str(&format!("  {:<22}{}\n", "roofline", point.says()));
        }
        let (source, path) = if module.source.is_empty() {
            (listing::ptx(kernel, module.ptx), module.path.to_owned())
        } else {
            (listing::source(kernel, module.source), module.source_path())
        };
        for heat in Heat::ALL {
            lines(&mut page, &source, heat, &path);
        }
    }
    Ok(page)
}

fn counters(page: &mut String, profile: &CaseProfile, kernel: &KernelProfile) {
    for row in kernel_profile::rows(&[Some(kernel_profile::Kernel { kernel, gpu: &profile.gpu })]) {
        let Some(reading) = row.readings.first().and_then(Option::as_ref) else { continue };
        let bad = reading.bad.as_deref().map(|bad| format!("  ! {bad}")).unwrap_or_default();
        page.push_str(&format!("  {:<22}{}{bad}\n", row.name, reading.text));
    }
}

/// The lines with the most of a heat.
fn lines(page: &mut String, source: &Listing, heat: Heat, path: &str) {
    let hottest = source.hottest(heat);
    if hottest.is_empty() {
        return;
    }
    page.push_str(&format!("  {} lines ({})\n", heat.name(), heat.about()));
    for at in hottest.into_iter().take(MOST_LINES) {
        let line = &source.lines[at];
        let share = 100.0 * source.share(line, heat);
        page.push_str(&format!("  {share:>5.1} %  {path}:{}  {}\n", line.number, line.text.trim()));
    }
}
