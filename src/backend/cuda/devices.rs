//! Which CUDA devices answer, and what they allow.

use std::ffi::c_int;
use std::fmt::Write;

use cust::context::Context;
use cust::device::Device as Handle;
use cust::sys::{self, CUdevice_attribute};

use super::status::{Status, check};
use super::{driver, nvml};
use crate::backend::{CudaDevice, DriverState, Hardware, OpenError};
use crate::work::{Device, Limits};

/// The devices that answer, at least one, or the reason there are none.
pub fn devices() -> Result<Vec<CudaDevice>, OpenError> {
    let count = count()?;
    let driver = driver_version();
    (0..count)
        .map(|ordinal| {
            let handle = Handle::get_device(ordinal).map_err(Status::from)?;
            Ok(CudaDevice {
                ordinal,
                name: handle.name().map_err(Status::from)?,
                compute_capability: compute_capability(handle)?,
                memory: handle.total_memory().map_err(Status::from)? as u64,
                driver: driver.clone(),
                uuid: uuid(handle)?,
            })
        })
        .collect::<Result<_, Status>>()
        .map_err(|status| OpenError::NoCuda(format!("the driver does not answer: {status}")))
}

/// Why the driver's library cannot be loaded, or the CUDA version that it supports.
pub fn driver_state() -> DriverState {
    let version = cust::CudaApiVersion::get().ok().filter(|_| driver::load_error().is_none());
    DriverState {
        load_error: driver::load_error().map(str::to_owned),
        cuda: version.map(|version| (version.major() as u32, version.minor() as u32)),
    }
}

/// The device of this ordinal.
pub(super) fn device(ordinal: u32) -> Result<Handle, OpenError> {
    let count = count()?;
    if ordinal >= count {
        let there_are = match count {
            1 => "only device 0 answers".to_owned(),
            _ => format!("devices 0 to {} answer", count - 1),
        };
        return Err(OpenError::NoDevice(format!("there is no CUDA device {ordinal}: {there_are}")));
    }
    Handle::get_device(ordinal)
        .map_err(|error| OpenError::NoCuda(format!("device {ordinal}: {}", Status::from(error))))
}

/// The hardware of the device with this ordinal, by the driver.
pub fn hardware(ordinal: u32) -> Result<Hardware, OpenError> {
    use CUdevice_attribute as Attribute;
    let handle = device(ordinal)?;
    let query = || -> Result<Hardware, Status> {
        let of = |which| attribute(handle, which).map(f64::from);
        // Clocks are in kHz. Memory transfers data on both edges of its clock.
        let memory_hz = of(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)? * 1e3;
        let width = of(Attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)? / 8.0;
        Ok(Hardware {
            sms: of(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)? as u32,
            boost_hz: of(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)? * 1e3,
            dram_peak: 2.0 * memory_hz * width,
            dram_bytes: handle.total_memory().map_err(Status::from)? as u64,
            l2_bytes: of(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)? as u64,
        })
    };
    query().map_err(|status| OpenError::NoCuda(format!("device {ordinal}: {status}")))
}

/// How many devices answer, at least 1.
fn count() -> Result<u32, OpenError> {
    if let Some(error) = driver::load_error() {
        let reason = format!("the NVIDIA driver's library cannot be loaded ({error})");
        return Err(OpenError::NoCuda(reason));
    }
    let refused = |error| OpenError::NoCuda(Status::from(error).to_string());
    cust::init(cust::CudaFlags::empty()).map_err(refused)?;
    match Handle::num_devices().map_err(refused)? {
        0 => Err(OpenError::NoCuda("the driver lists none".to_owned())),
        count => Ok(count),
    }
}

/// The device for the rest of the program; `memory` is its free memory in bytes.
pub(super) fn describe(handle: Handle, memory: u64) -> Result<Device, Status> {
    use CUdevice_attribute as Attribute;
    let limit = |which| attribute(handle, which).map(|value| value as u32);
    Ok(Device {
        backend: "cuda".to_owned(),
        name: handle.name()?,
        driver: Some(driver_version()),
        id: uuid(handle)?,
        modelled: false,
        validated: true,
        limits: Limits {
            compute_capability: compute_capability(handle)?,
            threads_per_block: limit(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            shared_per_block: limit(
                Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
            )?,
            registers_per_sm: limit(
                Attribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR,
            )?,
            memory,
            cuda: driver_state().cuda,
        },
    })
}

/// One attribute of a device.
pub(super) fn attribute(handle: Handle, which: CUdevice_attribute) -> Result<c_int, Status> {
    let mut value = 0;
    // SAFETY: the pointer is to one integer, the device is one that `cust` named.
    check(unsafe { sys::cuDeviceGetAttribute(&raw mut value, which, handle.as_raw()) })?;
    Ok(value)
}

/// The highest clock of the multiprocessors in MHz, as the driver states it.
pub(super) fn highest_clock(handle: Handle) -> Option<u32> {
    let kilohertz = attribute(handle, CUdevice_attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE).ok()?;
    u32::try_from(kilohertz / 1000).ok()
}

/// Makes the device's primary context the current one of this thread.
pub(super) fn context(handle: Handle) -> Result<Context, Status> {
    let context = Context::new(handle)?;
    // `Context::new` does not look at whether this succeeded.
    cust::context::CurrentContext::set_current(&context)?;
    Ok(context)
}

fn compute_capability(handle: Handle) -> Result<u32, Status> {
    use CUdevice_attribute as Attribute;
    let major = attribute(handle, Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = attribute(handle, Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    Ok((major * 10 + minor) as u32)
}

/// The UUID as `nvidia-smi -L` writes it.
fn uuid(handle: Handle) -> Result<String, Status> {
    let mut uuid = sys::CUuuid { bytes: [0; 16] };
    // SAFETY: the pointer is to one UUID, the device is one that `cust` named.
    check(unsafe { sys::cuDeviceGetUuid(&raw mut uuid, handle.as_raw()) })?;
    Ok(write_uuid(uuid.bytes.map(|byte| byte as u8)))
}

fn write_uuid(bytes: [u8; 16]) -> String {
    let mut text = "GPU".to_owned();
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 0 | 4 | 6 | 8 | 10) {
            text.push('-');
        }
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The driver's version by NVML, or else the CUDA version that it supports.
fn driver_version() -> String {
    nvml::driver_version().unwrap_or_else(|| match cust::CudaApiVersion::get() {
        Ok(version) => format!("CUDA {}.{}", version.major(), version.minor()),
        Err(_) => "unknown".to_owned(),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn uuids_are_written_as_nvidia_smi_does() {
        let bytes: [u8; 16] = std::array::from_fn(|index| index as u8 * 17);
        assert_eq!(write_uuid(bytes), "GPU-00112233-4455-6677-8899-aabbccddeeff");
    }

    #[test]
    fn without_devices_the_reason_is_given() {
        match devices() {
            Ok(found) => assert!(!found.is_empty()),
            Err(error) => {
                let text = error.to_string();
                assert!(text.starts_with("no CUDA device: "), "{text}");
                assert!(text.contains("--backend emulator"), "{text}");
                assert_eq!(device(0).err(), Some(error));
            }
        }
    }
}
