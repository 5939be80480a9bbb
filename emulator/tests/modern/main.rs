//! Instructions for matrices, barriers in shared memory, bulk copies and clusters, against
//! what an H200 gave.
//!
//! `tests/ptx_modern/cases.csv` lists the kernels with their inputs; `expected.txt` has a hash
//! per block of results. `benches/h200/modern` wrote both. To see all results:
//!
//!     WARPSCOPE_MODERN_OUT=folder cargo test -p warpscope-emulator --test modern

#![allow(clippy::unwrap_used)]

mod cluster;
mod forms;
mod grid;
mod inputs;
mod rust;
mod tensor;

use std::collections::BTreeMap;
use std::path::Path;

use warpscope_emulator::{FindingKind, Launch, Module, Report, TensorElement, TensorMap, TrapKind};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/ptx_modern");

/// A kernel and its launch.
struct Case {
    file: String,
    kernel: String,
    grid: [u32; 3],
    block: u32,
    bytes_in: usize,
    bytes_out: usize,
    /// Bytes of results per hash.
    chunk: usize,
    input: Vec<String>,
    /// The tensor that the kernel gets a map of, if one.
    tensor: Option<Tensor>,
}

/// A tensor in one of the two buffers.
struct Tensor {
    buffer: usize,
    map: TensorMap,
    /// Bytes before it in the buffer.
    offset: u64,
    /// Whether the output holds something before the launch.
    filled: bool,
}

impl Tensor {
    /// `buffer type dims strides box steps swizzle nan offset filled`.
    fn parse(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split(' ').collect();
        let [of, element, dims, strides, extent, steps, swizzle, nan, offset, filled] = words[..]
        else {
            return None;
        };
        let list = |text: &str| -> Vec<u64> {
            text.split('x').filter_map(|number| number.parse().ok()).collect()
        };
        let short = |text: &str| list(text).into_iter().map(|it| it as u32).collect();
        let map = TensorMap {
            element: TensorElement::parse(&element.replace("ftz", "_ftz")).unwrap(),
            dims: list(dims),
            strides: list(strides),
            extent: short(extent),
            steps: short(steps),
            swizzle: swizzle.parse().unwrap(),
            fill_nan: nan == "1",
        };
        let offset = offset.parse().unwrap();
        Some(Self { buffer: usize::from(of == "out"), map, offset, filled: filled == "1" })
    }
}

fn read(name: &str) -> String {
    let path = Path::new(FOLDER).join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn cases() -> Vec<Case> {
    let case = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |index: usize| fields[index].parse::<usize>().unwrap();
        let grid: Vec<u32> = fields[2].split(' ').map(|axis| axis.parse().unwrap()).collect();
        Case {
            file: fields[0].to_owned(),
            kernel: fields[1].to_owned(),
            grid: grid.try_into().unwrap(),
            block: number(3) as u32,
            bytes_in: number(4),
            bytes_out: number(5),
            chunk: number(6),
            input: fields[7].split(' ').map(str::to_owned).collect(),
            tensor: Tensor::parse(fields[8]),
        }
    };
    read("cases.csv").lines().skip(1).map(case).collect()
}

/// The rows that each pattern of addresses names, one per lane.
fn offsets() -> Vec<Vec<u32>> {
    let line = |line: &str| line.split(' ').map(|word| word.parse().unwrap()).collect();
    read("offsets.txt").lines().map(line).collect()
}

fn input(case: &Case) -> Vec<u8> {
    let words: Vec<&str> = case.input.iter().map(String::as_str).collect();
    let bytes = match words.as_slice() {
        ["mma", kinds @ ..] => inputs::product(kinds, u64::from(case.grid[0])),
        ["wmma", factor, sum] => inputs::stored(factor, sum),
        ["cells", kinds @ ..] => inputs::cells(kinds, u64::from(case.grid[0])),
        ["noise"] => inputs::noise(case.bytes_in),
        ["rows"] => offsets().concat().into_iter().flat_map(u32::to_le_bytes).collect(),
        ["count"] => {
            (0..case.bytes_in as u32 / 4).flat_map(|i| (i * 3 + 1).to_le_bytes()).collect()
        }
        ["zero"] => vec![0; case.bytes_in],
        other => panic!("no input {other:?}"),
    };
    assert_eq!(bytes.len(), case.bytes_in, "{}", case.kernel);
    bytes
}

