//! Reading, comparing, discarding and bringing back stored runs.

use std::path::{Path, PathBuf};

use crate::analysis::compare::pairs;
use crate::experiment::Experiment;
use crate::export::report::comparison::Comparisons;
use crate::results::record::Record;
use crate::results::store;
use crate::results::store::files;
use crate::tui::app::effect::chain;
use crate::tui::recording;
use crate::tui::screens::runs::state::{
    Entry, Holds, News, Offer, Purpose, Request, Source, Table,
};
use crate::tui::screens::sweep::state::selects;

/// Most pairs that are compared for the screen: each has its own bootstrap.
const MOST_PAIRS: usize = 500;

/// Answers a request; `folders` are those that runs are looked for in. `tell` gets news on the
/// way to the answer.
pub(crate) fn answer(request: Request, folders: &[PathBuf], tell: &dyn Fn(News)) -> Option<News> {
    Some(match request {
        Request::List => list(folders),
        Request::Read(purpose, entry) => read_for(purpose, entry, tell),
        Request::Fit(experiment) => News::Fits(Box::new(fitting(folders, &experiment)?)),
        Request::Compare(entries, sitting) => News::Compared(compare(&entries, &sitting)),
        Request::Discard(path) => {
            let when = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%S%3f").to_string();
            News::Discarded(files::discard(&path, &when).map_err(|error| chain(&error)))
        }
        Request::Restore(discarded) => {
            News::Restored(files::restore(&discarded).map_err(|error| chain(&error)))
        }
    })
}

/// Most runs that are looked into for an experiment, the newest first, and the size of
/// the largest one in bytes.
const MOST_LOOKED_INTO: usize = 50;
const LARGEST_LOOKED_INTO: u64 = 1 << 24;

/// Bytes of a file after which more is told of it.
const PIECE: u64 = 1 << 24;

/// The newest run with a time for the experiment.
fn fitting(folders: &[PathBuf], experiment: &Experiment) -> Option<Offer> {
    let mut found: Vec<(std::time::SystemTime, PathBuf)> = folders
        .iter()
        .filter_map(|folder| files::list(folder).ok())
        .flatten()
        .filter_map(|path| {
            let about = path.metadata().ok()?;
            (about.len() <= LARGEST_LOOKED_INTO).then_some((about.modified().ok()?, path))
        })
        .collect();
    found.sort_by(|a, b| b.cmp(a));
    found.dedup();
    found.into_iter().take(MOST_LOOKED_INTO).find_map(|(_, path)| {
        let contents = store::load(&path).ok()?;
        let fits = |record: &&Record| record.seconds.is_some() && selects(experiment, record);
        let last = contents.records.iter().filter(fits).map(|record| &record.time).max()?;
        let holds = Holds::of(&contents.records, contents.torn.map(|torn| torn.line));
        let name = path.file_stem().unwrap_or_default().display().to_string();
        let entry = Entry { source: Source::File(path), name, holds: Ok(holds.into()) };
        let today = jiff::Timestamp::now().to_string();
        Some(Offer { entry, when: when(last, &today), experiment: experiment.clone() })
    })
}

/// The time of day of a time stamp, with its day where that is not today.
fn when(stamp: &str, today: &str) -> String {
    match (stamp.get(..10), stamp.get(11..16)) {
        (Some(day), Some(time)) if today.get(..10) == Some(day) => time.to_owned(),
        (Some(day), Some(time)) => format!("{day} {time}"),
        _ => stamp.to_owned(),
    }
}

