//! The folders of NVIDIA's headers.

use std::fs;
use std::path::{Path, PathBuf};

use super::environment::children;

/// A file of each folder that has some of them: the runtime's, those of CUB and libcu++, those for
/// random numbers, and what those for matrices include.
const MARKS: [&str; 4] = ["cuda_fp16.h", "cub/cub.cuh", "curand_kernel.h", "crt/mma.h"];

/// Those that belong to a library of NVRTC: of its toolkit, or of the wheels beside its own.
/// Others may be of another version.
pub(in crate::compiler) fn folders(library: &Path) -> Vec<PathBuf> {
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
    let mut seen = Vec::new();
    folders.retain(|folder| {
        let has = MARKS.iter().any(|mark| folder.join(mark).is_file());
        let new = has && !seen.contains(folder);
        seen.push(folder.clone());
        new
    });
    folders
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_those_of_the_library() {
        let root = tempfile::tempdir().unwrap();
        let site = "lib/python3.12/site-packages/nvidia";
        for file in [
            "cuda/lib64/libnvrtc.so.12",
            "cuda/include/cuda_fp16.h",
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
        let found = |library: &str| -> Vec<String> {
            let folders = folders(&root.path().join(library));
            let name = |folder: &PathBuf| {
                let path = folder.strip_prefix(fs::canonicalize(root.path()).unwrap());
                path.unwrap().display().to_string().replace('\\', "/")
            };
            folders.iter().map(name).collect()
        };
        assert_eq!(found("cuda/lib64/libnvrtc.so.12"), ["cuda/include/cccl", "cuda/include"]);
        assert_eq!(found("conda/lib/libnvrtc.so.12"), ["conda/targets/x86_64-linux/include"]);
        assert_eq!(found("usr/lib/x86_64-linux-gnu/libnvrtc.so.11.2"), ["usr/include"]);
        let wheel = format!("{site}/cuda_nvrtc/lib/libnvrtc.so.12");
        let mut wheels = found(&wheel);
        wheels.sort();
        let named = ["cuda_runtime", "curand"].map(|wheel| format!("{site}/{wheel}/include"));
        assert_eq!(wheels, named);
        assert_eq!(found("v/cu13/lib/libnvrtc.so.13"), ["v/cu13/include"]);
        assert_eq!(found("nowhere/lib/libnvrtc.so"), Vec::<String>::new());
    }
}
