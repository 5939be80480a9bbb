#![allow(clippy::unwrap_used)]

use super::*;
use crate::experiment::{ParamValue, Sizes};
use crate::units::BlockSize;

const LIMITS: Limits = Limits {
    compute_capability: 90,
    threads_per_block: 1024,
    shared_per_block: 227 << 10,
    registers_per_sm: 1 << 16,
    memory: 1 << 30,
    cuda: None,
};

fn experiment() -> Experiment {
    Experiment {
        sizes: "100,10".parse().unwrap(),
        variants: ["global", "shared"].map(str::to_owned).to_vec(),
        blocks: [64, 32, 64].map(|block| BlockSize::new(block).unwrap()).to_vec(),
        coarsenings: vec![1, 4],
        params: [("bins".to_owned(), vec![ParamValue::Int(8), ParamValue::Int(256)])].into(),
        ..Experiment::default()
    }
}

fn error(change: impl FnOnce(&mut Experiment)) -> String {
    let mut experiment = experiment();
    change(&mut experiment);
    let error = plan(&experiment, &LIMITS).unwrap_err();
    assert_eq!(check(&experiment), Err(error.clone()));
    error.to_string()
}

#[test]
fn sizes_ascend_and_variants_stay_together() {
    let plan = plan(&experiment(), &LIMITS).unwrap();
    assert_eq!(plan.groups.len(), 2 * 2 * 2 * 2);
    let shown: Vec<String> = plan.cases().map(|planned| planned.case.to_string()).collect();
    assert_eq!(
        shown[..6],
        [
            "histogram global n=10 block=64 coarsen=1 binning=modulo bins=8 uniform",
            "histogram shared n=10 block=64 coarsen=1 binning=modulo bins=8 uniform",
            "histogram global n=10 block=64 coarsen=4 binning=modulo bins=8 uniform",
            "histogram shared n=10 block=64 coarsen=4 binning=modulo bins=8 uniform",
            "histogram global n=10 block=32 coarsen=1 binning=modulo bins=8 uniform",
            "histogram shared n=10 block=32 coarsen=1 binning=modulo bins=8 uniform",
        ]
    );
    assert!(plan.cases().map(|planned| planned.case.n).is_sorted());
    assert!(plan.cases().all(|planned| planned.skip.is_none()));
}

#[test]
fn the_default_experiment_runs_all_variants_from_the_left() {
    let plan = plan(&Experiment::default(), &LIMITS).unwrap();
    assert_eq!((plan.groups.len(), plan.cases().count()), (13, 39));
}

#[test]
fn what_does_not_exist_is_an_error_with_the_way_out() {
    let unknown = error(|e| e.algorithm = "histgram".to_owned());
    let told = "there is no algorithm `histgram`; did you mean `histogram`? (known: histogram, ";
    assert!(unknown.starts_with(told), "{unknown}");
    assert_eq!(
        error(|e| e.variants = vec!["Shard".to_owned()]),
        "there is no variant of histogram `Shard`; did you mean `shared`? (known: global, shared, shared-wide)"
    );
    assert_eq!(
        error(|e| e.variants = vec!["zzz".to_owned()]),
        "there is no variant of histogram `zzz` (known: global, shared, shared-wide)"
    );
    assert_eq!(
        error(|e| {
            e.params.insert("bin".to_owned(), vec![ParamValue::Int(8)]);
        }),
        "there is no parameter of histogram `bin`; did you mean `bins`? (known: bins, binning)"
    );
    for bad in [0, 1, 65_537] {
        assert_eq!(
            error(|e| {
                e.params.insert("bins".to_owned(), vec![ParamValue::Int(bad)]);
            }),
            format!("parameter bins of histogram cannot be {bad}; allowed: 2 to 65536")
        );
    }
    assert!(
        error(|e| {
            e.params.insert("binning".to_owned(), vec![ParamValue::Word("sideways".to_owned())]);
        })
        .contains("allowed: modulo | range")
    );
    assert!(error(|e| e.coarsenings = vec![1, 0]).contains("coarsening 0"));
    assert!(error(|e| e.coarsenings.clear()).contains("no coarsening"));
    assert!(error(|e| e.blocks.clear()).contains("no block size"));
    assert!(error(|e| e.sizes = Sizes::range(1 << 31, 1 << 31, 2)).contains("too large"));
    assert!(
        error(|e| e.coarsenings = (1..=MOST_CASES as u32 / 10).collect())
            .contains("narrow an axis")
    );
}

