//! What the screens know of the user's file.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

use crate::figure::listing::{self, Listing};
use crate::results::record::Record;
use crate::tui::screens::profile::state::Difference;

/// Older versions that stay on the chart.
pub const MOST_OLDER: usize = 5;

/// A file that is watched.
#[derive(Debug, Clone, PartialEq)]
pub struct Own {
    /// Name of the file: also that of its algorithm.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// The built-in algorithm that its kernels belong to, where the command line names one.
    pub(crate) like: Option<String>,
    /// What became of its newest contents.
    pub stage: Stage,
    /// Its newest contents.
    pub text: Arc<str>,
    /// These by line.
    pub(crate) listing: Listing,
    /// What is wrong with them, by line.
    pub problems: Vec<Problem>,
    /// Number of the version whose kernels run; 0 before the first that compiles.
    pub version: u32,
    /// The contents of that version.
    pub compiled: Arc<str>,
    /// Versions before that one, the newest first.
    pub older: VecDeque<Older>,
    /// What changed since an older version, where the Source screen shows that.
    pub changes: Option<Changes>,
    /// Variants to run once the running sweep has ended.
    pub(crate) waiting: Option<Vec<String>>,
}

/// How far the newest contents are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Stage {
    /// The compiler runs.
    #[default]
    Compiling,
    /// Every kernel runs at a small size under the sanitizer.
    Checking,
    /// They compile, and what can run runs.
    Ready,
    /// They do not compile.
    Broken,
    /// The file cannot be read, for this reason.
    Gone(String),
}

/// Something wrong with the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Its line, from 1, if it has one.
    pub line: Option<u32>,
    /// One sentence, without the place.
    pub text: String,
    /// Whether the file runs all the same.
    pub warning: bool,
}

/// A version that another one replaced.
#[derive(Debug, Clone, PartialEq)]
pub struct Older {
    /// Its number.
    pub number: u32,
    /// The contents of the file.
    pub text: Arc<str>,
    /// The results of its kernels.
    pub records: Vec<Record>,
}

impl Older {
    /// Its name on the chart: `v2`.
    pub fn label(&self) -> String {
        label(self.number)
    }
}

/// The name of a version on the chart.
fn label(number: u32) -> String {
    format!("v{number}")
}

/// The file since an older version.
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    /// Number of that version.
    pub since: u32,
    /// Its lines, those of the newest contents, and which stand in one row.
    pub(crate) texts: Difference,
}

/// What the thread that watches the file reports.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// It has these contents, and the compiler starts.
    Saved(Arc<str>),
    /// It does not compile, or its comment block does not say how to launch it.
    Refused(Vec<Problem>),
    /// Its new version is registered, with these warnings of the compiler.
    Compiled(Vec<Problem>),
    /// That version is registered again, with what the assembler says of its kernels.
    Assembled,
    /// The kernels of a version were checked.
    Checked {
        /// Number of the version.
        version: u32,
        /// What is wrong with them.
        problems: Vec<Problem>,
        /// The variants with an error, which do not run.
        unsound: Vec<String>,
    },
    /// It cannot be read, for this reason.
    Gone(String),
}

impl Own {
    /// A file that nothing is known of.
    pub fn new(path: PathBuf, like: Option<String>) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self {
            name,
            path,
            like,
            stage: Stage::default(),
            text: Arc::default(),
            listing: Listing::default(),
            problems: Vec::new(),
            version: 0,
            compiled: Arc::default(),
            older: VecDeque::new(),
            changes: None,
            waiting: None,
        }
    }

    /// The name of the running version on the chart: `v3`.
    pub fn label(&self) -> String {
        label(self.version)
    }

    /// Whether something keeps kernels of the newest contents from running.
    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(|problem| !problem.warning)
    }

    /// The problem to tell first: the first error, else the first warning.
    pub fn first(&self) -> Option<&Problem> {
        self.problems.iter().min_by_key(|problem| problem.warning)
    }

    /// The problem on a line.
    pub fn on_line(&self, line: u32) -> Option<&Problem> {
        let on_line = self.problems.iter().filter(|problem| problem.line == Some(line));
        on_line.min_by_key(|problem| problem.warning)
    }

    /// In one sentence what the newest contents came to, if there is something to tell.
    pub fn says(&self) -> Option<String> {
        let name = &self.name;
        match (&self.stage, self.first()) {
            (Stage::Gone(reason), _) => Some(format!("{name}: {reason}")),
            (_, Some(problem)) => {
                let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
                // A block to paste needs its lines; the Source screen has them.
                let sentence = problem.text.split(". ").next();
                let sentence = sentence.filter(|_| problem.text.contains("\n\n/* warpscope\n"));
                let what = sentence.unwrap_or(&problem.text);
                let more = match self.problems.len() - 1 {
                    0 if sentence.is_none() => String::new(),
                    0 => " (5 has one to paste)".to_owned(),
                    more => format!(" (and {more} more: 5, then n)"),
                };
                Some(format!("{name}{line}: {what}{more}"))
            }
            _ => None,
        }
    }

    /// Takes new contents.
    pub(crate) fn take(&mut self, text: Arc<str>) {
        self.listing = listing::text(&text);
        self.text = text;
        self.problems.clear();
        let since = self.changes.as_ref().map(|changes| changes.since);
        self.compare(since);
    }

    /// Compares with an older version, if there is one with this number.
    pub(crate) fn compare(&mut self, since: Option<u32>) {
        let older = self.older.iter().find(|older| Some(older.number) == since);
        self.changes = older.map(|older| {
            let (left, right) = (listing::text(&older.text), self.listing.clone());
            let rows = listing::pair(&left, &right);
            Changes { since: older.number, texts: Difference { left, right, rows } }
        });
    }

    /// The older version to compare with next: the newest one first.
    pub(crate) fn next_since(&self) -> Option<u32> {
        let shown = self.changes.as_ref().map(|changes| changes.since);
        let next = match shown {
            None => self.older.front(),
            Some(shown) => self.older.iter().find(|older| older.number < shown),
        };
        next.map(|older| older.number)
    }
}
