//! The Step screen.
//!
//! ```text
//! header
//! block, warp, step           the case that is stepped
//! warps                       all warps of the block with their state
//! source or PTX               lanes
//!                             registers       (on a page of their own
//!                             memory           where there is little room)
//! notice                      what happens and what it costs
//! status, keys
//! ```

mod lanes;
mod memory;
mod text;
mod values;

use ratatui::layout::{Margin, Rect};
use ratatui::style::Style;

use crate::figure::pen::Pen;
use crate::figure::step as figure;
use crate::tui::app::action::Command;
use crate::tui::app::model::Model;
use crate::tui::screens::profile::state as profile;
use crate::tui::screens::step::goto;
use crate::tui::screens::step::recorded::{Recorded, Shown};
use crate::tui::screens::sweep::explain;
use crate::tui::screens::sweep::form::view::draw_text;
use crate::tui::widgets::frame::{self, Frame};
use crate::tui::widgets::sentence;
use crate::tui::widgets::status::duration;
use crate::tui::widgets::ui::{Ui, fit, width, wrap};
use crate::units::{Elements, grouped};
use crate::work::trace::WarpState;

/// Columns and rows from which everything stands side by side.
const ROOMY: (u16, u16) = (110, 30);

/// Draws it.
pub(crate) fn draw(ui: &mut Ui, area: Rect) {
    let Frame { body, notice } = frame::draw(ui, area, 2);
    let model = ui.model;
    let found = model.step.recorded().zip(model.step.shown.as_ref());
    let Some((recorded, shown)) = found else {
        let inner = ui.panel(body, "Step", true);
        waiting(ui, inner.inner(Margin::new(1, 0)));
        return below(ui, notice, "", None);
    };
    let row = |y: u16| Rect { y: body.y + y, height: 1, ..body };
    place(ui, row(0), recorded, shown);
    strip(ui, row(1), shown);
    let mut cut = None;
    let rest = Rect { y: body.y + 2, height: body.height - 2, ..body };
    if area.width >= ROOMY.0 && area.height >= ROOMY.1 {
        let left = Rect { width: rest.width * 9 / 20, ..rest };
        cut = text::cut(left, recorded, shown, model);
        let right = Rect { x: left.right(), width: rest.width - left.width, ..rest };
        text::draw(ui, left, recorded, shown);
        let high = lanes::rows(right.width, recorded, shown).min(right.height / 3);
        lanes::draw(ui, Rect { height: high, ..right }, recorded, shown);
        let lower = Rect { y: right.y + high, height: right.height - high, ..right };
        values_and_memory(ui, lower, shown);
    } else if model.step.on_values {
        values_and_memory(ui, rest, shown);
    } else {
        let high = lanes::rows(rest.width, recorded, shown).min(rest.height / 2);
        let upper = Rect { height: rest.height - high, ..rest };
        cut = text::cut(upper, recorded, shown, model);
        text::draw(ui, upper, recorded, shown);
        lanes::draw(ui, Rect { y: upper.bottom(), height: high, ..rest }, recorded, shown);
    }
    below(ui, notice, &shown.moment.sentence, cut);
}

/// Registers above, memory below: each gets what it needs while there is room.
fn values_and_memory(ui: &mut Ui, area: Rect, shown: &Shown) {
    let needs = values::rows(shown);
    let half = area.height / 2;
    let memory = memory::rows(shown).max(4);
    let high = needs.min(area.height.saturating_sub(memory).max(half));
    values::draw(ui, Rect { height: high, ..area }, shown);
    let lower = Rect { y: area.y + high, height: area.height - high, ..area };
    memory::draw(ui, lower, shown);
}

/// The rows below: what is typed, the answer to the last key, or what the step does, with its
/// line where this is cut off above.
fn below(ui: &mut Ui, area: Rect, says: &str, line: Option<&str>) {
    let inner = area.inner(Margin::new(1, 0));
    if let Some(typed) = &ui.model.step.typed {
        let end = ui.text(inner.x, inner.y, inner.width, "go to: ", ui.theme.accent);
        let field = Rect { x: end, width: inner.right() - end, height: 1, ..inner };
        draw_text(ui, field, &typed.text(), typed.cursor(), ui.theme.base);
        return ui.text_line(inner, 1, goto::HELP);
    }
    if ui.model.notice.is_some() {
        return explain::draw_notice(ui, area);
    }
    let style = if ui.model.step.shown.as_ref().is_some_and(|it| it.moment.trap.is_some()) {
        ui.theme.bad
    } else {
        ui.theme.base
    };
    ui.paragraph(inner, says, style);
    if let (Some(line), true) = (line, wrap(says, inner.width).len() < 2) {
        ui.text_line(inner, 1, &fit(line.trim_start(), inner.width));
    }
}

impl Ui<'_> {
    /// A dim line in a row of an area.
    fn text_line(&mut self, area: Rect, row: u16, text: &str) {
        if row < area.height {
            self.text(area.x, area.y + row, area.width, text, self.theme.dim);
        }
    }

    /// The style of a lane's mark.
    fn mark(&self, mark: figure::LaneMark) -> Style {
        let Some(hue) = mark.hue else { return self.theme.dim };
        let style = self.theme.curve(Pen::of_variant(hue));
        if mark.lit { style.add_modifier(ratatui::style::Modifier::REVERSED) } else { style }
    }
}

