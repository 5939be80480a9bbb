//! A recorded block as the screen holds it: its texts, and which line an instruction is of.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::figure::step::picture::{StepPicture, Where};
use crate::runner::trace::{LaunchChoice, Traced};
use crate::tui::screens::step::state::{Text, Wanted};
use crate::work::trace::{Ending, Moment, Place, Step, Trace, Value};

/// Spaces that a tab stands for.
const TAB: &str = "    ";

/// A recorded block.
#[derive(Debug)]
pub struct Recorded {
    /// Reading a step moves the memory of the block to it.
    trace: Mutex<Trace>,
    /// The CUDA source; empty if unknown.
    pub source: Vec<String>,
    /// The PTX.
    pub ptx: Vec<String>,
    /// Per instruction: its lines in the PTX and in the source.
    lines: Vec<(u32, Option<u32>)>,
    /// The launches of the case.
    pub launches: Vec<LaunchChoice>,
    /// Which of them was recorded.
    pub launch: usize,
    /// Place of the block along x, y and z.
    pub block: [u32; 3],
    /// Warps of the block.
    pub warps: usize,
    /// Steps of all warps.
    pub steps: usize,
    /// How it ended.
    pub ending: Ending,
}

/// A step with all that is shown of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// What happens.
    pub moment: Moment,
    /// The registers of its line.
    pub values: Vec<Value>,
    /// The registers of the watch list.
    pub watched: Vec<Value>,
    /// Number of the step among those of its warp, from 0, and how many these are.
    pub of_warp: (usize, usize),
}

/// One recording is equal to itself only.
impl PartialEq for Recorded {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Recorded {
    /// Of a trace with its module.
    pub fn new(traced: Traced) -> Self {
        let Traced { trace, module, launches, launch } = traced;
        let name = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned();
        let own = name(&module.source_path());
        let kernel = trace.kernel();
        let places = (0..).map_while(|index| kernel.instruction(index));
        let lines = places.map(|place| {
            let source = place.source.filter(|(file, _)| name(file) == own);
            (place.ptx_line, source.map(|(_, line)| line))
        });
        let text = |text: &str| text.lines().map(|line| line.replace('\t', TAB)).collect();
        let lines: Vec<_> = lines.collect();
        let has_source = lines.iter().any(|(_, source)| source.is_some());
        Self {
            source: if has_source { text(module.source) } else { Vec::new() },
            ptx: text(module.ptx),
            lines,
            launches,
            launch,
            block: trace.block(),
            warps: trace.warps(),
            steps: trace.steps().len(),
            ending: trace.ending().clone(),
            trace: Mutex::new(trace),
        }
    }

    /// The trace. Whoever panicked while reading a step has left its memory elsewhere, which
    /// the next read mends.
    pub fn trace(&self) -> MutexGuard<'_, Trace> {
        self.trace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The text that is shown where `wanted` is asked for.
    pub fn text_for(&self, wanted: Text) -> Text {
        if self.source.is_empty() { Text::Ptx } else { wanted }
    }

    /// The lines of a text.
    pub fn lines_of(&self, text: Text) -> &[String] {
        match text {
            Text::Source => &self.source,
            Text::Ptx => &self.ptx,
        }
    }

    /// The line of an instruction in a text, from 1.
    pub fn line_of(&self, text: Text, instruction: usize) -> Option<u32> {
        let (ptx, source) = *self.lines.get(instruction)?;
        match text {
            Text::Source => source,
            Text::Ptx => Some(ptx),
        }
    }

    /// Whether instructions of the kernel are at a line.
    pub fn has_line(&self, text: Text, line: u32) -> bool {
        (0..self.lines.len()).any(|at| self.line_of(text, at) == Some(line))
    }

    /// The step that is number `at` of its warp, from 0.
    ///
    /// # Errors
    /// With the number of steps that the warp has.
    pub fn nth(&self, warp: usize, at: usize) -> Result<usize, usize> {
        let trace = self.trace();
        let own = |(_, it): &(usize, &Step)| usize::from(it.warp) == warp;
        let mut of_warp = trace.steps().iter().enumerate().filter(own).map(|(step, _)| step);
        of_warp.nth(at).ok_or_else(|| trace.steps().iter().enumerate().filter(own).count())
    }

    /// All about a step; `None` past the end.
    pub fn show(&self, step: usize, watched: &[String]) -> Option<Shown> {
        let mut trace = self.trace();
        let moment = trace.moment(step)?;
        let values = trace.line_values(&moment);
        let watched = watched.iter().filter_map(|name| trace.value(&moment, name)).collect();
        let own = |it: &&Step| usize::from(it.warp) == moment.warp;
        let before = trace.steps()[..step].iter().filter(own).count();
        let after = trace.steps()[step..].iter().filter(own).count();
        Some(Shown { moment, values, watched, of_warp: (before, before + after) })
    }

    /// The picture of a step of this recording, with its line in a text.
    pub fn picture(&self, wanted: &Wanted, shown: &Shown, text: Text) -> StepPicture {
        let Wanted { case, gpu, block, .. } = wanted;
        let at = Where {
            case,
            gpu: gpu.as_deref(),
            kernel: self.launches.get(self.launch).map_or("", |it| it.kernel.as_str()),
            block: *block,
            launch: self.launch,
            step: shown.of_warp.0,
        };
        let text = self.text_for(text);
        let lines = (self.lines_of(text), self.line_of(text, shown.moment.instruction));
        let line = |place: &_| self.line_name(place);
        StepPicture::of(at, &shown.moment, &shown.values, lines, &line)
    }

    /// Blocks of the recorded launch.
    pub fn blocks(&self) -> u64 {
        self.launches.get(self.launch).map_or(1, |launch| launch.grid.count())
    }

    /// How a line is called where the source may be missing.
    pub fn line_name(&self, place: &Place) -> String {
        if self.source.is_empty() {
            format!("PTX line {}", place.ptx_line)
        } else {
            format!("line {}", place.line())
        }
    }
}
