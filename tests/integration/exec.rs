//! `warpscope exec` end to end: the real binary on PTX of our own and on
//! nonsense.

use std::collections::BTreeMap;
use std::fs;

use crate::support::{Place, Ran};
use serde_json::Value;

const HISTOGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/ptx/histogram.ptx");

/// PTX that doubles `n` elements of an integer type in place.
fn double(ty: &str, bits: u32) -> String {
    let bytes = bits / 8;
    let (register, arithmetic) = if bits == 64 { ("b64", "s64") } else { ("b32", "s32") };
    format!(
        ".version 7.8\n.target sm_50\n.address_size 64\n\
         .visible .entry double(.param .u64 values, .param .u32 n) {{\n\
         .reg .pred %p<2>; .reg .{register} %v<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n\
         mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n\
         mad.lo.s32 %r4, %r1, %r2, %r3; ld.param.u32 %r5, [n];\n\
         setp.ge.u32 %p1, %r4, %r5; @%p1 bra END;\n\
         ld.param.u64 %rd1, [values]; mul.wide.u32 %rd2, %r4, {bytes}; add.s64 %rd3, %rd1, %rd2;\n\
         ld.global.{ty} %v1, [%rd3];\n\
         add.{arithmetic} %v2, %v1, %v1;\n\
         st.global.{ty} [%rd3], %v2;\n\
         END: ret; }}\n"
    )
}

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

/// Fails unless the launch trapped or something was found.
#[track_caller]
fn trapped(ran: Ran) -> Ran {
    assert_eq!(ran.code, Some(3), "{ran:?}");
    ran
}

fn histogram(place: &Place, n: u32, more: &str) -> Ran {
    place.run(&format!(
        "exec {HISTOGRAM} --entry histogram_shared_modulo --grid 4 --block 256 --shared 32 \
         --arg buffer=u32:4096:iota --arg u32={n} --arg buffer=u32:8:zeros --arg u32=8 {more}"
    ))
}

#[test]
fn a_launch_gives_its_buffers() {
    let place = Place::new();
    histogram(&place, 4096, "--dump 2=bins.raw --dump 0=values.raw").fine();
    let bins = fs::read(place.path("bins.raw")).unwrap();
    assert_eq!(bins, [0, 2, 0, 0].repeat(8), "512 values in each of 8 bins");
    let values = fs::read(place.path("values.raw")).unwrap();
    let expected: Vec<u8> = (0..4096_u32).flat_map(u32::to_le_bytes).collect();
    assert_eq!(values, expected);
}

#[test]
fn buffers_of_every_integer_type_go_in_and_out() {
    let place = Place::new();
    for (ty, bits) in [
        ("u8", 8),
        ("s8", 8),
        ("u16", 16),
        ("s16", 16),
        ("u32", 32),
        ("s32", 32),
        ("u64", 64),
        ("s64", 64),
    ] {
        fs::write(place.path("k.ptx"), double(ty, bits)).unwrap();
        let size = bits as usize / 8;
        // 300 elements, the last byte of which no wider access could reach.
        let run = |init: &str, n: u32| {
            place
                .run(&format!(
                    "exec k.ptx --grid 3 --block 128 --arg buffer={ty}:300:{init} --arg u32={n} --dump 0=out.raw"
                ))
                .fine();
            fs::read(place.path("out.raw")).unwrap()
        };
        let element = |value: u64| value.to_le_bytes()[..size].to_vec();
        assert_eq!(run("ones", 300), (0..300).flat_map(|_| element(2)).collect::<Vec<_>>(), "{ty}");
        let doubled: Vec<u8> = (0..300).flat_map(|i| element(2 * i)).collect();
        assert_eq!(run("iota", 300), doubled, "{ty}");
        assert_eq!(run("zeros", 300), vec![0; 300 * size], "{ty}");
        let random = run("random:5", 0);
        assert_eq!(random, run("random:5", 0), "{ty}");
        assert_ne!(random, run("random:6", 0), "{ty}");
        // What one launch gave is what the next one takes.
        fs::write(place.path("in.raw"), &random).unwrap();
        assert_eq!(run("@in.raw", 0), random, "{ty}");
    }
}

