//! How far a launch of the emulator has come: in words, and on a terminal while it runs.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

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
        let (began, bar) = (Instant::now(), bar());
        let (seen, shown) = (Arc::clone(&progress), bar.clone());
        let listener = interrupt::ends(move || {
            shown.finish_and_clear();
            let after = Seconds(began.elapsed().as_secs_f64());
            say(&format!("interrupted after {after}: {}", words(&seen.done(), grid)));
        })?;
        let (sender, ended) = channel();
        let seen = Arc::clone(&progress);
        let thread = std::thread::Builder::new().name("progress".to_owned());
        let thread = thread.spawn(move || {
            while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if began.elapsed() >= LONG {
                    show(&bar, &seen.done());
                }
            }
            bar.finish_and_clear();
        });
        // Without a thread there is no line.
        let running = thread.ok().map(|thread| (sender, thread));
        Ok((Self { progress, running }, listener))
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

/// A line that is not shown yet. It is not padded: the terminal shows `^C` behind it, and what
/// clears it clears that too.
fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
    if let Ok(style) = ProgressStyle::with_template("[{bar:8}] {msg}") {
        bar.set_style(style.progress_chars("█░"));
    }
    bar
}

fn show(bar: &ProgressBar, done: &Done) {
    if bar.is_hidden() {
        bar.set_draw_target(ProgressDrawTarget::stderr());
    }
    bar.set_length(done.of);
    bar.set_position(done.blocks);
    let Done { blocks, of, instructions, .. } = done;
    let (done, clock) = (short(*instructions), clock(bar.elapsed()));
    let text = format!("{blocks} of {of} blocks · {done} instructions · {clock} · Ctrl-C stops");
    bar.set_message(text);
}

/// Whole seconds.
fn clock(elapsed: Duration) -> String {
    format!("{} s", elapsed.as_secs())
}

/// How far a launch of a grid of `grid` blocks has come: `12 of 512 blocks done, 1.2e9 warp
/// instructions issued`. A launch of fewer blocks is a sample.
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

/// A count with three digits: `999`, `1.23 million`, `45.6 billion`.
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
