//! A kernel in executable form: ops in basic blocks, and what each PTX
//! instruction was.

use super::collective::Collective;
use super::op::{Inst, Slot, Terminator};

/// A kernel, ready to launch.
#[derive(Debug)]
pub struct Kernel {
    pub(super) name: String,
    /// File that traps name when an instruction has no source line.
    pub(super) path: String,
    pub(super) files: Vec<(u32, String)>,
    pub(super) params: Vec<ParamLayout>,
    /// Statically allocated shared memory; dynamic memory follows it.
    pub(super) static_shared: u64,
    pub(super) insts: Vec<Inst>,
    pub(super) blocks: Vec<Block>,
    /// Every PTX instruction, in the order of the text.
    pub(super) instructions: Vec<Instruction>,
    /// Every memory access, barrier and trap: what counters and messages hang on.
    pub(super) sites: Vec<Site>,
    /// Exchanges among the lanes of a warp.
    pub(super) collectives: Vec<Collective>,
    pub(super) slots32: usize,
    pub(super) slots64: usize,
    pub(super) preds: usize,
    /// Slots that are filled before a block starts.
    pub(super) fills: Vec<Fill>,
    /// Whether some atomic's old value is used: results may then depend on the
    /// order in which threads run.
    pub(super) schedule_dependent: bool,
    /// Whether it may wait for other threads by reading memory again and again.
    pub(super) polls: bool,
}

/// Where a parameter's value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ParamLayout {
    /// Size in bytes, at most 8.
    pub(super) bytes: u32,
}

/// A basic block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    /// First op in [`Kernel::insts`].
    pub(super) first: u32,
    /// One past the last op.
    pub(super) end: u32,
    pub(super) terminator: Terminator,
    /// First PTX instruction, and how many there are.
    pub(super) ptx: (u32, u32),
}

/// A PTX instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Instruction {
    /// Its text, as far as messages need it: `atom.global.add.u32`.
    pub(super) word: String,
    /// Line in the PTX.
    pub(super) line: u32,
    /// `.file` number and line in the CUDA source; line 0 if unknown.
    pub(super) source: (u32, u32),
}

/// A place that counts and traps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Site {
    pub(super) kind: SiteKind,
    /// Index in [`Kernel::instructions`].
    pub(super) instruction: u32,
    /// Bytes added to the address.
    pub(super) offset: i64,
    /// For an atomic: it adds the constant 1 and nobody reads the old value, so
    /// that shared memory combines lanes on one word.
    pub(super) increments: bool,
}

/// What a site does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SiteKind {
    Load,
    Store,
    Atomic,
    Barrier,
    /// Lanes of a warp exchange values.
    Exchange,
    Trap,
}

/// A slot and what it holds before a block starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fill {
    pub(super) slot: Slot,
    pub(super) wide: bool,
    pub(super) value: FillValue,
}

/// What a filled slot holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum FillValue {
    /// The same in every lane.
    Constant(u64),
    /// Bytes of a parameter, from `offset` on.
    Param { index: u16, offset: u16, bytes: u8 },
    /// A special register.
    Special(Special),
}

/// Special registers with a value that does not change while a block runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Special {
    /// `%tid`, by axis.
    Thread(u8),
    /// `%ntid`.
    BlockExtent(u8),
    /// `%ctaid`.
    Block(u8),
    /// `%nctaid`.
    GridExtent(u8),
    /// `%laneid`.
    Lane,
    /// `%warpid`.
    Warp,
    /// `%nwarpid`.
    Warps,
    /// `%lanemask_eq`, `lt`, `le`, `gt`, `ge`.
    MaskEqual,
    MaskLess,
    MaskLessEqual,
    MaskGreater,
    MaskGreaterEqual,
    /// `%dynamic_smem_size`.
    DynamicShared,
    /// `%total_smem_size`.
    TotalShared,
}

impl Kernel {
    /// Name of the entry point.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of parameters.
    pub fn params(&self) -> usize {
        self.params.len()
    }

    /// File and line that a site's messages name: the CUDA source where `.loc`
    /// says so, else the PTX.
    pub(super) fn place(&self, site: u16) -> (String, u32) {
        let instruction = &self.instructions[self.sites[usize::from(site)].instruction as usize];
        let (file, line) = instruction.source;
        match self.files.iter().find(|(number, _)| *number == file) {
            Some((_, name)) if line != 0 => (name.clone(), line),
            _ => (self.path.clone(), instruction.line),
        }
    }

    /// The PTX word at a site.
    pub(super) fn word(&self, site: u16) -> &str {
        &self.instructions[self.sites[usize::from(site)].instruction as usize].word
    }
}
