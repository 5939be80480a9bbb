//! The Source screen: CUDA source and PTX of a kernel, each line with its share
//! of what the kernel did; or the texts of two cases side by side.
//!
//! ```text
//! header
//! kernels as tabs, and which heat is shown
//! CUDA source             PTX             (one of them where there is little room)
//! notice      what the line under the cursor did
//! status, keys
//! ```

mod diff;
pub(crate) mod pane;

use ratatui::layout::Rect;

use crate::figure::listing;
use crate::figure::listing::Listing;
use crate::tui::app::action::Command;
use crate::tui::own::view as own;
use crate::tui::screens::profile::state::{Pane, Side};
use crate::tui::screens::profile::{state as profile, view as common};
use crate::tui::screens::sweep::explain;
use crate::tui::widgets::frame::{self, Frame};
use crate::tui::widgets::sentence;
use crate::tui::widgets::sentence::variant_name;
use crate::tui::widgets::ui::{Ui, width};

/// Columns from which two texts stand side by side.
const ROOMY: u16 = 110;

/// Draws it.
pub(crate) fn draw(ui: &mut Ui, area: Rect) {
    let Frame { body, notice } = frame::draw(ui, area, 1);
    let sides = profile::sides(ui.model);
    let top = Rect { height: 1, ..body };
    let texts = Rect { y: body.y + 1, height: body.height - 1, ..body };
    let heat = heat(ui, top);
    if !own::is_shown(ui.model) {
        common::tabs(ui, Rect { width: top.width.saturating_sub(heat), ..top }, &sides);
    }
    let wide = area.width >= ROOMY;
    let says = if let Some(says) = own::draw(ui, texts) {
        says
    } else if let Some(changes) = ui.model.own.as_ref().and_then(|own| own.changes.as_ref()) {
        let names = [format!("v{}", changes.since), "now".to_owned()];
        diff::draw_found(ui, texts, &names, &changes.texts, wide)
    } else if ui.model.profile.diff {
        diff::draw(ui, texts, &sides, wide)
    } else {
        draw_both(ui, texts, &sides, wide)
    };
    explain::draw_notice_or(ui, notice, &says, ui.theme.base);
}

/// Which heat is shown, as a button at the right end; how wide that is.
fn heat(ui: &mut Ui, area: Rect) -> u16 {
    let text = format!(" f {} ", ui.model.profile.heat.name());
    let wide = width(&text);
    let x = area.right().saturating_sub(wide);
    ui.button(x, area.y, wide, &text, ui.theme.accent, Command::Flip);
    wide + 1
}

/// What a pane is called.
fn name(pane: Pane) -> &'static str {
    match pane {
        Pane::Cuda => "CUDA",
        Pane::Ptx => "PTX",
    }
}

/// The text and the selected case, always with its variant, size and launch.
pub(crate) fn title(pane: Pane, side: &Side, most: u16) -> String {
    let case = &side.wanted.case;
    let (text, shape, variant) = (name(pane), common::launch(case), &case.variant);
    let mut texts = vec![format!("{text} · {variant} · {shape} · {}", file(pane, side))];
    let names = sentence::NAMES.iter().map(|room| variant_name(&case.algorithm, variant, *room));
    texts.extend(names.map(|name| format!("{text} · {name} · {shape}")));
    sentence::line(texts, most.saturating_sub(4))
}

fn file(pane: Pane, side: &Side) -> String {
    let case = &side.wanted.case;
    let module = crate::algorithms::find(&case.algorithm).map(|it| it.module(&case.variant));
    let path = module.map(|module| match pane {
        Pane::Ptx => module.path.to_owned(),
        Pane::Cuda => module.source_path(),
    });
    path.unwrap_or_default()
}

/// Both texts of the kernel, or the active one; tells of the line under the cursor.
fn draw_both(ui: &mut Ui, area: Rect, sides: &[Side], wide: bool) -> String {
    let found = profile::texts(ui.model).into_iter().next().flatten();
    let (Some(texts), Some(side)) = (found, sides.first()) else {
        let inner = ui.panel(area, &common::title(sides, area.width), true);
        common::nothing(ui, inner, sides);
        return String::new();
    };
    let active = ui.model.profile.pane;
    let cursor = profile::cursor(ui.model);
    let shown: Vec<(Pane, Rect)> = if wide {
        let left = Rect { width: area.width / 2, ..area };
        let right = Rect { x: left.right(), width: area.width - left.width, ..area };
        vec![(Pane::Cuda, left), (Pane::Ptx, right)]
    } else {
        vec![(active, area)]
    };
    let heat = ui.model.profile.heat;
    for (pane, place) in shown {
        let listing = texts.of(pane);
        let title = title(pane, side, place.width);
        let file = ui.model.own.as_ref().filter(|own| {
            pane == Pane::Cuda && own.name == side.wanted.case.algorithm && own.text == own.compiled
        });
        let marked = if pane == active {
            pane::Marked { cursor: Some(cursor), partners: Vec::new(), own: file }
        } else {
            let from = texts.of(active);
            let partners = from.lines.get(cursor).map(|line| line.partners.clone());
            pane::Marked {
                cursor: from.partner_in(cursor, listing, heat),
                partners: partners.unwrap_or_default(),
                own: file,
            }
        };
        let inner = ui.panel(place, &title, pane == active);
        if pane != active {
            ui.hit(place, Command::Pane(pane));
        }
        pane::draw(ui, inner, listing, &marked, pane == active);
    }
    says(texts.of(active), cursor, active)
}

/// What the line under the cursor did, and which lines of the other text it is.
fn says(listing: &Listing, cursor: usize, pane: Pane) -> String {
    let Some(line) = listing.lines.get(cursor) else { return String::new() };
    let told = listing::tells(&line.work);
    if told.is_empty() {
        return format!("line {}: no instruction of this kernel", line.number);
    }
    let other = match (pane, line.partners.as_slice()) {
        (_, []) => String::new(),
        (Pane::Ptx, [one, ..]) => format!(" · from line {one}"),
        (Pane::Cuda, [one]) => format!(" · PTX line {one}"),
        (Pane::Cuda, [first, .., last]) => format!(" · PTX lines {first} to {last}"),
    };
    format!("line {}: {}{other}", line.number, told.join(" · "))
}
