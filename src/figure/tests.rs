#![allow(clippy::unwrap_used)]

use super::pen::{Pen, Stroke};
use super::*;
use crate::experiment::{Case, Distribution, ParamValue};
use crate::results::record::{DeviceRecord, Flag, Phase, PhaseKind, Summary, Wrong};

/// A record of a small world in which shared is 8 times as fast as global.
pub(super) fn record(variant: &str, block: u32, n: u64) -> Record {
    let case = Case {
        algorithm: "histogram".to_owned(),
        variant: variant.to_owned(),
        block,
        coarsen: 4,
        n,
        params: [
            ("bins".to_owned(), ParamValue::Int(8)),
            ("binning".to_owned(), ParamValue::Word("modulo".to_owned())),
        ]
        .into(),
        dist: Distribution::Uniform,
        seed: 7,
    };
    let device = DeviceRecord {
        name: "NVIDIA H200".to_owned(),
        driver: Some("580.159".to_owned()),
        id: "GPU-1".to_owned(),
    };
    let mut record = Record::new(&case, device, "cuda", Provenance::Recorded);
    let median = if variant == "global" { 8e-9 } else { 1e-9 } * n as f64;
    record.seconds = Some(Summary {
        median,
        q1: Some(median * 0.9),
        q3: Some(median * 1.25),
        samples: Box::default(),
        taken: None,
    });
    record.bytes = n * 4;
    record.verified = Some(true);
    record
}

pub(super) fn modelled(mut record: Record) -> Record {
    record.backend = "emulator".into();
    record.provenance = Provenance::Modelled;
    record.device =
        DeviceRecord { name: "H200 SXM".to_owned(), driver: None, id: "profile".to_owned() }.into();
    record.flags = vec![Flag::Unvalidated];
    record
}

fn labels(figure: &Figure) -> Vec<&str> {
    figure.series.iter().map(|series| series.label.as_str()).collect()
}

/// A published time; only its block size was stated.
fn reported(variant: &str, n: u64) -> Record {
    let mut record = record(variant, 32, n);
    record.coarsen = 0;
    record.seed = 0;
    record.params.remove("binning");
    record.provenance = Provenance::Reported;
    record.device =
        DeviceRecord { name: "GTX 745".to_owned(), driver: None, id: String::new() }.into();
    record
}

#[test]
fn published_curves_say_whose_they_are_and_leave_the_labels_of_the_others_short() {
    let records = [
        record("global", 128, 1024),
        record("shared", 128, 1024),
        reported("global", 1024),
        reported("shared", 1024),
    ];
    let figure = build(&records, Choice::default());
    let mut found = labels(&figure);
    found.sort_unstable();
    assert_eq!(
        found,
        [
            "global",
            "global · 32 · reported · GTX 745",
            "shared",
            "shared · 32 · reported · GTX 745"
        ]
    );
    assert!(figure.subtitle.contains("block 128"), "{}", figure.subtitle);
}

#[test]
fn a_sweep_of_two_variants_is_two_curves_in_registry_order() {
    let records: Vec<Record> = [2048, 1024]
        .into_iter()
        .flat_map(|n| [record("shared", 128, n), record("global", 128, n)])
        .collect();
    let figure = build(&records, Choice::default());
    assert_eq!(figure.title, "histogram: kernel time by input size");
    assert_eq!(
        figure.subtitle,
        "block 128 · coarsening 4 · binning modulo · bins 8 · input uniform · seed 7 · NVIDIA H200"
    );
    assert_eq!(labels(&figure), ["global", "shared"]);
    assert_eq!(figure.caption, "recorded · NVIDIA H200 · driver 580.159");
    assert_eq!(figure.y.label, "recorded kernel time (median)");
    assert_eq!(
        figure.command,
        "warpscope sweep histogram --variant global,shared --block 128 --coarsen 4 -n 2^10,2^11 \
         --bins 8 --backend cuda -o histogram.jsonl\n\
         warpscope plot histogram.jsonl -o histogram.png"
    );
    let shared = &figure.series[1];
    let xs: Vec<f64> = shared.points.iter().map(|point| point.x).collect();
    assert_eq!(xs, [1024.0, 2048.0], "points ascend whatever the order of the records");
    assert_eq!(shared.points[0].record, 2);
    assert_eq!(shared.points[0].band, Some((1.024e-6 * 0.9, 1.024e-6 * 1.25)));
}

