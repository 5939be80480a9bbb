//! Outputs and maps as pictures.

#![allow(clippy::unwrap_used)]

use super::super::tests::{assert_legible, decode, figure, texts};
use super::super::*;
use crate::algorithms;
use crate::experiment::{Case, Distribution, ParamValue};
use crate::figure::ladder::{Ladder, Mark, Rung};
use crate::figure::output::{self, Origin, Output};
use crate::figure::tune::{Cell, Tune};
use crate::figure::{Axis, Kernels, Phase, PhaseKind, Scale, Time, Unit, roofline};
use crate::results::record::{
    CaseProfile, Ceilings, DeviceRecord, KernelProfile, Provenance, Record, Summary,
};

/// The output of every algorithm, as its reference computes it, with phases.
fn outputs() -> Vec<Output> {
    algorithms::ALL
        .iter()
        .filter_map(|algorithm| {
            let case = Case {
                algorithm: algorithm.name().to_owned(),
                variant: algorithm.variants()[0].name.to_owned(),
                block: 128,
                coarsen: 1,
                n: 3000.min(algorithm.size().most).min(4 * algorithm.defaults().sizes.0),
                params: algorithm
                    .params()
                    .iter()
                    .map(|param| (param.name.to_owned(), param.default()))
                    .collect(),
                dist: Distribution::Uniform,
                seed: 7,
            };
            let view = output::reference(&case)?;
            let mut shown = Output::of(view, &case, Origin::Reference, None);
            shown.phases = [
                ("count", PhaseKind::Kernel, 4e-6),
                ("sums to the host", PhaseKind::Copy, 1e-5),
                ("final", PhaseKind::Host, 2e-6),
            ]
            .map(|(name, kind, seconds)| Phase { name: name.into(), kind, seconds })
            .into();
            Some(shown)
        })
        .collect()
}

/// A case at a block size and coarsening.
fn record(block: u32, coarsen: u32, median: f64) -> Record {
    let case = Case {
        algorithm: "histogram".to_owned(),
        variant: "shared".to_owned(),
        block,
        coarsen,
        n: 1 << 20,
        params: [("bins".to_owned(), ParamValue::Int(8))].into(),
        dist: Distribution::Uniform,
        seed: 7,
    };
    let device = DeviceRecord { name: "NVIDIA H200".to_owned(), driver: None, id: String::new() };
    let mut record = Record::new(&case, device, "cuda", Provenance::Recorded);
    record.verified = Some(true);
    record.seconds =
        Some(Summary { median, q1: None, q3: None, samples: Box::default(), taken: Some(50) });
    record
}

/// A map of so many blocks and coarsenings; one cell is skipped, one wrong.
fn map(blocks: u32, coarsenings: u32) -> Tune {
    let mut records: Vec<Record> = (0..blocks)
        .flat_map(|block| (0..coarsenings).map(move |coarsen| (32 << block, 1 << coarsen)))
        .map(|(block, coarsen): (u32, u32)| {
            let apart = f64::from(block.abs_diff(256)) / 64.0 + f64::from(coarsen);
            record(block, coarsen, 1e-5 * (1.0 + apart))
        })
        .collect();
    if let [_, skipped, wrong, ..] = &mut records[..] {
        skipped.skip = Some("too many registers".into());
        skipped.seconds = None;
        wrong.verified = Some(false);
    }
    Tune::of(&records, Time::Kernels).unwrap()
}

/// Two cases of two kernels each under the roofs of floats and integers.
fn kernels() -> Kernels {
    let gpu = Ceilings {
        name: "Some GPU".to_owned(),
        multiprocessors: 100,
        dram: 4e12,
        float: 60e12,
        integer: 30e12,
    };
    let kernel = |phase: &str, float, integer, dram_bytes| KernelProfile {
        phase: phase.to_owned(),
        seconds: 1e-3,
        float_operations: float,
        integer_operations: integer,
        dram_bytes,
        ..KernelProfile::default()
    };
    let near = kernel("count", 0, 500_000_000, 3e9);
    let far = kernel("multiply", 40_000_000_000, 1_000, 2e8);
    let none = kernel("merge", 0, 9, 0.0);
    let first = CaseProfile { gpu: gpu.clone(), kernels: vec![near.clone(), none] };
    let second = CaseProfile { gpu, kernels: vec![far, near] };
    let sides = [("global", &first), ("shared", &second)]
        .map(|(label, profile)| roofline::Side { label, profile });
    let [a, b] = [record(128, 4, 1e-5), record(128, 4, 1e-6)];
    Kernels::of(roofline::build(&sides).unwrap(), &[&a, &b])
}

