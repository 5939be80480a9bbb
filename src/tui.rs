//! The terminal interface: the Sweep screen with its form, live chart and bins.

use crate::experiment::Experiment;
use crate::measurement::Record;
use crate::session;

/// What the terminal interface starts on.
#[derive(Debug, Clone, Default)]
pub struct Start {
    /// What the form holds.
    pub experiment: Experiment,
    /// Stored results to show behind the live ones. Empty with `read_only`
    /// unset shows the built-in recording.
    pub shown: Vec<Record>,
    /// Where `shown` comes from, as the header names it: a file name.
    pub source: String,
    /// Whether running is off, as for `warpscope show`.
    pub read_only: bool,
    /// Whether to draw with ASCII characters only (also chosen by a locale
    /// that is not UTF-8).
    pub ascii: bool,
    /// Where results are stored and what runs them.
    pub session: session::Options,
}

/// Runs the terminal interface until the user leaves.
///
/// # Errors
/// If standard output is not a terminal, or the terminal cannot be set up.
pub fn run(start: Start) -> anyhow::Result<()> {
    anyhow::bail!("the screen for `{}` is not built yet", start.experiment.algorithm)
}
