//! Lines that hold a user's file, so that its results open elsewhere with their source.

use serde::{Deserialize, Serialize};

use crate::own::{self, MOST_PTX, MOST_SOURCE, OwnFile};
use crate::results::record::PROGRAM;

/// The schema of these lines. A program that does not know it asks for an update.
pub const FILE_SCHEMA: u32 = 3;

/// Most bytes of a path.
const MOST_PATH: usize = 4096;

/// A user's file, as a store keeps it: once for each version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptFile {
    /// [`FILE_SCHEMA`].
    pub schema: u32,
    /// Program and version that wrote it.
    pub program: String,
    /// [`OwnFile::hash`], which records name.
    pub hash: String,
    /// Where the file was, as the user gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The file with its PTX.
    pub file: OwnFile,
}

impl KeptFile {
    /// The line for a file at `path`.
    pub fn new(file: &OwnFile, path: Option<&str>) -> Self {
        Self {
            schema: FILE_SCHEMA,
            program: PROGRAM.to_owned(),
            hash: file.hash(),
            path: path.filter(|path| path.len() <= MOST_PATH).map(str::to_owned),
            file: file.clone(),
        }
    }

    /// Checks that it is within the limits of the schema.
    ///
    /// # Errors
    /// The field and its value, in words.
    pub(super) fn check(&self) -> Result<(), String> {
        let sizes = [
            ("file.source", self.file.source.len(), MOST_SOURCE),
            ("file.ptx", self.file.ptx.len(), MOST_PTX),
            ("path", self.path.as_ref().map_or(0, String::len), MOST_PATH),
        ];
        for (field, bytes, most) in sizes {
            if bytes > most {
                return Err(format!("`{field}` has {bytes} bytes, more than {most}"));
            }
        }
        if self.hash != self.file.hash() {
            return Err("`hash` is not that of the file".to_owned());
        }
        if self.file.is_ptx() && self.file.ptx != self.file.source {
            return Err("`file.ptx` is not the source of a PTX file".to_owned());
        }
        Ok(())
    }

    /// Whether another line holds the same version.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.hash == other.hash
            && self.file.name == other.file.name
            && self.file.ptx == other.file.ptx
            && self.file.resources == other.file.resources
    }
}

/// Makes the systems of these files known, where the process has none of their name. A file
/// that can be no system is left out: its results are those of an unknown algorithm.
pub(super) fn remember(files: &[KeptFile]) {
    for kept in files {
        if own::remember(&kept.file).is_ok()
            && let Some(path) = &kept.path
            && own::path(&kept.hash).is_none()
        {
            own::set_path(&kept.hash, path);
        }
    }
}
