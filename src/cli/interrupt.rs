//! Ctrl-C: the first stops the session cleanly, the second at once.

use crate::runner::scheduler::Control;

#[cfg(unix)]
pub(super) use unix::cancels;
#[cfg(windows)]
pub(super) use windows::cancels;

#[cfg(unix)]
mod unix {
    use std::sync::Arc;
    use std::thread;

    use anyhow::Context;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::{Handle, Signals};

    use super::Control;

    /// Listens for signals until dropped.
    pub(crate) struct Listener(Handle);

    /// Cancels the session of `control` on SIGINT, SIGTERM or SIGHUP. A second signal
    /// ends the program at once; finished cases are stored by then.
    pub(crate) fn cancels(control: &Control) -> anyhow::Result<Listener> {
        let mut signals =
            Signals::new([SIGINT, SIGTERM, SIGHUP]).context("cannot listen for signals")?;
        // A file size limit fails the write instead of killing the program.
        signal_hook::flag::register(SIGXFSZ, Arc::default())
            .context("cannot listen for signals")?;
        let handle = signals.handle();
        let control = control.clone();
        thread::spawn(move || {
            for (count, _) in signals.forever().enumerate() {
                if count > 0 {
                    signal_hook::low_level::exit(130);
                }
                control.cancel();
            }
        });
        Ok(Listener(handle))
    }

    impl Drop for Listener {
        fn drop(&mut self) {
            self.0.close();
        }
    }
}

#[cfg(windows)]
mod windows {
    use std::sync::{Mutex, MutexGuard, PoisonError};

    use anyhow::Context;

    use super::Control;

    /// The session that Ctrl-C cancels. A process can have only one handler, so it stays
    /// and the session changes.
    static SESSION: Mutex<Option<Control>> = Mutex::new(None);

    fn session() -> MutexGuard<'static, Option<Control>> {
        SESSION.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Listens for Ctrl-C until dropped.
    pub(crate) struct Listener;

    /// Cancels the session of `control` on Ctrl-C, Ctrl-Break, or when the console closes.
    /// A second time ends the program at once; finished cases are stored by then.
    pub(crate) fn cancels(control: &Control) -> anyhow::Result<Listener> {
        *session() = Some(control.clone());
        match ctrlc::set_handler(stop) {
            Ok(()) | Err(ctrlc::Error::MultipleHandlers) => Ok(Listener),
            Err(error) => Err(error).context("cannot listen for Ctrl-C"),
        }
    }

    fn stop() {
        // Not as the pattern of a `match`: the lock would be held while it cancels.
        let control = session().take();
        match control {
            Some(control) => control.cancel(),
            None => std::process::exit(130),
        }
    }

    impl Drop for Listener {
        fn drop(&mut self) {
            session().take();
        }
    }
}
