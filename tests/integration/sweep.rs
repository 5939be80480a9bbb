//! The real binary running kernels: exactly on the scripted backend, verified
//! on the emulator.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use crate::support::{Place, Ran};
use warpscope::results::record::{Outcome, Provenance, Record};
use warpscope::work::View;

fn records(place: &Place, name: &str) -> Vec<Record> {
    place.text(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What a case is and how long it took, for exact comparison.
fn times(records: &[Record]) -> Vec<(String, u64, u32, Option<f64>)> {
    let time =
        |record: &Record| (record.variant.to_string(), record.n, record.block, record.median());
    records.iter().map(time).collect()
}

#[test]
fn a_scripted_sweep_gives_exactly_these_times() {
    let place = Place::new();
    let ran = place
        .run("sweep histogram --backend scripted --variant global,shared -n 2^10..2^12:x4 --block 64,128 -o s.jsonl")
        .fine();
    let found = records(&place, "s.jsonl");
    // The formulas of the scripted backend; 64 threads cost 5 % more.
    let global = |n: u64| 2e-6 + n as f64 * 8e-11 * (1.0 + 8.0 / 8.0);
    let shared = |n: u64| 5e-6 + 8.0 * 1e-10 + n as f64 * 1e-12 * (1.0 + 16.0 / 4.0);
    assert_eq!(found.len(), 8);
    for record in &found {
        let base = if record.variant == "global" { global(record.n) } else { shared(record.n) };
        let expected = if record.block == 64 { base * 1.05 } else { base };
        let median = record.median().unwrap();
        assert!((median / expected - 1.0).abs() < 1e-12, "{}: {median}", record.case());
        assert_eq!(record.provenance, Provenance::Measured);
        assert_eq!(record.outcome(), Outcome::Verified);
        assert_eq!(record.backend, "scripted");
    }
    assert!(ran.err.contains("8 cases in ") && ran.err.contains("8 verified"), "{}", ran.err);
    assert_eq!(ran.out, "", "results go to the file");

    place
        .run("sweep histogram --backend scripted --variant global,shared -n 2^10..2^12:x4 --block 64,128 -o again.jsonl")
        .fine();
    assert_eq!(times(&found), times(&records(&place, "again.jsonl")));
}

#[test]
fn a_sweep_continues_where_its_file_ends() {
    let place = Place::new();
    let sweep =
        "sweep histogram --backend scripted --variant global,shared -n 2^10..2^13 -o s.jsonl";
    place.run(sweep).fine();
    let whole = place.text("s.jsonl");
    assert_eq!(whole.lines().count(), 8);

    let again = place.run(sweep).fine();
    assert!(again.err.contains("8 already stored"), "{}", again.err);
    assert_eq!(place.text("s.jsonl"), whole, "nothing is added");

    // Three lines and a half are left, as after a power cut.
    let kept: String = whole.split_inclusive('\n').take(3).collect();
    let half = whole.lines().nth(3).unwrap();
    fs::write(place.path("s.jsonl"), format!("{kept}{}", &half[..half.len() / 2])).unwrap();
    let rest = place.run(sweep).fine();
    assert!(rest.err.contains("s.jsonl:4: incomplete line ignored"), "{}", rest.err);
    assert!(rest.err.contains("3 already stored"), "{}", rest.err);
    let text = place.text("s.jsonl");
    assert!(text.starts_with(&kept));
    let mut before =
        times(&whole.lines().map(|l| serde_json::from_str(l).unwrap()).collect::<Vec<_>>());
    let mut after = times(&records(&place, "s.jsonl"));
    before.sort_by(|a, b| a.partial_cmp(b).unwrap());
    after.sort_by(|a, b| a.partial_cmp(b).unwrap());
    assert_eq!(before, after);
}

#[test]
fn a_longer_sweep_runs_only_what_is_new() {
    let place = Place::new();
    place
        .run("sweep histogram --backend scripted --variant global,shared -n 2^10..2^11 -o s.jsonl")
        .fine();
    let ran = place
        .run("sweep histogram --backend scripted --variant global,shared -n 2^10..2^12 -o s.jsonl")
        .fine();
    assert!(ran.err.contains("4 already stored"), "{}", ran.err);
    assert_eq!(place.text("s.jsonl").lines().count(), 6);
}

#[test]
fn wrong_answers_and_traps_are_results_with_exit_code_1() {
    let place = Place::new();
    // 6661 traps and 6662 miscounts, in the shared variant only.
    let ran = place.run("sweep histogram --backend scripted --variant global,shared -n 1000 --bins 6661,6662 -o s.jsonl");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("2 verified, 2 WRONG"), "{}", ran.err);
    let found = records(&place, "s.jsonl");
    let wrong: Vec<&Record> =
        found.iter().filter(|record| record.outcome() == Outcome::Wrong).collect();
    assert_eq!(wrong.len(), 2);
    for record in wrong {
        assert_eq!(record.variant, "shared");
        assert_eq!(record.seconds, None, "a wrong answer has no time");
        assert!(ran.err.contains(&record.wrong.as_ref().unwrap().message), "{}", ran.err);
    }
    let again = place.run("sweep histogram --backend scripted --variant global,shared -n 1000 --bins 6661,6662 -o s.jsonl");
    assert_eq!(again.code, Some(1), "what is stored is still wrong");
}

#[test]
fn what_cannot_run_is_skipped_with_the_reason() {
    let place = Place::new();
    // 65536 bins are more than shared memory holds.
    let ran =
        place.run("sweep histogram --backend scripted --variant global,shared -n 1000 --bins 65536 -o s.jsonl").fine();
    assert!(ran.err.contains("1 verified, 1 skipped"), "{}", ran.err);
    let found = records(&place, "s.jsonl");
    let skipped = found.iter().find(|record| record.outcome() == Outcome::Skipped).unwrap();
    assert!(skipped.skip.as_ref().unwrap().contains("shared memory"), "{:?}", skipped.skip);
    assert_eq!(skipped.seconds, None);
}

#[test]
fn more_than_the_memory_holds_is_a_skip_too() {
    let place = Place::new();
    // The scripted GPU has 1 GiB.
    let ran = place.run("run histogram --backend scripted -n 2^29").fine();
    assert!(ran.out.contains("skipped: "), "{}", ran.out);
}

#[test]
fn an_experiment_file_is_the_same_as_options() {
    let place = Place::new();
    let experiment = r#"{
        "algorithm": "histogram", "variants": ["shared"], "blocks": [64], "coarsenings": [1],
        "sizes": "2^10..2^12", "params": {"bins": [16]}, "target": {"backend": "scripted"}
    }"#;
    fs::write(place.path("e.json"), experiment).unwrap();
    place.run("sweep --experiment e.json -o a.jsonl").fine();
    place
        .run(
            "sweep histogram --variant shared --block 64 --coarsen 1 -n 2^10..2^12 --bins 16 \
             --backend scripted -o b.jsonl",
        )
        .fine();
    assert_eq!(times(&records(&place, "a.jsonl")), times(&records(&place, "b.jsonl")));
    place.run("sweep --experiment e.json --block 32 -o c.jsonl").fine();
    assert!(records(&place, "c.jsonl").iter().all(|record| record.block == 32));
}

