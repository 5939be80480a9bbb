//! What is kept between starts: what the user chose here, not what options or
//! the terminal asked for.

use crate::figure::Time;
use crate::settings::{Dots, Motion};
use crate::tui::app::effect::Effect;
use crate::tui::app::model::Model;

/// The next theme.
pub(crate) fn theme(model: &mut Model) {
    if !model.look.colour {
        return model.info("NO_COLOR is set: only the theme without colour");
    }
    model.look.theme = model.look.theme.next();
    model.kept.theme = Some(model.look.theme);
    model.info(format!("theme: {}", model.look.theme.text()));
}

/// Mouse on or off.
pub(crate) fn mouse(model: &mut Model) {
    model.mouse = !model.mouse;
    model.kept.mouse = Some(model.mouse);
    let word = if model.mouse { "on" } else { "mouse off: the terminal selects text" };
    model.info(format!("mouse {word}"));
    model.effects.push(Effect::Mouse(model.mouse));
}

/// ASCII characters only, or all.
pub(crate) fn ascii(model: &mut Model) {
    model.look.ascii = !model.look.ascii;
    model.kept.ascii = Some(model.look.ascii);
    model.info(if model.look.ascii { "ASCII characters only" } else { "all characters" });
}

/// Other dots for curves.
pub(crate) fn dots(model: &mut Model) {
    model.dots = model.dots.next();
    model.kept.dots = Some(model.dots);
    model.info(match model.dots {
        Dots::Braille => "curves of braille dots",
        Dots::Sextant => "curves of sextants; where they show as boxes, the font lacks them",
        Dots::Octant => "curves of octants; where they show as boxes, the font lacks them",
    });
}

/// Less motion, or all of it.
pub(crate) fn motion(model: &mut Model) {
    let (motion, text) = match model.motion {
        Motion::Full => {
            (Motion::Reduced, "reduced motion: nothing blinks, one frame per second during a run")
        }
        Motion::Reduced => (Motion::Full, "full motion"),
    };
    model.motion = motion;
    model.kept.motion = Some(motion);
    model.info(text);
    model.effects.push(Effect::Motion(motion));
}

/// The time of every screen: that of the kernels, or end to end.
pub(crate) fn time(model: &mut Model) {
    let (time, text) = match model.chart.choice.time {
        Time::Kernels => (
            Time::EndToEnd,
            "end-to-end time on every screen: CPU stages and their copies count too",
        ),
        Time::EndToEnd => {
            (Time::Kernels, "kernel time on every screen: without CPU stages and copies")
        }
    };
    model.time = Some(time);
    model.kept.end_to_end = Some(time == Time::EndToEnd);
    model.rebuild_chart();
    model.info(text);
}

/// What the form holds. A backend that was asked for by an option is not kept.
pub(crate) fn experiment(model: &mut Model) {
    // What a lesson put into the form is not the user's.
    if model.read_only || model.learn.is_some() {
        return;
    }
    let mut experiment = model.form.experiment.clone();
    if model.asked_backend == Some(experiment.target.backend) {
        let before = model.kept.experiment.as_ref().map(|kept| kept.target.backend);
        experiment.target.backend = before.unwrap_or_default();
    }
    model.kept.experiment = Some(experiment);
}
