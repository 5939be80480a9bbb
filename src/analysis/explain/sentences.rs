//! The sentences of an explanation around its evidence: further causes, consequence, doubts.

use super::effects::{self, Effect};
use super::evidence::evidence;
use super::{CONTRADICTION, Facts, LEAST_RATIO, SourceLine, effects::cause_of, is_modelled};
use crate::results::record::{Cause, Counter, Metric};
use crate::units::{Seconds, grouped, significant};

use Counter as C;

/// Counts further apart than this differ.
pub(super) const DIFFERS: f64 = 1.1;

/// A sentence with the line of source that it is about. Without one it starts with a capital, unless
/// with the name of a case.
pub(super) fn at(line: Option<&SourceLine>, says: &str, cases: &[&Facts]) -> String {
    match line {
        Some(line) => format!("{line}: {says}"),
        None if cases.iter().any(|case| says.starts_with(&case.name)) => says.to_owned(),
        None => upper(says),
    }
}

/// A further cause.
pub(super) fn also(effect: &Effect, slow: &Facts, fast: &Facts) -> String {
    format!("Also {}: {}.", effect.cause, evidence(effect.cause, slow, fast))
}

/// What the times would be if only this cause differed.
pub(super) fn consequence(effect: &Effect, slow: &Facts, fast: &Facts) -> String {
    let label = effect.cause.label();
    let (a, b) = (&slow.name, &fast.name);
    let faster = slow.modelled - effect.slow_with;
    let slower = effect.fast_with - fast.modelled;
    // What the slow case gains says most, unless other work then takes the time.
    if faster >= slower.min(0.5 * (slow.modelled - fast.modelled)) {
        let (with, of) = (Seconds(effect.slow_with), Seconds(slow.modelled));
        format!("With the {label} of {b}, {a} would take {with} instead of {of} (model).")
    } else {
        let (with, of) = (Seconds(effect.fast_with), Seconds(fast.modelled));
        format!("With the {label} of {a}, {b} would take {with} instead of {of} (model).")
    }
}

/// The cause whose work costs most in one case, and the seconds that it costs.
pub(super) fn most(facts: &Facts) -> (Cause, f64) {
    if let Some((cause, saved)) = effects::saved(facts.launches()).first()
        && *saved > 0.0
    {
        return (*cause, *saved);
    }
    let bound = facts.model.bound_by.known();
    bound.map_or((Cause::NoDifference, 0.0), |resource| {
        (cause_of(resource, facts), facts.part(resource).min(facts.seconds))
    })
}

/// What one case takes its time for.
pub(super) fn alone(cause: Cause, saved: f64, facts: &Facts) -> String {
    let all = facts.modelled;
    let (without, of) = (Seconds((all - saved).max(0.0)), Seconds(all));
    let glossary = cause.glossary().trim_end_matches('.');
    let count = cause.counters().first().map(|counter| (*counter, facts.count(*counter)));
    let counted = match count {
        Some((counter, value)) if value > 0.0 => {
            format!(" ({}: {})", counter.label(), grouped(value as u64))
        }
        _ => String::new(),
    };
    let start: String = glossary.chars().take(1).flat_map(char::to_lowercase).collect();
    // `L2` and `CPU` keep their case.
    let glossary = if glossary.chars().nth(1).is_some_and(char::is_lowercase) {
        format!("{start}{}", glossary.chars().skip(1).collect::<String>())
    } else {
        glossary.to_owned()
    };
    format!("{glossary}{counted}. Without {}: {without} of {of} (model).", cause.label())
}

/// The cause whose counter differs most between two cases of the same time.
pub(super) fn differs_most(slow: &Facts, fast: &Facts) -> Option<Cause> {
    let causes = effects::kernel_causes().filter_map(|cause| {
        let counter = cause.counters().first()?;
        let (x, y) = (slow.count(*counter), fast.count(*counter));
        let times = x.max(y) / x.min(y).max(1.0);
        (times >= DIFFERS && x.max(y) > 1000.0).then_some((cause, times))
    });
    causes.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(cause, _)| cause)
}

/// Why two cases take the same time: what differs most does not limit them.
pub(super) fn no_difference(slow: &Facts, fast: &Facts) -> Vec<String> {
    let (limit, saved) = most(slow);
    let (without, of) = (Seconds(slow.modelled - saved), Seconds(slow.modelled));
    let bound = format!(
        "The largest cost of both is {limit}: without it, {} takes {without} of {of} (model).",
        slow.name
    );
    let Some(differs) = differs_most(slow, fast) else {
        return vec!["No counter differs by 10 %.".to_owned(), bound];
    };
    let counter = differs.counters().first().copied().unwrap_or(C::WarpInstructions);
    let values = [slow, fast].map(|facts| grouped(facts.count(counter) as u64));
    let free = effects::saved(slow.launches());
    let saved = free.iter().find(|(cause, _)| *cause == differs).map_or(0.0, |(_, saved)| *saved);
    let hidden = format!(
        "{} differ most: {} in {}, {} in {}. Other work hides them: without {differs}, {} takes \
         {} of {of} (model).",
        upper(counter.label()),
        values[0],
        slow.name,
        values[1],
        fast.name,
        slow.name,
        Seconds((slow.modelled - saved).max(0.0))
    );
    if differs == limit { vec![hidden] } else { vec![hidden, bound] }
}

/// Where no cause makes a difference of times.
pub(super) fn no_cause(slow: &Facts, fast: &Facts) -> String {
    if slow.modelled <= fast.modelled {
        return "Nothing that the model counts makes the difference.".to_owned();
    }
    format!(
        "No cause alone makes the difference: waits and work overlap less in {} (model).",
        slow.name
    )
}

fn upper(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Where measured or recorded times contradict the model: both ratios, and what follows.
pub(super) fn contradiction(slow: &Facts, fast: &Facts) -> Option<String> {
    if is_modelled(slow) && is_modelled(fast) {
        return None;
    }
    let found = slow.seconds / fast.seconds;
    let modelled = slow.modelled / fast.modelled;
    let apart = (found / modelled).max(modelled / found);
    let opposite = found >= LEAST_RATIO && modelled <= 1.0 / LEAST_RATIO;
    if apart < CONTRADICTION && !opposite {
        return None;
    }
    let (a, b) = (&slow.name, &fast.name);
    let (x, y) = (Seconds(slow.modelled), Seconds(fast.modelled));
    let provenance = slow.record.provenance;
    let verdict = if modelled < 1.0 {
        format!("{a} is {}× faster", significant(1.0 / modelled))
    } else if modelled < LEAST_RATIO {
        "both take the same time".to_owned()
    } else {
        format!("{b} is {}× faster", significant(modelled))
    };
    let trust = if opposite || modelled < LEAST_RATIO || found < LEAST_RATIO {
        "Trust the times; the cause above is uncertain."
    } else {
        "Trust the times for how much, the model for why."
    };
    Some(format!(
        "The model contradicts the {provenance} times: it predicts {x} for {a} and {y} for {b}, so \
         that {verdict}. {trust}"
    ))
}
