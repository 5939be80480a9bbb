//! One JSON array of records, in the fields of the stored schema.

use std::io::{self, Write};

use super::ReportError;
use crate::results::record::Record;

/// Writes the array, indented, with a line end.
pub fn write(records: &[Record], out: &mut dyn Write) -> Result<(), ReportError> {
    serde_json::to_writer_pretty(&mut *out, records).map_err(io::Error::from)?;
    Ok(out.write_all(b"\n")?)
}
