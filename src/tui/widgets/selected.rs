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
    let set = wordings(selected, time).into_iter().map(|text| ui.set(&text).into_owned());
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
/// are in all of them.
pub(crate) fn wordings(selected: &Selection, time: Time) -> Vec<String> {
    let case = &selected.case;
    let n = Elements(case.n);
    // `order 512` would say n twice.
    let size =
        Some(sized(&case.algorithm, case.n)).filter(|text| text.starts_with(char::is_numeric));
    let size = size.unwrap_or_else(|| n.to_string());
    let launch = format!("block {} ×{}", case.block, case.coarsen);
    let params = algorithms::find(&case.algorithm).map_or(&[][..], |it| it.params());
    let told = |all: bool| -> Vec<String> {
        let shown = params.iter().filter_map(|param| {
            let value = case.params.get(param.name)?;
            (all || *value != param.default())
                .then(|| format!("{} {}", param.name, param.shown(value)))
        });
        shown.collect()
    };
    let join = |parts: &[&str], params: &[String], rest: &[&str]| -> String {
        let parts = parts.iter().copied().chain(params.iter().map(String::as_str));
        parts.chain(rest.iter().copied()).collect::<Vec<_>>().join(" · ")
    };
    let (source, brief_source) = (selected.known.told(), selected.known.brief());
    let input = format!("input {}", case.dist);
    let (algorithm, variant) = (case.algorithm.as_str(), case.variant.as_str());
    let long = format!("block {} · coarsening {}", case.block, case.coarsen);
    let (sized, plain) = (format!("n = {size}"), format!("n = {n}"));
    let mut all = vec![
        join(&[algorithm, variant, &sized, &long], &told(true), &[&input, time.name(), &source]),
        join(&[algorithm, variant, &plain, &launch], &told(true), &[&input, time.name(), &source]),
        join(&[algorithm, variant, &plain, &launch], &told(true), &[time.name(), &brief_source]),
        join(&[algorithm, variant, &plain, &launch], &told(false), &[time.name(), &brief_source]),
    ];
    for room in sentence::NAMES {
        let name = variant_name(algorithm, variant, room);
        all.push(join(&[&name, &plain, &launch], &told(false), &[brief(time), &brief_source]));
    }
    let name = variant_name(algorithm, variant, sentence::NAMES[1]);
    all.push(join(&[&name, &plain, &launch], &[], &[brief(time), &brief_source]));
    all
}
