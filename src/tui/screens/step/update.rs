//! The Step screen: recording what it needs, and moving over the steps.

use std::sync::Arc;

use crate::algorithms;
use crate::experiment::Case;
use crate::runner::trace;
use crate::tui::app::action::Command;
use crate::tui::app::effect::Effect;
use crate::tui::app::model::{Level, Model, Screen};
use crate::tui::dialogs::state::TextLine;
use crate::tui::screens::profile::state as profile;
use crate::tui::screens::step::goto;
use crate::tui::screens::step::recorded::Recorded;
use crate::tui::screens::step::state::{Known, Running, Seek, Text, fitting, wanted};
use crate::work::Done;
use crate::work::trace::{Ending, Marks, Step, Trace};

/// What costs more than it must, or ends the block.
const COSTLY: [Marks; 5] =
    [Marks::CONFLICT, Marks::DIVERGES, Marks::SCATTERED, Marks::SERIAL, Marks::TRAP];

/// Records what the screen shows and is not recorded yet; ends a recording that it no longer
/// needs.
pub(crate) fn follow(model: &mut Model) -> Vec<Effect> {
    let mut effects = Vec::new();
    if model.screen == Screen::Step {
        another_case(model);
        model.step.wanted = wanted(model);
    } else {
        model.step.typed = None;
    }
    let needed = model.step.wanted.clone().filter(|_| model.screen == Screen::Step);
    if let Some(running) = &model.step.running {
        if Some(&running.wanted) == needed.as_ref() {
            return effects;
        }
        model.step.running = None;
        effects.push(Effect::StopRecording);
    }
    let Some(wanted) = needed else { return effects };
    let known = model.step.known.as_ref().is_some_and(|(of, _)| *of == wanted);
    if !known && !profile::disturbs(model) {
        model.step.attempts += 1;
        let id = model.step.attempts;
        let running =
            Running { id, wanted: wanted.clone(), since: model.now, done: Done::default() };
        model.step.running = Some(running);
        effects.push(Effect::Record { id, wanted: Box::new(wanted) });
    }
    effects
}

/// Where another case was selected, it is stepped from the start.
fn another_case(model: &mut Model) {
    let Some(selected) = &model.selected else { return };
    let (case, step) = (&selected.case, &mut model.step);
    if step.of.as_ref() == Some(case) {
        return;
    }
    let other = step.of.as_ref().is_none_or(|of| of.algorithm != case.algorithm);
    if other || step.of.as_ref().is_none_or(|of| of.variant != case.variant) {
        (step.launch, step.block, step.watched) = (None, 0, Vec::new());
    }
    if other {
        step.breakpoints.clear();
    }
    (step.n, step.cursor, step.scroll) = (None, None, 0);
    step.fits = fitting(case);
    step.of = Some(case.clone());
}

/// How far a recording has come.
pub(crate) fn progressed(model: &mut Model, id: u64, done: Done) {
    if let Some(running) = model.step.running.as_mut().filter(|running| running.id == id) {
        running.done = done;
    }
}

/// A block was recorded, or was not.
pub(crate) fn recorded(model: &mut Model, id: u64, result: Result<Arc<Recorded>, String>) {
    let running = model.step.running.take_if(|running| running.id == id);
    let Some(Running { wanted, .. }) = running else { return };
    model.step.wanted = Some(wanted.clone());
    let recorded = match result {
        Err(reason) => {
            model.step.shown = None;
            model.step.known = Some((wanted, Known::Not(reason)));
            return;
        }
        Ok(recorded) => recorded,
    };
    let before = model.step.shown.as_ref().map_or(0, |shown| shown.moment.warp);
    let warp = before.min(recorded.warps.saturating_sub(1));
    let (ending, steps) = (recorded.ending.clone(), recorded.steps);
    model.step.known = Some((wanted, Known::Recorded(Arc::clone(&recorded))));
    (model.step.shown, model.step.cursor) = (None, None);
    let seek = model.step.seek.take();
    let trace = recorded.trace();
    let first = trace.first_of(warp).or_else(|| (steps > 0).then_some(0));
    let sought = seek.and_then(|seek| find(&recorded, &trace, seek));
    drop(trace);
    if let Some(step) = sought.or(first) {
        show(model, &recorded, step);
    }
    match ending {
        _ if seek.is_some() && sought.is_none() => {
            model.info("this block has no such step: ) records the next block");
        }
        Ending::Finished => {}
        Ending::Trapped(trap) => {
            model.tell(Level::Bad, format!("The block traps: {}. End shows where.", trap.message));
        }
        Ending::Full => {
            let text = format!("the trace is full after {steps} steps: the block goes on");
            model.info(text);
        }
    }
}

