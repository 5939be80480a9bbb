//! Every system with every variant at every size of terminal: each opens on curves, and
//! no sentence or title is cut.

#![allow(clippy::unwrap_used)]

use std::time::Duration;

use proptest::prelude::*;

use crate::algorithms;
use crate::experiment::Experiment;
use crate::figure::Time;
use crate::results::record::{Launches, ModelRecord, Provenance};
use crate::tui::Start;
use crate::tui::app::action::{Action, Command};
use crate::tui::app::model::{Model, Screen};
use crate::tui::app::update::update;
use crate::tui::app::view::tests::{SIZES, text};
use crate::tui::fixture::{PLAIN, press};
use crate::tui::screens::profile::state as profile;
use crate::tui::screens::profile::state::Pane;
use crate::tui::screens::profile::view as counters;
use crate::tui::screens::sweep::explain::sentences;
use crate::tui::screens::{output, source};
use crate::tui::widgets::sentence::variant_name;
use crate::tui::widgets::ui::width;
use crate::tui::widgets::{selected, sentence};
use crate::units::superscript;

/// Every system as it opens: with all of its variants, and with each recorded one alone.
fn openings() -> Vec<Experiment> {
    let of_system = |algorithm: &&'static dyn algorithms::Algorithm| {
        let opening = algorithms::opening(*algorithm);
        let alone = recorded(*algorithm).map(|name| vec![name.to_owned()]);
        let all = std::iter::once(Vec::new()).chain(alone);
        all.map(|variants| Experiment { variants, ..opening.clone() }).collect::<Vec<_>>()
    };
    algorithms::ALL.iter().flat_map(of_system).collect()
}

