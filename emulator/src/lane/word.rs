//! What each function means for one lane: pure, apart from dispatch.
//!
//! Semantics are those of the PTX ISA, chapter "Instruction Set": arithmetic
//! wraps, shift amounts are clamped at the width, and an integer division by
//! zero gives all ones (what the hardware returns; the ISA leaves it open).

use crate::lane::atomic::Floats;
#[cfg(test)]
use crate::lane::float;
use crate::lane::mbarrier::Arrivals;
use crate::program::{Compare, Count, Int1, Int2, Logic, Narrow, Rmw};

/// The larger or the smaller of two 32-bit floats; a NaN counts only if `nan`.
#[cfg(test)]
pub(crate) fn float_extreme(max: bool, nan: bool, a: u32, b: u32) -> u32 {
    let f = crate::program::Extreme { max, nan, xorsign: false, flush: false };
    float::extreme(f, crate::program::Float::F32, u64::from(a), u64::from(b)) as u32
}

/// The two widths of integer registers.
pub(crate) trait Word: Copy + Ord + Default + Floats + Arrivals {
    type Signed: Copy + Ord;
    const ONES: Self;
    fn int2(f: Int2, a: Self, b: Self) -> Self;
    /// [`Self::int2`] for divisions, for `N` lanes at a time.
    fn divide<const N: usize>(f: Int2, a: Self, b: Self) -> Self;
    /// The quotient or remainder of unsigned operands, by the method `WAY`: see [`ANY`]. The result
    /// of a division by zero is arbitrary.
    fn quotient<const N: usize, const WAY: u8>(x: Self, y: Self, rest: bool) -> Self;
    /// Not zero if the operands do not allow this method.
    fn unfit<const WAY: u8>(x: Self, y: Self) -> Self;
    /// The result of `f` whose magnitude is `size`.
    fn with_sign(f: Int2, a: Self, b: Self, size: Self) -> Self;
    /// The result of a division by `b`: all ones if that is zero.
    fn defined(b: Self, result: Self) -> Self;
    fn int1(f: Int1, a: Self) -> Self;
    fn count(f: Count, a: Self) -> u32;
    fn signed(self) -> Self::Signed;
    /// 1 or 0.
    fn from_bit(bit: bool) -> Self;
    fn rmw(f: Rmw, old: Self, b: Self, c: Self) -> Self;
}

/// Division methods: for any operands; for quotients below 2^47 (32 bits: 2^18) and divisors below
/// 2^52 (2^30); for operands below 2^52 (2^23). The last two do not divide by zero.
pub(crate) const ANY: u8 = 0;
pub(crate) const NEAR: u8 = 1;
pub(crate) const SMALL: u8 = 2;
/// As [`SMALL`], of signed operands from -2^51 to 2^51 - 1 (-2^22 to 2^22 - 1).
pub(crate) const SIGNED: u8 = 3;

/// Products and quotients, in a form that vectorises.
///
/// Quotients are estimated by reciprocals in floats of as many bits, which are made too small
/// by more than all roundings together. So an estimate is never too large, and what it leaves
/// is positive. It is short by less than 2^-19 of itself in 32 bits, 2^-48 in 64: it leaves some
/// thousand divisors at most. A second estimate, of what is left, is short by at most one.
trait Divide: Sized {
    /// The high half of the product.
    fn high_product(self, other: Self) -> Self;
    /// The same of signed numbers.
    fn signed_high_product(self, other: Self) -> Self;
    /// The quotient and what it leaves; anything for a division by zero. As in [`Word::divide`].
    fn divided<const N: usize>(self, other: Self) -> (Self, Self);
    /// Most bits of a quotient for [`NEAR`]. The rounding errors of such a quotient are far below one
    /// half, so that its nearest integer is right or one too large.
    const NEAR_BITS: u32;
    /// Most bits of its divisor.
    const NEAR_DIVISOR_BITS: u32;
    /// A quotient with so few bits, or its remainder.
    fn near_quotient(self, other: Self, rest: bool) -> Self;
    /// The bits that a small number may have. Rounding the quotient of two such floats never
    /// reaches the next integer, which is further away than half of the last bit.
    const SMALL_BITS: u32;
    /// The quotient of small numbers, or what it leaves; anything for a division by zero.
    fn small_quotient(self, other: Self, rest: bool) -> Self;
    /// The bits that a small signed number may have, with its sign.
    const SIGNED_BITS: u32;
    /// The same of signed numbers.
    fn signed_quotient(self, other: Self, rest: bool) -> Self;
}