#[test]
fn labels_name_what_differs_and_nothing_else() {
    let mut records = vec![record("shared", 64, 1024), record("shared", 128, 1024)];
    assert_eq!(labels(&build(&records, Choice::default())), ["shared · 64", "shared · 128"]);
    let mut other = record("shared", 128, 1024);
    other.params.insert("bins".to_owned(), ParamValue::Int(256));
    other.coarsen = 16;
    records.push(other);
    assert_eq!(
        labels(&build(&records, Choice::default())),
        [
            "shared · 64 · x4 · bins 8",
            "shared · 128 · x4 · bins 8",
            "shared · 128 · x16 · bins 256"
        ]
    );
    let mut newer = record("shared", 128, 1024);
    newer.ptx = "beef".into();
    assert_eq!(
        labels(&build(&[record("shared", 128, 1024), newer], Choice::default())),
        ["shared · ptx ", "shared · ptx beef"]
    );
}

#[test]
fn mixed_provenance_is_said_on_every_curve_and_in_the_caption() {
    let records = [record("shared", 128, 1024), modelled(record("shared", 128, 1024))];
    let figure = build(&records, Choice::default());
    assert_eq!(
        labels(&figure),
        ["shared · modelled · H200 SXM", "shared · recorded · NVIDIA H200"]
    );
    assert_eq!(
        figure.caption,
        "mixes modelled and recorded numbers; modelled · H200 SXM · unvalidated; \
         recorded · NVIDIA H200 · driver 580.159"
    );
    assert_eq!(figure.y.label, "kernel time (median)");
    assert_eq!(figure.command.lines().count(), 3, "two sweeps, one plot");
    assert!(figure.command.contains("--backend emulator --gpu \"H200 SXM\""));
}

#[test]
fn a_flag_of_some_points_says_some() {
    let mut throttled = record("shared", 128, 2048);
    throttled.flags = vec![Flag::Throttled];
    let figure = build(&[record("shared", 128, 1024), throttled], Choice::default());
    assert_eq!(figure.series[0].provenance_label, "recorded · NVIDIA H200 · some throttled");
}

#[test]
fn what_has_no_place_is_left_off() {
    let mut skipped = record("shared", 128, 4096);
    skipped.seconds = None;
    skipped.skip = Some("too large".into());
    let mut wrong = record("global", 128, 4096);
    wrong.wrong = Some(Box::new(Wrong {
        kind: "wrong-answer".into(),
        kernel: None,
        file: None,
        line: None,
        block: None,
        lanes: Vec::new(),
        index: None,
        expected: None,
        got: None,
        message: String::new(),
    }));
    let empty = record("shared", 128, 0);
    let records = [skipped, wrong, empty.clone(), record("shared", 128, 1024)];
    let figure = build(&records, Choice::default());
    assert_eq!(labels(&figure), ["shared"]);
    assert_eq!(figure.series[0].points.len(), 1);
    assert!(figure.caption.ends_with("1 skipped, 1 WRONG, not drawn"), "{}", figure.caption);
    let linear = Choice { log_x: false, log_y: false, ..Choice::default() };
    assert_eq!(build(&[empty], linear).series[0].points[0].x.to_bits(), 0);
    let nothing = build(&[], Choice::default());
    assert!(nothing.is_empty() && nothing.command.is_empty());
}

#[test]
fn speed_up_compares_with_the_first_variant_of_the_same_case() {
    let choice = Choice { y: YAxis::Speedup, ..Choice::default() };
    let records = [
        record("shared", 128, 1024),
        record("global", 128, 1024),
        record("shared", 128, 2048),
        modelled(record("shared", 128, 1024)),
    ];
    let figure = build(&records, choice);
    assert_eq!(figure.y.label, "recorded speed-up over global");
    assert_eq!(labels(&figure), ["global", "shared"], "nothing without its own baseline");
    let shared = &figure.series[1];
    assert_eq!(shared.points.len(), 1);
    assert!((shared.points[0].y - 8.0).abs() < 1e-9);
    let (low, high) = shared.points[0].band.unwrap();
    assert!(low < 8.0 && 8.0 < high, "a longer time is a smaller speed-up");
}

