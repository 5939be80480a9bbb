//! Integer ops that take several instructions a lane, away from the warp loop: they
//! vectorise too, but would make the loop larger.

use crate::exec::each::high;
use crate::exec::each::whole::{in_vectors, one, put, three, two};
use crate::exec::lanes;
use crate::exec::vectors::vectors;
use crate::lane::Word;
use crate::lane::word::{self, ANY, NEAR, SIGNED, SMALL};
use crate::machine::{HostVectors, Warp};
use crate::program::{Count, Int1, Int2, Op, Slot};

vectors! {
    /// Runs one of these ops for the lanes of `mask`; of any other does nothing.
    step => step_body(warp: &mut Warp, op: &Op, mask: u32)
}

#[inline(always)]
fn step_body<const N: usize>(warp: &mut Warp, op: &Op, mask: u32) {
    let Warp { regs32, regs64, .. } = warp;
    match *op {
        Op::Binary32 { f, d, a, b } => binary::<N, u32>(regs32, f, [d, a, b], mask),
        Op::Binary64 { f: f @ (Int2::MulHighU | Int2::MulHighS), d, a, b } => {
            let (a, b) = (&regs64[usize::from(a)], &regs64[usize::from(b)]);
            let values = high::products::<N>(f == Int2::MulHighS, a, b);
            put::<N, _>(regs64, d, mask, &values);
        }
        Op::Binary64 { f, d, a, b } => binary::<N, u64>(regs64, f, [d, a, b], mask),
        Op::Unary32 { f, d, a } => unary::<N, u32>(regs32, f, [d, a], mask),
        Op::Unary64 { f, d, a } => unary::<N, u64>(regs64, f, [d, a], mask),
        Op::Count32 { f: Count::Ones, d, a } => {
            lanes::map1::<N, u32>(regs32, [d, a], mask, |x| u32::count(Count::Ones, x));
        }
        Op::Count32 { f: Count::LeadingZeros, d, a } => {
            lanes::map1::<N, u32>(regs32, [d, a], mask, |x| u32::count(Count::LeadingZeros, x));
        }
        Op::Count64 { f: Count::Ones, d, a } => {
            lanes::cross::<N, u64, u32>(regs64, regs32, [d, a], mask, |x| {
                u64::count(Count::Ones, x)
            });
        }
        Op::Count64 { f: Count::LeadingZeros, d, a } => {
            lanes::cross::<N, u64, u32>(regs64, regs32, [d, a], mask, |x| {
                u64::count(Count::LeadingZeros, x)
            });
        }
        Op::ExtractU32 { d, a, b, c } => {
            lanes::map3::<N, _>(regs32, [d, a, b, c], mask, |a, b, c| {
                word::extract(false, a, b, c)
            });
        }
        Op::ExtractS32 { d, a, b, c } => {
            lanes::map3::<N, _>(regs32, [d, a, b, c], mask, |a, b, c| word::extract(true, a, b, c));
        }
        _ => {}
    }
}

/// A loop for each function, which is a constant there.
#[inline(always)]
fn binary<const N: usize, W: Word>(file: &mut [[W; 32]], f: Int2, slots: [Slot; 3], mask: u32) {
    macro_rules! each {
        ($($name:ident),*) => {
            match f {
                $(Int2::$name => lanes::map2::<N, W>(file, slots, mask, |x, y| {
                    W::int2(Int2::$name, x, y)
                }),)*
                _ => {}
            }
        };
    }
    macro_rules! divide {
        ($($name:ident),*) => {
            match f {
                $(Int2::$name => divided::<N, W>(file, Int2::$name, slots, mask),)*
                _ => {}
            }
        };
    }
    each!(MulHighU, MulHighS);
    divide!(DivU, DivS, RemU, RemS);
}

/// Quotients or remainders, in the fastest way that all operands allow.
#[inline(always)]
fn divided<const N: usize, W: Word>(
    file: &mut [[W; 32]],
    f: Int2,
    [d, a, b]: [Slot; 3],
    mask: u32,
) {
    // AMD's machines with AVX-512 divide any of 64 bits as fast as they find out what they are.
    if size_of::<W>() == 8 && N == 16 && HostVectors::amd() {
        return lanes::map2::<N, W>(file, [d, a, b], mask, |x, y| W::divide::<N>(f, x, y));
    }
    let (rest, slots) = (word::leaves(f), [d, a, b]);
    if !word::is_signed(f) {
        let (x, y) = (&file[usize::from(a)], &file[usize::from(b)]);
        if fit::<N, W, SMALL>(x, y) {
            lanes::map2::<N, W>(file, slots, mask, |x, y| W::quotient::<N, SMALL>(x, y, rest));
        } else if fit::<N, W, NEAR>(x, y) {
            lanes::map2::<N, W>(file, slots, mask, |x, y| W::quotient::<N, NEAR>(x, y, rest));
        } else {
            lanes::map2::<N, W>(file, slots, mask, |x, y| W::divide::<N>(f, x, y));
        }
        return;
    }
    let (a, b) = (&file[usize::from(a)], &file[usize::from(b)]);
    if fit::<N, W, SIGNED>(a, b) {
        lanes::map2::<N, W>(file, slots, mask, |a, b| W::quotient::<N, SIGNED>(a, b, rest));
        return;
    }
    let (x, y) = (one(a, |a| word::size(f, a)), one(b, |b| word::size(f, b)));
    let sizes = if fit::<N, W, NEAR>(&x, &y) {
        two(&x, &y, |x, y| W::quotient::<N, NEAR>(x, y, rest))
    } else {
        two(&x, &y, |x, y| W::quotient::<N, ANY>(x, y, rest))
    };
    let values = three(a, b, &sizes, |a, b, size| W::defined(b, W::with_sign(f, a, b, size)));
    put::<N, W>(file, d, mask, &values);
}

/// Whether all operands allow this way.
#[inline(always)]
fn fit<const N: usize, W: Word, const WAY: u8>(x: &[W; 32], y: &[W; 32]) -> bool {
    // Mostly the first lane tells. It is part of the vectors below all the same.
    if W::unfit::<WAY>(in_vectors(x)[0], in_vectors(y)[0]) != W::default() {
        return false;
    }
    let mut unfit = [W::default(); N];
    for part in 0..32 / N {
        for lane in 0..N {
            let at = part * N + lane;
            unfit[lane] = W::int2(Int2::Or, unfit[lane], W::unfit::<WAY>(x[at], y[at]));
        }
    }
    unfit.into_iter().fold(W::default(), |any, it| W::int2(Int2::Or, any, it)) == W::default()
}

/// The same of one operand.
#[inline(always)]
fn unary<const N: usize, W: Word>(file: &mut [[W; 32]], f: Int1, slots: [Slot; 2], mask: u32) {
    macro_rules! each {
        ($($name:ident),*) => {
            match f {
                $(Int1::$name => lanes::map1::<N, W>(file, slots, mask, |x| {
                    W::int1(Int1::$name, x)
                }),)*
            }
        };
    }
    each!(Not, Negate, Absolute, IsZero, ReverseBits);
}
