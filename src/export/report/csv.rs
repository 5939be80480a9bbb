//! Comma-separated values: one row per case, one column per quantity, in base
//! units and full precision.

use super::{ReportError, flags, outcome, param_names, reason};
use crate::results::record::{Outliers, Record};

/// The table with a header row. Parameters have a column each, by their names;
/// a quantity that a case does not have is an empty field.
pub fn render(records: &[Record]) -> Result<String, ReportError> {
    let failed = |error: csv::Error| ReportError(error.to_string());
    let params = param_names(records);
    let mut table = csv::Writer::from_writer(Vec::new());
    let mut header = vec!["algorithm", "variant", "block", "coarsen", "n"];
    header.extend(&params);
    header.extend([
        "dist",
        "seed",
        "backend",
        "provenance",
        "device",
        "driver",
        "flags",
        "median_seconds",
        "q1_seconds",
        "q3_seconds",
        "samples",
        "outliers_low",
        "outliers_high",
        "outliers_far",
        "stop_reason",
        "discards",
        "clock_mhz",
        "first_launch_seconds",
        "bytes",
        "flops",
        "bytes_per_second",
        "elements_per_second",
        "share_of_copy",
        "end_to_end_seconds",
        "outcome",
        "reason",
        "occupancy",
        "bound_by",
        "ptx",
        "time",
        "program",
    ]);
    table.write_record(&header).map_err(failed)?;
    for record in records {
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        let per_second = |amount: u64| {
            number(record.median().filter(|time| *time > 0.0).map(|time| amount as f64 / time))
        };
        let seconds = record.seconds.as_ref();
        let apart = |of: fn(&Outliers) -> u64| {
            record.outliers.as_ref().map_or_else(String::new, |outliers| of(outliers).to_string())
        };
        let mut row = vec![
            record.algorithm.clone(),
            record.variant.clone(),
            record.block.to_string(),
            record.coarsen.to_string(),
            record.n.to_string(),
        ];
        let value = |name: &&str| record.params.get(*name).map(ToString::to_string);
        row.extend(params.iter().map(|name| value(name).unwrap_or_default()));
        row.extend([
            record.dist.to_string(),
            record.seed.to_string(),
            record.backend.clone(),
            record.provenance.to_string(),
            record.device.name.clone(),
            record.device.driver.clone().unwrap_or_default(),
            flags(record, " "),
            number(record.median()),
            number(seconds.and_then(|seconds| seconds.q1)),
            number(seconds.and_then(|seconds| seconds.q3)),
            seconds.map_or_else(String::new, |seconds| seconds.count().to_string()),
            apart(|outliers| outliers.low),
            apart(|outliers| outliers.high),
            apart(|outliers| outliers.far),
            record.stop_reason.map_or_else(String::new, |reason| reason.to_string()),
            if record.seconds.is_some() { record.discards.to_string() } else { String::new() },
            record.clock.as_ref().map_or_else(String::new, |clock| clock.median.to_string()),
            number(record.first_launch),
            record.bytes.to_string(),
            record.flops.to_string(),
            per_second(record.bytes),
            per_second(record.n),
            number(record.share_of_copy()),
            number(record.end_to_end()),
            outcome(record).to_owned(),
            reason(record),
            number(record.model.as_ref().map(|model| model.occupancy)),
            record.model.as_ref().map_or_else(String::new, |model| model.bound_by.clone()),
            record.ptx.clone(),
            record.time.clone(),
            record.program.clone(),
        ]);
        table.write_record(&row).map_err(failed)?;
    }
    let bytes = table.into_inner().map_err(|error| ReportError(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| ReportError(error.to_string()))
}
