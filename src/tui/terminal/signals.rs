//! Signals: ends and stops asked for from outside become messages, so that the
//! terminal is given back first. Windows has one: the console asks to end.

use std::io;
use std::sync::mpsc::Sender;

use crate::tui::app::effect::Message;

/// The signals that ask to stop for a while, and that say that the stop is over.
#[cfg(unix)]
pub(crate) use signal_hook::consts::{SIGCONT, SIGTSTP};
#[cfg(not(unix))]
pub(crate) const SIGCONT: i32 = -1;
#[cfg(not(unix))]
pub(crate) const SIGTSTP: i32 = -2;

/// Sends signals as messages from now on.
#[cfg(unix)]
pub(crate) fn listen(sender: Sender<Message>) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    let wanted = [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT];
    let mut signals = signal_hook::iterator::Signals::new(wanted)?;
    std::thread::spawn(move || {
        signals.forever().try_for_each(|signal| sender.send(Message::Signal(signal)))
    });
    Ok(())
}

#[cfg(windows)]
pub(crate) fn listen(sender: Sender<Message>) -> io::Result<()> {
    /// The number of SIGTERM.
    const END: i32 = 15;
    ctrlc::set_handler(move || {
        let _ = sender.send(Message::Signal(END));
    })
    .map_err(io::Error::other)
}

/// Stops this process until it is continued.
pub(crate) fn stop() -> io::Result<()> {
    #[cfg(unix)]
    signal_hook::low_level::emulate_default_handler(SIGTSTP)?;
    Ok(())
}

/// Ends as the signal says, so that a parent sees why.
pub(crate) fn obey(signal: i32) -> ! {
    #[cfg(unix)]
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    std::process::exit(128 + signal)
}
