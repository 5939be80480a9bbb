//! The terminal interface: how it starts, from options and settings.

use super::{Cli, Exit, show, workers};
use crate::experiment::{Experiment, Stopping};
use crate::runner::plan;
use crate::settings::{self, Settings};
use crate::tui;

pub(super) fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let mut start = start(cli);
    start.session = workers::options(&cli.workers, None)?;
    if let Some(kept) = start.settings.experiment.clone() {
        match plan::check(&kept) {
            // The stopping rule is never restored.
            Ok(()) => start.experiment = Experiment { stopping: Stopping::default(), ..kept },
            Err(error) => {
                let text = format!("cannot restore the last experiment: {error}");
                start.problem.get_or_insert(text);
            }
        }
    }
    if cli.backend.is_some() || cli.workers.device.is_some() {
        let backend = workers::backend(&cli.workers, cli.backend)?;
        start.experiment.target.backend = backend;
        start.asked_backend = Some(backend);
    }
    show::open(start)
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
