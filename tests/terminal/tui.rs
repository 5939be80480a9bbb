//! Whole sessions in a pseudo-terminal.

use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::time::Duration;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use crate::session::Session;

#[test]
fn a_sweep_from_the_first_key_to_the_picture() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = Session::start(folder.path(), &[]);
    session.wait("Experiment");
    session.wait("r run");
    session.wait("lanes meet");
    session.keys("r");
    session.wait("sweep finished");
    session.wait("39 verified · 0 wrong");
    session.wait("bins n = 2²² ✓ global");
    session.wait_until("bars", |text| text.contains("████"));

    // The picture, in a path typed over the suggested one.
    session.keys("e");
    session.wait("Enter save");
    session.keys("\u{15}picture.png\r");
    session.wait("✓ saved");
    session.keys("\x1b");
    session.wait_until("the dialog closed", |text| !text.contains("Enter done"));
    let file = std::fs::File::open(folder.path().join("picture.png")).unwrap();
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    let channels = info.color_type.samples();
    let colours: std::collections::HashSet<_> = pixels.chunks(channels).collect();
    assert!(info.width >= 800 && colours.len() > 50, "{info:?} with {} colours", colours.len());

    // The help by mouse, closed by key.
    let header = session.text().lines().next().unwrap().to_owned();
    let column = header.chars().count() - "help".len();
    session.keys(&format!("\x1b[<0;{column};1M\x1b[<0;{column};1m"));
    session.wait("pause or resume the run");
    session.keys("?");
    session.wait_until("the help closed", |text| !text.contains("pause or resume"));
    session.assert_keys_change_the_form();
    session.keys("q");
    // The scripted backend's times count as measured and are in no file.
    session.wait("Measured times are in no file");
    session.keys("\r");
    let status = session.end();
    assert!(status.success(), "{status:?}");
    session.assert_restored();
}

impl Session {
    /// Changes the size of the terminal.
    pub(crate) fn resize(&self, rows: u16, cols: u16) {
        let (high, wide) = (rows.try_into().unwrap(), cols.try_into().unwrap());
        self.terminal.lock().unwrap().screen_mut().set_size(high, wide);
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        self.master.as_ref().unwrap().resize(size).unwrap();
    }

    /// Down to the block size, one step on, and back.
    fn assert_keys_change_the_form(&mut self) {
        self.keys("\x1b[B\x1b[B\x1b[B");
        self.keys("\x1b[C");
        self.wait("‹ 256 ›");
        self.keys("\x1b[D");
        self.wait("‹ 128 ›");
        // Drawn anew from nothing, and still answering.
        self.keys("\x0c\x1b[C");
        self.wait("‹ 256 ›");
    }
}

#[test]
fn the_ladder_has_every_variant_and_keeps_its_end_in_a_small_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = Session::start(folder.path(), &[]);
    session.wait("r run");
    session.keys("3");
    session.wait("f ladder");
    session.keys("f");
    session.wait("ladder at");
    session.wait("100 % = DRAM read rate");
    session.wait("private bins in shared memory");
    session.resize(24, 80);
    session.wait_until("the small ladder", |text| {
        text.contains("ladder at") && text.contains("private bins in shared memory")
    });
    session.keys("f");
    session.wait("f ladder");
    session.keys("\u{3}");
    assert!(session.end().success());
    session.assert_restored();
}

#[test]
fn the_screen_follows_the_size_of_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = Session::start(folder.path(), &[]);
    session.wait("Experiment");
    session.resize(20, 70);
    session.wait("warpscope needs 80 columns");
    session.resize(40, 120);
    session.wait("What you see");
    session.keys("q");
    assert!(session.end().success());
    session.assert_restored();
}

#[test]
fn a_run_is_stored_listed_deleted_brought_back_and_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let runs = folder.path().join("runs");
    let out = runs.to_str().unwrap();
    let mut session = Session::start_with(&["--out", out], folder.path(), &[]);
    session.wait("lanes meet");
    session.keys("r");
    session.wait("sweep finished");
    let files = || -> Vec<String> {
        std::fs::read_dir(&runs)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| Path::new(name).extension().is_some_and(|it| it == "jsonl"))
            .collect()
    };
    assert_eq!(files().len(), 1);
    std::fs::write(runs.join("broken.jsonl"), "no\n").unwrap();
    session.keys("6");
    session.wait("✗ ");
    session.wait("histogram (built in)");
    // Find the run, delete it, bring it back.
    session.keys("/scripted\r");
    session.wait("39 ✓ all");
    session.keys("d");
    session.wait("moved to the trash");
    assert_eq!(files(), ["broken.jsonl"]);
    session.keys("u");
    session.wait("is back");
    assert_eq!(files().len(), 2);
    session.wait("39 ✓ all");
    session.keys("\r");
    session.wait("the chart shows");
    session.keys("ssssp");
    session.wait("replay finished");
    session.wait("recorded");
    // It is stored, so nothing would be lost.
    session.keys("q");
    assert!(session.end().success());
    session.assert_restored();
    assert_eq!(files().len(), 2, "a replay is no run");
}

