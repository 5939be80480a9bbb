//! State spaces, exchanges among lanes, calls and barriers of the emulator,
//! against what plain Rust computes.

use warpscope::emulator::{self, Memory, Options, Outcome};
use warpscope::work::{Dim3, Trap, TrapKind};

/// A kernel `k(out, n)` with the given body, behind other items of the module.
/// `%r2` is the thread's index, `%rd3` the address of its word of the output.
fn module(items: &str, body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n{items}\n\
         .visible .entry k(.param .u64 out, .param .u32 n) {{\n\
         .reg .pred %p<8>; .reg .b32 %r<32>; .reg .f32 %f<8>; .reg .b64 %rd<16>; .reg .f64 %fd<8>; .reg .b16 %rs<8>;\n\
         ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n\
         mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2;\n{body}\nret;\n}}"
    )
}

/// Runs a kernel of [`module`] on `blocks` blocks; gives 64 words of output.
fn launch(text: &str, blocks: u32, threads: u32, n: u64) -> Result<(Vec<u32>, Outcome), Trap> {
    let kernel = emulator::load(text, "test.ptx", "k").unwrap();
    let mut memory = Memory::new();
    let out = memory.allocate(64 * 4);
    let options = Options { threads: 1, budget: 1_000_000, ..Options::default() };
    let (grid, block) = (Dim3::linear(blocks), Dim3::linear(threads));
    let outcome = emulator::launch(&kernel, grid, block, 0, &[out, n], &memory, options)?;
    Ok((memory.read_u32(out), outcome))
}

/// Runs a body on one block.
fn run(body: &str, threads: u32) -> Result<Vec<u32>, Trap> {
    launch(&module("", body), 1, threads, 0).map(|(words, _)| words)
}

#[test]
fn shuffles_read_other_lanes() {
    for (form, expected) in [
        (
            "shfl.sync.up.b32 %r3|%p1, %r2, 3, 0, -1",
            (|lane| (lane >= 3).then(|| lane - 3)) as fn(u32) -> Option<u32>,
        ),
        ("shfl.sync.down.b32 %r3|%p1, %r2, 3, 31, -1", |lane| (lane < 29).then_some(lane + 3)),
        ("shfl.sync.bfly.b32 %r3|%p1, %r2, 5, 31, 0xffffffff", |lane| Some(lane ^ 5)),
        ("shfl.sync.idx.b32 %r3|%p1, %r2, 9, 0x181f, -1", |lane| Some(lane / 8 * 8 + 1)),
        ("shfl.idx.b32 %r3|%p1, %r2, %r2, 31", Some),
        ("shfl.down.b32 %r3|%p1, %r2, 1, 0x1807", |lane| (lane % 8 != 7).then_some(lane + 1)),
    ] {
        let body = format!(
            "{form}; selp.u32 %r4, 100, 0, %p1; add.u32 %r3, %r3, %r4; st.global.u32 [%rd3], %r3;"
        );
        let found = run(&body, 32).unwrap();
        for lane in 0..32 {
            let value = expected(lane).map_or(lane, |other| other + 100);
            assert_eq!(found[lane as usize], value, "{form}, lane {lane}");
        }
    }
}

#[test]
fn votes_and_ballots_ask_the_named_lanes() {
    // Lanes below 20, in groups of 16: the first group is unanimous.
    let body = "setp.lt.u32 %p1, %r2, 20; and.b32 %r5, %r2, 16; mov.u32 %r4, 0xffff; shl.b32 %r4, %r4, %r5;
        vote.sync.all.pred %p2, %p1, %r4; vote.sync.any.pred %p3, !%p1, %r4; vote.sync.uni.pred %p4, %p1, %r4;
        vote.sync.ballot.b32 %r6, %p1, %r4; vote.ballot.b32 %r7, !%p1; vote.all.pred %p5, %p1;
        selp.u32 %r8, 1, 0, %p2; @%p3 or.b32 %r8, %r8, 2; @%p4 or.b32 %r8, %r8, 4; @%p5 or.b32 %r8, %r8, 8;
        xor.b32 %r6, %r6, %r7; shl.b32 %r8, %r8, 28; xor.b32 %r8, %r8, %r6; st.global.u32 [%rd3], %r8;";
    let found = run(body, 32).unwrap();
    assert_eq!(found[..16], [5 << 28 ^ 0xffff ^ 0xfff0_0000; 16]);
    assert_eq!(found[16..32], [2 << 28 ^ 0x000f_0000 ^ 0xfff0_0000; 16]);
}

