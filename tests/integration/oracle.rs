//! The emulator's counters against those of Nsight Compute on an H200, over
//! the probes in `benches/h200/` and the data that they gave.

use std::collections::BTreeMap;

use warpscope::emulator::{self, Kernel, Memory, Options, Outcome};
use warpscope::work::Dim3;

const PROBES: &str = include_str!("../../benches/h200/probes_50.ptx");
const DATA: &str = include_str!("../../benches/data/h200/counters.csv");

/// One profiled launch.
struct Row {
    kernel: String,
    grid: u32,
    block: u32,
    params: BTreeMap<String, String>,
    counts: BTreeMap<String, u64>,
}

impl Row {
    fn number(&self, name: &str) -> u32 {
        self.params[name].parse().unwrap()
    }

    fn count(&self, name: &str) -> u64 {
        self.counts[name]
    }
}

fn rows() -> Vec<Row> {
    let mut reader = csv::Reader::from_reader(DATA.as_bytes());
    let header = reader.headers().unwrap().clone();
    reader
        .records()
        .map(|record| {
            let record = record.unwrap();
            let fields: BTreeMap<&str, &str> = header.iter().zip(record.iter()).collect();
            let params =
                fields["params"].split_whitespace().filter_map(|word| word.split_once('='));
            Row {
                kernel: fields["kernel"].to_owned(),
                grid: fields["grid"].parse().unwrap(),
                block: fields["block"].parse().unwrap(),
                params: params.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
                counts: fields
                    .iter()
                    .filter_map(|(name, value)| Some(((*name).to_owned(), value.parse().ok()?)))
                    .collect(),
            }
        })
        .collect()
}

/// Runs a probe with `grid` blocks as it was profiled, `numbers` being its
/// arguments after the two buffers.
fn run(
    kernels: &mut BTreeMap<String, Kernel>,
    row: &Row,
    grid: u32,
    shared: u32,
    numbers: &[u32],
) -> Outcome {
    let kernel = kernels
        .entry(row.kernel.clone())
        .or_insert_with(|| emulator::load(PROBES, "probes_50.ptx", &row.kernel).unwrap());
    let warps = grid * row.block / 32;
    let mut out = vec![0; 1024 * (warps as usize + 1)];
    if let Some(offsets) = row.params.get("offsets") {
        for (lane, offset) in offsets.split(';').enumerate() {
            out[64 + lane] = offset.parse().unwrap();
        }
    }
    let mut memory = Memory::new();
    let cycles = memory.allocate(u64::from(grid) * 8);
    let address = memory.allocate(out.len() as u64 * 4);
    memory.write_u32(address, &out);
    let mut args = vec![cycles, address];
    args.extend(numbers.iter().map(|&number| u64::from(number)));
    let (grid, block) = (Dim3::linear(grid), Dim3::linear(row.block));
    emulator::launch(kernel, grid, block, shared, &args, &memory, Options::default()).unwrap()
}

#[test]
fn shared_wavefronts_equal_those_of_an_h200() {
    let mut kernels = BTreeMap::new();
    let mut compared = 0;
    for row in rows() {
        if !row.kernel.starts_with("probe_shared_") || !row.params.contains_key("offsets") {
            continue;
        }
        let Outcome { counters, .. } =
            run(&mut kernels, &row, row.grid, 4096, &[row.number("repeat")]);
        let measured = |op: &str| {
            row.count(&format!("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum"))
        };
        let found = [
            counters.shared_load_wavefronts,
            counters.shared_store_wavefronts,
            counters.shared_atomic_wavefronts,
        ];
        assert_eq!(
            found,
            [measured("ld"), measured("st"), measured("atom")],
            "{} {:?}",
            row.kernel,
            row.params
        );
        compared += 1;
    }
    assert_eq!(compared, 344);
}

#[test]
fn passes_of_global_atomics_equal_those_of_an_h200() {
    let mut kernels = BTreeMap::new();
    let mut compared = 0;
    for row in rows() {
        if !row.kernel.starts_with("probe_global_") || !row.params.contains_key("offsets") {
            continue;
        }
        // Every warp does the same, so a few blocks stand for all.
        let grid = row.grid.min(2);
        let Outcome { counters, .. } = run(&mut kernels, &row, grid, 0, &[row.number("repeat")]);
        let op = if row.kernel.ends_with("unused") { "red" } else { "atom" };
        let scale = u64::from(row.grid / grid);
        let measured =
            |metric: &str| row.count(&format!("l1tex__t_{metric}_pipe_lsu_mem_global_op_{op}.sum"));
        assert_eq!(
            counters.global_atomic_requests * scale,
            measured("requests"),
            "{} {:?}",
            row.kernel,
            row.params
        );
        assert_eq!(
            counters.global_atomic_passes * scale,
            measured("sectors"),
            "{} {:?}",
            row.kernel,
            row.params
        );
        compared += 1;
    }
    assert_eq!(compared, 144);
}

#[test]
fn random_shared_increments_equal_those_of_an_h200() {
    let mut kernels = BTreeMap::new();
    let mut compared = 0;
    for row in rows() {
        // The largest grids only repeat what the small ones show.
        if row.kernel != "probe_shared_random" || row.grid > 1 {
            continue;
        }
        let words = row.number("words");
        let Outcome { counters, .. } =
            run(&mut kernels, &row, 1, words * 4, &[words, row.number("repeat")]);
        let measured = row.count("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum");
        assert_eq!(
            counters.shared_atomic_wavefronts, measured,
            "{words} words, {} threads",
            row.block
        );
        compared += 1;
    }
    assert_eq!(compared, 8);
}

#[test]
fn loads_and_stores_equal_those_of_an_h200() {
    let mut kernels = BTreeMap::new();
    for row in rows() {
        if !row.kernel.starts_with("probe_shared_")
            || row.grid > 1
            || !row.params.contains_key("offsets")
        {
            continue;
        }
        let Outcome { counters, .. } = run(&mut kernels, &row, 1, 4096, &[row.number("repeat")]);
        let measured = |metric: &str| row.count(&format!("l1tex__t_{metric}.sum"));
        let found = [
            counters.global_load_requests,
            counters.global_store_requests,
            counters.global_load_sectors,
            counters.global_store_sectors,
        ];
        let expected = [
            measured("requests_pipe_lsu_mem_global_op_ld"),
            measured("requests_pipe_lsu_mem_global_op_st"),
            measured("sectors_pipe_lsu_mem_global_op_ld"),
            measured("sectors_pipe_lsu_mem_global_op_st"),
        ];
        assert_eq!(found, expected, "{} {:?}", row.kernel, row.params);
    }
}