#[test]
fn settings_are_kept_and_a_broken_file_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("my/config.toml");
    let config = ["--config", file.to_str().unwrap()];
    let mut session = Session::start_with(&config, folder.path(), &[]);
    session.wait("lanes meet");
    session.keys("tTM");
    session.wait("reduced motion");
    session.keys("\x1b[B\x1b[B\x1b[B\x1b[C");
    session.wait("< 256 >");
    session.keys("q");
    assert!(session.end().success());
    let text = std::fs::read_to_string(&file).unwrap();
    for part in ["theme = \"light\"", "ascii = true", "motion = \"reduced\"", "blocks = [256]"] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
    assert!(!text.contains("scripted"), "the backend was an option:\n{text}");
    session.assert_restored();
    // The cursor was told not to blink, and given back as it was.
    let sent = session.everything.lock().unwrap().clone();
    let place = |wanted: &[u8]| sent.windows(wanted.len()).position(|part| part == wanted);
    let (steady, back) = (place(b"\x1b[2 q").unwrap(), place(b"\x1b[0 q").unwrap());
    assert!(steady < back);

    let mut session = Session::start_with(&config, folder.path(), &[]);
    session.wait("< 256 >");
    // A signal keeps the form as well.
    session.keys("\x1b[B\x1b[B\x1b[B\x1b[C");
    session.wait("< 512 >");
    session.signal("-TERM");
    assert!(!session.end().success());
    assert!(std::fs::read_to_string(&file).unwrap().contains("blocks = [512]"));

    let broken = "theme = \"light\"\nblok = 3\n";
    std::fs::write(&file, broken).unwrap();
    let mut session = Session::start_with(&config, folder.path(), &[]);
    session.wait("config.toml:2 is not understood");
    session.keys("tq");
    assert!(session.end().success());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), broken);
}

#[test]
fn the_first_launch_shows_three_hints_and_no_later_one_does() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    let config = ["--config", file.to_str().unwrap()];
    let mut session = Session::start_with(&config, folder.path(), &[]);
    session.wait("1/3  r runs the experiment in the form");
    session.keys("r");
    session.wait("sweep finished");
    session.wait("2/3  w explains why one variant is faster");
    session.keys("w");
    session.wait("Why");
    session.keys("\x1b");
    session.wait("3/3  e exports a picture or a report");
    session.keys("e");
    session.wait("Enter save");
    session.keys("\x1b");
    session.wait_until("the tour over", |text| !text.contains("/3  ") && text.contains("q quit"));
    session.leave_unsaved();
    assert!(std::fs::read_to_string(&file).unwrap().contains("tour_done = true"));

    let mut session = Session::start_with(&config, folder.path(), &[]);
    session.wait("r run");
    session.wait("lanes meet");
    assert!(!session.text().contains("Esc ends the tour"));
    // Any word of a screen is explained.
    session.keys("K");
    session.wait("Words on this screen");
    session.keys(":bank conflict");
    session.wait("› bank conflict");
    session.keys("\r");
    session.wait("counter: bank conflicts");
    session.keys("\x1b");
    session.wait_until("the box closed", |text| !text.contains("counter: bank"));
    session.keys("q");
    assert!(session.end().success());
}

#[test]
fn the_palette_finds_the_presenter_and_the_command_is_copied() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = Session::start(folder.path(), &[]);
    session.wait("lanes meet");
    session.keys(":present");
    session.wait("presenter layout");
    session.keys("\r");
    session.wait_until("the form gone", |text| !text.contains("Experiment"));
    session.wait("all of it");
    session.keys("P");
    session.wait("Experiment");
    session.keys("y");
    session.wait("-o histogram.jsonl");
    let sent = session.everything.lock().unwrap().clone();
    let wanted = b"\x1b]52;c;d2FycHNjb3BlIHN3ZWVwIGhpc3RvZ3JhbS";
    assert!(sent.windows(wanted.len()).any(|part| part == wanted), "no OSC 52 was sent");
    session.keys("\r");
    session.wait_until("the box closed", |text| !text.contains("Enter done"));
    session.keys("q");
    assert!(session.end().success());
}

