#![allow(clippy::unwrap_used)]

use std::io::Cursor;

use proptest::prelude::*;

use super::scene::{Ink, Scene, Shape, Text};
use super::*;
use crate::figure::pen::{Pen, Stroke};
use crate::figure::{Axis, Figure, Point, Provenance, Scale, Series, Unit};

/// A figure of `count` curves, each flatter than the one before, with bands.
pub(super) fn figure(count: usize) -> Figure {
    let series = (0..count)
        .map(|index| {
            let points = (10..=24).map(|power| {
                let x = f64::from(1 << power);
                let y = 2e-6 + x * 1e-10 / (1.0 + index as f64 * 3.0);
                Point { x, y, band: Some((y * 0.85, y * 1.2)), record: 0 }
            });
            let block = 32 << (index / 2 % 6);
            let coarsen = if index < 12 { 4 } else { index };
            let label = if count < 3 {
                ["global", "shared"][index % 2].to_owned()
            } else {
                format!("{} · {block} · x{coarsen}", ["global", "shared"][index % 2])
            };
            Series {
                brief: label.clone(),
                label,
                provenance_label: "modelled · H200 SXM · unvalidated".to_owned(),
                provenance: if index == 1 { Provenance::Measured } else { Provenance::Modelled },
                pen: Pen {
                    stroke: if index == 1 { Stroke::Solid } else { Stroke::Dashed },
                    ..Pen::of_variant(index)
                },
                points: points.collect(),
            }
        })
        .collect();
    Figure {
        title: "histogram: kernel time by input size".to_owned(),
        subtitle: "block 128 · coarsening 4 · binning modulo · bins 8 · input uniform · seed 7 · H200 SXM"
            .to_owned(),
        x: Axis {
            label: "input size n (elements)".to_owned(),
            scale: Scale::Log2,
            unit: Unit::Elements,
        },
        y: Axis {
            label: "modelled kernel time (median)".to_owned(),
            scale: Scale::Log10,
            unit: Unit::Seconds,
        },
        series,
        caption: "modelled · H200 SXM · unvalidated".to_owned(),
        command: "warpscope sweep histogram --variant global,shared --block 128 --coarsen 4 -n 2^10..2^24 --bins 8 --backend emulator --gpu \"H200 SXM\" -o histogram.jsonl".to_owned(),
    }
}

/// As [`figure`], with curves that differ in provenance too.
fn mixed(count: usize) -> Figure {
    let mut figure = figure(count);
    for (index, series) in figure.series.iter_mut().enumerate() {
        if index % 2 == 0 {
            series.provenance = Provenance::Recorded;
            series.provenance_label = "recorded · NVIDIA H200".to_owned();
            series.label.push_str(" · recorded · NVIDIA H200");
        } else {
            series.label.push_str(" · modelled · H200 SXM");
        }
    }
    figure.caption = "mixes modelled and recorded numbers; modelled · H200 SXM · unvalidated; recorded · NVIDIA H200 · driver 580.159".to_owned();
    figure.command = format!("{0}\n{0}", figure.command);
    figure
}

pub(super) fn texts(scene: &scene::Scene) -> Vec<&Text> {
    scene
        .shapes
        .iter()
        .filter_map(|shape| match shape {
            Shape::Text(text) => Some(text),
            _ => None,
        })
        .collect()
}

/// Whether the words of a scene lie inside it and apart from each other.
pub(super) fn assert_legible(picture: &Picture, size: Size) {
    let scene = layout::lay_out(picture, size);
    let texts = texts(&scene);
    for (index, text) in texts.iter().enumerate() {
        let (left, top, right, bottom) = text.bounds();
        assert!(
            left >= 0.0
                && top >= 0.0
                && right <= f64::from(size.width())
                && bottom <= f64::from(size.height()),
            "`{}` leaves the picture of {size}",
            text.words
        );
        for other in &texts[index + 1..] {
            let (other_left, other_top, other_right, other_bottom) = other.bounds();
            let apart = right <= other_left
                || other_right <= left
                || bottom <= other_top
                || other_bottom <= top;
            assert!(apart, "`{}` and `{}` overlap in {size}", text.words, other.words);
        }
    }
}

