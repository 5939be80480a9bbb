//! The roofline of a case: operations per second of each kernel over its
//! operations per byte of DRAM, under what the GPU reaches at most (Williams,
//! Waterman and Patterson, Communications of the ACM 52(4), 2009).

use super::{Axis, Scale, Unit};
use crate::results::record::{Anatomy, Ceilings, KernelAnatomy, resource};
use crate::units::significant;

/// Float operations count where there is at least one for so many on integers:
/// nearly every kernel computes addresses.
const INTEGERS_PER_FLOAT: u64 = 16;

/// Decades that the axes show at least on either side of the ridge.
const AROUND: f64 = 10.0;

/// What of the roof counts as close to it.
const CLOSE: f64 = 0.6;

/// Which operations a point or a roof counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operations {
    /// On floats.
    Float,
    /// On integers.
    Integer,
}

impl Operations {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Float => "float",
            Self::Integer => "integer",
        }
    }

    /// What `kernel` is judged by, and how many of them all of its lanes do.
    pub fn of(kernel: &KernelAnatomy) -> (Self, u64) {
        let (float, integer) = (kernel.float_operations, kernel.integer_operations);
        if float > 0 && float.saturating_mul(INTEGERS_PER_FLOAT) >= integer {
            (Self::Float, float)
        } else {
            (Self::Integer, integer)
        }
    }
}

/// One case to show.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// What the legend calls it: its variant.
    pub label: &'a str,
    /// Its kernels.
    pub anatomy: &'a Anatomy,
}

/// A roofline, ready to draw; both axes are logarithmic.
#[derive(Debug, Clone, PartialEq)]
pub struct Roofline {
    /// What is shown.
    pub title: String,
    /// Operations per byte of DRAM.
    pub x: Axis,
    /// The part of it to show.
    pub x_range: (f64, f64),
    /// Operations per second.
    pub y: Axis,
    /// The part of it to show.
    pub y_range: (f64, f64),
    /// What the GPU reaches at most.
    pub roofs: Vec<Roof>,
    /// The kernels.
    pub points: Vec<Point>,
    /// Where the numbers come from.
    pub caption: String,
    /// Kernels without a place, and why.
    pub left_out: Vec<String>,
}

/// A roof: a slope of DRAM's bandwidth, then level.
#[derive(Debug, Clone, PartialEq)]
pub struct Roof {
    /// What it counts.
    pub operations: Operations,
    /// Bytes per second of DRAM: the slope.
    pub slope: f64,
    /// Operations per second: the level part.
    pub level: f64,
    /// What the level part is called: `float 67.0 Tops/s`.
    pub label: String,
}

impl Roof {
    /// Operations per byte at which it becomes level.
    pub fn ridge(&self) -> f64 {
        self.level / self.slope
    }

    /// The most operations per second at `x` operations per byte.
    pub fn at(&self, x: f64) -> f64 {
        (x * self.slope).min(self.level)
    }

    /// Its corners between the ends of an axis, from the left.
    pub fn corners(&self, (low, high): (f64, f64)) -> Vec<(f64, f64)> {
        let ridge = self.ridge();
        let mut corners = vec![(low, self.at(low))];
        if low < ridge && ridge < high {
            corners.push((ridge, self.level));
        }
        corners.push((high, self.at(high)));
        corners
    }
}

/// A kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The case that it is of, by number: picks marker and colour.
    pub side: usize,
    /// Its number among the kernels of the case, from 0.
    pub kernel: usize,
    /// `shared: count`: case and phase.
    pub label: String,
    /// Which operations are counted.
    pub operations: Operations,
    /// Operations per byte of DRAM.
    pub x: f64,
    /// Operations per second.
    pub y: f64,
    /// What it reaches of the roof above it, 0 to 1.
    pub share: f64,
    /// Whether the slope is above it, so that DRAM would bind it first.
    pub under_slope: bool,
    /// The resource of the timing model that takes longest.
    pub bound_by: String,
}

impl Point {
    /// One sentence on where it lies.
    pub fn says(&self) -> String {
        let roof = if self.under_slope { "DRAM's roof" } else { "the arithmetic roof" };
        let share = significant(100.0 * self.share);
        let each = significant(self.x);
        let operations = self.operations.name();
        let close = if self.share >= CLOSE { " (close)" } else { "" };
        let bound = resource(&self.bound_by);
        format!(
            "{each} {operations} ops per DRAM byte, {share} % of {roof}{close}; bound by {bound}"
        )
    }
}

fn roof(gpu: &Ceilings, operations: Operations) -> Roof {
    let level = match operations {
        Operations::Float => gpu.float,
        Operations::Integer => gpu.integer,
    };
    let rate = crate::units::OperationsPerSecond(level);
    Roof { operations, slope: gpu.dram, level, label: format!("{} {rate}", operations.name()) }
}

