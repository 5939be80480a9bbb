//! Carries out one op for 32 lanes at a time. Full warps take loops without
//! branches, which vectorise.

use crate::exec::each::{each, test};
use crate::exec::transfer::{load, store};
use crate::exec::vectors::vectors;
use crate::exec::{
    atomic, bulk, float, lanes, local, rare, row_transfer as rows, service, tensor, tile,
};
use crate::lane::Word;
use crate::lane::word;
use crate::machine::blend as blend_row;
use crate::machine::{At, BlockContext, Fault, TrapKind, Warp};
use crate::program::{Compare, Int2, Narrow, Op, Slot};

/// Functions of two integers; false for those that [`rare`] computes. Each has a loop of its
/// own, in which it is a constant.
#[inline(always)]
fn binary<const N: usize, W: Word>(
    file: &mut [[W; 32]],
    f: Int2,
    slots: [Slot; 3],
    mask: u32,
) -> bool {
    macro_rules! each {
        ($($name:ident),* $(,)?) => {
            match f {
                $(Int2::$name => lanes::map2::<N, W>(file, slots, mask, |x, y| {
                    W::int2(Int2::$name, x, y)
                }),)*
                _ => return false,
            }
        };
    }
    each!(
        Add,
        Sub,
        MulLow,
        MinU,
        MinS,
        MaxU,
        MaxS,
        And,
        Or,
        Xor,
        ShiftLeft,
        ShiftRightU,
        ShiftRightS,
    );
    true
}

#[inline(always)]
fn compare<const N: usize, W: Word>(file: &[[W; 32]], f: Compare, slots: [Slot; 2]) -> u32 {
    let each = |f: Compare| lanes::test::<N, W>(file, slots, |x, y| word::compare(f, x, y));
    match f {
        Compare::Equal => each(Compare::Equal),
        Compare::NotEqual => !each(Compare::Equal),
        Compare::LessU => each(Compare::LessU),
        Compare::LessEqualU => each(Compare::LessEqualU),
        Compare::LessS => each(Compare::LessS),
        Compare::LessEqualS => each(Compare::LessEqualS),
    }
}

/// Sets the bits of `mask` in `d` as in `value`.
#[inline(always)]
fn blend(d: &mut u32, value: u32, mask: u32) {
    *d = *d & !mask | value & mask;
}

vectors! {
    /// As [`step`], but not part of the loop that calls it.
    step_apart => step(warp: &mut Warp, context: &mut BlockContext, op: &Op, mask: u32)
        -> Result<(), Fault>
}

