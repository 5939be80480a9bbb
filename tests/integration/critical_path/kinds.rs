//! Which blocks are followed where blocks differ, and how many others each stands for.

use super::with_body;
use warpscope::emulator::{self, Blocks, Follow, Memory, Options, Outcome, Timeline};
use warpscope::work::Dim3;

const H200: Follow =
    Follow { cache_bytes: 128 << 10, l2_bytes: 50 << 20, resident: 8, multiprocessors: 132 };

/// What `all` blocks do, of which those with a true `%p1` go round 200 times.
fn run(of_index: &str, all: u32, blocks: Blocks) -> Outcome {
    let body = format!(
        "mov.u32 %r2, %ctaid.x;\n{of_index}\n@!%p1 bra DONE;\nmov.u32 %r2, 200;\nLOOP:\n\
         sub.u32 %r2, %r2, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra LOOP;\nDONE:"
    );
    let memory = &mut Memory::new();
    let args = [memory.allocate(4), 0];
    let options = Options { timelines: Some(H200), blocks, ..Options::default() };
    let (grid, block) = (Dim3::linear(all), Dim3::linear(64));
    emulator::launch(&with_body(&body), grid, block, 0, &args, memory, options).unwrap()
}

/// How many blocks long ones stand for, and all.
fn stand_for(outcome: &Outcome) -> (f64, f64) {
    let long = outcome.timelines.iter().filter(|it| it.instructions > 200);
    let sum = |blocks: f64| (blocks * 1000.0).round() / 1000.0;
    (
        sum(long.map(Timeline::blocks).sum()),
        sum(outcome.timelines.iter().map(Timeline::blocks).sum()),
    )
}

#[test]
fn every_nth_block_stands_for_its_kind() {
    for (n, rest, all) in [(2, 1, 300), (3, 2, 1000), (7, 0, 4096), (16, 5, 3907)] {
        let works = format!("rem.u32 %r3, %r2, {n};\nsetp.eq.u32 %p1, %r3, {rest};");
        let outcome = run(&works, all, Blocks::All);
        let of_kind = (0..all).filter(|block| block % n == rest).count();
        assert_eq!(stand_for(&outcome), (of_kind as f64, f64::from(all)), "{n}");
        let work = outcome.of_block(|it| it.instructions as f64);
        let mean = outcome.counters.warp_instructions as f64 / f64::from(all);
        assert!((work / mean - 1.0).abs() < 0.01, "{n}: {work} {mean}");
    }
}

#[test]
fn an_odd_end_stands_for_itself() {
    let last = run("setp.eq.u32 %p1, %r2, 999;", 1000, Blocks::All);
    assert_eq!(stand_for(&last), (1.0, 1000.0));
    let first = run("setp.eq.u32 %p1, %r2, 0;", 1000, Blocks::All);
    assert_eq!(stand_for(&first), (1.0, 1000.0));
    let sample = run("setp.lt.u32 %p1, %r2, 30000;", 60_000, Blocks::Between(512));
    let (long, all) = stand_for(&sample);
    assert!(all == 512.0 && (250.0..262.0).contains(&long), "{long} of {all}");
}
