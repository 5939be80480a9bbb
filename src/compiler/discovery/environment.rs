//! What discovery looks at: variables, the home folder, the file system.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// The operating system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::compiler) enum Os {
    Linux,
    Mac,
    Windows,
}

/// Where compilers are searched.
#[derive(Debug, Clone)]
pub struct Environment {
    pub(in crate::compiler) os: Os,
    pub(in crate::compiler) variables: BTreeMap<OsString, OsString>,
    pub(in crate::compiler) home: Option<PathBuf>,
    /// The folder that `/usr` is in.
    pub(in crate::compiler) root: PathBuf,
    /// The current folder: nothing in it counts.
    pub(in crate::compiler) current: Option<PathBuf>,
}

impl Environment {
    /// The environment of this process.
    pub fn of_this_process() -> Self {
        let os = match env::consts::OS {
            "windows" => Os::Windows,
            "macos" | "ios" => Os::Mac,
            _ => Os::Linux,
        };
        Self {
            os,
            variables: env::vars_os().collect(),
            home: etcetera::home_dir().ok(),
            root: PathBuf::from("/"),
            current: env::current_dir().ok(),
        }
    }

    /// A machine without anything.
    pub fn empty() -> Self {
        let (variables, home) = (BTreeMap::new(), None);
        // A folder that no system has.
        let root = PathBuf::from("/nothing/is/here");
        Self { variables, home, root, ..Self::of_this_process() }
    }

    /// This environment with a variable set.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// A variable that is not empty.
    pub(in crate::compiler) fn variable(&self, name: &str) -> Option<&OsString> {
        // Names are compared as the system does.
        let mut found = self.variables.get(&OsString::from(name));
        if found.is_none() && self.os == Os::Windows {
            let same = |other: &OsString| {
                other.to_str().is_some_and(|other| other.eq_ignore_ascii_case(name))
            };
            found = self.variables.iter().find(|(other, _)| same(other)).map(|(_, value)| value);
        }
        found.filter(|value| !value.is_empty())
    }

    /// A variable that names a path.
    pub(in crate::compiler) fn path(&self, name: &str) -> Option<PathBuf> {
        self.variable(name).map(PathBuf::from)
    }

    /// A variable that names a folder, if the folder is absolute.
    pub(in crate::compiler) fn folder(&self, name: &str) -> Option<PathBuf> {
        self.path(name).filter(|path| self.counts(path))
    }

    /// A variable that lists folders: those that are absolute.
    pub(in crate::compiler) fn folders(&self, name: &str) -> Vec<PathBuf> {
        let list = self.variable(name).map(env::split_paths).into_iter().flatten();
        list.filter(|path| self.counts(path)).collect()
    }

    /// A folder of the system, below the root.
    pub(in crate::compiler) fn system(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// Whether a folder may be searched: absolute, and not the current one.
    fn counts(&self, folder: &Path) -> bool {
        folder.is_absolute() && self.current.as_deref() != Some(folder)
    }

    /// The programs called `name` on the path.
    pub(in crate::compiler) fn on_path(&self, name: &str) -> impl Iterator<Item = PathBuf> {
        let file = if self.os == Os::Windows { format!("{name}.exe") } else { name.to_owned() };
        let folders = self.folders("PATH").into_iter();
        folders.map(move |folder| folder.join(&file)).filter(|path| path.is_file())
    }

    /// The one command that gets a compiler.
    pub(in crate::compiler) fn advice(&self) -> &'static str {
        if self.os == Os::Mac {
            return "brew install llvm";
        }
        let inside =
            self.variable("VIRTUAL_ENV").is_some() || self.variable("CONDA_PREFIX").is_some();
        // The system's pip refuses to install there, and asks for a virtual environment.
        let python = children(&self.system("usr/lib"), "python3");
        let managed = python.iter().any(|folder| folder.join("EXTERNALLY-MANAGED").is_file());
        let no_pip = self.on_path("pip").chain(self.on_path("pip3")).next().is_none();
        let apt = self.os == Os::Linux && self.system("usr/bin/apt-get").is_file();
        if apt && !inside && (managed || no_pip) {
            return "sudo apt-get install clang";
        }
        "pip install nvidia-cuda-nvrtc-cu12"
    }
}

/// The folders in `folder` whose name starts with `start`, the highest version first.
pub(in crate::compiler) fn children(folder: &Path, start: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<(Vec<u32>, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let rest = name.strip_prefix(start)?;
            Some((version(rest), entry.path()))
        })
        .filter(|(_, path)| path.is_dir())
        .collect();
    found.sort_by(|a, b| b.cmp(a));
    found.into_iter().map(|(_, path)| path).collect()
}

/// The numbers in a name: `-12.4` as 12, 4.
pub(in crate::compiler) fn version(name: &str) -> Vec<u32> {
    let digits = name.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
    digits.map(|part| part.parse().unwrap_or(u32::MAX)).collect()
}
