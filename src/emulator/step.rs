//! Carries out one op for 32 lanes at a time. Full warps take loops without
//! branches, which vectorise.

use super::block::BlockContext;
use super::exec::Fault;
use super::lane::{self, Word};
use super::op::{Compare, Int2, Op, Slot};
use super::service;
use super::step_each::{each, test};
use super::step_float as float;
use super::transfer::{Transfer, Update, load, store, update};
use super::warp::Warp;
use crate::launch::TrapKind;

/// Every lane.
const FULL: u32 = u32::MAX;

#[inline(always)]
fn map1<A: Copy, D: Copy>(d: &mut [D; 32], a: [A; 32], mask: u32, f: impl Fn(A) -> D) {
    if mask == FULL {
        for lane in 0..32 {
            d[lane] = f(a[lane]);
        }
    } else {
        for lane in 0..32 {
            let value = f(a[lane]);
            d[lane] = if mask >> lane & 1 != 0 { value } else { d[lane] };
        }
    }
}

#[inline(always)]
fn map2<A: Copy, B: Copy, D: Copy>(
    d: &mut [D; 32],
    a: [A; 32],
    b: [B; 32],
    mask: u32,
    f: impl Fn(A, B) -> D,
) {
    if mask == FULL {
        for lane in 0..32 {
            d[lane] = f(a[lane], b[lane]);
        }
    } else {
        for lane in 0..32 {
            let value = f(a[lane], b[lane]);
            d[lane] = if mask >> lane & 1 != 0 { value } else { d[lane] };
        }
    }
}

/// `f` picked once, so that each loop has a single function to vectorise.
macro_rules! pick {
    ($f:expr, $call:ident, [$($kind:ident :: $name:ident),* $(,)?]) => {
        match $f {
            $($kind::$name => $call($kind::$name),)*
        }
    };
}

#[inline(always)]
fn binary<W: Word>(d: &mut [W; 32], a: [W; 32], b: [W; 32], mask: u32, f: Int2) {
    let mut each = |f: Int2| map2(d, a, b, mask, |x, y| W::int2(f, x, y));
    pick!(
        f,
        each,
        [
            Int2::Add,
            Int2::Sub,
            Int2::MulLow,
            Int2::MulHighU,
            Int2::MulHighS,
            Int2::DivU,
            Int2::DivS,
            Int2::RemU,
            Int2::RemS,
            Int2::MinU,
            Int2::MinS,
            Int2::MaxU,
            Int2::MaxS,
            Int2::And,
            Int2::Or,
            Int2::Xor,
            Int2::ShiftLeft,
            Int2::ShiftRightU,
            Int2::ShiftRightS,
        ]
    );
}

#[inline(always)]
fn compare<W: Word>(a: &[W; 32], b: &[W; 32], f: Compare) -> u32 {
    let each = |f: Compare| {
        let mut bits = 0;
        for lane in 0..32 {
            bits |= u32::from(lane::compare(f, a[lane], b[lane])) << lane;
        }
        bits
    };
    pick!(
        f,
        each,
        [
            Compare::Equal,
            Compare::NotEqual,
            Compare::LessU,
            Compare::LessEqualU,
            Compare::LessS,
            Compare::LessEqualS,
        ]
    )
}

/// Sets the bits of `mask` in `d` as in `value`.
#[inline(always)]
fn blend(d: &mut u32, value: u32, mask: u32) {
    *d = *d & !mask | value & mask;
}

