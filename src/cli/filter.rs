//! Reading the cases that a command was asked to use.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;

use super::axes::{Setting, distribution, settings};
use crate::experiment::{Distribution, ParamValue, Sizes};
use crate::results::record::Record;
use crate::results::store::{self, Torn};
use crate::units::{BlockSize, parse_count};

/// Keeps cases that agree with every option given; with none, all.
#[derive(Debug, Clone, Default, Args)]
pub struct Filter {
    /// Keep only these variants
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', help_heading = KEEP)]
    pub variant: Vec<String>,

    /// Keep only these block sizes
    #[arg(long, value_name = "THREADS,...", value_delimiter = ',', help_heading = KEEP)]
    pub block: Vec<BlockSize>,

    /// Keep only these coarsenings
    #[arg(long, value_name = "COUNT,...", value_delimiter = ',', help_heading = KEEP)]
    pub coarsen: Vec<u32>,

    /// Keep only these input sizes
    #[arg(short, value_name = "SIZES", help_heading = KEEP)]
    pub n: Option<Sizes>,

    /// Keep only these numbers of bins
    #[arg(
        long, value_name = "COUNT,...", value_delimiter = ',', help_heading = KEEP,
        value_parser = parse_count
    )]
    pub bins: Vec<u64>,

    /// Keep only this input distribution
    #[arg(long, value_name = "DIST", help_heading = KEEP, value_parser = distribution)]
    pub dist: Option<Distribution>,

    /// Keep only these values of a parameter
    #[arg(long, value_name = "KEY=V1,V2,...", help_heading = KEEP)]
    pub set: Vec<Setting>,
}

const KEEP: &str = "Which cases";

impl Filter {
    /// Allowed values by parameter; parameters that are missing are free.
    pub fn params(&self) -> BTreeMap<String, Vec<ParamValue>> {
        settings(&self.bins, &self.set)
    }
}

/// The records of `files` that `filter` keeps, at least one.
pub(super) fn read(files: &[PathBuf], filter: &Filter) -> anyhow::Result<Vec<Record>> {
    let mut records = store::read_all(files, &mut tell_torn)?;
    let all = records.len();
    keep(&mut records, filter);
    match (all, records.len()) {
        (0, _) => bail!("{} holds no case", names(files)),
        (_, 0) => bail!("none of the {all} cases in {} is kept; ask for others", names(files)),
        _ => Ok(records),
    }
}

/// Says that a last line is left out.
pub(super) fn tell_torn(path: &Path, torn: &Torn) {
    let text = format!(
        "line {} of {} was cut off while it was written; it is left out\n",
        torn.line,
        path.display()
    );
    let _ = io::stderr().write_all(text.as_bytes());
}

fn names(files: &[PathBuf]) -> String {
    files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
}

fn keep(records: &mut Vec<Record>, filter: &Filter) {
    let params = filter.params();
    let sizes = filter.n.as_ref().map(crate::experiment::Sizes::values);
    records.retain(|record| {
        let free = |allowed: bool, any: bool| any || allowed;
        free(filter.variant.contains(&record.variant), filter.variant.is_empty())
            && free(
                filter.block.iter().any(|block| block.get() == record.block),
                filter.block.is_empty(),
            )
            && free(filter.coarsen.contains(&record.coarsen), filter.coarsen.is_empty())
            && sizes.as_ref().is_none_or(|sizes| sizes.contains(&record.n))
            && filter.dist.is_none_or(|dist| dist == record.dist)
            && params.iter().all(|(name, values)| {
                record.params.get(name).is_some_and(|value| {
                    // A file is asked for by its name alone.
                    values.iter().any(|wanted| wanted.to_string() == value.to_string())
                })
            })
    });
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
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
        let kept = |filter: Filter| {
            let mut records = all.to_vec();
            keep(&mut records, &filter);
            let place = |record: &Record| all.iter().position(|other| other == record).unwrap();
            records.iter().map(place).collect::<Vec<_>>()
        };
        let none = Filter::default;
        assert_eq!(kept(none()), [0, 1, 2]);
        assert_eq!(kept(Filter { variant: vec!["shared".to_owned()], ..none() }), [1, 2]);
        assert_eq!(kept(Filter { block: vec!["32".parse().unwrap()], ..none() }), [0, 1]);
        assert_eq!(kept(Filter { n: Some("2^11".parse().unwrap()), ..none() }), [1]);
        assert_eq!(kept(Filter { bins: vec![8], coarsen: vec![4], ..none() }), [0, 2]);
        assert!(kept(Filter { coarsen: vec![1], ..none() }).is_empty());
        assert!(kept(Filter { dist: Some(Distribution::Iota), ..none() }).is_empty());
        assert!(kept(Filter { set: vec!["mood=good".parse().unwrap()], ..none() }).is_empty());
    }
}
