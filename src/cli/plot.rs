//! `warpscope plot`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::compare::Baseline;
use super::filter::Filter;

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
    #[arg(long, value_enum, default_value_t = View::Sweep)]
    pub view: View,
    /// What runs along the horizontal axis
    #[arg(long, value_enum, default_value_t = X::N)]
    pub x: X,
    /// What runs along the vertical axis [default: time, and speedup with --baseline]
    #[arg(long, value_enum)]
    pub y: Option<Y>,
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
    #[arg(long, value_enum, default_value_t = Style::Light)]
    pub style: Style,
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

/// The ground of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Style {
    /// Dark on white, for paper
    Light,
    /// Light on near-black, for slides
    Dark,
}

/// Horizontal axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum X {
    /// Input elements
    N,
    /// Threads per block
    Block,
    /// Work units per thread
    Coarsen,
}

/// Vertical axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Y {
    /// The time itself
    Time,
    /// Elements per second
    Throughput,
    /// Bytes that have to move, per second
    Bandwidth,
    /// Time of the baseline over time
    Speedup,
}

/// Which time of a case counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Time {
    /// That of its kernels
    Kernels,
    /// That of its kernels, its stages on the host and the copies between them
    EndToEnd,
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
