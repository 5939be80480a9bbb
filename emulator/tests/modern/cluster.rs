//! What goes wrong in clusters, and what the sanitizer says of them.

use warpscope_emulator::{FindingKind, Launch, Module, Report, TrapKind};

/// A kernel of two blocks of 32 threads, each with a tile of a word per thread; `peer` is the
/// tile of the other block.
fn kernel(directives: &str, body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 out)\n{directives}\n{{\n\
         .shared .align 16 .b8 tile[128];\n.shared .align 8 .b64 bar;\n\
         .reg .b32 tid, rank, other, mine, peer, x;\n.reg .b64 to, at;\n.reg .pred p, first;\n\
         ld.param.u64 to, [out];\nmov.u32 tid, %tid.x;\nmov.u32 rank, %cluster_ctarank;\n\
         xor.b32 other, rank, 1;\nsetp.eq.u32 first, rank, 0;\nmov.u32 mine, tile;\n\
         shl.b32 x, tid, 2;\nadd.u32 mine, mine, x;\nmapa.shared::cluster.u32 peer, mine, other;\n\
         {body}\nret;\n}}\n"
    )
}

const TWO: &str = ".reqnctapercluster 2, 1, 1";
const MEET: &str = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";

fn run(text: &str, grid: u32, cluster: Option<u32>, sanitize: bool) -> Report {
    let module = Module::load_file(text, "k.ptx").unwrap();
    let kernel = module.kernel("k").unwrap();
    let mut launch = Launch::new(&kernel).grid(grid).block(32).output::<u32>(256);
    if let Some(cluster) = cluster {
        launch = launch.cluster(cluster);
    }
    if sanitize {
        launch = launch.sanitize(&module);
    }
    launch.run()
}

fn trap(body: &str) -> (TrapKind, String) {
    let trap = run(&kernel(TWO, body), 2, None, false).trap.unwrap();
    (trap.kind, trap.message)
}

#[test]
fn barriers_of_the_cluster_order_its_blocks() {
    let body = |between: &str| {
        format!(
            "st.shared.u32 [mine], rank;\n{MEET}\
             ld.shared::cluster.u32 x, [peer];\n{between}\
             st.shared::cluster.u32 [peer], tid;\n{MEET}\
             ld.shared.u32 x, [mine];\n"
        )
    };
    let clean = run(&kernel(TWO, &body(MEET)), 4, None, true);
    assert_eq!(clean.trap, None);
    assert!(clean.findings.is_empty() && clean.limits.is_empty(), "{:?}", clean.findings);
    // Without the barrier in the middle, a block reads its word while the other writes it.
    let racing = body("").replace("ld.shared::cluster.u32 x, [peer]", "ld.shared.u32 x, [mine]");
    let racing = run(&kernel(TWO, &racing), 4, None, true);
    let kinds: Vec<FindingKind> = racing.findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [FindingKind::Race; 2], "{:?}", racing.findings);
    // Nobody has written what the other block reads.
    let early = "ld.shared::cluster.u32 x, [peer];\nbarrier.cluster.arrive;\nbarrier.cluster.wait;";
    let early = run(&kernel(TWO, early), 2, None, true);
    assert_eq!(early.findings[0].kind, FindingKind::Uninitialised);
}

#[test]
fn a_barrier_in_shared_memory_orders_blocks_too() {
    let text = super::read("cluster.ptx");
    let module = Module::load_file(&text, "cluster.ptx").unwrap();
    for (name, grid) in [("cluster_bulk", 4), ("cluster_multicast", 4)] {
        let kernel = module.kernel(name).unwrap();
        let launch = Launch::new(&kernel).grid(grid).block(32).input(&[1_u32; 256]);
        let report = launch.output::<u8>(8192).sanitize(&module).run();
        assert_eq!(report.trap, None);
        assert!(report.findings.is_empty() && report.limits.is_empty(), "{:?}", report.findings);
    }
    // Sectors of the copy count once, however many blocks get it.
    let kernel = module.kernel("cluster_multicast").unwrap();
    let launch = Launch::new(&kernel).grid(4).block(32).input(&[1_u32; 256]).output::<u8>(8192);
    assert_eq!(launch.run().counters.global_load_sectors, 32);
}

