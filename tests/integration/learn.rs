//! `warpscope learn` without a screen: the list, the checker, graded answers, the report.

use crate::support::Place;

const SMALL: &str = include_str!("../data/lessons/small.toml");

/// Answers to the small lesson that pass.
const ANSWERS: &str = r#"
lesson = "small"
[answers.factor]
choice = "100x"
confidence = 1
time = "2026-11-23T02:00:00Z"
[answers.cell]
choice = "64/1"
confidence = 3
[answers.lanes]
choice = "4000"
confidence = 2
[answers.draw]
curve = [[1024, 4e-6], [4096, 5e-6]]
confidence = 2
[[answers.seen]]
choice = "faster"
[[answers.seen]]
choice = "same"
[answers.why]
choice = "launches"
[answers.change]
change = { bins = 256 }
"#;

fn place(lesson: &str) -> Place {
    let place = Place::new();
    std::fs::write(place.path("small.toml"), lesson).unwrap();
    place
}

#[test]
fn the_shipped_lessons_are_listed() {
    let place = Place::new();
    let text = place.run("learn --list").fine().out;
    assert!(text.contains("01-shared-memory") && text.contains("min)"), "{text}");
    let json: serde_json::Value =
        serde_json::from_str(&place.run("learn --list --json").fine().out).unwrap();
    assert_eq!(json[0]["steps"][2]["kind"], "predict");
    assert!(json.as_array().unwrap().len() >= 10);
}

#[test]
fn a_checked_lesson_holds_on_the_emulator_and_in_the_recording() {
    let text = place(SMALL).run("learn --check small.toml").fine().out;
    assert!(text.starts_with("small: ") && text.contains("conclusions hold ("), "{text}");
}

#[test]
fn the_lesson_of_the_documentation_holds() {
    let text = include_str!("../../docs/lessons.md");
    let lesson = text.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    place(lesson).run("learn --check small.toml").fine();
}

#[test]
fn a_changed_conclusion_fails_and_names_step_and_figure() {
    for (from, to, parts) in [
        // A bound of a value.
        (
            "least = 0.9\nmost = 1.2",
            "least = 1.5\nmost = 3",
            &[
                "step `factor`, value `speed-up`",
                "on the emulator",
                "in the H200 recording",
                "1.50× to 3.00×",
            ][..],
        ),
        // An expected option.
        (
            "expect = \"launches\"",
            "expect = \"global_atomics\"",
            &["step `why`, answer", "`global_atomics`"],
        ),
        // A solution that does not reach the goal.
        (
            "solution = { bins = 256 }",
            "solution = { n = \"2^10\" }",
            &["step `change`, solution: it does not hold"],
        ),
        // A goal that holds before anything changes.
        (
            "goal = [{ value = \"one\", least = 1.2 }]",
            "goal = [{ value = \"one\", least = 0.1 }]",
            &["step `change`, start: it holds"],
        ),
    ] {
        assert!(SMALL.contains(from), "{from}");
        let ran = place(&SMALL.replacen(from, to, 1)).run("learn --check small.toml");
        assert_eq!(ran.code, Some(1), "{from}: {}", ran.out);
        for part in parts {
            assert!(ran.out.contains(part), "{from}: {} lacks {part}", ran.out);
        }
    }
}

#[test]
fn answers_are_graded_by_what_runs() {
    let place = place(&SMALL.replace("\"Small\"", "\"Small <script>\""));
    std::fs::write(place.path("a.toml"), ANSWERS).unwrap();
    let text = place.run("learn small.toml --answers a.toml --report r.html").fine().out;
    assert!(text.contains("lanes        predict  right; computed: 4"), "{text}");
    assert!(text.contains("factor       predict  wrong"), "{text}");
    assert!(text.ends_with("passed\n") && !text.contains("not passed"), "{text}");
    let page = place.text("r.html");
    for part in [
        "Passed",
        "100×",
        "a guess",
        "2026-11-23T02:00:00Z",
        "<svg",
        "kernel launches",
        "modelled · H200 SXM",
        "H200, recorded: half of the 4 times",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.contains("Small &lt;script&gt;") && !page.contains("<script"));
    let wrong =
        ANSWERS.replace("choice = \"launches\"", "choice = \"global_atomics\"\nmark = \"right\"");
    std::fs::write(place.path("a.toml"), wrong).unwrap();
    let ran = place.run("learn small.toml --answers a.toml");
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    assert!(ran.out.contains("why          why      wrong"), "{}", ran.out);
}

#[test]
fn bad_input_names_the_place() {
    let place = place(&SMALL.replace("minutes = 5", "minutes = 500"));
    let error = place.run("learn --check small.toml");
    assert!(error.out.contains("small.toml:3: minutes"), "{}", error.out);
    place.run("learn 1 --answers none.toml").refused(&["none.toml"]);
    std::fs::write(place.path("a.toml"), "[answers.large]\nchoice = \"3x\"\n").unwrap();
    place.run("learn 1 --answers a.toml").refused(&["`large`", "`3x`", "slower"]);
    place.run("learn 11").refused(&["there is no lesson `11`"]);
    place.run("learn --check --lessons nowhere").refused(&["nowhere"]);
}
