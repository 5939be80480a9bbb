//! Kernels of one file that read the output of the kernel before them.

use std::fs;

use crate::support::Place;

/// `squares` writes i^2, `sums` adds up 32 of them, `total` adds up the sums. The PTX is written by
/// hand, so that no compiler is needed.
const FILE: &str = r#"/* warpscope
block  = 32
grid   = "ceil(n / block)"
args   = ["squares: u32[n] zeros", "n: u32 = n"]
output = "squares"
[kernel.sums]
grid   = "ceil(n / block)"
args   = ["squares: u32[n] from squares", "sums: u32[ceil(n / block)] zeros", "n: u32 = n"]
output = "sums"
[kernel.total]
grid   = "1"
args   = [
    "sums: u32[ceil(n / block)] from sums",
    "total: u32[1] zeros",
    "count: u32 = ceil(n / block)",
]
output = "total"
*/
.version 7.0
.target sm_70
.address_size 64
.visible .entry squares(.param .u64 out, .param .u32 n) {
.reg .pred %p; .reg .b32 %r<6>; .reg .b64 %rd<4>;
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
mad.lo.u32 %r1, %r1, %r2, %r3;
ld.param.u32 %r4, [n]; setp.ge.u32 %p, %r1, %r4; @%p ret;
ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;
mul.lo.u32 %r5, %r1, %r1; st.global.u32 [%rd1], %r5;
ret; }
.visible .entry sums(.param .u64 in, .param .u64 out, .param .u32 n) {
.reg .pred %p; .reg .b32 %r<8>; .reg .b64 %rd<6>;
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
mad.lo.u32 %r4, %r1, %r2, %r3;
ld.param.u32 %r5, [n]; setp.ge.u32 %p, %r4, %r5; @%p ret;
ld.param.u64 %rd1, [in]; mul.wide.u32 %rd2, %r4, 4; add.u64 %rd1, %rd1, %rd2;
ld.global.u32 %r6, [%rd1];
ld.param.u64 %rd3, [out]; mul.wide.u32 %rd4, %r1, 4; add.u64 %rd3, %rd3, %rd4;
red.global.add.u32 [%rd3], %r6;
ret; }
.visible .entry total(.param .u64 in, .param .u64 out, .param .u32 count) {
.reg .pred %p; .reg .b32 %r<6>; .reg .b64 %rd<6>;
ld.param.u64 %rd1, [in]; ld.param.u64 %rd3, [out]; ld.param.u32 %r1, [count];
mov.u32 %r2, %tid.x;
Next: setp.ge.u32 %p, %r2, %r1; @%p ret;
mul.wide.u32 %rd2, %r2, 4; add.u64 %rd2, %rd1, %rd2;
ld.global.u32 %r3, [%rd2]; red.global.add.u32 [%rd3], %r3;
mov.u32 %r4, %ntid.x; add.u32 %r2, %r2, %r4; bra Next; }
"#;

#[test]
fn a_kernel_reads_the_output_of_the_one_before() {
    let place = Place::new();
    fs::write(place.path("order.ptx"), FILE).unwrap();
    for (n, block) in [(100, 32), (1, 32), (1000, 128), (33, 64)] {
        let command = format!("run order.ptx --variant total -n {n} --block {block}");
        let ran = place.run(&format!("{command} --backend emulator"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let squares = (0..n).map(|i| i * i).sum::<u32>();
        let shown = ran.out.lines().find(|line| line.trim_start().starts_with("highest")).unwrap();
        let digits: String =
            shown.split(" in bar").next().unwrap().chars().filter(char::is_ascii_digit).collect();
        assert_eq!(digits.parse(), Ok(squares), "{n} {block}: {}", ran.out);
    }
}

#[test]
fn sweeps_and_traces_have_it_too() {
    let place = Place::new();
    fs::write(place.path("order.ptx"), FILE).unwrap();
    let swept = place.run("sweep order.ptx -n 2^6,2^8 --block 32,64 --backend emulator -o o.jsonl");
    assert_eq!(swept.code, Some(0), "{}", swept.err);
    let stored = fs::read_to_string(place.path("o.jsonl")).unwrap();
    let cases = stored.lines().filter(|line| line.contains("\"variant\""));
    assert_eq!(cases.clone().count(), 12, "{stored}");
    assert!(cases.clone().all(|line| line.contains("\"verified\":true")), "{stored}");
    // They do different things: the report has their counters, and no reason why one is faster.
    let exported = place.run("export o.jsonl --format html -o o.html");
    assert_eq!(exported.code, Some(0), "{}", exported.err);
    let report = fs::read_to_string(place.path("o.html")).unwrap();
    assert!(report.contains("<h3>Counters</h3>") && !report.contains("is faster than"));
    let traced = place.run("run order.ptx --variant total -n 2^6 --trace 0:0 --backend emulator");
    assert_eq!(traced.code, Some(0), "{}", traced.err);
    // The sum of the first 32 squares, as it was loaded.
    let loads = traced.out.lines().any(|line| line.contains("ld.global") && line.contains("10416"));
    assert!(loads, "{}", traced.out);
}

#[test]
fn a_producer_that_traps_is_named() {
    let place = Place::new();
    let wrong =
        FILE.replacen("st.global.u32 [%rd1], %r5;", "st.global.u32 [%rd1+4096000], %r5;", 1);
    fs::write(place.path("order.ptx"), wrong).unwrap();
    let ran = place.run("run order.ptx --variant total -n 64 --backend emulator");
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    let said = format!("{}{}", ran.out, ran.err);
    assert!(said.contains("the kernel squares, which must run first, trapped: "), "{said}");
    assert!(said.contains("order.ptx:"), "{said}");
}

#[test]
fn a_producer_that_takes_long_skips_the_case_with_a_way_out() {
    let place = Place::new();
    let turns = "mov.u32 %r3, 8192; Turn: add.u32 %r5, %r5, 1; sub.u32 %r3, %r3, 1; \
                 setp.ne.u32 %p, %r3, 0; @%p bra Turn; mul.lo.u32 %r5, %r1, %r1;";
    let slow = FILE.replacen("mul.lo.u32 %r5, %r1, %r1;", turns, 1);
    fs::write(place.path("order.ptx"), slow).unwrap();
    let ran = place.run("run order.ptx --variant sums -n 2^22 --backend emulator");
    let said = format!("{}{}", ran.out, ran.err);
    assert!(said.contains("the kernel squares, which must run first, takes too long"), "{said}");
    assert!(said.contains("try a smaller n, or `--sample never`"), "{said}");
    let small = place.run("run order.ptx --variant sums -n 2^10 --backend emulator");
    assert_eq!(small.code, Some(0), "{}", small.err);
}
