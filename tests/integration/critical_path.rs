//! What the emulator records of a block's timeline: what it waits for, and what of its
//! loads L1 answers.
// Waits are counted: whole numbers, or quarters of them.
#![allow(clippy::float_cmp)]

mod exchanges;
mod hand_offs;
mod kinds;
mod turns;

use warpscope::emulator::{
    self, Follow, Kernel, MachineCode, Memory, Options, Outcome, Timeline, Wait,
};
use warpscope::work::Dim3;

/// Walks a list: `rounds` loads, each of which needs the one before; then writes.
const WALK: &str = "
.version 7.8
.target sm_50
.address_size 64
.visible .entry walk(.param .u64 list, .param .u32 rounds)
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [list];
    ld.param.u32 %r1, [rounds];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u64 %rd4, %rd2;
    mov.u32 %r2, 0;
LOOP:
    setp.ge.u32 %p1, %r2, %r1;
    @%p1 bra DONE;
    ld.global.u32 %r3, [%rd4];
    mul.wide.u32 %rd5, %r3, 4;
    add.s64 %rd4, %rd2, %rd5;
    add.u32 %r2, %r2, 1;
    bra LOOP;
DONE:
    ret;
}
";

/// The line of the load, from 1.
const LOAD: u32 = 18;

/// Adds up `words` words, one a round, all lanes the same; every warp the same ones.
const SUM: &str = "
.version 7.8
.target sm_50
.address_size 64
.visible .entry sum(.param .u64 values, .param .u32 words)
{
    .reg .pred %p<2>;
    .reg .b32 %r<5>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [values];
    ld.param.u32 %r1, [words];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r2, 0;
    mov.u32 %r4, 0;
LOOP:
    ld.global.u32 %r3, [%rd2];
    add.u32 %r4, %r4, %r3;
    add.s64 %rd2, %rd2, 32;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, %r1;
    @%p1 bra LOOP;
    ret;
}
";

/// The line of its load.
const SUM_LOAD: u32 = 16;

/// The line of its branch.
const SUM_BRANCH: u32 = 21;

/// Every lane stores a word, so many bytes from its neighbour's.
const SPREAD: &str = "
.version 7.8
.target sm_50
.address_size 64
.visible .entry spread(.param .u64 words, .param .u32 bytes)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [words];
    ld.param.u32 %r1, [bytes];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd3, %r2, %r1;
    add.s64 %rd3, %rd2, %rd3;
    st.global.u32 [%rd3], %r2;
    ret;
}
";

fn kernel(ptx: &str, name: &str) -> Kernel {
    emulator::load(ptx, "courses.ptx", name).unwrap()
}

fn run(kernel: &Kernel, words: &[u32], count: u32, threads: u32, cache: Option<u64>) -> Outcome {
    let mut memory = Memory::new();
    let address = memory.allocate(4 * words.len() as u64);
    memory.write_u32(address, words);
    let alone = |cache_bytes| Follow { cache_bytes, l2_bytes: 0, resident: 1, multiprocessors: 0 };
    let options = Options { timelines: cache.map(alone), ..Options::default() };
    let args = [address, u64::from(count)];
    let block = Dim3::linear(threads);
    emulator::launch(kernel, Dim3::linear(1), block, 0, &args, &memory, options).unwrap()
}

fn timeline(outcome: &Outcome) -> &Timeline {
    assert_eq!(outcome.timelines.len(), 1);
    &outcome.timelines[0]
}

fn waits_of(outcome: &Outcome, wait: Wait) -> f32 {
    timeline(outcome).critical_path.waits[wait as usize]
}

/// Machine code of which nothing but its waits is known.
fn waiting(waits: Vec<(u32, f32)>) -> MachineCode {
    MachineCode { waits, ..MachineCode::default() }
}

#[test]
fn loads_that_hang_on_each_other_are_waited_for_one_by_one() {
    // Each 64 words further, so that no load finds the sector of another.
    let list: Vec<u32> = (0..6400).map(|at| at + 64).collect();
    let outcome = run(&kernel(WALK, "walk"), &list, 99, 32, Some(1 << 20));
    assert_eq!(waits_of(&outcome, Wait::Dram), 99.0);
    assert_eq!(timeline(&outcome).sectors, (99, 0));
}

