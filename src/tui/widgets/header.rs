//! The top line: the program, what the numbers come from, and the screens.

use std::collections::BTreeMap;

use ratatui::layout::Rect;
use ratatui::style::Modifier;

use crate::results::record::Provenance;
use crate::tui::app::action::Command;
use crate::tui::app::model::{Model, Screen};
use crate::tui::own::view as own;
use crate::tui::screens::learn::update::digits;
use crate::tui::widgets::ui::{Ui, width};
use crate::work::Device;

/// Columns for the program's name and what the numbers come from, at least.
const LEAST_SOURCE: u16 = 44;

/// Draws it.
pub(crate) fn draw(ui: &mut Ui, area: Rect) {
    let help = " ? help ";
    // Where digits answer the question of a lesson, they go to no other screen.
    let answers = digits(ui.model).is_some();
    let named = |named: &dyn Fn(Screen) -> bool| -> Vec<(Screen, String)> {
        let tab = |screen: Screen| {
            let name = if named(screen) { format!("{} ", screen.name()) } else { String::new() };
            let digit = if answers { String::new() } else { format!("{} ", screen.digit()) };
            (screen, format!(" {digit}{name}"))
        };
        let there = |screen: &Screen| match screen {
            Screen::Learn => ui.model.learn.is_some(),
            _ => !answers,
        };
        Screen::ALL.into_iter().filter(there).map(tab).collect()
    };
    let wide = |tabs: &[(Screen, String)]| {
        tabs.iter().map(|(_, text)| width(text)).sum::<u16>() + width(help)
    };
    let mut tabs = named(&|_| true);
    // Where the numbers come from is worth more than the names of other screens.
    if wide(&tabs) + LEAST_SOURCE > area.width {
        tabs = named(&|screen| screen == ui.model.screen);
    }
    let mut right = area.right().saturating_sub(wide(&tabs));

    let name = ui.theme.accent.add_modifier(Modifier::BOLD);
    let x = ui.text(area.x + 1, area.y, area.width, "warpscope", name) + 2;
    let room = right.saturating_sub(x + 1);
    let mut source = source(ui.model);
    if let Some(own) = &ui.model.own {
        source = format!("{} · {source}", own::header(own));
    }
    // Where it does not fit, the file's name goes first.
    if width(&source) > room
        && let Some(short) = source.strip_suffix(&format!(" · {}", ui.model.source))
    {
        source = short.to_owned();
    }
    ui.text(x, area.y, room, &source, ui.theme.base);

    for (screen, text) in tabs {
        let chosen = screen == ui.model.screen;
        let style = if chosen { ui.theme.selected } else { ui.theme.base };
        right = ui.button(right, area.y, area.width, &text, style, Command::Show(screen));
    }
    ui.button(right, area.y, area.width, help, ui.theme.accent, Command::Help);
}

/// Devices and provenance of what is shown: of the run, else of the records.
fn source(model: &Model) -> String {
    if let Some(replay) = model.run.as_ref().and_then(|run| run.replay.as_ref()) {
        let device = replay.records.first().map_or("", |record| record.device.name.as_str());
        let speed = model.speed.text();
        return format!("recorded · {device} · replay {speed} · {}", replay.name);
    }
    let ran = model.run.as_ref().map(|run| (&run.devices, run.workers));
    let ran = ran.or_else(|| model.last.as_ref().map(|last| (&last.run.devices, last.run.workers)));
    if let Some(text) = ran.and_then(|(devices, workers)| label(devices, workers)) {
        return text;
    }
    if model.run.is_some() {
        return "starting the worker …".to_owned();
    }
    match model.chart.records.first().or(model.shown.first()) {
        None if model.screen == Screen::Learn => "lessons".to_owned(),
        Some(record) if model.source.is_empty() => record.provenance_label(),
        Some(record) => format!("{} · {}", record.provenance_label(), model.source),
        None => "no results yet · press r to run".to_owned(),
    }
}

/// `measured · NVIDIA H200`, and for several workers how many of them answer and
/// what they run on: `measured · 3 of 4 workers: 2 NVIDIA H200, NVIDIA A100`.
fn label(devices: &BTreeMap<usize, Device>, workers: usize) -> Option<String> {
    let device = devices.values().next()?;
    let provenance = if device.modelled { Provenance::Modelled } else { Provenance::Measured };
    let validated = devices.values().all(|device| device.validated);
    let reservation = if validated { "" } else { " · unvalidated" };
    if workers == 1 {
        return Some(format!("{provenance} · {}{reservation}", device.name));
    }
    let mut names: Vec<(&str, usize)> = Vec::new();
    for device in devices.values() {
        match names.iter_mut().find(|(name, _)| *name == device.name) {
            Some((_, count)) => *count += 1,
            None => names.push((&device.name, 1)),
        }
    }
    let names: Vec<String> = names
        .into_iter()
        .map(|(name, count)| if count == 1 { name.to_owned() } else { format!("{count} {name}") })
        .collect();
    let answer = devices.len();
    let of = if answer == workers { String::new() } else { format!(" of {workers}") };
    Some(format!("{provenance} · {answer}{of} workers: {}{reservation}", names.join(", ")))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::tui::fixture;

    #[test]
    fn several_workers_are_counted_and_their_devices_named() {
        let device = |name: &str| Device { name: name.to_owned(), ..fixture::device() };
        let mut devices = BTreeMap::from([(0, device("H200")), (1, device("A100"))]);
        let words = |devices: &_, workers| label(devices, workers).unwrap();
        assert!(words(&devices, 2).contains("2 workers: H200, A100"));
        devices.insert(3, device("H200"));
        assert!(words(&devices, 4).contains("3 of 4 workers: 2 H200, A100"));
        assert_eq!(label(&BTreeMap::new(), 2), None);
    }
}
