//! Numbers of 16 bits, by the built-in headers and by NVIDIA's where they are at hand: what both declare
//! has to compile with each, and to give the same.
// What is rounded once is compared bit by bit.
#![allow(clippy::float_cmp)]

use crate::support::Place;
use crate::support::compilers;

use super::super::request;
use super::{inputs, run};

/// A type: its header, its name, that of two of them, its digits, its least exponent.
struct Half {
    header: &'static str,
    one: &'static str,
    two: &'static str,
    digits: i32,
    least: i32,
}

const HALVES: [Half; 2] = [
    Half { header: "cuda_fp16", one: "__half", two: "__half2", digits: 11, least: -14 },
    Half {
        header: "cuda_bf16",
        one: "__nv_bfloat16",
        two: "__nv_bfloat162",
        digits: 8,
        least: -126,
    },
];

impl Half {
    /// The distance between its numbers at `x`.
    fn unit(&self, x: f64) -> f64 {
        let exponent = if x == 0.0 { self.least } else { x.abs().log2().floor() as i32 };
        f64::from(exponent.max(self.least) - self.digits + 1).exp2()
    }

    /// The nearest of its numbers, the even one of two.
    fn rounded(&self, x: f64) -> f64 {
        (x / self.unit(x)).round_ties_even() * self.unit(x)
    }
}