#[test]
fn matches_reductions_and_elections_work_group_by_group() {
    let body = "and.b32 %r3, %r2, 3; match.any.sync.b32 %r4, %r3, -1;
        redux.sync.add.s32 %r5, %r2, %r4; redux.sync.max.u32 %r6, %r2, %r4;
        elect.sync %r7|%p1, %r4; match.all.sync.b32 %r8|%p2, %r3, %r4; match.all.sync.b32 %r9|%p3, %r2, -1;
        cvt.u64.u32 %rd4, %r2; match.any.sync.b64 %r10, %rd4, -1; activemask.b32 %r11;
        shl.b32 %r6, %r6, 10; add.u32 %r5, %r5, %r6; shl.b32 %r7, %r7, 20; add.u32 %r5, %r5, %r7;
        @%p1 add.u32 %r5, %r5, 0x10000000; setp.eq.and.u32 %p2, %r8, %r4, %p2; @%p2 add.u32 %r5, %r5, 0x20000000;
        @%p3 mov.u32 %r5, 0; add.u32 %r5, %r5, %r9;
        mov.u32 %r12, 1; shl.b32 %r12, %r12, %r2; setp.ne.u32 %p4, %r10, %r12; @%p4 mov.u32 %r5, 1;
        setp.ne.u32 %p5, %r11, -1; @%p5 mov.u32 %r5, 2; st.global.u32 [%rd3], %r5;";
    let found = run(body, 32).unwrap();
    for lane in 0..32_u32 {
        let first = lane % 4;
        let sum = (0..8).map(|index| first + 4 * index).sum::<u32>();
        let expected = sum
            + ((28 + first) << 10)
            + (first << 20)
            + 0x2000_0000
            + u32::from(lane == first) * 0x1000_0000;
        assert_eq!(found[lane as usize], expected, "lane {lane}");
    }
}

#[test]
fn diverged_lanes_are_waited_for_at_an_exchange() {
    // Each lane comes to the ballot after as many rounds as its number, some
    // through another way, and lanes 30 and 31 end before it.
    let body = "setp.ge.u32 %p1, %r2, 30; @%p1 exit; mov.u32 %r3, 0;
        LOOP: setp.ge.u32 %p2, %r3, %r2; @%p2 bra ASK; add.u32 %r3, %r3, 1; bra LOOP;
        ASK: vote.sync.ballot.b32 %r4, %p2, -1; bar.warp.sync 0xffffffff; st.global.u32 [%rd3], %r4;";
    assert_eq!(run(body, 32).unwrap()[..30], [0x3fff_ffff; 30]);
    // Inside a loop that lanes leave one by one, each names those still in it.
    let body = "mov.u32 %r3, 0; mov.u32 %r6, 0;
        LOOP: setp.gt.u32 %p1, %r3, %r2; @%p1 bra OUT; mov.u32 %r4, -1; shl.b32 %r4, %r4, %r3;
        redux.sync.add.u32 %r5, %r3, %r4; add.u32 %r6, %r6, %r5; add.u32 %r3, %r3, 1; bra LOOP;
        OUT: st.global.u32 [%rd3], %r6;";
    let found = run(body, 32).unwrap();
    for lane in 0..32_u32 {
        assert_eq!(found[lane as usize], (0..=lane).map(|round| round * (32 - round)).sum::<u32>());
    }
}

#[test]
fn two_ways_of_an_if_meet_at_the_barrier_of_the_warp() {
    // Odd lanes hand a value to even ones through memory, each on its own way.
    let body = "and.b32 %r3, %r2, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra EVEN;
        st.global.u32 [%rd3+124], %r2; bar.warp.sync -1; bra END;
        EVEN: bar.warp.sync -1; ld.global.u32 %r4, [%rd3+128]; st.global.u32 [%rd3], %r4; END:";
    let found = run(body, 32).unwrap();
    for lane in (0..32).step_by(2) {
        assert_eq!(found[lane], lane as u32 + 1);
    }
}

#[test]
fn lanes_that_others_name_in_vain_are_a_trap() {
    let body = "setp.lt.u32 %p1, %r2, 4; @%p1 bra A; bar.sync 0; bra E;
        A: vote.sync.any.pred %p2, %p1, -1; E: bar.sync 0;";
    let trap = run(body, 32).unwrap_err();
    assert_eq!((trap.kind, trap.lanes.as_slice()), (TrapKind::DivergentBarrier, &[0, 1, 2, 3][..]));
    assert!(trap.message.contains("`vote.sync.any.pred` waits for lanes"), "{trap}");
}

#[test]
fn local_arrays_are_each_threads_own() {
    // Eight words per thread, written in one order and read in another, through
    // local and through generic addresses.
    let body = ".local .align 16 .b8 __local_depot0[32]; .reg .b64 %SP; .reg .b64 %SPL;
        mov.u64 %SPL, __local_depot0; cvta.local.u64 %SP, %SPL; mov.u32 %r3, 0;
        FILL: mul.wide.u32 %rd4, %r3, 4; add.s64 %rd5, %SPL, %rd4; mad.lo.s32 %r4, %r3, 100, %r2;
        st.local.u32 [%rd5], %r4; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 8; @%p1 bra FILL;
        and.b32 %r5, %r2, 7; mul.wide.u32 %rd6, %r5, 4; add.s64 %rd7, %SP, %rd6; ld.u32 %r6, [%rd7];
        ld.local.v2.u32 {%r7, %r8}, [__local_depot0+8]; add.u32 %r6, %r6, %r7; add.u32 %r6, %r6, %r8;
        isspacep.local %p2, %rd7; isspacep.global %p3, %rd7; isspacep.global %p4, %rd3; and.pred %p2, %p2, %p4;
        @%p3 mov.u32 %r6, 0; @!%p2 mov.u32 %r6, 1; st.global.u32 [%rd3], %r6;";
    let (found, outcome) = launch(&module("", body), 1, 32, 0).unwrap();
    for tid in 0..32_u32 {
        assert_eq!(found[tid as usize], tid % 8 * 100 + tid + 200 + tid + 300 + tid);
    }
    let counters = outcome.counters;
    assert_eq!((counters.local_store_requests, counters.local_store_sectors), (8, 32));
    // The first load has 8 rows of 4 bytes in 4 sectors each; the second two rows, each a
    // request.
    assert_eq!((counters.local_load_requests, counters.local_load_sectors), (1 + 2, 32 + 8));
    assert_eq!(counters.global_load_requests, 0);
    let trap = run(".local .b8 a[8]; ld.local.u32 %r3, [a+8];", 32).unwrap_err();
    assert!(
        trap.kind == TrapKind::OutOfBounds && trap.message.contains("8 bytes of local"),
        "{trap}"
    );
}

