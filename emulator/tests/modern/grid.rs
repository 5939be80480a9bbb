//! Kernels whose blocks all wait for each other: `grid.sync()`.

use warpscope_emulator::{FindingKind, Launch, Module, Report, TrapKind};

/// Each thread writes a word, and reads that of the same thread of the next block behind `between`.
fn kernel(between: &str) -> String {
    format!(
        ".version 8.0\n.target sm_70\n.address_size 64\n\
         .func _ZN2cg22warpscope_grid_barrierEv()\n{{\ntrap;\n}}\n\
         .visible .entry k(.param .u64 out)\n{{\n.reg .b32 tid, block, blocks, own, next, x;\n\
         .reg .b64 to, at;\n.reg .pred p;\n\
         ld.param.u64 to, [out];\nmov.u32 tid, %tid.x;\nmov.u32 block, %ctaid.x;\n\
         mov.u32 blocks, %nctaid.x;\nshl.b32 own, block, 6;\nadd.u32 own, own, tid;\n\
         add.u32 next, block, 1;\nsetp.eq.u32 p, next, blocks;\nselp.b32 next, 0, next, p;\n\
         shl.b32 next, next, 6;\nadd.u32 next, next, tid;\n\
         mul.wide.u32 at, own, 8;\nadd.u64 at, to, at;\nadd.u32 x, block, 100;\n\
         st.global.u32 [at], x;\n{between}\n\
         mul.wide.u32 to, next, 8;\nadd.u64 to, [out_word], to;\nld.global.u32 x, [to];\n\
         st.global.u32 [at+4], x;\nret;\n}}\n"
    )
    .replace("ld.param.u64 to, [out];", "ld.param.u64 to, [out];\nmov.u64 base, to;")
    .replace("[out_word]", "base")
    .replace(".reg .b64 to, at;", ".reg .b64 to, at, base;")
}

const BARRIER: &str = "call.uni _ZN2cg22warpscope_grid_barrierEv, ();";

fn run(between: &str, grid: u32, sanitize: bool) -> Report {
    let text = kernel(between);
    let module = Module::load_file(&text, "k.ptx").unwrap();
    let kernel = module.kernel("k").unwrap();
    let launch = Launch::new(&kernel).grid(grid).block(64).output::<u32>(2 * 64 * 300);
    if sanitize { launch.sanitize(&module).run() } else { launch.run() }
}

#[test]
fn blocks_of_a_grid_wait_for_each_other() {
    // As many as there are in clusters, and more than a mask of 32 bits or a byte can name.
    for grid in [1, 3, 16, 33, 300] {
        let report = run(BARRIER, grid, false);
        assert_eq!(report.trap, None);
        let words = report.buffer::<u32>(0);
        for (at, pair) in words.chunks(2).take(64 * grid as usize).enumerate() {
            let block = at as u32 / 64;
            assert_eq!(pair, [100 + block, 100 + (block + 1) % grid]);
        }
    }
}

#[test]
fn the_barrier_orders_accesses() {
    let clean = run(BARRIER, 40, true);
    assert_eq!((clean.trap, clean.findings.len(), clean.limits.len()), (None, 0, 0));
    let racing = run("", 40, true);
    assert!(racing.findings.iter().any(|it| it.kind == FindingKind::Race), "{:?}", racing.findings);
}

#[test]
fn a_grid_that_no_gpu_runs_at_a_time_is_refused() {
    let trap = run(BARRIER, 132 * 32 + 1, false).trap.unwrap();
    assert_eq!(trap.kind, TrapKind::LaunchFailed);
    assert!(trap.message.contains("4225 blocks, and no more than 4224 of 64"), "{}", trap.message);
    let text = kernel(BARRIER);
    let module = Module::load_file(&text, "k.ptx").unwrap();
    let entry = module.kernel("k").unwrap();
    let launch = Launch::new(&entry).grid(300).block(64).shared_bytes(100 << 10);
    let trap = launch.output::<u32>(1 << 16).run().trap.unwrap();
    assert!(trap.message.contains("300 blocks, and no more than 264 of 64"), "{}", trap.message);
}
