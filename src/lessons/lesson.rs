//! What a lesson is: experiments, values over their results, and steps.

use std::collections::BTreeMap;

use super::prose::Prose;
use crate::experiment::{Case, Experiment, ParamValue};
use crate::figure::Time;
use crate::results::record::{Cause, Counter};
use crate::runner::plan;

/// One lesson. [`super::read()`] makes it and checks that every name in it exists.
#[derive(Debug, Clone, PartialEq)]
pub struct Lesson {
    /// Name of its file without the ending: `01-shared-memory`.
    pub name: String,
    /// Its title.
    pub title: String,
    /// What the student can say at the end, in one sentence.
    pub summary: String,
    /// Minutes that it takes.
    pub minutes: u32,
    /// What the student needs to know or to have.
    pub needs: Vec<String>,
    /// The published claim that it examines.
    pub claim: Claim,
    /// Its experiments by name.
    pub experiments: BTreeMap<String, Trial>,
    /// Its values by name.
    pub values: BTreeMap<String, Formula>,
    /// Its steps, in order.
    pub steps: Vec<Step>,
}

/// A published claim, and what today's hardware says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The claim in one or two sentences.
    pub text: String,
    /// Where it comes from.
    pub source: String,
    /// Where today's hardware disagrees. Its values are those of the recording of the H200.
    pub today: Prose,
}

/// An experiment of a lesson.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// What runs.
    pub experiment: Experiment,
    /// Every case of it, in the order of the plan.
    pub cases: Vec<Case>,
    /// Whether its times are in the recording of the H200. If not, `learn --check` can
    /// compare it only with the emulator or a GPU.
    pub recorded: bool,
}

/// A named value over the results of an experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Formula {
    /// Name of the experiment.
    pub experiment: String,
    /// What is computed.
    pub measure: Measure,
    /// Which time counts.
    pub time: Time,
    /// What the lesson concludes about it: `learn --check` compares.
    pub claims: Bounds,
}

/// What a value measures.
#[derive(Debug, Clone, PartialEq)]
pub enum Measure {
    /// Time of one case, in seconds.
    Time(Select),
    /// Time of one case over that of another: how many times as fast the second one is.
    Ratio(Pair),
    /// A counter of one case, or of one over another.
    Count {
        /// The counter.
        counter: Counter,
        /// The case.
        of: Select,
        /// The case that it is divided by.
        over: Option<Select>,
        /// A counter of the same case that it is divided by.
        per: Option<Counter>,
    },
    /// The size from which on the second case of the pair is the faster one at every size,
    /// between the sizes that ran by interpolation of the ratio. No size, where it never is.
    Crossing(Pair),
    /// Name of the fastest variant.
    Fastest(Select),
    /// Block size and coarsening with the shortest time.
    Best(Select),
    /// The cause that [`crate::analysis::explain`] finds for the difference of two cases, or
    /// for the time of one.
    Cause {
        /// The case.
        of: Select,
        /// The case that it is compared with.
        over: Option<Select>,
    },
    /// Time by size; with a second case, the ratio of both by size.
    Curve {
        /// The case at each size.
        of: Select,
        /// The case that it is divided by.
        over: Option<Select>,
    },
}

/// Two cases.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// The case whose time is divided.
    pub of: Select,
    /// The case that it is divided by.
    pub over: Select,
}

/// Cases of an experiment: those with the values that are given.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Select {
    /// Name of the variant.
    pub variant: Option<String>,
    /// Threads per block.
    pub block: Option<u32>,
    /// Work units per thread.
    pub coarsen: Option<u32>,
    /// Input elements.
    pub n: Option<u64>,
    /// Parameters of the algorithm.
    pub params: BTreeMap<String, ParamValue>,
}

impl Select {
    /// Whether it means this case.
    pub fn takes(&self, case: &Case) -> bool {
        self.variant.as_ref().is_none_or(|it| *it == case.variant)
            && self.block.is_none_or(|it| it == case.block)
            && self.coarsen.is_none_or(|it| it == case.coarsen)
            && self.n.is_none_or(|it| it == case.n)
            && self.params.iter().all(|(name, value)| case.params.get(name) == Some(value))
    }
}

/// What must hold of a value.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bounds {
    /// The smallest number.
    pub least: Option<f64>,
    /// The largest number.
    pub most: Option<f64>,
    /// The word: a variant, a cause, a cell, or `never` of a crossing.
    pub is: Option<String>,
}