#[test]
fn machine_code_that_waits_less_or_more_often_is_believed() {
    let list: Vec<u32> = (0..6400).map(|at| at + 64).collect();
    for many in [0.25, 4.0] {
        let kernel = kernel(WALK, "walk").with_machine_code(waiting(vec![(3, 7.0), (LOAD, many)]));
        let outcome = run(&kernel, &list, 99, 32, Some(1 << 20));
        assert_eq!(waits_of(&outcome, Wait::Dram), 99.0 * many);
    }
}

#[test]
fn a_loop_of_several_rounds_waits_once_for_its_branch() {
    let words = vec![1; 16 << 10];
    let rounds = 1000;
    let [plain, unrolled] = [vec![], vec![(SUM_BRANCH, 0.25)]].map(|waits| {
        let kernel = kernel(SUM, "sum").with_machine_code(waiting(waits));
        waits_of(&run(&kernel, &words, rounds, 32, Some(4096)), Wait::Branch)
    });
    assert_eq!(plain - unrolled, 0.75 * (rounds - 1) as f32);
}

#[test]
fn a_course_of_many_rounds_loses_none_of_its_waits() {
    // More rounds than a recorder keeps single waits: it cuts them again and again.
    let rounds = 200_000;
    let outcome = run(&kernel(WALK, "walk"), &[0; 8], rounds, 64, Some(1 << 16));
    let loads = waits_of(&outcome, Wait::Dram) + waits_of(&outcome, Wait::L1Hit);
    assert_eq!(loads, rounds as f32);
    // Two branches a round, one of them to its start.
    assert!(waits_of(&outcome, Wait::Branch) >= rounds as f32);
}

#[test]
fn recording_changes_nothing_of_what_is_counted() {
    let list: Vec<u32> = (0..6400).map(|at| (at * 7 + 3) % 6400).collect();
    for (ptx, name) in [(WALK, "walk"), (SUM, "sum")] {
        let kernel = kernel(ptx, name);
        let plain = run(&kernel, &list, 500, 256, None);
        let recorded = run(&kernel, &list, 500, 256, Some(4096));
        assert!(plain.timelines.is_empty());
        assert_eq!(plain.counters, recorded.counters);
        assert_eq!(plain.instructions, recorded.instructions);
    }
}

#[test]
fn warps_that_go_side_by_side_find_in_the_cache_what_the_first_has_fetched() {
    // 8 warps read the same 64 KiB, a sector at a time; the cache holds 4 KiB. One
    // warp after the other would find nothing there.
    let words = vec![1; 16 << 10];
    let outcome = run(&kernel(SUM, "sum"), &words, 2048, 256, Some(4096));
    assert_eq!(timeline(&outcome).sectors, (8 * 2048, 7 * 2048));
}

#[test]
fn stores_say_which_sectors_they_write_as_a_whole() {
    // (bytes between lanes, sectors, lines, sectors in part)
    for (bytes, sectors, lines, partial) in
        [(4, 4, 1, 0), (0, 1, 1, 1), (8, 8, 2, 8), (12, 12, 3, 12), (64, 32, 16, 32)]
    {
        let outcome = run(&kernel(SPREAD, "spread"), &[0; 512], bytes, 32, Some(4096));
        let timeline = timeline(&outcome);
        assert_eq!(
            (timeline.stored, timeline.partial),
            ((sectors, lines), partial),
            "{bytes} bytes"
        );
    }
    // 20 lanes side by side: two whole sectors, and half of a third.
    let outcome = run(&kernel(SPREAD, "spread"), &[0; 512], 4, 20, Some(4096));
    assert_eq!((timeline(&outcome).stored, timeline(&outcome).partial), ((3, 1), 1));
}

/// A kernel of which block n sums up the words from n times `step` on, a sector at a time,
/// on multiprocessors with 64 KiB of L1 each: the sectors of the followed blocks, and those
/// found in L1. Two blocks run on each multiprocessor at the same time.
fn beside_each_other(step: u32, words: u32, blocks: u32, multiprocessors: u32) -> (u64, u64) {
    let body = format!(
        "mov.u32 %r2, %ctaid.x;\nmul.wide.u32 %rd2, %r2, {};\nadd.s64 %rd2, %rd1, %rd2;\n\
         mov.u32 %r3, 0;\nLOOP:\nld.global.u32 %r4, [%rd2];\nadd.s64 %rd2, %rd2, 32;\n\
         add.u32 %r3, %r3, 8;\nsetp.lt.u32 %p1, %r3, {words};\n@%p1 bra LOOP;",
        4 * step
    );
    let kernel = with_body(&body);
    let mut memory = Memory::new();
    let args = [memory.allocate(u64::from(4 * (step * blocks + words))), 0];
    let follow = Follow { cache_bytes: 64 << 10, l2_bytes: 30 << 20, resident: 2, multiprocessors };
    let options = Options { timelines: Some(follow), ..Options::default() };
    let (grid, block) = (Dim3::linear(blocks), Dim3::linear(32));
    let outcome = emulator::launch(&kernel, grid, block, 0, &args, &memory, options).unwrap();
    let sum = |of: fn(&Timeline) -> u64| outcome.timelines.iter().map(of).sum();
    (sum(|it| it.sectors.0), sum(|it| it.sectors.1))
}

