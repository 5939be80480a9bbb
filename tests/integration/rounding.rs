//! Floating-point arithmetic in every format and rounding direction, on random
//! operands, against fractions of big integers that are rounded by search.

mod exact;

use exact::{BF16, F16, F32, F64, Format, Fraction, Round, Value};
use proptest::prelude::*;
use warpscope::emulator::{self, Memory, Options};
use warpscope::work::Dim3;

/// Threads of a launch; each has operands of its own.
const LANES: usize = 192;

const ROUNDS: [(&str, Round); 4] =
    [("rn", Round::Nearest), ("rz", Round::Zero), ("rm", Round::Down), ("rp", Round::Up)];

/// An instruction without its operands, of which it has `count` sources.
struct Word<'a> {
    text: &'a str,
    to: &'static Format,
    from: &'static Format,
    count: usize,
}

/// What the emulator gives for the operands of each lane.
fn emulated(word: &Word, operands: &[[u64; 3]]) -> Vec<u64> {
    let (d, s) = (word.to.bits, word.from.bits);
    let names = &["a", "b", "c"][..word.count];
    let load = |(at, name): (usize, &&str)| format!("ld.global.b{s} {name}, [%rd2+{}];\n", at * 8);
    let loads: Vec<String> = names.iter().enumerate().map(load).collect();
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 in, .param .u64 out)\n{{\n\
         .reg .b32 %r<2>;\n.reg .b64 %rd<5>;\n.reg .b{d} d;\n.reg .b{s} a, b, c;\n\
         ld.param.u64 %rd1, [in];\nld.param.u64 %rd3, [out];\nmov.u32 %r1, %tid.x;\n\
         mad.wide.u32 %rd2, %r1, 24, %rd1;\nmad.wide.u32 %rd4, %r1, 8, %rd3;\n{}\
         {} d, {};\nst.global.b{d} [%rd4], d;\nret;\n}}\n",
        loads.concat(),
        word.text,
        names.join(", ")
    );
    let kernel = emulator::load(&text, "k.ptx", "k").unwrap();
    let mut memory = Memory::new();
    let (input, output) = (memory.allocate(LANES as u64 * 24), memory.allocate(LANES as u64 * 8));
    let cells: Vec<u8> =
        operands.as_flattened().iter().flat_map(|cell| cell.to_le_bytes()).collect();
    memory.write_bytes(input, &cells);
    let options = Options { threads: 1, ..Options::default() };
    let block = Dim3::linear(LANES as u32);
    emulator::launch(&kernel, Dim3::linear(1), block, 0, &[input, output], &memory, options)
        .unwrap();
    let results = memory.read_bytes(output);
    results.as_chunks::<8>().0.iter().map(|cell| u64::from_le_bytes(*cell)).collect()
}

/// Holds every lane's result to the exact one, which is `None` for a NaN.
fn hold(word: &Word, operands: &[[u64; 3]], exact: impl Fn([Value; 3]) -> Option<u64>) {
    let found = emulated(word, operands);
    assert_eq!(found.len(), operands.len());
    for (bits, &found) in operands.iter().zip(&found) {
        let expected = exact(bits.map(|bits| Value::of(bits, word.from)));
        assert!(
            expected.map_or_else(|| word.to.is_nan(found), |expected| expected == found),
            "{} of {:x?} gives {found:x?}, not {expected:x?}",
            word.text,
            &bits[..word.count],
        );
    }
}

