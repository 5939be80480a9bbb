//! A student's way through a lesson, without a screen, a clock or a thread: answers and
//! results go in, what to show comes out.

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use super::grade::{self, Answer, Mark, Truth};
use super::lesson::{Ask, Formula, Lesson, Step, Task};
use super::progress::{Answers, Given, Progress};
use super::prose::Prose;
use super::results::Results;
use super::value::{self, Missing, Value};
use crate::experiment::Case;
use crate::results::record::{Outcome, Provenance, Record};

/// A student's way through a lesson.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    lesson: Lesson,
    at: usize,
    /// The furthest step that was reached.
    furthest: usize,
    answers: BTreeMap<String, Vec<Given>>,
    hints: BTreeMap<String, usize>,
    results: Results,
    /// What the recording of the H200 has for the same cases.
    recorded: Results,
}

/// Why an answer was not taken, or a step not left.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The answer is locked.
    #[error("the answer is locked since {0}")]
    Locked(String),
    /// The step asks nothing of this kind.
    #[error("{0}")]
    Misfit(String),
    /// A prediction needs a confidence.
    #[error("a prediction needs a confidence: 1 guess, 2 fairly sure, 3 sure")]
    Confidence,
    /// The answer cannot be graded yet.
    #[error(transparent)]
    Missing(#[from] Missing),
    /// The step is not done.
    #[error("{0}")]
    NotDone(String),
}

/// A kernel of the student, as it was tried.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KernelTry {
    /// Its name.
    pub name: String,
    /// What the sanitizer and the comparison with the reference found; empty if right.
    pub findings: Vec<String>,
    /// Its time in seconds; `None` if it did not run.
    pub seconds: Option<f64>,
    /// Time of the variant to beat, in seconds.
    pub built_in: f64,
}

impl KernelTry {
    /// Time of the variant to beat over that of the kernel.
    pub fn ratio(&self) -> Option<f64> {
        self.seconds.filter(|seconds| *seconds > 0.0).map(|seconds| self.built_in / seconds)
    }

    /// What it is worth: right, near (right results, too slow), or wrong.
    pub fn mark(&self, faster: f64) -> Mark {
        match self.ratio() {
            Some(ratio) if self.findings.is_empty() && ratio >= faster => Mark::Right,
            Some(_) if self.findings.is_empty() => Mark::Near,
            _ => Mark::Wrong,
        }
    }
}

impl Session {
    /// A session at the first step.
    pub fn new(lesson: Lesson) -> Self {
        Self {
            lesson,
            at: 0,
            furthest: 0,
            answers: BTreeMap::new(),
            hints: BTreeMap::new(),
            results: Results::default(),
            recorded: Results::default(),
        }
    }

    /// A session where `progress` left it, and a sentence for each answer that the lesson no
    /// longer asks for. Results are not part of it: add them, or run the experiments again.
    pub fn resume(lesson: Lesson, progress: &Progress) -> (Self, Vec<String>) {
        let mut session = Self::new(lesson);
        let mut notes = Vec::new();
        for (id, Answers(given)) in &progress.answers {
            let Some((_, step)) = session.lesson.step(id) else {
                notes.push(format!(
                    "the lesson has no step `{id}` any more; its answer is left out"
                ));
                continue;
            };
            let misfit = given.iter().find_map(|it| session.misfit(step, &it.answer));
            if let Some(reason) = misfit {
                notes.push(format!("step `{id}` has changed ({reason}); its answer is left out"));
                continue;
            }
            // The first prediction is the one that was locked.
            let most = if matches!(step.task, Task::Predict(_)) { 1 } else { given.len() };
            session.answers.insert(id.clone(), given.iter().take(most).cloned().collect());
        }
        for (id, shown) in &progress.hints {
            if let Some((_, step)) = session.lesson.step(id) {
                session.hints.insert(id.clone(), (*shown).min(step.hints.len()));
            }
        }
        session.at = session.lesson.step(&progress.step).map_or(0, |(at, _)| at);
        session.furthest = session.at;
        (session, notes)
    }

    /// What to keep.
    pub fn progress(&self) -> Progress {
        let answers = self.answers.iter();
        Progress {
            lesson: self.lesson.name.clone(),
            step: self.step().map(|step| step.id.clone()).unwrap_or_default(),
            hints: self.hints.clone(),
            answers: answers.map(|(id, given)| (id.clone(), Answers(given.clone()))).collect(),
        }
    }

