//! The Step screen at every size and in every mode, and its keys.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ratatui::style::{Color, Modifier, Style};

use crate::runner::trace::{Request, record};
use crate::tui::app::action::{Action, Command};
use crate::tui::app::effect::Effect;
use crate::tui::app::model::{Look, Model, Screen};
use crate::tui::app::update::update;
use crate::tui::app::view::tests::{SIZES, screen, text};
use crate::tui::dialogs::state::Edit;
use crate::tui::fixture::{PLAIN, model, press};
use crate::tui::screens::step::recorded::Recorded;
use crate::tui::screens::step::state::{Text, Wanted};
use crate::tui::theme::Name;
use crate::work::trace::Marks;
use crate::work::{Done, Progress};

/// Answers what the screen asks for until it asks no more.
pub(crate) fn answer(model: &mut Model, mut effects: Vec<Effect>) {
    while let Some(effect) = effects.pop() {
        let Effect::Record { id, wanted } = effect else { continue };
        let result = record_of(*wanted).map(Arc::new);
        let action = Action::Recorded { id, result };
        effects.extend(update(model, action, Duration::from_secs(3)));
    }
}

/// The block that is wanted.
pub(crate) fn record_of(wanted: Wanted) -> Result<Recorded, String> {
    let Wanted { case, gpu, launch, block } = wanted;
    let request = Request { case, gpu, launch, block };
    let (progress, stop) = (Arc::new(Progress::new()), Arc::new(AtomicBool::new(false)));
    record(&request, &progress, &stop).map(Recorded::new).map_err(|error| error.to_string())
}

/// The shared-memory histogram at 2^12, stepped.
fn stepped(look: Look) -> Model {
    let mut model = model(look);
    update(&mut model, Action::Cross(4096.0), Duration::from_secs(1));
    let effects = press(&mut model, Command::Show(Screen::Step), 2.0);
    answer(&mut model, effects);
    go(&mut model, Command::NextVariant);
    model
}

/// One command, with what it asks for answered.
pub(crate) fn go(model: &mut Model, command: Command) {
    let effects = press(model, command, 4.0);
    answer(model, effects);
}

/// Types a place to go to.
fn type_in(model: &mut Model, typed: &str) -> String {
    go(model, Command::Find);
    for c in typed.chars() {
        update(model, Action::Edit(Edit::Insert(c)), Duration::from_secs(4));
    }
    go(model, Command::Enter);
    model.notice.as_ref().map(|notice| notice.text.clone()).unwrap_or_default()
}

fn step(model: &Model) -> usize {
    model.step.shown.as_ref().unwrap().moment.step
}

#[test]
fn source_lanes_registers_and_memory_at_every_size() {
    let mut model = stepped(PLAIN);
    go(&mut model, Command::Mark);
    for (width, height) in SIZES {
        insta::assert_snapshot!(format!("step_{width}x{height}"), text(&model, width, height));
    }
    go(&mut model, Command::NextPanel);
    insta::assert_snapshot!("step_ptx_80x24", text(&model, 80, 24));
    go(&mut model, Command::NextPanel);
    insta::assert_snapshot!("step_values_80x24", text(&model, 80, 24));
    model.look = Look { ascii: true, ..PLAIN };
    (model.step.on_values, model.step.text) = (false, Text::Source);
    for (width, height) in SIZES {
        let ascii = text(&model, width, height);
        assert!(ascii.is_ascii(), "{ascii}");
        insta::assert_snapshot!(format!("step_ascii_{width}x{height}"), ascii);
    }
}

/// How the cells of a screen are drawn in every theme and without colour: the rows as runs of
/// letters, and the styles that each letter stands for.
fn styles(model: &mut Model, (width, height): (u16, u16)) -> String {
    let modes = [
        ("dark", Name::Dark, true),
        ("light", Name::Light, true),
        ("high contrast", Name::HighContrast, true),
        ("no colour", Name::Dark, false),
    ];
    let drawn = modes.map(|(_, theme, colour)| {
        model.look = Look { theme, colour, ascii: false };
        (screen(model, width, height).0, text(model, width, height))
    });
    assert!(drawn.windows(2).all(|pair| pair[0].1 == pair[1].1), "themes change styles only");
    let mut known: Vec<[Style; 4]> = Vec::new();
    let mut letter = |at: usize| {
        let styles = drawn.each_ref().map(|(buffer, _)| buffer.content[at].style());
        let number = known.iter().position(|it| *it == styles).unwrap_or_else(|| {
            known.push(styles);
            known.len() - 1
        });
        char::from(b'a' + u8::try_from(number).unwrap())
    };
    let mut page = String::new();
    for row in 0..usize::from(height) {
        let mut runs: Vec<(char, usize)> = Vec::new();
        for column in 0..usize::from(width) {
            let letter = letter(row * usize::from(width) + column);
            match runs.last_mut() {
                Some((last, many)) if *last == letter => *many += 1,
                _ => runs.push((letter, 1)),
            }
        }
        let runs: Vec<String> =
            runs.iter().map(|(letter, many)| format!("{letter}{many}")).collect();
        page += &format!("{}\n", runs.join(" "));
    }
    let color = |color: Option<Color>| color.unwrap_or_default().to_string();
    for (letter, styles) in ('a'..).zip(&known) {
        for ((mode, ..), style) in modes.iter().zip(styles) {
            let Style { fg, bg, add_modifier, .. } = *style;
            let (fg, bg) = (color(fg), color(bg));
            page += &format!("{letter} {mode}: {fg} on {bg} {add_modifier:?}\n");
        }
    }
    page
}

