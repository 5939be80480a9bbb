//! The steps of a lesson.

mod question;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use toml::Spanned;

use super::experiments::{bounds, fits, selects};
use super::raw::{RawRule, RawSolution, RawStep, StepKind};
use super::{LessonError, MOST_LONG, NAME, Reader, is_name, line_of};
use crate::lessons::lesson::{Change, Lesson, Measure, Rule, Step, Task, Trial, Write};
use crate::lessons::prose::{self, Prose};

/// Number of hints of a step that has any.
const HINTS: usize = 3;

/// Maximum length of a template or a solution in bytes.
const MOST_SOURCE: usize = 32 * 1024;

/// Keys that every step may have.
const COMMON: [&str; 5] = ["id", "kind", "title", "text", "hints"];

impl StepKind {
    /// Further keys of a step of this kind.
    fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Say => &[],
            Self::Predict => &["ask", "value", "options", "expect"],
            Self::Run => &["experiment", "view"],
            Self::Observe => &["options", "expect"],
            Self::Why => &["value", "options", "expect"],
            Self::Change => &["experiment", "axes", "goal", "solution"],
            Self::Write => &["experiment", "template", "faster", "solution"],
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Say => "say",
            Self::Predict => "predict",
            Self::Run => "run",
            Self::Observe => "observe",
            Self::Why => "why",
            Self::Change => "change",
            Self::Write => "write",
        }
    }
}

/// A step that is read, for errors.
struct At<'a> {
    key: String,
    span: Range<usize>,
    lesson: &'a Lesson,
}

