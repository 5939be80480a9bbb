//! From a lesson to the questions of a class: its `predict`, `observe` and `why` steps. What it
//! says before a question comes with the question.

use super::question::{Answers, Grid, MOST_SIZES, Question};
use super::reasons;
use crate::experiment::Case;
use crate::lessons::grade::{self, Truth};
use crate::lessons::prose::{self, Prose};
use crate::lessons::value::{Value, written};
use crate::lessons::{self, Ask, Formula, Lesson, Measure, Pair, Results, Right, Step, Task, Unit};
use crate::units::Elements;

/// Heights of a drawn curve per factor of ten.
const PER_DECADE: i32 = 4;

/// The questions of a lesson.
pub fn questions(lesson: &Lesson) -> Vec<Question> {
    let (mut questions, mut context) = (Vec::new(), Vec::new());
    for step in &lesson.steps {
        match step.task.question() {
            Some(asked) => {
                let context = std::mem::take(&mut context);
                questions.extend(question(lesson, step, asked, context));
            }
            None if step.task == Task::Say => context.extend(paragraphs(&step.text)),
            None => {}
        }
    }
    questions
}

/// The question of a step; none where nothing can be answered.
fn question(
    lesson: &Lesson,
    step: &Step,
    asked: &lessons::Question,
    context: Vec<String>,
) -> Option<Question> {
    let experiment = experiment_of(lesson, step, asked);
    let answers = match &asked.ask {
        Ask::Draw { value } => Answers::Curve(grid(lesson, value)?),
        _ => Answers::Choice(asked.options.iter().map(|option| option.text.clone()).collect()),
    };
    let text = std::iter::once(step.title.clone()).chain(paragraphs(&step.text));
    let question = Question {
        id: step.id.clone(),
        context,
        text: text.collect::<Vec<_>>().join(" – "),
        answers,
        experiment: experiment
            .and_then(|name| lesson.experiments.get(name))
            .map(|trial| trial.experiment.clone()),
        seen: !matches!(step.task, Task::Predict(_)),
    };
    question.check().is_ok().then_some(question)
}

/// The paragraphs without those that hold a value: it is not measured yet.
fn paragraphs(text: &Prose) -> Vec<String> {
    let known: Prose = text
        .iter()
        .filter(|paragraph| !paragraph.iter().any(|it| matches!(it, prose::Span::Value(_))))
        .cloned()
        .collect();
    prose::plain(&known, &|_| String::new())
}

/// Name of the experiment that decides a question.
fn experiment_of<'a>(
    lesson: &'a Lesson,
    step: &'a Step,
    asked: &'a lessons::Question,
) -> Option<&'a str> {
    let explained = match &step.task {
        Task::Why { value, .. } => Some(value.as_str()),
        _ => None,
    };
    let of_options = asked.options.iter().find_map(|option| match &option.right {
        Right::Rules(rules) => rules.first().map(|rule| rule.value.as_str()),
        Right::Cause(reason) => Some(reason.value.as_str()),
        _ => None,
    });
    let value = asked.ask.value().or(explained).or(of_options)?;
    lesson.values.get(value).map(|formula| formula.experiment.as_str())
}

/// Where the curve of a value is drawn: the sizes of its experiment, heights on a logarithmic
/// axis.
fn grid(lesson: &Lesson, value: &str) -> Option<Grid> {
    let formula = lesson.values.get(value)?;
    let trial = lesson.experiments.get(&formula.experiment)?;
    let unit = formula.unit();
    let (up, decades) = match unit {
        Some(Unit::Seconds) => ("time", -6..0),
        _ => ("factor", -1..4),
    };
    let sizes: Vec<String> =
        trial.experiment.sizes.values().iter().map(|n| Elements(*n).to_string()).collect();
    // Some of many sizes, evenly, with both ends.
    let many = sizes.len();
    let kept = many.min(MOST_SIZES);
    let sizes = (0..kept).map(|at| sizes[at * (many - 1) / (kept - 1).max(1)].clone()).collect();
    let first = decades.start * PER_DECADE;
    let last = (decades.end - 1) * PER_DECADE;
    let height = |at: i32| written(10f64.powf(f64::from(at) / f64::from(PER_DECADE)), unit);
    Some(Grid {
        across: "input size n".to_owned(),
        sizes,
        up: up.to_owned(),
        heights: (first..=last).map(height).collect(),
    })
}

