//! `warpscope plot`: stored results as a picture.

mod preview;
mod views;

use std::io::Write;
use std::path::PathBuf;

use anyhow::bail;
use clap::{Args, ValueEnum};

use super::compare::Baseline;
use super::filter::Filter;
use super::{Exit, filter};
use crate::export::image;
use crate::figure::{self, Beside, Choice, Picture, Time, XAxis, YAxis};
use crate::results::published;
use crate::results::record::Record;
use preview::Way;

/// Draw stored results.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "The picture carries title, units, legend, where the numbers come from, and \
the command that makes them again.

Examples:
  warpscope plot h.jsonl -o h.png
  warpscope plot h.jsonl -o h.svg --y bandwidth --log x --variant shared
  warpscope plot mine.jsonl yours.jsonl -o both.png --bins 256 --size 800x500
  warpscope plot h.jsonl -o tune.png --x block -n 2^24
  warpscope plot h.jsonl -o faster.png --y speedup --baseline block=32
  warpscope plot h.jsonl -o then-and-now.png --reported
  warpscope plot h.jsonl -o slide.png --style dark --size slide
  warpscope plot h.jsonl -o map.svg --view tune --variant shared -n 2^24
  warpscope plot h.jsonl -o bins.png --view output --bins 256
  warpscope plot h.jsonl --preview
  warpscope plot r.jsonl -o whole.png --time end-to-end"
)]
pub struct Plot {
    /// Files that `warpscope sweep` wrote; the same case in a later file counts
    #[arg(required = true, value_name = "FILE.jsonl")]
    pub files: Vec<PathBuf>,
    /// Picture to write; the name ends in .png or .svg
    #[arg(short, long, value_name = "P.png|P.svg", required_unless_present = "preview")]
    pub output: Option<PathBuf>,
    /// Show the picture on the terminal: as pixels in kitty, Ghostty, Konsole,
    /// `iTerm2` and `WezTerm`, in half blocks elsewhere
    #[arg(long)]
    pub preview: bool,
    /// What to draw
    #[arg(long, value_enum, default_value = "sweep")]
    pub view: View,
    /// What runs along the horizontal axis
    #[arg(long, value_enum, default_value = "n")]
    pub x: XAxis,
    /// What runs along the vertical axis [default: time, and speedup with --baseline]
    #[arg(long, value_enum)]
    pub y: Option<YAxis>,
    /// What a speed-up is over: of every case the one that has this value and agrees
    /// in all else [default: the first variant]
    #[arg(long, value_name = "KEY=VALUE")]
    pub baseline: Option<Baseline>,
    /// Which time counts [default: kernels, and end-to-end where only some
    /// variants have stages on the host]
    #[arg(long, value_enum)]
    pub time: Option<Time>,
    /// Which axes are logarithmic
    #[arg(
        long, value_enum, value_name = "AXIS,...", value_delimiter = ',',
        default_value = "x,y", num_args = 0..=1, default_missing_value = "x,y"
    )]
    pub log: Vec<Log>,
    /// Width and height in pixels, as in 800x500; or screen (1600x1000), slide
    /// (1920x1080, larger letters) or column (1400x1050, for a column of a paper)
    #[arg(long, value_name = "WxH|NAME", default_value = "1600x1000")]
    pub size: String,
    /// Dark on white or light on dark
    #[arg(long, value_enum, default_value = "light")]
    pub style: image::Style,
    /// Lay published times of the same algorithms over them, with their GPU named
    #[arg(long)]
    pub reported: bool,
    /// Which cases to draw.
    #[command(flatten)]
    pub filter: Filter,
}

/// What a picture shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum View {
    /// Curves over input size, block size or coarsening
    Sweep,
    /// The output of the largest case that this CPU can compute again, and the
    /// phases of a pipeline
    Output,
    /// Block size by coarsening of one variant at one size
    Tune,
    /// The roofline of one case, or of two variants: their kernels are counted on
    /// the emulator
    Counters,
}

/// An axis to draw logarithmically.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Log {
    /// The horizontal axis
    X,
    /// The vertical axis
    Y,
    /// Neither
    None,
}

/// More curves than this are hard to tell apart.
const MANY: usize = 14;

pub(super) fn run(asked: &Plot, out: &mut impl Write) -> anyhow::Result<Exit> {
    // What was typed is checked before files are read: it is cheaper to mend.
    let size: image::Size = asked.size.parse()?;
    if let Some(path) = &asked.output {
        image::Format::of(path)?;
    }
    if let (Some(_), Some(YAxis::Time | YAxis::Throughput | YAxis::Bandwidth)) =
        (&asked.baseline, asked.y)
    {
        bail!("--baseline is what a speed-up is over: write --y speedup, or leave --y out");
    }
    let records = filter::read(&asked.files, &asked.filter)?;
    let picture = match asked.view {
        View::Sweep => curves(asked, records)?,
        View::Output => views::output(&records)?,
        View::Tune => views::map(&records, asked.time)?,
        View::Counters => match views::kernels(&records)? {
            Some(picture) => picture,
            None => return Ok(Exit::Interrupted),
        },
    };
    if let Some(path) = &asked.output {
        image::write(&picture, size, asked.style, path)?;
    }
    if asked.preview {
        out.write_all(shown(&picture, size, asked.style)?.as_bytes())?;
        out.flush()?;
    }
    Ok(Exit::Fine)
}

/// The picture as the terminal takes it.
fn shown(picture: &Picture, size: image::Size, style: image::Style) -> anyhow::Result<String> {
    // Not a terminal: as wide as one used to be.
    let (columns, rows) = crossterm::terminal::size().unwrap_or((80, 25));
    Ok(match preview::way(|name| std::env::var(name).ok().filter(|value| !value.is_empty())) {
        Way::HalfBlocks => {
            let small = image::Size::new(640, 400)?;
            let pixels = image::pixels(picture, small, style)?;
            preview::half_blocks(&pixels, columns, rows.saturating_sub(1).max(8))
        }
        way => preview::sequence(way, &image::png(picture, size, style)?, columns.min(110)),
    })
}

fn curves(asked: &Plot, mut records: Vec<Record>) -> anyhow::Result<Picture> {
    if asked.reported {
        records.extend(reported(&records));
    }
    let baseline = asked.baseline.as_ref().map(|baseline| figure::Baseline::Field {
        key: baseline.key.clone(),
        value: baseline.value.clone(),
    });
    let beside = Beside { baseline: baseline.as_ref(), ..Beside::default() };
    let figure = figure::build_beside(&records, choice(asked, &records), beside)?;
    let curves = figure.series.len();
    if curves > MANY {
        views::tell(&format!(
            "{curves} curves share the picture; --variant, --block, --coarsen, --bins and --set \
             draw fewer"
        ));
    }
    Ok(figure.into())
}

/// Published times of the algorithms that are drawn.
fn reported(records: &[Record]) -> Vec<Record> {
    let mut algorithms: Vec<&str> = records.iter().map(|it| it.algorithm.as_str()).collect();
    algorithms.sort_unstable();
    algorithms.dedup();
    algorithms.into_iter().flat_map(published::records).collect()
}

fn choice(asked: &Plot, records: &[Record]) -> Choice {
    let y = if asked.baseline.is_some() { YAxis::Speedup } else { YAxis::Time };
    Choice {
        x: asked.x,
        y: asked.y.unwrap_or(y),
        time: asked.time.unwrap_or_else(|| Time::fitting(records)),
        log_x: asked.log.contains(&Log::X),
        log_y: asked.log.contains(&Log::Y),
    }
}
