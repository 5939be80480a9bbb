//! The syntax tree: what a PTX file says, with nothing interpreted.

use super::Position;

/// A PTX file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Module<'a> {
    /// `.version`, as (major, minor).
    pub version: (u32, u32),
    /// First word of `.target`, such as `sm_50`.
    pub target: &'a str,
    /// `.address_size` in bits.
    pub address_size: u32,
    /// `.file` numbers and names.
    pub files: Vec<(u32, &'a str)>,
    /// Variables and functions in the order of the text.
    pub items: Vec<Item<'a>>,
}

/// Something declared at module scope.
#[derive(Debug, Clone, PartialEq)]
pub enum Item<'a> {
    /// `.global`, `.shared`, `.const` data.
    Variable(Variable<'a>),
    /// `.entry` or `.func`.
    Function(Function<'a>),
}

/// A state space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Space {
    /// Registers.
    Reg,
    /// Device memory.
    Global,
    /// Per block.
    Shared,
    /// Per thread.
    Local,
    /// Read-only data.
    Const,
    /// Parameters.
    Param,
    /// Any of them, told apart by address.
    Generic,
}

/// A declared variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable<'a> {
    /// Where it lives.
    pub space: Space,
    /// Name.
    pub name: &'a str,
    /// Element type, such as `b8` or `u32`.
    pub ty: &'a str,
    /// `.align`, in bytes, if given.
    pub align: Option<u32>,
    /// Elements; `None` for `[]`, whose size the launch decides.
    pub count: Option<u64>,
    /// Initial element values, if given.
    pub init: Vec<Operand<'a>>,
    /// Whether it is `.extern`.
    pub external: bool,
    /// Where.
    pub position: Position,
}

/// A parameter of a function.
#[derive(Debug, Clone, PartialEq)]
pub struct Param<'a> {
    /// Name.
    pub name: &'a str,
    /// Element type.
    pub ty: &'a str,
    /// `.align`, in bytes, if given.
    pub align: Option<u32>,
    /// Elements: 1 unless an array.
    pub count: u64,
    /// Whether it is passed in a register: `.reg` instead of `.param`.
    pub register: bool,
}

/// What a kernel says about clusters of blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cluster {
    /// `.reqnctapercluster`: blocks of a cluster along x, y and z.
    pub blocks: Option<[u32; 3]>,
    /// `.explicitcluster`: the launch has to give the size, if the kernel does not.
    pub explicit: bool,
    /// `.maxclusterrank`: most blocks of a cluster.
    pub most: Option<u32>,
    /// Where.
    pub position: Position,
}

/// `.entry` or `.func`.
#[derive(Debug, Clone, PartialEq)]
pub struct Function<'a> {
    /// Name.
    pub name: &'a str,
    /// Whether it is an `.entry`, which can be launched.
    pub entry: bool,
    /// Return parameters of a `.func`.
    pub returns: Vec<Param<'a>>,
    /// Parameters.
    pub params: Vec<Param<'a>>,
    /// What it says about clusters of blocks, if anything.
    pub cluster: Option<Cluster>,
    /// Statements; `None` for a declaration without a body.
    pub body: Option<Vec<Statement<'a>>>,
    /// Where.
    pub position: Position,
}

impl<'a> Function<'a> {
    /// The instructions of its body.
    pub fn instructions(&self) -> impl Iterator<Item = &Instruction<'a>> {
        self.body.iter().flatten().filter_map(|statement| match statement {
            Statement::Instruction(instruction) => Some(instruction),
            _ => None,
        })
    }

    /// The variables of its body.
    pub fn variables(&self) -> impl Iterator<Item = &Variable<'a>> {
        self.body.iter().flatten().filter_map(|statement| match statement {
            Statement::Variable(variable) => Some(variable),
            _ => None,
        })
    }
}