#[test]
fn blocks_of_one_multiprocessor_share_its_l1() {
    // 16 KiB for each block, all the same or each its own.
    assert_eq!(beside_each_other(0, 4096, 8, 8), (4 * 512, 0), "one block each");
    assert_eq!(beside_each_other(0, 4096, 16, 4), (4 * 512, 4 * 512), "earlier blocks read it");
    assert_eq!(beside_each_other(4096, 4096, 16, 4), (4 * 512, 0), "each reads its own");
    // Half of it is what the block beside, or the one before, reads too.
    let (asked, found) = beside_each_other(2048, 4096, 16, 1);
    assert!((0.45..0.55).contains(&(found as f64 / asked as f64)), "{found} of {asked}");
}

#[test]
fn lanes_that_lie_apart_take_more_passes_through_l1() {
    // (bytes between lanes, passes of a store): banks of 4 bytes, lines in four groups.
    for (bytes, passes) in [(4, 1), (0, 1), (8, 2), (64, 16), (128, 32), (132, 8)] {
        let outcome = run(&kernel(SPREAD, "spread"), &[0; 2048], bytes, 32, Some(4096));
        assert_eq!(timeline(&outcome).passes, (1, passes), "{bytes} bytes");
    }
}

#[test]
fn lanes_that_read_different_constants_wait_for_each() {
    let read = |shift: u32| {
        let text = format!(
            ".version 7.8\n.target sm_70\n.address_size 64\n.const .align 4 .u32 t[32];\n\
             .visible .entry k(.param .u64 p, .param .u32 n)\n{{\n.reg .b32 %r<4>;\n.reg .b64 %rd<5>;\n\
             ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nshr.u32 %r1, %r1, {shift};\n\
             mul.wide.u32 %rd2, %r1, 4;\nmov.u64 %rd3, t;\nadd.s64 %rd4, %rd3, %rd2;\n\
             ld.const.u32 %r2, [%rd4];\nst.global.u32 [%rd1], %r2;\nret;\n}}\n"
        );
        let outcome = run(&kernel(&text, "k"), &[0; 4], 0, 32, Some(4096));
        (timeline(&outcome).constant_reads, waits_of(&outcome, Wait::Pass))
    };
    assert_eq!(read(5).0, (0, 1), "one word");
    assert_eq!(read(0).0, (31, 2), "two lines");
    assert!(read(0).1 > 31.0 && read(2).1 < read(0).1);
}

/// A kernel of a buffer and a number with this body.
fn with_body(body: &str) -> Kernel {
    let text = format!(
        ".version 7.8\n.target sm_70\n.address_size 64\n\
         .visible .entry k(.param .u64 p, .param .u32 q)\n{{\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n\
         .reg .b64 %rd<8>; .reg .f32 %f<5>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n{body}\nret;\n}}\n"
    );
    kernel(&text, "k")
}

#[test]
fn machine_code_that_waits_for_some_loads_before_it_issues_others_is_followed() {
    // Lines 11 to 14: loads of four sectors, added up.
    let body = "ld.global.u32 %r2, [%rd1];\nld.global.u32 %r3, [%rd1+256];\n\
                ld.global.u32 %r4, [%rd1+512];\nld.global.u32 %r5, [%rd1+4];\n\
                add.u32 %r6, %r2, %r3;\nadd.u32 %r6, %r6, %r4;\nadd.u32 %r6, %r6, %r5;\n\
                st.global.u32 [%rd1], %r6;";
    let of = |waits: f32| {
        let all = (11..15).map(|line| (line, waits)).collect();
        let outcome =
            run(&with_body(body).with_machine_code(waiting(all)), &[0; 256], 0, 32, Some(1 << 20));
        [Wait::Dram, Wait::L1Hit].map(|wait| waits_of(&outcome, wait))
    };
    assert_eq!(of(1.0), [1.0, 0.0], "all at a time");
    assert_eq!(of(2.0), [2.0, 0.0], "two by two");
    assert_eq!(of(4.0), [3.0, 1.0], "the last finds the sector of the first");
}