#[test]
fn one_run_is_told_in_words_or_as_its_record() {
    let place = Place::new();
    let run = "run histogram --backend scripted --variant shared -n 1M --bins 16";
    let text = place.run(run).fine().out;
    for part in ["histogram shared n=1M", "verified", "measured · Scripted GPU", "10.", "bandwidth"]
    {
        assert!(text.contains(part), "{part} is missing from {text}");
    }
    let json = place.run(&format!("{run} --json")).fine().out;
    let record: Record = serde_json::from_str(&json).unwrap();
    assert_eq!((record.n, record.outcome()), (1_000_000, Outcome::Verified));
    let mut object: serde_json::Value = serde_json::from_str(&json).unwrap();
    let Ok(View::Bins(bins)) = serde_json::from_value(object["view"].take()) else {
        panic!("no bins in {json}");
    };
    assert_eq!((bins.bins, bins.total), (16, 1_000_000));
    let wrong = place.run("run histogram --backend scripted --variant shared -n 1000 --bins 6662");
    assert_eq!(wrong.code, Some(1), "{wrong:?}");
    assert!(wrong.out.contains("WRONG"), "{}", wrong.out);
}

#[test]
fn a_second_writer_is_turned_away() {
    let place = Place::new();
    let held = warpscope::results::store::Store::open(place.path("s.jsonl")).unwrap();
    place
        .run("sweep histogram --backend scripted --variant global,shared -n 1000 -o s.jsonl")
        .refused(&["another process is writing s.jsonl"]);
    drop(held);
}

/// Runs the binary where no file may grow beyond so many units of 512 bytes.
#[cfg(unix)]
fn run_in_little_room(place: &Place, units: usize, arguments: &str) -> Ran {
    let script = format!(
        "ulimit -f {units} && exec {} {arguments}",
        place.command("").get_program().to_str().unwrap()
    );
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script]).current_dir(place.path(""));
    Ran::from(shell.output().unwrap())
}