#[test]
fn json_has_every_key() {
    let place = Place::new();
    let object = json(&histogram(&place, 4096, "--json --regs 20 --gpu T4").fine());
    assert_eq!(object["trap"], Value::Null);
    assert!(object["seconds_wall"].as_f64().unwrap() > 0.0);
    let model = &object["model"];
    assert!(model["gpu"].as_str().unwrap().contains("T4"), "{model}");
    assert!(model["seconds"].as_f64().unwrap() > 0.0);
    assert!(!model["bound_by"].as_str().unwrap().is_empty());
    assert_eq!(model["registers"]["count"], 20);
    let counters = &object["counters"];
    for (name, value) in [
        ("global_load_requests", 128),
        ("global_load_sectors", 512),
        ("global_store_requests", 0),
        ("global_store_sectors", 0),
        ("global_atomic_requests", 4),
        ("global_atomic_sectors", 4),
        ("shared_load_wavefronts", 4),
        ("shared_store_wavefronts", 4),
        ("shared_bank_conflicts", 0),
        ("divergent_branches", 8),
        ("barriers", 64),
    ] {
        assert_eq!(counters[name], value, "{name}");
    }
    for name in ["thread_instructions", "warp_instructions", "shared_atomic_wavefronts"] {
        assert!(counters[name].as_u64().unwrap() > 0, "{name}");
    }
    assert!(object.get("lines").is_none(), "only with --counters");
}

#[test]
fn lines_add_up_to_the_totals() {
    let place = Place::new();
    let object = json(&histogram(&place, 4000, "--json --counters").fine());
    let lines = object["lines"].as_array().unwrap();
    for (total, parts) in [
        ("warp_instructions", "warp_instructions"),
        ("thread_instructions", "thread_instructions"),
        ("global_load_requests", "global_load_requests"),
        ("global_load_sectors", "global_load_sectors"),
        ("global_atomic_requests", "global_atomic_requests"),
        ("global_atomic_sectors", "global_atomic_sectors"),
        ("divergent_branches", "divergent_branches"),
        ("barriers", "barriers"),
    ] {
        let sum: u64 = lines.iter().map(|line| line[parts].as_u64().unwrap()).sum();
        assert_eq!(Some(sum), object["counters"][total].as_u64(), "{total}");
    }
    let loads: BTreeMap<u64, u64> = lines
        .iter()
        .map(|line| {
            (line["line"].as_u64().unwrap(), line["global_load_requests"].as_u64().unwrap())
        })
        .filter(|(_, loads)| *loads > 0)
        .collect();
    assert_eq!(loads, BTreeMap::from([(139, 128 - 3)]), "the one line that reads values");
    assert!(lines.iter().all(|line| line["file"] == "kernels/histogram.cu"));
    let table = histogram(&place, 4000, "--counters").fine().out;
    assert!(table.contains("kernels/histogram.cu:139"), "{table}");
}

#[test]
fn ptx_without_source_lines_is_counted_by_its_own() {
    let place = Place::new();
    fs::write(place.path("k.ptx"), double("u32", 32)).unwrap();
    let arguments = "exec k.ptx --grid 2 --block 64 --arg buffer=u32:128:iota --arg u32=128";
    let object = json(&place.run(&format!("{arguments} --counters --json")).fine());
    let line = |number: u64| {
        let lines = object["lines"].as_array().unwrap();
        lines.iter().find(|line| line["line"] == number).unwrap().clone()
    };
    assert_eq!(line(10)["global_load_sectors"], 16);
    assert_eq!(line(12)["global_store_requests"], 4);
    assert_eq!(line(12)["file"], "k.ptx");
}

