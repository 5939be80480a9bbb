//! Integer functions without an op of their own: bit fields, permutations, saturation, dot
//! products, parts of words.

use super::dot;
use super::family;
use super::high;
use super::nth;
use super::prmt;
use super::whole::{in_vectors, one, put, three, two};
use crate::lane::{mbarrier, word};
use crate::machine::Register;
use crate::machine::Warp;
use crate::program::{Bits, Function, Narrow, Slot, Wide};

type Lanes = [u32; 32];

/// Shifted by 32 and more, nothing is left.
#[inline(always)]
fn up(value: u32, bits: u32) -> u32 {
    if bits < 32 { value << bits } else { 0 }
}

#[inline(always)]
fn down(value: u32, bits: u32) -> u32 {
    if bits < 32 { value >> bits } else { 0 }
}

/// The value of the low `bits`.
#[inline(always)]
fn signed_part(value: u32, bits: u32) -> i32 {
    (value << (32 - bits)).cast_signed() >> (32 - bits)
}

/// `d = f(a, b, c)`; false if no loop here computes it.
#[inline(always)]
fn bits<const N: usize>(warp: &mut Warp, f: Bits, wide: Wide, slots: [Slot; 4], mask: u32) -> bool {
    if let Bits::Part { width, index, signed } = f {
        return part::<N>(warp, (width, index, signed), wide, slots, mask);
    }
    if wide.result() {
        return doubles::<N>(warp, f, wide, slots, mask);
    }
    if wide.operand(0) {
        let a = &warp.regs64[usize::from(slots[1])];
        let values = match f {
            Bits::Find { ty, shift } => {
                // Counting in 32 bits takes vectors half the time: first choose the half with the bit.
                let sign =
                    |a: u64| if ty.signed { (a.cast_signed() >> 63).cast_unsigned() } else { 0 };
                let high = one(a, |a| ((a ^ sign(a)) >> 32) as u32);
                let low = one(a, |a| (a ^ sign(a)) as u32);
                two(&high, &low, |high, low| {
                    let (word, base) = if high == 0 { (low, 31) } else { (high, 63) };
                    let at = u32::wrapping_sub(base, word.leading_zeros());
                    if word == 0 {
                        u32::MAX
                    } else if shift {
                        63_u32.wrapping_sub(at)
                    } else {
                        at
                    }
                })
            }
            Bits::Pending => one(a, |a| mbarrier::pending(a) as u32),
            _ => return false,
        };
        put::<N, _>(&mut warp.regs32, slots[0], mask, &values);
        return true;
    }
    let file = &mut warp.regs32;
    match f {
        Bits::Permute(mode) => {
            prmt::permute::<N>(mode, file, slots, mask);
            return true;
        }
        Bits::FindNth => {
            nth::find::<N>(file, slots, mask);
            return true;
        }
        _ => {}
    }
    let [d, a, b, c] = slots;
    let (a, b, c) = (&file[usize::from(a)], &file[usize::from(b)], &file[usize::from(c)]);
    let mut values = Register::default();
    if !words::<N>(f, [a, b, c], &mut values) {
        return false;
    }
    put::<N, _>(file, d, mask, &values);
    true
}

