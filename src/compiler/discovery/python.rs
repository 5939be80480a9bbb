//! The folders that `pip` and conda install into.

use std::path::{Path, PathBuf};

use super::environment::{Environment, Os, children};

/// The folders `site-packages` of the active virtual environment, of conda, of the user and
/// of the system, in this order.
pub(super) fn site_packages(environment: &Environment) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for prefix in prefixes(environment) {
        folders.extend(of_prefix(environment.os, &prefix));
    }
    if environment.os == Os::Windows
        && let Some(roaming) = environment.folder("APPDATA")
    {
        let versions = children(&roaming.join("Python"), "Python3");
        folders.extend(versions.into_iter().map(|it| it.join("site-packages")));
    }
    folders
}

/// Where Pythons are installed.
fn prefixes(environment: &Environment) -> Vec<PathBuf> {
    let mut prefixes = Vec::new();
    prefixes.extend(environment.folder("VIRTUAL_ENV"));
    prefixes.extend(environment.folder("CONDA_PREFIX"));
    let user = environment.home.as_ref().map(|home| home.join(".local"));
    prefixes.extend(environment.folder("PYTHONUSERBASE").or(user));
    for name in ["python3", "python"] {
        for program in environment.on_path(name) {
            let folder = program.parent().unwrap_or(Path::new(""));
            let inside = folder.file_name().is_some_and(|name| name == "bin" || name == "Scripts");
            let prefix = if inside { folder.parent() } else { Some(folder) };
            prefixes.extend(prefix.map(Path::to_owned));
        }
    }
    // pyenv has only shims on the path.
    let pyenv = environment.home.as_ref().map(|home| home.join(".pyenv"));
    if let Some(pyenv) = environment.folder("PYENV_ROOT").or(pyenv) {
        prefixes.extend(children(&pyenv.join("versions"), ""));
    }
    if environment.os == Os::Windows {
        let programs = environment.folder("LOCALAPPDATA").map(|it| it.join("Programs/Python"));
        for folder in programs.into_iter().chain(environment.folder("ProgramFiles")) {
            prefixes.extend(children(&folder, "Python3"));
        }
    } else {
        prefixes.extend([environment.system("usr/local"), environment.system("usr")]);
    }
    prefixes
}

fn of_prefix(os: Os, prefix: &Path) -> Vec<PathBuf> {
    if os == Os::Windows {
        return vec![prefix.join("Lib").join("site-packages")];
    }
    let mut folders = Vec::new();
    for lib in ["lib", "lib64"] {
        for python in children(&prefix.join(lib), "python3") {
            // Debian has the second one.
            folders.extend([python.join("site-packages"), python.join("dist-packages")]);
        }
    }
    folders
}
