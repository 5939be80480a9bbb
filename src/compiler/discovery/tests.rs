#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::ffi::OsString;

use super::*;

/// A made-up machine.
struct Machine {
    root: tempfile::TempDir,
    environment: Environment,
}

impl Machine {
    fn new(os: Os) -> Self {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().to_owned();
        let environment = Environment {
            os,
            variables: BTreeMap::new(),
            home: Some(path.join("home/me")),
            current: Some(path.join("work")),
            root: path,
        };
        Self { root, environment }
    }

    /// Adds files, and programs that can be started.
    fn with(self, files: &[&str]) -> Self {
        for file in files {
            let path = self.root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, file).unwrap();
        }
        self
    }

    /// Sets a variable to folders of the machine.
    fn set(mut self, name: &str, folders: &[&str]) -> Self {
        let folders = folders.iter().map(|folder| self.root.path().join(folder));
        let value = std::env::join_paths(folders).unwrap();
        self.environment.variables.insert(OsString::from(name), value);
        self
    }

    /// The compilers, relative to the root.
    fn found(&self) -> Vec<String> {
        let found = compilers(&self.environment).unwrap();
        found
            .iter()
            .map(|compiler| {
                let path = compiler.path.strip_prefix(self.root.path()).unwrap();
                path.display().to_string().replace('\\', "/")
            })
            .collect()
    }
}

#[test]
fn linux_is_searched_in_order() {
    let venv = "venv/lib/python3.12/site-packages/nvidia";
    let machine = Machine::new(Os::Linux)
        .with(&[
            &format!("{venv}/cu13/lib/libnvrtc.so.13"),
            &format!("{venv}/cuda_nvrtc/lib/libnvrtc.so.12"),
            &format!("{venv}/cuda_nvrtc/lib/libnvrtc-builtins.so.12.9"),
            "conda/lib/libnvrtc.so.12.4",
            "home/me/.local/lib/python3.9/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.11.2",
            "home/me/.local/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.11.2",
            "py/bin/python3",
            "py/lib/python3.13/site-packages/nvidia/cu13/lib/libnvrtc.so.13",
            "home/me/.pyenv/versions/3.11.7/lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.so.13",
            "usr/local/lib/python3.11/dist-packages/nvidia/cu13/lib/libnvrtc.so.13",
            "libraries/libnvrtc.so",
            "usr/lib/x86_64-linux-gnu/libnvrtc.so.11.2",
            "etc/ld.so.conf.d/a.conf",
            "home-cuda/lib64/libnvrtc.so.12",
            "usr/local/cuda-9.0/lib64/libnvrtc.so.9.0",
            "usr/local/cuda-12.4/lib64/libnvrtc.so.12",
            "opt/cuda/targets/x86_64-linux/lib/libnvrtc.so.13",
        ])
        .set("VIRTUAL_ENV", &["venv"])
        .set("CONDA_PREFIX", &["conda"])
        .set("PATH", &["nothing", "py/bin"])
        .set("LD_LIBRARY_PATH", &["libraries"])
        .set("CUDA_HOME", &["home-cuda"]);
    assert_eq!(
        machine.found(),
        [
            &format!("{venv}/cuda_nvrtc/lib/libnvrtc.so.12"),
            &format!("{venv}/cu13/lib/libnvrtc.so.13"),
            "home/me/.local/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.11.2",
            "home/me/.local/lib/python3.9/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.11.2",
            "py/lib/python3.13/site-packages/nvidia/cu13/lib/libnvrtc.so.13",
            "home/me/.pyenv/versions/3.11.7/lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.so.13",
            "usr/local/lib/python3.11/dist-packages/nvidia/cu13/lib/libnvrtc.so.13",
            "conda/lib/libnvrtc.so.12.4",
            "libraries/libnvrtc.so",
            "usr/lib/x86_64-linux-gnu/libnvrtc.so.11.2",
            "home-cuda/lib64/libnvrtc.so.12",
            "usr/local/cuda-12.4/lib64/libnvrtc.so.12",
            "usr/local/cuda-9.0/lib64/libnvrtc.so.9.0",
            "opt/cuda/targets/x86_64-linux/lib/libnvrtc.so.13",
        ]
    );
}

#[test]
fn clang_comes_after_every_nvrtc() {
    let machine = Machine::new(Os::Linux)
        .with(&[
            "usr/local/cuda/lib64/libnvrtc.so.12",
            "bin/clang",
            "bin/clang-16",
            "other/clang-19",
            "other/clang-cpp-19",
            "home/linuxbrew/.linuxbrew/opt/llvm/bin/clang",
        ])
        .set("PATH", &["bin", "other"]);
    let clangs = [
        "bin/clang",
        "other/clang-19",
        "bin/clang-16",
        "home/linuxbrew/.linuxbrew/opt/llvm/bin/clang",
    ];
    assert_eq!(machine.found()[0], "usr/local/cuda/lib64/libnvrtc.so.12");
    assert_eq!(machine.found()[1..], clangs);
    // The variable of clang counts alone too.
    assert_eq!(machine.set(CLANG_VARIABLE, &["bin/clang-16"]).found(), ["bin/clang-16"]);
}

