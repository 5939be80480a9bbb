//! A student plays the first lesson by keys alone, in a terminal of 80 by 24.

use std::path::Path;

use warpscope::lessons::{Task, shelf};

use crate::session::Session;

const UP: &str = "\x1b[A";
const DOWN: &str = "\x1b[B";
const RIGHT: &str = "\x1b[C";
const ENTER: &str = "\r";

/// The first lesson where it was left, on the emulator.
fn lesson(folder: &Path) -> Session {
    let config = folder.join("config.toml");
    // Results appear at once.
    std::fs::write(&config, "replay_speed = 0.0\n").unwrap();
    let config = config.to_str().unwrap();
    let arguments = ["--config", config, "learn", "1", "--backend", "emulator"];
    let session = Session::start_with(&arguments, folder, &[]);
    session.resize(24, 80);
    session.wait("step ");
    session
}

/// Presses a key and waits for what it shows.
fn press(session: &mut Session, key: &str, shows: &str) {
    session.keys(key);
    session.wait(shows);
}

/// Takes the option under the cursor and locks it.
fn lock(session: &mut Session, locked: &str) {
    press(session, ENTER, "how sure are you?");
    press(session, ENTER, "lock it?");
    press(session, ENTER, locked);
}

/// Goes down to the option with these words, in whatever order the lesson has them.
fn go_to(session: &mut Session, words: &str) {
    let is_there = |text: &str| text.lines().any(|line| line.contains('▸') && line.contains(words));
    for _ in 0..12 {
        if is_there(&session.text()) {
            return;
        }
        session.keys(DOWN);
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    session.wait_until(words, is_there);
}

/// Gives the option under the cursor as the answer to what was seen.
fn answer(session: &mut Session, marked: &str) {
    press(session, ENTER, "is this your answer?");
    press(session, ENTER, marked);
}

#[test]
fn the_first_lesson_is_played_left_resumed_and_passed() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = lesson(folder.path());
    session.wait("Enter goes on");
    press(&mut session, ENTER, "step 2 of");
    press(&mut session, ENTER, "step 3 of");
    // Hints stay readable, one after the other.
    press(&mut session, "i", "hint 1 of 3");
    press(&mut session, "i", "hint 2 of 3");
    session.wait_until("both hints", |text| text.contains("hint 1  ") && text.contains("hint 2  "));
    // A wrong prediction: as fast.
    lock(&mut session, "locked · Enter goes on");
    session.keys("q");
    assert!(session.end().success());
    session.assert_restored();

    // Left in the middle: the answer is locked and the hints are there.
    let mut session = lesson(folder.path());
    session.wait("step 3 of");
    session.wait("locked · Enter goes on");
    session.wait("hint 2  ");
    // Nothing changes it, whether the student stays or comes back.
    session.keys(DOWN);
    press(&mut session, ENTER, "step 4 of");
    press(&mut session, "[", "step 3 of");
    session.keys(UP);
    session.wait("locked · Enter goes on");
    session.wait("▸ as fast (1×)");
    press(&mut session, ENTER, "step 4 of");
    // A right prediction.
    go_to(&mut session, "starts behind, and overtakes");
    lock(&mut session, "locked · Enter goes on");

    press(&mut session, ENTER, "r runs the experiment: 14 cases");
    press(&mut session, "r", "Enter goes on");
    session.wait("✗ wrong");
    press(&mut session, ENTER, "step 6 of");
    go_to(&mut session, "They start together");
    answer(&mut session, "right · Enter goes on");
    press(&mut session, ENTER, "step 7 of");
    // First a wrong cause, then the right one.
    go_to(&mut session, "Divergence:");
    answer(&mut session, "wrong: read what is shown now");
    go_to(&mut session, "Atomics in L2:");
    answer(&mut session, "right · Enter goes on");
    press(&mut session, ENTER, "r runs the experiment: 14 cases");
    press(&mut session, "r", "Enter goes on");
    session.wait("✓ right");
    press(&mut session, ENTER, "step 9 of");
    go_to(&mut session, "at 1024 values, `shared` at 4");
    answer(&mut session, "right · Enter goes on");
    press(&mut session, ENTER, "step 10 of");
    go_to(&mut session, "Dependent instructions:");
    answer(&mut session, "right · Enter goes on");
    press(&mut session, ENTER, "step 11 of");
    // Eight bins become 256, which is not enough, and 2048.
    press(&mut session, RIGHT, "r runs it");
    press(&mut session, "r", "not yet");
    press(&mut session, RIGHT, "r runs it");
    press(&mut session, "r", "goal reached");
    press(&mut session, ENTER, "Enter ends the lesson");
    press(&mut session, "e", "01-shared-memory-report.html");
    let report =
        std::fs::read_to_string(folder.path().join("01-shared-memory-report.html")).unwrap();
    assert!(report.contains("Passed") && report.contains("H200, recorded"));
    press(&mut session, ENTER, "lesson passed");
    session.wait("✓ passed");
    session.keys("q");
    assert!(session.end().success());
    session.assert_restored();
}

/// The first NVRTC of `WARPSCOPE_TEST_COMPILERS`.
fn compiler() -> Option<String> {
    let list = std::env::var_os("WARPSCOPE_TEST_COMPILERS")?;
    let mut all = std::env::split_paths(&list).filter_map(|path| path.to_str().map(str::to_owned));
    all.find(|path| path.contains("nvrtc"))
}

#[cfg(unix)]
#[test]
fn a_kernel_is_written_in_the_editor_until_it_is_right_and_fast() {
    use std::os::unix::fs::PermissionsExt;
    let Some(library) = compiler() else {
        println!("skipped: no NVRTC in WARPSCOPE_TEST_COMPILERS");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let lesson = shelf::find("3", None).unwrap();
    let step = lesson.steps.iter().find(|step| matches!(step.task, Task::Write(_))).unwrap();
    let Task::Write(write) = &step.task else { panic!("{step:?}") };
    std::fs::create_dir(at("lessons")).unwrap();
    let progress = format!("lesson = \"{}\"\nstep = \"{}\"\n", lesson.name, step.id);
    std::fs::write(at(&format!("lessons/{}.toml", lesson.name)), progress).unwrap();
    // The editor puts the next text into the file, where there is one.
    let script = "#!/bin/sh\nfor file; do :; done\n[ ! -e next ] || cp next \"$file\"\n";
    std::fs::write(at("editor"), script).unwrap();
    std::fs::set_permissions(at("editor"), std::fs::Permissions::from_mode(0o755)).unwrap();

    let environment = [("EDITOR", &*at("editor")), ("WARPSCOPE_NVRTC", &library)];
    let arguments = ["--config", &at("config.toml"), "learn", "3", "--backend", "emulator"];
    let mut session = Session::start_with(&arguments, folder.path(), &environment);
    session.wait("E opens your editor");
    press(&mut session, "r", "the file now has the template");
    // The template counts one value per thread.
    press(&mut session, "E", "elements differ");
    let broken = write.template.replace("blockIdx", "blokIdx");
    let slow = write.solution.replace("&counts[values[i]", "&bins[values[i]");
    for (text, shows) in [
        (&broken, "\"blokIdx\" is undefined"),
        (&slow, "right, but too slow"),
        (&write.solution, "done · Enter goes on"),
    ] {
        std::fs::write(at("next"), text).unwrap();
        press(&mut session, "E", shows);
    }
    session.keys("q");
    assert!(session.end().success());
    session.assert_restored();
}
