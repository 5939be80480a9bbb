//! Typing text, and the export dialog.

use crate::export::image::{Pixels, Style};
use crate::tui::app::action::Command;
use crate::tui::app::effect::{Effect, ExportRequest};
use crate::tui::app::model::{Level, Model};
use crate::tui::dialogs::picture;
use crate::tui::dialogs::state::{Edit, Export, ExportState, Format, Overlay, Row, TextLine};

/// A key goes into the text being typed.
pub(crate) fn edit(model: &mut Model, edit: Edit) -> Vec<Effect> {
    if let Some(Overlay::Export(export)) = &mut model.overlay {
        match edit {
            Edit::Left if export.row != Row::Path => export.step(-1),
            Edit::Right if export.row != Row::Path => export.step(1),
            edit => export.edit(edit),
        }
        return preview_of_row(model);
    }
    if let Some(Overlay::Pick(picker)) = &mut model.overlay {
        picker.query.edit(edit);
        picker.cursor = 0;
        return Vec::new();
    }
    if model.runs.finding {
        model.runs.find.edit(edit);
        model.runs.cursor = 0;
        return Vec::new();
    }
    let field = model.form.field;
    let Some(editor) = &mut model.form.editor else { return Vec::new() };
    editor.line.edit(edit);
    let text = editor.line.text();
    let error = model.form.parse(field, &text).err();
    if let Some(editor) = &mut model.form.editor {
        editor.error = error;
    }
    Vec::new()
}

/// A new drawing where the ground may have changed.
fn preview_of_row(model: &Model) -> Vec<Effect> {
    match &model.overlay {
        Some(Overlay::Export(export)) if export.row == Row::Style => preview(model),
        _ => Vec::new(),
    }
}

/// Pasted text goes where typed text would; elsewhere it is not obeyed.
pub(crate) fn paste(model: &mut Model, text: &str) {
    if crate::tui::app::update::typing(model) {
        for c in text.lines().next().unwrap_or_default().chars() {
            edit(model, Edit::Insert(c));
        }
    }
}

/// Opens the export dialog.
pub(crate) fn open(model: &mut Model) -> Vec<Effect> {
    let drawn = picture::of(model).map(Box::new);
    if drawn.is_none() && model.chart.records.is_empty() {
        model.tell(Level::Info, "nothing to export yet: press r to run");
        return Vec::new();
    }
    let format = if drawn.is_some() { Format::Png } else { Format::Csv };
    let name = format!("{}.{}", picture::name(model), format.extension());
    model.overlay = Some(Overlay::Export(Export {
        format,
        picture: drawn,
        style: Style::Light,
        size: 0,
        row: Row::Format,
        preview: None,
        path: TextLine::new(&name),
        state: ExportState::Ready,
    }));
    preview(model)
}

/// The small drawing of the picture, as it is to be.
fn preview(model: &Model) -> Vec<Effect> {
    let Some(Overlay::Export(export)) = &model.overlay else { return Vec::new() };
    let picture = export.picture.clone();
    picture.map(|picture| Effect::Draw(picture, export.style)).into_iter().collect()
}

/// A small drawing has come; one on another ground came too late.
pub(crate) fn drawn(model: &mut Model, style: Style, pixels: Box<Pixels>) {
    if let Some(Overlay::Export(export)) = &mut model.overlay
        && export.style == style
    {
        export.preview = Some(pixels);
    }
}

/// A command while the export dialog is open.
pub(crate) fn command(model: &mut Model, command: Command) -> Vec<Effect> {
    let Some(Overlay::Export(export)) = &mut model.overlay else { return Vec::new() };
    match command {
        Command::Up => export.go(-1),
        Command::Down | Command::NextPanel => export.go(1),
        Command::Format(format) => export.choose(format),
        Command::ExportRow(row, forward) => {
            export.row = row;
            export.step(if forward { 1 } else { -1 });
            return preview_of_row(model);
        }
        Command::Enter => match export.state {
            ExportState::Saved(_) => model.overlay = None,
            ExportState::Writing => {}
            ExportState::Ready | ExportState::Exists | ExportState::Failed(_) => {
                return save(model);
            }
        },
        _ => {}
    }
    Vec::new()
}

fn save(model: &mut Model) -> Vec<Effect> {
    let Some(Overlay::Export(export)) = &mut model.overlay else { return Vec::new() };
    let path = export.path.text();
    if path.trim().is_empty() {
        export.state = ExportState::Failed("enter a file name".to_owned());
        return Vec::new();
    }
    if export.format.is_picture() && export.picture.is_none() {
        export.state = ExportState::Failed("nothing to draw in this view yet".to_owned());
        return Vec::new();
    }
    if !export.format.is_picture() && model.chart.records.is_empty() {
        export.state = ExportState::Failed("no result to write yet: press r to run".to_owned());
        return Vec::new();
    }
    let replace = export.state == ExportState::Exists;
    export.state = ExportState::Writing;
    vec![Effect::Export(Box::new(ExportRequest {
        format: export.format,
        path: path.trim().into(),
        replace,
        picture: export.picture.clone(),
        style: export.style,
        size: export.size().1,
        source: model.source.clone(),
        records: model.chart.records.clone(),
    }))]
}