/// The first step that a place names.
fn find(recorded: &Recorded, trace: &Trace, Seek { line, marks }: Seek) -> Option<usize> {
    let is_there = |it: &Step| {
        line.is_none_or(|(text, line)| {
            recorded.line_of(text, it.instruction as usize) == Some(line)
        })
    };
    marks.iter().find_map(|marks| trace.find(0, |_, it| it.marks.has(*marks) && is_there(it)))
}

/// Opens the screen at the first step of a line with some marks.
pub(crate) fn open_at(model: &mut Model, kernel: &str, seek: Seek) {
    model.screen = Screen::Step;
    model.step.seek = Some(seek);
    another_case(model);
    if let Some(to) = wanted(model).and_then(|wanted| launch_of(&wanted.case, kernel)) {
        let now = model.step.recorded().map(|recorded| recorded.launch);
        if now != Some(to) {
            (model.step.launch, model.step.block) = (Some(to), 0);
        }
    }
    if let Some((text, _)) = seek.line {
        (model.step.text, model.step.on_values) = (text, false);
    }
    model.step.wanted = wanted(model);
    let Some(recorded) = model.step.recorded().cloned() else { return };
    model.step.seek = None;
    let found = find(&recorded, &recorded.trace(), seek);
    match found {
        Some(step) => show(model, &recorded, step),
        None => model.info("this block has no such step: ) records the next block"),
    }
}

/// The launch of a kernel, that of most threads where there are several.
fn launch_of(case: &Case, kernel: &str) -> Option<usize> {
    let algorithm = algorithms::find(&case.algorithm)?;
    if algorithm.obstacle(case).is_some() {
        return None;
    }
    let (launches, main) = trace::launches(&algorithm.work(case));
    if launches.get(main).is_some_and(|launch| launch.kernel == kernel) {
        return Some(main);
    }
    launches.iter().position(|launch| launch.kernel == kernel)
}

/// Shows a step of the recorded block.
pub(crate) fn show(model: &mut Model, recorded: &Recorded, step: usize) {
    let shown = recorded.show(step, &model.step.watched);
    (model.step.shown, model.step.cursor) = (shown.map(Arc::new), None);
}

/// Esc: ends typing, or the recording.
pub(crate) fn cancel(model: &mut Model) -> bool {
    if model.screen != Screen::Step {
        return false;
    }
    if model.step.typed.take().is_some() || model.step.cursor.take().is_some() {
        return true;
    }
    let Some(running) = model.step.running.take() else { return false };
    let reason = "cancelled: press Enter to record".to_owned();
    model.step.known = Some((running.wanted, Known::Not(reason)));
    model.effects.push(Effect::StopRecording);
    true
}

/// A command that means something else on this screen.
pub(crate) fn command(model: &mut Model, command: Command) -> bool {
    match command {
        Command::Enter if model.step.typed.is_some() => goto::go(model),
        Command::Find => model.step.typed = Some(TextLine::default()),
        Command::PrevKernel => launch(model, -1),
        Command::NextKernel => launch(model, 1),
        Command::PrevBlock => block(model, -1),
        Command::NextBlock => block(model, 1),
        Command::PanLeft => size(model, false),
        Command::PanRight => size(model, true),
        Command::NextPanel => next_panel(model),
        Command::Flip => model.step.numbers = !model.step.numbers,
        Command::Up => scroll(model, -1),
        Command::Down => scroll(model, 1),
        Command::Row(index) => model.step.cursor = Some(index),
        Command::Dots => breakpoint(model),
        Command::Pin => watch(model),
        Command::Unpin => {
            model.step.watched.clear();
            refresh(model);
        }
        Command::Enter if model.step.failure().is_some() => model.step.known = None,
        _ => return travel(model, command),
    }
    true
}

