//! The user's files: a `.cu` or `.ptx` file as an algorithm like any other.
//!
//! [`system`] turns an [`OwnFile`] into an [`Algorithm`] and registers it under the
//! file's name. The file says in a comment block how its kernels are launched. With
//! `like`, its kernels join the variants of a built-in algorithm.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::Digest;

use crate::algorithms::{self, Algorithm, Variant};
use crate::experiment::UnknownName;
pub(crate) use crate::syntax::{place_in_header, with_headers};
use crate::work::{Module, ResourceTable};
pub use constants::with_constants;
pub use describe::{DescribedKernel, Description, Unused, describe};
pub use estimates::estimates;
use header::Located;
use kernels::{Kernel, Kernels};
pub use template::{contract_text, like as like_template, plain as plain_template};
pub use versions::{
    Version, cubin, current, hash_of, in_header, is_like, path, place_of, set_cubin, set_path,
    with_hash,
};

mod args;
mod at;
mod constants;
pub mod ctype;
mod describe;
mod estimates;
mod expr;
mod fill;
mod header;
mod infer;
mod kernels;
mod like;
mod plain;
pub mod signature;
mod template;
#[cfg(test)]
mod tests;
mod uses;
mod variables;
mod versions;
mod view;

/// A file with everything that another process or machine needs to run it without a
/// compiler.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnFile {
    /// Name of the file without its folder: `my.cu`. Also the name of the algorithm.
    pub name: String,
    /// Contents of the file.
    pub source: String,
    /// The compiled PTX. The same as `source` for a `.ptx` file.
    pub ptx: String,
    /// What the assembler reported about each kernel, as in `kernels/ptx/*.csv`; may be
    /// empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub resources: String,
    /// The compiler, such as `NVRTC 12.9`; empty for a `.ptx` file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub compiler: String,
    /// The built-in algorithm that the kernels belong to, if the command line names one.
    /// It takes precedence over the file's own `like`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub like: Option<String>,
}

/// Maximum size of a file in bytes.
pub const MOST_SOURCE: usize = 1 << 20;

/// Maximum size of its PTX in bytes.
pub const MOST_PTX: usize = 16 << 20;

/// Maximum length of its name in bytes.
const MOST_NAME: usize = 255;

impl OwnFile {
    /// First 16 hex digits of the SHA-256 of its source, and of [`OwnFile::like`] after it
    /// if there is one.
    pub fn hash(&self) -> String {
        let mut hash = sha2::Sha256::new_with_prefix(&self.source);
        if let Some(like) = &self.like {
            hash.update("\0like ");
            hash.update(like);
        }
        hex(hash.finalize().as_slice())
    }

    /// Whether it is PTX that no compiler made here.
    pub fn is_ptx(&self) -> bool {
        has_ending(&self.name, "ptx")
    }
}

/// Whether a path names a file that can be a system: it ends in `.cu` or `.ptx`.
pub fn is_own_name(path: &str) -> bool {
    has_ending(path, "cu") || has_ending(path, "ptx")
}

fn has_ending(path: &str, ending: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(stem, found)| {
        found.eq_ignore_ascii_case(ending) && !stem.is_empty() && !stem.ends_with(['/', '\\'])
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Why a file is no system.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct OwnError {
    /// Name of the file.
    pub file: String,
    /// Line in the file, from 1, if the error has one.
    pub line: Option<u32>,
    /// What is wrong and the way out. May have several lines; the first is a sentence.
    pub message: String,
}

impl fmt::Display for OwnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        write!(f, "{}{line}: {}", self.file, self.message)
    }
}

/// An error before the file's name is known to it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Problem {
    line: Option<u32>,
    message: String,
}

impl Problem {
    fn new(line: impl Into<Option<u32>>, message: impl Into<String>) -> Self {
        Self { line: line.into(), message: message.into() }
    }
}

/// The system of a file, registered under its name. Identical files give the same system.
///
/// An algorithm lives as long as the program. So each version of a file leaks its data:
/// source, PTX and a few small tables, some tens of kilobytes for each save.
///
/// # Errors
/// If the file cannot be a system.
pub fn system(file: &OwnFile) -> Result<&'static dyn Algorithm, OwnError> {
    let system = version(file)?;
    algorithms::register(system);
    Ok(system)
}

/// The system of a file from a store. It is registered only where none of its name is.
///
/// # Errors
/// If the file cannot be a system.
pub fn remember(file: &OwnFile) -> Result<&'static dyn Algorithm, OwnError> {
    let system = version(file)?;
    if algorithms::find(&file.name).is_none() {
        algorithms::register(system);
    }
    Ok(system)
}

