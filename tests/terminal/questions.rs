//! Five questions of a student, each answered from the start of the program in at most six
//! keys, in sentences on the screen.

use crate::session::Session;

const UP: &str = "\x1b[A";
const RIGHT: &str = "\x1b[C";
const LEFT: &str = "\x1b[D";

/// Most keys that an answer may take.
const MOST_KEYS: usize = 6;

/// Plays keys in a program that has just started, each with what shows that it was read,
/// and waits for all parts of the answer. Each part stands on one line.
fn ask(keys: &[(&str, &str)], answer: &[&str]) {
    assert!(keys.len() <= MOST_KEYS, "{} keys", keys.len());
    let folder = tempfile::tempdir().unwrap();
    let mut session = Session::start_with(&["--backend", "emulator"], folder.path(), &[]);
    session.wait("FASTER: shared 48.4×");
    for (key, read) in keys {
        session.keys(key);
        session.wait(read);
    }
    for part in answer {
        session.wait(part);
    }
    session.signal("-TERM");
    session.end();
}

#[test]
fn why_is_shared_faster() {
    ask(
        &[("w", "Why")],
        &[
            "shared: 14.1 µs, 48.4× faster than global",
            "`atomicAdd(&bins[",
            "so L2 serialises them",
            "shared 8 192",
        ],
    );
}

#[test]
fn the_best_block_for_scan_at_2_to_20() {
    let to_scan = [(UP, "▸Algorithm"), (RIGHT, "‹ reduce ›"), (RIGHT, "‹ scan ›")];
    let keys = [to_scan.as_slice(), &[("3", "★"), (">", "at 2²⁰ values")]].concat();
    ask(
        &keys,
        &["★ block 256 ×4: 32.5 µs", "best of all variants: lookback-registers, block 1024"],
    );
}

#[test]
fn hillis_steele_or_blelloch() {
    let to_scan = [(UP, "▸Algorithm"), (RIGHT, "‹ reduce ›"), (RIGHT, "‹ scan ›")];
    let pairs = [("w", "pair 1 of 11"), (RIGHT, "pair 2 of 11"), (RIGHT, "pair 3 of 11")];
    ask(
        &[to_scan, pairs].concat(),
        &[
            "hillis-steele+totals=gpu: 15.5 µs, 1.34× faster than blelloch+totals=gpu",
            "waits for the result before it",
        ],
    );
}

#[test]
fn does_coarsening_help_reduce() {
    ask(
        &[(UP, "▸Algorithm"), (RIGHT, "‹ reduce ›"), ("3", "★")],
        &["coarsening helps: ×4 is 1.44× faster than ×1 at block 256"],
    );
}

#[test]
fn do_bank_conflicts_matter() {
    let to_scan = [(UP, "▸Algorithm"), (RIGHT, "‹ reduce ›"), (RIGHT, "‹ scan ›")];
    let keys = [to_scan.as_slice(), &[("w", "pair 1 of 11"), (LEFT, "pair 11 of 11")]].concat();
    ask(
        &keys,
        &[
            "blelloch-padded+totals=gpu and blelloch+totals=gpu take the same time within 5 %",
            "Bank conflicts differ most: 279 101 in blelloch+totals=gpu",
            "without bank conflicts",
        ],
    );
}
