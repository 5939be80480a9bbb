//! The terminal: taking it over, giving it back whatever happens, and the loop
//! between input, model and frame.

use std::io;
use std::io::{BufWriter, Stdout, Write};
use std::mem::ManuallyDrop;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::Context;
use crossterm::clipboard::CopyToClipboard;
use crossterm::cursor::SetCursorStyle;
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
    Event as Input,
};
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor, execute};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::{Position, Rect};

use crate::export::image::{Way, inline};
use crate::settings::{self, Motion};
use crate::tui::app::action::Action;
use crate::tui::app::effect::{Effect, Effects, Message};
use crate::tui::app::model::Model;
use crate::tui::app::{keys as keymap, update, view};
use crate::tui::widgets::ui::Drawn;

pub mod crash;
mod editor;
mod input;
mod pending;
pub(crate) mod pixels;
mod signals;

use input::Inbox;
use pending::Pending;
use pixels::Pictures;

/// How often a running sweep's clock moves on the screen.
const TICK: Duration = Duration::from_millis(250);

/// How often a run is drawn where little is to move.
const CALM: Duration = Duration::from_secs(1);

/// How long what piles up is handled before a frame shows the state in between.
const LONGEST_BATCH: Duration = Duration::from_millis(50);

/// How long leaving waits at most for workers to end: those that do not end by
/// themselves are asked and then forced.
const PATIENCE: Duration = Duration::from_secs(4);

/// Whether the terminal is ours, for the panic hook and the guard alike.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Whether its cursor was told not to blink.
static STEADY: AtomicBool = AtomicBool::new(false);

type Screen = Terminal<CrosstermBackend<BufWriter<Stdout>>>;

/// Takes the terminal over.
fn take(model: &Model) -> io::Result<()> {
    enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    let mut out = io::stdout();
    execute!(out, EnterAlternateScreen, EnableBracketedPaste, cursor::Hide)?;
    if model.mouse {
        execute!(out, EnableMouseCapture)?;
    }
    steady(&mut out, model.motion == Motion::Reduced)
}

/// Lets the cursor stand still, or be as the user has it.
fn steady(out: &mut impl Write, still: bool) -> io::Result<()> {
    if still {
        STEADY.store(true, Ordering::SeqCst);
        execute!(out, SetCursorStyle::SteadyBlock)
    } else if STEADY.swap(false, Ordering::SeqCst) {
        execute!(out, SetCursorStyle::DefaultUserShape)
    } else {
        Ok(())
    }
}

/// Gives the terminal back, once. Safe to call at any time from any thread.
pub fn restore() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let mut out = io::stdout();
        // Nothing better can be done about a failure than to go on restoring.
        let _ = steady(&mut out, false);
        // One by one: Windows refuses to disable a mouse that was never enabled.
        let _ = execute!(out, DisableMouseCapture);
        let _ = execute!(out, DisableBracketedPaste);
        let _ = execute!(out, LeaveAlternateScreen, cursor::Show);
        let _ = disable_raw_mode();
        let _ = out.flush();
    }
}

/// Gives the terminal back when the loop is left in whatever way.
struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        restore();
    }
}

/// Runs the interface on the terminal until the user leaves or a signal ends it.
pub(crate) fn run(
    mut model: Model,
    effects: &mut Effects,
    messages: &Receiver<Message>,
) -> anyhow::Result<()> {
    crash::install();
    let guard = Guard;
    take(&model).context("cannot set up the terminal")?;
    let ending = show(&mut model, effects, messages);
    drop(guard);
    // However the loop was left: a terminal that is gone leaves it by an error.
    effects.shut_down(PATIENCE);
    if let Ending::Signal(signal) = ending? {
        signals::obey(signal);
    }
    Ok(())
}

