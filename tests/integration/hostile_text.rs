//! Text from kernels, PTX, files, devices and workers: no terminal, page or spreadsheet obeys
//! it.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::workers::{OWN, opening};
use crate::support::{Place, Ran};
use warpscope::units::text::is_hidden;

/// ESC, CSI, BEL, OSC, bidirectional marks, 8-bit controls, DEL and a carriage return.
const HOSTILE: &str =
    "=A\u{1b}[31m\u{7}\u{1b}]0;title\u{1b}\\\u{202e}\u{2066}\u{200f}\u{9b}2J\u{7f}\rB<b>|";

/// The same as JSON has it, for a shell's `echo`.
fn quoted() -> String {
    let json = serde_json::to_string(HOSTILE).unwrap();
    let escape = |c: char| {
        if c.is_ascii() && !c.is_ascii_control() {
            c.to_string()
        } else {
            format!("\\u{:04x}", u32::from(c))
        }
    };
    json.trim_matches('"').chars().map(escape).collect()
}

#[track_caller]
fn harmless(what: &str, text: &str) {
    let bad = text.chars().find(|c| is_hidden(*c) && !matches!(c, '\n' | '\t'));
    assert_eq!(bad, None, "{what} has a hidden character: {text:?}");
}

#[track_caller]
fn both_harmless(what: &str, ran: &Ran) {
    harmless(what, &ran.out);
    harmless(what, &ran.err);
}

/// A module whose kernel prints `text`.
fn printing(text: &str) -> String {
    let bytes: Vec<String> = text.bytes().chain([0]).map(|byte| byte.to_string()).collect();
    format!(
        ".version 7.8\n.target sm_70\n.address_size 64\n\
         .extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n\
         .global .align 1 .b8 text[{}] = {{{}}};\n\
         .visible .entry k() {{ .reg .b64 %rd<9>;\n\
         mov.u64 %rd3, text; cvta.global.u64 %rd4, %rd3;\n\
         {{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd4;\n\
         st.param.b64 [b], 0; call.uni (r), vprintf, (a, b); }}\nret; }}\n",
        bytes.len(),
        bytes.join(", ")
    )
}

#[test]
fn what_a_kernel_prints_is_escaped_unless_raw() {
    let place = Place::new();
    fs::write(place.path("k.ptx"), printing(&format!("{HOSTILE}\n\ttab\n"))).unwrap();
    let exec = "exec k.ptx --grid 1 --block 1 --regs 16";
    let ran = place.run(exec).fine();
    both_harmless("exec", &ran);
    assert!(ran.out.contains("\\u001b[31m") && ran.out.contains("\\u009b2J"), "{}", ran.out);
    assert!(ran.out.contains("\n\ttab\n"), "lines and tabs stay: {}", ran.out);
    let json: Value =
        serde_json::from_str(&place.run(&format!("{exec} --json")).fine().out).unwrap();
    assert_eq!(json["printed"], format!("{HOSTILE}\n\ttab\n"), "the JSON is the same");
    let raw = place.run(&format!("{exec} --raw")).fine().out;
    assert!(raw.contains(HOSTILE), "{raw:?}");
    // Bytes that are no text.
    let bytes = printing("a").replacen("97", "155", 1);
    fs::write(place.path("k.ptx"), bytes).unwrap();
    let ran = place.run(exec).fine();
    assert!(ran.out.starts_with("\\x9b\n"), "{}", ran.out);
}

#[test]
fn names_in_errors_are_escaped() {
    let place = Place::new();
    for text in [
        format!(".version 7.8 .target sm_70 .address_size 64 .entry k() {{ {HOSTILE}; ret; }}"),
        format!(
            ".version 7.8 .target sm_70 .address_size 64 .file 1 \"{HOSTILE}\" .entry k() {{ \
                 .loc 1 1 1\n foo.u32 %r1; ret; }}"
        ),
        HOSTILE.to_owned(),
    ] {
        fs::write(place.path("k.ptx"), text).unwrap();
        let ran = place.run("exec k.ptx --grid 1 --block 1");
        assert_eq!(ran.code, Some(2), "{ran:?}");
        both_harmless("a PTX error", &ran);
    }
    for command in ["export --format csv", "compare --baseline variant=global", "exec"] {
        let mut command = place.command(command);
        let ran: Ran = command.arg(HOSTILE.replace('/', "")).output().unwrap().into();
        assert_eq!(ran.code, Some(2), "{ran:?}");
        harmless("a file name in an error", &ran.err);
    }
}

/// What a sweep on a worker says.
fn sweep(place: &Place, worker: &str) -> Ran {
    fs::write(place.path("worker.sh"), worker).unwrap();
    let mut command = place
        .command("sweep histogram --backend scripted --variant global,shared -n 64 -o s.jsonl");
    command.args(["--worker", "sh worker.sh"]);
    command.output().unwrap().into()
}

