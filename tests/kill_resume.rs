//! A sweep that is killed at any moment and started again ends with the cases of
//! one that was left alone: none lost, none doubled, no process left behind.

#![allow(clippy::unwrap_used)]

#[path = "integration/support/mod.rs"]
mod support;

use std::collections::BTreeSet;
use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use support::Place;
use warpscope::results::record::{Outcome, Record};

/// 24 cases of a few hundred microseconds each.
const SWEEP: &str = "sweep histogram --backend emulator --variant global,shared -n 16,33,64,100 --block 32,48,64 -o";

/// Rounds in the usual test run: some seconds. Windows starts processes slowly.
const SHARE: u32 = if cfg!(windows) { 20 } else { 60 };

/// Every so many rounds the last line is torn too, as by a power cut.
const TORN: u32 = 7;

/// The whole lines of a file.
fn whole_lines(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    &bytes[..end]
}

/// The cases in the whole lines of a file, each verified and there once.
fn cases(bytes: &[u8]) -> BTreeSet<String> {
    let text = str::from_utf8(whole_lines(bytes)).unwrap();
    let mut found = BTreeSet::new();
    for line in text.lines() {
        let record: Record = serde_json::from_str(line).unwrap();
        assert_eq!(record.outcome(), Outcome::Verified, "{line}");
        assert!(found.insert(record.identity().to_string()), "doubled: {}", record.case());
    }
    found
}

/// Numbers that look random and are the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % end.max(1)
    }
}

/// Processes that run in the folder of `place`.
#[cfg(target_os = "linux")]
fn left_behind(place: &Place) -> usize {
    let here = place.path("").canonicalize().unwrap();
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter(|entry| fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == here))
        .count()
}

fn kill_and_resume(rounds: u32) {
    let place = Place::new();
    let began = Instant::now();
    place.run(&format!("{SWEEP} whole.jsonl")).fine();
    let undisturbed = began.elapsed();
    let expected = cases(&fs::read(place.path("whole.jsonl")).unwrap());
    assert_eq!(expected.len(), 24);

    let mut random = Random(7);
    let (mut file, mut partial) = (0, 0);
    for round in 0..rounds {
        let path = place.path(&format!("{file}.jsonl"));
        let before = fs::read(&path).unwrap_or_default();
        let mut sweep = place
            .command(&format!("{SWEEP} {file}.jsonl"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // From before it opens the file to a little after its end.
        let most = undisturbed.as_micros() as u64 * 5 / 4;
        thread::sleep(Duration::from_micros(random.below(most)));
        sweep.kill().unwrap();
        sweep.wait().unwrap();

        let after = fs::read(&path).unwrap_or_default();
        assert!(after.starts_with(whole_lines(&before)), "round {round}: a stored case is lost");
        let found = cases(&after);
        assert!(found.is_subset(&expected), "round {round}");
        if found == expected {
            file += 1;
            continue;
        }
        partial += u32::from(!found.is_empty());
        if round % TORN == 0 && !after.is_empty() {
            let cut = 1 + random.below(after.len().min(900) as u64) as usize;
            fs::write(&path, &after[..after.len() - cut]).unwrap();
        }
    }
    place.run(&format!("{SWEEP} {file}.jsonl")).fine();
    for index in 0..=file {
        let found = cases(&fs::read(place.path(&format!("{index}.jsonl"))).unwrap());
        assert_eq!(found, expected, "file {index}");
    }
    assert!(partial > 0 && file > 0, "{partial} rounds ended in mid-sweep, {file} files whole");
    eprintln!("{rounds} rounds, {partial} in mid-sweep, {file} files completed");

    #[cfg(target_os = "linux")]
    {
        // A worker ends when its parent is gone; it may be about to.
        let patience = Instant::now();
        while left_behind(&place) > 0 && patience.elapsed() < Duration::from_secs(20) {
            thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(left_behind(&place), 0, "processes are left behind");
    }
}

#[test]
fn killed_sweeps_end_as_one_that_was_left_alone() {
    kill_and_resume(SHARE);
}

#[test]
#[ignore = "takes minutes: the same as above, a thousand times"]
fn a_thousand_killed_sweeps_end_as_one_that_was_left_alone() {
    kill_and_resume(1000);
}
