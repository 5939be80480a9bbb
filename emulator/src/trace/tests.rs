#![allow(clippy::unwrap_used)]

use super::record::{Limits, record_within};
use super::*;
use crate::launch::{Options, run};
use crate::machine::{Counters, Dim3, Memory, TrapKind};
use crate::{AccessKind, Module};

/// A kernel of one pointer, `%rd1`, with `%r1` the thread and `%rd2` its word.
fn ptx(body: &str) -> String {
    format!(
        ".version 7.8\n.target sm_70\n.address_size 64\n\
         .visible .entry k(.param .u64 p)\n{{\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n\
         .reg .b64 %rd<9>;\n.shared .align 4 .b8 s[4096];\n\
         ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmov.u32 %r7, %ctaid.x;\n\
         mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd2, %rd1, %rd3;\n{body}\nret;\n}}\n"
    )
}

/// Sums up through memory in a loop: 4 warps, more steps than between checkpoints.
const LOOP: &str = "
    mov.u32 %r3, 0;
$L: ld.global.u32 %r2, [%rd2];
    add.u32 %r2, %r2, %r3;
    st.global.u32 [%rd2], %r2;
    red.global.add.u32 [%rd1+2048], 1;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p1, %r3, 300;
    @%p1 bra $L;";

const MEETS: &str = "
    shl.b32 %r2, %r1, 5;
    and.b32 %r2, %r2, 1023;
    cvt.u64.u32 %rd4, %r2;
    shl.b64 %rd4, %rd4, 2;
    mov.u64 %rd5, s;
    add.s64 %rd5, %rd5, %rd4;
    st.shared.u32 [%rd5], %r1;
    bar.sync 0;
    setp.lt.u32 %p1, %r1, 5;
    @%p1 bra $A;
    add.u32 %r3, %r1, 1;
    bra $E;
$A: add.u32 %r3, %r1, 2;
$E: st.global.u32 [%rd2], %r3;";

fn setup(blocks: u32, threads: u32, memory: &mut Memory) -> Setup {
    let buffer = memory.allocate(4096);
    let (grid, block) = (Dim3::linear(blocks), Dim3::linear(threads));
    Setup { grid, block, args: vec![buffer], ..Setup::default() }
}

fn traced(body: &str, blocks: u32, threads: u32, block: u64) -> Trace {
    let text = ptx(body);
    let module = Module::load(&text).unwrap();
    let mut memory = Memory::new();
    let setup = setup(blocks, threads, &mut memory);
    record(&module, "k", setup, memory, block).unwrap()
}

#[test]
fn every_step_is_the_same_forwards_backwards_and_at_random() {
    let mut trace = traced(LOOP, 2, 128, 1);
    let count = trace.steps().len();
    assert!(trace.checkpoints.len() > 4, "{} checkpoints", trace.checkpoints.len());
    let places: Vec<usize> = (0..count).step_by(97).collect();
    let forwards: Vec<Moment> = places.iter().map(|&at| trace.moment(at).unwrap()).collect();
    for (at, moment) in places.iter().zip(&forwards).rev() {
        assert_eq!(trace.moment(*at).as_ref(), Some(moment), "step {at}");
    }
    for index in (0..places.len()).map(|n| n * 7919 % places.len()) {
        let at = places[index];
        assert_eq!(trace.moment(at).as_ref(), Some(&forwards[index]), "step {at}");
    }
    // The loop of block 1 goes on from what block 0 has left: 300 * 299 / 2.
    let load = trace.find(0, |at, _| trace.place(at).word == "ld.global.u32").unwrap();
    let moment = trace.moment(load).unwrap();
    assert_eq!(moment.access.unwrap().values[0], [44_850; 32]);
    // All at once is what one at a time is.
    let some = trace.moments(1000..1100, None);
    for moment in &some {
        assert_eq!(trace.moment(moment.step).map(Moment::shown).as_ref(), Some(moment));
    }
    assert_eq!(some.len(), 100);
}

