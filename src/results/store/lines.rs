//! Parses the bytes of a file into records and users' files, finds a torn last line, leaves
//! out lines beyond the limits of the schema, refuses foreign lines, and upgrades lines of
//! older schemas.

use std::io::{BufRead, Read};
use std::path::Path;

use rayon::prelude::*;
use serde_json::Value;

use super::kept::{FILE_SCHEMA, KeptFile};
use super::{Invalid, StoreError, Torn};
use crate::experiment::ParamValue;
use crate::results::record::{Record, SCHEMA};

/// The start of every line: `schema` is the first field.
const START: &[u8] = br#"{"schema":"#;

/// Bytes that are read before all cores parse them.
const CHUNK: u64 = 16 << 20;

/// Fewest bytes for one core.
const LEAST_PIECE: usize = 64 << 10;

/// What a file holds beside records.
#[derive(Debug, Default)]
pub(super) struct Rest {
    /// The users' files that the lines hold.
    pub(super) files: Vec<KeptFile>,
    /// The last line, if it is torn.
    pub(super) torn: Option<Torn>,
    /// Records beyond the limits of the schema, which are left out.
    pub(super) invalid: Vec<Invalid>,
    /// Bytes before the torn line.
    pub(super) whole_bytes: u64,
    /// Whether the last of these bytes ends a line.
    pub(super) ended: bool,
}

/// A record with the digest of its identity.
pub(super) type Digested = (u32, Record);

/// Parses all of `input` and hands its records over in their order, with the number of bytes
/// that they were read from; `path` is for errors.
pub(super) fn parse(
    input: &mut dyn Read,
    path: &Path,
    take: &mut dyn FnMut(Vec<Digested>, u64),
) -> Result<Rest, StoreError> {
    let mut rest = Rest { ended: true, ..Rest::default() };
    let (mut buffer, mut before) = (Vec::new(), 0);
    loop {
        let read = input
            .take(CHUNK)
            .read_to_end(&mut buffer)
            .map_err(|source| StoreError::Read { path: path.to_owned(), source })?;
        let last = buffer.iter().rposition(|byte| *byte == b'\n');
        let whole = if read == 0 { buffer.len() } else { last.map_or(0, |last| last + 1) };
        let pieces: Vec<Piece> = split(&buffer[..whole]).into_par_iter().map(piece).collect();
        for piece in pieces {
            rest.invalid.extend(
                piece
                    .invalid
                    .into_iter()
                    .map(|(line, reason)| Invalid { line: before + line, reason }),
            );
            rest.files.extend(piece.files);
            before += piece.lines;
            rest.whole_bytes += piece.bytes as u64;
            take(piece.records, piece.bytes as u64);
            match piece.end {
                End::Whole => {}
                End::Torn(bytes) => {
                    rest.torn = Some(Torn { line: before + 1, bytes });
                    return Ok(rest);
                }
                End::Fault(fault) => return Err(fault.at(path, before + 1)),
            }
        }
        if let Some(last) = buffer[..whole].last() {
            rest.ended = *last == b'\n';
        }
        buffer.drain(..whole);
        if read == 0 {
            return Ok(rest);
        }
    }
}

/// Lines in pieces for all cores.
fn split(mut lines: &[u8]) -> Vec<&[u8]> {
    let each = (lines.len() / (4 * rayon::current_num_threads())).max(LEAST_PIECE);
    let mut pieces = Vec::new();
    while !lines.is_empty() {
        let mut after = lines.get(each..).unwrap_or_default();
        let rest_of_line = after.skip_until(b'\n').unwrap_or_default();
        let (piece, others) = lines.split_at((each + rest_of_line).min(lines.len()));
        pieces.push(piece);
        lines = others;
    }
    pieces
}

/// What some lines hold.
#[derive(Default)]
struct Piece {
    records: Vec<Digested>,
    files: Vec<KeptFile>,
    /// Lines beyond the limits, counted from 1.
    invalid: Vec<(usize, String)>,
    /// Lines and bytes up to the end.
    lines: usize,
    bytes: usize,
    end: End,
}

