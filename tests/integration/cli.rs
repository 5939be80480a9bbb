//! The real binary on stored files and on nonsense: everything but running
//! kernels.

mod compare;

use std::collections::HashSet;
use std::fs;
use std::io::Read;
use std::process::Stdio;

use crate::support::{Place, Ran, decode_png};

#[test]
fn a_picture_shows_both_curves_on_paper() {
    let place = Place::new();
    place.store_sweep("h.jsonl");
    place.run("plot h.jsonl -o h.png --size 800x500").fine();
    let (width, height, pixels) = decode_png(&place.path("h.png"));
    assert_eq!((width, height), (800, 500));
    let count = |wanted: [u8; 3]| pixels.iter().filter(|pixel| **pixel == wanted).count();
    assert!(count([0, 114, 178]) > 200, "the blue curve of global");
    assert!(count([213, 94, 0]) > 200, "the vermilion curve of shared");
    assert!(count([255, 255, 255]) > 200_000, "on paper");
    let colours: HashSet<_> = pixels.iter().collect();
    assert!(colours.len() > 100, "with smooth letters");
}

#[test]
fn a_drawing_names_what_it_shows_and_how_to_make_it_again() {
    let place = Place::new();
    place.store_sweep("h.jsonl");
    place.run("plot h.jsonl -o h.svg --y speedup --log x").fine();
    let svg = place.text("h.svg");
    for part in [
        "<svg",
        "histogram: speed-up by input size",
        "modelled speed-up over global",
        "modelled · H200 SXM · unvalidated",
        "warpscope sweep histogram --variant global,shared --block 128 --coarsen 4 -n 2^10..2^16",
        "warpscope plot histogram.jsonl --y speedup --log x -o histogram.png",
        "2¹⁰",
    ] {
        assert!(svg.contains(part), "{part} is missing");
    }
    place.run("plot h.jsonl -o up.svg --baseline variant=shared").fine();
    assert!(place.text("up.svg").contains("modelled speed-up over shared"));
    place
        .run("plot h.jsonl -o up.svg --baseline variant=best")
        .refused(&["no case has variant=best", "global, shared"]);
    place
        .run("plot h.jsonl -o up.svg --y time --baseline variant=shared")
        .refused(&["--y speedup"]);
}

/// The commands in an SVG, line by line as they are printed in it.
#[cfg(unix)]
fn printed(svg: &str) -> String {
    let lines = svg.lines().filter(|line| !line.contains('<'));
    let plain = |line: &str| line.replace("&quot;", "\"").replace("&amp;", "&");
    let mut commands: Vec<String> = Vec::new();
    for line in lines.map(plain) {
        let continues = commands.last().is_some_and(|last| last.ends_with('\\'));
        if continues || line.starts_with("warpscope ") {
            commands.push(line);
        }
    }
    commands.join("\n")
}

#[cfg(unix)]
#[test]
fn the_commands_printed_in_a_picture_make_it_again() {
    let place = Place::new();
    // Sizes that are no range, and a name with a space: several lines, with quotes.
    place
        .run(
            "sweep histogram --backend emulator --variant all --block 32,64,128 --coarsen 1,3 \
             -n 1000,1100,1200,1400,1700,2000 --bins 8,16 \
             --set binning=modulo,range --dist zipf:1.5 -o a.jsonl",
        )
        .fine();
    let view = "plot a.jsonl --y speedup --log x --bins 16 --set binning=range --block 32,64";
    place.run(&format!("{view} -o a.svg --size 640x480")).fine();
    place.run(&format!("{view} -o a.png")).fine();
    let script = printed(&place.text("a.svg"));
    assert!(script.lines().count() > 3 && script.contains("\"H200 SXM\""), "{script}");

    let again = Place::new();
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_warpscope")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut shell = std::process::Command::new("sh");
    shell.args(["-ec", &script]).current_dir(again.path(".")).env("PATH", path);
    shell.env("WARPSCOPE_CONFIG", "none").env("WARPSCOPE_RUNS", "none");
    Ran::from(shell.output().unwrap()).fine();
    let [first, second] = [place.path("a.png"), again.path("histogram.png")].map(fs::read);
    assert!(first.unwrap() == second.unwrap(), "another picture, by\n{script}");
}

