//! What is compared, in the algorithm's own words, and what the words for the
//! origin of numbers mean. Only where there is room.

use ratatui::layout::Rect;

use crate::results::record::Provenance;
use crate::tui::app::action::Command;
use crate::tui::app::model::Panel;
use crate::tui::widgets::ui::{Ui, wrap};

/// Draws it.
pub(crate) fn draw(ui: &mut Ui, area: Rect) {
    if area.height < 3 {
        return;
    }
    ui.hit(area, Command::Panel(Panel::Form));
    let inner = ui.panel(area, "What you see", false);
    let algorithm = ui.model.form.algorithm();
    let mut parts: Vec<(String, String)> = algorithm
        .variants()
        .iter()
        .map(|variant| (variant.name.to_owned(), variant.summary.to_owned()))
        .collect();
    let mut shown: Vec<Provenance> =
        ui.model.chart.series().iter().map(|series| series.provenance).collect();
    shown.sort();
    shown.dedup();
    parts.extend(shown.into_iter().map(|provenance| (provenance.to_string(), meaning(provenance))));

    let room = inner.width.saturating_sub(2);
    let mut y = inner.y;
    for (name, text) in parts {
        let lines = wrap(&format!("{name}: {text}"), room);
        // A part is shown whole or not at all.
        if y + lines.len() as u16 > inner.bottom() {
            break;
        }
        for (index, line) in lines.iter().enumerate() {
            ui.text(inner.x + 1, y, room, line, ui.theme.dim);
            if index == 0 {
                ui.text(inner.x + 1, y, room, &name, ui.theme.base);
            }
            y += 1;
        }
        y += 1;
    }
}

fn meaning(provenance: Provenance) -> String {
    match provenance {
        Provenance::Measured => "timed on the GPU now",
        Provenance::Modelled => "counted by the emulator on this CPU; the time is predicted",
        Provenance::Recorded => "timed on the named GPU earlier and stored",
        Provenance::Reported => "from a published table",
    }
    .to_owned()
}
