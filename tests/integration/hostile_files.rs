//! Result files with absurd numbers: a bad line is named and left out, and no command ends by
//! memory or abort.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Place, Ran};

/// Every number of a line replaced in turn.
fn mutated(line: &Value, with: &Value) -> Vec<Value> {
    fn places(value: &Value, path: &str, found: &mut Vec<String>) {
        match value {
            Value::Number(_) => found.push(path.to_owned()),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    places(item, &format!("{path}/{index}"), found);
                }
            }
            Value::Object(fields) => {
                for (name, item) in fields {
                    places(item, &format!("{path}/{name}"), found);
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    places(line, "", &mut found);
    let wanted = found.iter().filter(|place| *place != "/schema");
    wanted
        .enumerate()
        .map(|(seed, place)| {
            let mut line = line.clone();
            // So that each is a case of its own.
            line["seed"] = json!(seed);
            *line.pointer_mut(place).unwrap() = with.clone();
            line
        })
        .collect()
}

/// Runs with little memory.
fn held(place: &Place, arguments: &str) -> Ran {
    let program = env!("CARGO_BIN_EXE_warpscope");
    let script = format!("ulimit -v 3000000; exec '{program}' {arguments}");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).current_dir(place.path(""));
    command.env("WARPSCOPE_CONFIG", "none").env("WARPSCOPE_RUNS", "none");
    command.output().unwrap().into()
}

#[test]
fn absurd_numbers_end_no_command() {
    let lines: Vec<Value> = include_str!("../golden/records.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for with in [json!(-1.0), json!(0), json!(1e-300), json!(1e300), json!(2_147_483_647u64)] {
        let place = Place::new();
        let text: String = lines
            .iter()
            .flat_map(|line| mutated(line, &with))
            // What is no record at all is refused with its line, as before.
            .filter(|line| {
                serde_json::from_value::<warpscope::results::record::Record>(line.clone()).is_ok()
            })
            .map(|line| line.to_string() + "\n")
            .collect();
        fs::write(place.path("s.jsonl"), text).unwrap();
        for command in [
            "plot s.jsonl -o p.svg",
            "plot s.jsonl -o p.png --y throughput",
            "plot s.jsonl -o p.svg --view output",
            "plot s.jsonl -o p.svg --view tune",
            "plot s.jsonl -o p.svg --view ladder",
            "export s.jsonl --format html -o p.html",
            "export s.jsonl --format csv",
            "compare s.jsonl --baseline block=128",
        ] {
            let ran = held(&place, command);
            assert!(matches!(ran.code, Some(0..=2)), "{with} {command}: {ran:?}");
            assert!(!ran.err.contains("panicked"), "{with} {command}: {}", ran.err);
        }
    }
}

#[test]
fn a_line_beyond_the_limits_is_named_and_left_out() {
    let place = Place::new();
    place.store_sweep("s.jsonl");
    let text = place.text("s.jsonl");
    let bad = |line: &str| line.replacen("\"median\":", "\"median\":-", 1);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines[1] = bad(&lines[1]);
    fs::write(place.path("s.jsonl"), lines.join("\n") + "\n").unwrap();
    let ran = place.run("export s.jsonl --format csv").fine();
    assert!(ran.err.contains("s.jsonl:2: invalid line ignored: `seconds` is -"), "{}", ran.err);
    assert_eq!(ran.out.lines().count(), lines.len(), "the others and a heading");
    // All of them: some are named, the others counted.
    let all: String = lines.iter().map(|line| bad(&line.replace(":-", ":")) + "\n").collect();
    fs::write(place.path("s.jsonl"), all).unwrap();
    let ran = place.run("export s.jsonl --format csv");
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.err.contains("9 more lines ignored"), "{}", ran.err);
    assert!(ran.err.contains("holds no case"), "{}", ran.err);
    // A continued sweep runs such a case again, and the line stays.
    fs::write(place.path("t.jsonl"), lines[1].clone() + "\n").unwrap();
    let ran = place
        .run("sweep histogram --backend scripted --variant global,shared -n 64 -o t.jsonl")
        .fine();
    assert!(ran.err.contains("t.jsonl:1: invalid line ignored"), "{}", ran.err);
    assert_eq!(place.text("t.jsonl").lines().next(), Some(lines[1].as_str()));
}
