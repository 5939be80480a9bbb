//! Every kind of output on the screen: at every size, without colour, in ASCII.

#![allow(clippy::unwrap_used)]

use std::time::Duration;

use proptest::prelude::*;

use crate::results::record::Flag;
use crate::tui::app::action::{Action, Command};
use crate::tui::app::effect::{Effect, preview};
use crate::tui::app::model::{Look, Model, Origin, Panel, Screen, ShownOutput};
use crate::tui::app::update::update;
use crate::tui::app::view::tests::{SIZES, screen, text};
use crate::tui::fixture::{PLAIN, case, press};
use crate::tui::theme::Name;
use crate::tui::{Start, fixture};
use crate::work::view::scatter::Dominant;
use crate::work::{Bars, BeforeAfter, Curve, Heat, Partitions, Scatter, View};

/// Values that look random and are the same everywhere.
fn noise(index: u64) -> f64 {
    let mixed = (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) as f64 / u64::MAX as f64
}

/// One output of every kind.
fn outputs() -> Vec<View> {
    let sums = (0..64u32).map(|block| 1000.0 + 900.0 * noise(block.into()));
    let sums = Bars::of("partial sum of a block", sums).with_result("sum 91 234");
    let mut sum = 0.0;
    let prefix: Vec<f64> = (0..4096)
        .map(|index| {
            sum += 20.0 * noise(index);
            sum
        })
        .collect();
    let offsets: Vec<f64> = (0..8).map(|block| prefix[(block * 512usize).max(1) - 1]).collect();
    let curve = Curve::of("inclusive prefix sum", prefix).with_blocks(512, offsets);
    let wave = (0..96 * 96).map(|index| {
        let (row, column) = (f64::from(index / 96), f64::from(index % 96));
        (row / 12.0).sin() * (column / 9.0).cos() * 3.0
    });
    let heat = Heat::of("C = A B", 96, 96, wave);
    let mut keys: Vec<u64> = (0..4096).map(|index| (noise(index).powi(2) * 8.0) as u64).collect();
    keys.sort_unstable();
    let partitions = Partitions::of(8, keys);
    let before: Vec<f64> = (0..4096).map(|index| (noise(index) * 1e6).round()).collect();
    let mut after = before.clone();
    after.sort_by(f64::total_cmp);
    let view = BeforeAfter::of(before, after).with_levels([32, 16, 8, 4, 2, 1]);
    vec![
        View::Bins(fixture::bins(1 << 16)),
        View::Bars(sums),
        View::Curve(curve),
        View::Heat(heat),
        View::Partitions(partitions),
        View::BeforeAfter(view),
        View::Scatter(lattice()),
    ]
}

/// A hexagonal lattice with weaker peaks between.
fn lattice() -> Scatter {
    let (v, w) = ((32.0, 0.0), (16.0, 27.7));
    let (mut nodes, mut others) = (Vec::new(), Vec::new());
    for (a, b) in (-8..=8).flat_map(|a| (-8..=8).map(move |b| (f64::from(a), f64::from(b)))) {
        let (x, y) = (128.0 + a * v.0 + b * w.0, 96.0 + a * v.1 + b * w.1);
        if (0.0..256.0).contains(&x) && (0.0..192.0).contains(&y) {
            nodes.push((x as u32, y as u32));
            let shift = 6.0 + 4.0 * noise((x * 300.0 + y) as u64);
            others.push(((x + shift).min(255.0) as u32, (y + shift).min(191.0) as u32));
        }
    }
    let squared = |x: u32, y: u32| {
        let (x, y) = (i64::from(x) - 128, i64::from(y) - 96);
        (x * x + y * y) as u64
    };
    nodes.sort_by_key(|&(x, y)| squared(x, y));
    let dominant = nodes.iter().take(7).map(|&(x, y)| Dominant {
        x,
        y,
        distance2: Some(squared(x, y)).filter(|square| *square > 0),
    });
    let dominant: Vec<Dominant> = dominant.collect();
    nodes.extend(others);
    Scatter::of(256, 192, nodes).with_dominant(dominant).with_lattice((128.0, 96.0), [v, w])
}