/// A command that goes to another step.
fn travel(model: &mut Model, command: Command) -> bool {
    type Find = fn(&Trace, usize, &Model) -> Option<usize>;
    let (find, what): (Find, &str) = match command {
        Command::Right => (|it, at, _| it.instruction(at, false), "later instruction"),
        Command::Left => (|it, at, _| it.instruction(at, true), "earlier instruction"),
        Command::Hottest => (|it, at, _| it.line(at, false), "later line"),
        Command::LineBack => (|it, at, _| it.line(at, true), "earlier line"),
        Command::Published => (|it, at, _| it.over_call(at, false), "later instruction"),
        Command::Overlay => (|it, at, _| it.over_call(at, true), "earlier instruction"),
        Command::Mark => (|it, at, _| costly(it, at, false), "later costly step"),
        Command::MarkBack => (|it, at, _| costly(it, at, true), "earlier costly step"),
        Command::Enter => (|it, at, model| to_cursor(it, at, model, false), "later step there"),
        Command::CursorBack => {
            (|it, at, model| to_cursor(it, at, model, true), "earlier step there")
        }
        Command::Compare => (|it, at, model| to_break(it, at, model, false), "later breakpoint"),
        Command::ContinueBack => {
            (|it, at, model| to_break(it, at, model, true), "earlier breakpoint")
        }
        Command::First => (|it, at, _| it.first_of(warp(it, at)), "first step"),
        Command::Last => (|it, at, _| it.last_of(warp(it, at)), "last step"),
        Command::ZoomIn => (|it, at, _| it.of_warp(at, warp(it, at) + 1), "next warp"),
        Command::ZoomOut => {
            (|it, at, _| it.of_warp(at, warp(it, at).checked_sub(1)?), "previous warp")
        }
        Command::Warp(to) => {
            let found = current(model).and_then(|(recorded, at)| {
                let found = recorded.trace().of_warp(at, to);
                Some((recorded, found?))
            });
            if let Some((recorded, step)) = found {
                show(model, &recorded, step);
            }
            return true;
        }
        _ => return false,
    };
    let Some((recorded, at)) = current(model) else {
        return true;
    };
    let found = find(&recorded.trace(), at, model);
    if let Some(step) = found {
        show(model, &recorded, step);
        return true;
    }
    let warp = model.step.shown.as_ref().map_or(0, |shown| shown.moment.warp);
    let text = match command {
        Command::ZoomIn | Command::ZoomOut => {
            let last = recorded.warps.saturating_sub(1);
            format!("there is no {what}: the warps are 0 to {last}")
        }
        Command::Compare | Command::ContinueBack if model.step.breakpoints.is_empty() => {
            "no breakpoint: B sets one on the line of the cursor".to_owned()
        }
        _ => format!("warp {warp} has no {what}"),
    };
    model.info(text);
    true
}

/// The recorded block and the step that is shown.
pub(crate) fn current(model: &Model) -> Option<(Arc<Recorded>, usize)> {
    let recorded = model.step.recorded()?;
    let shown = model.step.shown.as_ref()?;
    Some((Arc::clone(recorded), shown.moment.step))
}

/// The recorded block and the warp that is shown, to export.
pub(crate) fn stepped(model: &Model) -> Option<(Arc<Recorded>, usize)> {
    let (recorded, _) = current(model)?;
    Some((recorded, model.step.shown.as_ref()?.moment.warp))
}

fn warp(trace: &Trace, step: usize) -> usize {
    trace.steps().get(step).map_or(0, |it| it.warp.into())
}

/// The next costly step of the warp; where it has none, of another.
fn costly(trace: &Trace, at: usize, back: bool) -> Option<usize> {
    let costs = |it: &Step| COSTLY.iter().any(|marks| it.marks.has(*marks));
    let own = warp(trace, at);
    trace
        .seek(at, back, |_, it| usize::from(it.warp) == own && costs(it))
        .or_else(|| trace.seek(at, back, |_, it| costs(it)))
}

/// The next step at the line of the cursor.
fn to_cursor(trace: &Trace, at: usize, model: &Model, back: bool) -> Option<usize> {
    let recorded = model.step.recorded()?;
    let (text, line) = (model.step.shown_text(), model.step.cursor_line()?);
    trace.run_to(at, back, |index| recorded.line_of(text, index) == Some(line))
}

