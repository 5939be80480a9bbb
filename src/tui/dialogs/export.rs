//! The export dialog: format, ground and size of a picture, path, and how it
//! went.

use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

use crate::export::image::{Pixels, indexed};
use crate::tui::app::action::Command;
use crate::tui::dialogs::state::{Export, ExportState, Format, Row};
use crate::tui::screens::sweep::form::view::draw_text;
use crate::tui::widgets::ui::{Ui, width};

/// Fewest and most rows of the small picture.
const LEAST_PREVIEW: u16 = 12;
const MOST_PREVIEW: u16 = 22;

/// Columns of the names on the left.
const NAME: u16 = 10;

/// Draws it over `area`.
pub(crate) fn draw(ui: &mut Ui, area: Rect, dialog: &Export) {
    let rows = preview_rows(ui, area, dialog);
    let inner = ui.dialog(area, 72, 14 + rows, "Export");
    let (left, wide) = (inner.x + 2, inner.width - 4);
    if let Some(pixels) = dialog.preview.as_deref().filter(|_| rows > 0) {
        let place = Rect { x: left, y: inner.bottom() - 1 - rows, width: wide, height: rows - 1 };
        preview(ui, pixels, place);
    }

    let mut x = name(ui, dialog, Row::Format, left, inner.y + 1, "Format");
    for &format in dialog.formats() {
        let chosen = format == dialog.format;
        let name = format.extension().to_uppercase();
        let text = if chosen { format!("[{name}]") } else { format!(" {name} ") };
        let style = if chosen { ui.theme.selected } else { ui.theme.base };
        x = ui.button(x, inner.y + 1, wide, &text, style, Command::Format(format)) + 1;
    }
    ui.text(left + NAME, inner.y + 2, wide - NAME, dialog.format.summary(), ui.theme.dim);
    if dialog.format.is_picture() {
        let (size_name, size) = dialog.size();
        choice(ui, dialog, Row::Style, (left, inner.y + 4), "Style", dialog.style.name());
        let size = format!("{size_name} {size}");
        choice(ui, dialog, Row::Size, (left, inner.y + 5), "Size", &size);
        choice(ui, dialog, Row::Text, (left, inner.y + 6), "Text", dialog.text());
    }

    name(ui, dialog, Row::Path, left, inner.y + 7, "File");
    let field = Rect::new(left + NAME, inner.y + 7, wide - NAME, 1);
    let style = ui.theme.base.add_modifier(Modifier::UNDERLINED);
    draw_text(ui, field, &dialog.path.text(), dialog.path.cursor(), style);

    let (text, style) = match &dialog.state {
        ExportState::Ready => {
            ("↑ ↓ another row · ← → change it · type a name".to_owned(), ui.theme.dim)
        }
        // It counts first, which is the only export that takes seconds.
        ExportState::Writing if dialog.format == Format::Html => {
            ("counting the main variants on the emulator, then writing …".to_owned(), ui.theme.dim)
        }
        ExportState::Writing => ("writing …".to_owned(), ui.theme.dim),
        ExportState::Exists => {
            ("file exists; press Enter again to replace it".to_owned(), ui.theme.warn)
        }
        ExportState::Saved(path) => (format!("✓ saved {}", path.display()), ui.theme.good),
        ExportState::Failed(reason) => (format!("✗ {reason}"), ui.theme.bad),
    };
    ui.paragraph(Rect::new(left, inner.y + 9, wide, 2), &text, style);

    let save =
        if matches!(dialog.state, ExportState::Saved(_)) { " Enter done " } else { " Enter save " };
    let y = inner.bottom().saturating_sub(1);
    let x = ui.button(left, y, wide, save, ui.theme.selected, Command::Enter);
    let cancel = " Esc close ";
    ui.button(x + 2, y, width(cancel), cancel, ui.theme.accent, Command::Cancel);
}

/// The name of a row, marked where the arrows act on it; returns the column of
/// contents.
fn name(ui: &mut Ui, dialog: &Export, row: Row, x: u16, y: u16, name: &str) -> u16 {
    let here = dialog.row == row;
    let (mark, style) = if here { ("▸ ", ui.theme.accent) } else { ("  ", ui.theme.dim) };
    ui.text(x, y, NAME, &format!("{mark}{name}"), style);
    x + NAME
}

/// A row with one value of several.
fn choice(ui: &mut Ui, dialog: &Export, row: Row, (x, y): (u16, u16), title: &str, value: &str) {
    let x = name(ui, dialog, row, x, y, title);
    let style = if dialog.row == row { ui.theme.accent } else { ui.theme.base };
    let x = ui.button(x, y, 2, "‹ ", style, Command::ExportRow(row, false));
    let x = ui.button(x, y, 30, value, style, Command::ExportRow(row, true));
    ui.button(x, y, 2, " ›", style, Command::ExportRow(row, true));
}

/// Rows that the small picture takes, with one below it: none where there is
/// little room or no colour to draw it with.
fn preview_rows(ui: &Ui, area: Rect, dialog: &Export) -> u16 {
    let drawn = dialog.format.is_picture() && dialog.picture.is_some();
    let room = area.height.saturating_sub(14);
    if drawn && ui.theme.colour && !ui.model.look.ascii && room >= LEAST_PREVIEW {
        room.min(MOST_PREVIEW)
    } else {
        0
    }
}

/// Two pixels in each cell.
fn preview(ui: &mut Ui, pixels: &Pixels, area: Rect) {
    let (columns, rows) = pixels.fit(area.width, area.height);
    let left = area.x + (area.width - columns) / 2;
    ui.drawn.preview = Some(Rect::new(left, area.y, columns, rows));
    for (y, line) in (area.y..).zip(pixels.cells(columns, rows)) {
        for (x, [upper, lower]) in (left..).zip(line) {
            let [upper, lower] = [upper, lower].map(|rgb| Color::Indexed(indexed(rgb)));
            ui.text(x, y, 1, "▀", Style::new().fg(upper).bg(lower));
        }
    }
}
