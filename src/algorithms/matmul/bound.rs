//! How far the elements of a product may be off by rounding.
//!
//! All variants compute an element as a chain of fused multiply-adds, or as a
//! tree of such chains. No product passes through more than k roundings. Each
//! rounding changes the sum so far by at most u = 2^-24 of itself.
//!
//! - Always, with `gamma(k) = k u / (1 - k u)` (N. J. Higham, *Accuracy and
//!   Stability of Numerical Algorithms*, 2nd edition, SIAM 2002, section 3.5):
//!   `|C - A B| <= gamma(k) |A| |B|`, element by element. `|A| |B|` is at most
//!   the length of A's row times that of B's column (Cauchy and Schwarz), which
//!   costs no second product. In the Frobenius norm: `|C - A B| <= gamma(k)
//!   |A| |B|`.
//! - Where elements are independent and as often positive as negative, sums
//!   grow with the square root of their length and roundings mostly cancel:
//!   then a modest constant takes the place of k (N. J. Higham and T. Mary,
//!   *Sharper probabilistic backward error analysis for basic linear algebra
//!   kernels with random data*, SIAM J. Sci. Comput. 42 (2020), A3427). For a
//!   single chain: after j of k products of variance s^2 the sum has the
//!   variance j s^2, so all roundings together have at most `u^2 s^2 (1 + ... +
//!   k)`, a standard deviation of `u / sqrt(2)` of row length times column
//!   length. [`RANDOM`] u is eleven of them.
//! - Where every sum is a whole number of at most 2^24, there is no rounding.
//!
//! Tensor cores read the elements in fewer bits ([`Format::Tf32`]), which changes each
//! product by at most [`TF32`] of itself, whatever k. Where elements are independent around
//! zero, these changes cancel like the products: their sum has a standard deviation of at
//! most TF32 of row length times column length, over the square root of k. A step of eight
//! products cuts off bits of the sum, at most 2^-21 of it.
//!
//! For a row of C summed up by random signs, errors of independent elements add
//! up like the lengths of B's columns, squared; the others like the lengths.

use super::product::Shape;
use crate::algorithms::compare::{UNIT_32, gamma};
use crate::experiment::Distribution;

/// The constant for independent elements around zero, in units of u.
const RANDOM: f64 = 8.0;

/// Largest whole number up to which 32-bit floats hold all of them.
const WHOLE: f64 = (1 << 24) as f64;

/// How far a product is off by its factors in TF32, relative to it: A's elements lose what
/// is below 10 bits of fraction (2^-10), B's are rounded (2^-11).
const TF32: f64 = 1.0 / 1024.0 + 1.0 / 2048.0 + 1.0 / 2_097_152.0;

/// Largest whole number up to which TF32 has all of them.
const WHOLE_TF32: f64 = 2048.0;

/// Loss of a step of tensor cores, of [`TENSOR_STEP`] products, relative to the sum.
const CUT_OFF: f64 = 1.0 / 2_097_152.0;
const TENSOR_STEP: f64 = 8.0;

/// What a variant reads the elements as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    F32,
    Tf32,
}

/// The bound of one product.
#[derive(Debug)]
pub(super) struct Bound {
    factor: f64,
    /// Lengths of A's rows.
    rows: Vec<f64>,
    /// Lengths of B's columns.
    columns: Vec<f64>,
    /// What the errors of a row add up to by random signs, apart from the
    /// factor and the row's length.
    across: f64,
}

impl Bound {
    pub(super) fn of(
        dist: Distribution,
        shape: Shape,
        a: &[f32],
        b: &[f32],
        format: Format,
    ) -> Self {
        let Shape { m, n, k } = shape;
        let square = |value: &f32| f64::from(*value) * f64::from(*value);
        let row = |i: usize| a[i * k..(i + 1) * k].iter().map(square).sum::<f64>().sqrt();
        let mut columns = vec![0.0; n];
        for row in b.chunks(n.max(1)) {
            for (sum, value) in columns.iter_mut().zip(row) {
                *sum += square(value);
            }
        }
        let total: f64 = columns.iter().sum();
        for sum in &mut columns {
            *sum = sum.sqrt();
        }
        let terms = k as f64;
        // Of the factors, and of the sums.
        let (format_error, sum_error, whole) = match format {
            Format::F32 => (0.0, gamma(terms, UNIT_32), f64::INFINITY),
            Format::Tf32 => (TF32, (terms / TENSOR_STEP + 1.0) * CUT_OFF, WHOLE_TF32),
        };
        let always = format_error + sum_error;
        let random = matches!(dist, Distribution::Uniform | Distribution::Normal);
        let (factor, across) = if is_exact(k, a, b, whole) {
            (0.0, 0.0)
        } else if random {
            let cancelled = RANDOM * format_error / terms.sqrt()
                + if format == Format::F32 { RANDOM * UNIT_32 } else { sum_error };
            (always.min(cancelled), total.sqrt())
        } else {
            (always, columns.iter().sum())
        };
        Self { factor, rows: (0..m).map(row).collect(), columns, across }
    }

    /// For one element of C.
    pub(super) fn of_element(&self, row: usize, column: usize) -> f64 {
        self.factor * self.rows[row] * self.columns[column]
    }

    /// For a row of C, its elements summed up by random signs.
    pub(super) fn of_signed_row(&self, row: usize) -> f64 {
        self.factor * self.rows[row] * self.across
    }
}

/// Whether every sum of products is a whole number that a float holds, of factors that are
/// at most `whole`.
fn is_exact(k: usize, a: &[f32], b: &[f32], whole: f64) -> bool {
    let most = |values: &[f32]| {
        let integral = values.iter().all(|value| value.fract() == 0.0);
        let most = values.iter().fold(0.0, |most: f64, &value| most.max(f64::from(value.abs())));
        if integral { most } else { f64::INFINITY }
    };
    // With an empty matrix there is nothing to sum up.
    k == 0 || most(a).max(most(b)) <= whole && k as f64 * most(a) * most(b) <= WHOLE
}
