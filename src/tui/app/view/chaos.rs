//! Whatever a user, a terminal and a session do, in whatever order: no panic,
//! nothing drawn or clickable off the screen, no run and no result lost.

#![allow(clippy::unwrap_used)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use crossterm::event::{
    Event as Input, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::results::record::{Provenance, Record};
use crate::runner::scheduler::{Ending, Event, Tally};
use crate::tui::app::action::{Action, Command};
use crate::tui::app::effect::Effect;
use crate::tui::app::keys as keymap;
use crate::tui::app::model::Model;
use crate::tui::app::update::update;
use crate::tui::app::view::draw;
use crate::tui::app::view::tests::opening;
use crate::tui::dialogs::state::Overlay;
use crate::tui::fixture;
use crate::tui::fixture::{PLAIN, bins, report};
use crate::tui::widgets::ui::Drawn;
use crate::work::View;

/// Something that can happen, at random.
#[derive(Debug, Clone)]
enum Random {
    Input(Input),
    Resize(u16, u16),
    Case(u32, bool),
    End(bool),
    Wait(u16),
    Paused(bool),
}

fn keys() -> impl Strategy<Value = Random> {
    let codes = prop_oneof![
        8 => any::<prop::sample::Index>().prop_map(|index| {
            let all = "rqaAeyYtTlLmMzhjk+-<>,.1236?9 /^x0:éobcdOpsuURPv6w7()xXNCGn";
            let chars: Vec<char> = all.chars().collect();
            KeyCode::Char(*index.get(&chars))
        }),
        8 => any::<prop::sample::Index>().prop_map(|index| {
            use KeyCode::{BackTab, Backspace, Delete, Down, End, Enter, Esc, Home, Left, PageDown, PageUp, Right, Tab, Up};
            let all = [
                Enter, Esc, Tab, BackTab, Up, Down, Left, Right, Home, End, PageUp, PageDown,
                Backspace, Delete,
            ];
            *index.get(&all)
        }),
    ];
    (codes, prop::bool::weighted(0.05)).prop_map(|(code, control)| {
        let modifiers = if control { KeyModifiers::CONTROL } else { KeyModifiers::NONE };
        Random::Input(Input::Key(KeyEvent::new(code, modifiers)))
    })
}

fn random() -> impl Strategy<Value = Random> {
    let mouse = (0u16..210, 0u16..70, 0usize..5).prop_map(|(column, row, kind)| {
        let kind = [
            MouseEventKind::Down(MouseButton::Left),
            MouseEventKind::Moved,
            MouseEventKind::Drag(MouseButton::Left),
            MouseEventKind::ScrollUp,
            MouseEventKind::ScrollDown,
        ][kind];
        Random::Input(Input::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }))
    });
    prop_oneof![
        12 => keys(),
        8 => mouse,
        1 => (1u16..210, 1u16..70).prop_map(|(width, height)| Random::Resize(width, height)),
        3 => (0u32..31, any::<bool>()).prop_map(|(e, wrong)| Random::Case(e, wrong)),
        1 => any::<bool>().prop_map(Random::End),
        1 => (0u16..2000).prop_map(Random::Wait),
        1 => any::<bool>().prop_map(Random::Paused),
        1 => "\\PC{0,8}".prop_map(|text| Random::Input(Input::Paste(text))),
    ]
}

/// A live result of the run in progress.
fn random_case(model: &mut Model, exponent: u32, wrong: bool, seconds: f64) -> Record {
    let variant = if exponent.is_multiple_of(2) { "global" } else { "shared" };
    let mut record = fixture::modelled(variant, 1 << exponent);
    if wrong {
        record.seconds = None;
        record.verified = Some(false);
    } else if exponent.is_multiple_of(3) {
        record.provenance = Provenance::Measured;
    }
    let view = (!wrong).then(|| View::Bins(bins(1 << exponent)));
    report(model, Event::Started(record.case()), seconds);
    let event = Event::Finished { record: Box::new(record.clone()), view, from_store: wrong };
    report(model, event, seconds);
    record
}

/// A sitting at the interface.
struct Sitting {
    model: Model,
    terminal: Terminal<TestBackend>,
    drawn: Drawn,
    seconds: f64,
    /// What the run in progress has reported, in that order.
    reported: Vec<Record>,
}

