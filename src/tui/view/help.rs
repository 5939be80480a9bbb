//! The help: every key and what it does, each line a button.

use ratatui::layout::Rect;

use super::super::keymap::BINDINGS;
use super::{Ui, fit};

/// Draws it over `area`.
pub(super) fn draw(ui: &mut Ui, area: Rect) {
    let per_column = BINDINGS.len().div_ceil(2) as u16;
    let inner = ui.dialog(area, 80, per_column + 6, "Keys (each line can be clicked)");
    let wide = inner.width / 2;
    for (index, binding) in (0u16..).zip(BINDINGS) {
        let (x, y) = (inner.x + 1 + index / per_column * wide, inner.y + index % per_column);
        if y >= inner.bottom() {
            continue;
        }
        ui.text(x, y, 7, binding.shown, ui.theme.accent);
        ui.text(x + 7, y, wide - 8, &fit(binding.help, wide - 8), ui.theme.base);
        ui.hit(Rect::new(x, y, wide - 1, 1), binding.command);
    }
    let notes = [
        "Solid curves run now, dashed ones are stored or pinned; hollow markers are",
        "predictions. measured: a GPU's timer · modelled: counted, then predicted",
        "recorded: measured earlier, stored · ✓: the output equals the CPU's",
    ];
    for (row, note) in (0u16..).zip(notes) {
        let y = inner.y + per_column + 1 + row;
        if y < inner.bottom() {
            ui.text(inner.x + 1, y, inner.width - 2, note, ui.theme.dim);
        }
    }
}