#[test]
fn signals_end_it_with_the_terminal_given_back() {
    for (name, number) in [("-TERM", 15), ("-INT", 2), ("-HUP", 1)] {
        let folder = tempfile::tempdir().unwrap();
        let mut session = Session::start(folder.path(), &[]);
        session.wait("lanes meet");
        session.signal(name);
        let status = session.end();
        assert!(!status.success(), "{name} ({number}): {status:?}");
        session.assert_restored();
    }
}

#[test]
fn a_run_over_two_workers_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let worker = crate::support::workers::OWN;
    let mut session =
        Session::start_with(&["--worker", worker, "--worker", worker], folder.path(), &[]);
    session.wait("lanes meet");
    session.keys("r");
    session.wait("2 workers: 2 Scripted GPU");
    // The last case ends a moment before the run does.
    session.wait("sweep finished · 39 cases");
    session.wait("39 verified · 0 wrong");
    session.leave_unsaved();
}

#[test]
fn a_closed_terminal_ends_a_run_and_its_worker() {
    let folder = tempfile::tempdir().unwrap();
    let opening = crate::support::workers::opening();
    // It never ends its first case, and does not care about its input.
    let script = format!("echo $$ >> pids; {opening}; sleep 1000");
    std::fs::write(folder.path().join("worker.sh"), script).unwrap();
    let mut session = Session::start_with(&["--worker", "sh worker.sh"], folder.path(), &[]);
    session.wait("lanes meet");
    session.keys("r");
    session.wait("sweep 0/39");
    session.close();
    let _ = session.child.wait();
    crate::support::workers::all_gone(&folder.path().join("pids"));
}

#[test]
fn a_stop_gives_the_terminal_back_and_a_continue_takes_it_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = Session::start(folder.path(), &[]);
    session.wait("lanes meet");
    session.keys("\x1a");
    session.wait_until("the normal screen", |text| !text.contains("Experiment"));
    session.assert_restored();
    session.signal("-CONT");
    session.wait("Experiment");
    assert!(session.terminal.lock().unwrap().screen().alternate_screen());
    session.keys("q");
    assert!(session.end().success());
    session.assert_restored();
}

/// Only debug builds can be told to crash.
#[cfg(debug_assertions)]
#[test]
fn a_crash_gives_the_terminal_back_and_leaves_a_report() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = Session::start(folder.path(), &[("WARPSCOPE_CRASH_KEY", "1")]);
    session.wait("lanes meet");
    session.keys("\x1b[24~");
    let status = session.end();
    assert!(!status.success());
    session.assert_restored();
    let text = session.text();
    assert!(text.contains("warpscope crashed") && text.contains("the report is in"), "{text}");
    let report = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.to_string_lossy().contains("warpscope-crash"))
        .expect("a report");
    let report = std::fs::read_to_string(report).unwrap();
    assert!(report.contains("F12 was pressed") && report.contains("arguments"), "{report}");
}

#[test]
fn an_idle_screen_sends_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = Session::start(folder.path(), &[]);
    session.wait("lanes meet");
    // Let the last frame arrive whole, then watch.
    let mut sent = session.everything.lock().unwrap().len();
    loop {
        std::thread::sleep(Duration::from_millis(300));
        let now = session.everything.lock().unwrap().len();
        if now == sent {
            break;
        }
        sent = now;
    }
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(session.everything.lock().unwrap().len(), sent);
    session.keys("q");
    assert!(session.end().success());
}

#[test]
fn without_a_terminal_it_says_what_to_use_instead() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_warpscope"))
        .env("WARPSCOPE_CONFIG", "none")
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("needs a terminal") && error.contains("--help"), "{error}");
}

