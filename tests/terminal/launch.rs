//! Long launches: their progress on the terminal, and Ctrl-C.

use std::fs;

use crate::session::Session;

/// A kernel that counts for hours.
const COUNTS: &str = ".version 7.8\n.target sm_70\n.address_size 64\n\
    .visible .entry k() {\n.reg .b32 %r<9>; .reg .pred %p<3>;\n\
    mov.u32 %r1, 0;\nL: add.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\nret; }\n";

/// Starts a command with the kernel in its folder.
fn start(folder: &tempfile::TempDir, command: &str) -> Session {
    fs::write(folder.path().join("k.ptx"), COUNTS).unwrap();
    let arguments: Vec<&str> = command.split_whitespace().collect();
    Session::start_plain(&arguments, folder.path())
}

/// Waits for the progress, presses Ctrl-C, and gives what is left on the screen.
fn interrupted(session: &mut Session) -> String {
    session.wait("Ctrl-C stops");
    session.keys("\x03");
    assert_eq!(session.end().exit_code(), 130, "{}", session.text());
    session.text()
}

#[test]
fn a_long_launch_shows_progress_and_ctrl_c_says_how_far_it_came() {
    let folder = tempfile::tempdir().unwrap();
    let launch = "exec k.ptx --grid 4 --block 32 --regs 16 --backend emulator";
    for more in ["", "--check", "--predict"] {
        let text = interrupted(&mut start(&folder, &format!("{launch} {more}")));
        assert!(text.contains("interrupted after"), "{more}: {text}");
        assert!(text.contains("0 of 4 blocks done"), "{more}: {text}");
        assert!(text.contains("warp instructions issued"), "{more}: {text}");
        assert!(!text.contains("Ctrl-C stops"), "{more}: {text}");
    }
}

#[test]
fn run_and_sweep_say_how_far_an_interrupted_case_came() {
    let folder = tempfile::tempdir().unwrap();
    let entry = "mine(.param .u64 values, .param .u32 n, .param .u64 counts, .param .u32 bins)";
    fs::write(folder.path().join("mine.ptx"), COUNTS.replace("k()", entry)).unwrap();
    let case = "mine.ptx --like histogram --variant mine --block 64 --coarsen 1 -n 1024 --no-check \
                --backend emulator --sample never";
    let text = interrupted(&mut start(&folder, &format!("run {case}")));
    assert!(text.contains("interrupted after") && text.contains("blocks done"), "{text}");
    let mut session = start(&folder, &format!("sweep {case} -o s.jsonl"));
    session.wait(" blocks · mine.ptx");
    session.keys("\x03");
    assert_eq!(session.end().exit_code(), 130, "{}", session.text());
    let text = session.text();
    assert!(text.contains("interrupted after 0 of 1 cases"), "{text}");
    assert!(text.contains("not finished: mine.ptx mine") && text.contains("blocks done"), "{text}");
}
