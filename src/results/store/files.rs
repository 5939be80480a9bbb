//! The result files of a folder: list, create, discard and restore them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::StoreError;

/// Subfolder for discarded files: a move within one file system is atomic.
pub const TRASH: &str = ".warpscope-trash";

/// Separates the time and the old name in the trash.
const MARK: char = '_';

/// A discarded file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Discarded {
    /// When it was discarded: the start of its name in the trash.
    pub when: String,
    /// Its old path.
    pub from: PathBuf,
    /// Its path in the trash.
    pub to: PathBuf,
}

/// The `.jsonl` files of a folder by name; empty if there is no such folder.
///
/// # Errors
/// If the folder exists and cannot be read.
pub fn list(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(StoreError::Read { path: folder.to_owned(), source }),
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    files.sort();
    Ok(files)
}

/// An unused path in `folder`, which is created if it is missing: `STEM.jsonl`, or
/// `STEM-2.jsonl` and so on.
///
/// # Errors
/// If the folder cannot be created.
pub fn new_file(folder: &Path, stem: &str) -> Result<PathBuf, StoreError> {
    fs::create_dir_all(folder)
        .map_err(|source| StoreError::Write { path: folder.to_owned(), source })?;
    Ok(free(&folder.join(format!("{stem}.jsonl"))))
}

/// Moves a file to the trash of its folder.
///
/// # Errors
/// If a process is writing it, or it cannot be moved.
pub fn discard(path: &Path, when: &str) -> Result<Discarded, StoreError> {
    let moving = |source| StoreError::Move { path: path.to_owned(), source };
    let name = path.file_name().ok_or_else(|| StoreError::NotAFile(path.to_owned()))?;
    if path.is_file() {
        super::lock::check_free(path)?;
    }
    let trash = path.with_file_name(TRASH);
    fs::create_dir_all(&trash).map_err(moving)?;
    let to = free(&trash.join(format!("{when}{MARK}{}", name.display())));
    fs::rename(path, &to).map_err(moving)?;
    Ok(Discarded { when: when.to_owned(), from: path.to_owned(), to })
}

/// The discarded files of a folder, oldest first.
pub fn discarded(folder: &Path) -> Vec<Discarded> {
    let Ok(files) = list(&folder.join(TRASH)) else { return Vec::new() };
    let known = |to: PathBuf| {
        let (when, name) = to.file_name()?.to_str()?.split_once(MARK)?;
        let (when, from) = (when.to_owned(), folder.join(name));
        Some(Discarded { when, from, to })
    };
    let mut found: Vec<Discarded> = files.into_iter().filter_map(known).collect();
    found.sort();
    found
}

/// Restores a discarded file under its old path, or a similar unused one, and returns
/// the path.
///
/// # Errors
/// If it cannot be moved.
pub fn restore(discarded: &Discarded) -> Result<PathBuf, StoreError> {
    let back = free(&discarded.from);
    fs::rename(&discarded.to, &back)
        .map_err(|source| StoreError::Move { path: discarded.to.clone(), source })?;
    // Fails unless the trash is empty.
    let _ = discarded.to.parent().map(fs::remove_dir);
    Ok(back)
}

/// The path, or a similar unused one.
fn free(path: &Path) -> PathBuf {
    let taken = |path: &Path| path.symlink_metadata().is_ok();
    let stem = path.file_stem().unwrap_or_default().display().to_string();
    let extension = path.extension().unwrap_or_default().display().to_string();
    let numbered = (2..).map(|number| path.with_file_name(format!("{stem}-{number}.{extension}")));
    std::iter::once(path.to_owned())
        .chain(numbered)
        .find(|path| !taken(path))
        .unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::results::store::Store;

    #[test]
    fn what_is_discarded_comes_back_under_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a_b.jsonl");
        fs::write(&path, "one").unwrap();
        let gone = discard(&path, "20261121T1200").unwrap();
        assert!(!path.exists() && list(folder.path()).unwrap().is_empty());
        assert_eq!(discarded(folder.path()), std::slice::from_ref(&gone));
        assert_eq!(restore(&gone).unwrap(), path);
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        assert!(discarded(folder.path()).is_empty());
        assert!(!folder.path().join(TRASH).exists());
    }

    #[test]
    fn nothing_is_overwritten_on_either_way() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let mut gone = Vec::new();
        for text in ["one", "two"] {
            fs::write(&path, text).unwrap();
            gone.push(discard(&path, "now").unwrap());
        }
        fs::write(&path, "three").unwrap();
        for (gone, (name, text)) in gone.iter().zip([("a-2.jsonl", "one"), ("a-3.jsonl", "two")]) {
            let back = restore(gone).unwrap();
            assert_eq!(back.file_name().unwrap(), name);
            assert_eq!(fs::read_to_string(back).unwrap(), text);
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "three");
    }

    #[test]
    fn a_file_that_is_being_written_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let store = Store::open(&path).unwrap();
        let error = discard(&path, "now").unwrap_err().to_string();
        assert!(error.contains("another process is writing"), "{error}");
        assert!(path.exists());
        drop(store);
    }

    #[test]
    fn a_store_without_a_line_leaves_no_file_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = new_file(&folder.path().join("runs"), "x").unwrap();
        drop(Store::open(&path).unwrap());
        assert!(!path.exists());
        fs::write(&path, "").unwrap();
        drop(Store::open(&path).unwrap());
        assert!(path.exists(), "it was there before");
        assert_eq!(
            new_file(path.parent().unwrap(), "x").unwrap().file_name().unwrap(),
            "x-2.jsonl"
        );
    }
}
