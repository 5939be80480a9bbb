//! A kernel in executable form: ops in basic blocks, and what each PTX
//! instruction was.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::program::bulk::Bulk;
use crate::program::data::Data;
use crate::program::exchange::Collective;
use crate::program::machine_code::MachineCode;
use crate::program::matrix::{Matrix, Tile};
use crate::program::op::{Inst, NOWHERE, Op, Slot, Terminator, Transfer, Window};
use crate::program::operands::Register;
use crate::program::quick::Quick;
use crate::program::scope::Scopes;
use crate::program::tensor::Tensor;

/// A kernel, ready to launch.
#[derive(Debug)]
pub struct Kernel {
    pub(crate) name: String,
    /// File that traps name when an instruction has no source line.
    pub(crate) path: String,
    pub(crate) files: Vec<(u32, String)>,
    pub(crate) params: Vec<ParamLayout>,
    /// Statically allocated shared memory; dynamic memory follows it.
    pub(crate) static_shared: u64,
    /// What it says about clusters of blocks.
    pub(crate) cluster: Clusters,
    pub(crate) insts: Vec<Inst>,
    /// The same, with [`Op::Quick`] where several compute one thing; empty if none do.
    pub(crate) steps: Vec<Inst>,
    pub(crate) quicks: Vec<Quick>,
    /// Per basic block: the block that it goes to, if it may be a short arm of a branch.
    pub(crate) arms: Vec<u32>,
    /// Per op: the PTX instruction that it belongs to, as an index in [`Kernel::instructions`].
    pub(crate) origins: Vec<u32>,
    pub(crate) blocks: Vec<Block>,
    /// Where lanes of a warp meet that others may leave.
    pub(crate) scopes: Scopes,
    /// Every PTX instruction, in the order of the text.
    pub(crate) instructions: Vec<Instruction>,
    /// Every memory access, barrier and trap: what counters and messages hang on.
    pub(crate) sites: Vec<Site>,
    /// Exchanges among the lanes of a warp.
    pub(crate) collectives: Vec<Collective>,
    /// Copies of many bytes.
    pub(crate) bulks: Vec<Bulk>,
    /// Copies of boxes of tensors.
    pub(crate) tensors: Vec<Tensor>,
    /// Fragments of matrices in shared memory.
    pub(crate) tiles: Vec<Tile>,
    /// Exchanges of matrices.
    pub(crate) matrices: Vec<Matrix>,
    /// The kernel itself, then the functions that it can come to.
    pub(crate) functions: Vec<Callable>,
    /// Functions by the number that their address stands for.
    pub(crate) by_address: Vec<Option<u16>>,
    pub(crate) calls: Vec<Call>,
    pub(crate) tables: Vec<Table>,
    pub(crate) services: Vec<Service>,
    /// Slot of the address of the running function's frame.
    pub(crate) stack: Slot,
    pub(crate) data: Data,
    pub(crate) slots32: usize,
    pub(crate) slots64: usize,
    pub(crate) preds: usize,
    /// Slots that are filled before a block starts.
    pub(crate) fills: Vec<Fill>,
    /// Whether some atomic's old value is used: results may then depend on the
    /// order in which threads run.
    pub(crate) schedule_dependent: bool,
    /// Whether it may wait for other threads by reading memory again and again.
    pub(crate) polls: bool,
    /// Whether it may wait for barriers in shared memory by testing them again and again.
    pub(crate) tests: bool,
    /// Its registers by name, if they were asked for.
    pub(crate) registers: Vec<NamedRegister>,
    /// What is known of its machine code.
    pub(crate) code: MachineCode,
    /// The most registers of 32 bits that a function saves on its stack.
    pub(crate) saved: u32,
}

/// A register of the PTX.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamedRegister {
    /// As the PTX writes it: `%rd4`.
    pub(crate) name: String,
    pub(crate) register: Register,
    pub(crate) ty: ValueType,
    /// Number of the function that it belongs to.
    pub(crate) owner: u16,
}

/// What the bits of a register mean, as far as its declaration tells; sizes in bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ValueType {
    /// True or false.
    Predicate,
    /// Anything: `.b32`.
    Bits(u32),
    /// An unsigned integer.
    Unsigned(u32),
    /// A signed integer.
    Signed(u32),
    /// A float.
    Float(u32),
}

