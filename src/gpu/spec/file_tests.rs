#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::super::find_spec;
use super::*;

/// What is wrong with T4's file after a change of its text.
fn refused(from: &str, to: &str) -> String {
    let text = include_str!("../../../assets/profiles/t4.toml");
    assert!(text.contains(from), "{from}");
    read(&text.replacen(from, to, 1), "t4.toml").unwrap_err().to_string()
}

#[test]
fn a_broken_file_says_where_and_what() {
    for (from, to, place, part) in [
        ("value = 40", "value = forty", "t4.toml:12: ", ""),
        ("value = 40", "value = \"40\"", "t4.toml:12: ", "f64"),
        ("value = 40", "value = -40", "t4.toml:12: ", "multiprocessors: -40 cannot be"),
        ("value = 40", "value = nan", "t4.toml:12: ", "NaN cannot be"),
        ("value = 40", "at = [1], values = [2]", "t4.toml:12: ", "it has one `value`"),
        ("unit = \"count\"", "unit = \"dozen\"", "t4.toml:12: ", "\"count\", not \"dozen\""),
        ("unit = \"count\", ", "", "t4.toml:12: ", "missing field `unit`"),
        ("\"published, to be", "\"I think", "t4.toml:12: ", "begins with one of `measured`"),
        ("multiprocessors = {", "multiprocesors = {", "t4.toml:12: ", "no number `multiprocesors`"),
        ("value = 40,", "value = 40, spread = -1,", "t4.toml:12: ", "a spread of -1"),
        ("value = 40,", "value = 40, volume = 1,", "t4.toml:12: ", "unknown field `volume`"),
        ("format = 1", "format = 9", "t4.toml:1: ", "reads 1"),
        ("\"7.5\"", "75", "t4.toml:6: ", "string"),
        ("\"7.5\"", "\"75\"", "t4.toml:6: ", "like \"9.0\""),
        ("note =", "notes =", "t4.toml:5: ", "unknown field `notes`"),
        ("[numbers]", "[number]", "t4.toml:10: ", "unknown field `number`"),
        ("name = \"T4\"", "", "t4.toml:1: ", "missing field `name`"),
        ("name = \"T4\"", "name = \"T4", "t4.toml:4: ", ""),
        (
            "boost_clock = {",
            "dram_size = { value = 1, unit = \"B\", source = \"assumed\" }\nboost_clock = {",
            "t4.toml:",
            "duplicate key",
        ),
        ("boost_clock = {", "# boost_clock = {", "t4.toml:1: ", "`boost_clock` in [numbers] is"),
    ] {
        let error = refused(from, to);
        assert!(error.starts_with(place) && error.contains(part), "{from} -> {to}: {error}");
    }
}

#[test]
fn a_curve_has_rising_places_and_as_many_values() {
    for (curve, part) in [
        ("at = [1, 2], values = [3]", "2 places in `at`, 1 in `values`"),
        ("at = [2, 1], values = [3, 4]", "rise"),
        ("at = [1, 1], values = [3, 4]", "rise"),
        ("at = [], values = []", "at least one"),
        ("at = [0, 1], values = [3, 4]", "0 cannot be"),
        ("value = 1", "it is a curve"),
    ] {
        let line =
            format!("[numbers]\nbarrier = {{ {curve}, unit = \"cycles\", source = \"assumed\" }}");
        let error = refused("[numbers]", &line);
        assert!(error.starts_with("t4.toml:11: barrier: ") && error.contains(part), "{error}");
    }
}

fn source() -> impl Strategy<Value = String> {
    (0..SOURCES.len(), "[ -~äé\"\\\\\n]{0,20}")
        .prop_map(|(at, rest)| SOURCES[at].to_owned() + &rest)
}

/// Any number that a file can hold for `key`.
fn any_number(key: Key) -> impl Strategy<Value = Number> {
    let positive = || prop_oneof![1e-300..1e300f64, (1u32..1_000_000).prop_map(f64::from)];
    let points = prop::collection::vec((positive(), positive()), 1..9).prop_map(|mut points| {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points.dedup_by(|a, b| a.0.total_cmp(&b.0).is_eq());
        points
    });
    (positive(), points, source(), prop::option::of(0.0..1.0f64)).prop_map(
        move |(value, points, source, spread)| {
            let curve = key.quantity().by.is_some();
            let values = if curve { Values::Curve(points) } else { Values::One(value) };
            Number { values, source, spread }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_read_back_the_same(
        name in "[ -~ß]{0,20}x",
        note in ".{0,40}",
        capability in 50u32..130,
        numbers in Key::ALL.iter().map(|key| any_number(*key)).collect::<Vec<_>>(),
        kept in prop::collection::vec(any::<bool>(), Key::ALL.len()),
    ) {
        let needed = |key: Key| key.quantity().carry == super::super::Carry::Required;
        let numbers = Key::ALL.iter().copied().zip(numbers).zip(kept);
        let document = Document {
            name,
            note,
            compute_capability: capability,
            validated: true,
            numbers: numbers
                .filter(|((key, _), kept)| *kept || needed(*key))
                .map(|(pair, _)| pair)
                .collect(),
        };
        let text = write(&document);
        prop_assert_eq!(read(&text, "x").map_err(|error| format!("{error}\n{text}")), Ok(document));
    }

    #[test]
    fn no_text_makes_it_panic(cut in 0usize..4000, junk in "\\PC{0,20}") {
        let mut text = write(&find_spec("H200 SXM").unwrap().document());
        let cut = (0..=cut.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap();
        text.insert_str(cut, &junk);
        let _ = read(&text, "x");
    }
}
