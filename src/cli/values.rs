//! Values on the axes of a case: what `run` and `sweep` try, and what commands that
//! read files keep.

use std::collections::BTreeMap;

use clap::builder::ValueParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use crate::algorithms::{self, Param, ParamKind};
use crate::experiment::{Distribution, ParamValue, Sizes};
use crate::units::{BlockSize, ParseError, parse_count};

/// Values on each axis; empty where nothing was given.
#[derive(Debug, Clone, Default, Args)]
pub struct Values {
    /// Variants, as in `warpscope list`, or all
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub variant: Vec<String>,

    /// Threads per block, 1 to 1024
    #[arg(long, value_name = "THREADS,...", value_delimiter = ',')]
    pub block: Vec<BlockSize>,

    /// Work units per thread
    #[arg(
        long, value_name = "COUNT,...", value_delimiter = ',',
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub coarsen: Vec<u32>,

    /// Input sizes: 1000,5000,1M or 2^10..2^24 or 2^10..2^24:x4
    #[arg(short, value_name = "SIZES")]
    pub n: Option<Sizes>,

    /// Distribution of the input values: uniform, normal, zipf:S, constant, iota, ones,
    /// sorted, reversed or few-unique:K
    #[arg(long, value_name = "DIST")]
    pub dist: Option<Distribution>,

    /// Parameters of the algorithm.
    #[command(flatten)]
    pub params: Params,
}

/// Values of the parameters of an algorithm: from `--set`, and from the options that
/// the algorithms give to some of their parameters.
#[derive(Debug, Clone, Default)]
pub struct Params(pub BTreeMap<String, Vec<ParamValue>>);

/// The parameters that have an option of their own.
fn options() -> BTreeMap<&'static str, &'static Param> {
    let of = |algorithm: &&'static dyn algorithms::Algorithm| {
        let options = algorithm.options();
        algorithm.params().iter().filter(|param| options.contains(&param.name))
    };
    algorithms::ALL.iter().flat_map(of).map(|param| (param.name, param)).collect()
}

impl Args for Params {
    fn augment_args(command: Command) -> Command {
        let set = Arg::new("set")
            .long("set")
            .value_name("KEY=V1,V2,...")
            .action(ArgAction::Append)
            .value_parser(setting)
            .help("Values of any parameter in `warpscope list`");
        let option = |(name, param): (&'static str, &Param)| {
            let (value_name, parser): (_, ValueParser) = match param.kind {
                ParamKind::Int { .. } => ("COUNT,...", count.into()),
                ParamKind::Word(_) | ParamKind::File(_) => ("VALUE,...", value.into()),
            };
            Arg::new(name)
                .long(name)
                .value_name(value_name)
                .action(ArgAction::Append)
                .value_delimiter(',')
                .value_parser(parser)
                .help(format!("Same as --set {name}=...: {}", param.summary))
        };
        command.args(options().into_iter().map(option)).arg(set)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Params {
    /// Of several values for one key the last counts, and `--set` before an option.
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |name| matches.get_many::<ParamValue>(name).map(Iterator::cloned);
        let mut params: BTreeMap<String, Vec<ParamValue>> = options()
            .into_keys()
            .filter_map(|name| Some((name.to_owned(), given(name)?.collect())))
            .collect();
        params.extend(matches.get_many::<Setting>("set").into_iter().flatten().cloned());
        Ok(Self(params))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.extend(Self::from_arg_matches(matches)?.0);
        Ok(())
    }
}

/// A parameter and the values to try.
type Setting = (String, Vec<ParamValue>);

fn count(text: &str) -> Result<ParamValue, ParseError> {
    parse_count(text).map(ParamValue::Int)
}

fn value(text: &str) -> Result<ParamValue, std::convert::Infallible> {
    text.parse()
}

fn setting(text: &str) -> Result<Setting, String> {
    let bad = || format!("`{text}` is not of the form KEY=VALUE or KEY=V1,V2");
    let (key, values) = text.split_once('=').ok_or_else(bad)?;
    let key = key.trim();
    if key.is_empty() || values.split(',').any(|value| value.trim().is_empty()) {
        return Err(bad());
    }
    let Ok(values) = values.split(',').map(str::parse).collect();
    Ok((key.to_owned(), values))
}
