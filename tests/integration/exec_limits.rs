//! Whatever PTX a user brings: `exec` does not panic, stays in its memory, and
//! ends within its budget.

use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use std::process::Stdio;

use crate::support::{Place, Ran};

/// Most memory of a launch beside its buffers and the local memory and stacks of
/// the blocks that run at a time, in KiB. The last part is what the binary
/// itself and its threads map in.
const BESIDE: u64 = (64 + 32) << 10;

/// Runs the binary and watches it; gives also the most memory it held, in KiB.
fn measured(place: &Place, arguments: &str) -> (Ran, u64) {
    let mut child = place
        .command(arguments)
        .env("RAYON_NUM_THREADS", "4")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    // The peak never falls, so the last look before the end has it; pages that
    // it takes later than that are those of its last instants.
    let read = |pipe: Option<Box<dyn Read + Send>>| {
        std::thread::spawn(move || {
            let mut text = Vec::new();
            pipe.unwrap().read_to_end(&mut text).unwrap();
            String::from_utf8_lossy(&text).into_owned()
        })
    };
    let out = read(child.stdout.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>));
    let err = read(child.stderr.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>));
    let code = loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        if let Some(held) = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()) {
            peak = peak.max(held);
        }
        if let Some(status) = child.try_wait().unwrap() {
            break status.code();
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    };
    (Ran { code, out: out.join().unwrap(), err: err.join().unwrap() }, peak)
}

/// Runs it and fails unless it ended by itself, in words, inside `more` KiB
/// beyond what every launch may take.
#[track_caller]
fn held(place: &Place, arguments: &str, more: u64) -> Ran {
    let (ran, peak) = measured(place, arguments);
    let shown = |text: &str| text.chars().take(400).collect::<String>();
    let said = shown(&format!("{}{}", ran.out, ran.err));
    assert!(matches!(ran.code, Some(0 | 2 | 3)), "{arguments}: {:?}: {said}", ran.code);
    assert!(!ran.err.contains("panicked"), "{arguments}: {said}");
    assert!(peak <= BESIDE + more, "{arguments}: {peak} KiB: {said}");
    println!("{peak:>8} KiB, exit {}: {}", ran.code.unwrap(), said.lines().next().unwrap_or(""));
    ran
}

/// A module with this before the kernel and this in it.
fn module(before: &str, body: &str) -> String {
    format!(
        ".version 7.8\n.target sm_70\n.address_size 64\n{before}\n\
         .visible .entry k(.param .u64 p) {{\n\
         .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<9>;\n{body}\nret; }}\n"
    )
}

const BASE: &str = "exec k.ptx --arg buffer=u32:64:zeros --regs 16";

#[test]
fn huge_declarations_are_refused() {
    let place = Place::new();
    for (before, body, exit) in [
        (".shared .align 4 .b8 s[4294967312];", "mov.u64 %rd1, s;", 2),
        (".shared .align 4 .b8 s[300000];", "mov.u64 %rd1, s;", 3),
        (".shared .align 4 .b8 s[18446744073709551615];", "mov.u64 %rd1, s;", 2),
        ("", ".shared .align 4 .b8 s[1099511627776]; mov.u64 %rd1, s;", 2),
        ("", ".local .align 4 .b8 l[1099511627776]; mov.u64 %rd1, l;", 2),
        ("", ".local .align 4 .b8 l[18446744073709551600]; mov.u64 %rd1, l;", 2),
        (".global .align 4 .b8 g[1099511627776];", "mov.u64 %rd1, g;", 2),
        (".global .align 4 .b8 g[18446744073709551600];", "mov.u64 %rd1, g;", 2),
        (".const .align 4 .b8 c[1099511627776];", "mov.u64 %rd1, c;", 2),
        ("", ".reg .b32 %x<4294967295>; mov.u32 %x4294967294, 1;", 0),
        ("", ".reg .b64 %x<99999999999999999999>; mov.u64 %x1, 1;", 2),
        ("", ".reg .b32 %x<1000000000>; add.u32 %x999999999, %x0, 1;", 0),
    ] {
        fs::write(place.path("k.ptx"), module(before, body)).unwrap();
        let ran = held(&place, &format!("{BASE} --grid 4 --block 32"), 0);
        assert_eq!(ran.code, Some(exit), "{before} {body}: {ran:?}");
        assert!(
            exit == 0 || ran.code == Some(3) || ran.err.starts_with("error: k.ptx:"),
            "{ran:?}"
        );
    }
}