/// Functions of words; false if no loop here computes it.
#[inline(always)]
fn words<const N: usize>(f: Bits, [a, b, c]: [&Lanes; 3], out: &mut Register<u32>) -> bool {
    let int = u32::cast_signed;
    *out = match f {
        Bits::AddSaturating => two(a, b, |a, b| int(a).saturating_add(int(b)).cast_unsigned()),
        Bits::SubSaturating => two(a, b, |a, b| int(a).saturating_sub(int(b)).cast_unsigned()),
        Bits::MulHighAdd(ty) if ty.bits == 32 && ty.signed => three(a, b, c, |a, b, c| {
            let product = i64::from(int(a)) * i64::from(int(b));
            ((product >> 32) as u32).wrapping_add(c)
        }),
        Bits::MulHighAdd(ty) if ty.bits == 32 => {
            three(a, b, c, |a, b, c| (((u64::from(a) * u64::from(b)) >> 32) as u32).wrapping_add(c))
        }
        Bits::MulHighAdd(ty) if ty.bits == 16 && ty.signed => three(a, b, c, |a, b, c| {
            let product = signed_part(a, 16).wrapping_mul(signed_part(b, 16));
            (product >> 16).cast_unsigned().wrapping_add(c)
        }),
        Bits::MulHighAdd(ty) if ty.bits == 16 => {
            three(a, b, c, |a, b, c| ((a & 0xffff).wrapping_mul(b & 0xffff) >> 16).wrapping_add(c))
        }
        Bits::MulHighAddSaturating => three(a, b, c, |a, b, c| {
            let product = ((i64::from(int(a)) * i64::from(int(b))) >> 32) as i32;
            product.saturating_add(int(c)).cast_unsigned()
        }),
        Bits::Mul24 { signed, high, saturate: true } => three(a, b, c, |a, b, c| {
            let product = product_24(signed, high, a, b).cast_signed();
            product.saturating_add(int(c)).cast_unsigned()
        }),
        Bits::Mul24 { signed, high: true, saturate: false } => {
            three(a, b, c, |a, b, c| product_24(signed, true, a, b).wrapping_add(c))
        }
        Bits::Mul24 { signed: true, high: false, saturate: false } => three(a, b, c, |a, b, c| {
            let product = signed_part(a, 24).wrapping_mul(signed_part(b, 24));
            product.cast_unsigned().wrapping_add(c)
        }),
        Bits::Mul24 { signed: false, high: false, saturate: false } => {
            three(a, b, c, |a, b, c| (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff).wrapping_add(c))
        }
        Bits::SumDifference(ty) if ty.bits == 32 && ty.signed => {
            three(a, b, c, |a, b, c| c.wrapping_add(int(a).abs_diff(int(b))))
        }
        Bits::SumDifference(ty) if ty.bits == 32 => {
            three(a, b, c, |a, b, c| c.wrapping_add(a.abs_diff(b)))
        }
        Bits::SumDifference(ty) => {
            let bits = u32::from(ty.bits);
            let cut = |value: u32| value << (32 - bits) >> (32 - bits);
            if ty.signed {
                three(a, b, c, |a, b, c| {
                    c.wrapping_add(signed_part(a, bits).abs_diff(signed_part(b, bits)))
                })
            } else {
                three(a, b, c, |a, b, c| c.wrapping_add(cut(a).abs_diff(cut(b))))
            }
        }
        Bits::Insert { width: 32 } => three(a, b, c, |a, b, c| {
            let (start, length) = (c & 0xff, c >> 8 & 0xff);
            let ones = if length >= 32 { u32::MAX } else { (1 << (length & 31)) - 1 };
            let mask = if start >= 32 { 0 } else { ones << (start & 31) };
            b & !mask | a << (start & 31) & mask
        }),
        Bits::Find { ty, shift } if ty.bits == 32 => one(a, |a| {
            let value = if ty.signed { a ^ (int(a) >> 31).cast_unsigned() } else { a };
            let at = 31_u32.wrapping_sub(value.leading_zeros());
            if value == 0 {
                u32::MAX
            } else if shift {
                31 - at
            } else {
                at
            }
        }),
        Bits::Extend { signed, wrap } => two(a, b, |a, b| {
            let bits = if wrap { b & 31 } else { b.min(32) };
            let unused = 32 - bits;
            let cut = a << (unused & 31);
            let value = if signed {
                (int(cut) >> (unused & 31)).cast_unsigned()
            } else {
                cut >> (unused & 31)
            };
            if bits == 0 { 0 } else { value }
        }),
        Bits::Mask { wrap } => two(a, b, |a, b| {
            let limit = |value: u32| if wrap { value & 31 } else { value.min(32) };
            up(!up(u32::MAX, limit(b)), limit(a))
        }),
        Bits::Lop3(table) => lop3::<N>(table, a, b, c),
        Bits::Funnel { left, wrap } => {
            let limit = |c: u32| if wrap { c & 31 } else { c.min(32) };
            if left {
                three(a, b, c, |a, b, c| up(b, limit(c)) | down(a, 32 - limit(c)))
            } else {
                three(a, b, c, |a, b, c| down(a, limit(c)) | up(b, 32 - limit(c)))
            }
        }
        Bits::Dot4 { a_signed, b_signed } => dot::dot4::<N>((a_signed, b_signed), a, b, c),
        Bits::Dot2 { high, a_signed, b_signed } => {
            let mut values = Register::default();
            for lane in 0..32 {
                let b = if high { b[lane] >> 16 } else { b[lane] };
                values[lane] = dot2((a_signed, b_signed), a[lane], b, c[lane]);
            }
            values
        }
        _ => return false,
    };
    true
}

