//! The built-in recording: what the screen shows before anything ran here.

use crate::measurement::Record;

/// What the recording is called on the screen.
pub const SOURCE: &str = "built-in recording";

/// The records of the built-in recording.
pub fn records() -> Vec<Record> {
    Vec::new()
}
