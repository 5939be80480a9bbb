//! Saxpy: `a x + y`.

use std::sync::Arc;

use warpscope::algorithms::{
    Algorithm, Defaults, Mismatch, Param, Size, Spec, Traffic, Variant, compare, inputs,
};
use warpscope::experiment::{Case, Distribution};
use warpscope::units::MOST_ELEMENTS;
use warpscope::work::View;
use warpscope::work::view::curve::Curve;
use warpscope::work::{Arg, Buffer, Dim3, Element, HostBuffer, Inputs, Launch, Module, Work};

/// `a x + y` for every element; `y` is overwritten.
#[derive(Debug)]
pub struct Saxpy;

static SPEC: Spec = Spec {
    name: "saxpy",
    summary: "multiplies by a number and adds",
    variants: &[Variant::new("plain", "one value after the other")],
    params: &[Param::int("a", "the factor", (0, 100), 2, &[0, 1, 2, 10, 100])],
    options: &[],
    size: Size { noun: "values", most: MOST_ELEMENTS },
    defaults: Defaults { sizes: (1 << 10, 1 << 22), block: 256, coarsen: 4 },
    distributions: &Distribution::ALL,
    module: Module {
        name: "saxpy",
        path: "kernels/ptx/saxpy.ptx",
        ptx: include_str!("saxpy.ptx"),
        source: include_str!("saxpy.cu"),
        resources: include_str!("saxpy.csv"),
    },
    recording: &[],
};

/// Index of `y` in [`Work::buffers`].
const Y: usize = 1;

fn factor(case: &Case) -> f32 {
    case.int("a").unwrap_or(2) as f32
}

impl Algorithm for Saxpy {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn work(&self, case: &Case) -> Work {
        let blocks = case.n.div_ceil(u64::from(case.block) * u64::from(case.coarsen)).max(1);
        let buffers = vec![
            Buffer::input("x", 0, Element::F32, case.n),
            Buffer::input("y", 1, Element::F32, case.n).written(),
        ];
        let launch = Launch {
            phase: "saxpy",
            kernel: "saxpy_plain".to_owned(),
            grid: Dim3::linear(blocks as u32),
            block: Dim3::linear(case.block),
            shared_bytes: 0,
            args: vec![
                Arg::F32(factor(case)),
                Arg::Buffer(0),
                Arg::Buffer(Y),
                Arg::U32(case.n as u32),
            ],
        };
        Work::of_launches(SPEC.module, buffers, [launch])
    }

    fn input_key(&self, case: &Case) -> String {
        format!("{} seed={} n={}", case.dist, case.seed, case.n)
    }

    fn inputs(&self, case: &Case) -> Inputs {
        let floats = |seed| {
            let words = inputs::generate(case.dist, seed, case.n as usize);
            Arc::new(HostBuffer::F32(words.into_iter().map(|word| word as f32).collect()))
        };
        vec![floats(case.seed), floats(case.seed.wrapping_add(1))]
    }

    fn reference(&self, case: &Case, inputs: &Inputs) -> Vec<HostBuffer> {
        let a = f64::from(factor(case));
        let [x, y] = [0, 1]
            .map(|input| inputs.get(input).and_then(|values| values.as_f32()).unwrap_or_default());
        let sums = x.iter().zip(y).map(|(&x, &y)| a * f64::from(x) + f64::from(y));
        vec![HostBuffer::F64(sums.collect())]
    }

    fn outputs(&self, _case: &Case) -> Vec<usize> {
        vec![Y]
    }

    fn verify(
        &self,
        _case: &Case,
        _inputs: &Inputs,
        reference: &[HostBuffer],
        outputs: &[HostBuffer],
    ) -> Result<(), Mismatch> {
        let ([reference], [output]) = (reference, outputs) else {
            return compare::exactly(reference, outputs);
        };
        // A product and a sum, each rounded once, or both at once; no term is
        // negative, so the result bounds their absolute values.
        let relative = compare::gamma(2.0, compare::UNIT_32);
        let expected = reference.as_f64().unwrap_or_default();
        compare::within(reference, output, |index| {
            expected.get(index).map_or(0.0, |value| relative * value)
        })
    }

    fn traffic(&self, case: &Case) -> Traffic {
        Traffic { bytes: 12 * case.n, flops: 2 * case.n }
    }

    fn view(&self, _case: &Case, _inputs: &Inputs, outputs: &[HostBuffer]) -> Option<View> {
        // The reference, which stands in before anything ran, has 64 bits.
        let view = match outputs.first()? {
            HostBuffer::F32(values) => Curve::of("a x + y", values.iter().map(|&y| f64::from(y))),
            other => Curve::of("a x + y", other.as_f64()?.iter().copied()),
        };
        Some(View::Curve(view))
    }
}
