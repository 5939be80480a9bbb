//! The Counters and Source screens at every size and in every mode.

use std::time::Duration;

use crate::backend::emulated::Emulated;
use crate::experiment::{Case, SampleChoice};
use crate::results::record::Amount;
use crate::runner::measure::Measurer;
use crate::runner::scheduler::ProfiledCase;
use crate::tui::app::action::{Action, Command};
use crate::tui::app::effect::Effect;
use crate::tui::app::model::{Look, Model, Screen};
use crate::tui::app::update::update;
use crate::tui::app::view::tests::{SIZES, screen, text};
use crate::tui::fixture;
use crate::tui::fixture::{PLAIN, model, press};
use crate::tui::screens::profile::state as profile;
use crate::tui::screens::profile::state::{Known, Pane};
use crate::tui::theme::Name;

/// A case as the emulator counts it. Its times are made up, so that a change of
/// the timing model changes no picture.
fn profile_kernels(case: &Case) -> Box<ProfiledCase> {
    let mut backend = Emulated::open(None).unwrap();
    let (record, profile) = Measurer::new().profile_kernels(&mut backend, case);
    let (record, mut profile) = (*record.unwrap(), profile.unwrap());
    for (index, kernel) in profile.kernels.iter_mut().enumerate() {
        kernel.seconds = kernel.counters.get("warp_instructions").unwrap() as f64 * 1e-9;
        let parts = [("dram", 0.4), ("issue", 0.25), ("latency", 0.7), ("launch", 0.1)];
        let scaled = parts.map(|(name, share)| (name, share * kernel.seconds));
        kernel.parts = scaled.into();
        kernel.bound_by = if index == 0 { "latency" } else { "dram" }.into();
        kernel.dram_bytes = 4.0 * case.n as f64;
        let count = |name: &str| kernel.counters.get(name).unwrap() as f64;
        kernel.costs = vec![fixture::cost(&[
            (Amount::Issue, count("warp_instructions") / 4.0),
            (Amount::L2, count("global_load_sectors")),
            (Amount::AtomicPasses, count("global_atomic_passes")),
            (Amount::SharedAtomicPasses, count("shared_atomic_wavefronts")),
        ])];
    }
    Box::new(ProfiledCase { record, profile: Some(profile) })
}

/// Answers what the screen asks for until it asks no more.
pub(crate) fn answer(model: &mut Model, mut effects: Vec<Effect>) {
    while let Some(effect) = effects.pop() {
        if let Effect::Profile { id, wanted } = effect {
            let result = Ok(profile_kernels(&wanted.case));
            let action = Action::Profiled { id, result };
            effects.extend(update(model, action, Duration::from_secs(3)));
        }
    }
}

/// A screen over the recording, with the pair under the crosshair at 2^12 counted.
fn counted(look: Look, screen: Screen) -> Model {
    let mut model = model(look);
    update(&mut model, Action::Cross(4096.0), Duration::from_secs(1));
    let effects = press(&mut model, Command::Show(screen), 2.0);
    answer(&mut model, effects);
    model
}

#[test]
fn the_counters_of_both_cases_stand_side_by_side() {
    let mut model = counted(PLAIN, Screen::Counters);
    for (width, height) in SIZES {
        insta::assert_snapshot!(format!("counters_{width}x{height}"), text(&model, width, height));
    }
    press(&mut model, Command::Flip, 4.0);
    insta::assert_snapshot!("roofline_80x24", text(&model, 80, 24));
    press(&mut model, Command::Flip, 4.0);
    press(&mut model, Command::Hottest, 4.0);
    let shown = text(&model, 80, 24);
    assert!(shown.contains(" !"), "a bad value is selected:\n{shown}");
}

#[test]
fn source_and_ptx_stand_side_by_side_with_the_heat_of_each_line() {
    let mut model = counted(PLAIN, Screen::Source);
    for (width, height) in SIZES {
        insta::assert_snapshot!(format!("source_{width}x{height}"), text(&model, width, height));
    }
    for heat in ["executed", "divergent", "conflicting"] {
        press(&mut model, Command::Flip, 4.0);
        let shown = text(&model, 120, 40);
        assert!(shown.contains(&format!("f {heat}")), "{shown}");
        insta::assert_snapshot!(format!("source_{heat}_120x40"), shown);
    }
    press(&mut model, Command::Flip, 4.0);
    press(&mut model, Command::Difference, 4.0);
    for (width, height) in SIZES {
        let shown = text(&model, width, height);
        insta::assert_snapshot!(format!("difference_{width}x{height}"), shown);
    }
}

