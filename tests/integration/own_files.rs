//! A user's file in place of an algorithm: run, swept, stored, read elsewhere.
//!
//! The files are PTX that NVRTC made, so that no compiler is needed.

use std::fs;
use std::path::Path;

use serde_json::Value;
use warpscope::results::store;

use crate::support::compilers::{self, One};
use crate::support::{Place, Ran};

/// A kernel `mine` of the histogram, with the header that says so.
const MINE: &str = concat!(
    "/* warpscope\nlike = \"histogram\"\n*/\n",
    include_str!("../../kernels/contracts/ptx/histogram.ptx")
);

/// Line of its source in which the threads add to the bins of their block.
const ADDS: &str = "kernels/contracts/histogram.cu";

/// The same without its first barrier.
fn racy() -> String {
    let racy = MINE.replacen("bar.sync \t0;", "", 1);
    assert_ne!(racy, MINE);
    racy
}

/// The same with one too many in each bin.
fn wrong() -> String {
    let wrong = MINE.replacen("st.shared.u32 \t[%rd7], %r13;", "st.shared.u32 \t[%rd7], 1;", 1);
    assert_ne!(wrong, MINE);
    wrong
}

fn put(place: &Place, name: &str, text: &str) {
    fs::create_dir_all(place.path(name).parent().unwrap()).unwrap();
    fs::write(place.path(name), text).unwrap();
}

/// Runs words that may hold spaces.
fn run(place: &Place, words: &[&str]) -> Ran {
    Ran::from(place.command("").args(words).output().unwrap())
}

const SWEEP: &str = "-n 2^10,2^11 --backend emulator -o m.jsonl";

/// Lines with a file, and with a case.
fn lines(path: &Path) -> (Vec<Value>, Vec<Value>) {
    let text = fs::read_to_string(path).unwrap();
    let all = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    all.partition(|line| line["file"].is_object())
}

#[test]
fn a_file_runs_in_place_of_an_algorithm() {
    let place = Place::new();
    let path = "ordner mit \u{e4} \u{4e2d}/mein kern.ptx";
    put(&place, path, MINE);
    let words = ["run", path, "--variant", "mine", "-n", "5000", "--json", "--backend", "emulator"];
    let ran = run(&place, &words).fine();
    let record: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(record["algorithm"], "mein kern.ptx");
    assert_eq!((&record["variant"], &record["verified"]), (&"mine".into(), &true.into()));
    assert_eq!(record["source"].as_str().unwrap().len(), 16);
    // Parameters are those of the histogram.
    let words = [&words[..], &["--set", "bins=64", "--like", "histogram"]].concat();
    let record: Value = serde_json::from_str(&run(&place, &words).fine().out).unwrap();
    assert_eq!((&record["params"]["bins"], &record["verified"]), (&64.into(), &true.into()));
    let profile = run(&place, &["run", path, "--variant", "mine", "-n", "5000", "--kernels"]);
    let profile = profile.fine().out;
    // The lines of PTX without a source are its own.
    assert!(profile.contains("mein kern.ptx") && !profile.contains("mein kern.cu"), "{profile}");
}

#[test]
fn a_sweep_keeps_the_file_once_for_each_version() {
    let place = Place::new();
    put(&place, "mine.ptx", MINE);
    let sweep = format!("sweep mine.ptx {SWEEP}");
    place.run(&sweep).fine();
    let (files, cases) = lines(&place.path("m.jsonl"));
    assert_eq!((files.len(), cases.len()), (1, 8));
    let (kept, hash) = (&files[0], &files[0]["hash"]);
    assert_eq!((&kept["schema"], &kept["path"]), (&3.into(), &"mine.ptx".into()));
    assert_eq!(kept["file"]["source"], MINE);
    for case in &cases {
        // The variants of the histogram are not the user's.
        let own = case["variant"] == "mine";
        assert_eq!((case.get("source") == Some(hash), &case["schema"]), (own, &2.into()), "{case}");
        assert_eq!(case["verified"], true);
    }
    place.run(&sweep).fine();
    assert_eq!(lines(&place.path("m.jsonl")).1.len(), 8, "all cases are stored");

    put(&place, "mine.ptx", &format!("{MINE}\n// changed\n"));
    place.run(&sweep).fine();
    let (files, cases) = lines(&place.path("m.jsonl"));
    assert_eq!((files.len(), cases.len()), (2, 10), "only the user's kernel runs again");
    assert_ne!(files[1]["hash"], files[0]["hash"]);
}

