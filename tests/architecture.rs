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
    ("process", &[]),
    ("syntax", &[]),
    ("compiler", &["process", "syntax", "units"]),
    ("work", &["emulator", "units"]),
    ("gpu", &["emulator", "units", "work"]),
    ("algorithms", &["experiment", "units", "work"]),
    ("backend", &["emulator", "experiment", "gpu", "statistics", "units", "work"]),
    ("own", &["algorithms", "emulator", "experiment", "syntax", "units", "work"]),
    ("results", &["experiment", "own", "statistics", "units", "work"]),
    ("analysis", &["algorithms", "experiment", "gpu", "results", "statistics", "units"]),
    ("figure", &["algorithms", "analysis", "experiment", "own", "results", "units", "work"]),
    ("export", &["algorithms", "analysis", "experiment", "figure", "results", "units", "work"]),
    (
        "runner",
        &[
            "algorithms",
            "backend",
            "compiler",
            "experiment",
            "gpu",
            "own",
            "process",
            "results",
            "statistics",
            "units",
            "work",
        ],
    ),
    ("class", &["experiment", "export", "lessons", "statistics", "units"]),
    (
        "lessons",
        &[
            "algorithms",
            "analysis",
            "experiment",
            "export",
            "figure",
            "gpu",
            "own",
            "results",
            "runner",
            "settings",
            "units",
        ],
    ),
    (
        "tui",
        &[
            "algorithms",
            "analysis",
            "class",
            "compiler",
            "experiment",
            "export",
            "figure",
            "gpu",
            "lessons",
            "own",
            "results",
            "runner",
            "settings",
            "units",
            "work",
        ],
    ),
];

/// Each room of `emulator/src/` and the rooms that it may import.
const EMULATOR: &[(&str, &[&str])] = &[
    ("ptx", &[]),
    ("program", &[]),
    ("compile", &["program", "ptx"]),
    ("lane", &["program"]),
    ("machine", &["program"]),
    ("cost", &["machine", "program"]),
    ("exec", &["cost", "lane", "machine", "program"]),
    ("critical_path", &["cost", "machine", "program"]),
    // It reads off the PTX which argument an address comes from.
    ("sanitizer", &["machine", "program", "ptx"]),
    (
        "launch",
        &["compile", "cost", "critical_path", "exec", "machine", "program", "ptx", "sanitizer"],
    ),
    ("trace", &["compile", "exec", "launch", "machine", "program", "ptx"]),
];

/// Most files of the emulator that may import each other in a circle.
const MOST_IN_A_CIRCLE: usize = 3;

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

