//! Which room may import which: arrows point down, and only along this table.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Each room of `src/` and the rooms that it may import. `emulator` is the crate
/// `warpscope-emulator`.
const PROGRAM: &[(&str, &[&str])] = &[
    ("units", &[]),
    ("statistics", &[]),
    ("experiment", &["units"]),
    ("settings", &["experiment"]),
    ("work", &["emulator", "units"]),
    ("gpu", &["emulator", "units", "work"]),
    ("algorithms", &["experiment", "units", "work"]),
    ("backend", &["emulator", "experiment", "gpu", "statistics", "units", "work"]),
    ("results", &["experiment", "units", "work"]),
    ("analysis", &["experiment", "gpu", "results", "statistics", "units"]),
    ("figure", &["algorithms", "analysis", "experiment", "results", "units", "work"]),
    ("export", &["algorithms", "analysis", "experiment", "figure", "results", "units", "work"]),
    (
        "runner",
        &["algorithms", "backend", "experiment", "gpu", "results", "statistics", "units", "work"],
    ),
    (
        "tui",
        &[
            "algorithms",
            "analysis",
            "experiment",
            "export",
            "figure",
            "gpu",
            "results",
            "runner",
            "settings",
            "units",
            "work",
        ],
    ),
];

/// Each room of `emulator/src/` and the rooms that it may import.
const EMULATOR: &[(&str, &[&str])] = &[("ptx", &[]), ("emulator", &["ptx"])];

/// The composition root: these may import everything.
const ROOT: &[&str] = &["lib", "main", "cli"];

/// The source files of every room below a folder.
fn rooms(source: &str) -> BTreeMap<String, Vec<PathBuf>> {
    fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, files);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
    let mut files = Vec::new();
    walk(&source, &mut files);
    let mut rooms: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for file in files {
        let first = file.strip_prefix(&source).unwrap().components().next().unwrap();
        let room = first.as_os_str().to_str().unwrap().trim_end_matches(".rs").to_owned();
        rooms.entry(room).or_default().push(file);
    }
    rooms
}

/// The rooms that a text names as `crate::room`, also in `crate::{a, b}`.
fn imports(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let word = |text: &str| -> String {
        text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
    };
    let code: String = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n");
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        let Some(group) = rest.strip_prefix('{') else {
            found.insert(word(rest));
            continue;
        };
        let mut depth = 0;
        let mut expects = true;
        for (index, character) in group.char_indices() {
            match character {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => expects = true,
                c if expects && (c.is_ascii_alphabetic() || c == '_') => {
                    found.insert(word(&group[index..]));
                    expects = false;
                }
                _ => {}
            }
        }
    }
    found
}

#[test]
fn rooms_import_only_what_the_table_allows() {
    let mut wrong = Vec::new();
    for (source, table) in [("src", PROGRAM), ("emulator/src", EMULATOR)] {
        let table: BTreeMap<&str, &[&str]> = table.iter().copied().collect();
        for (room, files) in rooms(source) {
            if ROOT.contains(&room.as_str()) {
                continue;
            }
            let Some(allowed) = table.get(room.as_str()) else {
                wrong.push(format!("room `{room}` is not in the table of tests/architecture.rs"));
                continue;
            };
            // Tests may build what they need from any room.
            for file in files.into_iter().filter(|file| !file.ends_with("tests.rs")) {
                for import in imports(&fs::read_to_string(&file).unwrap()) {
                    let import =
                        if source == "src" && import == "ptx" { "emulator" } else { &import };
                    let known = table.contains_key(import)
                        || ROOT.contains(&import)
                        || import == "emulator";
                    if known && import != room && !allowed.contains(&import) {
                        wrong.push(format!(
                            "{}: room `{room}` may not import `{import}`",
                            file.display()
                        ));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn arrows_point_one_way() {
    // Every room may only import rooms that come before it in some one order.
    for table in [PROGRAM, EMULATOR] {
        let mut done: BTreeSet<&str> = BTreeSet::from(["emulator"]);
        done.retain(|room| !table.iter().any(|(name, _)| name == room));
        let all = done.len() + table.len();
        while done.len() < all {
            let ready: Vec<&str> = table
                .iter()
                .filter(|(room, imports)| {
                    !done.contains(room) && imports.iter().all(|i| done.contains(i))
                })
                .map(|(room, _)| *room)
                .collect();
            assert!(!ready.is_empty(), "the table has a circle among the rooms not in {done:?}");
            done.extend(ready);
        }
    }
}

#[test]
fn imports_are_found_in_every_form() {
    let text =
        "use crate::a::B;\nuse crate::{b, c::{D, e}, f};\nlet x = crate::g::h(); // crate::no\n";
    let found: Vec<String> = imports(text).into_iter().collect();
    assert_eq!(found, ["a", "b", "c", "f", "g"]);
}

#[test]
fn unsafe_code_stays_where_the_design_puts_it() {
    // memory.rs checks one access at a time, places.rs 32 lanes together, rows.rs
    // eight lanes in a row; exec.rs picks the code for the machine.
    let allowed = [
        "backend/cuda",
        "emulator/memory.rs",
        "emulator/places.rs",
        "emulator/rows.rs",
        "emulator/exec.rs",
    ];
    for file in [rooms("src"), rooms("emulator/src")].into_iter().flatten().flat_map(|room| room.1)
    {
        let text = fs::read_to_string(&file).unwrap();
        let path = file.display().to_string().replace('\\', "/");
        let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
        if code.clone().any(|line| line.contains("unsafe ")) {
            assert!(allowed.iter().any(|place| path.contains(place)), "`unsafe` in {path}");
        }
    }
}