#[test]
fn modules_bring_constants_and_variables() {
    let items = ".const .align 4 .u32 squares[4] = {1, 4, 9, 16};
        .global .align 8 .u64 pointers[2] = {generic(squares)+4, counter};
        .global .u32 counter = 7; .global .align 2 .b8 text[4] = {65, 66, 0, 255}; .global .f32 half = 0f3F000000;";
    let body = "and.b32 %r3, %r2, 3; mul.wide.u32 %rd4, %r3, 4; mov.u64 %rd5, squares; add.s64 %rd6, %rd5, %rd4;
        ld.const.u32 %r4, [%rd6]; ld.const.u32 %r5, [squares+12];
        ld.global.u64 %rd7, [pointers]; ld.u32 %r6, [%rd7]; ld.global.u64 %rd8, [pointers+8]; ld.u32 %r7, [%rd8];
        ld.global.s8 %r8, [text+3]; ld.global.b32 %r9, [half]; cvta.const.u64 %rd9, %rd6; ld.u32 %r10, [%rd9];
        isspacep.const %p1, %rd9; isspacep.param %p2, %rd9; add.u32 %r4, %r4, %r5; add.u32 %r4, %r4, %r6;
        add.u32 %r4, %r4, %r7; add.u32 %r4, %r4, %r8; xor.b32 %r4, %r4, %r9; add.u32 %r4, %r4, %r10;
        @!%p1 mov.u32 %r4, 0; @%p2 mov.u32 %r4, 1; st.global.u32 [%rd3], %r4;";
    let found = launch(&module(items, body), 1, 32, 0).unwrap().0;
    for tid in 0..32_u32 {
        let square = (tid % 4 + 1).pow(2);
        assert_eq!(
            found[tid as usize],
            ((square + 16 + 4 + 7 - 1) ^ 0x3f00_0000) + square,
            "{tid}"
        );
    }
    let trap = launch(&module(items, "mov.u64 %rd4, counter; st.global.u32 [%rd4+4], 1;"), 1, 1, 0)
        .unwrap_err();
    assert!(trap.message.contains("outside a variable of the module, of 4 bytes"), "{trap}");
    let body = "mov.u64 %rd4, squares; cvta.const.u64 %rd4, %rd4; st.u32 [%rd4], 1;";
    let trap = launch(&module(items, body), 1, 1, 0).unwrap_err();
    assert!(trap.message.contains("cannot be written"), "{trap}");
}

#[test]
fn variables_keep_their_value_from_launch_to_launch() {
    let text = module(
        ".global .u32 counter = 5;",
        "atom.global.add.u32 %r3, [counter], 1; st.global.u32 [%rd3], %r3;",
    );
    let kernel = emulator::load(&text, "test.ptx", "k").unwrap();
    let mut memory = Memory::new();
    let out = memory.allocate(64 * 4);
    for first in [5, 37] {
        let (grid, block) = (Dim3::linear(1), Dim3::linear(32));
        emulator::launch(&kernel, grid, block, 0, &[out, 0], &memory, Options::default()).unwrap();
        assert_eq!(memory.read_u32(out)[..32], (first..first + 32).collect::<Vec<_>>());
    }
    assert_eq!(launch(&text, 1, 1, 0).unwrap().0[0], 5);
}

#[test]
fn structures_are_handed_over_by_value() {
    let text = ".version 8.0\n.target sm_70\n.address_size 64\n
        .visible .entry k(.param .u32 first, .param .align 16 .b8 pack[24], .param .u64 out) {
        .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .b16 %rs<3>; ld.param.u64 %rd1, [out];
        ld.param.u32 %r1, [pack+20]; ld.param.v2.u32 {%r2, %r3}, [pack+8]; ld.param.u8 %rs1, [pack+1];
        mov.b64 %rd2, pack; ld.param.u64 %rd3, [%rd2]; cvta.param.u64 %rd4, %rd2; ld.u32 %r4, [%rd4+16];
        ld.param.u32 %r5, [first]; cvt.u32.u16 %r6, %rs1; cvt.u32.u64 %r7, %rd3;
        st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4}; st.global.v2.u32 [%rd1+16], {%r5, %r6}; st.global.u32 [%rd1+24], %r7; ret; }";
    let kernel = emulator::load(text, "test.ptx", "k").unwrap();
    assert_eq!((kernel.params(), kernel.argument_words()), (3, 5));
    let mut memory = Memory::new();
    let out = memory.allocate(32);
    let args = [9, 0x1_0000_0203, 5 << 32 | 4, 7 << 32 | 6, out];
    let one = Dim3::linear(1);
    emulator::launch(&kernel, one, one, 0, &args, &memory, Options::default()).unwrap();
    assert_eq!(memory.read_u32(out), [7, 4, 5, 6, 9, 2, 0x203, 0]);
}

