//! `warpscope exec`: structures as arguments, what kernels print, launches that
//! stop early, and samples for predictions.

use std::fs;

use crate::support::{Place, Ran};
use serde_json::{Value, json};

fn object(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

/// The start of a module with `printf`.
const PRINTS: &str = ".version 7.8\n.target sm_70\n.address_size 64\n\
    .extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n\
    .extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);\n\
    .global .align 1 .b8 text[16] = {98, 108, 111, 99, 107, 32, 37, 117, 10, 0};\n\
    .global .align 1 .b8 word[4] = {119, 0};\n";

/// A kernel whose blocks print `block N` by one lane each and then run `rest`.
fn prints(rest: &str) -> String {
    format!(
        "{PRINTS}.visible .entry k(.param .u64 out) {{\n\
         .local .align 8 .b8 frame[8]; .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p<3>;\n\
         mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0; mov.u32 %r2, %ctaid.x;\n\
         ld.param.u64 %rd5, [out]; st.global.u32 [%rd5], %r1;\n\
         @%p1 bra AFTER;\n\
         mov.u64 %rd1, frame; cvta.local.u64 %rd2, %rd1; st.local.u32 [frame], %r2;\n\
         mov.u64 %rd3, text; cvta.global.u64 %rd4, %rd3;\n\
         {{ .param .b64 a; .param .b64 b; .param .b32 r;\n\
         st.param.b64 [a], %rd4; st.param.b64 [b], %rd2;\n\
         call.uni (r), vprintf, (a, b); }}\n\
         AFTER: {rest}\nret; }}\n"
    )
}

/// A failed assertion in block 3.
const ASSERTS: &str = "setp.ne.u32 %p2, %r2, 3; @%p2 bra GOOD;\n\
    mov.u64 %rd3, word; cvta.global.u64 %rd4, %rd3;\n\
    { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;\n\
    st.param.b64 [a], %rd4; st.param.b64 [b], %rd4; st.param.b32 [c], 7; st.param.b64 [d], %rd4; st.param.b64 [e], 1;\n\
    call.uni __assertfail, (a, b, c, d, e); }\n\
    GOOD:";

#[test]
fn what_is_printed_comes_before_the_report() {
    let place = Place::new();
    fs::write(place.path("k.ptx"), prints("")).unwrap();
    let base = "exec k.ptx --block 32 --arg buffer=u32:1:zeros";
    let ran = place.run(&format!("{base} --grid 20")).fine();
    let expected: String = (0..20).map(|block| format!("block {block}\n")).collect();
    assert!(ran.out.starts_with(&format!("{expected}k of k.ptx")), "{}", ran.out);
    let json = object(&place.run(&format!("{base} --grid 20 --json")).fine());
    assert_eq!(json["printed"], expected);
}

#[test]
fn what_was_printed_and_counted_before_a_trap_is_kept() {
    let place = Place::new();
    fs::write(place.path("k.ptx"), prints(ASSERTS)).unwrap();
    let base = "exec k.ptx --grid 40 --block 64 --arg buffer=u32:1:zeros";
    for threads in [1, 2, 16] {
        let ran = place.run(&format!("{base} --threads {threads} --counters"));
        assert_eq!(ran.code, Some(3), "{ran:?}");
        let printed = ran.out.split("k of k.ptx").next().unwrap();
        assert_eq!(printed, "block 0\nblock 1\nblock 2\nblock 3\n", "{threads} threads");
        let told = if threads == 1 { "counters (up to the trap)" } else { "--threads 1 counts up" };
        assert!(ran.out.contains(told), "{threads} threads: {}", ran.out);
        assert!(ran.out.contains("assertion `w` failed"), "{}", ran.out);
    }
    let json = object(&place.run(&format!("{base} --threads 1 --json")));
    // Of the fourth block, the warp that fails has stored and the other has not.
    assert_eq!(json["counters"]["global_store_requests"], 2 * 3 + 1);
    assert_eq!(json["counters_are"], "up to the trap");
    assert_eq!(json["printed"], "block 0\nblock 1\nblock 2\nblock 3\n");
    let json = object(&place.run(&format!("{base} --threads 2 --json")));
    assert_eq!(json["counters"], Value::Null);
    assert!(json["counters_are"].as_str().unwrap().contains("--threads 1"), "{json}");
    // Blocks that run under the eyes of the sanitizer run one by one.
    let json = object(&place.run(&format!("{base} --check --json")));
    assert_eq!(json["counters_are"], "up to the trap");
}

/// `struct { float scale; float *to; unsigned n; }` by value, then a number.
const STRUCTURE: &str = ".version 7.8\n.target sm_50\n.address_size 64\n\
    .visible .entry scale(.param .align 8 .b8 s[24], .param .u32 add) {\n\
    .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;\n\
    ld.param.f32 %f1, [s]; ld.param.u64 %rd1, [s+8]; ld.param.u32 %r1, [s+16];\n\
    ld.param.u32 %r2, [add]; mov.u32 %r3, %tid.x; setp.ge.u32 %p1, %r3, %r1; @%p1 ret;\n\
    add.u32 %r4, %r3, %r2; cvt.rn.f32.u32 %f2, %r4; mul.f32 %f3, %f2, %f1;\n\
    mul.wide.u32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2;\n\
    st.global.f32 [%rd3], %f3; ret; }\n";

#[test]
fn structures_go_by_value_with_their_buffers() {
    let place = Place::new();
    fs::write(place.path("k.ptx"), STRUCTURE).unwrap();
    let base = "exec k.ptx --grid 1 --block 64";
    place
        .run(&format!(
            "{base} --arg struct=f32:0.5,buffer:f32:40:uninit,u32:40 --arg u32=2 --dump 0=out.raw --check"
        ))
        .fine();
    let expected: Vec<u8> =
        (0..40_u8).flat_map(|i| (f32::from(i + 2) * 0.5).to_le_bytes()).collect();
    assert_eq!(fs::read(place.path("out.raw")).unwrap(), expected);
    // The bound in the structure is wrong by 8: the buffer in it is known.
    let json = object(&place.run(&format!(
        "{base} --arg struct=f32:0.5,buffer:f32:40:uninit,u32:48 --arg u32=2 --check --json"
    )));
    assert_eq!(json["findings"][0]["kind"], "out-of-bounds");
    assert_eq!(json["findings"][0]["lanes"], json!([40, 41, 42, 43, 44, 45, 46, 47]));
    // All bytes given as such: no threads to run, the pointer is not used.
    place.run(&format!("{base} --arg bytes={} --arg u32=1", "00".repeat(24))).fine();
    for (argument, parts) in [
        (
            "u32=1",
            &["--arg 0: parameter `s` is .b8[24]", "structure of 24 bytes", "struct=FIELD"][..],
        ),
        (
            "struct=f32:1,u32:2",
            &["parameter `s` is .b8[24], 24 bytes", "has 8: f32 at 0, u32 at 4"],
        ),
        ("bytes=0011", &["24 bytes; the argument has 2"]),
        ("bytes=0x11", &["without 0x"]),
        ("struct=f32:1,buffer:f33:4:zeros,u32:1", &["no type `f33`", "f32"]),
        ("struct=f32", &["field `f32`"]),
    ] {
        place.run(&format!("{base} --arg {argument} --arg u32=1")).refused(parts);
    }
    let good = "--arg struct=f32:0.5,buffer:f32:40:zeros,u32:4 --arg u32=2";
    place.run(&format!("{base} {good} --dump 0.1=x")).refused(&["--dump 0.1", "has 1 buffer"]);
    place.run(&format!("{base} {good} --dump 1=x")).refused(&["argument 1 is a number"]);
    place.run(&format!("{base} {good} --dump 0.x=x")).refused(&["K.B=FILE"]);
    place
        .run(&format!("{base} --arg bytes={} --arg u32=2 --dump 0=x", "00".repeat(24)))
        .refused(&["argument 0 has no buffer"]);
}

const HISTOGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/ptx/histogram.ptx");
const PROGRAMS: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ptx_programs/programs_11.8_sm_70.ptx");

#[test]
fn a_sample_of_a_large_grid_predicts_what_all_of_it_does() {
    let place = Place::new();
    let n = 4000 * 128 - 70;
    let command = format!(
        "exec {HISTOGRAM} --entry histogram_shared_modulo --grid 4000 --block 128 --shared 1024 \
         --arg buffer=u32:{n}:random:3 --arg u32={n} --arg buffer=u32:256:zeros --arg u32=256 \
         --regs 24 --json"
    );
    let whole = object(&place.run(&command).fine());
    let sample = object(&place.run(&format!("{command} --predict")).fine());
    assert_eq!(sample["blocks"], json!({"ran": 514, "of": 4000}));
    assert_eq!(
        (&sample["model"]["sampled"], &whole["model"]["sampled"]),
        (&json!(true), &json!(false))
    );
    assert!(sample["counters_are"].as_str().unwrap().contains("sample"));
    for (name, value) in whole["counters"].as_object().unwrap() {
        let (all, some) = (value.as_f64().unwrap(), sample["counters"][name].as_f64().unwrap());
        assert!((all - some).abs() <= 0.02 * all, "{name}: {all} in all, {some} from the sample");
    }
    let seconds = |object: &Value| object["model"]["seconds"].as_f64().unwrap();
    assert!((seconds(&sample) / seconds(&whole) - 1.0).abs() < 0.02);
    // The last block, the one with fewer values, counts once: exact where all
    // blocks are alike but for it.
    assert_eq!(
        sample["counters"]["global_load_requests"],
        whole["counters"]["global_load_requests"]
    );
    let text = place.run(&format!("{} --predict", command.replace(" --json", ""))).fine().out;
    assert!(text.contains("yes: 514 of 4000 blocks ran"), "{text}");
}

#[test]
fn blocks_that_need_others_are_not_sampled() {
    let place = Place::new();
    let n = 600 * 128;
    for (entry, buffers) in [
        ("sum_by_last_block", "--arg buffer=u32:600:zeros --arg buffer=u32:1:zeros".to_owned()),
        (
            "scan_by_look_back",
            format!(
                "--arg buffer=u32:1200:zeros --arg buffer=u32:1:zeros --arg buffer=u32:{n}:zeros"
            ),
        ),
    ] {
        let ran = place.run(&format!(
            "exec {PROGRAMS} --entry {entry} --grid 600 --block 128 --arg buffer=u32:{n}:iota \
             --arg u32={n} {buffers} --regs 32 --predict"
        ));
        assert!(ran.out.contains("no, all blocks ran: its blocks"), "{entry}: {ran:?}");
    }
}

#[test]
fn of_a_large_grid_whose_blocks_need_others_the_first_run() {
    let place = Place::new();
    // Every block takes a ticket, and works for long.
    fs::write(
        place.path("k.ptx"),
        ".version 7.8\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p) {\n\
         .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;\n\
         ld.param.u64 %rd1, [p]; mov.u32 %r1, 0; atom.global.inc.u32 %r2, [%rd1], %r1;\n\
         mov.u32 %r3, 20000;\n\
         ROUND: add.u32 %r2, %r2, %r3; sub.u32 %r3, %r3, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra ROUND;\n\
         st.global.u32 [%rd1+4], %r2; ret; }\n",
    )
    .unwrap();
    let base = "exec k.ptx --grid 10000 --block 256 --arg buffer=u32:2:zeros --regs 16 --predict";
    let ran = object(&place.run(&format!("{base} --json")).fine());
    assert_eq!(ran["blocks"], json!({"ran": 4, "of": 10000}));
    assert_eq!(ran["counters_are"], "scaled from the first blocks");
    let doubts = ran["model"]["extrapolated"].as_array().unwrap();
    assert!(doubts.iter().any(|it| it.as_str().unwrap().contains("first blocks")), "{doubts:?}");
    assert_eq!(ran["model"]["interval"].as_array().unwrap().len(), 2);
    let text = place.run(base).fine().out;
    assert!(text.contains("yes: the first 4 of 10000 blocks ran"), "{text}");
}

#[test]
fn a_wait_that_no_sample_ends_is_stopped_by_the_budget() {
    let place = Place::new();
    // Block N waits, with plain loads, for what block N - 1 writes.
    fs::write(
        place.path("k.ptx"),
        ".version 7.8\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 done) {\n\
         .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;\n\
         ld.param.u64 %rd1, [done]; mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;\n\
         setp.eq.u32 %p1, %r1, 0; @%p1 bra DONE;\n\
         WAIT: ld.global.u32 %r2, [%rd3+-4]; setp.eq.u32 %p2, %r2, 0; @%p2 bra WAIT;\n\
         DONE: st.global.u32 [%rd3], 1; ret; }\n",
    )
    .unwrap();
    let base = "exec k.ptx --grid 1000 --block 1 --arg buffer=u32:1000:zeros --regs 16";
    place.run(&format!("{base} --threads 1")).fine();
    let ran = place.run(&format!("{base} --predict --budget 100000"));
    assert_eq!(ran.code, Some(3));
    assert!(ran.out.contains("runaway loop") && ran.out.contains("omit --predict"), "{ran:?}");
}
