//! What the parent can know of a result is checked before the result counts: a worker may run
//! on another machine, in another version, or be any program at all.

use jiff::Timestamp;

use super::{MOST_VIEW_BYTES, WorkerFailure};
use crate::experiment::Case;
use crate::results::record::{Provenance, Record, SCHEMA};
use crate::runner::measure::Verdict;
use crate::units::text;
use crate::work::{Device, Finding, View};

/// Characters of a message of a worker that are kept.
const MOST_MESSAGE: usize = 2000;

/// Findings of a check that are kept.
const MOST_FINDINGS: usize = 100;

/// The device of a `hello`, if it can be true.
pub(super) fn device(device: Device) -> Result<Device, WorkerFailure> {
    let emulates = device.backend == "emulator";
    if emulates != device.modelled {
        let kind = if device.modelled { "modelled" } else { "measured" };
        return Err(WorkerFailure::Unfit(format!(
            "it runs the backend `{}` and says that its times are {kind}",
            text::excerpt(&device.backend, text::SHOWN)
        )));
    }
    Ok(Device { name: text::excerpt(&device.name, text::SHOWN), ..device })
}

/// The record of `case` on `device`, if it can be true. `hashes` are those of its PTX and of
/// the user's file that it comes from. Its time is that of the parent's clock.
pub(in crate::runner) fn record(
    mut record: Box<Record>,
    case: &Case,
    device: &Device,
    (ptx, source): (&str, &str),
) -> Result<Box<Record>, WorkerFailure> {
    shorten(&mut record);
    let told = record.case();
    let expected = if device.modelled { Provenance::Modelled } else { Provenance::Measured };
    let fault = if record.schema != SCHEMA {
        Err(format!("its schema is {}, not {SCHEMA}", record.schema))
    } else if told != *case {
        Err(format!("it is of another case: {told}"))
    } else if record.device.id != device.id || record.backend != device.backend {
        Err(format!(
            "it is of device `{}` ({}), and the worker has `{}` ({})",
            text::excerpt(&record.device.id, text::SHOWN),
            text::excerpt(&record.backend, text::SHOWN),
            device.id,
            device.backend
        ))
    } else if record.provenance != expected {
        Err(format!("its time is {}, and the worker's times are {expected}", record.provenance))
    } else if record.ptx != ptx {
        Err(format!(
            "its kernels have the PTX {}, and this program's have {ptx}; install the same version \
             on both sides",
            text::excerpt(&record.ptx, text::SHOWN)
        ))
    } else if record.source != source {
        Err(format!(
            "its kernel is of the file {}, and this program has the file {source}",
            text::excerpt(&record.source, text::SHOWN)
        ))
    } else {
        record.check().and_then(|()| consistent(&record))
    };
    fault.map_err(|fault| WorkerFailure::Unfit(format!("a record cannot be true: {fault}")))?;
    let now = Timestamp::now();
    record.time = now.round(jiff::Unit::Second).unwrap_or(now).to_string().into();
    Ok(record)
}

/// Whether a view is small enough; a larger one is left out.
pub(in crate::runner) fn view(view: &View) -> bool {
    serde_json::to_vec(view).is_ok_and(|json| json.len() <= MOST_VIEW_BYTES)
}

/// The verdict with texts and numbers of findings cut to what a person reads.
pub(in crate::runner) fn verdict(verdict: Verdict) -> Verdict {
    let short = |text: String| text::excerpt(&text, MOST_MESSAGE);
    match verdict {
        Verdict::Unchecked(reason) => Verdict::Unchecked(short(reason)),
        Verdict::Checked(findings) => {
            let findings = findings.into_iter().take(MOST_FINDINGS);
            Verdict::Checked(
                findings
                    .map(|finding| Finding {
                        kind: short(finding.kind),
                        kernel: short(finding.kernel),
                        file: finding.file.map(short),
                        message: short(finding.message),
                        ..finding
                    })
                    .collect(),
            )
        }
    }
}

/// A case has a time, or a reason why it has none.
fn consistent(record: &Record) -> Result<(), String> {
    let ended = [record.seconds.is_some(), record.wrong.is_some(), record.skip.is_some()];
    if ended.into_iter().filter(|it| *it).count() != 1 {
        return Err("it must have one of `seconds`, `wrong` and `skip`".to_owned());
    }
    match record.verified {
        Some(true) if record.seconds.is_none() => Err("it is verified and has no time".to_owned()),
        Some(false) if record.wrong.is_none() => {
            Err("it is not verified and does not say why".to_owned())
        }
        _ => Ok(()),
    }
}

/// Cuts texts of absurd length.
fn shorten(record: &mut Record) {
    let cut = |text: &mut String| {
        if text.len() > MOST_MESSAGE {
            *text = text::excerpt(text, text::SHOWN);
        }
    };
    record.skip.as_deref_mut().map(cut);
    if let Some(wrong) = &mut record.wrong {
        cut(&mut wrong.message);
        for text in [&mut wrong.kernel, &mut wrong.file, &mut wrong.expected, &mut wrong.got] {
            text.as_mut().map(cut);
        }
    }
}
