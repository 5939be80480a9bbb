//! The roofline of a case: operations per second over operations per byte of DRAM for each
//! kernel, under the peak rates of the GPU (Williams, Waterman and Patterson, Communications
//! of the ACM 52(4), 2009).

use std::collections::BTreeSet;

use super::{Axis, Scale, Unit};
use crate::analysis::explain::limit;
use crate::results::record::{CaseProfile, Ceilings, KernelProfile};
use crate::units::significant;

/// A kernel with more integer operations per float operation is judged by its integer
/// operations.
const INTEGERS_PER_FLOAT: u64 = 16;

/// The axes show at least this factor on either side of the ridge.
const AROUND: f64 = 10.0;

/// From this share of the roof on, a kernel is close to it.
const CLOSE: f64 = 0.6;

/// The operations that a point or a roof counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operations {
    /// On floats.
    Float,
    /// On integers.
    Integer,
}

impl Operations {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Float => "float",
            Self::Integer => "integer",
        }
    }

    /// The operations that `kernel` is judged by, and their number over all lanes.
    pub fn of(kernel: &KernelProfile) -> (Self, u64) {
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
    /// Its name in the legend: the variant.
    pub label: &'a str,
    /// Its kernels.
    pub profile: &'a CaseProfile,
}

/// A roofline, ready to draw; both axes are logarithmic.
#[derive(Debug, Clone, PartialEq)]
pub struct Roofline {
    /// What is shown.
    pub title: String,
    /// Operations per byte of DRAM.
    pub x: Axis,
    /// The range of the axis.
    pub x_range: (f64, f64),
    /// Operations per second.
    pub y: Axis,
    /// The range of the axis.
    pub y_range: (f64, f64),
    /// Peak rates of the GPU.
    pub roofs: Vec<Roof>,
    /// The kernels.
    pub points: Vec<Point>,
    /// Provenance.
    pub caption: String,
    /// Kernels without a point, and why.
    pub left_out: Vec<String>,
}

/// A roof: a slope by DRAM's bandwidth, then level.
#[derive(Debug, Clone, PartialEq)]
pub struct Roof {
    /// What it counts.
    pub operations: Operations,
    /// Bytes per second of DRAM: the slope.
    pub slope: f64,
    /// Operations per second: the level part.
    pub level: f64,
    /// Label of the level part: `float 67.0 Tops/s`.
    pub label: String,
}

impl Roof {
    /// Operations per byte where it becomes level.
    pub fn ridge(&self) -> f64 {
        self.level / self.slope
    }

    /// The most operations per second at `x` operations per byte.
    pub fn at(&self, x: f64) -> f64 {
        (x * self.slope).min(self.level)
    }

    /// Its corners within the range of an axis, from the left.
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
    /// Index of its case: picks marker and colour.
    pub side: usize,
    /// Index of the kernel in its case.
    pub kernel: usize,
    /// `shared: count`: case and phase.
    pub label: String,
    /// Which operations are counted.
    pub operations: Operations,
    /// Operations per byte of DRAM.
    pub x: f64,
    /// Operations per second.
    pub y: f64,
    /// Its share of the roof above it, 0 to 1.
    pub share: f64,
    /// Whether DRAM's slope is the roof above it.
    pub under_slope: bool,
    /// What limits it in the timing model.
    pub bound_by: String,
}

impl Point {
    /// Its position in one sentence.
    pub fn says(&self) -> String {
        let roof = if self.under_slope { "DRAM's roof" } else { "the arithmetic roof" };
        let share = significant(100.0 * self.share);
        let each = significant(self.x);
        let operations = self.operations.name();
        let close = if self.share >= CLOSE { " (close)" } else { "" };
        let bound = &self.bound_by;
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

/// The roofline of these cases, all predicted for the GPU of the first. `None` without a case
/// or without the GPU's rates.
pub fn build(sides: &[Side]) -> Option<Roofline> {
    let gpu = &sides.first()?.profile.gpu;
    if gpu.dram <= 0.0 || gpu.float <= 0.0 || gpu.integer <= 0.0 {
        return None;
    }
    let (mut points, mut left_out) = (Vec::new(), Vec::new());
    for (side, Side { label, profile }) in sides.iter().enumerate() {
        for (index, kernel) in profile.kernels.iter().enumerate() {
            let label = format!("{label}: {}", kernel.phase);
            match point(gpu, kernel) {
                Ok(point) => points.push(Point { side, kernel: index, label, ..point }),
                Err(why) => left_out.push(format!("{label} {why}")),
            }
        }
    }
    let mut shown: BTreeSet<Operations> = points.iter().map(|point| point.operations).collect();
    if shown.is_empty() {
        shown.insert(Operations::Float);
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

/// The point of a kernel, or why it has none.
fn point(gpu: &Ceilings, kernel: &KernelProfile) -> Result<Point, String> {
    let (operations, count) = Operations::of(kernel);
    if count == 0 {
        return Err("executes no arithmetic".to_owned());
    }
    if kernel.dram_bytes <= 0.0 {
        return Err("moves nothing through DRAM: all its data is in L2".to_owned());
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
        bound_by: limit(&kernel.costs, &kernel.bound_by),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn profile(float: u64, integer: u64, dram_bytes: f64) -> CaseProfile {
        let gpu = Ceilings {
            name: "Some GPU".to_owned(),
            multiprocessors: 100,
            dram: 1e12,
            float: 20e12,
            integer: 10e12,
        };
        let kernel = KernelProfile {
            phase: "count".to_owned(),
            bound_by: "dram".into(),
            seconds: 1e-3,
            float_operations: float,
            integer_operations: integer,
            dram_bytes,
            ..KernelProfile::default()
        };
        CaseProfile { gpu, kernels: vec![kernel] }
    }

    #[test]
    fn a_kernel_lies_where_its_counts_put_it() {
        let memory = profile(0, 500_000_000, 5e8);
        let roofline = build(&[Side { label: "shared", profile: &memory }]).unwrap();
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
        let float = profile(1_000, 16_000, 10.0);
        assert_eq!(Operations::of(&float.kernels[0]), (Operations::Float, 1_000));
        let mostly = profile(1_000, 16_001, 10.0);
        assert_eq!(Operations::of(&mostly.kernels[0]), (Operations::Integer, 16_001));
    }

    #[test]
    fn what_has_no_place_is_named() {
        let cached = profile(1, 0, 0.0);
        let idle = profile(0, 0, 8.0);
        let sides = [Side { label: "a", profile: &cached }, Side { label: "b", profile: &idle }];
        let roofline = build(&sides).unwrap();
        assert!(roofline.points.is_empty());
        assert!(roofline.left_out[0].starts_with("a: count moves nothing"));
        assert!(roofline.left_out[1].starts_with("b: count executes no arithmetic"));
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
