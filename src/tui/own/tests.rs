//! From a save to its curve, without compiler, worker or terminal.

use std::time::Duration;

use crate::own::{self, OwnFile};
use crate::results::record::{FailureKind, Flag, Wrong};
use crate::runner::scheduler::{Ending, Event, Tally};
use crate::tui::app::action::{Action, Command};
use crate::tui::app::effect::Effect;
use crate::tui::app::model::{Look, Model, Screen};
use crate::tui::app::update;
use crate::tui::fixture::{measured, press};
use crate::tui::own::state::{MOST_OLDER, News, Problem, Stage};
use crate::tui::screens::sweep::state::Layer;
use crate::tui::{OwnStart, Start};

const PTX: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/contracts/ptx/histogram.ptx"));
const SOURCE: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/contracts/histogram.cu"));

/// A file of the user with these words as a comment at its end.
fn source(version: &str) -> String {
    format!("/* warpscope\nlike = \"histogram\"\n*/\n{SOURCE}// {version}\n")
}

/// The built-in variants beside those of the file.
const BUILT_IN: [&str; 3] = ["global", "shared", "shared-wide"];

/// What a run of the file `mine` takes.
fn all() -> Vec<&'static str> {
    BUILT_IN.into_iter().chain(["mine"]).collect()
}

fn opened(name: &str) -> Model {
    let own = OwnStart { path: name.into(), like: None };
    Model::new(&Start { own: Some(own), ..Start::default() }, Look::default())
}

fn news(model: &mut Model, news: News) -> Vec<Effect> {
    update::update(model, Action::Own(news), Duration::ZERO)
}

/// Saves another version that compiles, as the watching thread reports it.
fn save(model: &mut Model, name: &str, version: &str) -> Vec<Effect> {
    news(model, News::Saved(source(version).into()));
    let file = OwnFile {
        name: name.to_owned(),
        source: source(version),
        ptx: PTX.to_owned(),
        resources: String::new(),
        compiler: String::new(),
        like: None,
    };
    own::system(&file).unwrap();
    news(model, News::Compiled(Vec::new()))
}

fn checked(
    model: &mut Model,
    version: u32,
    problems: Vec<Problem>,
    unsound: &[&str],
) -> Vec<Effect> {
    let unsound = unsound.iter().map(|&name| name.to_owned()).collect();
    news(model, News::Checked { version, problems, unsound })
}

/// The variants that effects start.
fn started(effects: &[Effect]) -> Option<Vec<String>> {
    effects.iter().find_map(|effect| match effect {
        Effect::Start { experiment, .. } => Some(experiment.variants.clone()),
        _ => None,
    })
}

/// Reports a result of a variant, and the end of the run.
fn ran(model: &mut Model, name: &str, variants: &[&str]) -> Vec<Effect> {
    let run = model.run_id;
    let mut say = |event| update::update(model, Action::Session { run, event }, Duration::ZERO);
    for &variant in variants {
        let mut record = measured(variant, 1 << 20, 1.0);
        record.algorithm = name.into();
        say(Event::Finished { record: Box::new(record), view: None, from_store: false });
    }
    end(model)
}

fn end(model: &mut Model) -> Vec<Effect> {
    let tally = Ok(Tally { ending: Ending::Complete, ..Tally::default() });
    update::update(model, Action::Ended { run: model.run_id, tally }, Duration::ZERO)
}

fn error(line: u32, text: &str) -> Problem {
    Problem { line: Some(line), text: text.to_owned(), warning: false }
}

#[test]
fn a_file_is_watched_from_the_start_and_nothing_of_it_is_selected_before_it_compiles() {
    let mut model = opened("starts.cu");
    let effects = update::start(&model);
    assert!(matches!(&effects[..], [Effect::Watch { .. }, ..]), "{effects:?}");
    assert!(model.selected.is_none() && model.chart.records.is_empty());
    assert!(press(&mut model, Command::Run, 0.0).is_empty());
    assert!(model.notice.as_ref().unwrap().text.contains("starts.cu is being compiled"));
    news(&mut model, News::Saved("oops".into()));
    news(&mut model, News::Refused(vec![error(1, "expected a declaration")]));
    let own = model.own.as_ref().unwrap();
    assert_eq!((own.version, &own.stage, model.screen), (0, &Stage::Broken, Screen::Source));
    assert_eq!(own.says().unwrap(), "starts.cu:1: expected a declaration");
    // A block to paste has many lines; the line of progress has one.
    let text = "nothing says how to launch. Paste this block:\n\n/* warpscope\n*/\n";
    news(&mut model, News::Refused(vec![error(1, text)]));
    let says = model.own.as_ref().unwrap().says().unwrap();
    assert_eq!(says, "starts.cu:1: nothing says how to launch (5 has one to paste)");
}

