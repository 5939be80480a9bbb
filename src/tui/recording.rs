//! The built-in recording: what the screen shows before anything ran here.

use std::path::Path;

use crate::measurement::Record;
use crate::store;

/// What the recording is called on the screen.
pub const SOURCE: &str = "built-in recording";

/// A sweep of every histogram variant on one H200.
const FILE: &[u8] = include_bytes!("../../assets/recordings/histogram_h200.jsonl");

/// The records of the built-in recording.
pub fn records() -> Vec<Record> {
    // A test reads the file; a reader without it would still have a screen.
    store::parse(FILE, Path::new(SOURCE)).map(|contents| contents.records).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Experiment;
    use crate::measurement::Provenance;
    use crate::tui::model::chart::selects;

    #[test]
    fn the_recording_covers_what_the_screen_opens_on() {
        let records = records();
        let shown: Vec<&Record> =
            records.iter().filter(|record| selects(&Experiment::default(), record)).collect();
        for variant in ["global", "shared"] {
            let sizes = shown.iter().filter(|record| record.variant == variant).count();
            assert!(sizes >= 13, "{variant}: {sizes} sizes");
        }
        assert!(shown.iter().all(|record| record.provenance == Provenance::Recorded));
        assert!(shown.iter().all(|record| record.verified == Some(true)));
    }
}
