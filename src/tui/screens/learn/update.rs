//! What keys do in a lesson, and what its runs report.

use crate::lessons::grade::{Answer, Mark};
use crate::lessons::prose;
use crate::lessons::run::Judged;
use crate::lessons::{Ask, Formula, Task, Write};
use crate::results::record::Record;
use crate::runner::scheduler::{Event, Tally};
use crate::tui::app::action::Command;
use crate::tui::app::effect::Effect;
use crate::tui::app::model::Model;
use crate::tui::app::run::update as run;
use crate::tui::screens::learn::draft::{Stage, round};
use crate::tui::screens::learn::state;
use crate::tui::screens::learn::state::{Kernel, News, Open, Running};
use crate::units::{Seconds, significant};

/// Lines that a key scrolls.
const PAGE: isize = 8;

/// Characters of a line at least.
const LEAST_WIDE: usize = 50;

/// A command on the screen of lessons; whether it is done with.
pub(crate) fn command(model: &mut Model, command: Command) -> bool {
    if is_for_any_screen(command) {
        return false;
    }
    let Some(learn) = &mut model.learn else { return false };
    if learn.open.is_some() {
        step_command(model, command);
        return true;
    }
    let many = learn.lessons.len();
    match command {
        Command::Up => learn.row = round(learn.row, -1, many),
        Command::Down => learn.row = round(learn.row, 1, many),
        Command::First => learn.row = 0,
        Command::Last => learn.row = many.saturating_sub(1),
        Command::Pick(row) if row == learn.row => open(model, row),
        Command::Pick(row) => learn.row = row.min(many.saturating_sub(1)),
        Command::Enter | Command::NextKernel => {
            let row = learn.row;
            open(model, row);
        }
        _ => {}
    }
    true
}

fn is_for_any_screen(command: Command) -> bool {
    use Command as Do;
    matches!(
        command,
        Do::Pause
            | Do::Quit
            | Do::Palette
            | Do::Terms
            | Do::Help
            | Do::Show(_)
            | Do::Export
            | Do::Copy
    )
}

/// Opens the lesson that the program was started on.
pub(crate) fn begin(model: &mut Model) {
    if let Some(row) = model.learn.as_mut().and_then(|learn| learn.first.take()) {
        open(model, row);
    }
}

/// Reads what earlier runs of the open lesson gave.
pub(crate) fn results(model: &Model) -> Option<Effect> {
    let learn = model.learn.as_ref()?;
    let entry = learn.open.as_ref()?.entry;
    let file = learn.lessons.get(entry)?.keeper.results()?;
    Some(Effect::Learned { entry, file })
}

/// Opens a lesson where it was left.
pub(crate) fn open(model: &mut Model, row: usize) {
    let Some(learn) = &mut model.learn else { return };
    let Some(entry) = learn.lessons.get(row) else { return };
    let (session, notes) = entry.session();
    learn.row = row;
    learn.open = Some(Open::new(row, session));
    let problem = entry.problem.clone().or_else(|| notes.into_iter().next());
    let results = results(model);
    model.effects.extend(results);
    if let Some(problem) = problem {
        model.bad(problem);
    }
}

/// Esc: back to choosing an answer, or to the list. Whether there was anything to leave.
pub(crate) fn cancel(model: &mut Model) -> bool {
    let Some(learn) = &mut model.learn else { return false };
    let Some(open) = &mut learn.open else { return false };
    if open.running.is_some() {
        return false;
    }
    if open.kernel.busy {
        model.effects.push(Effect::StopJudging);
        return true;
    }
    if !open.draft.leave() {
        close(model);
    }
    true
}

/// Shows the list.
fn close(model: &mut Model) {
    let Some(learn) = &mut model.learn else { return };
    let Some(open) = learn.open.take() else { return };
    if let Some(entry) = learn.lessons.get_mut(open.entry) {
        entry.look();
    }
}

fn step_command(model: &mut Model, command: Command) {
    let Some(open) = model.learn.as_mut().and_then(|learn| learn.open.as_mut()) else { return };
    match command {
        Command::Up => arrow(open, 0, -1),
        Command::Down => arrow(open, 0, 1),
        Command::Left => arrow(open, -1, 0),
        Command::Right => arrow(open, 1, 0),
        Command::PanLeft => scroll(open, -PAGE),
        Command::PanRight => scroll(open, PAGE),
        Command::First => scroll(open, isize::MIN / 2),
        Command::Pick(row) => pick(open, row),
        Command::Flip => open.times = !open.times,
        Command::PrevKernel => {
            open.session.back();
            open.arrive();
        }
        Command::NextKernel => forward(model),
        Command::Hint => hint(model),
        Command::Enter => enter(model),
        Command::Run => start(model),
        Command::Edit => edit(model),
        Command::Why => model.info("the explanation comes with the answer of a why step"),
        _ => {}
    }
}

