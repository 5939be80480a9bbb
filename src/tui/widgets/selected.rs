//! The line below the header: the one case that every screen is about, the time that
//! every screen shows, and where the case's time comes from.

use ratatui::layout::Rect;

use crate::algorithms;
use crate::figure::Time;
use crate::tui::app::action::Command;
use crate::tui::app::selection::{Known, Selection};
use crate::tui::widgets::sentence;
use crate::tui::widgets::sentence::variant_name;
use crate::tui::widgets::sized::sized;
use crate::tui::widgets::ui::{Ui, width};
use crate::units::Elements;

/// Draws it; a click on the time changes it, one elsewhere goes to the next variant.
pub(crate) fn draw(ui: &mut Ui, area: Rect) {
    let model = ui.model;
    let Some(selected) = &model.selected else { return };
    let time = model.chart.choice.time;
    let room = area.width.saturating_sub(4);
    let set = wordings(selected, time).map(|text| ui.set(&text).into_owned());
    let text = sentence::line(set, room);
    let style = match selected.known {
        Known::Wrong => ui.theme.bad,
        _ => ui.theme.base,
    };
    ui.text(area.x + 1, area.y, 1, "▸", ui.theme.accent);
    let x = area.x + 3;
    ui.text(x, area.y, room, &text, style);
    ui.hit(area, Command::NextVariant);
    for name in [time.name(), brief(time)] {
        if let Some((before, _)) = text.split_once(name) {
            let from = x + width(before);
            ui.button(from, area.y, width(name), name, ui.theme.accent, Command::Time);
            break;
        }
    }
}

/// The time in one or two words.
pub(crate) fn brief(time: Time) -> &'static str {
    match time {
        Time::Kernels => "kernels",
        Time::EndToEnd => "end to end",
    }
}

/// The selection in words, from long to short. Variant, size, launch, time and provenance
/// are in all of them. Every frame asks for one and the first mostly fits, so each is made
/// when it is asked for.
pub(crate) fn wordings(selected: &Selection, time: Time) -> impl Iterator<Item = String> {
    (0..7).map(move |shortness| wording(selected, time, shortness))
}

fn wording(selected: &Selection, time: Time, shortness: u32) -> String {
    let (case, known) = (&selected.case, &selected.known);
    let (algorithm, variant) = (case.algorithm.as_str(), case.variant.as_str());
    let mut parts = match shortness {
        0..=3 => vec![algorithm.to_owned(), variant.to_owned()],
        4 => vec![variant.to_owned()],
        _ => vec![variant_name(algorithm, variant, sentence::NAMES[1])],
    };
    if shortness == 0 {
        // `order 512` would say n twice.
        let size = Some(sized(algorithm, case.n)).filter(|it| it.starts_with(char::is_numeric));
        parts.push(format!("n = {}", size.unwrap_or_else(|| Elements(case.n).to_string())));
        parts.push(format!("block {} · coarsening {}", case.block, case.coarsen));
    } else {
        parts.push(format!("n = {}", Elements(case.n)));
        parts.push(format!("block {} ×{}", case.block, case.coarsen));
    }
    let params = algorithms::find(algorithm).map_or(&[][..], |it| it.params());
    parts.extend(params.iter().filter_map(|param| {
        let value = case.params.get(param.name)?;
        let told = shortness <= 2 || shortness <= 5 && *value != param.default();
        told.then(|| format!("{} {}", param.name, param.shown(value)))
    }));
    if shortness <= 1 {
        parts.push(format!("input {}", case.dist));
    }
    parts.push(if shortness <= 3 { time.name() } else { brief(time) }.to_owned());
    parts.push(if shortness <= 1 { known.told() } else { known.brief() });
    parts.join(" · ")
}
