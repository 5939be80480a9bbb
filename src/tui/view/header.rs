//! The top line: the program, what the numbers come from, and the screens.

use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::super::action::Command;
use super::super::model::{Model, Screen};
use super::{Ui, width};
use crate::launch::Device;
use crate::measurement::Provenance;

/// Draws it.
pub(super) fn draw(ui: &mut Ui, area: Rect) {
    let help = " ? help ";
    let tabs: Vec<(Screen, String)> = Screen::ALL
        .into_iter()
        .enumerate()
        .map(|(index, screen)| (screen, format!(" {} {} ", index + 1, screen.name())))
        .collect();
    let tabs_width: u16 = tabs.iter().map(|(_, text)| width(text)).sum::<u16>() + width(help);
    let mut right = area.right().saturating_sub(tabs_width);

    let name = ui.theme.accent.add_modifier(Modifier::BOLD);
    let x = ui.text(area.x + 1, area.y, area.width, "warpscope", name) + 2;
    let room = right.saturating_sub(x + 1);
    let mut source = source(ui.model);
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

/// Device and provenance of what is shown: of the run, else of the records.
fn source(model: &Model) -> String {
    let running = model.run.as_ref().map(|run| run.device.as_ref());
    let device = running.unwrap_or_else(|| model.last.as_ref().and_then(|l| l.device.as_ref()));
    if let Some(device) = device {
        return label(device);
    }
    if model.run.is_some() {
        return "starting the worker …".to_owned();
    }
    match model.chart.records.first().or(model.shown.first()) {
        Some(record) if model.source.is_empty() => record.provenance_label(),
        Some(record) => format!("{} · {}", record.provenance_label(), model.source),
        None => "nothing measured yet · r runs".to_owned(),
    }
}

fn label(device: &Device) -> String {
    let provenance = if device.modelled { Provenance::Modelled } else { Provenance::Measured };
    let reservation = if device.validated { "" } else { " · unvalidated" };
    format!("{provenance} · {}{reservation}", device.name)
}
