//! Every loop against the slow way, on values of all kinds, and with every vector width.

use super::{each, one_by_one, test, test_one_by_one};
use crate::machine::HostVectors;
use crate::machine::Warp;
use crate::program::{
    Arithmetic, Bits, Clamp, Class, Extreme, Float, Function, Integer, Mode, Narrow, Op, Outcomes,
    Permute, Round, Small, Wide,
};

/// Words that meet on boundaries: zeros, subnormal, largest, infinite and NaN in each
/// format, halves and middles; and small integers.
const WORDS: [u32; 28] = [
    0,
    1,
    31,
    32,
    33,
    0x7f,
    0xff,
    0x8000_0000,
    0x8000_0001,
    0x007f_ffff,
    0x0080_0000,
    0x7f7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc1_2345,
    0xffff_ffff,
    0x3f80_0000,
    0xbf80_0000,
    0x3f00_0000,
    0x3fc0_0000,
    0x4f00_0000,
    0xcf00_0000,
    0x3c00_7bff,
    0x0001_8400,
    0x7e00_fc00,
    0x4049_0fdb,
    0x477f_f000,
    0x7e80_0000,
];

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        self.0 ^ self.0 >> 31
    }

    /// A word: any, one of the special ones, a float near 1, or a small number.
    fn word(&mut self) -> u32 {
        let bits = self.next();
        let any = (bits >> 20) as u32;
        match bits >> 60 {
            0..4 => WORDS[(bits % WORDS.len() as u64) as usize],
            4..8 => 0x3f00_0000 + (any >> 7),
            8..11 => any & 0xff,
            11 => (any & 0x3fff_3fff) | 0x2000_2000,
            _ => any,
        }
    }

    fn double(&mut self) -> u64 {
        let bits = self.next();
        match bits >> 61 {
            0..2 => f64::from(f32::from_bits(self.word())).to_bits(),
            2 => u64::from(self.word()).wrapping_sub(u64::from(self.word() & 1)),
            3 => 0x7ff0_0000_0000_0000 | (self.next() & 3) << 50,
            4 => 0x3ff0_0000_0000_0000 + (self.next() >> 12),
            _ => self.next(),
        }
    }
}

fn modes() -> Vec<Mode> {
    let mut modes = Vec::new();
    for round in [Round::Nearest, Round::Zero, Round::Down, Round::Up, Round::Away] {
        for flush in [false, true] {
            for clamp in [Clamp::None, Clamp::Unit, Clamp::Relu] {
                modes.push(Mode { round, flush, clamp });
            }
        }
    }
    modes
}

