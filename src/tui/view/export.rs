//! The export dialog: format, path, and how it went.

use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::super::action::Command;
use super::super::model::dialog::{Export, ExportState, Format};
use super::form::draw_text;
use super::{Ui, width, wrap};

/// Draws it over `area`.
pub(super) fn draw(ui: &mut Ui, area: Rect, dialog: &Export) {
    let inner = ui.dialog(area, 72, 12, "Export");
    let (left, wide) = (inner.x + 2, inner.width - 4);

    let mut x = ui.text(left, inner.y + 1, 8, "Format  ", ui.theme.dim);
    for format in Format::ALL {
        let chosen = format == dialog.format;
        let name = format.extension().to_uppercase();
        let text = if chosen { format!("[{name}]") } else { format!(" {name} ") };
        let style = if chosen { ui.theme.selected } else { ui.theme.base };
        x = ui.button(x, inner.y + 1, wide, &text, style, Command::Format(format)) + 1;
    }
    ui.text(left + 8, inner.y + 2, wide - 8, dialog.format.summary(), ui.theme.dim);

    ui.text(left, inner.y + 4, 8, "File    ", ui.theme.dim);
    let field = Rect::new(left + 8, inner.y + 4, wide - 8, 1);
    let style = ui.theme.base.add_modifier(Modifier::UNDERLINED);
    draw_text(ui, field, &dialog.path.text(), dialog.path.cursor(), style);

    let (text, style) = match &dialog.state {
        ExportState::Ready => ("↑ ↓ change the format".to_owned(), ui.theme.dim),
        ExportState::Writing => ("writing …".to_owned(), ui.theme.dim),
        ExportState::Exists => {
            ("this file exists; Enter again replaces it".to_owned(), ui.theme.warn)
        }
        ExportState::Saved(path) => (format!("✓ saved {}", path.display()), ui.theme.good),
        ExportState::Failed(reason) => (format!("✗ {reason}"), ui.theme.bad),
    };
    for (row, line) in (0..2).zip(wrap(&text, wide)) {
        ui.text(left, inner.y + 6 + row, wide, &line, style);
    }

    let save =
        if matches!(dialog.state, ExportState::Saved(_)) { " Enter done " } else { " Enter save " };
    let y = inner.bottom().saturating_sub(1);
    let x = ui.button(left, y, wide, save, ui.theme.selected, Command::Enter);
    let cancel = " Esc close ";
    ui.button(x + 2, y, width(cancel), cancel, ui.theme.accent, Command::Cancel);
}
