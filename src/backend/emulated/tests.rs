#![allow(clippy::unwrap_used)]

use super::*;
use crate::work::{Arg, Dim3, Element, Module};

/// Doubles each of 64 words at an address.
const TWICE: Module = Module {
    name: "twice",
    path: "tests/twice.ptx",
    ptx: include_str!("../../../tests/twice.ptx"),
    source: "",
    resources: "",
};

fn twice(values: Arg) -> Step {
    Step::Launch(Launch {
        phase: "twice",
        kernel: "twice".to_owned(),
        grid: Dim3::linear(1),
        block: Dim3::linear(64),
        shared_bytes: 0,
        args: vec![values],
    })
}

fn add(from: usize, to: usize, amount: u64) -> Step {
    Step::Host(HostStage {
        phase: "add",
        from,
        to,
        run: |values, args| {
            let values = values.as_u32().unwrap().iter();
            HostBuffer::U32(values.map(|value| value + args[0] as u32).collect())
        },
        args: vec![amount],
    })
}

fn prepared(steps: Vec<Step>) -> (Emulated, Prepared) {
    let inputs: Inputs = vec![Arc::new(HostBuffer::U32((0..64).collect()))];
    let buffers = vec![
        Buffer::input("values", 0, Element::U32, 64).written(),
        Buffer::filled("other", Element::U32, 128, 7),
    ];
    let mut emulated = Emulated::open(None).unwrap();
    let prepared = emulated.prepare(&Work { module: TWICE, buffers, steps }, &inputs).unwrap();
    (emulated, prepared)
}

#[test]
fn stages_on_the_host_run_between_launches_and_are_timed_apart() {
    let half = Arg::BufferAt { buffer: 1, byte: 128 };
    let (mut emulated, id) =
        prepared(vec![twice(Arg::Buffer(0)), add(0, 1, 100), twice(half), add(1, 1, 1)]);
    assert_eq!(emulated.read(id, 1).unwrap().as_u32().unwrap(), [7; 128]);
    for _ in 0..2 {
        let sample = emulated.sample(id).unwrap();
        let other = emulated.read(id, 1).unwrap();
        let expected = |index: u32| match index {
            0..32 => 2 * index + 101,
            32..64 => 2 * (2 * index + 100) + 1,
            64..96 => 2 * 7 + 1,
            _ => 7 + 1,
        };
        assert_eq!(other.as_u32().unwrap(), (0..128).map(expected).collect::<Vec<_>>());
        // Both launches are one phase, and so are both stages.
        let [kernels, to_host, host, to_gpu] = sample.phases[..] else { panic!("{sample:?}") };
        assert!((kernels - sample.seconds).abs() < 1e-12 && kernels > 0.0);
        let copies = 2.0 * emulated.spec.bus_latency;
        assert!(to_host > copies && to_gpu > copies && host > 0.0, "{sample:?}");
        assert_eq!(sample.counters.get("global_load_requests").unwrap(), 4);
        assert!((sample.prediction.unwrap().seconds - sample.seconds).abs() < 1e-12);
    }
}

#[test]
fn many_launches_leave_one_phase() {
    let (mut emulated, id) = prepared(vec![twice(Arg::Buffer(0)); 3000]);
    let sample = emulated.sample(id).unwrap();
    assert_eq!(sample.phases.len(), 1);
    assert_eq!(sample.counters.get("global_load_requests").unwrap(), 6000);
    assert!(emulated.read(id, 0).unwrap().as_u32().unwrap().iter().all(|&value| value == 0));
}

#[test]
fn what_cannot_be_is_refused_in_words() {
    let (mut emulated, id) = prepared(vec![add(1, 0, 0)]);
    let refused = emulated.sample(id).unwrap_err().to_string();
    assert!(refused.contains("`add` gives 512 bytes"), "{refused}");
    let inputs: Inputs = Vec::new();
    let work = Work {
        module: TWICE,
        buffers: vec![Buffer::zeroed("x", Element::U64, 32)],
        steps: vec![twice(Arg::Buffer(1))],
    };
    assert!(emulated.prepare(&work, &inputs).is_err());
    assert!(emulated.read(id, 9).is_err());
}

/// A launch of `body` in a kernel `k` with one buffer, whose lines are those of `my.cu`.
fn own(body: &'static str) -> Work {
    of_blocks(body, 1)
}

fn of_blocks(body: &'static str, blocks: u32) -> Work {
    let module = Module { name: "my.cu", path: "my.ptx", ptx: body, source: "", resources: "" };
    let launch = Launch {
        phase: "k",
        kernel: "k".to_owned(),
        grid: Dim3::linear(blocks),
        block: Dim3::linear(64),
        shared_bytes: 0,
        args: vec![Arg::Buffer(0)],
    };
    Work::of_launches(module, vec![Buffer::zeroed("out", Element::U32, 64)], [launch])
}

const ENDLESS: &str = "\
.version 7.8
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p) {
.reg .b32 %r<3>;
mov.u32 %r1, 0;
.loc 1 4 3
L: add.u32 %r1, %r1, 1;
bra L;
}
.file 1 \"my.cu\"
";

const RACE: &str = "\
.version 7.8
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p) {
.reg .b32 %r<3>;
.reg .b64 %rd<3>;
.loc 1 3 3
ld.param.u64 %rd1, [p];
mov.u32 %r1, %tid.x;
.loc 1 7 3
st.global.u32 [%rd1], %r1;
ret;
}
.file 1 \"my.cu\"
";

#[test]
fn a_check_names_the_line_and_ends_what_never_ends() {
    let mut backend = Emulated::open(None).unwrap();
    let mut check = |work: &Work| backend.check(work, &Vec::new(), &[0]).unwrap().unwrap();
    let race = check(&own(RACE));
    assert_eq!(race.findings.len(), 1, "{race:?}");
    let text = race.findings[0].to_string();
    assert!(text.starts_with("my.cu:7: race in kernel k, block (0, 0, 0)"), "{text}");
    assert_eq!(race.outputs.len(), 1);
    assert_eq!(race.place, Some(("my.cu".to_owned(), 3)));
    let endless = check(&own(ENDLESS));
    let text = endless.findings[0].to_string();
    assert!(text.starts_with("my.cu:4: runaway-loop in kernel k"), "{text}");
    assert!(endless.outputs.is_empty());
}

#[test]
fn a_launch_of_many_blocks_is_checked_in_part() {
    let mut backend = Emulated::open(None).unwrap();
    let counts = "\
.version 7.8
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p) {
.reg .b32 %r<3>;
.reg .pred %p<2>;
mov.u32 %r1, 0;
L: add.u32 %r1, %r1, 1;
setp.lt.u32 %p1, %r1, 100;
@%p1 bra L;
ret;
}
";
    let all = backend.checked_within(100_000, &own(counts), &Vec::new(), &[0]).unwrap();
    assert!(!all.partial && all.outputs.len() == 1 && all.findings.is_empty(), "{all:?}");
    let many = of_blocks(counts, 1000);
    let some = backend.checked_within(100_000, &many, &Vec::new(), &[0]).unwrap();
    assert!(some.partial && some.outputs.is_empty() && some.findings.is_empty(), "{some:?}");
    let endless = backend.checked_within(100_000, &own(ENDLESS), &Vec::new(), &[0]).unwrap();
    assert!(!endless.partial && endless.findings.len() == 1, "{endless:?}");
}