fn run(case: &Case, module: &Module) -> Report {
    let kernel = module.kernel(&case.kernel).unwrap_or_else(|error| panic!("{error}"));
    let launch = Launch::new(&kernel).grid(case.grid).block(case.block).input(&input(case));
    let Some(tensor) = &case.tensor else { return launch.output::<u8>(case.bytes_out).run() };
    let launch = if tensor.filled {
        launch.input(&inputs::noise(case.bytes_out))
    } else {
        launch.output::<u8>(case.bytes_out)
    };
    launch.tensor_map(tensor.buffer, tensor.offset, &tensor.map).run()
}

/// What a script of barrier operations saw: of each pair of words the second. A GPU leaves the
/// low half of a state open.
fn states(bytes: &[u8]) -> Vec<u8> {
    let word = |pair: &[u8]| u64::from_le_bytes(pair[8..].try_into().unwrap());
    let known = |word: u64| if word >> 32 == 0 { word } else { word >> 32 };
    bytes.chunks(16).flat_map(|pair| known(word(pair)).to_le_bytes()).collect()
}

/// What a block of a cluster saw: of addresses in shared memory the number of their block.
fn ranks(bytes: &[u8]) -> Vec<u8> {
    let known = |(at, byte): (usize, &u8)| {
        let address = (68..76).contains(&(at % 256));
        if address && at % 4 != 3 { 0 } else { *byte }
    };
    bytes.iter().enumerate().map(known).collect()
}

/// FNV-1a.
fn hash(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// Runs the kernels of `file`; all have to give what was recorded.
fn check(file: &str) {
    let text = read(&format!("{file}.ptx"));
    let expected = read("expected.txt");
    let expected: BTreeMap<&str, Vec<u64>> = expected
        .lines()
        .filter_map(|line| {
            let (kernel, hashes) = line.split_once(' ')?;
            let hashes = hashes.split(' ').map(|hash| u64::from_str_radix(hash, 16).unwrap());
            Some((kernel, hashes.collect()))
        })
        .collect();
    let mut wrong = Vec::new();
    let cases: Vec<Case> = cases().into_iter().filter(|case| case.file == file).collect();
    assert!(!cases.is_empty());
    let module = Module::load_file(&text, file).unwrap_or_else(|error| panic!("{error}"));
    for case in &cases {
        let report = run(case, &module);
        let found = report.buffer::<u8>(1);
        if let Some(folder) = std::env::var_os("WARPSCOPE_MODERN_OUT") {
            std::fs::write(Path::new(&folder).join(format!("{}.bin", case.kernel)), &found)
                .unwrap();
        }
        let found = match file {
            "mbar" => states(&found),
            "cluster" if case.kernel.ends_with('1') || case.kernel.ends_with('2') => ranks(&found),
            // The word of a barrier, which `ptxas` reads too early.
            "remote" => {
                let word = |(at, byte): (usize, &u8)| match at % 8192 {
                    4096..4104 => 0,
                    _ => *byte,
                };
                found.iter().enumerate().map(word).collect()
            }
            _ => found,
        };
        let hashes: Vec<u64> = found.chunks(case.chunk).map(hash).collect();
        let expected = &expected[case.kernel.as_str()];
        let differ = hashes.iter().zip(expected).filter(|(found, expected)| found != expected);
        let count = differ.count();
        if count > 0 || report.trap.is_some() || hashes.len() != expected.len() {
            wrong.push(format!("{}: {count} of {} {:?}", case.kernel, expected.len(), report.trap));
        }
    }
    assert!(wrong.is_empty(), "{file}: {wrong:#?}");
}

#[test]
fn products_are_those_of_an_h200() {
    check("matrix");
}

#[test]
fn rows_of_matrices_move_as_on_an_h200() {
    check("rows");
}

#[test]
fn fragments_and_their_products_are_those_of_an_h200() {
    check("wmma");
}

#[test]
fn rows_of_matrices_take_the_passes_of_an_h200() {
    let (text, offsets) = (read("rows.ptx"), offsets());
    let module = Module::load_file(&text, "rows.ptx").unwrap();
    for line in read("wavefronts.csv").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |index: usize| fields[index].parse::<u64>().unwrap();
        let kernel = module.kernel(fields[0]).unwrap();
        let launch = Launch::new(&kernel).block(32).input(&offsets[number(1) as usize]);
        let counters = launch.output::<u32>(32 * 64).run().counters;
        let passes = if fields[0].starts_with("ld") {
            counters.shared_load_wavefronts
        } else {
            // The kernel sets all 8 KiB of its shared memory to zero first.
            counters.shared_store_wavefronts - 64
        };
        assert_eq!((passes, counters.shared_bank_conflicts), (number(2), number(3)), "{line}");
    }
}