/// Runs one op for the lanes of `mask`, `N` of them at a time.
#[inline(always)]
pub(crate) fn step<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: &Op,
    mask: u32,
) -> Result<(), Fault> {
    macro_rules! r64 {
        ($slot:expr) => {
            warp.regs64[usize::from($slot)]
        };
    }
    macro_rules! pred {
        ($slot:expr) => {
            warp.preds[usize::from($slot)]
        };
    }
    match *op {
        Op::Move32 { d, a } => lanes::map1::<N, _>(&mut warp.regs32, [d, a], mask, |x| x),
        Op::Move64 { d, a } => lanes::map1::<N, _>(&mut warp.regs64, [d, a], mask, |x| x),
        Op::MovePred { d, a } => {
            let a = pred!(a);
            blend(&mut pred!(d), a, mask);
        }
        Op::Binary32 { f, d, a, b } => {
            if !binary::<N, _>(&mut warp.regs32, f, [d, a, b], mask) {
                rare::step::<N>(warp, op, mask);
            }
        }
        Op::Binary64 { f, d, a, b } => {
            if !binary::<N, _>(&mut warp.regs64, f, [d, a, b], mask) {
                rare::step::<N>(warp, op, mask);
            }
        }
        Op::Unary32 { .. }
        | Op::Unary64 { .. }
        | Op::Count32 { .. }
        | Op::Count64 { .. }
        | Op::ExtractU32 { .. }
        | Op::ExtractS32 { .. } => rare::step::<N>(warp, op, mask),
        Op::MulAdd32 { d, a, b, c } => {
            lanes::map3::<N, _>(&mut warp.regs32, [d, a, b, c], mask, |a, b, c| {
                a.wrapping_mul(b).wrapping_add(c)
            });
        }
        Op::MulAdd64 { d, a, b, c } => {
            lanes::map3::<N, _>(&mut warp.regs64, [d, a, b, c], mask, |a, b, c| {
                a.wrapping_mul(b).wrapping_add(c)
            });
        }
        Op::WideMulAdd { signed, d, a, b, c } => {
            let (from, to) = (&warp.regs32, &mut warp.regs64);
            if signed {
                let wide = |x: u32| i64::from(x.cast_signed());
                lanes::wide_sum::<N>(from, to, [d, a, b, c], mask, |a, b| {
                    wide(a).wrapping_mul(wide(b)).cast_unsigned()
                });
            } else {
                lanes::wide_sum::<N>(from, to, [d, a, b, c], mask, |a, b| {
                    u64::from(a) * u64::from(b)
                });
            }
        }
        Op::Compare32 { f, d, a, b } => {
            let bits = compare::<N, _>(&warp.regs32, f, [a, b]);
            blend(&mut pred!(d), bits, mask);
        }
        Op::Compare64 { f, d, a, b } => {
            let bits = compare::<N, _>(&warp.regs64, f, [a, b]);
            blend(&mut pred!(d), bits, mask);
        }
        Op::FloatBinary32 { f, d, a, b } => {
            float::binary::<N, f32>(&mut warp.regs32, f, [d, a, b], mask);
        }
        Op::FloatBinary64 { f, d, a, b } => {
            float::binary::<N, f64>(&mut warp.regs64, f, [d, a, b], mask);
        }
        Op::Fma32 { d, a, b, c } => float::fma::<N, f32>(&mut warp.regs32, [d, a, b, c], mask),
        Op::Fma64 { d, a, b, c } => float::fma::<N, f64>(&mut warp.regs64, [d, a, b, c], mask),
        Op::FloatCompare32 { f, d, a, b } => {
            let bits = float::compare::<N, f32>(&warp.regs32, f, [a, b]);
            blend(&mut pred!(d), bits, mask);
        }
        Op::FloatCompare64 { f, d, a, b } => {
            let bits = float::compare::<N, f64>(&warp.regs64, f, [a, b]);
            blend(&mut pred!(d), bits, mask);
        }
        Op::Each { .. } => each::<N>(warp, op, mask),
        Op::Test { f, wide, d, a, b } => {
            let bits = test::<N>(warp, f, wide, [a, b], mask);
            blend(&mut pred!(d), bits, mask);
        }
        Op::Logic { f, d, a, b } => {
            let bits = word::logic(f, pred!(a), pred!(b));
            blend(&mut pred!(d), bits, mask);
        }
        Op::Select32 { d, a, b, p } => {
            lanes::select::<N, _>(&mut warp.regs32, [d, a, b], pred!(p), mask);
        }
        Op::Select64 { d, a, b, p } => {
            lanes::select::<N, _>(&mut warp.regs64, [d, a, b], pred!(p), mask);
        }
        Op::Narrow { f, d, a } => narrow::<N>(&mut warp.regs32, f, [d, a], mask),
        Op::Widen { signed, d, a } => {
            let (from, to) = (&warp.regs32, &mut warp.regs64);
            if signed {
                lanes::cross::<N, _, _>(from, to, [d, a], mask, |x: u32| {
                    i64::from(x.cast_signed()).cast_unsigned()
                });
            } else {
                lanes::cross::<N, _, _>(from, to, [d, a], mask, |x: u32| u64::from(x));
            }
        }
        Op::Truncate { d, a } => {
            lanes::cross::<N, _, _>(&warp.regs64, &mut warp.regs32, [d, a], mask, |x| x as u32);
        }
        Op::Load(ref transfer) => {
            if transfer.window.is_private() {
                local::load::<N>(warp, context, transfer, mask)?;
            } else if !rows::load::<N>(warp, context, transfer, mask) {
                load::<N>(warp, context, transfer, mask)?;
            }
        }
        Op::Store(ref transfer) => {
            if transfer.window.is_private() {
                local::store::<N>(warp, context, transfer, mask)?;
            } else if !rows::store::<N>(warp, context, transfer, mask) {
                store::<N>(warp, context, transfer, mask)?;
            }
        }
        Op::Atomic { d, update: ref op } => {
            atomic::update::<N>(warp, context, op, Some(d), mask)?;
        }
        Op::Reduce(ref op) => {
            atomic::update::<N>(warp, context, op, None, mask)?;
        }
        Op::Bulk { index } => bulk::run(warp, context, index, mask)?,
        Op::Tensor { index } => tensor::run(warp, context, index, mask)?,
        Op::Tile { index } => tile::load(warp, context, index, mask)?,
        Op::Service { index } => service::run(warp, context, index, mask)?,
        Op::Trap { site } => {
            return Err(Fault {
                kind: TrapKind::Trap,
                at: At::Site(site),
                lanes: mask,
                message: format!("the kernel executed `{}`", context.kernel.word(site)),
            });
        }
        Op::Clock { d } => {
            let now = context.tick();
            blend_row(&mut r64!(d), mask, &[now; 32]);
        }
        // Handled by the caller.
        Op::Barrier { .. } | Op::Collective { .. } | Op::Quick { .. } => {}
    }
    Ok(())
}

#[inline(always)]
fn narrow<const N: usize>(file: &mut [[u32; 32]], f: Narrow, slots: [Slot; 2], mask: u32) {
    let mut each = |f: Narrow| lanes::map1::<N, _>(file, slots, mask, |x| word::narrow(f, x));
    match f {
        Narrow::U8 => each(Narrow::U8),
        Narrow::S8 => each(Narrow::S8),
        Narrow::U16 => each(Narrow::U16),
        Narrow::S16 => each(Narrow::S16),
    }
}