/// Fibonacci numbers by recursion, and two functions in a table.
const FUNCTIONS: &str = ".func (.param .b32 r) fib (.param .b32 x) {
        .reg .pred %p<2>; .reg .b32 %r<9>; ld.param.u32 %r1, [x]; setp.lt.u32 %p1, %r1, 2; @%p1 bra SMALL;
        sub.u32 %r2, %r1, 1; { .param .b32 a; st.param.b32 [a], %r2; .param .b32 b; call (b), fib, (a); ld.param.b32 %r3, [b]; }
        sub.u32 %r4, %r1, 2; { .param .b32 a; st.param.b32 [a], %r4; .param .b32 b; call (b), fib, (a); ld.param.b32 %r5, [b]; }
        add.u32 %r6, %r3, %r5; st.param.b32 [r], %r6; ret; SMALL: st.param.b32 [r], %r1; ret; }
    .func (.param .b32 r) twice (.param .b32 x) { .reg .b32 %r<3>; ld.param.u32 %r1, [x]; add.u32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret; }
    .func (.param .b32 r) square (.param .b32 x) { .reg .b32 %r<3>; ld.param.u32 %r1, [x]; mul.lo.u32 %r2, %r1, %r1; st.param.b32 [r], %r2; }
    .func forever () { call forever; ret; }
    .global .align 8 .u64 table[2] = {twice, square};";

#[test]
fn functions_recurse_under_divergence() {
    let body = "{ .param .b32 a; st.param.b32 [a], %r3; .param .b32 b; call.uni (b), fib, (a); ld.param.b32 %r4, [b]; }
        activemask.b32 %r5; xor.b32 %r5, %r5, -1; add.u32 %r4, %r4, %r5; st.global.u32 [%rd3], %r4;";
    let found =
        launch(&module(FUNCTIONS, &format!("and.b32 %r3, %r2, 7; {body}")), 2, 32, 0).unwrap().0;
    let fibonacci = [0, 1, 1, 2, 3, 5, 8, 13];
    for tid in 0..32 {
        // All lanes are together again behind the call: the mask adds nothing.
        assert_eq!(found[tid], fibonacci[tid % 8], "thread {tid}");
    }
    let trap = launch(&module(FUNCTIONS, "call forever;"), 1, 32, 0).unwrap_err();
    assert!(
        trap.kind == TrapKind::OutOfBounds && trap.message.contains("stack overflowed"),
        "{trap}"
    );
}

/// 15 calls of a warp, each of which saves 12 registers where no machine code is known.
#[test]
fn functions_that_call_themselves_save_registers() {
    let body = "mov.u32 %r3, 5; { .param .b32 a; st.param.b32 [a], %r3; .param .b32 b;
        call.uni (b), fib, (a); ld.param.b32 %r4, [b]; } st.global.u32 [%rd3], %r4;";
    let (found, outcome) = launch(&module(FUNCTIONS, body), 1, 32, 0).unwrap();
    assert_eq!(found[0], 5);
    let counters = outcome.counters;
    let expected = (15 * 12, 15 * 12 * 4);
    assert_eq!((counters.local_store_requests, counters.local_store_sectors), expected);
    assert_eq!((counters.local_load_requests, counters.local_load_sectors), expected);
}

/// A function with an array that takes accesses of 16 bytes calls itself: its frames stay aligned,
/// whatever it saves.
#[test]
fn frames_stay_aligned_whatever_functions_save() {
    let function = ".func (.param .b32 r) down (.param .b32 x) {
        .local .align 16 .b8 a[16]; .reg .pred %p<2>; .reg .b32 %r<9>; ld.param.u32 %r1, [x];
        st.local.v4.u32 [a], {%r1, %r1, %r1, %r1}; setp.eq.u32 %p1, %r1, 0; @%p1 bra LAST; sub.u32 %r2, %r1, 1;
        { .param .b32 b; st.param.b32 [b], %r2; .param .b32 c; call (c), down, (b); ld.param.b32 %r3, [c]; }
        ld.local.u32 %r4, [a+8]; add.u32 %r5, %r3, %r4; st.param.b32 [r], %r5; ret; LAST: st.param.b32 [r], %r1; ret; }";
    let body = "mov.u32 %r3, 4; { .param .b32 a; st.param.b32 [a], %r3; .param .b32 b;
        call.uni (b), down, (a); ld.param.b32 %r4, [b]; } st.global.u32 [%rd3], %r4;";
    let text = module(function, body);
    for saved in [0, 1, 2, 5, 12, 13] {
        let kernel =
            emulator::load(&text, "k.ptx", "k").unwrap().with_machine_code(emulator::MachineCode {
                saves: Some(vec![("down".to_owned(), saved)]),
                ..Default::default()
            });
        let mut memory = Memory::new();
        let out = memory.allocate(4 * 32);
        let (one, warp) = (Dim3::linear(1), Dim3::linear(32));
        emulator::launch(&kernel, one, warp, 0, &[out, 0], &memory, Options::default()).unwrap();
        assert_eq!(memory.read_u32(out), [10; 32], "{saved} registers");
    }
}

