//! Hand-made records and a model to test the screen with.

use std::time::Duration;

use crate::experiment::{Case, Distribution, ParamValue};
use crate::gpu::counterfactual::seconds_of;
use crate::results::record::{
    Amount, DeviceBaseline, DeviceRecord, Flag, LaunchCost, ModelRecord, Outliers, Provenance,
    Record, Resource, Summary,
};
use crate::results::store::files::Discarded;
use crate::runner::scheduler::{Ending, Event, Tally};
use crate::tui::Start;
use crate::tui::app::action::{Action, Command};
use crate::tui::app::effect::Effect;
use crate::tui::app::model::{Look, Model};
use crate::tui::app::update::update;
use crate::tui::screens::runs::state::{Entry, Holds, News, Request, Source};
use crate::work::{Bins, Device, Limits, View};

/// A case of the histogram with 8 bins.
pub(crate) fn case(variant: &str, n: u64) -> Case {
    Case {
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
    }
}

/// Seconds that the fixture's GPU takes: a constant and a rate per variant.
fn seconds(variant: &str, n: u64) -> f64 {
    match variant {
        "global" => 2e-6 + n as f64 / 9e9,
        _ => 3e-6 + n as f64 / 3e11,
    }
}

/// A case recorded on an H200.
pub(crate) fn recorded(variant: &str, n: u64) -> Record {
    let device = DeviceRecord {
        name: "NVIDIA H200".to_owned(),
        driver: Some("580.1".to_owned()),
        id: "GPU-1".to_owned(),
    };
    let median = seconds(variant, n);
    let mut record = Record::new(&case(variant, n), device, "cuda", Provenance::Recorded);
    record.seconds = Some(Summary {
        median,
        q1: Some(median * 0.99),
        q3: Some(median * 1.02),
        samples: Box::default(),
        taken: Some(200),
    });
    record.bytes = n * 4;
    record.verified = Some(true);
    record
}

/// The same case measured just now, `ratio` times as long: with its samples, two
/// of them apart from the others, and what the device reaches.
pub(crate) fn measured(variant: &str, n: u64, ratio: f64) -> Record {
    let mut record = recorded(variant, n);
    record.provenance = Provenance::Measured;
    let middle = seconds(variant, n) * ratio;
    let share = |i: u32| if i % 50 == 7 { 1.4 } else { 1.0 + f64::from(i * 37 % 100) * 1e-5 };
    let samples: Vec<f64> = (0..100).map(|i| middle * share(i)).collect();
    record.seconds = Some(Summary {
        median: middle * 1.0005,
        q1: Some(middle * 1.00025),
        q3: Some(middle * 1.00075),
        samples: samples.into(),
        taken: None,
    });
    record.outliers = Some(Outliers { low: 0, high: 2, far: 2 }.into());
    record.device_baseline =
        Some(DeviceBaseline { empty_kernel: 1.9e-6, launch: 5.5e-6, copy: 4.25e12 }.into());
    record
}

/// A case predicted for an H200.
pub(crate) fn modelled(variant: &str, n: u64) -> Record {
    let device =
        DeviceRecord { name: "H200 SXM".to_owned(), driver: None, id: "profile-1".to_owned() };
    let median = seconds(variant, n) * 1.3;
    let mut record = Record::new(&case(variant, n), device, "emulator", Provenance::Modelled);
    record.seconds = Some(Summary::of(median));
    record.bytes = n * 4;
    record.verified = Some(true);
    record.flags = vec![Flag::Unvalidated];
    let bound_by = if variant == "global" { Resource::L2Atomics } else { Resource::Dram };
    let warps = n / 32;
    let counters: &[(&str, u64)] = if variant == "global" {
        &[
            ("global_atomic_requests", warps),
            ("global_atomic_lanes", n),
            ("global_atomic_addresses", 8 * warps),
            ("global_atomic_passes", 7 * warps),
            ("hottest_chunk_passes", 7 * warps),
        ]
    } else {
        &[("global_load_requests", warps), ("global_load_sectors", 4 * warps)]
    };
    record.counters = counters.iter().map(|(name, value)| (*name, *value)).collect();
    record.model = Some(Box::new(ModelRecord {
        parts: [(bound_by, median * 0.95)].into(),
        bound_by: bound_by.into(),
        occupancy: 1.0,
        occupancy_limit: "warps".into(),
        left_open: 0.0,
        extrapolated: Box::default(),
        launches: vec![cost(&[(
            if variant == "global" { Amount::AtomicPasses } else { Amount::Dram },
            median * 1e9,
        )])]
        .into(),
    }));
    record
}

