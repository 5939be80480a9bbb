//! Several files into one.

use std::path::{Path, PathBuf};

use super::{Store, StoreError, Torn, lines, presented, read_file};

/// What merging came to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Merged {
    /// Lines of the files that were read.
    pub read: usize,
    /// Cases in the output now.
    pub cases: usize,
    /// Cases that the output did not have before.
    pub added: usize,
    /// Cases of which the output had another result.
    pub replaced: usize,
    /// Last lines that were cut off, and left out.
    pub torn: Vec<(PathBuf, Torn)>,
}

/// Appends to `output`, which is made unless it is there, every case of `inputs`
/// that it does not have, or of which it has another result.
///
/// Of several results of a case the one in the last file counts, of one file the
/// last line; but one that only says that an attempt failed never replaces one
/// that settles the case. Merging the same files again appends nothing. Nothing
/// is written before every input has been read.
pub fn merge<P: AsRef<Path>>(inputs: &[P], output: impl AsRef<Path>) -> Result<Merged, StoreError> {
    let mut merged = Merged::default();
    let mut latest = super::Records::default();
    for path in inputs {
        let path = path.as_ref();
        let parsed = lines::parse(&read_file(path)?, path)?;
        merged.read += parsed.records.len();
        merged.torn.extend(parsed.torn.map(|torn| (path.to_owned(), torn)));
        for record in parsed.records {
            latest.put(record);
        }
    }
    let mut store = Store::open(output)?;
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