/// The answer to a question that these results give.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    /// Index of the right choice; none where a curve is drawn.
    pub right: Option<usize>,
    /// The answer in words.
    pub text: String,
    /// The explanation of each pair of cases that the question compares, its headline first;
    /// none while their counters are missing.
    pub explanation: Vec<Vec<String>>,
}

/// What results say about a question of the lesson; nothing while some are missing.
pub fn decided(lesson: &Lesson, id: &str, results: &Results) -> Option<Decided> {
    let step = lesson.steps.iter().find(|step| step.id == id)?;
    let asked = step.task.question()?;
    let Truth { keys, text, value } = grade::truth(lesson, asked, results).ok()?;
    let best = keys.first();
    let right = asked.options.iter().position(|option| Some(&option.key) == best);
    let unit = || lesson.values.get(asked.ask.value()?)?.unit();
    let text = match (right.and_then(|at| asked.options.get(at)), value) {
        // The choice is the nearest one, seldom the number itself.
        (Some(option), Some(value @ Value::Number(_))) => {
            format!("{}; the result is {}", option.text, value.text(unit()))
        }
        _ => text,
    };
    let explanation = reasons::explained(lesson, asked, results).unwrap_or_default();
    Some(Decided { right, text, explanation })
}

/// The input size that a question of the lesson is about, where it is one.
pub fn size(lesson: &Lesson, id: &str) -> Option<u64> {
    let step = lesson.steps.iter().find(|step| step.id == id)?;
    let asked = step.task.question()?;
    let mut sizes = values(lesson, asked).map(|formula| match &formula.measure {
        Measure::Time(of)
        | Measure::Ratio(Pair { of, .. })
        | Measure::Count { of, .. }
        | Measure::Cause { of, .. }
        | Measure::Fastest(of)
        | Measure::Best(of) => of.n,
        Measure::Crossing(_) | Measure::Curve { .. } => None,
    });
    let first = sizes.next()??;
    sizes.all(|other| other == Some(first)).then_some(first)
}

/// The values that decide a question.
pub(super) fn values<'a>(
    lesson: &'a Lesson,
    asked: &lessons::Question,
) -> impl Iterator<Item = &'a Formula> {
    let names = asked.ask.value().into_iter().chain(asked.values());
    names.filter_map(|name| lesson.values.get(name))
}

/// The cases whose counters a question of the lesson needs: for its answer, and for the
/// explanation.
pub fn counted<'a>(lesson: &'a Lesson, id: &str) -> Vec<&'a Case> {
    let step = lesson.steps.iter().find(|step| step.id == id);
    let asked = step.and_then(|step| step.task.question());
    asked.map(|asked| reasons::counted(lesson, asked)).unwrap_or_default()
}