/// The system of a file, built once for each content.
fn version(file: &OwnFile) -> Result<&'static dyn Algorithm, OwnError> {
    let identity = identity(file);
    if let Some(system) = versions::known(&identity) {
        return Ok(system);
    }
    let system = build(file).map_err(|problem| OwnError {
        file: file.name.clone(),
        line: problem.line,
        message: problem.message,
    })?;
    versions::add(identity, file, system);
    Ok(system)
}

/// What tells one version of a file from another.
fn identity(file: &OwnFile) -> String {
    let OwnFile { name, source, ptx, resources, compiler, like } = file;
    let like = like.as_deref().unwrap_or_default();
    let mut hash = sha2::Sha256::new();
    for part in [name.as_str(), source, ptx, resources, compiler, like] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn build(file: &OwnFile) -> Result<&'static dyn Algorithm, Problem> {
    check(file)?;
    let header = header::read(&file.source)?;
    let kernels = kernels::kernels(file, &header)?;
    let like = file.like.as_deref().map(|like| (like, None));
    let like =
        like.or_else(|| header.like.as_ref().map(|like| (like.value.as_str(), Some(like.line))));
    match like {
        Some((like, line)) => like::system(file, &header, like, line, &kernels),
        None => plain::system(file, &header, &kernels),
    }
}

/// A text that lives as long as the program.
fn leak(text: impl Into<String>) -> &'static str {
    text.into().leak()
}

/// The module of a file. Its table estimates what the assembler did not report.
fn module(file: &OwnFile, kernels: &Kernels) -> Module {
    let reported = if file.resources.is_empty() { ResourceTable::HEADER } else { &file.resources };
    let stem = file.name.rsplit_once('.').map_or(file.name.as_str(), |(stem, _)| stem);
    Module {
        name: leak(file.name.clone()),
        path: leak(format!("{stem}.ptx")),
        ptx: leak(file.ptx.clone()),
        source: if file.is_ptx() { "" } else { leak(file.source.clone()) },
        resources: leak(reported.to_owned() + &kernels.estimates),
    }
}

/// The kernels of a file as variants, beside `others`.
fn variants(
    file: &OwnFile,
    kernels: &[Kernel],
    others: &[Variant],
    coarsens: bool,
) -> Vec<Variant> {
    let mut taken: Vec<&str> = others.iter().map(|variant| variant.short).collect();
    let mut variants = Vec::new();
    for Kernel { signature, entry, .. } in kernels {
        let short = short(&signature.name, &taken);
        taken.push(short);
        let named = if *entry == signature.name { String::new() } else { format!(" `{entry}`") };
        variants.push(Variant {
            name: leak(signature.name.clone()),
            short,
            summary: leak(format!("kernel{named} in line {} of {}", signature.line, file.name)),
            idea: "",
            coarsens,
            tensor: false,
        });
    }
    variants
}

/// A short name that is not taken: the start of the name, and a number if need be.
fn short(name: &str, taken: &[&str]) -> &'static str {
    let cut = |most: usize| name.chars().take(most).collect::<String>();
    let whole = cut(Variant::MOST_SHORT);
    if !taken.contains(&whole.as_str()) {
        return leak(whole);
    }
    let numbered = (2..).map(|number: u32| {
        let number = number.to_string();
        format!("{}~{number}", cut(Variant::MOST_SHORT - 1 - number.len()))
    });
    let free = numbered.into_iter().find(|short| !taken.contains(&short.as_str()));
    leak(free.unwrap_or(whole))
}

/// Index of the kernel that a header names.
fn known_kernel(name: &Located<String>, kernels: &Kernels) -> Result<usize, Problem> {
    let found = kernels.found.iter().position(|kernel| kernel.signature.name == name.value);
    found.ok_or_else(|| {
        let left_out = kernels.left_out.iter().find(|it| it.name == name.value);
        let message = if let Some(it) = left_out {
            format!("kernel `{}` cannot be launched: {}", it.name, it.reason)
        } else {
            let known: Vec<&str> =
                kernels.found.iter().map(|kernel| kernel.signature.name.as_str()).collect();
            UnknownName::new("kernel", &name.value, &known).to_string()
        };
        Problem::new(name.line, message)
    })
}

/// Name and sizes.
fn check(file: &OwnFile) -> Result<(), Problem> {
    let name = &file.name;
    if !is_own_name(name) || name.contains(['/', '\\']) || name.chars().any(char::is_control) {
        return Err(Problem::new(None, "the name of a kernel file ends in .cu or .ptx"));
    }
    if name.len() > MOST_NAME {
        return Err(Problem::new(None, format!("the name has more than {MOST_NAME} bytes")));
    }
    for (what, text, most) in [("file", &file.source, MOST_SOURCE), ("PTX", &file.ptx, MOST_PTX)] {
        if text.len() > most {
            let message = format!("the {what} has {} bytes; the maximum is {most}", text.len());
            return Err(Problem::new(None, message));
        }
    }
    Ok(())
}
