//! Traced blocks: their counters beside those of the ordinary run, and `--trace` of the binary.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use crate::support::Place;
use crate::support::builders::case;
use warpscope::algorithms;
use warpscope::backend::Backend;
use warpscope::backend::emulated::Emulated;
use warpscope::experiment::Case;
use warpscope::export::trace::{End, TraceFile};
use warpscope::runner::plan;
use warpscope::work::trace::{Ending, Marks};

/// Adds the counters of every block of every launch of a case, and compares them with those of
/// the ordinary run. Gives the number of blocks.
fn shares(backend: &mut Emulated, case: &Case) -> u64 {
    let algorithm = algorithms::find(&case.algorithm).unwrap();
    let (work, inputs) = (algorithm.work(case), algorithm.inputs(case));
    let prepared = backend.prepare(&work, &inputs).unwrap();
    backend.sample(prepared).unwrap();
    backend.release(prepared);
    let seen = backend.take_seen();
    let mut blocks = 0;
    for (index, (launch, seen)) in work.launches().zip(&seen).enumerate() {
        let mut sum: BTreeMap<String, u64> = BTreeMap::new();
        for block in 0..launch.grid.count() {
            let stop = Arc::default();
            let trace = backend.trace(&work, &inputs, index, block, &stop).unwrap().unwrap();
            assert_eq!(trace.ending(), &Ending::Finished, "{case}");
            for (name, count) in trace.counters().named() {
                *sum.entry(name).or_default() += count;
            }
            blocks += 1;
        }
        let mut whole = seen.outcome.counters.named();
        // The busiest slice of one block need not be that of another.
        for counters in [&mut sum, &mut whole] {
            counters.remove("hottest_chunk_passes");
        }
        assert_eq!(sum, whole, "{case}, launch {index}: {}", launch.kernel);
    }
    blocks
}

/// Compares every block of cases of these variants of each system.
fn systems(n: u64, chosen: impl Fn(usize) -> bool) {
    let mut backend = Emulated::open(None).unwrap().keeping();
    let limits = backend.device().limits;
    for algorithm in algorithms::ALL {
        let n = if algorithm.size().noun == "order" { n.min(40) } else { n };
        let began = Instant::now();
        let cases = algorithm.variants().iter();
        let cases = cases.map(|variant| case(*algorithm, variant.name, n, 64, 1));
        let cases = cases.filter(|case| plan::obstacle(*algorithm, case, &limits).is_none());
        let cases: Vec<Case> = cases.collect();
        let chosen = cases.iter().enumerate().filter(|(at, _)| chosen(*at));
        let blocks: u64 = chosen.map(|(_, case)| shares(&mut backend, case)).sum();
        assert!(blocks > 1, "no case of {} can be traced", algorithm.name());
        println!("{}: {blocks} blocks in {:?}", algorithm.name(), began.elapsed());
    }
}

#[test]
fn stepped_blocks_count_their_share_of_every_system() {
    systems(70, |at| at == 0);
}

#[test]
#[ignore = "every variant: a minute in a debug build"]
fn stepped_blocks_count_their_share_of_every_variant() {
    systems(150, |_| true);
}

/// A transpose through shared memory without padding: a tile of 32 x 32, one element per thread.
const TRANSPOSE: &str = ".version 7.8\n.target sm_70\n.address_size 64\n\
    .visible .entry transpose(.param .u64 out, .param .u64 in)\n{\n\
    .reg .b32 %r<12>;\n.reg .b64 %rd<12>;\n.shared .align 4 .b8 tile[4096];\n\
    ld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\n\
    mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\n\
    shl.b32 %r3, %r2, 5;\nadd.u32 %r4, %r3, %r1;\n\
    mul.wide.u32 %rd3, %r4, 4;\nadd.s64 %rd4, %rd1, %rd3;\nld.global.u32 %r5, [%rd4];\n\
    mov.u64 %rd5, tile;\nadd.s64 %rd6, %rd5, %rd3;\nst.shared.u32 [%rd6], %r5;\n\
    bar.sync 0;\n\
    shl.b32 %r6, %r1, 5;\nadd.u32 %r7, %r6, %r2;\n\
    mul.wide.u32 %rd7, %r7, 4;\nadd.s64 %rd8, %rd5, %rd7;\nld.shared.u32 %r8, [%rd8];\n\
    add.s64 %rd9, %rd2, %rd3;\nst.global.u32 [%rd9], %r8;\nret;\n}\n";

fn transpose(place: &Place, more: &str) -> crate::support::Ran {
    std::fs::write(place.path("transpose.ptx"), TRANSPOSE).unwrap();
    place.run(&format!(
        "exec transpose.ptx --grid 1 --block 32,32 --arg buffer=u32:1024:zeros \
         --arg buffer=u32:1024:iota {more}"
    ))
}

#[test]
fn the_json_of_exec_is_read_back() {
    let place = Place::new();
    let ran = transpose(&place, "--trace 0:3 --json").fine();
    let file = TraceFile::read(&ran.out).unwrap();
    assert_eq!((file.kernel.as_str(), file.warp, file.warps), ("transpose", 3, 32));
    assert_eq!((file.warp_steps, file.steps.len(), file.block_steps), (21, 21, 672));
    assert_eq!((file.ending, file.counters["shared_bank_conflicts"]), (End::Finished, 992));
    let conflict = file.steps.iter().find(|step| step.marks.has(Marks::CONFLICT)).unwrap();
    assert_eq!(conflict.place.word, "ld.shared.u32");
    assert_eq!(conflict.sentence, "32 lanes meet in bank 3: 32 passes instead of 1.");
    let access = conflict.access.as_ref().unwrap();
    assert_eq!(access.banks[3].words.len(), 32);
    // Warp 3 reads column 3, which element 32 * lane + 3 of the input is in.
    assert_eq!(access.values[0][2], 67);
}

