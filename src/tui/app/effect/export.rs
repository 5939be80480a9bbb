//! What the export dialog writes: a picture, a report, a table or the records.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;

use super::chain;
use crate::export::report::html::Counted;
use crate::export::trace::TraceFile;
use crate::export::{image, report};
use crate::figure::Picture;
use crate::results::record::{Provenance, Record};
use crate::runner::scheduler;
use crate::runner::scheduler::Control;
use crate::tui::app::action::ExportError;
use crate::tui::dialogs::state::Format;
use crate::tui::screens::step::recorded::Recorded;

/// Steps of an exported trace: some megabytes.
const MOST_STEPS: usize = 1000;

/// What to write, and where to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ExportRequest {
    pub(crate) format: Format,
    pub(crate) path: PathBuf,
    /// Whether an existing file may be replaced.
    pub(crate) replace: bool,
    /// What a picture shows.
    pub(crate) picture: Option<Box<Picture>>,
    pub(crate) style: image::Style,
    pub(crate) size: image::Size,
    /// Where the records come from, in words.
    pub(crate) sources: Vec<String>,
    /// Whether a report counts its cases on the emulator; not while a run is timed.
    pub(crate) counts: bool,
    /// What a table holds.
    pub(crate) records: Vec<Record>,
    /// The recorded block and the warp whose steps a trace holds.
    pub(crate) trace: Option<(Arc<Recorded>, usize)>,
}

/// Writes the file whole or not at all.
pub(super) fn export(request: &ExportRequest) -> Result<PathBuf, ExportError> {
    let bytes = contents(request).map_err(|error| ExportError::Failed(chain(error.as_ref())))?;
    write(&request.path, &bytes, request.replace)?;
    Ok(std::path::absolute(&request.path).unwrap_or_else(|_| request.path.clone()))
}

fn contents(request: &ExportRequest) -> anyhow::Result<Vec<u8>> {
    let ExportRequest { size, style, records, sources, .. } = request;
    let picture = || request.picture.as_deref().context("nothing to draw");
    Ok(match request.format {
        Format::Png => image::png(picture()?, *size, *style)?,
        Format::Svg => image::svg(picture()?, *size, *style)?.into_bytes(),
        Format::Html => {
            let counted = if request.counts { count(records) } else { Vec::new() };
            report::html::render(records, sources, &counted)?.into_bytes()
        }
        Format::Csv => {
            let mut bytes = Vec::new();
            report::csv::write(records, &mut bytes)?;
            bytes
        }
        Format::Jsonl => lines(records)?,
        Format::Trace => {
            let (recorded, warp) = request.trace.as_ref().context("no block is recorded")?;
            let mut bytes = Vec::new();
            let steps = 0..MOST_STEPS;
            TraceFile::new(&mut recorded.trace(), *warp, steps).write(&mut bytes)?;
            bytes
        }
    })
}

/// What the emulator counts of the cases that a report explains. A case that cannot be
/// counted is left out of the explanation, not of the report.
fn count(records: &[Record]) -> Vec<Counted> {
    let count = |record: Record| {
        let found = scheduler::count(&record, &Control::new()).ok()??;
        Some(Counted { record: found.record, profile: found.profile? })
    };
    report::html::to_count(records).into_iter().filter_map(count).collect()
}

fn lines(records: &[Record]) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = Vec::new();
    for record in records {
        let mut record = record.clone();
        // Files keep `measured`; whoever reads one shows it as recorded.
        if record.provenance == Provenance::Recorded {
            record.provenance = Provenance::Measured;
        }
        serde_json::to_writer(&mut bytes, &record)?;
        bytes.push(b'\n');
    }
    Ok(bytes)
}

pub(super) fn write(path: &Path, bytes: &[u8], replace: bool) -> Result<(), ExportError> {
    let mut options = OpenOptions::new();
    options.write(true).create(replace).truncate(replace).create_new(!replace);
    let refused = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => ExportError::Exists,
        _ => ExportError::Failed(format!(
            "cannot write {}: {error}; name a file in a folder that exists and can be written",
            path.display()
        )),
    };
    let mut file = options.open(path).map_err(refused)?;
    file.write_all(bytes).and_then(|()| file.flush()).map_err(refused)
}