/// An arrow key: right and down are positive.
fn arrow(open: &mut Open, right: isize, down: isize) {
    let asks = open.asks();
    let lesson = open.session.lesson();
    let Some(step) = open.session.step() else { return };
    match (&step.task, step.task.question()) {
        (_, Some(question)) if asks => match open.draft.stage {
            Stage::Confidence => open.draft.be_sure(right - down),
            Stage::Lock => {}
            Stage::Choose if matches!(question.ask, Ask::Draw { .. }) => {
                let value = question.ask.value().and_then(|name| lesson.values.get(name));
                open.draft.go_point(right);
                open.draft.lift(-down as i32, value.and_then(Formula::unit));
            }
            Stage::Choose => {
                let question = question.clone();
                open.draft.go(&question, right, down);
            }
        },
        (Task::Change(change), _) => {
            let axes = change.axes.len();
            if down != 0 {
                open.setting.axis = round(open.setting.axis, down, axes);
                open.setting.value = None;
            } else if let Some((axis, values)) = change.axes.iter().nth(open.setting.axis) {
                let from = open.setting.value.or_else(|| open.start(axis));
                let last = values.len().saturating_sub(1);
                let to = from.map_or(0, |from| from.saturating_add_signed(right).min(last));
                open.setting.value = Some(to);
            }
        }
        _ => scroll(open, down),
    }
}

/// Scrolls the page, at most by the lines that it has where they are shortest.
fn scroll(open: &mut Open, by: isize) {
    let Some(step) = open.session.step() else { return };
    let texts = std::iter::once(&step.text).chain(open.session.hints(&step.id));
    let lines = texts.flat_map(|text| prose::plain(text, &|name| open.session.shown(name)));
    let most: usize = lines.map(|text| text.len() / LEAST_WIDE + 2).sum();
    let most = most as isize;
    open.scroll = open.scroll.saturating_add(by).clamp(-most, most);
}

/// A click on an option or a parameter.
fn pick(open: &mut Open, row: usize) {
    let Some(step) = open.session.step() else { return };
    if let Task::Change(change) = &step.task {
        if row < change.axes.len() && row != open.setting.axis {
            (open.setting.axis, open.setting.value) = (row, None);
        }
    } else if let Some(question) = step.task.question()
        && open.asks()
        && row < question.options.len()
    {
        open.draft.option = row;
        open.draft.leave();
    }
}

/// Enter: the next thing to do.
fn enter(model: &mut Model) {
    let Some(open) = model.learn.as_mut().and_then(|learn| learn.open.as_mut()) else { return };
    let Some(step) = open.session.step() else { return };
    let predicts = matches!(step.task, Task::Predict(_));
    if open.asks() {
        if open.needed().is_some() {
            return model.info("r runs the experiment that the answer needs");
        }
        if open.draft.enter(predicts) {
            answer(model);
        }
        return;
    }
    let may_fail = matches!(step.task, Task::Change(_) | Task::Write(_));
    if may_fail && open.session.mark(&step.id) != Some(Mark::Right) {
        return model.info("this step is not done: ] goes on without it");
    }
    forward(model);
}

/// Locks the answer to a question.
fn answer(model: &mut Model) {
    let now = model.now;
    let Some(learn) = &mut model.learn else { return };
    let time = learn.time(now);
    let Some(open) = &mut learn.open else { return };
    let Some((question, predicts)) = open
        .session
        .step()
        .and_then(|step| Some((step.task.question()?, matches!(step.task, Task::Predict(_)))))
    else {
        return;
    };
    let Some(answer) = open.draft.answer(question) else { return };
    let confidence = predicts.then_some(open.draft.confidence);
    open.draft.stage = Stage::Choose;
    match open.session.answer(answer, confidence, time) {
        Err(refused) => model.bad(refused.to_string()),
        Ok(None) => model.good("locked: the run will show"),
        Ok(Some(Mark::Right)) => model.good("right"),
        Ok(Some(mark)) => model.info(format!("{}: read what is shown now", mark.name())),
    }
}

/// Goes to the next step; behind the last one the lesson ends.
fn forward(model: &mut Model) {
    let Some(open) = model.learn.as_mut().and_then(|learn| learn.open.as_mut()) else { return };
    if open.session.is_last() && open.session.left().is_none() {
        let text = if open.session.is_passed() {
            "lesson passed"
        } else {
            "end of the lesson; some answers are not right yet"
        };
        close(model);
        return model.good(text);
    }
    match open.session.forward() {
        Ok(()) => open.arrive(),
        Err(refused) => model.info(refused.to_string()),
    }
}

fn hint(model: &mut Model) {
    let Some(open) = model.learn.as_mut().and_then(|learn| learn.open.as_mut()) else { return };
    let Some(step) = open.session.step() else { return };
    let (all, id) = (step.hints.len(), step.id.clone());
    if all == 0 {
        return model.info("this step has no hints");
    }
    let more = open.session.hint().is_some();
    let shown = open.session.hints(&id).len();
    let last = if shown == all { ": that is the last one" } else { "" };
    let text =
        if more { format!("hint {shown} of {all}{last}") } else { "no more hints".to_owned() };
    model.info(text);
}