#[test]
fn a_save_is_checked_then_run_and_the_version_before_stays_as_a_faint_curve() {
    let (mut model, name) = (opened("saves.cu"), "saves.cu");
    let effects = save(&mut model, name, "one");
    let check = effects.iter().find_map(|effect| match effect {
        Effect::Check { version, variants, .. } => Some((*version, variants.clone())),
        _ => None,
    });
    assert_eq!(check, Some((1, vec!["mine".to_owned()])), "built-in variants are sound");
    assert_eq!(model.form.experiment.algorithm, name);
    let effects = checked(&mut model, 1, Vec::new(), &[]);
    assert_eq!(started(&effects).unwrap(), all());
    ran(&mut model, name, &all());
    assert_eq!(model.results.len(), 4);

    save(&mut model, name, "two");
    let own = model.own.as_ref().unwrap();
    assert_eq!((own.version, own.older.len()), (2, 1));
    assert_eq!((own.older[0].number, own.older[0].records.len()), (1, 1));
    let layers = &model.chart.layers;
    assert_eq!(layers.iter().filter(|layer| **layer == Layer::Older).count(), 1);
    let faint: Vec<bool> = model.chart.series().iter().map(|series| series.pen.muted).collect();
    assert_eq!(faint.iter().filter(|faint| **faint).count(), 1, "{faint:?}");
    // What is known of the check of the version before does not count any more.
    assert!(started(&checked(&mut model, 1, Vec::new(), &[])).is_none());
    let effects = checked(&mut model, 2, Vec::new(), &[]);
    assert_eq!(started(&effects).unwrap(), ["mine"], "the built-in curves are there");
    ran(&mut model, name, &["mine"]);

    for version in 3..12 {
        save(&mut model, name, &version.to_string());
        checked(&mut model, version, Vec::new(), &[]);
        ran(&mut model, name, &["mine"]);
    }
    let own = model.own.as_ref().unwrap();
    let numbers: Vec<u32> = own.older.iter().map(|older| older.number).collect();
    assert_eq!((own.version, numbers), (11, (6..=10).rev().collect()));
    assert_eq!(own.older.len(), MOST_OLDER);
}

#[test]
fn times_with_estimated_registers_are_predicted_again_once_the_assembler_answers() {
    let (mut model, name) = (opened("assembles.cu"), "assembles.cu");
    save(&mut model, name, "one");
    assert!(started(&news(&mut model, News::Assembled)).is_none(), "nothing ran yet");
    checked(&mut model, 1, Vec::new(), &[]);
    // While it runs: that run ends, and another one takes its variants.
    let effects = news(&mut model, News::Assembled);
    assert!(effects.contains(&Effect::Cancel) && started(&effects).is_none());
    assert_eq!(started(&end(&mut model)).unwrap(), all());
    ran(&mut model, name, &all());
    // Measured times do not need them.
    assert!(started(&news(&mut model, News::Assembled)).is_none());
    for live in &mut model.results {
        if live.record.variant == *"mine" {
            live.record.flags.push(Flag::RegistersEstimated);
        }
    }
    assert_eq!(started(&news(&mut model, News::Assembled)).unwrap(), ["mine"]);
}

#[test]
fn a_version_that_does_not_compile_leaves_the_last_good_one_on_the_chart() {
    let (mut model, name) = (opened("breaks.cu"), "breaks.cu");
    save(&mut model, name, "one");
    checked(&mut model, 1, Vec::new(), &[]);
    ran(&mut model, name, &all());
    press(&mut model, Command::Show(Screen::Sweep), 0.0);
    news(&mut model, News::Saved("extern \"C\"\noops".into()));
    news(&mut model, News::Refused(vec![error(2, "name `oops` is unknown")]));
    assert_eq!(model.results.len(), 4);
    assert_eq!(model.screen, Screen::Sweep, "the chart stays where it is");
    let own = model.own.as_ref().unwrap();
    assert_eq!((own.version, own.compiled.as_ref()), (1, source("one").as_str()));
    // n and E go to the line.
    press(&mut model, Command::Show(Screen::Source), 0.0);
    press(&mut model, Command::Hottest, 0.0);
    let effects = press(&mut model, Command::Edit, 0.0);
    assert!(matches!(&effects[..], [Effect::Edit { line: 2, .. }]), "{effects:?}");
    news(&mut model, News::Gone("cannot be read: it is gone".to_owned()));
    let says = model.own.as_ref().unwrap().says().unwrap();
    assert_eq!(says, "breaks.cu: cannot be read: it is gone");
    // The counts of the last sweep are not those of this text.
    let screen = crate::tui::app::view::tests::text(&model, 120, 40);
    let progress = "breaks.cu: the chart shows v1, the last version that ran";
    assert!(screen.contains(progress) && !screen.contains("sweep finished"), "{screen}");
}