/// A launch with made-up amounts of work, at 1 GHz.
pub(crate) fn cost(work: &[(Amount, f64)]) -> LaunchCost {
    let fixed = [(Amount::Launch, 1e-6)];
    let all: Vec<(Amount, f64)> = fixed.iter().chain(work).copied().collect();
    let mut launch = LaunchCost::made_up(&all);
    launch.seconds = seconds_of(std::slice::from_ref(&launch));
    launch
}

/// 2^10 to 2^22 of both variants.
pub(crate) fn recording() -> Vec<Record> {
    ["global", "shared"]
        .into_iter()
        .flat_map(|variant| (10..=22).map(move |e| recorded(variant, 1 << e)))
        .collect()
}

/// Counts of 8 bins, not quite even.
pub(crate) fn bins(n: u64) -> Bins {
    let counts: Vec<u64> = (0..8).map(|bin| n / 8 + bin * n / 400).collect();
    Bins::of(counts).with_lanes(7.05)
}

/// A screen over the recording.
pub(crate) fn model(look: Look) -> Model {
    let start = Start {
        shown: recording().into(),
        source: "built-in recording".to_owned(),
        ..Start::default()
    };
    Model::new(&start, look)
}

/// With colour and Unicode.
pub(crate) const PLAIN: Look =
    Look { theme: crate::tui::theme::Name::Dark, colour: true, ascii: false };

/// The emulator as a session reports it.
pub(crate) fn device() -> Device {
    Device {
        backend: "emulator".to_owned(),
        name: "H200 SXM".to_owned(),
        driver: None,
        id: "profile-1".to_owned(),
        modelled: true,
        validated: false,
        limits: Limits {
            compute_capability: 90,
            threads_per_block: 1024,
            shared_per_block: 232_448,
            registers_per_sm: 65_536,
            memory: 1 << 37,
            cuda: None,
        },
    }
}

/// A command given `seconds` after the start.
pub(crate) fn press(model: &mut Model, command: Command, seconds: f64) -> Vec<Effect> {
    update(model, Action::Do(command), Duration::from_secs_f64(seconds))
}

/// What a folder with a good and a broken file answers.
pub(crate) fn stored(effect: Effect) -> Option<News> {
    let Effect::Runs(request) = effect else { return None };
    let entry = |name: &str, holds| Entry {
        source: Source::File(format!("{name}.jsonl").into()),
        name: name.to_owned(),
        holds,
    };
    Some(match request {
        Request::List => News::Listed {
            entries: vec![
                entry("good", Ok(Holds::of(&recording(), None).into())),
                entry("broken", Err("broken.jsonl:1 is not a record".to_owned())),
            ],
            discarded: Vec::new(),
            problems: Vec::new(),
        },
        Request::Read(purpose, entry) => News::Read(purpose, entry, Ok(recording())),
        Request::Fit(_) => return None,
        Request::Compare(..) => News::Compared(Err("no case in common".to_owned())),
        Request::Discard(from) => News::Discarded(Ok(Discarded {
            when: "now".to_owned(),
            to: from.with_extension("gone"),
            from,
        })),
        Request::Restore(discarded) => News::Restored(Ok(discarded.from)),
    })
}

/// An event of the newest run.
pub(crate) fn report(model: &mut Model, event: Event, seconds: f64) {
    let action = Action::Session { run: model.run_id, event };
    update(model, action, Duration::from_secs_f64(seconds));
}

/// Runs the default experiment on the emulator until `done` of 26 cases ended,
/// ten per second.
pub(crate) fn run(model: &mut Model, done: usize) {
    press(model, Command::Run, 1.0);
    report(model, Event::Ready { worker: 0, of: 1, device: device() }, 1.0);
    report(model, Event::Planned { cases: 26, stored: 0, skipped: 0 }, 1.0);
    let cases = (10..=22).flat_map(|e| [("global", 1u64 << e), ("shared", 1 << e)]);
    for (index, (variant, n)) in cases.take(done).enumerate() {
        let at = 1.0 + index as f64 / 10.0;
        report(model, Event::Started(case(variant, n)), at);
        let finished = Event::Finished {
            record: Box::new(modelled(variant, n)),
            view: Some(View::Bins(bins(n))),
            from_store: false,
        };
        report(model, finished, at + 0.1);
    }
    if done == 26 {
        let tally = Tally {
            ending: Ending::Complete,
            verified: 26,
            wrong: 0,
            failed: 0,
            skipped: 0,
            from_store: 0,
        };
        let ended = Action::Ended { run: model.run_id, tally: Ok(tally) };
        update(model, ended, Duration::from_secs_f64(3.6));
    }
}