#[test]
fn styles_in_every_theme_and_without_colour_at_every_size() {
    let mut model = stepped(PLAIN);
    go(&mut model, Command::Mark);
    for (width, height) in SIZES {
        let styles = styles(&mut model, (width, height));
        insta::assert_snapshot!(format!("step_styles_{width}x{height}"), styles);
    }
    // Lanes that run stand out in all of them.
    for (theme, colour) in [(Name::Light, true), (Name::HighContrast, true), (Name::Dark, false)] {
        model.look = Look { theme, colour, ascii: false };
        let (buffer, _) = screen(&model, 120, 40);
        let lit = |cell: &&ratatui::buffer::Cell| {
            let is_lane = ["■", "1", "2"].contains(&cell.symbol());
            is_lane && cell.modifier.contains(Modifier::REVERSED)
        };
        assert!(buffer.content.iter().filter(lit).count() >= 32, "{theme:?}");
    }
}

#[test]
fn every_key_goes_back_where_it_came_from() {
    let mut model = stepped(PLAIN);
    for (on, back, times) in [
        (Command::Right, Command::Left, 12),
        (Command::Hottest, Command::LineBack, 8),
        // Lanes that part are not the same on the way back.
        (Command::Published, Command::Overlay, 4),
    ] {
        let mut places = vec![step(&model)];
        for _ in 0..times {
            go(&mut model, on);
            places.push(step(&model));
        }
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "{on:?} {places:?}");
        for before in places.iter().rev().skip(1) {
            go(&mut model, back);
            assert_eq!(step(&model), *before, "{back:?} {places:?}");
        }
        // One more says that there is none.
        go(&mut model, Command::First);
        go(&mut model, back);
        assert!(text(&model, 80, 24).contains("warp 0 has no earlier"));
    }
    go(&mut model, Command::Mark);
    let first = step(&model);
    go(&mut model, Command::Mark);
    go(&mut model, Command::MarkBack);
    assert_eq!(step(&model), first);
}

#[test]
fn breakpoints_and_the_cursor_are_run_to_and_back() {
    let mut model = stepped(PLAIN);
    go(&mut model, Command::Mark);
    let (at, line) = (step(&model), model.step.line());
    go(&mut model, Command::Dots);
    go(&mut model, Command::First);
    go(&mut model, Command::Compare);
    assert_eq!(model.step.line(), line);
    assert!(step(&model) <= at);
    go(&mut model, Command::Last);
    go(&mut model, Command::ContinueBack);
    assert_eq!(model.step.line(), line);
    go(&mut model, Command::Dots);
    go(&mut model, Command::Compare);
    assert!(text(&model, 80, 24).contains("no breakpoint"));
    // The cursor: to the line and back.
    go(&mut model, Command::First);
    let said = type_in(&mut model, &format!("line {}", line.unwrap()));
    assert!(said.contains("Enter runs to this line"), "{said}");
    go(&mut model, Command::Enter);
    assert_eq!(model.step.line(), line);
    assert_eq!(model.step.cursor, None);
    go(&mut model, Command::Last);
    type_in(&mut model, &format!("line {}", line.unwrap()));
    go(&mut model, Command::CursorBack);
    assert_eq!(model.step.line(), line);
}

