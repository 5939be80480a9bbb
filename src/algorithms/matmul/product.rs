//! Products of matrices of 32-bit floats, computed with 64 bits.

use rayon::prelude::*;

/// Rows that one task computes together: each row of B is read once for all.
const TOGETHER: usize = 8;

/// The extents of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// Rows of A and C.
    pub m: usize,
    /// Columns of B and C.
    pub n: usize,
    /// Columns of A, rows of B.
    pub k: usize,
}

/// The rows `wanted` of A B, one after the other.
pub(super) fn rows(shape: Shape, a: &[f32], b: &[f32], wanted: &[usize]) -> Vec<f64> {
    let Shape { n, k, .. } = shape;
    let mut c = vec![0.0; wanted.len() * n];
    if n == 0 {
        return c;
    }
    c.par_chunks_mut(TOGETHER * n).zip(wanted.par_chunks(TOGETHER)).for_each(|(c, wanted)| {
        for i in 0..k {
            let b = &b[i * n..(i + 1) * n];
            for (c, row) in c.chunks_mut(n).zip(wanted) {
                let a = f64::from(a[row * k + i]);
                for (sum, &b) in c.iter_mut().zip(b) {
                    *sum += a * f64::from(b);
                }
            }
        }
    });
    c
}

/// A matrix with `columns` columns times a vector.
pub(super) fn times_vector(matrix: &[f32], columns: usize, vector: &[f64]) -> Vec<f64> {
    let dot = |row: &[f32]| row.iter().zip(vector).map(|(&a, x)| f64::from(a) * x).sum();
    matrix.par_chunks(columns.max(1)).map(dot).collect()
}
