//! The page of a class in a headless Chromium on a phone of 360 pixels, among 39 other
//! students. Needs a Chromium, and axe-core (`.ci/axe`); what is missing is said.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use warpscope::class::{Command, Options, Shown};
use warpscope::export::image::{self, Size};
use warpscope::figure::{self, Choice};

use super::{Client, Lesson, counts};
use crate::html::browser::{self, Browser};
use crate::support::builders::record;
use crate::support::skip;

/// How long the page may take to show something.
const PATIENCE: Duration = Duration::from_secs(30);

/// Waits until the page says this.
fn wait(browser: &mut Browser, part: &str) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let text = browser.value("document.body.innerText");
        if text.as_str().is_some_and(|text| text.contains(part)) {
            return;
        }
        assert!(Instant::now() < deadline, "never saw `{part}` in {text}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whether axe-core finds nothing wrong with the page, light and dark; the text stays within
/// the phone.
fn is_accessible(browser: &mut Browser, axe: Option<&str>, state: &str) {
    let wide = browser.value("document.documentElement.scrollWidth");
    assert_eq!(wide, 360, "{state} scrolls sideways");
    let Some(axe) = axe else { return };
    for scheme in ["light", "dark"] {
        let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
        browser.ask("Emulation.setEmulatedMedia", &json!({ "features": [feature] }));
        browser.value(&format!(
            "{axe}; window.found = null; axe.run().then(it => window.found = it); 0"
        ));
        let deadline = Instant::now() + PATIENCE;
        while browser.value("window.found === null") == true {
            assert!(Instant::now() < deadline, "axe-core does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
        let passes = browser.value("window.found.passes.length").as_u64().unwrap();
        assert!(passes >= 8, "{state}, {scheme}: only {passes} rules apply");
        let violations = browser.value(
            "window.found.violations.map(it => it.id + ': ' + it.nodes.map(n => n.html).join(' '))",
        );
        assert_eq!(violations, json!([]), "{state}, {scheme}");
    }
}

/// Presses Tab until the focus is on the element with this id.
fn tab_to(browser: &mut Browser, id: &str) {
    for _ in 0..30 {
        if browser.value("document.activeElement.id") == id {
            return;
        }
        browser.press("Tab", 9, None);
    }
    panic!("Tab never reaches {id}");
}

/// A chart with everything that a measured one has.
fn chart() -> String {
    let records: Vec<_> = (10..20)
        .flat_map(|e| [record("global", 1 << e, 1e-9), record("shared", 1 << e, 1e-10)])
        .collect();
    let picture = figure::build(&records, Choice::default()).into();
    image::element(&picture, Size::phone(), "chart-picture").unwrap()
}

/// Both rounds of the first question, by keys alone.
fn choose(lesson: &Lesson, browser: &mut Browser, others: &[Client], axe: Option<&str>) {
    lesson.teach(&[Command::Next]);
    wait(browser, "Which one is faster?");
    assert!(
        browser.value("document.title").as_str().unwrap().starts_with("Class"),
        "no script ran"
    );
    wait(browser, "<b>equal</b>");
    for (round, choice) in [(0, 1), (1, 2)] {
        lesson.teach(&[Command::Vote]);
        wait(browser, if round == 0 { "First vote" } else { "Second vote" });
        is_accessible(browser, axe, "the vote");
        // Without an answer the page says what is missing.
        tab_to(browser, "send");
        browser.press("Enter", 13, Some("\r"));
        wait(browser, "Choose an answer");
        // Tab reaches the group, the arrows choose in it.
        browser.value("document.activeElement.blur()");
        tab_to(browser, "answer0");
        for _ in 0..choice {
            browser.press("ArrowDown", 40, None);
        }
        tab_to(browser, "sure1");
        browser.press("ArrowRight", 39, None);
        tab_to(browser, "send");
        browser.press("Enter", 13, Some("\r"));
        wait(browser, "Your vote is counted");
        for other in others {
            assert_eq!(other.choose(round, 1).status, 200);
        }
        lesson.wait(|it| it.voted == 40);
        // Loading the page again keeps seat and vote.
        browser.reload();
        wait(browser, "Your vote is counted");
        wait(browser, "your seat: 40");
        let chosen = browser.value(&format!("document.getElementById('answer{choice}').checked"));
        assert_eq!(chosen, true);
        lesson.teach(&[Command::Vote]);
    }
    wait(browser, "The vote is closed");
    lesson.teach(&[Command::Reveal]);
    let answer = Shown {
        headline: "shared: 61x faster at n = 2^22".to_owned(),
        explanation: vec!["`global` waits for <i>atomics</i>.".to_owned()],
        right: Some(1),
        chart: chart(),
        ..Shown::default()
    };
    lesson.hall.show(0, answer, true);
    wait(browser, "at n = 2²²");
    wait(browser, "(right)");
    wait(browser, "39 (98 %)");
    let deadline = Instant::now() + PATIENCE;
    while browser.value("document.querySelectorAll('svg.chart').length") != 1 {
        assert!(Instant::now() < deadline, "the chart comes");
        std::thread::sleep(Duration::from_millis(20));
    }
    is_accessible(browser, axe, "the result");
    // Letters are as high on the phone as the smallest text of the page.
    let letters = browser.value(
        "[...document.querySelectorAll('svg.chart text')].map(it =>
            parseFloat(getComputedStyle(it).fontSize) * it.getScreenCTM().a)",
    );
    let letters: Vec<f64> = letters.as_array().unwrap().iter().filter_map(Value::as_f64).collect();
    assert!(letters.len() > 12 && letters.iter().all(|it| *it >= 12.0), "{letters:?}");
    lesson.teach(&[Command::Next]);
    wait(browser, "waits for <i>atomics</i>");
}

/// Both rounds of the second question: a curve drawn by arrow keys.
fn draw(lesson: &Lesson, browser: &mut Browser, others: &[Client], axe: Option<&str>) {
    lesson.teach(&[Command::Next]);
    for round in [0, 1] {
        lesson.teach(&[Command::Vote]);
        wait(browser, if round == 0 { "First vote" } else { "Second vote" });
        wait(browser, "Draw the curve");
        is_accessible(browser, axe, "the curve");
        tab_to(browser, "size2");
        // The slider says its height in words, and the line follows it.
        let line = "document.querySelector('.sketch').getAttribute('points')";
        let before = browser.value(line);
        browser.press("ArrowRight", 39, None);
        let says = browser.value("document.activeElement.getAttribute('aria-valuetext')");
        assert_eq!(says, "1 ms");
        assert_ne!(browser.value(line), before);
        tab_to(browser, "sure1");
        browser.press(" ", 32, Some(" "));
        tab_to(browser, "send");
        browser.press("Enter", 13, Some("\r"));
        wait(browser, "Your vote is counted");
        for other in others {
            let body = json!({ "question": 1, "round": round, "answer": { "curve": [0, 1, 2] },
                "confidence": 3 });
            assert_eq!(other.post("/vote", &body).status, 200);
        }
        lesson.wait(|it| it.voted == 40);
        lesson.teach(&[Command::Vote]);
    }
    lesson.teach(&[Command::Reveal]);
    wait(browser, "Second vote: 40 curves; the thick line is the median");
    assert_eq!(browser.value("document.querySelectorAll('.bundle').length"), 80);
    is_accessible(browser, axe, "the bundle");
}

#[test]
fn a_phone_among_forty_students_plays_both_rounds_twice() {
    let Some(program) = browser::find() else {
        skip("no chromium on this machine (apt-get install chromium)");
        return;
    };
    let path = std::env::var_os("WARPSCOPE_TEST_AXE");
    let axe = path.map(|path| std::fs::read_to_string(path).unwrap());
    let lesson = Lesson::new(200, Options::default());
    let others: Vec<Client> = (0..39).map(|_| Client::joined(lesson.address)).collect();
    let mut browser = Browser::start(program);
    let phone = json!({ "width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": true });
    browser.ask("Emulation.setDeviceMetricsOverride", &phone);

    // A wrong code is said; the right one leads in.
    browser.open_url(&format!("http://{}/#ABCX", lesson.address));
    wait(&mut browser, "wrong room code");
    is_accessible(&mut browser, axe.as_deref(), "joining");
    browser.value("document.getElementById('code').value = 'abcd'");
    tab_to(&mut browser, "code");
    browser.press("Enter", 13, Some("\r"));
    wait(&mut browser, "Welcome");
    is_accessible(&mut browser, axe.as_deref(), "the lobby");

    choose(&lesson, &mut browser, &others, axe.as_deref());
    let [first, second] = lesson.tallies();
    assert_eq!((counts(&first), counts(&second)), (vec![0, 40, 0], vec![0, 39, 1]));
    draw(&lesson, &mut browser, &others, axe.as_deref());

    // Nothing came from elsewhere, and the page complained of nothing but the wrong code.
    let here = format!("http://{}/", lesson.address);
    let asked = browser.events.iter().filter(|it| it["method"] == "Network.requestWillBeSent");
    let foreign: Vec<&Value> = asked
        .map(|it| &it["params"]["request"]["url"])
        .filter(|url| {
            !url.as_str().is_some_and(|it| it.starts_with(&here) || it.starts_with("data:"))
        })
        .collect();
    assert!(foreign.is_empty(), "{foreign:?}");
    let complaints: Vec<String> = browser
        .events
        .iter()
        .filter(|it| {
            ["Log.entryAdded", "Runtime.exceptionThrown"]
                .contains(&it["method"].as_str().unwrap_or(""))
        })
        .map(ToString::to_string)
        .filter(|it| !it.contains("403 (Forbidden)"))
        .collect();
    assert!(complaints.is_empty(), "{complaints:?}");
    if axe.is_none() {
        skip("no axe-core (eval \"$(.ci/axe target/axe)\"); the rest of the page was checked");
    }
}
