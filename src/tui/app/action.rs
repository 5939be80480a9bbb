//! Everything that can happen to the interface, as plain values: what the user
//! asked for, and what other threads report.

use std::path::PathBuf;

use crate::export::image::{Pixels, Style};
use crate::runner::scheduler::{Event, ProfiledCase, Tally};
use crate::tui::app::model::{Panel, Screen, ShownOutput};
use crate::tui::dialogs::state::{Edit, Format, Row};
use crate::tui::screens::profile::state::Pane;
use crate::tui::screens::runs::state::News;
use crate::tui::screens::sweep::form::state::Field;

/// Something that happens.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// The user gave a command.
    Do(Command),
    /// The user edits text.
    Edit(Edit),
    /// The user pasted text.
    Paste(String),
    /// The pointer asks for the crosshair near this x.
    Cross(f64),
    /// A running session reports.
    Session {
        /// Number of the run.
        run: u64,
        /// What it reports.
        event: Event,
    },
    /// A session has ended.
    Ended {
        /// Number of the run.
        run: u64,
        /// How, or why not.
        tally: Result<Tally, String>,
    },
    /// An output computed for the form's settings.
    Preview(Box<ShownOutput>),
    /// Something about stored runs was found out.
    Runs(News),
    /// The results of a run go to this file, or to none for this reason.
    Stores {
        /// Number of the run.
        run: u64,
        /// The file.
        file: Result<PathBuf, String>,
    },
    /// Settings were not kept, for this reason.
    NotKept(String),
    /// A picture to export, drawn small on this ground.
    Drawn(Style, Box<Pixels>),
    /// A case was profiled, or failed.
    Profiled {
        /// Number of the attempt.
        id: u64,
        /// What came of it, or why nothing did.
        result: Result<Box<ProfiledCase>, String>,
    },
    /// An export has ended.
    Exported(Result<PathBuf, ExportError>),
    /// Time has passed while something runs.
    Tick,
}

/// Why an export did not happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExportError {
    /// The file exists and was not to be replaced.
    Exists,
    /// Anything else, in words.
    Failed(String),
}

/// A command of the user, by key or by mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Run what the form says.
    Run,
    /// Pause the run, or go on.
    Pause,
    /// Cancel the run, close what lies on top, leave an edit.
    Cancel,
    /// Leave, asking first if something would be lost.
    Quit,
    /// Leave now.
    Leave,
    /// Put the program into the background.
    Suspend,
    /// Draw everything again.
    Redraw,
    /// Show or hide the help.
    Help,
    /// Say why one of two results is the faster one.
    Why,
    /// Change to a screen.
    Show(Screen),
    /// Give the keys to the next panel.
    NextPanel,
    /// Give the keys to a panel.
    Panel(Panel),
    /// Up one row.
    Up,
    /// Down one row.
    Down,
    /// One value back, or crosshair to the left.
    Left,
    /// One value on, or crosshair to the right.
    Right,
    /// First row, or crosshair to the left end.
    First,
    /// Last row, or crosshair to the right end.
    Last,
    /// Tick, type into, or confirm.
    Enter,
    /// Go to a field, as if clicked.
    Click(Field),
    /// One value back or on in a field, as if its arrow was clicked.
    Step(Field, bool),
    /// Keep what is shown live for comparison.
    Pin,
    /// Forget what is kept.
    Unpin,
    /// Lay published times over the chart, or take them away.
    Published,
    /// Go to a cell of the Tune screen: block size and coarsening.
    Cell(u32, u32),
    /// The next variant on the Tune, Counters and Source screens.
    NextVariant,
    /// The kernel before, on the Counters and Source screens.
    PrevKernel,
    /// The kernel after.
    NextKernel,
    /// Go to a kernel.
    Kernel(usize),
    /// Go to a row of the counters or a line of source.
    Row(usize),
    /// Go to a text of the Source screen.
    Pane(Pane),
    /// The hottest line, then the next hottest; of the counters the next bad one.
    Hottest,
    /// Which heat the Source screen shows; on the Counters screen table or roofline.
    Flip,
    /// Both cases' texts side by side; on the Counters screen exchange the two.
    Difference,
    /// Open the export dialog.
    Export,
    /// Choose an export format.
    Format(Format),
    /// Change a row of the export dialog, one value on or back.
    ExportRow(Row, bool),
    /// Next theme.
    Theme,
    /// Next quantity on the y axis.
    YAxis,
    /// Logarithmic or linear y axis.
    LogY,
    /// Logarithmic or linear x axis.
    LogX,
    /// Show less of the x axis, around the crosshair.
    ZoomIn,
    /// Show more of it.
    ZoomOut,
    /// Show all of it.
    ZoomAll,
    /// Show what is left of it.
    PanLeft,
    /// Show what is right of it.
    PanRight,
    /// Mouse on or off.
    Mouse,
    /// A stored run goes over the chart, or off it.
    Overlay,
    /// Marks a stored run for comparison.
    Mark,
    /// Compares the marked runs.
    Compare,
    /// Moves a stored run to the trash.
    Discard,
    /// Looks what is stored.
    Refresh,
    /// Shows a stored run as if it were measured now.
    Replay,
    /// Another speed of replays.
    Speed,
    /// Types into what narrows a list.
    Find,
    /// Goes to a row of the stored runs; again: opens it.
    Entry(usize),
    /// Opens the list of everything that can be done.
    Palette,
    /// Takes a row of an open list.
    Pick(usize),
    /// Chooses what a speed-up is over.
    Baseline,
    /// Puts the command that makes the shown numbers again on the clipboard.
    Copy,
    /// The layout for a projector, or all of it.
    Present,
    /// Lets things move by themselves, or not.
    Motion,
    /// ASCII characters only, or all.
    Ascii,
    /// Undoes the last edit, or brings back what was discarded.
    Undo,
    /// Does again what was undone.
    Redo,
    /// A click that nothing is to answer.
    Nothing,
}

impl Command {
    /// Whether it acts on the chart, whatever the keys act on.
    pub fn is_for_the_chart(self) -> bool {
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