/// Registers come from the assembler where there is one; a time without them is marked, and
/// computed again once they are known.
#[cfg(unix)]
#[test]
fn the_assembler_tells_the_registers() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    put(&place, "mine.ptx", MINE);
    let flags = |ran: &Ran| {
        let record: Value = serde_json::from_str(&ran.out).unwrap();
        (record["flags"].to_string(), record["model"]["occupancy"].as_f64().unwrap())
    };
    let sweep = format!("sweep mine.ptx --variant mine {SWEEP} --block 256");
    place.run(&sweep).fine();
    put(
        &place,
        "bin/ptxas",
        "#!/bin/sh\nprintf \"Compiling entry function 'mine' for 'sm_90'\n\
         0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
         Used 128 registers, used 1 barriers\"\n",
    );
    let program = place.path("bin/ptxas");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let words = "run mine.ptx --variant mine -n 2^20 --block 256 --json --backend emulator";
    let (told, occupancy) = flags(&place.run(words).fine());
    assert!(told.contains("registers_estimated") && occupancy > 0.99, "{told} {occupancy}");
    let with_tools = |words: &str| {
        let mut command = place.command(words);
        command.env("PATH", place.path("bin")).env("WARPSCOPE_CACHE", place.path("cache"));
        Ran::from(command.output().unwrap()).fine()
    };
    // 128 registers of 256 threads: two blocks of eight fit.
    let (told, occupancy) = flags(&with_tools(words));
    assert!(!told.contains("registers_estimated"), "{told}");
    assert!((occupancy - 0.25).abs() < 1e-9, "{occupancy}");
    with_tools(&sweep);
    let (files, cases) = lines(&place.path("m.jsonl"));
    assert_eq!((files.len(), cases.len()), (2, 4));
    with_tools(&sweep);
    assert_eq!(lines(&place.path("m.jsonl")).1.len(), 4, "all cases are stored");
    let listed = with_tools("list mine.ptx").out;
    assert!(listed.contains("registers  128 per thread\n"), "{listed}");
}

#[test]
fn stored_results_open_elsewhere_with_their_source() {
    let here = Place::new();
    put(&here, "mine.ptx", MINE);
    here.run(&format!("sweep mine.ptx {SWEEP}")).fine();
    let there = Place::new();
    fs::copy(here.path("m.jsonl"), there.path("m.jsonl")).unwrap();
    let ran = there.run("export m.jsonl --format html -o r.html").fine();
    assert!(ran.err.contains("mine.ptx cannot be read here; the stored source"), "{}", ran.err);
    let page = there.text("r.html");
    assert!(page.contains("id=\"sources\"") && page.contains(".visible .entry mine("), "{page}");
    there.run("plot m.jsonl -o m.svg").fine();
    there.run("compare m.jsonl --baseline variant=global").fine();
    // Merged twice, the file is there once.
    for _ in 0..2 {
        there.run("merge m.jsonl -o all.jsonl").fine();
        let (files, cases) = lines(&there.path("all.jsonl"));
        assert_eq!((files.len(), cases.len()), (1, 8));
    }
    let contents = store::load(there.path("all.jsonl")).unwrap();
    assert_eq!((contents.files.len(), contents.records.len()), (1, 8));
    // A sweep without the file cannot go on, and says why.
    there.run(&format!("sweep mine.ptx {SWEEP}")).refused(&["there is no file mine.ptx"]);

    put(&here, "mine.ptx", &racy());
    let ran = here.run("export m.jsonl --format csv").fine();
    assert!(ran.err.contains("mine.ptx has changed since these results"), "{}", ran.err);
}

#[test]
fn a_kernel_with_an_error_is_named_with_its_line_and_left_out() {
    let place = Place::new();
    put(&place, "racy.ptx", &racy());
    let ran = place.run("run racy.ptx --variant mine -n 2^12 --backend emulator");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let first = ran.err.lines().next().unwrap();
    assert!(
        first.starts_with(&format!("{ADDS}:")) && first.contains(": race in kernel mine"),
        "{first}"
    );
    assert!(ran.out.is_empty(), "{ran:?}");

    let ran = place.run(&format!("sweep racy.ptx {SWEEP}"));
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let (_, cases) = lines(&place.path("m.jsonl"));
    assert_eq!(cases.len(), 6, "the other variants run: {ran:?}");
    assert!(cases.iter().all(|case| case["variant"] != "mine"));

    let anyway = place.run(&format!("sweep racy.ptx --no-check {SWEEP}"));
    assert!(!anyway.err.contains("race in kernel"), "{anyway:?}");
    assert_eq!(lines(&place.path("m.jsonl")).1.len(), 8);

    put(&place, "wrong.ptx", &wrong());
    let ran = place.run("run wrong.ptx --variant mine -n 2^12 --backend emulator");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let first = ran.err.lines().next().unwrap();
    assert!(first.starts_with(&format!("{ADDS}:")), "{first}");
    assert!(first.contains("wrong-answer in kernel mine: output[0] is"), "{first}");
}

