//! Values of registers in words.

use crate::machine::lanes;
use crate::program::ValueType;
use crate::trace::moment::Value;
use crate::trace::words::lanes_in_words;

impl ValueType {
    /// Bits of this type as a person writes them: `-3`, `0.5`, `0x700000100`, `true`. Bits of an
    /// unknown type are a number; large ones of 64 bits are an address.
    pub fn format(self, bits: u64) -> String {
        match self {
            Self::Predicate => (bits != 0).to_string(),
            Self::Float(32) => f32::from_bits(bits as u32).to_string(),
            Self::Float(64) => f64::from_bits(bits).to_string(),
            Self::Signed(32) => (bits as u32).cast_signed().to_string(),
            Self::Signed(64) => bits.cast_signed().to_string(),
            // Small negative numbers are more likely than large positive ones.
            Self::Bits(32) if bits >> 16 == 0xffff => (bits as u32).cast_signed().to_string(),
            Self::Bits(64) if bits >> 32 == 0xffff_ffff => bits.cast_signed().to_string(),
            Self::Bits(64) | Self::Unsigned(64) if bits >> 32 != 0 => format!("{bits:#x}"),
            _ => bits.to_string(),
        }
    }
}

impl Value {
    /// Its values in some lanes, short: `7` where they agree, `0, 4, … 124` where they rise
    /// evenly, else the first ones. A predicate names the lanes where it is true.
    pub fn in_words(&self, mask: u32) -> String {
        if self.ty == ValueType::Predicate {
            let yes = lanes(mask).filter(|&lane| self.lanes[lane] != 0);
            let yes = yes.fold(0_u32, |all, lane| all | 1 << lane);
            return match yes {
                0 => "false".to_owned(),
                yes if yes == mask => "true".to_owned(),
                yes => format!("true in {}", lanes_in_words(yes)),
            };
        }
        let values: Vec<u64> = lanes(mask).map(|lane| self.lanes[lane]).collect();
        let text = |value: u64| self.ty.format(value);
        let (Some(&first), Some(&last)) = (values.first(), values.last()) else {
            return String::new();
        };
        if values.iter().all(|value| *value == first) {
            return text(first);
        }
        let even = values
            .windows(2)
            .all(|two| two[1].wrapping_sub(two[0]) == values[1].wrapping_sub(first));
        match values.as_slice() {
            [a, b, _, _, ..] if even => format!("{}, {}, … {}", text(*a), text(*b), text(last)),
            [a, b, c, _, ..] => format!("{}, {}, {}, …", text(*a), text(*b), text(*c)),
            few => few.iter().map(|value| text(*value)).collect::<Vec<_>>().join(", "),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(ty: ValueType, f: impl Fn(u64) -> u64) -> Value {
        let lanes = std::array::from_fn(|lane| f(lane as u64));
        Value {
            name: "%r1".into(),
            source: None,
            ty,
            lanes,
            before: [0; 32],
            changed: 0,
            written: true,
        }
    }

    #[test]
    fn values_are_short() {
        let bits = ValueType::Bits(32);
        assert_eq!(value(bits, |_| 7).in_words(u32::MAX), "7");
        assert_eq!(value(bits, |lane| 4 * lane).in_words(u32::MAX), "0, 4, … 124");
        assert_eq!(value(bits, |lane| 4 * lane).in_words(0b110), "4, 8");
        assert_eq!(value(bits, |lane| lane * lane).in_words(u32::MAX), "0, 1, 4, …");
        assert_eq!(value(bits, |_| 0xffff_fffe).in_words(1), "-2");
        let address = value(ValueType::Bits(64), |lane| 0x7_0000_0000 + lane);
        assert_eq!(address.in_words(1), "0x700000000");
        let float = value(ValueType::Float(32), |_| u64::from(0.5_f32.to_bits()));
        assert_eq!(float.in_words(1), "0.5");
        let yes = value(ValueType::Predicate, |lane| u64::from(lane < 5));
        assert_eq!(yes.in_words(u32::MAX), "true in lanes 0–4");
        assert_eq!((yes.in_words(0b11), yes.in_words(1 << 9)), ("true".into(), "false".into()));
    }
}