/// Draws, listens and carries out, until the user leaves, a signal asks to end,
/// or the terminal is gone.
fn show(
    model: &mut Model,
    effects: &mut Effects,
    messages: &Receiver<Message>,
) -> anyhow::Result<Ending> {
    let backend = CrosstermBackend::new(BufWriter::with_capacity(1 << 16, io::stdout()));
    // Its destructor shows the cursor, which `restore` does, and panics when the
    // terminal and standard error are gone.
    let screen = Terminal::new(backend).context("cannot set up the terminal")?;
    let mut screen = ManuallyDrop::new(screen);
    let drawn = draw(&mut screen, model, None)?;

    // Everything that costs time starts after the first frame.
    signals::listen(effects.sender()).context("cannot listen to signals")?;
    let inbox = Inbox::default();
    input::read(inbox.clone(), effects.sender());
    for effect in update::start(model) {
        effects.carry_out(effect);
    }
    let (pending, changed) = (Pending::default(), false);
    let pictures = Pictures::new(way(model.pictures), effects.sender());
    let screen = &mut screen;
    let mut session = Session { model, effects, screen, inbox, drawn, changed, pending, pictures };
    if session.pictures.is_some() {
        session.draw()?;
    }
    session.run(messages)
}

/// The loop between input, model and frame.
struct Session<'a> {
    model: &'a mut Model,
    effects: &'a mut Effects,
    screen: &'a mut Screen,
    inbox: Inbox,
    /// The last frame.
    drawn: Drawn,
    /// Whether keys or the pointer have changed the model since then.
    changed: bool,
    /// What the last messages ask for.
    pending: Pending,
    /// Draws pixels where the terminal shows them.
    pictures: Option<Pictures>,
}

impl Session<'_> {
    fn run(&mut self, messages: &Receiver<Message>) -> anyhow::Result<Ending> {
        let mut frame = Instant::now();
        let mut stale = false;
        loop {
            let Some(message) = next(messages, self.model, self.effects, stale)? else { continue };
            let calm = self.model.motion == Motion::Reduced && frame.elapsed() < CALM;
            let mut waiting = Some(message);
            let (mut asked, began) = (false, Instant::now());
            // Whatever has piled up is worth one frame, not one each.
            while let Some(message) = waiting.take() {
                asked |=
                    !matches!(message, Message::Action(Action::Session { .. } | Action::Tick, _));
                if let Some(ending) = self.handle(message)? {
                    self.carry_out();
                    return Ok(ending);
                }
                if began.elapsed() < LONGEST_BATCH {
                    waiting = messages.try_recv().ok();
                }
            }
            self.carry_out();
            stale = calm && !asked;
            if !stale {
                self.draw()?;
                frame = Instant::now();
            }
        }
    }

    fn draw(&mut self) -> io::Result<()> {
        self.drawn = draw(self.screen, self.model, self.pictures.as_mut())?;
        self.changed = false;
        Ok(())
    }

    fn carry_out(&mut self) {
        for effect in self.pending.take() {
            self.effects.carry_out(effect);
        }
    }

    fn handle(&mut self, message: Message) -> anyhow::Result<Option<Ending>> {
        match message {
            Message::Input => return self.listen(),
            Message::Action(action, at) => return self.act(action, at),
            Message::Picture(ready) => {
                if let Some(pictures) = &mut self.pictures {
                    pictures.take(*ready);
                }
            }
            Message::InputEnded(reason) => anyhow::bail!("terminal input failed: {reason}"),
            Message::Signal(signals::SIGTSTP) => suspend(self.screen, self.model)?,
            Message::Signal(signals::SIGCONT) => resume(self.screen, self.model)?,
            Message::Signal(signal) => {
                self.pending.push(update::closing(self.model));
                return Ok(Some(Ending::Signal(signal)));
            }
        }
        Ok(None)
    }

    /// Acts on the input that waits.
    fn listen(&mut self) -> anyhow::Result<Option<Ending>> {
        for event in self.inbox.take() {
            if self.changed && matches!(event, Input::Mouse(_)) {
                // The pointer is judged by the frame it was seen on.
                self.draw()?;
            }
            let Some(action) = keymap::action(&event, self.model, &self.drawn) else { continue };
            self.changed = true;
            if let Some(ending) = self.act(action, self.effects.now())? {
                return Ok(Some(ending));
            }
        }
        Ok(None)
    }

    /// Gives the terminal to the user's editor, and takes it back.
    fn edit(&mut self, path: &Path, line: u32) -> anyhow::Result<()> {
        let keys = self.inbox.pause();
        restore();
        let edited = editor::run(path, line);
        drop(keys);
        resume(self.screen, self.model)?;
        if let Err(reason) = edited {
            self.model.bad(reason);
        }
        self.inbox.take();
        Ok(())
    }

    /// Updates the model, does what concerns the terminal, and keeps the rest for the end of
    /// the batch.
    fn act(&mut self, action: Action, at: Duration) -> anyhow::Result<Option<Ending>> {
        for effect in update::update(self.model, action, at) {
            let out = self.screen.backend_mut();
            match effect {
                Effect::Leave => return Ok(Some(Ending::Left)),
                Effect::Redraw => clear(self.screen)?,
                Effect::Suspend => suspend(self.screen, self.model)?,
                Effect::Edit { path, line, template } => {
                    if let Err(reason) = template.map_or(Ok(()), |it| editor::begin(&path, &it)) {
                        self.model.bad(reason);
                    } else {
                        self.edit(&path, line)?;
                    }
                }
                Effect::Motion(motion) => steady(out, motion == Motion::Reduced)?,
                Effect::Copy(text) => execute!(out, CopyToClipboard::to_clipboard_from(text))?,
                Effect::Mouse(true) => execute!(out, EnableMouseCapture)?,
                Effect::Mouse(false) => execute!(out, DisableMouseCapture)?,
                effect => self.pending.push(effect),
            }
        }
        Ok(None)
    }
}

