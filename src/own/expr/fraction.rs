//! Exact fractions of 128-bit integers; every operation is `None` on overflow.

/// A fraction in lowest terms, with a denominator above 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::own) struct Fraction {
    over: i128,
    under: i128,
}

impl From<i128> for Fraction {
    fn from(value: i128) -> Self {
        Self { over: value, under: 1 }
    }
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Fraction {
    /// `over / under`.
    pub(super) fn new(over: i128, under: i128) -> Option<Self> {
        let divisor = i128::try_from(gcd(over.unsigned_abs(), under.unsigned_abs())).ok()?;
        if under == 0 || divisor == 0 {
            return None;
        }
        let (over, under) = (over / divisor, under / divisor);
        if under < 0 {
            return Some(Self { over: over.checked_neg()?, under: under.checked_neg()? });
        }
        Some(Self { over, under })
    }

    /// Its value, if it is a whole number.
    pub(in crate::own) fn whole(self) -> Option<i128> {
        (self.under == 1).then_some(self.over)
    }

    /// The nearest float.
    pub(in crate::own) fn to_f64(self) -> f64 {
        self.over as f64 / self.under as f64
    }

    pub(super) fn is_zero(self) -> bool {
        self.over == 0
    }

    pub(super) fn add(self, other: Self) -> Option<Self> {
        if self.under == 1 && other.under == 1 {
            return self.over.checked_add(other.over).map(Self::from);
        }
        let left = self.over.checked_mul(other.under)?;
        let right = other.over.checked_mul(self.under)?;
        Self::new(left.checked_add(right)?, self.under.checked_mul(other.under)?)
    }

    pub(super) fn subtract(self, other: Self) -> Option<Self> {
        self.add(Self { over: other.over.checked_neg()?, under: other.under })
    }

    pub(super) fn multiply(self, other: Self) -> Option<Self> {
        // Shortened crosswise first, so that only results that are too large overflow.
        let (a, b) = (Self::new(self.over, other.under)?, Self::new(other.over, self.under)?);
        Self::new(a.over.checked_mul(b.over)?, a.under.checked_mul(b.under)?)
    }

    pub(super) fn divide(self, other: Self) -> Option<Self> {
        self.multiply(Self::new(other.under, other.over)?)
    }

    pub(super) fn power(self, exponent: u32) -> Option<Self> {
        Self::new(self.over.checked_pow(exponent)?, self.under.checked_pow(exponent)?)
    }

    pub(in crate::own) fn floor(self) -> i128 {
        self.over.div_euclid(self.under)
    }

    pub(super) fn ceil(self) -> i128 {
        let whole = self.over.rem_euclid(self.under) == 0;
        // A fraction that is not whole lies below the highest integer.
        self.floor() + i128::from(!whole)
    }

    /// Whether it is less than another.
    pub(super) fn is_less(self, other: Self) -> Option<bool> {
        Some(self.over.checked_mul(other.under)? < other.over.checked_mul(self.under)?)
    }

    /// The whole part of its logarithm, and whether that is all; `None` unless it is
    /// above 0.
    pub(super) fn log2(self) -> Option<(i128, bool)> {
        if self.over <= 0 {
            return None;
        }
        let at_least_one = self.over >= self.under;
        let (large, small) =
            if at_least_one { (self.over, self.under) } else { (self.under, self.over) };
        // large / small lies in [2^floor, 2^(floor + 1)).
        let floor = (large / small).ilog2();
        let exact =
            small.checked_shl(floor).is_some_and(|power| power >> floor == small && power == large);
        let floor = i128::from(floor);
        Some(match (at_least_one, exact) {
            (true, exact) => (floor, exact),
            (false, true) => (-floor, true),
            (false, false) => (-floor - 1, false),
        })
    }
}
