//! From axes as typed to an experiment that names only things that exist.

use std::fs;

use anyhow::{Context, bail};

use crate::algorithms::{self, Algorithm};
use crate::cli::axes::Axes;
use crate::cli::suggest;
use crate::experiment::Experiment;
use crate::gpu;

/// The experiment that `axes` ask for: its file or `base`, then the options.
pub(super) fn experiment(axes: &Axes, base: Experiment) -> anyhow::Result<Experiment> {
    let base = match &axes.experiment {
        None => base,
        Some(path) => {
            let text = fs::read_to_string(path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            serde_json::from_str(&text)
                .with_context(|| format!("{} is not an experiment", path.display()))?
        }
    };
    let experiment = axes.apply(base)?;
    check(&experiment)?;
    Ok(experiment)
}

/// Refuses names and values that the registry does not have, with the nearest
/// that it has.
fn check(experiment: &Experiment) -> anyhow::Result<()> {
    let algorithm = algorithm(&experiment.algorithm)?;
    let variants: Vec<&str> = algorithm.variants().iter().map(|variant| variant.name).collect();
    for name in &experiment.variants {
        if !variants.contains(&name.as_str()) {
            bail!(suggest::unknown("variant", name, &variants));
        }
    }
    for (name, values) in &experiment.params {
        let Some(param) = algorithm.params().iter().find(|param| param.name == name) else {
            let names: Vec<&str> = algorithm.params().iter().map(|param| param.name).collect();
            bail!(suggest::unknown("parameter", name, &names));
        };
        for value in values {
            if !param.allows(value) {
                bail!("{name} {value} is not possible; {name} takes {}", param.allowed());
            }
        }
    }
    for (what, missing) in [
        ("block size", experiment.blocks.is_empty()),
        ("coarsening", experiment.coarsenings.is_empty()),
    ] {
        if missing {
            bail!("the experiment names no {what}; give at least one");
        }
    }
    if let Some(name) = &experiment.target.gpu
        && gpu::find_profile(name).is_none()
    {
        let names: Vec<&str> = gpu::profiles().iter().map(|gpu| gpu.name.as_str()).collect();
        bail!(suggest::unknown("GPU profile", name, &names));
    }
    if experiment.coarsenings.contains(&0) {
        bail!("coarsening 0 is not possible; a thread has at least 1 element");
    }
    Ok(())
}

fn algorithm(name: &str) -> anyhow::Result<&'static dyn Algorithm> {
    algorithms::find(name).with_context(|| {
        let names: Vec<&str> = algorithms::ALL.iter().map(|algorithm| algorithm.name()).collect();
        suggest::unknown("algorithm", name, &names)
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::experiment::ParamValue;

    fn refusal(change: impl FnOnce(&mut Experiment)) -> String {
        let mut experiment = Experiment::default();
        change(&mut experiment);
        check(&experiment).unwrap_err().to_string()
    }

    #[test]
    fn the_default_experiment_is_possible() {
        check(&Experiment::default()).unwrap();
    }

    #[test]
    fn what_does_not_exist_is_refused_with_what_does() {
        let text = refusal(|experiment| experiment.algorithm = "histogramm".to_owned());
        assert!(text.contains("did you mean `histogram`?"), "{text}");
        let text = refusal(|experiment| experiment.variants = vec!["sharde".to_owned()]);
        assert!(text.contains("did you mean `shared`?"), "{text}");
        let set = |name: &str, value| {
            let values = vec![value];
            refusal(|experiment| drop(experiment.params.insert(name.to_owned(), values)))
        };
        assert!(set("bin", ParamValue::Int(8)).contains("did you mean `bin"));
        assert_eq!(set("bins", ParamValue::Int(0)), "bins 0 is not possible; bins takes 2..=65536");
        assert_eq!(
            set("binning", ParamValue::Word("x".to_owned())),
            "binning x is not possible; binning takes modulo | range"
        );
        let text = refusal(|experiment| experiment.target.gpu = Some("GTX 475".to_owned()));
        assert!(text.contains("GTX 745 (OEM)"), "{text}");
        assert!(refusal(|experiment| experiment.blocks.clear()).contains("no block size"));
        assert!(refusal(|experiment| experiment.coarsenings = vec![0]).contains("coarsening 0"));
    }
}
