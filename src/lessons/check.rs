//! Compares what a lesson concludes with what its experiments give: every bound of a value,
//! every expected option, and the solutions.

use std::collections::BTreeSet;
use std::fmt;

use serde::Serialize;

use super::grade;
use super::lesson::{Bounds, Change, Formula, Lesson, Step, Task, Unit};
use super::prose;
use super::results::Results;
use super::value::{self, Missing, written};

/// Where results come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The emulator.
    Emulator,
    /// The recording of the H200.
    Recording,
    /// A GPU, now.
    Cuda,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Emulator => "on the emulator",
            Self::Recording => "in the H200 recording",
            Self::Cuda => "on the GPU",
        })
    }
}

/// One conclusion, compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conclusion {
    /// The step.
    pub step: String,
    /// Line of the step, from 1.
    pub line: usize,
    /// The value, or `answer`, `start`, `solution`, `run`.
    pub figure: String,
    /// Where the results come from.
    pub source: Source,
    /// What they give.
    pub computed: String,
    /// What the lesson says.
    pub claimed: String,
    /// Whether both agree.
    pub outcome: Agreement,
}

/// Whether a conclusion agrees with the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Agreement {
    /// It holds.
    Holds,
    /// It does not.
    Differs,
    /// It cannot be compared here, as the lesson itself says.
    NotCompared,
}

impl fmt::Display for Conclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { step, figure, source, computed, claimed, .. } = self;
        write!(f, "step `{step}`, {figure}: {computed} {source}; the lesson says {claimed}")
    }
}

/// Compares every conclusion of a lesson with the results from one source.
pub fn conclusions(lesson: &Lesson, source: Source, results: &Results) -> Vec<Conclusion> {
    let mut checker = Checker { lesson, source, results, found: Vec::new(), seen: BTreeSet::new() };
    for step in &lesson.steps {
        checker.step(step);
    }
    // Values that no step mentions are conclusions of the last step.
    if let Some(last) = lesson.steps.last() {
        for name in lesson.values.keys() {
            checker.claims(last, name);
        }
    }
    checker.found
}

struct Checker<'a> {
    lesson: &'a Lesson,
    source: Source,
    results: &'a Results,
    found: Vec<Conclusion>,
    /// Values whose claims were compared.
    seen: BTreeSet<String>,
}