#[test]
fn what_cannot_run_is_skipped_with_the_reason() {
    let experiment = Experiment {
        sizes: "1000,2^28".parse().unwrap(),
        params: [("bins".to_owned(), vec![ParamValue::Int(8), ParamValue::Int(65_536)])].into(),
        ..experiment()
    };
    let limits = Limits { threads_per_block: 32, ..LIMITS };
    let plan = plan(&experiment, &limits).unwrap();
    let skip = |variant: &str, n: u64, bins: u64, block: u32| {
        let found = plan.cases().find(|planned| {
            let case = &planned.case;
            case.variant == variant
                && case.n == n
                && case.int("bins") == Some(bins)
                && case.block == block
        });
        found.unwrap().skip.clone().unwrap_or_default()
    };
    assert_eq!(skip("shared", 1000, 8, 32), "");
    assert_eq!(skip("global", 1000, 65_536, 32), "");
    assert_eq!(
        skip("shared", 1000, 65_536, 32),
        "histogram_shared_modulo needs 256 KiB of shared memory per block, the device has 227 KiB"
    );
    assert_eq!(
        skip("global", 1000, 8, 64),
        "a block of 64 threads is beyond the 32 that the device runs"
    );
    assert_eq!(
        skip("global", 1 << 28, 8, 32),
        "the buffers take 1.00 GiB (1073741856 B), the device has 1.00 GiB (1073741824 B) for them"
    );
}

#[test]
fn every_variant_is_what_all_means() {
    let named = |names: &[&str]| {
        let variants = names.iter().map(|name| (*name).to_owned()).collect();
        let experiment = Experiment { variants, ..experiment() };
        let plan = plan(&experiment, &LIMITS).unwrap();
        plan.groups[0].cases.iter().map(|p| p.case.variant.clone()).collect::<Vec<_>>()
    };
    assert_eq!(named(&[]), ["global", "shared", "shared-wide"]);
    assert_eq!(named(&["all"]), named(&[]));
    assert_eq!(named(&["shared", "global", "shared"]), ["shared", "global"]);
}

#[test]
fn a_variant_with_its_own_block_runs_with_it_in_the_usual_experiment() {
    let source = "/* warpscope\ngrid = 1\nargs = [\"out: f32[n]\"]\n[kernel.b]\nblock = 64\n*/\n\
        __global__ void a(float *x) {}\n__global__ void b(float *x) {}\n";
    let entry = |name| format!(".visible .entry {name}(.param .u64 p) {{ ret; }}\n");
    let file = crate::own::OwnFile {
        name: "own_block.cu".to_owned(),
        source: source.to_owned(),
        ptx: format!(".version 7.8\n.target sm_50\n.address_size 64\n{}{}", entry("a"), entry("b")),
        resources: String::new(),
        compiler: String::new(),
        like: None,
    };
    crate::own::system(&file).unwrap();
    let of_blocks = |blocks: &[u32]| -> Vec<(u32, bool)> {
        let experiment = Experiment {
            algorithm: "own_block.cu".to_owned(),
            blocks: blocks.iter().map(|it| BlockSize::new(*it).unwrap()).collect(),
            coarsenings: vec![1],
            sizes: Sizes::range(8, 8, 2),
            ..Experiment::default()
        };
        let plan = plan(&experiment, &LIMITS).unwrap();
        plan.cases().map(|it| (it.case.block, it.skip.is_some())).collect()
    };
    assert_eq!(of_blocks(&[256]), [(256, false), (64, false)]);
    assert_eq!(of_blocks(&[128]), [(128, false), (128, true)]);
    assert_eq!(of_blocks(&[64, 256]), [(64, false), (64, false), (256, false), (256, true)]);
}