#[test]
fn a_bare_picture_has_neither_title_nor_command_and_a_column_mostly_curves() {
    let place = Place::new();
    place.store_sweep("h.jsonl");
    place.run("plot h.jsonl -o h.svg --bare").fine();
    let svg = place.text("h.svg");
    let drawn = svg.split("</desc>").nth(1).unwrap();
    assert!(!drawn.contains("warpscope sweep") && !drawn.contains("kernel time by input size"));
    assert!(drawn.contains("modelled · H200 SXM"), "every number has its provenance");
    assert!(svg.contains("warpscope sweep histogram"), "the description has the command");
    place.run("plot h.jsonl -o column.svg --size column").fine();
    let svg = place.text("column.svg");
    assert!(!svg.split("</desc>").nth(1).unwrap().contains("warpscope sweep"));
}

#[test]
fn filters_choose_what_is_drawn() {
    let place = Place::new();
    place.store_sweep("h.jsonl");
    place.run("plot h.jsonl -o h.svg --variant shared -n 2^12..2^14").fine();
    let svg = place.text("h.svg");
    assert!(svg.contains("-n 2^12..2^14") && !svg.contains("global"));
    place.run("plot h.jsonl -o h.svg --bins 9").refused(&["none of the 14 cases in h.jsonl"]);
}

#[test]
fn every_view_has_a_picture_in_both_styles() {
    let place = Place::new();
    let recording = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/recordings/histogram_h200.jsonl");
    let sweep = format!("plot {recording} --bins 8 -n 2^12 --size 800x500 -o");
    for (view, title) in [
        ("sweep --x block --coarsen 4", "kernel time by block size"),
        ("output", "histogram: bins at n = 2^12"),
        ("tune --variant global", "global · n = 2^12"),
        ("ladder", "histogram: ladder at n = 2^12"),
    ] {
        place.run(&format!("{sweep} it.svg --view {view}")).fine();
        assert!(place.text("it.svg").contains(title), "{view}");
        place.run(&format!("{sweep} dark.png --style dark --view {view}")).fine();
        let (width, _, pixels) = decode_png(&place.path("dark.png"));
        assert_eq!((width, pixels[0]), (800, [20, 23, 28]), "{view}");
    }
    // Whatever terminal runs the tests: within tmux it is half blocks.
    let mut preview = place.command(&format!("plot {recording} --bins 8 --block 64 --preview"));
    let shown = Ran::from(preview.env("TMUX", "1").output().unwrap()).fine().out;
    assert!(shown.contains("▀") && shown.lines().count() > 7, "{shown}");
    place.store_sweep("h.jsonl");
    place.run("plot h.jsonl -o x.png --view tune").refused(&["no variant has two", "--coarsen"]);
    place.run("plot h.jsonl").refused(&["--output"]);
}

#[test]
fn exports_hold_every_case_with_its_provenance() {
    let place = Place::new();
    place.store_sweep("h.jsonl");
    let csv = place.run("export h.jsonl --format csv").fine().out;
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let headers = reader.headers().unwrap().clone();
    let column = |name: &str| headers.iter().position(|header| header == name).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 14);
    for row in &rows {
        assert_eq!(&row[column("provenance")], "modelled");
        assert_eq!(&row[column("flags")], "unvalidated");
        assert_eq!(&row[column("bins")], "8");
        row[column("median_seconds")].parse::<f64>().unwrap();
    }

    let json = place.run("export h.jsonl --format json").fine().out;
    let records: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(records.as_array().unwrap().len(), 14);
    assert_eq!(records[0]["provenance"], "modelled");

    place.run("export h.jsonl --format markdown --variant shared -o h.md").fine();
    let markdown = place.text("h.md");
    assert_eq!(markdown.matches("| modelled · H200 SXM · unvalidated |").count(), 7);
}