/// Bits of a format, mostly of values that are hard to round together.
fn operand(format: &'static Format) -> impl Strategy<Value = u64> + Clone {
    let digits = format.fraction;
    let (bias, top) = (format.one() >> digits, format.infinity() >> digits);
    let exponent = prop_oneof![
        // Sums cancel.
        3 => bias - 1..bias + 3,
        // Added to those, values lie around the last digit or below it.
        2 => bias - u64::from(digits) - 2..bias - u64::from(digits) + 3,
        // Products of two, and quotients by great ones, become subnormal.
        1 => bias / 2 - u64::from(digits) / 2..bias / 2 + 2,
        1 => 0..3_u64,
        // Overflow, infinities, NaNs.
        1 => top - 3..top + 1,
        1 => 0..top + 1,
    ];
    let ones = (1 << digits) - 1;
    let fraction = prop_oneof![
        3 => any::<u64>().prop_map(move |bits| bits & ones),
        // Products of two have a digit or two too many: ties.
        2 => any::<u64>().prop_map(move |bits| bits & ones & u64::MAX << (digits / 2 - 1)),
        // Sums are exact or ties.
        1 => any::<u64>().prop_map(move |bits| bits & ones & u64::MAX << (digits - 2)),
        // Conversions to narrower formats meet ties, and numbers just above.
        2 => (any::<u64>(), prop::sample::select(vec![8, 11, 24]), 0..2_u64).prop_map(
            move |(bits, kept, more)| {
                bits & ones & u64::MAX << digits.saturating_sub(kept) | more
            }
        ),
        1 => 0..4_u64,
        1 => ones - 3..ones + 1,
    ];
    (any::<bool>(), exponent, fraction).prop_map(move |(negative, exponent, fraction)| {
        let sign = if negative { format.sign() } else { 0 };
        sign | exponent << format.fraction | fraction
    })
}

/// Three operands for each lane.
fn operands(format: &'static Format) -> impl Strategy<Value = Vec<[u64; 3]>> {
    let one = operand(format);
    prop::collection::vec([one.clone(), one.clone(), one], LANES)
}

fn sums_and_products(
    format: &'static Format,
    name: &str,
    rounds: &[(&str, Round)],
    cells: &[[u64; 3]],
) {
    for &(direction, round) in rounds {
        let check = |f: &str, count, exact: fn([Value; 3], Round) -> Value| {
            let text = &format!("{f}.{direction}.{name}");
            let word = Word { text, to: format, from: format, count };
            hold(&word, cells, |values| exact(values, round).rounded(format, round));
        };
        check("add", 2, |[a, b, _], round| a.sum(&b, round));
        check("sub", 2, |[a, b, _], round| a.sum(&b.negated(), round));
        check("mul", 2, |[a, b, _], _| a.product(&b));
        check("fma", 3, |[a, b, c], round| a.product(&b).sum(&c, round));
    }
}

fn quotients_and_roots(format: &'static Format, name: &str, cells: &[[u64; 3]]) {
    for (direction, round) in ROUNDS {
        let check = |f: &str, count, exact: &dyn Fn([Value; 3]) -> Option<u64>| {
            let text = &format!("{f}.{direction}.{name}");
            hold(&Word { text, to: format, from: format, count }, cells, exact);
        };
        let one = Value::of(format.one(), format);
        check("div", 2, &|[a, b, _]| a.quotient(&b).rounded(format, round));
        check("rcp", 1, &|[a, ..]| one.quotient(&a).rounded(format, round));
        check("sqrt", 1, &|[a, ..]| a.root_rounded(format, round));
    }
}