#[test]
fn a_load_that_is_ready_goes_before_a_gather_that_is_not() {
    // Each lane has a line of its own, which takes L1 32 passes. The second load needs the first, and
    // the fourth the third.
    let chain = |from: u32, to: u32| {
        format!(
            "ld.global.u32 %r3, [%rd2+{from}];\nmul.wide.u32 %rd3, %r3, 4;\nadd.s64 %rd4, %rd2, %rd3;\n\
             ld.global.u32 %r4, [%rd4+{to}];\nadd.u32 %r5, %r5, %r4;\n"
        )
    };
    let body = format!(
        "mul.wide.u32 %rd5, %r1, 128;\nadd.s64 %rd2, %rd1, %rd5;\nmov.u32 %r5, 0;\n{}{}\
         st.global.u32 [%rd1], %r5;",
        chain(0, 4096),
        chain(8192, 12288).replace("%r3", "%r6").replace("%rd3", "%rd6").replace("%rd4", "%rd7")
    );
    let outcome = run(&with_body(&body), &[0; 4096], 0, 32, Some(1 << 20));
    assert_eq!(waits_of(&outcome, Wait::Dram), 2.0);
}

#[test]
fn a_load_is_waited_for_where_its_numbers_are_used() {
    // A move of what was loaded is no instruction; the loop runs meanwhile.
    let body = "ld.global.v2.u32 {%r3, %r2}, [%rd1];\nmov.u32 %r6, %r2;\nmov.u32 %r4, 0;\nLOOP:\n\
                add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, 200;\n@%p1 bra LOOP;\n\
                add.u32 %r5, %r6, %r3;\nst.global.u32 [%rd1], %r5;";
    let outcome = run(&with_body(body), &[0; 64], 0, 32, Some(1 << 20));
    assert_eq!(waits_of(&outcome, Wait::Dram), 0.0, "the loop takes longer");
    assert!(waits_of(&outcome, Wait::Branch) > 199.0);
}

#[test]
fn a_fence_waits_behind_stores() {
    let fences = |body: &str| {
        let outcome = run(&with_body(body), &[0; 64], 0, 32, Some(1 << 20));
        waits_of(&outcome, Wait::Fence)
    };
    let store = "st.global.u32 [%rd1], %r1;";
    let load = "ld.global.u32 %r2, [%rd1+128];\nst.global.u32 [%rd1+64], %r2;";
    assert_eq!(fences(&format!("{store}\nmembar.gl;\n{load}")), 1.0);
    assert_eq!(fences(&format!("{store}\nfence.acq_rel.gpu;\nmembar.gl;\n{load}")), 1.0);
    assert_eq!(fences(&format!("{store}\nmembar.cta;\n{load}")), 0.0);
    assert_eq!(fences(&format!("membar.gl;\n{load}")), 0.0);
}

