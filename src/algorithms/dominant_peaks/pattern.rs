//! Periodic patterns: bright spots on one of the five planar lattices, and noise.

use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};

/// Width of a spot over the shorter lattice vector.
const SPOT: f64 = 0.16;

/// Brightness of a spot's centre, in steps of a pixel's value.
const BRIGHT: f64 = 120.0;

/// The five lattices of the plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lattice {
    /// Equal sides, right angle.
    Square,
    /// Unequal sides, right angle.
    Rectangular,
    /// Equal sides, any angle: a rectangle with a point in its centre.
    Centred,
    /// Equal sides, 60 degrees.
    Hexagonal,
    /// Unequal sides, any angle.
    Oblique,
}

impl Lattice {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Square, Self::Rectangular, Self::Centred, Self::Hexagonal, Self::Oblique];

    /// Their names, as typed.
    pub const NAMES: [&'static str; 5] =
        ["square", "rectangular", "centred", "hexagonal", "oblique"];

    /// The lattice of this name.
    pub fn find(name: &str) -> Option<Self> {
        let index = Self::NAMES.iter().position(|known| *known == name)?;
        Self::ALL.get(index).copied()
    }

    /// Its two vectors, in pixels. They are turned out of the axes of the image
    /// by 12 degrees, so that no lattice falls on whole pixels.
    pub fn vectors(self) -> [(f64, f64); 2] {
        let (a, b, degrees) = match self {
            Self::Square => (16.0, 16.0, 90.0),
            Self::Rectangular => (14.0, 21.0, 90.0),
            Self::Centred => (17.0, 17.0, 70.0),
            Self::Hexagonal => (17.0, 17.0, 60.0),
            Self::Oblique => (15.0, 20.0, 75.0),
        };
        let at = |length: f64, degrees: f64| {
            let angle = degrees.to_radians();
            (length * libm::cos(angle), length * libm::sin(angle))
        };
        [at(a, 12.0), at(b, 12.0 + degrees)]
    }
}

/// What decides every pixel of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pattern {
    /// Where the spots are.
    pub lattice: Lattice,
    /// Amplitude of the noise in percent of a spot's brightness.
    pub noise: u32,
    /// Pixels along each edge.
    pub side: u32,
    /// Seed of the noise.
    pub seed: u64,
}

impl Pattern {
    /// The pixels, row by row. Whole numbers, from real-number functions whose
    /// results are the same on every machine.
    #[allow(clippy::many_single_char_names, reason = "as the geometry has them")]
    pub fn pixels(&self) -> Vec<i16> {
        let [a, b] = self.lattice.vectors();
        let shorter = libm::hypot(a.0, a.1).min(libm::hypot(b.0, b.1));
        let falloff = 0.5 / (SPOT * shorter * SPOT * shorter);
        let area = a.0 * b.1 - a.1 * b.0;
        let mut key = [0; 32];
        key[..8].copy_from_slice(&self.seed.to_le_bytes());
        let mut words = ChaCha8Rng::from_seed(key);
        let noise = 2.0 * BRIGHT * f64::from(self.noise) / 100.0;
        let mut pixels = Vec::with_capacity((self.side * self.side) as usize);
        for row in 0..self.side {
            for column in 0..self.side {
                let (x, y) = (f64::from(column), f64::from(row));
                // Position in units of the lattice vectors; the nearest lattice
                // point is a corner of the cell around it.
                let u = (x * b.1 - y * b.0) / area;
                let v = (a.0 * y - a.1 * x) / area;
                let mut nearest = f64::INFINITY;
                for i in [u.floor(), u.floor() + 1.0] {
                    for j in [v.floor(), v.floor() + 1.0] {
                        let dx = x - i * a.0 - j * b.0;
                        let dy = y - i * a.1 - j * b.1;
                        nearest = nearest.min(dx * dx + dy * dy);
                    }
                }
                let spot = BRIGHT * libm::exp(-nearest * falloff);
                let random = f64::from(words.next_u32()) / 4_294_967_296.0 - 0.5;
                pixels.push(libm::round(spot + noise * random) as i16);
            }
        }
        pixels
    }
}
