//! From the bytes of a file to its records: which lines are whole, which are
//! torn, and which were never ours.

use std::path::Path;

use serde_json::Value;

use super::{StoreError, Torn, upgrade};
use crate::results::record::{Record, SCHEMA};

/// How every line begins, since `schema` is the first field that is written.
const START: &[u8] = br#"{"schema":"#;

/// What the bytes of a file hold.
pub(super) struct Parsed {
    /// One record per whole line, as stored.
    pub(super) records: Vec<Record>,
    /// The last line, if it is torn.
    pub(super) torn: Option<Torn>,
    /// Bytes before the torn line.
    pub(super) whole_bytes: usize,
}

/// Parses `bytes`; `path` is for errors.
pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<Parsed, StoreError> {
    let mut records = Vec::new();
    let mut at = 0;
    for (index, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let ended = line.ends_with(b"\n");
        match record(line) {
            Ok(Some(record)) => records.push(record),
            Ok(None) => {}
            Err(_) if !ended && looks_torn(line) => {
                let torn = Torn { line: index + 1, bytes: line.len() };
                return Ok(Parsed { records, torn: Some(torn), whole_bytes: at });
            }
            Err(fault) => return Err(fault.at(path, index + 1)),
        }
        at += line.len();
    }
    Ok(Parsed { records, torn: None, whole_bytes: bytes.len() })
}

/// Whether a line without an end is the start of one of ours, rather than
/// the end of somebody else's file (which must not be cut off).
fn looks_torn(line: &[u8]) -> bool {
    let common = line.len().min(START.len());
    line[..common] == START[..common] && serde_json::from_slice::<Value>(line).is_err()
}

/// What is wrong with a line.
enum Fault {
    Foreign(String),
    Newer(u64),
}

impl Fault {
    fn at(self, path: &Path, line: usize) -> StoreError {
        let path = path.to_owned();
        match self {
            Self::Foreign(reason) => StoreError::Foreign { path, line, reason },
            Self::Newer(schema) => StoreError::Newer { path, line, schema },
        }
    }
}

/// The record in `line`; nothing if the line is blank.
fn record(line: &[u8]) -> Result<Option<Record>, Fault> {
    if line.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    let text = str::from_utf8(line).map_err(|_| Fault::Foreign("it is not text".to_owned()))?;
    // The schema is read first: a newer line may not fit our record at all,
    // and deserves to be called newer instead of broken.
    let mut value: Value =
        serde_json::from_str(text).map_err(|error| Fault::Foreign(json_reason(&error)))?;
    match value.get("schema").and_then(Value::as_u64) {
        None => return Err(Fault::Foreign("it has no field `schema`".to_owned())),
        Some(schema) if schema > u64::from(SCHEMA) => return Err(Fault::Newer(schema)),
        Some(0) => return Err(Fault::Foreign("there is no schema 0".to_owned())),
        Some(schema) => upgrade::upgrade(&mut value, schema),
    }
    serde_json::from_value(value).map(Some).map_err(|error| Fault::Foreign(error.to_string()))
}

/// Where the line stops being JSON; the line number within a line says nothing.
fn json_reason(error: &serde_json::Error) -> String {
    format!("not JSON from column {}", error.column())
}