/// Functions that take registers: one that calls no other, and one that calls itself with its
/// numbers exchanged.
const IN_REGISTERS: &str = ".func (.reg .b32 r) next (.reg .b32 x) { add.u32 r, x, 1; ret; }
    .func (.reg .b32 r, .reg .b64 q) turn (.reg .b32 a, .reg .b64 b, .reg .b32 n) {
        .reg .pred %p<2>; .reg .b32 %m<3>; .reg .b64 %w<2>; setp.eq.u32 %p1, n, 0; @%p1 bra DONE;
        sub.u32 %m1, n, 1; cvt.u32.u64 %m2, b; cvt.u64.u32 %w1, a; call (r, q), turn, (%m2, %w1, %m1); ret;
        DONE: mov.u32 r, a; mov.u64 q, b; }";

/// Registers, literals and variables in `.param` space, by name and by address.
#[test]
fn arguments_and_results_travel_in_registers() {
    let body = "mov.u64 %rd4, next; P: .callprototype (.reg .b32 _) _ (.reg .b32 _);
        call (%r3), %rd4, (%r2), P;
        { .param .b32 a; .param .b32 b; st.param.b32 [a], %r3; call (b), next, (a); ld.param.b32 %r4, [b]; }
        setp.lt.u32 %p1, %r2, 20; mov.u32 %r5, 7; @%p1 call (%r5), next, (41);
        and.b32 %r6, %r2, 3; cvt.u64.u32 %rd5, %r4; call (%r7, %rd6), turn, (%r5, %rd5, %r6);
        cvt.u32.u64 %r8, %rd6; shl.b32 %r8, %r8, 16; or.b32 %r7, %r7, %r8; st.global.u32 [%rd3], %r7;";
    let found = launch(&module(IN_REGISTERS, body), 1, 32, 0).unwrap().0;
    for tid in 0..32 {
        let (five, four) = (if tid < 20 { 42 } else { 7 }, tid + 2);
        let [low, high] = if tid % 2 == 0 { [five, four] } else { [four, five] };
        assert_eq!(found[tid as usize], low | high << 16, "thread {tid}");
    }
}

/// Of two functions that the lanes of a warp call by their addresses, one saves three registers.
#[test]
fn only_functions_that_save_registers_access_local_memory() {
    let body = "mul.wide.u32 %rd4, %r3, 8; mov.u64 %rd5, table; add.s64 %rd5, %rd5, %rd4;
        ld.global.u64 %rd6, [%rd5];
        { .param .b32 a; st.param.b32 [a], %r2; .param .b32 b; P: .callprototype (.param .b32 _) _ (.param .b32 _);
        call (b), %rd6, (a), P; ld.param.b32 %r4, [b]; } st.global.u32 [%rd3], %r4;";
    for (select, expected) in [
        ("mov.u32 %r3, 0;", [0, 0]),
        ("mov.u32 %r3, 1;", [3, 12]),
        ("and.b32 %r3, %r2, 1;", [3, 12]),
        ("shr.u32 %r3, %r2, 4;", [3, 6]),
    ] {
        let text = module(FUNCTIONS, &format!("{select} {body}"));
        let code = emulator::MachineCode {
            saves: Some(vec![("square".to_owned(), 3)]),
            ..Default::default()
        };
        let kernel = emulator::load(&text, "k.ptx", "k").unwrap().with_machine_code(code);
        let mut memory = Memory::new();
        let out = memory.allocate(64 * 4);
        let (one, warp) = (Dim3::linear(1), Dim3::linear(32));
        let outcome =
            emulator::launch(&kernel, one, warp, 0, &[out, 0], &memory, Options::default());
        let counters = outcome.unwrap().counters;
        let stores = [counters.local_store_requests, counters.local_store_sectors];
        let loads = [counters.local_load_requests, counters.local_load_sectors];
        assert_eq!((stores, loads), (expected, expected), "{select}");
    }
}

#[test]
fn functions_are_called_through_tables() {
    let body = "and.b32 %r3, %r2, 1; mul.wide.u32 %rd4, %r3, 8; mov.u64 %rd5, table; add.s64 %rd5, %rd5, %rd4;
        ld.global.u64 %rd6, [%rd5]; setp.lt.u32 %p1, %r2, 30; mov.u32 %r4, 0;
        { .param .b32 a; st.param.b32 [a], %r2; .param .b32 b; P: .callprototype (.param .b32 _) _ (.param .b32 _);
        @%p1 call (b), %rd6, (a), P; ld.param.b32 %r4, [b]; } st.global.u32 [%rd3], %r4;";
    let found = launch(&module(FUNCTIONS, body), 1, 32, 0).unwrap().0;
    for tid in 0..32 {
        let expected = if tid >= 30 {
            0
        } else if tid % 2 == 0 {
            2 * tid
        } else {
            tid * tid
        };
        assert_eq!(found[tid as usize], expected);
    }
    let body = "mov.u64 %rd6, 4096; { P: .callprototype _ (); call %rd6, P; }";
    let trap = launch(&module(FUNCTIONS, body), 1, 32, 0).unwrap_err();
    assert!(trap.message.contains("0x1000, which is no function"), "{trap}");
}

