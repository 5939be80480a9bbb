//! From a pattern to peaks: its autocorrelation, and the local maxima of that.

use rayon::prelude::*;
use rustfft::algorithm::Radix4;
use rustfft::num_complex::Complex;
use rustfft::{Fft, FftDirection};

/// Shortest edge of a pattern: a few periods of every lattice.
const SHORTEST: u32 = 64;

/// Longest edge of a pattern; its transform takes 64 MiB.
pub const LONGEST: u32 = 1024;

/// Columns and rows of peaks, highest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peaks {
    /// Columns.
    pub x: Vec<u32>,
    /// Rows.
    pub y: Vec<u32>,
}

/// Edge of a pattern whose autocorrelation has about `n` peaks or more: with the
/// usual noise about one pixel in fifty is one, and it has four times the pixels.
pub fn side(n: u64) -> u32 {
    let pixels = n.saturating_mul(52) / 4;
    let edge = libm::ceil(libm::sqrt(pixels as f64)) as u64;
    (edge.next_power_of_two() as u32).clamp(SHORTEST, LONGEST)
}

/// Edge of the autocorrelation of a pattern with edges of `side` pixels: every
/// shift from `-(side - 1)` to `side - 1`.
pub fn extent(side: u32) -> u32 {
    2 * side - 1
}

/// The `n` highest peaks of the autocorrelation of a square image. Where it has
/// fewer, ripples next to them stand in for the rest, one pixel from a higher
/// peak each, so that any number of peaks can be timed and none of those made up
/// is ever dominant.
pub fn peaks(pixels: &[i16], side: u32, n: usize) -> Peaks {
    let extent = extent(side) as usize;
    let heights = autocorrelation(pixels, side as usize);
    let mut found = maxima(&heights, extent);
    // Equal heights come in the order of the image, the same on every machine.
    found.par_sort_by_key(|&index| (std::cmp::Reverse(heights[index as usize]), index));
    found.truncate(n);
    let columns = extent as u32;
    let real = found.len();
    let beside = [1, columns, columns + 1, columns - 1];
    for filled in 0..n - real {
        // Without a single peak the surface is flat, and any place will do.
        let peak = if real == 0 { 0 } else { found[filled % real] };
        found.push(peak + beside[filled / real.max(1) % beside.len()]);
    }
    Peaks {
        x: found.iter().map(|index| index % columns).collect(),
        y: found.iter().map(|index| index / columns).collect(),
    }
}

/// The autocorrelation of a square image less its mean, for every shift, row by
/// row from shift `(-(side - 1), -(side - 1))` on.
///
/// By the Wiener-Khinchin theorem it is the inverse transform of the squared
/// magnitude of the image's transform; padding the image with as many zeros or more
/// keeps shifts from wrapping around. The values are sums of products of whole
/// numbers and therefore whole. They stay below 2^36 (255^2 times 2^20 pixels), and the transform is
/// exact to far better than one half there, so rounding gives them exactly,
/// whatever vector instructions the machine has.
pub fn autocorrelation(pixels: &[i16], side: usize) -> Vec<i64> {
    let padded = (2 * side).next_power_of_two();
    let sum: i64 = pixels.iter().map(|&pixel| i64::from(pixel)).sum();
    let mean = sum / (pixels.len().max(1) as i64);
    let mut field = vec![Complex::new(0.0, 0.0); padded * padded];
    for (row, pixels) in pixels.chunks(side).enumerate() {
        for (column, &pixel) in pixels.iter().enumerate() {
            field[row * padded + column].re = (i64::from(pixel) - mean) as f64;
        }
    }
    transform(&mut field, padded, FftDirection::Forward);
    for value in &mut field {
        *value = Complex::new(value.norm_sqr(), 0.0);
    }
    transform(&mut field, padded, FftDirection::Inverse);

    let scale = (padded * padded) as f64;
    let extent = 2 * side - 1;
    let mut heights = Vec::with_capacity(extent * extent);
    // Negative shifts stand at the upper end of the transform.
    let shift = |index: usize| (index + padded - (side - 1)) % padded;
    for row in 0..extent {
        for column in 0..extent {
            let value = field[shift(row) * padded + shift(column)].re / scale;
            heights.push(libm::round(value) as i64);
        }
    }
    heights
}

/// Transforms the rows, then the columns.
fn transform(field: &mut Vec<Complex<f64>>, edge: usize, direction: FftDirection) {
    let fft = Radix4::new(edge, direction);
    for _ in 0..2 {
        field.par_chunks_mut(edge).for_each(|row| fft.process(row));
        let mut turned = vec![Complex::new(0.0, 0.0); field.len()];
        turned.par_chunks_mut(edge).enumerate().for_each(|(column, values)| {
            for (row, value) in values.iter_mut().enumerate() {
                *value = field[row * edge + column];
            }
        });
        *field = turned;
    }
}

/// Indices of the places higher than their eight neighbours. Of neighbours of
/// equal height, the first in the order of the image counts. The edge of the
/// image has no peaks.
fn maxima(heights: &[i64], edge: usize) -> Vec<u32> {
    if edge < 3 {
        return Vec::new();
    }
    (1..edge - 1)
        .into_par_iter()
        .flat_map_iter(|row| {
            (1..edge - 1).filter_map(move |column| {
                let index = row * edge + column;
                let here = heights[index];
                let before = [index - edge - 1, index - edge, index - edge + 1, index - 1];
                let after = [index + 1, index + edge - 1, index + edge, index + edge + 1];
                let peak = before.iter().all(|&other| heights[other] < here)
                    && after.iter().all(|&other| heights[other] <= here);
                peak.then_some(index as u32)
            })
        })
        .collect()
}
