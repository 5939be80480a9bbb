//! What the emulator counts beside what Nsight Compute counted on a GPU, and the lists of
//! counters that differ.

use std::collections::{BTreeMap, HashMap};

use warpscope::emulator::Counters;

/// A counter's name and the metrics that add up to it.
pub(crate) type Row = (&'static str, fn(&Counters) -> u64, &'static [&'static str]);

pub(crate) const COUNTERS: [Row; 13] = [
    (
        "global_load_requests",
        |c| c.global_load_requests,
        &["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"],
    ),
    (
        "global_load_sectors",
        |c| c.global_load_sectors,
        &["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"],
    ),
    (
        "global_store_requests",
        |c| c.global_store_requests,
        &["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"],
    ),
    (
        "global_store_sectors",
        |c| c.global_store_sectors,
        &["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"],
    ),
    (
        "global_atomic_requests",
        |c| c.global_atomic_requests,
        &[
            "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
            "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
        ],
    ),
    (
        "global_atomic_passes",
        |c| c.global_atomic_passes,
        &[
            "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
            "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
        ],
    ),
    (
        "shared_load_wavefronts",
        |c| c.shared_load_wavefronts,
        &["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"],
    ),
    (
        "shared_store_wavefronts",
        |c| c.shared_store_wavefronts,
        &["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"],
    ),
    (
        "shared_atomic_wavefronts",
        |c| c.shared_atomic_wavefronts,
        &["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"],
    ),
    (
        "local_load_requests",
        |c| c.local_load_requests,
        &["l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum"],
    ),
    (
        "local_load_sectors",
        |c| c.local_load_sectors,
        &["l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"],
    ),
    (
        "local_store_requests",
        |c| c.local_store_requests,
        &["l1tex__t_requests_pipe_lsu_mem_local_op_st.sum"],
    ),
    (
        "local_store_sectors",
        |c| c.local_store_sectors,
        &["l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"],
    ),
];

/// What differs, by kernel and counter: a text about both values.
pub(crate) type Differences = BTreeMap<(String, String), String>;

/// What a file of counts holds: the metrics of each row, by its first `columns` columns.
pub(crate) fn counted(path: &str, columns: usize) -> HashMap<Vec<String>, BTreeMap<String, u64>> {
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_path(path).unwrap();
    let header = reader.headers().unwrap().clone();
    reader
        .records()
        .map(|record| {
            let record = record.unwrap();
            let counts = header
                .iter()
                .zip(record.iter())
                .skip(columns)
                .filter_map(|(name, value)| Some((name.to_owned(), value.parse().ok()?)));
            (record.iter().take(columns).map(str::to_owned).collect(), counts.collect())
        })
        .collect()
}

/// Fails unless `differ` and a file of exceptions have the same counters. An exception
/// whose cause starts with "varies" may be equal in a run, and so may those of `refused`
/// kernels. With `some`, only a part was compared, and the file may have more.
pub(crate) fn hold(differ: &Differences, path: &str, refused: &[&str], some: bool) {
    let mut listed = BTreeMap::new();
    for record in csv::Reader::from_path(path).unwrap().records() {
        let record = record.unwrap();
        assert!(!record[2].is_empty(), "{record:?} has no cause");
        listed.insert((record[0].to_owned(), record[1].to_owned()), record[2].to_owned());
    }
    let news: Vec<_> = differ.iter().filter(|(key, _)| !listed.contains_key(*key)).collect();
    assert!(news.is_empty(), "these differ, and are not listed: {news:#?}");
    let stale: Vec<_> = listed
        .iter()
        .filter(|(key, cause)| {
            !some
                && !cause.starts_with("varies")
                && !differ.contains_key(*key)
                && !refused.contains(&key.0.as_str())
        })
        .collect();
    assert!(stale.is_empty(), "these are listed, and are equal: {stale:#?}");
}