#[test]
fn a_file_of_measured_times_is_shown_as_recorded() {
    let place = Place::new();
    place.store_sweep("h.jsonl");
    let measured = place.text("h.jsonl").replace("\"modelled\"", "\"measured\"");
    fs::write(place.path("m.jsonl"), measured).unwrap();
    let csv = place.run("export m.jsonl --format csv").fine().out;
    assert_eq!(csv.matches(",recorded,").count(), 14);
    assert!(!csv.contains(",measured,"));
}

#[test]
fn files_that_are_not_ours_are_refused_with_the_line() {
    let place = Place::new();
    place.store_sweep("h.jsonl");
    let ours = place.text("h.jsonl");
    fs::write(place.path("foreign.jsonl"), format!("{ours}{{\"hello\":1}}\n")).unwrap();
    fs::write(place.path("newer.jsonl"), "{\"schema\":99}\n").unwrap();
    fs::write(place.path("empty.jsonl"), "").unwrap();
    for command in ["plot FILE -o x.png", "export FILE --format csv", "show FILE"] {
        let run = |file: &str| place.run(&command.replace("FILE", file));
        run("foreign.jsonl").refused(&["foreign.jsonl:15 is not a record"]);
        run("newer.jsonl").refused(&["newer.jsonl:1 has schema 99", "update warpscope"]);
        run("nowhere.jsonl").refused(&["there is no file nowhere.jsonl"]);
        run(".").refused(&["not a regular file"]);
        run("empty.jsonl").refused(&["empty.jsonl holds no case"]);
    }
    assert!(!place.path("x.png").exists());
}

#[test]
fn a_torn_last_line_does_not_keep_the_rest_from_being_read() {
    let place = Place::new();
    place.store_sweep("h.jsonl");
    let text = place.text("h.jsonl");
    fs::write(place.path("h.jsonl"), &text[..text.len() - 40]).unwrap();
    let csv = place.run("export h.jsonl --format csv").fine().out;
    assert_eq!(csv.lines().count(), 1 + 13);
}

#[test]
fn output_that_cannot_be_written_is_named() {
    let place = Place::new();
    place.store_sweep("h.jsonl");
    // A file where a folder should be: refused to root as well.
    place.run("plot h.jsonl -o h.jsonl/x.png").refused(&["cannot write h.jsonl/x.png"]);
    place.run("export h.jsonl --format csv -o no/x.csv").refused(&["cannot write no/x.csv"]);
    place.run("plot h.jsonl -o x.jpg").refused(&["x.jpg", ".png or .svg"]);
    place.run("plot h.jsonl -o x.png --size 10x10").refused(&["size `10x10`", "1600x1000"]);
    place.run("sweep histogram -o no/x.jsonl").refused(&["cannot write no/x.jsonl"]);
    place.run("sweep histogram -o .").refused(&["not a regular file"]);
}

