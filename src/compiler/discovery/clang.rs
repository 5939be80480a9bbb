//! The places of clang.

use std::path::PathBuf;

use super::environment::{Environment, Os};

/// Versions of clang that have a name of their own, newest first.
const NEWEST: u32 = 40;
const OLDEST: u32 = 14;

/// Folders with a clang that need not be on the path: Homebrew's, LLVM's installer's.
const FOLDERS: &[&str] = &[
    "opt/homebrew/opt/llvm/bin",
    "usr/local/opt/llvm/bin",
    "home/linuxbrew/.linuxbrew/opt/llvm/bin",
];

/// The programs of clang, best first. Some may be too old, or without the target NVPTX.
pub(super) fn programs(environment: &Environment) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = environment.on_path("clang").collect();
    for version in (OLDEST..=NEWEST).rev() {
        found.extend(environment.on_path(&format!("clang-{version}")));
    }
    match environment.os {
        Os::Windows => {
            let programs = environment.folder("ProgramFiles");
            found.extend(programs.map(|folder| folder.join("LLVM/bin/clang.exe")));
        }
        _ => found.extend(FOLDERS.iter().map(|folder| environment.system(folder).join("clang"))),
    }
    found.retain(|path| path.is_file());
    found
}