impl Reader<'_> {
    pub(super) fn steps(
        &self,
        raw: Vec<Spanned<RawStep>>,
        lesson: &Lesson,
    ) -> Result<Vec<Step>, LessonError> {
        let (mut steps, mut ids, mut ran) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
        for raw in raw {
            let (span, raw) = (raw.span(), raw.into_inner());
            let key = format!("step `{}`", raw.id);
            if !is_name(&raw.id) {
                return self.fail(span, &key, NAME);
            }
            if !ids.insert(raw.id.clone()) {
                return self.fail(span, &key, "another step has this id");
            }
            let at = At { key, span, lesson };
            let step = self.step(raw, &at)?;
            if let Task::Run { experiment, .. } = &step.task {
                ran.insert(experiment.clone());
            }
            self.after_run(&step, &ran, &at)?;
            let predicted = match &step.task {
                Task::Predict(question) => question.ask.value(),
                _ => None,
            };
            let experiment = predicted.map(|value| &lesson.values[value].experiment);
            if let Some(early) = experiment.filter(|it| ran.contains(*it)) {
                let reason = format!("`{early}` has run before; a prediction comes before the run");
                return Err(self.at_line(&step, reason));
            }
            steps.push(step);
        }
        for step in &steps {
            let Task::Predict(question) = &step.task else { continue };
            let value = question.ask.value().and_then(|name| lesson.values.get(name));
            if let Some(value) = value.filter(|value| !ran.contains(&value.experiment)) {
                let reason = format!("no `run` step runs experiment `{}`", value.experiment);
                return Err(self.at_line(step, reason));
            }
        }
        Ok(steps)
    }

    /// What a step shows or grades at once must have run before it.
    fn after_run(&self, step: &Step, ran: &BTreeSet<String>, at: &At) -> Result<(), LessonError> {
        let mut used: Vec<&str> = prose::values(&step.text).collect();
        used.extend(step.hints.iter().flat_map(prose::values));
        if let Task::Why { value, .. } = &step.task {
            used.push(value);
        }
        if let Task::Observe(question) | Task::Why { question, .. } = &step.task {
            used.extend(question.values());
        }
        for name in used {
            let value = self.named(&at.lesson.values, ("value", name), at.span.clone(), &at.key)?;
            if !ran.contains(&value.experiment) {
                let run = &value.experiment;
                let reason = format!("value `{name}` needs a `run` of `{run}` in an earlier step");
                return self.fail(at.span.clone(), &at.key, reason);
            }
        }
        Ok(())
    }

    fn at_line(&self, step: &Step, reason: String) -> LessonError {
        let key = format!("step `{}`: ", step.id);
        LessonError { file: self.file.to_owned(), line: Some(step.line), key, reason }
    }

    fn step(&self, raw: RawStep, at: &At) -> Result<Step, LessonError> {
        self.keys(&raw, at)?;
        let title = self.short(&format!("{}, `title`", at.key), &raw.title)?;
        let text = self.prose(&raw.text, "text", at)?;
        let hints = raw.hints.as_deref().unwrap_or_default();
        if !matches!(hints.len(), 0 | HINTS) {
            let reason = format!("`hints`: {}; give {HINTS}, each saying more", hints.len());
            return self.fail(at.span.clone(), &at.key, reason);
        }
        let hints =
            hints.iter().map(|hint| self.prose(hint, "hints", at)).collect::<Result<_, _>>()?;
        let (id, line) = (raw.id.clone(), line_of(self.text, at.span.start));
        let task = match raw.kind {
            StepKind::Say => Task::Say,
            StepKind::Predict => Task::Predict(self.prediction(&raw, at)?),
            StepKind::Run => Task::Run {
                experiment: self.trial(&raw, at)?.0.to_owned(),
                view: raw.view.unwrap_or_default(),
            },
            StepKind::Observe => Task::Observe(self.reasons(&raw, None, at)?),
            StepKind::Why => {
                let value = self.value_of(&raw, at)?;
                if !matches!(at.lesson.values[value].measure, Measure::Cause { .. }) {
                    let reason = format!("`value`: `{value}` must have kind \"cause\"");
                    return self.fail(at.span.clone(), &at.key, reason);
                }
                let question = self.reasons(&raw, Some(value), at)?;
                Task::Why { question, value: value.to_owned() }
            }
            StepKind::Change => Task::Change(self.change(&raw, at)?),
            StepKind::Write => Task::Write(self.write(raw, at)?),
        };
        Ok(Step { id, title, text, hints, task, line })
    }

    /// Whether the step has no key of another kind.
    fn keys(&self, raw: &RawStep, at: &At) -> Result<(), LessonError> {
        let allowed = raw.kind.keys();
        let given = [
            ("experiment", raw.experiment.is_some()),
            ("view", raw.view.is_some()),
            ("ask", raw.ask.is_some()),
            ("value", raw.value.is_some()),
            ("options", raw.options.is_some()),
            ("expect", raw.expect.is_some()),
            ("axes", raw.axes.is_some()),
            ("goal", raw.goal.is_some()),
            ("solution", raw.solution.is_some()),
            ("template", raw.template.is_some()),
            ("faster", raw.faster.is_some()),
        ];
        match given.iter().find(|(key, given)| *given && !allowed.contains(key)) {
            None => Ok(()),
            Some((key, _)) => {
                let known: Vec<&str> = COMMON.iter().chain(allowed).copied().collect();
                let reason = format!(
                    "`{key}` is no key of kind \"{}\" (keys: {})",
                    raw.kind.name(),
                    known.join(", ")
                );
                self.fail(at.span.clone(), &at.key, reason)
            }
        }
    }

    fn needs<'b, T>(&self, value: Option<&'b T>, key: &str, at: &At) -> Result<&'b T, LessonError> {
        match value {
            Some(value) => Ok(value),
            None => self.fail(at.span.clone(), &at.key, format!("`{key}` is missing")),
        }
    }

    fn prose(&self, text: &Spanned<String>, key: &str, at: &At) -> Result<Prose, LessonError> {
        let key = format!("{}, `{key}`", at.key);
        self.length(&key, text, text.get_ref(), MOST_LONG)?;
        let prose =
            prose::parse(text.get_ref()).or_else(|reason| self.fail(text.span(), &key, reason))?;
        if prose.is_empty() {
            return self.fail(text.span(), &key, "the text is empty");
        }
        Ok(prose)
    }

    fn trial<'b>(
        &self,
        raw: &'b RawStep,
        at: &At<'b>,
    ) -> Result<(&'b str, &'b Trial), LessonError> {
        let name = self.needs(raw.experiment.as_ref(), "experiment", at)?;
        let trials = &at.lesson.experiments;
        let trial = self.named(trials, ("experiment", name), at.span.clone(), &at.key)?;
        Ok((name, trial))
    }

    fn value_of<'b>(&self, raw: &'b RawStep, at: &At) -> Result<&'b str, LessonError> {
        let name = self.needs(raw.value.as_ref(), "value", at)?;
        self.named(&at.lesson.values, ("value", name), at.span.clone(), &at.key)?;
        Ok(name)
    }

    fn rules(&self, raw: &[RawRule], at: &At) -> Result<Vec<Rule>, LessonError> {
        let mut rules = Vec::new();
        for raw in raw {
            let values = &at.lesson.values;
            let value = self.named(values, ("value", &raw.value), at.span.clone(), &at.key)?;
            let bounds = bounds(raw.least.map(|it| it.0), raw.most.map(|it| it.0), raw.is.clone());
            if bounds.is_empty() {
                let reason = format!("the rule on `{}` needs `least`, `most` or `is`", raw.value);
                return self.fail(at.span.clone(), &at.key, reason);
            }
            if let Err(reason) = fits(&value.measure, &bounds) {
                return self.fail(at.span.clone(), &at.key, reason);
            }
            rules.push(Rule { value: raw.value.clone(), bounds });
        }
        if rules.is_empty() {
            return self.fail(at.span.clone(), &at.key, "a list of rules is empty");
        }
        Ok(rules)
    }

    fn change(&self, raw: &RawStep, at: &At) -> Result<Change, LessonError> {
        let (experiment, trial) = self.trial(raw, at)?;
        let axes: BTreeMap<String, Vec<String>> = self
            .needs(raw.axes.as_ref(), "axes", at)?
            .iter()
            .map(|(axis, words)| (axis.clone(), words.iter().map(|it| it.0.clone()).collect()))
            .collect();
        let goal = self.rules(self.needs(raw.goal.as_ref(), "goal", at)?, at)?;
        let other = goal.iter().find(|rule| at.lesson.values[&rule.value].experiment != experiment);
        if let Some(rule) = other {
            let reason = format!("`goal`: `{}` is a value of another experiment", rule.value);
            return self.fail(at.span.clone(), &at.key, reason);
        }
        let solution = match self.needs(raw.solution.as_ref(), "solution", at)? {
            RawSolution::Change(words) if words.len() == 1 => {
                let mut words = words.iter();
                words.next().map(|(axis, word)| (axis.clone(), word.0.clone()))
            }
            _ => None,
        };
        let Some(solution) = solution else {
            let reason = "`solution` is one axis with its value, such as { bins = 256 }";
            return self.fail(at.span.clone(), &at.key, reason);
        };
        let change = Change { experiment: experiment.to_owned(), axes, goal, solution };
        let offered =
            change.axes.iter().flat_map(|(axis, words)| words.iter().map(move |it| (axis, it)));
        let (axis, word) = &change.solution;
        for (axis, word) in offered.chain([(axis, word)]) {
            let selected = |changed: Trial| {
                let mut measures =
                    change.goal.iter().map(|rule| &at.lesson.values[&rule.value].measure);
                measures.try_for_each(|measure| selects(measure, &changed))
            };
            let changed = change.applied(trial, axis, word).and_then(selected);
            changed.or_else(|reason| self.fail(at.span.clone(), &at.key, reason))?;
        }
        Ok(change)
    }

    fn write(&self, raw: RawStep, at: &At) -> Result<Write, LessonError> {
        let (experiment, trial) = self.trial(&raw, at)?;
        let experiment = experiment.to_owned();
        if trial.cases.len() != 1 {
            let reason = "`experiment` must have one case: the variant to beat";
            return self.fail(at.span.clone(), &at.key, reason);
        }
        let template = self.needs(raw.template.as_ref(), "template", at)?.get_ref().clone();
        let faster = self.needs(raw.faster.as_ref(), "faster", at)?.0;
        let Some(RawSolution::Source(solution)) = raw.solution else {
            return self.fail(at.span.clone(), &at.key, "`solution` is the text of a kernel");
        };
        if template.len().max(solution.len()) > MOST_SOURCE {
            let reason = format!("a kernel has at most {} KiB", MOST_SOURCE / 1024);
            return self.fail(at.span.clone(), &at.key, reason);
        }
        if !(faster > 0.0 && faster <= 1000.0) {
            return self.fail(at.span.clone(), &at.key, "`faster` is a factor above 0");
        }
        Ok(Write { experiment, template, faster, solution })
    }
}