/// Whether a host with vectors of `N` lanes converts numbers of 64 bits to floats and back, as
/// it does one by one.
#[inline(always)]
const fn converts<const N: usize>() -> bool {
    N == 16 || N == 1
}

/// The float nearest to a number, by arithmetic that vectors without a conversion have.
#[inline(always)]
pub(crate) fn float_of(number: u64) -> f64 {
    const BOTH: f64 = 19_342_813_118_337_666_422_669_312.0;
    // Halves as the last bits of 2^84 and 2^52.
    let high = f64::from_bits(number >> 32 | 0x4530_0000_0000_0000);
    let low = f64::from_bits(number & 0xffff_ffff | 0x4330_0000_0000_0000);
    high - BOTH + low
}

/// The same of a number below 2^52.
#[inline(always)]
fn float_of_small(number: u64) -> f64 {
    // 2^52 with the number as its last bits.
    const MIDDLE: f64 = 4_503_599_627_370_496.0;
    f64::from_bits(number | MIDDLE.to_bits()) - MIDDLE
}

/// The number that such a float is when cut off, of one that is less than 2^64 and not negative.
#[inline(always)]
fn number_of(float: f64) -> u64 {
    // Added to it, a smaller integer is the last bits.
    const MIDDLE: f64 = 4_503_599_627_370_496.0;
    const WORD: f64 = 4_294_967_296.0;
    let high = (float * (1.0 / WORD)).floor();
    let low = float.floor() - high * WORD;
    (high + MIDDLE).to_bits() << 32 | (low + MIDDLE).to_bits() & 0xffff_ffff
}

macro_rules! signed_quotient {
    ($float_of:expr, $middle:expr) => {
        #[inline(always)]
        fn signed_quotient(self, other: Self, rest: bool) -> Self {
            let (a, b) = ($float_of(self), $float_of(other));
            let quotient = (a / b).trunc();
            let wanted = if rest { a - quotient * b } else { quotient };
            (wanted + $middle).to_bits().wrapping_sub($middle.to_bits())
        }
    };
}

macro_rules! divided {
    (
        $word:ty, $float:ty, $middle:expr, $float_of:expr, $near_float:expr, $number_of:expr
    ) => {
        #[inline(always)]
        fn divided<const N: usize>(self, other: Self) -> (Self, Self) {
            const SHORT: $word = 6;
            let divisor = if other == 0 { 1 } else { other };
            let float = |number: $word| {
                if converts::<N>() { number as $float } else { $float_of(number) }
            };
            let near = 1.0 / float(divisor);
            let below = <$float>::from_bits(near.to_bits() - SHORT);
            let times = |value: $word| {
                let product = float(value) * below;
                if !converts::<N>() {
                    return $number_of(product);
                }
                // SAFETY: `below` is less than 1 / divisor by more than the roundings here add, so
                // that what a number of a width times it is has that width too.
                unsafe { product.to_int_unchecked::<$word>() }
            };
            let first = times(self);
            let rest = self.wrapping_sub(first.wrapping_mul(divisor));
            let second = times(rest);
            let rest = rest.wrapping_sub(second.wrapping_mul(divisor));
            let quotient = first.wrapping_add(second);
            if rest >= divisor {
                (quotient.wrapping_add(1), rest.wrapping_sub(divisor))
            } else {
                (quotient, rest)
            }
        }

        #[inline(always)]
        fn near_quotient(self, other: Self, rest: bool) -> Self {
            let near: $float = $float_of(self) / $near_float(other) + $middle;
            let quotient = near.to_bits() ^ $middle.to_bits();
            let left = self.wrapping_sub(quotient.wrapping_mul(other));
            let over = left.cast_signed() < 0;
            if rest {
                left.wrapping_add(if over { other } else { 0 })
            } else {
                quotient.wrapping_sub(Self::from(over))
            }
        }
    };
}