/// Draws up the roofline of these cases, all predicted for the GPU of the first.
/// Nothing where there is no case or the GPU's rates are not known.
pub fn build(sides: &[Side]) -> Option<Roofline> {
    let gpu = &sides.first()?.anatomy.gpu;
    if gpu.dram <= 0.0 || gpu.float <= 0.0 || gpu.integer <= 0.0 {
        return None;
    }
    let (mut points, mut left_out) = (Vec::new(), Vec::new());
    for (side, Side { label, anatomy }) in sides.iter().enumerate() {
        for (index, kernel) in anatomy.kernels.iter().enumerate() {
            let label = format!("{label}: {}", kernel.phase);
            match point(gpu, kernel) {
                Ok(point) => points.push(Point { side, kernel: index, label, ..point }),
                Err(why) => left_out.push(format!("{label} {why}")),
            }
        }
    }
    let mut shown: Vec<Operations> = points.iter().map(|point| point.operations).collect();
    shown.sort_unstable();
    shown.dedup();
    if shown.is_empty() {
        shown.push(Operations::Float);
    }
    let roofs: Vec<Roof> = shown.into_iter().map(|operations| roof(gpu, operations)).collect();
    let axis = |label: &str, unit| Axis { label: label.to_owned(), scale: Scale::Log10, unit };
    let x = axis("operations per byte of DRAM", Unit::OperationsPerByte);
    let y = axis("operations per second", Unit::OperationsPerSecond);
    let ridges = roofs.iter().flat_map(|roof| [roof.ridge() / AROUND, roof.ridge() * AROUND]);
    let x_range = x.range(points.iter().map(|point| point.x).chain(ridges));
    let tops = roofs.iter().flat_map(|roof| [roof.level, roof.level / AROUND / AROUND]);
    let y_range = y.range(points.iter().map(|point| point.y).chain(tops));
    let names: Vec<&str> = sides.iter().map(|side| side.label).collect();
    Some(Roofline {
        title: format!("roofline: {}", names.join(" and ")),
        x,
        x_range,
        y,
        y_range,
        roofs,
        points,
        caption: format!("modelled · {}: counted on the emulator, peaks as published", gpu.name),
        left_out,
    })
}

/// Where a kernel lies, or why it has no place.
fn point(gpu: &Ceilings, kernel: &KernelAnatomy) -> Result<Point, String> {
    let (operations, count) = Operations::of(kernel);
    if count == 0 {
        return Err("does no arithmetic".to_owned());
    }
    if kernel.dram_bytes <= 0.0 {
        return Err("moves nothing through DRAM: all it reads is in L2".to_owned());
    }
    if kernel.seconds <= 0.0 {
        return Err("has no time".to_owned());
    }
    let (x, y) = (count as f64 / kernel.dram_bytes, count as f64 / kernel.seconds);
    let roof = roof(gpu, operations);
    Ok(Point {
        side: 0,
        kernel: 0,
        label: String::new(),
        operations,
        x,
        y,
        share: y / roof.at(x),
        under_slope: x < roof.ridge(),
        bound_by: kernel.bound_by.clone(),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn anatomy(float: u64, integer: u64, dram_bytes: f64) -> Anatomy {
        let gpu = Ceilings {
            name: "Some GPU".to_owned(),
            multiprocessors: 100,
            dram: 1e12,
            float: 20e12,
            integer: 10e12,
        };
        let kernel = KernelAnatomy {
            phase: "count".to_owned(),
            bound_by: "dram".to_owned(),
            seconds: 1e-3,
            float_operations: float,
            integer_operations: integer,
            dram_bytes,
            ..KernelAnatomy::default()
        };
        Anatomy { gpu, kernels: vec![kernel] }
    }

    #[test]
    fn a_kernel_lies_where_its_counts_put_it() {
        let memory = anatomy(0, 500_000_000, 5e8);
        let roofline = build(&[Side { label: "shared", anatomy: &memory }]).unwrap();
        let point = &roofline.points[0];
        // 1 operation a byte, 0.5 Tops/s of the 1 Tops/s that DRAM allows.
        assert!((point.x - 1.0).abs() < 1e-9 && (point.share - 0.5).abs() < 1e-9, "{point:?}");
        assert!(point.under_slope && point.operations == Operations::Integer);
        assert_eq!(point.label, "shared: count");
        assert_eq!(roofline.roofs.len(), 1);
        assert!((roofline.roofs[0].ridge() - 10.0).abs() < 1e-9);
        let (low, high) = roofline.x_range;
        assert!(low <= 1.0 && high >= 100.0, "{low} {high}");
        let told = "integer ops per DRAM byte, 50.0 % of DRAM's roof; bound by DRAM";
        assert!(point.says().ends_with(told), "{}", point.says());
    }

    #[test]
    fn floats_count_where_there_are_some_to_speak_of() {
        let float = anatomy(1_000, 16_000, 10.0);
        assert_eq!(Operations::of(&float.kernels[0]), (Operations::Float, 1_000));
        let mostly = anatomy(1_000, 16_001, 10.0);
        assert_eq!(Operations::of(&mostly.kernels[0]), (Operations::Integer, 16_001));
    }

    #[test]
    fn what_has_no_place_is_named() {
        let cached = anatomy(1, 0, 0.0);
        let idle = anatomy(0, 0, 8.0);
        let sides = [Side { label: "a", anatomy: &cached }, Side { label: "b", anatomy: &idle }];
        let roofline = build(&sides).unwrap();
        assert!(roofline.points.is_empty());
        assert!(roofline.left_out[0].starts_with("a: count moves nothing"));
        assert!(roofline.left_out[1].starts_with("b: count does no arithmetic"));
        assert_eq!(build(&[]), None);
    }

    #[test]
    fn a_roof_has_its_corner_only_where_it_is_shown() {
        let roof =
            Roof { operations: Operations::Float, slope: 1e12, level: 20e12, label: String::new() };
        assert_eq!(roof.corners((1.0, 100.0)), [(1.0, 1e12), (20.0, 20e12), (100.0, 20e12)]);
        assert_eq!(roof.corners((30.0, 100.0)), [(30.0, 20e12), (100.0, 20e12)]);
    }
}
