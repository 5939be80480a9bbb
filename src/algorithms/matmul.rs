//! Matrix product: C = A B, of single-precision floats.

use std::sync::Arc;

use rayon::prelude::*;

use super::spec::{module, recording};
use super::{
    Algorithm, Contract, Defaults, Mismatch, Param, ParamKind, Size, Spec, Traffic, compare, inputs,
};
use crate::experiment::{Case, Distribution};
use crate::units::decimal;
use crate::work::{
    Arg, Boxes, Buffer, Dim3, Element, Heat, HostBuffer, Inputs, Launch, Module, Sampling, View,
    Work,
};
use bound::{Bound, Format};
use product::Shape;
use relay::Relay;
use variants::{
    ASYNC_RELAY, COPYING, TENSOR, TENSOR_BULK, TENSOR_WARP, grid, kernel, shared_bytes,
};

mod bound;
mod contract;
mod product;
mod relay;
mod sample;
#[cfg(test)]
mod tests;
mod variants;

/// The matrix product.
///
/// Inputs: A, `m` by `k`, and B, `k` by `n`, row by row. Output: C, `m` by `n`.
/// `n` is the size of the case; `m` and `k` are the same unless they are set.
///
/// Up to `WHOLE` products every element of C is compared with one that was
/// computed with 64 bits. Beyond, that would take longer than everything else:
/// some rows are compared like that, and all of C by Freivalds' check (R.
/// Freivalds, *Probabilistic machines can use less running time*, IFIP 1977):
/// for a vector x of random signs, `C x` has to be `A (B x)`, which takes k n +
/// m k products instead of m n k. A wrong row of C escapes one vector with a
/// probability of at most 1/2, and a single wrong element never does.
/// `matmul/bound.rs` bounds the rounding errors.
#[derive(Debug)]
pub struct Matmul;

static SPEC: Spec = Spec {
    name: "matmul",
    summary: "multiplies two matrices of 32-bit floats",
    variants: &variants::ALL,
    params: &[
        Param::new("m", "rows of A and C; 0 for as many as columns", EXTENT).zero("= n"),
        Param::new("k", "columns of A, rows of B; 0 for as many as columns of C", EXTENT)
            .zero("= n"),
    ],
    options: &[],
    size: Size { noun: "order", most: MOST },
    defaults: Defaults { sizes: (16, 128), block: 256, coarsen: 1 },
    distributions: &Distribution::ALL,
    module: module!("matmul"),
    recording: recording!("matmul"),
};

/// The values of an extent.
const EXTENT: ParamKind =
    ParamKind::Int { low: 0, high: MOST, default: 0, steps: &[0, 1, 3, 10, 30, 100, 300] };

/// Largest of each extent: indices of all elements fit into 32 bits.
const MOST: u64 = 1 << 14;

/// Most products for which all of C is computed with 64 bits: those of three
/// square matrices of order 2048.
const WHOLE: u64 = 1 << 33;

/// Rows of a larger C that are computed with 64 bits, evenly spread.
const ROWS: usize = 16;

/// Vectors of signs that a larger C is multiplied with.
const VECTORS: u64 = 4;

/// Seed of the first of them.
const SIGNS: u64 = 0x5167_6e73;

/// Indices in [`Work::buffers`].
const A: usize = 0;
const B: usize = 1;
const C: usize = 2;

/// The extents of a case.
fn shape(case: &Case) -> Shape {
    let extent = |name: &str| match case.int(name) {
        None | Some(0) => case.n as usize,
        Some(extent) => extent as usize,
    };
    Shape { m: extent("m"), n: case.n as usize, k: extent("k") }
}

/// The boxes of A and B that [`TENSOR_BULK`] copies.
fn boxes(case: &Case) -> [Boxes; 2] {
    let Shape { m, n, k } = shape(case);
    [
        Boxes { buffer: A, matrix: [m as u64, k as u64], extent: [256, 32] },
        Boxes { buffer: B, matrix: [k as u64, n as u64], extent: [32, 32] },
    ]
}

