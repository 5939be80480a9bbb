//! Which of the stored cases to use, for commands that read files.

use std::collections::BTreeMap;

use clap::Args;

use super::axes::{Setting, distribution, settings};
use crate::experiment::{Distribution, ParamValue, Sizes};
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
