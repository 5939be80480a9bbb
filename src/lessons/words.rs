//! Values, selections and cases of a lesson in words.

use super::lesson::{Formula, Measure, Pair, Select, Trial};
use crate::experiment::Case;
use crate::results::record::Metric;
use crate::units::Elements;

/// What a value is, for its axis: `shared: times as fast as global`.
pub fn label(formula: &Formula) -> String {
    let faster = |of: &Select, over: &Select| {
        let (of, over) = apart(of, over);
        format!("{over}: times as fast as {of}")
    };
    match &formula.measure {
        Measure::Ratio(Pair { of, over })
        | Measure::Crossing(Pair { of, over })
        | Measure::Curve { of, over: Some(over) } => faster(of, over),
        Measure::Count { counter, of, over: None, .. } => {
            format!("{}: {}", counter.label(), words(of, None))
        }
        Measure::Count { counter, of, over: Some(over), .. } => {
            let (of, over) = apart(of, over);
            format!("{}: {of} over {over}", counter.label())
        }
        Measure::Time(of) | Measure::Curve { of, over: None } => {
            format!("time of {}", words(of, None))
        }
        Measure::Fastest(_) => "fastest variant".to_owned(),
        Measure::Best(_) => "best block size and coarsening".to_owned(),
        Measure::Cause { .. } => "cause".to_owned(),
    }
}

/// Two selections in words: what differs.
fn apart(of: &Select, over: &Select) -> (String, String) {
    (words(of, Some(over)), words(over, Some(of)))
}

/// A selection in words, without its size and, where another one is beside it, without what
/// both have.
pub fn words(select: &Select, beside: Option<&Select>) -> String {
    let mut words = Vec::new();
    let new = |same: fn(&Select, &Select) -> bool| beside.is_none_or(|it| !same(select, it));
    if let Some(variant) = select.variant.as_ref().filter(|_| new(|a, b| a.variant == b.variant)) {
        words.push(variant.clone());
    }
    if let Some(block) = select.block.filter(|_| new(|a, b| a.block == b.block)) {
        words.push(format!("block {block}"));
    }
    if let Some(coarsen) = select.coarsen.filter(|_| new(|a, b| a.coarsen == b.coarsen)) {
        words.push(format!("×{coarsen}"));
    }
    for (name, value) in &select.params {
        if beside.is_none_or(|it| it.params.get(name) != Some(value)) {
            words.push(format!("{name} {value}"));
        }
    }
    if words.is_empty()
        && let Some(n) = select.n
    {
        words.push(format!("n = {}", Elements(n)));
    }
    if words.is_empty() { "it".to_owned() } else { words.join(" ") }
}

/// What tells two cases of an experiment apart, for the head of a column.
pub fn column(case: &Case, other: &Case) -> String {
    let select = |case: &Case| Select {
        variant: Some(case.variant.clone()),
        block: Some(case.block),
        coarsen: Some(case.coarsen),
        n: Some(case.n),
        params: case.params.clone(),
    };
    words(&select(case), Some(&select(other)))
}

/// A case in words: what other cases of its experiment do not share.
pub fn case(case: &Case, trial: &Trial) -> String {
    let all = |same: &dyn Fn(&Case) -> bool| trial.cases.iter().all(same);
    let mut words = Vec::new();
    if !all(&|it| it.variant == case.variant) {
        words.push(case.variant.clone());
    }
    if !all(&|it| it.block == case.block) {
        words.push(format!("block {}", case.block));
    }
    if !all(&|it| it.coarsen == case.coarsen) {
        words.push(format!("×{}", case.coarsen));
    }
    for (name, value) in &case.params {
        if !all(&|it| it.params.get(name) == Some(value)) {
            words.push(format!("{name} {value}"));
        }
    }
    if words.is_empty() || !all(&|it| it.n == case.n) {
        words.push(format!("n = {}", Elements(case.n)));
    }
    words.join(" · ")
}

/// A value in words with the size and the parameters that it is for:
/// `shared: times as fast as global · n = 2^22 · bins 8`.
pub fn full(formula: &Formula, trial: &Trial) -> String {
    let mut text = match &formula.measure {
        Measure::Crossing(Pair { of, over }) => {
            let (of, over) = apart(of, over);
            format!("size from which {over} is faster than {of}")
        }
        _ => label(formula),
    };
    let n = match &formula.measure {
        Measure::Time(of)
        | Measure::Count { of, .. }
        | Measure::Cause { of, .. }
        | Measure::Best(of)
        | Measure::Fastest(of) => of.n,
        Measure::Ratio(pair) => pair.of.n,
        Measure::Crossing(_) | Measure::Curve { .. } => None,
    };
    let n = n.map(|n| format!("n = {}", Elements(n))).filter(|n| !text.contains(n.as_str()));
    let params = trial.experiment.params.iter().filter_map(|(name, values)| match &values[..] {
        [value] => Some(format!("{name} {value}")),
        _ => None,
    });
    for part in n.into_iter().chain(params) {
        text.push_str(" · ");
        text.push_str(&part);
    }
    text
}
