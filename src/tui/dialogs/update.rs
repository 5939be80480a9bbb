//! Typing text, and the export dialog.

use std::path::PathBuf;

use crate::export::image::{Pixels, Style};
use crate::results::record::Provenance;
use crate::tui::app::action::{Command, ExportError};
use crate::tui::app::effect::{Effect, ExportRequest};
use crate::tui::app::model::Model;
use crate::tui::app::update::typing;
use crate::tui::dialogs::picture;
use crate::tui::dialogs::state::{Edit, Export, ExportState, Format, Overlay, Row, TextLine};
use crate::tui::screens::step::update as step;
use crate::tui::screens::sweep::state::Layer;

/// A key goes into the text being typed.
pub(crate) fn edit(model: &mut Model, edit: Edit) {
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
        return;
    }
    if let Some(typed) = &mut model.step.typed {
        typed.edit(edit);
        return;
    }
    if model.runs.finding {
        model.runs.find.edit(edit);
        model.runs.cursor = 0;
        return;
    }
    if let Some(mut editor) = model.form.editor.take() {
        editor.line.edit(edit);
        editor.error = model.form.parse(model.form.field, &editor.line.text()).err();
        model.form.editor = Some(editor);
    }
}

/// A new drawing where the ground may have changed.
fn preview_of_row(model: &mut Model) {
    if matches!(&model.overlay, Some(Overlay::Export(export)) if export.row == Row::Style) {
        preview(model);
    }
}

/// Pasted text goes where typed text would; elsewhere it is not obeyed.
pub(crate) fn paste(model: &mut Model, text: &str) {
    if typing(model) {
        for c in text.lines().next().unwrap_or_default().chars() {
            edit(model, Edit::Insert(c));
        }
    }
}

/// Opens the export dialog.
pub(crate) fn open(model: &mut Model) {
    let drawn = picture::of(model).map(Box::new);
    if drawn.is_none() && model.chart.records.is_empty() {
        return model.info("nothing to export yet: press r to run");
    }
    let format = if drawn.is_some() { Format::Png } else { Format::Csv };
    let name = format!("{}.{}", picture::name(model), format.extension());
    model.overlay = Some(Overlay::Export(Export {
        format,
        picture: drawn,
        style: Style::Light,
        size: 0,
        bare: false,
        row: Row::Format,
        preview: None,
        path: TextLine::new(&name),
        state: ExportState::Ready,
    }));
    preview(model);
}

/// Asks for the small drawing of the picture.
fn preview(model: &mut Model) {
    if let Some(Overlay::Export(export)) = &model.overlay
        && let Some(picture) = export.picture.clone()
    {
        model.effects.push(Effect::Draw(picture, export.style));
    }
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
pub(crate) fn command(model: &mut Model, command: Command) {
    let Some(Overlay::Export(export)) = &mut model.overlay else { return };
    match command {
        Command::Up => export.go(-1),
        Command::Down | Command::NextPanel => export.go(1),
        Command::Format(format) => export.choose(format),
        Command::ExportRow(row, forward) => {
            export.row = row;
            export.step(if forward { 1 } else { -1 });
            preview_of_row(model);
        }
        Command::Enter => match export.state {
            ExportState::Saved(_) => model.overlay = None,
            ExportState::Writing => {}
            _ => save(model),
        },
        _ => {}
    }
}

fn save(model: &mut Model) {
    let Some(Overlay::Export(export)) = &mut model.overlay else { return };
    let path = export.path.text();
    let refused = if path.trim().is_empty() {
        Some("enter a file name")
    } else if export.format.is_picture() && export.picture.is_none() {
        Some("nothing to draw in this view yet")
    } else if !export.format.is_picture()
        && export.format != Format::Trace
        && model.chart.records.is_empty()
    {
        Some("no result to write yet: press r to run")
    } else {
        None
    };
    if let Some(reason) = refused {
        export.state = ExportState::Failed(reason.to_owned());
        return;
    }
    let replace = export.state == ExportState::Exists;
    export.state = ExportState::Writing;
    model.effects.push(Effect::Export(Box::new(ExportRequest {
        format: export.format,
        path: path.trim().into(),
        replace,
        picture: export.picture.clone(),
        style: export.style,
        size: if export.bare { export.size().1.bare() } else { export.size().1 },
        sources: sources(model),
        counts: model.run.is_none(),
        records: model.chart.records.clone(),
        trace: step::stepped(model),
    })));
}

/// Where the records of the chart come from, each source once.
fn sources(model: &Model) -> Vec<String> {
    let chart = &model.chart;
    let mut sources: Vec<String> = Vec::new();
    for ((record, layer), run) in chart.records.iter().zip(&chart.layers).zip(&chart.runs) {
        let source = match layer {
            _ if record.provenance == Provenance::Reported => "published tables",
            Layer::Recorded => &model.source,
            Layer::Older => "older versions of the file",
            Layer::Overlaid => run.as_deref().unwrap_or("a stored run"),
            Layer::Pinned => "pinned results",
            Layer::Live => "this session",
        };
        if !sources.iter().any(|known| known == source) {
            sources.push(source.to_owned());
        }
    }
    sources
}

/// An export has ended.
pub(crate) fn exported(model: &mut Model, result: Result<PathBuf, ExportError>) {
    let state = match result {
        Ok(path) => {
            model.good(format!("saved {}", path.display()));
            ExportState::Saved(path)
        }
        Err(ExportError::Exists) => ExportState::Exists,
        Err(ExportError::Failed(reason)) => {
            model.bad(reason.clone());
            ExportState::Failed(reason)
        }
    };
    if let Some(Overlay::Export(export)) = &mut model.overlay {
        if matches!(&state, ExportState::Saved(_)) && export.format.keeps_numbers() {
            model.unsaved = false;
        }
        export.state = state;
    }
}