/// The screen with this output.
fn showing(view: View, origin: Origin, look: Look) -> Model {
    let mut model = fixture::model(look);
    let shown = ShownOutput { view, case: case("global", 1 << 16), origin, phases: vec![] };
    update(&mut model, Action::Preview(Box::new(shown)), Duration::from_millis(5));
    model
}

#[test]
fn a_pipeline_shows_its_phases_as_bars() {
    use crate::results::record::Phase;
    use crate::work::PhaseKind;
    let phase = |name: &str, kind, seconds| Phase { name: name.into(), kind, seconds };
    for (width, height) in [(80, 24), (120, 40)] {
        let mut model = showing(outputs().swap_remove(1), Origin::Verified, PLAIN);
        model.output.as_mut().unwrap().phases = vec![
            phase("sum blocks", PhaseKind::Kernel, 12.4e-6),
            phase("final: to the host", PhaseKind::Copy, 4.1e-6),
            phase("final", PhaseKind::Host, 90e-9),
            phase("final: to the GPU", PhaseKind::Copy, 2e-6),
        ];
        press(&mut model, Command::Show(Screen::Output), 1.0);
        insta::assert_snapshot!(format!("phases_{width}x{height}"), panel(&model, width, height));
    }
}

/// The output's panel as text.
fn panel(model: &Model, width: u16, height: u16) -> String {
    let screen = text(model, width, height);
    let lines: Vec<Vec<char>> = screen.lines().map(|line| line.chars().collect()).collect();
    let name = model.output.as_ref().unwrap().view.name();
    let corners = ['╭', '+'];
    let (top, left) = lines
        .iter()
        .enumerate()
        .find_map(|(row, line)| {
            let titled = |words: String| [name, "expected "].iter().any(|it| words.starts_with(it));
            let starts = |at: &usize| {
                corners.contains(&line[*at]) && titled(line.iter().skip(at + 2).collect())
            };
            (0..line.len()).find(starts).map(|column| (row, column))
        })
        .unwrap_or_else(|| panic!("no panel on\n{screen}"));
    let ends = |c: &char| ['╮', '+'].contains(c);
    let right = left + 1 + lines[top][left + 1..].iter().position(ends).unwrap();
    let mut panel = String::new();
    for (index, line) in lines[top..].iter().enumerate() {
        panel.extend(line[left..=right].iter());
        panel.push('\n');
        if index > 0 && ['╰', '+'].contains(&line[left]) {
            break;
        }
    }
    panel
}

#[test]
fn every_kind_in_a_small_and_a_larger_panel() {
    for view in outputs() {
        let name = view.name().replace([' ', '/'], "_");
        for (width, height) in [(80, 24), (120, 40)] {
            let model = showing(view.clone(), Origin::Reference, PLAIN);
            insta::assert_snapshot!(
                format!("{name}_{width}x{height}"),
                panel(&model, width, height)
            );
        }
    }
}

#[test]
fn the_output_screen_shows_every_kind_at_its_largest() {
    for view in outputs() {
        let name = view.name().replace([' ', '/'], "_");
        let mut model = showing(view, Origin::Verified, PLAIN);
        press(&mut model, Command::Show(Screen::Output), 1.0);
        insta::assert_snapshot!(format!("page_{name}_120x40"), text(&model, 120, 40));
        if name == "bins" {
            insta::assert_snapshot!("page_bins_80x24", text(&model, 80, 24));
        }
    }
}