/// A text without comments and without the tests at its end.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// The paths that a code names from `crate`, `super` or `self` on; `a::{b, c::d}` as
/// two of them.
fn paths(code: &str) -> Vec<Vec<String>> {
    fn follow(code: &str, mut path: Vec<String>, found: &mut Vec<Vec<String>>) {
        let end = code.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let (word, rest) = code.split_at(end.unwrap_or(code.len()));
        path.push(word.to_owned());
        let Some(rest) = rest.strip_prefix("::") else { return found.push(path) };
        let Some(group) = rest.strip_prefix('{') else { return follow(rest, path, found) };
        let (mut depth, mut start) = (0, 0);
        for (at, character) in group.char_indices() {
            match character {
                '{' => depth += 1,
                '}' if depth > 0 => depth -= 1,
                '}' | ',' if depth == 0 => {
                    let part = group[start..at].trim();
                    if !part.is_empty() {
                        follow(part, path.clone(), found);
                    }
                    start = at + 1;
                    if character == '}' {
                        return;
                    }
                }
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    for root in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(root) {
            let before = code[..at].chars().last();
            if !before.is_some_and(|c| c.is_ascii_alphanumeric() || "_:$".contains(c)) {
                follow(&code[at..], Vec::new(), &mut found);
            }
        }
    }
    found
}

/// The rooms that a text names as `crate::room`, also in `crate::{a, b}`.
fn imports(text: &str) -> BTreeSet<String> {
    let paths = paths(&code(text)).into_iter();
    paths.filter(|path| path.len() > 1 && path[0] == "crate").map(|path| path[1].clone()).collect()
}

/// Every file below a folder by its module path, with the files that it imports.
fn graph(source: &str) -> BTreeMap<String, BTreeSet<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
    let module = |file: &Path| {
        let path = file.strip_prefix(&root).unwrap().with_extension("");
        path.display().to_string().replace('\\', "/").trim_end_matches("/mod").to_owned()
    };
    let files = rooms(source).into_values().flatten();
    let files = files.filter(|file| !file.ends_with("tests.rs"));
    let texts: BTreeMap<String, String> =
        files.map(|file| (module(&file), fs::read_to_string(&file).unwrap())).collect();
    // The file that defines what a path names: its longest start that is one.
    let resolve = |from: &str, path: &[String]| {
        let mut at: Vec<&str> = from.split('/').collect();
        for word in path {
            match word.as_str() {
                "crate" => at.clear(),
                "super" => drop(at.pop()),
                "self" => {}
                name => {
                    at.push(name);
                    if !texts.contains_key(&at.join("/")) {
                        at.pop();
                        break;
                    }
                }
            }
        }
        at.join("/")
    };
    let imported = |file: &String, text: &String| {
        let mut found: BTreeSet<String> =
            paths(&code(text)).iter().map(|path| resolve(file, path)).collect();
        found.remove(file);
        found
    };
    texts.iter().map(|(file, text)| (file.clone(), imported(file, text))).collect()
}

/// The sets of files that import each other in a circle.
fn circles(graph: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<BTreeSet<&str>> {
    let reached = |from: &str| {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut left = vec![from];
        while let Some(file) = left.pop() {
            for next in graph.get(file).into_iter().flatten() {
                if seen.insert(next) {
                    left.push(next);
                }
            }
        }
        seen
    };
    let from: BTreeMap<&str, BTreeSet<&str>> =
        graph.keys().map(|file| (file.as_str(), reached(file))).collect();
    let circle = |file: &str| -> BTreeSet<&str> {
        let back = |other: &&&str| from.get(**other).is_some_and(|it| it.contains(file));
        from[file].iter().filter(back).copied().collect()
    };
    graph.keys().map(|file| circle(file)).filter(|circle| circle.len() > 1).collect()
}

#[test]
fn files_of_different_rooms_import_each_other_in_no_circle() {
    let room = |file: &str| file.split('/').next().unwrap().to_owned();
    for source in ["src", "emulator/src"] {
        let graph = graph(source);
        for circle in circles(&graph) {
            let rooms: BTreeSet<String> = circle.iter().map(|file| room(file)).collect();
            assert!(rooms.len() == 1, "a circle among the rooms {rooms:?}: {circle:#?}");
            let small = source == "src" || circle.len() <= MOST_IN_A_CIRCLE;
            assert!(small, "a circle of {} files: {circle:#?}", circle.len());
        }
    }
}

#[test]
fn circles_are_found() {
    let graph = [("a", &["b"][..]), ("b", &["c"]), ("c", &["b", "d"]), ("d", &[])];
    let graph = graph.map(|(file, imports)| {
        (file.to_owned(), imports.iter().map(|&it| it.to_owned()).collect())
    });
    assert_eq!(circles(&graph.into()), BTreeSet::from([BTreeSet::from(["b", "c"])]));
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
                    let import = import.as_str();
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
    // library.rs calls NVRTC. bytes.rs checks one access at a time, lane_addresses.rs 32
    // lanes together, rows.rs eight lanes in a row, line.rs all in a line; vectors.rs and run.rs
    // pick the code for the machine; the others use its vector instructions.
    let allowed = [
        "backend/cuda",
        "compiler/nvrtc/library.rs",
        "machine/bytes.rs",
        "machine/gather",
        "machine/lane_addresses.rs",
        "machine/lane_keys",
        "machine/lane_offsets.rs",
        "machine/local.rs",
        "machine/registers",
        "lane/word.rs",
        "exec/each/",
        "exec/lanes/signs.rs",
        "exec/line.rs",
        "exec/line_moves",
        "exec/local.rs",
        "exec/matrix/rows.rs",
        "exec/permute.rs",
        "exec/product",
        "exec/quick/parts",
        "exec/rows.rs",
        "exec/run.rs",
        "exec/vectors.rs",
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

#[test]
fn generic_rooms_know_no_algorithm_by_name() {
    // The experiment that the program opens on, and what schema 2 added to one algorithm.
    let allowed = ["src/experiment.rs", "src/results/store/lines.rs"];
    let rooms = rooms("src");
    let names: Vec<String> = warpscope::algorithms::ALL
        .iter()
        .map(|algorithm| format!("\"{}\"", algorithm.name()))
        .collect();
    for (room, files) in rooms {
        if ["algorithms", "compiler"].contains(&room.as_str()) {
            continue;
        }
        for file in files {
            let path = file.display().to_string().replace('\\', "/");
            let is_test = path.ends_with("tests.rs")
                || path.contains("/tests/")
                || path.ends_with("fixture.rs");
            if is_test || allowed.iter().any(|allowed| path.ends_with(allowed)) {
                continue;
            }
            let text = fs::read_to_string(&file).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for name in &names {
                assert!(!code.contains(name.as_str()), "{path} names {name}");
            }
        }
    }
}