#[test]
fn what_a_worker_says_is_escaped() {
    let (open, evil) = (opening(), quoted());
    let hello = open.split_once("; read -r measure").unwrap().0;
    let named = hello.replace("Scripted GPU", &evil);
    assert_ne!(named, hello);
    let dies = format!("printf '\\033[31m\\233\\007%s\\n' '{HOSTILE}' >&2; exit 3");
    for (what, worker) in [
        ("the name of a GPU", format!("{named}; read -r m; exit 1")),
        (
            "a refusal",
            format!(r#"read -r o; printf '%s\n' '{{"reply":"refused","message":"{evil}"}}'"#),
        ),
        (
            "a lost device",
            format!(r#"{open}; printf '%s\n' '{{"reply":"lost","message":"{evil}"}}'"#),
        ),
        ("its last lines", format!("{open}; {dies}")),
        ("a line that is no reply", format!("{open}; printf '%s\\n' '{HOSTILE}'; cat >/dev/null")),
        (
            "a skipped case",
            format!(
                "{OWN} | sed -u -E 's/\"seconds\":\\{{[^}}]*\\}},//;s/\"skip\":null/\"skip\":\"{}\"/;\
             s/\"verified\":true/\"verified\":null/'",
                evil.replace('\\', "\\\\").replace(['|', '/'], "")
            ),
        ),
    ] {
        let place = Place::new();
        // `echo` of some shells would obey the escapes of JSON itself.
        let ran = sweep(&place, &worker.replace("echo '", "printf '%s\\n' '"));
        both_harmless(what, &ran);
        assert!(ran.err.contains("u001b") || ran.err.contains("x1b"), "{what}: {}", ran.err);
        if place.path("s.jsonl").exists() {
            stored_is_harmless(&place);
        }
    }
}

/// Every text of a stored line, hostile.
fn hostile(value: &mut Value, path: &str) {
    // Words of closed lists, and what decides whether a line is a record.
    let fixed = ["/dist", "/provenance", "/stop_reason", "/flags", "/kind", "/algorithm", "/time"];
    match value {
        Value::String(text) if !fixed.iter().any(|end| path.contains(end)) => {
            *text = format!("{HOSTILE}{text}").chars().take(80).collect();
        }
        Value::Array(items) => items.iter_mut().for_each(|item| hostile(item, path)),
        Value::Object(fields) => {
            for (name, value) in fields.iter_mut() {
                hostile(value, &format!("{path}/{name}"));
            }
        }
        _ => {}
    }
}

/// Reads the stored lines in every way.
fn stored_is_harmless(place: &Place) {
    for command in [
        "export s.jsonl --format csv",
        "export s.jsonl --format markdown",
        "export s.jsonl --format html",
        "export s.jsonl --format json",
        "compare s.jsonl --baseline block=128",
        "compare s.jsonl --baseline block=128 --format csv",
        "compare s.jsonl --baseline block=128 --format markdown",
        "compare s.jsonl --baseline block=128 --json",
        "plot s.jsonl -o p.svg",
        "merge s.jsonl -o t.jsonl",
    ] {
        both_harmless(command, &place.run(command));
    }
    if place.path("p.svg").exists() {
        harmless("an SVG", &place.text("p.svg"));
    }
}

/// A file of hostile lines of each kind.
fn hostile_file(path: &Path) {
    let lines = include_str!("../golden/records.jsonl").lines().map(|line| {
        let mut value: Value = serde_json::from_str(line).unwrap();
        hostile(&mut value, "");
        value.to_string() + "\n"
    });
    fs::write(path, lines.collect::<String>()).unwrap();
}

#[test]
fn what_a_file_holds_is_escaped_in_every_output() {
    let place = Place::new();
    hostile_file(&place.path("s.jsonl"));
    stored_is_harmless(&place);
    for format in ["csv", "markdown", "html"] {
        let ran = place.run(&format!("export s.jsonl --format {format} -o out.{format}"));
        ran.fine();
        let text = place.text(&format!("out.{format}"));
        harmless(format, &text);
        assert!(text.contains("u001b[31m"), "{format} shows what was there");
        // In a block of code a tag is text.
        let obeyed = text.split("\n```\n").step_by(2).any(|part| part.contains("<b>"));
        assert!(format == "csv" || !obeyed, "{format} has a tag of the file");
    }
    // No cell is a formula for a spreadsheet.
    let mut table = csv::Reader::from_path(place.path("out.csv")).unwrap();
    for row in table.records() {
        for cell in &row.unwrap() {
            let formula = cell.starts_with(['=', '+', '-', '@']) && cell.parse::<f64>().is_err();
            assert!(!formula, "{cell}");
        }
    }
    assert!(place.run("plot s.jsonl -o p.svg").code.is_some(), "no abort");
}

#[test]
fn a_byte_order_mark_before_ptx_is_no_part_of_it() {
    let place = Place::new();
    fs::write(place.path("k.ptx"), format!("\u{feff}{}", printing("hello"))).unwrap();
    let ran = place.run("exec k.ptx --grid 1 --block 1 --regs 16").fine();
    assert!(ran.out.starts_with("hello\n"), "{}", ran.out);
}