#[test]
fn no_words_overlap_whatever_the_size_and_number_of_curves() {
    for size in ["480x320", "800x500", "1600x1000", "640x1400", "3000x700", "3840x2160"] {
        let size = size.parse().unwrap();
        for count in [0, 1, 2, 3, 7, 12, 108] {
            assert_legible(&figure(count).into(), size);
            assert_legible(&mixed(count).into(), size);
        }
    }
}

#[test]
fn curves_and_legend_keep_apart() {
    for size in ["800x500", "1600x1000"] {
        for count in [1, 2, 12, 40] {
            let mut figure = figure(count);
            // A dashed curve is many lines.
            figure.series.iter_mut().for_each(|series| series.pen.stroke = Stroke::Solid);
            let scene = layout::lay_out(&figure.clone().into(), size.parse().unwrap());
            let curves: Vec<_> = scene
                .shapes
                .iter()
                .filter_map(|shape| match shape {
                    Shape::Line { places, .. } if places.len() > 3 => Some(places),
                    _ => None,
                })
                .collect();
            assert_eq!(curves.len(), count);
            for text in texts(&scene) {
                let (left, top, right, bottom) = text.bounds();
                for (x, y) in curves.iter().copied().flatten() {
                    let inside = (left..right).contains(x) && (top..bottom).contains(y);
                    assert!(!inside, "a curve runs through `{}`", text.words);
                }
            }
        }
    }
}

#[test]
fn pipelines_can_be_told_apart_in_a_full_legend() {
    let mut figure = figure(16);
    let variants = crate::algorithms::find("radix-partition").unwrap().variants();
    for (series, variant) in figure.series.iter_mut().zip(variants) {
        (series.label, series.brief) = (variant.name.to_owned(), variant.short.to_owned());
    }
    let scene = layout::lay_out(&figure.clone().into(), Size::default());
    let words: Vec<&str> = texts(&scene).iter().map(|text| text.words.as_str()).collect();
    for series in &figure.series {
        assert!(words.contains(&series.brief.as_str()), "{}: {words:#?}", series.brief);
    }
}

#[test]
fn the_words_of_a_figure_are_all_there() {
    let figure = figure(2);
    let scene = layout::lay_out(&figure.clone().into(), Size::default());
    let words: Vec<&str> = texts(&scene).iter().map(|text| text.words.as_str()).collect();
    for part in [
        figure.title.as_str(),
        "modelled kernel time (median)",
        "input size n (elements)",
        "global",
        "shared",
        "modelled · H200 SXM · unvalidated",
        "2¹⁰",
        "10 µs",
    ] {
        assert!(words.contains(&part), "{part} is missing from {words:?}");
    }
    assert!(words.iter().any(|words| words.starts_with("warpscope sweep histogram")));
}

/// Height of the frame of the chart over the height of the picture.
fn plot_share(figure: &Figure, size: &str) -> f64 {
    let size: Size = size.parse().unwrap();
    share_of(&layout::lay_out(&figure.clone().into(), size))
}

/// The same of a scene.
fn share_of(scene: &Scene) -> f64 {
    let heights = scene.shapes.iter().filter_map(|shape| match shape {
        Shape::Line { places, ink: Ink::Frame, .. } => {
            let ys = places.iter().map(|(_, y)| *y);
            Some(ys.clone().fold(0.0, f64::max) - ys.fold(f64::INFINITY, f64::min))
        }
        _ => None,
    });
    heights.fold(0.0, f64::max) / f64::from(scene.height)
}

