//! Ctrl-C: the first stops the session cleanly, the second at once.

use crate::runner::scheduler::Control;

#[cfg(unix)]
pub(super) use unix::cancels;

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

/// Elsewhere the system ends the program; finished cases are stored.
#[cfg(not(unix))]
pub(super) fn cancels(_control: &Control) -> anyhow::Result<()> {
    Ok(())
}