#[test]
fn traps_end_with_3_and_name_the_place() {
    let place = Place::new();
    let object = json(&trapped(histogram(&place, 5000, "--json")));
    let trap = &object["trap"];
    assert_eq!((trap["kind"].as_str(), trap["line"].as_u64()), (Some("out-of-bounds"), Some(139)));
    assert_eq!(object["model"], Value::Null);
    assert_eq!(object["counters_are"], "up to the trap");
    assert!(object["counters"]["global_load_requests"].as_u64().unwrap() > 0);
    let text = trapped(histogram(&place, 5000, "")).out;
    assert!(text.contains("kernels/histogram.cu:139, block (0, 0, 0)"), "{text}");
    let text = trapped(histogram(&place, 4096, "--budget 50")).out;
    assert!(
        text.contains("runaway loop in kernel histogram_shared_modulo at kernels/histogram.cu:"),
        "{text}"
    );
    let wide = format!(
        "exec {HISTOGRAM} --entry histogram_global_modulo --grid 1 --block 512 --regs 255 \
         --arg buffer=u32:8:iota --arg u32=8 --arg buffer=u32:8:zeros --arg u32=8"
    );
    let text = trapped(place.run(&wide)).out;
    assert!(text.contains("launch failed") && text.contains("registers"), "{text}");
}

#[test]
fn predictions_say_what_they_rest_on() {
    let place = Place::new();
    let text = histogram(&place, 4096, "--predict --regs 24").fine().out;
    assert!(text.contains("24 per thread (--regs)") && text.contains("all blocks ran"), "{text}");
    let mut without = place.command(&format!(
        "exec {HISTOGRAM} --entry histogram_global_modulo --grid 1 --block 32 \
         --arg buffer=u32:32:iota --arg u32=32 --arg buffer=u32:8:zeros --arg u32=8 --json"
    ));
    let ran = Ran::from(without.env("PATH", "/nowhere").output().unwrap()).fine();
    assert_eq!(json(&ran)["model"]["registers"]["from"], "estimate");
}

#[test]
fn wrong_arguments_are_refused_by_name() {
    let place = Place::new();
    let base = format!("exec {HISTOGRAM} --entry histogram_global_modulo --grid 1 --block 32");
    let good = "--arg buffer=u32:8:zeros --arg u32=8 --arg buffer=u32:8:zeros --arg u32=8";
    place.run(&format!("{base} {good}")).fine();
    for (arguments, parts) in [
        ("--arg u32=1", &["--arg: histogram_global_modulo needs 4 arguments, not 1", ".u32"][..]),
        (
            "--arg buffer=u32:8:zeros --arg f32=8 --arg buffer=u32:8:zeros --arg u32=8",
            &["--arg 1: parameter", "use u32, s32"],
        ),
        (
            "--arg u32=1 --arg u32=8 --arg buffer=u32:8:zeros --arg u32=8",
            &["--arg 0: parameter", "use u64, s64, buffer"],
        ),
        ("--arg u32=x", &["--arg", "not a u32"]),
        ("--arg quad=1", &["--arg", "no type `quad`"]),
        ("--arg buffer=u32:8:noise", &["zeros, ones, iota"]),
        ("--arg buffer=u32:8:@none.raw", &["needs 4 arguments"]),
        ("--dump 9=x", &["--dump 9: there is no argument 9"]),
        ("--dump 1=x", &["--dump 1: argument 1 is a number"]),
        ("--dump x", &["--dump", "K=FILE"]),
        ("--gpu Voodoo", &["--gpu: there is no GPU profile `Voodoo`"]),
        ("--regs 300", &["--regs", "255"]),
        ("--budget 0", &["--budget"]),
        ("--backend scripted", &["--backend", "emulator, cuda"]),
        ("--backend cuda --gpu T4", &["--gpu needs the emulator"]),
        ("--shared 2M", &["--shared"]),
    ] {
        let arguments = if arguments.starts_with("--arg") {
            arguments.to_owned()
        } else {
            format!("{good} {arguments}")
        };
        place.run(&format!("{base} {arguments}")).refused(parts);
    }
    for (extents, part) in [
        ("--grid 0 --block 32", "--grid"),
        ("--grid 1,2,3,4 --block 32", "--grid"),
        ("--grid 1,70000 --block 32", "`--grid 1,70000`: at most 65535 along y"),
        ("--grid 1 --block 1025", "--block"),
        ("--grid 1 --block 32,64", "`--block 32,64`: a block has at most 1024 threads"),
        ("--grid 1 --block 1,1,65", "`--block 1,1,65`: at most 64 along z"),
        ("--grid 1", "--block"),
    ] {
        place
            .run(&format!("exec {HISTOGRAM} {extents} --entry histogram_global_modulo {good}"))
            .refused(&[part]);
    }
    fs::write(place.path("short.raw"), [0; 7]).unwrap();
    let file = good.replacen("zeros", "@short.raw", 1);
    place.run(&format!("{base} {file}")).refused(&["--arg 0: short.raw has 7 bytes", "need 32"]);
    let file = good.replacen("zeros", "@none.raw", 1);
    place.run(&format!("{base} {file}")).refused(&["--arg 0: cannot read none.raw"]);
}