#[test]
fn static_and_dynamic_shared_memory_count_together() {
    let place = Place::new();
    let kernel = module(".shared .align 4 .b8 s[1000];", "mov.u64 %rd1, s;");
    fs::write(place.path("k.ptx"), kernel).unwrap();
    // 227 KiB on an H200, 64 KiB on a T4; 48 KiB is no limit.
    for (gpu, dynamic, exit) in [
        ("H200", 48 << 10, 0),
        ("H200", (227 << 10) - 1000, 0),
        ("H200", (227 << 10) - 999, 3),
        ("T4", (64 << 10) - 1000, 0),
        ("T4", (64 << 10) - 999, 3),
    ] {
        let arguments = format!("{BASE} --gpu {gpu} --grid 1 --block 32 --shared {dynamic}");
        let ran = held(&place, &arguments, 0);
        assert_eq!(ran.code, Some(exit), "{gpu} {dynamic}: {ran:?}");
        let said = format!("{}{}", ran.out, ran.err);
        assert!(exit == 0 || said.contains("bytes of shared memory"), "{said}");
    }
}

#[test]
fn large_local_memory_runs_on_fewer_threads() {
    let place = Place::new();
    // What a GPU allows a thread at most, in blocks of 1024: 512 MiB a block.
    let body = ".local .align 4 .b8 l[524288]; mov.u32 %r1, 1; st.local.u32 [l+524284], %r1;\n\
                ld.local.u32 %r2, [l+524284];";
    fs::write(place.path("k.ptx"), module("", body)).unwrap();
    held(&place, &format!("{BASE} --grid 16 --block 1024"), 1 << 20).fine();
    fs::write(place.path("k.ptx"), module("", &body.replace("524288", "600000"))).unwrap();
    assert_eq!(held(&place, &format!("{BASE} --grid 16 --block 1024"), 0).code, Some(2));
}

#[test]
fn recursion_without_end_is_a_trap() {
    let place = Place::new();
    let function = ".visible .func (.param .b32 r) f(.param .b32 n) {\n\
        .reg .b32 %r<40>; ld.param.u32 %r1, [n]; add.u32 %r2, %r1, 1;\n\
        { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call.uni (b), f, (a);\n\
        ld.param.b32 %r3, [b]; } add.u32 %r4, %r3, %r1; st.param.b32 [r], %r4; ret; }";
    let body = "mov.u32 %r1, 0; { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;\n\
                call.uni (b), f, (a); ld.param.b32 %r2, [b]; }";
    fs::write(place.path("k.ptx"), module(function, body)).unwrap();
    let ran = held(&place, &format!("{BASE} --grid 64 --block 1024"), 1 << 20);
    assert_eq!(ran.code, Some(3));
    assert!(ran.out.contains("stack overflowed"), "{ran:?}");
}

#[test]
fn launches_end_within_their_budget() {
    let place = Place::new();
    fs::write(place.path("k.ptx"), module("", "L: bra.uni L;")).unwrap();
    let ran = held(&place, &format!("{BASE} --grid 2147483647 --block 32 --budget 1M"), 0);
    assert!(ran.out.contains("runaway loop"), "{ran:?}");
    // No block runs away, but there are too many.
    fs::write(place.path("k.ptx"), module("", "mov.u32 %r1, 5;")).unwrap();
    for threads in [1, 4] {
        let ran = held(
            &place,
            &format!(
                "{BASE} --grid 2147483647,65535,65535 --block 32 --budget 100000 --threads {threads}"
            ),
            0,
        );
        assert_eq!(ran.code, Some(3), "{ran:?}");
        assert!(ran.out.contains("the launch used up its budget of 100000 warp"), "{ran:?}");
    }
    // All lanes that wait for each other, watched and not.
    let lock = "ld.param.u64 %rd1, [p]; L: atom.global.cas.b32 %r1, [%rd1], 7, 1;\n\
                setp.ne.u32 %p1, %r1, 7; @%p1 bra L;";
    fs::write(place.path("k.ptx"), module("", lock)).unwrap();
    for more in ["", "--check"] {
        let ran = held(&place, &format!("{BASE} --grid 9 --block 32 --budget 1M {more}"), 0);
        assert_eq!(ran.code, Some(3), "{ran:?}");
        assert!(ran.out.contains("runaway loop"), "{ran:?}");
    }
}