#[test]
fn derived_axes_divide_by_the_median() {
    let records = [record("shared", 128, 1 << 20)];
    let y = |y| build(&records, Choice { y, ..Choice::default() }).series[0].points[0].y;
    assert!((y(YAxis::Throughput) / 1e9 - 1.0).abs() < 1e-9);
    assert!((y(YAxis::Bandwidth) / 4e9 - 1.0).abs() < 1e-9);
}

#[test]
fn end_to_end_takes_in_what_is_not_a_kernel() {
    let mut piped = record("shared", 128, 1 << 20);
    let median = piped.median().unwrap();
    let phase = |kind, seconds| Phase { name: "final".into(), kind, seconds };
    piped.phases = [
        phase(PhaseKind::Kernel, median),
        phase(PhaseKind::Copy, median / 2.0),
        phase(PhaseKind::Host, median / 4.0),
        phase(PhaseKind::Copy, median / 4.0),
    ]
    .into();
    let alone = record("global", 128, 1 << 20);
    let choice = Choice { time: Time::EndToEnd, ..Choice::default() };
    let figure = build(&[alone.clone(), piped.clone()], choice);
    assert!(figure.title.contains("end-to-end time"), "{}", figure.title);
    assert_eq!(figure.y.label, "recorded end-to-end time (median)");
    let [kernels, whole] = [0, 1].map(|curve| &figure.series[curve].points[0]);
    assert!((whole.y / median - 2.0).abs() < 1e-9 && whole.band.is_none());
    assert!((kernels.y - alone.median().unwrap()).abs() < 1e-15 && kernels.band.is_some());
    // Eight times as fast in its kernels, four times in all.
    let speedup = build(&[alone, piped.clone()], Choice { y: YAxis::Speedup, ..choice });
    assert!((speedup.series[1].points[0].y - 4.0).abs() < 1e-9);
    // What this CPU took is not the modelled GPU's.
    let figure = build(&[modelled(piped.clone())], choice);
    assert!(figure.caption.contains("on the CPU that emulated"), "{}", figure.caption);
    let kernels = build(&[modelled(piped)], Choice::default());
    assert!(!kernels.caption.contains("CPU"), "{}", kernels.caption);
}

#[test]
fn the_axis_says_what_n_counts() {
    let mut sum = record("shuffle", 128, 1024);
    sum.algorithm = "reduce".into();
    let label = |records: &[Record]| build(records, Choice::default()).x.label;
    assert_eq!(label(&[sum.clone()]), "input size n (values)");
    assert_eq!(label(&[sum, record("shared", 128, 1024)]), "input size n (elements)");
}

#[test]
fn other_x_axes_keep_n_apart() {
    let records: Vec<Record> =
        [(64, 1024), (128, 1024), (64, 2048)].map(|(block, n)| record("shared", block, n)).into();
    let figure = build(&records, Choice { x: XAxis::Block, ..Choice::default() });
    assert_eq!(labels(&figure), ["shared · n 2^10", "shared · n 2^11"]);
    assert_eq!(figure.series[0].points.len(), 2);
    assert_eq!(figure.x.format(64.0), "64");
}

#[test]
fn a_prediction_has_hue_marker_and_lightness_of_its_recording() {
    let records: Vec<Record> = [("shared", 128), ("global", 64), ("global", 128)]
        .into_iter()
        .flat_map(|(variant, block)| {
            let record = record(variant, block, 1024);
            [modelled(record.clone()), record]
        })
        .chain([reported("global", 1024)])
        .collect();
    for rotated in 0..records.len() {
        let mut records = records.clone();
        records.rotate_left(rotated);
        for series in build(&records, Choice::default()).series {
            let record = &records[series.points[0].record];
            let stroke = match record.provenance {
                Provenance::Modelled => Stroke::Dashed,
                Provenance::Reported => Stroke::Thin,
                _ => Stroke::Solid,
            };
            let second = record.variant == "global"
                && record.block == 128
                && record.provenance != Provenance::Reported;
            let variant = usize::from(record.variant == "shared");
            let pen = Pen { variant, tint: usize::from(second), stroke, muted: false };
            assert_eq!(series.pen, pen, "{}", series.label);
        }
    }
}

