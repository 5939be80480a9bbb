//! Watching the user's file: after every change it is compiled and registered; checks run
//! when the update asks for them.

use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use notify::{RecursiveMode, Watcher};

use crate::compiler::Message;
use crate::compiler::Severity::Error;
use crate::experiment::{Experiment, Target};
use crate::own;
use crate::runner::scheduler::{self, Control, Verdict};
use crate::runner::source::{self, Opened, SourceError};
use crate::tui::own::state::{News, Problem};

/// Quiet time after a change before the file is read: editors write in several steps.
const DEBOUNCE: Duration = Duration::from_millis(50);

/// Longest wait for quiet.
const LONGEST: Duration = Duration::from_millis(500);

/// How long a file may be missing: some editors remove it before they write it anew.
const MISSING: Duration = Duration::from_millis(500);

/// Interval of looking at the file where the system reports no changes.
const POLL: Duration = Duration::from_millis(500);

/// Compiles and registers the file at `path`, now and after every change of its contents,
/// until the program ends. Nothing waits for the assembler: what it says of the newest
/// version comes later.
pub(super) fn watch(
    path: &Path,
    like: Option<&str>,
    target: &Target,
    report: &(dyn Fn(News) + Sync),
) {
    let changes = changes(path);
    let mut last: Option<Result<Arc<str>, String>> = None;
    // Counts the versions; whoever registers one holds it.
    let newest = Mutex::new(0_u64);
    thread::scope(|scope| {
        loop {
            let contents = settled(path);
            if last.as_ref() != Some(&contents) {
                let mut newest_now = lock(&newest);
                *newest_now += 1;
                match &contents {
                    Err(reason) => report(News::Gone(reason.clone())),
                    Ok(text) => {
                        report(News::Saved(Arc::clone(text)));
                        let (news, opened) = build(path, text, like, target);
                        report(news);
                        let (number, newest) = (*newest_now, &newest);
                        if let Some(opened) = opened {
                            scope.spawn(move || {
                                let Some(file) = opened.assemble(target) else { return };
                                let newest = lock(newest);
                                if *newest == number && own::system(&file).is_ok() {
                                    report(News::Assembled);
                                }
                            });
                        }
                    }
                }
                last = Some(contents);
            }
            wait(changes.as_ref());
        }
    });
}

/// A counter that cannot be left half changed.
fn lock(counter: &Mutex<u64>) -> MutexGuard<'_, u64> {
    counter.lock().unwrap_or_else(PoisonError::into_inner)
}

/// File endings of headers.
const HEADERS: [&str; 5] = ["cuh", "h", "hpp", "cu", "inc"];

/// Reports of changes to the file at `path` and to headers in its folder; `None` if the system has no
/// such reports.
/// The folder is watched, because an editor may put another file in place of the old one.
fn changes(path: &Path) -> Option<(impl Watcher, Receiver<()>)> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).to_owned();
    let name = path.file_name()?.to_owned();
    let (sender, receiver) = channel();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // An event without paths says that some were lost.
        let ours = event.is_ok_and(|event| {
            !event.kind.is_access()
                && (event.paths.is_empty()
                    || event.paths.iter().any(|path| {
                        let ending =
                            path.extension().and_then(|it| it.to_str()).unwrap_or_default();
                        path.file_name() == Some(&name) || HEADERS.contains(&ending)
                    }))
        });
        if ours {
            // The other end lives as long as the program.
            let _ = sender.send(());
        }
    })
    .ok()?;
    watcher.watch(&folder, RecursiveMode::NonRecursive).ok()?;
    Some((watcher, receiver))
}

/// Waits for the next change, and then until nothing has changed for a moment.
fn wait(changes: Option<&(impl Watcher, Receiver<()>)>) {
    let Some((_, changes)) = changes else { return thread::sleep(POLL) };
    if changes.recv().is_err() {
        return thread::sleep(POLL);
    }
    let began = Instant::now();
    while changes.recv_timeout(DEBOUNCE).is_ok() && began.elapsed() < LONGEST {}
}

/// The contents of the file; a file that is missing may come back soon.
fn settled(path: &Path) -> Result<Arc<str>, String> {
    let began = Instant::now();
    loop {
        match source::read(&path.to_string_lossy()) {
            Err(SourceError::Missing(_)) if began.elapsed() < MISSING => thread::sleep(DEBOUNCE),
            Err(SourceError::Missing(_)) => return Err("the file is gone".to_owned()),
            result => return result.map(Arc::from).map_err(|error| error.to_string()),
        }
    }
}