fn list(folders: &[PathBuf]) -> News {
    let (mut entries, mut discarded, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    let mut seen: Vec<PathBuf> = Vec::new();
    for folder in folders {
        let whole = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        if seen.contains(&whole) {
            continue;
        }
        seen.push(whole);
        discarded.extend(files::discarded(folder));
        match files::list(folder) {
            Ok(files) => entries.extend(files.into_iter().map(file)),
            Err(error) => problems.push(chain(&error)),
        }
    }
    discarded.sort();
    // What is broken comes first, so that it is seen; then the newest.
    entries.sort_by_key(|entry| {
        std::cmp::Reverse(entry.holds.as_ref().map_or("~".to_owned(), |holds| holds.ended.clone()))
    });
    entries.extend(recording::algorithms().map(|algorithm| Entry {
        source: Source::BuiltIn(algorithm),
        name: format!("{algorithm} (built in)"),
        holds: Ok(Holds::of(&recording::records(algorithm), None).into()),
    }));
    News::Listed { entries, discarded, problems }
}

fn file(path: PathBuf) -> Entry {
    let name = path.file_stem().unwrap_or_default().display().to_string();
    let holds = match store::load(&path) {
        Ok(contents) if contents.records.is_empty() => Err("no case in it".to_owned()),
        Ok(contents) => {
            let torn = contents.torn.as_ref().map(|torn| torn.line);
            let invalid = contents.invalid.first().map(|invalid| invalid.line);
            Ok(Holds { invalid, ..Holds::of(&contents.records, torn) }.into())
        }
        Err(error) => Err(chain(&error)),
    };
    Entry { source: Source::File(path), name, holds }
}

fn records(entry: &Entry, sitting: &[Record], tell: &dyn Fn(News)) -> Result<Vec<Record>, String> {
    match &entry.source {
        Source::BuiltIn(algorithm) => Ok(recording::records(algorithm)),
        Source::File(path) => {
            let of = path.metadata().map_or(0, |about| about.len());
            let mut told = 0;
            let mut progress = |bytes| {
                // A file of one piece is there at once.
                if bytes - told >= PIECE && bytes < of {
                    told = bytes;
                    tell(News::Reading { name: entry.name.clone(), bytes, of });
                }
            };
            store::read_all(&[path], &mut |_, _| (), &mut progress).map_err(|error| chain(&error))
        }
        Source::Sitting => Ok(sitting.to_vec()),
    }
}

fn read_for(purpose: Purpose, entry: Entry, tell: &dyn Fn(News)) -> News {
    let found = records(&entry, &[], tell).and_then(|records| {
        if records.is_empty() { Err("no case in it".to_owned()) } else { Ok(records) }
    });
    News::Read(purpose, entry, found)
}

fn compare(entries: &[Entry; 2], sitting: &[Record]) -> Result<Table, String> {
    let [first, second] = entries;
    let (baseline, other) = (records(first, sitting, &|_| ())?, records(second, sitting, &|_| ())?);
    let mut found = pairs::same_cases(&baseline, &other);
    if found.both.is_empty() {
        return Err(format!(
            "no case in common {} and {}: the same algorithm, variant, size, block size, \
             coarsening, parameters, input and seed",
            first.name, second.name
        ));
    }
    let all = found.both.len();
    found.both.truncate(MOST_PAIRS);
    let names = [first.name.clone(), second.name.clone()];
    let comparisons = Comparisons::of(names, (&baseline, &other), &found, None, None);
    let (rows, shared) = comparisons.rows();
    let mut summary = comparisons.summary();
    if all > MOST_PAIRS {
        summary.push_str(&format!("; the first {MOST_PAIRS} of {all} pairs, `compare` has all"));
    }
    let title = format!("{} against {}", second.name, first.name);
    let shared =
        format!("{}; a ratio below 1 means faster; {}", comparisons.time.name(), shared.join(", "));
    Ok(Table { title, shared, rows, summary, scroll: 0 })
}

/// A file for the results of a run that begins now, in `folder`.
pub(crate) fn new_file(folder: &Path, algorithm: &str) -> Result<PathBuf, String> {
    let now = jiff::Timestamp::now().strftime("%Y-%m-%d_%H%M%S");
    files::new_file(folder, &format!("{now}_{algorithm}")).map_err(|error| chain(&error))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::tui::fixture;

    fn store(folder: &Path, name: &str, records: &[Record]) -> PathBuf {
        let path = folder.join(name);
        let mut store = store::Store::open(&path).unwrap();
        for record in records {
            store.append(record).unwrap();
        }
        path
    }

    #[test]
    fn good_files_are_told_and_broken_ones_say_what_is_wrong() {
        let folder = tempfile::tempdir().unwrap();
        let mut record = fixture::measured("global", 1024, 1.0);
        "2026-11-20T08:30:59Z".clone_into(&mut record.time);
        store(folder.path(), "good.jsonl", &[record]);
        std::fs::write(folder.path().join("foreign.jsonl"), "{\"a\":1}\n").unwrap();
        std::fs::write(folder.path().join("other.txt"), "no").unwrap();
        std::fs::write(folder.path().join("empty.jsonl"), "").unwrap();
        let twice = [folder.path().to_owned(), folder.path().join(".")];
        let Some(News::Listed { entries, .. }) = answer(Request::List, &twice, &|_| ()) else {
            panic!()
        };
        let of = |name: &str| entries.iter().find(|entry| entry.name == name).unwrap();
        assert_eq!(entries.iter().filter(|it| matches!(it.source, Source::File(_))).count(), 3);
        let good = of("good").holds.as_ref().unwrap();
        assert_eq!((good.date.as_str(), good.cases, good.verified), ("2026-11-20 08:30", 1, 1));
        assert_eq!(good.provenance(), "recorded");
        let wrong = of("foreign").holds.as_ref().unwrap_err();
        assert!(wrong.contains("foreign.jsonl:1") && wrong.contains("schema"), "{wrong}");
        assert!(of("empty").holds.as_ref().unwrap_err().contains("no case"));
        assert!(of("histogram (built in)").holds.as_ref().unwrap().cases > 1000);
    }

    #[test]
    fn runs_are_listed_by_the_second_and_the_newest_that_fits_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let at = |time: &str, block: u32| {
            let mut record = fixture::measured("global", 1024, 1.0);
            record.block = block;
            time.clone_into(&mut record.time);
            record
        };
        store(folder.path(), "a.jsonl", &[at("2026-11-20T08:30:10.5Z", 128)]);
        store(folder.path(), "b.jsonl", &[at("2026-11-20T08:30:59Z", 256)]);
        store(folder.path(), "c.jsonl", &[at("2026-11-20T08:30:30Z", 64)]);
        let folders = [folder.path().to_owned()];
        let News::Listed { entries, .. } = list(&folders) else { panic!() };
        let names: Vec<&str> = entries.iter().take(3).map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["b", "c", "a"]);
        let found = fitting(&folders, &Experiment::default()).unwrap();
        assert_eq!((found.entry.name.as_str(), found.when.as_str()), ("a", "2026-11-20 08:30"));
        let other = Experiment { coarsenings: vec![3], ..Experiment::default() };
        assert_eq!(fitting(&folders, &other), None);
        assert_eq!(when("2026-11-20T04:07:59Z", "2026-11-20T09:00:00Z"), "04:07");
    }

    #[test]
    fn two_runs_of_the_same_cases_get_a_verdict() {
        let folder = tempfile::tempdir().unwrap();
        let of = |ratio| [10, 12].map(|e| fixture::measured("shared", 1 << e, ratio)).to_vec();
        store(folder.path(), "a.jsonl", &of(1.0));
        store(folder.path(), "b.jsonl", &of(1.5));
        let News::Listed { entries, .. } = list(&[folder.path().to_owned()]) else { panic!() };
        let of = |name: &str| entries.iter().find(|entry| entry.name == name).unwrap().clone();
        let table = compare(&[of("a"), of("b")], &[]).unwrap();
        assert_eq!(table.rows.len(), 3);
        assert!(table.summary.contains("2 SLOWER"), "{}", table.summary);
        let error = compare(&[of("a"), of("scan (built in)")], &[]).unwrap_err();
        assert!(error.contains("no case in common"), "{error}");
    }
}
