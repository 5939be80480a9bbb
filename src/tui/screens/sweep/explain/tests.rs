#![allow(clippy::unwrap_used)]

use crate::results::record::Record;
use crate::runner::scheduler::Event;
use crate::tui::app::action::Command;
use crate::tui::app::model::Model;
use crate::tui::app::view::tests::text;
use crate::tui::fixture::{PLAIN, device, measured, model, press, report};
use crate::tui::screens::sweep::explain::sentences;

/// A screen on which these were just measured.
fn after(records: Vec<Record>) -> Model {
    let mut model = model(PLAIN);
    press(&mut model, Command::Run, 1.0);
    report(&mut model, Event::Ready { worker: 0, of: 1, device: device() }, 1.0);
    report(&mut model, Event::Planned { cases: records.len(), stored: 0, skipped: 0 }, 1.0);
    for (index, record) in records.into_iter().enumerate() {
        let finished = Event::Finished { record: Box::new(record), view: None, from_store: false };
        report(&mut model, finished, 1.1 + index as f64 / 10.0);
    }
    model
}

/// The longest wording at a size.
fn told(model: &mut Model, n: u64) -> String {
    model.chart.crosshair = Some(n as f64);
    sentences(&model.chart).into_iter().next().unwrap()
}

#[test]
fn two_measured_variants_get_a_verdict_on_the_screen() {
    let records = (16..=20)
        .flat_map(|power| ["global", "shared"].map(|variant| measured(variant, 1 << power, 1.0)));
    let model = after(records.collect());
    for (width, height) in [(80, 24), (120, 40)] {
        insta::assert_snapshot!(format!("verdict_{width}x{height}"), text(&model, width, height));
    }
}

#[test]
fn a_pinned_curve_and_a_new_one_are_compared_under_the_crosshair() {
    let mut model = after(vec![
        measured("shared", 1 << 12, 1.0),
        measured("shared", 1 << 14, 1.0),
        measured("shared", 1 << 16, 1.0),
    ]);
    let other = |n, ratio| {
        let mut record = measured("shared", n, ratio);
        record.block = 256;
        record
    };
    let mut noisy = other(1 << 16, 1.03);
    for (index, sample) in noisy.seconds.as_mut().unwrap().samples.iter_mut().enumerate() {
        *sample *= if index % 2 == 0 { 0.8 } else { 1.2 };
    }
    model.pinned = vec![other(1 << 12, 1.005), other(1 << 14, 1.5), noisy];
    model.rebuild_chart();
    let same = told(&mut model, 1 << 12);
    assert!(
        same.starts_with("SAME within 3 %: shared · 128 and shared · 256 at 2^12 elements"),
        "{same}"
    );
    let faster = told(&mut model, 1 << 14);
    let verdict =
        "FASTER: shared · 128 1.500× as fast as shared · 256 at 2^14 elements, 95 % interval 1.500";
    assert!(faster.starts_with(verdict), "{faster}");
    let copy = "64.0 KiB that have to move / 3.06 µs = 21.4 GB/s, 0.505 % of a copy's 4.25 TB/s";
    assert!(faster.ends_with(copy), "{faster}");
    let undecided = told(&mut model, 1 << 16);
    assert!(undecided.starts_with("UNDECIDED: "), "{undecided}");
}

#[test]
fn few_samples_decide_nothing() {
    let mut record = measured("global", 1 << 12, 1.0);
    let samples = &mut record.seconds.as_mut().unwrap().samples;
    *samples = samples[..3].into();
    let mut model = after(vec![record, measured("shared", 1 << 12, 1.0)]);
    let text = told(&mut model, 1 << 12);
    assert!(text.starts_with("UNDECIDED: ") && text.contains("too few samples"), "{text}");
}
