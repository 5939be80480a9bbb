//! Watches the GPU's clock through NVML, which is loaded at run time. Where
//! there is no NVML, nothing is ever said to be throttled.

use std::time::{Duration, Instant};

use nvml_wrapper::Nvml;
use nvml_wrapper::enum_wrappers::device::Clock;

/// A sample taken below this share of the highest clock is marked.
const THROTTLED_BELOW: f64 = 0.75;

/// How long a reading stands. A query can take longer than a small kernel's
/// whole sample, and clocks move over milliseconds.
const STANDS: Duration = Duration::from_millis(5);

/// The clock of one GPU.
pub(super) struct Clocks {
    gpu: Option<Gpu>,
    last: Option<(Instant, bool)>,
}

struct Gpu {
    nvml: Nvml,
    uuid: String,
    highest: u32,
}

impl Clocks {
    /// Watches the GPU with this UUID.
    pub(super) fn new(uuid: &str) -> Self {
        let gpu = Nvml::init().ok().and_then(|nvml| {
            let highest = nvml.device_by_uuid(uuid).ok()?.max_clock_info(Clock::SM).ok()?;
            Some(Gpu { nvml, uuid: uuid.to_owned(), highest })
        });
        Self { gpu, last: None }
    }

    /// Whether the multiprocessors run below three quarters of their highest clock.
    pub(super) fn throttled(&mut self) -> bool {
        if let Some((when, throttled)) = self.last
            && when.elapsed() < STANDS
        {
            return throttled;
        }
        let throttled = self.megahertz().is_some_and(|(now, highest)| is_throttled(now, highest));
        self.last = Some((Instant::now(), throttled));
        throttled
    }

    /// The clock now and at most, in MHz.
    pub(super) fn megahertz(&self) -> Option<(u32, u32)> {
        let gpu = self.gpu.as_ref()?;
        let now = gpu.nvml.device_by_uuid(gpu.uuid.as_str()).ok()?.clock_info(Clock::SM).ok()?;
        Some((now, gpu.highest))
    }
}

fn is_throttled(now: u32, highest: u32) -> bool {
    f64::from(now) < THROTTLED_BELOW * f64::from(highest)
}

/// The driver's version, such as `580.159.04`.
pub(super) fn driver_version() -> Option<String> {
    Nvml::init().ok()?.sys_driver_version().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_quarters_of_the_clock_is_the_mark() {
        assert!(!is_throttled(1485, 1980));
        assert!(is_throttled(1484, 1980));
    }

    #[test]
    fn without_nvml_nothing_is_throttled() {
        let mut clocks = Clocks::new("GPU-of-nobody");
        assert_eq!(clocks.megahertz(), None);
        assert!(!clocks.throttled());
    }
}