#[cfg(unix)]
#[test]
fn a_full_disk_stops_a_sweep_and_the_same_command_continues_it() {
    let place = Place::new();
    let sweep = "sweep histogram --backend scripted --variant global,shared -n 2^10..2^17 -o";
    place.run(&format!("{sweep} whole.jsonl")).fine();
    let whole = records(&place, "whole.jsonl");
    let units = place.text("whole.jsonl").len() / 4 / 512;
    let told = |ran: Ran| {
        assert_eq!(ran.code, Some(2), "{ran:?}");
        for part in
            ["error: cannot store a result in s.jsonl", "free some space and run the same command"]
        {
            assert!(ran.err.contains(part), "{}", ran.err);
        }
    };
    told(run_in_little_room(&place, units, &format!("{sweep} s.jsonl")));
    let part = place.text("s.jsonl");
    assert!(part.ends_with('\n'), "no torn line is left");
    let kept = records(&place, "s.jsonl").len();
    assert!(kept > 0 && kept < whole.len(), "{kept}");
    // Still full: nothing is lost, nothing added.
    told(run_in_little_room(&place, units, &format!("{sweep} s.jsonl")));
    assert_eq!(place.text("s.jsonl"), part);

    let rest = place.run(&format!("{sweep} s.jsonl")).fine();
    assert!(rest.err.contains(&format!("{kept} already stored")), "{}", rest.err);
    assert!(place.text("s.jsonl").starts_with(&part));
    assert_eq!(times(&records(&place, "s.jsonl")), times(&whole));
}