/// The buffers of A, B and C.
fn matrices(case: &Case) -> Vec<Buffer> {
    let Shape { m, n, k } = shape(case);
    vec![
        Buffer::input("A", 0, Element::F32, (m * k) as u64),
        Buffer::input("B", 1, Element::F32, (k * n) as u64),
        // No number: an element that is not written is wrong.
        Buffer::filled("C", Element::F32, m * n, f32::NAN.to_bits()),
    ]
}

/// `count` elements of a matrix. The distributions that count keep their
/// numbers (42, 1, and the index); the others fall into [-1, 1): the upper 24
/// bits of a word as a signed fraction, which a float holds exactly.
fn elements(dist: Distribution, seed: u64, count: usize) -> Vec<f32> {
    let whole = matches!(dist, Distribution::Constant | Distribution::Iota | Distribution::Ones);
    let element = |word: u32| {
        if whole {
            return word as f32;
        }
        let centred = (word >> 8).cast_signed() - (1 << 23);
        centred as f32 / (1 << 23) as f32
    };
    inputs::generate(dist, seed, count).into_par_iter().map(element).collect()
}

/// A and B.
fn factors(inputs: &Inputs) -> (&[f32], &[f32]) {
    let of = |index: usize| inputs.get(index).and_then(|it| it.as_f32()).unwrap_or_default();
    (of(0), of(1))
}

/// The rows of a large C that are computed with 64 bits.
fn sampled_rows(m: usize) -> Vec<usize> {
    let rows = ROWS.min(m);
    (0..rows).map(|row| row * (m - 1) / (rows - 1).max(1)).collect()
}

/// The vectors of signs that a large C is multiplied with.
fn signs(n: usize) -> Vec<Vec<f64>> {
    let sign = |word: u32| if word & 1 == 0 { 1.0 } else { -1.0 };
    let vector = |index| {
        let words = inputs::generate(Distribution::Uniform, SIGNS + index, n);
        words.into_iter().map(sign).collect()
    };
    (0..VECTORS).map(vector).collect()
}

/// All of C, computed with 64 bits.
fn whole(shape: Shape, a: &[f32], b: &[f32]) -> Vec<HostBuffer> {
    let rows: Vec<usize> = (0..shape.m).collect();
    vec![HostBuffer::F64(product::rows(shape, a, b, &rows))]
}

/// Some rows of C, and its products with vectors of signs.
fn samples(shape: Shape, a: &[f32], b: &[f32]) -> Vec<HostBuffer> {
    let by_signs = |signs: &Vec<f64>| {
        let inner = product::times_vector(b, shape.n, signs);
        product::times_vector(a, shape.k, &inner)
    };
    vec![
        HostBuffer::F64(product::rows(shape, a, b, &sampled_rows(shape.m))),
        HostBuffer::F64(signs(shape.n).iter().flat_map(by_signs).collect()),
    ]
}

impl Algorithm for Matmul {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn obstacle(&self, case: &Case) -> Option<String> {
        variants::obstacle(case)
    }

    fn module(&self, variant: &str) -> Module {
        variants::module(variant).unwrap_or(SPEC.module)
    }

    fn work(&self, case: &Case) -> Work {
        let Shape { m, n, k } = shape(case);
        if case.variant == ASYNC_RELAY {
            return Relay::of(case).work(case);
        }
        let mut launch = Launch {
            phase: "multiply",
            kernel: kernel(case),
            grid: Dim3::linear(grid(case)),
            block: Dim3::linear(case.block),
            shared_bytes: shared_bytes(case),
            args: vec![
                Arg::Buffer(A),
                Arg::Buffer(B),
                Arg::Buffer(C),
                Arg::U32(m as u32),
                Arg::U32(n as u32),
                Arg::U32(k as u32),
            ],
        };
        if case.variant == TENSOR_BULK {
            let boxes = boxes(case);
            launch.block = Dim3::linear(case.block + COPYING);
            launch.args.push(Arg::U32(boxes.into_iter().all(Boxes::possible).into()));
            launch.args.extend(boxes.map(Arg::Boxes));
        }
        Work::of_launches(self.module(&case.variant), matrices(case), [launch])
    }

    fn sampling(&self, case: &Case) -> Sampling {
        sample::sampling(case)
    }

    fn input_key(&self, case: &Case) -> String {
        let Shape { m, n, k } = shape(case);
        format!("matrices {} seed={} {m}x{k} {k}x{n}", case.dist, case.seed)
    }

