//! Everything that can happen to the interface, as plain values: what the user
//! asked for, and what other threads report.

use std::path::PathBuf;
use std::sync::Arc;

use crate::class;
use crate::export::image::{Pixels, Style};
use crate::runner::scheduler::{Event, ProfiledCase, Tally};
use crate::tui::app::model::{Panel, Screen, ShownOutput};
use crate::tui::dialogs::state::{Edit, Format, Row};
use crate::tui::own::state as own;
use crate::tui::screens::learn::state as learn;
use crate::tui::screens::profile::state::Pane;
use crate::tui::screens::runs::state::News;
use crate::tui::screens::step::recorded::Recorded;
use crate::tui::screens::sweep::form::state::Field;
use crate::work::Done;

/// Something that happens.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Action {
    Do(Command),
    Edit(Edit),
    Paste(String),
    /// The pointer asks for the crosshair near this x.
    Cross(f64),
    /// The pointer is over the legend's entry of this curve, or no longer.
    Hover(Option<usize>),
    Session {
        run: u64,
        event: Event,
    },
    Ended {
        run: u64,
        tally: Result<Tally, String>,
    },
    /// An output computed for the form's settings.
    Preview(Box<ShownOutput>),
    /// Something about stored runs was found out.
    Runs(News),
    /// The results of a run go to this file, or to none for this reason.
    Stores {
        run: u64,
        file: Result<PathBuf, String>,
    },
    /// Settings were not kept, for this reason.
    NotKept(String),
    /// A picture to export, drawn small on this ground.
    Drawn(Style, Box<Pixels>),
    /// A case was profiled, or failed.
    Profiled {
        id: u64,
        result: Result<Box<ProfiledCase>, String>,
    },
    /// How far the recording of a block has come.
    Recording {
        id: u64,
        done: Done,
    },
    /// A block was recorded, or was not, for this reason.
    Recorded {
        id: u64,
        result: Result<Arc<Recorded>, String>,
    },
    Exported(Result<PathBuf, ExportError>),
    /// Something about the user's file.
    Own(own::News),
    /// Something about the class.
    Class(class::News),
    /// Something about a lesson.
    Learn(learn::News),
    /// Time has passed while something runs.
    Tick,
}

/// Why an export did not happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ExportError {
    /// The file exists and was not to be replaced.
    Exists,
    /// Anything else, in words.
    Failed(String),
}

/// A command of the user, by key or by mouse. The table of keys says in words what
/// each with a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Command {
    Run,
    Pause,
    /// Cancel the run, close what lies on top, leave an edit.
    Cancel,
    /// Leave, asking first if something would be lost.
    Quit,
    /// Leave now.
    Leave,
    Suspend,
    /// Draw everything again.
    Redraw,
    Help,
    /// Say why one of two results is the faster one.
    Why,
    Show(Screen),
    NextPanel,
    Panel(Panel),
    Up,
    Down,
    /// One value back, or crosshair to the left.
    Left,
    /// One value on, or crosshair to the right.
    Right,
    First,
    Last,
    /// Tick, type into, or confirm.
    Enter,
    /// Go to a field, as if clicked.
    Click(Field),
    /// One value back or on in a field, as if its arrow was clicked.
    Step(Field, bool),
    /// Keep what is shown live for comparison.
    Pin,
    Unpin,
    /// Lay published times over the chart, or take them away.
    Published,
    /// Go to a cell of the Tune screen: block size and coarsening.
    Cell(u32, u32),
    /// Go to a warp of the recorded block.
    Warp(usize),
    PrevBlock,
    NextBlock,
    /// To the line before, of the recorded block.
    LineBack,
    /// To the costly step before.
    MarkBack,
    /// Back to the line of the cursor.
    CursorBack,
    /// Back to a breakpoint.
    ContinueBack,
    NextVariant,
    PrevVariant,
    /// Choose a curve in the legend.
    Curve(usize),
    PrevKernel,
    NextKernel,
    Kernel(usize),
    /// Go to a row of the counters or a line of source.
    Row(usize),
    /// Go to a text of the Source screen.
    Pane(Pane),
    /// The hottest line, then the next hottest; of the counters the next bad one.
    Hottest,
    /// Which heat the Source screen shows; on the Counters screen table or roofline, on the
    /// Tune screen map or ladder.
    Flip,
    /// Both cases' texts side by side; on the Counters screen exchange the two.
    Difference,
    /// Open the export dialog.
    Export,
    /// Choose an export format.
    Format(Format),
    /// Change a row of the export dialog, one value on or back.
    ExportRow(Row, bool),
    Theme,
    /// Open the editor on the user's file.
    Edit,
    /// Time of the kernels, or end to end, on every screen.
    Time,
    /// Next quantity on the y axis.
    YAxis,
    LogY,
    LogX,
    /// Show less of the x axis, around the crosshair.
    ZoomIn,
    ZoomOut,
    ZoomAll,
    PanLeft,
    PanRight,
    Mouse,
    /// A stored run goes over the chart, or off it.
    Overlay,
    /// Mark a stored run for comparison.
    Mark,
    /// Compare the marked runs.
    Compare,
    /// Move a stored run to the trash.
    Discard,
    /// Look what is stored.
    Refresh,
    /// Show a stored run as if it were measured now.
    Replay,
    /// Another speed of replays.
    Speed,
    /// Type into what narrows a list.
    Find,
    /// Go to a row of the stored runs; again: open it.
    Entry(usize),
    /// Open the list of everything that can be done.
    Palette,
    /// Show the stored run that is offered.
    Offered,
    /// Uncover the next hint of a lesson's step.
    Hint,
    /// Explain the words on the screen.
    Terms,
    /// Take a row of an open list.
    Pick(usize),
    /// Answer the question of a lesson's step by number, from 1.
    Number(u8),
    /// Scroll the page of a lesson to so many lines below where it stands by itself.
    Scroll(isize),
    /// Choose the baseline of speed-ups.
    Baseline,
    /// Put the command that reproduces the shown numbers on the clipboard.
    Copy,
    /// The layout for a projector, or all of it.
    Present,
    Motion,
    Ascii,
    /// Other dots for curves.
    Dots,
    /// Undo the last edit, or bring back what was discarded.
    Undo,
    Redo,
    /// Something that the teacher of a class asks for.
    Class(class::Command),
    /// Show or hide where students find the class.
    Address,
    /// Replays one step slower.
    Slower,
    /// Replays one step faster.
    Faster,
    /// A click that nothing is to answer.
    Nothing,
}

impl Command {
    /// Whether it acts on the chart, whatever the keys act on.
    pub(crate) fn is_for_the_chart(self) -> bool {
        matches!(
            self,
            Self::NextPanel
                | Self::Panel(Panel::Chart)
                | Self::YAxis
                | Self::Baseline
                | Self::LogY
                | Self::LogX
                | Self::Published
                | Self::ZoomIn
                | Self::ZoomOut
                | Self::ZoomAll
                | Self::PanLeft
                | Self::PanRight
        )
    }
}