#[test]
fn a_measurement_beside_a_recording_has_another_lightness_and_takes_none_away() {
    let recorded = record("shared", 128, 1024);
    let mut measured = recorded.clone();
    measured.provenance = Provenance::Measured;
    let pens = |records: &[Record]| -> Vec<(Provenance, usize, usize)> {
        let pen = |series: &Series| (series.provenance, series.pen.variant, series.pen.tint);
        build(records, Choice::default()).series.iter().map(pen).collect()
    };
    assert_eq!(pens(std::slice::from_ref(&recorded)), [(Provenance::Recorded, 1, 0)]);
    let both = pens(&[measured, recorded]);
    assert_eq!(both, [(Provenance::Measured, 1, 1), (Provenance::Recorded, 1, 0)]);
}

#[test]
fn variants_of_several_algorithms_have_hues_of_their_own() {
    let mut sum = record("shuffle", 128, 1024);
    sum.algorithm = "reduce".into();
    let mut unknown = record("of-tomorrow", 128, 1024);
    unknown.n = 1024;
    let figure = build(&[sum, record("shared", 128, 1024), unknown], Choice::default());
    let variants: Vec<usize> = figure.series.iter().map(|series| series.pen.variant).collect();
    // The histogram has three variants and one from another program, reduce five.
    assert_eq!(
        (labels(&figure), variants),
        (vec!["histogram · shared", "histogram · of-tomorrow", "reduce · shuffle"], vec![1, 3, 8])
    );
}

#[test]
fn of_many_curves_the_fastest_the_slowest_and_those_around_the_lit_one_have_colour() {
    let blocks = [32, 64, 96, 128, 160, 192, 224, 256];
    let records: Vec<Record> = ["global", "shared"]
        .into_iter()
        .flat_map(|variant| blocks.map(|block| record(variant, block, 1024)))
        .enumerate()
        .map(|(index, mut record)| {
            // Neither end of the list is an end of the times.
            let place = (index + 5) % 16;
            record.seconds = Some(Summary::of(1e-6 * (1 + place) as f64));
            record
        })
        .collect();
    let (fastest, slowest) = (11, 10);
    for y in [YAxis::Time, YAxis::Throughput] {
        let mut figure = build(&records, Choice { y, ..Choice::default() });
        assert_eq!(figure.order()[..4], [fastest, slowest, 0, 1]);
        let mut seen = [false; 16];
        for lit in [None].into_iter().chain((0..16).map(Some)) {
            figure.colour(lit);
            let coloured: Vec<usize> =
                (0..16).filter(|index| !figure.series[*index].pen.muted).collect();
            assert!(coloured.len() <= pen::MOST_COLOURED, "{coloured:?}");
            assert!(coloured.contains(&fastest) && coloured.contains(&slowest));
            assert!(lit.is_none_or(|lit| coloured.contains(&lit)), "{lit:?}: {coloured:?}");
            for index in coloured {
                seen[index] = true;
            }
        }
        assert!(seen.iter().all(|seen| *seen));
    }
    let few = build(&records[..8], Choice::default());
    assert!(few.series.iter().all(|series| !series.pen.muted));
    assert_eq!(few.order(), (0..8).collect::<Vec<_>>());
}

#[test]
fn hue_and_marker_of_a_curve_stay_while_others_arrive() {
    let order = [
        record("shared", 64, 1024),
        record("global", 64, 1024),
        record("global", 32, 1024),
        record("shared", 32, 1024),
    ];
    for seen in 1..=order.len() {
        let figure = build(&order[..seen], Choice::default());
        for series in &figure.series {
            assert_eq!(series.pen.variant, [1, 0, 0, 1][series.points[0].record]);
        }
    }
}

#[test]
fn operations_and_the_share_of_the_limit_are_drawn_where_they_are_known() {
    let mut product = record("shared", 128, 1024);
    product.flops = 1 << 31;
    let y = |y, record: &Record| {
        let figure = build(std::slice::from_ref(record), Choice { y, ..Choice::default() });
        let drawn = figure.series.first().map(|series| series.points[0].y);
        (drawn, figure.y.label.clone(), drawn.map(|value| figure.y.format(value)))
    };
    let seconds = product.median().unwrap();
    let (flops, label, text) = y(YAxis::Flops, &product);
    assert!((flops.unwrap() * seconds / (1u64 << 31) as f64 - 1.0).abs() < 1e-9);
    assert_eq!(label, "recorded arithmetic throughput (FLOP / median)");
    assert!(text.unwrap().ends_with(" TFLOP/s"));
    let (share, label, text) = y(YAxis::Limit, &product);
    assert!((share.unwrap() * seconds / limit(&product).unwrap().seconds - 1.0).abs() < 1e-9);
    assert_eq!(label, "recorded share of the device's limit (least time / median)");
    assert!(text.unwrap().ends_with(" %"));
    let counted = record("shared", 128, 1024);
    assert_eq!(y(YAxis::Flops, &counted).0, None);
    let counted = std::slice::from_ref(&counted);
    assert!(!YAxis::Flops.applies(counted) && YAxis::Limit.applies(counted));
}