#[test]
fn branches_by_index_part_and_meet() {
    let body = "and.b32 %r3, %r2, 3; LIST: .branchtargets A, B, C, B; mov.u32 %r4, 0; brx.idx %r3, LIST;
        A: add.u32 %r4, %r4, 1; B: add.u32 %r4, %r4, 10; bra END; C: add.u32 %r4, %r4, 100;
        END: activemask.b32 %r5; setp.ne.u32 %p1, %r5, -1; @%p1 mov.u32 %r4, 0; st.global.u32 [%rd3], %r4;";
    let found = run(body, 32).unwrap();
    for tid in 0..32 {
        assert_eq!(found[tid], [11, 10, 100, 10][tid % 4]);
    }
    let trap = run("LIST: .branchtargets A; brx.idx %r2, LIST; A:", 32).unwrap_err();
    assert!(trap.message.contains("target 1 of a list of 1"), "{trap}");
}

const PRINTING: &str = ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 v);
    .extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
    .global .align 1 .b8 format[12] = {98, 37, 100, 32, 116, 37, 117, 32, 37, 103, 10, 0};
    .global .align 1 .b8 word[3] = {97, 98, 0};";

#[test]
fn blocks_print_in_their_order() {
    let body = ".local .align 8 .b8 values[16]; mov.u32 %r3, %ctaid.x; sub.u32 %r3, %r3, 1; st.local.u32 [values], %r3; st.local.u32 [values+4], %r2;
        mov.b64 %rd4, 0x3FF8000000000000; st.local.b64 [values+8], %rd4; mov.u64 %rd5, values; cvta.local.u64 %rd5, %rd5;
        mov.u64 %rd6, format; cvta.global.u64 %rd6, %rd6; setp.eq.u32 %p1, %r2, 1; @%p1 bra END;
        { .param .b64 p0; st.param.b64 [p0+0], %rd6; .param .b64 p1; st.param.b64 [p1+0], %rd5; .param .b32 q;
        call.uni (q), vprintf, (p0, p1); ld.param.b32 %r4, [q+0]; } st.global.u32 [%rd3], %r4; END:";
    let text = module(PRINTING, body);
    let kernel = emulator::load(&text, "test.ptx", "k").unwrap();
    for threads in [1, 4] {
        let mut memory = Memory::new();
        let out = memory.allocate(256);
        let options = Options { threads, ..Options::default() };
        let (grid, block) = (Dim3::linear(40), Dim3::linear(3));
        let outcome =
            emulator::launch(&kernel, grid, block, 0, &[out, 0], &memory, options).unwrap();
        let expected: String =
            (0..40).map(|b| format!("b{0} t0 1.5\nb{0} t2 1.5\n", b - 1)).collect();
        assert_eq!(String::from_utf8_lossy(&outcome.printed), expected);
        assert_eq!(memory.read_u32(out)[..3], [3, 0, 3]);
    }
}

#[test]
fn failed_assertions_are_traps_with_their_words() {
    let body = "mov.u64 %rd6, word; cvta.global.u64 %rd6, %rd6; setp.ne.u32 %p1, %r2, 5; @%p1 bra END;
        { .param .b64 a; st.param.b64 [a], %rd6; .param .b64 b; st.param.b64 [b], %rd6; .param .b32 c; st.param.b32 [c], 12;
        .param .b64 d; st.param.b64 [d], %rd6; .param .b64 e; st.param.b64 [e], 1; call.uni __assertfail, (a, b, c, d, e); } END:";
    let trap = launch(&module(PRINTING, body), 1, 32, 0).unwrap_err();
    assert_eq!((trap.kind, trap.lanes.as_slice()), (TrapKind::Trap, &[5][..]));
    assert!(trap.message.contains("ab:12: ab: assertion `ab` failed"), "{trap}");
}

#[test]
fn names_in_braces_hide_those_outside() {
    let body = "mov.u32 %r3, 1; { .reg .b64 x; L: mov.u64 x, 5; cvt.u32.u64 %r4, x; bra M; M: }
        { .reg .pred x; L: setp.eq.u32 x, %r4, 5; @x mov.u32 %r3, 2; bra M; M: } st.global.u32 [%rd3], %r3;";
    assert_eq!(run(body, 1).unwrap()[0], 2);
}