/// Functions with the widths of result and operands.
fn functions() -> Vec<(Function, Wide)> {
    use Arithmetic as A;
    let (narrow, wide) = (Wide::new(false, [false; 3]), Wide::new(true, [true; 3]));
    let (up, down) = (Wide::new(true, [false; 3]), Wide::new(false, [true; 3]));
    let mut all = Vec::new();
    let all_arithmetic = [
        A::Add,
        A::Sub,
        A::Mul,
        A::Fma,
        A::Div,
        A::Sqrt,
        A::SqrtApprox,
        A::Reciprocal,
        A::Integral,
        A::Negate,
        A::Absolute,
    ];
    for mode in modes() {
        for float in [Float::F32, Float::F64, Float::F16, Float::Bf16, Float::F16x2, Float::Bf16x2]
        {
            let width = if float == Float::F64 { wide } else { narrow };
            all.extend(all_arithmetic.map(|f| (Function::Arithmetic(f, float, mode), width)));
            if mode.round == Round::Nearest {
                for f in [
                    A::CopySign,
                    A::DivApprox,
                    A::Sin,
                    A::Cos,
                    A::Exp2,
                    A::Log2,
                    A::Tanh,
                    A::ReciprocalSqrt,
                ] {
                    let known = match float {
                        Float::F32 => true,
                        Float::F64 => matches!(f, A::ReciprocalSqrt | A::CopySign),
                        _ => matches!(f, A::Exp2 | A::Tanh),
                    };
                    all.extend(known.then_some((Function::Arithmetic(f, float, mode), width)));
                }
            }
        }
        for (to, from, width) in [
            (Float::F32, Float::F64, down),
            (Float::F64, Float::F32, up),
            (Float::F32, Float::F32, narrow),
            (Float::F32, Float::F16, narrow),
            (Float::F32, Float::Bf16, narrow),
            (Float::F16, Float::F32, narrow),
            (Float::Bf16, Float::F32, narrow),
            (Float::F16, Float::F64, down),
            (Float::Bf16, Float::F64, down),
            (Float::F64, Float::F16, up),
            (Float::F64, Float::Bf16, up),
        ] {
            all.push((Function::FloatToFloat { to, from, mode }, width));
        }
        all.push((Function::ToSmall { to: Small::Tf32, from: Float::F32, mode }, narrow));
        if mode.round == Round::Nearest && !mode.flush {
            for clamp in [Clamp::Finite, Clamp::FiniteRelu] {
                for to in [Small::E4m3, Small::E5m2] {
                    let mode = Mode { clamp, ..mode };
                    all.extend(
                        [Float::F32, Float::F16]
                            .map(|from| (Function::ToSmall { to, from, mode }, narrow)),
                    );
                }
            }
        }
        for bits in [8, 16, 32, 64] {
            for signed in [false, true] {
                let ty = Integer { bits, signed };
                let (round, flush) = (mode.round, mode.flush);
                let to = |from| Function::FloatToInteger { to: ty, from, round, flush };
                let long = bits == 64;
                all.push((to(Float::F32), Wide::new(long, [false; 3])));
                all.push((to(Float::F16), Wide::new(long, [false; 3])));
                all.push((to(Float::Bf16), Wide::new(long, [false; 3])));
                all.push((to(Float::F64), Wide::new(long, [true; 3])));
                for to in [Float::F32, Float::F64, Float::F16, Float::Bf16] {
                    let f = Function::IntegerToFloat { to, from: ty, round, saturate: flush };
                    all.push((f, Wide::new(to == Float::F64, [long; 3])));
                }
            }
        }
    }
    for relu in [false, true] {
        all.extend(
            [Small::E4m3, Small::E5m2].map(|from| (Function::FromSmall { from, relu }, narrow)),
        );
    }
    for rough in [A::ReciprocalGross, A::ReciprocalSqrtGross] {
        let mode = Mode { flush: true, ..Mode::PLAIN };
        all.push((Function::Arithmetic(rough, Float::F64, mode), wide));
    }
    for bits in 0..16 {
        let [max, nan, xorsign, flush] = [1, 2, 4, 8].map(|bit| bits & bit != 0);
        let f = Extreme { max, nan, xorsign, flush };
        for float in [Float::F32, Float::F64, Float::F16, Float::Bf16, Float::F16x2, Float::Bf16x2]
        {
            let flush = flush && !matches!(float, Float::F64);
            let width = if float == Float::F64 { wide } else { narrow };
            all.push((Function::Extreme(Extreme { flush, ..f }, float), width));
        }
    }
    for word in COMPARISONS.iter().filter_map(|word| Outcomes::parse(word)) {
        for flush in [false, true] {
            let pairs = [Float::F16x2, Float::Bf16x2];
            let of = |float| (Function::CompareHalves(word, float, flush), narrow);
            all.extend(pairs.map(of));
        }
    }
    let mut bits = |f: Bits, width| all.push((Function::Bits(f), width));
    for signed in [false, true] {
        for other in [false, true] {
            bits(Bits::Dot4 { a_signed: signed, b_signed: other }, narrow);
            for high in [false, true] {
                bits(Bits::Dot2 { high, a_signed: signed, b_signed: other }, narrow);
                bits(Bits::Mul24 { signed, high: other, saturate: high }, narrow);
            }
            bits(Bits::Extend { signed, wrap: other }, narrow);
            bits(Bits::Funnel { left: signed, wrap: other }, narrow);
            let find = |bits| Bits::Find { ty: Integer { bits, signed }, shift: other };
            bits(find(32), narrow);
            bits(find(64), down);
        }
        for width in [16, 32] {
            bits(Bits::MulHighAdd(Integer { bits: width, signed }), narrow);
            bits(Bits::SumDifference(Integer { bits: width, signed }), narrow);
        }
        bits(Bits::MulHighAdd(Integer { bits: 64, signed }), wide);
        bits(Bits::SumDifference(Integer { bits: 64, signed }), wide);
        bits(Bits::Extract64 { signed }, Wide::new(true, [true, false, false]));
        bits(Bits::Mask { wrap: signed }, narrow);
        for (width, index) in [(8, 3), (16, 1), (32, 0), (32, 1)] {
            let part = Bits::Part { width, index, signed };
            let fits = width * (index + 1) <= 32;
            for (width, wanted) in
                [(narrow, fits && width < 32), (down, true), (wide, true), (up, fits)]
            {
                if wanted {
                    bits(part, width);
                }
            }
        }
    }
    for f in [Bits::AddSaturating, Bits::SubSaturating, Bits::MulHighAddSaturating, Bits::FindNth] {
        bits(f, narrow);
    }
    bits(Bits::Insert { width: 32 }, narrow);
    bits(Bits::Pending, down);
    bits(Bits::Insert { width: 64 }, Wide::new(true, [true, true, false]));
    for table in [0, 0x80, 0x96, 0xe8, 0xf0, 0xff] {
        bits(Bits::Lop3(table), narrow);
    }
    for mode in [
        Permute::Select,
        Permute::Forward,
        Permute::Backward,
        Permute::Replicate,
        Permute::ClampLeft,
        Permute::ClampRight,
        Permute::ReplicateHalf,
    ] {
        bits(Bits::Permute(mode), narrow);
    }
    all.extend([8, 16].map(|width| (Function::Join(width), narrow)));
    all.push((Function::Join(32), up));
    all.extend(
        [Narrow::U8, Narrow::S8, Narrow::U16, Narrow::S16].map(|f| (Function::Field(f), up)),
    );
    for (to, from) in [(8, 32), (16, 32), (32, 64), (8, 16)] {
        for signs in 0..4 {
            let [to_signed, from_signed] = [signs & 1 != 0, signs & 2 != 0];
            let f = Function::SaturateInteger {
                to: Integer { bits: to, signed: to_signed },
                from: Integer { bits: from, signed: from_signed },
            };
            all.push((f, Wide::new(false, [from == 64; 3])));
            all.push((f, Wide::new(true, [from == 64; 3])));
        }
    }
    all
}

