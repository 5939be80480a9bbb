//! Kernels that can never end, and those that merely run long.

use std::fs;

use crate::support::{Place, Ran};

/// A kernel with a buffer at `%rd1`; the body begins in line 6.
fn module(body: &str) -> String {
    format!(
        ".version 7.8\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out) {{\n\
         .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p<3>; .shared .b32 s[4]; \
         ld.param.u64 %rd1, [out]; mov.u32 %r7, %tid.x; mov.u32 %r8, %ctaid.x;\n\
         {body}\nret; }}\n"
    )
}

fn run(body: &str, launch: &str) -> Ran {
    let place = Place::new();
    fs::write(place.path("k.ptx"), module(body)).unwrap();
    place.run(&format!("exec k.ptx --regs 16 --arg buffer=u32:64:zeros {launch}"))
}

const SPINS: &str = "L: ld.volatile.global.u32 %r1, [%rd1];\n\
    setp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;";

/// Takes a lock that nobody gives back.
const LOCKS: &str = "L: atom.global.cas.b32 %r1, [%rd1], 0, 1;\n\
    setp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;";

#[test]
fn a_kernel_that_spins_for_ever_is_a_livelock() {
    for (what, body, launch, part) in [
        ("one block", SPINS, "--grid 1 --block 96", "`ld.volatile.global.u32` never gets another"),
        ("all blocks", SPINS, "--grid 64 --block 32 --threads 2", "k.ptx:6, block (0, 0, 0)"),
        ("a lock", LOCKS, "--grid 1 --block 32", "`atom.global.cas.b32` never gets another"),
        ("a lock of many", LOCKS, "--grid 64 --block 64 --threads 2", "atom.global.cas.b32"),
        (
            "nothing at all",
            "L: bra L;",
            "--grid 1 --block 32",
            "at k.ptx:6, block (0, 0, 0), thread 0 and 31 more of its warp: the loop repeats",
        ),
        (
            "shared memory",
            "mov.u32 %r2, s; L: ld.volatile.shared.u32 %r1, [%r2]; setp.eq.u32 %p1, %r1, 0; \
             @%p1 bra L;",
            "--grid 1 --block 32",
            "ld.volatile.shared.u32",
        ),
        (
            "after work, with pauses that grow",
            "mov.u32 %r2, 0; M: red.global.add.u32 [%rd1+4], 1; add.u32 %r2, %r2, 1;\n\
             setp.lt.u32 %p1, %r2, 300000; @%p1 bra M; mov.u32 %r3, 8;\n\
             L: ld.volatile.global.u32 %r1, [%rd1]; nanosleep.u32 %r3; shl.b32 %r4, %r3, 1;\n\
             min.u32 %r3, %r4, 4096; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;",
            "--grid 1 --block 64",
            "k.ptx:8, block (0, 0, 0)",
        ),
        (
            "stores that change nothing",
            "L: st.global.u32 [%rd1+4], 7; red.global.or.b32 [%rd1+8], 1; bra L;",
            "--grid 1 --block 32",
            "livelock",
        ),
        (
            "a long way round, of another length in each warp",
            "shr.u32 %r4, %r7, 5; add.u32 %r3, %r4, 1001; mov.u32 %r2, 0;\n\
             L: add.u32 %r2, %r2, 1; rem.u32 %r2, %r2, %r3;\n\
             ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;",
            "--grid 8 --block 128 --threads 2",
            "`ld.volatile.global.u32` never gets another",
        ),
        (
            "some threads of a warp",
            "setp.lt.u32 %p2, %r7, 5; @%p2 bra END;\nL: ld.volatile.global.u32 %r1, [%rd1]; \
             setp.eq.u32 %p1, %r1, 0; @%p1 bra L;\nEND:",
            "--grid 1 --block 32",
            "thread 5 and 26 more",
        ),
        (
            "a block that waits for a later one",
            "setp.ne.u32 %p2, %r8, 0; @%p2 bra SET;\nL: ld.volatile.global.u32 %r1, [%rd1]; \
             setp.eq.u32 %p1, %r1, 0; @%p1 bra L;\nSET: st.volatile.global.u32 [%rd1], 1;",
            "--grid 2 --block 32",
            "1 of 2 blocks have started",
        ),
    ] {
        let ran = run(body, launch);
        assert_eq!(ran.code, Some(3), "{what}: {ran:?}");
        assert!(ran.out.contains("livelock in kernel k"), "{what}: {}", ran.out);
        assert!(ran.out.contains(part), "{what}: {}", ran.out);
    }
}