#[test]
fn another_worker_gets_the_file_with_the_cases() {
    let place = Place::new();
    put(&place, "mine.ptx", MINE);
    let worker = format!("'{}' worker", env!("CARGO_BIN_EXE_warpscope"));
    let folder = tempfile::tempdir().unwrap();
    // A worker in another folder does not find the file.
    let worker = format!("sh -c \"cd '{}' && exec {worker}\"", folder.path().display());
    let words =
        ["run", "mine.ptx", "--variant", "mine", "-n", "2^12", "--json", "--worker", &worker];
    let ran = run(&place, &words).fine();
    let record: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(record["verified"], true);
}

#[test]
fn what_is_no_file_and_no_command_is_refused_with_a_way_out() {
    let place = Place::new();
    put(&place, "mine.ptx", MINE);
    place.run("run mime.ptx").refused(&["there is no file `mime.ptx`", "did you mean `mine.ptx`?"]);
    place.run("mime.ptx").refused(&["did you mean `mine.ptx`?"]);
    place.run("run histogram --like reduce").refused(&["--like needs a file"]);
    place.run("run mine.ptx --like histgram").refused(&["did you mean `histogram`?"]);
    place.run("mine.ptx run histogram").refused(&["follow the command"]);
    // It opens the screens, which need a terminal.
    place.run("mine.ptx").refused(&["needs a terminal"]);
    place.run("mine.ptx --like histogram").refused(&["needs a terminal"]);
    put(&place, "none.ptx", "not PTX\x1b[2J");
    let ran = place.run("run none.ptx");
    assert!(!ran.err.contains('\x1b'), "{ran:?}");
    ran.refused(&["none.ptx"]);
}

/// A kernel of no built-in system, with this grid and these values of its input.
fn plain(grid: &str, fill: &str) -> String {
    let body = MINE.split_once("*/").unwrap().1;
    format!(
        "/* warpscope\nsizes = \"2^10\"\nblock = 64\ngrid = {grid}\nshared = \"256\"\n\
         args = [\"in: u32[n] {fill}\", \"n: u32 = n\", \"bins: u32[8] zeros\", \"count: u32 = 8\"]\n\
         output = \"bins\"\n*/\n{body}"
    )
}

#[test]
fn an_expression_without_a_value_is_an_error_told_once() {
    let place = Place::new();
    let cases = [
        (plain("[\"4\", \"65536 * n\"]", "uniform"), "p.ptx:4: the grid `65536 * n` is"),
        (
            plain("\"4\"", "= 60 / (i - 5)"),
            "p.ptx:6: `60 / (i - 5)`: division by zero, where i = 5",
        ),
        (plain("\"4\"", "= i % 7"), "verified"),
    ];
    for (source, told) in cases {
        put(&place, "p.ptx", &source);
        for line in ["run p.ptx -n 1000 --backend emulator", &format!("sweep p.ptx {SWEEP}")] {
            let ran = place.run(line);
            let fine = told == "verified";
            assert_eq!(ran.code, Some(i32::from(!fine)), "{line}: {ran:?}");
            let text = ran.err + &ran.out;
            assert!(fine || text.contains(told), "{line}: {text}");
            let once = !told.contains("the grid") || line.starts_with("sweep");
            assert!(once || text.matches(told).count() == 1, "{text}");
        }
        fs::remove_file(place.path("m.jsonl")).unwrap();
    }
}

#[test]
fn a_kernel_of_any_system_is_sampled() {
    let place = Place::new();
    put(&place, "p.ptx", &plain("\"ceil(n / 256)\"", "uniform"));
    put(&place, "mine.ptx", MINE);
    for line in ["run p.ptx -n 2^19", "run mine.ptx --variant mine -n 2^19"] {
        let run = |sample: &str| -> Value {
            let line = format!("{line} --json --backend emulator --sample {sample}");
            serde_json::from_str(&place.run(&line).fine().out).unwrap()
        };
        let (some, all) = (run("always"), run("never"));
        assert_eq!((&some["verified"], &all["verified"]), (&Value::Null, &true.into()), "{line}");
        assert!(some["flags"].to_string().contains("\"sampled\""), "{some}");
        let median = |record: &Value| record["seconds"]["median"].as_f64().unwrap();
        let ratio = median(&some) / median(&all);
        assert!((0.95..1.05).contains(&ratio), "{line}: {ratio}");
    }
    // Blocks that use what an atomic operation gives back.
    let ticket =
        MINE.replacen("ret;", "atom.global.add.u32 %r1, [%rd3], 0; add.u32 %r2, %r1, 1; ret;", 1);
    put(&place, "ticket.ptx", &ticket);
    let ran = place
        .run("run ticket.ptx --variant mine -n 2^12 --backend emulator --sample always --no-check");
    assert!(ran.out.contains("cannot be sampled: its blocks use what atomics"), "{ran:?}");
}