impl Divide for u32 {
    #[inline(always)]
    fn high_product(self, other: Self) -> Self {
        ((u64::from(self) * u64::from(other)) >> 32) as u32
    }

    #[inline(always)]
    fn signed_high_product(self, other: Self) -> Self {
        let wide = |x: Self| i64::from(x.cast_signed());
        ((wide(self) * wide(other)) >> 32) as Self
    }

    divided!(
        u32,
        f32,
        8_388_608.0_f32,
        |number: u32| number as f32,
        |number: u32| number as f32,
        // SAFETY: as of a product where conversions are native.
        |product: f32| unsafe { product.to_int_unchecked::<u32>() }
    );

    const SIGNED_BITS: u32 = 23;
    signed_quotient!(|number: u32| number.cast_signed() as f32, 12_582_912.0_f32);

    const NEAR_BITS: u32 = 18;
    const NEAR_DIVISOR_BITS: u32 = 30;
    const SMALL_BITS: u32 = 23;

    #[inline(always)]
    fn small_quotient(self, other: Self, rest: bool) -> Self {
        const LOW: u32 = (1 << u32::SMALL_BITS) - 1;
        // Signed, as vectors of AVX2 convert.
        let (a, b) = ((self & LOW).cast_signed(), (other & LOW).max(1).cast_signed());
        // SAFETY: it is no more than `a`, which has few bits, and not negative.
        let quotient = unsafe { (a as f32 / b as f32).to_int_unchecked::<i32>() };
        (if rest { a.wrapping_sub(quotient.wrapping_mul(b)) } else { quotient }).cast_unsigned()
    }
}

impl Divide for u64 {
    #[inline(always)]
    fn high_product(self, other: Self) -> Self {
        // Read as signed, a number whose highest bit is set is 2^64 smaller. The compiler turns the
        // usual four unsigned products into one instruction a lane, which is slower than vectors.
        let less = |x: Self, y: Self| if x.cast_signed() < 0 { y } else { 0 };
        let product = self.signed_high_product(other);
        product.wrapping_add(less(self, other)).wrapping_add(less(other, self))
    }

    #[inline(always)]
    fn signed_high_product(self, other: Self) -> Self {
        const LOW: i64 = u32::MAX as i64;
        let [a, b] = [self.cast_signed(), other.cast_signed()];
        let ([a_low, b_low], [a, b]) = ([a & LOW, b & LOW], [a >> 32, b >> 32]);
        // None of these sums is too large: a product of two halves leaves room for two more.
        let one = a * b_low + (a_low.wrapping_mul(b_low).cast_unsigned() >> 32).cast_signed();
        let two = a_low * b + (one & LOW);
        (a * b + (one >> 32) + (two >> 32)).cast_unsigned()
    }

    divided!(u64, f64, 4_503_599_627_370_496.0_f64, float_of, float_of_small, number_of);

    const SIGNED_BITS: u32 = 52;
    signed_quotient!(
        |number: u64| {
            const MIDDLE: f64 = 6_755_399_441_055_744.0;
            f64::from_bits(number.wrapping_add(MIDDLE.to_bits())) - MIDDLE
        },
        6_755_399_441_055_744.0_f64
    );

    const NEAR_BITS: u32 = 47;
    const NEAR_DIVISOR_BITS: u32 = Self::SMALL_BITS;
    const SMALL_BITS: u32 = 52;

    #[inline(always)]
    fn small_quotient(self, other: Self, rest: bool) -> Self {
        const MIDDLE: f64 = 4_503_599_627_370_496.0;
        let (a, b) = (float_of_small(self), float_of_small(other));
        let quotient = (a / b).floor();
        let wanted = if rest { a - quotient * b } else { quotient };
        (wanted + MIDDLE).to_bits() ^ MIDDLE.to_bits()
    }
}

#[inline(always)]
fn high_product<W: Divide>(a: W, b: W) -> W {
    a.high_product(b)
}

#[inline(always)]
fn signed_high_product<W: Divide>(a: W, b: W) -> W {
    a.signed_high_product(b)
}

