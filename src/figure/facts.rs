//! What an output view says in words. The screen, pictures and `describe` show
//! the same facts.

use crate::units::{decimal, grouped, significant};
use crate::work::view::Extremes;
use crate::work::{Bars, BeforeAfter, Bins, Curve, Heat, Partitions, Scatter, View};

/// One fact about an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// What it is about.
    pub name: &'static str,
    /// What is known.
    pub value: String,
    /// The whole fact in about 20 characters, if it is worth a line in a small
    /// panel.
    pub short: Option<String>,
}

/// Characters of a line in a small panel.
const SHORT: usize = 23;

impl Fact {
    fn short(self, short: impl Into<String>) -> Self {
        Self { short: Some(short.into()), ..self }
    }
}

fn fact(name: &'static str, value: impl Into<String>) -> Fact {
    Fact { name, value: value.into(), short: None }
}

/// The facts of a view, most important first.
pub fn facts(view: &View) -> Vec<Fact> {
    let (mut facts, not_finite) = match view {
        View::Bins(bins) => (of_bins(bins), 0),
        View::Bars(bars) => (of_bars(bars), bars.not_finite),
        View::Curve(curve) => (of_curve(curve), curve.not_finite),
        View::Heat(heat) => (of_heat(heat), heat.not_finite),
        View::Partitions(partitions) => (of_partitions(partitions), 0),
        View::BeforeAfter(view) => (of_before_after(view), view.not_finite),
        View::Scatter(scatter) => (of_scatter(scatter), 0),
    };
    if not_finite > 0 {
        facts.push(fact("not finite", format!("{} infinite or NaN", grouped(not_finite))));
    }
    facts
}

/// All facts in one line: `fullest: bin 3 with 12 · emptiest: …`.
pub fn sentence(facts: &[Fact]) -> String {
    let texts: Vec<_> = facts.iter().map(|fact| format!("{}: {}", fact.name, fact.value)).collect();
    texts.join(" · ")
}

/// Highest and lowest value, each with its place.
fn extremes(extremes: Option<Extremes>, place: impl Fn(u64) -> String) -> Vec<Fact> {
    let Some(Extremes { highest, lowest }) = extremes else { return Vec::new() };
    let of = |name, (index, value)| {
        let (value, place) = (decimal(value), place(index));
        let lines = [format!("{name} {value} {place}"), format!("{name} {value}")];
        let [long, short] = &lines;
        let fits = long.chars().count() <= SHORT;
        fact(name, format!("{value} {place}")).short(if fits { long } else { short })
    };
    vec![of("highest", highest), of("lowest", lowest)]
}

fn of_bins(bins: &Bins) -> Vec<Fact> {
    let (total, count) = (grouped(bins.total), grouped(bins.bins));
    let counted = fact("counted", format!("{total} {} in {count} bins", bins.counted()));
    let bin = |name, short, (bin, count)| {
        fact(name, format!("{} with {}", bins.bin(bin), grouped(count)))
            .short(format!("{short} {} in bin {bin}", grouped(count)))
    };
    let mut facts = vec![counted];
    if bins.bins > 0 {
        facts.push(bin("fullest", "most ", bins.fullest));
        facts.push(bin("emptiest", "least", bins.emptiest));
    }
    if let Some(lanes) = bins.lanes_per_address.map(significant) {
        let value = format!("{lanes} of 32 lanes add to the same bin");
        facts.push(fact("contention", value).short(format!("{lanes} of 32 lanes meet")));
    }
    facts
}

fn of_bars(bars: &Bars) -> Vec<Fact> {
    let mut facts = Vec::new();
    facts.extend(bars.result.as_ref().map(|result| fact("result", result).short(result)));
    facts.push(fact("bars", format!("{} ({})", grouped(bars.bars), bars.label)));
    facts.extend(extremes(bars.extremes, |bar| format!("in bar {bar}")));
    facts
}

