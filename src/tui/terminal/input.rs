//! Input: read on a thread until the terminal has no more, and kept within bounds.

use std::collections::VecDeque;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use crossterm::event::{Event, MouseEventKind};

use crate::tui::app::effect::Message;

/// Number of events that wait at most. Beyond it the oldest are dropped: whoever
/// presses a key after a flood wants this key answered, not the flood.
const MOST_WAITING: usize = 1024;

/// Characters of a paste that count. A field holds a path at most.
const MOST_PASTED: usize = 4096;

/// Longest wait for the reading thread to let the terminal go.
const PATIENCE: Duration = Duration::from_millis(300);

/// Events that wait for the main loop. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Inbox {
    waiting: Arc<Mutex<VecDeque<Event>>>,
    gate: Arc<Gate>,
}

/// Lets another program have the terminal's input.
#[derive(Debug, Default)]
struct Gate {
    state: Mutex<Reading>,
    changed: Condvar,
}

/// What the thread that reads does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Reading {
    #[default]
    Goes,
    /// Asked to stop before its next event.
    Asked,
    Stopped,
}

/// While it lives nothing reads the terminal.
#[derive(Debug)]
pub(crate) struct Paused(Arc<Gate>);

impl Drop for Paused {
    fn drop(&mut self) {
        self.0.set(Reading::Goes);
    }
}

impl Gate {
    fn set(&self, to: Reading) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = to;
        self.changed.notify_all();
    }

    /// Waits on the thread that reads for as long as another program has the terminal.
    fn pass(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while *state != Reading::Goes {
            *state = Reading::Stopped;
            self.changed.notify_all();
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Inbox {
    /// Stops reading the terminal, for as long as the result lives.
    pub(crate) fn pause(&self) -> Paused {
        let gate = &self.gate;
        gate.set(Reading::Asked);
        // A thread that waits for input wakes up as if the terminal had another size.
        #[cfg(unix)]
        let _ = signal_hook::low_level::raise(signal_hook::consts::SIGWINCH);
        let state = gate.state.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = |state: &mut Reading| *state == Reading::Asked;
        drop(gate.changed.wait_timeout_while(state, PATIENCE, asked));
        Paused(Arc::clone(gate))
    }

    /// Adds an event. Returns whether none was waiting, so that the main loop must be
    /// woken.
    pub(crate) fn put(&self, event: Event) -> bool {
        let event = bounded(event);
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let wakes = waiting.is_empty();
        match waiting.back_mut() {
            Some(last) if replaces(&event, last) => *last = event,
            _ => {
                if waiting.len() == MOST_WAITING {
                    waiting.pop_front();
                }
                waiting.push_back(event);
            }
        }
        wakes
    }

    /// Takes all events, oldest first.
    pub(crate) fn take(&self) -> VecDeque<Event> {
        std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Whether `new` makes `last`, which is still waiting, pointless: only the last place of a
/// moving pointer and the last size count.
fn replaces(new: &Event, last: &Event) -> bool {
    match (new, last) {
        (Event::Mouse(new), Event::Mouse(last)) => {
            new.kind == last.kind
                && matches!(new.kind, MouseEventKind::Moved | MouseEventKind::Drag(_))
        }
        (Event::Resize(..), Event::Resize(..)) => true,
        _ => false,
    }
}

/// The event with at most [`MOST_PASTED`] characters of text.
fn bounded(event: Event) -> Event {
    match event {
        Event::Paste(text) if text.len() > MOST_PASTED => {
            Event::Paste(text.chars().take(MOST_PASTED).collect())
        }
        event => event,
    }
}

/// Reads the terminal's input on a thread into `inbox`, and tells `sender` when the first
/// event waits there.
///
/// The source of `crossterm` must ask for the state of the terminal (`poll`, its feature
/// `use-dev-tty`), not for changes of it (`epoll` with edges): it hands over the first
/// event of a full buffer, and with edges it would sleep although the terminal has more.
pub(crate) fn read(inbox: Inbox, sender: Sender<Message>) {
    std::thread::spawn(move || {
        loop {
            inbox.gate.pass();
            // Where no signal wakes it, it looks up from time to time.
            if cfg!(windows) && matches!(crossterm::event::poll(PATIENCE / 2), Ok(false)) {
                continue;
            }
            let sent = match crossterm::event::read() {
                Ok(event) => !inbox.put(event) || sender.send(Message::Input).is_ok(),
                Err(error) => {
                    // The main loop may have left.
                    let _ = sender.send(Message::InputEnded(error.to_string()));
                    return;
                }
            };
            if !sent {
                return;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent};

    fn key(code: KeyCode) -> Event {
        Event::Key(KeyEvent::new(code, KeyModifiers::NONE))
    }

    fn mouse(kind: MouseEventKind, column: u16) -> Event {
        Event::Mouse(MouseEvent { kind, column, row: 0, modifiers: KeyModifiers::NONE })
    }

    #[test]
    fn a_flood_is_bounded_and_the_key_after_it_is_kept() {
        let inbox = Inbox::default();
        assert!(inbox.put(key(KeyCode::Up)), "the first wakes the main loop");
        for _ in 0..100 * MOST_WAITING {
            assert!(!inbox.put(key(KeyCode::Down)));
        }
        inbox.put(key(KeyCode::Char('q')));
        let taken = inbox.take();
        assert_eq!(taken.len(), MOST_WAITING);
        assert_eq!(taken.back(), Some(&key(KeyCode::Char('q'))));
        assert!(inbox.take().is_empty() && inbox.put(key(KeyCode::Up)));
    }

    #[test]
    fn only_the_last_place_of_a_moving_pointer_waits() {
        let inbox = Inbox::default();
        let down = MouseEventKind::Down(MouseButton::Left);
        let drag = MouseEventKind::Drag(MouseButton::Left);
        let (moved, wheel) = (MouseEventKind::Moved, MouseEventKind::ScrollUp);
        for (kind, column) in
            [(moved, 1), (moved, 2), (down, 2), (drag, 3), (drag, 4), (wheel, 5), (wheel, 6)]
        {
            inbox.put(mouse(kind, column));
        }
        inbox.put(Event::Resize(80, 24));
        inbox.put(Event::Resize(100, 30));
        let expected = [
            mouse(moved, 2),
            mouse(down, 2),
            mouse(drag, 4),
            mouse(wheel, 5),
            mouse(wheel, 6),
            Event::Resize(100, 30),
        ];
        assert_eq!(inbox.take(), expected);
    }

    #[test]
    fn a_paste_is_one_event_of_bounded_length() {
        let inbox = Inbox::default();
        inbox.put(Event::Paste("é".repeat(1 << 20)));
        inbox.put(Event::Paste("short".to_owned()));
        assert_eq!(
            inbox.take(),
            [Event::Paste("é".repeat(MOST_PASTED)), Event::Paste("short".to_owned())]
        );
    }
}