/// Compiles and registers the contents of a file.
fn build(path: &Path, text: &str, like: Option<&str>, target: &Target) -> (News, Option<Opened>) {
    let problem = |line, text, warning| Problem { line, text, warning };
    let told = |message: Message| problem(message.line, message.text, message.severity != Error);
    let news = match source::load(&path.to_string_lossy(), text.to_owned(), like, target) {
        Ok(opened) => {
            let warnings = opened.warnings.iter().cloned().map(told).collect();
            return (News::Compiled(warnings), Some(opened));
        }
        Err(SourceError::Refused { messages, .. }) => {
            News::Refused(messages.into_iter().map(told).collect())
        }
        Err(SourceError::Compiler { error, .. }) => {
            News::Refused(vec![problem(None, error.to_string(), false)])
        }
        Err(SourceError::Own(error)) => {
            News::Refused(vec![problem(error.line, error.message, false)])
        }
        Err(error) => News::Refused(vec![problem(None, error.to_string(), false)]),
    };
    (news, None)
}

/// Runs variants at a small size under the sanitizer; none if the check was cancelled.
pub(super) fn check(
    version: u32,
    experiment: &Experiment,
    variants: &[String],
    control: &Control,
) -> Option<News> {
    let (mut problems, mut unsound) = (Vec::new(), Vec::new());
    let names: Vec<&str> = variants.iter().map(String::as_str).collect();
    let result = scheduler::check_variants(experiment, &names, control, &mut |checked| {
        let Verdict::Checked(findings) = checked.verdict else { return };
        if !findings.is_empty() {
            unsound.push(checked.case.variant);
        }
        problems.extend(findings.into_iter().map(|finding| {
            let line = finding.line.filter(|_| is_of(finding.file.as_deref(), experiment));
            Problem { line, text: finding.sentence(), warning: false }
        }));
    });
    if control.is_cancelled() {
        return None;
    }
    if let Err(error) = result {
        let text = format!("the check failed: {}", super::chain(&error));
        problems.push(Problem { line: None, text, warning: false });
        unsound = variants.to_vec();
    }
    Some(News::Checked { version, problems, unsound })
}

/// Whether a place is in the user's file.
fn is_of(file: Option<&str>, experiment: &Experiment) -> bool {
    let name = file.map(|file| file.rsplit(['/', '\\']).next().unwrap_or(file));
    name == Some(experiment.algorithm.as_str())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::PathBuf;

    /// What becomes of a file that changes.
    fn news(receiver: &Receiver<News>) -> Option<News> {
        receiver.recv_timeout(Duration::from_secs(20)).ok()
    }

    /// The contents that are reported next.
    fn next(receiver: &Receiver<News>) -> String {
        loop {
            match news(receiver).unwrap() {
                News::Saved(text) => return text.to_string(),
                News::Gone(reason) => return format!("gone: {reason}"),
                _ => {}
            }
        }
    }

    /// Waits until `wanted` is what was reported last. A busy computer may let the watcher
    /// see half of a change, but never the same contents twice in a row.
    fn until(receiver: &Receiver<News>, last: &mut String, wanted: &str) {
        while last != wanted {
            let seen = next(receiver);
            assert_ne!(seen, *last, "reported twice");
            *last = seen;
        }
    }

    fn watched(path: PathBuf) -> Receiver<News> {
        let (sender, receiver) = channel();
        thread::spawn(move || {
            let sender = std::sync::Mutex::new(sender);
            watch(&path, None, &Target::default(), &|news| {
                let _ = sender.lock().unwrap().send(news);
            });
        });
        receiver
    }

    #[test]
    fn every_way_of_saving_is_seen_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mein Kern é.cu");
        fs::write(&path, "one").unwrap();
        let receiver = watched(path.clone());
        let last = &mut String::new();
        until(&receiver, last, "one");
        // Twice in a moment.
        fs::write(&path, "tw").unwrap();
        fs::write(&path, "two").unwrap();
        until(&receiver, last, "two");
        // Nothing new, and another file beside it.
        fs::write(&path, "two").unwrap();
        fs::write(folder.path().join("other.cu"), "x").unwrap();
        // Replaced by another file.
        let new = folder.path().join("new");
        fs::write(&new, "three").unwrap();
        fs::rename(&new, &path).unwrap();
        until(&receiver, last, "three");
        // Removed first, and written anew.
        fs::remove_file(&path).unwrap();
        thread::sleep(DEBOUNCE * 2);
        fs::write(&path, "four").unwrap();
        until(&receiver, last, "four");
        fs::remove_file(&path).unwrap();
        until(&receiver, last, "gone: the file is gone");
        fs::write(&path, "five").unwrap();
        until(&receiver, last, "five");
    }

    #[test]
    fn what_is_no_text_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my.cu");
        fs::write(&path, [0xff, 0xfe, 0x00]).unwrap();
        assert!(settled(&path).unwrap_err().contains("cannot read"));
        assert!(settled(folder.path()).is_err());
    }
}
