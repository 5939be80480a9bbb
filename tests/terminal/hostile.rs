//! Stored text that a terminal would obey: the screen shows it without obeying.

use crate::session::Session;

/// OSC, bidirectional override, 8-bit control sequence introducer.
const HOSTILE: &str = "\u{1b}]0;title\u{7}\u{202e}\u{9b}2J";

#[test]
fn names_in_a_file_reach_the_terminal_harmless() {
    let folder = tempfile::tempdir().unwrap();
    let evil = serde_json::to_string(HOSTILE).unwrap();
    let evil = evil.trim_matches('"');
    let lines: String = include_str!("../golden/records.jsonl")
        .lines()
        .map(|line| {
            line.replace("Example GPU", &format!("{evil}Example GPU"))
                .replace("\"variant\":\"shared\"", &format!("\"variant\":\"{evil}shared\""))
                + "\n"
        })
        .collect();
    std::fs::write(folder.path().join("s.jsonl"), lines).unwrap();
    let mut session = Session::start_plain(&["show", "s.jsonl"], folder.path());
    session.wait("Example GPU");
    for keys in ["3", "6", "1"] {
        session.keys(keys);
        session.wait("help");
    }
    session.keys("q");
    assert!(session.end().success());
    session.assert_restored();
    let sent = session.everything.lock().unwrap().clone();
    for part in ["\u{1b}]0;", "\u{202e}", "\u{9b}"] {
        let found = sent.windows(part.len()).any(|bytes| bytes == part.as_bytes());
        assert!(!found, "{part:?} was sent");
    }
}