impl Checker<'_> {
    fn step(&mut self, step: &Step) {
        for name in used(step) {
            self.claims(step, &name);
        }
        if let Some(question) = step.task.question()
            && let Some(expect) = &question.expect
        {
            let experiments = used(step).into_iter().filter_map(|name| {
                self.lesson.values.get(&name).map(|formula| formula.experiment.clone())
            });
            let recorded = self.is_recorded(experiments);
            let truth = grade::truth(self.lesson, question, self.results);
            let computed = truth.as_ref().map(|it| it.text.clone()).map_err(Clone::clone);
            let holds = truth.is_ok_and(|truth| match step.task {
                // Several options that hold would leave the student without one right answer.
                Task::Observe(_) | Task::Why { .. } => truth.keys == [expect.clone()],
                _ => truth.keys.contains(expect),
            });
            self.push(step, "answer", computed, format!("`{expect}`"), holds, recorded);
        }
        match &step.task {
            Task::Run { experiment, .. } => self.run(step, experiment),
            Task::Change(change) => self.change(step, change),
            _ => {}
        }
    }

    /// Whether a source can have the results of these experiments.
    fn is_recorded(&self, experiments: impl IntoIterator<Item = String>) -> bool {
        let recorded =
            |name: String| self.lesson.experiments.get(&name).is_none_or(|it| it.recorded);
        self.source != Source::Recording || experiments.into_iter().all(recorded)
    }

    /// Compares the bounds of a value, once.
    fn claims(&mut self, step: &Step, name: &str) {
        let Some(formula) = self.lesson.values.get(name) else { return };
        if formula.claims.is_empty() || !self.seen.insert(name.to_owned()) {
            return;
        }
        let value = value::evaluate(self.lesson, name, self.results);
        let holds = value.as_ref().is_ok_and(|value| value.holds(&formula.claims));
        let computed = value.map(|value| value.text(formula.unit()));
        let recorded = self.is_recorded([formula.experiment.clone()]);
        let claimed = says(&formula.claims, formula);
        self.push(step, &format!("value `{name}`"), computed, claimed, holds, recorded);
    }

    /// Every case of a run must have a verified result.
    fn run(&mut self, step: &Step, experiment: &str) {
        let Some(trial) = self.lesson.experiments.get(experiment) else { return };
        let bad = trial.cases.iter().find_map(|case| match self.results.get(case) {
            None => Some(format!("{case} has no result")),
            Some(it) if !it.record.outcome().is_result() => {
                let said = it.record.wrong.as_ref().map(|wrong| wrong.message.clone());
                let said = said.or_else(|| it.record.skip.as_ref().map(ToString::to_string));
                Some(format!("{case}: {}", said.unwrap_or_else(|| "wrong output".to_owned())))
            }
            Some(_) => None,
        });
        let recorded = self.is_recorded([experiment.to_owned()]);
        let holds = bad.is_none();
        let computed = bad.unwrap_or_else(|| "every case is verified".to_owned());
        let claimed = format!("that `{experiment}` runs");
        self.push(step, "run", Ok(computed), claimed, holds, recorded);
    }

    /// The goal is not reached at the start, and the solution reaches it.
    fn change(&mut self, step: &Step, change: &Change) {
        for rule in &change.goal {
            self.claims(step, &rule.value);
        }
        let start = grade::hold(self.lesson, &change.goal, self.results);
        let goal = change.goal.iter().map(|rule| {
            let formula = self.lesson.values.get(&rule.value);
            let says = formula.map(|formula| says(&rule.bounds, formula)).unwrap_or_default();
            format!("`{}` {says}", rule.value)
        });
        let goal = goal.collect::<Vec<_>>().join(" and ");
        let (axis, word) = &change.solution;
        let solved = grade::reached(self.lesson, change, (axis, word), self.results);
        // A change may lead to cases that nobody recorded.
        let known = |result: &Result<bool, Missing>| {
            self.source != Source::Recording || !matches!(result, Err(Missing::NotRun(_)))
        };
        let (start_known, solution_known) = (known(&start), known(&solved));
        let words = |result: Result<bool, Missing>| {
            result.map(|reached| if reached { "it holds" } else { "it does not hold" }.to_owned())
        };
        let holds = start == Ok(false);
        self.push(step, "start", words(start), format!("not yet: {goal}"), holds, start_known);
        let holds = solved == Ok(true);
        let claimed = format!("{goal} with {axis} = {word}");
        self.push(step, "solution", words(solved), claimed, holds, solution_known);
    }

    fn push(
        &mut self,
        step: &Step,
        figure: &str,
        computed: Result<String, Missing>,
        claimed: String,
        holds: bool,
        comparable: bool,
    ) {
        let outcome = match (comparable, holds) {
            (false, _) => Agreement::NotCompared,
            (true, true) => Agreement::Holds,
            (true, false) => Agreement::Differs,
        };
        self.found.push(Conclusion {
            step: step.id.clone(),
            line: step.line,
            figure: figure.to_owned(),
            source: self.source,
            computed: computed.unwrap_or_else(|missing| format!("nothing ({missing})")),
            claimed,
            outcome,
        });
    }
}

/// The values that a step shows or grades by.
fn used(step: &Step) -> Vec<String> {
    let mut names: Vec<String> = prose::values(&step.text).map(str::to_owned).collect();
    names.extend(step.hints.iter().flat_map(prose::values).map(str::to_owned));
    if let Task::Why { value, .. } = &step.task {
        names.push(value.clone());
    }
    if let Some(question) = step.task.question() {
        names.extend(question.ask.value().map(str::to_owned));
        names.extend(question.values().map(str::to_owned));
    }
    names
}

/// What bounds say: `35× to 60×`, `at least 2^15`, ``atomics in L2``.
fn says(bounds: &Bounds, formula: &Formula) -> String {
    let unit: Option<Unit> = formula.unit();
    let number = |it: f64| written(it, unit);
    let numbers = match (bounds.least, bounds.most) {
        (Some(least), Some(most)) => format!("{} to {}", number(least), number(most)),
        (Some(least), None) => format!("at least {}", number(least)),
        (None, Some(most)) => format!("at most {}", number(most)),
        (None, None) => String::new(),
    };
    match &bounds.is {
        Some(word) if numbers.is_empty() => format!("`{word}`"),
        Some(word) => format!("{numbers}, `{word}`"),
        None => numbers,
    }
}