#[test]
fn a_trace_with_fewer_checkpoints_shows_the_same() {
    let text = ptx(LOOP);
    let module = Module::load(&text).unwrap();
    let within = |limits| {
        let mut memory = Memory::new();
        let setup = setup(2, 128, &mut memory);
        record_within(&module, "k", setup, memory, 1, limits).unwrap()
    };
    let mut all = within(Limits::default());
    let state = all.checkpoints[1].bytes;
    // Of 133 states, 8 fit; in the other trace steps push out some more.
    let few = Limits { saved: 8 * state, interval: 64, ..Limits::default() };
    let steps = all.steps().len() as u64 * 12;
    let crowded = Limits { bytes: steps + 5 * state + 20_000, least_saved: 3 * state, ..few };
    for (limits, most) in [(few, 8), (crowded, 6)] {
        let mut trace = within(limits);
        let count = trace.checkpoints.len();
        assert!((2..=most + 1).contains(&count), "{count} checkpoints");
        assert_eq!((trace.steps(), trace.ending()), (all.steps(), &Ending::Finished));
        for step in (0..trace.steps().len()).step_by(211).rev() {
            assert_eq!(trace.moment(step), all.moment(step), "step {step}");
        }
        let last = trace.steps().len() - 1;
        assert_eq!(trace.moment(last), all.moment(last));
    }
    // No room for all steps: it ends before, and what is there can be seen.
    let mut full = within(Limits { bytes: steps / 2, least_saved: state, ..few });
    let count = full.steps().len();
    assert_eq!(full.ending(), &Ending::Full);
    assert!((1000..all.steps().len() / 2).contains(&count), "{count} steps");
    assert_eq!(full.moment(count - 1), all.moment(count - 1));
    assert_eq!(full.moment(count), None);
}

#[test]
fn steps_are_the_instructions_that_the_ordinary_run_counts() {
    for (body, threads) in [(LOOP, 128), (MEETS, 70)] {
        let text = ptx(body);
        let module = Module::load(&text).unwrap();
        let mut memory = Memory::new();
        let all = setup(3, threads, &mut memory);
        let kernel = module.kernel("k").unwrap();
        let Setup { grid, block, args, .. } = &all;
        let ran = run(&kernel, *grid, *block, 0, args, &memory, Options::default());
        let mut sum = Counters::default();
        for index in 0..3 {
            let trace = traced(body, 3, threads, index);
            assert_eq!(trace.ending(), &Ending::Finished);
            let own = *trace.counters();
            assert_eq!(own.warp_instructions, trace.steps().len() as u64);
            let lanes: u32 = trace.steps().iter().map(|step| step.active.count_ones()).sum();
            assert_eq!(own.thread_instructions, u64::from(lanes));
            sum = Counters::each(|get| get(&sum) + get(&own));
        }
        sum.hottest_chunk_passes = ran.outcome.counters.hottest_chunk_passes;
        assert_eq!(sum, ran.outcome.counters);
    }
}

