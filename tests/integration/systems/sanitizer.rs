//! Every variant under the emulator's checks: bounds, alignment, uninitialised
//! reads, races, barriers, lane masks.

use std::collections::BTreeMap;

use crate::support::builders::case;
use warpscope::algorithms::Algorithm;
use warpscope::emulator::ptx;
use warpscope::emulator::{self, Kernel, Memory, Options, Setting};
use warpscope::experiment::Case;
use warpscope::work::{Arg, HostBuffer, Init, Step};

/// Sizes, blocks and coarsenings that are looked at: more than one block, a last
/// warp that is not full, more units than a thread holds at a time, and nothing
/// at all.
const SHAPES: [(u64, u32, u32); 5] =
    [(0, 32, 1), (33, 48, 1), (100, 32, 3), (1000, 128, 1), (1280, 32, 20)];

/// Runs every variant in each shape that `can_run` admits; gives how many ran.
pub(crate) fn check(algorithm: &'static dyn Algorithm, can_run: impl Fn(&Case) -> bool) -> usize {
    let mut ran = 0;
    let most = algorithm.defaults().sizes.1;
    for (n, block, coarsen) in SHAPES.into_iter().filter(|(n, ..)| *n <= most) {
        for variant in algorithm.variants() {
            let coarsen = if variant.coarsens { coarsen } else { 1 };
            let case = case(algorithm, variant.name, n, block, coarsen);
            if can_run(&case) {
                check_case(algorithm, &case);
                ran += 1;
            }
        }
    }
    ran
}

/// Takes every step of a case, watching each launch.
pub(crate) fn check_case(algorithm: &dyn Algorithm, case: &Case) {
    let (work, inputs) = (algorithm.work(case), algorithm.inputs(case));
    let module = ptx::parse(work.module.ptx, work.module.path).unwrap();
    let mut memory = Memory::new();
    let addresses: Vec<u64> = work
        .buffers
        .iter()
        .map(|buffer| {
            let address = memory.allocate(buffer.bytes());
            match (buffer.given(&inputs).unwrap(), buffer.init) {
                (Some(input), _) => memory.write_u32(address, &input.words()),
                (None, Init::Filled { word, .. }) => {
                    memory.write_u32(address, &vec![word; (buffer.bytes() / 4) as usize]);
                }
                (None, _) => {}
            }
            address
        })
        .collect();
    let read = |memory: &Memory, index: usize| {
        HostBuffer::from_words(work.buffers[index].element, memory.read_u32(addresses[index]))
    };
    let mut kernels: BTreeMap<&str, Kernel> = BTreeMap::new();
    for step in &work.steps {
        let launch = match step {
            Step::Launch(launch) => launch,
            Step::Host(stage) => {
                let answer = stage.answer(&read(&memory, stage.from), &work.buffers[stage.to]);
                memory.write_u32(addresses[stage.to], &answer.unwrap().words());
                continue;
            }
        };
        let kernel = kernels.entry(&launch.kernel).or_insert_with(|| {
            emulator::load(work.module.ptx, work.module.path, &launch.kernel).unwrap()
        });
        let address = |index: usize| addresses.get(index).copied();
        let words = |arg: &Arg| arg.words(address, |map, at| Ok(map.words(at))).unwrap();
        let args: Vec<u64> = launch.args.iter().flat_map(words).collect();
        let setting = Setting {
            grid: launch.grid,
            block: launch.block,
            shared_bytes: launch.shared_bytes,
            args: &args,
            unwritten: &[],
        };
        let checked = emulator::check(kernel, &module, setting, &memory, Options::default());
        assert_eq!(checked.ran.trap, None, "{case}");
        assert!(checked.findings.is_empty(), "{case}: {:#?}", checked.findings);
    }
    let outputs: Vec<HostBuffer> =
        algorithm.outputs(case).into_iter().map(|index| read(&memory, index)).collect();
    let reference = algorithm.reference(case, &inputs);
    assert_eq!(algorithm.verify(case, &inputs, &reference, &outputs), Ok(()), "{case}");
}
