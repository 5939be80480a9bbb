//! Cases, records, experiments and backends as tests need them.

use warpscope::algorithms::{self, Algorithm};
use warpscope::backend::{self, Backend};
use warpscope::experiment::{
    BackendChoice, Case, Distribution, Experiment, ParamValue, Sizes, Stopping, Target,
};
use warpscope::results::record::{DeviceRecord, Flag, Provenance, Record, Summary};

/// Two runs: the warm-up, and one more that finds whatever the first left behind.
pub(crate) const TWO_RUNS: Stopping = Stopping {
    least_samples: 1,
    most_samples: 1,
    relative_deviation: 1.0,
    gpu_seconds: 0.0,
    wall_seconds: 0.0,
    limit_seconds: 60.0,
};

/// A case of an algorithm: its first distribution and default parameters.
pub(crate) fn case(
    algorithm: &dyn Algorithm,
    variant: &str,
    n: u64,
    block: u32,
    coarsen: u32,
) -> Case {
    let opening = algorithms::opening(algorithm);
    let params = algorithm.params().iter();
    Case {
        algorithm: opening.algorithm,
        variant: variant.to_owned(),
        block,
        coarsen,
        n,
        params: params.map(|param| (param.name.to_owned(), param.default())).collect(),
        dist: opening.dist,
        seed: 7,
    }
}

/// A histogram case as emulated on an H200, at `rate` seconds per element.
pub(crate) fn record(variant: &str, n: u64, rate: f64) -> Record {
    let case = Case {
        algorithm: "histogram".to_owned(),
        variant: variant.to_owned(),
        block: 128,
        coarsen: 4,
        n,
        params: [
            ("bins".to_owned(), ParamValue::Int(8)),
            ("binning".to_owned(), ParamValue::Word("modulo".to_owned())),
        ]
        .into(),
        dist: Distribution::Uniform,
        seed: 7,
    };
    let device =
        DeviceRecord { name: "H200 SXM".to_owned(), driver: None, id: "profile".to_owned() };
    let mut record = Record::new(&case, device, "emulator", Provenance::Modelled);
    let median = 2e-6 + n as f64 * rate;
    record.seconds =
        Some(Summary { median, q1: None, q3: None, samples: Box::default(), taken: None });
    record.bytes = n * 4;
    record.verified = Some(true);
    record.flags = vec![Flag::Unvalidated];
    "2026-11-21T04:00:00Z".clone_into(&mut record.time);
    record
}

/// The same case as measured on an H200: 60 samples within 0.5 % of `median`.
pub(crate) fn measured(variant: &str, n: u64, median: f64) -> Record {
    let mut record = record(variant, n, 1e-11);
    "cuda".clone_into(&mut record.backend);
    record.provenance = Provenance::Measured;
    record.flags.clear();
    record.device = DeviceRecord {
        name: "NVIDIA H200".to_owned(),
        driver: Some("580.159".to_owned()),
        id: "GPU-1".to_owned(),
    }
    .into();
    let samples =
        (0..60).map(|i| median * (0.995 + f64::from(i * 37 % 60) * 0.01 / 59.0)).collect();
    record.seconds = Some(Summary {
        median,
        q1: Some(median * 0.9975),
        q3: Some(median * 1.0025),
        samples,
        taken: None,
    });
    record
}

/// Two variants of the histogram at n = 64 and 128, with these bins, on the
/// scripted backend.
pub(crate) fn experiment(bins: &[u64]) -> Experiment {
    Experiment {
        sizes: Sizes::range(64, 128, 2),
        variants: ["global", "shared"].map(str::to_owned).to_vec(),
        params: [("bins".to_owned(), bins.iter().copied().map(ParamValue::Int).collect())].into(),
        target: Target { backend: BackendChoice::Scripted, ..Target::default() },
        ..Experiment::default()
    }
}

/// The emulator.
pub(crate) fn emulator() -> Box<dyn Backend> {
    backend::open(&Target { backend: BackendChoice::Emulator, ..Target::default() }).unwrap()
}

/// The backend that `WARPSCOPE_TEST_BACKEND` names, or the emulator.
pub(crate) fn chosen_backend() -> Box<dyn Backend> {
    let name = std::env::var("WARPSCOPE_TEST_BACKEND").unwrap_or("emulator".to_owned());
    backend::open(&Target { backend: name.parse().unwrap(), ..Target::default() }).unwrap()
}

/// The first GPU. Without one, the test is skipped.
#[cfg(target_os = "linux")]
pub(crate) fn cuda() -> Option<backend::cuda::Cuda> {
    backend::cuda::Cuda::open(0).map_err(|error| super::skip(&error.to_string())).ok()
}
