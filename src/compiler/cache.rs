//! Compiled files, kept by a hash of everything that they depend on.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use etcetera::BaseStrategy;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Request;
use super::discovery::{Compiler, identity};

/// Names the folder, or `none`.
pub(super) const CACHE_VARIABLE: &str = "WARPSCOPE_CACHE";

/// Most bytes of all entries; then the oldest are removed.
const MOST_BYTES: u64 = 200 << 20;

/// Changes with what this program does to a source.
const FORMAT: &str = concat!("warpscope ", env!("CARGO_PKG_VERSION"), " compiled 2");

/// How the name of an entry ends.
const ENDING: &str = "compiled";

/// The folder of the cache: what the variable says, else `warpscope` in the platform's
/// folder for caches. None where nothing is kept.
pub(super) fn folder() -> Option<PathBuf> {
    match std::env::var(CACHE_VARIABLE).ok().filter(|value| !value.is_empty()).as_deref() {
        Some("none") => None,
        Some(path) => std::path::absolute(path).ok(),
        None => {
            let platform = etcetera::choose_base_strategy().ok();
            platform.map(|it| it.cache_dir().join("warpscope").join("compiled"))
        }
    }
}

/// The key of a request compiled by one compiler with headers from these folders.
pub(super) fn key(request: &Request, compiler: &Compiler, headers: &[PathBuf]) -> String {
    let Request { name, source, target } = request;
    hash(&[
        &super::prelude::all(),
        &super::source::plain_name(name),
        source,
        &format!("{target:?}"),
        &compiler.identity,
        &headers.iter().map(|folder| identity(folder)).collect::<String>(),
    ])
}

/// SHA-256 of texts, each with its length.
pub(super) fn hash(texts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for text in [FORMAT].iter().chain(texts) {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    hex(&hash.finalize())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A folder of entries. Whatever fails, there is no entry: a cache must not be in the way.
#[derive(Debug, Clone)]
pub(super) struct Cache {
    folder: Option<PathBuf>,
    most: u64,
}

impl Cache {
    /// The cache in `folder`; one that keeps nothing without a folder.
    pub(super) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, most: MOST_BYTES }
    }

    fn path(&self, key: &str) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(format!("{key}.{ENDING}")))
    }

    /// An entry, if it is there and whole.
    pub(super) fn get<T: for<'a> Deserialize<'a>>(&self, key: &str) -> Option<T> {
        let path = self.path(key)?;
        let text = fs::read_to_string(&path).ok()?;
        let (sum, body) = text.split_once('\n')?;
        if sum != hex(&Sha256::digest(body)) {
            return None;
        }
        // Entries in use are not the oldest.
        let _ = fs::File::options()
            .append(true)
            .open(&path)
            .and_then(|file| file.set_modified(SystemTime::now()));
        serde_json::from_str(body).ok()
    }

    /// Writes an entry whole or not at all.
    pub(super) fn put(&self, key: &str, entry: &impl Serialize) {
        let (Some(path), Some(folder)) = (self.path(key), &self.folder) else { return };
        let Ok(body) = serde_json::to_string(entry) else { return };
        if body.len() as u64 > self.most || fs::create_dir_all(folder).is_err() {
            return;
        }
        let text = format!("{}\n{body}", hex(&Sha256::digest(&body)));
        let part = folder.join(format!("{key}.{}.part", std::process::id()));
        if fs::write(&part, text).and_then(|()| fs::rename(&part, path)).is_err() {
            let _ = fs::remove_file(&part);
        }
        self.remove_oldest(folder);
    }

    /// Removes the oldest entries until all fit.
    fn remove_oldest(&self, folder: &Path) {
        let Ok(files) = fs::read_dir(folder) else { return };
        let mut entries: Vec<(SystemTime, u64, PathBuf)> = files
            .flatten()
            .filter(|file| {
                let path = file.path();
                path.extension().is_some_and(|ending| ending == ENDING || ending == "part")
            })
            .filter_map(|file| {
                let about = file.metadata().ok().filter(fs::Metadata::is_file)?;
                Some((about.modified().ok()?, about.len(), file.path()))
            })
            .collect();
        entries.sort();
        let mut all: u64 = entries.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, bytes, path) in entries {
            if all <= self.most {
                break;
            }
            if fs::remove_file(path).is_ok() {
                all -= bytes;
            }
        }
    }
}

/// Bytes as base64 in JSON.
pub(super) mod base64_option {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

    #[allow(clippy::ref_option, reason = "serde calls it with a reference to the field")]
    pub(in crate::compiler) fn serialize<S: Serializer>(
        bytes: &Option<Vec<u8>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        bytes.as_ref().map(|bytes| STANDARD.encode(bytes)).serialize(serializer)
    }

    pub(in crate::compiler) fn deserialize<'a, D: Deserializer<'a>>(
        deserializer: D,
    ) -> Result<Option<Vec<u8>>, D::Error> {
        let text: Option<String> = Option::deserialize(deserializer)?;
        text.map(|text| STANDARD.decode(text).map_err(de::Error::custom)).transpose()
    }
}

#[cfg(test)]
mod tests;
