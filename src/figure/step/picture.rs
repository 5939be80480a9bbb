//! A step as a picture for slides.

use super::{LaneMark, heights, lanes, memory_facts, memory_title, row, stack};
use crate::experiment::Case;
use crate::figure::command::run_of;
use crate::units::Elements;
use crate::work::trace::{Access, Moment, Place, Value};

/// Lines of text around the current one.
const LINES: usize = 31;

/// One step with its words.
#[derive(Debug, Clone, PartialEq)]
pub struct StepPicture {
    /// What happens and what it costs.
    pub title: String,
    /// Case, block, warp and step.
    pub subtitle: String,
    /// Where it comes from.
    pub caption: String,
    /// The command that records it again; empty if unknown.
    pub command: String,
    /// Lines around the current one: number, text, and whether it is the current one.
    pub lines: Vec<(u32, String, bool)>,
    /// Marks with their lanes and what these do.
    pub lanes: Vec<(LaneMark, u32, String)>,
    /// The reconvergence stack in words.
    pub stack: Vec<String>,
    /// The registers of the line.
    pub values: Vec<Row>,
    /// The kind of access.
    pub memory: String,
    /// Its costs.
    pub facts: Vec<String>,
    /// The access.
    pub access: Option<Access>,
    /// Passes through the banks of shared memory that it takes.
    pub passes: u64,
}

/// A register over the lanes.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// Whether the step changed it.
    pub changed: bool,
    /// Its height in each lane that runs, 0 to 1.
    pub heights: [Option<f64>; 32],
    /// Its values in one line.
    pub text: String,
}

/// Where a step is: its case, its block of how many, and the number of the step in its warp.
#[derive(Debug, Clone, Copy)]
pub struct Where<'a> {
    /// The case.
    pub case: &'a Case,
    /// The GPU whose limits it keeps; the default one where none is named.
    pub gpu: Option<&'a str>,
    /// The kernel.
    pub kernel: &'a str,
    /// The block.
    pub block: u64,
    /// Number of the launch, from 0.
    pub launch: usize,
    /// Step of the warp, from 0.
    pub step: usize,
}

impl StepPicture {
    /// Of a step with the registers of its line; `text` is the text it is shown in, `current`
    /// its line there.
    pub fn of(
        at: Where,
        moment: &Moment,
        values: &[Value],
        (text, current): (&[String], Option<u32>),
        line: &dyn Fn(&Place) -> String,
    ) -> Self {
        let Case { algorithm, variant, n, block: threads, .. } = at.case;
        let Where { kernel, block, step, .. } = at;
        let warp = moment.warp;
        let active = if moment.active == 0 { u32::MAX } else { moment.active };
        let middle = current.map_or(0, |line| line as usize - 1);
        let first = middle.saturating_sub(LINES / 2).min(text.len().saturating_sub(LINES));
        let number = |index: usize| u32::try_from(index + 1).unwrap_or(u32::MAX);
        let lines = text.iter().enumerate().skip(first).take(LINES);
        let values = values.iter().map(|value| Row {
            name: value.name.clone(),
            changed: value.changed & active != 0,
            heights: heights(value, active),
            text: row(value, active, 8),
        });
        Self {
            title: moment.sentence.clone(),
            subtitle: format!(
                "{algorithm} · {variant} · n = {} · block size {threads} · kernel {kernel} · block \
                 {block}, warp {warp}, step {step} of the warp",
                Elements(*n)
            ),
            caption: format!(
                "executed on the emulator · `{}`, {}",
                moment.place.word,
                line(&moment.place)
            ),
            command: command(at, warp),
            lines: lines
                .map(|(index, text)| (number(index), text.clone(), current == Some(number(index))))
                .collect(),
            lanes: lanes(moment, line),
            stack: stack(moment, line),
            values: values.collect(),
            memory: memory_title(moment),
            facts: memory_facts(moment),
            access: moment.access.clone(),
            passes: moment.cost.passes,
        }
    }

    /// What it shows, in words.
    pub(crate) fn in_words(&self) -> String {
        let lanes: Vec<&str> = self.lanes.iter().map(|(.., text)| text.as_str()).collect();
        let facts = [&self.stack[..], &self.facts[..]].concat();
        format!("{} {}. {}.", self.title, lanes.join("; "), facts.join("; "))
    }
}

/// The command that draws the step again.
fn command(at: Where, warp: usize) -> String {
    let Where { case, gpu, block, launch, step, .. } = at;
    let run = run_of(case, gpu);
    let end = step + 1;
    format!("{run} --launch {launch} --trace {block}:{warp} --steps {step}..{end} -o step.png")
}
