//! The class behind the teacher's screen: the server's thread, and one that draws charts.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use crate::class::journal::Opened;
use crate::class::opening::write_files;
use crate::class::{Command, Hall, News, Opening, Shown};
use crate::export::image::{self, Size};
use crate::tui::screens::class::state::Answered;

/// Least time between two charts: 200 browsers fetch each of them.
const PACE: Duration = Duration::from_millis(700);

/// The class, where one is taught.
#[derive(Debug, Default)]
pub(crate) struct Teaching(Option<Running>);

#[derive(Debug)]
struct Running {
    hall: Arc<Hall>,
    opened: Opened,
    folder: PathBuf,
    names: bool,
    painter: Sender<Answered>,
    tell: Arc<Tell>,
}

/// Tells the teacher's screen.
struct Tell(Box<dyn Fn(News) + Send + Sync>);

impl std::fmt::Debug for Tell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tell")
    }
}

impl Teaching {
    /// Opens the class.
    pub(crate) fn open(
        &mut self,
        opening: Opening,
        tell: impl Fn(News) + Send + Sync + 'static,
    ) -> std::io::Result<()> {
        let Opening { opened, class, journal, listener, options, .. } = opening;
        let folder = journal.path().parent().map(PathBuf::from).unwrap_or_default();
        let (names, ended) = (options.names, class.has_ended());
        let tell = Arc::new(Tell(Box::new(tell)));
        let told = Arc::clone(&tell);
        let hall = Hall::open(class, journal, listener, options, move |news| (told.0)(news))?;
        let hall = Arc::new(hall);
        let (painter, charts) = channel();
        let shown = Arc::downgrade(&hall);
        thread::Builder::new().name("charts".to_owned()).spawn(move || {
            while let Ok(first) = charts.recv() {
                for answered in newest(std::iter::once(first).chain(charts.try_iter())) {
                    let answer = draw(&answered);
                    let Some(hall) = shown.upgrade() else { return };
                    hall.show(answered.question, answer, answered.settled);
                }
                thread::sleep(PACE);
            }
        })?;
        let running = Running { hall, opened, folder, names, painter, tell };
        if ended {
            running.write();
        }
        self.0 = Some(running);
        Ok(())
    }

    /// Carries out what the teacher asks for.
    pub(crate) fn teach(&self, command: Command) {
        let Some(running) = &self.0 else { return };
        running.hall.teach(command);
        if command == Command::End {
            running.write();
        }
    }

    /// Shows students an answer, as soon as it is drawn.
    pub(crate) fn show(&self, answered: Answered) {
        if let Some(running) = &self.0 {
            // The thread ends only with the class.
            let _ = running.painter.send(answered);
        }
    }
}

impl Running {
    /// Writes page and table.
    fn write(&self) {
        let written =
            self.hall.look(|class| write_files(&self.folder, &self.opened, class, self.names));
        (self.tell.0)(News::Written(written));
    }
}

/// The newest of the answers that wait, and of each other question the last one that belongs
/// into the file.
fn newest(waiting: impl Iterator<Item = Answered>) -> Vec<Answered> {
    let mut kept: Vec<Answered> = Vec::new();
    for answered in waiting {
        kept.retain(|older| older.settled && older.question != answered.question);
        kept.push(answered);
    }
    kept
}

/// Draws the chart of an answer.
fn draw(answered: &Answered) -> Shown {
    let drawn = answered.picture.as_ref().and_then(|picture| {
        // A chart that cannot be drawn leaves the sentence.
        let svg = image::element(picture, Size::phone(), "chart-picture").ok()?;
        Some((svg, picture.words().caption.to_owned()))
    });
    let (chart, caption) = drawn.unwrap_or_default();
    Shown {
        headline: answered.headline(),
        explanation: answered.explanation.clone(),
        right: answered.right,
        chart,
        caption,
    }
}