impl Sitting {
    fn new() -> Self {
        let terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
        let (model, drawn) = (opening(PLAIN), Drawn::default());
        let mut sitting = Self { model, terminal, drawn, seconds: 0.0, reported: Vec::new() };
        sitting.draw();
        sitting
    }

    /// Draws a frame. Writing off the screen panics.
    fn draw(&mut self) {
        let Self { terminal, drawn, model, .. } = self;
        terminal.draw(|frame| *drawn = draw(frame, model)).unwrap();
        let area = terminal.backend().buffer().area;
        for hit in &drawn.hits {
            assert!(hit.area == hit.area.intersection(area), "{hit:?} on {area}");
        }
        if let Some(plot) = &drawn.plot {
            assert!(plot.area == plot.area.intersection(area), "{} on {area}", plot.area);
        }
    }

    fn input(&mut self, input: &Input) {
        let Some(action) = keymap::action(input, &self.model, &self.drawn) else { return };
        let now = Duration::from_secs_f64(self.seconds);
        let ran = self.model.run.is_some();
        let asked = matches!(self.model.overlay, Some(Overlay::Leave(_)));
        let would_lose = self.model.would_lose().is_some();
        let at_once = action == Action::Do(Command::Leave);
        for effect in update(&mut self.model, action, now) {
            if matches!(effect, Effect::Start { .. } | Effect::Replay { .. }) {
                self.reported.clear();
            }
            if effect == Effect::Leave {
                assert!(asked || at_once || !would_lose, "left without asking");
            }
            if let Some(news) = fixture::stored(effect) {
                update(&mut self.model, Action::Runs(news), now);
            }
        }
        // Only the session's own end ends a run.
        assert!(!ran || self.model.run.is_some(), "a run was lost");
    }

    /// The session reports a case, live or replayed.
    fn case(&mut self, exponent: u32, wrong: bool) {
        let record = random_case(&mut self.model, exponent, wrong, self.seconds);
        if self.model.run.as_ref().is_some_and(|run| run.replay.is_none()) {
            self.reported.push(record);
        }
    }

    fn end(&mut self, well: bool) {
        let tally = if well {
            let ending = Ending::Cancelled;
            Ok(Tally { ending, verified: 1, wrong: 0, failed: 0, skipped: 0, from_store: 0 })
        } else {
            Err("the worker is gone".to_owned())
        };
        let action = Action::Ended { run: self.model.run_id, tally };
        update(&mut self.model, action, Duration::from_secs_f64(self.seconds));
    }

    fn take(&mut self, event: Random) {
        match event {
            Random::Input(input) => self.input(&input),
            Random::Resize(width, height) => self.terminal.backend_mut().resize(width, height),
            Random::Case(exponent, wrong) => self.case(exponent, wrong),
            Random::End(well) => self.end(well),
            Random::Wait(milliseconds) => self.seconds += f64::from(milliseconds) / 1000.0,
            Random::Paused(paused) => {
                report(&mut self.model, Event::Paused(paused), self.seconds);
            }
        }
        self.draw();
        // Every result of the newest run is still there, in its order: shown, or
        // set aside for the Runs screen.
        let Model { aside, results, .. } = &self.model;
        let mut kept = aside.iter().chain(results).map(|live| &live.record);
        for record in &self.reported {
            assert!(kept.any(|kept| kept == record), "lost {}", record.identity());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn nothing_the_user_does_breaks_the_screen(events in prop::collection::vec(random(), 1..120)) {
        let mut sitting = Sitting::new();
        for event in events {
            sitting.take(event);
        }
    }
}

/// Plays `count` events in sittings long enough to reach what lies deep. Always
/// the same events, so that a failure can be run again.
fn play(count: usize) {
    let deterministic = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), deterministic);
    let events = random();
    let mut sitting = Sitting::new();
    for index in 0..count {
        if index % 5_000 == 0 {
            sitting = Sitting::new();
        }
        let event = events.new_tree(&mut runner).unwrap().current();
        let said = format!("{event:?}");
        let took = catch_unwind(AssertUnwindSafe(|| sitting.take(event)));
        assert!(took.is_ok(), "at event {index}, {said}");
    }
}

#[test]
fn a_long_sitting_loses_nothing() {
    play(2_500);
}

/// As long as a lesson of frantic typing.
#[test]
#[ignore = "takes a minute; cargo test --lib a_hundred_thousand_events -- --ignored"]
fn a_hundred_thousand_events_lose_nothing() {
    play(100_000);
}
