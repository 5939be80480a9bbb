//! Profiles of kernels with known counts.

use super::*;

const GPU: fn() -> Ceilings = || Ceilings {
    name: "Some GPU".to_owned(),
    multiprocessors: 132,
    dram: 4.8e12,
    float: 67e12,
    integer: 33e12,
};

fn kernel(counters: &[(&str, u64)]) -> KernelProfile {
    KernelProfile {
        name: "k".to_owned(),
        launches: 1,
        grid: [64, 1, 1],
        block: [128, 1, 1],
        seconds: 1e-5,
        counters: counters.iter().map(|(name, count)| (*name, *count)).collect(),
        ..KernelProfile::default()
    }
}

fn reading(kernel: &KernelProfile, name: &str) -> Option<Reading> {
    let gpu = GPU();
    let rows = super::rows(&[Some(Kernel { kernel, gpu: &gpu })]);
    rows.into_iter().find(|row| row.name == name)?.readings.remove(0)
}

#[test]
fn bad_values_are_explained_and_good_ones_are_not() {
    let mut bad = kernel(&[
        ("warp_instructions", 100),
        ("thread_instructions", 800),
        ("divergent_branches", 7),
        ("global_load_requests", 10),
        ("global_load_sectors", 320),
        ("global_atomic_requests", 10),
        ("global_atomic_lanes", 320),
        ("global_atomic_addresses", 10),
        ("shared_load_requests", 10),
        ("shared_load_wavefronts", 320),
        ("shared_bank_conflicts", 310),
    ]);
    bad.ideal_load_sectors = 40;
    for (name, text, why) in [
        ("active lanes", "8 of 32", "24 of 32 lanes are idle"),
        ("divergent branches", "7", "warps execute both ways, one after the other"),
        (
            "sectors per load",
            "32 (ideal 4)",
            "not coalesced: a warp reads 8.00× the sectors needed",
        ),
        ("lanes per address", "32", "32 lanes of a warp hit 1 address, so L2 serialises them"),
        (
            "bank conflicts",
            "310 (97 % of passes)",
            "lanes of a warp hit the same bank: 31.0 more passes per access on average",
        ),
        ("blocks per SM", "0.485 on 132", "68 of 132 multiprocessors get no block"),
    ] {
        let found = reading(&bad, name).unwrap();
        assert_eq!((found.text.as_str(), found.bad.as_deref()), (text, Some(why)), "{name}");
    }
    let mut good = kernel(&[
        ("warp_instructions", 100),
        ("thread_instructions", 3200),
        ("global_load_requests", 10),
        ("global_load_sectors", 40),
    ]);
    good.ideal_load_sectors = 40;
    good.grid = [1320, 1, 1];
    for name in ["active lanes", "sectors per load", "blocks per SM"] {
        assert_eq!(reading(&good, name).unwrap().bad, None, "{name}");
    }
    assert_eq!(reading(&good, "bank conflicts"), None, "it has no shared memory");
}

#[test]
fn differences_are_marked_from_a_twentieth_on() {
    let gpu = GPU();
    let (a, b) = (kernel(&[("barriers", 100)]), kernel(&[("barriers", 104)]));
    let c = kernel(&[("barriers", 110), ("local_load_requests", 1)]);
    let differs = |a: &KernelProfile, b: &KernelProfile, name: &str| {
        let column = |kernel| Some(Kernel { kernel, gpu: &gpu });
        let rows = super::rows(&[column(a), column(b)]);
        rows.iter().find(|row| row.name == name).unwrap().differs
    };
    assert!(!differs(&a, &b, "barriers"));
    assert!(differs(&a, &c, "barriers"));
    assert!(differs(&a, &c, "local memory"), "only one has it");
    // With nothing to compare nothing differs.
    let rows = super::rows(&[Some(Kernel { kernel: &c, gpu: &gpu }), None]);
    assert!(rows.iter().all(|row| !row.differs));
}