/// What a kernel says about clusters of blocks, and what it does in them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Clusters {
    /// Blocks of a cluster along x, y and z, if the kernel fixes them.
    pub(crate) fixed: Option<[u32; 3]>,
    /// Whether the launch has to give a size where the kernel does not.
    pub(crate) explicit: bool,
    /// Most blocks of a cluster.
    pub(crate) most: Option<u32>,
    /// Whether it reaches the shared memory of other blocks, so that addresses of its own tell
    /// whose they are.
    pub(crate) reaches: bool,
    /// Which blocks meet.
    pub(crate) meets: Together,
}

/// Blocks that wait for each other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Together {
    /// None.
    #[default]
    Nobody,
    /// Those of a cluster.
    Cluster,
    /// All of the grid: `grid.sync()`.
    Grid,
}

/// Where a parameter's value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ParamLayout {
    /// Size in bytes.
    pub(crate) bytes: u32,
    /// Where it lies in the constant bank, from its first parameter on.
    pub(crate) offset: u32,
}

impl ParamLayout {
    /// 8-byte words that hold it.
    pub(crate) fn words(self) -> usize {
        self.bytes.div_ceil(8) as usize
    }
}

/// A function that can be called.
#[derive(Debug, Clone)]
pub(crate) struct Callable {
    /// Its first basic block.
    pub(crate) block: u32,
    /// Bytes of local memory that it takes.
    pub(crate) frame: u64,
    /// Registers of 32 bits that it saves in front of its frame.
    pub(crate) saves: u32,
    pub(crate) slots: Slots,
    pub(crate) name: String,
}

/// The register slots of one function.
#[derive(Debug, Clone)]
pub(crate) struct Slots {
    pub(crate) words: Range<usize>,
    pub(crate) doubles: Range<usize>,
    pub(crate) preds: Range<usize>,
}

/// Who is called.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target {
    /// By number.
    Direct(u16),
    /// By the address in a slot.
    Indirect(Slot),
}

/// Bytes that go from one frame to the other; offsets from their starts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Copy {
    pub(crate) caller: u64,
    pub(crate) callee: u64,
    pub(crate) bytes: u64,
}

/// A call.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) target: Target,
    /// Number of the function that calls.
    pub(crate) caller: u16,
    pub(crate) site: u16,
    /// The site of its return.
    pub(crate) restore: u16,
    /// The basic block behind it.
    pub(crate) back: u32,
    /// Bytes that the callee's frame starts behind the caller's.
    pub(crate) advance: u64,
    pub(crate) arguments: Vec<Copy>,
    pub(crate) results: Vec<Copy>,
    /// Whether the caller can run again before the call returns, so that its
    /// registers are saved.
    pub(crate) saves: bool,
}

/// A branch by index.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) slot: Slot,
    pub(crate) site: u16,
    pub(crate) targets: Vec<u32>,
    /// Where the ways meet again.
    pub(crate) reconverge: u32,
}

/// A call that the emulator carries out itself. Numbers are places of the
/// arguments in the frame that slot `stack` points to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Service {
    /// `vprintf(format, values)`.
    Print { stack: Slot, format: u64, values: u64, result: Option<u64>, site: u16 },
    /// `__assertfail(message, file, line, function, size)`.
    Assert { stack: Slot, message: u64, file: u64, line: u64, function: u64, site: u16 },
}

/// A basic block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block {
    /// First op in [`Kernel::insts`].
    pub(crate) first: u32,
    /// One past the last op.
    pub(crate) end: u32,
    pub(crate) terminator: Terminator,
    /// First PTX instruction, and how many there are.
    pub(crate) ptx: (u32, u32),
}

/// A PTX instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Instruction {
    /// Its text, as far as messages need it: `atom.global.add.u32`.
    pub(crate) word: String,
    /// Line in the PTX.
    pub(crate) line: u32,
    /// `.file` number and line in the CUDA source; line 0 if unknown.
    pub(crate) source: (u32, u32),
}

