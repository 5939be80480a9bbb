//! One JSON array of records, in the fields of the stored schema.

use super::ReportError;
use crate::results::record::Record;

/// The array, indented, with a line end.
pub fn render(records: &[Record]) -> Result<String, ReportError> {
    let mut text =
        serde_json::to_string_pretty(records).map_err(|error| ReportError(error.to_string()))?;
    text.push('\n');
    Ok(text)
}
