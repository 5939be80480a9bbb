//! `warpscope plot`: stored results as a picture.

mod preview;
mod views;

use std::io::Write;
use std::path::PathBuf;

use anyhow::bail;
use clap::{Args, ValueEnum};

use super::Exit;
use super::compare::Baseline;
use super::filter::{self, Filter};
use super::output::say;

use crate::export::image;
use crate::figure::{self, Beside, Choice, Picture, Time, XAxis, YAxis};
use crate::results::published;
use crate::results::record::Record;
use crate::units::text::Escaped;

/// Draw stored results.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "The picture has a title, units, a legend, the provenance of its numbers, and \
the command that reproduces them.

Examples:
  warpscope plot h.jsonl -o h.png
  warpscope plot h.jsonl -o h.svg --y bandwidth --log x --variant shared
  warpscope plot mine.jsonl yours.jsonl -o both.png --bins 256 --size 800x500
  warpscope plot h.jsonl -o tune.png --x block -n 2^24
  warpscope plot h.jsonl -o faster.png --y speedup --baseline block=32
  warpscope plot h.jsonl -o then-and-now.png --reported
  warpscope plot h.jsonl -o slide.png --style dark --size slide
  warpscope plot h.jsonl -o paper.svg --size column --bare
  warpscope plot h.jsonl -o map.svg --view tune --variant shared -n 2^24
  warpscope plot h.jsonl -o ladder.png --view ladder -n 2^28 --bins 8
  warpscope plot h.jsonl -o bins.png --view output --bins 256
  warpscope plot h.jsonl --preview
  warpscope plot r.jsonl -o whole.png --time end-to-end"
)]
pub struct Plot {
    /// Files written by `warpscope sweep`; later files replace cases of earlier ones
    #[arg(required = true, value_name = "FILE.jsonl")]
    pub files: Vec<PathBuf>,
    /// Picture to write, .png or .svg
    #[arg(short, long, value_name = "P.png|P.svg", required_unless_present = "preview")]
    pub output: Option<PathBuf>,
    /// Show the picture in the terminal: pixels in kitty, Ghostty, Konsole,
    /// `iTerm2` and `WezTerm`, half blocks elsewhere
    #[arg(long)]
    pub preview: bool,
    /// View to draw
    #[arg(long, value_enum, default_value = "sweep")]
    pub view: View,
    /// Horizontal axis
    #[arg(long, value_enum, default_value = "n")]
    pub x: XAxis,
    /// Vertical axis [default: time, or speedup with --baseline]
    #[arg(long, value_enum)]
    pub y: Option<YAxis>,
    /// Baseline of the speed-up: the case that has this value and is otherwise equal
    /// [default: the first variant]
    #[arg(long, value_name = "KEY=VALUE")]
    pub baseline: Option<Baseline>,
    /// Time to draw [default: kernels, or end-to-end if only some variants have
    /// host stages]
    #[arg(long, value_enum)]
    pub time: Option<Time>,
    /// Logarithmic axes
    #[arg(
        long, value_enum, value_name = "AXIS,...", value_delimiter = ',',
        default_value = "x,y", num_args = 0..=1, default_missing_value = "x,y"
    )]
    pub log: Vec<Log>,
    /// Width and height in pixels, as in 800x500; or screen (1600x1000), slide
    /// (1920x1080, larger text) or column (1400x1050, for one column of a paper)
    #[arg(long, value_name = "WxH|NAME", default_value = "1600x1000")]
    pub size: image::Size,
    /// Colours of the picture
    #[arg(long, value_enum, default_value = "light")]
    pub style: image::Style,
    /// Leave out title and command, as for a paper; the file's description has both
    #[arg(long)]
    pub bare: bool,
    /// Add published times of the same variants, labelled with their GPU
    #[arg(long)]
    pub reported: bool,
    /// Which cases to use.
    #[command(flatten)]
    pub filter: Filter,
}

/// A view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum View {
    /// Curves over input size, block size or coarsening
    Sweep,
    /// The output of the largest case that this CPU can recompute, and the phases
    /// of a pipeline
    Output,
    /// Time by block size and coarsening, for one variant at one size
    Tune,
    /// All variants at one size, from the slowest to the fastest, on a scale that ends at the
    /// hardware's limit, with the times of CUB and cuBLAS
    Ladder,
    /// The roofline of one case, or of two variants, profiled on the emulator
    Counters,
}

/// A logarithmic axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Log {
    /// The horizontal axis
    X,
    /// The vertical axis
    Y,
    /// Neither
    None,
}

/// More curves than this are hard to distinguish.
const MANY: usize = 14;

pub(super) fn run(asked: &Plot, out: &mut Escaped<impl Write>) -> anyhow::Result<Exit> {
    // Options are checked before files are read.
    if let Some(path) = &asked.output {
        image::Format::of(path)?;
    }
    if asked.baseline.is_some() && asked.y.is_some_and(|y| y != YAxis::Speedup) {
        bail!("--baseline needs a speed-up: use --y speedup, or omit --y");
    }
    let records = filter::read(&asked.files, &asked.filter)?;
    let picture = match asked.view {
        View::Sweep => curves(asked, records)?,
        View::Output => views::output(&records)?,
        View::Tune => views::map(&records, asked.time)?,
        View::Ladder => views::ladder(&records, asked.time)?,
        View::Counters => match views::kernels(&records)? {
            Some(picture) => picture,
            None => return Ok(Exit::Interrupted),
        },
    };
    let size = if asked.bare { asked.size.bare() } else { asked.size };
    if let Some(path) = &asked.output {
        image::write(&picture, size, asked.style, path)?;
    }
    if asked.preview {
        // Nothing but colours and pixels: the words are part of the picture.
        out.raw().write_all(shown(&picture, size, asked.style)?.as_bytes())?;
        out.flush()?;
    }
    Ok(Exit::Fine)
}

/// The picture in the form that the terminal can show.
fn shown(picture: &Picture, size: image::Size, style: image::Style) -> anyhow::Result<String> {
    // Where there is no terminal, the size of an old one.
    let (columns, rows) = crossterm::terminal::size().unwrap_or((80, 25));
    Ok(match image::inline::way(image::inline::variable) {
        image::Way::Cells | image::Way::Sixel => {
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
        say(&format!(
            "{curves} curves in one picture: --variant, --block, --coarsen and --set select fewer"
        ));
    }
    Ok(figure.into())
}

/// Published times of the variants that are drawn.
fn reported(records: &[Record]) -> Vec<Record> {
    let mut algorithms: Vec<&str> = records.iter().map(|it| it.algorithm.as_str()).collect();
    algorithms.sort_unstable();
    algorithms.dedup();
    let of_variant = |reported: &Record| {
        let is_drawn = |record: &Record| {
            record.algorithm == reported.algorithm && record.variant == reported.variant
        };
        records.iter().any(is_drawn)
    };
    algorithms.into_iter().flat_map(published::records).filter(of_variant).collect()
}

pub(super) fn choice(asked: &Plot, records: &[Record]) -> Choice {
    let y = if asked.baseline.is_some() { YAxis::Speedup } else { YAxis::Time };
    Choice {
        x: asked.x,
        y: asked.y.unwrap_or(y),
        time: asked.time.unwrap_or_else(|| Time::fitting(records)),
        log_x: asked.log.contains(&Log::X),
        log_y: asked.log.contains(&Log::Y),
    }
}
