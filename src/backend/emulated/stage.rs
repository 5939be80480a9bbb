//! Host stages: what they compute, and how long it takes on this machine.

use std::time::Instant;

use super::Running;
use crate::statistics::median;
use crate::work::HostStage;

/// Most runs of a stage.
const MOST_RUNS: usize = 9;

/// Seconds after which a stage does not run again.
const ENOUGH: f64 = 0.01;

impl Running {
    /// Runs a stage on the host; the bytes that were copied there and back, and
    /// the seconds that it took.
    pub(super) fn stage(&self, stage: &HostStage) -> Result<(u64, u64, f64), String> {
        let missing = |index| format!("a host stage names buffer {index}, which is not there");
        let from = self.read(stage.from).ok_or_else(|| missing(stage.from))?;
        let (to, address) = self.buffers.get(stage.to).ok_or_else(|| missing(stage.to))?;
        let started = Instant::now();
        let (answer, seconds) =
            timed(|| stage.answer(&from, to), || started.elapsed().as_secs_f64())?;
        self.memory.write_bytes(*address, &answer.to_bytes());
        Ok((from.bytes(), answer.bytes(), seconds))
    }
}

/// The answer of `run`, and its median time by the clock `now`. Other processes of this
/// machine can delay one run by more than the stage takes, so a short stage runs several times.
fn timed<T>(
    mut run: impl FnMut() -> Result<T, String>,
    now: impl Fn() -> f64,
) -> Result<(T, f64), String> {
    let (started, mut times) = (now(), Vec::new());
    loop {
        let start = now();
        let answer = run()?;
        let end = now();
        times.push(end - start);
        if times.len() == MOST_RUNS || end - started >= ENOUGH {
            return Ok((answer, median(&times).unwrap_or(end - start)));
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Runs that take these times in turn, the last one again and again.
    fn run(times: &[f64]) -> (usize, f64) {
        let (clock, runs) = (Cell::new(0.0), Cell::new(0));
        let run = || {
            let at = runs.replace(runs.get() + 1);
            clock.set(clock.get() + times[at.min(times.len() - 1)]);
            Ok(runs.get())
        };
        timed(run, || clock.get()).unwrap()
    }

    #[test]
    fn one_delayed_run_does_not_count() {
        let (runs, seconds) = run(&[5e-3, 1e-6]);
        assert_eq!(runs, MOST_RUNS);
        assert!((seconds - 1e-6).abs() < 1e-9, "{seconds}");
    }

    #[test]
    fn a_long_stage_runs_once() {
        assert_eq!(run(&[0.5]), (1, 0.5));
    }

    #[test]
    fn a_failed_stage_says_why() {
        let failed: Result<((), f64), String> = timed(|| Err("no".to_owned()), || 0.0);
        assert_eq!(failed, Err("no".to_owned()));
    }
}