#[test]
fn what_a_cluster_cannot_do_is_a_trap() {
    let (kind, message) = trap("@first bra end;\nld.shared::cluster.u32 x, [peer];\nend:\n");
    assert_eq!(kind, TrapKind::OutOfBounds);
    assert!(message.ends_with("block 0 of the cluster has ended, and its shared memory with it"));
    let far = "mov.u32 other, 5;\nmapa.shared::cluster.u32 peer, mine, other;\nst.shared::cluster.u32 [peer], tid;\n";
    assert!(trap(far).1.ends_with("block 5 of a cluster of 2 blocks"));
    let beyond = "st.shared::cluster.u32 [peer+128], tid;\n";
    assert!(trap(beyond).1.contains("of shared memory of block 1 of the cluster"), "{beyond}");
    let (kind, message) = trap("barrier.cluster.wait;\n");
    assert_eq!(kind, TrapKind::DivergentBarrier);
    assert!(message.ends_with("by threads that have not arrived at the barrier"), "{message}");
    let twice = "barrier.cluster.arrive;\nbarrier.cluster.arrive;\n";
    assert!(trap(twice).1.ends_with("by threads that have not waited since they last arrived"));
    // The second block waits for its own barrier, which half of its threads never come to.
    let stuck = "setp.gt.u32 p, tid, 15;\n@first bra all;\n@p bra all;\nbar.sync 1, 64;\nall:\n";
    let (kind, message) = trap(&format!("{stuck}{MEET}"));
    assert_eq!(kind, TrapKind::DivergentBarrier, "{message}");
    // A barrier in memory that nobody arrives at.
    let alone = "mbarrier.init.shared.b64 [bar], 1;\nagain:\n\
                 mbarrier.try_wait.parity.shared.b64 p, [bar], 0;\n@!p bra again;\n";
    assert_eq!(trap(alone).0, TrapKind::Livelock);
}

#[test]
fn threads_that_have_ended_are_not_waited_for() {
    let body = format!(
        "@!first bra end;\n{MEET}mul.wide.u32 at, tid, 4;\nadd.u64 to, to, at;\n\
         st.global.u32 [to], 7;\nend:\n"
    );
    let report = run(&kernel(TWO, &body), 2, None, false);
    assert_eq!(report.trap, None);
    assert_eq!(report.buffer::<u32>(0)[..32], [7; 32]);
}

#[test]
fn halves_of_a_warp_meet_with_the_cluster() {
    // The halves come to the barrier one after the other; block 1 comes late.
    let body = format!(
        "mov.u32 x, 0;\n@first bra meet;\nspin:\nadd.u32 x, x, 1;\nsetp.lt.u32 p, x, 9000;\n@p bra spin;\n\
         st.shared.u32 [mine], 7;\nmeet:\nsetp.lt.u32 p, tid, 16;\n@p bra low;\n{MEET}bra met;\n\
         low:\n{MEET}met:\n@!first bra end;\nld.shared::cluster.u32 x, [peer];\n\
         mul.wide.u32 at, tid, 4;\nadd.u64 to, to, at;\nst.global.u32 [to], x;\nend:\n{MEET}"
    );
    let report = run(&kernel(TWO, &body), 2, None, false);
    assert_eq!(report.trap, None);
    assert_eq!(report.buffer::<u32>(0)[..32], [7; 32]);
}

#[test]
fn launches_that_do_not_fit_their_clusters_are_refused() {
    let refusal = |directives: &str, grid: u32, cluster: Option<u32>| {
        let trap = run(&kernel(directives, ""), grid, cluster, false).trap;
        trap.map(|trap| (trap.kind, trap.message))
    };
    assert_eq!(refusal(TWO, 4, Some(2)), None);
    assert_eq!(refusal(".explicitcluster", 4, Some(4)), None);
    for (directives, grid, cluster, part) in [
        (TWO, 3, None, "a grid of 3x1x1 blocks cannot be divided into clusters of 2x1x1"),
        (TWO, 4, Some(4), "asks for clusters of 4x1x1 blocks; the kernel fixes 2x1x1"),
        (".explicitcluster", 4, None, "needs a cluster size"),
        (".maxclusterrank 4", 8, Some(8), "this kernel can have 1 to 4"),
        ("", 32, Some(32), "this kernel can have 1 to 16"),
    ] {
        let (kind, message) = refusal(directives, grid, cluster).unwrap();
        assert_eq!(kind, TrapKind::LaunchFailed);
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn cooperative_groups_of_clusters_run() {
    let text = super::read("../ptx_programs/cluster.ptx");
    let module = Module::load_file(&text, "cluster.ptx").unwrap();
    let kernel = module.kernel("bins").unwrap();
    let values: Vec<u32> = (0..5000_u32).map(|i| i.wrapping_mul(2_654_435_761) >> 20).collect();
    let launch = Launch::new(&kernel).grid(8).block(64).input(&values).value(values.len() as u32);
    let report = launch.output::<u32>(256).sanitize(&module).run();
    let kinds: Vec<FindingKind> = report.findings.iter().map(|finding| finding.kind).collect();
    // Nothing sets the sums to zero, and nothing else is wrong.
    assert!(kinds.iter().all(|kind| *kind == FindingKind::Uninitialised), "{:?}", report.findings);
    assert_eq!(report.trap, None);
    let mut bins = vec![0; 256];
    for value in &values {
        bins[*value as usize % 256] += 1;
    }
    assert_eq!(report.buffer::<u32>(1), bins);
    let kernel = module.kernel("total").unwrap();
    let launch = Launch::new(&kernel).grid(8).block(64).cluster(2).input(&values[..512]);
    let report = launch.output::<u32>(4).sanitize(&module).run();
    assert!(report.trap.is_none() && report.findings.is_empty(), "{:?}", report.findings);
    let sums: Vec<u32> = values[..512].chunks(128).map(|part| part.iter().sum()).collect();
    assert_eq!(report.buffer::<u32>(1), sums);
}