/// Something inside a body.
#[derive(Debug, Clone, PartialEq)]
pub enum Statement<'a> {
    /// `.reg` declaration.
    Registers(RegisterDecl<'a>),
    /// `.shared` or `.local` variable of the function.
    Variable(Variable<'a>),
    /// `name:`.
    Label(&'a str, Position),
    /// An instruction.
    Instruction(Instruction<'a>),
    /// `.branchtargets`: the labels that the label before it stands for.
    BranchTargets(Vec<&'a str>),
    /// `.pragma`: its first string, such as `nounroll`.
    Pragma(&'a str),
    /// `{`: names declared up to the matching end are only known inside.
    ScopeStart,
    /// `}`.
    ScopeEnd,
}

/// `.reg .b32 %r<15>;`, `.reg .b32 a;` or `.reg .v4 .f32 v;`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegisterDecl<'a> {
    /// Type, such as `b32`.
    pub ty: &'a str,
    /// Elements of a vector: 2 or 4; 1 of any other register.
    pub elements: u8,
    /// Name, or prefix of the names.
    pub name: &'a str,
    /// With `<n>`: names are the prefix followed by 0 to n-1.
    pub count: Option<u32>,
    /// Where.
    pub position: Position,
}

/// A line of CUDA source that an instruction comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SourceLine {
    /// `.file` number.
    pub file: u32,
    /// Line, from 1; 0 where the compiler names none.
    pub line: u32,
}

/// `@%p` or `@!%p`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard<'a> {
    /// The predicate register.
    pub register: &'a str,
    /// Whether the instruction runs where the predicate is false.
    pub negated: bool,
}

/// An instruction.
#[derive(Debug, Clone, PartialEq)]
pub struct Instruction<'a> {
    /// Its guard, if any.
    pub guard: Option<Guard<'a>>,
    /// First part of the word: `ld`.
    pub opcode: &'a str,
    /// The whole word: `ld.global.u32`.
    pub word: &'a str,
    /// Operands in order.
    pub operands: Vec<Operand<'a>>,
    /// Where in the PTX.
    pub position: Position,
    /// Where in the CUDA source, if `.loc` says so.
    pub source: Option<SourceLine>,
}

impl<'a> Instruction<'a> {
    /// The parts of the word after the opcode: `global`, `u32`.
    pub fn modifiers(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.word.split('.').skip(1)
    }

    /// Whether the word has this part.
    pub fn has(&self, modifier: &str) -> bool {
        self.modifiers().any(|part| part == modifier)
    }
}

/// `[base + offset]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address<'a> {
    /// Register or symbol; `None` for an absolute address.
    pub base: Option<&'a str>,
    /// Bytes added to it.
    pub offset: i64,
}

/// An operand.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand<'a> {
    /// A register, symbol, label or special register.
    Name(&'a str),
    /// An element of a register that is a vector: `v.y` is element 1 of `v`. The parser
    /// leaves `v.y` a name, since special registers look the same.
    Element(&'a str, u8),
    /// `!%p`.
    Not(&'a str),
    /// `%p|%q`: two destinations.
    Pair(&'a str, &'a str),
    /// An integer, as 64 bits two's complement.
    Int(u64),
    /// Bits of a 32-bit float.
    Float32(u32),
    /// Bits of a 64-bit float.
    Float64(u64),
    /// `[base + offset]`.
    Address(Address<'a>),
    /// `{a, b}`.
    Vector(Vec<Operand<'a>>),
    /// `(a, b)`: argument and result lists of a call.
    List(Vec<Operand<'a>>),
    /// `name + offset` or `generic(name)`: an address as a value.
    Symbol {
        /// The symbol.
        name: &'a str,
        /// Bytes added to it.
        offset: i64,
        /// Whether `generic()` is around it.
        generic: bool,
    },
}

impl<'a> Operand<'a> {
    /// Calls `f` with every name in it.
    pub fn each_name(&self, f: &mut impl FnMut(&'a str)) {
        match self {
            Self::Name(name)
            | Self::Element(name, _)
            | Self::Not(name)
            | Self::Symbol { name, .. } => f(name),
            Self::Pair(a, b) => [a, b].into_iter().for_each(|name| f(name)),
            Self::Address(address) => address.base.into_iter().for_each(f),
            Self::Vector(parts) | Self::List(parts) => {
                for part in parts {
                    part.each_name(f);
                }
            }
            Self::Int(_) | Self::Float32(_) | Self::Float64(_) => {}
        }
    }
}