fn of_curve(curve: &Curve) -> Vec<Fact> {
    let mut facts =
        vec![fact("curve", format!("{} of {} elements", curve.label, grouped(curve.n)))];
    let mut ends = extremes(curve.extremes, |index| format!("at element {}", grouped(index)));
    let rises = curve.extremes.is_some_and(|it| it.highest.0 + 1 == curve.n);
    if let Some(last) = curve.last.map(decimal) {
        let highest = if rises { ", the highest" } else { "" };
        facts.push(fact("last", format!("{last}{highest}")).short(format!("last {last}")));
    }
    facts.extend(ends.drain(usize::from(rises)..));
    if let Some(blocks) = &curve.blocks {
        let (count, elements) = (grouped(blocks.count), grouped(blocks.elements));
        facts.push(fact("blocks", format!("{count} of {elements} elements")));
    }
    facts
}

fn of_heat(heat: &Heat) -> Vec<Fact> {
    let (rows, columns) = (grouped(heat.rows), grouped(heat.columns));
    let mut facts = vec![fact("matrix", format!("{}, {rows} × {columns}", heat.label))];
    facts.extend(extremes(heat.extremes, |index| {
        let (row, column) = heat.place(index);
        format!("at row {row}, column {column}")
    }));
    facts.extend(heat.mean.map(|mean| fact("mean", decimal(mean))));
    facts
}

fn of_partitions(view: &Partitions) -> Vec<Fact> {
    let parts = grouped(view.parts);
    let ordered = view.descents == 0 && view.strays == 0;
    let (order, short) = if ordered {
        ("contiguous, ascending".to_owned(), "in order")
    } else {
        (format!("BROKEN, descents: {}", grouped(view.descents)), "ORDER BROKEN")
    };
    let mut facts = vec![
        fact("partitions", format!("{parts} of {} elements", grouped(view.n)))
            .short(format!("{parts} parts, {short}")),
    ];
    if view.parts > 0 {
        let of = |(part, size): (u64, u64)| format!("partition {part} with {}", grouped(size));
        let (part, size) = view.largest;
        let short = format!("most {} in {part}", grouped(size));
        facts.push(fact("largest", of(view.largest)).short(short));
        facts.push(fact("smallest", of(view.smallest)));
    }
    if view.empty > 0 {
        facts.push(fact("empty", format!("{} partitions", grouped(view.empty))));
    }
    facts.push(fact("order", order));
    if view.strays > 0 {
        facts.push(fact("without a partition (?)", grouped(view.strays)));
    }
    facts
}

/// Levels of merging that are listed before the last.
const MOST_LEVELS: usize = 8;

fn of_before_after(view: &BeforeAfter) -> Vec<Fact> {
    let drawn = view.before.len() as u64;
    let sample = if drawn < view.n { format!(", {} drawn", grouped(drawn)) } else { String::new() };
    let mut facts = vec![fact("elements", grouped(view.n) + &sample)];
    let before = grouped(view.runs_before);
    let (after, short) = match view.runs_after {
        0 | 1 => ("sorted".to_owned(), "sorted"),
        runs => (format!("NOT sorted, {} runs", grouped(runs)), "NOT sorted"),
    };
    facts.push(
        fact("ascending runs", format!("{before} before; {after} after"))
            .short(format!("{before} runs → {short}")),
    );
    if let Some(Extremes { lowest, highest }) = view.extremes {
        facts.push(fact("range", format!("{} to {}", decimal(lowest.1), decimal(highest.1))));
    }
    let mut levels: Vec<String> = view.levels.iter().map(|runs| grouped(*runs)).collect();
    if levels.len() > MOST_LEVELS + 1 {
        levels.splice(MOST_LEVELS..levels.len() - 1, ["…".to_owned()]);
    }
    if !levels.is_empty() {
        facts.push(fact("runs by level", levels.join(" → ")));
    }
    facts
}