#[cfg(unix)]
#[test]
fn a_file_that_goes_away_in_mid_sweep_comes_back_whole() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let (mut child, mut err) = slow_sweep(&place);
    fs::remove_file(place.path("s.jsonl")).unwrap();
    let more = |most: usize| {
        let text = fs::read_to_string(place.path("s.jsonl")).unwrap_or_default();
        text.lines().count() >= most
    };
    while !more(2) {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    // Read-only changes nothing for who has it open.
    fs::set_permissions(place.path("s.jsonl"), fs::Permissions::from_mode(0o444)).unwrap();
    while !more(4) {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    signal(&child, "INT");
    let mut text = String::new();
    err.read_to_string(&mut text).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{text}");
    let found = times(&records(&place, "s.jsonl"));
    let sizes: Vec<(&str, u64)> = found.iter().map(|it| (it.0.as_str(), it.1)).collect();
    assert_eq!(sizes[..2], [("global", 1024), ("shared", 1024)], "the first are there again");
    assert!(sizes.len() >= 4);
}

#[test]
fn files_of_several_sweeps_merge() {
    let place = Place::new();
    place
        .run("sweep histogram --backend scripted --variant global,shared -n 2^10..2^12 -o a.jsonl")
        .fine();
    place
        .run("sweep histogram --backend scripted --variant global,shared -n 2^12..2^13 -o b.jsonl")
        .fine();
    let merged = place.run("merge a.jsonl b.jsonl -o all.jsonl").fine();
    assert!(merged.out.contains("10 lines in 2 files: 8 cases added, 0 replaced"), "{merged:?}");
    assert_eq!(records(&place, "all.jsonl").len(), 8);
    // A sweep over both continues what was merged.
    let ran = place
        .run(
            "sweep histogram --backend scripted --variant global,shared -n 2^10..2^13 -o all.jsonl",
        )
        .fine();
    assert!(ran.err.contains("8 already stored"), "{}", ran.err);
    fs::write(place.path("c.jsonl"), "dear diary\n").unwrap();
    place.run("merge a.jsonl c.jsonl -o new.jsonl").refused(&["c.jsonl:1 is not a record"]);
    place.run("merge no.jsonl -o new.jsonl").refused(&["there is no file no.jsonl"]);
    assert!(!place.path("new.jsonl").exists());
}

#[test]
fn a_foreign_file_is_not_touched() {
    let place = Place::new();
    fs::write(place.path("s.jsonl"), "dear diary\n").unwrap();
    place
        .run("sweep histogram --backend scripted --variant global,shared -n 1000 -o s.jsonl")
        .refused(&["s.jsonl:1 is not a record"]);
    assert_eq!(place.text("s.jsonl"), "dear diary\n");
}

#[test]
fn the_emulator_sweeps_verified_from_file_to_picture() {
    let place = Place::new();
    let ran = place
        .run("sweep histogram --backend emulator --variant global,shared --gpu T4 -n 2^10..2^14:x4 --bins 8,256 -o e.jsonl")
        .fine();
    assert!(ran.err.contains("12 verified"), "{}", ran.err);
    for record in records(&place, "e.jsonl") {
        assert_eq!(record.outcome(), Outcome::Verified);
        assert_eq!(record.provenance, Provenance::Modelled);
        assert_eq!(record.device.name, "T4");
        assert!(record.median().unwrap() > 0.0 && !record.counters.is_empty());
    }
    place.run("plot e.jsonl -o e.svg").fine();
    assert!(place.text("e.svg").contains("modelled · T4 · unvalidated"));
}

#[test]
fn doctor_finds_the_emulator_in_good_health() {
    // A machine with a GPU may have troubles of its own.
    let ran = Place::new().run("doctor");
    let line = ran.out.lines().find(|line| line.contains("emulator")).unwrap();
    assert!(line.starts_with("ok ") || line.contains("CPU"), "{}", ran.out);
    assert!(ran.out.contains("PTX loads, runs and verifies"), "{}", ran.out);
}

/// Starts a sweep whose samples take 50 ms each, waits for its first case, and
/// hands over the running process with its error output.
#[cfg(unix)]
fn slow_sweep(place: &Place) -> (std::process::Child, BufReader<std::process::ChildStderr>) {
    let mut child = place
        .command("sweep histogram --backend scripted --variant global,shared -n 2^10..2^20 --bins 6663 -o s.jsonl")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut err = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("[1/") {
        line.clear();
        assert!(err.read_line(&mut line).unwrap() > 0, "the sweep ended early");
    }
    (child, err)
}

#[cfg(unix)]
fn signal(child: &std::process::Child, name: &str) {
    let pid = child.id().to_string();
    let status = std::process::Command::new("kill").args(["-s", name, &pid]).status().unwrap();
    assert!(status.success());
}

#[test]
#[cfg(unix)]
fn ctrl_c_keeps_everything_measured() {
    for name in ["INT", "TERM"] {
        let place = Place::new();
        let (mut child, mut err) = slow_sweep(&place);
        signal(&child, name);
        let mut rest = String::new();
        err.read_to_string(&mut rest).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{rest}");
        assert!(rest.contains("interrupted after "), "{rest}");
        let kept = records(&place, "s.jsonl").len();
        assert!((1..22).contains(&kept), "{kept} of 22 cases");
        assert!(place.text("s.jsonl").ends_with('\n'), "no line is torn");
    }
}

#[test]
#[cfg(unix)]
fn nobody_listening_does_not_stop_a_sweep() {
    let place = Place::new();
    let mut child = place
        .command(
            "sweep histogram --backend scripted --variant global,shared -n 2^10..2^14 -o s.jsonl",
        )
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop((child.stdout.take(), child.stderr.take()));
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(records(&place, "s.jsonl").len(), 10, "nothing is lost");
    let ran: Ran = place
        .run("sweep histogram --backend scripted --variant global,shared -n 2^10..2^14 -o s.jsonl");
    assert!(ran.fine().err.contains("10 already stored"));
}

#[test]
fn a_difference_is_explained_from_counters() {
    let place = Place::new();
    let shared = "run histogram --bins 8 --block 128 --coarsen 4 -n 2^16 --backend emulator";
    let told = place.run(&format!("{shared} --variant global,shared --explain"));
    assert_eq!(told.code, Some(0), "{}", told.err);
    assert!(told.out.contains("faster than global at n = 2^16"), "{}", told.out);
    assert!(told.out.contains("each warp's 32 atomics hit"), "{}", told.out);
    assert!(told.out.contains("warpscope sweep histogram"), "{}", told.out);

    let json = place.run(&format!("{shared} --variant global --explain --json"));
    let value: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(value["records"].as_array().unwrap().len(), 1);
    let lanes = value["explanation"]["evidence"].as_array().unwrap();
    assert!(lanes.iter().any(|it| it["counter"] == "global_atomic_lanes"));

    let two = place.run(&format!("{shared} --variant global,shared"));
    assert_eq!(two.code, Some(2), "{}", two.out);
    let many = place
        .run(&format!("{shared} --variant global,shared --set binning=modulo,range --explain"));
    assert_eq!(many.code, Some(2), "{}", many.out);
    assert!(many.err.contains("differ in one axis"), "{}", many.err);
}

/// Writes a hexagonal pattern as a PNG of `side` x `side`.
fn write_pattern(path: &std::path::Path, side: u32, noise: u32) {
    use warpscope::algorithms::dominant_peaks::pattern::{Lattice, Pattern};
    let pattern = Pattern { lattice: Lattice::Hexagonal, noise, side, seed: 1 };
    let levels: Vec<u8> =
        pattern.pixels().iter().map(|pixel| (pixel + 60).clamp(0, 255) as u8).collect();
    let mut encoder = png::Encoder::new(fs::File::create(path).unwrap(), side, side);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.write_header().unwrap().write_image_data(&levels).unwrap();
}

#[test]
fn a_picture_is_swept_and_known_by_its_content() {
    let place = Place::new();
    write_pattern(&place.path("p.png"), 80, 10);
    let sweep = |image: &str| {
        place.run(&format!(
            "sweep dominant-peaks --backend emulator -n 100,200 --set image={image} -o p.jsonl"
        ))
    };
    let ran = sweep("p.png").fine();
    assert!(ran.err.contains("8 verified"), "{}", ran.err);
    for record in records(&place, "p.jsonl") {
        let case = record.case();
        let (file, sha256) = case.file("image").unwrap();
        assert_eq!((file, sha256.len()), ("p.png", 16));
    }
    // Another name for the same picture is the same case, another picture under
    // the same name is not.
    fs::copy(place.path("p.png"), place.path("q.png")).unwrap();
    let ran = sweep("q.png").fine();
    assert!(ran.err.contains("8 already stored"), "{}", ran.err);
    write_pattern(&place.path("p.png"), 90, 10);
    let ran = sweep("p.png").fine();
    assert!(ran.err.contains("8 verified") && !ran.err.contains("already"), "{}", ran.err);
    assert_eq!(records(&place, "p.jsonl").len(), 16);

    // An experiment file names a picture as it names any other value.
    let text = r#"{"algorithm":"dominant-peaks","blocks":[64],"coarsenings":[1],"sizes":"100",
        "params":{"image":["q.png"]},"target":{"backend":"emulator"}}"#;
    fs::write(place.path("e.json"), text).unwrap();
    let ran = place.run("sweep --experiment e.json -o p.jsonl").fine();
    assert!(ran.err.contains("4 already stored"), "{}", ran.err);

    let run = place.run("run dominant-peaks --backend emulator -n 200 --set image=q.png").fine();
    assert!(run.out.contains("lattice") && run.out.contains("159 × 159"), "{}", run.out);
}

