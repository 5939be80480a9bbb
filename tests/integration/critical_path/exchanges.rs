//! What takes longer the more lanes meet, or the more their values differ.

use super::{run, timeline, waits_of, with_body};
use warpscope::emulator::Wait;

#[test]
fn sums_of_floats_in_shared_memory_wait_for_each_lane_on_a_bank() {
    // Lanes at words of their own, two, or one; as many sums after each other.
    let of = |shift: u32, sums: usize, word: &str, threads: u32| {
        let body = format!(
            ".shared .align 8 .b8 s[512];\nshl.b32 %r2, %r1, {shift};\nand.b32 %r2, %r2, 255;\n\
             cvt.u64.u32 %rd2, %r2;\nmov.u64 %rd3, s;\nadd.s64 %rd4, %rd3, %rd2;\n{}\nbar.sync 0;",
            format!("red.shared.add.{word};\n").repeat(sums)
        );
        let outcome = run(&with_body(&body), &[0; 4], 0, threads, Some(1 << 20));
        (waits_of(&outcome, Wait::Swap), timeline(&outcome).swaps_again)
    };
    let word = "f32 [%rd4], 0f3f800000";
    assert_eq!(of(2, 1, word, 32), (1.0, 0));
    assert_eq!(of(6, 1, word, 32), (16.0, 0), "four places, two on a bank");
    assert_eq!(of(8, 1, word, 32), (32.0, 0));
    assert_eq!(of(2, 4, word, 32), (4.0, 0), "one after the other");
    assert_eq!(of(8, 3, word, 32), (96.0, 0));
    assert_eq!(of(2, 4, "u32 [%rd4], %r1", 32), (0.0, 0), "the hardware adds integers");
    // A bank serves a lane of each half of the warp.
    let double = "f64 [%rd4], 0d3ff0000000000000";
    assert!((1.0..1.3).contains(&of(3, 1, double, 32).0));
    assert!((18.0..19.0).contains(&of(7, 1, double, 32).0), "two places");
    // 43 to 52 cycles for each lane of many warps, of 96 of a round.
    let (many, again) = of(8, 1, word, 1024);
    assert!((430.0..500.0).contains(&many) && again > 10_000, "{many} {again}");
    let (apart, _) = of(2, 1, word, 128);
    assert!(apart < 4.0, "up to four warps, on 64 words: {apart}");
}

#[test]
fn a_match_waits_for_each_different_value() {
    let of = |mask: u32, bits: u32| {
        let (key, wider) =
            if bits == 64 { ("%rd2", "cvt.u64.u32 %rd2, %r2;") } else { ("%r2", "") };
        let body = format!(
            "and.b32 %r2, %r1, {mask};\n{wider}\nmatch.any.sync.b{bits} %r3, {key}, -1;\n\
             st.global.u32 [%rd1], %r3;"
        );
        let outcome = run(&with_body(&body), &[0; 4], 0, 32, Some(1 << 20));
        (waits_of(&outcome, Wait::Exchange), timeline(&outcome).exchanges)
    };
    let ((one, none), (two, _), (all, many)) = (of(0, 32), of(1, 32), of(31, 32));
    assert_eq!((none, many, of(31, 64).1), (0, 31 * 5, 5 + 31 * 10));
    assert!(one < two && two < all, "{one} {two} {all}");
    assert!(((all - one) / (two - one) - 31.0).abs() < 0.1);
}

#[test]
fn a_used_sum_of_a_whole_warp_takes_shuffles() {
    let of = |atomic: &str, threads: u32| {
        let body = format!(
            ".shared .align 4 .u32 s;\nmov.u64 %rd3, s;\n{atomic};\nst.global.u32 [%rd1], %r3;"
        );
        let outcome = run(&with_body(&body), &[0; 4], 0, threads, Some(1 << 20));
        (waits_of(&outcome, Wait::Exchange), timeline(&outcome).exchanges)
    };
    let sum = "atom.shared.add.u32 %r3, [%rd3], %r1";
    assert_eq!(of(sum, 32), (4.5, 14));
    assert_eq!(of(sum, 31), (0.0, 0), "some lanes are missing");
    assert_eq!(of("atom.shared.add.u32 %r3, [%rd3], 1", 32), (0.0, 0), "all add the same");
    assert_eq!(of("atom.shared.max.u32 %r3, [%rd3], %r1", 32), (0.0, 0));
}

#[test]
fn only_a_loop_that_ends_by_what_it_reads_waits_for_other_blocks() {
    let waits = |body: &str| run(&with_body(body), &[1; 64], 0, 32, None).awaits_others;
    let load = "ld.volatile.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p1, %r2, 0;";
    assert!(waits(&format!("AGAIN:\n{load}\n@%p1 bra AGAIN;")));
    assert!(!waits(&format!("{load}\nst.global.u32 [%rd1+4], %r2;")), "once");
    // Looks at one word after the other; goes on to the next once this one is there.
    assert!(waits(&format!(
        "mov.u32 %r3, 8;\nNEXT:\n{load}\nselp.u32 %r4, 0, 1, %p1;\nsub.u32 %r3, %r3, %r4;\n\
         setp.ne.u32 %p2, %r3, 0;\n@%p2 bra NEXT;"
    )));
    // Goes through a row, and does something about each word.
    assert!(!waits(&format!(
        "mov.u32 %r3, 0;\nNEXT:\n{load}\n@%p1 bra SKIP;\nst.global.u32 [%rd1+4], %r2;\nSKIP:\n\
         add.s64 %rd1, %rd1, 4;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p2, %r3, 8;\n@%p2 bra NEXT;"
    )));
    assert!(!waits(
        "AGAIN:\nld.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra AGAIN;"
    ));
}
