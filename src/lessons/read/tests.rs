use proptest::prelude::*;

use super::*;
use crate::lessons::shelf::SHIPPED;

/// A small lesson with every kind of value.
const SMALL: &str = include_str!("../../../tests/data/lessons/small.toml");

fn error(text: &str) -> String {
    read("small.toml", text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn a_small_lesson_is_read() {
    let lesson = read("folder/small.toml", SMALL.as_bytes()).unwrap();
    assert_eq!(lesson.name, "small");
    assert_eq!(lesson.experiments["two"].cases.len(), 4);
    let kinds: Vec<&str> = lesson.steps.iter().map(|step| step.task.name()).collect();
    assert_eq!(
        kinds,
        [
            "predict", "predict", "predict", "predict", "run", "run", "run", "observe", "why",
            "change", "say"
        ]
    );
    let factor = lesson.steps[0].task.question().unwrap();
    let keys: Vec<&str> = factor.options.iter().map(|it| it.key.as_str()).collect();
    assert_eq!(keys, ["1x", "2x", "5x", "10x", "100x", "slower"]);
    let cells = lesson.step("cell").unwrap().1.task.question().unwrap();
    assert_eq!(cells.options[0].key, "64/1");
}

#[test]
fn an_error_names_file_line_key_and_what_is_allowed() {
    for (from, to, parts) in [
        ("minutes = 5", "minutes = 0", &["small.toml:", "minutes", "1 to 240"][..]),
        ("minutes = 5", "minuts = 5", &["minuts", "minutes"]),
        (
            "algorithm = \"histogram\"",
            "algorithm = \"histogramm\"",
            &["`two`", "did you mean `histogram`"],
        ),
        ("kind = \"observe\"", "kind = \"obseve\"", &["obseve", "observe"]),
        (
            "value = \"speed-up\"\nexpect",
            "value = \"speedup\"\nexpect",
            &["`factor`", "did you mean `speed-up`"],
        ),
        ("expect = \"1x\"", "expect = \"3x\"", &["`factor`", "`expect`", "1x, 2x, 5x"]),
        ("id = \"seen\"", "id = \"factor\"", &["`factor`", "another step"]),
        (
            "of = { variant = \"global\", n = \"2^12\" }",
            "of = { variant = \"global\" }",
            &["`speed-up`", "selects 2 cases", "n=2^12"],
        ),
        (
            "of = { variant = \"global\", n = \"2^12\" }",
            "of = { variant = \"local\", n = 4096 }",
            &["selects no case"],
        ),
        ("is = \"launches\"", "is = \"gremlins\"", &["`cause`", "gremlins", "bank_conflicts"]),
        ("{ cause = \"launches\" }", "{ when = [] }", &["`why`", "empty"]),
        (
            "view = \"curves\"",
            "axes = { n = [1] }",
            &["`run`", "`axes` is no key of kind \"run\"", "view"],
        ),
        ("solution = { bins = 256 }", "solution = { bins = 7 }", &["`change`", "bins cannot be 7"]),
        ("bins = [8, 256]", "bins = [8, 256, 1000000]", &["`change`", "1000000", "2 to 65536"]),
        ("[[atomic]]", "[[atomik]]", &["`end`", "no word `atomik`"]),
        ("small n: {{speed-up}}", "{{speed}}", &["claim.today", "did you mean `speed-up`"]),
        ("small n: {{speed-up}}", "{{curve}}", &["claim.today", "`curve` has no `least`"]),
        ("It is {{speed-up}}", "It is {{speed}}", &["`end`", "did you mean `speed-up`"]),
        ("id = \"why\"\n", "id = \"why\"\nhints = [\"one\"]\n", &["`why`", "`hints`", "give 3"]),
        ("title = \"Small\"", "title = \"Sm\u{202e}all\"", &["small.toml:1", "hidden character"]),
    ] {
        assert!(SMALL.contains(from), "{from}");
        let text = error(&SMALL.replacen(from, to, 1));
        for part in parts {
            assert!(text.contains(part), "{from} -> {to}: {text} lacks {part}");
        }
    }
}

#[test]
fn a_value_needs_a_run_before_it_is_shown() {
    let text = error(
        &SMALL
            .replace("id = \"run\"\nkind = \"run\"", "id = \"run\"\nkind = \"say\"")
            .replace("experiment = \"two\"\nview = \"curves\"\n", ""),
    );
    assert!(text.contains("needs a `run` of `two`"), "{text}");
}

#[test]
fn a_prediction_comes_before_the_run() {
    let (start, rest) = SMALL.split_once("[[steps]]\nid = \"factor\"").unwrap();
    let (factor, rest) = rest.split_once("[[steps]]").unwrap();
    let late = format!("{start}[[steps]]{rest}\n[[steps]]\nid = \"factor\"{factor}");
    let text = error(&late);
    assert!(text.contains("`factor`") && text.contains("has run before"), "{text}");
}

#[test]
fn a_file_is_bounded() {
    let long = vec![b'#'; MOST_BYTES + 1];
    assert!(read("long.toml", &long).unwrap_err().to_string().contains("256 KiB"));
    let blocks: Vec<String> = (1..=30).map(|block| block.to_string()).collect();
    let many = SMALL.replacen("sizes = \"2^10,2^12\"", "sizes = \"2^1..2^20\"", 1).replacen(
        "blocks = [128]",
        &format!("blocks = [{}]", blocks.join(", ")),
        1,
    );
    assert!(error(&many).contains("at most 1000"), "{}", error(&many));
    assert!(
        read("x.toml", b"title = \"\xff\"")
            .unwrap_err()
            .to_string()
            .contains("x.toml:1: not UTF-8")
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let _ = read("any.toml", &bytes);
    }

    /// A real lesson with one piece overwritten: read, or refused with a place.
    #[test]
    fn a_damaged_lesson_is_read_or_refused(at in 0..8000_usize, piece in "[\\[\\]{}=\"a-z0-9,.^\\-\n ]{1,12}") {
        let text = SHIPPED[0].text;
        let start = (0..=at.min(text.len())).rev().find(|it| text.is_char_boundary(*it)).unwrap();
        let end = (start + piece.len()).min(text.len());
        let end = (end..=text.len()).find(|it| text.is_char_boundary(*it)).unwrap();
        let damaged = format!("{}{piece}{}", &text[..start], &text[end..]);
        if let Err(error) = read("damaged.toml", damaged.as_bytes()) {
            prop_assert!(error.to_string().starts_with("damaged.toml"), "{error}");
            prop_assert!(!error.reason.is_empty());
        }
    }
}