#[test]
fn what_cannot_be_done_is_refused_by_name() {
    for (items, body, part) in [
        (".extern .func nowhere ();", "call nowhere;", "`nowhere` has no body"),
        (".extern .global .u32 far;", "ld.global.u32 %r3, [far];", "defined nowhere"),
        (".const .u32 c;", "st.const.u32 [c], 1;", "cannot be written"),
        ("", "ld.global.sparkling.u32 %r3, [%rd3];", "`ld.global.sparkling.u32` is not"),
        ("", "ld.global.v2.u32 {%r3, %r4, %r5}, [%rd3];", "does not take 3"),
        ("", ".local .b8 a[600000];", "512 KiB"),
        (FUNCTIONS, "{ .param .b64 a; .param .b32 b; call (b), fib, (a); }", "other parameters"),
        (IN_REGISTERS, "call (%r3), next, (%r2, %r2);", "other parameters"),
        (IN_REGISTERS, "call (%r3), next, (%rd1);", "`%rd1` does not have 32 bits"),
        (
            IN_REGISTERS,
            "P: .callprototype (.reg .b32 _) _ (.reg .b32 _, .reg .b32 _, .reg .b32 _, .reg .b32 _); \
             mov.u64 %rd4, next; call (%r3), %rd4, (%r2, %r2, %r2, %r2), P;",
            "no function takes what this call passes",
        ),
        ("", "mbarrier.init.shared.b32 [%rd3], 1;", "`mbarrier.init.shared.b32`"),
        ("", "cp.async.bulk.global.global.bulk_group [%rd3], [%rd1], 16;", "`cp.async.bulk.global"),
        ("", "cp.async.cg.shared.global [%rd3], [%rd1], 8;", "does not copy 8 bytes"),
        ("", "barrier.cluster.wait.relaxed;", "not supported yet"),
        ("", "mapa.shared::cluster.u16 %rd4, %rd3, 1;", "not supported yet"),
        ("", "atom.shared.add.noftz.v2.f16x2 {%r3, %r4}, [%rd3], {%r5, %r6};", "not supported yet"),
        ("", "red.global.min.noftz.f16x2 [%rd3], %r5;", "not supported yet"),
        ("", "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1}];", "tex.1d"),
        ("", "brx.idx %r2, LIST;", "no list of branch targets"),
    ] {
        let error = emulator::load(&module(items, body), "test.ptx", "k").unwrap_err().to_string();
        assert!(error.starts_with("test.ptx:") && error.contains(part), "{body}: {error}");
    }
}

#[test]
fn barriers_count_warps_and_ask_threads() {
    // Three warps, of which the last has 8 threads. Warp 0 hands a value over
    // through barrier 3 without waiting; the others wait for both of them.
    let body = ".shared .align 4 .b8 tile[4]; mov.u64 %rd4, tile; shr.u32 %r3, %r2, 5; setp.eq.u32 %p1, %r3, 0; @!%p1 bra WAIT;
        st.shared.u32 [%rd4], 55; bar.arrive 3, 96; bra ASK; WAIT: mov.u32 %r9, 3; barrier.cta.sync %r9, 96; ld.shared.u32 %r4, [%rd4];
        ASK: setp.lt.u32 %p2, %r2, 40; bar.red.popc.u32 %r5, 0, %p2; barrier.cta.red.and.aligned.pred %p3, 1, 96, %p2;
        barrier.red.or.pred %p4, 2, !%p2; selp.u32 %r6, 1000, 0, %p3; selp.u32 %r7, 100, 0, %p4; add.u32 %r5, %r5, %r6; add.u32 %r5, %r5, %r7;
        @%p1 mov.u32 %r4, 0; mad.lo.u32 %r5, %r4, 10000, %r5; setp.gt.u32 %p5, %r2, 63; @%p5 exit; st.global.u32 [%rd3], %r5;";
    let (found, outcome) = launch(&module("", body), 1, 72, 0).unwrap();
    assert_eq!(found[..32], [140; 32]);
    assert_eq!(found[32..64], [550_140; 32]);
    assert_eq!(outcome.counters.barriers, 2 + 3 * 3);
    let trap = run("mov.u32 %r3, 16; bar.sync %r3;", 32).unwrap_err();
    assert!(trap.message.contains("no barrier 16"), "{trap}");
}

#[test]
fn floats_add_up_in_memory() {
    let body = ".shared .align 8 .b8 tile[16]; mov.u64 %rd4, tile; mov.b32 %r3, 0; st.shared.v4.u32 [%rd4], {%r3, %r3, %r3, %r3}; bar.sync 0;
        mov.f32 %f1, 0f3F000000; mov.f64 %fd1, 0d3FF8000000000000; red.shared.add.f32 [%rd4], %f1; red.relaxed.gpu.global.add.f32 [%rd1], %f1;
        cvta.shared.u64 %rd5, %rd4; atom.add.f64 %fd2, [%rd5+8], %fd1; red.add.f32 [%rd5], %f1; bar.sync 0;
        ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%rd4]; st.global.v2.u32 [%rd1+8], {%r4, %r7};";
    let (found, outcome) = launch(&module("", body), 1, 32, 0).unwrap();
    let high = |value: f64| (value.to_bits() >> 32) as u32;
    assert_eq!(found[..4], [16_f32.to_bits(), 0, 32_f32.to_bits(), high(48.0)]);
    assert!(outcome.schedule_dependent);
}

