//! The folders of NVIDIA's headers.

use std::fs;
use std::path::{Path, PathBuf};

use super::environment::{Environment, children, version};
use super::nvrtc;

/// A file of each folder that has some of them: the runtime's, those of CUB and libcu++, those for
/// random numbers, and what those for matrices include.
const MARKS: [&str; 4] = ["cuda_fp16.h", "cub/cub.cuh", "curand_kernel.h", "crt/mma.h"];

/// Those that belong to a library of NVRTC: of its toolkit, or of the wheels beside its own. Then
/// those of toolkits of the same major version, as wheels may be without CUB.
pub(in crate::compiler) fn folders(library: &Path, environment: &Environment) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    let real = fs::canonicalize(library).unwrap_or_else(|_| library.to_owned());
    for library in [library, &real] {
        // `cuda/lib64`, `cuda/bin/x64`, `usr/lib/x86_64-linux-gnu`, `nvidia/cuda_nvrtc/lib`.
        for above in library.ancestors().skip(2).take(2) {
            let mut inside = vec![above.to_owned()];
            inside.extend(children(&above.join("targets"), ""));
            if above.file_name().is_some_and(|name| name == "nvidia") {
                inside.extend(children(above, ""));
            }
            for folder in inside {
                let folder = folder.join("include");
                folders.extend([folder.join("cccl"), folder]);
            }
        }
    }
    if let Some(major) = major(&real) {
        let named = ["CUDA_HOME", "CUDA_PATH"].map(|name| environment.folder(name));
        for toolkit in named.into_iter().flatten().chain(nvrtc::toolkits(environment)) {
            let folder = toolkit.join("include");
            if of_version(&folder) == Some(major) {
                folders.extend([folder.join("cccl"), folder]);
            }
        }
    }
    let mut seen = Vec::new();
    folders.retain(|folder| {
        let has = MARKS.iter().any(|mark| folder.join(mark).is_file());
        let new = has && !seen.contains(folder);
        seen.push(folder.clone());
        new
    });
    folders
}

/// The major version in the name of a library: `libnvrtc.so.12`, `nvrtc64_120_0.dll`.
fn major(library: &Path) -> Option<u32> {
    let name = library.file_name()?.to_str()?;
    let number = *version(name.trim_start_matches("nvrtc64")).first()?;
    Some(if number >= 100 { number / 10 } else { number })
}

/// The major version that the headers of a folder are of: 13 of `#define CUDA_VERSION 13000`.
fn of_version(folder: &Path) -> Option<u32> {
    let text = fs::read_to_string(folder.join("cuda.h")).ok()?;
    let (_, rest) = text.split_once("#define CUDA_VERSION")?;
    let number: u32 = rest.split_whitespace().next()?.parse().ok()?;
    Some(number / 1000)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::compiler::discovery::Os;

    #[test]
    fn headers_are_those_of_the_library() {
        let root = tempfile::tempdir().unwrap();
        let site = "lib/python3.12/site-packages/nvidia";
        for file in [
            "cuda/lib64/libnvrtc.so.12",
            "cuda/include/cuda_fp16.h",
            "usr/local/cuda/include/cccl/cub/cub.cuh",
            "usr/local/cuda-12.4/include/cccl/cub/cub.cuh",
            "cuda/include/cccl/cub/cub.cuh",
            "cuda-11/include/cuda_fp16.h",
            "conda/lib/libnvrtc.so.12",
            "conda/include/stdio.h",
            "conda/targets/x86_64-linux/include/cuda_fp16.h",
            "usr/lib/x86_64-linux-gnu/libnvrtc.so.11.2",
            "usr/include/cuda_fp16.h",
            &format!("{site}/cuda_nvrtc/lib/libnvrtc.so.12"),
            &format!("{site}/cuda_nvrtc/include/nvrtc.h"),
            &format!("{site}/cuda_runtime/include/cuda_fp16.h"),
            &format!("{site}/curand/include/curand_kernel.h"),
            "v/cu13/lib/libnvrtc.so.13",
            "v/cu13/include/crt/mma.h",
        ] {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, file).unwrap();
        }
        for (toolkit, version) in [("cuda", 13000), ("cuda-12.4", 12040)] {
            let text = format!("#ifndef A\n#define CUDA_VERSION {version}\n");
            fs::write(root.path().join(format!("usr/local/{toolkit}/include/cuda.h")), text)
                .unwrap();
        }
        let environment = Environment {
            os: Os::Linux,
            root: fs::canonicalize(root.path()).unwrap(),
            ..Environment::empty()
        };
        let found = |library: &str| -> Vec<String> {
            let folders = folders(&root.path().join(library), &environment);
            let name = |folder: &PathBuf| {
                let path = folder.strip_prefix(fs::canonicalize(root.path()).unwrap());
                path.unwrap().display().to_string().replace('\\', "/")
            };
            folders.iter().map(name).collect()
        };
        let toolkit = "usr/local/cuda-12.4/include/cccl";
        assert_eq!(
            found("cuda/lib64/libnvrtc.so.12"),
            ["cuda/include/cccl", "cuda/include", toolkit]
        );
        assert_eq!(
            found("conda/lib/libnvrtc.so.12"),
            ["conda/targets/x86_64-linux/include", toolkit]
        );
        assert_eq!(found("usr/lib/x86_64-linux-gnu/libnvrtc.so.11.2"), ["usr/include"]);
        let wheel = format!("{site}/cuda_nvrtc/lib/libnvrtc.so.12");
        let mut wheels = found(&wheel);
        wheels.sort();
        let [runtime, random] = ["cuda_runtime", "curand"].map(|it| format!("{site}/{it}/include"));
        assert_eq!(wheels, [runtime.as_str(), &random, toolkit]);
        assert_eq!(
            found("v/cu13/lib/libnvrtc.so.13"),
            ["v/cu13/include", "usr/local/cuda/include/cccl"]
        );
        assert_eq!(found("nowhere/lib/libnvrtc.so"), Vec::<String>::new());
    }
}