#[test]
fn a_moment_shows_conflicts_barriers_and_partings() {
    let mut trace = traced(MEETS, 1, 64, 0);
    let store = trace.marked(0, false, Marks::CONFLICT, None).unwrap();
    let moment = trace.moment(store).unwrap();
    assert_eq!(moment.sentence, "32 lanes meet in bank 0: 32 passes instead of 1.");
    let access = moment.access.as_ref().unwrap();
    assert_eq!((access.kind, access.space), (AccessKind::Store, Space::Shared));
    assert_eq!(access.busiest_bank(), Some((0, u32::MAX)));
    assert_eq!((access.addresses[3], access.values[0][3]), (3 * 128, 3));

    let barrier = trace.marked(0, false, Marks::BARRIER, Some(0)).unwrap();
    let moment = trace.moment(barrier).unwrap();
    assert_eq!(moment.sentence, "32 of 64 threads are at the barrier; warp 1 is missing.");
    let last = trace.marked(0, false, Marks::BARRIER, Some(1)).unwrap();
    let moment = trace.moment(last).unwrap();
    assert_eq!(moment.warps[0].state, WarpState::Barrier);
    assert_eq!(moment.barrier.unwrap().missing, [0, 0]);

    let branch = trace.marked(0, false, Marks::DIVERGES, None).unwrap();
    let moment = trace.moment(branch).unwrap();
    let parting = moment.parting.unwrap();
    assert_eq!((parting.taken, parting.other), (0b11111, !0b11111));
    let inside = trace.instruction(branch, false).unwrap();
    let moment = trace.moment(inside).unwrap();
    assert_eq!(moment.active, 0b11111);
    assert_eq!(moment.groups[0].lanes, !0b11111);
    assert_eq!(moment.groups[0].why, Why::Later);
    let value = &moment.values[0];
    assert_eq!((value.name.as_str(), value.changed, value.written), ("%r3", 0b11111, true));
    assert_eq!((value.before[4], value.lanes[4]), (0, 6));
    let other = trace.instruction(inside, false).unwrap();
    let moment = trace.moment(other).unwrap();
    assert_eq!(moment.groups[0].why, Why::Reconvergence);
    assert_eq!(moment.stack_in_words(), ["lanes 0–4 wait at line 29 for lanes 5–31"]);
    assert_eq!(trace.instruction(other, true), Some(inside));
}

#[test]
fn a_trap_is_the_last_step() {
    let mut trace = traced("st.global.u32 [%rd2+4000], %r1;", 1, 64, 0);
    let Ending::Trapped(trap) = trace.ending() else { panic!("no trap") };
    assert_eq!(trap.kind, TrapKind::OutOfBounds);
    let last = trace.steps().len() - 1;
    assert!(trace.steps()[last].marks.has(Marks::TRAP));
    let moment = trace.moment(last).unwrap();
    assert!(moment.sentence.contains("traps here"), "{}", moment.sentence);
    assert_eq!(moment.place.word, "st.global.u32");
    // And back.
    assert_eq!(trace.moment(0).unwrap().place.word, "ld.param.u64");
}

