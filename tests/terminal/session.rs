//! The real binary in a pseudo-terminal: keys in, screen text out.

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};

/// How long anything on the screen may take. Far more than it does, because
/// test machines are busy.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

pub(crate) const HEIGHT: NonZeroU16 = NonZeroU16::new(30).unwrap();
pub(crate) const WIDTH: NonZeroU16 = NonZeroU16::new(100).unwrap();

/// A terminal of 100 by 30 with the program in it.
pub(crate) struct Session {
    pub(crate) child: Box<dyn Child + Send + Sync>,
    pub(crate) writer: Box<dyn Write + Send>,
    pub(crate) master: Option<Box<dyn MasterPty + Send>>,
    pub(crate) terminal: Arc<Mutex<vt100::Parser>>,
    pub(crate) everything: Arc<Mutex<Vec<u8>>>,
    closing: Arc<AtomicBool>,
    reader: Option<std::thread::JoinHandle<()>>,
}

impl Session {
    /// Starts the program with the scripted backend in this folder.
    pub(crate) fn start(folder: &Path, environment: &[(&str, &str)]) -> Self {
        Self::start_with(&[], folder, environment)
    }

    /// The same with more arguments.
    pub(crate) fn start_with(
        arguments: &[&str],
        folder: &Path,
        environment: &[(&str, &str)],
    ) -> Self {
        Self::start_at(f64::INFINITY, arguments, folder, environment)
    }

    /// Starts the program with these arguments alone.
    pub(crate) fn start_plain(arguments: &[&str], folder: &Path) -> Self {
        Self::start_at(f64::INFINITY, arguments, folder, &[])
    }

    /// The same over a line that passes so many bytes a second.
    pub(crate) fn start_slow(folder: &Path, speed: f64) -> Self {
        Self::start_at(speed, &[], folder, &[])
    }

    pub(crate) fn start_at(
        speed: f64,
        arguments: &[&str],
        folder: &Path,
        environment: &[(&str, &str)],
    ) -> Self {
        let size =
            PtySize { rows: HEIGHT.get(), cols: WIDTH.get(), pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_warpscope"));
        if !arguments.contains(&"--backend") && !arguments.contains(&"show") {
            command.args(["--backend", "scripted"]);
        }
        command.args(arguments);
        command.cwd(folder);
        command.env("TERM", "xterm-256color");
        command.env("LC_ALL", "C.UTF-8");
        command.env("TMPDIR", folder);
        command.env_remove("NO_COLOR");
        // Whatever a test does, the user's own folders stay as they are.
        command.env("WARPSCOPE_CONFIG", "none");
        command.env("WARPSCOPE_RUNS", "none");
        for (name, value) in environment {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let terminal = Arc::new(Mutex::new(vt100::Parser::new(HEIGHT, WIDTH, 0)));
        let everything = Arc::new(Mutex::new(Vec::new()));
        let mut output = pair.master.try_clone_reader().unwrap();
        let (screen, bytes) = (Arc::clone(&terminal), Arc::clone(&everything));
        let closing = Arc::new(AtomicBool::new(false));
        let close = Arc::clone(&closing);
        let reader = std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // A slow line hands over a little at a time.
            let most = if speed.is_finite() { 128 } else { buffer.len() };
            while let Ok(read @ 1..) = output.read(&mut buffer[..most]) {
                screen.lock().unwrap().process(&buffer[..read]);
                bytes.lock().unwrap().extend_from_slice(&buffer[..read]);
                std::thread::sleep(Duration::from_secs_f64(read as f64 / speed));
                if close.load(Ordering::SeqCst) {
                    break;
                }
            }
        });
        let writer = pair.master.take_writer().unwrap();
        let (master, reader) = (Some(pair.master), Some(reader));
        let writer: Box<dyn Write + Send> = writer;
        Self { child, writer, master, terminal, everything, closing, reader }
    }

    pub(crate) fn keys(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).unwrap();
        self.writer.flush().unwrap();
    }

    pub(crate) fn text(&self) -> String {
        self.terminal.lock().unwrap().screen().contents()
    }

    /// Waits until the screen shows this.
    pub(crate) fn wait(&self, part: &str) {
        self.wait_until(part, |text| text.contains(part));
    }

    pub(crate) fn wait_until(&self, what: &str, holds: impl Fn(&str) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !holds(&self.text()) {
            assert!(Instant::now() < deadline, "never saw `{what}` on\n{}", self.text());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits for the program to end and for its last output.
    pub(crate) fn end(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < deadline, "still runs with\n{}", self.text());
            std::thread::sleep(Duration::from_millis(10));
        };
        self.reader.take().unwrap().join().unwrap();
        status
    }

    /// Leaves although measured times are in no file, which it asks about, and finds
    /// the terminal as it was.
    pub(crate) fn leave_unsaved(&mut self) {
        self.keys("q");
        self.wait("Measured times are in no file");
        self.keys("\r");
        assert!(self.end().success());
        self.assert_restored();
    }

    /// The terminal is as it was: normal screen, cursor, no mouse reports, and
    /// line editing by the kernel.
    pub(crate) fn assert_restored(&self) {
        let terminal = self.terminal.lock().unwrap();
        let screen = terminal.screen();
        assert!(!screen.alternate_screen(), "still on the alternate screen");
        assert!(!screen.hide_cursor(), "the cursor is hidden");
        assert!(!screen.bracketed_paste(), "pastes are bracketed");
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.process_id().unwrap().to_string();
        let sent = std::process::Command::new("kill").args([name, &id]).status().unwrap();
        assert!(sent.success());
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

impl Session {
    /// Closes the terminal, as when its window is closed.
    pub(crate) fn close(&mut self) {
        self.closing.store(true, Ordering::SeqCst);
        // Something to read, so that the reader sees that it shall end.
        self.keys("?");
        self.reader.take().unwrap().join().unwrap();
        self.writer = Box::new(std::io::sink());
        self.master = None;
    }
}