/// The lower or upper 32 of the 48 bits of a product of the low 24.
#[inline(always)]
fn product_24(signed: bool, high: bool, a: u32, b: u32) -> u32 {
    let part = |value: u32| {
        if signed { i64::from(signed_part(value, 24)) } else { i64::from(value & 0xff_ffff) }
    };
    let product = part(a) * part(b);
    (if high { product >> 16 } else { product }) as u32
}

/// `dp2a`: the products of the halves of a and the two lower bytes of b, and c.
#[inline(always)]
fn dot2((a_signed, b_signed): (bool, bool), a: u32, b: u32, c: u32) -> u32 {
    let part = |value: u32, bits: u32, signed: bool| {
        let value = value & ((1 << bits) - 1);
        if signed { signed_part(value, bits) } else { value.cast_signed() }
    };
    let first = part(a, 16, a_signed) * part(b, 8, b_signed);
    let second = part(a >> 16, 16, a_signed) * part(b >> 8, 8, b_signed);
    c.wrapping_add(first.wrapping_add(second).cast_unsigned())
}

/// Any function of three bits: without a, and what a changes, each as a sum modulo 2 of b, c, their
/// product and 1.
#[inline(always)]
fn lop3<const N: usize>(table: u8, a: &Lanes, b: &Lanes, c: &Lanes) -> Register<u32> {
    let [without, change] = *in_vectors(&[terms(table), terms(table ^ table >> 4)]);
    let mut values = Register::default();
    for lane in 0..32 {
        let (a, b, c) = (a[lane], b[lane], c[lane]);
        values[lane] = sum_of(without, b, c) ^ a & sum_of(change, b, c);
    }
    values
}

/// The terms of such a sum, all ones for each that counts: 1, c, b, and the product.
#[inline(always)]
fn terms(rows: u8) -> [u32; 4] {
    let row = |row: u32| u32::from(rows >> row & 1).wrapping_neg();
    let (none, c, b, both) = (row(0), row(1), row(2), row(3));
    [none, none ^ c, none ^ b, none ^ c ^ b ^ both]
}

// Not a closure: one that another unit of the compiler has is not inlined.
#[inline(always)]
fn sum_of([one, by_c, by_b, by_both]: [u32; 4], b: u32, c: u32) -> u32 {
    one ^ by_c & c ^ by_b & b ^ by_both & (b & c)
}

/// Functions whose result has 64 bits.
#[inline(always)]
fn doubles<const N: usize>(
    warp: &mut Warp,
    f: Bits,
    wide: Wide,
    [d, a, b, c]: [Slot; 4],
    mask: u32,
) -> bool {
    let doubles = &warp.regs64;
    let values = match f {
        Bits::MulHighAdd(ty) if ty.bits == 64 => {
            let (a, b, c) =
                (&doubles[usize::from(a)], &doubles[usize::from(b)], &doubles[usize::from(c)]);
            two(&high::products::<N>(ty.signed, a, b), c, u64::wrapping_add)
        }
        Bits::Extract64 { signed } if !wide.operand(1) && !wide.operand(2) => {
            let (b, c) = (&warp.regs32[usize::from(b)], &warp.regs32[usize::from(c)]);
            let ones = |length: u32| {
                (if length >= 64 { 0 } else { 1_u64 << (length & 63) }).wrapping_sub(1)
            };
            let a = &doubles[usize::from(a)];
            if signed {
                three(a, b, c, |a, start, length| {
                    // Beyond the end lie copies of the sign.
                    let start = start.min(63);
                    let ones = ones(length.min(64 - start));
                    let sign = ones ^ ones >> 1;
                    ((a >> (start & 63) & ones) ^ sign).wrapping_sub(sign)
                })
            } else {
                three(a, b, c, |a, start, length| {
                    (if start >= 64 { 0 } else { a >> (start & 63) }) & ones(length)
                })
            }
        }
        Bits::Insert { width: 64 } if wide.operand(0) && wide.operand(1) && !wide.operand(2) => {
            let (a, b) = (&doubles[usize::from(a)], &doubles[usize::from(b)]);
            three(a, b, &warp.regs32[usize::from(c)], |a, b, c| {
                let (start, length) = (c & 0xff, c >> 8 & 0xff);
                let ones = if length >= 64 { u64::MAX } else { (1 << (length & 63)) - 1 };
                let mask = if start >= 64 { 0 } else { ones << (start & 63) };
                b & !mask | a << (start & 63) & mask
            })
        }
        Bits::SumDifference(ty) if ty.bits == 64 => {
            let (a, b, c) =
                (&doubles[usize::from(a)], &doubles[usize::from(b)], &doubles[usize::from(c)]);
            let flip = if ty.signed { 1 << 63 } else { 0 };
            three(a, b, c, |a, b, c| c.wrapping_add((a ^ flip).abs_diff(b ^ flip)))
        }
        _ => return false,
    };
    put::<N, _>(&mut warp.regs64, d, mask, &values);
    true
}