/// Whether a question of the lesson compares two cases, so that [`decided`] explains it.
pub fn compares(lesson: &Lesson, id: &str) -> bool {
    let step = lesson.steps.iter().find(|step| step.id == id);
    let asked = step.and_then(|step| step.task.question());
    asked.is_some_and(|asked| !reasons::pairs(lesson, asked).is_empty())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::lessons::shelf;
    use crate::results::record::{DeviceRecord, Provenance, Record, Summary};

    #[test]
    fn every_lesson_that_ships_gives_questions_that_can_be_asked() {
        for shipped in shelf::SHIPPED {
            let lesson = shelf::find(shipped.name, None).unwrap();
            let asked = lesson.steps.iter().filter(|step| step.task.question().is_some()).count();
            let questions = questions(&lesson);
            assert_eq!(questions.len(), asked, "{}", shipped.name);
            for question in &questions {
                question.check().unwrap();
                assert!(question.experiment.is_some(), "{}: {}", shipped.name, question.id);
                assert!(!question.text.contains("{{"), "{}", question.text);
            }
        }
    }

    #[test]
    fn a_lesson_becomes_questions_in_its_order_with_what_is_said_before() {
        let lesson = shelf::find("1", None).unwrap();
        let questions = questions(&lesson);
        let first = &questions[0];
        assert_eq!((first.id.as_str(), first.seen), ("large", false));
        assert!(first.context.iter().any(|it| it.contains("A course measured two histograms")));
        assert!(questions.iter().find(|it| it.id == "seen-few").unwrap().seen);
        assert!(
            questions.iter().skip(1).all(|it| !it.context.iter().any(|it| it.contains("course")))
        );
    }

    #[test]
    fn every_question_that_compares_cases_is_explained_by_these_cases() {
        let lesson = shelf::find("2", None).unwrap();
        let cases = counted(&lesson, "small-block");
        let blocks: Vec<u32> = cases.iter().map(|it| it.block).collect();
        assert_eq!(blocks, [32, 256]);
        let lesson = shelf::find("1", None).unwrap();
        let sizes: Vec<u64> = counted(&lesson, "shape").iter().map(|it| it.n).collect();
        assert_eq!(sizes, [1 << 22, 1 << 22], "a curve, at its right end");
    }

    #[test]
    fn times_of_a_gpu_decide_and_the_explanation_waits_for_counters() {
        let lesson = shelf::find("1", None).unwrap();
        let mut results = Results::default();
        for case in &lesson.experiments[&lesson.values["few-large"].experiment].cases {
            let mut record =
                Record::new(case, DeviceRecord::default(), "cuda", Provenance::Measured);
            let seconds = if case.variant == "global" { 48.0 } else { 1.0 };
            record.seconds = Some(Summary::of(seconds));
            record.verified = Some(true);
            results.add(Box::new(record));
        }
        let found = decided(&lesson, "large", &results).unwrap();
        assert_eq!((found.right, &*found.text), (Some(4), "100×; the result is 48.0×"));
        assert!(found.explanation.is_empty(), "the emulator has not counted yet");
        assert_eq!(decided(&lesson, "why-few", &results), None, "counters decide it");
    }

    #[test]
    fn without_results_nothing_is_decided() {
        let lesson = shelf::find("1", None).unwrap();
        assert_eq!(decided(&lesson, "large", &Results::default()), None);
        assert_eq!(decided(&lesson, "nothing", &Results::default()), None);
    }

    #[test]
    fn a_question_why_needs_the_counters_of_the_cases_it_compares() {
        let lesson = shelf::find("1", None).unwrap();
        let cases = counted(&lesson, "why-few");
        let named: Vec<(&str, u64)> = cases.iter().map(|it| (&*it.variant, it.n)).collect();
        assert_eq!(named, [("global", 1 << 22), ("shared", 1 << 22)]);
        assert_eq!(counted(&lesson, "large"), cases, "times decide it, counters explain it");
        assert!(counted(&lesson, "nothing").is_empty() && !compares(&lesson, "nothing"));
        let sizes = ["large", "why-few", "why-many", "seen-few"].map(|id| size(&lesson, id));
        assert_eq!(sizes, [Some(1 << 22), Some(1 << 22), Some(1 << 10), None]);
    }

    #[test]
    fn a_curve_is_drawn_over_the_sizes_of_its_experiment() {
        let lesson = shelf::find("1", None).unwrap();
        let grid = grid(&lesson, "many-curve").unwrap();
        assert_eq!(grid.sizes, ["2^10", "2^12", "2^14", "2^16", "2^18", "2^20", "2^22"]);
        assert_eq!((grid.heights[0].as_str(), grid.heights.len()), ("0.100×", 17));
    }
}