/// A warp with random registers; the last lanes share what some loops look for.
fn warp(random: &mut Random) -> Warp {
    let mut warp = Warp::new(5, 5, 0);
    for slot in 0..4 {
        warp.regs32[slot] = std::array::from_fn(|_| random.word());
        warp.regs64[slot] = std::array::from_fn(|_| random.double());
    }
    if random.next().is_multiple_of(4) {
        warp.regs32[3] = [random.word(); 32];
    }
    warp
}

/// How many operands arithmetic has; three for all else.
fn operands(f: Function) -> usize {
    use Arithmetic as A;
    match f {
        Function::Arithmetic(A::Fma, ..) => 3,
        Function::Arithmetic(
            A::Add | A::Sub | A::Mul | A::Div | A::DivApprox | A::CopySign,
            ..,
        ) => 2,
        Function::Arithmetic(..) => 1,
        _ => 3,
    }
}

fn is_half(f: Function) -> bool {
    use Function as F;
    matches!(
        f,
        F::Arithmetic(_, Float::F16 | Float::Bf16, _)
            | F::Extreme(_, Float::F16 | Float::Bf16)
            | F::FloatToFloat { from: Float::F16 | Float::Bf16, .. }
            | F::FloatToInteger { from: Float::F16 | Float::Bf16, .. }
            | F::ToSmall { from: Float::F16, .. }
            | F::FromSmall { .. }
    )
}

