//! Dominant peaks: of all peaks of a surface, those that are far from any
//! higher one. On the autocorrelation of a periodic pattern they are the points
//! of its lattice.

use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::spec::{module, recording};
use super::{Algorithm, Contract, Defaults, Param, ParamKind, Size, Spec, Traffic, Variant};
use crate::experiment::{Case, Distribution, ParamValue};
use crate::work::View;
use crate::work::view::scatter::{Dominant, Scatter};
use crate::work::{
    Arg, Buffer, Dim3, Element, HostBuffer, HostStage, Inputs, Launch, Module, Sampling, Work,
};

mod contract;
pub mod lattice;
pub mod pattern;
pub mod picture;
pub mod surface;
#[cfg(test)]
mod tests;

use pattern::{Lattice, Pattern};
use surface::Peaks;

/// The dominant peaks.
///
/// Input: columns and rows of `n` peaks, highest first. Output: for each peak
/// the least squared distance to any higher one, and the indices of the most
/// dominant. The peaks are those of the autocorrelation of a pattern or a picture,
/// which is made on the CPU before anything is timed: image, Fourier transform,
/// local maxima, sorted by height. Timed are the distances, which a kernel finds,
/// and sorting by them, which is a stage on the host.
///
/// The edge of a generated pattern grows with `n`, so that it has about as many
/// peaks. A picture stays as it is: `n` is how many of its peaks count, the
/// highest first.
#[derive(Debug)]
pub struct DominantPeaks;

static SPEC: Spec = Spec {
    name: "dominant-peaks",
    summary: "finds the peaks of a surface that are farthest from any higher one; the surface and \
              its peaks are made on the CPU, untimed",
    variants: &[
        Variant::new(
            "global",
            "a thread per peak, which reads all higher peaks from global memory",
        )
        .idea("a thread per peak"),
        Variant::new(
            "block-per-peaks",
            "a block per peak; the minima of its threads reduced pairwise",
        )
        .idea("a block per peak")
        .short("block"),
        Variant::new(
            "tiled",
            "a thread per peak; higher peaks come tile by tile through shared memory",
        )
        .idea("tiles of peaks in shared memory"),
        Variant::new(
            REGISTER_TILED,
            "several peaks per thread in registers; a block takes a chunk of the higher peaks",
        )
        .idea("several peaks per thread, chunks")
        .short("register"),
    ],
    params: &[
        Param::word("lattice", "lattice of the pattern", &Lattice::NAMES),
        Param::int(
            "noise",
            "noise of the pattern in percent of its contrast",
            (0, 100),
            20,
            &[0, 5, 10, 20, 30, 40, 50, 60, 80, 100],
        ),
        Param::new(
            "image",
            "a picture instead of a pattern: its middle square, up to 1024 x 1024",
            ParamKind::File("PNG"),
        ),
        Param::int(
            "dominant",
            "how many of the most dominant peaks to name",
            (1, 1024),
            25,
            &[1, 5, 9, 16, 25, 36, 49, 64, 128, 256, 512, 1024],
        ),
    ],
    options: &[],
    size: Size { noun: "peaks", most: 1 << 20 },
    defaults: Defaults { sizes: (1 << 6, 1 << 12), block: 64, coarsen: 1 },
    // Only the noise of the pattern is drawn, always uniformly.
    distributions: &[Distribution::Uniform],
    module: module!("dominant_peaks"),
    recording: recording!("dominant_peaks"),
};

/// Indices in [`Work::buffers`].
const X: usize = 0;
const Y: usize = 1;
const LEAST: usize = 2;
const DOMINANT: usize = 3;

/// The variant with several peaks per thread, each block with a chunk of the others.
const REGISTER_TILED: &str = "register-tiled";

/// The kernels of [`REGISTER_TILED`].
const HELD_MODULE: Module = module!("dominant_peaks_held");

/// How many peaks a thread of [`REGISTER_TILED`] can hold: a kernel for each.
const HELD: [u32; 4] = [1, 2, 4, 8];