/// An expression of the numbers `x`, from `low` to `high`, and `y`, from -3 to 3; what it gives;
/// and the most units in the last place that it may be off.
type Case = (&'static str, f64, f64, fn(f64, f64) -> f64, f64);

const CASES: &[Case] = &[
    ("__hadd(x, y)", -9.0, 9.0, |x, y| x + y, 0.0),
    ("__hsub(x, y)", -900.0, 900.0, |x, y| x - y, 0.0),
    ("__hmul(x, y)", -9.0, 9.0, |x, y| x * y, 0.0),
    ("__hfma(x, y, T(1.5f))", -9.0, 9.0, |x, y| x * y + 1.5, 0.0),
    ("x / y", -9.0, 9.0, |x, y| x / y, 0.0),
    ("-x", -9.0, 9.0, |x, _| -x, 0.0),
    ("x += y", -9.0, 9.0, |x, y| x + y, 0.0),
    ("__habs(x)", -9.0, 9.0, |x, _| x.abs(), 0.0),
    ("__hmin(x, y)", -9.0, 9.0, f64::min, 0.0),
    ("__hmax(x, y)", -9.0, 9.0, f64::max, 0.0),
    ("hfloor(x)", -9.0, 9.0, |x, _| x.floor(), 0.0),
    ("hceil(x)", -9.0, 9.0, |x, _| x.ceil(), 0.0),
    ("htrunc(x)", -9.0, 9.0, |x, _| x.trunc(), 0.0),
    ("hrint(x)", -9.0, 9.0, |x, _| x.round_ties_even(), 0.0),
    ("hsqrt(x)", 0.1, 900.0, |x, _| x.sqrt(), 1.0),
    ("hrsqrt(x)", 0.1, 900.0, |x, _| x.sqrt().recip(), 1.0),
    ("hrcp(x)", 0.1, 900.0, |x, _| x.recip(), 1.0),
    ("hexp(x)", -9.0, 9.0, |x, _| x.exp(), 1.0),
    ("hexp2(x)", -9.0, 9.0, |x, _| x.exp2(), 1.0),
    ("hexp10(x)", -3.0, 3.0, |x, _| 10_f64.powf(x), 1.0),
    ("hlog(x)", 0.1, 900.0, |x, _| x.ln(), 1.0),
    ("hlog2(x)", 0.1, 900.0, |x, _| x.log2(), 1.0),
    ("hlog10(x)", 0.1, 900.0, |x, _| x.log10(), 1.0),
    ("hsin(x)", -3.0, 3.0, |x, _| x.sin(), 1.0),
    ("hcos(x)", -1.5, 1.5, |x, _| x.cos(), 1.0),
    ("T(__hlt(x, y) ? 1.0f : x <= y ? 2.0f : 3.0f)", -3.0, 3.0, less, 0.0),
    ("T(__hisinf(x * T(3e38f)) ? 1.0f : 0.0f)", 2.0, 9.0, |_, _| 1.0, 0.0),
    ("T(__hisnan(x) ? 1.0f : 0.0f)", -9.0, 9.0, |_, _| 0.0, 0.0),
    ("__high2float(__hadd2(P(y, x), P(x, y)))", -9.0, 9.0, |x, y| x + y, 0.0),
    ("__low2float(__hfma2(P(x, y), P(y, y), P(x, x)))", -9.0, 9.0, |x, y| x * y + x, 0.0),
    ("__high2float(P(x, y) * P(y, x) - P(y, x))", 0.0, 0.0, |x, y| x * y - x, 0.0),
    ("__high2float(__h2div(P(x, y), P(y, x)))", 1.0, 9.0, |x, y| y / x, 0.0),
    ("__high2float(__hmax2(__hneg2(P(x, x)), P(x, y)))", -9.0, 9.0, |x, y| y.max(-x), 0.0),
    ("__low2float(__lowhigh2highlow(P(y, __habs2(P(x, x)).x)))", -9.0, 9.0, |x, _| x.abs(), 0.0),
    ("__high2float(h2exp(P(y, x)))", -9.0, 9.0, |x, _| x.exp(), 1.0),
    ("__high2float(h2sqrt(P(y, x)))", 0.1, 9.0, |x, _| x.sqrt(), 1.0),
    ("__low2float(h2sin(P(x, y)))", -3.0, 3.0, |x, _| x.sin(), 1.0),
    ("__low2float(h2floor(P(x, y)))", -9.0, 9.0, |x, _| x.floor(), 0.0),
    ("__high2float(__hge2(P(x, y), P(y, x)))", -3.0, 3.0, |x, y| f64::from(u8::from(y >= x)), 0.0),
    ("__hbeq2(P(x, y), P(y, x)) ? 1.0f : 0.0f", -3.0, 3.0, |x, y| f64::from(u8::from(x == y)), 0.0),
    ("__low2float(__shfl_xor_sync(~0u, P(x, y), 1)) * 0.0f", -3.0, 3.0, |_, _| 0.0, 0.0),
    ("T(16777217) + x", 0.0, 0.0, |_, _| f64::INFINITY, 0.0),
    ("T((double)x * 1.0000000001)", 1.0, 9.0, |x, _| x, 0.0),
];

fn less(x: f64, y: f64) -> f64 {
    if x < y {
        1.0
    } else if x <= y {
        2.0
    } else {
        3.0
    }
}

/// Kernels of these expressions, and one that adds up in memory.
fn source(half: &Half) -> String {
    let mut text =
        format!("#include <{}.h>\ntypedef {} T;\ntypedef {} P;\n", half.header, half.one, half.two);
    for (at, case) in CASES.iter().enumerate() {
        text += &format!(
            "extern \"C\" __global__ void k{at}(const float *xs, const float *ys, float *out)\n\
             {{\n    T x = T(xs[threadIdx.x]), y = T(ys[threadIdx.x]);\n    \
             out[threadIdx.x] = (float)({});\n}}\n",
            case.0
        );
    }
    text + "extern \"C\" __global__ void sums(const float *, const float *, float *out)\n{\n    \
            __shared__ P s[2];\n    if (threadIdx.x < 2) s[threadIdx.x] = P(T(0.0f), T(0.0f));\n    \
            __syncthreads();\n    \
            if (threadIdx.x < 96) atomicAdd(&s[0], P(T(1.0f), T(2.0f)));\n    \
            if (threadIdx.x < 64) atomicAdd((T *)s + 3, T(0.5f));\n    __syncthreads();\n    \
            out[threadIdx.x] = __low2float(s[0]) + 1000 * __high2float(s[0]) + __low2float(s[1])\n        \
            + 1000000 * __high2float(s[1]);\n}\n"
}

#[test]
fn numbers_of_16_bits_are_what_nvidias_headers_give() {
    let place = Place::new();
    let mut wrong = Vec::new();
    for one in compilers::all("numbers_of_16_bits", &place.path("cache")) {
        for half in &HALVES {
            let compiled = match one.setup.compile(&request(&source(half))) {
                Ok(compiled) => compiled,
                Err(error) => panic!("{}: {}: {error}", one.name, half.header),
            };
            for (at, (text, low, high, reference, most)) in CASES.iter().enumerate() {
                let near = |x: f64| half.rounded(x) as f32;
                let inputs: Vec<(f32, f32)> =
                    inputs(*low, *high).iter().map(|&(x, y)| (near(x), near(y))).collect();
                let found = run(&compiled.ptx, &format!("k{at}"), &inputs);
                for (&(x, y), found) in inputs.iter().zip(found) {
                    let exact = reference(x.into(), y.into());
                    let expected = half.rounded(exact);
                    let off = (f64::from(found) - expected).abs();
                    let same = f64::from(found).to_bits() == expected.to_bits();
                    let near = off <= most * half.unit(exact);
                    // What is infinite in one of the two types is a number in the other.
                    let large = exact.is_infinite()
                        && (f64::from(found) == 16_777_216.0 || found.is_infinite());
                    if !same && !near && !large {
                        wrong.push(format!(
                            "{}, {}: {text} of {x} and {y} is {found}, not {expected}",
                            one.name, half.header
                        ));
                        break;
                    }
                }
            }
            let sums = run::<f32>(&compiled.ptx, "sums", &[(0.0, 0.0); super::COUNT]);
            let expected = 96.0 + 192_000.0 + 32_000_000.0;
            if sums[0] != expected {
                wrong.push(format!("{}, {}: sums are {}", one.name, half.header, sums[0]));
            }
        }
    }
    assert_eq!(wrong, [""; 0], "{}", wrong.join("\n"));
}