/// What `doctor` says in a terminal that answers questions after `delay`, if at all.
fn doctor_in_a_terminal(delay: Option<Duration>) -> String {
    let size = PtySize { rows: 24, cols: 200, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_warpscope"));
    command.arg("doctor");
    command.env("WARPSCOPE_CONFIG", "none");
    command.env("WARPSCOPE_RUNS", "none");
    command.env("TERM", "xterm-256color");
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut writer = pair.master.take_writer().unwrap();
    let mut output = pair.master.try_clone_reader().unwrap();
    let (mut text, mut answered, mut buffer) = (String::new(), 0, [0; 4096]);
    // The terminal ends with an error, once nobody has it open.
    let ended = loop {
        let read = match output.read(&mut buffer) {
            Ok(read @ 1..) => read,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            ended => break ended,
        };
        text.push_str(&String::from_utf8_lossy(&buffer[..read]));
        let asked = text.matches("\u{1b}[6n").count();
        while let (Some(delay), true) = (delay, answered < asked) {
            std::thread::sleep(delay);
            writer.write_all(b"\x1b[1;1R").unwrap();
            writer.flush().unwrap();
            answered += 1;
        }
    };
    let status = child.wait().unwrap();
    // What a failed test shows.
    text.push_str(&format!("\n{ended:?}, {status:?}"));
    text
}

#[test]
fn doctor_measures_how_fast_the_terminal_answers() {
    let slow = doctor_in_a_terminal(Some(Duration::from_millis(400)));
    assert!(slow.contains("WARNING") && slow.contains("ms to answer"), "{slow}");
    assert!(slow.contains("200x24"), "{slow}");
    let silent = doctor_in_a_terminal(None);
    assert!(silent.contains("does not report its cursor position"), "{silent}");
}

/// What a serial line of 115,200 baud passes, in bytes a second.
const SLOW: f64 = 11_520.0;

impl Session {
    /// Bytes that came since there were `before` of them, once no more come.
    fn bytes_since(&self, before: usize) -> usize {
        let mut seen = before;
        loop {
            std::thread::sleep(Duration::from_millis(400));
            let now = self.everything.lock().unwrap().len();
            if now == seen {
                return now - before;
            }
            seen = now;
        }
    }
}

#[test]
fn over_a_slow_line_only_what_changed_is_sent_and_keys_stay_responsive() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = Session::start_slow(folder.path(), SLOW);
    session.wait("lanes meet");
    session.bytes_since(0);
    // An arrow through the form, a value, and the crosshair of the chart.
    for (what, key, most) in [
        ("an arrow in the form", "\x1b[B", 700),
        ("an arrow back", "\x1b[A", 700),
        ("the chart takes the keys", "\t", 4000),
        // A column of some 18 cells goes and another comes, each with its place and
        // colour in 25 bytes or more, and the values under it.
        ("the crosshair", "\x1b[D", 1400),
        ("the crosshair again", "\x1b[D", 1400),
    ] {
        let before = session.everything.lock().unwrap().len();
        session.keys(key);
        let bytes = session.bytes_since(before);
        println!("{what}: {bytes} bytes, {:.0} ms", bytes as f64 / SLOW * 1e3);
        assert!((1..=most).contains(&bytes), "{what}: {bytes} bytes");
    }
    // While a sweep runs, and after it.
    session.keys("r");
    session.wait("sweep");
    // What a key waits for is what the line still has to pass before its answer.
    let mut most = 0;
    for _ in 0..3 {
        for (key, shows) in [("?", true), ("?", false)] {
            let before = session.everything.lock().unwrap().len();
            session.keys(key);
            session.wait_until("the help", |text| text.contains("pause or resume") == shows);
            most = most.max(session.everything.lock().unwrap().len() - before);
        }
    }
    let seconds = most as f64 / SLOW;
    println!("the help opens and closes within {most} bytes, {seconds:.1} s");
    assert!(seconds < 3.0, "{most} bytes");
    session.wait("sweep finished");
    session.leave_unsaved();
}

#[test]
fn the_kernels_of_the_selected_case_are_counted_and_shown_line_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = Session::start(folder.path(), &[]);
    session.wait("lanes meet");
    // The smallest size of the recording, and from there straight to its source.
    session.keys("\t\x1b[H5");
    session.wait("CUDA · ");
    session.wait("atomicAdd");
    session.wait("warp instructions");
    session.keys("f");
    session.wait("f executed");
    session.keys("\t");
    session.wait("PTX · ");
    session.keys("D");
    session.wait("rows differ");
    session.keys("4");
    session.wait("limited by");
    session.wait("≠");
    session.wait("counted");
    session.keys("f");
    session.wait("DRAM 4.80 TB/s");
    // Nothing was run for it that would have to be saved.
    session.keys("q");
    assert!(session.end().success());
    session.assert_restored();
}

