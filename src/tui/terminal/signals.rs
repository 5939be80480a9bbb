//! Signals: ends and stops asked for from outside become messages, so that the
//! terminal is given back first.

use std::io;
use std::sync::mpsc::Sender;

use crate::tui::app::effect::Message;

#[cfg(unix)]
mod unix {
    use crate::tui::terminal::signals::{Message, Sender, io};
    use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};

    /// Sends signals as messages from now on.
    pub(crate) fn listen(sender: Sender<Message>) -> io::Result<()> {
        let wanted = [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT];
        let mut signals = signal_hook::iterator::Signals::new(wanted)?;
        std::thread::spawn(move || {
            for signal in signals.forever() {
                if sender.send(Message::Signal(signal)).is_err() {
                    return;
                }
            }
        });
        Ok(())
    }

    /// Whether the signal asks to stop for a while.
    pub(crate) fn suspends(signal: i32) -> bool {
        signal == SIGTSTP
    }

    /// Whether the signal says that a stop is over.
    pub(crate) fn resumes(signal: i32) -> bool {
        signal == SIGCONT
    }

    /// Stops this process until it is continued.
    pub(crate) fn stop() -> io::Result<()> {
        signal_hook::low_level::emulate_default_handler(SIGTSTP)
    }

    /// Ends as the signal says, so that a parent sees why. Does not return.
    pub(crate) fn obey(signal: i32) {
        let _ = signal_hook::low_level::emulate_default_handler(signal);
        std::process::exit(128 + signal);
    }
}

#[cfg(not(unix))]
mod other {
    use crate::tui::terminal::signals::{Message, Sender, io};

    pub(crate) fn listen(_sender: Sender<Message>) -> io::Result<()> {
        Ok(())
    }

    pub(crate) fn suspends(_signal: i32) -> bool {
        false
    }

    pub(crate) fn resumes(_signal: i32) -> bool {
        false
    }

    pub(crate) fn stop() -> io::Result<()> {
        Ok(())
    }

    pub(crate) fn obey(signal: i32) {
        std::process::exit(128 + signal);
    }
}

#[cfg(not(unix))]
pub(crate) use other::{listen, obey, resumes, stop, suspends};
#[cfg(unix)]
pub(crate) use unix::{listen, obey, resumes, stop, suspends};
