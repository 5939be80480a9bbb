//! Integer functions on one lane that have no host instruction of their own:
//! bit fields, permutations, saturation, carries, dot products.

use crate::lane::mbarrier;
use crate::program::{Bits, Integer, Permute};

fn signed_part(value: u64, bits: u32) -> i64 {
    (value << (64 - bits)).cast_signed() >> (64 - bits)
}

/// The value of the type's bits.
fn wide(ty: Integer, value: u64) -> i128 {
    let bits = u32::from(ty.bits);
    if ty.signed {
        i128::from(signed_part(value, bits))
    } else {
        i128::from(value & (u64::MAX >> (64 - bits)))
    }
}

/// The high half of the product, as the type reads it.
fn high_product(ty: Integer, a: u64, b: u64) -> u64 {
    let (a, b) = (wide(ty, a), wide(ty, b));
    // Two unsigned 64-bit factors need all 128 bits.
    let product = a.cast_unsigned().wrapping_mul(b.cast_unsigned());
    (product >> ty.bits) as u64
}

fn saturated(value: i64) -> u64 {
    let clamped = value.clamp(i64::from(i32::MIN), i64::from(i32::MAX));
    u64::from(clamped as u32)
}

/// `f(a, b, c)`, with operands as their slots hold them.
pub(crate) fn bits(f: Bits, a: u64, b: u64, c: u64) -> u64 {
    let words = || (signed_part(a, 32), signed_part(b, 32), signed_part(c, 32));
    match f {
        Bits::AddSaturating => {
            let (a, b, _) = words();
            saturated(a + b)
        }
        Bits::SubSaturating => {
            let (a, b, _) = words();
            saturated(a - b)
        }
        Bits::MulHighAdd(ty) => high_product(ty, a, b).wrapping_add(c),
        Bits::MulHighAddSaturating => {
            let (a, b, c) = words();
            saturated(((a * b) >> 32) + c)
        }
        Bits::Mul24 { signed, high, saturate } => {
            let part = |value: u64| {
                if signed { signed_part(value, 24) } else { (value & 0xff_ffff) as i64 }
            };
            let product = part(a) * part(b);
            let product = if high { product >> 16 } else { product };
            if saturate {
                saturated(signed_part(product as u64, 32) + words().2)
            } else {
                product.cast_unsigned().wrapping_add(c)
            }
        }
        Bits::SumDifference(ty) => {
            c.wrapping_add((wide(ty, a) - wide(ty, b)).unsigned_abs() as u64)
        }
        // Unlike that of 32 bits, it takes more than 8 bits of start and length
        // (measured on an H200; the ISA ends at 255).
        Bits::Extract64 { signed } => extract(signed, a, (b as u32).min(255), (c as u32).min(255)),
        Bits::Insert { width } => {
            let (start, length) = (c as u32 & 0xff, c as u32 >> 8 & 0xff);
            let ones = if length >= 64 { u64::MAX } else { (1 << length) - 1 };
            let mask = if start >= u32::from(width) { 0 } else { ones << start };
            b & !mask | a.checked_shl(start).unwrap_or(0) & mask
        }
        Bits::Find { ty, shift } => {
            let width = u32::from(ty.bits);
            let value = wide(ty, a);
            // Of a negative number, the highest bit that is not its sign.
            let value = (if value < 0 { !value } else { value }) as u64;
            if value == 0 {
                u64::from(u32::MAX)
            } else {
                let at = value.ilog2();
                u64::from(if shift { width - 1 - at } else { at })
            }
        }
        Bits::Pending => mbarrier::pending(a),
        Bits::FindNth => u64::from(find_nth(a as u32, b as u32, c as u32 as i32)),
        Bits::Extend { signed, wrap } => {
            let bits = if wrap { b as u32 & 31 } else { (b as u32).min(32) };
            match bits {
                0 => 0,
                _ if signed => signed_part(a, bits).cast_unsigned(),
                _ => a & (u64::MAX >> (64 - bits)),
            }
        }
        Bits::Mask { wrap } => {
            let limit = |value: u64| {
                if wrap { value as u32 & 31 } else { (value as u32).min(32) }
            };
            ((1_u64 << limit(b)) - 1) << limit(a)
        }
        Bits::Lop3(table) => u64::from(lop3(table, a as u32, b as u32, c as u32)),
        Bits::Funnel { left, wrap } => {
            let amount = if wrap { c as u32 & 31 } else { (c as u32).min(32) };
            let both = b << 32 | a & 0xffff_ffff;
            if left { both << amount >> 32 } else { both >> amount }
        }
        Bits::Permute(mode) => u64::from(permute(mode, a as u32, b as u32, c as u32)),
        Bits::Dot4 { a_signed, b_signed } => dot(a, b, c, 8, 4, [a_signed, b_signed]),
        Bits::Dot2 { high, a_signed, b_signed } => {
            dot(a, if high { b >> 16 } else { b }, c, 16, 2, [a_signed, b_signed])
        }
        Bits::Part { width, index, signed } => {
            let (width, part) = (u32::from(width), a >> (u32::from(width) * u32::from(index)));
            if signed {
                signed_part(part, width).cast_unsigned()
            } else {
                part & u64::MAX >> (64 - width)
            }
        }
    }
}

