//! Parses the bytes of a file into records and users' files, finds a torn last line, leaves out lines beyond
//! the limits of the schema, refuses foreign lines, and upgrades lines of older schemas.

use std::path::Path;

use serde_json::Value;

use super::kept::{FILE_SCHEMA, KeptFile};
use super::{Invalid, StoreError, Torn};
use crate::results::record::{Record, SCHEMA};

/// The start of every line: `schema` is the first field.
const START: &[u8] = br#"{"schema":"#;

/// The contents of a file.
pub(super) struct Parsed {
    /// One record per whole line.
    pub(super) records: Vec<Record>,
    /// The users' files that the lines hold.
    pub(super) files: Vec<KeptFile>,
    /// The last line, if it is torn.
    pub(super) torn: Option<Torn>,
    /// Records beyond the limits of the schema, which are left out.
    pub(super) invalid: Vec<Invalid>,
    /// Bytes before the torn line.
    pub(super) whole_bytes: usize,
}

/// Parses `bytes`; `path` is for errors.
pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<Parsed, StoreError> {
    let (mut records, mut files, mut invalid) = (Vec::new(), Vec::new(), Vec::new());
    let mut at = 0;
    for (index, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let ended = line.ends_with(b"\n");
        let mut leave_out = |reason| invalid.push(Invalid { line: index + 1, reason });
        match content(line) {
            Ok(Some(Content::Record(record))) => match record.check() {
                Ok(()) => records.push(*record),
                Err(reason) => leave_out(reason),
            },
            Ok(Some(Content::File(kept))) => match kept.check() {
                Ok(()) => files.push(*kept),
                Err(reason) => leave_out(reason),
            },
            Ok(None) => {}
            Err(_) if !ended && looks_torn(line) => {
                let torn = Torn { line: index + 1, bytes: line.len() };
                return Ok(Parsed { records, files, torn: Some(torn), invalid, whole_bytes: at });
            }
            Err(fault) => return Err(fault.at(path, index + 1)),
        }
        at += line.len();
    }
    Ok(Parsed { records, files, torn: None, invalid, whole_bytes: bytes.len() })
}

/// Whether a line without an end is the start of a record, and not the end of a foreign
/// file, which must not be truncated.
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

/// What a line holds.
enum Content {
    Record(Box<Record>),
    File(Box<KeptFile>),
}

/// The content of `line`; `None` if the line is blank.
fn content(line: &[u8]) -> Result<Option<Content>, Fault> {
    if line.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    let text = str::from_utf8(line).map_err(|_| Fault::Foreign("it is not text".to_owned()))?;
    // The schema first: a newer line may not fit the record, and its error says so.
    let mut value: Value =
        serde_json::from_str(text).map_err(|error| Fault::Foreign(json_reason(&error)))?;
    match value.get("schema").and_then(Value::as_u64) {
        None => return Err(Fault::Foreign("it has no field `schema`".to_owned())),
        Some(schema) if schema > u64::from(FILE_SCHEMA) => return Err(Fault::Newer(schema)),
        Some(schema) if schema == u64::from(FILE_SCHEMA) => {
            let kept = serde_json::from_value(value).map(|kept| Some(Content::File(kept)));
            return kept.map_err(|error| Fault::Foreign(error.to_string()));
        }
        Some(0) => return Err(Fault::Foreign("there is no schema 0".to_owned())),
        Some(schema) => upgrade(&mut value, schema),
    }
    let record = serde_json::from_value(value).map(|record| Some(Content::Record(record)));
    record.map_err(|error| Fault::Foreign(error.to_string()))
}

/// The column where the line stops being JSON.
fn json_reason(error: &serde_json::Error) -> String {
    format!("not JSON from column {}", error.column())
}

/// Upgrades from schema 1 to 2, from 2 to 3, and so on. A new schema adds a step, an
/// older file to `tests/golden/`, and a line to the table in `record/schema.md`.
const UPGRADES: [fn(&mut Value); SCHEMA as usize - 1] = [add_image];

/// Upgrades a line of an older `schema`.
fn upgrade(line: &mut Value, schema: u64) {
    for step in UPGRADES.iter().skip(schema.saturating_sub(1) as usize) {
        step(line);
    }
    line["schema"] = SCHEMA.into();
}

/// Schema 2 added the parameter `image` to dominant-peaks.
fn add_image(line: &mut Value) {
    if line["algorithm"] == "dominant-peaks"
        && let Some(params) = line.get_mut("params").and_then(Value::as_object_mut)
    {
        params.entry("image").or_insert_with(|| "none".into());
    }
}
