//! Changing the form.

use crate::experiment::Experiment;
use crate::tui::app::model::{Model, Panel};
use crate::tui::app::run::replan;
use crate::tui::dialogs::picker::state::Kind;
use crate::tui::dialogs::picker::update as picker;
use crate::tui::dialogs::state::TextLine;
use crate::tui::screens::runs::update as runs;
use crate::tui::screens::sweep::form::state::{Editor, Field, Form};
use crate::tui::screens::tune::state::Tune;

/// Changes a field by one of its usual values.
pub(crate) fn step(model: &mut Model, field: Field, by: isize) {
    if let Err(reason) = model.form.step(field, by) {
        model.info(reason);
    }
    changed(model);
}

/// Gives a field a value that it offers.
pub(crate) fn set(model: &mut Model, field: Field, value: &str) {
    match model.form.parse(field, value) {
        Ok(experiment) => {
            model.form.experiment = experiment;
            changed(model);
        }
        Err(reason) => model.bad(reason),
    }
}

/// Undoes the last edit of the form, or does it again.
pub(crate) fn undo(model: &mut Model, again: bool) {
    let now = &model.form.experiment;
    let other = if again { model.history.redo(now) } else { model.history.undo(now) };
    let Some(experiment) = other else {
        return model.info(if again { "nothing to redo" } else { "nothing to undo" });
    };
    let what = difference(&model.form.experiment, &experiment);
    model.form.experiment = experiment;
    model.form.go(0); // another algorithm may have fewer fields
    changed(model);
    let (done, way) = if again { ("done again", "u undoes") } else { ("undone", "U redoes") };
    if model.run.is_none() {
        model.info(format!("{done}: {what} ({way})"));
    }
}

/// What differs between two states of the form: `Block size 128, before 256`.
fn difference(from: &Experiment, to: &Experiment) -> String {
    let form = |experiment: &Experiment| Form::new(experiment.clone());
    let (before, now) = (form(from), form(to));
    if from.algorithm != to.algorithm {
        return format!("{} replaces {}", to.algorithm, from.algorithm);
    }
    let fields = now.fields();
    let told = |field: &Field| match field {
        Field::Variant(index) => {
            let tick = |form: &Form| form.ticked(*index);
            let word = if tick(&now) { "on" } else { "off" };
            (tick(&before) != tick(&now)).then(|| format!("{} {word}", now.value(*field)))
        }
        field => {
            let (old, new) = (before.value(*field), now.value(*field));
            (old != new).then(|| format!("{} {new}", now.label(*field)))
        }
    };
    fields.iter().filter_map(told).collect::<Vec<_>>().join(", ")
}

/// Enter on a field: tick it, type into it, or take what was typed.
pub(crate) fn enter(model: &mut Model) {
    if model.form.editor.is_some() {
        return finish_edit(model);
    }
    let field = model.form.field;
    if model.form.choices(field).is_some() {
        picker::open(model, Kind::Field(field));
    } else if matches!(field, Field::Variant(_)) {
        step(model, field, 1);
    } else {
        let line = TextLine::selected(&model.form.value(field));
        model.form.editor = Some(Editor { line, error: None });
    }
}

/// A click on a field: the keys go there; a tick box ticks.
pub(crate) fn click(model: &mut Model, field: Field) {
    let again = model.panel == Panel::Form && model.form.field == field;
    model.panel = Panel::Form;
    model.form.field = field;
    if matches!(field, Field::Variant(_)) || again {
        enter(model);
    }
}

/// Takes what was typed if it is valid; else keeps the old value and says why.
pub(crate) fn finish_edit(model: &mut Model) {
    let Some(text) = model.form.editor.as_ref().map(|editor| editor.line.text()) else { return };
    let parsed = model.form.parse(model.form.field, &text);
    let Some(editor) = &mut model.form.editor else { return };
    match parsed {
        Ok(experiment) => {
            model.form.experiment = experiment;
            model.form.editor = None;
            changed(model);
        }
        Err(reason) => {
            editor.error = Some(reason.clone());
            model.bad(reason);
        }
    }
}

/// Follows a change of the form: the chart shows what is known of the new
/// settings. What runs goes on with them, where that is possible.
pub(crate) fn changed(model: &mut Model) {
    if model.run.is_some() {
        return replan::follow(model);
    }
    if model.selection == model.form.experiment {
        return;
    }
    model.notice = None;
    if model.selection.algorithm != model.form.experiment.algorithm {
        model.tune = Tune::default();
        (model.chart.crosshair, model.chart.zoom) = (None, None);
    }
    model.selection = model.form.experiment.clone();
    model.rebuild_chart();
    model.offer = None;
    if model.nearest.is_some() {
        let look = runs::look_for_offer(model);
        model.effects.extend(look);
    }
    if let Some(near) = &model.nearest {
        let text = near.says.clone();
        model.info(text);
    }
}