#[test]
fn the_cursor_of_one_text_is_followed_in_the_other() {
    let mut model = counted(PLAIN, Screen::Source);
    let listing = |model: &Model, pane| {
        let texts = profile::texts(model).remove(0).unwrap();
        texts.of(pane).lines[profile::cursor(model)].clone()
    };
    let source = listing(&model, Pane::Cuda);
    assert!(source.text.contains("atomicAdd"), "the hottest line first: {}", source.text);
    press(&mut model, Command::Flip, 4.0);
    let source = listing(&model, Pane::Cuda);
    press(&mut model, Command::NextPanel, 4.0);
    let ptx = listing(&model, Pane::Ptx);
    assert!(source.partners.contains(&ptx.number), "{ptx:?}");
    press(&mut model, Command::NextPanel, 4.0);
    assert_eq!(listing(&model, Pane::Cuda).number, source.number);
    press(&mut model, Command::Hottest, 4.0);
    let next = listing(&model, Pane::Cuda);
    press(&mut model, Command::Hottest, 4.0);
    assert_ne!(listing(&model, Pane::Cuda).number, next.number);
    assert!(listing(&model, Pane::Cuda).work.warps <= next.work.warps);
    press(&mut model, Command::Last, 4.0);
    press(&mut model, Command::Down, 4.0);
    assert_eq!(listing(&model, Pane::Cuda).work.warps, 0, "the last line of the file");
    let told = text(&model, 120, 40);
    assert!(told.contains("no instruction of this kernel"), "{told}");
}

#[test]
fn every_theme_has_the_same_text_and_ascii_has_a_replacement_for_every_symbol() {
    for name in [Screen::Counters, Screen::Source] {
        let mut dark = counted(PLAIN, name);
        for compared in [false, true] {
            if compared {
                press(&mut dark, Command::Difference, 5.0);
            }
            for (width, height) in SIZES {
                let plain = text(&dark, width, height);
                for theme in [Name::Light, Name::HighContrast] {
                    let other = Model { look: Look { theme, ..PLAIN }, ..dark.clone() };
                    assert_eq!(text(&other, width, height), plain);
                }
                let ascii = Model { look: Look { ascii: true, ..PLAIN }, ..dark.clone() };
                let ascii = text(&ascii, width, height);
                assert!(ascii.is_ascii(), "{ascii}");
                assert_eq!(ascii.matches('?').count(), plain.matches('?').count(), "{ascii}");
            }
        }
    }
    let ascii = Look { ascii: true, ..PLAIN };
    insta::assert_snapshot!(
        "counters_ascii_80x24",
        text(&counted(ascii, Screen::Counters), 80, 24)
    );
    insta::assert_snapshot!("source_ascii_80x24", text(&counted(ascii, Screen::Source), 80, 24));
}

#[test]
fn without_colour_the_cursor_and_the_heat_still_show() {
    let look = Look { colour: false, ..PLAIN };
    let model = counted(look, Screen::Source);
    let (buffer, _) = screen(&model, 120, 40);
    let reversed: String = buffer
        .content
        .iter()
        .filter(|cell| cell.modifier.contains(ratatui::style::Modifier::REVERSED))
        .map(ratatui::buffer::Cell::symbol)
        .collect();
    assert!(reversed.contains("atomicAdd"), "{reversed}");
    let shown = text(&model, 120, 40);
    assert!(shown.contains("% ██") || shown.contains("% █"), "{shown}");
    assert!(buffer.content.iter().all(|cell| cell.fg == ratatui::style::Color::Reset));
}

