//! Measures the baseline of a device: an empty kernel, a launch, a copy.

use std::time::Instant;

use super::memory::Memory;
use super::status::Status;
use super::stream::{Event, Stopped, Timer};
use crate::statistics::median;
use crate::work::DeviceBaseline;

/// Bytes of the copy if they fit: more than any L2 cache.
const COPIED_BYTES: u64 = 512 << 20;

/// Least bytes of a copy that measures DRAM.
const LEAST_BYTES: u64 = 32 << 20;

/// Copies for the median, after a warm-up.
const COPIES: usize = 9;

/// Launches for the median, after a warm-up.
const LAUNCHES: usize = 50;

/// Measures the baseline on the device of the current context with `free` bytes of
/// memory. `None` if a step fails: a sweep does not need it.
pub(super) fn measure(timer: &mut Timer, free: u64) -> Option<DeviceBaseline> {
    // At most a quarter for each side of the copy.
    let bytes = COPIED_BYTES.min(free / 4);
    if bytes < LEAST_BYTES {
        return None;
    }
    Some(DeviceBaseline {
        empty_kernel: empty_kernel(timer).ok()?,
        launch: launch(timer).ok()??,
        copy: 2.0 * bytes as f64 / copy(timer, bytes).ok()??,
    })
}

fn empty_kernel(timer: &mut Timer) -> Result<f64, Stopped> {
    let nothing = [timer.nothing()];
    let mut times = Vec::new();
    for _ in 0..=LAUNCHES {
        times.push(timer.time(&nothing, true)?.seconds);
    }
    Ok(median(&times[1..]).unwrap_or_default())
}

fn launch(timer: &Timer) -> Result<Option<f64>, Status> {
    let nothing = timer.nothing();
    let mut times = Vec::new();
    for _ in 0..=LAUNCHES {
        let start = Instant::now();
        nothing.enqueue(timer.stream())?;
        timer.stream().wait()?;
        times.push(start.elapsed().as_secs_f64());
    }
    Ok(median(&times[1..]))
}

/// Seconds of one copy. All copies are queued before the first has ended.
fn copy(timer: &Timer, bytes: u64) -> Result<Option<f64>, Status> {
    let (from, to) = (Memory::allocate(bytes)?, Memory::allocate(bytes)?);
    let stream = timer.stream();
    from.fill(1, stream)?;
    let events: Vec<Event> = (0..COPIES + 2).map(|_| Event::new()).collect::<Result<_, _>>()?;
    for (index, event) in events.iter().enumerate() {
        event.record(stream)?;
        if index + 1 < events.len() {
            to.copy_from(&from, stream)?;
        }
    }
    stream.wait()?;
    let times: Vec<f64> =
        events.windows(2).map(|pair| pair[1].seconds_since(&pair[0])).collect::<Result<_, _>>()?;
    Ok(median(&times[1..]).filter(|seconds| *seconds > 0.0))
}