/// Higher peaks that a block of [`REGISTER_TILED`] takes.
const CHUNK: u32 = 1024;

/// What the highest peak has for a distance.
pub const NOTHING_HIGHER: u32 = u32::MAX;

/// For each peak the least squared distance to a higher one, which is one
/// before it.
pub fn least_distances(x: &[u32], y: &[u32]) -> Vec<u32> {
    let least = |i: usize| {
        let others = x[..i].iter().zip(&y[..i]);
        let distances = others.map(|(&u, &v)| {
            let (dx, dy) = (x[i].abs_diff(u), y[i].abs_diff(v));
            dx * dx + dy * dy
        });
        distances.min().unwrap_or(NOTHING_HIGHER)
    };
    (0..x.len()).into_par_iter().map(least).collect()
}

/// The indices of the `k` peaks with the largest distances, the higher peak
/// first among equals.
fn most_dominant(least: &HostBuffer, args: &[u64]) -> HostBuffer {
    let least = least.as_u32().unwrap_or_default();
    let k = args.first().map_or(0, |&k| k as usize);
    let mut indices: Vec<u32> = (0..least.len() as u32).collect();
    indices.sort_by_key(|&index| std::cmp::Reverse(least[index as usize]));
    indices.truncate(k);
    HostBuffer::U32(indices)
}

/// How many peaks count as dominant: never more than there are.
fn dominant(case: &Case) -> u64 {
    case.int("dominant").unwrap_or(25).min(case.n)
}

/// The image of a case and its edge. A picture that [`Algorithm::missing_input`]
/// finds missing counts as black.
fn image(case: &Case) -> (Vec<i16>, u32) {
    match case.file("image").map(|(path, sha256)| picture::same(path, sha256)) {
        Some(Ok(picture)) => (picture.pixels.clone(), picture.side),
        Some(Err(_)) => (vec![0; 16 * 16], 16),
        None => (pattern(case).pixels(), pattern(case).side),
    }
}

fn pattern(case: &Case) -> Pattern {
    Pattern {
        lattice: case.word("lattice").and_then(Lattice::find).unwrap_or(Lattice::Square),
        noise: case.int("noise").map_or(20, |percent| percent as u32),
        side: surface::side(case.n),
        seed: case.seed,
    }
}

impl Algorithm for DominantPeaks {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn module(&self, variant: &str) -> Module {
        if variant == REGISTER_TILED { HELD_MODULE } else { SPEC.module }
    }

    fn obstacle(&self, case: &Case) -> Option<String> {
        (case.variant == REGISTER_TILED).then(|| super::held("peaks", case, &HELD)).flatten()
    }

    fn work(&self, case: &Case) -> Work {
        let leaves = case.block.next_power_of_two();
        let mut args =
            vec![Arg::Buffer(X), Arg::Buffer(Y), Arg::U32(case.n as u32), Arg::Buffer(LEAST)];
        let mut grid = super::grid(case, case.n);
        let (kernel, shared_bytes) = match case.variant.as_str() {
            "global" => ("peaks_global".to_owned(), 0),
            "block-per-peaks" => {
                args.push(Arg::U32(leaves));
                ("peaks_block_per_peaks".to_owned(), leaves * 4)
            }
            REGISTER_TILED => {
                args.push(Arg::U32(CHUNK));
                grid.y = (case.n as u32).div_ceil(CHUNK).max(1);
                (format!("peaks_register_tiled_{}", case.coarsen), case.block * 16)
            }
            _ => ("peaks_tiled".to_owned(), case.block * 8),
        };
        let least = if case.variant == REGISTER_TILED {
            Buffer::filled("least", Element::U32, case.n as usize, NOTHING_HIGHER)
        } else {
            Buffer::zeroed("least", Element::U32, case.n as usize)
        };
        let input = |name, index| Buffer::input(name, index, Element::U32, case.n);
        Work {
            module: self.module(&case.variant),
            buffers: vec![
                input("x", X),
                input("y", Y),
                least,
                Buffer::zeroed("dominant", Element::U32, dominant(case) as usize),
            ],
            steps: vec![
                Launch {
                    phase: "distances",
                    kernel,
                    grid,
                    block: Dim3::linear(case.block),
                    shared_bytes,
                    args,
                }
                .into(),
                HostStage {
                    phase: "sort by distance",
                    from: LEAST,
                    to: DOMINANT,
                    run: most_dominant,
                    args: vec![dominant(case)],
                }
                .into(),
            ],
        }
    }

