//! Keys that rise or fall from the first to the last: how many of each part come before
//! an element is known without counting.

use super::Field;
use crate::algorithms::inputs::Generator;
use crate::experiment::{Case, Distribution};

/// Values of a key, in all.
const KEYS: u64 = 1 << 32;

/// Keys of which element `i` is about `i * 2^32 / rise`, or the same from the end.
#[derive(Debug)]
pub(super) struct Ramp {
    field: Field,
    n: u64,
    /// The rising elements.
    elements: Generator,
    /// Elements that it would take to go through all values of a key.
    rise: u64,
    falls: bool,
}

impl Ramp {
    /// That of a case; `None` if its keys are no ramp, or if chance says which of a few
    /// parts each element goes to.
    pub(super) fn of(case: &Case) -> Option<Self> {
        let (rise, falls) = match case.dist {
            Distribution::Iota => (KEYS, false),
            Distribution::Sorted => (case.n, false),
            Distribution::Reversed => (case.n, true),
            _ => return None,
        };
        let field = Field::of(case);
        let settled = u128::from(rise) << field.low >= u128::from(KEYS);
        let rising = if falls { Distribution::Sorted } else { case.dist };
        let elements = Generator::new(rising, case.seed, case.n);
        settled.then_some(Self { field, n: case.n, elements, rise, falls })
    }

    /// How many elements lie below key `key` for certain, and whether the next may.
    fn surely_below(&self, key: u64) -> (u64, bool) {
        let elements = u128::from(key) * u128::from(self.rise);
        let whole = u128::from(KEYS);
        ((elements / whole) as u64, elements % whole != 0)
    }

    /// How many elements lie below key `key`.
    fn below(&self, key: u64) -> u64 {
        let (sure, unsure) = self.surely_below(key);
        sure + u64::from(unsure && sure < self.n && u64::from(self.elements.element(sure)) < key)
    }

    /// How many of the first `count` elements of the rising ramp lie in parts before
    /// `part`.
    fn rising(&self, part: u32, count: u64) -> u64 {
        // Inputs have fewer than 2^31 elements, so this fits.
        let key = ((count << 32) / self.rise.max(1)).min(KEYS - 1);
        let width = u64::from(part) << self.field.low;
        // So often all parts have come by; then those from here on.
        let times = key >> (self.field.low + self.field.bits);
        let start = times << (self.field.low + self.field.bits);
        let (first, end) = (self.below(start), self.below(start + width));
        // Ends of many periods, each of which has the next element or not: about as many.
        let (before, _) = self.surely_below(times * width);
        before + count.clamp(first, end) - first
    }

    /// Where part `part` begins.
    pub(super) fn begin(&self, part: u32) -> u64 {
        self.rising(part, self.n).min(self.n)
    }

    /// How many of the first `count` elements lie in part `part`.
    pub(super) fn before(&self, part: u32, count: u64) -> u64 {
        let rising = |count| self.rising(part + 1, count).saturating_sub(self.rising(part, count));
        if self.falls {
            rising(self.n).saturating_sub(rising(self.n.saturating_sub(count)))
        } else {
            rising(count)
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::algorithms::inputs;
    use crate::experiment::ParamValue;

    fn case(dist: Distribution, n: u64, bits: u64, low: u64) -> Case {
        let params = [("bits", bits), ("low", low)];
        Case {
            algorithm: "radix-partition".to_owned(),
            variant: String::new(),
            block: 128,
            coarsen: 4,
            n,
            params: params.map(|(name, value)| (name.to_owned(), ParamValue::Int(value))).into(),
            dist,
            seed: 7,
        }
    }

    /// How far the numbers of keys before the `count`th, and before each part, are off.
    fn error(case: &Case, count: usize) -> u64 {
        let ramp = Ramp::of(case).unwrap();
        let field = Field::of(case);
        let keys = inputs::generate(case.dist, case.seed, case.n as usize);
        let in_part = |keys: &[u32], part: u32| {
            keys.iter().filter(|&&key| field.part(key) == part).count() as u64
        };
        let (mut begin, mut most) = (0, 0);
        for part in 0..field.parts() {
            let before = in_part(&keys[..count], part);
            most = most.max(ramp.before(part, count as u64).abs_diff(before));
            most = most.max(ramp.begin(part).abs_diff(begin));
            begin += in_part(&keys, part);
        }
        most
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
        #[test]
        fn what_comes_before_is_known(
            n in 1_u64..5000, share in 0.0..=1.0, bits in 1_u64..7, low in 0_u64..32,
        ) {
            let count = (n as f64 * share) as usize;
            prop_assert_eq!(error(&case(Distribution::Iota, n, bits, low.min(20)), count), 0);
            for dist in [Distribution::Sorted, Distribution::Reversed] {
                let once = case(dist, n, bits, 32 - bits);
                if Ramp::of(&once).is_some() {
                    prop_assert_eq!(error(&once, count), 0, "{}", dist);
                }
            }
        }
    }

    #[test]
    fn what_chance_decides_is_no_ramp() {
        // 2^12 elements: 2^20 values of a key for each.
        for (low, settled) in [(0, false), (19, false), (20, true), (23, true)] {
            let sorted = case(Distribution::Sorted, 1 << 12, 5, low);
            assert_eq!(Ramp::of(&sorted).is_some(), settled, "{low}");
            if settled {
                assert_eq!(error(&sorted, 1000), 0);
            }
        }
        assert!(Ramp::of(&case(Distribution::Uniform, 1 << 12, 5, 27)).is_none());
        assert!(Ramp::of(&case(Distribution::Iota, 100, 5, 0)).is_some());
    }
}
