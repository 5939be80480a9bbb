//! A crash gives the terminal back, writes a report, and says where.

use std::backtrace::Backtrace;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The thread that draws; only its crash ends the interface.
static DRAWS: OnceLock<std::thread::ThreadId> = OnceLock::new();

/// Where a crash of this process is reported.
pub fn report_path() -> PathBuf {
    std::env::temp_dir().join(format!("warpscope-crash-{}.txt", std::process::id()))
}

/// Installs the panic hook. Called by the thread that draws.
pub(crate) fn install() {
    let drawing = *DRAWS.get_or_init(|| std::thread::current().id());
    std::panic::set_hook(Box::new(move |info| {
        let on_screen = std::thread::current().id() == drawing;
        if on_screen {
            crate::tui::terminal::restore();
        }
        let path = report_path();
        let mut report = format!("{}\n\n{info}\n\n", crate::results::record::PROGRAM);
        let arguments: Vec<String> = std::env::args().collect();
        let _ = writeln!(report, "arguments: {arguments:?}");
        let _ = writeln!(report, "system: {} {}\n", std::env::consts::OS, std::env::consts::ARCH);
        let _ = writeln!(report, "{}", Backtrace::force_capture());
        let written = std::fs::write(&path, report);
        if on_screen {
            // The terminal may be what is gone.
            let mut err = std::io::stderr();
            let _ = writeln!(err, "warpscope crashed, which is a bug: {info}");
            let _ = match written {
                Ok(()) => writeln!(err, "the report is in {}", path.display()),
                Err(error) => {
                    writeln!(err, "no report could be written to {}: {error}", path.display())
                }
            };
        }
    }));
}

/// In debug builds, F12 crashes the drawing thread if `WARPSCOPE_CRASH_KEY` is
/// set: the end-to-end test of the lines above.
#[cfg(debug_assertions)]
pub(crate) fn provoke(key: crossterm::event::KeyEvent) {
    let pressed = key.code == crossterm::event::KeyCode::F(12);
    assert!(
        !(pressed && std::env::var_os("WARPSCOPE_CRASH_KEY").is_some()),
        "F12 was pressed with WARPSCOPE_CRASH_KEY set"
    );
}