    fn inputs(&self, case: &Case) -> Inputs {
        let Shape { m, n, k } = shape(case);
        [(case.seed, m * k), (!case.seed, k * n)]
            .map(|(seed, count)| Arc::new(HostBuffer::F32(elements(case.dist, seed, count))))
            .to_vec()
    }

    /// C; or `samples` of a large one.
    fn reference(&self, case: &Case, inputs: &Inputs) -> Vec<HostBuffer> {
        let (a, b) = factors(inputs);
        let shape @ Shape { m, n, k } = shape(case);
        if (m * n) as u64 * k as u64 <= WHOLE { whole(shape, a, b) } else { samples(shape, a, b) }
    }

    fn contract(&self) -> Option<&'static Contract> {
        Some(&contract::CONTRACT)
    }

    fn outputs(&self, _case: &Case) -> Vec<usize> {
        vec![C]
    }

    fn verify(
        &self,
        case: &Case,
        inputs: &Inputs,
        reference: &[HostBuffer],
        outputs: &[HostBuffer],
    ) -> Result<(), Mismatch> {
        let (a, b) = factors(inputs);
        let shape @ Shape { m, n, .. } = shape(case);
        let tensor = [TENSOR_WARP, TENSOR, TENSOR_BULK].contains(&case.variant.as_str());
        let format = if tensor { Format::Tf32 } else { Format::F32 };
        let bound = Bound::of(case.dist, shape, a, b, format);
        let Some(c) = outputs.first().and_then(HostBuffer::as_f32).filter(|c| c.len() == m * n)
        else {
            let expected = format!("{} 32-bit floats", m * n);
            let got = "something else".to_owned();
            return Err(Mismatch { output: 0, index: 0, expected, got, differing: 0 });
        };
        match reference {
            [whole] => {
                compare::within(whole, &outputs[0], |index| bound.of_element(index / n, index % n))
            }
            [rows, by_signs, ..] => {
                let sampled = sampled_rows(m);
                let kept = sampled.iter().flat_map(|row| &c[row * n..(row + 1) * n]);
                let kept = HostBuffer::F32(kept.copied().collect());
                compare::within(rows, &kept, |index| {
                    bound.of_element(sampled[index / n], index % n)
                })
                .map_err(|mismatch| {
                    let (row, column) = (mismatch.index as usize / n, mismatch.index as usize % n);
                    Mismatch { index: (sampled[row] * n + column) as u64, ..mismatch }
                })?;
                let got = signs(n).iter().flat_map(|x| product::times_vector(c, n, x)).collect();
                compare::within(by_signs, &HostBuffer::F64(got), |index| {
                    bound.of_signed_row(index % m)
                })
                .map_err(|mismatch| Mismatch {
                    index: (mismatch.index as usize % m * n) as u64,
                    expected: format!("a row whose sum by random signs is {}", mismatch.expected),
                    got: format!("one with {}", mismatch.got),
                    ..mismatch
                })
            }
            [] => Ok(()),
        }
    }

    fn traffic(&self, case: &Case) -> Traffic {
        let Shape { m, n, k } = shape(case);
        let (m, n, k) = (m as u64, n as u64, k as u64);
        Traffic { bytes: 4 * (m * k + k * n + m * n), flops: 2 * m * n * k }
    }

    fn view(&self, case: &Case, _inputs: &Inputs, outputs: &[HostBuffer]) -> Option<View> {
        let Shape { m, n, .. } = shape(case);
        let c = outputs.first()?;
        // What is kept of a large reference is not C.
        if c.len() != m * n || c.is_empty() {
            return None;
        }
        let Traffic { bytes, flops } = self.traffic(case);
        let intensity = decimal(flops as f64 / bytes as f64);
        let label = format!("C = A B ({intensity} operations per byte of A, B and C)");
        let (m, n) = (m as u64, n as u64);
        Some(View::Heat(match c {
            HostBuffer::F32(c) => Heat::of(&label, m, n, c.iter().map(|&it| f64::from(it))),
            HostBuffer::F64(c) => Heat::of(&label, m, n, c.iter().copied()),
            _ => return None,
        }))
    }
}