    /// The lesson.
    pub fn lesson(&self) -> &Lesson {
        &self.lesson
    }

    /// Index of the current step, from 0.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Index of the furthest step that was reached.
    pub fn furthest(&self) -> usize {
        self.furthest
    }

    /// The current step.
    pub fn step(&self) -> Option<&Step> {
        self.lesson.steps.get(self.at)
    }

    /// The results so far.
    pub fn results(&self) -> &Results {
        &self.results
    }

    /// The results, for what runs experiments.
    pub fn results_mut(&mut self) -> &mut Results {
        &mut self.results
    }

    /// Sets what the last answer to a `change` or a `write` step is worth, when it was graded
    /// elsewhere.
    pub fn set_mark(&mut self, id: &str, mark: Mark) {
        if let Some(given) = self.answers.get_mut(id).and_then(|given| given.last_mut()) {
            given.mark = Some(mark);
        }
    }

    /// What the recording of the H200 has for the same cases, see [`super::beside`].
    pub fn recorded(&self) -> &Results {
        &self.recorded
    }

    /// Takes what the recording has.
    pub fn set_recorded(&mut self, recorded: Results) {
        self.recorded = recorded;
        let counted: Vec<Box<Record>> = self
            .results
            .all()
            .filter_map(|it| it.subject().counted.cloned())
            .map(Box::new)
            .collect();
        for record in counted {
            self.recorded.count(record);
        }
    }

    /// Takes a result of a run.
    pub fn add(&mut self, record: Box<Record>) {
        if record.provenance == Provenance::Modelled {
            self.recorded.count(record.clone());
        }
        self.results.add(record);
    }

    /// Takes the emulator's counters of a case that a GPU measured.
    pub fn count(&mut self, counted: Box<Record>) {
        self.recorded.count(counted.clone());
        self.results.count(counted);
    }

    /// Goes back one step. Locked answers stay locked.
    pub fn back(&mut self) {
        self.at = self.at.saturating_sub(1);
    }

    /// Goes to the next step.
    ///
    /// # Errors
    /// What is left to do in this step.
    pub fn forward(&mut self) -> Result<(), Refused> {
        if let Some(left) = self.left() {
            return Err(Refused::NotDone(left));
        }
        self.at = (self.at + 1).min(self.lesson.steps.len().saturating_sub(1));
        self.furthest = self.furthest.max(self.at);
        Ok(())
    }

    /// Whether the current step is the last one.
    pub fn is_last(&self) -> bool {
        self.at + 1 >= self.lesson.steps.len()
    }

    /// What is left to do before the current step can be left; a `change` or a `write` can be
    /// left undone.
    pub fn left(&self) -> Option<String> {
        let step = self.step()?;
        let answered = self.answers.contains_key(&step.id);
        match &step.task {
            Task::Say | Task::Change(_) | Task::Write(_) => None,
            Task::Predict(_) => (!answered).then(|| "lock a prediction first".to_owned()),
            Task::Observe(_) | Task::Why { .. } => (!answered).then(|| "answer first".to_owned()),
            Task::Run { experiment, .. } => match self.missing(experiment).len() {
                0 => None,
                left => Some(format!("run the experiment first: {left} cases are left")),
            },
        }
    }

    /// The cases of an experiment that have no result yet.
    pub fn missing(&self, experiment: &str) -> Vec<&Case> {
        let trial = self.lesson.experiments.get(experiment);
        let cases = trial.into_iter().flat_map(|trial| &trial.cases);
        cases.filter(|case| self.results.get(case).is_none()).collect()
    }

    /// The cases of an experiment whose output is wrong or that failed, each with the reason.
    pub fn unverified(&self, experiment: &str) -> Vec<(&Case, Outcome)> {
        let trial = self.lesson.experiments.get(experiment);
        let cases = trial.into_iter().flat_map(|trial| &trial.cases);
        let outcome = |case| Some((case, self.results.get(case)?.record.outcome()));
        cases.filter_map(outcome).filter(|(_, outcome)| !outcome.is_result()).collect()
    }

