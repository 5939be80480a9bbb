//! Which stored cases to use, for commands that read files.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;

use super::output::{Bar, say};
use super::own;
use super::values::Values;
use crate::experiment::Sizes;
use crate::results::record::Record;
use crate::results::store::{self, LeftOut};

/// Keeps the cases that agree with every option given; all cases if no option is given.
#[derive(Debug, Clone, Default, Args)]
pub struct Filter {
    /// Values to keep.
    #[command(flatten, next_help_heading = "Use only cases with these values")]
    pub values: Values,
}

/// The records of `files` that `filter` keeps, at least one.
pub(super) fn read(files: &[PathBuf], filter: &Filter) -> anyhow::Result<Vec<Record>> {
    let mut told = LeftOutLines::default();
    let sizes = files.iter().filter_map(|file| file.metadata().ok());
    let mut bar = Bar::new("reading", Some(sizes.map(|file| file.len()).sum()));
    let mut tell = |path: &Path, line: LeftOut<'_>| told.say(path, line);
    let mut records = store::read_all(files, &mut tell, &mut |bytes| bar.at(bytes))?;
    drop(bar);
    told.end();
    let all = records.len();
    keep(&mut records, &filter.values);
    own::say_changes(&records);
    let names = || files.iter().map(|it| it.display().to_string()).collect::<Vec<_>>().join(", ");
    match (all, records.len()) {
        (0, _) => bail!("{} holds no case", names()),
        (_, 0) => bail!("none of the {all} cases in {} matches; change the filter", names()),
        _ => Ok(records),
    }
}

/// Number of left-out lines that are named.
const MOST_NAMED: usize = 5;

/// Names the lines that are left out, the first few of many.
#[derive(Debug, Default)]
pub(super) struct LeftOutLines(usize);

impl LeftOutLines {
    /// Names a line.
    pub(super) fn say(&mut self, path: &Path, line: LeftOut<'_>) {
        self.0 += 1;
        if self.0 <= MOST_NAMED {
            say(&format!("{}:{line}", path.display()));
        }
    }

    /// Says how many more there were.
    pub(super) fn end(self) {
        if let Some(more @ 1..) = self.0.checked_sub(MOST_NAMED) {
            say(&format!("{more} more lines ignored"));
        }
    }
}

fn keep(records: &mut Vec<Record>, wanted: &Values) {
    fn free<T: PartialEq>(wanted: &[T], value: &T) -> bool {
        wanted.is_empty() || wanted.contains(value)
    }
    let every = wanted.variant.iter().any(|name| name == "all");
    let blocks: Vec<u32> = wanted.block.iter().map(|block| block.get()).collect();
    let sizes = wanted.n.as_ref().map(Sizes::values).unwrap_or_default();
    records.retain(|record| {
        (every || free(&wanted.variant, &record.variant))
            && free(&blocks, &record.block)
            && free(&wanted.coarsen, &record.coarsen)
            && free(&sizes, &record.n)
            && wanted.dist.is_none_or(|dist| dist == record.dist)
            && wanted.params.0.iter().all(|(name, values)| {
                record.params.get(name).is_some_and(|value| {
                    // A file is compared by its name alone.
                    values.iter().any(|wanted| wanted.to_string() == value.to_string())
                })
            })
    });
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::cli::values::Params;
    use crate::experiment::{Case, Distribution, ParamValue};
    use crate::results::record::{DeviceRecord, Provenance};

    #[test]
    fn every_option_narrows() {
        let record = |variant: &str, block, n, bins| {
            let case = Case {
                algorithm: "histogram".to_owned(),
                variant: variant.to_owned(),
                block,
                coarsen: 4,
                n,
                params: [("bins".to_owned(), ParamValue::Int(bins))].into(),
                dist: Distribution::Uniform,
                seed: 7,
            };
            let device = DeviceRecord { name: "X".to_owned(), driver: None, id: String::new() };
            Record::new(&case, device, "scripted", Provenance::Modelled)
        };
        let all = [
            record("global", 32, 1024, 8),
            record("shared", 32, 2048, 256),
            record("shared", 64, 1024, 8),
        ];
        let kept = |wanted: Values| {
            let mut records = all.to_vec();
            keep(&mut records, &wanted);
            let place = |record: &Record| all.iter().position(|other| other == record).unwrap();
            records.iter().map(place).collect::<Vec<_>>()
        };
        let none = Values::default;
        let params = |name: &str, value: &str| {
            Params([(name.to_owned(), vec![value.parse().unwrap()])].into())
        };
        assert_eq!(kept(none()), [0, 1, 2]);
        assert_eq!(kept(Values { variant: vec!["shared".to_owned()], ..none() }), [1, 2]);
        assert_eq!(kept(Values { block: vec!["32".parse().unwrap()], ..none() }), [0, 1]);
        assert_eq!(kept(Values { n: Some("2^11".parse().unwrap()), ..none() }), [1]);
        let bins = Values { params: params("bins", "8"), coarsen: vec![4], ..none() };
        assert_eq!(kept(bins), [0, 2]);
        assert!(kept(Values { coarsen: vec![1], ..none() }).is_empty());
        assert!(kept(Values { dist: Some(Distribution::Iota), ..none() }).is_empty());
        assert!(kept(Values { params: params("mood", "good"), ..none() }).is_empty());
    }
}