/// How the loop was left.
enum Ending {
    /// The user left.
    Left,
    /// A signal asked to end.
    Signal(i32),
}

/// Waits for the next message; while something runs, at most one tick. An idle
/// screen sleeps until something happens.
fn next(
    messages: &Receiver<Message>,
    model: &Model,
    effects: &Effects,
    stale: bool,
) -> anyhow::Result<Option<Message>> {
    if !stale && !model.is_busy() {
        return messages.recv().map(Some).context("the input thread stopped");
    }
    match messages.recv_timeout(TICK) {
        Ok(message) => Ok(Some(message)),
        Err(RecvTimeoutError::Timeout) => Ok(Some(Message::Action(Action::Tick, effects.now()))),
        Err(RecvTimeoutError::Disconnected) => anyhow::bail!("the input thread stopped"),
    }
}

/// Goes to the background with the terminal given back, and takes it again
/// when the shell brings the program to the front.
fn suspend(screen: &mut Screen, model: &Model) -> anyhow::Result<()> {
    restore();
    signals::stop()?;
    resume(screen, model)
}

/// Takes the terminal and draws everything, as after a stop.
fn resume(screen: &mut Screen, model: &Model) -> anyhow::Result<()> {
    take(model)?;
    clear(screen)?;
    Ok(())
}

/// Forgets what is on the screen, so that the next frame draws everything.
/// (`Terminal::clear` would ask the terminal where its cursor is, and the input
/// thread would read the answer.)
fn clear(screen: &mut Screen) -> io::Result<()> {
    let size = screen.size()?;
    screen.resize(Rect::from((Position::ORIGIN, size)))
}

fn draw(screen: &mut Screen, model: &Model, pictures: Option<&mut Pictures>) -> io::Result<Drawn> {
    let mut drawn = Drawn::default();
    screen.draw(|frame| {
        drawn = view::draw(frame, model);
        if let Some(pictures) = pictures {
            pictures.draw(frame, model, &drawn);
        }
    })?;
    Ok(drawn)
}

/// How this terminal shows pictures, by what was chosen.
fn way(chosen: settings::Pictures) -> Way {
    match chosen {
        settings::Pictures::Auto => inline::way(inline::variable),
        settings::Pictures::Off => Way::Cells,
        settings::Pictures::Kitty => Way::Kitty,
        settings::Pictures::Iterm2 => Way::Iterm2,
        settings::Pictures::Sixel => Way::Sixel,
    }
}