/// One of the equal parts that a is made of.
#[inline(always)]
fn part<const N: usize>(
    warp: &mut Warp,
    (width, index, signed): (u8, u8, bool),
    wide: Wide,
    [d, a, ..]: [Slot; 4],
    mask: u32,
) -> bool {
    let (width, shift) = (u32::from(width), u32::from(width) * u32::from(index));
    let unused = 64 - width;
    let cut = |value: u64| {
        let top = value >> shift << unused;
        if signed { (top.cast_signed() >> unused).cast_unsigned() } else { top >> unused }
    };
    let (words, doubles) = (&warp.regs32, &warp.regs64);
    match (wide.result(), wide.operand(0)) {
        (false, false) if width < 32 => {
            let unused = 32 - width;
            let values = one(&words[usize::from(a)], |value| {
                let top = value >> shift << unused;
                if signed { (top.cast_signed() >> unused).cast_unsigned() } else { top >> unused }
            });
            put::<N, _>(&mut warp.regs32, d, mask, &values);
        }
        (false, true) => {
            let values = one(&doubles[usize::from(a)], |value| cut(value) as u32);
            put::<N, _>(&mut warp.regs32, d, mask, &values);
        }
        (true, true) => {
            let values = one(&doubles[usize::from(a)], cut);
            put::<N, _>(&mut warp.regs64, d, mask, &values);
        }
        (true, false) => {
            let values = one(&words[usize::from(a)], |value| cut(u64::from(value)));
            put::<N, _>(&mut warp.regs64, d, mask, &values);
        }
        (false, false) => return false,
    }
    true
}

/// The low bits of a, and above them those of b.
#[inline(always)]
fn join<const N: usize>(
    warp: &mut Warp,
    width: u8,
    wide: Wide,
    [d, a, b, _]: [Slot; 4],
    mask: u32,
) -> bool {
    match (wide.result(), wide.operand(0) || wide.operand(1)) {
        (false, false) if width < 32 => {
            let ones = (1 << width) - 1;
            let (a, b) = (&warp.regs32[usize::from(a)], &warp.regs32[usize::from(b)]);
            let values = two(a, b, |a, b| a & ones | b << width);
            put::<N, _>(&mut warp.regs32, d, mask, &values);
        }
        (true, false) if width < 64 => {
            let ones = (1 << width) - 1;
            let (a, b) = (&warp.regs32[usize::from(a)], &warp.regs32[usize::from(b)]);
            let values = two(a, b, |a, b| u64::from(a) & ones | u64::from(b) << width);
            put::<N, _>(&mut warp.regs64, d, mask, &values);
        }
        _ => return false,
    }
    true
}

/// The low bits of a, extended to 64.
#[inline(always)]
fn field<const N: usize>(warp: &mut Warp, f: Narrow, [d, a, ..]: [Slot; 4], mask: u32) -> bool {
    let values = one(&warp.regs32[usize::from(a)], |a| {
        i64::from(word::narrow(f, a).cast_signed()).cast_unsigned()
    });
    put::<N, _>(&mut warp.regs64, d, mask, &values);
    true
}

family! {
    /// Functions of integers.
    integers, integers_body, |warp, f, wide, slots, mask| match f {
        Function::Bits(f) => bits::<N>(warp, f, wide, slots, mask),
        Function::Join(width) => join::<N>(warp, width, wide, slots, mask),
        Function::Field(f) => field::<N>(warp, f, slots, mask),
        _ => false,
    }
}
