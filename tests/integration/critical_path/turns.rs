//! Loops that swap a word of shared memory until no other warp was faster, and locks there.

use super::{run, timeline, waits_of, with_body};
use warpscope::emulator::{self, Dim3, Follow, Memory, Options, Wait};

/// How many swaps the warps of a block wait, and wavefronts of their failed tries.
fn of(body: &str, threads: u32) -> (f32, u64) {
    let body = format!(
        ".shared .align 8 .b8 s[8192];\nmov.u32 %r2, s;\nand.b32 %r3, %r1, 31;\nshr.u32 %r4, %r1, 5;\n\
         setp.ne.u32 %p3, %r3, 0;\n{body}\nbar.sync 0;"
    );
    let outcome = run(&with_body(&body), &[0; 4], 0, threads, Some(1 << 20));
    (waits_of(&outcome, Wait::Swap), timeline(&outcome).swaps_again)
}

/// A loop that adds 1 to the word at `place`.
fn adds(place: &str) -> String {
    format!(
        "ld.shared.u32 %r6, [{place}];\nAGAIN:\nadd.u32 %r7, %r6, 1;\nmov.u32 %r5, %r6;\n\
         atom.shared.cas.b32 %r6, [{place}], %r5, %r7;\nsetp.ne.u32 %p1, %r6, %r5;\n@%p1 bra AGAIN;"
    )
}

#[test]
fn warps_that_swap_one_word_wait_for_each_other() {
    let first = |body: String| format!("@%p3 bra DONE;\n{body}\nDONE:");
    let of = |threads| of(&first(adds("%r2")), threads);
    let ((one, none), (four, some), (many, more)) = (of(32), of(128), of(1024));
    assert_eq!((one, none), (0.0, 0), "a warp alone");
    // 140 cycles a turn, of 96 of a swap; of many warps 192. Their own way takes part of that.
    assert!((4.0..6.0).contains(&four), "{four}");
    assert!((60.0..66.0).contains(&many), "{many}");
    assert!(some > 0 && more > 32 * some, "{some} {more}");
}

#[test]
fn lanes_that_swap_one_word_try_again_one_after_the_other() {
    let ((one, none), (two, some)) = (of(&adds("%r2"), 32), of(&adds("%r2"), 64));
    // 31 further tries, 496 further passes of 11 cycles.
    assert!((60.0..72.0).contains(&one) && none == 0, "{one} {none}");
    assert!(two > 1.8 * one && some > 32 * 16, "{two} {some}");
}

#[test]
fn words_of_each_warp_make_no_other_wait() {
    let own = format!("shl.b32 %r4, %r4, 8;\nadd.u32 %r2, %r2, %r4;\n{}", adds("%r2"));
    let (alone, _) = of(&own, 32);
    assert_eq!(of(&own, 512), (alone, 0));
}

#[test]
fn a_lock_makes_others_wait_until_it_is_let_go() {
    // What is done while a warp has the lock, and how it is released.
    let lock = |within: &str, last: &str| {
        format!(
            "mov.b32 %f1, 0f3f800000;\n@%p3 bra DONE;\nAGAIN:\natom.shared.exch.b32 %r5, [%r2], 1;\n\
             setp.ne.u32 %p1, %r5, 0;\n@%p1 bra AGAIN;\n{within}\n{last} [%r2], 0;\nDONE:"
        )
    };
    let sum = "ld.volatile.shared.f32 %f2, [%r2+64];\nadd.f32 %f2, %f2, %f1;\n\
               st.volatile.shared.f32 [%r2+64], %f2;";
    let exchange = "atom.shared.exch.b32 %r6,";
    let of = |within: &str, last: &str| of(&lock(within, last), 256).0;
    let (short, long) = (of(sum, exchange), of(&sum.repeat(8), exchange));
    assert!(short > 6.0 && long > 1.8 * short, "{short} {long}");
    let stored = of(sum, "st.volatile.shared.u32");
    assert!((0.7..1.1).contains(&(stored / short)), "{stored} {short}");
    // A try that goes on if it fails is no lock.
    let once = "atom.shared.cas.b32 %r5, [%r2], 0, 1;\natom.shared.exch.b32 %r6, [%r2], 0;";
    assert_eq!(self::of(once, 256).0, 0.0);
}

#[test]
fn words_that_blocks_share_are_told_by_those_that_are_followed() {
    // The first thread of each of 64 blocks takes a lock of its own, or all the same.
    let words = |shift: u32| {
        let body = format!(
            "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra DONE;\nmov.u32 %r2, %ctaid.x;\nshr.u32 %r2, %r2, {shift};\n\
             mul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd1, %rd1, %rd2;\nTRY:\n\
             atom.global.cas.b32 %r3, [%rd1], 0, 1;\nsetp.ne.u32 %p2, %r3, 0;\n@%p2 bra TRY;\n\
             atom.global.exch.b32 %r3, [%rd1], 0;\nDONE:"
        );
        let mut memory = Memory::new();
        let args = [memory.allocate(256), 0];
        let follow = Follow { cache_bytes: 0, l2_bytes: 0, resident: 1, multiprocessors: 1 };
        let options = Options { timelines: Some(follow), ..Options::default() };
        let (grid, block) = (Dim3::linear(64), Dim3::linear(32));
        let kernel = with_body(&body);
        emulator::launch(&kernel, grid, block, 0, &args, &memory, options).unwrap().swaps.words
    };
    assert_eq!((words(6), words(0)), (1, 0));
}

#[test]
fn warps_that_wait_for_a_word_of_their_block_are_told() {
    let waits = |load: &str| {
        let body =
            format!(".shared .u32 s;\nAGAIN:\n{load}\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra AGAIN;");
        run(&with_body(&body), &[0; 4], 0, 32, None).awaits_warps
    };
    assert!(waits("ld.volatile.shared.u32 %r2, [s];"));
    assert!(!waits("ld.shared.u32 %r2, [s];") && !waits("ld.volatile.global.u32 %r2, [%rd1];"));
}
