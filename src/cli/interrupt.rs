//! Ctrl-C: the first stops the command cleanly, the second at once.

use crate::runner::scheduler::Control;

#[cfg(unix)]
pub(super) use unix::{Listener, on_signal};
#[cfg(windows)]
pub(super) use windows::{Listener, on_signal};

/// Exit code of an interrupted command.
const INTERRUPTED: i32 = 130;

/// Cancels the session of `control` on Ctrl-C. A second time ends the program at once;
/// finished cases are stored by then.
pub(super) fn cancels(control: &Control) -> anyhow::Result<Listener> {
    let control = control.clone();
    on_signal(move || control.cancel())
}

/// Ends the program on Ctrl-C, after `say`.
pub(super) fn ends(say: impl Fn() + Send + 'static) -> anyhow::Result<Listener> {
    on_signal(move || {
        say();
        exit();
    })
}

/// Ends the program without waiting for its threads.
fn exit() {
    #[cfg(unix)]
    signal_hook::low_level::exit(INTERRUPTED);
    #[cfg(not(unix))]
    std::process::exit(INTERRUPTED);
}

#[cfg(unix)]
mod unix {
    use std::sync::Arc;
    use std::thread;

    use anyhow::Context;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::{Handle, Signals};

    /// Listens for signals until dropped.
    pub(crate) struct Listener(Handle);

    /// Calls `first` on SIGINT, SIGTERM or SIGHUP. A second signal ends the program at once.
    pub(crate) fn on_signal(first: impl Fn() + Send + 'static) -> anyhow::Result<Listener> {
        let mut signals =
            Signals::new([SIGINT, SIGTERM, SIGHUP]).context("cannot listen for signals")?;
        // A file size limit fails the write instead of killing the program.
        signal_hook::flag::register(SIGXFSZ, Arc::default())
            .context("cannot listen for signals")?;
        let handle = signals.handle();
        thread::spawn(move || {
            for (count, _) in signals.forever().enumerate() {
                if count > 0 {
                    super::exit();
                }
                first();
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

    type First = Box<dyn Fn() + Send>;

    /// What Ctrl-C does the first time. A process can have only one handler, so it stays and
    /// this changes.
    static FIRST: Mutex<Option<First>> = Mutex::new(None);

    fn first() -> MutexGuard<'static, Option<First>> {
        FIRST.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Listens for Ctrl-C until dropped.
    pub(crate) struct Listener;

    /// Calls `once` on Ctrl-C, Ctrl-Break, or when the console closes. A second time ends the
    /// program at once.
    pub(crate) fn on_signal(once: impl Fn() + Send + 'static) -> anyhow::Result<Listener> {
        *first() = Some(Box::new(once));
        match ctrlc::set_handler(stop) {
            Ok(()) | Err(ctrlc::Error::MultipleHandlers) => Ok(Listener),
            Err(error) => Err(error).context("cannot listen for Ctrl-C"),
        }
    }

    fn stop() {
        // Not as the pattern of a `match`: the lock would be held while it runs.
        let once = first().take();
        match once {
            Some(once) => once(),
            None => super::exit(),
        }
    }

    impl Drop for Listener {
        fn drop(&mut self) {
            first().take();
        }
    }
}
