//! The emulator's arithmetic against an H200: every line of
//! `arith/cases.txt` on the same inputs gives the same bits.

use warpscope::emulator::{self, Memory, Options};
use warpscope::work::Dim3;

const CASES: &str = include_str!("../arith/cases.txt");

/// Threads of a case, one triple of inputs each.
const COUNT: usize = 1024;

/// One instruction under test.
struct Case {
    name: &'static str,
    /// Bits of the result, or `q` for a predicate.
    result: &'static str,
    body: &'static str,
}

fn cases() -> impl Iterator<Item = Case> {
    CASES.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let mut parts = line.splitn(3, " | ");
        let mut part = || parts.next().unwrap();
        Case { name: part(), result: part(), body: part() }
    })
}

fn kernel(case: &Case) -> String {
    let loads: String = ["a", "b", "c"]
        .iter()
        .enumerate()
        .flat_map(|(operand, name)| {
            [16, 32, 64].iter().enumerate().map(move |(class, bits)| {
                let offset = (class * 3 + operand) * COUNT * 8;
                format!("ld.global.b{bits} %{name}{bits}, [%in+{offset}];\n")
            })
        })
        .collect();
    let result = match case.result {
        "16" => "cvt.u64.u16 %out64, %d16;",
        "32" => "cvt.u64.u32 %out64, %d32;",
        "64" => "mov.b64 %out64, %d64;",
        _ => "selp.b64 %out64, 1, 0, %q;",
    };
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 in, .param .u64 out) {{\n\
         .reg .pred %p<8>; .reg .pred %q; .reg .b32 %thread; .reg .b64 %in, %out, %at, %out64;\n\
         .reg .b16 %a16, %b16, %c16, %d16, %t16_<8>; .reg .b32 %a32, %b32, %c32, %d32, %t32_<8>;\n\
         .reg .b64 %a64, %b64, %c64, %d64, %t64_<8>;\n\
         ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %thread, %tid.x;\n\
         mul.wide.u32 %at, %thread, 8; add.s64 %in, %in, %at; add.s64 %out, %out, %at;\n\
         {loads}\
         and.b32 %thread, %thread, 1; setp.ne.u32 %p1, %thread, 0; setp.eq.u32 %p2, %thread, 0;\n\
         mov.b16 %d16, 0; mov.b32 %d32, 0; mov.b64 %d64, 0;\n\
         {}\n{result}\nst.global.u64 [%out], %out64;\nret;\n}}\n",
        case.body
    )
}

/// `SplitMix64`.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

/// Values of 16, 32 and 64 bits for a, b, c: a third are from the edges of the
/// formats, a third small integers and floats near one, a third anything.
fn inputs() -> Vec<u64> {
    const EDGES: [[u64; 16]; 3] = [
        [
            0, 0x8000, 1, 0x8001, 0x03ff, 0x0400, 0x3c00, 0xbc00, 0x3bff, 0x7bff, 0xfbff, 0x7c00,
            0xfc00, 0x7e01, 0xfd55, 0x7fff,
        ],
        [
            0,
            0x8000_0000,
            1,
            0x8000_0001,
            0x007f_ffff,
            0x0080_0000,
            0x3f80_0000,
            0xbf80_0000,
            0x3f7f_ffff,
            0x7f7f_ffff,
            0xff7f_ffff,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0001,
            0xffa5_5555,
            0x7fff_ffff,
        ],
        [
            0,
            1 << 63,
            1,
            1 << 63 | 1,
            0x000f_ffff_ffff_ffff,
            0x0010_0000_0000_0000,
            0x3ff0_0000_0000_0000,
            0xbff0_0000_0000_0000,
            0x3fef_ffff_ffff_ffff,
            0x7fef_ffff_ffff_ffff,
            0xffef_ffff_ffff_ffff,
            0x7ff0_0000_0000_0000,
            0xfff0_0000_0000_0000,
            0x7ff8_0000_0000_0001,
            0xfff4_5555_5555_5555,
            u64::MAX >> 1,
        ],
    ];
    /// Exponent field of one half, and bits after the point.
    const NEAR_ONE: [(u64, u32); 3] = [(14, 10), (126, 23), (1022, 52)];
    let mut random = Random(1);
    let mut values = Vec::with_capacity(9 * COUNT);
    for class in 0..3 {
        let bits = [16, 32, 64][class];
        for _ in 0..3 * COUNT {
            let (kind, r) = (random.next() % 4, random.next());
            let (exponent, fraction) = NEAR_ONE[class];
            values.push(match kind {
                0 => EDGES[class][(r % 16) as usize],
                // Integers from -64 to 63.
                1 if r & 1 != 0 => ((r >> 1 & 127).wrapping_sub(64)) & (u64::MAX >> (64 - bits)),
                // Floats from 2^-5 to 2^11.
                1 | 2 => {
                    let sign = (r & 1) << (bits - 1);
                    let exponent = exponent - 4 + (r >> 1 & 15);
                    sign | exponent << fraction | (r >> 8) & ((1 << fraction) - 1)
                }
                _ => r >> (64 - bits),
            });
        }
    }
    values
}

