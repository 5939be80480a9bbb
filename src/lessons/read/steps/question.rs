//! The questions of a lesson and their options.

use std::collections::BTreeSet;

use toml::Spanned;

use super::super::raw::{Number, RawAsk, RawOption, RawStep, elements};
use super::super::{LessonError, NAME, Reader, is_name};
use super::At;
use crate::lessons::grade::{FACTORS, SLOWER};
use crate::lessons::lesson::{Ask, Choice, Measure, Question, Reason, Right};
use crate::lessons::value::cell_key;
use crate::results::record::{Cause, Metric};
use crate::units::grouped;

/// Most options of a question.
const MOST_OPTIONS: usize = 12;

/// Most points of a curve.
const MOST_POINTS: usize = 50;

impl Reader<'_> {
    /// The question of a `predict` step.
    pub(super) fn prediction(&self, raw: &RawStep, at: &At) -> Result<Question, LessonError> {
        let kind = *self.needs(raw.ask.as_ref(), "ask", at)?;
        let name = self.value_of(raw, at)?.to_owned();
        let measure = &at.lesson.values[&name].measure;
        let fits = match kind {
            RawAsk::Curves | RawAsk::Draw => matches!(measure, Measure::Curve { .. }),
            RawAsk::Factor => matches!(measure, Measure::Ratio(_)),
            RawAsk::Cell => matches!(measure, Measure::Best(_)),
            RawAsk::Count => matches!(
                measure,
                Measure::Count { .. } | Measure::Crossing(_) | Measure::Ratio(_) | Measure::Time(_)
            ),
        };
        if !fits {
            let needs = match kind {
                RawAsk::Curves | RawAsk::Draw => "\"curve\"",
                RawAsk::Factor => "\"ratio\"",
                RawAsk::Cell => "\"best\"",
                RawAsk::Count => "\"count\", \"ratio\", \"time\" or \"crossing\"",
            };
            let reason = format!("`value`: `{name}` must have kind {needs} for this `ask`");
            return self.fail(at.span.clone(), &at.key, reason);
        }
        let written = raw.options.as_deref().unwrap_or_default();
        let makes_own = matches!(kind, RawAsk::Factor | RawAsk::Cell | RawAsk::Draw);
        if makes_own && !written.is_empty() {
            let reason = "`options`: this `ask` has its own options; leave them out";
            return self.fail(at.span.clone(), &at.key, reason);
        }
        let (ask, options) = match kind {
            RawAsk::Factor => (Ask::Factor { value: name }, factors()),
            RawAsk::Draw => (Ask::Draw { value: name }, Vec::new()),
            RawAsk::Cell => {
                let options = cells(at, &name);
                (Ask::Cell { value: name }, options)
            }
            RawAsk::Curves => (
                Ask::Curves { value: name },
                self.options(written, at, &|it| {
                    let points = it.points.as_ref().ok_or("an option needs `points`")?;
                    Ok(Right::Curve(curve(points)?))
                })?,
            ),
            RawAsk::Count => (
                Ask::Count { value: name },
                self.options(written, at, &|it| {
                    let number = it.number.ok_or("an option needs a `number`")?.0;
                    if number > 0.0 {
                        Ok(Right::Number(number))
                    } else {
                        Err("a `number` is above 0".into())
                    }
                })?,
            ),
        };
        self.question(raw, ask, options, at)
    }

    /// The question of an `observe` or a `why` step; `cause` is the value of the latter.
    pub(super) fn reasons(
        &self,
        raw: &RawStep,
        cause: Option<&str>,
        at: &At,
    ) -> Result<Question, LessonError> {
        let written = raw.options.as_deref().unwrap_or_default();
        let mut options = Vec::new();
        for option in written {
            let right = match (&option.get_ref().when, option.get_ref().cause, cause) {
                (Some(rules), None, _) => Right::Rules(self.rules(rules, at)?),
                (None, Some(named), Some(value)) => {
                    Right::Cause(Reason { value: value.to_owned(), cause: named })
                }
                (None, Some(_), None) => {
                    let reason = "`cause` belongs to a `why` step; use `when`";
                    return self.fail(option.span(), &at.key, reason);
                }
                _ => {
                    let reason = "an option needs either `when` (rules) or, in a `why`, `cause`";
                    return self.fail(option.span(), &at.key, reason);
                }
            };
            options.push((option, right));
        }
        let options = options.into_iter().map(|(option, right)| self.option(option, right, at));
        let mut options = options.collect::<Result<Vec<_>, _>>()?;
        // Authors write the right option first: its place must not tell.
        options.sort_by_key(|option| shuffled(&raw.id, &option.key));
        self.question(raw, Ask::Reasons, options, at)
    }

    fn options(
        &self,
        written: &[Spanned<RawOption>],
        at: &At,
        right: &dyn Fn(&RawOption) -> Result<Right, String>,
    ) -> Result<Vec<Choice>, LessonError> {
        let one = |option: &Spanned<RawOption>| {
            let raw = option.get_ref();
            let right = match (&raw.when, raw.cause) {
                (None, None) => right(raw),
                _ => Err("`when` and `cause` belong to `observe` and `why`".to_owned()),
            };
            let right = right.or_else(|reason| self.fail(option.span(), &at.key, reason))?;
            self.option(option, right, at)
        };
        written.iter().map(one).collect()
    }

    fn option(
        &self,
        raw: &Spanned<RawOption>,
        right: Right,
        at: &At,
    ) -> Result<Choice, LessonError> {
        let option = raw.get_ref();
        let unasked = match &right {
            Right::Curve(_) => option.number.is_some(),
            Right::Number(_) => option.points.is_some(),
            _ => option.points.is_some() || option.number.is_some(),
        };
        if unasked {
            let reason = "`points` belong to ask \"curves\", `number` to ask \"count\"";
            return self.fail(raw.span(), &at.key, reason);
        }
        let own = match &right {
            Right::Number(number) => Some((number.to_string(), grouped_number(*number))),
            Right::Cause(Reason { cause, .. }) => Some((cause.name().to_owned(), of_cause(*cause))),
            _ => None,
        };
        let key = option.key.clone().or(own.as_ref().map(|own| own.0.clone()));
        let Some(key) =
            key.filter(|key| is_name(key) || own.as_ref().is_some_and(|it| it.0 == *key))
        else {
            return self.fail(raw.span(), &at.key, format!("an option needs a `key`; {NAME}"));
        };
        let text = match (&option.text, own) {
            (Some(text), _) => self.short(&format!("{}, option `{key}`", at.key), text)?,
            (None, Some((_, text))) => text,
            (None, None) => {
                return self.fail(raw.span(), &at.key, format!("option `{key}` needs a `text`"));
            }
        };
        let place = format!("{}, option `{key}`, `note`", at.key);
        let note = option.note.as_ref().map(|note| self.short(&place, note)).transpose()?;
        Ok(Choice { key, text, note, right })
    }

    fn question(
        &self,
        raw: &RawStep,
        ask: Ask,
        options: Vec<Choice>,
        at: &At,
    ) -> Result<Question, LessonError> {
        let drawn = matches!(ask, Ask::Draw { .. });
        let most = if matches!(ask, Ask::Cell { .. }) { 100 } else { MOST_OPTIONS };
        if !drawn && !(2..=most).contains(&options.len()) {
            let reason = format!("`options`: {}; give 2 to {most}", options.len());
            return self.fail(at.span.clone(), &at.key, reason);
        }
        let mut keys = BTreeSet::new();
        if let Some(twice) = options.iter().find(|option| !keys.insert(&option.key)) {
            let reason = format!("two options have the key `{}`", twice.key);
            return self.fail(at.span.clone(), &at.key, reason);
        }
        match &raw.expect {
            Some(key) if !keys.contains(key) => {
                let known: Vec<&str> = options.iter().map(|it| it.key.as_str()).collect();
                let reason = if drawn {
                    "`expect`: a drawn curve has none; give the value `least` and `most`".to_owned()
                } else {
                    format!("`expect`: no option `{key}` (keys: {})", known.join(", "))
                };
                self.fail(at.span.clone(), &at.key, reason)
            }
            None if !drawn => {
                let reason = "`expect` is missing: the key of the option that the lesson's text \
                              takes for right; `learn --check` compares it with the computed one";
                self.fail(at.span.clone(), &at.key, reason)
            }
            expect => Ok(Question { ask, options, expect: expect.clone() }),
        }
    }
}

