//! The line of progress, and the line of keys, which are buttons.

use ratatui::layout::Rect;

use crate::tui::app::action::Command;
use crate::tui::app::keys::hints;
use crate::tui::app::model::{Model, Screen};
use crate::tui::app::run::state::{Finished, Phase, Run};
use crate::tui::app::tour::{self, Hint};
use crate::tui::own::view as own;
use crate::tui::screens::learn::state as learn;
use crate::tui::screens::runs::update as runs;
use crate::tui::widgets::sized::sized;
use crate::tui::widgets::ui::{Ui, width};
use crate::work::Done;

/// Draws the line of progress.
pub(crate) fn draw(ui: &mut Ui, area: Rect) {
    let model = ui.model;
    let sweep = model.screen == Screen::Sweep;
    if let Some(text) = own::progress(model) {
        ui.text(area.x + 1, area.y, area.width - 1, &text, ui.theme.accent);
        return;
    }
    match (&model.run, &model.last) {
        (Some(run), _) => draw_run(ui, area, run),
        (None, Some(last)) => draw_last(ui, area, last),
        (None, None) => {
            let text = if model.read_only {
                "stored results, read-only".to_owned()
            } else if model.screen == Screen::Runs {
                runs_told(model)
            } else if model.screen == Screen::Tune {
                "ready: r runs every block size and coarsening at one n".to_owned()
            } else if let Some(offer) = runs::offered(model).filter(|_| sweep) {
                ui.button(area.x + 1, area.y, area.width, &offer, ui.theme.good, Command::Offered);
                return;
            } else {
                format!("ready: r runs {} cases", planned(model))
            };
            ui.text(area.x + 1, area.y, area.width - 1, &text, ui.theme.dim);
        }
    }
}

/// How many stored runs there are, and where.
fn runs_told(model: &Model) -> String {
    let runs = &model.runs;
    let count =
        |broken: bool| runs.entries.iter().filter(|entry| entry.holds.is_err() == broken).count();
    let mut text = format!("{} runs", count(false));
    for (count, what) in
        [(count(true), "that cannot be read"), (runs.discarded.len(), "in the trash")]
    {
        if count > 0 {
            text.push_str(&format!(" · {count} {what}"));
        }
    }
    text
}

/// Cases that the form asks for.
fn planned(model: &Model) -> usize {
    let experiment = &model.form.experiment;
    let variants = match experiment.variants.len() {
        0 => model.form.algorithm().variants().len(),
        some => some,
    };
    let values: usize = experiment.params.values().map(|values| values.len().max(1)).product();
    variants
        * values
        * experiment.blocks.len()
        * experiment.coarsenings.len()
        * experiment.sizes.values().len()
}

pub(crate) fn draw_run(ui: &mut Ui, area: Rect, run: &Run) {
    let now = ui.model.now;
    let word = match run.phase {
        Phase::Opening => "starting",
        Phase::Running if run.replay.is_some() => "replay",
        Phase::Running => "sweep",
        Phase::Pausing => "pausing",
        Phase::Paused => "paused",
        Phase::Cancelling => "cancelling",
    };
    let y = area.y;
    let mut x = ui.text(area.x + 1, y, area.width, word, ui.theme.accent) + 1;
    if let Some(cases) = run.cases {
        x = ui.text(x, y, area.width, &format!("{}/{cases} ", run.done), ui.theme.base);
        x = bar(ui, x, y, (area.width / 6).min(24), run.done, cases) + 1;
    }
    // In a lesson the pace of the screen decides, which says nothing about the cases.
    let paced = learn::is_open(ui.model);
    if let Some(left) = run.left(now).filter(|_| run.phase == Phase::Running && !paced) {
        x = ui.text(x, y, area.width, &format!("{} left · ", duration(left)), ui.theme.base);
    }
    x = counts(ui, x, y, [run.verified, run.wrong, run.failed, run.skipped]);
    if let Some(rate) = run.rate(now).filter(|_| !paced) {
        let text = format!(" · {} cases/s", crate::units::significant(rate));
        x = ui.text(x, y, area.width, &text, ui.theme.dim);
    }
    if let Some(case) = run.current.last() {
        let beside = match run.current.len() {
            1 => String::new(),
            several => format!(" and {} more", several - 1),
        };
        let launch = run.launch.map_or_else(String::new, |Done { blocks, of, .. }| {
            format!(" · {blocks} of {of} blocks")
        });
        let n = sized(&case.algorithm, case.n);
        let now = format!(" · now {} at {n}{beside}", case.variant);
        // Where all of it has no room, the launch alone says that something goes on.
        let fits = |text: &str| x + width(text) <= area.right();
        let texts = [format!("{now}{launch}"), launch, now].map(|text| ui.set(&text).into_owned());
        if let Some(text) = texts.iter().filter(|text| !text.is_empty()).find(|text| fits(text)) {
            ui.text(x, y, area.width, text, ui.theme.dim);
        }
    }
}

