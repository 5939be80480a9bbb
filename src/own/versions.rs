//! The versions of the user's files that this process knows, newest last.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::OwnFile;
use crate::algorithms::Algorithm;
use crate::syntax::place_in_header;
use crate::work::Finding;

/// Versions that are kept.
const MOST: usize = 64;

/// A version of a file, with its system.
#[derive(Clone, Copy)]
pub struct Version {
    /// The file.
    pub file: &'static OwnFile,
    /// Its hash, [`OwnFile::hash`].
    pub hash: &'static str,
    /// Its system.
    pub system: &'static dyn Algorithm,
}

/// A version, and where its file was.
struct Known {
    /// Everything that tells it from other versions.
    identity: String,
    version: Version,
    path: Option<String>,
    cubin: Option<Arc<[u8]>>,
}

static VERSIONS: Mutex<VecDeque<Known>> = Mutex::new(VecDeque::new());

fn versions() -> MutexGuard<'static, VecDeque<Known>> {
    VERSIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The system of the version with this identity; it counts as the newest again.
pub(super) fn known(identity: &str) -> Option<&'static dyn Algorithm> {
    let mut versions = versions();
    let at = versions.iter().position(|known| known.identity == identity)?;
    let known = versions.remove(at)?;
    let system = known.version.system;
    versions.push_back(known);
    Some(system)
}

/// Adds a version; beyond [`MOST`] the oldest is forgotten.
pub(super) fn add(identity: String, file: &OwnFile, system: &'static dyn Algorithm) {
    let version =
        Version { file: Box::leak(Box::new(file.clone())), hash: file.hash().leak(), system };
    let mut versions = versions();
    // The same source may come again, with what an assembler says of it.
    let same = versions.iter().rev().find(|known| known.version.hash == version.hash);
    let (path, cubin) = same.map(|it| (it.path.clone(), it.cubin.clone())).unwrap_or_default();
    versions.push_back(Known { identity, version, path, cubin });
    if versions.len() > MOST {
        versions.pop_front();
    }
}

/// The version whose system is registered as `name`.
pub fn current(name: &str) -> Option<Version> {
    let system = crate::algorithms::find(name)?;
    let of = |known: &&Known| std::ptr::addr_eq(known.version.system, system);
    versions().iter().rev().find(of).map(|known| known.version)
}

/// The newest version with this [`OwnFile::hash`].
pub fn with_hash(hash: &str) -> Option<Version> {
    versions().iter().rev().find(|known| known.version.hash == hash).map(|known| known.version)
}

/// The hash of the file that the kernels of `variant` come from. `None` for a kernel of a
/// built-in algorithm, also in a system that is `like` it.
pub fn hash_of(algorithm: &str, variant: &str) -> Option<&'static str> {
    let version = current(algorithm)?;
    (version.system.module(variant).name == version.file.name).then_some(version.hash)
}

/// Whether the system of this name is that of a file whose kernels join the variants of a
/// built-in algorithm.
pub fn is_like(algorithm: &str) -> bool {
    let Some(Version { system, file, .. }) = current(algorithm) else { return false };
    system.variants().iter().any(|variant| system.module(variant.name).name != file.name)
}

/// File and line of the kernel that `variant` launches first, if it is a user's.
pub fn place_of(algorithm: &str, variant: &str) -> Option<(String, u32)> {
    let file = current(algorithm)?.file;
    let (signatures, _) = super::signature::signatures(&file.source);
    let header = super::header::read(&file.source).unwrap_or_default();
    let renamed = header.kernels.iter().find(|(name, _)| name.value == variant);
    let entry = renamed.and_then(|(_, keys)| keys.kernel.as_ref()).map_or(variant, |it| &it.value);
    let signature = signatures.into_iter().find(|signature| signature.name == entry)?;
    Some((file.name.clone(), signature.line))
}

/// A finding in a header gets the header's name and line. Headers follow the source in the text of a
/// file.
#[must_use]
pub fn in_header(mut finding: Finding) -> Finding {
    let file = finding.file.as_deref().and_then(current).map(|it| it.file);
    let place = file.zip(finding.line).and_then(|(file, line)| place_in_header(&file.source, line));
    if let Some((header, line)) = place {
        (finding.file, finding.line) = (Some(header.to_owned()), Some(line));
    }
    finding
}

/// Sets the path of the file with this hash, as the user gave it.
pub fn set_path(hash: &str, path: &str) {
    for known in versions().iter_mut().filter(|known| known.version.hash == hash) {
        known.path = Some(path.to_owned());
    }
}

/// Sets the machine code of the file with this hash, for a driver that is too old for its
/// PTX.
pub fn set_cubin(hash: &str, cubin: &[u8]) {
    for known in versions().iter_mut().filter(|known| known.version.hash == hash) {
        known.cubin = Some(cubin.into());
    }
}

/// The machine code of the file with this hash, if there is one.
pub fn cubin(hash: &str) -> Option<Arc<[u8]>> {
    versions().iter().rev().find(|known| known.version.hash == hash)?.cubin.clone()
}

/// The path of the file with this hash, if it is known.
pub fn path(hash: &str) -> Option<String> {
    versions().iter().rev().find(|known| known.version.hash == hash)?.path.clone()
}