    /// The cases that have a time and whose counters some value needs: those that a GPU
    /// measured and the emulator has not counted.
    pub fn uncounted(&self) -> Vec<&Case> {
        let uncounted =
            |case: &&Case| self.results.get(case).is_some_and(|it| it.subject().counted.is_none());
        let trials = self.lesson.experiments.iter();
        let needed = trials.flat_map(|(name, trial)| {
            let of = |formula: &&Formula| formula.experiment == *name;
            let formulas: Vec<&Formula> = self.lesson.values.values().filter(of).collect();
            let counts = move |case: &&Case| formulas.iter().any(|it| it.counts(case));
            trial.cases.iter().filter(counts)
        });
        needed.filter(uncounted).collect()
    }

    /// The answers to a step, in the order in which they were given.
    pub fn answers(&self, id: &str) -> &[Given] {
        self.answers.get(id).map_or(&[], Vec::as_slice)
    }

    /// Whether the answer to a step cannot change any more: a prediction once it is given,
    /// any other answer once it is right.
    pub fn is_locked(&self, id: &str) -> bool {
        let predicts = |step: &Step| matches!(step.task, Task::Predict(_));
        let predicted = self.lesson.step(id).is_some_and(|(_, step)| predicts(step));
        self.answers(id).last().is_some_and(|it| predicted || it.mark == Some(Mark::Right))
    }

    /// Whether the truth of a step may be shown: after its answer, and after its run.
    pub fn is_revealed(&self, id: &str) -> bool {
        let graded = self.lesson.step(id).and_then(|(_, step)| step.task.question());
        let computed =
            graded.is_some_and(|it| grade::truth(&self.lesson, it, &self.results).is_ok());
        computed && !self.answers(id).is_empty()
    }

    /// Answers the current step with an option, a curve or a changed parameter, and says
    /// what it is worth; `None` of a prediction before its run. A changed parameter needs the
    /// results of [`super::Change::applied`] first. `now` is stored with the answer.
    ///
    /// # Errors
    /// If the answer is locked, does not fit, or needs results that are not here.
    pub fn answer(
        &mut self,
        answer: Answer,
        confidence: Option<u8>,
        now: Timestamp,
    ) -> Result<Option<Mark>, Refused> {
        let Some(step) = self.lesson.steps.get(self.at) else {
            return Err(Refused::Misfit("the lesson has no step".to_owned()));
        };
        let id = step.id.clone();
        if let Some(given) = self.answers(&id).last().filter(|_| self.is_locked(&id)) {
            return Err(Refused::Locked(given.time.clone()));
        }
        if let Some(reason) = self.misfit(step, &answer) {
            return Err(Refused::Misfit(reason));
        }
        let confident = confidence.is_some_and(|it| (1..=3).contains(&it));
        if matches!(step.task, Task::Predict(_)) && !confident {
            return Err(Refused::Confidence);
        }
        let mark = match (&step.task, &answer) {
            (Task::Predict(question), _) => {
                let truth = grade::truth(&self.lesson, question, &self.results);
                truth.ok().map(|truth| grade::mark(question, &answer, &truth))
            }
            (Task::Observe(question) | Task::Why { question, .. }, _) => {
                let truth = grade::truth(&self.lesson, question, &self.results)?;
                Some(grade::mark(question, &answer, &truth))
            }
            (Task::Change(change), Answer::Change { axis, value }) => {
                let reached = grade::reached(&self.lesson, change, (axis, value), &self.results)?;
                Some(if reached { Mark::Right } else { Mark::Wrong })
            }
            _ => return Err(Refused::Misfit("the kernel has to be tried first".to_owned())),
        };
        self.keep(id, Given { answer, confidence, time: format!("{now:.0}"), mark });
        Ok(mark)
    }

    /// Takes the result of the student's kernel in the current `write` step.
    ///
    /// # Errors
    /// If the step asks for no kernel, or a right one is there already.
    pub fn tried(
        &mut self,
        path: &str,
        tried: &KernelTry,
        now: Timestamp,
    ) -> Result<Mark, Refused> {
        let Some((id, Task::Write(write))) = self.step().map(|it| (it.id.clone(), &it.task)) else {
            return Err(Refused::Misfit("this step asks for no kernel".to_owned()));
        };
        if let Some(given) = self.answers(&id).last().filter(|_| self.is_locked(&id)) {
            return Err(Refused::Locked(given.time.clone()));
        }
        let mark = tried.mark(write.faster);
        let answer = Answer::Kernel(path.to_owned());
        let given = Given { answer, confidence: None, time: format!("{now:.0}"), mark: Some(mark) };
        self.keep(id, given);
        Ok(mark)
    }

