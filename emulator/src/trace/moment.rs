//! What a step shows: plain data. Masks of lanes have bit `n` for lane `n`.

use serde::{Deserialize, Serialize};

use crate::program::ValueType;
use crate::trace::access::Access;
use crate::trace::capture::Registers;
use crate::trace::step::Marks;

/// Where an instruction is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Place {
    /// Its word: `ld.global.u32`.
    pub word: String,
    /// Line in the PTX, from 1.
    pub ptx_line: u32,
    /// CUDA source file and line, where `.loc` says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<(String, u32)>,
}

impl Place {
    /// The line that a reader looks at: of the source, else of the PTX.
    pub fn line(&self) -> u32 {
        self.source.as_ref().map_or(self.ptx_line, |(_, line)| *line)
    }

    /// `line 12`. Where a kernel ends without an instruction there is no line.
    pub(crate) fn in_words(&self) -> String {
        match self.line() {
            0 => "the end".to_owned(),
            line => format!("line {line}"),
        }
    }
}

/// A branch whose lanes part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parting {
    /// Lanes that jump, and where to.
    pub taken: u32,
    /// Where they go on.
    pub to: Place,
    /// Lanes that go on behind the branch.
    pub other: u32,
    /// Where they go on.
    pub behind: Place,
    /// Of all these, the lanes that go straight to where the paths meet, and wait there.
    pub waiting: u32,
}

/// Why lanes of the warp do not run this instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// They parted and wait where the paths meet.
    Reconvergence,
    /// They parted and run later, from here on.
    Later,
    /// They wait at a barrier of the block.
    Barrier,
    /// They wait at the barrier of the cluster.
    Cluster,
    /// They wait for other lanes of the warp, which a `.sync` instruction names.
    Lanes,
}

/// Lanes of the warp that are elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// The lanes.
    pub lanes: u32,
    /// Why they do not run this instruction.
    pub why: Why,
    /// Where they wait or go on.
    pub at: Place,
}

/// A place where lanes that parted meet again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Level {
    /// Where they meet.
    pub at: Place,
    /// Lanes that meet there.
    pub expected: u32,
    /// Of these, the lanes that wait there.
    pub waiting: u32,
}

/// What a warp of the block does at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WarpState {
    /// It runs the step.
    Running,
    /// It can run, and another warp has its turn.
    Ready,
    /// Its next instruction needs a value that a load has not brought: on a GPU it waits.
    Memory,
    /// All of its lanes wait at a barrier of the block.
    Barrier,
    /// All of its lanes wait at the barrier of the cluster.
    Cluster,
    /// All of its lanes wait for lanes of the warp.
    Lanes,
    /// All of its lanes have ended.
    Exited,
}

/// A warp of the block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarpView {
    /// What it does.
    pub state: WarpState,
    /// Lanes that have not ended.
    pub live: u32,
    /// Its next instruction, or the one where it waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Place>,
}

/// Who is at a barrier of the block. The masks are those of its warps, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gathering {
    /// Its number, 0 for `__syncthreads()`.
    pub barrier: u32,
    /// Lanes that have come, those of this step among them.
    pub there: Vec<u32>,
    /// Lanes that live and have not come.
    pub missing: Vec<u32>,
}

/// A register that the instruction names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Value {
    /// Its name in the PTX: `%rd4`.
    pub name: String,
    /// What it holds in terms of the source, where the PTX tells: a parameter, `threadIdx.x`, or
    /// a variable whose address it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What its bits mean.
    pub ty: ValueType,
    /// Its bits in each lane after the step; a predicate is 0 or 1.
    pub lanes: [u64; 32],
    /// Its bits in each lane before the step.
    pub before: [u64; 32],
    /// Lanes where the step changed it.
    pub changed: u32,
    /// Whether the instruction writes it.
    pub written: bool,
}

/// What a step costs, by the emulator's counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StepCost {
    /// 32-byte sectors of global memory.
    pub sectors: u64,
    /// 32-byte sectors of local memory.
    pub local_sectors: u64,
    /// Passes through the banks of shared memory.
    pub passes: u64,
    /// Of these, passes beyond those that the width takes anyway.
    pub conflicts: u64,
    /// Of an atomic on global memory: distinct addresses.
    pub addresses: u64,
    /// Of an atomic on global memory: lanes on the address that most share.
    pub deepest: u64,
    /// Of an atomic on global memory: passes at L2.
    pub l2_passes: u64,
}

/// All about one step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    /// Its index in the trace, from 0.
    pub step: usize,
    /// The warp of the block.
    pub warp: usize,
    /// Index of the instruction in the kernel.
    pub instruction: usize,
    /// Where it is.
    pub place: Place,
    /// What stands out.
    pub marks: Marks,
    /// Calls that it is inside of.
    pub depth: u8,
    /// Lanes that came to it together.
    pub active: u32,
    /// Of these, the lanes where its guard holds. Of a branch, all.
    pub executing: u32,
    /// Lanes of the warp that have ended, or that the block does not have.
    pub exited: u32,
    /// How its lanes part, if they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parting: Option<Parting>,
    /// Of a branch whose lanes do not part: where they go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goes_on: Option<Place>,
    /// The other lanes of the warp.
    pub groups: Vec<Group>,
    /// Where the active lanes meet others, from the innermost place on.
    pub stack: Vec<Level>,
    /// All warps of the block.
    pub warps: Vec<WarpView>,
    /// The registers that it names.
    pub values: Vec<Value>,
    /// Its access to memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<Access>,
    /// The barrier that it comes to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub barrier: Option<Gathering>,
    /// What it prints: lane after lane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printed: Option<String>,
    /// What it costs.
    pub cost: StepCost,
    /// Why it trapped, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trap: Option<String>,
    /// What happens and what it costs, in a sentence.
    pub sentence: String,
    /// All registers of the warp, before and after.
    #[serde(skip)]
    pub(crate) registers: [Registers; 2],
}

impl Moment {
    /// The same without registers that it does not name: as a file gives it back.
    #[must_use]
    pub fn shown(self) -> Self {
        Self { registers: Default::default(), ..self }
    }

    /// The stack in words, one line per place, the innermost first: `lanes 0–15 wait at line
    /// 91 for lanes 16–31`. Empty where the lanes have not parted.
    pub fn stack_in_words(&self) -> Vec<String> {
        use crate::trace::words::lanes_in_words as words;
        let line = |level: &Level| {
            let Level { at, expected, waiting } = level;
            let (line, coming) = (at.in_words(), expected & !waiting);
            if *waiting == 0 {
                return format!("{} meet at {line}", words(*expected));
            }
            let wait = if waiting.is_power_of_two() { "waits" } else { "wait" };
            format!("{} {wait} at {line} for {}", words(*waiting), words(coming))
        };
        self.stack.iter().map(line).collect()
    }
}
