//! Builds the records of cases.

use super::prerequisites::{PrerequisiteFailure, Role};
use crate::algorithms;
use crate::backend::Failure;
use crate::experiment::Case;
use crate::own;
use crate::results::record::{DeviceRecord, FailureKind, Provenance, Record, Wrong};
use crate::work::{Device, Trap, TrapKind};

/// A record of `case` on `device` without a result.
pub(super) fn blank(case: &Case, device: &Device) -> Record {
    let provenance = if device.modelled { Provenance::Modelled } else { Provenance::Measured };
    let gpu = DeviceRecord {
        name: device.name.clone(),
        driver: device.driver.clone(),
        id: device.id.clone(),
    };
    let mut record = Record::new(case, gpu, &device.backend, provenance);
    if let Some(algorithm) = algorithms::find(&case.algorithm) {
        let traffic = algorithm.traffic(case);
        record.bytes = traffic.bytes;
        record.flops = traffic.flops;
        record.ptx = algorithm.module(&case.variant).hash().into();
        record.source = own::hash_of(&case.algorithm, &case.variant).unwrap_or_default().into();
    }
    stamp(&mut record);
    record
}

/// A record of a case that failed.
pub fn blamed(case: &Case, device: &Device, kind: FailureKind, message: String) -> Box<Record> {
    let mut record = blank(case, device);
    record.verified = Some(false);
    record.wrong = Some(Wrong::new(kind, message).into());
    Box::new(record)
}

/// A record of a case that cannot run.
pub fn skipped(case: &Case, device: &Device, reason: &str) -> Box<Record> {
    let mut record = blank(case, device);
    record.skip = Some(reason.into());
    Box::new(record)
}

/// Sets the time at which the case ended to now.
fn stamp(record: &mut Record) {
    let now = jiff::Timestamp::now();
    record.time = now.round(jiff::Unit::Second).unwrap_or(now).to_string().into();
}

/// The record of a case that a backend could not carry out.
pub(super) fn failed(case: &Case, device: &Device, failure: &Failure) -> Box<Record> {
    match failure {
        Failure::OutOfMemory(reason) => skipped(case, device, &format!("out of memory: {reason}")),
        Failure::Load(log) => blamed(case, device, FailureKind::LoadFailed, log.clone()),
        Failure::Lost(reason) => blamed(case, device, FailureKind::DeviceLost, reason.clone()),
        Failure::Trap(trap) => {
            let mut record = blank(case, device);
            record.verified = Some(false);
            record.wrong = Some(trapped(trap).into());
            Box::new(record)
        }
    }
}

/// The record of a case that needs another kernel, which has no result. It says nothing about the
/// case's own kernel.
pub(super) fn without_prerequisite(
    case: &Case,
    device: &Device,
    failed: &PrerequisiteFailure,
) -> Box<Record> {
    let PrerequisiteFailure { role, kernel, failure } = failed;
    match failure {
        _ if *kernel == case.variant => self::failed(case, device, failure),
        _ if *role == Role::TooLong => skipped(case, device, &failed.to_string()),
        Failure::OutOfMemory(_) | Failure::Lost(_) => self::failed(case, device, failure),
        Failure::Load(_) => blamed(case, device, role.kind(), failed.to_string()),
        Failure::Trap(trap) => {
            let mut record = blank(case, device);
            record.verified = Some(false);
            let (kind, message) = (role.kind().into(), failed.to_string());
            record.wrong = Some(Box::new(Wrong { kind, message, ..trapped(trap) }));
            Box::new(record)
        }
    }
}

fn trapped(trap: &Trap) -> Wrong {
    Wrong {
        kernel: Some(trap.kernel.clone()).filter(|kernel| !kernel.is_empty()),
        file: trap.file.clone(),
        line: trap.line,
        block: trap.block,
        lanes: trap.lanes.clone(),
        ..Wrong::new(trap.kind.into(), trap.to_string())
    }
}

/// Why the device is lost after this failure, if it is.
pub(super) fn lost(failure: &Failure) -> Option<String> {
    match failure {
        Failure::Lost(reason) => Some(reason.clone()),
        Failure::Trap(trap) if trap.kind == TrapKind::DeviceFault => Some(trap.to_string()),
        Failure::Trap(_) | Failure::OutOfMemory(_) | Failure::Load(_) => None,
    }
}