fn check<const N: usize>(rounds: usize) {
    let mut random = Random(7);
    for (f, wide) in functions() {
        for round in 0..rounds {
            let mask = [u32::MAX, random.next() as u32][round % 2];
            let mut fast = warp(&mut random);
            if is_half(f) {
                // Slots of 16 bits hold nothing above them.
                fast.regs32.iter_mut().flatten().for_each(|word| *word &= 0xffff);
            }
            let mut slow = Warp::new(5, 5, 0);
            slow.regs32.clone_from(&fast.regs32);
            slow.regs64.clone_from(&fast.regs64);
            let before = (fast.regs32.clone(), fast.regs64.clone());
            // The result may go where an operand is.
            let d = if round % 3 == 0 { 1 } else { 4 };
            // Operands that a function does not have repeat the first.
            let slots = match operands(f) {
                1 => [d, 1, 1, 1],
                2 => [d, 1, 2, 1],
                _ => [d, 1, 2, 3],
            };
            let [d, a, b, c] = slots;
            each::<N>(&mut fast, &Op::Each { f, wide, d, a, b, c }, mask);
            one_by_one(&mut slow, f, wide, slots, mask);
            for lane in 0..32 {
                let d = usize::from(slots[0]);
                let got = (fast.regs32[d][lane], fast.regs64[d][lane]);
                let operands: [_; 3] =
                    std::array::from_fn(|at| (before.0[at + 1][lane], before.1[at + 1][lane]));
                let wanted = (slow.regs32[d][lane], slow.regs64[d][lane]);
                assert_eq!(got, wanted, "{f:x?} of {operands:x?}, {N} lanes at a time");
            }
        }
    }
}

/// Checks each kind of vectors that the machine has.
fn check_all([four, eight, sixteen]: [usize; 3]) {
    use HostVectors::{Avx2, Avx512, Avx512Half, Plain};
    for vectors in [Plain, Avx2, Avx512, Avx512Half] {
        HostVectors::limit(vectors);
        if HostVectors::here() == vectors {
            match vectors {
                Plain => check::<4>(four),
                Avx2 => check::<8>(eight),
                _ => check::<16>(sixteen),
            }
        }
    }
}

#[test]
fn loops_compute_what_single_lanes_do() {
    // More with `--ignored`: this runs in a debug build.
    check_all([2, 4, 2]);
}

#[test]
#[ignore = "minutes: a thousand times as many values as the test beside it"]
fn loops_compute_what_single_lanes_do_on_many_values() {
    check_all([1000, 3000, 3000]);
}

const COMPARISONS: [&str; 14] =
    ["eq", "ne", "lt", "le", "gt", "ge", "num", "nan", "equ", "neu", "ltu", "leu", "gtu", "geu"];

#[test]
fn comparisons_are_those_of_single_lanes() {
    let mut random = Random(3);
    let mut all: Vec<Function> = Vec::new();
    for outcomes in COMPARISONS.iter().filter_map(|word| Outcomes::parse(word)) {
        for flush in [false, true] {
            all.extend(
                [Float::F32, Float::F16, Float::Bf16, Float::F16x2, Float::Bf16x2]
                    .map(|float| Function::Compare(outcomes, float, flush)),
            );
        }
    }
    for class in [
        Class::Finite,
        Class::Infinite,
        Class::Number,
        Class::NotANumber,
        Class::Normal,
        Class::Subnormal,
    ] {
        all.extend([Float::F32, Float::F64].map(|float| Function::Class(class, float)));
    }
    for f in all {
        for _ in 0..10 {
            let warp = warp(&mut random);
            let long = matches!(f, Function::Class(_, Float::F64));
            let (wide, mask) = (Wide::new(false, [long; 3]), random.next() as u32);
            let wanted = test_one_by_one(&warp, f, wide, [1, 2], mask);
            assert_eq!(test::<4>(&warp, f, wide, [1, 2], mask) & mask, wanted, "{f:?}");
            if HostVectors::here() >= HostVectors::Avx512 {
                assert_eq!(test::<16>(&warp, f, wide, [1, 2], mask) & mask, wanted, "{f:?}");
            }
        }
    }
}