#[test]
fn a_phone_shows_letters_of_twelve_pixels_and_curves_as_large_as_it_can() {
    // What a page on a screen of 360 pixels leaves to a picture of this width.
    let shown = 326.0 / f64::from(Size::phone().width());
    for picture in
        [figure(0), figure(1), figure(2), figure(6), mixed(2), mixed(4), mixed(7), figure(40)]
            .map(Picture::from)
    {
        assert_legible(&picture, Size::phone());
        let scene = layout::lay_out(&picture, Size::phone());
        assert!(texts(&scene).iter().all(|text| text.size * shown >= 12.0));
    }
    let words = |figure: Figure| {
        let scene = layout::lay_out(&figure.into(), Size::phone());
        let all: Vec<String> = texts(&scene).iter().map(|text| text.words.clone()).collect();
        all.join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let all = words(mixed(4));
    for series in &mixed(4).series {
        assert!(all.contains(&series.brief), "{}: {all}", series.brief);
    }
    assert!(words(mixed(7)).contains("… and 4 more"), "{}", words(mixed(7)));
    // Devices that differ, as where a later sweep added a variant, leave no curve without a name.
    let mut devices = figure(6);
    for (index, series) in devices.series.iter_mut().enumerate() {
        series.provenance = Provenance::Recorded;
        series.provenance_label = format!("recorded · NVIDIA H200 ({index} devices)");
    }
    let all = words(devices.clone());
    assert!(devices.series.iter().all(|it| all.contains(&it.brief)), "{all}");
    assert_legible(&devices.into(), Size::phone());
    let share = |figure: &Figure| share_of(&layout::lay_out(&figure.clone().into(), Size::phone()));
    let shares = [2, 6].map(|count| share(&figure(count)));
    assert!(shares[0] > 0.5 && shares[1] > 0.3, "{shares:?}");
}

#[test]
fn a_column_is_mostly_curves() {
    for count in [2, 8] {
        let share = plot_share(&figure(count), "column");
        assert!(share > 0.55, "{share} with {count} curves");
    }
}

#[test]
fn a_long_command_is_printed_whole_or_named_as_part_of_the_file() {
    let variants: Vec<String> = (0..16).map(|i| format!("global+single+stage{i}")).collect();
    let mut long = figure(2);
    long.command = format!("warpscope sweep radix-partition --variant {}", variants.join(","));
    for size in ["480x320", "800x500", "1600x1000", "slide"] {
        assert_legible(&long.clone().into(), size.parse().unwrap());
        let scene = layout::lay_out(&long.clone().into(), size.parse().unwrap());
        let words: Vec<&str> = texts(&scene).iter().map(|text| text.words.as_str()).collect();
        let starts = words.iter().position(|words| words.starts_with("warpscope"));
        let Some(start) = starts else {
            assert_eq!(size, "480x320");
            assert!(words.iter().any(|words| words.starts_with("commands: in the description")));
            continue;
        };
        let end = words[start..].iter().position(|words| !words.ends_with('\\')).unwrap();
        let printed = words[start..=start + end].join("\n").replace("\\\n", "");
        let read = printed.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(read, long.command, "{size}");
    }
    let text = svg(&long.clone().into(), "480x320".parse().unwrap(), Style::Light).unwrap();
    assert!(text.contains(&long.command), "the description has it");
}

#[test]
fn a_legend_names_every_curve_and_cuts_no_name() {
    for size in ["800x500", "1600x1000", "slide", "column"] {
        for count in [2, 7, 16] {
            let figure = mixed(count);
            let scene = layout::lay_out(&figure.clone().into(), size.parse().unwrap());
            let all: Vec<&str> = texts(&scene).iter().map(|text| text.words.as_str()).collect();
            let all = all.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
            for series in &figure.series {
                assert!(all.contains(&series.label), "{} in {size}: {all}", series.label);
            }
            assert!(!all.contains("more"), "{size}: {all}");
        }
    }
}

#[test]
fn svg_is_what_it_was() {
    insta::assert_snapshot!(
        svg(&figure(2).into(), "800x500".parse().unwrap(), Style::Light).unwrap()
    );
}

/// Decodes a PNG to its pixels.
pub(super) fn decode(bytes: &[u8]) -> (u32, u32, Vec<[u8; 3]>) {
    let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().unwrap();
    let mut buffer = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut buffer).unwrap();
    let pixels = buffer.chunks_exact(3).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    (info.width, info.height, pixels)
}