#[test]
fn barriers_and_bulk_copies_are_those_of_an_h200() {
    check("mbar");
    check("bulk");
    check("other");
}

#[test]
fn clusters_are_those_of_an_h200() {
    check("cluster");
    check("remote");
}

#[test]
fn products_of_warpgroups_are_those_of_an_h200() {
    check("wgmma");
}

#[test]
fn boxes_of_tensors_are_those_of_an_h200() {
    check("tensor");
}

/// A kernel that copies, under the sanitizer, in one block of `threads`.
fn copy(text: &str, kernel: &str, threads: u32) -> Report {
    let module = Module::load_file(text, "bulk.ptx").unwrap();
    let kernel = module.kernel(kernel).unwrap();
    let launch = Launch::new(&kernel).block(threads).input(&vec![7_u32; 8192]).output::<u32>(8192);
    launch.sanitize(&module).run()
}

#[test]
fn a_bulk_copy_orders_who_waits_for_its_barrier() {
    let text = read("bulk.ptx");
    let report = copy(&text, "bulk_in_256_16", 64);
    assert!(report.trap.is_none() && report.findings.is_empty(), "{:?}", report.findings);
    assert!(report.limits.is_empty(), "{:?}", report.limits);
    let wait = "mbarrier.try_wait.parity.shared::cta.b64 p, [bar], 0;";
    let hasty = copy(&text.replace(wait, "setp.eq.u32 p, tid, tid;"), "bulk_in_256_16", 64);
    let kinds: Vec<FindingKind> = hasty.findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [FindingKind::Race]);
}

#[test]
fn bulk_copies_touch_the_sectors_of_an_h200() {
    let text = read("bulk.ptx");
    // Pieces of 128 bytes: from 16 bytes on, each touches five sectors. Counted by Nsight
    // Compute as `lts__t_sectors_srcunit_tex_op_read` and, behind the memory pipeline, `_write`.
    for (size, skew, sectors) in
        [(16, 0, 1), (32, 16, 2), (48, 16, 2), (256, 0, 8), (256, 16, 10), (4096, 16, 160)]
    {
        let report = copy(&text, &format!("bulk_in_{size}_{skew}"), 32);
        assert_eq!(report.counters.global_load_sectors, sectors, "{size} from {skew}");
        assert_eq!(report.counters.global_load_requests, 1);
    }
    for (size, sectors) in [(16, 1), (32, 2), (48, 2), (256, 10), (4096, 160), (16384, 640)] {
        let report = copy(&text, &format!("bulk_out_{size}"), 32);
        assert_eq!(report.counters.global_store_sectors, sectors, "{size}");
    }
}

#[test]
fn what_a_bulk_copy_cannot_do_is_a_trap() {
    let text = read("bulk.ptx");
    let trap = |from: &str, to: &str, kernel: &str| {
        let text = text.replace(from, to);
        let module = Module::load_file(&text, "bulk.ptx").unwrap();
        let kernel = module.kernel(kernel).unwrap();
        let launch = Launch::new(&kernel).block(32).input(&vec![7_u32; 8192]).output::<u32>(8192);
        launch.run().trap.unwrap()
    };
    let odd = trap("[tile], [in+16], 256,", "[tile], [in+8], 256,", "bulk_in_256_16");
    assert_eq!(odd.kind, TrapKind::Misaligned);
    let between = trap("[in+16], 256, [bar];", "[in+16], 256, [tile+4];", "bulk_in_256_16");
    assert_eq!(between.kind, TrapKind::Misaligned);
    assert!(between.message.contains("an mbarrier at offset"), "{}", between.message);
    let wide = trap("[tile], [in+0], 16384,", "[tile], [in+0], 16640,", "bulk_in_16384_0");
    assert_eq!(wide.kind, TrapKind::OutOfBounds);
    // Bytes that never come: nobody can go on.
    let starved = trap("[bar], 256;", "[bar], 512;", "bulk_in_256_0");
    assert_eq!(starved.kind, TrapKind::Livelock);
}