#[test]
fn a_mac_has_only_clang() {
    let machine = Machine::new(Os::Mac)
        .with(&["usr/bin/clang", "opt/homebrew/opt/llvm/bin/clang", "usr/lib/libnvrtc.so.12"])
        .set("PATH", &["usr/bin"]);
    assert_eq!(machine.found(), ["usr/bin/clang", "opt/homebrew/opt/llvm/bin/clang"]);
}

#[test]
fn windows_has_its_own_places() {
    let machine = Machine::new(Os::Windows)
        .with(&[
            "venv/Lib/site-packages/nvidia/cuda_nvrtc/bin/nvrtc64_120_0.dll",
            "venv/Lib/site-packages/nvidia/cuda_nvrtc/bin/nvrtc64_120_0.alt.dll",
            "venv/Lib/site-packages/nvidia/cuda_nvrtc/bin/nvrtc-builtins64_129.dll",
            "venv/Lib/site-packages/nvidia/cu13/bin/x86_64/nvrtc64_130_0.dll",
            "roaming/Python/Python312/site-packages/nvidia/cuda_nvrtc/bin/nvrtc64_112_0.dll",
            "programs/NVIDIA GPU Computing Toolkit/CUDA/v12.4/bin/nvrtc64_120_0.dll",
            "programs/NVIDIA GPU Computing Toolkit/CUDA/v13.0/bin/x64/nvrtc64_130_0.dll",
            "programs/LLVM/bin/clang.exe",
            "tools/clang-18.exe",
        ])
        .set("Path", &["tools"])
        .set("VIRTUAL_ENV", &["venv"])
        .set("APPDATA", &["roaming"])
        .set("PROGRAMFILES", &["programs"]);
    assert_eq!(
        machine.found(),
        [
            "venv/Lib/site-packages/nvidia/cuda_nvrtc/bin/nvrtc64_120_0.dll",
            "venv/Lib/site-packages/nvidia/cu13/bin/x86_64/nvrtc64_130_0.dll",
            "roaming/Python/Python312/site-packages/nvidia/cuda_nvrtc/bin/nvrtc64_112_0.dll",
            "programs/NVIDIA GPU Computing Toolkit/CUDA/v13.0/bin/x64/nvrtc64_130_0.dll",
            "programs/NVIDIA GPU Computing Toolkit/CUDA/v12.4/bin/nvrtc64_120_0.dll",
            "tools/clang-18.exe",
            "programs/LLVM/bin/clang.exe",
        ]
    );
}

#[test]
fn the_current_and_relative_folders_never_count() {
    let mut machine = Machine::new(Os::Linux)
        .with(&["work/libnvrtc.so.12", "work/lib64/libnvrtc.so.12", "work/bin/python3"])
        .set("LD_LIBRARY_PATH", &["work"]);
    machine.environment.variables.insert("CUDA_HOME".into(), ".".into());
    machine.environment.variables.insert("CUDA_PATH".into(), "work".into());
    machine.environment.variables.insert("VIRTUAL_ENV".into(), "".into());
    assert_eq!(machine.found(), Vec::<String>::new());
}

#[test]
fn a_variable_counts_alone_and_must_name_a_file() {
    let machine = Machine::new(Os::Linux)
        .with(&["usr/lib/libnvrtc.so.12", "mine/libnvrtc.so"])
        .set(NVRTC_VARIABLE, &["mine/libnvrtc.so"]);
    assert_eq!(machine.found(), ["mine/libnvrtc.so"]);
    for (value, part) in [("mine/libnvrtc.so", "absolute path"), ("/no/such/file", "names no file")]
    {
        let environment = machine.environment.clone().with(NVRTC_VARIABLE, value);
        let error = compilers(&environment).unwrap_err().to_string();
        assert!(error.contains(part) && error.contains(value), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn one_file_counts_once() {
    let machine = Machine::new(Os::Linux).with(&["usr/local/cuda-12.4/lib64/libnvrtc.so.12"]);
    let local = machine.root.path().join("usr/local");
    std::os::unix::fs::symlink(local.join("cuda-12.4"), local.join("cuda")).unwrap();
    assert_eq!(machine.found(), ["usr/local/cuda/lib64/libnvrtc.so.12"]);
}

#[test]
fn the_advice_fits_the_platform() {
    assert_eq!(Machine::new(Os::Mac).environment.advice(), "brew install llvm");
    let pip = "pip install nvidia-cuda-nvrtc-cu12";
    assert_eq!(Machine::new(Os::Windows).environment.advice(), pip);
    let debian = ["usr/bin/apt-get", "usr/bin/pip3", "usr/lib/python3.11/EXTERNALLY-MANAGED"];
    let machine = Machine::new(Os::Linux).with(&debian).set("PATH", &["usr/bin"]);
    assert_eq!(machine.environment.advice(), "sudo apt-get install clang");
    let machine = machine.set("VIRTUAL_ENV", &["venv"]);
    assert_eq!(machine.environment.advice(), pip);
}
