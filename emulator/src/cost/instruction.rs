//! What an op becomes on the machine: how many instructions, for which unit.
//!
//! `ptxas` does not translate one by one. The rules are those seen in the
//! machine code of this project's kernels for `sm_90`: moves and address
//! conversions vanish, 64-bit integers take two instructions, a product that is
//! added takes one, a division by a variable about twenty. Rounded quotients and roots
//! branch to a slow way where the quick one does not do. Waits are those that chains of one
//! instruction take on an H200 (`benches/data/h200/chains.csv`).

use crate::machine::Tallies;
use crate::program::{
    Arithmetic, Bits, Elements, Exchange, Factor, Float, Function, Int1, Int2,
    Integer as IntegerType, Kernel, Matrix, Op, Round, Terminator, Window,
};

/// The unit that an instruction goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Sums of integers: two pipes take them.
    Integer,
    /// Integer products.
    Product,
    /// 32-bit floats, pairs of halves.
    Float,
    /// 64-bit floats.
    Double,
    /// Special functions and conversions.
    Special,
    /// Memory of all kinds, and exchanges among lanes.
    Memory,
    /// Branches, barriers.
    Control,
    /// Logic, shifts, comparisons, selections, extremes: one pipe takes them.
    Logic,
    /// Products of matrices, in cycles of a tensor core.
    Matrix,
}

/// How many classes there are.
pub const CLASSES: usize = 9;

/// Machine instructions by class, over a launch.
pub type Mix = [f64; CLASSES];

/// What an op costs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) class: Class,
    /// Machine instructions.
    pub(crate) issue: f32,
    /// Dependent steps.
    pub(crate) waits: f32,
    /// Whether each step is one of a slow unit.
    pub(crate) slow: bool,
    /// Whether it has a branch of its own, for what the quick way cannot do.
    pub(crate) parts: bool,
    /// Machine instructions on floats around one of the special functions, and how many of
    /// them depend on each other: subnormal operands are scaled up and results down.
    pub(crate) scaling: (f32, f32),
    /// Machine instructions beside those of its class: products and special functions.
    pub(crate) beside: (f32, f32),
}

impl Cost {
    /// All machine instructions.
    pub(crate) fn issued(&self) -> f32 {
        self.issue + self.scaling.0 + self.beside.0 + self.beside.1
    }
}

const fn cost(class: Class, issue: f32, waits: f32) -> Cost {
    Cost { class, issue, waits, slow: false, parts: false, scaling: (0.0, 0.0), beside: (0.0, 0.0) }
}

const fn slow(class: Class, issue: f32, waits: f32) -> Cost {
    Cost { slow: true, ..cost(class, issue, waits) }
}

/// A special function: one instruction of its unit, and those that scale.
const fn special(float: Float, flush: bool, scaling: (f32, f32)) -> Cost {
    let scaling = if flush || !matches!(float, Float::F32) { (0.0, 0.0) } else { scaling };
    Cost { scaling, ..slow(Class::Special, 1.0, 1.0) }
}

/// The same, with a branch of its own.
const fn parting(cost: Cost) -> Cost {
    Cost { parts: true, ..cost }
}

/// The same, with products and special functions beside it.
const fn beside(cost: Cost, products: f32, specials: f32) -> Cost {
    Cost { beside: (products, specials), ..cost }
}

