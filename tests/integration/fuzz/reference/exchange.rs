//! Ways for the threads of a block or cluster to give each other a word: through shared or
//! global memory, waiting at the barrier of the block or cluster, at an `mbarrier` or for a bulk
//! copy.

/// How many ways there are.
pub(crate) const WAYS: usize = 8;

/// Bytes for a word of each thread, in whole bulk copies.
pub(crate) fn bytes(threads: u32) -> u32 {
    (4 * threads).next_multiple_of(16)
}

/// Which of the blocks of a cluster block `rank` gets its words from.
pub(crate) fn source(way: usize, rank: usize, blocks: usize) -> usize {
    match way {
        6 => (rank + 1) % blocks,
        7 => (rank + blocks - 1) % blocks,
        _ => rank,
    }
}

/// PTX in which each thread puts `%r{s}` into its cell and gets that of thread `%r{index}`
/// of the block that [`source`] says.
/// `%mine` is the cell's address in shared memory, `%exchange` that of the first cell, `%room`
/// has as many bytes in global memory; `number` is that of no other piece.
pub(crate) fn text(way: usize, d: u8, s: u8, index: u8, number: usize) -> String {
    let n = number;
    let put = format!("st.shared.u32 [%mine], %r{s};\n");
    let choose = format!("rem.u32 %t, %r{index}, %threads;\nmul.wide.u32 %at, %t, 4;\n");
    let get =
        format!("{choose}add.u64 %at, %at, %exchange;\nld.shared.u32 %r{d}, [%at];\nbar.sync 0;\n");
    // One thread makes the barrier, and ends it when all have left it.
    let make = |arrivals: &str| {
        format!(
            "setp.eq.u32 %q, %self, 0;\n@%q mbarrier.init.shared.b64 [arrived], {arrivals};\n\
             bar.sync 0;\n"
        )
    };
    let end = "setp.eq.u32 %q, %self, 0;\n@%q mbarrier.inval.shared.b64 [arrived];\nbar.sync 0;\n";
    let wait = format!(
        "{{\n.reg .pred done;\nW{n}: mbarrier.try_wait.parity.shared.b64 done, [arrived], 0;\n\
         @!done bra W{n};\n}}\n"
    );
    let length = "shl.b32 %t, %threads, 2;\nadd.u32 %t, %t, 15;\nand.b32 %t, %t, -16;\n";
    let all = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
    let next = ".reg .u32 rank, many;\n.reg .u64 there;\nmov.u32 rank, %cluster_ctarank;\n\
         mov.u32 many, %cluster_nctarank;\nadd.u32 rank, rank, 1;\nrem.u32 rank, rank, many;\n";
    match way {
        0 => format!("{put}bar.sync 0;\n{get}"),
        1 => format!(
            "{}{put}{{\n.reg .b64 state;\n.reg .pred done;\n\
             mbarrier.arrive.shared.b64 state, [arrived];\n\
             W{n}: mbarrier.test_wait.shared.b64 done, [arrived], state;\n@!done bra W{n};\n}}\n\
             {get}{end}",
            make("%threads"),
        ),
        2 => format!(
            "{}{put}mbarrier.arrive.shared.b64 _, [arrived];\n{wait}{get}{end}",
            make("%threads")
        ),
        // Every thread arrives for two.
        3 => format!(
            "shl.b32 %t, %threads, 1;\n{}{put}mbarrier.arrive.release.cta.shared::cta.b64 _, \
             [arrived], 2;\n{wait}{get}{end}",
            make("%t")
        ),
        // From shared memory to global memory in one copy.
        4 => format!(
            "{put}fence.proxy.async.shared::cta;\nbar.sync 0;\n{length}setp.eq.u32 %q, %self, 0;\n\
             @!%q bra C{n};\n\
             cp.async.bulk.global.shared::cta.bulk_group [%room], [%exchange], %t;\n\
             cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nC{n}:\nbar.sync 0;\n\
             {choose}add.u64 %at, %at, %room;\nld.global.u32 %r{d}, [%at];\nbar.sync 0;\n"
        ),
        // Out of the memory of the next block of the cluster, and into it when nobody reads there.
        6 => format!(
            "{put}{all}{choose}add.u64 %at, %at, %exchange;\n{{\n{next}\
             mapa.shared::cluster.u64 there, %at, rank;\n\
             ld.shared::cluster.u32 %r{d}, [there];\n}}\n{all}"
        ),
        7 => format!(
            "{all}{{\n{next}mapa.shared::cluster.u64 there, %mine, rank;\n\
             st.shared::cluster.u32 [there], %r{s};\n}}\n{all}{get}{all}"
        ),
        // From global memory to shared memory, whose barrier waits for the bytes.
        _ => format!(
            "{}mul.wide.u32 %at, %self, 4;\nadd.u64 %at, %at, %room;\nst.global.u32 [%at], %r{s};\n\
             fence.proxy.async;\nbar.sync 0;\n{length}setp.eq.u32 %q, %self, 0;\n@!%q bra C{n};\n\
             mbarrier.arrive.expect_tx.shared.b64 _, [arrived], %t;\n\
             cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes \
             [%exchange], [%room], %t, [arrived];\nC{n}:\n{wait}{get}{end}",
            make("1")
        ),
    }
}