#[test]
fn printing_without_end_is_cut() {
    let place = Place::new();
    let before = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n\
        .global .align 1 .b8 text[16] = {37, 52, 48, 57, 53, 117, 10, 0};";
    let body = "mov.u64 %rd3, text; cvta.global.u64 %rd4, %rd3; mov.u32 %r1, 0;\n\
        L: { .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd4;\n\
        st.param.b64 [b], 0; call.uni (r), vprintf, (a, b); }\n\
        add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 20; @%p1 bra L;";
    fs::write(place.path("k.ptx"), module(before, body)).unwrap();
    let ran = held(&place, &format!("{BASE} --grid 300 --block 32"), 0).fine();
    assert!(ran.out.len() < (1 << 20) + 4096, "{}", ran.out.len());
}

#[test]
fn buffers_larger_than_the_machine_are_refused() {
    let place = Place::new();
    fs::write(place.path("k.ptx"), module("", "")).unwrap();
    let base = "exec k.ptx --grid 1 --block 32 --regs 16";
    let ran = held(&place, &format!("{base} --arg buffer=f64:128Gi:zeros"), 0);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("the buffers need"), "{ran:?}");
    // One that fits is held once, however it is filled and written out. The bound is
    // below its size, so a copy of a part of it would show too.
    let most = (96 - 48) << 10;
    for init in ["iota", "random:1", "zeros", "uninit"] {
        let arguments = format!("{base} --arg buffer=u8:96Mi:{init} --dump 0=out.raw");
        held(&place, &arguments, most).fine();
    }
    held(&place, &format!("{base} --arg buffer=u8:96Mi:@out.raw"), most).fine();
}

#[test]
fn text_of_any_shape_is_refused_or_run() {
    let place = Place::new();
    let nested = |open: &str, close: &str, depth: usize| {
        module("", &format!("{}{}", open.repeat(depth), close.repeat(depth)))
    };
    let mut many = String::new();
    for index in 0..200_000 {
        writeln!(many, "L{index}: add.u32 %r1, %r1, {index};").unwrap();
    }
    let cases: [(&str, Vec<u8>); 12] = [
        (
            "garbage",
            (0..16_u32 << 20).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect(),
        ),
        ("letters", b"a".repeat(16 << 20)),
        ("lines", b"\n".repeat(16 << 20)),
        ("parentheses", b"(".repeat(16 << 20)),
        ("braces in a kernel", nested("{", "}", 1_000_000).into_bytes()),
        ("open braces", module("", &"{".repeat(5_000_000)).into_bytes()),
        (
            "vectors",
            nested("mov.u32 %r1, {", "};", 1).replace("{}", &"{".repeat(100_000)).into_bytes(),
        ),
        (
            "parameters",
            nested("call f, (", ");", 1).replace("()", &"(".repeat(100_000)).into_bytes(),
        ),
        (
            "initialisers",
            module(&format!(".global .b32 g = {};", "{".repeat(1_000_000)), "").into_bytes(),
        ),
        ("scopes", module("", &"{}".repeat(3 << 20)).into_bytes()),
        ("returns", module("", &"ret;".repeat(3 << 20)).into_bytes()),
        ("many instructions", module("", &many).into_bytes()),
    ];
    for (name, bytes) in cases {
        fs::write(place.path("k.ptx"), bytes).unwrap();
        println!("{name}");
        // A syntax tree is many times as large as its text.
        let ran = held(&place, &format!("{BASE} --grid 1 --block 32"), 512 << 10);
        assert!(ran.err.len() < 500, "{name}: {}", ran.err.len());
    }
    let file = fs::File::create(place.path("k.ptx")).unwrap();
    file.set_len(100 << 20).unwrap();
    let ran = held(&place, &format!("{BASE} --grid 1 --block 32"), 0);
    assert!(ran.code == Some(2) && ran.err.contains("a PTX file has at most"), "{ran:?}");
}
