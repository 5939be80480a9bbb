//! What a lesson writes: the report for handing in, and the template of a kernel.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::chain;
use super::export::write;
use crate::lessons::run::Judged;
use crate::lessons::{Session, report};
use crate::settings;
use crate::tui::app::action::ExportError;

/// Writes the report of a lesson; an older one is replaced.
pub(super) fn report(
    session: &Session,
    path: PathBuf,
    now: Timestamp,
) -> Result<PathBuf, ExportError> {
    let page = report::render(session, &[], now);
    let page = page.map_err(|error| ExportError::Failed(chain(&error)))?;
    write(&path, page.as_bytes(), true)?;
    Ok(std::path::absolute(&path).unwrap_or(path))
}

/// Writes the template of a kernel that nobody has begun, and says so.
pub(super) fn begun(path: &Path, template: &str) -> Option<Result<Judged, String>> {
    if path.exists() {
        return None;
    }
    Some(match settings::replace(path, template) {
        Ok(()) => Ok(Judged::Refused(
            "the file now has the template: complete it, then r tries it".to_owned(),
        )),
        Err(error) => Err(format!("cannot write {}: {error}", path.display())),
    })
}