/// Why there is no block yet.
fn waiting(ui: &mut Ui, area: Rect) {
    let model = ui.model;
    let (text, style) = if let Some(running) = &model.step.running {
        let seconds = model.now.saturating_sub(running.since).as_secs_f64();
        let done = running.done;
        let far = if done.of > 0 {
            format!(" · launch {}, {} of {} blocks before it", done.launches, done.blocks, done.of)
        } else {
            String::new()
        };
        let block = running.wanted.block;
        let n = Elements(running.wanted.case.n);
        let text = format!(
            "recording block {block} at n = {n} … {} (Esc cancels){far}",
            duration(seconds)
        );
        (text, ui.theme.accent)
    } else if let Some(reason) = model.step.failure() {
        let way = "< and > change n, ( and ) the block, v the variant; Enter tries again.";
        (format!("Not recorded: {reason}. {way}"), ui.theme.warn)
    } else if profile::disturbs(model) {
        let text = "waiting for the run to end: emulation would disturb its times";
        (text.to_owned(), ui.theme.warn)
    } else if model.step.recorded().is_some() {
        ("the block has no step".to_owned(), ui.theme.warn)
    } else {
        ("nothing to step: select a case on the Sweep screen (1)".to_owned(), ui.theme.dim)
    };
    let lines = wrap(&ui.set(&text), area.width);
    ui.lines(area, lines.into_iter().map(|line| (line, style)));
}

/// Block, warp and step, and which case that is.
fn place(ui: &mut Ui, area: Rect, recorded: &Recorded, shown: &Shown) {
    let model = ui.model;
    let [x, y, z] = recorded.block;
    let launch = recorded.launches.get(recorded.launch);
    let block = model.step.block;
    let at = match launch.map(|launch| (launch.grid.y, launch.grid.z)) {
        Some((1, 1)) | None => block.to_string(),
        Some((_, 1)) => format!("{block} ({x}, {y})"),
        _ => format!("{block} ({x}, {y}, {z})"),
    };
    let (warp, warps) = (shown.moment.warp, recorded.warps);
    let (step, steps) = shown.of_warp;
    let blocks = grouped(recorded.blocks());
    let steps = format!("step {} of {}", grouped(step as u64), grouped(steps as u64));
    let short = format!("block {at} of {blocks} · warp {warp} of {warps} · {steps}");
    let mut texts = Vec::new();
    if let Some((wanted, launch)) = model.step.wanted.as_ref().zip(launch) {
        let n = Elements(wanted.case.n);
        let selected = model.selected.as_ref().map_or(wanted.case.n, |it| it.case.n);
        let why = if selected == wanted.case.n {
            String::new()
        } else {
            format!(" (selected: {})", Elements(selected))
        };
        let number = match recorded.launches.len() {
            1 => String::new(),
            many => format!(" · launch {} of {many}", recorded.launch),
        };
        let kernel = &launch.kernel;
        texts.push(format!("{short} · {kernel}{number} · n = {n}{why}, < > change n"));
        texts.push(format!("{short} · {kernel}{number} · n = {n}{why}"));
        texts.push(format!("{short}{number} · n = {n}{why}"));
        texts.push(format!("{short} · n = {n}{why}"));
        texts.push(format!("{short} · n = {n}"));
    }
    texts.push(short);
    let texts: Vec<String> = texts.iter().map(|text| ui.set(text).into_owned()).collect();
    let text = sentence::line(texts, area.width - 2);
    ui.text(area.x + 1, area.y, area.width - 2, &text, ui.theme.base);
}

/// The letter of a state, its word, and how it is drawn.
fn state(ui: &Ui, state: WarpState) -> (char, &'static str, Style) {
    let theme = &ui.theme;
    match state {
        WarpState::Running => ('R', "running", theme.selected),
        WarpState::Ready => ('r', "ready", theme.good),
        WarpState::Memory => ('m', "waits for memory", theme.warn),
        WarpState::Barrier => ('B', "at the barrier", theme.accent),
        WarpState::Cluster => ('C', "at the barrier between blocks", theme.accent),
        WarpState::Lanes => ('l', "waits for lanes", theme.accent),
        WarpState::Exited => ('x', "exited", theme.dim),
    }
}

/// All warps of the block, each a button, and what their letters mean.
fn strip(ui: &mut Ui, area: Rect, shown: &Shown) {
    let mut x = ui.text(area.x + 1, area.y, area.width, "warps ", ui.theme.dim);
    let mut known: Vec<WarpState> = Vec::new();
    for (index, warp) in shown.moment.warps.iter().enumerate() {
        let (letter, _, style) = state(ui, warp.state);
        x = ui.button(x, area.y, 1, &letter.to_string(), style, Command::Warp(index));
        if !known.contains(&warp.state) {
            known.push(warp.state);
        }
        // In eights, to count them.
        if index % 8 == 7 {
            x += 1;
        }
    }
    x += 2;
    for it in known {
        let (letter, word, _) = state(ui, it);
        let text = format!("{letter} {word}  ");
        if x + width(&text) > area.right() {
            break;
        }
        x = ui.text(x, area.y, area.width, &text, ui.theme.dim);
    }
}

/// Whether the keys act on registers and memory.
fn on_values(model: &Model) -> bool {
    model.step.on_values
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod failures;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