/// A place that counts and traps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Site {
    pub(crate) kind: SiteKind,
    /// Index in [`Kernel::instructions`].
    pub(crate) instruction: u32,
    /// Bytes added to the address.
    pub(crate) offset: i64,
    /// For an atomic: it adds the constant 1 and nobody reads the old value, so
    /// that shared memory combines lanes on one word.
    pub(crate) increments: bool,
    /// For an atomic: when its machine code sends one for all lanes together.
    pub(crate) combines: Combines,
    /// No counter sees it.
    pub(crate) silent: bool,
    /// It moves rows of matrices: each group of 8 lanes takes passes of its own.
    pub(crate) rows: bool,
}

/// When an atomic of a warp, all of whose lanes are on one address, becomes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Combines {
    Never,
    Always,
    /// Only where all 32 lanes take part.
    WholeWarp,
}

/// What a site does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SiteKind {
    Load,
    Store,
    Atomic,
    Barrier,
    /// Lanes of a warp exchange values.
    Exchange,
    /// A call: what its function saves on the stack.
    Save,
    /// The return from it: what its function loads again.
    Restore,
    Trap,
}

/// A slot and what it holds before a block starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fill {
    pub(crate) slot: Slot,
    pub(crate) wide: bool,
    pub(crate) value: FillValue,
}

/// What a filled slot holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum FillValue {
    /// The same in every lane.
    Constant(u64),
    /// Bytes of a parameter, from `offset` on.
    Param { index: u16, offset: u16, bytes: u8 },
    /// An address in shared memory of the first block of a cluster, moved to the running one's.
    Shared(u64),
    /// A special register.
    Special(Special),
    /// `fours` for every four lanes before, and `rest` for each lane after those.
    Quarters { fours: u64, rest: u64 },
}

/// Special registers with a value that does not change while a block runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Special {
    /// `%tid`, by axis.
    Thread(u8),
    /// `%ntid`.
    BlockExtent(u8),
    /// `%ctaid`.
    Block(u8),
    /// `%nctaid`.
    GridExtent(u8),
    /// `%clusterid`.
    Cluster(u8),
    /// `%nclusterid`.
    ClusterGridExtent(u8),
    /// `%cluster_ctaid`.
    BlockInCluster(u8),
    /// `%cluster_nctaid`.
    ClusterExtent(u8),
    /// `%cluster_ctarank`.
    ClusterRank,
    /// `%cluster_nctarank`.
    ClusterSize,
    /// `%is_explicit_cluster`.
    InCluster,
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
    /// Start of the running function's frame: 0 until something is called.
    Stack,
    /// `%smid`: blocks go round the multiprocessors.
    Multiprocessor,
}

/// A PTX instruction: its text and where it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InstructionPlace<'k> {
    /// Its word: `ld.global.u32`.
    pub word: &'k str,
    /// Line in the PTX.
    pub ptx_line: u32,
    /// CUDA source file and line, where `.loc` says so.
    pub source: Option<(&'k str, u32)>,
}

/// The value of `%nsmid`: the multiprocessors of an H200.
pub(crate) const MULTIPROCESSORS: u32 = 132;

/// Frames, and every variable that is passed, start at multiples of this.
pub(crate) const FRAME_ALIGN: u64 = 16;

/// Registers that a function saves which calls itself, where nobody has seen its machine code:
/// as many as most do, of the 16 that a function has to keep.
pub(crate) const SAVED: u32 = 12;

impl Kernel {
    /// Bytes of the stack for what any function saves; frames stay aligned.
    pub(crate) fn saved_bytes(&self) -> u64 {
        (4 * u64::from(self.saved)).next_multiple_of(FRAME_ALIGN)
    }

    /// The function that a basic block belongs to.
    pub(crate) fn function_of(&self, block: u32) -> &Callable {
        let after = self.functions.partition_point(|function| function.block <= block);
        &self.functions[after.saturating_sub(1)]
    }

    /// Name of the entry point.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of parameters.
    pub fn params(&self) -> usize {
        self.params.len()
    }

    /// 8-byte words of its arguments: one per parameter of up to 8 bytes, more for a
    /// structure.
    pub fn argument_words(&self) -> usize {
        self.params.iter().map(|param| param.words()).sum()
    }

    /// File and line that a site's messages name: the CUDA source where `.loc`
    /// says so, else the PTX.
    pub(crate) fn place(&self, site: u16) -> (String, u32) {
        self.place_of(self.sites[usize::from(site)].instruction as usize)
    }