/// From the start, by keys alone: scan, two variants, three block sizes, a run, a
/// closer look, a picture, the best block size, the source of the hotter kernel.
#[test]
fn an_experiment_from_start_to_source_takes_fewer_than_40_keys() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = Session::start_with(&["--backend", "emulator"], folder.path(), &[]);
    session.wait("lanes meet");
    let mut pressed = 0;
    let mut keys = |session: &mut Session, keys: &[&str]| {
        for key in keys {
            pressed += 1;
            session.keys(key);
            // As a terminal sends them: an escape alone is a key of its own.
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let down = "\x1b[B";
    // The algorithm by its first letters.
    keys(&mut session, &["\x1b[H", "\r", "s", "c", "a", "\r"]);
    session.wait("[x] lookback");
    // Without five of its seven variants.
    keys(&mut session, &[down, "\r", down, "\r", down, down, "\r"]);
    session.wait("[ ] blelloch-padded");
    keys(&mut session, &[down, down, "\r", down, "\r", down]);
    keys(&mut session, &["\r", "\x15", "6", "4", ".", ".", "2", "5", "6", "\r"]);
    session.wait("64,128,2");
    keys(&mut session, &["r"]);
    session.wait("54 verified");
    keys(&mut session, &["\t", "+"]);
    keys(&mut session, &["e", "\r"]);
    session.wait("✓ saved");
    keys(&mut session, &["\x1b", "3"]);
    session.wait("★ block ");
    keys(&mut session, &["5"]);
    session.wait("CUDA · blelloch+totals=gpu");
    session.wait("warp instructions");
    // What is measured on the emulator needs no question.
    keys(&mut session, &["q"]);
    assert!(session.end().success());
    session.assert_restored();
    assert!(pressed < 40, "{pressed} keys");
    assert!(std::fs::read(folder.path().join("scan.png")).unwrap().starts_with(b"\x89PNG"));
}

/// Tells the program that a cell has 8 by 16 pixels.
fn with_pixels(session: &Session) {
    let (rows, cols) = session.terminal.lock().unwrap().screen().size();
    let (rows, cols) = (rows.get(), cols.get());
    let size = PtySize { rows, cols, pixel_width: cols * 8, pixel_height: rows * 16 };
    session.master.as_ref().unwrap().resize(size).unwrap();
}

#[test]
fn the_chart_is_pixels_only_where_the_terminal_shows_them() {
    let has = |session: &Session, part: &str| {
        let sent = session.everything.lock().unwrap();
        sent.windows(part.len()).any(|window| window == part.as_bytes())
    };
    let kitty: &[(&str, &str)] = &[("TERM", "xterm-kitty"), ("TMUX", "")];
    let plain: &[(&str, &str)] = &[("KITTY_WINDOW_ID", ""), ("TERM_PROGRAM", "")];
    let pictures = |way| vec!["--pictures", way];
    for (environment, arguments, pixels, sequence) in [
        (kitty, Vec::new(), true, Some("\x1b_Gq=2,i=")),
        (kitty, Vec::new(), false, None),
        (kitty, pictures("off"), true, None),
        (plain, Vec::new(), true, None),
        (plain, pictures("iterm2"), true, Some("\x1b]1337;File=inline=1")),
        (plain, pictures("sixel"), true, Some("\x1bP")),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut session = Session::start_with(&arguments, folder.path(), environment);
        session.wait("lanes meet");
        if pixels {
            with_pixels(&session);
            // A change of size is not seen before the program listens; a key waits for it.
            session.keys("\x0c");
        }
        if let Some(sequence) = sequence {
            session.wait_until(sequence, |_| has(&session, sequence));
        }
        // What lies over the chart is there to be read, and the chart comes back after it.
        session.keys("?");
        session.wait("Keys, page");
        session.keys("\x1b");
        session.wait_until("the help gone", |text| !text.contains("Keys, page"));
        session.keys("q");
        assert!(session.end().success());
        for other in ["\x1b_G", "\x1b]1337", "\x1bP"] {
            let expected = sequence.is_some_and(|sequence| sequence.starts_with(other));
            assert_eq!(has(&session, other), expected, "{other:?} {arguments:?} {environment:?}");
        }
        for question in ["\x1b[c", "\x1b[6n", "a=q"] {
            assert!(!has(&session, question), "the terminal is asked nothing");
        }
        session.assert_restored();
    }
}