/// The variants that the built-in recording of a system has as it opens.
fn recorded(algorithm: &'static dyn algorithms::Algorithm) -> impl Iterator<Item = &'static str> {
    algorithm.variants().iter().map(|it| it.name)
}

fn opened(experiment: Experiment) -> Model {
    Model::new(&Start { experiment, ..Start::default() }, PLAIN)
}

#[test]
fn every_system_opens_on_something_drawn_at_every_size() {
    for experiment in openings() {
        let name = format!("{} {:?}", experiment.algorithm, experiment.variants);
        let many = match experiment.variants.len() {
            0 => recorded(algorithms::find(&experiment.algorithm).unwrap()).count(),
            some => some,
        };
        let model = opened(experiment);
        assert!(model.nearest.is_none(), "{name}: the settings it opens on are not recorded");
        assert_eq!(model.chart.series().len(), many, "{name}");
        assert!(model.chart.series().iter().all(|series| series.points.len() > 1), "{name}");
        for (columns, rows) in SIZES {
            let shown = text(&model, columns, rows);
            assert!(!shown.contains("no results"), "{name}\n{shown}");
            let dots = shown.chars().filter(|c| ('\u{2801}'..='\u{28ff}').contains(c)).count();
            assert!(dots > 10, "{name}: {dots} dots on\n{shown}");
            assert!(shown.contains("recorded"), "{name}\n{shown}");
        }
    }
}

#[test]
fn a_setting_that_is_not_recorded_shows_the_nearest_and_says_so() {
    for algorithm in algorithms::ALL {
        let mut experiment = algorithms::opening(*algorithm);
        experiment.blocks = vec![crate::units::BlockSize::new(96).unwrap()];
        let mut model = opened(experiment);
        let says = model.nearest.as_ref().unwrap().says.clone();
        assert!(says.ends_with("block 96 is not recorded"), "{says}");
        assert!(!model.chart.figure.as_ref().unwrap().is_empty());
        for (columns, rows) in SIZES {
            assert!(text(&model, columns, rows).contains(&says), "{}", text(&model, columns, rows));
        }
        // The selection stays what the form says.
        assert_eq!(model.selected.as_ref().unwrap().case.block, 96);
        press(&mut model, Command::Run, 1.0);
        assert!(model.nearest.is_none(), "a run shows its own points");
    }
}

/// Wordings as the screen sets them.
fn set(wordings: &[String]) -> Vec<String> {
    wordings.iter().map(|text| superscript(text).into_owned()).collect()
}

/// Whether a text stands on a screen whole, in one line or wrapped.
fn stands(shown: &str, text: &str) -> bool {
    let joined = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    joined
        .contains(&superscript(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned())
}

#[test]
fn no_sentence_loses_its_object_on_any_screen() {
    for experiment in openings() {
        let mut model = opened(experiment);
        for time in [Time::Kernels, Time::EndToEnd] {
            if model.chart.choice.time != time {
                press(&mut model, Command::Time, 0.0);
            }
            model.notice = None;
            for (columns, rows) in SIZES {
                let shown = text(&model, columns, rows);
                let (lines, room) = (if rows < 32 { 1 } else { 2 }, columns - 2);
                let said = sentence::fitting(set(&sentences(&model.chart)), room, lines);
                for line in &said {
                    assert!(stands(&shown, line), "`{line}` is cut on\n{shown}");
                }
                if let Some(pair) = crate::tui::dialogs::why::state::pair(&model.chart) {
                    let said = said.join(" ");
                    for record in [pair.slow, pair.fast] {
                        let there = names(&said, &record.algorithm, &record.variant);
                        assert!(there, "{} is not in `{said}`", record.variant);
                    }
                }
                let selection = model.selected.as_ref().unwrap();
                let said: Vec<String> = selected::wordings(selection, time).collect();
                let line = sentence::line(set(&said), columns - 4);
                assert!(stands(&shown, &line) && !line.is_empty(), "{line}\n{shown}");
            }
        }
    }
}

/// Whether a sentence has a variant's name, whole or short.
fn names(said: &str, algorithm: &str, variant: &str) -> bool {
    sentence::NAMES.iter().any(|room| said.contains(&variant_name(algorithm, variant, *room)))
}

#[test]
fn titles_name_the_selection_and_fit() {
    for experiment in openings() {
        let model = opened(experiment);
        let case = &model.selected.as_ref().unwrap().case;
        let sides = profile::sides(&model);
        assert_eq!(sides[0].wanted.case, *case);
        for most in [40, 60, 80, 120, 200] {
            let view = crate::work::View::Bins(crate::tui::fixture::bins(8));
            let shown = crate::tui::app::model::ShownOutput {
                view,
                case: case.clone(),
                origin: crate::tui::app::model::Origin::Verified,
                phases: Vec::new(),
            };
            let titles = [
                counters::title(&sides, most),
                source::title(Pane::Ptx, &sides[0], most),
                output::title(&shown, most),
            ];
            for title in titles {
                assert!(width(&title) + 4 <= most, "{title} in {most}");
                let n = crate::units::Elements(case.n).to_string();
                assert!(
                    title.contains(&n) && names(&title, &case.algorithm, &case.variant),
                    "{title}"
                );
            }
        }
    }
}

#[test]
fn looking_at_screens_changes_no_selection_and_every_screen_shows_it() {
    for experiment in openings().into_iter().filter(|it| it.variants.is_empty()) {
        let mut model = opened(experiment);
        press(&mut model, Command::NextVariant, 0.0);
        let stops = model.chart.stops().to_vec();
        update(&mut model, Action::Cross(stops[stops.len() / 2]), Duration::ZERO);
        let selected = model.selected.clone().unwrap();
        for screen in Screen::ALL.into_iter().chain([Screen::Tune, Screen::Counters]) {
            press(&mut model, Command::Show(screen), 0.0);
            for command in [Command::NextPanel, Command::Up, Command::Down] {
                // On the Sweep screen these move in the form.
                if screen != Screen::Runs {
                    press(&mut model, command, 0.0);
                }
            }
            let now = model.selected.as_ref().unwrap();
            assert_eq!(now.case, selected.case, "{screen:?}");
            if matches!(screen, Screen::Counters | Screen::Source) {
                assert_eq!(profile::sides(&model)[0].wanted.case, selected.case);
            }
            for (columns, rows) in SIZES {
                let shown = text(&model, columns, rows);
                let n = crate::units::Elements(selected.case.n);
                let line = shown.lines().nth(1).unwrap();
                let n = format!("n = {n}");
                assert!(line.contains(&*superscript(&n)), "{screen:?}: {line}");
                assert!(
                    names(line, &selected.case.algorithm, &selected.case.variant),
                    "{screen:?}: {line}"
                );
                assert!(line.contains(&now.known.brief()), "{screen:?}: {line}");
            }
        }
    }
}

#[test]
fn a_cell_of_the_map_becomes_the_selection_on_enter_only() {
    let mut model = opened(Experiment::default());
    press(&mut model, Command::Show(Screen::Tune), 0.0);
    let before = model.selected.clone().unwrap().case;
    press(&mut model, Command::Cell(512, 16), 0.0);
    assert_eq!(model.selected.as_ref().unwrap().case, before);
    press(&mut model, Command::Enter, 0.0);
    let now = model.selected.clone().unwrap().case;
    assert_eq!((now.block, now.coarsen, now.n), (512, 16, before.n));
    assert_eq!(model.form.experiment.blocks[0].get(), 512);
    press(&mut model, Command::Show(Screen::Counters), 0.0);
    assert_eq!(profile::sides(&model)[0].wanted.case, now);
    press(&mut model, Command::Undo, 0.0);
    assert_eq!(model.selected.as_ref().unwrap().case, before);
}

#[test]
fn one_time_holds_on_every_screen() {
    let scan = algorithms::find("scan").unwrap();
    let mut model = opened(algorithms::opening(scan));
    let times = |model: &Model| {
        let case = &model.selected.as_ref().unwrap().case;
        let chart = model.chart.records.iter().find(|record| record.case() == *case).unwrap();
        let map = crate::tui::screens::tune::state::map(model).unwrap();
        (model.chart.choice.time.of(chart), map.time((case.block, case.coarsen)))
    };
    assert_eq!(model.chart.choice.time, Time::EndToEnd, "scan has CPU stages");
    let (sweep, tune) = times(&model);
    assert!(sweep.is_some() && sweep == tune, "{sweep:?} {tune:?}");
    assert!(text(&model, 80, 24).lines().nth(1).unwrap().contains("end to end"));
    let effects = press(&mut model, Command::Time, 0.0);
    let kept = |effect: &crate::tui::app::effect::Effect| {
        matches!(effect, crate::tui::app::effect::Effect::Keep(kept)
            if kept.end_to_end == Some(false))
    };
    assert!(effects.iter().any(kept), "{effects:?}");
    let (kernels, tune) = times(&model);
    assert!(kernels < sweep && kernels == tune, "{kernels:?} {tune:?}");
    assert!(text(&model, 80, 24).lines().nth(1).unwrap().contains("kernel"));
    // It is the session's: another system has it too.
    press(
        &mut model,
        Command::Step(crate::tui::screens::sweep::form::state::Field::Algorithm, true),
        0.0,
    );
    assert_eq!(model.chart.choice.time, Time::Kernels);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// At every width some wording fits whole and names both cases, and the reason where
    /// there is one; two lines where a terminal of that width would be too narrow.
    #[test]
    fn a_wording_fits_at_every_width(room in 58u16..199, pick in 0usize..1000, modelled: bool) {
        let all = openings();
        let mut model = opened(all[pick % all.len()].clone());
        if modelled {
            for record in model.shown.iter_mut() {
                record.provenance = Provenance::Modelled;
                record.counters = [("shared_bank_conflicts", 1 << 20)].into();
                record.model = Some(Box::new(ModelRecord {
                    parts: [("shared", record.median().unwrap_or(1e-6))].into(),
                    bound_by: "shared".into(),
                    occupancy: 1.0,
                    occupancy_limit: "warps".into(),
                    left_open: 0.0,
extrapolated: Box::default(),
                    launches: Launches::default(),
                }));
            }
            model.rebuild_chart();
        }
        let wordings = sentences(&model.chart);
        let rows = if room < 78 { 2 } else { 1 };
        let Some(last) = wordings.last().cloned() else { return Ok(()) };
        let said = sentence::fitting(wordings, room, rows);
        let whole = said.join(" ");
        prop_assert!(said.len() <= rows && said.iter().all(|line| width(line) <= room));
        prop_assert!(whole.ends_with(last.rsplit(' ').next().unwrap()) || whole.len() > last.len());
        let pair = crate::tui::dialogs::why::state::pair(&model.chart).unwrap();
        for record in [pair.slow, pair.fast] {
            let there = names(&whole, &record.algorithm, &record.variant);
            prop_assert!(there, "{} is not in `{whole}`", record.variant);
        }
    }
}
