#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;

fn ticks(scale: Scale, unit: Unit, range: (f64, f64), most: usize) -> Vec<String> {
    let axis = Axis { label: String::new(), scale, unit };
    axis.ticks(range, most).into_iter().map(|tick| tick.label).collect()
}

#[test]
fn ticks_are_round() {
    let kib = 1024.0;
    assert_eq!(
        ticks(Scale::Log2, Unit::Elements, (kib, kib * 4096.0), 7),
        ["2^10", "2^12", "2^14", "2^16", "2^18", "2^20", "2^22"]
    );
    assert_eq!(
        ticks(Scale::Log10, Unit::Seconds, (1e-6, 2e-3), 6),
        ["1 µs", "10 µs", "100 µs", "1 ms"]
    );
    assert_eq!(ticks(Scale::Log10, Unit::Seconds, (1.5e-6, 1.2e-5), 6), ["2 µs", "5 µs", "10 µs"]);
    assert_eq!(
        ticks(Scale::Log10, Unit::Seconds, (2.1e-6, 4.3e-6), 5),
        ["2.5 µs", "3 µs", "3.5 µs", "4 µs"]
    );
    assert_eq!(ticks(Scale::Linear, Unit::Ratio, (0.0, 7.0), 5), ["0x", "2x", "4x", "6x"]);
    assert_eq!(ticks(Scale::Linear, Unit::Count, (0.0, 2.0), 9), ["0", "1", "2"]);
    assert_eq!(ticks(Scale::Log2, Unit::Ratio, (0.4, 70.0), 8).first().unwrap(), "0.5x");
    assert!(ticks(Scale::Linear, Unit::Count, (3.0, 3.0), 9).is_empty());
}

fn any_axis() -> impl Strategy<Value = Axis> {
    let scale = prop_oneof![Just(Scale::Linear), Just(Scale::Log2), Just(Scale::Log10)];
    let unit = prop_oneof![
        Just(Unit::Elements),
        Just(Unit::Seconds),
        Just(Unit::ElementsPerSecond),
        Just(Unit::BytesPerSecond),
        Just(Unit::Ratio),
        Just(Unit::Count)
    ];
    (scale, unit).prop_map(|(scale, unit)| Axis { label: String::new(), scale, unit })
}

proptest! {
    #[test]
    fn every_value_lies_inside_the_range_made_for_it(
        axis in any_axis(),
        exponents in proptest::collection::vec(-9.0f64..12.0, 1..20),
    ) {
        let values: Vec<f64> = exponents.into_iter().map(|e| 10f64.powf(e)).collect();
        let range = axis.range(values.iter().copied());
        prop_assert!(range.0 < range.1);
        for value in values {
            let position = axis.position(value, range).unwrap();
            prop_assert!((0.0..=1.0).contains(&position), "{value} at {position}");
        }
    }

    #[test]
    fn positions_invert(
        axis in any_axis(),
        low in -9.0f64..9.0,
        decades in 0.5f64..6.0,
        position in 0.0f64..1.0,
    ) {
        let range = (10f64.powf(low), 10f64.powf(low + decades));
        let back = axis.position(axis.value_at(position, range), range).unwrap();
        prop_assert!((back - position).abs() < 1e-6, "{position} came back as {back}");
    }

    #[test]
    fn ticks_ascend_within_the_range_and_are_told_apart(
        axis in any_axis(),
        low in -9.0f64..9.0,
        decades in 0.31f64..9.0,
        most in 2usize..14,
    ) {
        let range = (10f64.powf(low), 10f64.powf(low + decades));
        let ticks = axis.ticks(range, most);
        prop_assert!(ticks.len() <= most);
        for pair in ticks.windows(2) {
            prop_assert!(pair[0].value < pair[1].value);
            // Below one element there is nothing to tell apart.
            if pair[0].value >= 1.0 || axis.unit == Unit::Seconds {
                prop_assert_ne!(&pair[0].label, &pair[1].label);
            }
        }
        for tick in ticks {
            let position = axis.position(tick.value, range).unwrap();
            prop_assert!((-1e-6..=1.0 + 1e-6).contains(&position));
        }
    }

    #[test]
    fn zero_and_nonsense_have_no_place_on_a_log_axis(value in -1e9f64..=0.0) {
        for scale in [Scale::Log2, Scale::Log10] {
            let axis = Axis { label: String::new(), scale, unit: Unit::Seconds };
            prop_assert_eq!(axis.position(value, (1.0, 10.0)), None);
            prop_assert_eq!(axis.range([value, 1.0]), axis.range([1.0]));
        }
    }
}
