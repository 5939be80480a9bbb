//! `warpscope devices`: CUDA devices that answer, and GPU profiles.

use std::io::Write;

use serde_json::json;

use super::Exit;
use crate::backend::{self, CudaDevice};
use crate::cli::devices::Devices;
use crate::units::Bytes;

pub(super) fn run(devices: &Devices, out: &mut impl Write) -> anyhow::Result<Exit> {
    let found = backend::cuda_devices();
    if devices.json {
        let (list, reason) = match &found {
            Ok(list) => (list.iter().map(as_json).collect(), None),
            Err(reason) => (Vec::new(), Some(reason.to_string())),
        };
        serde_json::to_writer_pretty(&mut *out, &json!({ "cuda": list, "no_cuda": reason }))?;
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
    Ok(Exit::Fine)
}

/// `0  NVIDIA H200, compute capability 9.0, 140 GiB, driver 580.159`
pub(super) fn line(device: &CudaDevice) -> String {
    let (major, minor) = (device.compute_capability / 10, device.compute_capability % 10);
    format!(
        "{}  {}, compute capability {major}.{minor}, {}, driver {}",
        device.ordinal,
        device.name,
        Bytes(device.memory),
        device.driver
    )
}

fn as_json(device: &CudaDevice) -> serde_json::Value {
    json!({
        "device": device.ordinal,
        "name": device.name,
        "compute_capability": f64::from(device.compute_capability) / 10.0,
        "memory": device.memory,
        "driver": device.driver,
        "uuid": device.uuid,
    })
}