    fn sampling(&self, _case: &Case) -> Sampling {
        // What a block does depends on how many peaks come before its own, not on
        // where any of them lies.
        Sampling::Blocks(Inputs::new())
    }

    fn file(&self, _name: &str, path: &str) -> Result<ParamValue, String> {
        let picture = picture::read(Path::new(path)).map_err(|error| error.to_string())?;
        Ok(ParamValue::File { file: path.to_owned(), sha256: picture.sha256 })
    }

    fn missing_input(&self, case: &Case) -> Option<String> {
        let (path, sha256) = case.file("image")?;
        picture::same(path, sha256).err()
    }

    fn input_key(&self, case: &Case) -> String {
        match case.file("image") {
            Some((_, sha256)) => format!("picture {sha256} n={}", case.n),
            None => format!("{:?} n={}", pattern(case), case.n),
        }
    }

    /// Columns and rows of the peaks, and the edge of the surface they are on.
    fn inputs(&self, case: &Case) -> Inputs {
        let (pixels, side) = image(case);
        let Peaks { x, y } = surface::peaks(&pixels, side, case.n as usize);
        [x, y, vec![surface::extent(side)]].map(|it| Arc::new(HostBuffer::U32(it))).to_vec()
    }

    fn reference_key(&self, case: &Case) -> String {
        format!("{} dominant={}", self.input_key(case), dominant(case))
    }

    fn reference(&self, case: &Case, inputs: &Inputs) -> Vec<HostBuffer> {
        let (x, y) = positions(inputs);
        let least = HostBuffer::U32(least_distances(x, y));
        let dominant = most_dominant(&least, &[dominant(case)]);
        vec![least, dominant]
    }

    fn contract(&self) -> Option<&'static Contract> {
        Some(&contract::CONTRACT)
    }

    fn outputs(&self, _case: &Case) -> Vec<usize> {
        vec![LEAST, DOMINANT]
    }

    fn traffic(&self, case: &Case) -> Traffic {
        // Two coordinates in, a distance out; integers only.
        Traffic { bytes: 12 * case.n, flops: 0 }
    }

    fn view(&self, _case: &Case, inputs: &Inputs, outputs: &[HostBuffer]) -> Option<View> {
        let (x, y) = positions(inputs);
        let least = outputs.first()?.as_u32()?;
        let dominant = outputs.get(1)?.as_u32()?;
        let extent = u64::from(*inputs.get(2)?.as_u32()?.first()?);
        let scatter = Scatter::of(extent, extent, x.iter().copied().zip(y.iter().copied()))
            .with_dominant(dominant.iter().filter_map(|&index| {
                let index = index as usize;
                let distance = *least.get(index)?;
                Some(Dominant {
                    x: *x.get(index)?,
                    y: *y.get(index)?,
                    distance2: (distance != NOTHING_HIGHER).then_some(u64::from(distance)),
                })
            }));
        Some(View::Scatter(match lattice::find(x, y, least, dominant) {
            Some(found) => scatter.with_lattice(found.origin, found.vectors),
            None => scatter,
        }))
    }
}

/// Columns and rows of the peaks.
fn positions(inputs: &Inputs) -> (&[u32], &[u32]) {
    let at = |index: usize| inputs.get(index).and_then(|it| it.as_u32()).unwrap_or_default();
    (at(0), at(1))
}
