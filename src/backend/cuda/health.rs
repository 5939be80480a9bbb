//! What the driver and NVML tell about the state of the GPUs, for finding out
//! what is wrong with them.

use nvml_wrapper::Nvml;
use nvml_wrapper::bitmasks::device::ThrottleReasons;
use nvml_wrapper::enum_wrappers::device::{Clock, ComputeMode, TemperatureSensor};

use super::driver;
use crate::backend::{DriverState, GpuHealth};

/// Longest name of a process that is asked for.
const LONGEST_NAME: usize = 256;

/// Why the driver's library cannot be loaded, or the CUDA version it supports.
pub fn driver_state() -> DriverState {
    let version = cust::CudaApiVersion::get().ok().filter(|_| driver::load_error().is_none());
    DriverState {
        load_error: driver::load_error().map(str::to_owned),
        cuda: version.map(|version| (version.major() as u32, version.minor() as u32)),
    }
}

/// The state of each GPU; empty without NVML.
pub fn health() -> Vec<GpuHealth> {
    let Ok(nvml) = Nvml::init() else { return Vec::new() };
    let count = nvml.device_count().unwrap_or(0);
    (0..count).filter_map(|index| gpu(&nvml, index)).collect()
}

fn gpu(nvml: &Nvml, index: u32) -> Option<GpuHealth> {
    let device = nvml.device_by_index(index).ok()?;
    let own = std::process::id();
    let name = |pid| {
        let path = nvml.sys_process_name(pid, LONGEST_NAME).unwrap_or_default();
        path.rsplit('/').next().unwrap_or_default().to_owned()
    };
    let processes = device.running_compute_processes().unwrap_or_default();
    let others = processes.iter().map(|process| process.pid).filter(|pid| *pid != own);
    let mode = device.compute_mode().ok();
    Some(GpuHealth {
        name: device.name().unwrap_or_else(|_| format!("GPU {index}")),
        processes: others.map(|pid| (pid, name(pid))).collect(),
        busy_percent: device.utilization_rates().map_or(0, |rates| rates.gpu),
        throttled: device.current_throttle_reasons().map(reasons).unwrap_or_default(),
        celsius: device.temperature(TemperatureSensor::Gpu).ok(),
        megahertz: device.clock_info(Clock::SM).ok().zip(device.max_clock_info(Clock::SM).ok()),
        prohibited: mode == Some(ComputeMode::Prohibited),
        exclusive: mode == Some(ComputeMode::ExclusiveProcess),
    })
}

/// What holds the clocks down, apart from having nothing to do.
fn reasons(reasons: ThrottleReasons) -> Vec<&'static str> {
    use ThrottleReasons as Reason;
    [
        (Reason::SW_POWER_CAP, "power limit"),
        (Reason::HW_POWER_BRAKE_SLOWDOWN, "power brake"),
        (Reason::SW_THERMAL_SLOWDOWN | Reason::HW_THERMAL_SLOWDOWN, "heat"),
        (Reason::HW_SLOWDOWN, "hardware slowdown"),
        (Reason::SYNC_BOOST, "sync boost"),
        (Reason::APPLICATIONS_CLOCKS_SETTING, "clocks set by hand"),
    ]
    .into_iter()
    .filter(|(reason, _)| reasons.intersects(*reason))
    .map(|(_, word)| word)
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idle_gpu_is_not_throttled() {
        assert!(reasons(ThrottleReasons::GPU_IDLE).is_empty());
        assert_eq!(
            reasons(ThrottleReasons::HW_THERMAL_SLOWDOWN | ThrottleReasons::GPU_IDLE),
            ["heat"]
        );
    }
}
