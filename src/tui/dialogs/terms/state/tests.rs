use super::*;
use crate::algorithms;
use crate::figure::{Time, YAxis};
use crate::results::record::Resource;
use crate::tui::app::action::Command;
use crate::tui::app::update::{do_command, update};
use crate::tui::app::view::tests::text;
use crate::tui::dialogs::state::Overlay;
use crate::tui::fixture::{self, PLAIN, press, run};

#[test]
fn every_label_of_the_form_has_an_entry() {
    for algorithm in algorithms::ALL {
        let mut model = fixture::model(PLAIN);
        model.form.experiment = algorithms::opening(*algorithm);
        for field in model.form.fields() {
            let label = model.form.label(field);
            // `M` and `K` are the letters of the matrices.
            if label.chars().count() > 1 {
                assert!(glossary::find(&label).is_some(), "{label} of {}", algorithm.name());
            }
        }
    }
}

#[test]
fn every_quantity_and_heading_of_the_screens_has_an_entry() {
    let mut labels: Vec<String> =
        [Time::Kernels, Time::EndToEnd].map(|time| time.name().to_owned()).into();
    labels.extend(YAxis::ALL.map(|y| {
        let mut model = fixture::model(PLAIN);
        model.chart.choice.y = y;
        model.chart.redraw();
        let first = Terms::of(&Model { panel: Panel::Chart, ..model }).first;
        first.unwrap_or_else(|| panic!("{y:?}")).to_owned()
    }));
    // The headings of the legend, of Tune, of a comparison and of the runs.
    labels.extend(
        [
            "median",
            "spread",
            "bandwidth",
            "speed-up",
            "output",
            "provenance",
            "block",
            "occupancy",
            "baseline",
            "ratio",
            "95 % interval",
            "verdict",
            "device baseline",
            "roofline",
            "heat",
            "verified",
            "wrong",
            "skipped",
            "unchecked",
            "algorithm",
            "variant",
        ]
        .map(str::to_owned),
    );
    labels.extend(Resource::ALL.iter().map(|it| it.label().to_owned()));
    for label in labels {
        assert!(glossary::find(&label).is_some(), "{label}");
    }
}

#[test]
fn k_explains_the_words_of_each_screen_and_begins_at_the_cursor() {
    for screen in Screen::ALL {
        let mut model = fixture::model(PLAIN);
        run(&mut model, 26);
        press(&mut model, Command::Show(screen), 5.0);
        press(&mut model, Command::Terms, 5.0);
        for (width, height) in [(80, 24), (120, 40), (200, 60)] {
            let shown = text(&model, width, height);
            assert!(shown.contains("Words on this screen"), "{screen:?}: {shown}");
            assert!(!shown.contains("No word of the glossary"), "{screen:?}: {shown}");
        }
    }
    let mut model = fixture::model(PLAIN);
    model.form.field = crate::tui::screens::sweep::form::state::Field::Coarsen;
    press(&mut model, Command::Terms, 0.0);
    let shown = text(&model, 80, 24);
    assert!(shown.contains("▸ coarsening") && shown.contains("work units"), "{shown}");
    insta::assert_snapshot!("terms_80x24", shown);
    press(&mut model, Command::Down, 0.0);
    assert!(!text(&model, 80, 24).contains("▸ coarsening"));
    press(&mut model, Command::Theme, 0.0);
    assert!(model.overlay.is_some(), "the theme changes below the box");
    press(&mut model, Command::Cancel, 0.0);
    assert_eq!(model.overlay, None);
}

#[test]
fn the_palette_finds_terms_and_explains_them() {
    for (typed, name, part) in [
        ("bank conflict", "bank conflict", "counter: bank conflicts"),
        ("occupancy", "occupancy", "Resident warps"),
        ("sector", "sector", "32 bytes"),
        ("__syncthreads", "barrier", "counter: barriers"),
    ] {
        let mut model = fixture::model(PLAIN);
        do_command(&mut model, Command::Palette);
        for c in typed.chars() {
            let edit = crate::tui::dialogs::state::Edit::Insert(c);
            let action = crate::tui::app::action::Action::Edit(edit);
            update(&mut model, action, std::time::Duration::ZERO);
        }
        press(&mut model, Command::Enter, 0.0);
        let Some(Overlay::Terms(terms)) = model.overlay else { panic!("{typed}") };
        assert_eq!(terms.first, Some(name));
        let shown = text(&model, 80, 24);
        assert!(shown.contains(part), "{part}: {shown}");
    }
}