#[test]
fn a_kernel_that_runs_long_or_waits_for_another_block_is_none() {
    for (what, body, launch) in [
        (
            "a loop that counts",
            "mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 4000000; @%p1 bra L;",
            "--grid 1 --block 32",
        ),
        (
            "a loop whose registers repeat while it counts in memory",
            "L: red.global.add.u32 [%rd1], 1; ld.volatile.global.u32 %r1, [%rd1]; \
             setp.lt.u32 %p1, %r1, 3000000; mov.u32 %r1, 0; @%p1 bra L;",
            "--grid 1 --block 1",
        ),
        (
            "a loop that ends by the clock",
            "mov.u64 %rd2, %clock64; L: mov.u64 %rd3, %clock64; sub.u64 %rd3, %rd3, %rd2; \
             setp.lt.u64 %p1, %rd3, 9000000; @%p1 bra L;",
            "--grid 1 --block 32",
        ),
        (
            "block 0 waits for block 1, which takes long",
            "setp.eq.u32 %p2, %r8, 1; @%p2 bra SET; setp.ne.u32 %p2, %r8, 0; @%p2 bra END;\n\
             L: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; bra END;\n\
             SET: mov.u32 %r2, 0; M: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 9000000; \
             @%p1 bra M; st.volatile.global.u32 [%rd1], 1;\nEND:",
            "--grid 16 --block 32 --threads 2",
        ),
    ] {
        let ran = run(body, launch);
        assert_eq!(ran.code, Some(0), "{what}: {ran:?}");
    }
}

#[test]
fn printing_without_end_ends_by_the_text() {
    let place = Place::new();
    let text = ".version 7.8\n.target sm_70\n.address_size 64\n\
        .extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n\
        .global .align 1 .b8 text[4] = {104, 105, 10, 0};\n\
        .visible .entry k() { .reg .b64 %rd<9>;\n\
        mov.u64 %rd3, text; cvta.global.u64 %rd4, %rd3;\n\
        L: { .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd4;\n\
        st.param.b64 [b], 0; call.uni (r), vprintf, (a, b); }\nbra L; }\n";
    fs::write(place.path("k.ptx"), text).unwrap();
    let ran = place.run("exec k.ptx --grid 1 --block 32 --regs 16");
    assert_eq!(ran.code, Some(3), "{} bytes", ran.out.len());
    let report = ran.out.rsplit("hi\n").next().unwrap();
    assert!(report.contains("runaway loop") && report.contains("printed more than"), "{report}");
    assert!(report.contains("k.ptx:9"), "{report}");
    assert!(ran.out.len() < (1 << 20) + 4096);
}

#[test]
fn a_kernel_of_a_hundred_thousand_labels_runs() {
    let place = Place::new();
    let many = |each: &dyn Fn(u32) -> String| (0..100_000).map(each).collect::<String>();
    for (what, body) in [
        ("labels", many(&|i| format!("L{i}: add.u32 %r1, %r1, 1;\n"))),
        ("jumps", many(&|i| format!("bra L{i}; L{i}: add.u32 %r1, %r1, 1;\n"))),
        ("ifs", many(&|i| format!("@%p1 bra L{i}; add.u32 %r1, %r1, 1; L{i}:\n"))),
        ("ways to the end", many(&|_| "@%p1 bra END; add.u32 %r1, %r1, 1;\n".to_owned()) + "END:"),
        (
            "nested loops",
            many(&|i| format!("L{i}:\n")) + &many(&|i| format!("@%p1 bra L{};\n", 99_999 - i)),
        ),
    ] {
        let first = "setp.ne.u32 %p1, %r7, %r7; mov.u32 %r1, 0;\n";
        fs::write(place.path("k.ptx"), module(&format!("{first}{body}"))).unwrap();
        let launch = "--grid 1 --block 32 --regs 16 --arg buffer=u32:1:zeros";
        let ran = place.run(&format!("exec k.ptx {launch}"));
        assert_eq!(ran.code, Some(0), "{what}: {}", ran.err);
    }
}

#[test]
fn an_unknown_instruction_has_a_way_out() {
    let ran = run("foo.bar.u32 %r1, %r2;", "--grid 1 --block 32");
    ran.refused(&["k.ptx:6", "`foo.bar.u32` is not supported", "--backend cuda"]);
}