#[test]
fn blocks_run_in_the_clusters_that_a_launch_asks_for() {
    let place = Place::new();
    let text = ".version 8.0\n.target sm_90\n.address_size 64\n\
         .entry ranks(.param .u64 out) { .reg .b32 %r<4>; .reg .b64 %rd<4>;\n\
         ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %cluster_ctarank;\n\
         mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r2; ret; }";
    fs::write(place.path("k.ptx"), text).unwrap();
    let run = |more: &str| {
        place.run(&format!("exec k.ptx --block 1 --arg buffer=u32:8:zeros --dump 0=out.raw {more}"))
    };
    for (cluster, ranks) in [("", [0; 8]), ("--cluster 4", [0, 1, 2, 3, 0, 1, 2, 3])] {
        run(&format!("--grid 8 {cluster}")).fine();
        let expected: Vec<u8> = ranks.into_iter().flat_map(u32::to_le_bytes).collect();
        assert_eq!(fs::read(place.path("out.raw")).unwrap(), expected, "{cluster}");
    }
    let odd = trapped(run("--grid 6 --cluster 4"));
    assert!(odd.out.contains("a grid of 6x1x1 blocks cannot be divided into clusters of 4x1x1"));
    let large = trapped(run("--grid 32 --cluster 32"));
    assert!(large.out.contains("a cluster of 32x1x1 blocks; this kernel can have 1 to 16"));
    run("--grid 8 --cluster 4 --backend cuda").refused(&["`--cluster 4` needs the emulator"]);
}

#[test]
fn files_that_are_no_ptx_are_refused_with_the_place() {
    let place = Place::new();
    let run = |file: &str, more: &str| place.run(&format!("exec {file} --grid 1 --block 1 {more}"));
    run("none.ptx", "").refused(&["cannot read none.ptx"]);
    // Before the options that are missing too.
    place.run("exec none.ptx").refused(&["cannot read none.ptx"]);
    for (text, part) in [
        (&b"hello"[..], "k.ptx:1:1: "),
        (b".version 7.8\n.target sm_50\n.entry k( {", "k.ptx:3:11: "),
        (b".version 7.8\n.target sm_50\n\xff\xfe", "k.ptx:3: not UTF-8 text"),
        (b".version 7.8\n.target sm_50\n.address_size 64\n", "no kernel"),
        (
            b".version 7.8\n.target sm_90a\n.address_size 64\n.entry k() {\ntcgen05.wait::ld.sync.aligned;\nret; }",
            "k.ptx:5: `tcgen05.wait::ld.sync.aligned`",
        ),
    ] {
        fs::write(place.path("k.ptx"), text).unwrap();
        run("k.ptx", "").refused(&[part]);
    }
    place
        .run(&format!("exec {HISTOGRAM} --entry histogram_globl_modulo --grid 1 --block 1"))
        .refused(&[
            "no kernel `histogram_globl_modulo`",
            "did you mean `histogram_global_modulo`?",
        ]);
    run(HISTOGRAM, "").refused(&["--entry is missing", "histogram_shared_range"]);
}
