//! The HTML report, as a browser sees it. Needs a Chromium; without one the test
//! says so and passes.

pub(crate) mod browser;

use crate::support::builders::record;
use crate::support::{Place, skip};
use browser::Browser;
use serde_json::{Value, json};
use warpscope::results::record::Wrong;
use warpscope::results::store::Store;

/// A report of recorded, skipped and wrong cases of two algorithms; one of them
/// tries to smuggle a script in.
fn report(place: &Place) -> std::path::PathBuf {
    let recordings = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/recordings");
    let mut wrong = record("shared", 1000, 8e-11);
    wrong.seconds = None;
    wrong.verified = Some(false);
    wrong.wrong = Some(Box::new(Wrong {
        kind: "wrong-answer".into(),
        kernel: None,
        file: Some("histogram.cu".to_owned()),
        line: Some(31),
        block: None,
        lanes: Vec::new(),
        index: Some(3),
        expected: Some("5".to_owned()),
        got: Some("4".to_owned()),
        message: "<script>document.title = 'taken'</script> output[3] is 4".to_owned(),
    }));
    place.store_sweep("mine & yours.jsonl");
    Store::open(place.path("mine & yours.jsonl")).unwrap().append(&wrong).unwrap();
    let output = place
        .command("export --format html -o report.html")
        .arg("mine & yours.jsonl")
        .arg(format!("{recordings}/matmul_h200.jsonl"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    place.path("report.html")
}

/// Role, name and level of what a screen reader meets, in its order.
fn accessible(browser: &mut Browser) -> Vec<(String, String, u64)> {
    let tree = browser.ask("Accessibility.getFullAXTree", &json!({}));
    let word = |node: &Value, field: &str| node[field]["value"].as_str().unwrap_or("").to_owned();
    let level = |node: &Value| {
        let properties = node["properties"].as_array().cloned().unwrap_or_default();
        let level = properties.iter().find(|property| property["name"] == "level").cloned();
        level.and_then(|level| level["value"]["value"].as_u64()).unwrap_or(0)
    };
    tree["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|node| node["ignored"] == false)
        .map(|node| (word(node, "role"), word(node, "name"), level(node)))
        .collect()
}

#[test]
fn a_report_reads_well_in_a_browser() {
    let Some(program) = browser::find() else {
        skip("no chromium on this machine (apt-get install chromium)");
        return;
    };
    let place = Place::new();
    let path = report(&place);
    let mut browser = Browser::start(program);
    browser.open(&path);

    // One file: nothing else is asked for, nothing runs, nothing complains.
    let asked: Vec<String> = browser
        .events
        .iter()
        .filter(|event| event["method"] == "Network.requestWillBeSent")
        .filter_map(|event| event["params"]["request"]["url"].as_str().map(str::to_owned))
        .filter(|url| !url.starts_with("data:") && url != "about:blank")
        .collect();
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert_eq!(browser.value("document.scripts.length"), 0);
    let title = browser.value("document.title");
    assert!(title.as_str().unwrap().starts_with("histogram, matmul on"), "{title}");
    assert!(browser.value("document.body.textContent").as_str().unwrap().contains("<script>"));

    let text = browser.value("document.body.innerText");
    for part in [
        "Why shared is faster than global",
        "Counters at n = 2¹⁶",
        "Remarks",
        "shared atomics",
        "warpscope sweep histogram",
        "warpscope sweep matmul",
    ] {
        assert!(text.as_str().unwrap().contains(part), "{part}: {text}");
    }
    // Each term shows its meaning on hover and leads to the list.
    let terms = "[...document.querySelectorAll('a.term')].every(it => it.title.endsWith('.') && \
        document.querySelector(it.getAttribute('href')))";
    assert_eq!(browser.value(terms), true);
    landmarks_and_names(&mut browser);
    let regions = browser.value("document.querySelectorAll('.scroll').length");
    assert!(regions.as_u64().unwrap() >= 8, "{regions}");
    keyboard(&mut browser);
    looks(&mut browser);

    let complaints: Vec<&Value> = browser
        .events
        .iter()
        .filter(|event| {
            let method = event["method"].as_str().unwrap_or("");
            ["Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown"]
                .contains(&method)
        })
        .collect();
    assert!(complaints.is_empty(), "{complaints:?}");
}

/// One of each landmark, headings that never skip a level, and a name for
/// everything that needs one.
fn landmarks_and_names(browser: &mut Browser) {
    let nodes = accessible(browser);
    for role in ["main", "banner", "contentinfo", "navigation"] {
        let count = nodes.iter().filter(|(found, ..)| found == role).count();
        assert_eq!(count, 1, "{role}");
    }
    let levels: Vec<u64> =
        nodes.iter().filter(|(role, ..)| role == "heading").map(|(.., level)| *level).collect();
    assert_eq!(levels.first(), Some(&1), "{levels:?}");
    assert_eq!(levels.iter().filter(|level| **level == 1).count(), 1);
    assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{levels:?}");
    for wanted in ["image", "table", "region", "link"] {
        let named: Vec<&String> =
            nodes.iter().filter(|(role, ..)| role == wanted).map(|(_, name, _)| name).collect();
        assert!(!named.is_empty(), "no {wanted}");
        assert!(named.iter().all(|name| !name.is_empty()), "{wanted}: {named:?}");
    }
    // Rows and columns are headed, and ids name one thing each.
    let unheaded = "[...document.querySelectorAll('table')].filter(table => \
        !table.caption || [...table.rows].some(row => !row.querySelector('th[scope]'))).length";
    assert_eq!(browser.value(unheaded), 0);
    let twice = "(() => { const ids = [...document.querySelectorAll('[id]')].map(it => it.id); \
        return ids.filter((id, at) => ids.indexOf(id) !== at) })()";
    assert_eq!(browser.value(twice), json!([]));
    let lost = "[...document.querySelectorAll('[aria-labelledby],[aria-describedby],a[href^=\"#\"]')]\
        .flatMap(it => [it.getAttribute('aria-labelledby'), it.getAttribute('aria-describedby'), \
        it.getAttribute('href')]).filter(id => id).map(id => id.replace('#', ''))\
        .filter(id => !document.getElementById(id))";
    assert_eq!(browser.value(lost), json!([]));
}

/// The skip link comes first and leads to the results; Tab reaches every region
/// that scrolls, and arrows scroll it.
fn keyboard(browser: &mut Browser) {
    let focus = "document.activeElement.className + ' ' + document.activeElement.id";
    browser.press("Tab", 9, None);
    assert_eq!(browser.value(focus), "skip ");
    let seen = browser.value("document.activeElement.getBoundingClientRect().left >= 0");
    assert_eq!(seen, true, "the skip link shows when it has the focus");
    browser.press("Enter", 13, Some("\r"));
    assert_eq!(browser.value(focus), " main");
    let visible =
        "[...document.querySelectorAll('.scroll')].filter(it => it.checkVisibility()).length";
    let wanted = browser.value(visible).as_u64().unwrap();
    let (mut reached, mut opened) = (0, false);
    for _ in 0..200 {
        browser.press("Tab", 9, None);
        let at = browser.value(
            "document.activeElement === document.body ? 'end' : \
             document.activeElement.className || document.activeElement.localName",
        );
        match at.as_str().unwrap() {
            "scroll" => reached += 1,
            "summary" if !opened => {
                browser.press("Enter", 13, Some("\r"));
                let open = browser.value("document.activeElement.parentElement.open");
                assert_eq!(open, true, "Enter shows the numbers of a chart");
                opened = true;
            }
            "end" => break,
            _ => {}
        }
    }
    assert!(opened);
    assert_eq!(reached, wanted + 1, "Tab reaches every table, and the one that was opened");
}

/// Text stands out in both styles, charts follow the style, and a narrow window
/// does not scroll sideways.
fn looks(browser: &mut Browser) {
    let contrast = "(() => { \
        const parts = text => text.match(/[\\d.]+/g).map(Number); \
        const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => \
            v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4) \
            .reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0); \
        const ground = it => { for (; it; it = it.parentElement) { \
            const colour = parts(getComputedStyle(it).backgroundColor); \
            if (colour.length < 4 || colour[3] > 0) return colour } return [255, 255, 255] }; \
        return [...document.querySelectorAll('p, a, th, td, dd, dt, summary, caption, figcaption, \
            h1, h2, h3, small, code')].map(it => { \
            const [a, b] = [parts(getComputedStyle(it).color), ground(it)].map(light); \
            return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) }) \
            .reduce((least, v) => Math.min(least, v), 99) })()";
    let paper = "getComputedStyle(document.querySelector('svg.chart rect')).fill";
    let mut papers = Vec::new();
    for scheme in ["light", "dark"] {
        let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
        browser.ask("Emulation.setEmulatedMedia", &json!({ "features": [feature] }));
        let least = browser.value(contrast).as_f64().unwrap();
        assert!(least >= 4.5, "{scheme}: {least}");
        papers.push(browser.value(paper));
    }
    assert_eq!(papers, [json!("rgb(255, 255, 255)"), json!("rgb(20, 23, 28)")]);
    let narrow = json!({ "width": 320, "height": 640, "deviceScaleFactor": 1, "mobile": true });
    browser.ask("Emulation.setDeviceMetricsOverride", &narrow);
    let wide = browser.value("document.documentElement.scrollWidth").as_u64().unwrap();
    assert!(wide <= 320, "{wide} pixels wide in a window of 320");
    browser.ask("Emulation.clearDeviceMetricsOverride", &json!({}));
    // Paper is white whatever the screen is, and tables are printed whole.
    let print = json!({ "media": "print", "features":
        [{ "name": "prefers-color-scheme", "value": "dark" }] });
    browser.ask("Emulation.setEmulatedMedia", &print);
    assert_eq!(browser.value(paper), "rgb(255, 255, 255)");
    let cut = "[...document.querySelectorAll('.scroll')].filter(it => it.checkVisibility() && \
        getComputedStyle(it).overflowY !== 'visible').length";
    assert_eq!(browser.value(cut), 0);
}
