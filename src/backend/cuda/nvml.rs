//! What NVML says about a GPU: its clock, its driver, and what may disturb measurements.
//! NVML is loaded at run time and may be missing.

use nvml_wrapper::bitmasks::device::ThrottleReasons;
use nvml_wrapper::enum_wrappers::device::{Clock, ComputeMode, TemperatureSensor};
use nvml_wrapper::{Device, Nvml};

use crate::backend::GpuHealth;

/// A sample below this share of the highest clock is marked as throttled.
const THROTTLED_BELOW: f64 = 0.75;

/// Maximum length of the name of a process.
const LONGEST_NAME: usize = 256;

/// The multiprocessors' clock of one GPU. The kernel that holds the stream measures
/// it in every sample; NVML reads it where nothing is held.
pub(super) struct Clocks {
    nvml: Option<Nvml>,
    uuid: String,
    highest: Option<u32>,
}

impl Clocks {
    /// The clocks of the GPU with this UUID. `highest` is its highest clock in MHz by the
    /// driver, for when NVML does not say.
    pub(super) fn new(uuid: &str, highest: Option<u32>) -> Self {
        let mut clocks = Self { nvml: Nvml::init().ok(), uuid: uuid.to_owned(), highest };
        match clocks.device().and_then(|device| device.max_clock_info(Clock::SM).ok()) {
            Some(highest) => clocks.highest = Some(highest),
            None => clocks.nvml = None,
        }
        clocks
    }

    fn device(&self) -> Option<Device<'_>> {
        self.nvml.as_ref()?.device_by_uuid(self.uuid.as_str()).ok()
    }

    /// The highest clock in MHz, if it is known.
    pub(super) fn highest(&self) -> Option<u32> {
        self.highest.filter(|highest| *highest > 0)
    }

    /// Whether a clock is below three quarters of the highest.
    pub(super) fn is_throttled(&self, clock: Option<u32>) -> bool {
        clock.zip(self.highest()).is_some_and(|(now, highest)| is_throttled(now, highest))
    }

    /// The current clock in MHz by NVML.
    pub(super) fn now(&self) -> Option<u32> {
        self.device()?.clock_info(Clock::SM).ok()
    }

    /// Why the driver limits the clock now.
    pub(super) fn throttle_reasons(&self) -> Vec<&'static str> {
        let reasons = self.device().and_then(|device| device.current_throttle_reasons().ok());
        reasons.map(in_words).unwrap_or_default()
    }
}

fn is_throttled(now: u32, highest: u32) -> bool {
    f64::from(now) < THROTTLED_BELOW * f64::from(highest)
}

fn in_words(reasons: ThrottleReasons) -> Vec<&'static str> {
    let words = [
        (ThrottleReasons::GPU_IDLE, "idle before the sample"),
        (ThrottleReasons::APPLICATIONS_CLOCKS_SETTING, "clock set by the administrator"),
        (ThrottleReasons::SW_POWER_CAP, "power cap"),
        (ThrottleReasons::HW_SLOWDOWN, "hardware slowdown"),
        (ThrottleReasons::SYNC_BOOST, "sync boost"),
        (ThrottleReasons::SW_THERMAL_SLOWDOWN, "temperature, by the driver"),
        (ThrottleReasons::HW_THERMAL_SLOWDOWN, "temperature, by the hardware"),
        (ThrottleReasons::HW_POWER_BRAKE_SLOWDOWN, "power brake"),
        (ThrottleReasons::DISPLAY_CLOCK_SETTING, "display clock"),
    ];
    let found = words.into_iter().filter(|(reason, _)| reasons.contains(*reason));
    found.map(|(_, words)| words).collect()
}

/// The version of the driver, such as `580.159.04`.
pub(super) fn driver_version() -> Option<String> {
    Nvml::init().ok()?.sys_driver_version().ok()
}

/// The state of each GPU; empty without NVML.
pub fn health() -> Vec<GpuHealth> {
    let Ok(nvml) = Nvml::init() else { return Vec::new() };
    let count = nvml.device_count().unwrap_or(0);
    (0..count).filter_map(|index| gpu(&nvml, index)).collect()
}

fn gpu(nvml: &Nvml, index: u32) -> Option<GpuHealth> {
    let device = nvml.device_by_index(index).ok()?;
    let name = |pid| {
        let path = nvml.sys_process_name(pid, LONGEST_NAME).unwrap_or_default();
        path.rsplit('/').next().unwrap_or_default().to_owned()
    };
    let processes = device.running_compute_processes().unwrap_or_default();
    let others =
        processes.iter().map(|process| process.pid).filter(|pid| *pid != std::process::id());
    let reasons = device.current_throttle_reasons().unwrap_or(ThrottleReasons::empty());
    let mode = device.compute_mode().ok();
    Some(GpuHealth {
        name: device.name().unwrap_or_else(|_| format!("GPU {index}")),
        processes: others.map(|pid| (pid, name(pid))).collect(),
        busy_percent: device.utilization_rates().map_or(0, |rates| rates.gpu),
        throttled: in_words(reasons.difference(ThrottleReasons::GPU_IDLE)),
        celsius: device.temperature(TemperatureSensor::Gpu).ok(),
        megahertz: device.clock_info(Clock::SM).ok().zip(device.max_clock_info(Clock::SM).ok()),
        prohibited: mode == Some(ComputeMode::Prohibited),
        exclusive: mode == Some(ComputeMode::ExclusiveProcess),
    })
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
        assert!(!clocks.is_throttled(None) && clocks.throttle_reasons().is_empty());
        assert!(!Clocks::new("GPU-of-nobody", None).is_throttled(Some(1)));
    }

    #[test]
    fn reasons_are_told_in_words() {
        let reasons = ThrottleReasons::SW_POWER_CAP | ThrottleReasons::SW_THERMAL_SLOWDOWN;
        assert_eq!(in_words(reasons), ["power cap", "temperature, by the driver"]);
        assert!(in_words(ThrottleReasons::empty()).is_empty());
        let idle = ThrottleReasons::HW_THERMAL_SLOWDOWN | ThrottleReasons::GPU_IDLE;
        let busy = idle.difference(ThrottleReasons::GPU_IDLE);
        assert_eq!(in_words(busy), ["temperature, by the hardware"]);
    }
}
