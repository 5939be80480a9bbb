//! `--check` on what the CUDA sources of `tests/check` do not reach: barriers
//! that some only arrive at, local memory and constants.

use warpscope::emulator::ptx;
use warpscope::emulator::{self, FindingKind, Memory, Options, Setting};
use warpscope::work::Dim3;

/// The findings on one block of 64 threads: kind and line behind `BODY`'s first.
fn findings(body: &str) -> Vec<(FindingKind, u32)> {
    let text = format!(
        ".version 7.8\n.target sm_70\n.address_size 64\n.const .align 4 .u32 table[4] = {{1, 2, 3, 4}};\n\
         .visible .entry k(.param .u64 out) {{\n\
         .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<4>; .shared .align 4 .u32 cell[64]; .local .align 8 .b8 own[32];\n\
         ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; setp.lt.u32 %p1, %r1, 32;\n\
         mov.u64 %rd3, cell; add.s64 %rd4, %rd3, %rd2; add.s64 %rd5, %rd1, %rd2; mov.u64 %rd6, own; mov.u64 %rd7, table;\n\
         {body}\nret; }}\n"
    );
    let module = ptx::parse(&text, "k.ptx").unwrap();
    let kernel = emulator::load(&text, "k.ptx", "k").unwrap();
    let mut memory = Memory::new();
    let out = memory.allocate(256);
    let setting = Setting {
        grid: Dim3::linear(1),
        block: Dim3::linear(64),
        shared_bytes: 0,
        args: &[out],
        unwritten: &[],
    };
    let options = Options { budget: 100_000, ..Options::default() };
    let checked = emulator::check(&kernel, &module, setting, &memory, options);
    assert_eq!(checked.ran.trap, None, "{body}");
    checked.findings.iter().map(|finding| (finding.kind, finding.ptx_line - 8)).collect()
}

#[test]
fn who_only_arrives_at_a_barrier_learns_nothing_there() {
    // The first warp writes and arrives; the second waits and reads.
    let right = "@!%p1 bra SECOND;\nst.shared.u32 [%rd4], %r1;\nbar.arrive 1, 64;\nbra END;\n\
                 SECOND: bar.sync 1, 64;\nld.shared.u32 %r2, [%rd4+-128];\nst.global.u32 [%rd5], %r2;\nEND:";
    assert_eq!(findings(right), []);
    // The first warp arrives and reads what the second wrote before it waited.
    let wrong = "@!%p1 bra SECOND;\nbar.arrive 1, 64;\nld.shared.u32 %r2, [%rd4+128];\nst.global.u32 [%rd5], %r2;\nbra END;\n\
                 SECOND: st.shared.u32 [%rd4], %r1;\nbar.sync 1, 64;\nEND:";
    let kinds: Vec<FindingKind> = findings(wrong).into_iter().map(|(kind, _)| kind).collect();
    assert!(kinds.contains(&FindingKind::Race), "{kinds:?}");
    // What is written behind the arrival is not what the others may read.
    let late = "@!%p1 bra SECOND;\nbar.arrive 1, 64;\nst.shared.u32 [%rd4], %r1;\nbra END;\n\
                SECOND: bar.sync 1, 64;\nld.shared.u32 %r2, [%rd4+-128];\nst.global.u32 [%rd5], %r2;\nEND:";
    let kinds: Vec<FindingKind> = findings(late).into_iter().map(|(kind, _)| kind).collect();
    assert!(kinds.contains(&FindingKind::Race), "{kinds:?}");
}

#[test]
fn local_memory_is_read_where_it_was_written() {
    let right = "st.local.u32 [%rd6], %r1;\nld.local.u32 %r2, [%rd6];\nst.global.u32 [%rd5], %r2;";
    assert_eq!(findings(right), []);
    // One lane has written what all read; a gap in a wide read is fine.
    let wrong = "setp.eq.u32 %p2, %r1, 3;\n@%p2 st.local.u32 [%rd6+8], %r1;\nld.local.u32 %r2, [%rd6+8];\n\
                 st.local.u8 [%rd6+16], %r1;\nld.local.u64 %rd8, [%rd6+16];\nst.global.u32 [%rd5], %r2;";
    assert_eq!(findings(wrong), [(FindingKind::Uninitialised, 3)]);
    let generic = "cvta.local.u64 %rd8, %rd6;\nld.u32 %r2, [%rd8+4];\nst.global.u32 [%rd5], %r2;";
    assert_eq!(findings(generic), [(FindingKind::Uninitialised, 2)]);
}

#[test]
fn bounds_of_local_memory_and_constants_are_findings() {
    // Lanes that leave it are told and left out; what follows is looked at too.
    let wrong = "add.s64 %rd8, %rd6, %rd2;\nst.local.u32 [%rd8], %r1;\nadd.s64 %rd8, %rd7, %rd2;\n\
                 ld.const.u32 %r2, [%rd8];\nst.global.u32 [%rd5+4], %r2;";
    let out = FindingKind::OutOfBounds;
    assert_eq!(findings(wrong), [(out, 2), (out, 4), (out, 5)]);
    let right = "and.b32 %r3, %r1, 3;\nmul.wide.u32 %rd8, %r3, 4;\nadd.s64 %rd8, %rd7, %rd8;\n\
                 ld.const.u32 %r2, [%rd8];\nst.global.u32 [%rd5], %r2;";
    assert_eq!(findings(right), []);
}