#[test]
fn loops_of_compare_and_swap_are_told_apart() {
    let swaps = |body: &str| run(&with_body(body), &[0; 64], 0, 64, None).swaps;
    // Takes a lock and gives it back.
    let lock = swaps(
        "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra DONE;\nTRY:\nmov.u32 %r3, 0;\n\
         atom.global.cas.b32 %r2, [%rd1], %r3, 1;\nsetp.ne.u32 %p2, %r2, 0;\n@%p2 bra TRY;\n\
         atom.global.exch.b32 %r2, [%rd1], 0;\nDONE:",
    );
    assert_eq!((lock.all, lock.locks, lock.updates), (1, 1, 0));
    // Adds one to a word: the lanes of a warp meet there.
    let update = swaps(
        "ld.global.u32 %r2, [%rd1];\nTRY:\nmov.u32 %r3, %r2;\nadd.u32 %r4, %r3, 1;\n\
         atom.global.cas.b32 %r2, [%rd1], %r3, %r4;\nsetp.ne.u32 %p2, %r2, %r3;\n@%p2 bra TRY;",
    );
    assert_eq!((update.updates, update.locks), (64, 0));
    assert_eq!((update.all, update.tries), (2 * 32 * 33 / 2, 2 * 32 * 33 / 2));
    // Looks for a free word: after a failure, another one.
    let insert = swaps(
        "mov.u64 %rd2, %rd1;\nadd.u32 %r4, %r1, 1;\nTRY:\n\
         atom.global.cas.b32 %r2, [%rd2], 0, %r4;\nadd.s64 %rd2, %rd2, 4;\n\
         setp.ne.u32 %p2, %r2, 0;\n@%p2 bra TRY;",
    );
    assert_eq!((insert.updates, insert.locks), (0, 0));
    assert_eq!(insert.all, 64 * 65 / 2);
    // A lock that an exchange takes and another gives back, one lane of a warp after the other.
    let exchange = swaps(
        "mov.u32 %r4, 0;\nTRY:\natom.global.exch.b32 %r2, [%rd1], 1;\n\
         setp.ne.u32 %p1, %r2, 0;\n@%p1 bra NEXT;\nst.global.u32 [%rd1+64], %r1;\n\
         atom.global.exch.b32 %r3, [%rd1], 0;\nmov.u32 %r4, 1;\nNEXT:\n\
         setp.eq.u32 %p2, %r4, 0;\n@%p2 bra TRY;",
    );
    assert_eq!((exchange.locks, exchange.updates), (64, 0));
    let once = swaps("atom.global.exch.b32 %r2, [%rd1], 1;\nst.global.u32 [%rd1+64], %r2;");
    assert_eq!((once.all, once.locks), (0, 0));
}

#[test]
fn a_rounded_reciprocal_has_a_branch_that_loads_do_not_pass() {
    let loads = |rounding: &str| {
        let body = format!(
            "ld.global.f32 %f1, [%rd1];\nrcp.{rounding}.f32 %f2, %f1;\n\
             ld.global.f32 %f3, [%rd1+256];\nmul.f32 %f4, %f2, %f3;\nst.global.f32 [%rd1], %f4;"
        );
        let outcome = run(&with_body(&body), &[0; 256], 0, 32, Some(1 << 20));
        waits_of(&outcome, Wait::Dram)
    };
    assert_eq!((loads("approx"), loads("rn")), (1.0, 2.0));
}

#[test]
fn quotients_of_64_bits_are_told_apart_by_their_operands() {
    let of = |high: u32| {
        let body = format!(
            "mov.u64 %rd2, {};\nld.global.u64 %rd3, [%rd1];\nadd.u64 %rd3, %rd3, {};\n\
             rem.u64 %rd4, %rd3, %rd2;\nst.global.u64 [%rd1], %rd4;",
            1000,
            u64::from(high) << 32 | 7
        );
        let outcome = run(&with_body(&body), &[0; 64], 0, 64, Some(1 << 20));
        (timeline(&outcome).wide_divisions, waits_of(&outcome, Wait::Slow))
    };
    let (narrow, wide) = (of(0), of(3));
    assert_eq!((narrow.0, wide.0), (0, 2), "one for each warp");
    assert!(wide.1 > 2.0 * narrow.1, "{wide:?} {narrow:?}");
}

