//! Numbers in few bytes, so that a million records fit in memory.

/// A number that packs into bytes and unpacks unchanged.
pub trait Packed: Copy + Default + PartialEq {
    /// Appends it to `bytes`.
    fn put(self, bytes: &mut Vec<u8>);

    /// Takes one off the front of `bytes`. The end of `bytes` reads as zeros.
    fn take(bytes: &mut &[u8]) -> Self;
}

/// The first byte; 0 at the end.
fn first(bytes: &mut &[u8]) -> u8 {
    bytes.split_off_first().copied().unwrap_or_default()
}

/// Seven bits to a byte, the lowest first; the highest bit says that more follow (LEB128).
impl Packed for u64 {
    fn put(mut self, bytes: &mut Vec<u8>) {
        while self >= 0x80 {
            bytes.push(self as u8 | 0x80);
            self >>= 7;
        }
        bytes.push(self as u8);
    }

    fn take(bytes: &mut &[u8]) -> Self {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = first(bytes);
            value |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or_default();
            shift += 7;
            if byte & 0x80 == 0 {
                return value;
            }
        }
    }
}

/// Powers of ten that a double holds exactly. A whole number below 2^53 times or over one
/// of them is the double that its decimal digits read as (Clinger 1990).
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// Whole numbers below it take three bytes.
const MOST_DIGITS: f64 = 16_777_216.0;

/// Decimal places that are kept.
const PLACES: i32 = 4;

/// First byte of a number of few digits: its power of ten above this. 0 stands for zero.
const ORIGIN: i32 = 64;

/// First byte of a number that takes all its bits.
const WHOLE: u8 = 255;

/// A whole number times a power of ten.
fn scaled(digits: f64, power: i32) -> Option<f64> {
    let factor = POWERS.get(power.unsigned_abs() as usize)?;
    Some(if power < 0 { digits / factor } else { digits * factor })
}

/// A number of up to five significant digits takes four bytes, zero one, others nine.
impl Packed for f64 {
    fn put(self, bytes: &mut Vec<u8>) {
        if self.to_bits() == 0 {
            return bytes.push(0);
        }
        let power = (self.abs().log10().floor().clamp(-99.0, 99.0) as i32) - PLACES;
        let digits = scaled(self, -power).map(f64::round);
        if let Some(digits) = digits.filter(|it| (1.0..MOST_DIGITS).contains(it))
            && scaled(digits, power).is_some_and(|same| same.to_bits() == self.to_bits())
        {
            bytes.push((power + ORIGIN) as u8);
            bytes.extend(&(digits as u32).to_le_bytes()[..3]);
        } else {
            bytes.push(WHOLE);
            bytes.extend(self.to_le_bytes());
        }
    }

    fn take(bytes: &mut &[u8]) -> Self {
        match first(bytes) {
            0 => 0.0,
            WHOLE => Self::from_le_bytes(std::array::from_fn(|_| first(bytes))),
            power => {
                let [a, b, c] = std::array::from_fn(|_| first(bytes));
                let digits = f64::from(u32::from_le_bytes([a, b, c, 0]));
                scaled(digits, i32::from(power) - ORIGIN).unwrap_or_default()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn through<T: Packed>(value: T) -> (T, usize) {
        let mut bytes = Vec::new();
        value.put(&mut bytes);
        let mut rest = &bytes[..];
        let back = T::take(&mut rest);
        assert!(rest.is_empty());
        (back, bytes.len())
    }

    proptest! {
        #[test]
        fn counts_come_back(value in any::<u64>(), shift in 0_u32..64) {
            prop_assert_eq!(through(value >> shift).0, value >> shift);
        }

        #[test]
        fn doubles_come_back(bits in any::<u64>()) {
            prop_assert_eq!(through(f64::from_bits(bits)).0.to_bits(), bits);
        }

        #[test]
        fn five_digits_take_four_bytes(digits in 10_000_u32..100_000, power in -18_i32..18) {
            let value: f64 = format!("{digits}e{power}").parse().unwrap_or_default();
            let (back, bytes) = through(value);
            prop_assert_eq!((back.to_bits(), bytes), (value.to_bits(), 4));
        }
    }

    #[test]
    fn the_end_reads_as_zero() {
        assert_eq!((u64::take(&mut &[0x80_u8][..]), f64::take(&mut &[][..])), (0, 0.0));
        assert_eq!(through(0.0).1, 1);
        assert_eq!(through(-0.0_f64).0.to_bits(), (-0.0_f64).to_bits());
    }
}