fn run(case: &Case, inputs: &[u64]) -> Vec<u64> {
    let kernel = emulator::load(&kernel(case), "case.ptx", "k")
        .unwrap_or_else(|error| panic!("{}: {error}", case.name));
    let words = |values: &[u64]| -> Vec<u32> {
        values.iter().flat_map(|&value| [value as u32, (value >> 32) as u32]).collect()
    };
    let mut memory = Memory::new();
    let input = memory.allocate(inputs.len() as u64 * 8);
    let output = memory.allocate(COUNT as u64 * 8);
    memory.write_u32(input, &words(inputs));
    emulator::launch(
        &kernel,
        Dim3::linear(1),
        Dim3::linear(COUNT as u32),
        0,
        &[input, output],
        &memory,
        Options { threads: 1, ..Options::default() },
    )
    .unwrap();
    let words = memory.read_u32(output);
    words.chunks(2).map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32).collect()
}

/// FNV-1a over the bytes of the results.
fn digest(values: &[u64]) -> u64 {
    values.iter().flat_map(|value| value.to_le_bytes()).fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// What an H200 gave: see `arith/capture.py`.
const H200: &str = include_str!("../arith/h200.txt");

#[test]
fn results_are_those_of_an_h200() {
    let inputs = inputs();
    let mut wrong = Vec::new();
    let mut compared = 0;
    for case in cases() {
        let line = H200.lines().find_map(|line| line.strip_prefix(case.name)?.strip_prefix(" | "));

        let Some(expected) = line else { panic!("{}: no result in h200.txt", case.name) };
        compared += 1;
        if format!("{:016x}", digest(&run(&case, &inputs))) != expected {
            wrong.push(case.name);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?} of {compared} differ");
    assert_eq!(compared, H200.lines().count());
}

/// With `ARITH_CAPTURE=FOLDER`, leaves there what `arith/capture.py` runs on a GPU.
#[test]
fn every_case_loads_and_runs() {
    let inputs = inputs();
    let folder = std::env::var_os("ARITH_CAPTURE").map(std::path::PathBuf::from);
    for (index, case) in cases().enumerate() {
        let found = run(&case, &inputs);
        assert_eq!(found.len(), COUNT, "{}", case.name);
        if let Some(folder) = &folder {
            let write = |name: &str, bytes: Vec<u8>| {
                std::fs::write(folder.join(name), bytes).unwrap();
            };
            let bytes = |values: &[u64]| values.iter().flat_map(|v| v.to_le_bytes()).collect();
            write("inputs.bin", bytes(&inputs));
            write(&format!("{index:04}.ptx"), kernel(&case).into_bytes());
            write(&format!("{index:04}.name"), case.name.as_bytes().to_vec());
            write(&format!("{index:04}.emulator"), bytes(&found));
        }
    }
}

/// Instructions of 16 bits that take an immediate, `#`, with the bits of their results.
const NARROW: [(&str, &str); 44] = [
    ("16", "mov.b16 %d16, #;"),
    ("16", "add.s16 %d16, %a16, #;"),
    ("16", "sub.s16 %d16, #, %a16;"),
    ("16", "mul.lo.u16 %d16, %a16, #;"),
    ("16", "mul.hi.u16 %d16, %a16, #;"),
    ("16", "mul.hi.s16 %d16, %a16, #;"),
    ("32", "mul.wide.u16 %d32, %a16, #;"),
    ("32", "mul.wide.u16 %d32, #, %a16;"),
    ("32", "mul.wide.s16 %d32, %a16, #;"),
    ("16", "mad.lo.u16 %d16, %a16, #, %c16;"),
    ("16", "mad.lo.s16 %d16, %a16, %b16, #;"),
    ("16", "mad.hi.u16 %d16, %a16, #, %c16;"),
    ("32", "mad.wide.u16 %d32, %a16, #, %c32;"),
    ("32", "mad.wide.s16 %d32, %a16, #, %c32;"),
    ("16", "div.u16 %d16, %a16, #;"),
    ("16", "div.s16 %d16, %a16, #;"),
    ("16", "rem.u16 %d16, #, %a16;"),
    ("16", "rem.s16 %d16, %a16, #;"),
    ("16", "min.u16 %d16, %a16, #;"),
    ("16", "min.s16 %d16, %a16, #;"),
    ("16", "max.u16 %d16, %a16, #;"),
    ("16", "max.s16 %d16, %a16, #;"),
    ("16", "and.b16 %d16, %a16, #;"),
    ("16", "or.b16 %d16, %a16, #;"),
    ("16", "xor.b16 %d16, %a16, #;"),
    ("16", "not.b16 %d16, #;"),
    ("16", "neg.s16 %d16, #;"),
    ("16", "shl.b16 %d16, #, 3;"),
    ("16", "shr.u16 %d16, #, 3;"),
    ("16", "shr.s16 %d16, #, 3;"),
    ("q", "setp.lt.u16 %q, %a16, #;"),
    ("q", "setp.lt.s16 %q, %a16, #;"),
    ("q", "setp.eq.b16 %q, %a16, #;"),
    ("q", "setp.gt.u16 %q, #, %a16;"),
    ("32", "set.ge.u32.u16 %d32, %a16, #;"),
    ("16", "selp.b16 %d16, #, %a16, %p1;"),
    ("16", "slct.u16.s32 %d16, #, %a16, %c32;"),
    ("16", "sad.u16 %d16, %a16, #, %c16;"),
    ("16", "sad.s16 %d16, %a16, #, %c16;"),
    ("32", "cvt.u32.u16 %d32, #;"),
    ("64", "cvt.s64.s16 %d64, #;"),
    ("32", "mov.b32 %d32, {#, %a16};"),
    ("64", "mov.b64 %d64, {%a16, #, %b16, #};"),
    ("32", "@%p1 mov.b16 %d16, #; cvt.u32.u16 %d32, %d16;"),
];

/// NVRTC writes the 16 bits of 52429 as -13107.
#[test]
fn immediates_of_16_bits_are_as_registers_with_them() {
    let inputs = inputs();
    for (result, body) in NARROW {
        for immediate in [-1, -13107, -32768, 7, 40000] {
            let case = |before: &str, operand: &str| {
                let body = format!("{before}{}", body.replace('#', operand));
                let case = Case { name: "immediate", result, body: body.leak() };
                run(&case, &inputs)
            };
            let bits = immediate & 0xffff;
            let held = format!("mov.b32 %t32_0, {bits}; cvt.u16.u32 %t16_0, %t32_0;\n");
            let (found, wanted) = (case("", &immediate.to_string()), case(&held, "%t16_0"));
            assert!(
                found == wanted,
                "{body} of {immediate}: {:x?} {:x?}",
                &found[..4],
                &wanted[..4]
            );
        }
    }
}
