//! The terminal interface: what it starts on, from options and kept settings.

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
            // When a case is measured enough is the program's to say.
            Ok(()) => start.experiment = Experiment { stopping: Stopping::default(), ..kept },
            Err(error) => {
                let text = format!("the last experiment cannot be shown again: {error}");
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

/// Looks and places, the same for every way to open the screens.
pub(super) fn start(cli: &Cli) -> tui::Start {
    let file = settings::file(cli.config.as_deref());
    let (kept, config, problem) = match file.as_deref().map(settings::read) {
        None => (Settings::default(), None, None),
        Some(Ok(kept)) => (kept, file, None),
        // It is the user's to mend, so nothing is written over it.
        Some(Err(error)) => (Settings::default(), None, Some(error.to_string())),
    };
    tui::Start {
        ascii: cli.ascii,
        present: cli.present,
        motion: cli.motion,
        settings: kept,
        config,
        problem,
        folder: settings::runs(cli.out.as_deref()),
        ..tui::Start::default()
    }
}