/// The cost of one op.
#[allow(clippy::match_same_arms, reason = "a table, by what ops do")]
pub(crate) fn of(op: Op) -> Cost {
    use Class::{Control, Double, Float as F32, Integer, Logic, Memory, Product, Special};
    match op {
        Op::Move32 { .. } | Op::Move64 { .. } | Op::MovePred { .. } | Op::Truncate { .. } => {
            cost(Integer, 0.0, 0.0)
        }
        Op::Binary32 { f, .. } => match f {
            // The reciprocal of the divisor as a float, made exact; signs take some more.
            Int2::DivU | Int2::RemU => beside(slow(Logic, 9.0, 3.4), 5.0, 3.0),
            Int2::DivS | Int2::RemS => beside(slow(Logic, 14.0, 3.8), 5.0, 3.0),
            Int2::MulLow | Int2::MulHighU | Int2::MulHighS => cost(Product, 1.0, 1.0),
            Int2::Add | Int2::Sub => cost(Integer, 1.0, 1.0),
            _ => cost(Logic, 1.0, 1.0),
        },
        Op::Binary64 { f, .. } => match f {
            f if f.divides() => parting(beside(slow(Logic, 55.0, 18.8), 32.0, 3.0)),
            Int2::MulLow | Int2::MulHighU | Int2::MulHighS => cost(Product, 4.0, 4.2),
            Int2::Add | Int2::Sub => cost(Integer, 2.0, 2.0),
            _ => cost(Logic, 2.0, 1.2),
        },
        Op::Unary64 { .. } => cost(Integer, 2.0, 2.0),
        Op::Count64 { .. } => slow(Special, 2.0, 1.0),
        Op::Compare64 { .. } | Op::Select64 { .. } => cost(Logic, 2.0, 2.0),
        Op::MulAdd32 { .. } | Op::WideMulAdd { .. } => cost(Product, 1.0, 1.0),
        Op::MulAdd64 { .. } => cost(Product, 4.0, 4.2),
        Op::Unary32 { f: Int1::ReverseBits, .. } => slow(Special, 1.0, 1.0),
        Op::Unary32 { .. } | Op::Narrow { .. } | Op::Widen { .. } => cost(Integer, 1.0, 1.0),
        Op::ExtractU32 { .. }
        | Op::ExtractS32 { .. }
        | Op::Compare32 { .. }
        | Op::FloatCompare32 { .. }
        | Op::Select32 { .. }
        | Op::Logic { .. } => cost(Logic, 1.0, 1.0),
        Op::Count32 { .. } => slow(Special, 1.0, 1.0),
        Op::FloatBinary32 { .. } | Op::Fma32 { .. } => cost(F32, 1.0, 1.0),
        Op::FloatBinary64 { .. } | Op::Fma64 { .. } | Op::FloatCompare64 { .. } => {
            cost(Double, 1.0, 2.0)
        }
        Op::Each { f, .. } | Op::Test { f, .. } => function(f),
        // Arguments and results of functions are passed in registers.
        Op::Load(it) | Op::Store(it) if it.window == Window::Param => cost(Integer, 0.0, 0.0),
        Op::Load(_)
        | Op::Store(_)
        | Op::Atomic { .. }
        | Op::Reduce(_)
        | Op::Bulk { .. }
        | Op::Tensor { .. }
        | Op::Collective { .. } => cost(Memory, 1.0, 0.0),
        Op::Barrier { .. } | Op::Trap { .. } => cost(Control, 1.0, 0.0),
        // The tensor core reads it while it multiplies.
        Op::Tile { .. } => cost(Memory, 0.0, 0.0),
        Op::Service { .. } => cost(Control, 100.0, 0.0),
        // The ops that it stands for are counted.
        Op::Quick { .. } => cost(Control, 0.0, 0.0),
        Op::Clock { .. } => slow(Special, 1.0, 1.0),
    }
}

/// The cost of an op whose work is described beside it in its kernel.
pub(crate) fn in_kernel(kernel: &Kernel, op: Op) -> Cost {
    let index = match op {
        // A part of a copy, which counts once.
        Op::Load(it) | Op::Store(it) if kernel.sites[usize::from(it.site)].silent => {
            return cost(Class::Memory, 0.0, 0.0);
        }
        Op::Collective { index } => index,
        _ => return of(op),
    };
    match kernel.collectives[usize::from(index)].exchange {
        Exchange::Matrix { index } => matrix(&kernel.matrices[usize::from(index)]),
        Exchange::Align | Exchange::Copies => cost(Class::Memory, 0.0, 0.0),
        Exchange::Group | Exchange::Groups { .. } => cost(Class::Control, 1.0, 0.0),
        Exchange::Fence => cost(Class::Control, 2.0, 0.0),
        // Waits of a shuffle.
        Exchange::Shuffle { .. } | Exchange::Barrier => cost(Class::Memory, 1.0, 1.0),
        Exchange::Vote { .. }
        | Exchange::Ballot { .. }
        | Exchange::Elect { .. }
        | Exchange::Active { .. } => cost(Class::Memory, 1.0, 0.7),
        Exchange::MatchAny { .. } | Exchange::MatchAll { .. } => cost(Class::Memory, 1.0, 1.6),
        Exchange::Reduce { .. } => cost(Class::Memory, 1.0, 1.65),
    }
}

/// The cost of an exchange of matrices: of a product, the cycles that it takes the tensor core.
/// Loads and stores of rows are counted as accesses. Measured on an H200.
fn matrix(matrix: &Matrix) -> Cost {
    let product = match matrix {
        Matrix::Product(product) => product,
        Matrix::Spread(_) | Matrix::Collect(_) => return cost(Class::Memory, 0.0, 1.0),
        Matrix::Transpose { .. } => return cost(Class::Memory, 1.0, 4.0),
    };
    if product.group.is_some() {
        // Every type in 4 cycles per 8 columns; the next product of the same sums starts 18
        // cycles later.
        return cost(Class::Matrix, 4.0, 4.0);
    }
    let work = (product.rows * 8 * product.depth) as f32;
    // Shapes of the full depth take the tensor core for 6.3 cycles and their result 24, others
    // 4.2 and 16; an addition takes 4.4.
    let (cycles, waits) = if product.a.len() == 4 { (6.3, 5.5) } else { (4.2, 3.6) };
    match product.elements {
        // Two products of 16-bit floats, and conversions.
        Elements::Float { a: Factor::E4m3 | Factor::E5m2, .. } => {
            cost(Class::Matrix, 2.0 * cycles + 16.0, 2.0 * waits + 2.0)
        }
        // 16, 32 and 68 cycles of a unit that takes two per instruction; 26, 53 and 120 until
        // the result is there.
        Elements::Double => cost(Class::Double, (work / 64.0).max(8.0), work / 80.0 + 2.0),
        // `ptxas` takes numbers of 4 bits apart.
        Elements::Integer { bits: 4, .. } => cost(Class::Integer, 320.0, 105.0),
        Elements::Bits { xor: true } => cost(Class::Matrix, 2.0 * cycles, 2.0 * waits),
        Elements::Float { .. } | Elements::Integer { .. } | Elements::Bits { .. } => {
            cost(Class::Matrix, cycles, waits)
        }
    }
}