#[test]
fn a_stored_version_is_counted_as_it_was() {
    let place = Place::new();
    let sweep = "sweep mine.ptx --variant mine --backend emulator -o m.jsonl -n";
    put(&place, "mine.ptx", MINE);
    place.run(&format!("{sweep} 2^10")).fine();
    let other = MINE.replacen("ret;", "bar.sync 0; ret;", 1);
    put(&place, "mine.ptx", &other);
    place.run(&format!("{sweep} 2^11")).fine();
    for n in ["2^10", "2^11"] {
        place.run(&format!("plot m.jsonl --view counters -n {n} -o k.svg")).fine();
    }
}

#[test]
fn an_experiment_file_names_a_file_beside_it() {
    let place = Place::new();
    put(&place, "class/mine.ptx", MINE);
    let toml = "algorithm = \"mine.ptx\"\nvariants = [\"mine\"]\nblocks = [64]\ncoarsenings = [1]\n\
                sizes = \"1000\"\n[target]\nbackend = \"emulator\"\n";
    put(&place, "class/e.toml", toml);
    let told = place.run("sweep --experiment class/e.toml -o m.jsonl").fine().err;
    assert!(told.contains("1 case in "), "{told}");
    let (files, cases) = lines(&place.path("m.jsonl"));
    assert_eq!((files.len(), cases.len()), (1, 1));
    assert_eq!(cases[0]["verified"], true);
}

#[test]
fn a_hostile_store_cannot_pass_off_another_file() {
    let place = Place::new();
    put(&place, "mine.ptx", MINE);
    place.run(&format!("sweep mine.ptx {SWEEP}")).fine();
    let text = place.text("m.jsonl");
    put(&place, "forged.jsonl", &text.replacen("entry mine(", "entry mime(", 1));
    let ran = place.run("export forged.jsonl --format csv").fine();
    assert!(
        ran.err.contains("invalid line ignored: `hash` is not that of the file"),
        "{}",
        ran.err
    );
    let newer = text.replacen("{\"schema\":3,", "{\"schema\":4,", 1);
    put(&place, "newer.jsonl", &newer);
    place.run("export newer.jsonl --format csv").refused(&["has schema 4", "reads up to 3"]);
}

#[test]
fn a_kernel_without_a_built_in_system_is_its_own_reference() {
    let place = Place::new();
    put(&place, "plain.ptx", &plain("\"4\"", "uniform"));
    let ran = place.run("run plain.ptx --backend emulator").fine();
    assert!(ran.out.contains("this kernel is the reference"), "{}", ran.out);
}

#[test]
fn exec_compiles_a_file_of_cuda_cpp() {
    let place = Place::new();
    let source = "__global__ void twice(float *x, int n)\n{\n    int i = blockIdx.x * blockDim.x + \
        threadIdx.x;\n    if (i <= n) x[i] = 2 * x[i];\n}\n";
    put(&place, "twice.cu", source);
    put(&place, "broken.cu", &source.replace("x[i];", "x[j];"));
    for One { name, path, .. } in compilers::all("exec_compiles_a_file", &place.path("cache")) {
        let variable = if name.contains("nvrtc") { "WARPSCOPE_NVRTC" } else { "WARPSCOPE_CLANG" };
        let exec = |file: &str, more: &str| {
            let words = format!(
                "exec {file} --entry twice --grid 3 --block 32 --arg buffer=f32:64:iota {more}"
            );
            Ran::from(place.command(&words).env(variable, &path).output().unwrap())
        };
        exec("twice.cu", "--arg s32=63 --dump 0=out.f32").fine();
        let bytes = fs::read(place.path("out.f32")).unwrap();
        assert_eq!(bytes[4 * 63..], 126_f32.to_le_bytes(), "{name}");
        let found = exec("twice.cu", "--arg s32=64 --check");
        assert_eq!(found.code, Some(3), "{name}: {found:?}");
        assert!(found.out.contains("twice.cu:4"), "{name}: {}", found.out);
        let refused = exec("broken.cu", "--arg s32=63");
        assert_eq!(refused.code, Some(2), "{name}: {refused:?}");
        assert!(refused.err.contains("broken.cu:4"), "{name}: {}", refused.err);
    }
}
