//! Blocks that wait for each other: the longest chain of them, and what lies between two of its links.

use super::with_body;
use warpscope::emulator::{self, Dim3, Follow, HandOffs, Memory, Options, Wait};

/// How 64 blocks wait for each other, of which the GPU runs so many at a time. Each has its number in `%r2`
/// and a word of its own at `%rd3`.
fn of(body: &str, at_a_time: u32) -> HandOffs {
    let body = format!(
        "mov.u32 %r2, %ctaid.x;\nsetp.ne.u32 %p3, %r1, 0;\n@%p3 bra DONE;\nmul.wide.u32 %rd2, %r2, 4;\n\
         add.s64 %rd3, %rd1, %rd2;\n{body}\nDONE:"
    );
    let mut memory = Memory::new();
    let args = [memory.allocate(1 << 10), 0];
    let follow = Follow { cache_bytes: 0, l2_bytes: 0, resident: 1, multiprocessors: at_a_time };
    let options = Options { timelines: Some(follow), threads: 1, ..Options::default() };
    let (grid, block) = (Dim3::linear(64), Dim3::linear(64));
    let kernel = with_body(&body);
    emulator::launch(&kernel, grid, block, 0, &args, &memory, options).unwrap().hand_offs
}

/// Waits for the word of the block `back` places before, if there is one, with this load.
fn waits(load: &str, back: u32) -> String {
    format!(
        "setp.lt.u32 %p1, %r2, {back};\n@%p1 bra GO;\nSPIN:\n{load} [%rd3{:+}];\nsetp.eq.u32 %p2, %r4, 0;\n\
         @%p2 bra SPIN;\nGO:",
        -4 * back.cast_signed()
    )
}

const LOAD: &str = "ld.volatile.global.u32 %r4,";
const STORE: &str = "st.volatile.global.u32 [%rd3], 1;";

#[test]
fn the_longest_chain_of_blocks_is_followed() {
    for (back, links) in [(1, 63), (8, 7), (21, 3), (40, 1)] {
        let found = of(&format!("{}\n{STORE}", waits(LOAD, back)), 64);
        assert_eq!((found.longest, found.at_a_word, found.looks_back), (links, 1, false), "{back}");
    }
    // Every second block waits for the one before.
    let pairs = format!(
        "and.b32 %r3, %r2, 1;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra GO;\nSPIN:\n{LOAD} [%rd3+-4];\n\
                         setp.eq.u32 %p2, %r4, 0;\n@%p2 bra SPIN;\nGO:\n{STORE}"
    );
    assert_eq!(of(&pairs, 64).longest, 1);
    // Three at a time: the fifth starts when the second has waited, and the sixth waits for it.
    assert!(of(&pairs, 3).longest > 8);
}

#[test]
fn what_lies_between_two_links_is_told() {
    let between = |what: &str| {
        let path = of(&format!("{}\n{what}\n{STORE}", waits(LOAD, 1)), 64).path;
        [Wait::Fence, Wait::L2Hit].map(|wait| path.waits[wait as usize])
    };
    let ([none, no_load], [fence, _]) = (between(""), between("membar.gl;"));
    assert_eq!((none, no_load), (0.0, 0.0));
    assert!(fence > 0.5, "{fence}");
    let sum =
        "ld.volatile.global.u32 %r5, [%rd3];\nst.volatile.global.u32 [%rd3], %r5;\nmembar.gl;";
    let [fence, load] = between(sum);
    assert_eq!((fence, load), (1.0, 1.0));
}

#[test]
fn loops_that_ask_once_before_wait_too() {
    let ahead = format!(
        "setp.lt.u32 %p1, %r2, 1;\n@%p1 bra GO;\n{LOAD} [%rd3+-4];\nsetp.ne.u32 %p2, %r4, 0;\n@%p2 bra GO;\n\
         SPIN:\nmov.u32 %r5, 100;\nnanosleep.u32 %r5;\n{LOAD} [%rd3+-4];\nsetp.eq.u32 %p2, %r4, 0;\n\
         @%p2 bra SPIN;\nGO:\n{STORE}"
    );
    assert_eq!(of(&ahead, 64).longest, 63);
}

#[test]
fn atomics_that_change_nothing_wait_too() {
    let polls =
        "SPIN:\natom.global.add.u32 %r4, [%rd3+-4], 0;\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra SPIN;";
    let body = format!(
        "setp.lt.u32 %p1, %r2, 1;\n@%p1 bra GO;\n{polls}\nGO:\natom.global.exch.b32 %r5, [%rd3], 1;"
    );
    assert_eq!(of(&body, 64).longest, 63);
    // A counter hands out work: nobody waits for it.
    let takes =
        "TAKE:\natom.global.add.u32 %r4, [%rd1], 1;\nsetp.lt.u32 %p2, %r4, 100;\n@%p2 bra TAKE;";
    assert_eq!(of(takes, 64).longest, 0);
}

#[test]
fn who_stores_before_it_waits_lets_others_go_on() {
    let first = "st.volatile.global.u32 [%rd3], 1;";
    let again = "st.volatile.global.u32 [%rd3], 2;";
    let found = of(&format!("{first}\n{}\n{again}", waits(LOAD, 1)), 64);
    assert!(found.looks_back && found.longest == 1, "{found:?}");
    assert!(!of(&format!("{}\n{first}\n{again}", waits(LOAD, 1)), 64).looks_back);
}

#[test]
fn a_ticket_is_a_word_that_all_wait_for() {
    let body = "atom.global.add.u32 %r3, [%rd1], 1;\nSPIN:\nld.volatile.global.u32 %r4, [%rd1+512];\n\
                setp.ne.u32 %p2, %r4, %r3;\n@%p2 bra SPIN;\nadd.u32 %r3, %r3, 1;\n\
                st.volatile.global.u32 [%rd1+512], %r3;";
    let found = of(body, 64);
    assert_eq!((found.longest, found.at_a_word), (63, 63));
    // A list is walked: each round reads another place.
    let walk = "mov.u64 %rd4, %rd1;\nSPIN:\nld.volatile.global.u32 %r4, [%rd4];\nadd.s64 %rd4, %rd4, 4;\n\
                setp.ne.u32 %p2, %r4, 0;\n@%p2 bra SPIN;\nst.volatile.global.u32 [%rd3], 0;";
    assert_eq!(of(walk, 64).longest, 0);
}