#[allow(clippy::match_same_arms, reason = "a table, by what functions do")]
fn function(f: Function) -> Cost {
    use Class::{Double, Float as F32, Integer, Logic, Product, Special};
    match f {
        Function::Arithmetic(what, float, mode) => match (what, float) {
            (Arithmetic::Div, Float::F64) => parting(beside(cost(Double, 12.0, 25.6), 0.0, 1.0)),
            (Arithmetic::Div, _) => parting(beside(slow(F32, 10.0, 2.0), 0.0, 1.0)),
            (Arithmetic::Sqrt, Float::F64) => parting(beside(cost(Double, 12.0, 17.4), 0.0, 1.0)),
            (Arithmetic::Sqrt, _) => parting(beside(slow(F32, 13.0, 2.0), 0.0, 1.0)),
            (Arithmetic::ReciprocalRounded, Float::F64) => {
                parting(beside(cost(Double, 8.0, 16.0), 0.0, 1.0))
            }
            (Arithmetic::ReciprocalRounded, _) => parting(beside(slow(F32, 6.0, 3.1), 0.0, 1.0)),
            // A comparison, a product before and one after.
            (
                Arithmetic::Reciprocal
                | Arithmetic::ReciprocalSqrt
                | Arithmetic::SqrtApprox
                | Arithmetic::Exp2,
                _,
            ) => special(float, mode.flush, (3.0, 5.5)),
            (Arithmetic::Log2, _) => special(float, mode.flush, (3.0, 5.5)),
            (Arithmetic::DivApprox, _) => {
                let both = if mode.flush { (1.0, 1.0) } else { (4.0, 6.0) };
                special(float, false, both)
            }
            // The angle in turns.
            (Arithmetic::Sin | Arithmetic::Cos, _) => special(float, false, (1.0, 1.0)),
            (
                Arithmetic::ReciprocalGross | Arithmetic::ReciprocalSqrtGross | Arithmetic::Tanh,
                _,
            ) => slow(Special, 1.0, 1.0),
            (Arithmetic::Negate | Arithmetic::Absolute, _) => cost(F32, 0.0, 0.0),
            (Arithmetic::Integral, _) => slow(Special, 1.0, 1.0),
            (_, Float::F64) => cost(Double, 1.0, 2.0),
            _ => cost(F32, 1.0, 1.0),
        },
        Function::Extreme(_, Float::F64) => cost(Double, 3.0, 6.2),
        Function::Extreme(..)
        | Function::Class(..)
        | Function::Compare(..)
        | Function::CompareHalves(..) => cost(Logic, 1.0, 1.0),
        // Words become floats in the pipe of logic.
        Function::IntegerToFloat {
            to: Float::F32,
            from: IntegerType { bits: 32, .. },
            round: Round::Nearest,
            ..
        } => cost(Logic, 1.0, 1.0),
        Function::FloatToFloat { .. }
        | Function::ToSmall { .. }
        | Function::FromSmall { .. }
        | Function::FloatToInteger { .. }
        | Function::IntegerToFloat { .. } => slow(Special, 1.0, 1.0),
        Function::SaturateInteger { .. } | Function::Field(_) => cost(Logic, 1.0, 1.0),
        Function::Bits(bits) => match bits {
            Bits::MulHighAdd(_) | Bits::MulHighAddSaturating | Bits::Mul24 { .. } => {
                cost(Product, 1.0, 1.0)
            }
            Bits::Part { .. } => cost(Integer, 0.0, 0.0),
            Bits::Find { .. } => slow(Special, 1.0, 1.0),
            _ => cost(Logic, 1.0, 1.0),
        },
        Function::Join(_) => cost(Integer, 0.0, 0.0),
    }
}

/// Machine instructions of a launch, estimated by those rules.
pub(crate) fn mix(kernel: &Kernel, tallies: &Tallies) -> Mix {
    let mut mix = [0.0; CLASSES];
    for (index, (block, &(warps, _))) in kernel.blocks.iter().zip(&tallies.entries).enumerate() {
        if warps == 0 {
            continue;
        }
        let warps = warps as f64;
        for inst in &kernel.insts[block.first as usize..block.end as usize] {
            let cost = in_kernel(kernel, inst.op);
            mix[cost.class as usize] += warps * f64::from(cost.issue);
            mix[Class::Float as usize] += warps * f64::from(cost.scaling.0);
            mix[Class::Product as usize] += warps * f64::from(cost.beside.0);
            mix[Class::Special as usize] += warps * f64::from(cost.beside.1);
        }
        let ends = match block.terminator {
            Terminator::Jump(to) => to as usize != index + 1,
            _ => true,
        };
        if ends {
            mix[Class::Control as usize] += warps;
        }
    }
    mix
}