#[test]
fn a_sweep_over_two_alike_devices_is_one_curve_that_says_so() {
    let on = |id: &str, mut record: Record| {
        record.device.id = id.to_owned();
        record
    };
    let mut records = vec![
        on("GPU-1", record("global", 128, 1024)),
        on("GPU-2", record("global", 128, 2048)),
        on("GPU-1", record("global", 128, 4096)),
    ];
    let figure = build(&records, Choice::default());
    assert_eq!(labels(&figure), ["global"]);
    assert_eq!(figure.series[0].points.len(), 3);
    assert_eq!(figure.series[0].provenance_label, "recorded · NVIDIA H200 (2 devices)");
    assert!(figure.caption.contains("(2 devices)"), "{}", figure.caption);

    // The same case on both is there to be compared.
    records.push(on("GPU-2", record("global", 128, 1024)));
    let figure = build(&records, Choice::default());
    assert_eq!(labels(&figure), ["global · NVIDIA H200 GPU-1", "global · NVIDIA H200 GPU-2"]);

    // Other names, and other drivers, are other devices.
    records.truncate(2);
    records[1].device.name = "NVIDIA A100".to_owned();
    assert_eq!(labels(&build(&records, Choice::default())).len(), 2);
    records[1].device.name = "NVIDIA H200".to_owned();
    records[1].device.driver = Some("570.1".to_owned());
    assert_eq!(labels(&build(&records, Choice::default())).len(), 2);
}

#[test]
fn a_speed_up_can_be_over_any_value_of_a_field() {
    let records =
        [record("global", 32, 1024), record("global", 64, 1024), record("shared", 64, 1024)];
    let choice = Choice { y: YAxis::Speedup, ..Choice::default() };
    let over = |key: &str, value: &str| Baseline::Field { key: key.into(), value: value.into() };
    let of = |baseline: &Baseline| {
        build_beside(&records, choice, Beside { baseline: Some(baseline), runs: &[] })
    };
    let figure = of(&over("block", "32")).unwrap();
    assert_eq!(figure.y.label, "recorded speed-up over block 32");
    // shared has no case of block 32 to be over.
    assert_eq!(labels(&figure), ["global · 32", "global · 64"]);
    assert!(figure.series.iter().all(|series| (series.points[0].y - 1.0).abs() < 1e-12));
    let figure = of(&over("variant", "shared")).unwrap();
    assert_eq!(figure.y.label, "recorded speed-up over shared");
    assert!((figure.series[0].points[0].y - 0.125).abs() < 1e-12);
    let error = of(&over("block", "96")).unwrap_err().to_string();
    assert!(error.contains("32, 64"), "{error}");
    assert!(of(&over("blok", "32")).unwrap_err().to_string().contains("block"));
}

#[test]
fn runs_that_are_overlaid_keep_their_curves_and_a_curve_can_be_the_baseline() {
    let slower = |mut record: Record| {
        if let Some(seconds) = &mut record.seconds {
            seconds.median *= 2.0;
        }
        record
    };
    let now = record("global", 32, 1024);
    let records = [now.clone(), slower(now.clone()), slower(record("global", 32, 2048))];
    let old: Option<Arc<str>> = Some("old".into());
    let runs = [None, old.clone(), old.clone()];
    let choice = Choice { y: YAxis::Speedup, ..Choice::default() };
    let curve = Curve { of: records[1].clone(), run: old, label: "global · old".to_owned() };
    let baseline = Baseline::Curve(Box::new(curve));
    let beside = Beside { baseline: Some(&baseline), runs: &runs };
    let figure = build_beside(&records, choice, beside).unwrap();
    assert_eq!(labels(&figure), ["global", "global · old"]);
    let points = |series: usize| -> Vec<f64> {
        figure.series[series].points.iter().map(|point| point.y).collect()
    };
    assert_eq!((points(0), points(1)), (vec![2.0], vec![1.0, 1.0]));
    assert_eq!(figure.y.label, "recorded speed-up over global · old");
}