#[test]
fn what_is_not_supported_is_refused_with_its_line() {
    let refusal = |instruction: &str| {
        let text = format!(
            ".version 8.4\n.target sm_90a\n.address_size 64\n.entry k() {{\n.reg .b32 r<8>;\n\
             .reg .b64 a;\n{instruction}\nret; }}"
        );
        let module = Module::load_file(&text, "k.ptx").unwrap();
        module.kernel("k").unwrap_err().to_string()
    };
    for instruction in [
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {r0,r1,r2,r3}, {r0,r1}, {r0,r1}, {r0,r1,r2,r3}, r0, 0;",
        "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {r0,r1,r2,r3}, {r0,r1}, {r2,r3}, {r0,r1,r2,r3};",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 {r0,r1,r2,r3}, {r0,r1,r2,r3}, {r0,r1}, {r0,r1,r2,r3};",
        "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {r0,r1}, [a];",
        "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [a], [a, {r0,r1,r2}], [a], {r3};",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f16 [a], [a], 16;",
        "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {r0,r1,r2,r3}, a, a, r0, 0, 1, 1, 1, 0, 0;",
    ] {
        let message = refusal(instruction);
        let word = instruction.split(' ').next().unwrap().trim_end_matches(';');
        assert!(message.starts_with(&format!("k.ptx:7: `{word}`")), "{message}");
    }
    let message = refusal(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {r0,r1,r2,r3}, {r0,r1}, {r0,r1}, {r0,r1,r2,r3};",
    );
    assert!(message.contains("4 registers, not 2"), "{message}");
}

/// `redux.sync` of floats needs a GPU of compute capability 10, so that these values come from
/// the PTX ISA and not from the H200.
#[test]
fn floats_of_a_warp_have_extremes() {
    let extreme = |op: &str, values: &[f32; 32]| {
        let text = format!(
            ".version 8.6\n.target sm_100a\n.address_size 64\n.entry k(.param .u64 in, .param .u64 out) {{\n\
             .reg .b64 i, o, at;\n.reg .b32 t;\n.reg .f32 x;\nld.param.u64 i, [in];\nld.param.u64 o, [out];\n\
             mov.u32 t, %tid.x;\nmul.wide.u32 at, t, 4;\nadd.u64 i, i, at;\nadd.u64 o, o, at;\n\
             ld.global.f32 x, [i];\nredux.sync.{op}.f32 x, x, 0xffffffff;\nst.global.f32 [o], x;\nret; }}"
        );
        let module = Module::load_file(&text, "k.ptx").unwrap();
        let kernel = module.kernel("k").unwrap();
        let report = Launch::new(&kernel).block(32).input(values).output::<u32>(32).run();
        let found = report.buffer::<u32>(1);
        assert_eq!(report.trap, None);
        assert!(found.iter().all(|bits| *bits == found[0]), "every lane gets it");
        found[0]
    };
    let mut values: [f32; 32] = std::array::from_fn(|lane| lane as f32 - 20.0);
    assert_eq!(extreme("min", &values), (-20.0_f32).to_bits());
    assert_eq!(extreme("max", &values), 11.0_f32.to_bits());
    assert_eq!(extreme("max.abs", &values), 20.0_f32.to_bits());
    assert_eq!(extreme("min.abs", &values), 0);
    values[3] = f32::NAN;
    assert_eq!(extreme("max", &values), 11.0_f32.to_bits());
    assert_eq!(extreme("max.NaN", &values), 0x7fff_ffff);
    assert_eq!(extreme("min", &[-f32::NAN; 32]), 0x7fff_ffff);
    let zeros: [f32; 32] = std::array::from_fn(|lane| if lane == 9 { -0.0 } else { 0.0 });
    assert_eq!(extreme("min", &zeros), 1 << 31);
    assert_eq!(extreme("max", &zeros), 0);
}
