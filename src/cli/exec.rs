//! `warpscope exec`.

mod argument;

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use clap::builder::PossibleValuesParser;

pub use argument::{Argument, Element, Init, Placed};

use crate::units::parse_count;

/// Run a kernel of any PTX file.
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Arguments come in the kernel's order. A scalar is TYPE=VALUE with the types
u8 s8 u16 s16 u32 s32 u64 s64 f32 f64. A buffer is buffer=TYPE:COUNT:INIT, where
INIT is one of
  zeros | ones     every element 0 or 1
  iota             element i is i
  random:SEED      integers over their whole range, floats in [0, 1)
  @FILE            the file's bytes, little-endian, exactly COUNT elements
  uninit           allocated and never written: --check reports who reads it
A structure that the kernel takes by value is struct=FIELD,FIELD,...; a FIELD is
  TYPE:VALUE              a number; TYPE:A:B:C is several of the type
  buffer:TYPE:COUNT:INIT  a pointer to a buffer
  bytes:HEX               bytes as they lie in memory
Fields lie where C puts them: each at a multiple of its size. Where that is not
how your structure lies, write all of it as bytes=HEX.

What the kernel prints goes to stdout before the report, and into \"printed\" of
the JSON.

Examples:
  warpscope exec add.ptx --entry add --grid 4 --block 256 --counters \\
      --arg buffer=f32:1024:iota --arg buffer=f32:1024:ones --arg u32=1024 \\
      --dump 0=out.f32
  warpscope exec scan.ptx --entry scan --grid 1 --block 128 --shared 512 \\
      --arg buffer=u32:128:random:7 --check
  warpscope exec mul.ptx --entry mul --grid 8,8 --block 16,16 \\
      --arg buffer=f32:16Ki:@a.f32 --gpu T4 --regs 32 --json
  warpscope exec fill.ptx --entry fill --grid 1 --block 64 \\
      --arg struct=buffer:f32:64:uninit,u32:64,f32:0.5 --dump 0.0=out.f32

Exit codes: 0 a clean launch, 2 bad arguments or unreadable PTX, 3 a trap or a
finding of --check."
)]
pub struct Exec {
    /// The PTX
    #[arg(value_name = "FILE.ptx")]
    pub file: PathBuf,
    /// The kernel; may be left out where the file has only one
    #[arg(long, value_name = "NAME")]
    pub entry: Option<String>,
    /// Blocks
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub grid: Extent,
    /// Threads per block
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub block: Extent,
    /// Dynamic shared memory per block
    #[arg(long, value_name = "BYTES", default_value = "0", value_parser = bytes)]
    pub shared: u32,
    /// An argument: u32=1000, f32=1.5, buffer=f32:1024:zeros,
    /// struct=u32:7,f32:2.5; once for each
    #[arg(long = "arg", value_name = "TYPE=VALUE")]
    pub arguments: Vec<Argument>,
    /// Write the buffer of argument K (from 0) here after the launch, raw and
    /// little-endian; K.B is buffer B (from 0) of a structure
    #[arg(long, value_name = "K[.B]=FILE")]
    pub dump: Vec<Dump>,
    /// Print counters, and what each source line did
    #[arg(long)]
    pub counters: bool,
    /// Look for wrong accesses, races, uninitialised reads and misused barriers
    #[arg(long, conflicts_with = "predict")]
    pub check: bool,
    /// What runs the kernel
    #[arg(long, value_name = "BACKEND", default_value = "emulator",
          value_parser = PossibleValuesParser::new(["emulator", "cuda"]))]
    pub backend: String,
    /// GPU whose time is predicted: a name of `warpscope devices`, or a profile file
    /// [default: H200 SXM]
    #[arg(long, value_name = "NAME|FILE")]
    pub gpu: Option<String>,
    /// Only predict the time: runs a sample of a large grid's blocks, and gives
    /// no output
    #[arg(long, conflicts_with = "dump")]
    pub predict: bool,
    /// Registers per thread, for the prediction [default: what ptxas says if it
    /// is on the PATH, else an estimate]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=255))]
    pub regs: Option<u32>,
    /// Warp instructions that the launch may issue before it is stopped as a
    /// runaway [default: 10^10 in one block, 10^12 in all]
    #[arg(long, value_name = "INSTRUCTIONS", value_parser = budget)]
    pub budget: Option<u64>,
    /// Host threads of the emulator [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

fn bytes(text: &str) -> Result<u32, String> {
    let bytes = parse_count(text).map_err(|error| error.to_string())?;
    u32::try_from(bytes)
        .ok()
        .filter(|&bytes| bytes <= 1 << 20)
        .ok_or_else(|| format!("{bytes} bytes is more than any GPU has"))
}

fn budget(text: &str) -> Result<u64, String> {
    let budget = parse_count(text).map_err(|error| error.to_string())?;
    if budget == 0 { Err("a budget of 0 runs nothing".to_owned()) } else { Ok(budget) }
}

/// The size of a grid or block along x, y and z.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent(pub [u32; 3]);

impl FromStr for Extent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split(',').collect();
        if parts.len() > 3 {
            return Err(format!("`{text}` has {} numbers; write X, X,Y or X,Y,Z", parts.len()));
        }
        let mut extent = [1; 3];
        for (to, part) in extent.iter_mut().zip(parts) {
            let count = parse_count(part).map_err(|error| error.to_string())?;
            *to = u32::try_from(count)
                .ok()
                .filter(|&count| count > 0 && count <= i32::MAX.cast_unsigned())
                .ok_or_else(|| format!("{count} is outside 1..=2147483647"))?;
        }
        Ok(Self(extent))
    }
}

/// `--dump K=FILE` or `--dump K.B=FILE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dump {
    /// Which argument, from 0.
    pub argument: usize,
    /// Which of its buffers, from 0.
    pub buffer: usize,
    /// Where to.
    pub file: PathBuf,
}

impl FromStr for Dump {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("`{text}` is not of the form K=FILE or K.B=FILE, counted from 0");
        let (place, file) = text.split_once('=').ok_or_else(bad)?;
        if file.is_empty() {
            return Err(bad());
        }
        let (argument, buffer) = place.split_once('.').unwrap_or((place, "0"));
        let number = |text: &str| text.trim().parse().map_err(|_| bad());
        Ok(Self { argument: number(argument)?, buffer: number(buffer)?, file: file.into() })
    }
}
