//! `warpscope plot`: stored results as a picture.

use std::io::{self, Write};

use super::{Exit, filter};
use crate::cli::plot::{Log, Plot, Time, X, Y};
use crate::figure::{self, Choice, XAxis, YAxis};
use crate::measurement::Record;
use crate::{plot, published};

/// More curves than this are hard to tell apart.
const MANY: usize = 14;

pub(super) fn run(asked: &Plot) -> anyhow::Result<Exit> {
    // What was typed is checked before files are read: it is cheaper to mend.
    let size: plot::Size = asked.size.parse()?;
    plot::Format::of(&asked.output)?;
    let mut records = filter::read(&asked.files, &asked.filter)?;
    if asked.reported {
        records.extend(reported(&records));
    }
    let figure = figure::build(&records, choice(asked, &records));
    plot::write(&figure, size, &asked.output)?;
    let curves = figure.series.len();
    if curves > MANY {
        let _ = writeln!(
            io::stderr(),
            "{curves} curves share the picture; --variant, --block, --coarsen, --bins and --set \
             draw fewer"
        );
    }
    Ok(Exit::Fine)
}

/// Published times of the algorithms that are drawn.
fn reported(records: &[Record]) -> Vec<Record> {
    let mut algorithms: Vec<&str> = records.iter().map(|it| it.algorithm.as_str()).collect();
    algorithms.sort_unstable();
    algorithms.dedup();
    algorithms.into_iter().flat_map(published::records).collect()
}

/// The time that an option names.
pub(super) fn time(asked: Time) -> figure::Time {
    match asked {
        Time::Kernels => figure::Time::Kernels,
        Time::EndToEnd => figure::Time::EndToEnd,
    }
}

fn choice(asked: &Plot, records: &[Record]) -> Choice {
    Choice {
        x: match asked.x {
            X::N => XAxis::N,
            X::Block => XAxis::Block,
            X::Coarsen => XAxis::Coarsen,
        },
        y: match asked.y {
            Y::Time => YAxis::Time,
            Y::Throughput => YAxis::Throughput,
            Y::Bandwidth => YAxis::Bandwidth,
            Y::Speedup => YAxis::Speedup,
        },
        time: asked.time.map_or_else(|| figure::Time::fitting(records), time),
        log_x: asked.log.contains(&Log::X),
        log_y: asked.log.contains(&Log::Y),
    }
}