/// Whether a division is one of signed numbers.
pub(crate) fn is_signed(f: Int2) -> bool {
    matches!(f, Int2::DivS | Int2::RemS)
}

/// Whether it gives the remainder.
pub(crate) fn leaves(f: Int2) -> bool {
    matches!(f, Int2::RemU | Int2::RemS)
}

/// An operand of a division without its sign.
#[inline(always)]
pub(crate) fn size<W: Word>(f: Int2, x: W) -> W {
    if is_signed(f) { W::int1(Int1::Absolute, x) } else { x }
}

macro_rules! word {
    ($word:ty, $signed:ty) => {
        impl Word for $word {
            type Signed = $signed;
            const ONES: Self = <$word>::MAX;

            #[inline(always)]
            fn int2(f: Int2, a: Self, b: Self) -> Self {
                // Shift amounts are 32-bit values; at the width or above, every
                // bit is shifted out.
                let amount = if b >= Self::from(Self::BITS as u8) { Self::BITS } else { b as u32 };
                match f {
                    Int2::Add => a.wrapping_add(b),
                    Int2::Sub => a.wrapping_sub(b),
                    Int2::MulLow => a.wrapping_mul(b),
                    Int2::MulHighU => high_product(a, b),
                    Int2::MulHighS => signed_high_product(a, b),
                    Int2::DivU | Int2::RemU | Int2::DivS | Int2::RemS => Self::divide::<1>(f, a, b),
                    Int2::MinU => a.min(b),
                    Int2::MaxU => a.max(b),
                    Int2::MinS => a.signed().min(b.signed()).cast_unsigned(),
                    Int2::MaxS => a.signed().max(b.signed()).cast_unsigned(),
                    Int2::And => a & b,
                    Int2::Or => a | b,
                    Int2::Xor => a ^ b,
                    Int2::ShiftLeft => a.checked_shl(amount).unwrap_or(0),
                    Int2::ShiftRightU => a.checked_shr(amount).unwrap_or(0),
                    Int2::ShiftRightS => (a.signed() >> amount.min(Self::BITS - 1)).cast_unsigned(),
                }
            }

            #[inline(always)]
            fn unfit<const WAY: u8>(x: Self, y: Self) -> Self {
                match WAY {
                    SMALL => (x | y | y.wrapping_sub(1)) >> Self::SMALL_BITS,
                    // Wraps far below zero if the quotient is too large, or the divisor zero.
                    NEAR => y.wrapping_sub((x >> Self::NEAR_BITS) + 1) >> Self::NEAR_DIVISOR_BITS,
                    SIGNED => {
                        let sized = |x: Self| x.wrapping_add(1 << (Self::SIGNED_BITS - 1));
                        let zero = if y == 0 { Self::ONES } else { 0 };
                        (sized(x) | sized(y) | zero) >> Self::SIGNED_BITS
                    }
                    _ => 0,
                }
            }

            #[inline(always)]
            fn quotient<const N: usize, const WAY: u8>(x: Self, y: Self, rest: bool) -> Self {
                match WAY {
                    SMALL => x.small_quotient(y, rest),
                    NEAR => x.near_quotient(y, rest),
                    SIGNED => x.signed_quotient(y, rest),
                    _ => {
                        let (quotient, left) = x.divided::<N>(y);
                        if rest { left } else { quotient }
                    }
                }
            }

            #[inline(always)]
            fn with_sign(f: Int2, a: Self, b: Self, size: Self) -> Self {
                // What is left has the sign of the number that is divided.
                let sign = if leaves(f) { a } else { a ^ b };
                let negative = is_signed(f) && sign.signed() < 0;
                if negative { size.wrapping_neg() } else { size }
            }

            #[inline(always)]
            fn divide<const N: usize>(f: Int2, a: Self, b: Self) -> Self {
                let quotient = Self::quotient::<N, ANY>(size(f, a), size(f, b), leaves(f));
                Self::defined(b, Self::with_sign(f, a, b, quotient))
            }

            #[inline(always)]
            fn defined(b: Self, result: Self) -> Self {
                if b == 0 { Self::ONES } else { result }
            }

            #[inline(always)]
            fn int1(f: Int1, a: Self) -> Self {
                match f {
                    Int1::Not => !a,
                    Int1::Negate => a.wrapping_neg(),
                    Int1::Absolute => a.signed().wrapping_abs().cast_unsigned(),
                    Int1::IsZero => Self::from(a == 0),
                    Int1::ReverseBits => a.reverse_bits(),
                }
            }

            #[inline(always)]
            fn count(f: Count, a: Self) -> u32 {
                match f {
                    Count::Ones => a.count_ones(),
                    Count::LeadingZeros => a.leading_zeros(),
                }
            }

            #[inline(always)]
            fn signed(self) -> $signed {
                self.cast_signed()
            }

            #[inline(always)]
            fn from_bit(bit: bool) -> Self {
                Self::from(bit)
            }

            #[inline(always)]
            fn rmw(f: Rmw, old: Self, b: Self, c: Self) -> Self {
                match f {
                    Rmw::Add => old.wrapping_add(b),
                    Rmw::AddFloat => old.float_sum(b, false),
                    Rmw::AddFlushed => old.float_sum(b, true),
                    Rmw::AddF16
                    | Rmw::MinF16
                    | Rmw::MaxF16
                    | Rmw::AddBf16
                    | Rmw::MinBf16
                    | Rmw::MaxBf16 => old.halves(f, b),
                    Rmw::Arrive | Rmw::ArriveDrop | Rmw::ExpectBytes | Rmw::CompleteBytes => {
                        old.arrivals(f, b, c)
                    }
                    Rmw::MinU => old.min(b),
                    Rmw::MaxU => old.max(b),
                    Rmw::MinS => Self::int2(Int2::MinS, old, b),
                    Rmw::MaxS => Self::int2(Int2::MaxS, old, b),
                    Rmw::And => old & b,
                    Rmw::Or => old | b,
                    Rmw::Xor => old ^ b,
                    Rmw::Exchange => b,
                    Rmw::CompareExchange => {
                        if old == b {
                            c
                        } else {
                            old
                        }
                    }
                    Rmw::Increment => {
                        if old >= b {
                            0
                        } else {
                            old + 1
                        }
                    }
                    Rmw::Decrement => {
                        if old == 0 || old > b {
                            b
                        } else {
                            old - 1
                        }
                    }
                }
            }
        }
    };
}

