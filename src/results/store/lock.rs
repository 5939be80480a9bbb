//! Files that one process writes and others may read meanwhile.
//!
//! Unix: an advisory lock. Windows: a lock would keep readers out too, so the file is
//! opened without permission for others to write it, move it or delete it. Both end
//! with the process.

use std::fs::{File, OpenOptions};
use std::path::Path;

use super::StoreError;

/// Opens `path` to read it and to append to it; creates it if it is missing.
///
/// # Errors
/// If another process writes it, or the system refuses.
pub(super) fn open(path: &Path) -> Result<File, StoreError> {
    system::open(OpenOptions::new().create(true), path)
}

/// Creates `path` in the same way.
///
/// # Errors
/// If it exists, or the system refuses.
pub(super) fn create(path: &Path) -> Result<File, StoreError> {
    system::open(OpenOptions::new().create_new(true), path)
}

/// Checks that no process writes `path`.
///
/// # Errors
/// If one does, or the file cannot be opened.
pub(super) fn check_free(path: &Path) -> Result<(), StoreError> {
    system::check_free(path)
}

/// Gives `file` up. Does `last` while it is still ours, on Windows right after: an open
/// file cannot be removed there.
pub(super) fn release_and(file: &mut File, last: impl FnOnce()) {
    #[cfg(not(windows))]
    {
        last();
        // Closing is not enough: a child process that is starting holds a copy of the
        // file, and the lock, until its program is loaded.
        let _ = file.unlock();
    }
    #[cfg(windows)]
    {
        if let Ok(nothing) = File::open("NUL") {
            *file = nothing;
        }
        last();
    }
}

#[cfg(not(windows))]
mod system {
    use std::fs::TryLockError;

    use super::{File, OpenOptions, Path, StoreError};

    pub(super) fn open(options: &mut OpenOptions, path: &Path) -> Result<File, StoreError> {
        let file = options
            .read(true)
            .append(true)
            .open(path)
            .map_err(|source| StoreError::Write { path: path.to_owned(), source })?;
        lock(&file, path)?;
        Ok(file)
    }

    pub(super) fn check_free(path: &Path) -> Result<(), StoreError> {
        let file = File::open(path)
            .map_err(|source| StoreError::Move { path: path.to_owned(), source })?;
        lock(&file, path)?;
        let _ = file.unlock();
        Ok(())
    }

    fn lock(file: &File, path: &Path) -> Result<(), StoreError> {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(StoreError::Locked(path.to_owned())),
            // Some network file systems have no locks.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
        }
    }
}

#[cfg(windows)]
mod system {
    use std::io;
    use std::os::windows::fs::OpenOptionsExt;

    use super::{File, OpenOptions, Path, StoreError};

    /// `FILE_SHARE_READ`: others may read.
    const SHARE_READ: u32 = 1;

    /// `ERROR_SHARING_VIOLATION`: another process has it open in a way that excludes this.
    const SHARING_VIOLATION: i32 = 32;

    pub(super) fn open(options: &mut OpenOptions, path: &Path) -> Result<File, StoreError> {
        // With `append`, Windows refuses to cut off a torn line.
        let options = options.read(true).write(true).share_mode(SHARE_READ);
        options.open(path).map_err(|source| {
            error(source, path, |path, source| StoreError::Write { path, source })
        })
    }

    pub(super) fn check_free(path: &Path) -> Result<(), StoreError> {
        let found = OpenOptions::new().read(true).share_mode(SHARE_READ).open(path);
        found
            .map(drop)
            .map_err(|source| error(source, path, |path, source| StoreError::Move { path, source }))
    }

    fn error(
        source: io::Error,
        path: &Path,
        other: impl FnOnce(std::path::PathBuf, io::Error) -> StoreError,
    ) -> StoreError {
        match source.raw_os_error() {
            Some(SHARING_VIOLATION) => StoreError::Locked(path.to_owned()),
            _ => other(path.to_owned(), source),
        }
    }
}
