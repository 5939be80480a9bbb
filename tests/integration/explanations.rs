//! Explanations against causes that were decided beforehand, from the kernels alone:
//! `tests/data/explanations.csv`. Each row has two cases on the emulator; the explanation
//! of their difference has to name an expected cause, and the amounts of work behind this
//! cause, changed alone, have to change the predicted time in the right direction.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use warpscope::algorithms;
use warpscope::analysis::explain::{self, LEAST_RATIO, Span, Subject};
use warpscope::backend::emulated::Emulated;
use warpscope::experiment::{Case, SampleChoice};
use warpscope::gpu::counterfactual::{aligned, exchanged, seconds_of};
use warpscope::results::record::{CaseProfile, Cause, Metric, Record};
use warpscope::runner::measure::Measurer;

/// A row of the table.
#[derive(Debug, Clone)]
struct Row {
    key: String,
    slow: Case,
    fast: Case,
    span: Span,
    expected: Vec<String>,
}

fn rows() -> Vec<Row> {
    let path = format!("{}/tests/data/explanations.csv", env!("CARGO_MANIFEST_DIR"));
    let mut reader = csv::Reader::from_path(path).unwrap();
    let rows = reader.deserialize::<HashMap<String, String>>();
    rows.map(|row| {
        let row = row.unwrap();
        let case = |column: &str| case(&row["algorithm"], row["n"].parse().unwrap(), &row[column]);
        let span = match row["time"].as_str() {
            "kernels" => Span::Kernels,
            "end-to-end" => Span::EndToEnd,
            other => panic!("time: {other}"),
        };
        let expected = row["expected"].split('|').map(str::to_owned).collect();
        let key = ["algorithm", "n", "time", "slow", "fast"].map(|column| row[column].as_str());
        Row { key: key.join(" "), slow: case("slow"), fast: case("fast"), span, expected }
    })
    .collect()
}

/// A case from its settings: `variant=global block=256 bins=64`.
fn case(algorithm: &str, n: u64, settings: &str) -> Case {
    let spec = algorithms::find(algorithm).unwrap();
    let params = spec.params().iter().map(|param| (param.name.to_owned(), param.default()));
    let mut case = Case {
        algorithm: algorithm.to_owned(),
        variant: String::new(),
        block: 0,
        coarsen: 1,
        n,
        params: params.collect(),
        dist: "uniform".parse().unwrap(),
        seed: 7,
    };
    for setting in settings.split_whitespace() {
        let (name, value) = setting.split_once('=').unwrap();
        match name {
            "variant" => value.clone_into(&mut case.variant),
            "block" => case.block = value.parse().unwrap(),
            "coarsen" => case.coarsen = value.parse().unwrap(),
            "dist" => case.dist = value.parse().unwrap(),
            name => {
                let param = spec.params().iter().find(|param| param.name == name).unwrap();
                let value = value.parse().unwrap();
                assert!(param.allows(&value), "{setting}");
                case.params.insert(name.to_owned(), value);
            }
        }
    }
    case
}

/// What the emulator found about a case.
struct Counted {
    record: Record,
    profile: Option<CaseProfile>,
}

impl Counted {
    fn subject(&self) -> Subject<'_> {
        Subject { profile: self.profile.as_ref(), ..Subject::from(&self.record) }
    }
}

/// The results of all cases. A sample of blocks runs where that is possible.
fn counted(cases: &[Case]) -> Vec<Counted> {
    let next = AtomicUsize::new(0);
    let found: Mutex<HashMap<usize, Counted>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(case) = cases.get(at) else { break };
                    let counted = [SampleChoice::Always, SampleChoice::Never]
                        .into_iter()
                        .map(|choice| run(case, choice))
                        .find(|counted| counted.record.median().is_some())
                        .unwrap_or_else(|| panic!("{case} has no time"));
                    found.lock().unwrap().insert(at, counted);
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap();
    (0..cases.len()).map(|at| found.remove(&at).unwrap()).collect()
}

fn run(case: &Case, choice: SampleChoice) -> Counted {
    let mut backend = Emulated::open(Some("H200 SXM")).unwrap().sampling(choice);
    let (record, profile) = Measurer::new().profile_kernels(&mut backend, case);
    Counted { record: *record.unwrap(), profile }
}

/// Whether a row belongs to the half that the rules were developed on: by a hash of its
/// settings.
fn developed_on(row: &Row) -> bool {
    let hash = row.key.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash >> 20) & 1 == 0
}

#[test]
fn causes_are_those_decided_beforehand() {
    let rows = rows();
    assert!(rows.len() >= 70, "{} rows", rows.len());
    let cases: Vec<Case> =
        rows.iter().flat_map(|row| [row.slow.clone(), row.fast.clone()]).collect();
    let records = counted(&cases);
    let mut report = String::new();
    let (mut right, mut halves) = (0, [(0, 0); 2]);
    for (row, pair) in rows.iter().zip(records.chunks(2)) {
        let [slow, fast] = pair else { unreachable!("chunks of two") };
        let found = explain::difference(slow.subject(), fast.subject(), row.span).unwrap();
        let name = found.cause.name().to_owned();
        let reversed =
            seconds(&slow.record, row.span) * LEAST_RATIO < seconds(&fast.record, row.span);
        let good = row.expected.contains(&name) && !reversed;
        right += usize::from(good);
        let half = &mut halves[usize::from(!developed_on(row))];
        *half = (half.0 + usize::from(good), half.1 + 1);
        if !good {
            let expected = row.expected.join("|");
            let wrong = if reversed { "reversed, " } else { "" };
            writeln!(report, "{} / {}: {wrong}{name}, not {expected}", row.slow, row.fast).unwrap();
        }
        changes_the_time(found.cause, &slow.record, &fast.record);
        // The sentence has numbers of both, and is not the same for both sides.
        for case in &found.cases {
            let told = found.reasons.iter().chain([&found.headline]).any(|it| it.contains(case));
            assert!(told, "{case} is not in {:?}", found.reasons);
        }
    }
    let all = rows.len();
    let [(a, of_a), (b, of_b)] = halves;
    println!("{right} of {all}; developed on {a} of {of_a}, others {b} of {of_b}\n{report}");
    // 92 of 100 before the model followed L1 for all blocks of a multiprocessor.
    assert!(100 * right >= 91 * all, "{right} of {all}:\n{report}");
}

fn seconds(record: &Record, span: Span) -> f64 {
    match span {
        Span::Kernels => record.median().unwrap(),
        Span::EndToEnd => record.end_to_end().unwrap(),
    }
}

/// The amounts behind the cause, changed alone to those of the other case, make the slow
/// case faster or the fast one slower; neither goes the other way by as much.
fn changes_the_time(cause: Cause, slow: &Record, fast: &Record) {
    if matches!(cause, Cause::NoDifference | Cause::Host) {
        return;
    }
    let launches = |record: &Record| record.model.as_ref().unwrap().launches.to_vec();
    let (mut a, mut b) = (launches(slow), launches(fast));
    if seconds_of(&a) < seconds_of(&b) {
        std::mem::swap(&mut a, &mut b);
    }
    let (saved, lost) = exchanged(&aligned(&a, &b), cause);
    let most = seconds_of(&a) - seconds_of(&b);
    assert!(
        saved + lost > 0.0 && saved.max(lost) >= 0.2 * most,
        "{cause} of {} and {}: {saved} and {lost} of {most}",
        slow.case(),
        fast.case()
    );
    assert!(seconds_of(&a) / seconds_of(&b) >= LEAST_RATIO);
}
