//! The terminal interface: how it starts, from options and settings.

use anyhow::bail;

use super::{Cli, Exit, show, workers};
use crate::algorithms;
use crate::experiment::{Experiment, Stopping};
use crate::own;
use crate::runner::{plan, source};
use crate::settings::{self, Settings};
use crate::tui;
use crate::tui::screens::learn::state::Learn;

pub(super) fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let mut start = start(cli);
    start.tour = first_launch(&start);
    start.session = workers::options(&cli.workers, None)?;
    if let Some(kept) = start.settings.experiment.clone() {
        match restored(kept) {
            Ok(experiment) => start.experiment = experiment,
            // Something else is open now, or the same file.
            Err(_) if cli.file.is_some() || cli.algorithm.is_some() => {}
            Err(reason) => _ = start.problem.get_or_insert(reason),
        }
    }
    if let Some(algorithm) = cli.algorithm.as_deref().and_then(algorithms::find)
        && start.experiment.algorithm != algorithm.name()
    {
        let target = start.experiment.target.clone();
        start.experiment = Experiment { target, ..algorithms::opening(algorithm) };
    }
    if cli.backend.is_some() || cli.workers.device.is_some() {
        let backend = workers::backend(&cli.workers, cli.backend)?;
        start.experiment.target.backend = backend;
        start.asked_backend = Some(backend);
    }
    if let Some(file) = &cli.file {
        // What cannot be read is told before the screens open; what does not compile, on them.
        source::read(file)?;
        start.own = Some(tui::OwnStart { path: file.into(), like: cli.like.clone() });
    } else if cli.like.is_some() {
        bail!("--like needs a file with kernels, as in `warpscope my.cu --like histogram`");
    }
    show::open(start)
}

/// The terminal interface on lessons. Their results are stored beside their answers.
pub(super) fn learn(cli: &Cli, learn: Learn) -> anyhow::Result<Exit> {
    let mut start = start(cli);
    start.session = workers::options(&cli.workers, None)?;
    start.folder = None;
    start.learn = Some(learn);
    show::open(start)
}

/// The experiment of the last time, or why it cannot come back, in a sentence.
fn restored(kept: Experiment) -> Result<Experiment, String> {
    match plan::check(&kept) {
        // The stopping rule is never restored.
        Ok(()) => Ok(Experiment { stopping: Stopping::default(), ..kept }),
        Err(_) if own::is_own_name(&kept.algorithm) => {
            let name = &kept.algorithm;
            Err(format!("the last experiment was on {name}: `warpscope {name}` opens it"))
        }
        Err(error) => Err(format!("cannot restore the last experiment: {error}")),
    }
}

/// Whether nobody has seen the hints yet: no settings were ever kept here. Where none can
/// be kept there are no hints, as they would come back at every start.
fn first_launch(start: &tui::Start) -> bool {
    let never = |path: &std::path::PathBuf| !path.exists();
    match start.settings.tour_done {
        Some(done) => !done && start.config.is_some(),
        None => start.config.as_ref().is_some_and(never),
    }
}

/// Appearance and folders, the same for every way to open the screens.
pub(super) fn start(cli: &Cli) -> tui::Start {
    let file = settings::file(cli.config.as_deref());
    let (kept, config, problem) = match file.as_deref().map(settings::read) {
        None => (Settings::default(), None, None),
        Some(Ok(kept)) => (kept, file, None),
        // Never overwritten: the user has to repair it.
        Some(Err(error)) => (Settings::default(), None, Some(error.to_string())),
    };
    tui::Start {
        ascii: cli.ascii,
        present: cli.present,
        motion: cli.motion,
        pictures: cli.pictures,
        settings: kept,
        config,
        problem,
        folder: settings::runs(cli.out.as_deref()),
        ..tui::Start::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_experiment_on_a_file_comes_back_only_with_the_file() {
        let kept = Experiment::default();
        assert_eq!(restored(kept.clone()).map(|it| it.algorithm), Ok(kept.algorithm.clone()));
        let of = |algorithm: &str| {
            restored(Experiment { algorithm: algorithm.to_owned(), ..kept.clone() }).err()
        };
        let text = "the last experiment was on gone.cu: `warpscope gone.cu` opens it";
        assert_eq!(of("gone.cu").as_deref(), Some(text));
        assert!(of("histogramm").is_some_and(|it| it.contains("did you mean `histogram`?")));
    }
}
