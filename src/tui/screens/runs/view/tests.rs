//! The Runs screen as text.

use std::time::Duration;

use crate::runner::scheduler::Event;
use crate::tui::app::action::{Action, Command};
use crate::tui::app::model::{Model, Screen};
use crate::tui::app::update::update;
use crate::tui::app::view::tests::{SIZES, text};
use crate::tui::fixture::{PLAIN, measured, model, press, recorded, recording, report};
use crate::tui::screens::runs::state::{Entry, Holds, News, Purpose, Source, Table};

fn listed() -> Model {
    let mut model = model(PLAIN);
    press(&mut model, Command::Show(Screen::Runs), 0.0);
    let mut day = recording();
    for record in &mut day {
        "2026-11-20T17:05:09Z".clone_into(&mut record.time);
    }
    day[3].verified = Some(false);
    let file = |name: &str, holds| Entry {
        source: Source::File(format!("/data/runs/{name}.jsonl").into()),
        name: name.to_owned(),
        holds,
    };
    let mut other = vec![measured("global", 1024, 1.0)];
    "2026-11-21T09:00:00Z".clone_into(&mut other[0].time);
    let entries = vec![
        file(
            "torn",
            Err("/data/runs/torn.jsonl:3 is not a record of warpscope (not JSON from \
                          column 7); remove that line, or name another file"
                .to_owned()),
        ),
        file("2026-11-21_085907_histogram", Ok(Holds::of(&other, Some(2)).into())),
        file("2026-11-20_170400_histogram", Ok(Holds::of(&day, None).into())),
        Entry {
            source: Source::BuiltIn("histogram"),
            name: "histogram (built in)".to_owned(),
            holds: Ok(Holds::of(&recording(), None).into()),
        },
    ];
    let news = News::Listed { entries, discarded: Vec::new(), problems: Vec::new() };
    update(&mut model, Action::Runs(news), Duration::ZERO);
    model
}

#[test]
fn the_list_of_stored_runs() {
    let mut model = listed();
    press(&mut model, Command::Down, 0.0);
    press(&mut model, Command::Mark, 0.0);
    press(&mut model, Command::Down, 0.0);
    for (width, height) in SIZES {
        insta::assert_snapshot!(format!("runs_{width}x{height}"), text(&model, width, height));
    }
    press(&mut model, Command::First, 0.0);
    let broken = text(&model, 80, 24);
    assert!(broken.contains("✗ /data/runs/torn.jsonl:3") && broken.contains("remove that line"));
}

#[test]
fn two_runs_held_against_each_other() {
    let mut model = listed();
    let row = |cells: [&str; 7]| cells.map(str::to_owned).to_vec();
    let mut rows =
        vec![row(["n", "baseline", "other", "ratio", "95 % interval", "verdict", "from"])];
    for (e, verdict) in (10..40).zip(["FASTER", "SLOWER", "SAME", "UNDECIDED"].into_iter().cycle())
    {
        let n = format!("2^{e}");
        let (a, b) = ("12.0 µs", "11.4 µs");
        rows.push(row([&n, a, b, "0.950", "0.948 to 0.953", verdict, "samples"]));
    }
    let table = Table {
        title: "new against old".to_owned(),
        shared: "kernel time, a ratio below 1 is faster; algorithm histogram, block 128".to_owned(),
        rows,
        summary: "8 FASTER, 8 SLOWER, 7 SAME, 7 UNDECIDED of 30 pairs".to_owned(),
        scroll: 0,
    };
    update(&mut model, Action::Runs(News::Compared(Ok(table))), Duration::ZERO);
    press(&mut model, Command::Down, 0.0);
    insta::assert_snapshot!("runs_compared_80x24", text(&model, 80, 24));
    press(&mut model, Command::Last, 0.0);
    assert!(text(&model, 80, 24).contains("2³⁹"));
    press(&mut model, Command::Cancel, 0.0);
    assert!(text(&model, 80, 24).contains("histogram (built in)"));
}

#[test]
fn a_replay_and_an_overlay_say_what_they_are() {
    let mut model = model(PLAIN);
    let entry = listed().runs.entries[2].clone();
    let news = News::Read(Purpose::Overlay, entry, Ok(recording()));
    update(&mut model, Action::Runs(news), Duration::ZERO);
    press(&mut model, Command::Replay, 0.0);
    report(&mut model, Event::Planned { cases: 26, stored: 26, skipped: 0 }, 0.0);
    for e in 10..16 {
        for variant in ["global", "shared"] {
            let record = Box::new(recorded(variant, 1 << e));
            report(&mut model, Event::Finished { record, view: None, from_store: true }, 0.5);
        }
    }
    insta::assert_snapshot!("replay_120x40", text(&model, 120, 40));
}