#[test]
fn blocks_that_are_not_there_or_come_after_a_trap_are_refused() {
    let text = ptx("st.global.u32 [%rd2+4000], %r1;");
    let module = Module::load(&text).unwrap();
    for (block, why) in [(2, "there is no block 2"), (1, "out of bounds")] {
        let mut memory = Memory::new();
        let setup = setup(2, 64, &mut memory);
        let error = record(&module, "k", setup, memory, block).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[test]
fn registers_are_called_what_they_hold() {
    let mut trace = traced(MEETS, 1, 64, 0);
    let named = |trace: &mut Trace, word: &str| -> Vec<(String, Option<String>)> {
        let at = trace.find(0, |at, _| trace.place(at).word == word).unwrap();
        let values = trace.moment(at).unwrap().values;
        values.into_iter().map(|value| (value.name, value.source)).collect()
    };
    let thread = ("%r1".to_owned(), Some("threadIdx.x".to_owned()));
    // No result is folded away.
    assert_eq!(named(&mut trace, "mul.wide.u32"), [("%rd3".to_owned(), None), thread]);
    let of = |source: &str| ("%rd1".to_owned(), Some(source.to_owned()));
    assert!(named(&mut trace, "add.s64").contains(&of("p")));
    // Names from the source take the place of those of the PTX; others fit another kernel.
    trace.name_parameters(&["values".to_owned()]);
    trace.name_parameters(&["a".to_owned(), "b".to_owned()]);
    assert!(named(&mut trace, "add.s64").contains(&of("values")));
}

#[test]
fn registers_of_128_bits_have_two_rows() {
    let text = ".version 8.3\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n\
        .reg .b64 %rd<4>;\n.reg .b128 %rq<3>;\nmov.u64 %rd1, 7;\nmov.u64 %rd2, 9;\n\
        mov.b128 %rq1, {%rd1, %rd2};\nmov.b128 %rq2, %rq1;\nmov.b128 {%rd3, %rd1}, %rq2;\n\
        ret;\n}\n";
    let module = Module::load(text).unwrap();
    let setup = Setup { block: 32.into(), ..Setup::default() };
    let mut trace = record(&module, "k", setup, Memory::new(), 0).unwrap();
    let moment = trace.moment(3).unwrap();
    let rows: Vec<(&str, u64)> =
        moment.values.iter().map(|value| (value.name.as_str(), value.lanes[5])).collect();
    assert_eq!(rows, [("%rq2.hi", 9), ("%rq2.lo", 7), ("%rq1.hi", 9), ("%rq1.lo", 7)]);
}

#[test]
fn what_a_step_prints_is_shown_by_lane() {
    let text = ".version 7.8\n.target sm_70\n.address_size 64\n\
        .extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n\
        .global .align 1 .b8 $str[4] = {37, 117, 10, 0};\n.visible .entry k()\n{\n\
        .local .align 8 .b8 depot[8];\n.reg .b64 %SP;\n.reg .b64 %SPL;\n\
        .reg .pred %p<2>;\n.reg .b32 %r<3>;\n.reg .b64 %rd<4>;\n\
        mov.u64 %SPL, depot;\ncvta.local.u64 %SP, %SPL;\nmov.u32 %r1, %tid.x;\n\
        setp.ge.u32 %p1, %r1, 2;\n@%p1 bra $E;\nst.local.u32 [%SPL], %r1;\n\
        mov.u64 %rd1, $str;\ncvta.global.u64 %rd2, %rd1;\n{\n.param .b64 a;\n\
        st.param.b64 [a], %rd2;\n.param .b64 b;\nst.param.b64 [b], %SP;\n\
        .param .b32 c;\ncall.uni (c), vprintf, (a, b);\nld.param.b32 %r2, [c];\n}\n\
        $E: ret;\n}\n";
    let module = Module::load(text).unwrap();
    let setup = Setup { block: 32.into(), ..Setup::default() };
    let mut trace = record(&module, "k", setup, Memory::new(), 0).unwrap();
    let count = trace.steps().len();
    let printed: Vec<Moment> =
        trace.moments(0..count, None).into_iter().filter(|it| it.printed.is_some()).collect();
    let [moment] = printed.as_slice() else { panic!("{printed:?}") };
    assert_eq!(moment.printed.as_deref(), Some("0\n1\n"));
    assert_eq!(
        (moment.place.word.as_str(), moment.sentence.as_str()),
        ("call.uni", "Lanes 0, 1 print a text.")
    );
}

#[test]
fn a_copy_of_some_bytes_is_shown_whole() {
    let body = "mov.u64 %rd5, s;\nshl.b32 %r2, %r1, 4;\ncvt.u64.u32 %rd4, %r2;\n\
        add.s64 %rd5, %rd5, %rd4;\nadd.s64 %rd6, %rd1, %rd4;\nmov.u32 %r3, 16;\n\
        cp.async.cg.shared.global [%rd5], [%rd6], 16, %r3;\ncp.async.wait_all;";
    let text = ptx(body).replace(".target sm_70", ".target sm_80");
    let module = Module::load(&text).unwrap();
    let mut memory = Memory::new();
    let setup = setup(1, 32, &mut memory);
    let mut trace = record(&module, "k", setup, memory, 0).unwrap();
    let at = trace.find(0, |at, _| trace.place(at).word.starts_with("cp.async.cg")).unwrap();
    assert_eq!(
        trace.moment(at).unwrap().sentence,
        "All 32 lanes copy 16 sectors in 4 lines to shared memory: 512 of 512 bytes fetched are \
         used."
    );
}
