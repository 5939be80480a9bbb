//! Samples of a merge sort: smaller sorts run in full and are extrapolated.
//!
//! Levels that merge runs of the same length do the same. Runs of twice the length add
//! one step to each search along the merge path and nothing else, so that levels with
//! longer runs are extrapolated from two levels of the small sort. The last levels have
//! few pairs of runs, and one pair may be incomplete. They are extrapolated from the last
//! levels of a small sort with the same proportions.

use super::steps::{self, Method, Shape};
use super::{MergeSort, single};
use crate::algorithms::Algorithm;
use crate::experiment::Case;
use crate::work::{Smaller, Term, Work};

/// Fewest keys of a smaller case.
const KEYS: u64 = 1 << 17;

/// Fewest tiles of a smaller case. The two levels to extrapolate from then merge runs of
/// a tile or more.
const TILES: u64 = 16;

/// The same where four runs become one: three levels.
const FOUR_WAY_TILES: u64 = 64;

/// Factor of the runs in the last levels, in which an incomplete pair or group of runs
/// matters, as a logarithm to base 2.
const LAST: u32 = 4;

/// The smaller sorts of a case.
pub(super) fn smaller(case: &Case) -> Vec<Smaller> {
    let shape = Shape::of(case);
    let whole = steps::work(case);
    let method = Method::of(case);
    let tiles = if method.log_ways() == 2 { FOUR_WAY_TILES } else { TILES };
    let wanted = KEYS.max(tiles * shape.tile);
    // How often the keys are divided by the runs that become one.
    let log_ways = method.log_ways();
    let divisions = (0..32 / log_ways).take_while(|by| case.n >> ((by + 1) * log_ways) >= wanted);
    let divisions = divisions.count() as u32;
    let n = case.n.div_ceil(1 << (divisions * log_ways));
    let single = single::smaller(case);
    let by_one = method == Method::InsertionPerThread;
    if single.is_empty() && (divisions == 0 || by_one) {
        return vec![Smaller::itself(whole, MergeSort.inputs(case))];
    }
    let (run, launches) = match method {
        Method::InsertionPerThread => {
            // The single block of the last step has smaller cases of its own.
            let terms = (0..whole.steps.len() - 1).map(|step| Term::new(step, step, 1.0));
            let mut smaller = vec![sort(case, n, &whole, terms.collect())];
            smaller.extend(single);
            return smaller;
        }
        Method::MergePath => (shape.items, 1),
        Method::BitonicBlock | Method::RegisterTiles | Method::FourWay | Method::Networks => {
            (shape.tile, 2)
        }
    };
    let levels = method.levels(run, case.n);
    // A sort of complete runs only, and one whose last run is as incomplete as that of
    // the large sort.
    let small = levels - divisions;
    let complete = if n == run << (small * log_ways) { small } else { small - 1 };
    let (high, low) = (complete - 1, complete.saturating_sub(3));
    let (mut of_complete, mut of_alike) = (vec![Term::new(0, 0, 1.0)], Vec::new());
    for level in 0..levels {
        let step = |level: u32, launch| (level * launches + launch) as usize;
        let is_last = levels - level <= LAST / log_ways && complete < small;
        let like = if is_last { level - divisions } else { level.min(high) };
        let further = f64::from(level - like) / f64::from((high - low).max(1));
        for launch in 1..=launches {
            let term = |of, weight| Term::new(step(of, launch), step(level, launch), weight);
            let terms = if is_last { &mut of_alike } else { &mut of_complete };
            terms.push(term(like, 1.0));
            if like < level {
                of_complete.extend([term(high, further), term(low, -further)]);
            }
        }
    }
    let mut smaller = vec![sort(case, run << (complete * log_ways), &whole, of_complete)];
    if !of_alike.is_empty() {
        smaller.push(sort(case, n, &whole, of_alike));
    }
    smaller
}

/// A sort of `n` keys. Its blocks may be less full than those of the case.
fn sort(case: &Case, n: u64, whole: &Work, mut terms: Vec<Term>) -> Smaller {
    let less = Case { n, ..case.clone() };
    let mut work = steps::work(&less);
    let last = terms.iter().map(|term| term.from).max().unwrap_or_default();
    work.steps.truncate(last + 1);
    let keys = |case: &Case, work: &Work, step: usize| {
        case.n as f64 / work.launches().nth(step).map_or(1, |launch| launch.grid.count()) as f64
    };
    for term in &mut terms {
        let fuller = keys(case, whole, term.to) / keys(&less, &work, term.from);
        term.mean *= fuller;
        term.atomics *= fuller;
    }
    Smaller::new(work, MergeSort.inputs(&less), terms)
}
