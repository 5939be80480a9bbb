//! Mathematical functions: those of the prelude for clang, and NVRTC's own, against the
//! CPU's in 64 bits.

mod halves;

use warpscope::emulator::{self, Memory, Options};
use warpscope::work::Dim3;

use super::request;
use crate::support::Place;
use crate::support::compilers;

/// Values of each function.
const COUNT: usize = 512;

/// A function: its expression of `x` and `y`, the range of `x`, what it should give, and the
/// most units in the last place that it may be off.
type Case = (&'static str, f64, f64, fn(f64, f64) -> f64, f64);

/// Of float. `y` goes from -3 to 3.
const FLOAT: &[Case] = &[
    ("expf(x)", -100.0, 88.7, |x, _| x.exp(), 4.0),
    ("exp2f(x)", -120.0, 127.0, |x, _| x.exp2(), 4.0),
    ("exp10f(x)", -37.0, 38.0, |x, _| 10f64.powf(x), 4.0),
    ("expm1f(x)", -2.0, 2.0, |x, _| x.exp_m1(), 8.0),
    ("logf(x)", 1e-3, 20.0, |x, _| x.ln(), 4.0),
    ("logf(x * 1e-39f)", 0.1, 20.0, |x, _| f64::from(x as f32 * 1e-39).ln(), 4.0),
    ("log2f(x)", 1e-3, 20.0, |x, _| x.log2(), 4.0),
    ("log10f(x)", 1e-3, 20.0, |x, _| x.log10(), 4.0),
    ("log1pf(x)", -0.9, 5.0, |x, _| x.ln_1p(), 8.0),
    ("sinf(x)", -3.0, 3.0, |x, _| x.sin(), 4.0),
    ("sinf(x)", 1e5, 1e9, |x, _| x.sin(), 8.0),
    ("cosf(x)", -1.5, 1.5, |x, _| x.cos(), 4.0),
    ("cosf(x)", 1e5, 1e9, |x, _| x.cos(), 8.0),
    ("tanf(x)", -1.5, 1.5, |x, _| x.tan(), 6.0),
    ("asinf(x)", -1.0, 1.0, |x, _| x.asin(), 6.0),
    ("acosf(x)", -1.0, 0.99, |x, _| x.acos(), 6.0),
    ("atanf(x)", -9.0, 9.0, |x, _| x.atan(), 4.0),
    ("atan2f(x, y)", -9.0, 9.0, f64::atan2, 6.0),
    ("sinhf(x)", -9.0, 9.0, |x, _| x.sinh(), 8.0),
    ("coshf(x)", -9.0, 9.0, |x, _| x.cosh(), 8.0),
    ("tanhf(x)", -9.0, 9.0, |x, _| x.tanh(), 8.0),
    ("asinhf(x)", -9.0, 9.0, |x, _| x.asinh(), 8.0),
    ("acoshf(x)", 1.5, 9.0, |x, _| x.acosh(), 8.0),
    ("atanhf(x)", -0.9, 0.9, |x, _| x.atanh(), 8.0),
    ("powf(x, y)", 0.01, 30.0, f64::powf, 8.0),
    ("cbrtf(x)", -50.0, 50.0, |x, _| x.cbrt(), 4.0),
    ("hypotf(x, y)", -50.0, 50.0, f64::hypot, 4.0),
    ("fmodf(x, y)", -5000.0, 5000.0, |x, y| x % y, 0.0),
    ("remainderf(x, y)", -5000.0, 5000.0, libm::remainder, 0.51),
    ("lgammaf(x)", 2.5, 60.0, |x, _| libm::lgamma(x), 8.0),
    ("tgammaf(x)", 0.1, 30.0, |x, _| libm::tgamma(x), 16.0),
    ("erff(x)", -3.0, 3.0, |x, _| libm::erf(x), 8.0),
    ("rsqrtf(x)", 0.01, 90.0, |x, _| 1.0 / x.sqrt(), 3.0),
    ("sqrtf(x)", 0.0, 90.0, |x, _| x.sqrt(), 0.51),
    ("x / y", 0.1, 90.0, |x, y| x / y, 0.51),
    ("roundf(x)", -9.0, 9.0, |x, _| x.round(), 0.0),
    ("rintf(x)", -9.0, 9.0, |x, _| x.round_ties_even(), 0.0),
    ("floor(x) + ceil(y)", -9.0, 9.0, |x, y| x.floor() + y.ceil(), 0.0),
    (
        "fabs(x) + max(x, y) + min(y, 1.0f)",
        -9.0,
        9.0,
        |x, y| f64::from((x.abs() as f32 + x.max(y) as f32) + y.min(1.0) as f32),
        0.0,
    ),
    (
        "ldexpf(x, 3) + truncf(y)",
        -9.0,
        9.0,
        |x, y| f64::from((x * 8.0) as f32 + y.trunc() as f32),
        0.0,
    ),
    ("__int2float_rn(__float2int_rz(x))", -90.0, 90.0, |x, _| x.trunc(), 0.0),
    ("__fmaf_rn(x, y, 1.0f)", -90.0, 90.0, |x, y| x.mul_add(y, 1.0), 0.51),
    ("copysignf(x, y)", -9.0, 9.0, f64::copysign, 0.0),
    (
        "std::max(x, y) - std::min(x, 0.5f)",
        -9.0,
        9.0,
        |x, y| f64::from(x.max(y) as f32 - x.min(0.5) as f32),
        0.0,
    ),
    (
        "std::isnan(y) || x > std::numeric_limits<float>::infinity() ? 0.0f : std::fabs(x)",
        -9.0,
        9.0,
        |x, _| x.abs(),
        0.0,
    ),
    (
        "std::uint16_t(70000) + std::conditional<std::is_same<float, int>::value, char, int>::type(x)",
        -900.0,
        900.0,
        |x, _| 4464.0 + x.trunc(),
        0.0,
    ),
];

/// Of double.
const DOUBLE: &[Case] = &[
    ("exp(x)", -700.0, 709.0, |x, _| x.exp(), 4.0),
    ("expm1(x)", -2.0, 2.0, |x, _| x.exp_m1(), 8.0),
    ("exp2(x)", -1000.0, 1000.0, |x, _| x.exp2(), 4.0),
    ("log(x)", 1e-3, 20.0, |x, _| x.ln(), 4.0),
    ("log2(x)", 1e-3, 20.0, |x, _| x.log2(), 4.0),
    ("log10(x)", 1e-3, 20.0, |x, _| x.log10(), 4.0),
    ("log1p(x)", -0.9, 5.0, |x, _| x.ln_1p(), 8.0),
    ("sin(x)", -900.0, 900.0, |x, _| x.sin(), 8.0),
    ("cos(x)", -900.0, 900.0, |x, _| x.cos(), 8.0),
    ("tan(x)", -1.5, 1.5, |x, _| x.tan(), 8.0),
    ("asin(x)", -1.0, 1.0, |x, _| x.asin(), 8.0),
    ("acos(x)", -1.0, 0.99, |x, _| x.acos(), 8.0),
    ("atan2(x, y)", -9.0, 9.0, f64::atan2, 6.0),
    ("sinh(x)", -9.0, 9.0, |x, _| x.sinh(), 16.0),
    ("tanh(x)", -9.0, 9.0, |x, _| x.tanh(), 16.0),
    ("pow(x, y)", 0.01, 30.0, f64::powf, 32.0),
    ("cbrt(x)", -50.0, 50.0, |x, _| x.cbrt(), 4.0),
    ("fmod(x, y)", -5000.0, 5000.0, |x, y| x % y, 0.0),
    ("remainder(x, y)", -5000.0, 5000.0, libm::remainder, 0.0),
    ("lgamma(x)", 2.5, 160.0, |x, _| libm::lgamma(x), 64.0),
    ("tgamma(x)", -4.9, 160.0, |x, _| libm::tgamma(x), 2048.0),
    ("erf(x)", -3.0, 3.0, |x, _| libm::erf(x), 32.0),
    ("sqrt(x) + round(y)", 0.0, 90.0, |x, y| x.sqrt() + y.round(), 1.0),
    ("std::sqrt(x) + std::floor(y)", 0.0, 90.0, |x, y| x.sqrt() + y.floor(), 1.0),
    (
        "std::numeric_limits<short>::max() + std::numeric_limits<long long>::digits + std::trunc(x)",
        -90.0,
        90.0,
        |x, _| 32767.0 + 63.0 + x.trunc(),
        0.0,
    ),
];

/// The two inputs of every value.
fn inputs(low: f64, high: f64) -> Vec<(f64, f64)> {
    let step = |at: usize| at as f64 / (COUNT - 1) as f64;
    let other = |at: usize| -3.0 + 6.0 * step(at * 199 % COUNT);
    (0..COUNT).map(|at| (low + (high - low) * step(at), other(at))).collect()
}

/// Words of values, and back.
trait Real: Copy + Into<f64> {
    const NAME: &'static str;
    const UNIT: f64;
    fn of(value: f64) -> Self;
    fn words(self) -> Vec<u32>;
    fn from_words(words: &[u32]) -> Self;
}

impl Real for f32 {
    const NAME: &'static str = "float";
    const UNIT: f64 = f32::EPSILON as f64;
    fn of(value: f64) -> Self {
        value as f32
    }
    fn words(self) -> Vec<u32> {
        vec![self.to_bits()]
    }
    fn from_words(words: &[u32]) -> Self {
        Self::from_bits(words[0])
    }
}

impl Real for f64 {
    const NAME: &'static str = "double";
    const UNIT: f64 = f64::EPSILON;
    fn of(value: f64) -> Self {
        value
    }
    fn words(self) -> Vec<u32> {
        vec![self.to_bits() as u32, (self.to_bits() >> 32) as u32]
    }
    fn from_words(words: &[u32]) -> Self {
        Self::from_bits(u64::from(words[0]) | u64::from(words[1]) << 32)
    }
}

/// The results of one kernel.
fn run<T: Real>(ptx: &str, kernel: &str, inputs: &[(T, T)]) -> Vec<T> {
    let kernel = emulator::load(ptx, "my.cu", kernel).unwrap();
    let mut memory = Memory::new();
    let size = size_of::<T>();
    let bytes = (COUNT * size) as u64;
    let [x, y, out] = [(); 3].map(|()| memory.allocate(bytes));
    memory.write_u32(x, &inputs.iter().flat_map(|pair| pair.0.words()).collect::<Vec<_>>());
    memory.write_u32(y, &inputs.iter().flat_map(|pair| pair.1.words()).collect::<Vec<_>>());
    let block = Dim3::linear(COUNT as u32);
    let options = Options { threads: 1, ..Options::default() };
    emulator::launch(&kernel, Dim3::linear(1), block, 0, &[x, y, out], &memory, options).unwrap();
    memory.read_u32(out).chunks(size / 4).map(T::from_words).collect()
}

fn check<T: Real>(test: &str, cases: &[Case]) {
    let place = Place::new();
    let real = T::NAME;
    let kernel = |(at, case): (usize, &Case)| {
        format!(
            "extern \"C\" __global__ void k{at}(const {real} *xs, const {real} *ys, {real} *out)\n\
             {{\n    {real} x = xs[threadIdx.x], y = ys[threadIdx.x];\n    \
             out[threadIdx.x] = {};\n}}\n",
            case.0
        )
    };
    let source: String = cases.iter().enumerate().map(kernel).collect();
    let mut wrong = Vec::new();
    for one in compilers::all(test, &place.path("cache")) {
        let compiled = one.setup.compile(&request(&source)).unwrap();
        for (at, (text, low, high, reference, most)) in cases.iter().enumerate() {
            let inputs = inputs(*low, *high);
            let inputs: Vec<(T, T)> = inputs.iter().map(|&(x, y)| (T::of(x), T::of(y))).collect();
            let found = run(&compiled.ptx, &format!("k{at}"), &inputs);
            let off = |(&(x, y), found): (&(T, T), &T)| {
                let (x, y): (f64, f64) = (x.into(), y.into());
                let (wanted, found) = (reference(x, y), (*found).into());
                let unit = T::UNIT * T::of(wanted).into().abs().max(1e-30);
                let units = (wanted - found).abs() / unit;
                if units.is_nan() { f64::INFINITY } else { units }
            };
            let worst = inputs.iter().zip(&found).map(off).fold(0.0, f64::max);
            if worst > *most {
                wrong.push(format!("{}: {text} is off by {worst:.1} units", one.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn functions_of_float_are_accurate() {
    check::<f32>("functions_of_float", FLOAT);
}

#[test]
fn functions_of_double_are_accurate() {
    check::<f64>("functions_of_double", DOUBLE);
}