fn of_scatter(scatter: &Scatter) -> Vec<Fact> {
    let (width, height) = (grouped(scatter.width), grouped(scatter.height));
    let (peaks, dominant) = (grouped(scatter.peaks), grouped(scatter.dominant.len() as u64));
    let mut facts = Vec::new();
    if !scatter.vectors.is_empty() {
        let vector = |(x, y): &(f64, f64)| format!("({}, {})", decimal(*x), decimal(*y));
        let vectors = scatter.vectors.iter().map(vector).collect::<Vec<_>>().join(" and ");
        facts.push(fact("lattice", &vectors).short(vectors));
    }
    facts.push(
        fact("peaks", format!("{peaks} on a surface of {width} × {height}"))
            .short(format!("{peaks} peaks, {dominant} ◆")),
    );
    let shown = scatter.points.len() as u64;
    if shown < scatter.peaks {
        facts.push(fact("shown", format!("the {} highest", grouped(shown))));
    }
    if !scatter.dominant.is_empty() {
        // The highest peak has no higher one and so no distance.
        let far = scatter.dominant.iter().find_map(|peak| peak.distance2);
        let far = far.map(|square| format!(" (up to {})", decimal((square as f64).sqrt())));
        let value = format!("{dominant} far from any higher peak{}", far.unwrap_or_default());
        facts.push(fact("dominant ◆", value));
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::view::scatter::Dominant;

    fn assert_says(view: &View, parts: &[&str]) {
        let said = sentence(&facts(view));
        for part in parts {
            assert!(said.contains(part), "`{part}` is missing from {said}");
        }
    }

    #[test]
    fn a_wrong_output_says_so() {
        let partitions = View::Partitions(Partitions::of(3, [0, 1, 0, 2, 9, 2]));
        let broken = "order: BROKEN, descents: 1";
        assert_says(&partitions, &[broken, "without a partition (?): 1"]);
        assert_eq!(facts(&partitions)[0].short.as_deref(), Some("3 parts, ORDER BROKEN"));
        let unsorted = View::BeforeAfter(BeforeAfter::of([3.0, 1.0, 2.0], [1.0, 3.0, 2.0]));
        assert_says(&unsorted, &["ascending runs: 2 before; NOT sorted, 2 runs after"]);
        let bars = Bars::of("partial sum of a block", [3.0, f64::NAN, 5.0]).with_result("sum NaN");
        assert_eq!(
            sentence(&facts(&View::Bars(bars))),
            "result: sum NaN · bars: 3 (partial sum of a block) · highest: 5 in bar 2 · \
             lowest: 3 in bar 0 · not finite: 1 infinite or NaN"
        );
    }

    #[test]
    fn long_lists_of_levels_are_cut_in_the_middle() {
        let levels = |count: u32| {
            let runs = (0..count).rev().map(|level| 1 << level);
            View::BeforeAfter(BeforeAfter::of([1.0], [1.0]).with_levels(runs))
        };
        assert_says(&levels(3), &["1 before; sorted after", "runs by level: 4 → 2 → 1"]);
        assert_says(&levels(12), &["2 048 → 1 024 → 512 → 256 → 128 → 64 → 32 → 16 → … → 1"]);
    }

    #[test]
    fn bins_and_peaks_are_described() {
        assert_says(&View::Bins(Bins::of([4, 2]).counting("pairs")), &["6 pairs in 2 bins"]);
        let dominant = [None, Some(25)].map(|distance2| Dominant { x: 8, y: 8, distance2 });
        let scatter = Scatter::of(16, 16, (0..3000).map(|i| (i, i)))
            .with_dominant(dominant)
            .with_lattice((8.0, 8.0), [(4.0, 0.0), (f64::NAN, 1.0), (2.0, 3.5)]);
        let far = "dominant ◆: 2 far from any higher peak (up to 5)";
        let lattice = "lattice: (4, 0) and (2, 3.5)";
        assert_says(&View::Scatter(scatter), &[far, lattice, "shown: the 2 048 highest"]);
    }
}