#[test]
fn rounded_quotients_and_roots_of_extreme_numbers_take_the_slow_way() {
    let of = |body: &str, wait: Wait| {
        let outcome = run(&with_body(body), &[0; 64], 0, 32, Some(1 << 20));
        (timeline(&outcome).slow_ways, waits_of(&outcome, wait))
    };
    let of_word = |instruction: &str, bits: u32| {
        let body = format!(
            "mov.f32 %f2, 0f3F800000;\nld.global.u32 %r5, [%rd1];\nadd.u32 %r5, %r5, {bits};\n\
             mov.b32 %f1, %r5;\n{instruction};\nst.global.f32 [%rd1], %f3;"
        );
        of(&body, Wait::Slow)
    };
    let of_double = |instruction: &str, bits: u64| {
        let body = format!(
            ".reg .f64 %fd<4>;\nmov.f64 %fd2, 0d3FF0000000000000;\nld.global.u64 %rd2, [%rd1];\n\
             add.u64 %rd2, %rd2, {bits};\nmov.b64 %fd1, %rd2;\n{instruction};\n\
             st.global.f64 [%rd1], %fd3;"
        );
        of(&body, Wait::Arithmetic)
    };
    let doubles = [1_f64.to_bits(), 0, 1, f64::MAX.to_bits()];
    for (instruction, slow) in [
        ("div.rn.f64 %fd3, %fd1, %fd2", [false, true, true, true]),
        ("sqrt.rn.f64 %fd3, %fd1", [false, true, true, false]),
        ("rcp.rn.f64 %fd3, %fd1", [false, true, true, true]),
        ("add.rn.f64 %fd3, %fd1, %fd2", [false; 4]),
    ] {
        let quick = of_double(instruction, doubles[0]).1;
        for (bits, slow) in doubles.into_iter().zip(slow) {
            let (ways, waits) = of_double(instruction, bits);
            assert_eq!((ways > 0, waits > quick), (slow, slow), "{instruction} {bits:#x}");
        }
    }
    let words = [1_f32.to_bits(), 0, 1, f32::MAX.to_bits()];
    for (instruction, slow) in [
        ("div.rn.f32 %f3, %f1, %f2", [false, true, true, true]),
        ("sqrt.rn.f32 %f3, %f1", [false, true, true, false]),
        ("rcp.rn.f32 %f3, %f1", [false, true, true, true]),
        ("div.approx.f32 %f3, %f1, %f2", [false; 4]),
    ] {
        let quick = of_word(instruction, words[0]).1;
        for (bits, slow) in words.into_iter().zip(slow) {
            let (ways, waits) = of_word(instruction, bits);
            assert_eq!((ways > 0, waits > quick), (slow, slow), "{instruction} {bits:#x}");
        }
    }
}

#[test]
fn exchanges_among_members_that_vary_branch_once_for_all_of_them() {
    let of = |members: &str, many: usize| {
        let shuffle = format!("shfl.sync.bfly.b32 %r2, %r1, 1, 31, {members};\n").repeat(many);
        let body = format!(
            "ld.global.u32 %r5, [%rd1];\nmov.u32 %r2, 0;\n{shuffle}\
             st.global.u32 [%rd1], %r2;"
        );
        waits_of(&run(&with_body(&body), &[u32::MAX; 32], 0, 32, Some(1 << 20)), Wait::Branch)
    };
    let alone = of("-1", 0);
    assert_eq!([of("-1", 1), of("-1", 3)], [alone; 2]);
    assert_eq!([of("%r5", 1), of("%r5", 3)], [alone + 2.0; 2]);
}

#[test]
fn an_early_divisor_shortens_the_wait_for_a_quotient() {
    let of = |quotient: &str| {
        let body = format!("ld.global.u32 %r5, [%rd1];\n{quotient};\nst.global.u32 [%rd1], %r6;");
        waits_of(&run(&with_body(&body), &[0; 32], 9, 32, Some(1 << 20)), Wait::Slow)
    };
    assert!(of("div.u32 %r6, %r1, %r5") > 1.8 * of("div.u32 %r6, %r5, %r1"));
}

#[test]
fn loads_that_wait_together_wait_for_the_farthest() {
    // Eight words lie in a sector, and the machine code has four rounds in one.
    let sum = kernel(SUM, "sum").with_machine_code(waiting(vec![(SUM_LOAD, 0.25)]));
    let outcome = run(&sum, &[0; 8 * 64], 64, 32, Some(1 << 20));
    // Each round finds a sector of its own, every second one beside that of the last.
    assert_eq!(waits_of(&outcome, Wait::Dram), 0.25 * 64.0);
    assert_eq!(waits_of(&outcome, Wait::L2Hit), 0.0);
    let words = SUM.replace("%rd2, 32;", "%rd2, 4;");
    let words = kernel(&words, "sum").with_machine_code(waiting(vec![(SUM_LOAD, 0.25)]));
    let outcome = run(&words, &[0; 64], 64, 32, Some(1 << 20));
    let of = |wait| waits_of(&outcome, wait);
    // 64 words are four times 64 bytes, 16 rounds each: 4 wait for DRAM, 4 find L1 ahead, 4
    // the neighbour of what came, 4 L1 again.
    assert_eq!((of(Wait::Dram), of(Wait::L2Hit), of(Wait::L1Hit)), (4.0, 4.0, 8.0));
}

