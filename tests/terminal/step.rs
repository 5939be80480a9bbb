//! A user's kernel on the Step screen. The file is PTX, so no compiler is needed.

use warpscope::export::trace::TraceFile;

use crate::session::Session;

const TRANSPOSE: &str = include_str!("transpose.ptx");

/// Waits for a text after some keys, and counts the keys.
fn press(session: &mut Session, keys: &str, wait: &str) -> usize {
    session.keys(keys);
    session.wait(wait);
    keys.chars().count()
}

#[test]
fn the_bank_conflict_of_an_unpadded_transpose_is_found_in_a_few_keys() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("transpose.ptx");
    std::fs::write(&path, TRANSPOSE).unwrap();
    let file = path.to_str().unwrap();
    let mut session =
        Session::start_at(f64::INFINITY, &[file, "--backend", "emulator"], folder.path(), &[]);
    session.wait("sweep finished");
    let line = |word: &str| {
        let at = TRANSPOSE.lines().position(|line| line.contains(word)).unwrap() + 1;
        format!("{at}")
    };
    let mut keys = press(&mut session, "7", "warp 0 of 8 · step 0 of");
    session.wait("PTX · ld.param.u64");
    // The first costly step is a column of the tile: one bank.
    keys += press(&mut session, "x", "32 lanes meet in bank 0: 32 passes instead of 1");
    session.wait("PTX · ld.shared.f32");
    session.wait(&line("ld.shared.f32"));
    // Registers and memory: the 32 lanes in one bank.
    keys += press(&mut session, "\t", "Shared load, 4 B per lane");
    session.wait("32 passes instead of 1");
    session.wait("bank 0: all 32 lanes");
    // Another warp has another bank; one instruction back is no conflict.
    keys += press(&mut session, "+", "warp 1 of 8");
    keys += press(&mut session, "x", "32 lanes meet in bank 1");
    assert!(keys < 15, "{keys} keys");
    press(&mut session, "\u{1b}[D", "run `add.u32`");
    // What is not there is named, and the view stays.
    press(&mut session, "/warp 9\r", "there is no warp 9: the block has 8 warps");
    press(&mut session, "/block 9\r", "there is no block 9: the grid has");
    press(&mut session, "\t", "Lanes of warp 1: 32 of 32 active");
    // The trace of the warp, as the command line writes it.
    press(&mut session, "e", "this view as a picture");
    press(&mut session, "\u{1b}[C\u{1b}[C", "[JSON]");
    press(&mut session, "\r", "✓ saved");
    let is_json = |path: &std::path::PathBuf| path.extension().is_some_and(|end| end == "json");
    let files = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let saved: Vec<_> = files.filter(is_json).collect();
    let text = std::fs::read_to_string(&saved[0]).unwrap();
    let trace = TraceFile::read(&text).unwrap();
    assert_eq!((trace.warp, trace.warps, trace.steps.len()), (1, 8, trace.warp_steps));
    session.signal("-TERM");
    session.end();
}
