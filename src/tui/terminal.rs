//! The terminal: taking it over, giving it back whatever happens, and the loop
//! between input, model and frame.

use std::io;
use std::io::{BufWriter, Stdout, Write};
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::Context;
use crossterm::clipboard::CopyToClipboard;
use crossterm::cursor::SetCursorStyle;
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor, execute};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::{Position, Rect};

use crate::settings::Motion;
use crate::tui::app::action::Action;
use crate::tui::app::effect::{Effect, Effects, Message};
use crate::tui::app::model::Model;
use crate::tui::app::{keys as keymap, update, view};
use crate::tui::widgets::ui::Drawn;

pub mod crash;
mod signals;

/// How often a running sweep's clock moves on the screen.
const TICK: Duration = Duration::from_millis(250);

/// How often a run is drawn where little is to move.
const CALM: Duration = Duration::from_secs(1);

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
        let _ = execute!(out, DisableMouseCapture, DisableBracketedPaste);
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
    let mut drawn = draw(&mut screen, model)?;

    // Everything that costs time starts after the first frame.
    signals::listen(effects.sender()).context("cannot listen to signals")?;
    read_input(effects);
    for effect in update::start(model) {
        effects.carry_out(effect);
    }

    let mut frame = Instant::now();
    let mut stale = false;
    loop {
        let Some(message) = next(messages, model, effects, stale)? else { continue };
        let calm = model.motion == Motion::Reduced && frame.elapsed() < CALM;
        let mut waiting = Some(message);
        let mut asked = false;
        // Whatever has piled up is worth one frame, not one each.
        while let Some(message) = waiting.take() {
            asked |= !matches!(message, Message::Action(Action::Session { .. } | Action::Tick, _));
            if let Some(ending) = handle(message, model, &drawn, effects, &mut screen)? {
                return Ok(ending);
            }
            waiting = messages.try_recv().ok();
            if matches!(&waiting, Some(Message::Input(crossterm::event::Event::Mouse(_)))) {
                // The pointer is judged by the frame it was seen on.
                drawn = draw(&mut screen, model)?;
            }
        }
        stale = calm && !asked;
        if !stale {
            drawn = draw(&mut screen, model)?;
            frame = Instant::now();
        }
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

fn handle(
    message: Message,
    model: &mut Model,
    drawn: &Drawn,
    effects: &mut Effects,
    screen: &mut Screen,
) -> anyhow::Result<Option<Ending>> {
    let (action, at) = match message {
        Message::Input(event) => (keymap::action(&event, model, drawn), effects.now()),
        Message::Action(action, at) => (Some(action), at),
        Message::InputEnded(reason) => anyhow::bail!("terminal input failed: {reason}"),
        Message::Signal(signals::SIGTSTP) => return suspend(screen, model).map(|()| None),
        Message::Signal(signals::SIGCONT) => return resume(screen, model).map(|()| None),
        Message::Signal(signal) => {
            effects.carry_out(update::closing(model));
            return Ok(Some(Ending::Signal(signal)));
        }
    };
    let Some(action) = action else { return Ok(None) };
    for effect in update::update(model, action, at) {
        match effect {
            Effect::Leave => return Ok(Some(Ending::Left)),
            Effect::Redraw => clear(screen)?,
            Effect::Suspend => suspend(screen, model)?,
            Effect::Motion(motion) => steady(screen.backend_mut(), motion == Motion::Reduced)?,
            Effect::Copy(text) => {
                execute!(screen.backend_mut(), CopyToClipboard::to_clipboard_from(text))?;
            }
            Effect::Mouse(true) => execute!(screen.backend_mut(), EnableMouseCapture)?,
            Effect::Mouse(false) => execute!(screen.backend_mut(), DisableMouseCapture)?,
            effect => effects.carry_out(effect),
        }
    }
    Ok(None)
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

fn draw(screen: &mut Screen, model: &Model) -> io::Result<Drawn> {
    let mut drawn = Drawn::default();
    screen.draw(|frame| drawn = view::draw(frame, model))?;
    Ok(drawn)
}

/// Reads the terminal's input on a thread.
fn read_input(effects: &Effects) {
    let sender = effects.sender();
    std::thread::spawn(move || {
        loop {
            let message = match crossterm::event::read() {
                Ok(event) => Message::Input(event),
                Err(error) => Message::InputEnded(error.to_string()),
            };
            let ended = matches!(message, Message::InputEnded(_));
            if sender.send(message).is_err() || ended {
                return;
            }
        }
    });
}
