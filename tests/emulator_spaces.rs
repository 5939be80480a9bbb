//! State spaces, exchanges among lanes, calls and barriers of the emulator,
//! against what plain Rust computes.
#![allow(clippy::unwrap_used)]

use warpscope::emulator::{self, Memory, Options, Outcome};
use warpscope::launch::{Dim3, Trap, TrapKind};

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
    let options = Options { threads: 1, budget: 1_000_000 };
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
