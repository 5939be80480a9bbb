//! Steps of one warp of a traced block, as JSON and as text.

mod listing;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;

pub use listing::text;
use serde::{Deserialize, Serialize};

use crate::work::Trap;
use crate::work::trace::{Ending, Moment, Trace};

/// What `format` says in every file.
pub const FORMAT: &str = "warpscope-trace";

/// Version of the format: a program reads its own and no later one.
pub const VERSION: u32 = 1;

/// Most steps of a file or a listing.
pub const MOST_STEPS: usize = 100_000;

/// Steps that are looked at together.
const AT_ONCE: usize = 4096;

/// How the recording ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "kebab-case")]
pub enum End {
    /// With the block.
    Finished,
    /// With a trap.
    Trapped {
        /// The trap.
        trap: Trap,
    },
    /// At the memory limit of a trace: the block goes on after the last step.
    MemoryLimit,
}

impl From<&Ending> for End {
    fn from(ending: &Ending) -> Self {
        match ending {
            Ending::Finished => Self::Finished,
            Ending::Trapped(trap) => Self::Trapped { trap: trap.as_ref().clone() },
            Ending::Full => Self::MemoryLimit,
        }
    }
}

/// The file: `docs/cli.md` describes its fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceFile {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The kernel.
    pub kernel: String,
    /// Blocks of the grid along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y and z.
    pub threads: [u32; 3],
    /// The block along x, y and z.
    pub block: [u32; 3],
    /// The warp, and how many the block has.
    pub warp: usize,
    /// Warps of the block.
    pub warps: usize,
    /// Steps of all warps that were recorded.
    pub block_steps: usize,
    /// Steps of this warp that were recorded.
    pub warp_steps: usize,
    /// Number of the first step in `steps` among those of the warp, from 0.
    pub first: usize,
    /// How the recording ended.
    pub ending: End,
    /// Counters of the whole block, by name.
    pub counters: BTreeMap<String, u64>,
    /// The steps.
    pub steps: Vec<Moment>,
}

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is not JSON of this form.
    #[error("this is no trace: {0}")]
    Json(#[from] serde_json::Error),
    /// It is something else, or from a later version of the program.
    #[error("`{format}` version {version}: this program reads `{FORMAT}` version {VERSION}")]
    Version {
        /// Its format.
        format: String,
        /// Its version.
        version: u32,
    },
}

impl TraceFile {
    /// Some steps of a warp, counted among those of the warp.
    pub fn new(trace: &mut Trace, warp: usize, steps: Range<usize>) -> Self {
        let of_warp = numbers(trace, warp);
        let first = steps.start.min(of_warp.len());
        let end = steps.end.clamp(first, of_warp.len()).min(first + MOST_STEPS);
        let steps = moments(trace, warp, &of_warp[first..end]);
        let extent = |dim: crate::work::Dim3| [dim.x, dim.y, dim.z];
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            kernel: trace.kernel().name().to_owned(),
            grid: extent(trace.setup().grid),
            threads: extent(trace.setup().block),
            block: trace.block(),
            warp,
            warps: trace.warps(),
            block_steps: trace.steps().len(),
            warp_steps: of_warp.len(),
            first,
            ending: End::from(trace.ending()),
            counters: trace.counters().named(),
            steps,
        }
    }

    /// Writes it as one line of JSON.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, self).map_err(io::Error::from)?;
        out.write_all(b"\n")
    }

    /// Reads it back.
    pub fn read(text: &str) -> Result<Self, ReadError> {
        /// What every version has.
        #[derive(Deserialize)]
        struct Head {
            format: String,
            version: u32,
        }
        let Head { format, version } = serde_json::from_str(text)?;
        if format != FORMAT || version != VERSION {
            return Err(ReadError::Version { format, version });
        }
        Ok(serde_json::from_str(text)?)
    }
}

/// The steps of a warp, as their numbers in the trace.
fn numbers(trace: &Trace, warp: usize) -> Vec<usize> {
    let all = trace.steps().iter().enumerate();
    all.filter(|(_, step)| usize::from(step.warp) == warp).map(|(number, _)| number).collect()
}

/// All about these steps of a warp, which are in order.
fn moments(trace: &mut Trace, warp: usize, steps: &[usize]) -> Vec<Moment> {
    let mut all = Vec::with_capacity(steps.len());
    for some in steps.chunks(AT_ONCE) {
        if let (Some(&first), Some(&last)) = (some.first(), some.last()) {
            all.append(&mut trace.moments(first..last + 1, Some(warp)));
        }
    }
    all
}