/// Runs what the step needs: its experiment, or the changed parameter.
fn start(model: &mut Model) {
    let Some(learn) = &model.learn else { return };
    let Some(open) = &learn.open else { return };
    let Some(step) = open.session.step() else { return };
    if let Task::Write(_) = step.task {
        return try_kernel(model);
    }
    let lesson = open.session.lesson();
    let (trial, change) = match (&step.task, open.changed()) {
        (Task::Change(_), Some((_, _, Err(reason)))) => return model.bad(reason),
        (Task::Change(_), Some((axis, value, Ok(trial)))) => (trial, Some((axis, value))),
        (Task::Change(_), None) => return model.info("first choose a value with ← or →"),
        _ => match open.needed().and_then(|name| lesson.experiments.get(name)) {
            Some(trial) => (trial.clone(), None),
            None => return model.info("nothing is to be run in this step"),
        },
    };
    let experiment = learn.experiment(&trial);
    if model.run.is_none() {
        model.form.experiment = experiment.clone();
    }
    if run::start_with(model, experiment) {
        let run = model.run_id;
        if let Some(open) = model.learn.as_mut().and_then(|learn| learn.open.as_mut()) {
            open.running = Some(Running { run, change });
        }
    }
}

/// A run reports: its results are those of the lesson.
pub(crate) fn hear(model: &mut Model, run: u64, event: &Event) {
    let Some(open) = model.learn.as_mut().and_then(|learn| learn.open.as_mut()) else { return };
    let ours = open.running.as_ref().is_some_and(|running| running.run == run);
    if let Event::Finished { record, .. } = event
        && ours
    {
        open.session.add(record.clone());
    }
}

/// A run has ended.
pub(crate) fn ended(model: &mut Model, run: u64, tally: &Result<Tally, String>) {
    let now = model.now;
    let Some(learn) = &mut model.learn else { return };
    let time = learn.time(now);
    let Some(open) = &mut learn.open else { return };
    let Some(running) = open.running.take_if(|running| running.run == run) else { return };
    if tally.is_err() {
        return; // the reason is told already
    }
    if let Some((axis, value)) = running.change {
        match open.session.answer(Answer::Change { axis, value }, None, time) {
            Ok(Some(Mark::Right)) => model.good("goal reached"),
            Ok(_) => model.info("not yet: try another value or parameter"),
            Err(refused) => model.bad(refused.to_string()),
        }
    }
    count(model);
}

/// Lets the emulator count what only a GPU measured: causes rest on counters.
fn count(model: &mut Model) {
    let Some(open) = model.learn.as_mut().and_then(|learn| learn.open.as_mut()) else { return };
    let results = open.session.results();
    let cases = open.session.uncounted();
    let records: Vec<Record> = results.records(cases).cloned().collect();
    if !records.is_empty() && !open.counting {
        open.counting = true;
        model.effects.push(Effect::Count(records));
    }
}

/// Something that a thread reports.
pub(crate) fn news(model: &mut Model, news: News) {
    let Some(open) = model.learn.as_mut().and_then(|learn| learn.open.as_mut()) else { return };
    match news {
        News::Results { entry, records } if entry == open.entry => {
            for record in records {
                open.session.add(Box::new(record));
            }
            count(model);
        }
        News::Results { .. } => {}
        News::Counted(Some(record)) => open.session.count(record),
        News::Counted(None) => open.counting = false,
        News::Judged { step, judged: found } => judged(model, &step, found),
    }
}

/// After every action: progress that changed is kept.
pub(crate) fn follow(model: &mut Model) {
    let Some(learn) = &mut model.learn else { return };
    let Some(open) = &learn.open else { return };
    let Some(entry) = learn.lessons.get_mut(open.entry) else { return };
    let progress = open.session.progress();
    if entry.progress.as_ref() != Some(&progress) {
        entry.progress = Some(progress.clone());
        let keeper = entry.keeper.clone();
        model.effects.push(Effect::KeepAnswers(keeper, Box::new(progress)));
    }
}

/// Opens the editor on the student's kernel, and tries it afterwards.
fn edit(model: &mut Model) {
    let Some(write) = write(model) else {
        return model.info("this step asks for no kernel");
    };
    let Some(path) = state::kernel(model) else {
        return model.info("no place for the kernel: answers are kept nowhere (--config none)");
    };
    let template = Some(write.template);
    model.effects.push(Effect::Edit { path, line: 1, template });
    try_kernel(model);
}

/// The kernel that the step at hand asks for.
fn write(model: &Model) -> Option<Write> {
    match &state::open(model)?.session.step()?.task {
        Task::Write(write) => Some(write.clone()),
        _ => None,
    }
}

/// Compiles, checks and times the student's kernel on a thread.
fn try_kernel(model: &mut Model) {
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
fn judged(model: &mut Model, id: &str, judged: Result<Judged, String>) {
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