#[test]
fn blocks_warps_sizes_and_registers_that_do_not_exist_are_named_and_the_rest_is_shown() {
    let mut model = stepped(PLAIN);
    for (typed, said) in [
        ("block 99", "there is no block 99: the grid has 8 blocks, numbered from 0"),
        ("warp 4", "there is no warp 4: the block has 4 warps, numbered from 0"),
        ("step 10000000", "there is no step 10000000: warp 0 has"),
        ("line 99999", "there is no line 99999: the text has"),
        ("n 0", "n = 0: n is at least 1"),
        ("n 99999999999999", "n is at most"),
        ("%nothing", "the kernel has no register %nothing"),
        ("fly", "`fly` is not understood: type block 3"),
        ("warp", "`warp` is not understood"),
    ] {
        let found = type_in(&mut model, typed);
        assert!(found.contains(said), "{typed}: {found}");
        assert!(text(&model, 120, 40).contains("Lanes of warp 0"), "{typed}");
    }
    assert_eq!(type_in(&mut model, "warp 2"), "");
    go(&mut model, Command::NextKernel);
    assert_eq!(model.notice.as_ref().unwrap().text, "the case has one launch");
    assert_eq!(model.step.shown.as_ref().unwrap().moment.warp, 2);
    type_in(&mut model, "block 3");
    assert!(text(&model, 80, 24).contains("block 3 of 8 · warp 2 of 4"));
    type_in(&mut model, "n 1024");
    let shown = text(&model, 120, 40);
    assert!(shown.contains("block 0 of 2") && shown.contains("n = 2¹⁰ (selected: 2¹²)"), "{shown}");
    go(&mut model, Command::Pin);
    let watched = model.step.watched.clone();
    assert!(!watched.is_empty());
    go(&mut model, Command::Last);
    let names: Vec<_> =
        model.step.shown.as_ref().unwrap().watched.iter().map(|it| &it.name).collect();
    assert_eq!(names, watched.iter().collect::<Vec<_>>());
}

#[test]
fn w_on_a_divergent_branch_or_a_bank_conflict_opens_its_first_step() {
    use crate::tui::screens::profile::state as profile;
    use crate::tui::screens::profile::view::tests::answer as count;
    let mut model = model(PLAIN);
    update(&mut model, Action::Cross(4096.0), Duration::from_secs(1));
    let effects = press(&mut model, Command::Show(Screen::Counters), 2.0);
    count(&mut model, effects);
    let effects = press(&mut model, Command::NextVariant, 2.0);
    count(&mut model, effects);
    let row = profile::rows(&model).iter().position(|row| row.name == "divergent branches");
    press(&mut model, Command::Row(row.unwrap()), 3.0);
    go(&mut model, Command::Why);
    assert_eq!((model.screen, &model.overlay), (Screen::Step, &None));
    let (recorded, at) = crate::tui::screens::step::update::current(&model).unwrap();
    let trace = recorded.trace();
    assert!(trace.steps()[at].marks.has(Marks::DIVERGES));
    assert_eq!(trace.find(0, |_, it| it.marks.has(Marks::DIVERGES)), Some(at));
    drop(trace);
    let line = model.step.line().unwrap();
    // In the source: on that line the same step; on another the box that explains.
    press(&mut model, Command::Show(Screen::Source), 4.0);
    press(&mut model, Command::Row(line as usize - 1), 4.0);
    go(&mut model, Command::Why);
    assert_eq!((model.screen, step(&model)), (Screen::Step, at));
    press(&mut model, Command::Show(Screen::Source), 4.0);
    press(&mut model, Command::First, 4.0);
    press(&mut model, Command::Why, 4.0);
    assert_eq!(model.screen, Screen::Source);
    assert!(model.overlay.is_some());
}

#[test]
fn a_recording_tells_its_progress_and_esc_ends_it() {
    let mut model = model(PLAIN);
    update(&mut model, Action::Cross(4096.0), Duration::from_secs(1));
    let effects = press(&mut model, Command::Show(Screen::Step), 2.0);
    let id = effects.iter().find_map(|effect| match effect {
        Effect::Record { id, .. } => Some(*id),
        _ => None,
    });
    let done = Done { launches: 1, blocks: 3, of: 8, instructions: 5 };
    update(&mut model, Action::Recording { id: id.unwrap(), done }, Duration::from_secs(3));
    let shown = text(&model, 120, 40);
    assert!(shown.contains("recording block 0 at n = 2¹² … 1.0 s (Esc cancels)"), "{shown}");
    assert!(shown.contains("3 of 8 blocks"), "{shown}");
    let effects = press(&mut model, Command::Cancel, 3.0);
    assert!(effects.contains(&Effect::StopRecording));
    assert!(text(&model, 80, 24).contains("cancelled: press Enter to record"));
    // What comes of it later changes nothing.
    let action = Action::Recorded { id: id.unwrap(), result: Err("late".to_owned()) };
    update(&mut model, action, Duration::from_secs(3));
    assert!(!text(&model, 80, 24).contains("late"));
    go(&mut model, Command::Enter);
    assert!(text(&model, 80, 24).contains("warp 0 of 4"));
    // Leaving the screen ends a recording too.
    let effects = press(&mut model, Command::NextBlock, 5.0);
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Record { .. })));
    let effects = press(&mut model, Command::Show(Screen::Sweep), 5.0);
    assert!(effects.contains(&Effect::StopRecording));
}