/// Runs one op for the lanes of `mask`.
#[inline(always)]
pub(super) fn step(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: Op,
    mask: u32,
) -> Result<(), Fault> {
    macro_rules! r32 {
        ($slot:expr) => {
            warp.regs32[usize::from($slot)]
        };
    }
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
    match op {
        Op::Move32 { d, a } => {
            let a = r32!(a);
            map1(&mut r32!(d), a, mask, |x| x);
        }
        Op::Move64 { d, a } => {
            let a = r64!(a);
            map1(&mut r64!(d), a, mask, |x| x);
        }
        Op::MovePred { d, a } => {
            let a = pred!(a);
            blend(&mut pred!(d), a, mask);
        }
        Op::Binary32 { f, d, a, b } => {
            let (a, b) = (r32!(a), r32!(b));
            binary(&mut r32!(d), a, b, mask, f);
        }
        Op::Binary64 { f, d, a, b } => {
            let (a, b) = (r64!(a), r64!(b));
            binary(&mut r64!(d), a, b, mask, f);
        }
        Op::Unary32 { f, d, a } => {
            let a = r32!(a);
            map1(&mut r32!(d), a, mask, |x| u32::int1(f, x));
        }
        Op::Unary64 { f, d, a } => {
            let a = r64!(a);
            map1(&mut r64!(d), a, mask, |x| u64::int1(f, x));
        }
        Op::Count32 { f, d, a } => {
            let a = r32!(a);
            map1(&mut r32!(d), a, mask, |x| u32::count(f, x));
        }
        Op::Count64 { f, d, a } => {
            let a = r64!(a);
            map1(&mut r32!(d), a, mask, |x| u64::count(f, x));
        }
        Op::MulAdd32 { d, a, b, c } => {
            let (a, b, c) = (r32!(a), r32!(b), r32!(c));
            let mut product = [0; 32];
            map2(&mut product, a, b, FULL, |x: u32, y| x.wrapping_mul(y));
            map2(&mut r32!(d), product, c, mask, u32::wrapping_add);
        }
        Op::MulAdd64 { d, a, b, c } => {
            let (a, b, c) = (r64!(a), r64!(b), r64!(c));
            let mut product = [0; 32];
            map2(&mut product, a, b, FULL, |x: u64, y| x.wrapping_mul(y));
            map2(&mut r64!(d), product, c, mask, u64::wrapping_add);
        }
        Op::WideMulAdd { signed, d, a, b, c } => {
            let (a, b, c) = (r32!(a), r32!(b), r64!(c));
            let mut product = [0_u64; 32];
            if signed {
                let wide = |x: u32| i64::from(x.cast_signed());
                map2(&mut product, a, b, FULL, |x, y| {
                    wide(x).wrapping_mul(wide(y)).cast_unsigned()
                });
            } else {
                map2(&mut product, a, b, FULL, |x, y| u64::from(x) * u64::from(y));
            }
            map2(&mut r64!(d), product, c, mask, u64::wrapping_add);
        }
        Op::ExtractU32 { d, a, b, c } => extract(warp, false, [d, a, b, c], mask),
        Op::ExtractS32 { d, a, b, c } => extract(warp, true, [d, a, b, c], mask),
        Op::Compare32 { f, d, a, b } => {
            let bits = compare(&r32!(a), &r32!(b), f);
            blend(&mut pred!(d), bits, mask);
        }
        Op::Compare64 { f, d, a, b } => {
            let bits = compare(&r64!(a), &r64!(b), f);
            blend(&mut pred!(d), bits, mask);
        }
        Op::FloatBinary32 { f, d, a, b } => {
            float::binary::<f32>(&mut warp.regs32, f, [d, a, b], mask);
        }
        Op::FloatBinary64 { f, d, a, b } => {
            float::binary::<f64>(&mut warp.regs64, f, [d, a, b], mask);
        }
        Op::Fma32 { d, a, b, c } => float::fma::<f32>(&mut warp.regs32, [d, a, b, c], mask),
        Op::Fma64 { d, a, b, c } => float::fma::<f64>(&mut warp.regs64, [d, a, b, c], mask),
        Op::FloatCompare32 { f, d, a, b } => {
            let bits = float::compare::<f32>(&warp.regs32, f, [a, b]);
            blend(&mut pred!(d), bits, mask);
        }
        Op::FloatCompare64 { f, d, a, b } => {
            let bits = float::compare::<f64>(&warp.regs64, f, [a, b]);
            blend(&mut pred!(d), bits, mask);
        }
        Op::Each { f, wide, d, a, b, c } => each(warp, f, wide, [d, a, b, c], mask),
        Op::Test { f, wide, d, a, b } => {
            let bits = test(warp, f, wide, [a, b], mask);
            blend(&mut pred!(d), bits, mask);
        }
        Op::Logic { f, d, a, b } => {
            let bits = lane::logic(f, pred!(a), pred!(b));
            blend(&mut pred!(d), bits, mask);
        }
        Op::Select32 { d, a, b, p } => {
            let (a, b, p) = (r32!(a), r32!(b), pred!(p));
            map1(&mut r32!(d), b, mask & !p, |x| x);
            map1(&mut r32!(d), a, mask & p, |x| x);
        }
        Op::Select64 { d, a, b, p } => {
            let (a, b, p) = (r64!(a), r64!(b), pred!(p));
            map1(&mut r64!(d), b, mask & !p, |x| x);
            map1(&mut r64!(d), a, mask & p, |x| x);
        }
        Op::Narrow { f, d, a } => {
            let a = r32!(a);
            map1(&mut r32!(d), a, mask, |x| lane::narrow(f, x));
        }
        Op::Widen { signed, d, a } => {
            let a = r32!(a);
            if signed {
                map1(&mut r64!(d), a, mask, |x| i64::from(x.cast_signed()).cast_unsigned());
            } else {
                map1(&mut r64!(d), a, mask, u64::from);
            }
        }
        Op::Truncate { d, a } => {
            let a = r64!(a);
            map1(&mut r32!(d), a, mask, |x| x as u32);
        }
        Op::Load { window, cell, d, a, site } => {
            load(warp, context, Transfer { window, cell, count: 1, a, slot: d, site }, mask)?;
        }
        Op::LoadVector { window, cell, count, d, a, site } => {
            load(warp, context, Transfer { window, cell, count, a, slot: d, site }, mask)?;
        }
        Op::Store { window, cell, a, b, site } => {
            store(warp, context, Transfer { window, cell, count: 1, a, slot: b, site }, mask)?;
        }
        Op::StoreVector { window, cell, count, a, b, site } => {
            store(warp, context, Transfer { window, cell, count, a, slot: b, site }, mask)?;
        }
        Op::Atomic { window, f, wide, d, a, b, c, site } => {
            update(warp, context, Update { window, f, wide, a, b, c, site }, Some(d), mask)?;
        }
        Op::Reduce { window, f, wide, a, b, c, site } => {
            update(warp, context, Update { window, f, wide, a, b, c, site }, None, mask)?;
        }
        Op::Service { index } => service::run(warp, context, index, mask)?,
        Op::Trap { site } => {
            return Err(Fault {
                kind: TrapKind::Trap,
                site: Some(site),
                lanes: mask,
                message: "the kernel executed `trap`".to_owned(),
            });
        }
        Op::Clock { d } => {
            let now = [context.tick(); 32];
            map1(&mut r64!(d), now, mask, |x| x);
        }
        // Handled by the caller, which owns the fragment.
        Op::Barrier { .. } | Op::Collective { .. } => {}
    }
    Ok(())
}

#[inline(always)]
fn extract(warp: &mut Warp, signed: bool, [d, a, b, c]: [Slot; 4], mask: u32) {
    let [a, b, c] = [a, b, c].map(|slot| warp.regs32[usize::from(slot)]);
    let d = &mut warp.regs32[usize::from(d)];
    for lane in 0..32 {
        if mask >> lane & 1 != 0 {
            d[lane] = lane::extract(signed, a[lane], b[lane], c[lane]);
        }
    }
}
