//! A change of the form while something runs: what is left is planned anew.

use crate::experiment::Experiment;
use crate::runner::plan;
use crate::tui::app::effect::Effect;
use crate::tui::app::model::Model;
use crate::tui::app::run::state::Phase;
use crate::tui::screens::tune::state as tune;

/// Lets the run go on with what the form says now. Cases that ended stay, also
/// those that do not belong any more.
pub(crate) fn follow(model: &mut Model) {
    let Some(run) = &model.run else { return };
    let wanted = match run.map_at {
        Some(n) => tune::experiment(model, n),
        None => model.form.experiment.clone(),
    };
    if wanted == run.experiment {
        // A block size more or less is nothing new to a run that tries them all.
        model.selection = model.form.experiment.clone();
        model.rebuild_chart();
        return;
    }
    if run.replay.is_some() || run.phase == Phase::Cancelling || !alike(&wanted, &run.experiment) {
        return model.info("Needs a new run. The current run continues; then press r.");
    }
    if let Err(error) = plan::check(&wanted) {
        return model.bad(format!("The current run continues unchanged: {error}"));
    }
    model.selection = model.form.experiment.clone();
    if let Some(run) = &mut model.run {
        run.experiment = wanted.clone();
    }
    model.rebuild_chart();
    model.info("new plan: results stay, only the remaining cases change");
    model.effects.push(Effect::Replan(Box::new(wanted)));
}

/// Whether a run of one can go on with the other: the same kernels on the same
/// target.
fn alike(a: &Experiment, b: &Experiment) -> bool {
    a.algorithm == b.algorithm && a.target == b.target && a.stopping == b.stopping
}
