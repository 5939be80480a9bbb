//! Typing text, and the export dialog.

use super::super::action::Command;
use super::super::effect::{Effect, ExportRequest};
use super::super::model::dialog::{Edit, Export, ExportState, Format, Overlay, TextLine};
use super::super::model::{Level, Model};

/// A key goes into the text being typed.
pub(super) fn edit(model: &mut Model, edit: Edit) {
    if let Some(Overlay::Export(export)) = &mut model.overlay {
        export.path.edit(edit);
        export.state = ExportState::Ready;
        return;
    }
    if let Some(Overlay::Pick(picker)) = &mut model.overlay {
        picker.query.edit(edit);
        picker.cursor = 0;
        return;
    }
    if model.runs.finding {
        model.runs.find.edit(edit);
        model.runs.cursor = 0;
        return;
    }
    let field = model.form.field;
    let Some(editor) = &mut model.form.editor else { return };
    editor.line.edit(edit);
    let text = editor.line.text();
    let error = model.form.parse(field, &text).err();
    if let Some(editor) = &mut model.form.editor {
        editor.error = error;
    }
}

/// Pasted text goes where typed text would; elsewhere it is not obeyed.
pub(super) fn paste(model: &mut Model, text: &str) {
    if super::typing(model) {
        for c in text.lines().next().unwrap_or_default().chars() {
            edit(model, Edit::Insert(c));
        }
    }
}

/// Opens the export dialog.
pub(super) fn open(model: &mut Model) {
    if model.chart.records.is_empty() {
        model.tell(Level::Info, "there is nothing to export yet: r runs");
        return;
    }
    let format = Format::Png;
    let name = format!("{}.{}", model.selection.algorithm, format.extension());
    model.overlay = Some(Overlay::Export(Export {
        format,
        path: TextLine::new(&name),
        state: ExportState::Ready,
    }));
}

/// A command while the export dialog is open.
pub(super) fn command(model: &mut Model, command: Command) -> Vec<Effect> {
    let Some(Overlay::Export(export)) = &mut model.overlay else { return Vec::new() };
    match command {
        Command::Up | Command::PanLeft => set_format(export, export.format.step(-1)),
        Command::Down | Command::NextPanel => set_format(export, export.format.step(1)),
        Command::Format(format) => set_format(export, format),
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

/// Chooses the format; the path's extension follows if it named the old one.
fn set_format(export: &mut Export, format: Format) {
    let text = export.path.text();
    let old = format!(".{}", export.format.extension());
    if let Some(stem) = text.strip_suffix(&old) {
        export.path = TextLine::new(&format!("{stem}.{}", format.extension()));
    }
    export.format = format;
    export.state = ExportState::Ready;
}

fn save(model: &mut Model) -> Vec<Effect> {
    let Some(Overlay::Export(export)) = &mut model.overlay else { return Vec::new() };
    let path = export.path.text();
    if path.trim().is_empty() {
        export.state = ExportState::Failed("name a file to write".to_owned());
        return Vec::new();
    }
    let replace = export.state == ExportState::Exists;
    export.state = ExportState::Writing;
    let Some(figure) = model.chart.figure.clone() else { return Vec::new() };
    vec![Effect::Export(Box::new(ExportRequest {
        format: export.format,
        path: path.trim().into(),
        replace,
        figure,
        records: model.chart.records.clone(),
    }))]
}
