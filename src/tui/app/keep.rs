//! What is kept between starts: what the user chose here, not what options or
//! the terminal asked for.

use crate::settings::Motion;
use crate::tui::app::effect::Effect;
use crate::tui::app::model::{Level, Model};

/// ASCII characters only, or all.
pub(crate) fn ascii(model: &mut Model) {
    model.look.ascii = !model.look.ascii;
    model.kept.ascii = Some(model.look.ascii);
    let text = if model.look.ascii { "ASCII characters only" } else { "all characters" };
    model.tell(Level::Info, text);
}

/// Less motion, or all of it.
pub(crate) fn motion(model: &mut Model) -> Vec<Effect> {
    let (motion, text) = match model.motion {
        Motion::Full => {
            (Motion::Reduced, "reduced motion: nothing blinks, one frame per second during a run")
        }
        Motion::Reduced => (Motion::Full, "full motion"),
    };
    model.motion = motion;
    model.kept.motion = Some(motion);
    model.tell(Level::Info, text);
    vec![Effect::Motion(motion)]
}

/// What the form holds. A backend that was asked for by an option is not kept.
pub(crate) fn experiment(model: &mut Model) {
    if model.read_only {
        return;
    }
    let mut experiment = model.form.experiment.clone();
    if model.asked_backend == Some(experiment.target.backend) {
        let before = model.kept.experiment.as_ref().map(|kept| kept.target.backend);
        experiment.target.backend = before.unwrap_or_default();
    }
    model.kept.experiment = Some(experiment);
}
