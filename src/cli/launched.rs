//! How far a launch of the emulator has come: in words, and on a terminal while it runs.

use std::io::{self, IsTerminal};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossterm::cursor::MoveToColumn;
use crossterm::style::Print;
use crossterm::terminal::{self, Clear, ClearType};

use super::interrupt;
use super::output::say;
use crate::emulator::Progress;
use crate::units::Seconds;
use crate::work::Done;

/// A launch that takes longer shows its progress.
const LONG: Duration = Duration::from_millis(500);

/// Time between two looks at the progress.
const LOOK: Duration = Duration::from_millis(100);

/// Shows the progress of a launch on standard error if that is a terminal, and ends the
/// program on Ctrl-C with a sentence that says how far it came. Dropping it takes the line
/// away; Ctrl-C still ends the program.
pub(super) struct Watch {
    progress: Arc<Progress>,
    /// Dropped to end the thread.
    running: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Watch {
    /// Starts to watch a launch of a grid of `grid` blocks.
    pub(super) fn start(grid: u64) -> anyhow::Result<(Self, interrupt::Listener)> {
        let progress = Arc::new(Progress::new());
        let (began, line) = (Instant::now(), Arc::new(Mutex::new(Row::default())));
        let (seen, shown) = (Arc::clone(&progress), Arc::clone(&line));
        let listener = interrupt::ends(move || {
            let mut line = lock(&shown);
            line.clear();
            let after = Seconds(began.elapsed().as_secs_f64());
            say(&format!("interrupted after {after}: {}", words(&seen.done(), grid)));
            // The program ends before anything else is shown.
            line.ended = true;
        })?;
        let (sender, ended) = channel();
        let seen = Arc::clone(&progress);
        let thread = std::thread::Builder::new().name("progress".to_owned());
        let thread = thread.spawn(move || {
            while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if began.elapsed() >= LONG {
                    lock(&line).show(&seen.done(), began);
                }
            }
            lock(&line).clear();
        });
        // Without a thread there is no line.
        let running = thread.ok().map(|thread| (sender, thread));
        Ok((Self { progress, running }, listener))
    }

    /// The same, to share.
    pub(super) fn shared(&self) -> Arc<Progress> {
        Arc::clone(&self.progress)
    }

    /// Where the launch says how far it has come.
    pub(super) fn progress(&self) -> &Progress {
        &self.progress
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.running.take() {
            drop(sender);
            // A thread that panicked shows nothing any more.
            let _ = thread.join();
        }
    }
}

/// The progress of a case that a worker runs, on standard error if that is a terminal.
pub(super) struct Line {
    began: Instant,
    row: Row,
    last: Done,
}

impl Line {
    /// Of a case that starts.
    pub(super) fn new() -> Self {
        Self { began: Instant::now(), row: Row::default(), last: Done::default() }
    }

    /// Shows how far it has come.
    pub(super) fn show(&mut self, done: &Done) {
        self.last = *done;
        if self.began.elapsed() >= LONG {
            self.row.show(done, self.began);
        }
    }

    /// Takes the line away; gives the sentence for the case that it was interrupted.
    pub(super) fn end(mut self) -> String {
        self.row.clear();
        let after = Seconds(self.began.elapsed().as_secs_f64());
        let done = match self.last.launches {
            0 => "the case has no result".to_owned(),
            _ => words(&self.last, self.last.of),
        };
        format!("interrupted after {after}: {done}")
    }
}

/// The last row of the terminal, which is written again and again.
#[derive(Debug, Default)]
struct Row {
    shown: bool,
    /// Whether nothing may be shown any more.
    ended: bool,
}

impl Row {
    fn show(&mut self, done: &Done, began: Instant) {
        let mut terminal = io::stderr();
        if self.ended || !terminal.is_terminal() {
            return;
        }
        let Done { blocks, of, instructions, .. } = done;
        let (done, seconds) = (short(*instructions), began.elapsed().as_secs());
        let text =
            format!("{blocks} of {of} blocks · {done} instructions · {seconds} s · Ctrl-C stops");
        // A terminal shows `^C` behind it. On the next row, that would stay.
        let width = terminal::size().map_or(80, |(columns, _)| usize::from(columns));
        let text: String = text.chars().take(width.saturating_sub(4)).collect();
        self.shown = true;
        // What cannot be shown is not missed.
        let (start, clear) = (MoveToColumn(0), Clear(ClearType::UntilNewLine));
        let _ = crossterm::execute!(terminal, start, clear, Print(text));
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let (start, clear) = (MoveToColumn(0), Clear(ClearType::UntilNewLine));
            let _ = crossterm::execute!(io::stderr(), start, clear);
        }
    }
}

fn lock(row: &Mutex<Row>) -> MutexGuard<'_, Row> {
    row.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How far a launch of a grid of `grid` blocks has come: `12 of 512 blocks done, 1.20 billion
/// warp instructions issued`. A launch of fewer blocks is a sample.
pub(super) fn words(done: &Done, grid: u64) -> String {
    let Done { launches, blocks, of, instructions } = *done;
    if launches == 0 {
        return "no block has started".to_owned();
    }
    let sample = if of < grid { " of a sample" } else { "" };
    format!(
        "{blocks} of {of} blocks{sample} done, {} warp instructions issued",
        short(instructions)
    )
}

/// A large count in words: `9999`, `12 thousand`, `1.2 million`, `4.56 billion`.
fn short(count: u64) -> String {
    let value = count as f64;
    match count {
        0..10_000 => count.to_string(),
        10_000..1_000_000 => format!("{:.0} thousand", value / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} million", value / 1e6),
        _ => format!("{:.2} billion", value / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_blocks_and_instructions() {
        let done = Done { launches: 1, blocks: 12, of: 512, instructions: 3_204_000_000 };
        assert_eq!(
            words(&done, 512),
            "12 of 512 blocks done, 3.20 billion warp instructions issued"
        );
        assert!(words(&done, 4096).starts_with("12 of 512 blocks of a sample done"));
        assert_eq!(words(&Done::default(), 4), "no block has started");
        let counts = [9_999, 12_345, 7_650_000].map(short);
        assert_eq!(counts, ["9999", "12 thousand", "7.7 million"]);
    }
}