#[test]
fn every_algorithm_opens_on_an_output_that_fills_its_panel() {
    for algorithm in crate::algorithms::ALL {
        let start =
            Start { experiment: crate::algorithms::opening(*algorithm), ..Start::default() };
        let mut model = Model::new(&Start { read_only: true, ..start }, PLAIN);
        let effects = crate::tui::app::update::start(&model);
        let [Effect::Preview(case)] = &effects[..] else { panic!("{effects:?}") };
        let shown = preview(case).unwrap_or_else(|| panic!("no view of {case}"));
        update(&mut model, Action::Preview(Box::new(shown)), Duration::ZERO);
        for shown_on in [Screen::Sweep, Screen::Output] {
            press(&mut model, Command::Show(shown_on), 1.0);
            let empty = Model { output: None, ..model.clone() };
            for (width, height) in SIZES {
                let [(drawn, _), (without, _)] =
                    [&model, &empty].map(|model| screen(model, width, height));
                let cells = drawn.content.iter().zip(&without.content);
                let changed = cells.filter(|(a, b)| a.symbol() != b.symbol()).count();
                // At its smallest the panel has three rows of 23 cells.
                assert!(changed > 40, "{} at {width}x{height}: {changed}", algorithm.name());
            }
        }
    }
}

#[test]
fn keys_of_the_chart_say_where_it_is() {
    let mut model = showing(outputs().remove(0), Origin::Reference, PLAIN);
    press(&mut model, Command::NextPanel, 1.0);
    assert_eq!(model.panel, Panel::Chart);
    press(&mut model, Command::Show(Screen::Output), 1.0);
    assert_eq!(model.panel, Panel::Form, "there is no chart on the Output screen");
    let choice = model.chart.choice;
    for command in [Command::NextPanel, Command::YAxis, Command::ZoomIn] {
        press(&mut model, command, 1.0);
        assert!(model.notice.as_ref().unwrap().text.contains("press 1"));
    }
    assert_eq!((model.panel, model.chart.choice), (Panel::Form, choice));
}

#[test]
fn without_colour_shades_are_characters() {
    for view in outputs() {
        let look = Look { colour: false, ..PLAIN };
        let [plain, coloured] = [look, PLAIN]
            .map(|look| panel(&showing(view.clone(), Origin::Reference, look), 120, 40));
        let name = view.name().replace([' ', '/'], "_");
        if matches!(view, View::Heat(_) | View::Partitions(_)) {
            insta::assert_snapshot!(format!("{name}_no_color"), plain);
        } else {
            assert_eq!(plain, coloured, "{name}");
        }
    }
}

#[test]
fn in_ascii_every_symbol_has_a_replacement() {
    for view in outputs() {
        for colour in [true, false] {
            let look = Look { ascii: true, colour, ..PLAIN };
            let model = showing(view.clone(), Origin::Verified, look);
            for (width, height) in SIZES {
                let text = text(&model, width, height);
                assert!(text.is_ascii(), "{text}");
                // The status line has the only question marks: the keys.
                let marks = text.matches('?').count();
                assert_eq!(marks, 2, "{text}");
            }
        }
    }
}

#[test]
fn every_theme_draws_the_same_text() {
    for view in outputs() {
        let in_theme = |theme| {
            text(&showing(view.clone(), Origin::Reference, Look { theme, ..PLAIN }), 120, 40)
        };
        assert_eq!(in_theme(Name::Light), in_theme(Name::Dark));
        assert_eq!(in_theme(Name::HighContrast), in_theme(Name::Dark));
    }
}

#[test]
fn a_heat_map_has_a_value_in_either_half_of_a_cell() {
    let view = View::Heat(Heat::of("C", 2, 1, [0.0, 1.0]));
    let (buffer, _) = screen(&showing(view, Origin::Reference, PLAIN), 80, 24);
    let theme = crate::tui::theme::Theme::new(Name::Dark, true);
    let [low, high] = [0.0, 1.0].map(|shade| theme.shade(shade).0);
    let half = |fg, bg| {
        buffer.content.iter().any(|cell| cell.symbol() == "▀" && (cell.fg, cell.bg) == (fg, bg))
    };
    // Two rows of cells: a value fills one of them.
    assert!(half(low, low) && half(high, high));
    assert!(!half(high, low));
}