#[test]
fn png_holds_a_picture_with_both_curves_and_words() {
    let bytes = png(&figure(2).into(), "800x500".parse().unwrap(), Style::Light).unwrap();
    let (width, height, pixels) = decode(&bytes);
    assert_eq!((width, height, pixels.len()), (800, 500, 400_000));
    let count = |color: (u8, u8, u8)| {
        pixels.iter().filter(|pixel| **pixel == [color.0, color.1, color.2]).count()
    };
    for style in [0, 1] {
        assert!(
            count(palette::color(Ink::Series(style), Style::Light)) > 200,
            "curve {style} is drawn"
        );
    }
    assert!(count(palette::color(Ink::Text, Style::Light)) > 200, "words are drawn");
    assert!(count(palette::color(Ink::Paper, Style::Light)) > 200_000, "and most of it is paper");
    let decoder = png::Decoder::new(Cursor::new(&bytes)).read_info().unwrap();
    let notes: Vec<&str> =
        decoder.info().utf8_text.iter().map(|note| note.keyword.as_str()).collect();
    assert_eq!(notes, ["Title", "Description"]);
}

#[test]
fn an_empty_figure_says_so() {
    let empty = figure(0);
    let text = svg(&empty.clone().into(), Size::default(), Style::Light).unwrap();
    assert!(text.contains("nothing to draw"), "{text}");
    let (.., pixels) =
        decode(&png(&empty.into(), "480x320".parse().unwrap(), Style::Dark).unwrap());
    assert!(pixels.iter().any(|pixel| *pixel != pixels[0]));
}

#[test]
fn sizes_are_read_and_bounded() {
    assert_eq!("1600x1000".parse::<Size>().unwrap(), Size::default());
    for text in ["", "800", "800x", "0x0", "100x100", "9000x500", "-1x5", "axb", "800x500x3"] {
        let error = text.parse::<Size>().unwrap_err().to_string();
        assert!(error.contains("1600x1000"), "{text}: {error}");
    }
}

#[test]
fn the_file_name_decides_the_format() {
    assert_eq!(Format::of(Path::new("a/b.PNG")).unwrap(), Format::Png);
    assert_eq!(Format::of(Path::new("b.svg")).unwrap(), Format::Svg);
    for name in ["b", "b.jpg", ".png", "png"] {
        assert!(matches!(Format::of(Path::new(name)), Err(PlotError::Format(_))), "{name}");
    }
    let folder = tempfile::tempdir().unwrap();
    let lost = folder.path().join("no/such/folder.svg");
    assert!(matches!(
        write(&figure(1).into(), Size::default(), Style::Light, &lost),
        Err(PlotError::Write { .. })
    ));
}

proptest! {
    #[test]
    fn wrapped_lines_fit_and_lose_nothing_while_there_is_room(
        words in proptest::collection::vec("[a-z]{1,9}", 0..20),
        most in 12usize..40,
    ) {
        let text = words.join(" ");
        let lines = text::wrap(&text, most, 100, "  ");
        prop_assert!(lines.iter().all(|line| line.chars().count() <= most));
        let back: Vec<String> =
            lines.iter().flat_map(|line| line.split_whitespace().map(str::to_owned)).collect();
        prop_assert_eq!(back, words);
    }

    #[test]
    fn cut_lines_end_in_an_ellipsis(text in "[a-z ]{0,60}", most in 4usize..30, lines in 1usize..4) {
        let wrapped = text::wrap(&text, most, lines, "");
        prop_assert!(wrapped.len() <= lines);
        prop_assert!(wrapped.iter().all(|line| line.chars().count() <= most));
    }
}