#[test]
fn the_listing_of_exec_has_a_line_per_step() {
    let place = Place::new();
    let ran = transpose(&place, "--trace 0,0,0:3").fine();
    assert!(ran.out.contains("32 passes instead of 1"), "{}", ran.out);
    assert!(ran.out.contains("%rd1 (in) = ") && ran.out.contains("%r2 (threadIdx.y) = "));
    let shown = transpose(&place, "--trace 0:3 --steps 2..5").fine();
    assert!(shown.out.contains("… 16 more steps: --steps 5..21"), "{}", shown.out);
    transpose(&place, "--trace 0:32").refused(&["no warp 32", "32 warps"]);
    transpose(&place, "--trace 1:0").refused(&["no block 1", "1 block"]);
    transpose(&place, "--trace 0:0 --steps 90..99").refused(&["21 steps"]);
    transpose(&place, "--trace 0:0 --check").refused(&["leave out --check"]);
    transpose(&place, "--steps 0..9").refused(&["--trace"]);
}

#[test]
fn a_trap_ends_the_listing_and_names_its_line() {
    let place = Place::new();
    let ran = place_short(&place, "--trace 0:31");
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.out.contains("The kernel traps here: `ld.global.u32`"), "{}", ran.out);
    assert!(ran.out.contains("the block trapped: access out of bounds"), "{}", ran.out);
    // What happened before in other warps is there.
    assert!(place_short(&place, "--trace 0:0").out.contains("st.shared.u32"));
}

/// The transpose with an input that is too short for its last warp.
fn place_short(place: &Place, more: &str) -> crate::support::Ran {
    std::fs::write(place.path("transpose.ptx"), TRANSPOSE).unwrap();
    place.run(&format!(
        "exec transpose.ptx --grid 1 --block 32,32 --arg buffer=u32:1024:zeros \
         --arg buffer=u32:1000:iota {more}"
    ))
}

#[test]
fn a_kernel_that_never_ends_stops_at_the_memory_limit_or_as_a_livelock() {
    let place = Place::new();
    let head = ".version 7.8\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n\
                .reg .b32 %r<3>;\n";
    std::fs::write(place.path("still.ptx"), format!("{head}$L: bra $L;\n}}\n")).unwrap();
    let ran = place.run("exec still.ptx --grid 1 --block 32 --trace 0:0 --steps 0..3");
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.out.contains("more steps"), "{}", ran.out);
    let counts = format!("{head}$L: add.u32 %r1, %r1, 1;\nbra $L;\n}}\n");
    std::fs::write(place.path("counts.ptx"), counts).unwrap();
    let ran = place.run("exec counts.ptx --grid 1 --block 32 --trace 0:0 --budget 50000 --json");
    let file = TraceFile::read(&ran.out).unwrap();
    assert!(matches!(file.ending, End::Trapped { .. }), "{:?}", file.ending);
    assert!(file.warp_steps > 30_000, "{}", file.warp_steps);
}

#[test]
fn run_traces_a_launch_that_can_be_chosen() {
    let place = Place::new();
    let reduce = "run reduce --variant sequential+final=gpu -n 1024 --block 64 --coarsen 1";
    let first = place.run(&format!("{reduce} --trace 0:1 --json")).fine();
    let first = TraceFile::read(&first.out).unwrap();
    assert_eq!((first.grid, first.threads), ([16, 1, 1], [64, 1, 1]));
    let last = place.run(&format!("{reduce} --trace 0:0 --launch 1 --json")).fine();
    assert_eq!(TraceFile::read(&last.out).unwrap().grid, [1, 1, 1]);
    place.run(&format!("{reduce} --trace 0:0 --launch x")).refused(&["--launch x", "0 ("]);
    place.run(&format!("{reduce} --trace 16:0")).refused(&["no block 16", "16 blocks"]);
}

#[test]
fn the_picture_of_a_step_names_the_command_that_draws_it_again() {
    let place = Place::new();
    let reduce = "run reduce --variant sequential+final=gpu -n 1024 --block 64 --coarsen 1";
    place.run(&format!("{reduce} --trace 3:1 --steps 7.. -o step.svg")).fine();
    let first = std::fs::read_to_string(place.path("step.svg")).unwrap();
    assert!(first.contains("block 3, warp 1, step 7 of the warp"), "{first}");
    let command = first.split("warpscope run").nth(1).unwrap().lines().next().unwrap();
    let command = command.split("</desc>").next().unwrap().replace("step.png", "again.svg");
    place.run(&format!("run{command}")).fine();
    assert_eq!(std::fs::read_to_string(place.path("again.svg")).unwrap(), first);
    place.run(&format!("{reduce} --trace 0:0 -o step.txt")).refused(&[".png or .svg"]);
    place.run(&format!("{reduce} --trace 0:0 --steps 900.. -o a.png")).refused(&["the warp has"]);
    place.run(&format!("{reduce} -o a.png")).refused(&["--trace"]);
}
