//! Watches the multiprocessors' clock. The kernel that holds the stream measures
//! it in every sample; NVML, which is loaded at run time, tells the highest clock
//! and what the driver holds it back for, and the clock itself where nothing is
//! held.

use nvml_wrapper::Nvml;
use nvml_wrapper::bitmasks::device::ThrottleReasons;
use nvml_wrapper::enum_wrappers::device::Clock;

/// A sample taken below this share of the highest clock is marked.
const THROTTLED_BELOW: f64 = 0.75;

/// The clock of one GPU.
pub(super) struct Clocks {
    gpu: Option<Gpu>,
    highest: Option<u32>,
}

struct Gpu {
    nvml: Nvml,
    uuid: String,
}

impl Clocks {
    /// Watches the GPU with this UUID, whose highest clock the driver gives as
    /// so many MHz if NVML does not.
    pub(super) fn new(uuid: &str, highest: Option<u32>) -> Self {
        let found = Nvml::init().ok().and_then(|nvml| {
            let highest = nvml.device_by_uuid(uuid).ok()?.max_clock_info(Clock::SM).ok()?;
            Some((Gpu { nvml, uuid: uuid.to_owned() }, highest))
        });
        match found {
            Some((gpu, highest)) => Self { gpu: Some(gpu), highest: Some(highest) },
            None => Self { gpu: None, highest },
        }
    }

    /// The highest clock in MHz, where it is known.
    pub(super) fn highest(&self) -> Option<u32> {
        self.highest.filter(|highest| *highest > 0)
    }

    /// Whether a clock is below three quarters of the highest.
    pub(super) fn is_throttled(&self, clock: Option<u32>) -> bool {
        clock.zip(self.highest()).is_some_and(|(now, highest)| is_throttled(now, highest))
    }

    /// The clock now in MHz, as NVML tells it.
    pub(super) fn now(&self) -> Option<u32> {
        let gpu = self.gpu.as_ref()?;
        gpu.nvml.device_by_uuid(gpu.uuid.as_str()).ok()?.clock_info(Clock::SM).ok()
    }

    /// What the driver holds the clock back for now.
    pub(super) fn held_back(&self) -> Vec<String> {
        let reasons = self.gpu.as_ref().and_then(|gpu| {
            let device = gpu.nvml.device_by_uuid(gpu.uuid.as_str()).ok()?;
            device.current_throttle_reasons().ok()
        });
        reasons.map(in_words).unwrap_or_default()
    }
}

fn is_throttled(now: u32, highest: u32) -> bool {
    f64::from(now) < THROTTLED_BELOW * f64::from(highest)
}

fn in_words(reasons: ThrottleReasons) -> Vec<String> {
    let words = [
        (ThrottleReasons::GPU_IDLE, "idle before the sample"),
        (ThrottleReasons::APPLICATIONS_CLOCKS_SETTING, "clock set by the administrator"),
        (ThrottleReasons::SW_POWER_CAP, "power cap"),
        (ThrottleReasons::HW_SLOWDOWN, "hardware slowdown"),
        (ThrottleReasons::SYNC_BOOST, "boost in step with other GPUs"),
        (ThrottleReasons::SW_THERMAL_SLOWDOWN, "temperature, by the driver"),
        (ThrottleReasons::HW_THERMAL_SLOWDOWN, "temperature, by the hardware"),
        (ThrottleReasons::HW_POWER_BRAKE_SLOWDOWN, "power brake"),
        (ThrottleReasons::DISPLAY_CLOCK_SETTING, "display clock"),
    ];
    let told = words.into_iter().filter(|(reason, _)| reasons.contains(*reason));
    told.map(|(_, words)| words.to_owned()).collect()
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
    fn without_nvml_the_driver_tells_the_highest_clock() {
        let clocks = Clocks::new("GPU-of-nobody", Some(1980));
        assert_eq!((clocks.now(), clocks.highest()), (None, Some(1980)));
        assert!(clocks.is_throttled(Some(1000)) && !clocks.is_throttled(Some(1900)));
        assert!(!clocks.is_throttled(None) && clocks.held_back().is_empty());
        assert!(!Clocks::new("GPU-of-nobody", None).is_throttled(Some(1)));
    }

    #[test]
    fn reasons_are_told_in_words() {
        let reasons = ThrottleReasons::SW_POWER_CAP | ThrottleReasons::SW_THERMAL_SLOWDOWN;
        assert_eq!(in_words(reasons), ["power cap", "temperature, by the driver"]);
        assert!(in_words(ThrottleReasons::empty()).is_empty());
    }
}