    fn keep(&mut self, id: String, given: Given) {
        self.answers.entry(id).or_default().push(given);
    }

    /// Why an answer does not fit a step.
    fn misfit(&self, step: &Step, answer: &Answer) -> Option<String> {
        match (&step.task, answer) {
            (Task::Predict(question) | Task::Observe(question) | Task::Why { question, .. }, _) => {
                grade::misfit(question, answer, &self.sizes(&question.ask))
            }
            (Task::Change(change), Answer::Change { axis, value }) => {
                let trial = self.lesson.experiments.get(&change.experiment)?;
                change.applied(trial, axis, value).err()
            }
            (Task::Write(_), Answer::Kernel(_)) => None,
            (task, _) => Some(format!("a `{}` step takes no such answer", task.name())),
        }
    }

    /// The sizes of the curve that a question is about, ascending.
    pub fn sizes(&self, ask: &Ask) -> Vec<u64> {
        let formula = ask.value().and_then(|name| self.lesson.values.get(name));
        let trial = formula.and_then(|it| self.lesson.experiments.get(&it.experiment));
        trial.map(|trial| trial.experiment.sizes.values()).unwrap_or_default()
    }

    /// The right answer of a step at this moment; `None` of a step that has no question.
    pub fn truth(&self, id: &str) -> Option<Result<Truth, Missing>> {
        let question = self.lesson.step(id)?.1.task.question()?;
        Some(grade::truth(&self.lesson, question, &self.results))
    }

    /// A named value at this moment.
    ///
    /// # Errors
    /// If a result that it needs is missing.
    pub fn value(&self, name: &str) -> Result<Value, Missing> {
        value::evaluate(&self.lesson, name, &self.results)
    }

    /// A named value as text; a dash where a result is missing.
    pub fn shown(&self, name: &str) -> String {
        let unit = self.lesson.values.get(name).and_then(Formula::unit);
        self.value(name).map_or_else(|_| "–".to_owned(), |value| value.text(unit))
    }

    /// The same by the recording of the H200.
    pub fn recorded_text(&self, name: &str) -> String {
        let unit = self.lesson.values.get(name).and_then(Formula::unit);
        let value = value::evaluate(&self.lesson, name, &self.recorded);
        value.map_or_else(|_| "–".to_owned(), |value| value.text(unit))
    }

    /// What the last answer to a step is worth now; a prediction is graded once its
    /// experiment has run.
    pub fn mark(&self, id: &str) -> Option<Mark> {
        let given = self.answers(id).last()?;
        let question = self.lesson.step(id)?.1.task.question();
        let Some(question) = question else { return given.mark };
        let truth = grade::truth(&self.lesson, question, &self.results);
        truth.map_or(given.mark, |truth| Some(grade::mark(question, &given.answer, &truth)))
    }

    /// Shows one more hint of the current step; `None` if all are shown.
    pub fn hint(&mut self) -> Option<&Prose> {
        let step = self.lesson.steps.get(self.at)?;
        let shown = self.hints.entry(step.id.clone()).or_default();
        let hint = step.hints.get(*shown)?;
        *shown += 1;
        Some(hint)
    }

    /// The hints of a step that were shown. They stay readable.
    pub fn hints(&self, id: &str) -> &[Prose] {
        let shown = self.hints.get(id).copied().unwrap_or(0);
        self.lesson.step(id).and_then(|(_, step)| step.hints.get(..shown)).unwrap_or_default()
    }

    /// Whether the lesson is passed: every prediction is given, whatever it is worth, and
    /// every other answer is right. Where no option holds on the student's GPU, any answer
    /// will do.
    pub fn is_passed(&self) -> bool {
        let unanswerable = |id: &str| {
            let truth = self.truth(id).and_then(Result::ok);
            truth.is_some_and(|truth| truth.keys.is_empty())
        };
        self.lesson.steps.iter().all(|step| match &step.task {
            Task::Say | Task::Run { .. } => true,
            Task::Predict(_) => !self.answers(&step.id).is_empty(),
            _ if self.answers(&step.id).is_empty() => false,
            _ => self.mark(&step.id) == Some(Mark::Right) || unanswerable(&step.id),
        })
    }
}