#[test]
fn nonsense_is_refused_by_name_before_anything_is_written() {
    let place = Place::new();
    for (arguments, parts) in [
        ("--block 0", &["block size must be 1 to 1024, not 0"][..]),
        ("--block 1025", &["must be 1 to 1024, not 1025"]),
        ("--coarsen 0", &["0 is not in"]),
        ("-n 2^31", &["n must be 0 to 2147483647"]),
        ("-n 8..4", &["down to"]),
        ("--bins 0", &["bins of histogram cannot be 0", "2 to 65536"]),
        ("--bins 1", &["bins of histogram cannot be 1"]),
        ("--variant sharde", &["did you mean `shared`?"]),
        ("--set binning=modul", &["binning of histogram cannot be modul", "modulo | range"]),
        ("--set bin=8", &["did you mean `bin"]),
        ("--dist gauss", &["no distribution `gauss`"]),
        ("--gpu GTX", &["no GPU profile `GTX`", "did you mean `GTX"]),
        ("--backend emulater", &["did you mean `emulator`?"]),
        ("--backend cuda --gpu T4", &["--gpu selects a profile for the emulator"]),
        ("--experiment none.json", &["cannot read none.json"]),
        ("--blok 3", &["--blok"]),
    ] {
        place.run(&format!("sweep histogram -o x.jsonl {arguments}")).refused(parts);
    }
    place.run("sweep histogramm -o x.jsonl").refused(&["did you mean `histogram`?"]);
    place.run("run histogram --variant all -n 1,2").refused(&["`run` does one case"]);
    place.run("swep histogram").refused(&["swep"]);
    assert!(!place.path("x.jsonl").exists());
}

#[test]
fn an_experiment_file_that_is_none_says_where() {
    let place = Place::new();
    fs::write(place.path("e.json"), "{\"algorithm\": 3}").unwrap();
    place
        .run("sweep --experiment e.json -o x.jsonl")
        .refused(&["e.json is not an experiment", "line 1"]);
}

#[test]
fn lists_are_read_by_people_and_programs() {
    let place = Place::new();
    assert!(place.run("list").fine().out.contains("histogram"));
    let json = place.run("list --json").fine().out;
    let list: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(list["algorithms"][0]["variants"][1]["name"], "shared");
    assert!(place.run("devices").fine().out.contains("H200 SXM"));
    let json = place.run("devices --json").fine().out;
    let devices: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(devices["profiles"].as_array().unwrap().len() > 5);
}

#[test]
fn completions_and_manual_pages_are_generated() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(place.run(&format!("completions {shell}")).fine().out.contains("sweep"));
    }
    assert!(place.run("man").fine().out.contains(".TH warpscope 1"));
    assert!(place.run("man sweep").fine().out.contains("continued"));
    place.run("man swep").refused(&["did you mean `sweep`?"]);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = Place::new();
    place.store_sweep("h.jsonl");
    for arguments in ["export h.jsonl --format json", "list --json", "man", "completions bash"] {
        let mut child =
            place.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let status = child.wait().unwrap();
        let mut err = String::new();
        child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        assert_eq!((status.code(), err.as_str()), (Some(0), ""), "{arguments}");
    }
}

#[test]
fn screens_without_a_terminal_say_so() {
    let place = Place::new();
    place.store_sweep("h.jsonl");
    for arguments in ["", "show h.jsonl"] {
        place.run(arguments).refused(&["terminal"]);
    }
}

#[test]
fn a_case_is_taken_apart_kernel_by_kernel_and_line_by_line() {
    let place = Place::new();
    let told = place.run("run histogram --variant shared -n 2^12 --block 64 --coarsen 1 --kernels");
    let text = told.fine().out;
    for part in [
        "counted on the emulator · modelled · H200 SXM",
        "count: histogram_shared_modulo",
        "100 %: 64 of 64 warps",
        "passes per atomic",
        "executed lines",
        "kernels/histogram.cu:",
        "of 132 multiprocessors get no block",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let text = place.run("run histogram -n 2^12 --variant global --kernels --json").fine().out;
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let kernel = &value["anatomy"]["kernels"][0];
    assert_eq!(kernel["counters"]["global_atomic_requests"], 128);
    let lines = kernel["instructions"].as_array().unwrap();
    let warps = |line: &serde_json::Value| line["warps"].as_u64().unwrap_or(0);
    assert_eq!(lines.iter().map(warps).sum::<u64>(), kernel["counters"]["warp_instructions"]);
    place
        .run("run histogram -n 2^12 --variant shared --bins 65536 --kernels")
        .refused(&["shared memory"]);
}
