//! From axes as typed to an experiment that names only things that exist.

use std::fs;
use std::sync::Arc;

use anyhow::{Context, anyhow};

use crate::algorithms;
use crate::cli::axes::Axes;
use crate::cli::suggest;
use crate::experiment::Experiment;
use crate::gpu::{self, Profile, ProfileError};
use crate::runner::plan;

/// The experiment that `axes` ask for: its file, or what the algorithm opens
/// on, then the options.
pub(super) fn experiment(axes: &Axes) -> anyhow::Result<Experiment> {
    let base = match &axes.experiment {
        None => match axes.algorithm.as_deref() {
            Some(name) => algorithms::opening(plan::algorithm(name)?),
            None => Experiment::default(),
        },
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

/// Refuses what does not exist, before a worker is started or a file made.
fn check(experiment: &Experiment) -> anyhow::Result<()> {
    plan::check(experiment)?;
    if let Some(name) = &experiment.target.gpu {
        profile(name)?;
    }
    Ok(())
}

/// The GPU profile that `--gpu` names.
pub(super) fn profile(name: &str) -> anyhow::Result<Arc<Profile>> {
    gpu::open_profile(name).map_err(|error| match error {
        ProfileError::Unknown { name, .. } => {
            let names: Vec<&str> = gpu::profiles().iter().map(|gpu| gpu.name.as_str()).collect();
            let known = suggest::unknown("GPU profile", &name, &names);
            anyhow!("{known}, and no file of that name")
        }
        other => other.into(),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_exist_is_refused_with_what_does() {
        check(&Experiment::default()).unwrap();
        let refusal = |change: fn(&mut Experiment)| {
            let mut experiment = Experiment::default();
            change(&mut experiment);
            check(&experiment).unwrap_err().to_string()
        };
        let text = refusal(|experiment| experiment.algorithm = "histogramm".to_owned());
        assert!(text.contains("did you mean `histogram`?"), "{text}");
        let text = refusal(|experiment| experiment.target.gpu = Some("GTX 475".to_owned()));
        assert!(text.contains("GTX 745 (OEM)"), "{text}");
    }
}
