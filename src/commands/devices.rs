//! `warpscope devices`: CUDA devices that answer, and GPU profiles.

use std::io::Write;

use serde_json::json;

use super::Exit;
use crate::backend::{self, CudaDevice};
use crate::cli::devices::Devices;
use crate::gpu::{self, Profile};
use crate::units::{Bytes, BytesPerSecond};

pub(super) fn run(devices: &Devices, out: &mut impl Write) -> anyhow::Result<Exit> {
    let found = backend::cuda_devices();
    if devices.json {
        let (list, reason) = match &found {
            Ok(list) => (list.iter().map(as_json).collect(), None),
            Err(reason) => (Vec::new(), Some(reason.to_string())),
        };
        let profiles: Vec<_> = gpu::profiles().iter().map(profile_as_json).collect();
        let all = json!({ "cuda": list, "no_cuda": reason, "profiles": profiles });
        serde_json::to_writer_pretty(&mut *out, &all)?;
        writeln!(out)?;
        return Ok(Exit::Fine);
    }
    match found {
        Ok(list) => {
            writeln!(out, "CUDA devices (--device N):")?;
            for device in &list {
                writeln!(out, "  {}", line(device))?;
            }
        }
        Err(reason) => writeln!(out, "{reason}")?,
    }
    writeln!(out, "\nGPU profiles, for which the emulator predicts (--gpu NAME):")?;
    for gpu in gpu::profiles() {
        writeln!(out, "  {}", profile_line(gpu))?;
    }
    Ok(Exit::Fine)
}

/// `0  NVIDIA H200, compute capability 9.0, 140 GiB, driver 580.159`
pub(super) fn line(device: &CudaDevice) -> String {
    format!(
        "{}  {}, compute capability {}, {}, driver {}",
        device.ordinal,
        device.name,
        capability(device.compute_capability),
        Bytes(device.memory),
        device.driver
    )
}

/// `H200 SXM       9.0  132 multiprocessors, 1.98 GHz, 4.80 TB/s, 141 GiB (sourced)`
fn profile_line(gpu: &Profile) -> String {
    let default = if gpu.name == gpu::DEFAULT_PROFILE { ", the default" } else { "" };
    let checked = if gpu.validated { "validated" } else { "predictions unvalidated" };
    format!(
        "{:<16} {:>4}  {:>3} multiprocessors, {:.2} GHz, {}, {}; {checked}{default} (figures: {})",
        gpu.name,
        capability(gpu.compute_capability),
        gpu.sms,
        gpu.boost_hz / 1e9,
        BytesPerSecond(gpu.dram_bytes_per_second),
        Bytes(gpu.dram_bytes),
        if gpu.confidence == "confirm" { "to be confirmed" } else { &gpu.confidence }
    )
}

/// `9.0` for 90.
fn capability(capability: u32) -> String {
    format!("{}.{}", capability / 10, capability % 10)
}

fn profile_as_json(gpu: &Profile) -> serde_json::Value {
    json!({
        "name": gpu.name,
        "compute_capability": capability(gpu.compute_capability),
        "multiprocessors": gpu.sms,
        "boost_hz": gpu.boost_hz,
        "dram_bytes_per_second": gpu.dram_bytes_per_second,
        "dram_bytes": gpu.dram_bytes,
        "l2_bytes": gpu.l2_bytes,
        "confidence": gpu.confidence,
        "validated": gpu.validated,
    })
}

fn as_json(device: &CudaDevice) -> serde_json::Value {
    json!({
        "device": device.ordinal,
        "name": device.name,
        "compute_capability": capability(device.compute_capability),
        "memory": device.memory,
        "driver": device.driver,
        "uuid": device.uuid,
    })
}