impl Bounds {
    /// Whether they say nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A condition on a named value.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Name of the value.
    pub value: String,
    /// What must hold of it.
    pub bounds: Bounds,
}

/// One step of a lesson.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Its name in answers and errors, unique in the lesson.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What the student reads: the paragraph or the question.
    pub text: Prose,
    /// Three hints, each saying more than the one before; or none.
    pub hints: Vec<Prose>,
    /// What the student does.
    pub task: Task,
    /// Line of the file, from 1.
    pub line: usize,
}

/// What the student does in a step.
#[derive(Debug, Clone, PartialEq)]
pub enum Task {
    /// Reads.
    Say,
    /// Commits to an answer before the run, with a confidence from 1 to 3.
    Predict(Question),
    /// Runs an experiment.
    Run {
        /// Name of the experiment.
        experiment: String,
        /// How it is shown.
        view: View,
    },
    /// Says what was seen.
    Observe(Question),
    /// Picks the cause.
    Why {
        /// The question.
        question: Question,
        /// The value of kind [`Measure::Cause`] whose explanation is shown after the answer.
        value: String,
    },
    /// Changes one parameter until the goal holds.
    Change(Change),
    /// Completes a kernel.
    Write(Write),
}

impl Task {
    /// The word for it in files and on screens.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Say => "say",
            Self::Predict(_) => "predict",
            Self::Run { .. } => "run",
            Self::Observe(_) => "observe",
            Self::Why { .. } => "why",
            Self::Change(_) => "change",
            Self::Write(_) => "write",
        }
    }

    /// The question of a step that offers options or a curve to draw.
    pub fn question(&self) -> Option<&Question> {
        match self {
            Self::Predict(question) | Self::Observe(question) | Self::Why { question, .. } => {
                Some(question)
            }
            _ => None,
        }
    }
}

/// How the results of an experiment are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum View {
    /// Time by size.
    #[default]
    Curves,
    /// Time by block size and coarsening.
    Heat,
}

/// A question with options, or with a curve to draw.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// How the right option is computed.
    pub ask: Ask,
    /// The options, in the order of the file; empty where a curve is drawn.
    pub options: Vec<Choice>,
    /// Key of the option that the lesson's text takes for right: `learn --check` compares it
    /// with the computed one. A student's answer is graded by the computed one alone.
    pub expect: Option<String>,
}

/// How the right option of a question is computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ask {
    /// One of several curves: the one nearest to the value, which is a curve.
    Curves {
        /// Name of the value.
        value: String,
    },
    /// A factor: 1×, 2×, 5×, 10×, 100× or slower; the one nearest to the value, a ratio.
    Factor {
        /// Name of the value.
        value: String,
    },
    /// The best cell of a heat map; a cell within a twentieth of its time is as good.
    Cell {
        /// Name of the value.
        value: String,
    },
    /// A size: the option whose number is nearest to the value.
    Count {
        /// Name of the value.
        value: String,
    },
    /// A curve that the student draws: a value for each size.
    Draw {
        /// Name of the value.
        value: String,
    },
    /// The option whose reason holds.
    Reasons,
}

impl Ask {
    /// Name of the value that the answer is compared with.
    pub fn value(&self) -> Option<&str> {
        match self {
            Self::Curves { value }
            | Self::Factor { value }
            | Self::Cell { value }
            | Self::Count { value }
            | Self::Draw { value } => Some(value),
            Self::Reasons => None,
        }
    }
}

/// One option of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The answer that it stands for, unique in its question: `10x`, `256/4`, `bins`.
    pub key: String,
    /// What the student reads.
    pub text: String,
    /// Why a student might think so, shown to who picked it and is wrong.
    pub note: Option<String>,
    /// When it is right.
    pub right: Right,
}

/// When an option is right.
#[derive(Debug, Clone, PartialEq)]
pub enum Right {
    /// It is the nearest curve: its points by size, ascending, joined by lines on
    /// logarithmic axes.
    Curve(Vec<(u64, f64)>),
    /// Its number is the nearest to the value, by ratio.
    Number(f64),
    /// The value is below 1 by more than a twentieth.
    Slower,
    /// It is the best cell, or as good.
    Cell {
        /// Threads per block.
        block: u32,
        /// Work units per thread.
        coarsen: u32,
    },
    /// All rules hold.
    Rules(Vec<Rule>),
    /// It is the computed cause.
    Cause(Reason),
}