word!(u32, i32);
word!(u64, i64);

/// Whether `a` and `b` compare so.
#[inline(always)]
pub(crate) fn compare<W: Word>(f: Compare, a: W, b: W) -> bool {
    match f {
        Compare::Equal => a == b,
        Compare::NotEqual => a != b,
        Compare::LessU => a < b,
        Compare::LessEqualU => a <= b,
        Compare::LessS => a.signed() < b.signed(),
        Compare::LessEqualS => a.signed() <= b.signed(),
    }
}

/// A function of two lane masks, all lanes at once.
#[inline(always)]
pub(crate) fn logic(f: Logic, a: u32, b: u32) -> u32 {
    match f {
        Logic::And => a & b,
        Logic::Or => a | b,
        Logic::Xor => a ^ b,
        Logic::AndNot => a & !b,
    }
}

/// Keeps the low bits of `a` and extends them to 32.
#[inline(always)]
pub(crate) fn narrow(f: Narrow, a: u32) -> u32 {
    match f {
        Narrow::U8 => a & 0xff,
        Narrow::S8 => i32::from(a as u8 as i8).cast_unsigned(),
        Narrow::U16 => a & 0xffff,
        Narrow::S16 => i32::from(a as u16 as i16).cast_unsigned(),
    }
}

/// `bfe.u32`/`bfe.s32`: `length` bits of `a` from bit `start`; both operands
/// count with their low 8 bits. A signed field is extended by its own top bit,
/// or by bit 31 of `a` where the field reaches beyond it.
#[inline(always)]
pub(crate) fn extract(signed: bool, a: u32, start: u32, length: u32) -> u32 {
    let (start, length) = (start & 0xff, length & 0xff);
    let field = if start >= 32 { 0 } else { a >> (start & 31) };
    // Bits of the result that come from `a`.
    let kept = length.min(32 - start.min(32));
    let ones = if kept >= 32 { u32::MAX } else { (1 << (kept & 31)) - 1 };
    let top = start.wrapping_add(length).wrapping_sub(1).min(31);
    let negative = signed && a >> top & 1 != 0 && length != 0;
    if negative { field | !ones } else { field & ones }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_by_zero_and_overflow_follow_the_hardware() {
        assert_eq!(u32::int2(Int2::DivU, 7, 0), u32::MAX);
        assert_eq!(u32::int2(Int2::RemU, 7, 0), u32::MAX);
        assert_eq!(u64::int2(Int2::DivS, 7, 0), u64::MAX);
        assert_eq!(u32::int2(Int2::DivS, 0x8000_0000, u32::MAX), 0x8000_0000);
        assert_eq!(u32::int2(Int2::RemS, 0x8000_0000, u32::MAX), 0);
    }

    const DIVISIONS: [Int2; 4] = [Int2::DivU, Int2::DivS, Int2::RemU, Int2::RemS];

    /// Compares one of the faster methods with the exact result, if the operands allow it.
    fn divide_by<W: Word + std::fmt::Debug, const WAY: u8>(a: W, divisor: W) {
        for f in DIVISIONS {
            if is_signed(f) && W::unfit::<SIGNED>(a, divisor) == W::default() {
                let found = W::quotient::<8, SIGNED>(a, divisor, leaves(f));
                assert_eq!(found, W::int2(f, a, divisor), "{f:?} {a:?} {divisor:?}");
            }
            let (x, y) = (size(f, a), size(f, divisor));
            if W::unfit::<WAY>(x, y) == W::default() {
                let quotient = W::quotient::<8, WAY>(x, y, leaves(f));
                let found = W::with_sign(f, a, divisor, quotient);
                assert_eq!(found, W::int2(f, a, divisor), "{f:?} {a:?} {divisor:?}");
            }
        }
    }

    /// Around multiples of divisors of all sizes, and at the ends of the range.
    #[test]
    fn estimated_quotients_are_exact() {
        let mut state = 1_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for round in 0..400_000_u32 {
            let divisor = next() >> (round % 64) | u64::from(round % 3 == 0);
            let near = (next() >> (round / 64 % 64)).wrapping_mul(divisor);
            let any = [near, near.wrapping_sub(1), near.wrapping_add(1), next(), u64::MAX];
            for a in any {
                let wanted = a.checked_div(divisor).unwrap_or(u64::MAX);
                assert_eq!(u64::int2(Int2::DivU, a, divisor), wanted, "{a} / {divisor}");
                let narrow = u64::divide::<8>(Int2::DivU, a, divisor);
                assert_eq!(narrow, wanted, "{a} / {divisor}");
                divide_by::<_, NEAR>(a, divisor);
                let [a, divisor] = [a, divisor].map(|number| (number.cast_signed() >> 12) as u64);
                divide_by::<_, SMALL>(a, divisor);
                let (a, divisor) = ((a >> (round % 33)) as u32, (divisor >> (round % 31)) as u32);
                let wanted = a.checked_div(divisor).unwrap_or(u32::MAX);
                assert_eq!(u32::int2(Int2::DivU, a, divisor), wanted, "{a} / {divisor}");
                divide_by::<_, NEAR>(a, divisor);
            }
        }
    }

    /// Next to the largest multiple of each divisor, where rounding is coarsest.
    #[test]
    fn quotients_of_small_words_are_exact() {
        const END: u32 = 1 << 23;
        for divisor in (1..END).step_by(5) {
            let multiple = (END - 1) / divisor * divisor;
            for a in [multiple - 1, multiple, (multiple + 1).min(END - 1), END - 1] {
                for (a, divisor) in [(a, divisor), (a.wrapping_neg(), divisor)] {
                    divide_by::<_, SMALL>(a, divisor);
                }
            }
        }
    }

    #[test]
    fn high_products_are_those_of_all_bits() {
        let ends = [0, 1, 2, u64::MAX, u64::MAX - 1, 1 << 63, (1 << 63) - 1, 1 << 32, 0xffff_ffff];
        for a in ends.map(|a| [a, a ^ 0x1234_5678_9abc_def0]).into_iter().flatten() {
            for b in ends.map(|b| [b, b ^ 0xfedc_ba98_7654_3210]).into_iter().flatten() {
                let plain = (u128::from(a) * u128::from(b)) >> 64;
                assert_eq!(u128::from(u64::int2(Int2::MulHighU, a, b)), plain, "{a} {b}");
                let signed = (i128::from(a.cast_signed()) * i128::from(b.cast_signed())) >> 64;
                let found = u64::int2(Int2::MulHighS, a, b).cast_signed();
                assert_eq!(i128::from(found), signed, "{a} {b}");
            }
        }
    }

    #[test]
    fn floats_without_a_conversion_are_those_with_one() {
        let ends = [0, 1, 2, u64::MAX, 1 << 63, (1 << 53) + 1, (1 << 54) + 3, 1 << 32, 0xffff_ffff];
        for number in ends.map(|a| [a, a ^ 0x1234_5678_9abc_def0]).into_iter().flatten() {
            let float = number as f64;
            assert_eq!(float_of(number).to_bits(), float.to_bits(), "{number}");
            let below = float * 0.123_456;
            assert_eq!(number_of(below), below as u64, "{below}");
            for other in ends.map(|b| [b, b ^ 0xfedc_ba98_7654]).into_iter().flatten() {
                for f in DIVISIONS {
                    let narrow = u64::divide::<8>(f, number, other);
                    assert_eq!(narrow, u64::int2(f, number, other), "{f:?} {number} {other}");
                }
            }
        }
    }

    #[test]
    fn shifts_are_clamped() {
        assert_eq!(u32::int2(Int2::ShiftLeft, 1, 32), 0);
        assert_eq!(u32::int2(Int2::ShiftLeft, 1, 256 + 1), 0);
        assert_eq!(u32::int2(Int2::ShiftRightU, u32::MAX, 31), 1);
        assert_eq!(u32::int2(Int2::ShiftRightS, 0x8000_0000, 99), u32::MAX);
        assert_eq!(u64::int2(Int2::ShiftRightS, 1 << 63, 63), u64::MAX);
        assert_eq!(u64::int2(Int2::ShiftLeft, 1, 64), 0);
    }

    #[test]
    fn products_keep_the_right_half() {
        assert_eq!(u32::int2(Int2::MulHighU, u32::MAX, u32::MAX), u32::MAX - 1);
        assert_eq!(u32::int2(Int2::MulHighS, u32::MAX, u32::MAX), 0);
        assert_eq!(u64::int2(Int2::MulHighU, u64::MAX, 2), 1);
        assert_eq!(u32::int2(Int2::MulLow, u32::MAX, 3), u32::MAX - 2);
    }

    #[test]
    fn fields_are_extracted_and_extended() {
        assert_eq!(extract(false, 0xABCD_1234, 8, 8), 0x12);
        assert_eq!(extract(true, 0x0000_0080, 0, 8), 0xFFFF_FF80);
        assert_eq!(extract(true, 0x8000_0000, 28, 8), 0xFFFF_FFF8);
        assert_eq!(extract(false, 0x8000_0000, 40, 8), 0);
        assert_eq!(extract(true, 5, 0, 0), 0);
        assert_eq!(extract(false, u32::MAX, 0, 40), u32::MAX);
    }

    #[test]
    fn counters_wrap_at_their_bound() {
        assert_eq!(u32::rmw(Rmw::Increment, 3, 3, 0), 0);
        assert_eq!(u32::rmw(Rmw::Increment, 2, 3, 0), 3);
        assert_eq!(u32::rmw(Rmw::Decrement, 0, 3, 0), 3);
        assert_eq!(u32::rmw(Rmw::Decrement, 9, 3, 0), 3);
        assert_eq!(u32::rmw(Rmw::CompareExchange, 9, 9, 4), 4);
        assert_eq!(u32::rmw(Rmw::CompareExchange, 8, 9, 4), 8);
    }
}