fn narrowed(
    [to, from]: [&'static Format; 2],
    names: &str,
    rounds: &[(&str, Round)],
    cells: &[[u64; 3]],
) {
    for &(direction, round) in rounds {
        let text = &format!("cvt.{direction}.{names}");
        let word = Word { text, to, from, count: 1 };
        hold(&word, cells, |[a, ..]| a.rounded(to, round));
    }
}

fn widened([to, from]: [&'static Format; 2], names: &str, cells: &[[u64; 3]]) {
    let word = Word { text: &format!("cvt.{names}"), to, from, count: 1 };
    // Every value of the narrow format is one of the wide.
    hold(&word, cells, |[a, ..]| {
        let bits = [Round::Down, Round::Up].map(|round| a.rounded(to, round));
        assert_eq!(bits[0], bits[1]);
        bits[0]
    });
}

fn integral(format: &'static Format, name: &str, cells: &[[u64; 3]]) {
    for (direction, round) in ROUNDS {
        let text = &format!("cvt.{direction}i.{name}.{name}");
        let word = Word { text, to: format, from: format, count: 1 };
        hold(&word, cells, |[a, ..]| a.integral(round).rounded(format, Round::Nearest));
    }
}

proptest! {
    // Failures name one lane's operands, so there is nothing to shrink.
    #![proptest_config(ProptestConfig {
        cases: 16,
        max_shrink_iters: 0,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn sums_and_products_are_rounded_once(
        f16 in operands(&F16),
        bf16 in operands(&BF16),
        f32 in operands(&F32),
        f64 in operands(&F64),
    ) {
        sums_and_products(&F16, "f16", &ROUNDS[..1], &f16);
        sums_and_products(&BF16, "bf16", &ROUNDS[..1], &bf16);
        sums_and_products(&F32, "f32", &ROUNDS, &f32);
        sums_and_products(&F64, "f64", &ROUNDS, &f64);
    }

    #[test]
    fn quotients_and_roots_are_rounded_once(f32 in operands(&F32), f64 in operands(&F64)) {
        quotients_and_roots(&F32, "f32", &f32);
        quotients_and_roots(&F64, "f64", &f64);
    }

    #[test]
    fn conversions_are_rounded_once(
        f16 in operands(&F16),
        bf16 in operands(&BF16),
        f32 in operands(&F32),
        f64 in operands(&F64),
    ) {
        narrowed([&F32, &F64], "f32.f64", &ROUNDS, &f64);
        narrowed([&F16, &F64], "f16.f64", &ROUNDS, &f64);
        narrowed([&F16, &F32], "f16.f32", &ROUNDS, &f32);
        narrowed([&BF16, &F32], "bf16.f32", &ROUNDS[..2], &f32);
        widened([&F64, &F32], "f64.f32", &f32);
        widened([&F64, &F16], "f64.f16", &f16);
        widened([&F32, &F16], "f32.f16", &f16);
        widened([&F32, &BF16], "f32.bf16", &bf16);
        integral(&F16, "f16", &f16);
        integral(&F32, "f32", &f32);
        integral(&F64, "f64", &f64);
    }
}

#[test]
fn the_reference_rounds_as_known() {
    let finite = |size, negative| Value::Finite { size, negative };
    let bits = |value: f64| Some(value.to_bits());
    let third = finite(Fraction::new(1, 3, 0), false);
    assert_eq!(third.rounded(&F32, Round::Nearest), Some(u64::from((1.0_f32 / 3.0).to_bits())));
    assert_eq!(third.rounded(&F64, Round::Down), bits(1.0 / 3.0));
    assert_eq!(third.rounded(&F64, Round::Up), bits((1.0_f64 / 3.0).next_up()));
    let huge = finite(Fraction::new(1, 1, 2000), true);
    assert_eq!(huge.rounded(&F64, Round::Nearest), bits(f64::NEG_INFINITY));
    assert_eq!(huge.rounded(&F64, Round::Zero), bits(f64::MIN));
    assert_eq!(huge.rounded(&F64, Round::Up), bits(f64::MIN));
    // Half of the least value, and a little more: a tie goes to zero.
    let least = f64::from_bits(1);
    let half = finite(Fraction::new(1, 1, -1075), false);
    assert_eq!(half.rounded(&F64, Round::Nearest), bits(0.0));
    let more = half.sum(&finite(Fraction::new(1, 1, -2000), false), Round::Nearest);
    assert_eq!(more.rounded(&F64, Round::Nearest), bits(least));
    assert_eq!(more.negated().rounded(&F64, Round::Up), bits(-0.0));
    let two = Value::of(2.0_f64.to_bits(), &F64);
    assert_eq!(two.root_rounded(&F64, Round::Nearest), bits(2.0_f64.sqrt()));
    let halves = |count| finite(Fraction::new(count, 1, -1), true);
    let whole = |count| halves(count).integral(Round::Nearest).rounded(&F64, Round::Zero);
    assert_eq!([1, 3, 5].map(whole), [bits(-0.0), bits(-2.0), bits(-2.0)]);
}
