//! `--trace BLOCK:WARP`: the steps of one warp, for `exec` and `run`.

use std::io::Write;
use std::ops::Range;
use std::str::FromStr;

use anyhow::bail;
use clap::Args;

use super::Exit;
use crate::export::trace::{MOST_STEPS, TraceFile, text};
use crate::units::parse_count;
use crate::work::Dim3;
use crate::work::trace::{Ending, Trace};

/// Steps of a listing unless others are asked for.
const SHOWN: usize = 1000;

/// The options of a trace.
#[derive(Debug, Clone, Args)]
pub struct TraceOptions {
    /// List each step of one warp on the emulator: block and warp from 0, as 0:3 or 1,2:0.
    /// With --json, as one JSON object
    #[arg(long, value_name = "BLOCK:WARP")]
    pub trace: Option<BlockWarp>,
    /// Steps of the warp to list, from 0 [default: the first 1000]
    #[arg(long, value_name = "FIRST..END", requires = "trace")]
    pub steps: Option<Steps>,
}

/// `BLOCK:WARP`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockWarp {
    block: BlockIndex,
    /// The warp of the block.
    pub warp: usize,
}

/// A block of the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlockIndex {
    /// Its number, x first.
    Number(u64),
    /// Along x, y and z.
    Place([u32; 3]),
}

impl FromStr for BlockWarp {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("`{text}` is not of the form BLOCK:WARP, as 0:3 or 1,2:0");
        let (block, warp) = text.split_once(':').ok_or_else(bad)?;
        let warp = warp.parse().map_err(|_| bad())?;
        let block = if block.contains(',') {
            let mut place = [0; 3];
            let parts: Vec<&str> = block.split(',').collect();
            if parts.len() > 3 {
                return Err(bad());
            }
            for (to, part) in place.iter_mut().zip(parts) {
                *to = part.parse().map_err(|_| bad())?;
            }
            BlockIndex::Place(place)
        } else {
            BlockIndex::Number(parse_count(block).map_err(|_| bad())?)
        };
        Ok(Self { block, warp })
    }
}

impl BlockWarp {
    /// The number of the block in a launch of this shape.
    ///
    /// # Errors
    /// If the grid has no such block or the block no such warp.
    pub(super) fn find(self, grid: Dim3, block: Dim3) -> anyhow::Result<u64> {
        let warps = block.count().div_ceil(32);
        if self.warp as u64 >= warps {
            bail!(
                "--trace: there is no warp {}: a block of {} threads has {warps} warps, numbered \
                 from 0",
                self.warp,
                block.count()
            );
        }
        let Dim3 { x, y, z } = grid;
        let shape = format!("{x}x{y}x{z}");
        match self.block {
            BlockIndex::Number(number) if number < grid.count() => Ok(number),
            BlockIndex::Number(number) => bail!(
                "--trace: there is no block {number}: the grid of {shape} has {} blocks, numbered \
                 from 0",
                grid.count()
            ),
            BlockIndex::Place([i, j, k]) if i < x && j < y && k < z => {
                Ok((u64::from(k) * u64::from(y) + u64::from(j)) * u64::from(x) + u64::from(i))
            }
            BlockIndex::Place([i, j, k]) => {
                bail!("--trace: there is no block ({i}, {j}, {k}) in a grid of {shape} blocks")
            }
        }
    }
}

/// `FIRST..END`, or one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Steps(Range<usize>);

impl FromStr for Steps {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("`{text}` is not of the form FIRST..END, as 0..200");
        let (first, end) = text.split_once("..").ok_or_else(bad)?;
        let number = |text: &str, default: usize| match text {
            "" => Ok(default),
            text => parse_count(text).ok().and_then(|it| it.try_into().ok()).ok_or_else(bad),
        };
        let first = number(first, 0)?;
        let end = number(end, first.saturating_add(SHOWN))?;
        if end <= first {
            return Err(format!("`{text}` names no step: END comes after FIRST"));
        }
        if end - first > MOST_STEPS {
            return Err(format!("`{text}` are {} steps; at most {MOST_STEPS}", end - first));
        }
        Ok(Self(first..end))
    }
}

impl TraceOptions {
    /// The first step that is asked for.
    pub(super) fn first(&self) -> usize {
        self.steps.as_ref().map_or(0, |Steps(steps)| steps.start)
    }
}

/// Prints the steps that are asked for.
pub(super) fn print(
    options: &TraceOptions,
    warp: usize,
    trace: &mut Trace,
    json: bool,
    out: &mut impl Write,
) -> anyhow::Result<Exit> {
    let Steps(steps) = options.steps.clone().unwrap_or(Steps(0..SHOWN));
    let file = TraceFile::new(trace, warp, steps.clone());
    if file.steps.is_empty() && options.steps.is_some() {
        bail!(no_steps(steps.start, steps.end, file.warp_steps));
    }
    if json {
        file.write(out)?;
    } else {
        out.write_all(text(&file).as_bytes())?;
    }
    Ok(exit(trace.ending()))
}

/// The exit code tells whether the block trapped.
pub(super) fn exit(ending: &Ending) -> Exit {
    match ending {
        Ending::Trapped(_) => Exit::Trapped,
        Ending::Finished | Ending::Full => Exit::Fine,
    }
}

/// Why there are no such steps.
pub(super) fn no_steps(first: usize, end: usize, known: usize) -> String {
    format!("--steps {first}..{end}: the warp has {known} steps, numbered from 0")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_named_by_number_or_place() {
        let grid = Dim3 { x: 4, y: 3, z: 2 };
        let find = |text: &str| {
            let wanted: BlockWarp = text.parse().unwrap();
            wanted.find(grid, Dim3::linear(96)).map_err(|error| error.to_string())
        };
        assert_eq!(find("7:2").unwrap(), 7);
        assert_eq!(find("3,2,1:0").unwrap(), 23);
        assert_eq!(find("1,1:0").unwrap(), 5);
        assert!(find("24:0").unwrap_err().contains("no block 24: the grid of 4x3x2 has 24"));
        assert!(find("4,0:0").unwrap_err().contains("no block (4, 0, 0)"));
        assert!(find("0:3").unwrap_err().contains("no warp 3: a block of 96 threads has 3"));
        for bad in ["", "3", "a:0", "0:", "0:-1", "1,2,3,4:0", "0:0:0"] {
            assert!(bad.parse::<BlockWarp>().is_err(), "{bad}");
        }
    }

    #[test]
    fn ranges_of_steps_are_bounded() {
        let range = |text: &str| text.parse::<Steps>().map(|Steps(range)| range);
        assert_eq!(range("5..10"), Ok(5..10));
        assert_eq!(range("5.."), Ok(5..1005));
        assert_eq!(range("..10"), Ok(0..10));
        for bad in ["5", "5..5", "9..3", "0..1000000", "a..b"] {
            assert!(range(bad).is_err(), "{bad}");
        }
    }
}