    /// The same of a PTX instruction.
    pub(crate) fn place_of(&self, instruction: usize) -> (String, u32) {
        let Some(instruction) = self.instructions.get(instruction) else {
            return (self.path.clone(), 0);
        };
        let (file, line) = instruction.source;
        match self.files.iter().find(|(number, _)| *number == file) {
            Some((_, name)) if line != 0 => (name.clone(), line),
            _ => (self.path.clone(), instruction.line),
        }
    }

    /// The PTX word at a site.
    pub(crate) fn word(&self, site: u16) -> &str {
        &self.instructions[self.sites[usize::from(site)].instruction as usize].word
    }

    /// Why a sample of blocks cannot represent the grid; `None` if blocks are
    /// independent of each other.
    pub fn depends_on_blocks(&self) -> Option<&'static str> {
        if self.takes_turns() {
            return Some("its blocks use what atomics in global memory give back");
        }
        if self.reads_others() {
            return Some("its blocks read what others may be writing");
        }
        if self.cluster.fixed.is_some()
            || self.cluster.reaches
            || self.cluster.meets != Together::Nobody
        {
            return Some(if self.cluster.meets == Together::Grid {
                "its blocks wait for each other"
            } else {
                "its blocks work in clusters"
            });
        }
        None
    }

    /// Whether blocks use what atomics in global memory give back, as where they take their work from
    /// a counter.
    pub(crate) fn takes_turns(&self) -> bool {
        let uses = |op| matches!(op, Op::Atomic { update, .. } if update.window != Window::Shared);
        self.insts.iter().any(|inst| uses(inst.op))
    }

    /// Whether a function may call itself.
    pub fn recurses(&self) -> bool {
        self.calls.iter().any(|call| call.saves)
    }

    /// For each block, where it goes if nothing in it waits for others, so that it may be an
    /// arm that a branch goes around; or else [`NOWHERE`].
    pub(crate) fn find_arms(&self) -> Vec<u32> {
        let waits = |op: Op| matches!(op, Op::Barrier { .. } | Op::Collective { .. });
        let arm = |(block, index): (&Block, u32)| {
            let ops = &self.insts[block.first as usize..block.end as usize];
            match block.terminator {
                Terminator::Jump(to) if to != index && !ops.iter().any(|it| waits(it.op)) => to,
                _ => NOWHERE,
            }
        };
        self.blocks.iter().zip(0..).map(arm).collect()
    }

    /// Whether blocks read memory that other blocks may be writing.
    pub fn reads_others(&self) -> bool {
        self.insts.iter().any(|inst| self.reads_afresh(inst.op))
    }

    /// Whether it reads memory that other blocks may be writing.
    pub(crate) fn reads_afresh(&self, op: Op) -> bool {
        match op {
            Op::Load(Transfer { window, site, .. }) => {
                window != Window::Shared
                    && self.sites[usize::from(site)].kind == SiteKind::Load
                    && self.asks_afresh(site)
            }
            _ => false,
        }
    }

    /// Whether a load wants what is in memory now, whatever a cache near by holds.
    pub(crate) fn asks_afresh(&self, site: u16) -> bool {
        let words = ["volatile", "relaxed", "acquire", "mmio"];
        self.word(site).split('.').any(|word| words.contains(&word))
    }

    /// Whether a modifier is one of those of an access.
    pub(crate) fn has_word(&self, site: u16, wanted: &str) -> bool {
        self.word(site).split('.').any(|word| word == wanted)
    }

    /// Whether a load goes past L1.
    pub(crate) fn goes_past(&self, site: u16) -> bool {
        self.word(site).split('.').any(|word| word == "cg" || word == "cv")
    }

    /// The PTX instruction with this index in `Outcome::instructions`.
    pub fn instruction(&self, index: usize) -> Option<InstructionPlace<'_>> {
        let instruction = self.instructions.get(index)?;
        let (file, line) = instruction.source;
        let name = self.files.iter().find(|(number, _)| *number == file);
        Some(InstructionPlace {
            word: &instruction.word,
            ptx_line: instruction.line,
            source: name.filter(|_| line != 0).map(|(_, name)| (name.as_str(), line)),
        })
    }

    /// Shared memory that the kernel declares itself, in bytes per block.
    pub fn static_shared(&self) -> u64 {
        self.static_shared
    }
}