#[test]
fn the_title_says_what_an_output_is_worth() {
    for (origin, long, short) in [
        (Origin::Reference, "no run yet", "CPU"),
        (Origin::Verified, "verified", "✓"),
        (Origin::Wrong, "WRONG", "✗"),
        (Origin::Unchecked, "not checked", "?"),
    ] {
        for view in outputs() {
            let model = showing(view, origin, PLAIN);
            let first =
                |width, height| panel(&model, width, height).lines().next().unwrap().to_owned();
            assert!(first(120, 40).contains(long), "{}", first(120, 40));
            assert!(first(80, 24).contains(short), "{}", first(80, 24));
        }
    }
}

/// Any output, also of a kernel gone wrong.
fn any_output() -> impl Strategy<Value = View> {
    let value = prop_oneof![4 => -1e3f64..1e3, 1 => any::<f64>(), 1 => Just(f64::NAN)];
    let values = prop::collection::vec(value, 0..300);
    (values, 0usize..7, 0u64..70, any::<bool>()).prop_map(|(values, kind, size, odd)| {
        let count = values.len() as u64;
        let wholes = values.iter().map(|value| value.abs() as u64).collect::<Vec<_>>();
        let pairs: Vec<(u32, u32)> =
            wholes.chunks_exact(2).map(|pair| (pair[0] as u32, pair[1] as u32)).collect();
        match kind {
            0 => View::Bins(crate::work::Bins::of(wholes)),
            1 => View::Bars(Bars::of("sum", values)),
            2 => View::Curve(Curve::of("sum", values.clone()).with_blocks(size, values)),
            3 => View::Heat(Heat::of("C", size, count / size.max(1), values)),
            4 => View::Partitions(Partitions::of(size, wholes)),
            5 => View::BeforeAfter(BeforeAfter::of(
                values.clone(),
                if odd { values } else { Vec::new() },
            )),
            _ => {
                let dominant = pairs.iter().map(|&(x, y)| Dominant { x, y, distance2: None });
                let vectors = values.chunks_exact(2).map(|pair| (pair[0], pair[1]));
                let scatter = Scatter::of(size, count, pairs.iter().copied());
                let origin = values.first().map_or((0.0, 0.0), |value| (*value, 1.0));
                View::Scatter(scatter.with_dominant(dominant).with_lattice(origin, vectors))
            }
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// Whatever an output holds, it is drawn without a panic, in its panel.
    #[test]
    fn any_output_can_be_drawn(
        view in any_output(), (width, height) in (80u16..210, 24u16..70), ascii: bool, colour: bool,
    ) {
        let look = Look { colour, ascii, ..PLAIN };
        let model = showing(view, Origin::Wrong, look);
        let empty = Model { output: None, ..model.clone() };
        let [(drawn, _), (without, _)] =
            [&model, &empty].map(|model| screen(model, width, height));
        // What an output changes on the screen lies within its panel: below the
        // form, or from the chart on to the right.
        for row in 0..height {
            for column in 0..width {
                let same = drawn[(column, row)] == without[(column, row)];
                let beside = if height < 32 { column < 34 } else { column >= 27 };
                prop_assert!(same || (beside && row > 12), "{} {}", column, row);
            }
        }
    }
}

#[test]
fn a_sample_says_why_it_has_no_output() {
    let mut model = fixture::model(PLAIN);
    fixture::run(&mut model, 6);
    model.screen = Screen::Output;
    model.output = None;
    assert!(!text(&model, 80, 24).contains("sample"));
    for live in &mut model.results {
        live.record.flags.push(Flag::Sampled);
    }
    for (width, height) in SIZES {
        let shown = text(&model, width, height);
        assert!(width < 80 || shown.contains("only a sample of the blocks ran"), "{shown}");
    }
}