fn draw_last(ui: &mut Ui, area: Rect, last: &Finished) {
    let y = area.y;
    let (word, style) = match &last.tally {
        Ok(_) if last.complete() && last.replay => ("replay finished", ui.theme.good),
        Ok(_) if last.complete() => ("sweep finished", ui.theme.good),
        Ok(_) => ("cancelled", ui.theme.warn),
        Err(_) => ("failed", ui.theme.bad),
    };
    let mut x = ui.text(area.x + 1, y, area.width, word, style);
    let elapsed = duration(last.run.elapsed(last.at).as_secs_f64());
    let noun = if last.run.done == 1 { "case" } else { "cases" };
    let cases = format!(" · {} {noun} in {elapsed} · ", last.run.done);
    x = ui.text(x, y, area.width, &cases, ui.theme.base);
    if let Ok(tally) = &last.tally {
        x = counts(ui, x, y, [tally.verified, tally.wrong, tally.failed, tally.skipped]);
        if last.replay {
            x = ui.text(x, y, area.width, " · recorded", ui.theme.base);
        } else if tally.from_store > 0 {
            let text = format!(" · {} from the file", tally.from_store);
            x = ui.text(x, y, area.width, &text, ui.theme.base);
        }
    }
    if let Some(rate) = last.run.rate(last.at) {
        let text = format!(" · {} cases/s", crate::units::significant(rate));
        ui.text(x, y, area.width, &text, ui.theme.dim);
    }
}

fn counts(ui: &mut Ui, x: u16, y: u16, [verified, wrong, failed, skipped]: [usize; 4]) -> u16 {
    let mut x = ui.text(x, y, 30, &format!("{verified} verified"), ui.theme.good);
    x = ui.text(x, y, 3, " · ", ui.theme.dim);
    let style = if wrong > 0 { ui.theme.bad } else { ui.theme.base };
    x = ui.text(x, y, 30, &format!("{wrong} wrong"), style);
    for (count, word, style) in
        [(failed, "failed", ui.theme.bad), (skipped, "skipped", ui.theme.warn)]
    {
        if count > 0 {
            x = ui.text(x, y, 3, " · ", ui.theme.dim);
            x = ui.text(x, y, 30, &format!("{count} {word}"), style);
        }
    }
    x
}

fn bar(ui: &mut Ui, x: u16, y: u16, wide: u16, done: usize, all: usize) -> u16 {
    let filled = (usize::from(wide) * done.min(all)).checked_div(all).unwrap_or(0);
    let x = ui.text(x, y, wide, &"█".repeat(filled), ui.theme.bars);
    ui.text(x, y, wide, &"░".repeat(usize::from(wide) - filled), ui.theme.bars)
}

/// Seconds as a reader says them.
pub(crate) fn duration(seconds: f64) -> String {
    if seconds < 9.95 {
        format!("{seconds:.1} s")
    } else if seconds < 119.5 {
        format!("{seconds:.0} s")
    } else {
        format!("{:.0} min", seconds / 60.0)
    }
}

/// Draws a hint of the tour in place of most keys; returns the column after it.
fn draw_hint(ui: &mut Ui, area: Rect, (number, hint): (usize, Hint)) -> u16 {
    let start = area.x + 1;
    let count = format!("▸ {number}/{} ", tour::HINTS.len());
    let x = ui.text(start, area.y, area.width, &count, ui.theme.accent);
    let text = format!(" {} {} ", hint.key, hint.text);
    let x = ui.text(x, area.y, area.width, &text, ui.theme.selected);
    ui.hit(Rect::new(start, area.y, x - start, 1), hint.command);
    let end = "Esc ends the tour";
    ui.button(x + 2, area.y, width(end), end, ui.theme.dim, Command::Cancel) + 1
}

/// Draws the key line. Each key is a button.
pub(crate) fn draw_keys(ui: &mut Ui, area: Rect) {
    let tour = tour::hint(ui.model);
    let area = match tour {
        Some(hint) => {
            let x = draw_hint(ui, area, hint);
            Rect { x, width: area.right().saturating_sub(x), ..area }
        }
        None => area,
    };
    let Rect { width: columns, height: lines, .. } = ui.buffer.area;
    let side_by_side = crate::tui::screens::counters::is_roomy(columns, lines);
    let mut keys = hints(ui.model, side_by_side);
    if tour.is_some() {
        keys.retain(|(key, _)| matches!(key.command, Command::Help | Command::Quit));
    }
    let wide = |key: &str, name: &str| width(key) + 1 + width(name);
    // Where there is little room, only the help shows the keys used least.
    for command in [Command::Theme, Command::YAxis, Command::Palette, Command::Help, Command::Run] {
        let needed: u16 = keys.iter().map(|(key, name)| wide(key.shown, name) + 2).sum();
        if needed > area.width {
            keys.retain(|(key, _)| key.command != command);
        }
    }
    let mut x = area.x + 1;
    for (key, name) in keys {
        let (start, wide) = (x, wide(key.shown, name));
        x = ui.text(x, area.y, wide, key.shown, ui.theme.accent);
        x = ui.text(x + 1, area.y, wide, name, ui.theme.dim);
        ui.hit(Rect::new(start, area.y, x - start, 1), key.command);
        x += 2;
    }
}