#[test]
fn the_heaviest_block_is_known() {
    // Block n goes round n times.
    let body = "mov.u32 %r2, %ctaid.x;\nLOOP:\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra DONE;\n\
                sub.u32 %r2, %r2, 1;\nbra LOOP;\nDONE:";
    let kernel = with_body(body);
    let mut memory = Memory::new();
    let args = [memory.allocate(4), 0];
    let outcome = emulator::launch(
        &kernel,
        Dim3::linear(101),
        Dim3::linear(32),
        0,
        &args,
        &memory,
        Options::default(),
    )
    .unwrap();
    let mean = outcome.counters.warp_instructions as f64 / 101.0;
    let times = outcome.heaviest as f64 / mean;
    assert!((1.9..2.1).contains(&times), "{times}");
    // Numbers from 0 to 100: their mean over the root of 3.
    assert!((0.55..0.6).contains(&outcome.uneven), "{}", outcome.uneven);
}

/// Starts four copies of `size` bytes a lane, each a group of its own, and waits for all but the last
/// `left`. A register says how many bytes they read.
fn with_copies(size: u32, left: u32) -> Kernel {
    let mode = if size == 16 { "cg" } else { "ca" };
    let copy = |round: u32| {
        format!(
            "cp.async.{mode}.shared.global [%r3], [%rd2 + {}], {size}, %r4;
             cp.async.commit_group;\n",
            round * 1024
        )
    };
    let copies: String = (0..4).map(copy).collect();
    kernel(
        &format!(
            ".version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 values, .param .u32 words)
{{
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    .shared .align 16 .b8 tile[512];
    ld.param.u64 %rd1, [values];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, {size};
    add.s64 %rd2, %rd1, %rd3;
    mov.u32 %r2, tile;
    mad.lo.u32 %r3, %r1, {size}, %r2;
    mov.u32 %r4, {size};
{copies}    cp.async.wait_group {left};
    bar.sync 0;
    ld.shared.u32 %r5, [%r3];
    st.global.u32 [%rd2], %r5;
    ret;
}}
"
        ),
        "k",
    )
}

#[test]
fn copies_are_under_way_until_their_group_is_waited_for() {
    let found = |size, left| {
        let outcome = run(&with_copies(size, left), &[0; 2048], 0, 32, Some(1 << 16));
        let timeline = timeline(&outcome);
        (timeline.critical_path.waits[Wait::Dram as usize], timeline.sectors)
    };
    // All wait at the same time, and each sector is asked for once.
    assert_eq!(found(4, 0), (1.0, (16, 0)));
    assert_eq!(found(4, 3), (1.0, (16, 0)));
    assert_eq!(found(4, 4).0, 0.0, "none is waited for");
    // They go past L1, as bulk copies do.
    assert_eq!(found(16, 0), (1.0, (0, 0)));
}

/// One warp copies in bulk to shared memory; the other one reads it, after the barrier that the bytes
/// come to if it `waits`.
fn with_a_bulk_copy(waits: bool) -> Kernel {
    let wait = "AGAIN:\nmbarrier.try_wait.parity.shared.b64 %p3, [bar], 0;\n@!%p3 bra AGAIN;\n";
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 values, .param .u32 words)\n{{\n\
         .reg .pred %p<4>;\n.reg .b32 %r<6>;\n.reg .b64 %rd<4>;\n\
         .shared .align 16 .b8 tile[128];\n.shared .align 8 .b64 bar;\n\
         ld.param.u64 %rd1, [values];\nmov.u32 %r1, %tid.x;\n\
         setp.ne.u32 %p1, %r1, 0;\nsetp.lt.u32 %p2, %r1, 32;\n\
         @%p1 bra MEET;\nmbarrier.init.shared.b64 [bar], 1;\nMEET:\nbar.sync 0;\n\
         @%p1 bra OTHERS;\nmbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;\n\
         cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes \
         [tile], [%rd1], 128, [bar];\nret;\n\
         OTHERS:\n@%p2 bra DONE;\n{}\
         mov.u32 %r2, tile;\nld.shared.u32 %r3, [%r2];\nst.global.u32 [%rd1], %r3;\nDONE:\nret;\n}}\n",
        if waits { wait } else { "" }
    );
    kernel(&text, "k")
}

#[test]
fn a_warp_waits_at_a_barrier_for_the_bytes_that_another_copies() {
    let far = |waits: bool| {
        let outcome = run(&with_a_bulk_copy(waits), &[7; 64], 0, 64, Some(1 << 16));
        waits_of(&outcome, Wait::Dram)
    };
    assert_eq!(far(true), 1.0);
    assert_eq!(far(false), 0.0, "nobody waits for the copy");
}
