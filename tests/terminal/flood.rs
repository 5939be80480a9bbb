//! More input at once than anyone types: the next key is still answered.

use crate::session::Session;

/// Bytes of a flood.
const FLOOD: usize = 1 << 20;

#[test]
fn a_flood_of_arrow_keys_leaves_the_keyboard_alive() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = Session::start(folder.path(), &[]);
    session.wait("lanes meet");
    for keys in ["\x1b[A\x1b[B", "\t\x1b[C\x1b[D"] {
        session.keys(&keys.repeat(FLOOD / keys.len()));
        session.keys("?");
        session.wait("pause or resume the run");
        session.keys("?");
        session.wait_until("the help closed", |text| !text.contains("pause or resume"));
    }
    session.keys("q");
    assert!(session.end().success());
    session.assert_restored();
}

#[test]
fn a_large_paste_is_one_event_of_bounded_length() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = Session::start(folder.path(), &[]);
    session.wait("lanes meet");
    // Where nothing is typed, it is not obeyed: none of these `q` ends the program.
    session.keys(&format!("\x1b[200~{}\x1b[201~", "q".repeat(FLOOD)));
    // Where text is typed, it is text.
    session.keys("e");
    session.wait("Enter save");
    session.keys(&format!("\x15\x1b[200~{}.png\x1b[201~", "x".repeat(FLOOD)));
    session.wait("xxxxxxxx");
    session.keys("\x15short.png\r");
    session.wait("✓ saved");
    assert!(folder.path().join("short.png").exists());
    session.keys("\x1b");
    session.wait_until("the dialog closed", |text| !text.contains("Enter done"));
    session.keys("q");
    assert!(session.end().success());
    session.assert_restored();
}

#[test]
fn a_flood_of_the_mouse_and_of_nonsense_leaves_the_keyboard_alive() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = Session::start(folder.path(), &[]);
    session.wait("lanes meet");
    for bytes in ["\x1b[<35;60;12M\x1b[<64;60;12M", "\x1b[99~", "\u{fffd}\u{9b}"] {
        session.keys(&bytes.repeat(FLOOD / 4 / bytes.len()));
    }
    session.keys("\x1b[<64;60;12M?");
    session.wait("pause or resume the run");
    session.keys("?\x03");
    let _ = session.end();
    session.assert_restored();
}