#[test]
fn what_is_not_counted_yet_says_so_and_can_be_cancelled_and_counted_again() {
    let mut model = model(PLAIN);
    let effects = press(&mut model, Command::Show(Screen::Source), 1.0);
    let [Effect::Profile { id, wanted }] = effects.as_slice() else { panic!("{effects:?}") };
    assert_eq!(wanted.gpu.as_deref(), Some("H200 SXM"), "the recording's GPU");
    update(&mut model, Action::Tick, Duration::from_secs(3));
    let shown = text(&model, 80, 24);
    assert!(shown.contains("counting on the emulator … 2.0 s (Esc cancels)"), "{shown}");
    let (id, wanted) = (*id, wanted.clone());
    // The other case next to be counted, whatever became of the first.
    let effects = press(&mut model, Command::Cancel, 4.0);
    assert!(matches!(effects.as_slice(), [Effect::StopProfiling, Effect::Profile { .. }]));
    let late = Action::Profiled { id, result: Ok(profile_kernels(&wanted.case)) };
    assert!(update(&mut model, late, Duration::from_secs(5)).is_empty());
    assert!(matches!(model.profile.find(&wanted), Some(Known::Not(_))), "it came too late");
    let shown = text(&model, 80, 24);
    assert!(shown.contains("cancelled: press Enter to count"), "{shown}");
    let second = model.profile.running.clone().unwrap();
    let failed = Action::Profiled { id: second.id, result: Err("the worker is gone".to_owned()) };
    update(&mut model, failed, Duration::from_secs(6));
    let effects = press(&mut model, Command::Enter, 7.0);
    answer(&mut model, effects);
    assert!(profile::texts(&model).iter().all(Option::is_some));
    // Leaving the screen ends what is not needed any more.
    press(&mut model, Command::NextVariant, 8.0);
    model.profile.known.clear();
    press(&mut model, Command::Up, 8.0);
    assert!(model.profile.running.is_some());
    let effects = press(&mut model, Command::Show(Screen::Sweep), 9.0);
    assert_eq!(effects, [Effect::StopProfiling]);
}

#[test]
fn a_measurement_is_not_disturbed() {
    let mut model = model(PLAIN);
    press(&mut model, Command::Run, 1.0);
    let effects = press(&mut model, Command::Show(Screen::Counters), 1.1);
    assert_eq!(effects, [], "nobody knows yet what the run is on");
    let shown = text(&model, 120, 40);
    assert!(shown.contains("waiting for the run to end"), "{shown}");
    let ready =
        crate::runner::scheduler::Event::Ready { worker: 0, of: 1, device: fixture::device() };
    let action = Action::Session { run: model.run_id, event: ready };
    let effects = update(&mut model, action, Duration::from_secs(2));
    assert!(matches!(effects.as_slice(), [Effect::Profile { .. }]), "the emulator's times stay");
}

#[test]
fn the_selected_case_comes_first_and_another_can_be_kept_beside_it() {
    let mut model = counted(PLAIN, Screen::Counters);
    let names = |model: &Model| -> Vec<String> {
        profile::sides(model).into_iter().map(|side| side.wanted.case.variant).collect()
    };
    assert_eq!(names(&model), ["global", "shared"]);
    assert!(profile::sides(&model).iter().all(|side| side.wanted.case.n == 4096));
    press(&mut model, Command::Difference, 4.0);
    assert_eq!(names(&model), ["shared", "global"]);
    assert_eq!(model.selected.as_ref().unwrap().case.variant, "shared");
    press(&mut model, Command::Pin, 4.0);
    press(&mut model, Command::NextVariant, 4.0);
    assert_eq!(names(&model), ["shared-wide", "shared"]);
    press(&mut model, Command::PanRight, 4.0);
    let sizes: Vec<u64> = profile::sides(&model).iter().map(|side| side.wanted.case.n).collect();
    assert_eq!(sizes, [8192, 4096], "what is kept stays as it is");
    press(&mut model, Command::Unpin, 4.0);
    let sizes: Vec<u64> = profile::sides(&model).iter().map(|side| side.wanted.case.n).collect();
    assert_eq!(sizes, [8192, 8192]);
}

#[test]
fn of_pipelines_only_what_differs_is_named() {
    let side = |variant: &str| {
        let case = Case { variant: variant.to_owned(), ..fixture::case("global", 4096) };
        let wanted = profile::Wanted { case, gpu: None, sample: SampleChoice::Auto };
        profile::Side { wanted, known: None }
    };
    let names = |a: &str, b: &str| crate::tui::screens::profile::view::names(&[side(a), side(b)]);
    assert_eq!(names("global", "shared"), ["global", "shared"]);
    assert_eq!(names("tree+final=cpu", "tree+final=gpu"), ["final=cpu", "final=gpu"]);
    assert_eq!(
        names("histogram=global+scan=one+reorder=a", "histogram=shared+scan=one+reorder=b"),
        ["histogram=global+reorder=a", "histogram=shared+reorder=b"]
    );
    // Without a choice of its own a name stays whole.
    assert_eq!(names("tree", "tree+final=cpu"), ["tree", "tree+final=cpu"]);
}