#[test]
fn a_kernel_with_a_finding_does_not_run_and_the_others_do() {
    let (mut model, name) = (opened("finds.cu"), "finds.cu");
    save(&mut model, name, "one");
    let race = error(9, "race in kernel mine, block (0, 0, 0)");
    let effects = checked(&mut model, 1, vec![race], &["mine"]);
    assert_eq!(started(&effects).unwrap(), BUILT_IN);
    let own = model.own.as_ref().unwrap();
    assert!(own.has_errors() && own.on_line(9).is_some());
    assert_eq!(model.screen, Screen::Source, "no kernel of the file runs");
}

#[test]
fn a_save_during_a_run_ends_it_and_runs_the_new_version() {
    let (mut model, name) = (opened("hurries.cu"), "hurries.cu");
    save(&mut model, name, "one");
    checked(&mut model, 1, Vec::new(), &[]);
    assert!(model.run.is_some());
    save(&mut model, name, "two");
    let effects = checked(&mut model, 2, Vec::new(), &[]);
    assert!(effects.contains(&Effect::Cancel) && started(&effects).is_none());
    let tally = Ok(Tally { ending: Ending::Cancelled, ..Tally::default() });
    let ended = Action::Ended { run: model.run_id, tally };
    let effects = update::update(&mut model, ended, Duration::ZERO);
    assert_eq!(started(&effects).unwrap(), all());
    assert!(model.notice.is_none(), "{:?}", model.notice);
}

#[test]
fn the_source_screen_shows_what_changed_since_each_older_version() {
    let (mut model, name) = (opened("changes.cu"), "changes.cu");
    for version in 1..=3 {
        save(&mut model, name, &version.to_string());
        checked(&mut model, version, Vec::new(), &[]);
        ran(&mut model, name, &all());
    }
    press(&mut model, Command::Show(Screen::Source), 0.0);
    let since = |model: &Model| model.own.as_ref().unwrap().changes.as_ref().map(|it| it.since);
    press(&mut model, Command::Difference, 0.0);
    assert!(model.profile.diff, "two cases first");
    let mut seen = Vec::new();
    for _ in 0..3 {
        press(&mut model, Command::Difference, 0.0);
        seen.push(since(&model));
    }
    assert_eq!(seen, [Some(2), Some(1), None]);
    press(&mut model, Command::Difference, 0.0);
    press(&mut model, Command::Difference, 0.0);
    let rows = &model.own.as_ref().unwrap().changes.as_ref().unwrap().texts.rows;
    assert_eq!(rows.iter().filter(|row| !row.same).count(), 1, "the comment at the end");
}

#[test]
fn what_was_wrong_with_an_older_version_is_not_told_of_the_new_one() {
    let (mut model, name) = (opened("hangs.cu"), "hangs.cu");
    save(&mut model, name, "one");
    checked(&mut model, 1, Vec::new(), &[]);
    ran(&mut model, name, &all());
    let mut wrong = model.results.last().unwrap().clone();
    wrong.record.n *= 2;
    wrong.record.seconds = None;
    wrong.record.verified = None;
    let reason = "the case took longer than the 5 s limit".to_owned();
    wrong.record.wrong = Some(Wrong::new(FailureKind::TimedOut, reason).into());
    model.results.push(wrong);
    model.rebuild_chart();
    let told = "✗ mine failed: the case took longer than the 5 s limit";
    let text = |model: &Model| crate::tui::app::view::tests::text(model, 120, 40);
    assert!(text(&model).contains(told), "{}", text(&model));
    save(&mut model, name, "two");
    assert!(!text(&model).contains("✗ mine"), "{}", text(&model));
}
