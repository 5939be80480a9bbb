//! `warpscope devices`: CUDA devices that answer, and GPU profiles.

use std::io::Write;

use clap::Args;
use serde_json::json;

use super::Exit;
use crate::backend::{self, CudaDevice};
use crate::gpu::{self, GpuSpec, Key, Values};
use crate::units::{Bytes, BytesPerSecond};

/// List CUDA devices and GPU profiles.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  warpscope devices
  warpscope run histogram --gpu \"RTX 4090\"     predict the time on a GPU
  warpscope run histogram --device 1           measure on the second GPU")]
pub struct Devices {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

pub(super) fn run(devices: &Devices, out: &mut impl Write) -> anyhow::Result<Exit> {
    let found = backend::cuda_devices();
    if devices.json {
        let (list, reason) = match &found {
            Ok(list) => (list.iter().map(as_json).collect(), None),
            Err(reason) => (Vec::new(), Some(reason.to_string())),
        };
        let profiles: Vec<_> = gpu::specs().iter().map(|gpu| profile_as_json(gpu)).collect();
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
    writeln!(out, "\nGPU profiles for predictions by the emulator (--gpu NAME):")?;
    for gpu in gpu::specs() {
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

/// `H200 SXM       9.0  132 multiprocessors, 1.98 GHz, 4.80 TB/s, 141 GiB; …`
fn profile_line(gpu: &GpuSpec) -> String {
    let default = if gpu.name == gpu::DEFAULT_GPU { ", the default" } else { "" };
    let checked = if gpu.validated { "validated" } else { "predictions unvalidated" };
    format!(
        "{:<16} {:>4}  {:>3} multiprocessors, {:.2} GHz, {}, {}; {checked}{default} ({}; {})",
        gpu.name,
        capability(gpu.compute_capability),
        gpu.sms,
        gpu.boost_hz / 1e9,
        BytesPerSecond(gpu.dram_bytes_per_second),
        Bytes(gpu.dram_bytes),
        sources(gpu),
        gpu.note.trim_end_matches('.')
    )
}

/// `9.0` for 90.
fn capability(capability: u32) -> String {
    format!("{}.{}", capability / 10, capability % 10)
}

/// `9 numbers measured, 12 published, 61 assumed`
fn sources(gpu: &GpuSpec) -> String {
    let [measured, published, assumed] = gpu.sources();
    format!("{measured} numbers measured, {published} published, {assumed} assumed")
}

/// Every number with its unit and source.
fn numbers(gpu: &GpuSpec) -> serde_json::Map<String, serde_json::Value> {
    let number = |key: &Key| {
        let (quantity, number) = (key.quantity(), gpu.number(*key));
        let mut value = match &number.values {
            Values::One(value) => json!({ "value": value }),
            Values::Curve(points) => {
                let (at, values): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
                json!({ "by": quantity.by, "at": at, "values": values })
            }
        };
        value["unit"] = json!(quantity.unit);
        value["source"] = json!(number.source);
        (quantity.name.to_owned(), value)
    };
    Key::ALL.iter().map(number).collect()
}

fn profile_as_json(gpu: &GpuSpec) -> serde_json::Value {
    json!({
        "name": gpu.name,
        "compute_capability": capability(gpu.compute_capability),
        "multiprocessors": gpu.sms,
        "boost_hz": gpu.boost_hz,
        "dram_bytes_per_second": gpu.dram_bytes_per_second,
        "dram_bytes": gpu.dram_bytes,
        "l2_bytes": gpu.l2_bytes,
        "note": gpu.note,
        "numbers": numbers(gpu),
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
