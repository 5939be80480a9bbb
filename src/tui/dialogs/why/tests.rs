//! The box on results that a GPU gave: it counts, explains, and tests what it says.

use std::time::Duration;

use crate::results::record::{Cause, Record};
use crate::runner::scheduler::{Ending, Event, Tally};
use crate::tui::app::action::{Action, Command};
use crate::tui::app::effect::Effect;
use crate::tui::app::model::Model;
use crate::tui::app::update::update;
use crate::tui::app::view::tests::text;
use crate::tui::dialogs::state::Overlay;
use crate::tui::dialogs::why::counting;
use crate::tui::fixture::{PLAIN, device, model, modelled, press, recorded, report};
use crate::tui::screens::profile::view::tests::answer;

/// The box over the recording, at a small size.
fn opened() -> (Model, Vec<Effect>) {
    let mut model = model(PLAIN);
    update(&mut model, Action::Cross(65536.0), Duration::from_secs(1));
    let effects = press(&mut model, Command::Why, 1.0);
    (model, effects)
}

#[test]
fn a_recorded_pair_is_counted_and_explained_with_its_line() {
    let (mut model, effects) = opened();
    let [Effect::Profile { wanted, .. }] = effects.as_slice() else { panic!("{effects:?}") };
    assert_eq!((wanted.case.variant.as_str(), wanted.gpu.as_deref()), ("global", Some("H200 SXM")));
    let waiting = text(&model, 80, 24);
    assert!(waiting.contains("counting global on the emulator"), "{waiting}");
    assert!(waiting.contains("not its cause"), "{waiting}");
    answer(&mut model, effects);
    let found = counting::explanation(&model).unwrap().unwrap();
    assert_eq!(found.cases, ["global", "shared"]);
    let line = found.line.unwrap();
    assert!(line.path == "kernels/histogram.cu" && line.text.contains("atomicAdd"), "{line:?}");
    assert_eq!(counting::progress(&model), None, "everything is counted");
    let shown = text(&model, 120, 40);
    assert!(shown.contains("recorded") && shown.contains(&format!("line {} `", line.number)));
}

#[test]
fn escape_ends_the_counting() {
    let (mut model, _) = opened();
    assert_eq!(press(&mut model, Command::Cancel, 2.0), [Effect::StopProfiling]);
    assert!(model.overlay.is_none() && model.profile.running.is_none());
}

#[test]
fn the_arrows_go_through_the_pairs() {
    let mut model = model(PLAIN);
    let third = |record: Record| Record { variant: "third".into(), ..record };
    model.shown.extend((10..=22).map(|power| third(recorded("global", 1 << power))));
    model.selection.variants.clear();
    model.form.experiment.variants.clear();
    model.rebuild_chart();
    press(&mut model, Command::Why, 1.0);
    let pair = |model: &Model| -> Vec<String> {
        counting::shown(model).iter().map(|record| record.variant.to_string()).collect()
    };
    let first = pair(&model);
    press(&mut model, Command::Right, 2.0);
    let second = pair(&model);
    assert_ne!(first, second);
    assert!(text(&model, 80, 24).contains("pair 2 of 3"));
    press(&mut model, Command::Left, 3.0);
    assert_eq!(pair(&model), first);
    press(&mut model, Command::Left, 3.0);
    assert!(text(&model, 80, 24).contains("pair 3 of 3"));
}

/// Ends the run with these results.
fn ended(model: &mut Model, records: Vec<Record>) {
    report(model, Event::Ready { worker: 0, of: 1, device: device() }, 5.0);
    for record in records {
        let record = Box::new(record);
        report(model, Event::Finished { record, view: None, from_store: false }, 6.0);
    }
    let tally = Tally { ending: Ending::Complete, ..Tally::default() };
    let run = model.run_id;
    update(model, Action::Ended { run, tally: Ok(tally) }, Duration::from_secs(7));
}

#[test]
fn a_test_is_offered_with_a_prediction_and_ends_in_a_verdict() {
    let (mut model, effects) = opened();
    answer(&mut model, effects);
    let found = counting::explanation(&model).unwrap().unwrap();
    assert_ne!(found.cause, Cause::NoDifference);
    let Some(next) = counting::test(&model, &found) else { panic!("{:?}", found.next) };
    let (before, after) = next.expected.unwrap();
    assert!(before > 1.1 * after, "{next:?}");
    let shown = text(&model, 120, 40);
    assert!(shown.contains("To test it: ") && shown.contains("the model expects"), "{shown}");
    let effects = press(&mut model, Command::Enter, 4.0);
    let start = effects.iter().find_map(|effect| match effect {
        Effect::Start { experiment, .. } => Some(experiment),
        _ => None,
    });
    assert_eq!(start.unwrap().variants, ["global"]);
    assert!(model.overlay.is_none() && model.run.is_some());
    let result = |case: &crate::experiment::Case, seconds: f64| {
        let mut record = modelled("global", case.n);
        (record.block, record.coarsen) = (case.block, case.coarsen);
        record.params = case.params.clone().into();
        record.seconds.as_mut().unwrap().median = seconds;
        record
    };
    let records = vec![result(&next.before, 20e-6), result(&next.case, 21e-6)];
    ended(&mut model, records);
    let verdict = model.why.verdict.clone().unwrap();
    assert!(!verdict.is_confirmed() && model.overlay == Some(Overlay::Why));
    let shown = text(&model, 120, 40);
    assert!(shown.contains("Refuted: expected"), "{shown}");
}
