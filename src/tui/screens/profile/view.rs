//! What the Counters and Source screens have in common: which cases are looked
//! at, what is still being counted, and the line below.

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::experiment::Case;
use crate::results::record::Metric;
use crate::tui::app::action::Command;
use crate::tui::screens::profile::state as profile;
use crate::tui::screens::profile::state::{Known, Side};
use crate::tui::widgets::sentence;
use crate::tui::widgets::sentence::variant_name;
use crate::tui::widgets::status::duration;
use crate::tui::widgets::ui::{Ui, fit, width, wrap};
use crate::units::{Elements, Seconds};

/// What tells a case from the one that is looked at: its variant, and whatever
/// else differs.
pub(crate) fn name(case: &Case, first: &Case) -> String {
    let mut name = case.variant.clone();
    if case.block != first.block {
        name.push_str(&format!(" · block {}", case.block));
    }
    if case.coarsen != first.coarsen {
        name.push_str(&format!(" · ×{}", case.coarsen));
    }
    if case.n != first.n {
        name.push_str(&format!(" · n = {}", Elements(case.n)));
    }
    if case.dist != first.dist {
        name.push_str(&format!(" · {}", case.dist));
    }
    for (key, value) in &case.params {
        if first.params.get(key) != Some(value) {
            name.push_str(&format!(" · {key} {value}"));
        }
    }
    name
}

/// The names of the cases that are looked at. Of pipelines only the choices in
/// which they differ: all of them would fill a line.
pub(crate) fn names(sides: &[Side]) -> Vec<String> {
    let Some(first) = sides.first().map(|side| &side.wanted.case) else { return Vec::new() };
    let mut names: Vec<String> = sides.iter().map(|side| name(&side.wanted.case, first)).collect();
    if let [a, b] = sides {
        let parts = |side: &Side| -> Vec<String> {
            side.wanted.case.variant.split('+').map(str::to_owned).collect()
        };
        let (a, b) = (parts(a), parts(b));
        let differs = |mine: &[String], other: &[String]| -> Vec<String> {
            mine.iter().filter(|part| !other.contains(part)).cloned().collect()
        };
        let short = [differs(&a, &b), differs(&b, &a)];
        // What only one of them has is no name for the other.
        if short.iter().all(|parts| !parts.is_empty()) {
            for (name, (parts, all)) in names.iter_mut().zip(short.iter().zip([&a, &b])) {
                *name = name.replacen(&all.join("+"), &parts.join("+"), 1);
            }
        }
    }
    names
}

/// The selected case, and that the emulator counted it: always its variant, size and
/// launch.
pub(crate) fn title(sides: &[Side], most: u16) -> String {
    let Some(first) = sides.first() else { return String::new() };
    let case = &first.wanted.case;
    let shape = launch(case);
    let gpu = match first.profile() {
        Some(profile) => format!("modelled · {}", profile.gpu.name),
        None => "modelled".to_owned(),
    };
    let flags: Vec<&str> = first
        .profiled()
        .map(|profiled| profiled.record.flags.iter().map(|flag| flag.label()).collect())
        .unwrap_or_default();
    let flags: String = flags.iter().map(|flag| format!(" · {flag}")).collect();
    let (algorithm, variant) = (&case.algorithm, &case.variant);
    let mut texts = vec![
        format!("{algorithm} · {variant} · {shape} · counted on the emulator, {gpu}{flags}"),
        format!("{variant} · {shape} · counted on the emulator, {gpu}{flags}"),
        format!("{variant} · {shape} · counted, {gpu}{flags}"),
    ];
    let names = || sentence::NAMES.iter().map(|room| variant_name(&case.algorithm, variant, *room));
    texts.extend(names().map(|name| format!("{name} · {shape} · {gpu}{flags}")));
    texts.extend(names().map(|name| format!("{name} · {shape} · modelled")));
    texts.extend(names().map(|name| format!("{name} · {shape}")));
    sentence::line(texts, most.saturating_sub(4))
}

/// Size, block size and coarsening: `n = 2^20 · block 128 ×4`.
pub(crate) fn launch(case: &Case) -> String {
    format!("n = {} · block {} ×{}", Elements(case.n), case.block, case.coarsen)
}

/// What is to be said of a side that has no counts yet.
pub(crate) fn waiting(ui: &Ui, side: &Side) -> (String, Style) {
    let model = ui.model;
    match side.known {
        Some(Known::Not(reason)) => (reason.clone(), ui.theme.warn),
        Some(Known::Counted(_)) => (String::new(), ui.theme.base),
        None => match &model.profile.running {
            Some(running) if running.wanted == side.wanted => {
                let seconds = model.now.saturating_sub(running.since).as_secs_f64();
                let text =
                    format!("counting on the emulator … {} (Esc cancels)", duration(seconds));
                (text, ui.theme.accent)
            }
            _ if profile::disturbs(model) => {
                let text = "waiting for the run to end: emulation would disturb its times";
                (text.to_owned(), ui.theme.warn)
            }
            _ => ("next to be counted".to_owned(), ui.theme.dim),
        },
    }
}

/// Says in a panel why there is nothing in it yet.
pub(crate) fn nothing(ui: &mut Ui, inner: Rect, sides: &[Side]) {
    let lines: Vec<(String, Style)> = match sides.first() {
        None => vec![("no results yet: 1 shows the sweep, r runs it".to_owned(), ui.theme.dim)],
        Some(side) => {
            let case = &side.wanted.case;
            let (text, style) = waiting(ui, side);
            let what = format!("{}: {text}", case.variant);
            wrap(&what, inner.width.saturating_sub(2))
                .into_iter()
                .map(|line| (line, style))
                .collect()
        }
    };
    for (y, (line, style)) in (inner.y..inner.bottom()).zip(lines) {
        ui.text(inner.x + 1, y, inner.width.saturating_sub(1), &line, style);
    }
}

/// The kernels of the case, as buttons in one line.
pub(crate) fn tabs(ui: &mut Ui, area: Rect, sides: &[Side]) {
    let Some(profile) = sides.first().and_then(Side::profile) else { return };
    let kernels = &profile.kernels;
    let chosen = ui.model.profile.kernel.min(kernels.len().saturating_sub(1));
    let all: f64 = kernels.iter().map(|kernel| kernel.seconds).sum();
    let share = |seconds: f64| if all > 0.0 { 100.0 * seconds / all } else { 0.0 };
    let mut x = area.x + 1;
    // With many kernels those around the chosen one.
    let texts: Vec<String> = kernels
        .iter()
        .map(|kernel| format!(" {} {:.0} % ", kernel.phase, share(kernel.seconds)))
        .collect();
    let room = area.width.saturating_sub(1);
    let mut first = 0;
    while first < chosen && texts[first..=chosen].iter().map(|text| width(text)).sum::<u16>() > room
    {
        first += 1;
    }
    for (index, text) in texts.iter().enumerate().skip(first) {
        if x + width(text) > area.right() {
            break;
        }
        let style = if index == chosen { ui.theme.selected } else { ui.theme.dim };
        x = ui.button(x, area.y, width(text), text, style, Command::Kernel(index));
    }
    if let Some(kernel) = kernels.get(chosen) {
        let name = format!(" {} · {}", kernel.name, Seconds(kernel.seconds));
        let room = area.right().saturating_sub(x);
        ui.text(x, area.y, room, &fit(&name, room), ui.theme.dim);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) mod tests;