/// A number that orders the options of a step in the same way everywhere: FNV-1a of both
/// names, its high bits first.
fn shuffled(step: &str, key: &str) -> u64 {
    let bytes = step.bytes().chain([0]).chain(key.bytes());
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325, mix);
    hash ^ (hash >> 29)
}

/// The text of an option that names a cause: its name and what it means.
fn of_cause(cause: Cause) -> String {
    let (label, meaning) = (cause.label(), cause.glossary());
    let mut letters = label.chars();
    let first = letters.next().map(|it| it.to_uppercase().collect::<String>()).unwrap_or_default();
    format!("{first}{}: {meaning}", letters.as_str())
}

fn grouped_number(number: f64) -> String {
    if number.fract() == 0.0 { grouped(number as u64) } else { number.to_string() }
}

fn factors() -> Vec<Choice> {
    let factor = |(key, number): &(&str, f64)| {
        let text = if *key == "1x" { "as fast (1×)".to_owned() } else { format!("{number}×") };
        Choice { key: (*key).to_owned(), text, note: None, right: Right::Number(*number) }
    };
    let slower = Choice {
        key: SLOWER.to_owned(),
        text: "slower".to_owned(),
        note: None,
        right: Right::Slower,
    };
    FACTORS.iter().map(factor).chain([slower]).collect()
}

/// The cells that a value of kind "best" compares.
fn cells(at: &At, name: &str) -> Vec<Choice> {
    let formula = &at.lesson.values[name];
    let Measure::Best(select) = &formula.measure else { return Vec::new() };
    let trial = &at.lesson.experiments[&formula.experiment];
    let cases = trial.cases.iter().filter(|case| select.takes(case));
    let cell = |(block, coarsen): (u32, u32)| Choice {
        key: cell_key((block, coarsen)),
        text: format!("block {block}, coarsening {coarsen}"),
        note: None,
        right: Right::Cell { block, coarsen },
    };
    cases.map(|case| cell((case.block, case.coarsen))).collect()
}

fn curve(points: &[(Number, Number)]) -> Result<Vec<(u64, f64)>, String> {
    if !(2..=MOST_POINTS).contains(&points.len()) {
        return Err(format!("`points`: {}; give 2 to {MOST_POINTS}", points.len()));
    }
    let point = |(n, value): &(Number, Number)| Ok::<_, String>((elements(*n)?, value.0));
    let points = points.iter().map(point).collect::<Result<Vec<_>, _>>()?;
    if !points.is_sorted_by(|a, b| a.0 < b.0) || points.iter().any(|(_, value)| *value <= 0.0) {
        return Err("`points`: sizes are ascending, values above 0".to_owned());
    }
    Ok(points)
}