/// The next step at a breakpoint.
fn to_break(trace: &Trace, at: usize, model: &Model, back: bool) -> Option<usize> {
    let recorded = model.step.recorded()?;
    let points = &model.step.breakpoints;
    let is_at = |index: usize| {
        [Text::Source, Text::Ptx].into_iter().any(|text| {
            recorded.line_of(text, index).is_some_and(|line| points.contains(&(text, line)))
        })
    };
    let line = |step| recorded_line(model, trace, step);
    let mut found = trace.run_to(at, back, is_at)?;
    if back {
        // To the first instruction of the line.
        while let Some(before) =
            trace.instruction(found, true).filter(|it| line(*it) == line(found))
        {
            found = before;
        }
        return Some(found);
    }
    // The line that is shown goes on: the next time is meant.
    let mut from = at;
    while trace.instruction(from, false) == Some(found) && line(found) == line(from) {
        from = found;
        found = trace.run_to(from, false, is_at)?;
    }
    Some(found)
}

fn recorded_line(model: &Model, trace: &Trace, step: usize) -> Option<u32> {
    let instruction = trace.steps().get(step)?.instruction as usize;
    model.step.recorded()?.line_of(model.step.shown_text(), instruction)
}

/// Reads the step again, for another watch list.
pub(crate) fn refresh(model: &mut Model) {
    if let Some((recorded, step)) = current(model) {
        let cursor = model.step.cursor;
        show(model, &recorded, step);
        model.step.cursor = cursor;
    }
}

/// Source, PTX, then registers and memory.
fn next_panel(model: &mut Model) {
    let step = &mut model.step;
    let has_source = step.recorded().is_none_or(|recorded| !recorded.source.is_empty());
    step.cursor = None;
    match (step.on_values, step.shown_text()) {
        (true, _) => {
            step.on_values = false;
            step.text = if has_source { Text::Source } else { Text::Ptx };
        }
        (false, Text::Source) => step.text = Text::Ptx,
        (false, Text::Ptx) => step.on_values = true,
    }
}

/// Moves the cursor in the text, or the registers.
fn scroll(model: &mut Model, by: isize) {
    let step = &mut model.step;
    if step.on_values {
        let shown = step.shown.as_ref();
        let many = shown.map_or(0, |shown| shown.values.len() + shown.watched.len());
        step.scroll = step.scroll.saturating_add_signed(by).min(many.saturating_sub(1));
        return;
    }
    let Some(recorded) = step.recorded() else { return };
    let many = recorded.lines_of(step.shown_text()).len();
    let now = step.cursor_line().map_or(0, |line| line as usize - 1);
    step.cursor = Some(now.saturating_add_signed(by).min(many.saturating_sub(1)));
}

/// Sets a breakpoint on the line of the cursor, or takes it away.
fn breakpoint(model: &mut Model) {
    let text = model.step.shown_text();
    let Some((recorded, line)) = model.step.recorded().zip(model.step.cursor_line()) else {
        return;
    };
    let point = (text, line);
    if model.step.breakpoints.contains(&point) {
        model.step.breakpoints.remove(&point);
        return model.info(format!("breakpoint removed from line {line}"));
    }
    if !recorded.has_line(text, line) {
        return model.info(format!("line {line} has no instruction of this kernel"));
    }
    model.step.breakpoints.insert(point);
    model.info(format!("breakpoint on line {line}: c runs to it, C back"));
}

/// Watches the registers of the instruction.
fn watch(model: &mut Model) {
    let Some(shown) = model.step.shown.clone() else { return };
    for value in &shown.moment.values {
        if !model.step.watched.contains(&value.name) {
            model.step.watched.push(value.name.clone());
        }
    }
    refresh(model);
    model.info("the registers of this instruction are watched: A clears the list");
}

/// Another launch of the case.
fn launch(model: &mut Model, by: isize) {
    let Some(recorded) = model.step.recorded() else { return };
    let (now, many) = (recorded.launch, recorded.launches.len());
    match now.checked_add_signed(by).filter(|to| *to < many) {
        Some(to) => (model.step.launch, model.step.block) = (Some(to), 0),
        None => model.info(match many {
            1 => "the case has one launch".to_owned(),
            many => format!("the case has {many} launches, numbered from 0"),
        }),
    }
}

/// Another block of the launch. Where there is no such block, the message says so.
fn block(model: &mut Model, by: i64) {
    let Some(to) = model.step.block.checked_add_signed(by) else {
        return model.info("there is no block before block 0");
    };
    goto::block(model, to);
}

/// Another size.
fn size(model: &mut Model, up: bool) {
    let Some(wanted) = &model.step.wanted else { return };
    let n = wanted.case.n;
    let to = if up { n.saturating_mul(2) } else { n / 2 };
    goto::size(model, to);
}
