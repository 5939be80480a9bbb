//! Times of vendors' libraries on the same systems, to compare with.
//!
//! `assets/libraries/*.csv` hold them as `benches/peers/h200.sh` wrote them;
//! `assets/libraries/README.md` says how they were measured.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::record::Record;
use crate::experiment::ParamValue;

/// The tables, one for each GPU.
const TABLES: [&str; 1] = [include_str!("../../assets/libraries/h200.csv")];

/// One time of a library.
#[derive(Debug, Clone, PartialEq)]
pub struct LibraryTime {
    /// The library: `CUB`.
    pub library: String,
    /// The system, or `copy` and `read` for what memory allows.
    pub algorithm: String,
    /// Input size, as the system counts it; of `copy` and `read` in 4-byte words.
    pub n: u64,
    /// Parameters that a case must have to be compared.
    pub params: BTreeMap<String, ParamValue>,
    /// Median of its samples.
    pub seconds: f64,
    /// The GPU by its driver's name.
    pub gpu: String,
    /// Version of the driver.
    pub driver: String,
    /// The day of the measurement: `2026-11-22`.
    pub date: String,
}

impl LibraryTime {
    /// Whether it solved the problem of a case, whatever the device.
    pub fn solves(&self, record: &Record) -> bool {
        let has = |(name, value): (&String, &ParamValue)| record.params.get(name) == Some(value);
        self.algorithm == record.algorithm && self.n == record.n && self.params.iter().all(has)
    }
}

/// Every time, in the order of the tables.
pub fn times() -> &'static [LibraryTime] {
    static TIMES: LazyLock<Vec<LibraryTime>> =
        LazyLock::new(|| TABLES.iter().flat_map(|table| read(table)).collect());
    &TIMES
}

fn read(table: &str) -> Vec<LibraryTime> {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    reader.records().filter_map(Result::ok).filter_map(|row| time(&row)).collect()
}

/// A row as a time; `None` if it is invalid, which a test rules out.
fn time(row: &csv::StringRecord) -> Option<LibraryTime> {
    let mut cells = row.iter().map(str::to_owned);
    let mut next = || cells.next();
    let (library, algorithm, n) = (next()?, next()?, next()?.parse().ok()?);
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        Some((name.to_owned(), value.parse().ok()?))
    };
    let params = next()?.split(';').filter(|it| !it.is_empty()).map(pair).collect::<Option<_>>()?;
    let seconds = next()?.parse::<f64>().ok().filter(|time| *time > 0.0)? / 1e3;
    let (gpu, driver, date) = (next()?, next()?, next()?);
    Some(LibraryTime { library, algorithm, n, params, seconds, gpu, driver, date })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::algorithms;

    #[test]
    fn every_row_is_of_a_system_with_these_parameters() {
        let rows: usize = TABLES.iter().map(|table| table.lines().count() - 1).sum();
        assert_eq!(times().len(), rows);
        for time in times() {
            let Some(algorithm) = algorithms::find(&time.algorithm) else {
                assert!(["copy", "read"].contains(&time.algorithm.as_str()), "{time:?}");
                continue;
            };
            for (name, value) in &time.params {
                let param = algorithm.params().iter().find(|param| param.name == name);
                assert!(param.is_some_and(|param| param.allows(value)), "{time:?}");
            }
        }
    }

    #[test]
    fn an_invalid_row_is_no_time() {
        let head = "library,algorithm,n,params,milliseconds,gpu,driver,date\n";
        for row in ["CUB,scan,many,,1,G,1,d", "CUB,scan,8,dtype,1,G,1,d", "CUB,scan,8,,0,G,1,d"] {
            assert_eq!(read(&format!("{head}{row}\n")), []);
        }
        let read = read(&format!("{head}CUB,scan,8,dtype=u32;sums=inclusive,2,G,1,d\n"));
        assert_eq!((read[0].seconds, read[0].params.len()), (2e-3, 2));
    }
}