#[test]
fn a_roofline_names_its_roofs_and_what_has_no_place() {
    for size in ["480x320", "800x500", "1600x1000", "slide", "column"] {
        assert_legible(&kernels().into(), size.parse().unwrap());
    }
    let scene = layout::lay_out(&kernels().into(), Size::default());
    let words: Vec<&str> = texts(&scene).iter().map(|text| text.words.as_str()).collect();
    let all = words.join(" ");
    for part in
        ["float 60.0 Tops/s", "integer 30.0 Tops/s", "DRAM 4.00 TB/s", "not shown: global: merge"]
    {
        assert!(all.contains(part), "{part}: {words:#?}");
    }
    assert!(all.contains("1 global: count: ") && all.contains("1 shared: multiply: "), "{all}");
}

/// A ladder of `count` variants. Each takes four fifths of the time of the one before.
fn ladder(count: usize) -> Ladder {
    let rung = |at: usize| {
        let seconds = 2e-3 * 0.8f64.powi(at as i32);
        Rung {
            variant: format!("variant-with-a-long-name-{at}"),
            short: format!("variant-{at}"),
            idea: "an idea that takes all its letters".to_owned(),
            rank: at,
            block: 1024,
            coarsen: 16,
            seconds,
            rate: 1e9 / seconds,
        }
    };
    let rungs: Vec<Rung> = (0..count).map(rung).collect();
    let end = rungs.last().unwrap().rate / 0.95;
    let mark =
        |label: &str, share: f64, limit| Mark { label: label.to_owned(), rate: share * end, limit };
    let unit = Unit::BytesPerSecond;
    Ladder {
        title: "scan: ladder at n = 2^28".to_owned(),
        subtitle: "kernel time of the fastest setting · seed 7 · NVIDIA H200".to_owned(),
        caption: "recorded · NVIDIA H200; CUB: recorded · NVIDIA H200".to_owned(),
        source: "recorded · NVIDIA H200".to_owned(),
        command: "warpscope sweep scan -o scan.jsonl".to_owned(),
        x: Axis { label: "bandwidth".to_owned(), scale: Scale::Linear, unit },
        end,
        end_label: "DRAM copy rate 4.25 TB/s".to_owned(),
        rungs,
        marks: vec![mark("CUB 695 µs", 0.73, false), mark("FP32 peak 66.9 TFLOP/s", 0.8, true)],
    }
}

#[test]
fn a_ladder_has_every_rung_that_is_legible_and_says_how_many_are_not() {
    for size in ["480x320", "800x500", "1600x1000", "slide", "column"] {
        for count in [1, 2, 7, 20] {
            assert_legible(&ladder(count).into(), size.parse().unwrap());
        }
    }
    let words = |size: Size| {
        let scene = layout::lay_out(&ladder(20).into(), size);
        texts(&scene).iter().map(|text| text.words.clone()).collect::<Vec<_>>().join(" | ")
    };
    let large = words(Size::default());
    assert!(large.contains("-name-19 1024 ×16") && large.contains("×1.25: an idea"), "{large}");
    assert!(large.contains("CUB 695 µs") && large.contains("95 %"), "{large}");
    let small = words("480x320".parse().unwrap());
    assert!(small.contains("between left out") && small.contains("name-19 "), "{small}");
    assert!(small.contains("name-0 ") && !small.contains("name-1 "), "{small}");
}

#[test]
fn every_algorithm_has_a_picture_of_its_output_that_is_legible() {
    let outputs = outputs();
    let kinds: std::collections::BTreeSet<&str> =
        outputs.iter().map(|output| output.view.name()).collect();
    assert_eq!(kinds.len(), 7, "every kind of view: {kinds:?}");
    for size in ["480x320", "800x500", "1600x1000", "640x1400", "slide", "column"] {
        for output in &outputs {
            assert_legible(&output.clone().into(), size.parse().unwrap());
        }
    }
}

#[test]
fn a_picture_of_an_output_names_its_axes_and_phases() {
    for output in outputs() {
        let scene = layout::lay_out(&output.clone().into(), Size::default());
        let words: Vec<&str> = texts(&scene).iter().map(|text| text.words.as_str()).collect();
        for phase in ["count · GPU", "sums to the host · copy", "final · CPU", "10.0 µs"] {
            assert!(words.contains(&phase), "{phase} is missing from {words:?}");
        }
        let foot = words.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(foot.contains("CPU reference") && foot.contains("warpscope sweep"), "{foot}");
        assert!(scene.shapes.len() > 12, "{}: {} shapes", output.title, scene.shapes.len());
    }
}

