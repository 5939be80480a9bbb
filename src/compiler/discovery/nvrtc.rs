//! The places of the library of NVRTC.

use std::fs;
use std::path::{Path, PathBuf};

use super::environment::{Environment, Os, children, version};
use super::python;

/// The libraries of NVRTC, best first.
pub(super) fn libraries(environment: &Environment) -> impl Iterator<Item = PathBuf> {
    let current = environment.current.clone();
    let os = environment.os;
    folders(environment)
        .into_iter()
        .filter(move |folder| current.as_ref() != Some(folder))
        .filter_map(move |folder| newest(os, &folder))
}

fn folders(environment: &Environment) -> Vec<PathBuf> {
    let windows = environment.os == Os::Windows;
    let mut folders = Vec::new();
    if let Some(conda) = environment.folder("CONDA_PREFIX") {
        // After the virtual environment, if one is active in conda's.
        folders.extend(if windows {
            vec![conda.join("Library/bin"), conda.join("Library/bin/x64")]
        } else {
            [vec![conda.join("lib")], targets(&conda)].concat()
        });
    }
    let sites = python::site_packages(environment);
    let mut wheels: Vec<PathBuf> = sites.iter().flat_map(|site| of_wheels(windows, site)).collect();
    if environment.variable("VIRTUAL_ENV").is_some() {
        folders.splice(..0, wheels.drain(..));
    }
    folders.extend(wheels);
    folders.extend(loader(environment));
    let named = ["CUDA_HOME", "CUDA_PATH"].map(|name| environment.folder(name));
    for toolkit in named.into_iter().flatten().chain(toolkits(environment)) {
        folders.extend(of_toolkit(windows, &toolkit));
    }
    folders
}

/// The folders of NVIDIA's wheels in a `site-packages`.
fn of_wheels(windows: bool, site: &Path) -> Vec<PathBuf> {
    let nvidia = site.join("nvidia");
    let mut folders = Vec::new();
    // Up to CUDA 12 the library has a wheel of its own, from 13 on a shared folder.
    for folder in [vec![nvidia.join("cuda_nvrtc")], children(&nvidia, "cu1")].concat() {
        folders.extend(if windows {
            vec![folder.join("bin"), folder.join("bin/x86_64"), folder.join("bin/x64")]
        } else {
            vec![folder.join("lib")]
        });
    }
    folders
}

/// Where the system's loader searches.
fn loader(environment: &Environment) -> Vec<PathBuf> {
    if environment.os == Os::Windows {
        return environment.folders("PATH");
    }
    let mut folders = environment.folders("LD_LIBRARY_PATH");
    let mut files: Vec<PathBuf> = fs::read_dir(environment.system("etc/ld.so.conf.d"))
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    files.sort();
    for file in files {
        let Ok(text) = fs::read_to_string(file) else { continue };
        let lines = text.lines().map(str::trim).filter(|line| line.starts_with('/'));
        folders.extend(lines.map(|line| environment.system(line.trim_start_matches('/'))));
    }
    let usual = ["usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu", "usr/lib64", "usr/lib"];
    folders.extend(usual.map(|path| environment.system(path)));
    folders
}

/// Where CUDA is installed if no variable says so, the newest first.
pub(super) fn toolkits(environment: &Environment) -> Vec<PathBuf> {
    if environment.os == Os::Windows {
        let programs = environment.folder("ProgramFiles");
        let folder = programs.map(|it| it.join("NVIDIA GPU Computing Toolkit/CUDA"));
        return folder.map(|folder| children(&folder, "v")).unwrap_or_default();
    }
    let local = environment.system("usr/local");
    // `cuda` is the version that the system chose.
    let mut toolkits = vec![local.join("cuda")];
    toolkits.extend(children(&local, "cuda-"));
    toolkits.push(environment.system("opt/cuda"));
    toolkits
}

fn of_toolkit(windows: bool, toolkit: &Path) -> Vec<PathBuf> {
    if windows {
        return vec![toolkit.join("bin"), toolkit.join("bin/x64")];
    }
    [vec![toolkit.join("lib64"), toolkit.join("lib")], targets(toolkit)].concat()
}

/// `targets/x86_64-linux/lib`, and those of other machines.
fn targets(toolkit: &Path) -> Vec<PathBuf> {
    let machines = children(&toolkit.join("targets"), "");
    machines.into_iter().map(|machine| machine.join("lib")).collect()
}

/// The newest library in a folder.
fn newest(os: Os, folder: &Path) -> Option<PathBuf> {
    let files = fs::read_dir(folder).ok()?.flatten();
    let libraries = files.filter_map(|file| {
        let name = file.file_name().into_string().ok()?;
        Some((library_version(os, &name)?, file.path()))
    });
    libraries.filter(|(_, path)| path.is_file()).max().map(|(_, path)| path)
}

/// The version in the name of a library: `libnvrtc.so.11.2`, `nvrtc64_120_0.dll`. None if it
/// is another file, such as its other half `libnvrtc-builtins.so.12.9`.
fn library_version(os: Os, name: &str) -> Option<Vec<u32>> {
    let digits = if os == Os::Windows {
        name.strip_prefix("nvrtc64_")?.strip_suffix(".dll")?
    } else {
        name.strip_prefix("libnvrtc.so")?
    };
    let plain = digits.chars().all(|c| c.is_ascii_digit() || c == '.' || c == '_');
    plain.then(|| version(digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_library_itself_counts() {
        for (name, version) in [
            ("libnvrtc.so", Some(vec![])),
            ("libnvrtc.so.12", Some(vec![12])),
            ("libnvrtc.so.11.2", Some(vec![11, 2])),
            ("libnvrtc.alt.so.12", None),
            ("libnvrtc-builtins.so.12.9", None),
            ("libnvrtc.so.12.bak", None),
        ] {
            assert_eq!(library_version(Os::Linux, name), version, "{name}");
        }
        for (name, version) in [
            ("nvrtc64_112_0.dll", Some(vec![112, 0])),
            ("nvrtc64_130_0.dll", Some(vec![130, 0])),
            ("nvrtc64_120_0.alt.dll", None),
            ("nvrtc-builtins64_129.dll", None),
        ] {
            assert_eq!(library_version(Os::Windows, name), version, "{name}");
        }
    }
}
