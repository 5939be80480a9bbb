//! The kernel that a student writes: edited, tried, judged.

use crate::lessons::grade::Mark;
use crate::lessons::run::Judged;
use crate::lessons::{Task, Write};
use crate::tui::app::effect::Effect;
use crate::tui::app::model::Model;
use crate::tui::screens::learn::state::{self, Kernel};
use crate::units::{Seconds, significant};

/// Opens the editor on the student's kernel, and tries it afterwards.
pub(super) fn edit(model: &mut Model) {
    let Some(write) = write(model) else {
        return model.info("this step asks for no kernel");
    };
    let Some(path) = state::kernel(model) else {
        return model.info("no place for the kernel: answers are kept nowhere (--config none)");
    };
    let template = Some(write.template);
    model.effects.push(Effect::Edit { path, line: 1, template });
    attempt(model);
}

/// The kernel that the step at hand asks for.
fn write(model: &Model) -> Option<Write> {
    match &state::open(model)?.session.step()?.task {
        Task::Write(write) => Some(write.clone()),
        _ => None,
    }
}

/// Compiles, checks and times the student's kernel on a thread.
pub(super) fn attempt(model: &mut Model) {
    let (Some(path), Some(write)) = (state::kernel(model), write(model)) else { return };
    let Some(learn) = &mut model.learn else { return };
    let backend = learn.backend;
    let Some(open) = &mut learn.open else { return };
    let Some(step) = open.session.step().map(|step| step.id.clone()) else { return };
    if open.kernel.busy {
        return model.info("the kernel is being tried: Esc cancels");
    }
    open.kernel = Kernel { busy: true, ..Kernel::default() };
    let lesson = Box::new(open.session.lesson().clone());
    let write = Box::new(write);
    model.effects.push(Effect::Judge { lesson, write, step, path, backend });
}

/// What became of the kernel.
pub(super) fn judged(model: &mut Model, id: &str, judged: Result<Judged, String>) {
    let now = model.now;
    let path = state::kernel(model);
    let Some(learn) = &mut model.learn else { return };
    let time = learn.time(now);
    let Some(open) = &mut learn.open else { return };
    if open.session.step().is_none_or(|step| step.id != id) {
        return;
    }
    open.kernel = Kernel::default();
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    match judged {
        Ok(Judged::Cancelled) => open.kernel.says = lines("cancelled"),
        Err(reason) | Ok(Judged::Refused(reason)) => open.kernel.says = lines(&reason),
        Ok(Judged::NoCompiler(install)) => {
            open.kernel.no_compiler = true;
            let text = format!(
                "No CUDA compiler was found. `{install}` installs one that needs no GPU; then \
                 r tries again."
            );
            open.kernel.says = vec![text];
        }
        Ok(Judged::Tried(tried)) => {
            open.kernel.tried = true;
            open.kernel.says.clone_from(&tried.findings);
            if let (Some(seconds), Some(ratio)) = (tried.seconds, tried.ratio()) {
                open.kernel.says.push(format!(
                    "{}: {}, {}× as fast as the kernel to beat ({})",
                    tried.name,
                    Seconds(seconds),
                    significant(ratio),
                    Seconds(tried.built_in)
                ));
            }
            let path = path.map(|path| path.display().to_string()).unwrap_or_default();
            match open.session.tried(&path, &tried, time) {
                Ok(Mark::Right) => model.good("right, and fast enough"),
                Ok(Mark::Near) => model.info("right, but not fast enough yet"),
                Ok(Mark::Wrong) => model.bad("not right yet"),
                Err(refused) => model.info(refused.to_string()),
            }
        }
    }
}