#[test]
fn shapes_stay_on_the_paper() {
    let all = outputs().into_iter().map(Picture::from).chain([map(6, 5).into(), kernels().into()]);
    for picture in all {
        let size: Size = "800x500".parse().unwrap();
        let scene = layout::lay_out(&picture, size);
        let places = scene.shapes.iter().flat_map(|shape| match shape {
            scene::Shape::Line { places, .. } | scene::Shape::Area { places, .. } => &places[..],
            scene::Shape::Text(_) => &[],
        });
        for (x, y) in places {
            assert!((-0.5..=800.5).contains(x) && (-0.5..=500.5).contains(y), "{x} {y}");
        }
    }
}

#[test]
fn a_map_says_every_time_and_which_is_best() {
    assert_legible(&map(2, 1).into(), Size::default());
    let map = map(6, 5);
    assert_eq!((map.blocks.len(), map.coarsenings.len(), map.ranking.len()), (6, 5, 28));
    assert_eq!(map.best(), Some((256, 1)));
    assert_eq!(map.cells.values().filter(|cell| **cell == Cell::Skipped).count(), 1);
    assert!((map.shade(map.ranking[0].1) - 1.0).abs() < 1e-9);
    assert!(map.shade(map.ranking[27].1).abs() < 1e-9);
    assert!(
        map.caption.contains("best: block 256 ×1") && map.caption.contains("1 skipped, 1 WRONG")
    );
    for size in ["480x320", "1600x1000", "640x1400", "slide", "column"] {
        assert_legible(&map.clone().into(), size.parse().unwrap());
    }
    let scene = layout::lay_out(&map.clone().into(), Size::default());
    let words: Vec<&str> = texts(&scene).iter().map(|text| text.words.as_str()).collect();
    let times = words.iter().filter(|word| word.ends_with(" µs") || word.ends_with(" ms"));
    assert_eq!(times.count(), 30, "28 cells, and both ends of the shades");
    assert!(words.contains(&"wrong") && words.contains(&"skipped"));
}

#[test]
fn a_dark_picture_is_dark_and_differs_in_nothing_else() {
    let picture: Picture = map(4, 3).into();
    let size = "800x500".parse().unwrap();
    let [light, dark] = Style::ALL.map(|style| decode(&png(&picture, size, style).unwrap()).2);
    assert_eq!((light[0], dark[0]), ([255; 3], [20, 23, 28]));
    let [light, dark] = Style::ALL.map(|style| svg(&picture, size, style).unwrap());
    assert_eq!(light.lines().count(), dark.lines().count());
}

#[test]
fn every_colour_of_an_element_is_a_shade_or_has_a_dark_one() {
    let rules = dark_rules("svg.chart");
    let mut pictures: Vec<Picture> = outputs().into_iter().map(Picture::from).collect();
    pictures.extend([map(6, 5).into(), figure(12).into(), kernels().into()]);
    for picture in pictures {
        let text = element(&picture, Size::default(), "it").unwrap();
        for part in text.split(['<', ' ']).filter(|part| part.contains("=\"#")) {
            let attribute = &part[..=part.rfind('"').unwrap()];
            let kept = (0..palette::SHADES).flat_map(|level| {
                [scene::Ink::Shade(level), scene::Ink::OnShade(level)]
                    .map(|ink| palette::color(ink, Style::Light))
            });
            let hex = |(r, g, b): palette::Rgb| format!("#{r:02X}{g:02X}{b:02X}");
            let named = kept.map(hex).any(|hex| part.contains(&hex));
            let known = rules.contains(&format!("[{attribute}]"));
            assert!(named || known, "{part}");
        }
    }
}

#[test]
fn words_for_those_who_do_not_see_it_are_in_the_file() {
    let text = svg(&map(2, 2).into(), Size::default(), Style::Light).unwrap();
    assert!(text.contains("<title>histogram: kernel time by block size and coarsening"));
    assert!(text.contains("block 32 coarsening 1: "), "{text}");
}

#[test]
fn the_font_has_every_letter_of_a_picture() {
    use ab_glyph::{Font, FontRef};
    let font = FontRef::try_from_slice(text::FONT).unwrap();
    let mut pictures: Vec<Picture> = outputs().into_iter().map(Picture::from).collect();
    pictures.extend([map(6, 5).into(), figure(40).into(), kernels().into()]);
    for picture in pictures {
        let scene = layout::lay_out(&picture, Size::default());
        for letter in texts(&scene).iter().flat_map(|text| text.words.chars()) {
            assert!(font.glyph_id(letter).0 != 0, "`{letter}` of {}", picture.words().title);
        }
    }
}