/// How a piece ends.
#[derive(Default)]
enum End {
    #[default]
    Whole,
    /// With an incomplete line of this size in bytes.
    Torn(usize),
    /// With a line that is not a record.
    Fault(Fault),
}

fn piece(mut bytes: &[u8]) -> Piece {
    let mut piece = Piece::default();
    while !bytes.is_empty() {
        let all = bytes;
        let length = bytes.skip_until(b'\n').unwrap_or(bytes.len());
        let line = all.get(..length).unwrap_or(all);
        match content(line) {
            Ok(Some(Content::Record(record))) => match record.check() {
                Ok(()) => piece.records.push((record.identity().digest(), record)),
                Err(reason) => piece.invalid.push((piece.lines + 1, reason)),
            },
            Ok(Some(Content::File(kept))) => match kept.check() {
                Ok(()) => piece.files.push(*kept),
                Err(reason) => piece.invalid.push((piece.lines + 1, reason)),
            },
            Ok(None) => {}
            Err(fault) => {
                let torn = !line.ends_with(b"\n") && looks_torn(line);
                piece.end = if torn { End::Torn(line.len()) } else { End::Fault(fault) };
                break;
            }
        }
        piece.lines += 1;
        piece.bytes += line.len();
    }
    piece
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
#[expect(clippy::large_enum_variant, reason = "nearly every line is a record")]
enum Content {
    Record(Record),
    File(Box<KeptFile>),
}

/// The content of `line`; `None` if the line is blank.
fn content(line: &[u8]) -> Result<Option<Content>, Fault> {
    if line.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    let text = str::from_utf8(line).map_err(|_| Fault::Foreign("it is not text".to_owned()))?;
    match serde_json::from_str::<Record>(text) {
        Ok(record) if (1..=SCHEMA).contains(&record.schema) => {
            Ok(Some(Content::Record(upgraded(record))))
        }
        _ => other(text),
    }
}

/// The content of a line that is not a plain record, or what is wrong with it.
fn other(text: &str) -> Result<Option<Content>, Fault> {
    // The schema first: a newer line may not fit the record, and its error says so.
    let value: Value =
        serde_json::from_str(text).map_err(|error| Fault::Foreign(json_reason(&error)))?;
    let content = match value.get("schema").and_then(Value::as_u64) {
        None => return Err(Fault::Foreign("it has no field `schema`".to_owned())),
        Some(schema) if schema > u64::from(FILE_SCHEMA) => return Err(Fault::Newer(schema)),
        Some(schema) if schema == u64::from(FILE_SCHEMA) => {
            serde_json::from_value(value).map(Content::File)
        }
        Some(0) => return Err(Fault::Foreign("there is no schema 0".to_owned())),
        Some(_) => serde_json::from_value(value).map(|record| Content::Record(upgraded(record))),
    };
    content.map(Some).map_err(|error| Fault::Foreign(error.to_string()))
}

/// The column where the line stops being JSON.
fn json_reason(error: &serde_json::Error) -> String {
    format!("not JSON from column {}", error.column())
}

/// Upgrades from schema 1 to 2, from 2 to 3, and so on. A new schema adds a step, an
/// older file to `tests/golden/`, and a line to the table in `record/schema.md`.
const UPGRADES: [fn(&mut Record); SCHEMA as usize - 1] = [add_image];

/// The record of a line of any schema as one of today.
fn upgraded(mut record: Record) -> Record {
    for step in UPGRADES.iter().skip(record.schema.saturating_sub(1) as usize) {
        step(&mut record);
    }
    record.schema = SCHEMA;
    record
}

/// Schema 2 added the parameter `image` to dominant-peaks.
fn add_image(record: &mut Record) {
    if record.algorithm == "dominant-peaks" && !record.params.contains_key("image") {
        record.params.insert("image".to_owned(), ParamValue::Word("none".to_owned()));
    }
}
