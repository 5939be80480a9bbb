//! The third blind set of the outside suite (`benches/timing/suite/blind_3`) on the emulator:
//! every kernel at its smallest size against a plain reference.

#![allow(clippy::many_single_char_names)] // Formulas have the letters of their fields.

mod codes;
mod fields;
mod relations;
mod tensors;
mod walks;

use std::collections::{BTreeMap, BTreeSet};

use warpscope::backend::Backend;
use warpscope::backend::emulated::Emulated;
use warpscope::work::{Arg, Element, HostBuffer, Inputs, Step, Work};

use crate::suite::cases::{self, Check, Half};

/// What a kernel's outputs should be, one after the other.
type Reference = fn(&Args) -> Vec<HostBuffer>;

/// Arguments of a launch, in the kernel's order.
struct Args {
    given: Vec<Arg>,
    buffers: Vec<HostBuffer>,
    /// Threads in a block.
    block: usize,
}

impl Args {
    fn of(work: &Work, inputs: &Inputs, block: u32) -> Self {
        let Some(Step::Launch(launch)) = work.steps.first() else { panic!("no launch") };
        let given = |buffer: &warpscope::work::Buffer| match buffer.given(inputs).unwrap() {
            Some(values) => (**values).clone(),
            None => HostBuffer::U8(Vec::new()),
        };
        let buffers = work.buffers.iter().map(given).collect();
        Self { given: launch.args.clone(), buffers, block: block as usize }
    }

    /// The bytes of a buffer as other elements.
    fn cast(&self, at: usize, element: Element) -> HostBuffer {
        let Arg::Buffer(buffer) = self.given[at] else { panic!("argument {at} is no buffer") };
        HostBuffer::from_bytes(element, &self.buffers[buffer].to_bytes())
    }

    fn u8s(&self, at: usize) -> Vec<u8> {
        let HostBuffer::U8(values) = self.cast(at, Element::U8) else { unreachable!() };
        values
    }

    fn i32s(&self, at: usize) -> Vec<i32> {
        let HostBuffer::I32(values) = self.cast(at, Element::I32) else { unreachable!() };
        values
    }

    fn u32s(&self, at: usize) -> Vec<u32> {
        let HostBuffer::U32(values) = self.cast(at, Element::U32) else { unreachable!() };
        values
    }

    fn u64s(&self, at: usize) -> Vec<u64> {
        let HostBuffer::U64(values) = self.cast(at, Element::U64) else { unreachable!() };
        values
    }

    /// Indices and sizes.
    fn sizes(&self, at: usize) -> Vec<usize> {
        self.u32s(at).into_iter().map(|value| value as usize).collect()
    }

    fn f32s(&self, at: usize) -> Vec<f32> {
        let HostBuffer::F32(values) = self.cast(at, Element::F32) else { unreachable!() };
        values
    }

    /// Floats of 32 bits, with more places.
    fn f64s(&self, at: usize) -> Vec<f64> {
        self.f32s(at).into_iter().map(f64::from).collect()
    }

    fn doubles(&self, at: usize) -> Vec<f64> {
        let HostBuffer::F64(values) = self.cast(at, Element::F64) else { unreachable!() };
        values
    }

    fn int(&self, at: usize) -> usize {
        let Arg::U32(value) = self.given[at] else { panic!("argument {at} is no integer") };
        value as usize
    }

    fn long(&self, at: usize) -> u64 {
        let Arg::U64(value) = self.given[at] else { panic!("argument {at} is no long integer") };
        value
    }

    fn float(&self, at: usize) -> f32 {
        let Arg::F32(value) = self.given[at] else { panic!("argument {at} is no float") };
        value
    }
}

/// Single-precision floats of numbers with more places.
fn floats(values: impl IntoIterator<Item = f64>) -> Vec<HostBuffer> {
    vec![HostBuffer::F32(values.into_iter().map(|value| value as f32).collect())]
}

/// Why an output is not the expected one: the first place that differs too much.
fn differs(found: &HostBuffer, expected: &HostBuffer, check: Check) -> Option<String> {
    if found.element() != expected.element() || found.len() != expected.len() {
        return Some(format!("{:?} of {}", expected.element(), expected.len()));
    }
    let tolerance = match found.element() {
        Element::F32 => 2e-4,
        Element::F64 => 1e-9,
        // Numbers that were rounded to few places: the last may differ.
        _ if check == Check::Sum => 1e-3,
        _ if found == expected => return None,
        _ => 0.0,
    };
    let (found, expected) = (found.to_f64(), expected.to_f64());
    let far = |(_, (a, b)): &(usize, (&f64, &f64))| {
        let away = (*a - *b).abs() / (1.0 + b.abs());
        away.is_nan() || away > tolerance
    };
    let far: Vec<_> = found.iter().zip(&expected).enumerate().filter(far).collect();
    let first = far.first().map(|(at, (a, b))| format!("first {at}: {a}, expected {b}"));
    (tolerance == 0.0 || first.is_some()).then(|| format!("{} places, {first:?}", far.len()))
}

#[test]
fn small_cases_compute_what_plain_loops_do() {
    let references: BTreeMap<&str, Reference> =
        [fields::ALL, walks::ALL, codes::ALL, relations::ALL, tensors::ALL]
            .into_iter()
            .flatten()
            .copied()
            .collect();
    let mut emulator = Emulated::open(Some("H200 SXM")).unwrap();
    let (mut seen, mut wrong) = (BTreeSet::new(), Vec::new());
    let small = |case: &cases::Case| {
        let (sizes, blocks) = (case.kernel.sizes, case.kernel.blocks);
        case.kernel.half == Half::Blind(3) && case.n == sizes[0] && case.block == blocks[0]
    };
    for case in cases::cases().filter(small) {
        let name = case.kernel.name;
        let (work, inputs, checks) = case.work();
        let expected = references[name](&Args::of(&work, &inputs, case.threads()));
        let prepared = emulator.prepare(&work, &inputs).unwrap();
        emulator.sample(prepared).unwrap_or_else(|failure| panic!("{name}: {failure}"));
        let checked = checks.iter().enumerate().filter_map(|(at, check)| Some((at, (*check)?)));
        let checked: Vec<_> = checked.collect();
        assert_eq!(checked.len(), expected.len(), "{name}");
        for ((at, check), expected) in checked.into_iter().zip(&expected) {
            let found = emulator.read(prepared, at).unwrap();
            wrong.extend(differs(&found, expected, check).map(|why| (name, why)));
        }
        emulator.release(prepared);
        seen.insert(name);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(seen.iter().eq(references.keys()), "a reference without a kernel");
}