#[test]
fn copies_read_no_further_than_they_say() {
    // The output has 256 bytes; 16 before its end, lanes read 0 to 8 bytes more.
    let body = ".shared .align 16 .b8 tile[1024]; mov.u64 %rd4, tile; mul.wide.u32 %rd5, %r2, 16; add.u64 %rd4, %rd4, %rd5;
        mov.b32 %r9, 0x04030201; st.global.u32 [%rd1+248], %r9; st.global.u32 [%rd1+252], %r9; setp.lt.u32 %p1, %r2, 7; min.u32 %r3, %r2, 8;
        @%p1 cp.async.ca.shared.global [%rd4], [%rd1+240], 16, %r3; cp.async.commit_group; setp.eq.u32 %p2, %r2, 7;
        setp.gt.u32 %p3, %r2, 7; @!%p3 cp.async.ca.shared::cta.global.L2::64B [%rd4+8], [%rd1+248], 8, %p1; cp.async.wait_group 0;
        ld.shared.u32 %r4, [%rd4+8]; st.global.u32 [%rd3], %r4;";
    let found = run(body, 16).unwrap();
    assert_eq!(found[..16], [0, 0, 0, 0, 0, 0, 0, 0x0403_0201, 0, 0, 0, 0, 0, 0, 0, 0]);
    let part = "mov.u32 %r3, 5; .shared .align 16 .b8 tile[16]; mov.u64 %rd4, tile; mov.b32 %r9, 0x04030201; st.global.u32 [%rd1+252], %r9;
        cp.async.ca.shared.global [%rd4], [%rd1+252], 4, 3; cp.async.wait_all; ld.shared.u32 %r4, [%rd4]; st.global.u32 [%rd1], %r4;";
    assert_eq!(run(part, 1).unwrap()[0], 0x0003_0201);
    let beyond = "mov.u32 %r3, 5; .shared .align 16 .b8 tile[16]; mov.u64 %rd4, tile;
        cp.async.ca.shared.global [%rd4], [%rd1+256], 4, %r3;";
    assert_eq!(run(beyond, 1).unwrap_err().kind, TrapKind::OutOfBounds);
}

#[test]
fn numbers_of_128_bits_change_as_one() {
    // Every thread adds 1 to both halves, until nobody was faster.
    let body = ".reg .b128 %q<4>; ld.global.v2.b64 {%rd4, %rd5}, [%rd1]; mov.b128 %q0, {%rd4, %rd5};
        AGAIN: mov.b128 {%rd4, %rd5}, %q0; add.u64 %rd6, %rd4, 1; add.u64 %rd7, %rd5, 1; mov.b128 %q1, {%rd6, %rd7};
        atom.global.cas.b128 %q2, [%rd1], %q0, %q1; mov.b128 {%rd8, %rd9}, %q2; mov.b128 %q0, %q2;
        setp.ne.u64 %p1, %rd4, %rd8; setp.ne.or.u64 %p1, %rd5, %rd9, %p1; @%p1 bra AGAIN;";
    let text = module("", body);
    let kernel = emulator::load(&text, "test.ptx", "k").unwrap();
    let mut memory = Memory::new();
    let out = memory.allocate(16);
    let options = Options { threads: 4, budget: 10_000_000, ..Options::default() };
    let (grid, block) = (Dim3::linear(16), Dim3::linear(32));
    emulator::launch(&kernel, grid, block, 0, &[out, 0], &memory, options).unwrap();
    assert_eq!(memory.read_u32(out), [512, 0, 512, 0]);
}

#[test]
fn launches_fit_the_clusters_of_their_kernels() {
    let text = |directives: &str| {
        module("", "").replace(".param .u32 n) {", &format!(".param .u32 n)\n{directives} {{"))
    };
    for directives in
        [".reqnctapercluster 1, 1, 1 .explicitcluster", ".maxclusterrank 8", ".maxntid 256, 1, 1"]
    {
        emulator::load(&text(directives), "test.ptx", "k").unwrap();
    }
    for (directives, reason) in [
        (".explicitcluster .reqnctapercluster 2, 2", "cannot be divided into clusters of 2x2x1"),
        (".maxntid 128 .explicitcluster", "needs a cluster size"),
    ] {
        let kernel = emulator::load(&text(directives), "test.ptx", "k").unwrap();
        let (grid, block, memory) = (Dim3::linear(2), Dim3::linear(32), Memory::new());
        let options = Options::default();
        let trap = emulator::launch(&kernel, grid, block, 0, &[0, 0], &memory, options);
        let trap = trap.unwrap_err();
        assert!(trap.message.contains(reason), "{trap}");
    }
}

#[test]
fn bytes_that_align_dynamic_shared_memory_are_not_taken_from_it() {
    let items = ".extern .shared .align 128 .b8 dynamic[];";
    let body = ".shared .align 4 .b8 fixed[20]; st.shared.u32 [fixed], %r2; \
        mov.u32 %r3, dynamic; st.shared.u32 [%r3+252], %r1; ld.shared.u32 %r4, [%r3+252]; \
        st.global.u32 [%rd3], %r4;";
    let text = module(items, body);
    let kernel = emulator::load(&text, "test.ptx", "k").unwrap();
    assert_eq!(kernel.static_shared(), 128);
    let mut memory = Memory::new();
    let out = memory.allocate(64 * 4);
    let options = Options { threads: 1, ..Options::default() };
    let one = Dim3::linear(1);
    emulator::launch(&kernel, one, one, 256, &[out, 7], &memory, options).unwrap();
    assert_eq!(memory.read_u32(out)[0], 7);
}