#[test]
fn a_picture_that_cannot_be_used_is_refused_before_anything_is_stored() {
    let place = Place::new();
    write_pattern(&place.path("p.png"), 80, 10);
    let whole = fs::read(place.path("p.png")).unwrap();
    fs::write(place.path("cut.png"), &whole[..whole.len() / 2]).unwrap();
    write_pattern(&place.path("dot.png"), 1, 0);
    fs::write(place.path("words.png"), "dear diary").unwrap();
    for (image, says) in [
        ("no.png", "there is no file no.png; check the name"),
        ("cut.png", "cut.png is a broken PNG"),
        ("dot.png", "dot.png has 1 x 1 pixels"),
        ("words.png", "words.png is not a PNG; convert it"),
    ] {
        place
            .run(&format!("sweep dominant-peaks -n 100 --set image={image} -o s.jsonl"))
            .refused(&["parameter image", says]);
        assert!(!place.path("s.jsonl").exists());
    }
}

#[test]
fn a_worker_that_cannot_read_the_picture_says_so() {
    let place = Place::new();
    write_pattern(&place.path("p.png"), 80, 10);
    // As a worker on a machine without the picture is told.
    let case = r#"{"algorithm":"dominant-peaks","variant":"tiled","block":128,"coarsen":1,"n":100,
        "params":{"dominant":25,"image":{"file":"/elsewhere/p.png","sha256":"0123456789abcdef"},
        "lattice":"square","noise":20},"dist":"uniform","seed":7}"#
        .replace('\n', "");
    let open = r#"{"request":"open","protocol":1,"program":"x","target":{"backend":"emulator"}}"#;
    let stopping = serde_json::to_string(&warpscope::experiment::Stopping::default()).unwrap();
    let measure = format!(r#"{{"request":"measure","cases":[{case}],"stopping":{stopping}}}"#);
    let mut answer = Vec::new();
    warpscope::runner::worker::serve(format!("{open}\n{measure}\n").as_bytes(), &mut answer)
        .unwrap();
    let answer = String::from_utf8(answer).unwrap();
    let told = answer.lines().find(|line| line.contains(r#""reply":"record""#)).unwrap();
    for part in ["no-input", "there is no file /elsewhere/p.png", "another machine"] {
        assert!(told.contains(part), "{part} is missing from {told}");
    }
}
