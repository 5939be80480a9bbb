//! Profiles as files: TOML, described in `assets/profiles/README.md`.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;

use super::number::SOURCES;
use super::{Key, Number, Values};

/// Version of the format.
const FORMAT: i64 = 1;

/// The content of a profile file.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// Name of the GPU: `H200 SXM`.
    pub name: String,
    /// A note on the numbers.
    pub note: String,
    /// Compute capability as major * 10 + minor: 90 for 9.0.
    pub compute_capability: u32,
    /// Whether its predictions were compared with the real GPU.
    pub validated: bool,
    /// Its numbers.
    pub numbers: BTreeMap<Key, Number>,
}

/// Why a profile file is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}:{line}: {message}")]
pub struct FileError {
    /// The file.
    pub path: String,
    /// Line, from 1.
    pub line: usize,
    /// The error and the expected form.
    pub message: String,
}

/// The whole file as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: i64,
    name: String,
    #[serde(default)]
    note: String,
    compute_capability: Spanned<String>,
    #[serde(default)]
    validated: bool,
    numbers: BTreeMap<Spanned<String>, Spanned<Written>>,
}

/// One number as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    value: Option<f64>,
    at: Option<Vec<f64>>,
    values: Option<Vec<f64>>,
    unit: String,
    source: String,
    spread: Option<f64>,
}

/// An error and its place in the text.
type At<T> = Result<T, (Range<usize>, String)>;

/// Reads a profile; `path` is for messages.
///
/// # Errors
/// If the text is no profile.
pub fn read(text: &str, path: &str) -> Result<Document, FileError> {
    document(text).map_err(|(place, message)| {
        let before = text.as_bytes().get(..place.start).unwrap_or(text.as_bytes());
        let line = before.split(|byte| *byte == b'\n').count();
        FileError { path: path.to_owned(), line, message }
    })
}

fn document(text: &str) -> At<Document> {
    let file: File = toml::from_str(text)
        .map_err(|error| (error.span().unwrap_or(0..0), error.message().replace('\n', " ")))?;
    if file.format != FORMAT {
        let message = format!("unknown format {}: this program reads {FORMAT}", file.format);
        return Err((0..0, message));
    }
    if file.name.trim().is_empty() {
        return Err((0..0, "the GPU's `name` is missing".to_owned()));
    }
    let compute_capability = capability(file.compute_capability.get_ref()).ok_or_else(|| {
        let message = "compute_capability is written like \"9.0\"";
        (file.compute_capability.span(), message.to_owned())
    })?;
    let mut numbers = BTreeMap::new();
    for (name, written) in file.numbers {
        let Some(key) = Key::of_name(name.get_ref()) else {
            let unknown = name.get_ref();
            let hint = "`warpscope probe --list` names them all";
            return Err((name.span(), format!("there is no number `{unknown}`; {hint}")));
        };
        let place = written.span();
        let number = number(key, written.into_inner())
            .map_err(|message| (place, format!("{}: {message}", key.quantity().name)))?;
        numbers.insert(key, number);
    }
    let required = |key: &&Key| key.quantity().carry == super::Carry::Required;
    match Key::ALL.iter().filter(required).find(|key| !numbers.contains_key(key)) {
        Some(key) => Err((0..0, format!("`{}` in [numbers] is missing", key.quantity().name))),
        None => Ok(Document {
            name: file.name,
            note: file.note,
            compute_capability,
            validated: file.validated,
            numbers,
        }),
    }
}

/// `9.0` as 90.
fn capability(text: &str) -> Option<u32> {
    let (major, minor) = text.split_once('.')?;
    let (major, minor): (u32, u32) = (major.parse().ok()?, minor.parse().ok()?);
    ((5..100).contains(&major) && minor < 10).then_some(major * 10 + minor)
}

/// Checks one number.
fn number(key: Key, written: Written) -> Result<Number, String> {
    let quantity = key.quantity();
    if written.unit != quantity.unit {
        return Err(format!("its unit is \"{}\", not \"{}\"", quantity.unit, written.unit));
    }
    if !SOURCES.iter().any(|start| written.source.starts_with(start)) {
        let known = SOURCES.join("`, `");
        return Err(format!("its source begins with one of `{known}`, not \"{}\"", written.source));
    }
    let positive = |value: f64| {
        // Only the bus may be taken to answer at once.
        if value.is_finite() && (value > 0.0 || value >= 0.0 && key == Key::BusLatency) {
            Ok(value)
        } else {
            Err(format!("{value} cannot be: a number above 0 is meant"))
        }
    };
    if let Some(spread) = written.spread
        && !(spread.is_finite() && spread >= 0.0)
    {
        return Err(format!("a spread of {spread} cannot be"));
    }
    let values = match (quantity.by, written.value, written.at, written.values) {
        (None, Some(value), None, None) => Values::One(positive(value)?),
        (Some(_), None, Some(at), Some(values)) => {
            if at.is_empty() || at.len() != values.len() {
                return Err(format!(
                    "{} places in `at`, {} in `values`: as many, and at least one",
                    at.len(),
                    values.len()
                ));
            }
            if !at.is_sorted_by(|a, b| a < b) {
                return Err("the places in `at` rise".to_owned());
            }
            let pairs = at.into_iter().zip(values);
            Values::Curve(
                pairs
                    .map(|(x, y)| Ok((positive(x)?, positive(y)?)))
                    .collect::<Result<_, String>>()?,
            )
        }
        (None, ..) => return Err("it has one `value`".to_owned()),
        (Some(by), ..) => {
            return Err(format!("it is a curve: `at` ({by}) and `values`, no `value`"));
        }
    };
    Ok(Number { values, source: written.source, spread: written.spread })
}

/// The text of a profile file, which [`read`] reads as the same document.
pub fn write(document: &Document) -> String {
    let capability = document.compute_capability;
    let mut text = format!(
        "# A GPU profile of warpscope: the parameters of its timing model.\n\
         # Use: warpscope run ALGORITHM --backend emulator --gpu THIS_FILE\n\
         format = {FORMAT}\nname = {}\nnote = {}\ncompute_capability = \"{}.{}\"\n\
         # Whether its predictions were compared with the real GPU.\n\
         validated = {}\n\n[numbers]\n",
        quoted(&document.name),
        quoted(&document.note),
        capability / 10,
        capability % 10,
        document.validated
    );
    for (key, number) in &document.numbers {
        let quantity = key.quantity();
        text.push_str(&format!("# {}\n{} = {{ ", quantity.about, quantity.name));
        match &number.values {
            Values::One(value) => text.push_str(&format!("value = {}", float(*value))),
            Values::Curve(points) => {
                let list = |of: fn(&(f64, f64)) -> f64| {
                    points.iter().map(|point| float(of(point))).collect::<Vec<_>>().join(", ")
                };
                let (at, values) = (list(|point| point.0), list(|point| point.1));
                text.push_str(&format!("at = [{at}], values = [{values}]"));
            }
        }
        let (unit, source) = (quoted(quantity.unit), quoted(&number.source));
        text.push_str(&format!(", unit = {unit}, source = {source}"));
        if let Some(spread) = number.spread {
            text.push_str(&format!(", spread = {}", float(spread)));
        }
        text.push_str(" }\n");
    }
    text
}

/// A number that TOML reads back as the same float.
fn float(value: f64) -> String {
    let plain = format!("{value}");
    if plain.len() > 12 { format!("{value:e}") } else { plain }
}

/// A string as TOML writes it.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
