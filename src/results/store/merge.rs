//! Merges several files into one.

use std::path::{Path, PathBuf};

use super::{Invalid, Store, StoreError, Torn, lines, open_file, presented};

/// The result of a merge.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Merged {
    /// Number of lines read.
    pub read: usize,
    /// Cases in the output after the merge.
    pub cases: usize,
    /// Cases that are new in the output.
    pub added: usize,
    /// Cases whose result in the output was replaced.
    pub replaced: usize,
    /// Torn last lines, which are left out.
    pub torn: Vec<(PathBuf, Torn)>,
    /// Records beyond the limits of the schema, which are left out.
    pub invalid: Vec<(PathBuf, Invalid)>,
}

/// Appends to `output` every case of `inputs` that is new or has another result there.
/// Creates `output` if it is missing.
///
/// The last file and the last line of a case count, except that a record that does not
/// settle a case never replaces one that does. Merging the same files again appends
/// nothing. All inputs are read before anything is written.
pub fn merge<P: AsRef<Path>>(inputs: &[P], output: impl AsRef<Path>) -> Result<Merged, StoreError> {
    let mut merged = Merged::default();
    let (mut latest, mut files) = (super::Records::default(), Vec::new());
    for path in inputs {
        let path = path.as_ref();
        let mut take = |records: Vec<lines::Digested>, _| {
            merged.read += records.len();
            for (digest, record) in records {
                latest.put_digested(digest, record);
            }
        };
        let parsed = lines::parse(&mut open_file(path)?, path, &mut take)?;
        merged.invalid.extend(parsed.invalid.into_iter().map(|line| (path.to_owned(), line)));
        merged.torn.extend(parsed.torn.map(|torn| (path.to_owned(), torn)));
        files.extend(parsed.files);
    }
    let mut store = Store::open(output)?;
    for kept in &files {
        store.keep_file(&kept.file, kept.path.as_deref())?;
    }
    let before = store.records().len();
    for record in latest.list {
        let there = store.get(&record.identity());
        let differs = there.is_none_or(|there| *there != presented(record.clone()));
        let yields = there.is_some_and(|there| there.settles() && !record.settles());
        if differs && !yields {
            merged.replaced += usize::from(there.is_some());
            store.append(&record)?;
        }
    }
    merged.cases = store.records().len();
    merged.added = merged.cases - before;
    Ok(merged)
}