fn extract(signed: bool, a: u64, start: u32, length: u32) -> u64 {
    if length == 0 {
        return 0;
    }
    let sign = if signed { a >> (start + length - 1).min(63) & 1 } else { 0 };
    let field = a.checked_shr(start).unwrap_or(0);
    // Bits of the result that come from the operand.
    let kept = length.min(64_u32.saturating_sub(start));
    if kept >= 64 {
        return field;
    }
    let low = field & ((1 << kept) - 1);
    if sign == 1 { low | u64::MAX << kept } else { low }
}

/// `fns`: the place of the n-th set bit from `base`, upwards or downwards.
fn find_nth(mask: u32, base: u32, offset: i32) -> u32 {
    if base > 31 {
        return u32::MAX;
    }
    let mut left = offset.unsigned_abs().saturating_sub(1);
    let mut at = base.cast_signed();
    while (0..32).contains(&at) {
        if mask >> at & 1 != 0 {
            if left == 0 {
                return at.cast_unsigned();
            }
            left -= 1;
        }
        if offset == 0 {
            break;
        }
        at += offset.signum();
    }
    u32::MAX
}

fn lop3(table: u8, a: u32, b: u32, c: u32) -> u32 {
    let mut result = 0;
    for row in 0..8 {
        if table >> row & 1 != 0 {
            let pick = |value: u32, bit: u32| if row >> bit & 1 != 0 { value } else { !value };
            result |= pick(a, 2) & pick(b, 1) & pick(c, 0);
        }
    }
    result
}

/// `prmt`: four bytes picked out of the eight of b and a.
fn permute(mode: Permute, a: u32, b: u32, c: u32) -> u32 {
    let bytes = (u64::from(b) << 32 | u64::from(a)).to_le_bytes();
    let n = (c & 3) as usize;
    let pick = |at: usize| -> u8 {
        match mode {
            Permute::Select => {
                let selector = c >> (4 * at);
                let byte = bytes[(selector & 7) as usize];
                if selector & 8 == 0 {
                    byte
                } else if byte & 0x80 == 0 {
                    0
                } else {
                    0xff
                }
            }
            Permute::Forward => bytes[n + at],
            Permute::Backward => bytes[(n + 8 - at) & 7],
            Permute::Replicate => bytes[n],
            Permute::ClampLeft => bytes[at.max(n)],
            Permute::ClampRight => bytes[at.min(n)],
            Permute::ReplicateHalf => bytes[(n & 1) * 2 + (at & 1)],
        }
    };
    u32::from_le_bytes([pick(0), pick(1), pick(2), pick(3)])
}

/// `c` plus the products of the parts of `a`, `bits` wide, with the bytes of `b`.
fn dot(a: u64, b: u64, c: u64, bits: u32, parts: u32, [a_signed, b_signed]: [bool; 2]) -> u64 {
    let part = |value: u64, bits: u32, index: u32, signed: bool| {
        let value = value >> (bits * index) & ((1 << bits) - 1);
        if signed { signed_part(value, bits) } else { value.cast_signed() }
    };
    (0..parts).fold(c, |sum, index| {
        let product = part(a, bits, index, a_signed) * part(b, 8, index, b_signed);
        sum.wrapping_add(product.cast_unsigned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permutations_follow_their_tables() {
        let (a, b) = (0x3322_1100, 0x7766_5544);
        let p = |mode, c| permute(mode, a, b, c);
        assert_eq!(p(Permute::Select, 0x7610), 0x7766_1100);
        assert_eq!(permute(Permute::Select, 0x8000, 0, 0x9999), u32::MAX);
        assert_eq!(p(Permute::Forward, 2), 0x5544_3322);
        assert_eq!(p(Permute::Backward, 1), 0x6677_0011);
        assert_eq!(p(Permute::ClampLeft, 2), 0x3322_2222);
        assert_eq!(p(Permute::ClampRight, 1), 0x1111_1100);
        assert_eq!(p(Permute::ReplicateHalf, 3), 0x3322_3322);
    }

    #[test]
    fn tables_of_logic_are_indexed_by_a_b_c() {
        assert_eq!(lop3(0xf0, 5, 6, 7), 5);
        assert_eq!(lop3(0xcc, 5, 6, 7), 6);
        assert_eq!(lop3(0xaa, 5, 6, 7), 7);
        assert_eq!(lop3(0x96, 5, 6, 7), 5 ^ 6 ^ 7);
    }

    #[test]
    fn the_nth_bit_is_found_in_both_directions() {
        assert_eq!(find_nth(0b1011_0000, 0, 2), 5);
        assert_eq!(find_nth(0b1011_0000, 31, -1), 7);
        assert_eq!(find_nth(0b1011_0000, 4, 0), 4);
        assert_eq!(find_nth(0b1011_0000, 3, 0), u32::MAX);
        assert_eq!(find_nth(0b1011_0000, 0, 4), u32::MAX);
        assert_eq!(find_nth(1, 0, i32::MIN), u32::MAX);
    }
}
