//! Published times of these systems, to compare with.
//!
//! `assets/reported/reported.csv` holds them as printed; `assets/reported/README.md` says
//! how they were measured, and why some are invalid.

use crate::experiment::{Case, Distribution, ParamValue};
use crate::results::record::{DeviceRecord, Provenance, Record, Summary};

/// One row per published time; an empty cell was not stated.
const TABLE: &str = include_str!("../../assets/reported/reported.csv");

/// The published times of one algorithm as records; block 0 and coarsening 0 mean "not
/// stated".
pub fn records(algorithm: &str) -> Vec<Record> {
    let mut reader = csv::Reader::from_reader(TABLE.as_bytes());
    let rows = reader.records().filter_map(Result::ok);
    rows.filter(|row| row.get(0) == Some(algorithm)).filter_map(|row| record(&row)).collect()
}

/// A row as a record; `None` if it is invalid, which a test rules out.
fn record(row: &csv::StringRecord) -> Option<Record> {
    let mut cells = row.iter();
    let mut next = || cells.next();
    let (algorithm, variant, block, n) = (next()?, next()?, next()?, next()?);
    let (params, gpu, milliseconds) = (next()?, next()?, next()?);
    let block = if block.is_empty() { 0 } else { block.parse().ok()? };
    let n = n.parse().ok()?;
    let case = Case {
        algorithm: algorithm.to_owned(),
        variant: variant.to_owned(),
        block,
        coarsen: 0,
        n,
        params: params
            .split_once('=')
            .and_then(|(name, value)| Some((name.to_owned(), ParamValue::Int(value.parse().ok()?))))
            .into_iter()
            .collect(),
        dist: Distribution::Uniform,
        seed: 0,
    };
    let device = DeviceRecord { name: gpu.to_owned(), driver: None, id: String::new() };
    let mut record = Record::new(&case, device, "reported", Provenance::Reported);
    if n < u64::from(block) {
        let reason = format!(
            "published, but timed with a grid of zero blocks: {n} values are fewer than the \
             {block} threads of a block, so the launch failed and the time means nothing"
        );
        record.skip = Some(reason.into());
    } else {
        let median = milliseconds.parse::<f64>().ok()? / 1000.0;
        record.seconds = Some(Summary { taken: Some(1), ..Summary::of(median) });
    }
    Some(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_reads_as_a_record() {
        let rows = TABLE.lines().skip(1);
        let mut names: Vec<&str> = rows.filter_map(|row| row.split(',').next()).collect();
        let total = names.len();
        names.dedup();
        let read: usize = names.iter().map(|name| records(name).len()).sum();
        assert_eq!((read, total), (total, 143));
        assert!(records("no such system").is_empty());
    }

    #[test]
    fn a_time_of_zero_blocks_is_no_time() {
        let histogram = records("histogram");
        let of = |n| histogram.iter().filter(move |record| record.n == n);
        assert!(of(16).all(|record| record.seconds.is_none() && record.skip.is_some()));
        assert!(of(32).all(|record| record.median().is_some()));
        let last = of(536_870_912).next().and_then(Record::median);
        assert_eq!(last, Some(0.463_763_733));
    }
}
