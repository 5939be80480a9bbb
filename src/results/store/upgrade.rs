//! Brings lines that earlier versions wrote to the schema of this one.
//!
//! One step per schema, each from the one before: a line goes through all that
//! come after its own. A new schema adds a step, a file of the old one to
//! `tests/golden/`, and a line to the table in `measurement/schema.md`.

use serde_json::Value;

use crate::results::record::SCHEMA;

/// Steps from schema 1 to 2, from 2 to 3, and so on.
const STEPS: [fn(&mut Value); SCHEMA as usize - 1] = [images];

/// Brings a line of an older `schema` up to date.
pub(super) fn upgrade(line: &mut Value, schema: u64) {
    let done = schema.saturating_sub(1) as usize;
    for step in STEPS.iter().skip(done) {
        step(line);
    }
    line["schema"] = SCHEMA.into();
}

/// Schema 2 let dominant-peaks take a picture: what ran before had none.
fn images(line: &mut Value) {
    if line["algorithm"] == "dominant-peaks"
        && let Some(params) = line.get_mut("params").and_then(Value::as_object_mut)
    {
        params.entry("image").or_insert_with(|| "none".into());
    }
}