/// A cause that an option names.
#[derive(Debug, Clone, PartialEq)]
pub struct Reason {
    /// Name of the value of kind [`Measure::Cause`].
    pub value: String,
    /// The cause.
    pub cause: Cause,
}

/// A step in which the student changes one parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// Name of the experiment to start from.
    pub experiment: String,
    /// The axes that may change, each with the values to choose from. Names are `n`,
    /// `block`, `coarsen`, `dist` and the algorithm's parameters.
    pub axes: BTreeMap<String, Vec<String>>,
    /// What must hold after the change, and must not hold before.
    pub goal: Vec<Rule>,
    /// A change that reaches the goal: axis and value. `learn --check` tries it.
    pub solution: (String, String),
}

/// A step in which the student completes a kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Write {
    /// Name of the experiment: one case of a built-in algorithm and one variant to beat.
    pub experiment: String,
    /// Source to start from.
    pub template: String,
    /// Time of the built-in variant over that of the kernel must be at least this.
    pub faster: f64,
    /// A kernel that passes. `learn --check` tries it.
    pub solution: String,
}

impl Change {
    /// The experiment with one axis changed.
    ///
    /// # Errors
    /// If the axis or the value is not offered, or makes no experiment.
    pub fn applied(&self, trial: &Trial, axis: &str, value: &str) -> Result<Trial, String> {
        let offered = self.axes.get(axis).ok_or_else(|| {
            let axes: Vec<&str> = self.axes.keys().map(String::as_str).collect();
            format!("axis `{axis}` does not change here; use {}", axes.join(", "))
        })?;
        if !offered.iter().any(|it| it == value) {
            return Err(format!("{axis} cannot be {value} here; use {}", offered.join(", ")));
        }
        let bad = |error: &dyn std::fmt::Display| format!("{axis} = {value}: {error}");
        let mut experiment = trial.experiment.clone();
        match axis {
            "n" => experiment.sizes = value.parse().map_err(|error| bad(&error))?,
            "block" => experiment.blocks = vec![value.parse().map_err(|error| bad(&error))?],
            "coarsen" => {
                experiment.coarsenings = vec![value.parse().map_err(|error| bad(&error))?];
            }
            "dist" => experiment.dist = value.parse().map_err(|error| bad(&error))?,
            name => {
                let Ok(word) = value.parse();
                experiment.params.insert(name.to_owned(), vec![word]);
            }
        }
        plan::check(&experiment).map_err(|error| bad(&error))?;
        let cases = plan::cases(&experiment).map_err(|error| bad(&error))?;
        if cases.len() != trial.cases.len() {
            return Err(bad(&"a change replaces one value by one other"));
        }
        Ok(Trial { experiment, cases, recorded: trial.recorded })
    }
}

/// How a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// A factor.
    Times,
    /// A count.
    Count,
    /// Input elements.
    Elements,
}

impl Formula {
    /// Whether it needs the counters of a case of its experiment.
    pub fn counts(&self, case: &Case) -> bool {
        match &self.measure {
            Measure::Count { of, over, .. } | Measure::Cause { of, over } => {
                of.takes(case) || over.as_ref().is_some_and(|over| over.takes(case))
            }
            _ => false,
        }
    }

    /// How its number is written; a word has none.
    pub fn unit(&self) -> Option<Unit> {
        match &self.measure {
            Measure::Time(_) | Measure::Curve { over: None, .. } => Some(Unit::Seconds),
            Measure::Ratio(_)
            | Measure::Curve { over: Some(_), .. }
            | Measure::Count { over: Some(_), .. } => Some(Unit::Times),
            Measure::Count { .. } => Some(Unit::Count),
            Measure::Crossing(_) => Some(Unit::Elements),
            Measure::Fastest(_) | Measure::Best(_) | Measure::Cause { .. } => None,
        }
    }
}

impl Question {
    /// The values that the options rest on.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        self.options.iter().flat_map(Choice::values)
    }
}

impl Choice {
    fn values(&self) -> Vec<&str> {
        match &self.right {
            Right::Rules(rules) => rules.iter().map(|rule| rule.value.as_str()).collect(),
            Right::Cause(reason) => vec![reason.value.as_str()],
            _ => Vec::new(),
        }
    }
}

impl Lesson {
    /// The step with this name, and its place.
    pub fn step(&self, id: &str) -> Option<(usize, &Step)> {
        self.steps.iter().enumerate().find(|(_, step)| step.id == id)
    }
}
